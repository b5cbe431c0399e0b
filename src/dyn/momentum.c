// Energy and momentum, by sums over the bodies.
#include <linkwork/dynamics.h>
#include <linkwork/kinematics.h>

#include "../kin/closure.h"
#include "../math/spatial.h"
#include "arguments.h"
#include "rods.h"
#include "spring_forces_tree.h"
#include "world.h"

// Velocity of body i in inertial space, in body axes: that in the world, and the world's own.
static lw_motion velocity_of(const lw_data *d, int i)
{
    const lw_pose *X = &d->X_WB[i];
    const lw_motion *base = &d->settings.base_velocity;
    const lw_vec3 lin = lw_add3(base->lin, lw_cross3(base->ang, X->p));
    const lw_motion v = {lw_add3(d->vel[i].ang, lw_rotate_back(&X->R, base->ang)),
                         lw_add3(d->vel[i].lin, lw_rotate_back(&X->R, lin))};
    return v;
}

// Poses and velocities; they are scratch here, so the stage does not stay.
static lw_status bring_velocities(const lw_model *m, lw_data *d, const double *q, const double *v)
{
    const lw_status status = lw_forward_velocity(m, d, q, v);
    if (status == LW_OK) {
        d->stage = LW_STAGE_NONE;
    }
    return status;
}

lw_status lw_kinetic_energy(const lw_model *m, lw_data *d, const double *q, const double *v,
                            double *energy)
{
    const lw_status status = bring_velocities(m, d, q, v);
    if (status != LW_OK || !energy) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    double sum = 0.0;
    for (int i = 0; i < m->nbody; ++i) {
        const lw_motion u = velocity_of(d, i);
        const lw_force p = inertia_times(&m->inertia[i], &u);
        sum += lwi_power(u, p);
    }
    const double *tree_v = m->nstep > 0 ? d->tree_v : v;
    for (int k = 0; k < m->tree_nv && !d->settings.is_ideal; ++k) {
        sum += m->dof[k].rotor_inertia * tree_v[k] * tree_v[k];
    }
    *energy = sum / 2 + lwi_rod_energy(m, d);
    return LW_OK;
}

// First moment of all that moves, about the world's origin.
static lw_vec3 first_moment(const lw_model *m, const lw_data *d)
{
    lw_vec3 sum;
    lwi_rod_moment(m, d, &sum);
    for (int i = 0; i < m->nbody; ++i) {
        const lw_inertia *I = &m->inertia[i];
        const lw_vec3 h = lw_rotate(&d->X_WB[i].R, I->first_moment);
        sum = lw_add3(sum, lw_add3(h, lw_scale3(I->mass, d->X_WB[i].p)));
    }
    return sum;
}

lw_status lw_potential_energy(const lw_model *m, lw_data *d, const double *q, double *energy)
{
    const lw_status status = lw_forward_position(m, d, q);
    if (status != LW_OK || !energy) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    d->stage = LW_STAGE_NONE;
    double sum = -lw_dot3(d->settings.gravity, first_moment(m, d));
    const double *tree_q = m->nstep > 0 ? d->tree_q : q;
    lwi_closure_angles(m, d);
    for (int k = 0; k < m->tree_nv && !d->settings.is_ideal; ++k) {
        const lwi_passive *p = &m->kernel->passive[k];
        if (p->q >= 0) {
            const double stretch = tree_q[p->q] - p->rest;
            sum += p->stiffness * stretch * stretch / 2;
        }
    }
    *energy = sum + lwi_spring_energy(m, d, tree_q);
    return LW_OK;
}

// What moves: its momentum and first moment about the world's origin, and its mass.
typedef struct total {
    lw_force momentum;
    lw_vec3 h;
    double mass;
} total;

static double mass_of_bodies(const lw_model *m)
{
    const lwi_segment *body = m->kernel->segment;
    double mass = 0.0;
    for (int i = 0; i < m->nbody; i = body[i].subtree_end) {
        mass += body[i].mass_behind;
    }
    return mass;
}

static lw_status find_total(const lw_model *m, lw_data *d, const double *q, const double *v,
                            total *sum)
{
    lw_status status = check_state(m, d, q, v, v);
    if (status != LW_OK) {
        return status;
    }
    if (d->nrod_mass > 0) {
        status = bring_velocities(m, d, q, v);
        if (status != LW_OK) {
            return status;
        }
    } else {
        v = lwi_closure_state(m, d, q, v);
        if (!v) {
            return lwi_closure_status(d);
        }
    }
    const bool is_closed = m->nstep > 0;
    sum->mass = mass_of_bodies(m);
    d->kernels->momentum(m, d, is_closed ? d->tree_q : q, is_closed ? d->tree_v : v, &sum->momentum,
                         &sum->h);
    if (d->nrod_mass > 0) {
        lw_vec3 h;
        const lw_force p = lwi_rod_momentum(m, d);
        sum->mass += lwi_rod_moment(m, d, &h);
        sum->h = lw_add3(sum->h, h);
        sum->momentum.ang = lw_add3(sum->momentum.ang, p.ang);
        sum->momentum.lin = lw_add3(sum->momentum.lin, p.lin);
    }
    return LW_OK;
}

lw_status lw_momentum(const lw_model *m, lw_data *d, const double *q, const double *v,
                      lw_force *momentum)
{
    total sum;
    const lw_status status = find_total(m, d, q, v, &sum);
    if (status != LW_OK || !momentum) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    *momentum = sum.momentum;
    return LW_OK;
}

lw_status lw_centroidal_momentum(const lw_model *m, lw_data *d, const double *q, const double *v,
                                 lw_force *momentum, lw_vec3 *center)
{
    total sum;
    const lw_status status = find_total(m, d, q, v, &sum);
    if (status != LW_OK || !momentum) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    if (!(sum.mass > 0.0)) {
        return LW_ERR_SINGULAR;
    }
    const lw_vec3 c = lw_scale3(1.0 / sum.mass, sum.h);
    momentum->lin = sum.momentum.lin;
    momentum->ang = lw_sub3(sum.momentum.ang, lw_cross3(c, sum.momentum.lin));
    if (center) {
        *center = c;
    }
    return LW_OK;
}

static void add_force(lw_vec3 lin, lw_vec3 ang, lw_vec3 arm, lw_force *sum)
{
    sum->lin = lw_add3(sum->lin, lin);
    sum->ang = lw_add3(sum->ang, lw_add3(ang, lw_cross3(arm, lin)));
}

// What the motion of the rods needs, about c.
static void add_rod_forces(const lw_model *m, lw_data *d, lw_vec3 c, lw_force *sum)
{
    const lw_pose one = lw_pose_identity();
    for (int k = 0; k < m->nloop; ++k) {
        lw_force on_body[2];
        if (!lwi_has_rod_mass(m, k)) {
            continue;
        }
        lwi_rod_end_forces(m, d, k, on_body);
        for (int side = 0; side < 2; ++side) {
            const int body = m->frame[m->loop[k].frame[side]].body;
            const lw_pose *X = body < 0 ? &one : &d->X_WB[body];
            const lw_mat3 *R = &X->R;
            add_force(lw_rotate(R, lw_scale3(-1.0, on_body[side].lin)),
                      lw_rotate(R, lw_scale3(-1.0, on_body[side].ang)), lw_sub3(X->p, c), sum);
        }
    }
}

// Dependent coordinates, and where rods have mass the motion of all bodies.
static lw_status bring_accelerations(const lw_model *m, lw_data *d, const double *q,
                                     const double *v, const double *a)
{
    if (d->nrod_mass == 0) {
        const lw_status status = begin_state(m, d, q, v, a);
        return status == LW_OK ? lwi_closure_motion(m, d, q, v, a) : status;
    }
    const lw_status status = lw_forward_acceleration(m, d, q, v, a);
    if (status == LW_OK) {
        d->stage = LW_STAGE_NONE;
    }
    return status;
}

// About the centre of mass, which `of_rods` and `mass` include the rods for.
static lw_force find_rate(const lw_model *m, lw_data *d, const lwi_state *at, lw_vec3 of_rods,
                          double mass)
{
    lw_force rate;
    lw_vec3 h;
    d->kernels->inverse_dynamics(m, d, at->q, at->v, at->a, NULL, false, d->tree_tau);
    const lw_vec3 o = d->kernels->root_forces(m, d, &rate, &h);
    of_rods = lw_sub3(of_rods, lw_scale3(mass - mass_of_bodies(m), o));
    const lw_vec3 c = lw_scale3(1.0 / mass, lw_add3(h, of_rods)); // from o
    rate.ang = lw_sub3(rate.ang, lw_cross3(c, rate.lin));
    if (d->nrod_mass > 0) {
        add_rod_forces(m, d, lw_add3(o, c), &rate);
    }
    return rate;
}

lw_status lw_centroidal_momentum_rate(const lw_model *m, lw_data *d, const double *q,
                                      const double *v, const double *a, lw_force *rate)
{
    const lw_status status = m && d ? bring_accelerations(m, d, q, v, a) : LW_ERR_ARGUMENT;
    if (status != LW_OK || !rate) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    lw_vec3 of_rods;
    const double mass = mass_of_bodies(m) + lwi_rod_moment(m, d, &of_rods);
    if (!(mass > 0.0)) {
        return LW_ERR_SINGULAR;
    }
    const bool is_closed = m->nstep > 0;
    const lwi_state at = {is_closed ? d->tree_q : q, is_closed ? d->tree_v : v,
                          is_closed ? d->tree_a : a};
    const lwi_settings settings = d->settings;
    d->settings = (lwi_settings){.is_ideal = true, .is_unloaded = true}; // and no gravity
    *rate = find_rate(m, d, &at, of_rods, mass);
    d->settings = settings;
    return LW_OK;
}

// The momentum of a rod is m/6 (2 v1 + v2) at its first end and m/6 (v1 + 2 v2) at its second.
static void add_rods(const lw_model *m, lw_data *d, const double *tree_q, lw_vec3 c, double *rows)
{
    const size_t n = (size_t)m->tree_nv;
    for (int k = 0; k < m->nloop && d->nrod_mass > 0; ++k) {
        if (!lwi_has_rod_mass(m, k)) {
            continue;
        }
        const lwi_rod_ends rod = lwi_rod_at(m, d, k, 0);
        lwi_rod_jacobian(m, d, tree_q, &rod, d->rod_J);
        for (size_t i = 0; i < n; ++i) {
            const double *J = d->rod_J + i;
            const lw_vec3 v[2] = {{J[0], J[n], J[2 * n]}, {J[3 * n], J[4 * n], J[5 * n]}};
            const lw_vec3 both = lw_add3(v[0], v[1]);
            for (int side = 0; side < 2; ++side) {
                const lw_vec3 p = lw_scale3(rod.mass / 6, lw_add3(both, v[side]));
                const lw_vec3 spin = lw_cross3(lw_sub3(rod.p[side], c), p);
                const double column[6] = {spin.x, spin.y, spin.z, p.x, p.y, p.z};
                for (size_t r = 0; r < 6; ++r) {
                    rows[r * n + i] += column[r];
                }
            }
        }
    }
}

lw_status lw_centroidal_momentum_matrix(const lw_model *m, lw_data *d, const double *q, double *A)
{
    const lw_status status = check_position(m, d, q);
    if (status != LW_OK || (!A && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    if (!lwi_closure_position(m, d, q) || !lwi_closure_rates(m, d)) {
        return lwi_closure_status(d);
    }
    const double *tree_q = m->nstep > 0 ? d->tree_q : q;
    double *rows = m->nstep > 0 ? d->tree_J : A;
    lw_vec3 of_rods = {0.0, 0.0, 0.0};
    double mass = mass_of_bodies(m);
    if (d->nrod_mass > 0) {
        d->kernels->tree_poses(m, d, tree_q);
        mass += lwi_rod_moment(m, d, &of_rods);
    }
    if (!(mass > 0.0)) {
        return LW_ERR_SINGULAR;
    }
    lwi_closure_angles(m, d);
    const lw_vec3 c = d->kernels->momentum_rows(m, d, tree_q, mass, of_rods, rows);
    add_rods(m, d, tree_q, c, rows);
    for (size_t r = 0; r < 6 && m->nstep > 0; ++r) {
        lwi_closure_transpose(m, d, &rows[r * (size_t)m->tree_nv], 1, &A[r * (size_t)m->nv]);
    }
    return LW_OK;
}
