// The Coriolis matrix, in world axes about the origin of the root that a joint hangs on.
//
// A particle at r moves with the velocity u = sum of s_k(r) v_k, where s_k(r) = S_k.lin + S_k.ang x
// r is its velocity for unit rate of freedom k. Its acceleration due to velocities is the sum of
// (d/dt s_k) v_k, so that
//
//   C_jk = sum over particles of m s_j . d/dt s_k
//
// gives C v as the Coriolis and centrifugal forces; and since M_jk is the sum of m s_j . s_k,
// C + C' = dM/dt: dM/dt - 2 C is skew. With d/dt s_k = Sd_k.lin + Sd_k.ang x r + S_k.ang x u, where
// Sd = v x S + (what S changes by itself), a composite body takes two more things than its inertia:
// the momentum p, and B = sum of m (r.u 1 - u r'), the matrix of w -> r x (w x u) m.
//
// This is not the matrix of Christoffel symbols, which is another one with both properties.
#include <linkwork/dynamics.h>
#include <linkwork/kinematics.h>

#include "../kin/unit.h"
#include "inertia.h"
#include "lift.h"
#include "recursions.h"
#include "user.h"

#include <string.h>

static lw_motion motion_about(lw_motion x, lw_vec3 p)
{
    const lw_motion r = {x.ang, lw_add3(x.lin, lw_cross3(p, x.ang))};
    return r;
}

static lw_motion motion_cross(const lw_motion *a, const lw_motion *b)
{
    const lw_motion r = {lw_cross3(a->ang, b->ang),
                         lw_add3(lw_cross3(a->ang, b->lin), lw_cross3(a->lin, b->ang))};
    return r;
}

static double power(const lw_motion *a, const lw_force *f)
{
    return lw_dot3(a->ang, f->ang) + lw_dot3(a->lin, f->lin);
}

// One freedom: its motion S, the rate of that, and the freedom before it on the way to the world.
typedef struct axis {
    lw_motion S, rate;
    int before;
} axis;

// A body with all that hangs on it, taken as one.
typedef struct spinning {
    lw_inertia I;
    lw_mat3 B;
    lw_vec3 p;
} spinning;

_Static_assert(sizeof(spinning) + sizeof(axis) <=
                       (LWI_WORK_BODY + LWI_WORK_FREEDOM) * sizeof(double) &&
                   sizeof(spinning) + LW_MAX_FREEDOM * sizeof(axis) <=
                       (LWI_WORK_BODY + LW_MAX_FREEDOM * LWI_WORK_FREEDOM) * sizeof(double),
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
    const lw_vec3 turning[3] = {lw_sub3(lw_scale3(w.y, Z[2]), lw_scale3(w.z, Z[1])),
                                lw_sub3(lw_scale3(w.z, Z[0]), lw_scale3(w.x, Z[2])),
                                lw_sub3(lw_scale3(w.x, Z[1]), lw_scale3(w.y, Z[0]))};
    const double u[3] = {v->lin.x, v->lin.y, v->lin.z};
    for (int k = 0; k < 3; ++k) {
        r.B.row[k] = lw_scale3(-1.0, lw_add3(turning[k], lw_scale3(u[k], h)));
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

// What a user joint's S changes by itself: sum over k of dS/dq_k v_k, turned to world axes.
static void add_user_rates(const lw_model *m, const lw_data *d, int i, const double *q,
                           const double *v, lw_motion rate[LW_MAX_FREEDOM])
{
    const lw_user_joint *user = &m->kernel->user[i];
    const lw_mat3 *R = &d->X_WB[i].R;
    for (int k = 0; k < user->nv && user->bias; ++k) {
        lw_motion along[LW_MAX_FREEDOM];
        lwi_user_motion_rate(user, q, k, along);
        for (int j = 0; j < user->nv; ++j) {
            const lw_vec3 ang = lw_rotate(R, along[j].ang), lin = lw_rotate(R, along[j].lin);
            rate[j].ang = lw_add3(rate[j].ang, lw_scale3(v[k], ang));
            rate[j].lin = lw_add3(rate[j].lin, lw_scale3(v[k], lin));
        }
    }
}

// Bodies and freedoms, all of one root about its origin.
static void fill(const lw_model *m, const lw_data *d, const double *q, const double *v,
                 spinning *body, axis *freedom)
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

        lw_motion S[LW_MAX_FREEDOM], own[LW_MAX_FREEDOM] = {0};
        const int nv = unit_motions(m, d, q, i, S);
        if (m->carrier[i] == LW_TREE_USER) {
            add_user_rates(m, d, i, &q[m->q_start[i]], &v[m->v_start[i]], own);
        }
        for (int k = 0; k < nv; ++k) {
            axis *f = &freedom[m->v_start[i] + k];
            f->before = k > 0 ? m->v_start[i] + k - 1 : m->kernel->segment[i].v_parent;
            f->S = motion_about(S[k], X_OB.p);
            const lw_motion turned = motion_cross(&velocity, &f->S);
            const lw_motion changed = motion_about(own[k], X_OB.p);
            f->rate.ang = lw_add3(turned.ang, changed.ang);
            f->rate.lin = lw_add3(turned.lin, changed.lin);
        }
    }
}

// Row and column of freedom j, up to the world. The bodies behind two freedoms of one path are
// those behind the further one.
static void fill_row(const lw_model *m, const spinning *B, const axis *freedom, int j, double *C)
{
    const size_t n = (size_t)m->tree_nv;
    const axis *a = &freedom[j];
    // S_k . (I Sd_j + B S_j)
    lw_force pushed = inertia_times(&B->I, &a->rate);
    pushed.ang = lw_add3(pushed.ang, lw_rotate(&B->B, a->S.ang));
    pushed.lin = lw_add3(pushed.lin, lw_cross3(a->S.ang, B->p));
    // S_j . (I Sd_k + B S_k), as (I S_j) . Sd_k + (B' S_j) . S_k
    const lw_force held = inertia_times(&B->I, &a->S);
    const lw_vec3 turned = lw_add3(lw_rotate_back(&B->B, a->S.ang), lw_cross3(B->p, a->S.lin));
    for (int k = j; k >= 0; k = freedom[k].before) {
        const axis *b = &freedom[k];
        C[(size_t)k * n + (size_t)j] = power(&b->S, &pushed);
        C[(size_t)j * n + (size_t)k] = power(&b->rate, &held) + lw_dot3(b->S.ang, turned);
    }
}

static void tree_coriolis(const lw_model *m, lw_data *d, const double *q, const double *v,
                          double *C)
{
    spinning *body = d->work;
    axis *freedom = (axis *)(body + m->nbody);
    const size_t n = (size_t)m->tree_nv;
    fill(m, d, q, v, body, freedom);
    if (n > 0) {
        memset(C, 0, n * n * sizeof *C);
    }
    for (int i = m->nbody - 1; i >= 0; --i) {
        for (int k = m->v_start[i]; k < m->v_start[i + 1]; ++k) {
            fill_row(m, &body[i], freedom, k, C);
        }
        if (m->parent[i] >= 0) {
            add_spinning(&body[m->parent[i]], &body[i]);
        }
    }
}

// G' (C G + M dG/dt), where each tree coordinate follows one independent coordinate.
static lw_status close_coriolis(const lw_model *m, lw_data *d, const double *v, double *C)
{
    const size_t n = (size_t)m->tree_nv, k = (size_t)m->nv;
    if (!lwi_lift_coordinates(m, d)) {
        return LW_ERR_UNSUPPORTED;
    }
    memset(C, 0, k * k * sizeof *C);
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
            const lwi_lift *a = &d->lift[i], *b = &d->lift[j];
            const double rate = b->second * v[b->index];
            C[(size_t)a->index * k + (size_t)b->index] +=
                a->first * (d->tree_C[i * n + j] * b->first + d->tree_M[i * n + j] * rate);
        }
    }
    return LW_OK;
}

lw_status lw_coriolis_matrix(const lw_model *m, lw_data *d, const double *q, const double *v,
                             double *C)
{
    const lw_status status = lw_forward_velocity(m, d, q, v);
    if (status != LW_OK || (!C && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    d->stage = LW_STAGE_NONE;
    if (m->nstep == 0) {
        tree_coriolis(m, d, q, v, C);
        return LW_OK;
    }
    tree_coriolis(m, d, d->tree_q, d->tree_v, d->tree_C);
    lwi_get_recursions()->mass_matrix(m, d, d->tree_q, d->tree_M);
    return close_coriolis(m, d, v, C);
}
