// The accuracy of generated code: it is compiled and compared with the same equations in long
// double.
#ifndef ACCURACY_H
#define ACCURACY_H

#include <linkwork/generate.h>

/// Checks that inverse dynamics of a model in models/ is off by at most four times what the numeric
/// engine is, which is Newton and Euler's recursion, plainly. Compiled as the tests are.
/// @param folder as compiled_folder() gives it
void accuracy_check(const char *folder, const char *name, lw_sincos sincos, int effort);

#endif
