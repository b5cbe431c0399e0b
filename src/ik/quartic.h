// Real roots of polynomials of degree four or less.
#ifndef LWI_QUARTIC_H
#define LWI_QUARTIC_H

/// Real roots of c[0] + c[1] x + ... + c[4] x^4. A complex pair that is a double root but for
/// rounding counts as one: the caller must verify what it makes of a root. Returns how many.
int lwi_quartic_roots(const double c[5], double root[4]);

#endif
