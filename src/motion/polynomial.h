// Polynomials of degree five in time: the pieces that motions are made of.
#ifndef LWI_POLYNOMIAL_H
#define LWI_POLYNOMIAL_H

#include <stdbool.h>

enum { LWI_DEGREE = 5 };

/// c[0] + c[1] u + ... + c[5] u^5 with u = t - start, from `start` to the start of the next one.
typedef struct lwi_piece {
    double start;
    double c[LWI_DEGREE + 1];
    bool is_smooth; ///< it goes on as the one before: no derivative jumps that steps must end at
} lwi_piece;

/// Value and derivatives at u: x[0] .. x[3].
void lwi_piece_at(const lwi_piece *piece, double u, double x[4]);

/// The quintic with given ends: position, velocity and acceleration at u = 0 and u = h.
lwi_piece lwi_piece_between(double start, double h, const double from[3], const double to[3]);

/// The largest and least value that derivative number `order` (0 to 3) takes on [0, h].
void lwi_piece_range(const lwi_piece *piece, double h, int order, double *least, double *most);

/// Slows a piece down: its time goes by `factor` times as long.
void lwi_piece_stretch(lwi_piece *piece, double factor);

#endif
