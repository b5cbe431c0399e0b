// The robots that the program carries within itself, as linkwork XML. The build makes them of files
// in models/.
#ifndef DEMO_MODEL_H
#define DEMO_MODEL_H

#include <stddef.h>

typedef struct demo_model {
    const char *name; ///< of the file, below models/
    const char *text;
    size_t size;
} demo_model;

extern const demo_model demo_palletiser, demo_ur5;

#endif
