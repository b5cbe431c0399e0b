// A new folder of files that is there whole or not at all: it is made beside its place, and renamed
// when all files are in it. An interrupt removes what there is of it.
#ifndef DRAFT_FOLDER_H
#define DRAFT_FOLDER_H

#include "support/memory.h"

enum { DRAFT_FILES = 20 };

typedef struct draft_folder {
    memory *pool;
    const char *path; ///< where it will be
    char *draft;      ///< where it is
    int nfile;
    const char *file[DRAFT_FILES];
    char *full[DRAFT_FILES]; ///< the same with the folder
} draft_folder;

/// Makes the folder. `path` must not be there, unless it is an empty folder. One at a time.
int draft_begin(draft_folder *d, memory *pool, const char *path);

/// The path of a file that is going to be written, which is listed from now on.
const char *draft_file(draft_folder *d, const char *name);

/// Writes a file.
int draft_put(draft_folder *d, const char *name, const char *text);

/// Renames the folder where the code is good, else removes it. Returns an exit code.
int draft_end(draft_folder *d, int code);

#endif
