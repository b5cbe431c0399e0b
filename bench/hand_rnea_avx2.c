// The same text as hand_rnea.c, compiled for AVX2 and fused products: the library chooses code for
// them at run time where the processor has them, so the yardstick is timed both ways.
#define hand_rnea hand_rnea_avx2
#include "hand_rnea.c"
