// The loop Rz(q1) W1 Rz(q2) W2 ... Rz(q6) W6 = 1 is written as Y Rz(q6) = X with
//
//   X = Rz(q2)' W1' Rz(q1)' W6',   Y = W2 Rz(q3) W3 Rz(q4) W4 Rz(q5) W5,
//
// so that the third column l and the origin p of both do not contain q6. Fourteen expressions in l
// and p are linear in (1, cos, sin) of each of their joints on either side (Raghavan and Roth). Six
// combinations of them are free of q1 and q2. With half angles x, and each equation a second time
// multiplied by one of the unknowns, these are twelve equations M(x) v = 0 in twelve monomials v of
// the other two, M quadratic in the eigenvariable: 24 eigenvalues, eight of them spurious.
//
// Coefficients are sampled: an expression that is linear in (1, cos, sin) is known from its values
// at three angles 120 degrees apart. No formula of the arm is needed.
#include "eliminate.h"

#include "../math/eigen.h"

#include <math.h>
#include <string.h>

// Origins of the half angles, so that no solution of ordinary arms and poses is at 180 degrees.
static const double offset[3] = {0.3, 0.7, -0.4};

static const double third = 2.0943951023931953; // 2 pi / 3

// Frames in which every joint acts about z: W[i] leads from joint i to the next.
static void loop_constants(const lwi_arm *arm, const lw_pose *X, int shift, lw_pose W[6])
{
    lw_pose F[6]; // frames on the axes at zero position
    for (int i = 0; i < 6; ++i) {
        // lw_rotation_to_z() maps z to the axis; its columns are the frame.
        F[i].R = lw_rotation_to_z(arm->h[i]);
        F[i].p = arm->c[i];
    }
    // Product of exponentials: T = prod F_i Rz(q_i) F_i' X_BT, so the loop is closed by
    // W_i = F_i' F_{i+1}, and W_6 = F_6' X_BT X' F_1.
    for (int k = 0; k < 6; ++k) {
        const int i = (k + shift) % 6, next = (i + 1) % 6;
        const lw_pose back = lw_pose_inverse(&F[i]);
        if (next != 0) {
            W[k] = lw_pose_mul(&back, &F[next]);
        } else {
            const lw_pose X_inverse = lw_pose_inverse(X);
            lw_pose T = lw_pose_mul(&arm->X_BT, &X_inverse);
            T = lw_pose_mul(&T, &F[0]);
            W[k] = lw_pose_mul(&back, &T);
        }
    }
    // Expressions have lengths and their squares beside numbers: the longest way becomes one. The
    // power of two is exact.
    double most = 0.0;
    for (int k = 0; k < 6; ++k) {
        most = fmax(most, lw_dot3(W[k].p, W[k].p));
    }
    int exponent;
    frexp(sqrt(most), &exponent);
    for (int k = 0; k < 6; ++k) {
        W[k].p = lw_scale3(ldexp(1.0, -exponent), W[k].p);
    }
}

static void expressions(lw_vec3 p, lw_vec3 l, double f[14])
{
    const double pp = lw_dot3(p, p), pl = lw_dot3(p, l);
    const lw_vec3 x = lw_cross3(p, l), y = lw_sub3(lw_scale3(pp, l), lw_scale3(2.0 * pl, p));
    const double all[14] = {p.x, p.y, p.z, l.x, l.y, l.z, pp, pl, x.x, x.y, x.z, y.x, y.y, y.z};
    memcpy(f, all, sizeof all);
}

static lw_pose rotation_z(double angle)
{
    const double s = sin(angle), c = cos(angle);
    const lw_pose X = {{{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}}, {0, 0, 0}};
    return X;
}

// Values at three angles to coefficients of (1, cos, sin), along an axis of a table.
static void transform(double *value, int count, int stride)
{
    const double root = 0.57735026918962576451; // 1 / sqrt(3)
    for (int i = 0; i < count; ++i) {
        double *v = value + i;
        const double a = v[0], b = v[stride], c = v[2 * stride];
        v[0] = (a + b + c) / 3.0;
        v[stride] = (2.0 * a - b - c) / 3.0;
        v[2 * stride] = root * (b - c);
    }
}

static void sample_right(const lw_pose W[6], double right[14][9])
{
    const lw_pose W1 = lw_pose_inverse(&W[0]), W6 = lw_pose_inverse(&W[5]);
    double f[14];
    for (int a = 0; a < 3; ++a) {
        lw_pose X = rotation_z(-third * a);
        X = lw_pose_mul(&X, &W6);
        X = lw_pose_mul(&W1, &X);
        for (int b = 0; b < 3; ++b) {
            const lw_pose R = rotation_z(-third * b), Y = lw_pose_mul(&R, &X);
            expressions(Y.p, lw_vec3_of(Y.R.row[0].z, Y.R.row[1].z, Y.R.row[2].z), f);
            for (int i = 0; i < 14; ++i) {
                right[i][3 * a + b] = f[i];
            }
        }
    }
    for (int i = 0; i < 14; ++i) {
        transform(right[i], 3, 3);
        for (int a = 0; a < 3; ++a) {
            transform(right[i] + 3 * a, 1, 1);
        }
    }
}

static void sample_left(const lw_pose W[6], double left[14][27])
{
    double f[14];
    for (int a = 0; a < 3; ++a) {
        lw_pose A = rotation_z(third * a + offset[0]);
        A = lw_pose_mul(&W[1], &A);
        A = lw_pose_mul(&A, &W[2]);
        for (int b = 0; b < 3; ++b) {
            lw_pose B = rotation_z(third * b + offset[1]);
            B = lw_pose_mul(&A, &B);
            B = lw_pose_mul(&B, &W[3]);
            for (int c = 0; c < 3; ++c) {
                lw_pose C = rotation_z(third * c + offset[2]);
                C = lw_pose_mul(&B, &C);
                C = lw_pose_mul(&C, &W[4]);
                expressions(C.p, lw_vec3_of(C.R.row[0].z, C.R.row[1].z, C.R.row[2].z), f);
                for (int i = 0; i < 14; ++i) {
                    left[i][9 * a + 3 * b + c] = f[i];
                }
            }
        }
    }
    for (int i = 0; i < 14; ++i) {
        transform(left[i], 9, 9);
        for (int a = 0; a < 3; ++a) {
            transform(left[i] + 9 * a, 3, 3);
            for (int b = 0; b < 3; ++b) {
                transform(left[i] + 9 * a + 3 * b, 1, 1);
            }
        }
    }
}

// Householder's QR of the eight columns of the right side that contain an angle; Q is whole.
// Returns the ratio of the smallest to the largest diagonal entry of R.
static double factor_right(lwi_elimination *w)
{
    double least = (double)INFINITY, most = 0.0;
    memset(w->Q, 0, sizeof w->Q);
    for (int i = 0; i < 14; ++i) {
        w->Q[i][i] = 1.0;
        memcpy(w->R[i], w->right[i] + 1, 8 * sizeof(double));
    }
    for (int k = 0; k < 8; ++k) {
        double v[14], norm2 = 0.0;
        for (int i = k; i < 14; ++i) {
            v[i] = w->R[i][k];
            norm2 += v[i] * v[i];
        }
        const double norm = sqrt(norm2);
        least = fmin(least, norm);
        most = fmax(most, norm);
        v[k] += copysign(norm, v[k]);
        const double vv = norm2 + 2.0 * fabs(w->R[k][k]) * norm + norm2;
        if (!(vv > 0.0)) {
            continue;
        }
        const double beta = 2.0 / vv;
        for (int j = k; j < 8; ++j) {
            double dot = 0.0;
            for (int i = k; i < 14; ++i) {
                dot += v[i] * w->R[i][j];
            }
            for (int i = k; i < 14; ++i) {
                w->R[i][j] -= beta * dot * v[i];
            }
        }
        for (int j = 0; j < 14; ++j) { // Q' accumulates from the left
            double dot = 0.0;
            for (int i = k; i < 14; ++i) {
                dot += v[i] * w->Q[i][j];
            }
            for (int i = k; i < 14; ++i) {
                w->Q[i][j] -= beta * dot * v[i];
            }
        }
    }
    return most > 0.0 ? least / most : 0.0;
}

// The matrices of M0 + M1 x + M2 x^2. `order` has the eigenvariable first, then the unknown that
// equations are multiplied by.
static void fill_matrices(lwi_elimination *w, const int order[3])
{
    static const int stride[3] = {9, 3, 1};
    memset(w->M, 0, sizeof w->M);
    for (int e = 0; e < 6; ++e) {
        double C[3][3][3]; // powers of x, y, z
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                for (int c = 0; c < 3; ++c) {
                    C[a][b][c] =
                        w->E[e][a * stride[order[0]] + b * stride[order[1]] + c * stride[order[2]]];
                }
            }
        }
        // (1, cos, sin) become (1 + x^2, 1 - x^2, 2 x) over 1 + x^2.
        for (int axis = 0; axis < 3; ++axis) {
            for (int i = 0; i < 9; ++i) {
                double *v = axis == 0   ? &C[0][i / 3][i % 3]
                            : axis == 1 ? &C[i / 3][0][i % 3]
                                        : &C[i / 3][i % 3][0];
                const int s = axis == 0 ? 9 : axis == 1 ? 3 : 1;
                const double one = v[0], cosine = v[s], sine = v[2 * s];
                v[0] = one + cosine;
                v[s] = 2.0 * sine;
                v[2 * s] = one - cosine;
            }
        }
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                for (int c = 0; c < 3; ++c) {
                    w->M[a][e][3 * b + c] = C[a][b][c];
                    w->M[a][e + 6][3 * (b + 1) + c] = C[a][b][c];
                }
            }
        }
    }
}

// LU with row pivoting of a 12 x 12 matrix in place; returns the ratio of its smallest to its
// largest pivot. Where a pivot vanishes it is replaced, for inverse iteration.
static double factor12(double A[12][12], int pivot[12])
{
    double least = (double)INFINITY, most = 0.0;
    for (int k = 0; k < 12; ++k) {
        int best = k;
        for (int i = k + 1; i < 12; ++i) {
            if (fabs(A[i][k]) > fabs(A[best][k])) {
                best = i;
            }
        }
        pivot[k] = best;
        if (best != k) {
            for (int j = 0; j < 12; ++j) {
                const double t = A[k][j];
                A[k][j] = A[best][j];
                A[best][j] = t;
            }
        }
        least = fmin(least, fabs(A[k][k]));
        most = fmax(most, fabs(A[k][k]));
        if (fabs(A[k][k]) < 1e-300) {
            A[k][k] = 1e-16 * (most > 0.0 ? most : 1.0);
        }
        for (int i = k + 1; i < 12; ++i) {
            A[i][k] /= A[k][k];
            for (int j = k + 1; j < 12; ++j) {
                A[i][j] -= A[i][k] * A[k][j];
            }
        }
    }
    return most > 0.0 ? least / most : 0.0;
}

static void solve12(double LU[12][12], const int pivot[12], double *b)
{
    for (int k = 0; k < 12; ++k) {
        const double t = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = t;
    }
    for (int i = 0; i < 12; ++i) {
        for (int j = 0; j < i; ++j) {
            b[i] -= LU[i][j] * b[j];
        }
    }
    for (int i = 11; i >= 0; --i) {
        for (int j = i + 1; j < 12; ++j) {
            b[i] -= LU[i][j] * b[j];
        }
        b[i] /= LU[i][i];
    }
}

static void matrix_at(const lwi_elimination *w, double x, double A[12][12])
{
    for (int i = 0; i < 12; ++i) {
        for (int j = 0; j < 12; ++j) {
            A[i][j] = w->M[0][i][j] + x * (w->M[1][i][j] + x * w->M[2][i][j]);
        }
    }
}

static double prepare(const lwi_arm *arm, const lw_pose *X, lwi_role role, lwi_elimination *w,
                      lw_pose W[6], int order[3])
{
    loop_constants(arm, X, role.shift, W);
    sample_right(W, w->right);
    sample_left(W, w->left);
    const double ratio = factor_right(w);
    for (int e = 0; e < 6; ++e) {
        for (int j = 0; j < 27; ++j) {
            double sum = 0.0;
            for (int i = 0; i < 14; ++i) {
                sum += w->Q[8 + e][i] * (w->left[i][j] - (j == 0 ? w->right[i][0] : 0.0));
            }
            w->E[e][j] = sum;
        }
    }
    order[0] = role.eigen;
    order[1] = (role.eigen + 1) % 3;
    order[2] = (role.eigen + 2) % 3;
    fill_matrices(w, order);
    return ratio;
}

double lwi_role_score(const lwi_arm *arm, const lw_pose *X, lwi_role role, lwi_elimination *work)
{
    lw_pose W[6];
    int order[3], pivot[12];
    const double ratio = prepare(arm, X, role, work, W, order);
    matrix_at(work, 0.377, work->LU);
    return fmin(ratio, factor12(work->LU, pivot));
}

// x from v_j = x v_i: by the largest of the entries that can be divided by.
static double ratio_of(const double *v, int count, const int (*pair)[2])
{
    int best = 0;
    for (int i = 1; i < count; ++i) {
        if (fabs(v[pair[i][0]]) + fabs(v[pair[i][1]]) >
            fabs(v[pair[best][0]]) + fabs(v[pair[best][1]])) {
            best = i;
        }
    }
    return v[pair[best][1]] / v[pair[best][0]];
}

static const int y_pairs[9][2] = {{0, 3}, {1, 4}, {2, 5},  {3, 6}, {4, 7},
                                  {5, 8}, {6, 9}, {7, 10}, {8, 11}};
static const int z_pairs[8][2] = {{0, 1}, {1, 2}, {3, 4},  {4, 5},
                                  {6, 7}, {7, 8}, {9, 10}, {10, 11}};

// The other five joints, from the half angles of three.
static bool complete(const lwi_elimination *w, const lw_pose W[6], const double half[3], int shift,
                     lwi_angle q[6])
{
    double m[27], rhs[8];
    lwi_angle shifted[3], all[6];
    for (int k = 0; k < 3; ++k) {
        const double x2 = half[k] * half[k];
        shifted[k] = (lwi_angle){2.0 * half[k] / (1.0 + x2), (1.0 - x2) / (1.0 + x2)};
        if (!isfinite(half[k])) {
            shifted[k] = (lwi_angle){0.0, -1.0};
        }
        const double s = sin(offset[k]), c = cos(offset[k]);
        all[2 + k] =
            (lwi_angle){shifted[k].s * c + shifted[k].c * s, shifted[k].c * c - shifted[k].s * s};
    }
    for (int i = 0; i < 27; ++i) {
        const int power[3] = {i / 9, i / 3 % 3, i % 3};
        m[i] = 1.0;
        for (int k = 0; k < 3; ++k) {
            m[i] *= power[k] == 0 ? 1.0 : power[k] == 1 ? shifted[k].c : shifted[k].s;
        }
    }
    // R m12 = Q' (left m345 - constant): back substitution for (c2, s2, c1, c1c2, c1s2, s1, ...).
    double side[14];
    for (int i = 0; i < 14; ++i) {
        side[i] = -w->right[i][0];
        for (int j = 0; j < 27; ++j) {
            side[i] += w->left[i][j] * m[j];
        }
    }
    for (int i = 0; i < 8; ++i) {
        rhs[i] = 0.0;
        for (int j = 0; j < 14; ++j) {
            rhs[i] += w->Q[i][j] * side[j];
        }
    }
    for (int i = 7; i >= 0; --i) {
        for (int j = i + 1; j < 8; ++j) {
            rhs[i] -= w->R[i][j] * rhs[j];
        }
        rhs[i] /= w->R[i][i];
    }
    const double r1 = hypot(rhs[2], rhs[5]), r2 = hypot(rhs[0], rhs[1]);
    if (!(r1 > 0.0) || !(r2 > 0.0)) {
        return false;
    }
    all[0] = (lwi_angle){rhs[5] / r1, rhs[2] / r1};
    all[1] = (lwi_angle){rhs[1] / r2, rhs[0] / r2};
    // Rz(q6) = Y' X
    lw_pose Y = W[1], X;
    for (int k = 0; k < 3; ++k) {
        const lw_pose R = {
            {{{all[2 + k].c, -all[2 + k].s, 0}, {all[2 + k].s, all[2 + k].c, 0}, {0, 0, 1}}},
            {0, 0, 0}};
        Y = lw_pose_mul(&Y, &R);
        Y = lw_pose_mul(&Y, &W[2 + k]);
    }
    X = lw_pose_inverse(&W[5]);
    for (int k = 0; k < 2; ++k) {
        const lw_pose R = {{{{all[k].c, all[k].s, 0}, {-all[k].s, all[k].c, 0}, {0, 0, 1}}},
                           {0, 0, 0}};
        X = lw_pose_mul(&R, &X);
        if (k == 0) {
            const lw_pose W1 = lw_pose_inverse(&W[0]);
            X = lw_pose_mul(&W1, &X);
        }
    }
    const lw_mat3 Yt = lw_transpose3(&Y.R), Z = lw_mul3(&Yt, &X.R);
    const double s6 = Z.row[1].x - Z.row[0].y, c6 = Z.row[0].x + Z.row[1].y, r6 = hypot(s6, c6);
    all[5] = r6 > 0.0 ? (lwi_angle){s6 / r6, c6 / r6} : (lwi_angle){0.0, 1.0};
    for (int k = 0; k < 6; ++k) {
        q[(k + shift) % 6] = all[k];
        if (!isfinite(all[k].s) || !isfinite(all[k].c)) {
            return false;
        }
    }
    return true;
}

void lwi_choose_roles(const lwi_arm *arm, lwi_elimination *work, int count, lwi_role *role)
{
    lw_pose pose[2];
    double score[18];
    for (int t = 0; t < 2; ++t) {
        lwi_angle q[6];
        for (int i = 0; i < 6; ++i) {
            const double angle = 0.4 + (1.1 + 0.7 * t) * i;
            q[i] = (lwi_angle){sin(angle), cos(angle)};
        }
        pose[t] = lwi_arm_pose(arm, q);
    }
    for (int n = 0; n < 18; ++n) {
        const lwi_role r = {n / 3, n % 3};
        const double s =
            fmin(lwi_role_score(arm, &pose[0], r, work), lwi_role_score(arm, &pose[1], r, work));
        int k = n < count ? n : count;
        for (; k > 0 && score[k - 1] < s; --k) {
            if (k < count) {
                score[k] = score[k - 1];
                role[k] = role[k - 1];
            }
        }
        if (k < count) {
            score[k] = s;
            role[k] = r;
        }
    }
}

void lwi_eliminate(const lwi_arm *arm, const lw_pose *X, lwi_role role, lwi_elimination *w,
                   lwi_candidates *out)
{
    lw_pose W[6];
    int order[3], pivot[12];
    out->count = 0;
    prepare(arm, X, role, w, W, order);
    memcpy(w->LU, w->M[2], sizeof w->LU);
    factor12(w->LU, pivot);
    memset(w->A, 0, sizeof w->A);
    for (int j = 0; j < 12; ++j) {
        w->A[24 * j + 12 + j] = 1.0;
        for (int k = 0; k < 2; ++k) {
            double column[12];
            for (int i = 0; i < 12; ++i) {
                column[i] = -w->M[k][i][j];
            }
            solve12(w->LU, pivot, column);
            for (int i = 0; i < 12; ++i) {
                w->A[24 * (12 + i) + 12 * k + j] = column[i];
            }
        }
    }
    if (!lwi_eigenvalues(24, w->A, w->re, w->im)) {
        return;
    }
    for (int k = 0; k < 24; ++k) {
        const double x = w->re[k];
        if (!(fabs(w->im[k]) <= 1e-2 * (1.0 + fabs(x))) || w->im[k] < 0.0) {
            continue;
        }
        double v[12], norm = 0.0;
        matrix_at(w, x, w->LU);
        factor12(w->LU, pivot);
        for (int i = 0; i < 12; ++i) {
            v[i] = 1.0 + 0.1 * i;
        }
        for (int round = 0; round < 3; ++round) { // inverse iteration
            solve12(w->LU, pivot, v);
            norm = 0.0;
            for (int i = 0; i < 12; ++i) {
                norm = fmax(norm, fabs(v[i]));
            }
            if (!(norm > 0.0) || !isfinite(norm)) {
                break;
            }
            for (int i = 0; i < 12; ++i) {
                v[i] /= norm;
            }
        }
        double half[3];
        half[order[0]] = x;
        half[order[1]] = ratio_of(v, 9, y_pairs);
        half[order[2]] = ratio_of(v, 8, z_pairs);
        lwi_candidate *c = lwi_next_candidate(out);
        memset(c, 0, sizeof *c);
        out->count -= !complete(w, W, half, role.shift, c->q);
    }
}
