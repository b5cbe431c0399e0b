// Runs a fuzz target on files: replay FOLDER. One test a file; a file that breaks the target ends
// the program, which is a failure of the run.

#include "check.h"
#include "fuzz.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *path;

static void replay_file(void)
{
    FILE *file = fopen(path, "rb");
    if (!CHECK(file)) {
        return;
    }
    enum { MOST = 1 << 20 };
    uint8_t *bytes = malloc(MOST);
    const size_t size = bytes ? fread(bytes, 1, MOST, file) : 0;
    fclose(file);
    // A block of the exact size, so that the address sanitizer sees a read past its end.
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (CHECK(bytes && exact)) {
        memcpy(exact, bytes, size);
        CHECK_INT(LLVMFuzzerTestOneInput(exact, size), 0);
    }
    free(exact);
    free(bytes);
}

int main(int count, char **arg)
{
    char pattern[4096];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*", count > 1 ? arg[1] : ".");
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; ++i) {
            path = found.gl_pathv[i];
            check_run(strrchr(path, '/') + 1, replay_file);
        }
        globfree(&found);
    }
    return REPORT();
}
