// The same program, compiled as C++.
#include "use_core.c"
