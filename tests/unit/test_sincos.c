// Sine and cosine of double: the error in ulp that src/math/sincos.h states.
#define SINCOS_ULP 0.82
#include "sincos_checks.h"
