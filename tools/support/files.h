// Files of the program: read whole, written whole or not at all.
#ifndef FILES_H
#define FILES_H

#include "support/memory.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/// Makes SIGINT, SIGTERM and SIGHUP wait, so that nothing half made is left. What it returns ends
/// the wait: `sigprocmask(SIG_SETMASK, &before, NULL)`.
sigset_t hold_interrupts(void);

/// Reads a file, or standard input where path is "-". The text ends with a zero that is not
/// counted, and is freed with free(). Complains and returns an exit code.
int file_read(const char *path, char **text, size_t *size);

/// Complains where the folder that a file or a folder goes into is not there; returns an exit code.
int file_check_folder(const char *path, memory *pool);

/// Whether two names represent one file: the same text, or one that is there by both names. Devices
/// and "-" are never the same.
bool file_is_same(const char *a, const char *b);

/// Writes a file, or to standard output where path is "-": into a new file beside it, which takes
/// its place only when every byte is there. A device or a pipe is written directly. Complains and
/// returns an exit code.
int file_write(const char *path, const char *text, size_t size);

/// Makes a folder where there is none, in which files can be made. Complains and returns an exit
/// code.
int folder_make(const char *path);

typedef struct file_text {
    const char *path, *text;
    size_t size;
} file_text;

/// Writes several files so: none takes its place before the bytes of all are there.
int files_write(const file_text *file, int n);

/// A file that is written piece by piece, and kept in memory until it is whole.
typedef struct file_draft {
    FILE *to;
    char *text;
    size_t size;
} file_draft;

/// Begins one, complains and returns an exit code. What is begun must be ended.
int file_begin(file_draft *draft);

/// Writes it as file_write() does, and frees it.
int file_end(file_draft *draft, const char *path);

/// Keeps it as a text instead.
int file_end_text(file_draft *draft, memory *pool, const char **text);

#endif
