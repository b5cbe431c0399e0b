// Numbers as text, the same in every locale.
#ifndef LWI_NUMBER_H
#define LWI_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/// Reads a finite decimal number that fills text[0 .. length) whole: no blanks, no "nan", no "inf",
/// no hexadecimal, no overflow; correctly rounded. False if it is not one; *out is then untouched.
bool lwi_parse_double(const char *text, size_t length, double *out);

/// Reads a decimal integer that fills the text whole and fits an int.
bool lwi_parse_int(const char *text, size_t length, int *out);

enum { LWI_NUMBER_SIZE = 32 };

/// Writes the shortest decimal that reads back as the same double, as in JSON: "0.1", "-3",
/// "1e-300"; "inf", "-inf" and "nan" for what is not finite. Returns the length.
int lwi_print_double(double value, char text[LWI_NUMBER_SIZE]);

#endif
