// Inverse dynamics from Lagrange's equations with 4x4 matrices: Uicker (1965), Kahn (1969), as in
// Paul, Robot Manipulators (1981), .
//
//   tau_i =   sum over j >= i, k <= j      of tr(dT_j/dq_k J_j dT_j'/dq_i) a_k
//           + sum over j >= i, k, m <= j   of tr(d2T_j/dq_k dq_m J_j dT_j'/dq_i) v_k v_m
//           - sum over j >= i              of g' dT_j/dq_i (m_j c_j, m_j)
//
// T_j is the pose of link j in the base, J_j its pseudo inertia. Nothing is done to make it fast
// but what the formula itself offers: each derivative of T_j is formed once and serves every i.
#include "uicker_kahn.h"

#include <math.h>
#include <string.h>

typedef uicker_matrix mat4;

static mat4 mul(const mat4 *A, const mat4 *B)
{
    mat4 r;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            r.at[i][j] = A->at[i][0] * B->at[0][j] + A->at[i][1] * B->at[1][j] +
                         A->at[i][2] * B->at[2][j] + A->at[i][3] * B->at[3][j];
        }
    }
    return r;
}

/// tr(A B')
static double trace_product(const mat4 *A, const mat4 *B)
{
    double sum = 0.0;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            sum += A->at[i][j] * B->at[i][j];
        }
    }
    return sum;
}

/// Pose of a link in its parent.
static mat4 link_pose(const hand_link *link, double q)
{
    const double *R = link->R, c = cos(q), s = sin(q);
    const mat4 A = {{{R[0], R[1], R[2], link->p[0]},
                     {R[3], R[4], R[5], link->p[1]},
                     {R[6], R[7], R[8], link->p[2]},
                     {0, 0, 0, 1}}};
    const mat4 Z = {{{c, -s, 0, 0}, {s, c, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
    return mul(&A, &Z);
}

/// The integral of r r' dm over a link, r = (x, y, z, 1). The products of inertia are entries of
/// the tensor, so that xy = -integral of x y dm.
static mat4 pseudo_inertia(const hand_link *link)
{
    const double m = link->mass, *c = link->center, *I = link->I;
    const double half = 0.5 * (I[0] + I[1] + I[2]);
    return (mat4){
        {{half - I[0] + m * c[0] * c[0], m * c[0] * c[1] - I[3], m * c[0] * c[2] - I[4], m * c[0]},
         {m * c[0] * c[1] - I[3], half - I[1] + m * c[1] * c[1], m * c[1] * c[2] - I[5], m * c[1]},
         {m * c[0] * c[2] - I[4], m * c[1] * c[2] - I[5], half - I[2] + m * c[2] * c[2], m * c[2]},
         {m * c[0], m * c[1], m * c[2], m}}};
}

// Multiplications and additions of mul(), of trace_product(), and of what is done with a trace.
enum { MUL = 112, TRACE = 31, BY_A = 2, BY_V = 3 };

long long uicker_kahn_chain(int n, const hand_link *link, const double gravity[3], const double *q,
                            const double *v, const double *a, double *tau, uicker_matrix *work)
{
    // Q is d/dq of a turn about z, at angle zero; it commutes with every turn about z.
    static const mat4 Q = {{{0, -1, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}};
    static const mat4 one = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
    // T[i * n + j]: pose of link j in link i - 1, so that T[j] is in the base; D[k] = dT_j/dq_k
    mat4 *T = work, *D = work + (n + 1) * n;
    long long products = 0, traces = 0;
    for (int i = 0; i < n; ++i) {
        T[i * n + i] = link_pose(&link[i], q[i]);
        for (int j = 0; j < i; ++j) {
            T[j * n + i] = mul(&T[j * n + i - 1], &T[i * n + i]);
        }
        T[(i + 1) * n + i] = one;
        products += 1 + i;
    }

    memset(tau, 0, (size_t)n * sizeof *tau);
    for (int j = 0; j < n; ++j) {
        const mat4 J = pseudo_inertia(&link[j]);
        for (int k = 0; k <= j; ++k) {
            const mat4 TQ = mul(&T[k], &Q);
            D[k] = mul(&TQ, &T[(k + 1) * n + j]);
        }
        for (int k = 0; k <= j; ++k) {
            const mat4 DJ = mul(&D[k], &J);
            for (int i = 0; i <= j; ++i) {
                tau[i] += trace_product(&DJ, &D[i]) * a[k];
            }
            for (int m = 0; m <= j; ++m) {
                const int low = k < m ? k : m, high = k < m ? m : k;
                const mat4 A = mul(&T[low], &Q);
                const mat4 B = mul(&A, &T[(low + 1) * n + high]);
                const mat4 C = mul(&B, &Q);
                const mat4 D2 = mul(&C, &T[(high + 1) * n + j]);
                const mat4 D2J = mul(&D2, &J);
                for (int i = 0; i <= j; ++i) {
                    tau[i] += trace_product(&D2J, &D[i]) * v[k] * v[m];
                }
                products += 5;
                traces += j + 1;
            }
        }
        for (int i = 0; i <= j; ++i) {
            for (int row = 0; row < 3; ++row) {
                tau[i] -=
                    gravity[row] * (D[i].at[row][0] * J.at[0][3] + D[i].at[row][1] * J.at[1][3] +
                                    D[i].at[row][2] * J.at[2][3] + D[i].at[row][3] * J.at[3][3]);
            }
        }
        products += 3 * (j + 1);
    }
    // Of the sums over a and of gravity, which grow by n^3 and n^2 only, the former are in.
    return MUL * products + (TRACE + BY_V) * traces +
           (TRACE + BY_A) * (long long)n * (n + 1) * (2 * n + 1) / 6;
}

void uicker_kahn(const hand_arm *arm, const double q[HAND_JOINTS], const double v[HAND_JOINTS],
                 const double a[HAND_JOINTS], double tau[HAND_JOINTS])
{
    mat4 work[UICKER_WORK(HAND_JOINTS)];
    uicker_kahn_chain(HAND_JOINTS, arm->link, arm->gravity, q, v, a, tau, work);
}
