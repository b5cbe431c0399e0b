// Uicker and Kahn's equations, as Bansevicius, Cepulkauskas, Kulvietiene and Kulvietis (2004,
// eqs. 1 and 2) have them: with W_j the 4x4 transformation of link j and J_j its matrix of second
// moments,
//
//   H_ik  = sum over j of tr(dW_j/dq_i J_j (dW_j/dq_k)')
//   C_ikl = sum over j of tr(dW_j/dq_i J_j (d2W_j/dq_k dq_l)')
//   g_i   = -sum over j of m_j g' dW_j/dq_i r_j
//
// All derivatives are those of polynomials. Traces do not change when all is rotated together, so W
// starts at the first of the joints i, k, l; the derivative by that one is a rotation or a
// translation from the left. Products with zeros are skipped.
#include "lagrange.h"

typedef struct lwi_moments {
    lwi_poly x[4][4];
} lwi_moments;

// Second moments: tr(I)/2 - I and m r r', m r, m.
static void moments_of(lwi_polys *s, const lwi_poly_body *b, lwi_moments *J)
{
    static const int entry[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const lwi_poly *I = b->I;
    const lwi_poly half =
        lwi_poly_scale(s, 0.5, lwi_poly_add(s, I[0], lwi_poly_add(s, I[1], I[2])));
    for (int r = 0; r < 3; ++r) {
        const lwi_poly first = lwi_poly_mul(s, b->mass, b->r[r]);
        for (int c = 0; c < 3; ++c) {
            J->x[r][c] = lwi_poly_mul(s, first, b->r[c]);
            J->x[r][c] = lwi_poly_sub(s, J->x[r][c], I[entry[r][c]]);
            J->x[r][c] = r == c ? lwi_poly_add(s, J->x[r][c], half) : J->x[r][c];
        }
        J->x[r][3] = J->x[3][r] = first;
    }
    J->x[3][3] = b->mass;
}

// dW/dq of the joint that W starts at: a rotation about z, or a translation along it. The last row
// is zero.
static lwi_poly_pose first_derivative(lwi_polys *s, bool is_slide, const lwi_poly_pose *W,
                                      bool is_rate)
{
    const lwi_poly zero = {NULL, 0};
    lwi_poly_pose out;
    for (int c = 0; c < 4; ++c) {
        out.row[0][c] = is_slide ? zero : lwi_poly_scale(s, -1.0, W->row[1][c]);
        out.row[1][c] = is_slide ? zero : W->row[0][c];
        out.row[2][c] = zero;
    }
    if (is_slide && !is_rate) {
        out.row[2][3] = lwi_poly_number(s, 1.0);
    }
    return out;
}

// is_rate: W is a derivative already, whose last row is zero, so that a shift leaves nothing.
static lwi_poly_pose derivative(lwi_closed *k, int start, int joint, const lwi_poly_pose *W,
                                bool is_rate)
{
    if (joint == start) {
        return first_derivative(&k->s, k->m->carrier[joint] == LW_TREE_PRISMATIC, W, is_rate);
    }
    lwi_poly_pose out;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c) {
            out.row[r][c] = lwi_poly_derivative(&k->s, W->row[r][c], joint);
        }
    }
    return out;
}

// tr(A J B')
static lwi_poly trace(lwi_polys *s, const lwi_poly_pose *A, const lwi_moments *J,
                      const lwi_poly_pose *B)
{
    lwi_poly sum = {NULL, 0};
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c) {
            if (B->row[r][c].n == 0) {
                s->nproduct += 5; // four of the part, and its own
                s->nskipped += 5;
                continue;
            }
            lwi_poly part = {NULL, 0};
            for (int e = 0; e < 4; ++e) {
                part = lwi_poly_add(s, part, lwi_poly_mul(s, A->row[r][e], J->x[e][c]));
            }
            sum = lwi_poly_add(s, sum, lwi_poly_mul(s, part, B->row[r][c]));
        }
    }
    return sum;
}

static bool carries(const lw_model *m, int joint, int body)
{
    return joint <= body && body < m->subtree_end[joint];
}

// All elements whose first joint is `start`.
static void elements_from(lwi_closed *k, int start, lwi_poly_pose *W)
{
    lwi_polys *s = &k->s;
    const lw_model *m = k->m;
    const int n = k->n;
    lwi_closed_poses(k, start, W);
    for (int j = start; j < m->subtree_end[start]; ++j) {
        lwi_moments J;
        moments_of(s, &k->body[j], &J);
        for (int i = j; i >= start; i = m->parent[i]) {
            const lwi_poly_pose Wi = derivative(k, start, i, &W[j], false);
            for (int a = j; a >= start && s->status == LW_OK; a = m->parent[a]) {
                const lwi_poly_pose Wa = derivative(k, start, a, &W[j], false);
                if ((i == start || a == start) && i <= a) {
                    lwi_poly *at = &k->M[i * n + a];
                    *at = lwi_poly_add(s, *at, trace(s, &Wi, &J, &Wa));
                    k->M[a * n + i] = *at;
                }
                for (int l = a; l >= start && s->status == LW_OK; l = m->parent[l]) {
                    if (i != start && l != start) {
                        continue;
                    }
                    const lwi_poly_pose Wal = derivative(k, start, l, &Wa, true);
                    lwi_poly *at = &k->B[(i * n + l) * n + a];
                    *at = lwi_poly_add(s, *at, trace(s, &Wi, &J, &Wal));
                    k->B[(i * n + a) * n + l] = *at;
                }
            }
        }
    }
}

static void gravity_forces(lwi_closed *k, lwi_poly_pose *W)
{
    lwi_polys *s = &k->s;
    lwi_closed_poses(k, -1, W);
    for (int i = 0; i < k->n; ++i) {
        for (int j = i; j < k->n; ++j) {
            if (!carries(k->m, i, j)) {
                continue;
            }
            const lwi_poly_pose Wi = derivative(k, -1, i, &W[j], false);
            lwi_poly sum = {NULL, 0};
            for (int r = 0; r < 3; ++r) {
                lwi_poly at = Wi.row[r][3];
                for (int c = 0; c < 3; ++c) {
                    at = lwi_poly_add(s, at, lwi_poly_mul(s, Wi.row[r][c], k->body[j].r[c]));
                }
                sum = lwi_poly_add(s, sum, lwi_poly_mul(s, k->gravity[r], at));
            }
            k->G[i] = lwi_poly_sub(s, k->G[i], lwi_poly_mul(s, k->body[j].mass, sum));
        }
    }
}

void lwi_uicker(lwi_closed *k)
{
    lwi_poly_pose *W = lwi_arena_take(&k->s.arena, (size_t)k->n + 1, sizeof *W);
    if (!W) {
        k->s.status = LW_ERR_MEMORY;
        return;
    }
    for (int i = 0; i < k->n && k->s.status == LW_OK; ++i) {
        elements_from(k, i, W);
    }
    gravity_forces(k, W);
}
