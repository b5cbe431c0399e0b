// The Coriolis matrix, in world axes about the origin of the root that carries the joint.
//
// A particle at r moves with the velocity u = sum of s_k(r) v_k, where s_k(r) = S_k.lin + S_k.ang x
// r is its velocity for unit rate of degree of freedom k. Its acceleration due to velocities is the
// sum of (d/dt s_k) v_k, so that
//
//   C_jk = sum over particles of m s_j . d/dt s_k
//
// gives C v as the Coriolis and centrifugal forces; and since M_jk is the sum of m s_j . s_k,
// C + C' = dM/dt: dM/dt - 2 C is skew. With d/dt s_k = Sd_k.lin + Sd_k.ang x r + S_k.ang x u, where
// Sd = v x S + (what S changes by itself), a composite body takes two more things than its inertia:
// the momentum p, and B = sum of m (r.u 1 - u r'), the matrix of w -> r x (w x u) m.
//
// This is not the matrix of Christoffel symbols, which is another one with both properties.
//
// With closure steps, dv_tree = G dv, it is G' (C G + M dG/dt). The entries of the tree's matrices
// are folded one by one as they come, and never stored.
#include <linkwork/dynamics.h>
#include <linkwork/kinematics.h>

#include "../kin/motion_rates.h"
#include "../kin/unit.h"
#include "../math/spatial.h"
#include "arguments.h"
#include "rods.h"

#include <string.h>

static lw_motion motion_about(lw_motion x, lw_vec3 p)
{
    const lw_motion r = {x.ang, lw_add3(x.lin, lw_cross3(p, x.ang))};
    return r;
}

// One degree of freedom: its motion S, the rate of that, and the degree of freedom before it on the
// way to the world.
typedef struct axis {
    lw_motion S, rate;
    const struct axis *before; // NULL at the world
    int at;                    // its row and column in C where it moves no other joint, else -1
    int only;                  // the one coordinate that moves it, else -1
    double g;                  // and how fast
} axis;

// A body with all that it carries, taken as one.
typedef struct spinning {
    lw_inertia I;
    lw_mat3 B;
    lw_vec3 p;
} spinning;

_Static_assert(sizeof(spinning) + sizeof(axis) <= (LWI_WORK_BODY + LWI_WORK_DOF) * sizeof(double) &&
                   sizeof(spinning) + LW_MAX_DOF * sizeof(axis) <=
                       (LWI_WORK_BODY + LW_MAX_DOF * LWI_WORK_DOF) * sizeof(double),
               "both fit the room that the recursions have");

// Particles of a rigid body with the velocity u = v + w x r: r.u adds up to h.v, and u r' to
// v h' + [w]x Z with the second moments Z = tr(T) / 2 - T.
static spinning spin(const lw_inertia *I, const lw_motion *v)
{
    const lw_vec3 h = I->first_moment;
    const lw_sym3 *T = &I->tensor;
    const double half = (T->xx + T->yy + T->zz) / 2, hv = lw_dot3(h, v->lin);
    const lw_vec3 Z[3] = {{half - T->xx, -T->xy, -T->xz},
                          {-T->xy, half - T->yy, -T->yz},
                          {-T->xz, -T->yz, half - T->zz}};
    const lw_vec3 w = v->ang;
    spinning r = {.I = *I, .p = lw_add3(lw_scale3(I->mass, v->lin), lw_cross3(w, h))};
    const lw_vec3 rotation[3] = {lw_sub3(lw_scale3(w.y, Z[2]), lw_scale3(w.z, Z[1])),
                                 lw_sub3(lw_scale3(w.z, Z[0]), lw_scale3(w.x, Z[2])),
                                 lw_sub3(lw_scale3(w.x, Z[1]), lw_scale3(w.y, Z[0]))};
    const double u[3] = {v->lin.x, v->lin.y, v->lin.z};
    for (int k = 0; k < 3; ++k) {
        r.B.row[k] = lw_scale3(-1.0, lw_add3(rotation[k], lw_scale3(u[k], h)));
    }
    r.B.row[0].x += hv;
    r.B.row[1].y += hv;
    r.B.row[2].z += hv;
    return r;
}

static void add_spinning(spinning *sum, const spinning *x)
{
    sum->I = lw_inertia_add(&sum->I, &x->I);
    sum->p = lw_add3(sum->p, x->p);
    for (int k = 0; k < 3; ++k) {
        sum->B.row[k] = lw_add3(sum->B.row[k], x->B.row[k]);
    }
}

// Where degree of freedom v of the tree is in C, with closure steps.
static void find_columns(const lw_model *m, const lw_data *d, int v, axis *f)
{
    const lwi_fronts *p = m->kernel->program->fronts;
    const int e = p->row[v];
    f->at = e < m->nv && p->at[e] < 0 ? e : -1;
    f->only = p->nrow[v] == 1 ? p->column[e] : -1;
    f->g = d->fronts.g[e];
}

// Bodies and degrees of freedom, all of one root about its origin.
static void fill(const lw_model *m, const lw_data *d, const double *q, const double *v,
                 spinning *body, axis *dof)
{
    lw_vec3 origin = {0, 0, 0};
    for (int i = 0; i < m->nbody; ++i) {
        const lw_pose *X = &d->X_WB[i];
        if (m->parent[i] < 0) {
            origin = X->p;
        }
        const lw_pose X_OB = {X->R, lw_sub3(X->p, origin)};
        const lw_motion at_body = {lw_rotate(&X->R, d->vel[i].ang),
                                   lw_rotate(&X->R, d->vel[i].lin)};
        const lw_motion velocity = motion_about(at_body, X_OB.p);
        const lw_inertia I = lw_inertia_move(&X_OB, &m->inertia[i]);
        body[i] = spin(&I, &velocity);

        lw_motion S[LW_MAX_DOF], own[LW_MAX_DOF];
        const int nv = unit_motions(m, d, q, i, S);
        lwi_user_rates(m, d, q, v, i, own);
        for (int k = 0; k < nv; ++k) {
            axis *f = &dof[m->v_start[i] + k];
            const int before = k > 0 ? m->v_start[i] + k - 1 : m->kernel->segment[i].v_parent;
            f->before = before < 0 ? NULL : &dof[before];
            f->at = m->v_start[i] + k;
            if (m->nstep > 0) {
                find_columns(m, d, f->at, f);
            }
            f->S = motion_about(S[k], X_OB.p);
            const lw_motion rotated = lwi_motion_cross(&velocity, f->S);
            const lw_motion changed = motion_about(own[k], X_OB.p);
            f->rate.ang = lw_add3(rotated.ang, changed.ang);
            f->rate.lin = lw_add3(rotated.lin, changed.lin);
        }
    }
}

// What G' (C G + M dG/dt) needs beside the matrices of the tree, where dv_tree = G dv.
typedef struct fold {
    const lwi_fronts *plan;  // rows of G
    const double *g, *g_dot; // their entries, and the rates of these
    size_t nv;
    bool is_bent; // any rate is not zero
} fold;

// Adds what degrees of freedom j and k of the tree have to C: C_kj, C_jk and M_jk.
static void fold_pair(const fold *f, int j, int k, double kj, double jk, double inertia, double *C)
{
    const lwi_fronts *p = f->plan;
    for (int e = p->row[j]; e < p->row[j] + p->nrow[j]; ++e) {
        const size_t a = (size_t)p->column[e];
        for (int o = p->row[k]; o < p->row[k] + p->nrow[k]; ++o) {
            const size_t b = (size_t)p->column[o];
            C[b * f->nv + a] += f->g[o] * (kj * f->g[e] + inertia * f->g_dot[e]);
            if (k != j) {
                C[a * f->nv + b] += f->g[e] * (jk * f->g[o] + inertia * f->g_dot[o]);
            }
        }
    }
}

// Row and column of degree of freedom j, up to the world. The bodies behind two degrees of freedom
// of one path are those behind the further one.
LWI_INLINE void fill_row(const lw_model *m, const spinning *B, const axis *dof, int j, double rotor,
                         const fold *f, double *C)
{
    const size_t n = (size_t)m->nv;
    const axis *a = &dof[j];
    // S_k . (I Sd_j + B S_j)
    lw_force pushed = inertia_times(&B->I, &a->rate);
    pushed.ang = lw_add3(pushed.ang, lw_rotate(&B->B, a->S.ang));
    pushed.lin = lw_add3(pushed.lin, lw_cross3(a->S.ang, B->p));
    // S_j . (I Sd_k + B S_k), as (I S_j) . Sd_k + (B' S_j) . S_k
    const lw_force held = inertia_times(&B->I, &a->S);
    const lw_vec3 rotated = lw_add3(lw_rotate_back(&B->B, a->S.ang), lw_cross3(B->p, a->S.lin));
    const size_t plain = a->at < 0 ? 0 : (size_t)a->at;
    double *row = C + plain * n, *column = C + plain;
    for (const axis *b = a; b; b = b->before) {
        const double kj = lwi_power(b->S, pushed);
        const double jk = lwi_power(b->rate, held) + lw_dot3(b->S.ang, rotated);
        if (!f) {
            column[(size_t)b->at * n] = kj;
            row[b->at] = jk;
        } else if (a->at >= 0 && b->at >= 0) {
            column[(size_t)b->at * n] = kj;
            row[b->at] = jk;
        } else if (!f->is_bent && a->only >= 0 && b->only >= 0) {
            const double both = a->g * b->g;
            C[(size_t)b->only * n + (size_t)a->only] += both * kj;
            C[(size_t)a->only * n + (size_t)b->only] += b != a ? both * jk : 0.0;
        } else {
            const double inertia = lwi_power(b->S, held) + (b == a ? rotor : 0.0);
            fold_pair(f, j, (int)(b - dof), kj, jk, inertia, C);
        }
    }
}

static void tree_coriolis(const lw_model *m, lw_data *d, const double *q, const double *v,
                          const fold *f, double *C)
{
    const bool has_rotors = m->kernel->has_joint_forces && !d->settings.is_ideal;
    spinning *body = d->work;
    axis *dof = (axis *)(body + m->nbody);
    const size_t n = (size_t)m->nv;
    fill(m, d, q, v, body, dof);
    if (n > 0) {
        memset(C, 0, n * n * sizeof *C);
    }
    for (int i = m->nbody - 1; i >= 0; --i) {
        for (int k = m->v_start[i]; k < m->v_start[i + 1]; ++k) {
            const double rotor = has_rotors ? m->kernel->passive[k].rotor : 0.0;
            if (f) {
                fill_row(m, &body[i], dof, k, rotor, f, C);
            } else {
                fill_row(m, &body[i], dof, k, rotor, NULL, C); // the loop without questions
            }
        }
        if (m->parent[i] >= 0) {
            add_spinning(&body[m->parent[i]], &body[i]);
        }
    }
}

// Rates of the Jacobians that lwi_rod_jacobian() gives, from the degrees of freedom that
// tree_coriolis() left.
static void rod_jacobian_rate(const lw_model *m, const lw_data *d, const axis *dof,
                              const lwi_rod_ends *rod, double *rate)
{
    const size_t n = (size_t)m->tree_nv;
    memset(rate, 0, 6 * n * sizeof *rate);
    for (int side = 0; side < 2; ++side) {
        int root = rod->body[side];
        while (root >= 0 && m->parent[root] >= 0) {
            root = m->parent[root];
        }
        for (int i = rod->body[side]; i >= 0; i = m->parent[i]) {
            const lw_vec3 r = lw_sub3(rod->p[side], d->X_WB[root].p);
            for (int k = m->v_start[i]; k < m->v_start[i + 1]; ++k) {
                const axis *f = &dof[k];
                const lw_vec3 rotated = lw_cross3(f->S.ang, rod->v[side]);
                const lw_vec3 own = lw_add3(f->rate.lin, lw_cross3(f->rate.ang, r));
                const lw_vec3 u = lw_add3(own, rotated);
                double *at = rate + (size_t)(3 * side) * n + k;
                at[0] = u.x;
                at[n] = u.y;
                at[2 * n] = u.z;
            }
        }
    }
}

// The rate of J G, where J is a row of a Jacobian of the tree, is dJ/dt G + J dG/dt: adds the
// second part.
static void add_rate_of_steps(const lw_model *m, const fold *f, const double *J, double *rate)
{
    for (int v = 0; v < m->tree_nv; ++v) {
        for (int e = f->plan->row[v]; e < f->plan->row[v] + f->plan->nrow[v]; ++e) {
            rate[f->plan->column[e]] += f->g_dot[e] * J[v];
        }
    }
}

// M = m/4 S'S + m/12 D'D (rods.c) becomes C = m/4 S'(dS/dt) + m/12 D'(dD/dt).
static void add_rods(const lw_model *m, lw_data *d, const double *tree_q, const fold *f, double *C)
{
    const axis *dof = (const axis *)((const spinning *)d->work + m->nbody);
    const size_t n = (size_t)m->tree_nv, nv = (size_t)m->nv;
    for (int k = 0; k < m->nloop && d->nrod_mass > 0; ++k) {
        if (!lwi_has_rod_mass(m, k)) {
            continue;
        }
        const lwi_rod_ends rod = lwi_rod_at(m, d, k, 1);
        lwi_rod_jacobian(m, d, tree_q, &rod, d->rod_J);
        rod_jacobian_rate(m, d, dof, &rod, d->tree_J);
        if (f) {
            lwi_closure_transpose_rows(m, d, 6, d->tree_J);
            for (size_t r = 0; r < 6; ++r) {
                add_rate_of_steps(m, f, d->rod_J + r * n, d->tree_J + r * n);
            }
            lwi_closure_transpose_rows(m, d, 6, d->rod_J);
        }
        for (size_t r = 0; r < 3; ++r) {
            const double *J[2] = {d->rod_J + r * n, d->rod_J + (3 + r) * n};
            const double *rate[2] = {d->tree_J + r * n, d->tree_J + (3 + r) * n};
            for (size_t i = 0; i < nv; ++i) {
                const double sum = rod.mass / 4 * (J[0][i] + J[1][i]);
                const double difference = rod.mass / 12 * (J[1][i] - J[0][i]);
                for (size_t j = 0; j < nv; ++j) {
                    C[i * nv + j] +=
                        sum * (rate[0][j] + rate[1][j]) + difference * (rate[1][j] - rate[0][j]);
                }
            }
        }
    }
}

// Entries of dG/dt. Columns of coordinates that only constant rates depend on are zero.
static void find_rates(const lw_model *m, lw_data *d, const double *v, double *g_dot)
{
    const lwi_fronts *p = m->kernel->program->fronts;
    double *x = d->tree_J, *y = d->tree_J + m->tree_nv;
    bool is_any = false;
    memset(g_dot, 0, (size_t)p->nentry * sizeof *g_dot);
    for (int k = 0; k < m->nv; ++k) {
        if (!p->bends[k]) {
            continue;
        }
        is_any = true;
        lwi_closure_rate_column(m, d, v, k, x, y);
        for (int t = 0; t < m->tree_nv; ++t) {
            for (int e = p->row[t]; e < p->row[t] + p->nrow[t] && p->row[t] >= m->nv; ++e) {
                g_dot[e] = p->column[e] == k ? d->tree_a[t] : g_dot[e];
            }
        }
    }
    if (is_any) {
        lwi_closure_velocity(m, d, v);
    }
}

lw_status lw_coriolis_matrix(const lw_model *m, lw_data *d, const double *q, const double *v,
                             double *C)
{
    const lw_status status = lw_forward_velocity(m, d, q, v);
    if (status != LW_OK || (!C && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    lwi_drop_results(d);
    if (is_unplanned(m)) {
        return LW_ERR_LIMIT;
    }
    if (m->nstep == 0) {
        tree_coriolis(m, d, q, v, NULL, C);
        add_rods(m, d, q, NULL, C);
        return LW_OK;
    }
    const lwi_fronts *plan = m->kernel->program->fronts;
    const fold f = {plan, d->fronts.g, d->fronts.g_dot, (size_t)m->nv, plan->is_bent != 0};
    find_rates(m, d, v, d->fronts.g_dot);
    lwi_closure_compose(m, d);
    tree_coriolis(m, d, d->tree_q, d->tree_v, &f, C);
    add_rods(m, d, d->tree_q, &f, C);
    return LW_OK;
}
