// The same text as hand_rnea.c for an arm of seven joints, compiled for AVX2 and fused products.
#define JOINTS 7
#define hand_rnea hand_rnea_seven_avx2
#include "hand_rnea.c"
