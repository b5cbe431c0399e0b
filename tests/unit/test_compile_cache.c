// The compile cache: what is found in it is verified before it is loaded, and compiled again where
// it does not match.

#include "check.h"
#include "compiled.h"
#include "load_text.h"
#include "zoo.h"

#include "jit/sha256.h"

#include <linkwork/engine.h>
#include <linkwork/generated.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MARK = LWI_DIGEST_SIZE - 1, LARGEST_ENTRY = 1 << 20 };

/// A model with its entry in a cache of its own.
typedef struct cached {
    lw_model *m;
    char cache[96], entry[200];
    char bytes[LARGEST_ENTRY];
    size_t size;
} cached;

static char folder[64], command[96], runs[96];
static cached arm, scara;

/// Compilers that were started since the last call; they are counted by a script in front of them.
static int compilations(void)
{
    FILE *file = fopen(runs, "r");
    int count = 0;
    while (file && fgetc(file) != EOF) {
        ++count;
    }
    if (file) {
        fclose(file);
    }
    unlink(runs);
    return count;
}

static size_t read_whole(const char *path, char bytes[LARGEST_ENTRY])
{
    FILE *file = fopen(path, "rb");
    const size_t size = file ? fread(bytes, 1, LARGEST_ENTRY, file) : 0;
    if (file) {
        fclose(file);
    }
    return size;
}

static void write_whole(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (CHECK(file != NULL)) {
        CHECK(fwrite(bytes, 1, size, file) == size);
        fclose(file);
    }
}

/// A compiled engine of the gravity forces, which must be right.
static lw_engine *open_checked(const cached *c)
{
    lw_engine *engine = NULL, *numeric = NULL;
    lw_engine_options options = lw_default_engine_options(c->m);
    options.functions = 1u << LW_FUNCTION_GRAVITY;
    const lw_compiler compiler = {.command = command, .cache = c->cache};
    const lw_engine_state state = {c->m->nq, c->m->nv, c->m->q_reference, NULL, NULL, NULL};
    double tau[8], want[8];
    CHECK_INT(lw_engine_generated(c->m, &options, &compiler, &engine, NULL), LW_OK);
    CHECK_INT(lw_engine_numeric(c->m, &options, &numeric), LW_OK);
    CHECK_TEXT(lw_engine_name(engine), "generated");
    CHECK_INT(lw_engine_run(engine, LW_FUNCTION_GRAVITY, &state, tau), LW_OK);
    CHECK_INT(lw_engine_run(numeric, LW_FUNCTION_GRAVITY, &state, want), LW_OK);
    for (int i = 0; i < c->m->nv; ++i) {
        CHECK_NEAR(tau[i], want[i], 1e-10);
    }
    lw_engine_destroy(numeric);
    return engine;
}

/// Loads a model and fills its cache.
static bool prepare(cached *c, const char *name)
{
    c->m = shipped_model(name);
    snprintf(c->cache, sizeof c->cache, "%s/of_%d", folder, c->m ? c->m->nv : 0);
    if (!c->m) {
        return false;
    }
    lw_engine_destroy(open_checked(c));
    DIR *dir = opendir(c->cache);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (e->d_name[0] != '.') {
            snprintf(c->entry, sizeof c->entry, "%s/%.80s", c->cache, e->d_name);
        }
    }
    closedir(dir);
    c->size = read_whole(c->entry, c->bytes);
    return compilations() == 1 && CHECK(c->size > MARK);
}

/// Whatever is in the cache, the engine is right; it was compiled again, and the entry is whole.
static void check_compiled_again(const cached *c)
{
    static char bytes[LARGEST_ENTRY];
    lw_engine_destroy(open_checked(c));
    CHECK_INT(compilations(), 1);
    CHECK(read_whole(c->entry, bytes) == c->size);
    lw_engine_destroy(open_checked(c));
    CHECK_INT(compilations(), 0);
}

// A file that lost its end, as after a power failure, ended the process within dlopen().
TEST(truncated_object_is_compiled_again)
{
    const size_t size = scara.size;
    const size_t left[] = {0, 1, MARK, 4096, 8192, size / 2, size - 4096, size - MARK, size - 1};
    for (size_t i = 0; i < sizeof left / sizeof *left; ++i) {
        check_case("%zu of %zu bytes", left[i], size);
        CHECK_INT(truncate(scara.entry, (off_t)left[i]), 0);
        check_compiled_again(&scara);
    }
}

// What others may write is not run, whatever it holds.
TEST(object_that_others_may_write_is_compiled_again)
{
    CHECK_INT(chmod(scara.entry, 0666), 0);
    check_compiled_again(&scara);
}

TEST(object_with_other_bytes_is_compiled_again)
{
    static char bytes[LARGEST_ENTRY];
    for (size_t i = 0; i < 16; ++i) {
        const size_t at = i * (scara.size - 1) / 15;
        check_case("byte %zu of %zu", at, scara.size);
        memcpy(bytes, scara.bytes, scara.size);
        bytes[at] ^= 1;
        write_whole(scara.entry, bytes, scara.size);
        check_compiled_again(&scara);
    }
}

// The loader matches objects by name: the second was taken for the first.
TEST(every_engine_of_a_process_is_served_from_the_cache)
{
    lw_engine *one = open_checked(&arm), *two = open_checked(&scara), *three = open_checked(&arm);
    CHECK_INT(compilations(), 0);
    // Entries that are cut short while their code is in use.
    CHECK_INT(truncate(arm.entry, 0), 0);
    const lw_engine_state state = {arm.m->nq, arm.m->nv, arm.m->q_reference, NULL, NULL, NULL};
    double tau[8];
    CHECK_INT(lw_engine_run(one, LW_FUNCTION_GRAVITY, &state, tau), LW_OK);
    write_whole(arm.entry, arm.bytes, arm.size);
    lw_engine_destroy(one);
    lw_engine_destroy(two);
    lw_engine_destroy(three);
}

// Once as a copy of the whole entry, and once with a mark that fits: then its source tells.
TEST(code_of_another_mechanism_is_never_run)
{
    static char bytes[LARGEST_ENTRY + MARK];
    lw_engine *other = open_checked(&arm);
    CHECK_INT(compilations(), 0);
    write_whole(scara.entry, arm.bytes, arm.size);
    check_compiled_again(&scara);
    const size_t object = arm.size - MARK;
    memcpy(bytes, arm.bytes, object);
    memcpy(bytes + object, strrchr(scara.entry, '/') + 1, MARK);
    lwi_sha256(bytes, arm.size, bytes + object);
    write_whole(scara.entry, bytes, arm.size);
    check_compiled_again(&scara);
    lw_engine_destroy(other);
}

TEST(what_is_no_file_is_neither_read_nor_waited_for)
{
    for (int i = 0; i < 3; ++i) {
        CHECK_INT(unlink(scara.entry), 0);
        if (i == 0) {
            check_case("FIFO");
            CHECK_INT(mkfifo(scara.entry, 0600), 0);
        } else {
            check_case("link to a device");
            CHECK_INT(symlink(i == 1 ? "/dev/zero" : "/dev/tty", scara.entry), 0);
        }
        check_compiled_again(&scara);
    }
    check_case("folder");
    CHECK_INT(unlink(scara.entry), 0);
    CHECK_INT(mkdir(scara.entry, 0700), 0);
    lw_engine_destroy(open_checked(&scara));
    CHECK_INT(compilations(), 1);
    CHECK_INT(rmdir(scara.entry), 0);
    check_compiled_again(&scara);
}

int main(void)
{
    if (!compiled_folder(folder)) {
        return 1;
    }
    snprintf(runs, sizeof runs, "%s/runs", folder);
    snprintf(command, sizeof command, "%s/compiler", folder);
    const char *cc = compiled_has("cc") ? "cc" : compiled_has("gcc") ? "gcc" : NULL;
    FILE *script = cc ? fopen(command, "w") : NULL;
    if (script) {
        fprintf(script, "#!/bin/sh\nprintf x >>'%s'\nexec %s \"$@\"\n", runs, cc);
        fclose(script);
        CHECK_INT(chmod(command, 0700), 0);
        if (prepare(&arm, "ur5_class.xml") && prepare(&scara, "scara.xml")) {
            alarm(300); // so that waiting for a FIFO ends as a failure
            RUN(every_engine_of_a_process_is_served_from_the_cache);
            RUN(code_of_another_mechanism_is_never_run);
            RUN(what_is_no_file_is_neither_read_nor_waited_for);
            RUN(object_that_others_may_write_is_compiled_again);
            RUN(object_with_other_bytes_is_compiled_again);
            RUN(truncated_object_is_compiled_again);
        }
    }
    lw_model_destroy(arm.m);
    lw_model_destroy(scara.m);
    compiled_remove(folder);
    return REPORT();
}
