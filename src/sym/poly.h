// Polynomials in sines, cosines, positions and parameters, as sorted lists of terms. Every sine
// stands at most once in a term: s^2 is 1 - c^2, so that equal functions are equal lists.
#ifndef LWI_POLY_H
#define LWI_POLY_H

#include "../base/arena.h"
#include <linkwork/base.h>

#include <stdint.h>

enum { LWI_MOST_FACTORS = 24, LWI_NO_FACTOR = 255, LWI_MOST_VARIABLES = 250 };

/// A number times variables, which stand in order, each as often as its power.
typedef struct lwi_term {
    double number;
    double size; ///< the sum of the sizes of all that was summed up to the number
    uint8_t factor[LWI_MOST_FACTORS]; ///< filled up with LWI_NO_FACTOR
} lwi_term;

typedef struct lwi_poly {
    const lwi_term *term;
    int n;
} lwi_poly;

typedef enum lwi_variable_kind {
    LWI_VAR_PARAMETER,
    LWI_VAR_POSITION,
    LWI_VAR_COSINE,
    LWI_VAR_SINE ///< of the joint whose cosine is the variable before
} lwi_variable_kind;

typedef struct lwi_variable {
    lwi_variable_kind kind;
    int index;            ///< of the symbol, or of the joint; -1 for an angle of several joints
    const char *name;     ///< for printing
    uint64_t plus, minus; ///< joints whose angles are summed, one bit each
} lwi_variable;

/// The variables, and the memory that polynomials live in until all of it is freed.
typedef struct lwi_polys {
    lwi_arena arena;
    lwi_variable variable[LWI_MOST_VARIABLES];
    int nvariable;
    lw_status status; ///< what went wrong first: LW_ERR_MEMORY, LW_ERR_LIMIT
    lwi_term *work;   ///< buffer for a product before it is sorted
    int work_capacity;
    long long made, most; ///< terms made, and how many may be
    /// Products of polynomials: all that were asked for, and those of them that a zero, known by
    /// its having no terms, left out.
    long long nproduct, nskipped;
} lwi_polys;

void lwi_polys_free(lwi_polys *s);

/// A new variable; 0 and LW_ERR_LIMIT where there are too many.
int lwi_poly_variable(lwi_polys *s, lwi_variable_kind kind, int index, const char *name);

lwi_poly lwi_poly_number(lwi_polys *s, double number);
lwi_poly lwi_poly_of(lwi_polys *s, double number, int variable);
lwi_poly lwi_poly_add(lwi_polys *s, lwi_poly a, lwi_poly b);
lwi_poly lwi_poly_sub(lwi_polys *s, lwi_poly a, lwi_poly b);
lwi_poly lwi_poly_scale(lwi_polys *s, double number, lwi_poly a);
lwi_poly lwi_poly_mul(lwi_polys *s, lwi_poly a, lwi_poly b);

/// The derivative by the position of a joint: of its cosine, its sine or its position itself.
lwi_poly lwi_poly_derivative(lwi_polys *s, lwi_poly a, int joint);

/// Whether the difference is nothing but rounding.
bool lwi_poly_equal(lwi_polys *s, lwi_poly a, lwi_poly b);

/// The same polynomial with c_i c_j - s_i s_j and the like written as sines and cosines of sums of
/// angles, which become variables of their own (index: a new one, names "c12"); for people and for
/// code alike.
lwi_poly lwi_poly_sum_angles(lwi_polys *s, lwi_poly a);

/// How often a variable stands in a term.
int lwi_term_power(const lwi_term *t, int variable);

/// The term without one of its factors.
lwi_term lwi_term_without(const lwi_term *t, int variable);

/// Sorts terms and joins equal ones.
lwi_poly lwi_poly_from(lwi_polys *s, lwi_term *term, int n);

#endif
