#include "subproblem.h"

#include "quartic.h"

#include <math.h>

static lwi_angle unit_angle(double s, double c)
{
    const double r = sqrt(s * s + c * c);
    const lwi_angle a = {r > 0.0 ? s / r : 0.0, r > 0.0 ? c / r : 1.0};
    return a;
}

// What is this small beside the arm is rounding, and determines no angle.
#define NO_LENGTH 1e-12

// A point that is this near to an axis, beside the arm, is on it but for rounding.
#define ON_AXIS 2e-13

bool lwi_subproblem1(lw_vec3 k, lw_vec3 p1, lw_vec3 p2, double scale, lwi_angle *a)
{
    const lw_vec3 x = lw_cross3(k, p1), y = lw_cross3(x, k);
    const double s = lw_dot3(x, p2), c = lw_dot3(y, p2), n2 = lw_dot3(x, x),
                 least = ON_AXIS * ON_AXIS * scale * scale;
    if (n2 <= least || s * s + c * c <= least * n2) {
        return false;
    }
    *a = unit_angle(s, c);
    return true;
}

int lwi_subproblem4(lw_vec3 k, lw_vec3 p, lw_vec3 h, double d, double scale, lwi_angle a[2])
{
    const lw_vec3 x = lw_cross3(k, p), y = lw_cross3(x, k);
    const double s = lw_dot3(h, x), c = lw_dot3(h, y), r2 = s * s + c * c,
                 e = d - lw_dot3(h, k) * lw_dot3(k, p);
    if (r2 <= NO_LENGTH * NO_LENGTH * scale * scale) {
        return 0;
    }
    // The angle between (c, s) and the solution has cosine e / r; beyond that the nearest is along
    // (c, s), or against it.
    const double root2 = r2 - e * e, root = root2 > 0.0 ? sqrt(root2) : 0.0;
    if (root == 0.0) {
        a[0] = a[1] = unit_angle(s * e, c * e);
        return 2;
    }
    a[0] = (lwi_angle){(s * e + c * root) / r2, (c * e - s * root) / r2};
    a[1] = (lwi_angle){(s * e - c * root) / r2, (c * e + s * root) / r2};
    return 2;
}

int lwi_subproblem3(lw_vec3 k, lw_vec3 p1, lw_vec3 p2, double d, double scale, lwi_angle a[2])
{
    return lwi_subproblem4(k, p1, p2, 0.5 * (lw_dot3(p1, p1) + lw_dot3(p2, p2) - d * d),
                           scale * scale, a);
}

int lwi_subproblem2(lw_vec3 k1, lw_vec3 p1, lw_vec3 k2, lw_vec3 p2, lwi_angle a[2], lwi_angle b[2])
{
    const double n1 = lw_norm3(p1), n2 = lw_norm3(p2);
    if (!(n1 > 0.0) || !(n2 > 0.0)) {
        return 0;
    }
    p1 = lw_scale3(1.0 / n1, p1);
    p2 = lw_scale3(1.0 / n2, p2);
    const int na = lwi_subproblem4(k1, p1, k2, lw_dot3(k2, p2), 1.0, a);
    lwi_angle other[2];
    const int nb = lwi_subproblem4(k2, p2, k1, lw_dot3(k1, p1), 1.0, other);
    if (na == 0 || nb == 0) {
        return 0;
    }
    b[0] = other[1];
    b[1] = other[0];
    return 2;
}

static void multiply(const double *a, int na, const double *b, int nb, double *out)
{
    for (int i = 0; i <= na + nb; ++i) {
        out[i] = 0.0;
    }
    for (int i = 0; i <= na; ++i) {
        for (int j = 0; j <= nb; ++j) {
            out[i + j] += a[i] * b[j];
        }
    }
}

int lwi_subproblem6(const lw_vec3 h[4], const lw_vec3 k[4], const lw_vec3 p[4], const double d[2],
                    lwi_angle a[4], lwi_angle b[4])
{
    // Linear in x = (sin a, cos a, sin b, cos b): two rows.
    double A[2][4], rhs[2];
    for (int i = 0; i < 2; ++i) {
        rhs[i] = d[i];
        for (int j = 0; j < 2; ++j) {
            const int n = 2 * i + j;
            const lw_vec3 x = lw_cross3(k[n], p[n]);
            A[i][2 * j] = lw_dot3(h[n], x);
            A[i][2 * j + 1] = lw_dot3(h[n], lw_cross3(x, k[n]));
            rhs[i] -= lw_dot3(h[n], k[n]) * lw_dot3(k[n], p[n]);
        }
    }
    // x = x0 + N xi: orthonormal rows by Gram-Schmidt, and a basis of their complement.
    double Q[4][4], x0[4] = {0.0, 0.0, 0.0, 0.0}, y[2];
    int rank = 0;
    for (int i = 0; i < 2; ++i) {
        double v[4], r = rhs[i], before = 0.0, after = 0.0;
        for (int j = 0; j < 4; ++j) {
            v[j] = A[i][j];
            before += v[j] * v[j];
        }
        for (int n = 0; n < rank; ++n) {
            double dot = 0.0;
            for (int j = 0; j < 4; ++j) {
                dot += Q[n][j] * v[j];
            }
            for (int j = 0; j < 4; ++j) {
                v[j] -= dot * Q[n][j];
            }
            r -= dot * y[n];
        }
        for (int j = 0; j < 4; ++j) {
            after += v[j] * v[j];
        }
        if (!(after > 1e-20 * before)) {
            return 0; // the two equations say the same
        }
        const double inverse = 1.0 / sqrt(after);
        for (int j = 0; j < 4; ++j) {
            Q[rank][j] = inverse * v[j];
        }
        y[rank++] = inverse * r;
    }
    for (int n = 0; n < 2; ++n) {
        for (int j = 0; j < 4; ++j) {
            x0[j] += y[n] * Q[n][j];
        }
    }
    while (rank < 4) {
        double best = -1.0, v[4] = {0.0, 0.0, 0.0, 0.0};
        for (int e = 0; e < 4; ++e) {
            double w[4] = {0.0, 0.0, 0.0, 0.0}, norm = 0.0;
            w[e] = 1.0;
            for (int n = 0; n < rank; ++n) {
                const double dot = Q[n][e];
                for (int j = 0; j < 4; ++j) {
                    w[j] -= dot * Q[n][j];
                }
            }
            for (int j = 0; j < 4; ++j) {
                norm += w[j] * w[j];
            }
            if (norm > best) {
                best = norm;
                for (int j = 0; j < 4; ++j) {
                    v[j] = w[j];
                }
            }
        }
        const double inverse = 1.0 / sqrt(best);
        for (int j = 0; j < 4; ++j) {
            Q[rank][j] = inverse * v[j];
        }
        ++rank;
    }
    // A basis that no special arm has: a conic that is a pair of lines is then not along an axis.
    for (int j = 0; j < 4; ++j) {
        const double u = Q[2][j], v = Q[3][j];
        Q[2][j] = 0.8 * u + 0.6 * v;
        Q[3][j] = 0.8 * v - 0.6 * u;
    }
    // |x01| = |x23| = 1: two conics E(u, v) = A u^2 + B u v + C v^2 + D u + E v + F.
    double conic[2][6];
    for (int i = 0; i < 2; ++i) {
        const double *u = Q[2] + 2 * i, *v = Q[3] + 2 * i, *x = x0 + 2 * i;
        conic[i][0] = u[0] * u[0] + u[1] * u[1];
        conic[i][1] = 2.0 * (u[0] * v[0] + u[1] * v[1]);
        conic[i][2] = v[0] * v[0] + v[1] * v[1];
        conic[i][3] = 2.0 * (u[0] * x[0] + u[1] * x[1]);
        conic[i][4] = 2.0 * (v[0] * x[0] + v[1] * x[1]);
        conic[i][5] = x[0] * x[0] + x[1] * x[1] - 1.0;
    }
    // Resultant in v: conics as quadratics in u with coefficients a u^2 + b(v) u + c(v).
    const double a1 = conic[0][0], a2 = conic[1][0];
    const double b1[2] = {conic[0][3], conic[0][1]}, b2[2] = {conic[1][3], conic[1][1]};
    const double c1[3] = {conic[0][5], conic[0][4], conic[0][2]},
                 c2[3] = {conic[1][5], conic[1][4], conic[1][2]};
    double ac[3], ab[2], bc[4], bc2[4], left[5], right[5], quartic[5];
    for (int i = 0; i < 3; ++i) {
        ac[i] = a1 * c2[i] - a2 * c1[i];
    }
    for (int i = 0; i < 2; ++i) {
        ab[i] = a1 * b2[i] - a2 * b1[i];
    }
    multiply(b1, 1, c2, 2, bc);
    multiply(b2, 1, c1, 2, bc2);
    for (int i = 0; i < 4; ++i) {
        bc[i] -= bc2[i];
    }
    multiply(ac, 2, ac, 2, left);
    multiply(ab, 1, bc, 3, right);
    for (int i = 0; i < 5; ++i) {
        quartic[i] = left[i] - right[i];
    }
    double v[4];
    const int nv = lwi_quartic_roots(quartic, v);
    int count = 0;
    for (int i = 0; i < nv && count < 4; ++i) {
        const double num = ac[0] + v[i] * (ac[1] + v[i] * ac[2]), den = ab[0] + v[i] * ab[1];
        double u[2];
        int nu = 1;
        if (fabs(den) > 1e-9 * (fabs(ab[0]) + fabs(ab[1]))) {
            u[0] = -num / den;
        } else { // both roots of u belong to this v
            const double q[5] = {c1[0] + v[i] * (c1[1] + v[i] * c1[2]), b1[0] + v[i] * b1[1], a1,
                                 0.0, 0.0};
            double both[4];
            nu = lwi_quartic_roots(q, both);
            u[0] = both[0];
            u[1] = nu > 1 ? both[1] : 0.0;
        }
        for (int j = 0; j < nu && count < 4; ++j) {
            double x[4];
            for (int n = 0; n < 4; ++n) {
                x[n] = x0[n] + u[j] * Q[2][n] + v[i] * Q[3][n];
            }
            a[count] = unit_angle(x[0], x[1]);
            b[count] = unit_angle(x[2], x[3]);
            ++count;
        }
    }
    return count;
}

// Components along k2, and lengths, of both sides are equal: two equations that are linear in sines
// and cosines of a and c.
int lwi_subproblem5(lw_vec3 p0, lw_vec3 k1, lw_vec3 p1, lw_vec3 k2, lw_vec3 p2, lw_vec3 k3,
                    lw_vec3 p3, lwi_angle a[4], lwi_angle b[4], lwi_angle c[4])
{
    const double one = lw_dot3(p0, p0) + lw_dot3(p1, p1), three = lw_dot3(p2, p2) + lw_dot3(p3, p3),
                 scale = sqrt(one + three), unit = scale > 0.0 ? 1.0 / scale : 1.0;
    const lw_vec3 h[4] = {k2, lw_scale3(-1.0, k2), lw_scale3(unit, p0), lw_scale3(-unit, p2)},
                  k[4] = {k1, k3, k1, k3}, p[4] = {p1, p3, p1, p3};
    const double d[2] = {lw_dot3(k2, lw_sub3(p2, p0)), 0.5 * unit * (three - one)};
    const int count = lwi_subproblem6(h, k, p, d, a, c);
    for (int i = 0; i < count; ++i) {
        b[i] = (lwi_angle){0.0, 1.0};
        lwi_subproblem1(k2, lw_add3(p2, lwi_rotate_about(k3, c[i], p3)),
                        lw_add3(p0, lwi_rotate_about(k1, a[i], p1)), scale, &b[i]);
    }
    return count;
}
