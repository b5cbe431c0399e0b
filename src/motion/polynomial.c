#include "polynomial.h"

#include <math.h>
#include <stdbool.h>

void lwi_piece_at(const lwi_piece *piece, double u, double x[4])
{
    const double *c = piece->c;
    x[0] = c[0] + u * (c[1] + u * (c[2] + u * (c[3] + u * (c[4] + u * c[5]))));
    x[1] = c[1] + u * (2.0 * c[2] + u * (3.0 * c[3] + u * (4.0 * c[4] + u * 5.0 * c[5])));
    x[2] = 2.0 * c[2] + u * (6.0 * c[3] + u * (12.0 * c[4] + u * 20.0 * c[5]));
    x[3] = 6.0 * c[3] + u * (24.0 * c[4] + u * 60.0 * c[5]);
}

lwi_piece lwi_piece_between(double start, double h, const double from[3], const double to[3])
{
    // What is left of position, velocity and acceleration at h after the first three terms, in the
    // time u/h.
    const double d0 = to[0] - (from[0] + h * (from[1] + 0.5 * h * from[2]));
    const double d1 = (to[1] - from[1] - h * from[2]) * h;
    const double d2 = (to[2] - from[2]) * h * h;
    const double h3 = h * h * h;
    const lwi_piece piece = {
        .start = start,
        .c = {from[0], from[1], 0.5 * from[2], (10.0 * d0 - 4.0 * d1 + 0.5 * d2) / h3,
              (-15.0 * d0 + 7.0 * d1 - d2) / (h3 * h),
              (6.0 * d0 - 3.0 * d1 + 0.5 * d2) / (h3 * h * h)},
    };
    return piece;
}

static double value(const double *c, int degree, double u)
{
    double sum = c[degree];
    for (int i = degree - 1; i >= 0; --i) {
        sum = sum * u + c[i];
    }
    return sum;
}

static void differentiate(const double *c, int degree, double *out)
{
    for (int i = 1; i <= degree; ++i) {
        out[i - 1] = i * c[i];
    }
}

// The zero in [low, high], at whose ends the signs differ; to the last bit.
static double zero_between(const double *c, int degree, double low, double high)
{
    const bool is_rising = value(c, degree, low) < 0.0;
    for (int i = 0; i < 200; ++i) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) {
            break;
        }
        if ((value(c, degree, middle) < 0.0) == is_rising) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

// Zeros with a change of sign in [0, h]: between two zeros of the derivative lies at most one, so
// they are found from the last derivative upward. Returns how many.
static int zeros(const double *c, int degree, double h, double zero[LWI_DEGREE])
{
    double derivative[LWI_DEGREE + 1][LWI_DEGREE + 1];
    for (int i = 0; i <= degree; ++i) {
        derivative[degree][i] = c[i];
    }
    for (int k = degree; k > 0; --k) {
        differentiate(derivative[k], k, derivative[k - 1]);
    }
    int count = 0;
    for (int k = 1; k <= degree; ++k) {
        double end[LWI_DEGREE + 2] = {0.0}, found[LWI_DEGREE];
        for (int i = 0; i < count; ++i) {
            end[i + 1] = zero[i];
        }
        end[count + 1] = h;
        int n = 0;
        for (int i = 0; i <= count; ++i) {
            const double a = value(derivative[k], k, end[i]),
                         b = value(derivative[k], k, end[i + 1]);
            if ((a < 0.0) != (b < 0.0)) {
                found[n++] = zero_between(derivative[k], k, end[i], end[i + 1]);
            }
        }
        for (int i = 0; i < n; ++i) {
            zero[i] = found[i];
        }
        count = n;
    }
    return count;
}

void lwi_piece_range(const lwi_piece *piece, double h, int order, double *least, double *most)
{
    double c[LWI_DEGREE + 1], next[LWI_DEGREE + 1], zero[LWI_DEGREE];
    int degree = LWI_DEGREE;
    for (int i = 0; i <= degree; ++i) {
        c[i] = piece->c[i];
    }
    for (int k = 0; k < order; ++k) {
        differentiate(c, degree, next);
        --degree;
        for (int i = 0; i <= degree; ++i) {
            c[i] = next[i];
        }
    }
    differentiate(c, degree, next);
    const int count = zeros(next, degree - 1, h, zero);
    const double first = value(c, degree, 0.0), last = value(c, degree, h);
    *least = fmin(first, last);
    *most = fmax(first, last);
    for (int i = 0; i < count; ++i) {
        const double x = value(c, degree, zero[i]);
        *least = fmin(*least, x);
        *most = fmax(*most, x);
    }
}

void lwi_piece_stretch(lwi_piece *piece, double factor)
{
    double power = 1.0;
    for (int i = 0; i <= LWI_DEGREE; ++i) {
        piece->c[i] *= power;
        power /= factor;
    }
}
