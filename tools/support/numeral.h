// Numbers as people type and read them, the same in every locale.
#ifndef NUMERAL_H
#define NUMERAL_H

#include <stdbool.h>
#include <stddef.h>

#define TWO_PI 6.283185307179586 // which C does not name

/// Reads a finite decimal number that fills text[0 .. length) whole, such as "-1.5", ".5", "+2e-3".
/// No blanks, no "nan", no "inf", no hexadecimal, no overflow. False leaves *out untouched.
bool number_parse(const char *text, size_t length, double *out);

/// Reads a whole number from 1 to `most`; the same rules.
bool number_parse_count(const char *text, size_t length, int most, int *out);

enum { NUMBER_SIZE = 40 };

/// Writes a short decimal for people, six significant digits, without a sign on zero.
const char *number_text(double value, char text[NUMBER_SIZE]);

#endif
