#include "sweep/store.h"

#include "support/files.h"
#include "support/message.h"
#include "support/timing.h"
#include "sweep/crc32c.h"

#include <jansson.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RECORD = 64 };

char *store_path(const store *s, const char *name)
{
    return memory_text(s->pool, "%s/%s", s->dir, name);
}

static int trouble(const char *verb, const char *path)
{
    return complain(EXIT_FILE, "cannot %s %s: %s", verb, path, strerror(errno));
}

int store_rows(const store *s, long long block)
{
    const long long rest = s->cases - block * s->block;
    return rest < s->block ? (int)rest : s->block;
}

// --- plan.json --------------------------------------------------------------------------------

static json_t *describe(const lw_sweep *sweep, const char *plan)
{
    const lw_sweep_info info = lw_sweep_describe(sweep);
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", info.hash);
    json_t *columns = json_array(), *inputs = json_array(), *models = json_array();
    for (int k = 0; k < info.ncolumn; ++k) {
        json_array_append_new(columns, json_string(info.column[k]));
    }
    for (int k = 0; k < info.ninput; ++k) {
        json_array_append_new(inputs, json_string(info.input[k]));
    }
    for (int k = 0; k < info.nstructure; ++k) {
        char text[32];
        snprintf(text, sizeof text, "%016llx", lw_model_hash(lw_sweep_model(sweep, k)));
        json_array_append_new(models, json_string(text));
    }
    return json_pack("{s:s, s:I, s:i, s:I, s:s, s:o, s:o, s:o, s:s, s:s}", "version", lw_version(),
                     "cases", (json_int_t)info.cases, "block", info.block, "seed",
                     (json_int_t)info.seed, "mode", info.mode == LW_SWEEP_EXACT ? "exact" : "fast",
                     "columns", columns, "varies", inputs, "models", models, "hash", hash, "plan",
                     plan);
}

// The element of a text that has the character at `at`, at most 200 characters of it.
static char *element_at(memory *pool, const char *text, size_t at)
{
    size_t begin = at;
    while (begin > 0 && text[begin] != '<') {
        --begin;
    }
    const size_t length = strcspn(text + begin, ">");
    const size_t whole = length + (text[begin + length] == '>');
    return memory_text(pool, "%.*s", (int)(whole < 200 ? whole : 200), text + begin);
}

// What differs between the plan of a folder and this one, in words.
static int refuse(const store *s, const json_t *there, const json_t *here)
{
    static const char *const key[] = {"cases",   "block",  "seed",   "mode",
                                      "columns", "varies", "models", NULL};
    for (int k = 0; key[k]; ++k) {
        const json_t *a = json_object_get(there, key[k]), *b = json_object_get(here, key[k]);
        if (!json_equal(a, b)) {
            char *x = a ? json_dumps(a, JSON_ENCODE_ANY) : NULL;
            char *y = json_dumps(b, JSON_ENCODE_ANY);
            const int code = complain(
                EXIT_USAGE, "%s has results of another plan: %s is %.200s there and %.200s here",
                s->dir, key[k], x ? x : "missing", y ? y : "");
            free(x);
            free(y);
            return code;
        }
    }
    const char *a = json_string_value(json_object_get(there, "plan"));
    const char *b = json_string_value(json_object_get(here, "plan"));
    size_t at = 0;
    while (a && b && a[at] && a[at] == b[at]) {
        ++at;
    }
    return a && b && a[at] != b[at]
               ? complain(EXIT_USAGE, "%s has results of another plan: %s there is %s here", s->dir,
                          element_at(s->pool, a, at), element_at(s->pool, b, at))
               : complain(EXIT_USAGE, "%s has results of another plan: the run file differs",
                          s->dir);
}

static int read_description(const store *s, json_t **description)
{
    char *path = store_path(s, "plan.json"), *text = NULL;
    size_t size = 0;
    json_error_t error;
    if (access(path, F_OK) != 0) {
        return complain(EXIT_FILE, "%s is no folder of a sweep: it has no plan.json", s->dir);
    }
    const int code = file_read(path, &text, &size);
    if (code != EXIT_GOOD) {
        return code;
    }
    *description = json_loadb(text, size, 0, &error);
    free(text);
    return *description
               ? EXIT_GOOD
               : complain(EXIT_INPUT, "%s:%d:%d: %s", path, error.line, error.column, error.text);
}

static int write_description(const store *s, const json_t *description)
{
    char *text = json_dumps(description, JSON_INDENT(1));
    const int code =
        text ? file_write(store_path(s, "plan.json"), text, strlen(text)) : no_memory();
    free(text);
    return code;
}

static void take_sizes(store *s, const lw_sweep_info *info)
{
    s->cases = info->cases;
    s->blocks = info->blocks;
    s->block = info->block;
    s->ncolumn = info->ncolumn;
    s->column = info->column;
    s->hash = info->hash;
    s->entry = memory_get(s->pool, (size_t)s->blocks, sizeof *s->entry);
}

int store_open(store *s, memory *pool, const char *dir, const lw_sweep *sweep, const char *plan,
               bool is_first)
{
    const lw_sweep_info info = lw_sweep_describe(sweep);
    *s = (store){.pool = pool, .dir = dir, .dat = -1, .jnl = -1};
    take_sizes(s, &info);
    int code = folder_make(dir);
    if (code != EXIT_GOOD) {
        return code;
    }
    json_t *here = describe(sweep, plan), *there = NULL;
    const bool is_new = access(store_path(s, "plan.json"), F_OK) != 0;
    code = here ? EXIT_GOOD : no_memory();
    if (code == EXIT_GOOD && is_new) {
        code =
            is_first ? write_description(s, here) : complain(EXIT_FILE, "%s has no plan.json", dir);
    } else if (code == EXIT_GOOD) {
        code = read_description(s, &there);
        const char *a = json_string_value(json_object_get(there, "hash"));
        const char *b = json_string_value(json_object_get(here, "hash"));
        if (code == EXIT_GOOD && (!a || strcmp(a, b) != 0)) {
            code = refuse(s, there, here);
        }
    }
    json_decref(here);
    json_decref(there);
    return code;
}

int store_open_folder(store *s, memory *pool, const char *dir)
{
    *s = (store){.pool = pool, .dir = dir, .dat = -1, .jnl = -1};
    json_t *d = NULL;
    int code = read_description(s, &d);
    if (code != EXIT_GOOD) {
        return code;
    }
    const json_t *columns = json_object_get(d, "columns");
    lw_sweep_info info = {.cases = json_integer_value(json_object_get(d, "cases")),
                          .block = (int)json_integer_value(json_object_get(d, "block")),
                          .ncolumn = (int)json_array_size(columns)};
    const char *hash = json_string_value(json_object_get(d, "hash"));
    if (info.cases < 1 || info.block < 1 || info.ncolumn < 1 || !hash ||
        sscanf(hash, "%llx", &info.hash) != 1) {
        code = complain(EXIT_INPUT, "%s/plan.json is no plan of a sweep", dir);
    } else {
        const char **name = memory_get(pool, (size_t)info.ncolumn, sizeof *name);
        for (int k = 0; k < info.ncolumn; ++k) {
            const char *text = json_string_value(json_array_get(columns, (size_t)k));
            name[k] = memory_text(pool, "%s", text ? text : "");
        }
        info.column = name;
        info.blocks = (info.cases - 1) / info.block + 1;
        take_sizes(s, &info);
    }
    json_decref(d);
    return code;
}

// --- Records ----------------------------------------------------------------------------------

static void put(unsigned char *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; ++i) {
        to[i] = (unsigned char)(value >> (8 * i));
    }
}

static uint64_t get(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; --i) {
        value = value << 8 | from[i];
    }
    return value;
}

// magic, hash of the plan, block, offset, bytes, failed cases, CRC of the rows, time in
// milliseconds, CRC of all before.
static void make_record(unsigned char record[RECORD], const store *s, long long block, size_t bytes,
                        long long failed, uint32_t crc)
{
    memset(record, 0, RECORD);
    memcpy(record, "LWSWEEP1", 8);
    put(record + 8, s->hash, 8);
    put(record + 16, (uint64_t)block, 8);
    put(record + 24, (uint64_t)s->offset, 8);
    put(record + 32, bytes, 8);
    put(record + 40, (uint64_t)failed, 8);
    put(record + 48, crc, 4);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    put(record + 52, (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000, 8);
    put(record + 60, crc32c(record, 60), 4);
}

static bool is_good(const store *s, const unsigned char record[RECORD])
{
    const uint64_t block = get(record + 16, 8);
    return memcmp(record, "LWSWEEP1", 8) == 0 && get(record + 60, 4) == crc32c(record, 60) &&
           get(record + 8, 8) == s->hash && block < (uint64_t)s->blocks &&
           get(record + 32, 8) ==
               (uint64_t)store_rows(s, (long long)block) * (uint64_t)s->ncolumn * sizeof(double);
}

// --- Reading ----------------------------------------------------------------------------------

static bool read_at(int fd, void *to, size_t size, long long offset)
{
    for (char *at = to; size > 0;) {
        const ssize_t got = pread(fd, at, size, offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        at += got;
        offset += got;
        size -= (size_t)got;
    }
    return true;
}

static int add_part(store *s, const char *name)
{
    if (s->npart == s->space) {
        char **larger = memory_get(s->pool, (size_t)(2 * s->space + 16), sizeof *larger);
        if (s->npart > 0) {
            memcpy(larger, s->part, (size_t)s->npart * sizeof *larger);
        }
        s->part = larger;
        s->space = 2 * s->space + 16;
    }
    s->part[s->npart] = store_path(s, name);
    return ++s->npart;
}

// The records of one journal, as far as they are good, and what of its data file belongs to them.
// Without a list of blocks the two ends alone are looked for.
static int scan_journal(store *s, const char *name, bool verifies, long long *end, long long *used)
{
    char *path = store_path(s, name), *text = NULL;
    size_t size = 0;
    const int code = file_read(path, &text, &size);
    if (code != EXIT_GOOD) {
        return code;
    }
    char *data = memory_text(s->pool, "%s", name);
    memcpy(data + strlen(data) - 3, "dat", 3);
    const int part = add_part(s, data);
    const int fd = open(s->part[part - 1], O_RDONLY | O_CLOEXEC);
    struct stat st = {0};
    if (fd >= 0) {
        fstat(fd, &st);
    }
    const size_t most = (size_t)s->block * (size_t)s->ncolumn * sizeof(double);
    char *rows = verifies ? malloc(most) : NULL;
    *end = *used = 0;
    for (size_t at = 0; at + RECORD <= size; at += RECORD) {
        const unsigned char *record = (const unsigned char *)text + at;
        if (!is_good(s, record)) {
            break; // a torn tail
        }
        const long long block = (long long)get(record + 16, 8);
        const long long offset = (long long)get(record + 24, 8);
        const size_t bytes = (size_t)get(record + 32, 8);
        const uint32_t crc = (uint32_t)get(record + 48, 4);
        const bool is_whole =
            offset + (long long)bytes <= st.st_size &&
            (!rows || (read_at(fd, rows, bytes, offset) && crc32c(rows, bytes) == crc));
        const unsigned long long time = get(record + 52, 8);
        if (s->entry && is_whole && (s->entry[block].part == 0 || time >= s->entry[block].time)) {
            s->ndone += s->entry[block].part == 0;
            s->entry[block] = (store_entry){offset, part, crc, time};
        }
        *end = (long long)(at + RECORD);
        *used = offset + (long long)bytes > *used ? offset + (long long)bytes : *used;
    }
    free(rows);
    free(text);
    if (fd >= 0) {
        close(fd);
    }
    return EXIT_GOOD;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_journal(const char *name)
{
    const size_t length = strlen(name);
    return length == strlen("part-0000-0000.jnl") && strncmp(name, "part-", 5) == 0 &&
           strcmp(name + length - 4, ".jnl") == 0;
}

int store_scan(store *s, bool verifies)
{
    DIR *folder = opendir(s->dir);
    if (!folder) {
        return trouble("read", s->dir);
    }
    char **name = NULL;
    int count = 0, space = 0, code = EXIT_GOOD;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (is_journal(entry->d_name)) {
            if (count == space) {
                space = 2 * space + 16;
                char **larger = realloc(name, (size_t)space * sizeof *name);
                if (!larger) {
                    code = no_memory();
                    break;
                }
                name = larger;
            }
            name[count++] = memory_text(s->pool, "%s", entry->d_name);
        }
    }
    closedir(folder);
    if (count > 0) {
        qsort(name, (size_t)count, sizeof *name, by_name);
    }
    for (int i = 0; i < count && code == EXIT_GOOD; ++i) {
        long long end, used;
        code = scan_journal(s, name[i], verifies, &end, &used);
    }
    free(name);
    return code;
}

int store_read(store *s, long long block, double *rows)
{
    const store_entry *e = &s->entry[block];
    const size_t bytes = (size_t)store_rows(s, block) * (size_t)s->ncolumn * sizeof *rows;
    const char *path = s->part[e->part - 1];
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool is_there = fd >= 0 && read_at(fd, rows, bytes, e->offset);
    if (fd >= 0) {
        close(fd);
    }
    if (!is_there) {
        return trouble("read", path);
    }
    return crc32c(rows, bytes) == e->crc
               ? EXIT_GOOD
               : complain(EXIT_FILE,
                          "%s: block %lld is damaged; the command of the sweep "
                          "computes it again",
                          path, block);
}

// --- Writing ----------------------------------------------------------------------------------

int store_begin(store *s, int shard, int rank)
{
    char *journal = memory_text(s->pool, "part-%04d-%04d.jnl", shard, rank);
    char *data = memory_text(s->pool, "part-%04d-%04d.dat", shard, rank);
    const char *path = store_path(s, journal);
    s->jnl = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (s->jnl < 0) {
        return trouble("write", path);
    }
    if (flock(s->jnl, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return complain(EXIT_FILE, "%s: another process is at work here", path);
    }
    const char *data_path = store_path(s, data);
    s->dat = open(data_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (s->dat < 0) {
        return trouble("write", data_path);
    }
    // What was written without a record, or half, is cut off.
    store old = *s;
    long long end = 0, used = 0;
    old.entry = NULL;
    const int code = scan_journal(&old, journal, false, &end, &used);
    if (code != EXIT_GOOD) {
        return code;
    }
    if (ftruncate(s->jnl, end) != 0 || ftruncate(s->dat, used) != 0 ||
        lseek(s->jnl, end, SEEK_SET) < 0) {
        return trouble("write", path);
    }
    s->offset = used;
    s->next_sync = timing_now();
    return EXIT_GOOD;
}

static bool write_at(int fd, const void *from, size_t size, long long offset)
{
    for (const char *at = from; size > 0;) {
        const ssize_t put_now = offset < 0 ? write(fd, at, size) : pwrite(fd, at, size, offset);
        if (put_now < 0 && errno == EINTR) {
            continue;
        }
        if (put_now < 0) {
            return false;
        }
        at += put_now;
        offset += offset < 0 ? 0 : put_now;
        size -= (size_t)put_now;
    }
    return true;
}

static int cannot_write(const store *s)
{
    return complain(
        EXIT_FILE,
        "cannot write to %s: %s; what is finished is kept, and the same command goes on "
        "from there",
        s->dir, strerror(errno));
}

// A process that is killed loses what it did since the last sync. That is 100 times what a sync
// costs here, so that waiting for the disk takes a hundredth of the time.
int store_sync(store *s)
{
    const double shortest = 0.02, longest = 10.0, begin = timing_now();
    if (s->npending == 0) {
        return EXIT_GOOD;
    }
    if (fdatasync(s->dat) != 0 || !write_at(s->jnl, s->pending, (size_t)s->npending * RECORD, -1) ||
        fdatasync(s->jnl) != 0) {
        return cannot_write(s);
    }
    s->npending = 0;
    const double now = timing_now();
    s->next_sync = now + fmin(fmax(100.0 * (now - begin), shortest), longest);
    return EXIT_GOOD;
}

int store_add(store *s, long long block, const double *rows, long long failed)
{
    const size_t bytes = (size_t)store_rows(s, block) * (size_t)s->ncolumn * sizeof *rows;
    if (!write_at(s->dat, rows, bytes, s->offset)) {
        return cannot_write(s);
    }
    make_record(s->pending[s->npending++], s, block, bytes, failed, crc32c(rows, bytes));
    s->offset += (long long)bytes;
    ++s->ndone;
    return s->npending == STORE_PENDING || timing_now() >= s->next_sync ? store_sync(s) : EXIT_GOOD;
}

void store_close(store *s)
{
    if (s->jnl >= 0) {
        close(s->jnl);
    }
    if (s->dat >= 0) {
        close(s->dat);
    }
    s->jnl = s->dat = -1;
}

int store_remove_parts(store *s)
{
    for (int i = 0; i < s->npart; ++i) {
        char *path = s->part[i];
        // The journal first: rows without a record are nothing, a record without rows is damage.
        memcpy(path + strlen(path) - 3, "jnl", 3);
        if (unlink(path) != 0 && errno != ENOENT) {
            return trouble("remove", path);
        }
        memcpy(path + strlen(path) - 3, "dat", 3);
        unlink(path);
    }
    return EXIT_GOOD;
}
