// Numbers of twice the precision, as sums of two doubles.
//
// Numbers that are combined while equations are derived are rounded once, at the end. long double
// would do that too, but is another type on every processor, and derived code must not be.
#ifndef LWI_WIDE_H
#define LWI_WIDE_H

/// hi + lo, with lo at most half a unit of the last place of hi.
typedef struct lwi_wide {
    double hi, lo;
} lwi_wide;

lwi_wide lwi_wide_add(lwi_wide a, lwi_wide b);
lwi_wide lwi_wide_mul(lwi_wide a, lwi_wide b);
lwi_wide lwi_wide_div(lwi_wide a, lwi_wide b);
lwi_wide lwi_wide_sqrt(lwi_wide a);

static inline lwi_wide lwi_wide_of(double a)
{
    return (lwi_wide){a, 0.0};
}

static inline lwi_wide lwi_wide_neg(lwi_wide a)
{
    return (lwi_wide){-a.hi, -a.lo};
}

/// The nearest quarter turn, 0 to 3, and what is left of the angle. What is left within two units
/// of the last place of a double is taken as nothing: that is what pi / 2 is once it was typed or
/// computed.
int lwi_wide_quarters(lwi_wide angle, lwi_wide *rest);

/// Both to far more digits than a double has; |angle| is below a million.
void lwi_wide_sincos(lwi_wide angle, lwi_wide *sine, lwi_wide *cosine);

/// In (-pi, pi].
lwi_wide lwi_wide_atan2(lwi_wide y, lwi_wide x);

/// Sine and cosine, and the angle of a direction, rounded from twice the precision: the same bits
/// on every processor, while those of libm depend on the processor. For numbers of the model; they
/// take fifty times as long as those of sincos.h.
void lwi_rounded_sincos(double angle, double *sine, double *cosine);
double lwi_rounded_atan2(double y, double x);

#endif
