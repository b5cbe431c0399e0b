// The same text as hand_rnea_avx2.c with the library's sines and cosines instead of those of libm:
// what is left between the two is dynamics.
#define OWN_SINE
#define hand_rnea hand_rnea_own
#include "hand_rnea.c"
