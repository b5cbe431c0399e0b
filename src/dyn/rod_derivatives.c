// A rod with mass needs the force f_e = m/6 (a_0 + a_1 + a_e) at its end e (rods.h), where a is the
// acceleration of an end with gravity as an upward acceleration. With s_i the velocity of an end
// for unit rate of degree of freedom i, tau_i is the sum of s_i . f_e over both ends. As forces on
// the bodies these are among those of the derivative sweep, which takes them to rotate with their
// bodies; so what is left of the derivatives along degree of freedom k, which rotates by w_k, is
//
//   s_i . (df_e - w_k x f_e)
//
// over the ends that k moves. The change of a comes from those of the spatial velocity and
// acceleration of the end's body (head of derivatives.c), with r the end and u its velocity:
//
//   by q:  w_k x a + chi(r) + 2 psi.ang x u
//   by v:  eta(r) + 2 w_k x u
//
// All these are linear in the motion, and folded to independent coordinates (fold_derivatives.c)
// before they meet in pairs.
#include "rod_derivatives.h"

#include "../kin/rod_ends.h"
#include "derivative_sweep.h"

// What moves along one coordinate: an end's rotation and velocity for unit rate, and what its
// acceleration changes by along q and along v.
typedef struct end_rates {
    lw_vec3 w, s, a_q, a_v;
} end_rates;

typedef struct coordinate {
    end_rates end[2];
} coordinate;

_Static_assert(sizeof(coordinate) == 24 * sizeof(double), "as many as lw_data.rod_J has");

static lw_vec3 at_point(lw_motion x, lw_vec3 r)
{
    return lw_add3(x.lin, lw_cross3(x.ang, r));
}

static lwi_heavy_rod find_rod(const lw_model *m, const lw_data *d, int loop)
{
    lwi_world_body ground;
    lwi_world_ground(d, &ground);
    lwi_heavy_rod rod = {.sixth = m->loop[loop].mass / 6.0};
    for (int side = 0; side < 2; ++side) {
        const lw_frame_info *frame = &m->frame[m->loop[loop].frame[side]];
        const lwi_world_body *B = frame->body < 0 ? &ground : &d->world[frame->body];
        const lw_vec3 r = lw_pose_apply(&B->X, frame->X_BF.p), u = at_point(B->vel, r);
        rod.end[side].body = frame->body;
        rod.end[side].r = r;
        rod.end[side].u = u;
        rod.end[side].a = lw_add3(at_point(B->acc, r), lw_cross3(B->vel.ang, u));
    }
    const lw_vec3 sum = lw_add3(rod.end[0].a, rod.end[1].a);
    for (int side = 0; side < 2; ++side) {
        rod.f[side] = lw_scale3(rod.sixth, lw_add3(sum, rod.end[side].a));
    }
    return rod;
}

void lwi_sweep_rods(const lw_model *m, lw_data *d)
{
    for (int k = 0; k < m->nloop; ++k) {
        if (!lwi_has_rod_mass(m, k)) {
            continue;
        }
        const lwi_heavy_rod rod = d->rod[k] = find_rod(m, d, k);
        for (int side = 0; side < 2; ++side) {
            if (rod.end[side].body >= 0) {
                const lw_vec3 f = lw_scale3(-1.0, rod.f[side]);
                lwi_take_off_force(d, rod.end[side].body, lw_cross3(rod.end[side].r, f), f);
            }
        }
    }
}

// What an end does along degree of freedom k of the tree.
static end_rates rates_along(const lw_data *d, const lwi_heavy_rod *rod, int side, int k)
{
    const lw_vec3 r = rod->end[side].r, u = rod->end[side].u;
    const lw_motion S = lwi_row_motion(d, LWI_ROW_S, k);
    const lw_vec3 psi = lwi_row_vector(d, LWI_ROW_PSI, k);
    const lw_vec3 chi = at_point(lwi_row_motion(d, LWI_ROW_CHI, k), r);
    const lw_vec3 eta = at_point(lwi_row_motion(d, LWI_ROW_ETA, k), r);
    const lw_vec3 rotated = lw_add3(lw_cross3(S.ang, rod->end[side].a), chi);
    return (end_rates){.w = S.ang,
                       .s = at_point(S, r),
                       .a_q = lwi_axpy3(2.0, lw_cross3(psi, u), rotated),
                       .a_v = lwi_axpy3(2.0, lw_cross3(S.ang, u), eta)};
}

// Where independent degree of freedom v is on a list of n; at its end where it is new.
static int place_on_list(lw_data *d, int *n, int v)
{
    int k = 0;
    while (k < *n && d->path_dof[k] != v) {
        ++k;
    }
    if (k == *n) {
        d->path_dof[(*n)++] = v;
        ((coordinate *)d->rod_J)[k] = (coordinate){0};
    }
    return k;
}

// Adds what an end does along degree of freedom k of the tree to all coordinates that move it.
static void fold_rates(const lw_model *m, lw_data *d, int side, int k, const end_rates *x, int *n)
{
    coordinate *list = (coordinate *)d->rod_J;
    if (m->nstep == 0) {
        const int at = place_on_list(d, n, k);
        list[at].end[side] = *x;
        return;
    }
    const lwi_fronts *p = m->kernel->program->fronts;
    const lwi_front_data *f = &d->fronts;
    if (p->row[k] < m->nv) { // an independent one
        end_rates *to = &list[place_on_list(d, n, p->row[k])].end[side];
        to->w = lw_add3(to->w, x->w);
        to->s = lw_add3(to->s, x->s);
        to->a_q = lw_add3(to->a_q, x->a_q);
        to->a_v = lw_add3(to->a_v, x->a_v);
        return;
    }
    for (int e = p->row[k]; e < p->row[k] + p->nrow[k]; ++e) {
        const int at = place_on_list(d, n, p->column[e]);
        end_rates *to = &list[at].end[side];
        to->w = lwi_axpy3(f->g[e], x->w, to->w);
        to->s = lwi_axpy3(f->g[e], x->s, to->s);
        to->a_q = lwi_axpy3(f->g[e], x->a_q, to->a_q);
        to->a_v = lwi_axpy3(f->g[e], x->a_v, to->a_v);
        if (p->is_bent) {
            to->a_q = lwi_axpy3(f->v_by_q[e], x->a_v, to->a_q);
            to->a_q = lwi_axpy3(f->a_by_q[e], x->s, to->a_q);
            to->a_v = lwi_axpy3(f->a_by_v[e], x->s, to->a_v);
        }
    }
}

// m/6 (x_0 + x_1 + x_e)
static void spread_mass(double sixth, lw_vec3 x_0, lw_vec3 x_1, lw_vec3 y[2])
{
    const lw_vec3 sum = lw_add3(x_0, x_1);
    y[0] = lw_scale3(sixth, lw_add3(sum, x_0));
    y[1] = lw_scale3(sixth, lw_add3(sum, x_1));
}

static void add_rod(const lw_model *m, lw_data *d, int loop, const lwi_matrices *out)
{
    const lwi_heavy_rod rod = d->rod[loop];
    const coordinate *list = (const coordinate *)d->rod_J;
    int n = 0;
    for (int side = 0; side < 2; ++side) {
        for (int i = rod.end[side].body; i >= 0; i = m->parent[i]) {
            for (int k = m->v_start[i]; k < m->v_start[i + 1]; ++k) {
                const end_rates x = rates_along(d, &rod, side, k);
                fold_rates(m, d, side, k, &x, &n);
            }
        }
    }
    for (int k = 0; k < n; ++k) {
        const end_rates *x = list[k].end;
        lw_vec3 y[3][2];
        spread_mass(rod.sixth, x[0].a_q, x[1].a_q, y[0]);
        spread_mass(rod.sixth, x[0].a_v, x[1].a_v, y[1]);
        spread_mass(rod.sixth, x[0].s, x[1].s, y[2]);
        for (int side = 0; side < 2; ++side) {
            y[0][side] = lw_sub3(y[0][side], lw_cross3(x[side].w, rod.f[side]));
        }
        double *const to[] = {out->by_q, out->by_v, out->M};
        for (int which = 0; which < 3; ++which) {
            for (int i = 0; i < n && to[which]; ++i) {
                to[which][(size_t)d->path_dof[i] * (size_t)m->nv + (size_t)d->path_dof[k]] +=
                    lw_dot3(list[i].end[0].s, y[which][0]) + lw_dot3(list[i].end[1].s, y[which][1]);
            }
        }
    }
}

void lwi_add_rod_derivatives(const lw_model *m, lw_data *d, const lwi_matrices *out)
{
    for (int k = 0; k < m->nloop && d->nrod_mass > 0; ++k) {
        if (lwi_has_rod_mass(m, k)) {
            add_rod(m, d, k, out);
        }
    }
}
