// Polynomials for people: collected by masses and moments, common factors in front, sums of angles
// written as c12.
#ifndef LWI_PRINT_H
#define LWI_PRINT_H

#include "../base/number.h"
#include "../base/text.h"
#include "../sym/poly.h"

typedef enum lwi_notation { LWI_NOTATION_PLAIN, LWI_NOTATION_LATEX } lwi_notation;

/// Adds the polynomial. Plain lines are broken before a sign where they grow beyond `width`, with
/// `indent` blanks; width 0: never. In LaTeX it has the marks of latex.h where it may be broken.
void lwi_print_poly(lwi_text *text, lwi_polys *s, lwi_poly p, lwi_notation notation, int width,
                    int indent);

/// Adds a name: "rx12", or r_{x12} in LaTeX, where "v1" is \dot q_{1}.
void lwi_print_name(lwi_text *text, const char *name, lwi_notation notation);

/// A number with at most six digits, as text.
void lwi_short_number(double value, char text[LWI_NUMBER_SIZE]);

/// Adds a number with at most six digits, or with ten.
void lwi_print_number(lwi_text *text, double value, lwi_notation notation);
void lwi_print_long_number(lwi_text *text, double value, lwi_notation notation);

#endif
