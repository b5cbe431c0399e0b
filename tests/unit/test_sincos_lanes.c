// Sine and cosine of two doubles side by side: the error in ulp that src/math/sincos.h states.
#define LWI_REAL_LANES 2
#define SINCOS_ULP 0.82
#include "sincos_checks.h"
