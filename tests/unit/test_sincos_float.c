// Sine and cosine of float: the error in ulp that src/math/sincos.h states.
#define LWI_REAL_FLOAT
#define SINCOS_ULP 0.81
#include "sincos_checks.h"
