// The same text as hand_rnea.c for an arm of seven joints.
#define JOINTS 7
#define hand_rnea hand_rnea_seven
#include "hand_rnea.c"
