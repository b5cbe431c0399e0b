// The same text as hand_rnea_own.c for an arm of seven joints.
#define OWN_SINE
#define JOINTS 7
#define hand_rnea hand_rnea_seven_own
#include "hand_rnea.c"
