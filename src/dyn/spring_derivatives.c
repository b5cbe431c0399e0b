// With J the change of length x for unit rates, tau_i = F J_i, and J v the rate of x,
//
//   dtau_i/dq_k = dF/dx J_i J_k + dF/drate J_i (sum over j of v_j H_jk) + F H_ik,
//   dtau_i/dv_k = dF/drate J_i J_k,
//
// where H_ik = dJ_i/dq_k. For a line of length x and direction u, with D_i = s_1 - s_0 of degree of
// freedom i,
//
//   H_ik = (D_i . D_k - J_i J_k) / x + u . (ds_1i - ds_0i),
//
// and ds_i along k is w_k x s_i where k is before i on the way to the end, and w_i x s_k where it
// is behind. A torsion has no H. Above a plane with the normal u the first term is
// D_i . (w_0k x u) + D_k . (w_0i x u), with w_0 of the body of the plane.
#include "spring_derivatives.h"

#include "../kin/tree.h"
#include "../loop/user_rate.h"
#include "../model/kernel.h"
#include "fold_derivatives.h"
#include "spring_forces_tree.h"

// Where curvatures go: sums over the first degree of freedom, weighted by v, or matrices, scaled.
typedef struct curvature_sum {
    const double *v; ///< [tree_nv] or NULL
    double *along;   ///< [tree_nv] with v
    double scale;
    const lwi_matrices *out; ///< without
} curvature_sum;

static void put(const lw_model *m, const lw_data *d, const curvature_sum *sum, int i, int k,
                double H)
{
    if (sum->v) {
        sum->along[k] += sum->v[i] * H;
    } else {
        lwi_fold_entry(m, d, i, k, sum->scale * H, 0.0, 0.0, sum->out);
    }
}

// u . (ds_1i - ds_0i) along k, where degree of freedom k belongs to the same body as i or to one
// before it.
static double rotation_term(const lw_data *d, int n, lw_vec3 u, int i, int k, bool is_before)
{
    double sum = 0.0;
    for (int side = 0; side < 2; ++side) {
        const lw_vec3 *s = d->spring_s + side * n, *w = s + 2 * n;
        const lw_vec3 change = is_before ? lw_cross3(w[k], s[i]) : lw_cross3(w[i], s[k]);
        sum += side ? lw_dot3(u, change) : -lw_dot3(u, change);
    }
    return sum;
}

static double curvature(const lw_data *d, int n, const lw_spring_info *spring,
                        const lwi_spring_line *line, int i, int k, bool is_before)
{
    const lw_vec3 *s = d->spring_s, *w = s + 2 * n;
    const lw_vec3 D_i = lw_sub3(s[n + i], s[i]), D_k = lw_sub3(s[n + k], s[k]);
    if (spring->along == LW_SPRING_NORMAL) {
        return lw_dot3(D_i, lw_cross3(w[k], line->u)) + lw_dot3(D_k, lw_cross3(w[i], line->u)) +
               rotation_term(d, n, line->u, i, k, is_before);
    }
    const double across = lw_dot3(D_i, D_k) - d->spring_row[i] * d->spring_row[k];
    return (line->length > 0.0 ? across / line->length : 0.0) +
           rotation_term(d, n, line->u, i, k, is_before);
}

// User joints on the way whose S changes by itself.
static void add_user_curvatures(const lw_model *m, const lw_data *d, int spring,
                                const double *tree_q, const lwi_spring_line *line,
                                const curvature_sum *sum)
{
    for (int side = 0; side < 2 && m->kernel->user; ++side) {
        for (int i = m->spring[spring].body[side]; i >= 0; i = m->parent[i]) {
            const lw_user_joint *user = &m->kernel->user[i];
            if (m->carrier[i] != LW_TREE_USER || !user->bias) {
                continue;
            }
            const lw_pose *X = &d->X_WB[i];
            const lw_vec3 arm = lw_sub3(line->p[side], X->p);
            for (int k = 0; k < user->nv; ++k) {
                lw_motion rate[LW_MAX_DOF];
                lwi_user_motion_rate(user, tree_q + m->q_start[i], k, rate);
                for (int j = 0; j < user->nv; ++j) {
                    const lw_vec3 ds = lw_add3(lw_rotate(&X->R, rate[j].lin),
                                               lw_cross3(lw_rotate(&X->R, rate[j].ang), arm));
                    const double H = lw_dot3(line->u, ds);
                    put(m, d, sum, m->v_start[i] + j, m->v_start[i] + k, side ? H : -H);
                }
            }
        }
    }
}

// Over the bodies of d->path, which carry the ends.
static void add_curvatures(const lw_model *m, const lw_data *d, int npath, int spring,
                           const double *tree_q, const lwi_spring_line *line,
                           const curvature_sum *sum)
{
    for (int x = 0; x < npath * npath; ++x) {
        const int a = d->path[x / npath], b = d->path[x % npath];
        for (int i = m->v_start[a]; i < m->v_start[a + 1]; ++i) {
            for (int k = m->v_start[b]; k < m->v_start[b + 1]; ++k) {
                const double H = curvature(d, m->tree_nv, &m->spring[spring], line, i, k, b <= a);
                put(m, d, sum, i, k, H);
            }
        }
    }
    add_user_curvatures(m, d, spring, tree_q, line, sum);
}

// by_x J' x + by_rate J' J over these bodies, where x is J or another row.
static void add_products(const lw_model *m, const lw_data *d, int npath, const double *x,
                         double by_q, double by_v, const lwi_matrices *out)
{
    const double *J = d->spring_row;
    for (int y = 0; y < npath * npath && (by_q != 0.0 || by_v != 0.0); ++y) {
        const int a = d->path[y / npath], b = d->path[y % npath];
        for (int i = m->v_start[a]; i < m->v_start[a + 1]; ++i) {
            for (int k = m->v_start[b]; k < m->v_start[b + 1]; ++k) {
                lwi_fold_entry(m, d, i, k, by_q * J[i] * x[k], by_v * J[i] * J[k], 0.0, out);
            }
        }
    }
}

static void add_line(const lw_model *m, lw_data *d, int k, const double *tree_q,
                     const double *tree_v, const lwi_matrices *out)
{
    lwi_spring_line line;
    const lwi_spring_at at = lwi_spring_state(m, d, k, tree_q, tree_v, &line);
    const int npath = lwi_find_paths(m, d, m->spring[k].body);
    add_products(m, d, npath, d->spring_row, at.by_x, at.by_rate, out);
    if (!out->by_q) {
        return;
    }
    const curvature_sum bent = {.scale = at.force, .out = out};
    add_curvatures(m, d, npath, k, tree_q, &line, &bent);
    if (at.by_rate != 0.0) {
        double *along = d->spring_tau;
        for (int i = 0; i < m->tree_nv; ++i) {
            along[i] = 0.0;
        }
        const curvature_sum rate = {.v = tree_v, .along = along};
        add_curvatures(m, d, npath, k, tree_q, &line, &rate);
        add_products(m, d, npath, along, at.by_rate, 0.0, out);
    }
}

static void add_torsion(const lw_model *m, lw_data *d, int k, const double *tree_q,
                        const double *tree_v, const lwi_matrices *out)
{
    const int *dof = m->spring[k].dof;
    lwi_spring_line line;
    const lwi_spring_at at = lwi_spring_state(m, d, k, tree_q, tree_v, &line);
    // Friction is in proportion to the size of the force.
    const double share = at.force != 0.0 ? at.friction / at.force : 0.0;
    for (int x = 0; x < 4; ++x) {
        const int i = dof[x / 2], j = dof[x % 2];
        if (i < 0 || j < 0) {
            continue;
        }
        // 1 at the first, -1 at the second; at the second friction too.
        const double J_j = x % 2 ? -1.0 : 1.0, by = (x / 2 ? share - 1.0 : 1.0) * J_j;
        const double own = x == 3 ? at.friction_by_out : 0.0;
        lwi_fold_entry(m, d, i, j, by * at.by_x, by * at.by_rate + own, 0.0, out);
    }
}

void lwi_add_spring_derivatives(const lw_model *m, lw_data *d, const double *tree_q,
                                const double *tree_v, const lwi_matrices *out)
{
    if (m->nspring == 0 || d->settings.is_ideal) {
        return;
    }
    d->kernels->tree_poses(m, d, tree_q);
    for (int k = 0; k < m->nspring; ++k) {
        (m->spring[k].is_torsion ? add_torsion : add_line)(m, d, k, tree_q, tree_v, out);
    }
}
