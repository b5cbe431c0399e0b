// Reading a file whole, and writing one whole or not at all.
#define _XOPEN_SOURCE 700 // realpath()

#include "file.h"

#include "../base/report.h"
#include "xml.h"
#include "xml_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Of our own, because strerror() speaks the language of the locale.
static const char *plain_error(int error)
{
    switch (error) {
    case ENOENT:
        return "there is no such file";
    case EACCES:
    case EPERM:
        return "permission denied";
    case ENOTDIR:
        return "part of its path is not a folder";
    case EISDIR:
        return "it is a folder";
    case ELOOP:
        return "too many symbolic links";
    case ENAMETOOLONG:
        return "its name is too long";
    case ENOSPC:
    case EDQUOT:
        return "the disk is full";
    case EROFS:
        return "the disk is read-only";
    case EMFILE:
    case ENFILE:
        return "too many files are open";
    case EIO:
        return "the disk failed";
    default:
        return "the system refused";
    }
}

static const char *plain_kind(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

// An error at the place that names the file, or at the file itself.
static lw_status report_file(lw_report *report, lw_location location, const char *path,
                             lw_status status, const char *text)
{
    char clip[LWI_CLIP_SIZE];
    if (location.file) {
        return lwi_report_error(report, location, status, "\"%s\": %s", lwi_clip(path, clip), text);
    }
    return lwi_report_error(report, (lw_location){path, 0, 0}, status, "%s", text);
}

static lw_status report_kind(lw_report *report, lw_location location, const char *path, mode_t mode)
{
    char text[64];
    snprintf(text, sizeof text, "cannot be read: it is %s, not a file", plain_kind(mode));
    return report_file(report, location, path, LW_ERR_FILE, text);
}

static lw_status report_errno(lw_report *report, lw_location location, const char *path,
                              bool is_write, int error)
{
    char text[128];
    snprintf(text, sizeof text, "cannot be %s: %s", is_write ? "written" : "read",
             plain_error(error));
    return report_file(report, location, path, error == ENOMEM ? LW_ERR_MEMORY : LW_ERR_FILE, text);
}

// Reads to the end. A file may be longer than the system said (/proc tells 0), so the room grows.
static lw_status read_all(int fd, size_t expected, size_t limit, char **text, size_t *size)
{
    size_t room = expected + 2;
    *size = 0;
    *text = malloc(room);
    if (!*text) {
        return LW_ERR_MEMORY;
    }
    for (;;) {
        const ssize_t got = read(fd, *text + *size, room - *size - 1);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return LW_ERR_FILE;
        }
        *size += (size_t)got;
        if (*size > limit) {
            return LW_ERR_LIMIT;
        }
        if (got == 0) {
            (*text)[*size] = '\0';
            return LW_OK;
        }
        if (room - *size <= 1) {
            char *more = realloc(*text, 2 * room);
            if (!more) {
                return LW_ERR_MEMORY;
            }
            *text = more;
            room *= 2;
        }
    }
}

// A regular file only. It is asked before it is opened, because opening a device may act on it, and
// again after, because it may have been exchanged between; and opened so that a pipe does not
// block.
static lw_status open_regular(const char *path, lw_location location, int *fd, size_t *size,
                              lw_report *report)
{
    struct stat info;
    *fd = -1;
    if (stat(path, &info) != 0) {
        return report_errno(report, location, path, false, errno);
    }
    if (!S_ISREG(info.st_mode)) {
        return report_kind(report, location, path, info.st_mode);
    }
    *fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*fd < 0 || fstat(*fd, &info) != 0) {
        return report_errno(report, location, path, false, errno);
    }
    if (!S_ISREG(info.st_mode)) {
        return report_kind(report, location, path, info.st_mode);
    }
    *size = (size_t)info.st_size;
    return LW_OK;
}

bool lwi_is_regular_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

lw_status lwi_read_file(const char *path, size_t limit, lw_location location, char **text,
                        size_t *size, lw_report *report)
{
    int fd;
    size_t expected = 0;
    *text = NULL;
    lw_status status = open_regular(path, location, &fd, &expected, report);
    if (status != LW_OK) {
        goto done;
    }
    status = expected > limit ? LW_ERR_LIMIT : read_all(fd, expected, limit, text, size);
    if (status == LW_ERR_LIMIT) {
        char message[64];
        snprintf(message, sizeof message, "is larger than %zu MiB", limit >> 20);
        report_file(report, location, path, status, message);
    } else if (status == LW_ERR_FILE) {
        report_errno(report, location, path, false, errno);
    }

done:
    if (fd >= 0) {
        close(fd);
    }
    if (status != LW_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

// --- Writing ----------------------------------------------------------------------------------

// Makes a new file beside `path`, whose name is then in `name`; -1 with errno where it cannot.
static int create_beside(const char *path, mode_t mode, lwi_text *name)
{
    enum { TRIES = 1000 };
    for (int i = 0; i < TRIES; ++i) {
        lwi_text_clear(name);
        lwi_text_add(name, path);
        lwi_text_add(name, ".");
        lwi_text_add_int(name, (int)getpid());
        lwi_text_add(name, "-");
        lwi_text_add_int(name, i);
        lwi_text_add(name, ".tmp");
        if (name->is_short) {
            errno = ENOMEM;
            return -1;
        }
        const int fd = open(name->at, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EEXIST) {
            return fd;
        }
    }
    return -1;
}

// Zero, or the error number.
static int write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t put = write(fd, text, size);
        if (put < 0 && errno != EINTR) {
            return errno;
        }
        if (put > 0) {
            text += put;
            size -= (size_t)put;
        }
    }
    return fsync(fd) == 0 ? 0 : errno;
}

// So that the new name survives a power failure too; a system that cannot do it has still renamed.
static void sync_folder(const char *path)
{
    char *folder = lwi_folder_of(path);
    const int fd = folder ? open(folder, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    free(folder);
}

// Zero, or the error number.
static int replace_file(const char *path, mode_t mode, const char *text, size_t size)
{
    lwi_text name = {0};
    const int fd = create_beside(path, mode, &name);
    int error = fd >= 0 ? 0 : errno;
    if (fd >= 0) {
        error = write_all(fd, text, size);
        if (close(fd) != 0 && error == 0) {
            error = errno;
        }
        if (error == 0 && rename(name.at, path) != 0) {
            error = errno;
        }
        if (error != 0) {
            (void)unlink(name.at);
        } else {
            sync_folder(path);
        }
    }
    lwi_text_free(&name);
    return error;
}

lw_status lwi_write_file(const char *path, const char *text, size_t size, lw_report *report)
{
    const lw_location nowhere = {NULL, 0, 0};
    struct stat info;
    mode_t mode = 0666;
    char *real = NULL;
    if (stat(path, &info) == 0) {
        if (!S_ISREG(info.st_mode)) {
            char message[80];
            snprintf(message, sizeof message, "cannot be written: it is %s, not a file",
                     plain_kind(info.st_mode));
            return report_file(report, nowhere, path, LW_ERR_FILE, message);
        }
        // A link stays a link: what it leads to is replaced.
        mode = info.st_mode & 0777;
        real = realpath(path, NULL);
        if (!real) {
            return report_errno(report, nowhere, path, true, errno);
        }
    }
    const int error = replace_file(real ? real : path, mode, text, size);
    free(real);
    return error == 0 ? LW_OK : report_errno(report, nowhere, path, true, error);
}

char *lwi_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) {
        return strdup(".");
    }
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}
