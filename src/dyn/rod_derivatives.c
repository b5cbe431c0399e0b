// A rod with mass needs the force f_e = m/6 (a_0 + a_1 + a_e) at its end e (rods.h), where a is the
// acceleration of an end with gravity as an upward acceleration. With s_i the velocity of an end
// for unit rate of degree of freedom i, tau_i is the sum of s_i . f_e over both ends, and its
// change along a degree of freedom k on the way to the same end is
//
//   (ds_i) . f_e + s_i . df_e,   ds_i = w_k x s_i where k is before i, w_i x s_k where it is
//   behind.
//
// The change of a, from those of the spatial velocity and acceleration of the end's body (head of
// derivatives.c), with r the end and u its velocity, w_l the rotation of its body:
//
//   by q:  w_k x a + (chi + psi x v_l)(r) + psi.ang x u + w_l x psi(r)
//   by v:  (eta + S_k x v_l)(r) + S_k.ang x u + w_l x s_k
#include "rod_derivatives.h"

#include "../kin/rod_ends.h"
#include "derivative_sweep.h"
#include "user.h"

#include <string.h>

// One end: where it is about the origin of its root, and how it moves.
typedef struct rod_end {
    int body;
    const lw_motion *vel; ///< of its body
    lw_vec3 r, u, a;
} rod_end;

static lw_vec3 at_point(lw_motion x, lw_vec3 r)
{
    return lw_add3(x.lin, lw_cross3(x.ang, r));
}

static rod_end find_end(const lw_model *m, const lw_data *d, int loop, int side,
                        const lwi_world_body *ground)
{
    const lw_frame_info *frame = &m->frame[m->loop[loop].frame[side]];
    const lwi_world_body *B = frame->body < 0 ? ground : &d->world[frame->body];
    rod_end end = {.body = frame->body, .vel = &B->vel};
    end.r = lw_pose_apply(&B->X, frame->X_BF.p);
    end.u = at_point(B->vel, end.r);
    end.a = lw_add3(at_point(B->acc, end.r), lw_cross3(B->vel.ang, end.u));
    return end;
}

// Rows of three numbers for each degree of freedom: velocity of an end for unit rate, and what its
// acceleration changes by along q and along v.
typedef struct end_rows {
    lw_vec3 *s, *a_q, *a_v; ///< [tree_nv] zero for degrees of freedom that do not move it
} end_rows;

static void fill_rows(const lw_model *m, const lw_data *d, const rod_end *end, const end_rows *out)
{
    const size_t size = (size_t)m->tree_nv * sizeof *out->s;
    memset(out->s, 0, size);
    memset(out->a_q, 0, size);
    memset(out->a_v, 0, size);
    const lw_vec3 r = end->r, w = end->vel->ang;
    for (int i = end->body; i >= 0; i = m->parent[i]) {
        for (int k = m->v_start[i]; k < m->v_start[i + 1]; ++k) {
            const lw_motion S = lwi_row_motion(d, LWI_ROW_S, k);
            const lw_motion psi = {lwi_row_vector(d, LWI_ROW_PSI, k),
                                   lwi_row_vector(d, LWI_ROW_PSI_LIN, k)};
            const lw_motion by_q = lwi_motion_add(lwi_row_motion(d, LWI_ROW_CHI, k),
                                                  lwi_motion_cross(&psi, *end->vel));
            const lw_motion by_v =
                lwi_motion_add(lwi_row_motion(d, LWI_ROW_ETA, k), lwi_motion_cross(&S, *end->vel));
            out->s[k] = at_point(S, r);
            const lw_vec3 rotated = lw_add3(lw_cross3(S.ang, end->a), at_point(by_q, r));
            const lw_vec3 carried =
                lw_add3(lw_cross3(psi.ang, end->u), lw_cross3(w, at_point(psi, r)));
            out->a_q[k] = lw_add3(rotated, carried);
            out->a_v[k] = lw_add3(at_point(by_v, r),
                                  lw_add3(lw_cross3(S.ang, end->u), lw_cross3(w, out->s[k])));
        }
    }
}

// Degrees of freedom i and k on the way to one end: the change of s_i along k, times the force.
static void add_rotation(const lw_model *m, const lw_data *d, const rod_end *end, const lw_vec3 *s,
                         lw_vec3 f, double *by_q)
{
    const size_t n = (size_t)m->tree_nv;
    for (int i = end->body; i >= 0; i = m->parent[i]) {
        for (int v = m->v_start[i]; v < m->v_start[i + 1]; ++v) {
            for (int j = end->body; j >= 0; j = m->parent[j]) {
                for (int k = m->v_start[j]; k < m->v_start[j + 1]; ++k) {
                    const bool is_before = j <= i;
                    const lw_vec3 axis = lwi_row_vector(d, LWI_ROW_S, is_before ? k : v);
                    const lw_vec3 change = lw_cross3(axis, is_before ? s[v] : s[k]);
                    by_q[(size_t)v * n + (size_t)k] += lw_dot3(change, f);
                }
            }
        }
    }
}

// User joints on the way whose S changes by itself.
static void add_user_rotation(const lw_model *m, const lw_data *d, const double *tree_q,
                              const rod_end *end, lw_vec3 f, double *by_q)
{
    const size_t n = (size_t)m->tree_nv;
    for (int i = end->body; i >= 0; i = m->parent[i]) {
        if (m->carrier[i] != LW_TREE_USER || !m->kernel->user[i].bias) {
            continue;
        }
        const lw_user_joint *user = &m->kernel->user[i];
        for (int k = 0; k < user->nv; ++k) {
            lw_motion rate[LW_MAX_DOF];
            lwi_user_motion_rate(user, tree_q + m->q_start[i], k, rate);
            for (int j = 0; j < user->nv; ++j) {
                const lw_motion rotated = lwi_motion_to_world(&d->world[i], rate[j]);
                by_q[(size_t)(m->v_start[i] + j) * n + (size_t)(m->v_start[i] + k)] +=
                    lw_dot3(at_point(rotated, end->r), f);
            }
        }
    }
}

// sum over the ends of s_i . (x_0 + x_1 + x_e)_k, times a sixth of the mass
static double coupling(const end_rows rows[2], size_t i, lw_vec3 x_0, lw_vec3 x_1)
{
    const lw_vec3 both = lw_add3(x_0, x_1);
    return lw_dot3(rows[0].s[i], lw_add3(both, x_0)) + lw_dot3(rows[1].s[i], lw_add3(both, x_1));
}

static void add_rod(const lw_model *m, lw_data *d, const double *tree_q, int loop,
                    const lwi_world_body *ground, const lwi_matrices *out)
{
    const size_t n = (size_t)m->tree_nv;
    const double sixth = m->loop[loop].mass / 6.0;
    lw_vec3 *buffer = (lw_vec3 *)d->rod_J;
    rod_end end[2];
    end_rows rows[2];
    for (size_t side = 0; side < 2; ++side) {
        lw_vec3 *own = buffer + 3 * n * side;
        rows[side] = (end_rows){own, own + n, own + 2 * n};
        end[side] = find_end(m, d, loop, (int)side, ground);
        fill_rows(m, d, &end[side], &rows[side]);
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < n; ++k) {
            const size_t at = i * n + k;
            if (out->by_q) {
                out->by_q[at] += sixth * coupling(rows, i, rows[0].a_q[k], rows[1].a_q[k]);
            }
            if (out->by_v) {
                out->by_v[at] += sixth * coupling(rows, i, rows[0].a_v[k], rows[1].a_v[k]);
            }
            if (out->M) {
                out->M[at] += sixth * coupling(rows, i, rows[0].s[k], rows[1].s[k]);
            }
        }
    }
    const lw_vec3 sum = lw_add3(end[0].a, end[1].a);
    for (int side = 0; side < 2 && out->by_q; ++side) {
        const lw_vec3 f = lw_scale3(sixth, lw_add3(sum, end[side].a));
        add_rotation(m, d, &end[side], rows[side].s, f, out->by_q);
        add_user_rotation(m, d, tree_q, &end[side], f, out->by_q);
    }
}

void lwi_add_rod_derivatives(const lw_model *m, lw_data *d, const double *tree_q,
                             const lwi_matrices *out)
{
    lwi_world_body ground;
    lwi_world_ground(d, &ground);
    for (int k = 0; k < m->nloop && d->nrod_mass > 0; ++k) {
        if (lwi_has_rod_mass(m, k)) {
            add_rod(m, d, tree_q, k, &ground, out);
        }
    }
}
