// The same program, compiled as C++.
#include "arm.c"
