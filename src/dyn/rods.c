// A virtual motion of a rod's ends by dp1, dp2 does the work m/6 ((2 a1 + a2).dp1 + (a1 + 2
// a2).dp2) against its inertia, and the same with -g for gravity: half of it at each end.
#include "rods.h"

#include "../kin/closure.h"

// Velocities and accelerations in inertial space, gravity as an upward acceleration.
static void add_world(const lw_data *d, int level, lwi_rod_ends *rod)
{
    const lwi_settings *s = &d->settings;
    const lw_motion *vel = &s->base_velocity, *acc = &s->base_acceleration;
    for (int side = 0; side < 2; ++side) {
        const lw_vec3 p = rod->p[side];
        const lw_vec3 rotation = lw_cross3(vel->ang, p);
        if (level > 1) {
            const lw_vec3 twice = lw_add3(lw_scale3(2.0, rod->v[side]), rotation);
            lw_vec3 a = lw_add3(acc->lin, lw_cross3(acc->ang, p));
            a = lw_add3(a, lw_cross3(vel->ang, twice));
            rod->a[side] = lw_add3(rod->a[side], lw_sub3(a, s->gravity));
        }
        rod->v[side] = lw_add3(rod->v[side], lw_add3(vel->lin, rotation));
    }
}

// Forces that the ends must get from the bodies, along the axes of the world.
static void needed(const lwi_rod_ends *rod, lw_vec3 f[2])
{
    const lw_vec3 sum = lw_add3(rod->a[0], rod->a[1]);
    for (int side = 0; side < 2; ++side) {
        f[side] = lw_scale3(rod->mass / 6, lw_add3(sum, rod->a[side]));
    }
}

void lwi_add_rod_gravity(const lw_model *m, lw_data *d, const double *tree_q, double *tau)
{
    if (d->nrod_mass == 0) {
        return;
    }
    d->kernels->tree_poses(m, d, tree_q);
    const size_t n = (size_t)m->tree_nv;
    const lw_vec3 g = d->settings.gravity;
    for (int k = 0; k < m->nloop; ++k) {
        if (!lwi_has_rod_mass(m, k)) {
            continue;
        }
        const lwi_rod_ends rod = lwi_rod_at(m, d, k, 0);
        lwi_rod_jacobian(m, d, tree_q, &rod, d->rod_J);
        const double half[3] = {-0.5 * rod.mass * g.x, -0.5 * rod.mass * g.y,
                                -0.5 * rod.mass * g.z};
        for (size_t r = 0; r < 6; ++r) {
            for (size_t i = 0; i < n; ++i) {
                tau[i] += half[r % 3] * d->rod_J[r * n + i];
            }
        }
    }
}

void lwi_rod_end_forces(const lw_model *m, const lw_data *d, int k, lw_force force[2])
{
    lwi_rod_ends rod = lwi_rod_at(m, d, k, 2);
    add_world(d, 2, &rod);
    lw_vec3 f[2];
    needed(&rod, f);
    for (int side = 0; side < 2; ++side) {
        const int body = rod.body[side];
        const lw_pose one = lw_pose_identity(), *X = body < 0 ? &one : &d->X_WB[body];
        const lw_vec3 lin = lw_rotate_back(&X->R, lw_scale3(-1.0, f[side]));
        const lw_vec3 at = m->frame[m->loop[k].frame[side]].X_BF.p;
        force[side] = (lw_force){lw_cross3(at, lin), lin};
    }
}

// M = m/4 S'S + m/12 D'D, where S and D are the Jacobians of the sum of both ends and of their
// difference, in independent coordinates.
void lwi_add_rod_masses(const lw_model *m, lw_data *d, const double *tree_q, double *M)
{
    if (d->nrod_mass == 0) {
        return;
    }
    d->kernels->tree_poses(m, d, tree_q);
    const size_t n = (size_t)m->tree_nv, nv = (size_t)m->nv;
    for (int k = 0; k < m->nloop; ++k) {
        if (!lwi_has_rod_mass(m, k)) {
            continue;
        }
        const lwi_rod_ends rod = lwi_rod_at(m, d, k, 0);
        lwi_rod_jacobian(m, d, tree_q, &rod, d->rod_J);
        lwi_closure_transpose_rows(m, d, 6, d->rod_J);
        for (size_t r = 0; r < 3; ++r) {
            const double *one = d->rod_J + r * n, *two = one + 3 * n;
            for (size_t i = 0; i < nv; ++i) {
                const double sum = rod.mass / 4 * (one[i] + two[i]);
                const double difference = rod.mass / 12 * (two[i] - one[i]);
                for (size_t j = 0; j < nv; ++j) {
                    M[i * nv + j] += sum * (one[j] + two[j]) + difference * (two[j] - one[j]);
                }
            }
        }
    }
}

double lwi_rod_energy(const lw_model *m, const lw_data *d)
{
    double sum = 0.0;
    for (int k = 0; k < m->nloop && d->nrod_mass > 0; ++k) {
        if (lwi_has_rod_mass(m, k)) {
            lwi_rod_ends rod = lwi_rod_at(m, d, k, 1);
            add_world(d, 1, &rod);
            const lw_vec3 u = rod.v[0], w = rod.v[1];
            sum += rod.mass / 6 * (lw_dot3(u, u) + lw_dot3(u, w) + lw_dot3(w, w));
        }
    }
    return sum;
}

lw_force lwi_rod_momentum(const lw_model *m, const lw_data *d)
{
    lw_force sum = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < m->nloop && d->nrod_mass > 0; ++k) {
        if (!lwi_has_rod_mass(m, k)) {
            continue;
        }
        lwi_rod_ends rod = lwi_rod_at(m, d, k, 1);
        add_world(d, 1, &rod);
        const lw_vec3 both = lw_add3(rod.v[0], rod.v[1]);
        for (int side = 0; side < 2; ++side) {
            const lw_vec3 p = lw_scale3(rod.mass / 6, lw_add3(both, rod.v[side]));
            sum.lin = lw_add3(sum.lin, p);
            sum.ang = lw_add3(sum.ang, lw_cross3(rod.p[side], p));
        }
    }
    return sum;
}
