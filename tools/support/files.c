// realpath() is not in plain POSIX headers of the C library.
#define _XOPEN_SOURCE 700

#include "support/files.h"

#include "support/message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_INPUT = 1 << 30 }; // bytes; an endless device must end somewhere

static int trouble(const char *verb, const char *path)
{
    return complain(EXIT_FILE, "cannot %s %s: %s", verb, path, strerror(errno));
}

static int read_all(int fd, const char *path, char **text, size_t *size)
{
    char *block = NULL;
    size_t used = 0, space = 0;
    for (;;) {
        if (used + 1 >= space) {
            space = space ? 2 * space : 1 << 16;
            char *larger = used < MAX_INPUT ? realloc(block, space) : NULL;
            if (!larger) {
                free(block);
                return complain(EXIT_FILE, "cannot read %s: too large", path);
            }
            block = larger;
        }
        const ssize_t got = read(fd, block + used, space - used - 1);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            free(block);
            return trouble("read", path);
        }
        if (got == 0) {
            break;
        }
        used += (size_t)got;
    }
    block[used] = '\0';
    *text = block;
    *size = used;
    return EXIT_GOOD;
}

int file_read(const char *path, char **text, size_t *size)
{
    if (strcmp(path, "-") == 0) {
        return read_all(STDIN_FILENO, "standard input", text, size);
    }
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return trouble("read", path);
    }
    const int code = read_all(fd, path, text, size);
    close(fd);
    return code;
}

static bool write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t put = write(fd, text, size);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return false;
        }
        text += put;
        size -= (size_t)put;
    }
    return true;
}

static int write_directly(int fd, const char *path, const char *text, size_t size)
{
    if (fd < 0) {
        return trouble("write", path);
    }
    bool is_good = write_all(fd, text, size);
    if (fd != STDOUT_FILENO && close(fd) != 0) {
        is_good = false;
    }
    return is_good ? EXIT_GOOD : trouble("write", path);
}

// A file on its way: written under the name `spare` beside `target`, or to go to `path` directly.
typedef struct staged {
    char *spare, *target;
} staged;

// Writes beside `path`. The new file has the permissions of the old one, or those that any new file
// would have. A link stays a link: the file that it leads to is replaced.
static int stage(const file_text *file, staged *s)
{
    struct stat old;
    const bool is_there = strcmp(file->path, "-") != 0 && stat(file->path, &old) == 0;
    if (strcmp(file->path, "-") == 0 || (is_there && !S_ISREG(old.st_mode))) {
        return EXIT_GOOD; // standard output or a device: at the end
    }
    const mode_t mask = umask(0);
    umask(mask);
    s->target = is_there ? realpath(file->path, NULL) : strdup(file->path);
    if (!s->target) {
        return trouble("write", file->path);
    }
    const size_t length = strlen(s->target);
    char *spare = malloc(length + sizeof ".XXXXXX");
    if (!spare) {
        return no_memory();
    }
    memcpy(spare, s->target, length);
    memcpy(spare + length, ".XXXXXX", sizeof ".XXXXXX");
    const int fd = mkstemp(spare);
    if (fd < 0) {
        free(spare);
        return trouble("write", file->path);
    }
    s->spare = spare;
    const bool is_good = fchmod(fd, is_there ? old.st_mode & 07777 : 0666 & ~mask) == 0 &&
                         write_all(fd, file->text, file->size) && fsync(fd) == 0;
    return close(fd) == 0 && is_good ? EXIT_GOOD : trouble("write", file->path);
}

static int write_through(const file_text *file)
{
    if (strcmp(file->path, "-") == 0) {
        return write_directly(STDOUT_FILENO, "standard output", file->text, file->size);
    }
    return write_directly(open(file->path, O_WRONLY | O_CLOEXEC), file->path, file->text,
                          file->size);
}

sigset_t hold_interrupts(void)
{
    sigset_t interrupts, before;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigaddset(&interrupts, SIGTERM);
    sigaddset(&interrupts, SIGHUP);
    sigprocmask(SIG_BLOCK, &interrupts, &before);
    return before;
}

int files_write(const file_text *file, int n)
{
    staged *all = calloc((size_t)n + 1, sizeof *all);
    if (!all) {
        return no_memory();
    }
    int code = EXIT_GOOD;
    const sigset_t before = hold_interrupts();
    for (int i = 0; i < n && code == EXIT_GOOD; ++i) {
        code = stage(&file[i], &all[i]);
    }
    // What goes to a pipe may have to wait for its reader, and can be interrupted.
    for (int i = 0; i < n && code == EXIT_GOOD; ++i) {
        if (all[i].spare && rename(all[i].spare, all[i].target) != 0) {
            code = trouble("write", file[i].path);
        }
    }
    for (int i = 0; i < n && code != EXIT_GOOD; ++i) {
        if (all[i].spare) {
            unlink(all[i].spare); // where it is still there
        }
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    for (int i = 0; i < n; ++i) {
        if (code == EXIT_GOOD && !all[i].target) {
            code = write_through(&file[i]);
        }
        free(all[i].spare);
        free(all[i].target);
    }
    free(all);
    return code;
}

bool file_is_same(const char *a, const char *b)
{
    struct stat one, other;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) {
        return false;
    }
    if (stat(a, &one) != 0 || stat(b, &other) != 0) {
        return strcmp(a, b) == 0;
    }
    return S_ISREG(one.st_mode) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

int file_write(const char *path, const char *text, size_t size)
{
    return files_write(&(file_text){path, text, size}, 1);
}

int file_begin(file_draft *draft)
{
    *draft = (file_draft){0};
    draft->to = open_memstream(&draft->text, &draft->size);
    return draft->to ? EXIT_GOOD : no_memory();
}

// Ends the writing; whether all of it is there.
static bool is_whole(file_draft *draft)
{
    const bool is_bad = ferror(draft->to) != 0;
    return fclose(draft->to) == 0 && !is_bad && draft->text;
}

int file_end(file_draft *draft, const char *path)
{
    const int code = is_whole(draft) ? file_write(path, draft->text, draft->size) : no_memory();
    free(draft->text);
    return code;
}

int file_end_text(file_draft *draft, memory *pool, const char **text)
{
    const int code = is_whole(draft) ? EXIT_GOOD : no_memory();
    *text = code == EXIT_GOOD ? memory_text(pool, "%s", draft->text) : NULL;
    free(draft->text);
    return code;
}

int file_check_folder(const char *path, memory *pool)
{
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/') { // "out/", a folder of results
        --length;
    }
    while (length > 0 && path[length - 1] != '/') {
        --length;
    }
    struct stat there;
    const char *folder = memory_text(pool, "%.*s", (int)(length > 1 ? length - 1 : length), path);
    if (length == 0 || (stat(folder, &there) == 0 && S_ISDIR(there.st_mode))) {
        return EXIT_GOOD;
    }
    return complain(EXIT_FILE, "cannot write %s: there is no folder %s", path, folder);
}

int folder_make(const char *path)
{
    struct stat there;
    if (mkdir(path, 0777) == 0) {
        return EXIT_GOOD;
    }
    if (errno != EEXIST) {
        return complain(EXIT_FILE, "cannot make the folder %s: %s", path, strerror(errno));
    }
    if (stat(path, &there) == 0 && !S_ISDIR(there.st_mode)) {
        return complain(EXIT_FILE, "%s is needed as a folder, and is a file", path);
    }
    return access(path, W_OK | X_OK) == 0 ? EXIT_GOOD : trouble("write", path);
}
