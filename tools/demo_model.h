// The robot that the program carries within itself, as linkwork XML. The build makes it of a file
// in models/.
#ifndef DEMO_MODEL_H
#define DEMO_MODEL_H

#include <stddef.h>

extern const char demo_model_name[];
extern const unsigned char demo_model_text[];
extern const size_t demo_model_size;

#endif
