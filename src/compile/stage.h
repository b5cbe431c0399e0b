// What each stage of a compile leaves, in lines of text.
#ifndef LWI_STAGE_H
#define LWI_STAGE_H

#include "build.h"

typedef struct lwi_lines {
    void (*line)(void *context, const char *text);
    void *context;
} lwi_lines;

/// In the order of the passes.
extern void (*const lwi_stage_print[LWI_NPASS])(const lwi_build *b, const lwi_lines *out);

#endif
