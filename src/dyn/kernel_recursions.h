// The recursions of dynamics for one state, in tree coordinates, for the table of kernels
// (model/kernels.h).
#ifndef LWI_KERNEL_RECURSIONS_H
#define LWI_KERNEL_RECURSIONS_H

#include "../kin/closure.h"
#include "../math/quad_pose.h"
#include "kernel_aba_links.h"
#include "kernel_begin.h"
#include "kernel_rods.h"

/// Sines and cosines from the closure sweep.
static inline void take_angles(const lw_data *d, tree *t)
{
    const double *s = d->loop_work.sine, *c = d->loop_work.cosine;
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        const bool is_angle = b->carrier == LW_TREE_REVOLUTE || b->carrier == LW_TREE_SCREW;
        t->sine[i] = is_angle ? s[b->q] : 0.0;
        t->cosine[i] = is_angle ? c[b->q] : 1.0;
    }
}

/// Of a tree: those that the data holds, or found.
static inline void bring_sines(const lw_data *d, const double *q, tree *t)
{
    if (q == d->held.q) {
        const size_t size = (size_t)t->nbody * sizeof(double);
        memcpy(t->sine, d->held.sine, size); // they stay at an offset that the compiler knows
        memcpy(t->cosine, d->held.cosine, size);
    } else {
        find_sines(t, q);
    }
}

static inline void bring_angles(const lw_model *m, const lw_data *d, const double *q, tree *t)
{
    if (m->nstep == 0) {
        bring_sines(d, q, t);
    } else if (t->all_revolute) { // one each, in the order of the bodies
        t->sine = d->loop_work.sine;
        t->cosine = d->loop_work.cosine;
    } else {
        take_angles(d, t);
    }
}

static void run_inverse_dynamics(const lw_model *m, lw_data *d, const double *q, const double *v,
                                 const double *a, const lw_force *f_ext, bool has_rods, double *tau)
{
    evaluation e;
    begin(m, &d->settings, d->work, &e);
    const number *const lanes[] = {(const double *)f_ext};
    bring_angles(m, d, q, &e.tree);
    rnea_outward(&e.tree, q, v, a, &e.world, e.moving, e.force);
    if (has_rods) {
        add_rods(&e.tree, m, &e.world, e.moving, e.force);
    }
    subtract_applied(&e, f_ext ? lanes : NULL);
    joint_forces(&e, q, v, a, tau);
}

/// In the space of motions and composite bodies, which are not needed beside.
static inline link *links_of(const evaluation *e)
{
    _Static_assert(sizeof(link) <= sizeof(moving) + sizeof(composite), "space for links");
    return (link *)(void *)e->moving;
}

/// Of a tree.
static void tree_mass_matrix(const lw_model *m, lw_data *d, const double *q, bool is_upper,
                             double *M)
{
    evaluation e;
    begin_tree(m, &d->settings, d->work, &e);
    bring_sines(d, q, &e.tree);
    link *links = links_of(&e);
    const size_t n = (size_t)e.nv, wide = n < 4 ? 4 : n;
    double few[4 * 4], *to = n < 4 ? few : M;
    links_outward(&e.tree, q, m->kernel->world_phi, false, links);
    links_mass_matrix(&e.tree, wide, links, d->dof_row, d->dof_stride, to);
    for (size_t r = 0; e.passive && r < n; ++r) {
        to[r * wide + r] += e.passive[r].rotor;
    }
    if (!is_upper || n < 4) {
        mirror_mass(wide, to);
    }
    for (size_t r = 0; n < 4 && r < n; ++r) {
        memcpy(M + r * n, few + r * wide, n * sizeof *M);
    }
}

static void run_mass_matrix(const lw_model *m, lw_data *d, const double *q, bool is_upper,
                            double *M)
{
    if (m->nstep == 0) {
        tree_mass_matrix(m, d, q, is_upper, M);
        return;
    }
    evaluation e;
    begin(m, &d->settings, d->work, &e);
    place_joints(&e.tree, q);
    lwi_closure_compose(m, d);
    const folding fold = {m->kernel->program->fronts, d->fronts.g, m->nv, M};
    memset(M, 0, (size_t)m->nv * (size_t)m->nv * sizeof *M);
    mass_matrix(&e, &fold, d->tree_J);
}

/// Behind the angles and drives.
static inline aba_links aba_links_of(const evaluation *e)
{
    _Static_assert(sizeof(placed_joint) + 3 * sizeof(real) + sizeof(aba_link) <=
                           LWI_WORK_LINK * sizeof(real) &&
                       sizeof(link_dof) + 2 * sizeof(real) <= LWI_WORK_DOF * sizeof(real),
                   "space for articulated links");
    aba_link *links = (aba_link *)(void *)e->force;
    link_dof *dof = (link_dof *)(void *)(links + e->tree.nbody);
    return (aba_links){links, dof, e->rotor, e->drive};
}

static int run_forward_dynamics(const lw_model *m, lw_data *d, const double *q, const double *v,
                                const double *tau, const lw_force *f_ext, double *a)
{
    evaluation e;
    begin(m, &d->settings, d->work, &e);
    const aba_links work = aba_links_of(&e);
    bring_sines(d, q, &e.tree);
    aba_links_outward(&e.tree, q, v, &e.world, work.link);
    subtract_from_links(&e.tree, e.nload, e.load, f_ext, work.link);
    find_drives(&e, q, v, tau);
    const int singular_dof = aba_links_inward(&e.tree, &work);
    if (singular_dof < 0) {
        aba_links_accelerate(&e.tree, &e.world, &work, a);
    }
    return singular_dof;
}

static int run_forward_dynamics_closed(const lw_model *m, lw_data *d, const double *tau,
                                       const lw_force *f_ext, double *a)
{
    const lwi_fronts *p = m->kernel->program->fronts;
    const lwi_front_data *f = &d->fronts;
    evaluation e;
    begin(m, &d->settings, d->work, &e);
    take_angles(d, &e.tree);
    lwi_closure_compose(m, d);
    const front_work fronts = {.plan = p,
                               .nv = m->nv,
                               .g = f->g,
                               .bias = d->tree_a,
                               .F = f->F,
                               .D = f->D,
                               .r = f->r,
                               .size = f->r + p->nslot,
                               .along = f->r + 2 * p->nslot,
                               .share = f->share};
    memset(fronts.F, 0, (size_t)p->nfront * sizeof *fronts.F);
    memset(fronts.D, 0, (size_t)(p->nslot * p->nslot) * sizeof *fronts.D);
    memset(fronts.r, 0, (size_t)(2 * p->nslot) * sizeof *fronts.r);
    const number *const lanes[] = {(const double *)f_ext};
    bits singular;
    return accelerations(&e, d->tree_q, d->tree_v, tau, f_ext ? lanes : NULL, &fronts, a,
                         &singular);
}

static void run_gravity_forces(const lw_model *m, lw_data *d, const double *q, double *tau)
{
    evaluation e;
    begin(m, &d->settings, d->work, &e);
    bring_sines(d, q, &e.tree);
    const vec3 up = scale3(real_of(-1), in_rotated_world(m->kernel, d->settings.gravity));
    rnea_gravity(&e.tree, q, up, e.moving, e.force);
    rnea_inward(&e.tree, e.force, tau);
}

LWI_INLINE lw_vec3 point_of_quad(quad v)
{
    return (lw_vec3){lane_of(v, 0), lane_of(v, 1), lane_of(v, 2)};
}

static void run_momentum(const lw_model *m, lw_data *d, const double *q, const double *v,
                         lw_force *momentum, lw_vec3 *h)
{
    evaluation e;
    quad moment;
    begin_tree(m, &d->settings, d->work, &e);
    bring_angles(m, d, q, &e.tree);
    const lw_motion *base = &d->settings.base_velocity;
    const double *ang = (const double *)base; // followed by the velocity: no fourth to be set
    const quad_pair world = {load_quad(ang), quad_of_vec3(base->lin)};
    const quad_pair p =
        links_momentum(&e.tree, q, v, m->kernel->world_phi, world, links_of(&e), &moment);
    *momentum = (lw_force){point_of_quad(p.ang), point_of_quad(p.lin)};
    *h = point_of_quad(moment);
}

static lw_vec3 run_momentum_rows(const lw_model *m, lw_data *d, const double *q, double mass,
                                 lw_vec3 of_rods, double *rows)
{
    evaluation e;
    begin_tree(m, &d->settings, d->work, &e);
    bring_angles(m, d, q, &e.tree);
    link *links = links_of(&e);
    const quad moment = links_outward(&e.tree, q, m->kernel->world_phi, true, links);
    const quad c = div4(add4(moment, quad_of_vec3(of_rods)), mass);
    links_momentum_rows(&e.tree, c, links, rows, (size_t)m->tree_nv);
    return point_of_quad(c);
}

static lw_vec3 out_of_rotated_world(const lw_model *m, vec3 v)
{
    const number *phi = m->kernel->world_phi;
    const vec3 w = rotate_z(phi[0], phi[1], v);
    return (lw_vec3){w.x, w.y, w.z};
}

static lw_vec3 run_root_forces(const lw_model *m, const lw_data *d, lw_force *sum, lw_vec3 *h)
{
    evaluation e;
    begin_tree(m, &d->settings, d->work, &e);
    const tree *t = &e.tree;
    const segment *first = t->segment;
    const vec3 point = first->rotation == LWI_ROTATION_ANY ? t->joint[0].p : vec3_of(first->p);
    vec3 moment = {0};
    pair3 total = {0};
    for (int i = 0; i < t->nbody; ++i) {
        e.composite[i].h = vec3_of(first[i].h);
    }
    for (int i = t->nbody - 1; i >= 0; --i) {
        const segment *b = &first[i];
        const placed_joint *j = &t->joint[i];
        vec3 own = e.composite[i].h, arm;
        pair3 f = e.force[i];
        LWI_BY_ROTATION(b, how, own = rotate_out(b, j, own, how); arm = offset_of(b, j, how);
                        f = b->parent < 0 ? force_across(b, j, f, sub3(arm, point), how) : f)
        if (b->parent < 0) {
            total = add6(total, f);
            arm = sub3(arm, point);
        }
        vec3 *to = b->parent < 0 ? &moment : &e.composite[b->parent].h;
        *to = add3(*to, add3(own, scale3(b->mass_behind, arm)));
    }
    *sum = (lw_force){out_of_rotated_world(m, total.ang), out_of_rotated_world(m, total.lin)};
    *h = out_of_rotated_world(m, moment);
    return out_of_rotated_world(m, point);
}

static void run_joint_wrenches(const lw_model *m, const lw_data *d, lw_force *force)
{
    evaluation e = {.tree = {.nbody = m->nbody}, .nv = m->tree_nv};
    lay_out_work(&e, m->kernel->ngeneral, d->work);
    for (int i = 0; i < m->nbody; ++i) {
        const segment *b = &m->kernel->segment[i];
        const vec3 n = rotate_z(b->cos_phi, b->sin_phi, e.force[i].ang);
        const vec3 f = rotate_z(b->cos_phi, b->sin_phi, e.force[i].lin);
        force[i] = (lw_force){{n.x, n.y, n.z}, {f.x, f.y, f.z}};
    }
}

#endif
