// Bias and mass matrix of a mechanism with few degrees of freedom out of one recursion: the state
// and the unit accelerations go through Newton-Euler side by side, as four numbers in one register.
//
// Lane 0 has the state with its bias accelerations, gravity and applied forces: it gives h. Lane k
// has nothing but the accelerations that a unit of independent degree of freedom k - 1 causes in
// the tree, column k - 1 of G: it gives that column of M G, and both are mapped back by G'
// together.
#ifndef LWI_KERNEL_COLUMNS_H
#define LWI_KERNEL_COLUMNS_H

#include "kernel_begin.h"
#include "kernel_rods.h"

typedef struct columns {
    evaluation e;
    real *q, *v, *a, *tau; ///< of the tree
    const double *nothing; ///< [6*nbody] zeros
} columns;

static void lay_out_columns(const lw_model *m, lw_data *d, columns *c)
{
    const int work = LWI_WORK_BODY * m->nbody + LWI_WORK_DOF * m->tree_nv +
                     LWI_WORK_GENERAL * m->kernel->ngeneral;
    char *next = d->wide;
    begin(m, &d->settings, lwi_take(&next, work, sizeof(real)), &c->e);
    c->q = lwi_take(&next, m->tree_nq, sizeof(real));
    c->v = lwi_take(&next, m->tree_nv, sizeof(real));
    c->a = lwi_take(&next, m->tree_nv, sizeof(real));
    c->tau = lwi_take(&next, m->tree_nv, sizeof(real));
    c->nothing = (const double *)next;
}

static inline vec3 only(real mask, vec3 x)
{
    return scale3(mask, x);
}

/// What only lane 0 has.
static inline void rest_world(real mask, moving *world)
{
    world->w = only(mask, world->w);
    world->wd = only(mask, world->wd);
    world->a = only(mask, world->a);
    for (int r = 0; r < 3; ++r) {
        world->U.row[r] = only(mask, world->U.row[r]);
    }
}

static void load_state(const lw_model *m, const lw_data *d, real mask, columns *c)
{
    const double *sine = d->loop_work.sine, *cosine = d->loop_work.cosine;
    for (int k = 0; k < m->tree_nq; ++k) {
        c->q[k] = real_of(d->tree_q[k]);
    }
    for (int i = 0; i < m->nbody; ++i) {
        const segment *b = &m->kernel->segment[i];
        const bool is_angle = b->carrier == LW_TREE_REVOLUTE || b->carrier == LW_TREE_SCREW;
        c->e.tree.sine[i] = real_of(is_angle ? sine[b->q] : 0.0);
        c->e.tree.cosine[i] = real_of(is_angle ? cosine[b->q] : 1.0);
    }
    for (int k = 0; k < m->tree_nv; ++k) {
        c->v[k] = mask * d->tree_v[k];
        c->a[k] = mask * d->tree_a[k];
    }
    // Columns of G: units at the independent degrees of freedom, and from there through the steps.
    for (int i = 0; i < m->nv; ++i) {
        c->a[m->v_tree[i]] = real_set_lane(c->a[m->v_tree[i]], i + 1, 1.0);
    }
    const real others = real_of(1.0) - mask;
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &m->kernel->program->step[s];
        for (int t = 0; t < step->ntarget; ++t) {
            const double *K = &d->rate[step->rate + t * step->nsource];
            real sum = {0};
            for (int k = 0; k < step->nsource; ++k) {
                sum += K[k] * c->a[step->source[k]];
            }
            c->a[step->target[t]] += others * sum; // lane 0 has its bias already
        }
    }
}

static void find_joint_forces(const columns *c, real mask)
{
    const evaluation *e = &c->e;
    rnea_inward(&e->tree, e->force, c->tau);
    for (int k = 0; k < e->nv && e->passive; ++k) {
        const passive *p = &e->passive[k];
        c->tau[k] += p->rotor * c->a[k] + mask * passive_force(p, e->friction_rate, c->q, c->v[k]);
    }
}

static void close_lanes(const lw_model *m, const lw_data *d, real *tau)
{
    for (int s = m->nstep - 1; s >= 0; --s) {
        const lwi_step *step = &m->kernel->program->step[s];
        for (int t = 0; t < step->ntarget; ++t) {
            const double *K = &d->rate[step->rate + t * step->nsource];
            const real force = tau[step->target[t]];
            for (int k = 0; k < step->nsource; ++k) {
                tau[step->source[k]] += K[k] * force;
            }
        }
    }
}

static void bias_and_mass(const lw_model *m, lw_data *d, const lw_force *f_ext, double *h,
                          double *M)
{
    const real mask = {1.0, 0.0, 0.0, 0.0};
    columns c;
    lay_out_columns(m, d, &c);
    rest_world(mask, &c.e.world);
    load_state(m, d, mask, &c);
    rnea_outward(&c.e.tree, c.q, c.v, c.a, &c.e.world, c.e.moving, c.e.force);
    if (d->nrod_mass > 0) {
        add_rods(&c.e.tree, m, &c.e.world, c.e.moving, c.e.force);
    }
    const number *const lanes[] = {(const double *)f_ext, c.nothing, c.nothing, c.nothing};
    if (f_ext) {
        subtract_external(&c.e.tree, lanes, c.e.force);
    }
    find_joint_forces(&c, mask);
    close_lanes(m, d, c.tau);
    for (int i = 0; i < m->nv; ++i) {
        const real row = c.tau[m->v_tree[i]];
        h[i] = real_lane(row, 0);
        for (int k = 0; k < m->nv; ++k) {
            M[i * m->nv + k] = real_lane(row, k + 1);
        }
    }
}

#endif
