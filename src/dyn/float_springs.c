// Springs and torsions in float: spring_forces_tree.c has the equations. No double in this file.
#define LWI_REAL_FLOAT
#include "float_springs.h"

#include "kernel_poses.h"
#include "kernel_spring.h"

#include <math.h>

static vec3 column(const mat3 *R, int k)
{
    const float *r[] = {&R->row[0].x, &R->row[1].x, &R->row[2].x};
    return (vec3){r[0][k], r[1][k], r[2][k]};
}

// Adds u . (velocity of the point p) for unit rates of the degrees of freedom of one body.
static void add_unit_rates(const segment *b, const pose3 *X, vec3 p, vec3 u, float *row)
{
    const vec3 turn = cross3(sub3(p, X->p), u), z = column(&X->R, 2); // u . (w x arm) = w . turn
    switch (b->carrier) {
    case LW_TREE_REVOLUTE:
        row[b->v] += dot3(z, turn);
        break;
    case LW_TREE_PRISMATIC:
        row[b->v] += dot3(z, u);
        break;
    case LW_TREE_SCREW:
        row[b->v] += dot3(z, turn) + b->lead * dot3(z, u);
        break;
    default: // a ball joint, and behind it what a free one adds
        for (int k = 0; k < b->nv; ++k) {
            const vec3 axis = column(&X->R, k % 3);
            row[b->v + k] += dot3(axis, k < 3 ? turn : u);
        }
        break;
    }
}

static float line_force(const lw_model32 *m, lw_data32 *d, const lwi_spring32 *spring,
                        const float *tree_v)
{
    const pose3 *pose = d->pose;
    vec3 p[2], u = {0, 0, 0};
    float rate = 0;
    for (int side = 0; side < 2; ++side) {
        const int body = spring->body[side];
        const vec3 own = {spring->p[side].x, spring->p[side].y, spring->p[side].z};
        p[side] = body < 0 ? own : add3(pose[body].p, mul3(&pose[body].R, own));
    }
    const vec3 way = sub3(p[1], p[0]);
    float length = root_of(dot3(way, way));
    if (spring->is_plane) { // a height, with both velocities at the point
        const vec3 normal = {spring->normal.x, spring->normal.y, spring->normal.z};
        u = spring->body[0] < 0 ? normal : mul3(&pose[spring->body[0]].R, normal);
        length = dot3(u, way);
        p[0] = p[1];
    } else if (length > 0) {
        u = scale3(1 / length, way);
    }
    for (int side = 0; side < 2; ++side) {
        for (int i = spring->body[side]; i >= 0; i = m->segment[i].parent) {
            add_unit_rates(&m->segment[i], &pose[i], p[side], side ? u : scale3(-1, u),
                           d->spring_row);
        }
    }
    for (int k = 0; k < m->tree_nv; ++k) {
        rate += d->spring_row[k] * tree_v[k];
    }
    return spring_responds(spring, length, rate).force;
}

static float torsion_force(lw_data32 *d, const lwi_spring32 *spring, const float *tree_q,
                           const float *tree_v)
{
    float twist = 0, rate = 0;
    for (int side = 0; side < 2; ++side) {
        const int dof = spring->dof[side];
        const float sign = side ? -1 : 1;
        if (dof >= 0) {
            d->spring_row[dof] += sign;
            twist += sign * tree_q[spring->position[side]];
            rate += sign * tree_v[dof];
        }
    }
    const float force = spring_responds(spring, twist, rate).force;
    const int out = spring->dof[1];
    if (spring->loss > 0 && out >= 0) {
        d->spring_tau[out] +=
            spring->loss * number_size(force) * tanhf(tree_v[out] / spring->loss_speed);
    }
    return force;
}

bool lwi_find_spring_forces32(const lw_model32 *m, lw_data32 *d, const float *tree_q,
                              const float *tree_v)
{
    const size_t n = (size_t)m->tree_nv;
    if (m->nspring == 0 || d->is_ideal) {
        return false;
    }
    memset(d->spring_tau, 0, n * sizeof *d->spring_tau);
    for (int k = 0; k < m->nspring; ++k) {
        const lwi_spring32 *spring = &m->spring[k];
        memset(d->spring_row, 0, n * sizeof *d->spring_row);
        const float force = spring->is_torsion ? torsion_force(d, spring, tree_q, tree_v)
                                               : line_force(m, d, spring, tree_v);
        for (size_t i = 0; i < n; ++i) {
            d->spring_tau[i] += force * d->spring_row[i];
        }
    }
    return true;
}
