// The compiler works in a folder that mkdtemp() makes, so that nobody else can put files or links
// in its way; it is started by its argument vector, without a shell. Folders and files of the cache
// that are not the user's own, or that others could have written, are not used.
//
// An entry of the cache is an object followed by a digest of it. It reaches the disk before it is
// renamed into the cache, and is verified before it is loaded. Loaded is a private copy, never the
// entry: the loader matches objects by name and by inode, and a mapped file that is truncated later
// ends the process.

#include "compiler.h"

#include "../base/cpu.h"
#include "sha256.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define FOLDER_NAME "linkwork-"

enum { PATH_ROOM = 480, MOST_ARGUMENTS = 48, COMMAND_ROOM = 512 };
enum { MARK = LWI_DIGEST_SIZE - 1, LARGEST_OBJECT = 1 << 26 }; // bytes

/// One attempt: where it works and what went wrong.
typedef struct work {
    const lw_compiler *compiler;
    lw_report *report;
    char digest[LWI_DIGEST_SIZE];
    int cache; ///< open folder, or -1
    char folder[PATH_ROOM];
    char source[PATH_ROOM + 16], object[PATH_ROOM + 16], log[PATH_ROOM + 16];
    char kept[PATH_ROOM + 16]; ///< the entry of the cache before it is renamed
} work;

static lw_status warn(const work *w, const char *what, const char *which, int error)
{
    char why[128] = "";
    if (error != 0 && strerror_r(error, why, sizeof why) != 0) {
        snprintf(why, sizeof why, "error %d", error);
    }
    lw_report_add(w->report, LW_WARNING, LW_OK, LW_DIAG_COMPILER, (lw_location){0, 0, 0},
                  "%s %s%s%s", what, which, *why ? ": " : "", why);
    return LW_ERR_FILE;
}

// --- Cache ------------------------------------------------------------------------------------

static bool is_own(const struct stat *info)
{
    return info->st_uid == geteuid() && (info->st_mode & 022) == 0;
}

static int open_cache(const work *w)
{
    const char *path = w->compiler->cache;
    if (!path || !*path) {
        return -1;
    }
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        warn(w, "nothing is kept in", path, errno);
        return -1;
    }
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0) {
        warn(w, "nothing is kept in", path, errno);
    } else if (!is_own(&info) || (info.st_mode & 077) != 0) {
        warn(w, "nothing is kept where others have access:", path, 0);
    } else {
        return fd;
    }
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

static void entry_name(const work *w, char name[LWI_DIGEST_SIZE + 4])
{
    memcpy(name, w->digest, LWI_DIGEST_SIZE - 1);
    memcpy(name + LWI_DIGEST_SIZE - 1, ".so", 4);
}

static void *load(const work *w, const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *digest = handle ? dlsym(handle, "linkwork_digest") : NULL;
    if (handle && (!digest || strcmp(digest, w->digest) != 0)) {
        dlclose(handle);
        handle = NULL;
    }
    return handle;
}

// What interrupted runs left in the cache: folders for the work that are older than any compiler
// takes. Only files that are made here are removed, so that a folder with others in it stays.
static void sweep(const work *w)
{
    static const char *const made[] = {"code.c", "code.so", "log", "kept"};
    static const time_t old = 3600; // s
    const int copy = dup(w->cache);
    DIR *list = copy >= 0 ? fdopendir(copy) : NULL;
    struct stat info;
    for (struct dirent *entry; list && (entry = readdir(list)) != NULL;) {
        const char *name = entry->d_name;
        if (strncmp(name, FOLDER_NAME, sizeof FOLDER_NAME - 1) != 0 ||
            fstatat(w->cache, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(info.st_mode) ||
            time(NULL) - info.st_mtime < old) {
            continue;
        }
        const int folder = openat(w->cache, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        for (size_t i = 0; folder >= 0 && i < sizeof made / sizeof *made; ++i) {
            unlinkat(folder, made[i], 0);
        }
        if (folder >= 0) {
            close(folder);
        }
        unlinkat(w->cache, name, AT_REMOVEDIR);
    }
    if (list) {
        closedir(list);
    } else if (copy >= 0) {
        close(copy);
    }
}

// --- Files ------------------------------------------------------------------------------------

static bool make_folder(work *w)
{
    const char *cache = w->cache >= 0 ? w->compiler->cache : NULL;
    const char *base = cache ? cache : w->compiler->temporary ? w->compiler->temporary : "/tmp";
    const int n = snprintf(w->folder, sizeof w->folder, "%s/" FOLDER_NAME "XXXXXX", base);
    if (n < 0 || n >= (int)sizeof w->folder) {
        w->folder[0] = '\0';
        warn(w, "the name of a folder is too long:", base, 0);
        return false;
    }
    if (!mkdtemp(w->folder)) {
        const int error = errno;
        w->folder[0] = '\0';
        warn(w, "cannot make a folder in", base, error);
        return false;
    }
    snprintf(w->source, sizeof w->source, "%s/code.c", w->folder);
    snprintf(w->object, sizeof w->object, "%s/code.so", w->folder);
    snprintf(w->log, sizeof w->log, "%s/log", w->folder);
    snprintf(w->kept, sizeof w->kept, "%s/kept", w->folder);
    return true;
}

static void remove_folder(const work *w)
{
    if (w->folder[0]) {
        unlink(w->source);
        unlink(w->object);
        unlink(w->log);
        unlink(w->kept);
        rmdir(w->folder);
    }
}

/// Writes a new file; where `is_synced`, its bytes are on the disk before this returns.
static bool write_file(const work *w, const char *path, const char *bytes, size_t size,
                       bool is_synced)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool is_good = fd >= 0;
    while (is_good && size > 0) {
        const ssize_t put = write(fd, bytes, size);
        if (put >= 0) {
            bytes += put;
            size -= (size_t)put;
        } else if (errno != EINTR) {
            is_good = false;
        }
    }
    is_good = is_good && (!is_synced || fsync(fd) == 0);
    const int error = errno;
    if (fd >= 0 && close(fd) != 0) {
        is_good = false;
    }
    if (!is_good) {
        warn(w, "cannot write", path, error);
    }
    return is_good;
}

/// The bytes of a file of the user's own, with space for a digest behind them; null where it is
/// none. Opening never waits, not even for the writer of a FIFO.
static char *read_file(int folder, const char *name, size_t *size)
{
    struct stat info;
    char *bytes = NULL;
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    *size = 0;
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && is_own(&info) &&
        info.st_size <= LARGEST_OBJECT) {
        const size_t whole = (size_t)info.st_size;
        bytes = malloc(whole + LWI_DIGEST_SIZE);
        for (ssize_t got = 1; bytes && *size < whole && got > 0;
             *size += got > 0 ? (size_t)got : 0) {
            got = read(fd, bytes + *size, whole - *size);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return bytes;
}

// The mark of an entry is a digest of its object and of what that was made from: neither a file
// that was cut short nor the code of another mechanism matches it. There is space for it at
// object + size.
static void put_mark(const work *w, char *object, size_t size)
{
    memcpy(object + size, w->digest, MARK);
    lwi_sha256(object, size + MARK, object + size);
}

static void *load_kept(const work *w)
{
    char name[LWI_DIGEST_SIZE + 4], found[MARK];
    void *handle = NULL;
    size_t size;
    entry_name(w, name);
    char *bytes = read_file(w->cache, name, &size);
    if (bytes && size > MARK) {
        size -= MARK;
        memcpy(found, bytes + size, MARK);
        put_mark(w, bytes, size);
        if (memcmp(found, bytes + size, MARK) == 0 &&
            write_file(w, w->object, bytes, size, false)) {
            handle = load(w, w->object);
            unlink(w->object); // mapped, or to be compiled
        }
    }
    free(bytes);
    return handle;
}

static void keep(const work *w)
{
    char name[LWI_DIGEST_SIZE + 4];
    size_t size;
    entry_name(w, name);
    chmod(w->object, 0600); // whatever the umask is
    char *bytes = read_file(AT_FDCWD, w->object, &size);
    if (bytes) {
        put_mark(w, bytes, size);
    }
    if (!bytes || !write_file(w, w->kept, bytes, size + MARK, true) ||
        renameat(AT_FDCWD, w->kept, w->cache, name) != 0) {
        warn(w, "nothing is kept in", w->compiler->cache, errno);
    }
    free(bytes);
}

// --- Compiler ---------------------------------------------------------------------------------

// The words of the command, then ours. The processor's own instructions where it has them.
// 0 where there are more words than a compiler is given.
static int arguments(const work *w, char command[COMMAND_ROOM], int attempt,
                     const char *list[MOST_ARGUMENTS])
{
    static const char *const always[] = {
        "-std=c99", "-O2",   "-ffp-contract=fast",  "-fno-math-errno",
        "-w",       "-fPIC", "-fvisibility=hidden", "-shared"};
    static const char *const wide[] = {"-mavx2", "-mfma", "-mavx512f", "-mavx512dq", "-mavx512vl"};
    static const int nwide[] = {[LWI_CPU_ANY] = 0, [LWI_CPU_AVX2] = 2, [LWI_CPU_AVX512] = 5};
    int n = 0;
    char *rest = NULL;
    for (char *word = strtok_r(command, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        if (n == MOST_ARGUMENTS / 2) {
            return 0;
        }
        list[n++] = word;
    }
    for (size_t i = 0; i < sizeof always / sizeof *always; ++i) {
        list[n++] = always[i];
    }
    if (attempt == 0) {
        // Results are collected into vectors else, which takes longer than to write them one by
        // one.
        list[n++] = "-fno-tree-slp-vectorize";
    }
    for (int i = 0; attempt <= 1 && i < nwide[lwi_cpu_level()]; ++i) {
        list[n++] = wide[i];
    }
    list[n++] = "-o";
    list[n++] = w->object;
    list[n++] = w->source;
    list[n++] = "-lm";
    list[n] = NULL;
    return n;
}

// 0 where the compiler ran and was content; else an error, or -1 where it was not content.
static int run_compiler(const work *w, const char *const *list)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (error == 0) {
        error = posix_spawn_file_actions_addopen(&actions, 1, w->log, O_WRONLY | O_CREAT | O_TRUNC,
                                                 0600);
    }
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, 1, 2);
    }
    if (error == 0) {
        // posix_spawnp() does not change its arguments, but is declared as if it might.
        char *argv[MOST_ARGUMENTS];
        memcpy(argv, list, sizeof argv);
        error = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        return error;
    }
    int status;
    pid_t got;
    do {
        got = waitpid(child, &status, 0);
    } while (got < 0 && errno == EINTR);
    // A program that lets its children go unseen hears nothing; then the object tells.
    return (got == child && status == 0) || (got < 0 && access(w->object, R_OK) == 0) ? 0 : -1;
}

// The first line of the log that speaks of an error, or else its first line.
static void tell_log(const work *w, const char *command)
{
    char log[800] = "";
    const int fd = open(w->log, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        const ssize_t n = read(fd, log, sizeof log - 1);
        log[n > 0 ? n : 0] = '\0';
        close(fd);
    }
    const char *error = strstr(log, "error"), *line = error ? error : log;
    while (line > log && line[-1] != '\n') {
        --line;
    }
    log[line - log + (ptrdiff_t)strcspn(line, "\n")] = '\0';
    char what[300];
    snprintf(what, sizeof what, "the compiler \"%s\" failed:", command);
    warn(w, what, line, 0);
}

static bool compile(const work *w)
{
    const char *command = w->compiler->command ? w->compiler->command : "cc";
    for (int attempt = 0; attempt < 3; ++attempt) {
        char words[COMMAND_ROOM];
        const char *list[MOST_ARGUMENTS] = {NULL};
        if (strlen(command) >= sizeof words || strspn(command, " \t") == strlen(command)) {
            warn(w, "this is no compiler:", command, 0);
            return false;
        }
        strcpy(words, command);
        if (arguments(w, words, attempt, list) == 0) {
            warn(w, "too many options for a compiler:", command, 0);
            return false;
        }
        const int error = run_compiler(w, list);
        if (error == 0) {
            return true;
        }
        if (error > 0) {
            warn(w, "there is no compiler", command, error);
            return false;
        }
    }
    tell_log(w, command);
    return false;
}

// --- All --------------------------------------------------------------------------------------

// The digest is of the source, with zeros in its own place, the compiler and the processor.
static bool put_digest(work *w, char *source)
{
    const char *command = w->compiler->command ? w->compiler->command : "cc";
    static const char *const level[] = {
        [LWI_CPU_ANY] = "any", [LWI_CPU_AVX2] = "avx2", [LWI_CPU_AVX512] = "avx512"};
    const char *processor = level[lwi_cpu_level()];
    char *location = strstr(source, LWI_DIGEST_PLACE);
    const size_t size = strlen(source) + strlen(command) + strlen(processor);
    char *whole = malloc(size + 1);
    if (!location || !whole) {
        free(whole);
        return false;
    }
    strcat(strcat(strcpy(whole, source), command), processor);
    lwi_sha256(whole, size, w->digest);
    free(whole);
    memcpy(location, w->digest, LWI_DIGEST_SIZE - 1);
    return true;
}

lw_status lwi_compile_and_load(const lw_compiler *compiler, char *source, lw_report *report,
                               void **handle)
{
    *handle = NULL;
    // Its paths would take more of the stack than a function of this library should.
    work *w = calloc(1, sizeof *w);
    if (!w) {
        return LW_ERR_MEMORY;
    }
    w->compiler = compiler;
    w->report = report;
    w->cache = -1;
    lw_status status = LW_ERR_MEMORY;
    if (!put_digest(w, source)) {
        goto done;
    }
    w->cache = open_cache(w);
    const bool is_ready = make_folder(w);
    if (is_ready && w->cache >= 0) {
        *handle = load_kept(w);
    }
    if (w->cache >= 0 && !*handle) {
        sweep(w);
    }
    if (is_ready && !*handle && write_file(w, w->source, source, strlen(source), false) &&
        compile(w)) {
        *handle = load(w, w->object);
        if (*handle && w->cache >= 0) {
            keep(w);
        } else if (!*handle) {
            warn(w, "cannot load", "what was compiled", 0);
        }
    }
    remove_folder(w);
    if (w->cache >= 0) {
        close(w->cache);
    }
    status = *handle ? LW_OK : LW_ERR_FILE;
done:
    free(w);
    return status;
}
