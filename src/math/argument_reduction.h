// Angles of any size, reduced to an eighth of a turn.
#ifndef LWI_REDUCE_H
#define LWI_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

/// An angle between -pi/4 and pi/4 as mantissa * 2^exponent, with the first bit of the mantissa set
/// (or all of it zero), and the number of quarter turns, modulo 4, that were taken away.
typedef struct lwi_reduced_angle {
    uint64_t mantissa[2]; ///< 128 bits, the upper 64 first
    int exponent;         ///< of the last of the 128 bits
    bool is_negative;
    unsigned quarter;
} lwi_reduced_angle;

/// Reduces any finite x: x = high + low + quarter turns. Not a number where x is not finite.
unsigned lwi_reduce_double(double x, double *high, double *low);
unsigned lwi_reduce_float(float x, float *high, float *low);

#endif
