// How many inertial parameters of a tree joint torques distinguish, exactly and without random
// states, by a recursion over the spaces of velocities that each body can have; after Wensing,
// Niemeyer and Slotine (2017), who propagate spans of velocities. Here spans of products v v' go
// outward too, because kinetic energy is a form in these: a span of velocities alone would count
// products of velocities that no one configuration has.
//
// A change dI of all inertias is not seen where, body by body from the tips inward, the composite
// change C = dI + (those of the children, moved here) does no work along the joint,
//
//   S' C w = 0   for all velocities w of the body, and for gravity as an acceleration,
//
// and the rest of it, what the parent feels, does not depend on the position of the joint: C
// annihilates the derivatives S x of the products that come from the parent. dI and C determine
// each other, so each body adds the rank of its own conditions on the ten numbers of C.
#include "regression.h"

#include "../math/spatial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIX = 6, PRODUCT = 36, MOST_AXES = 6 };

static const double NOTHING =
    1e-7; // of a unit vector that others span: angles in files are rounded

// Orthonormal vectors of a length of their own.
typedef struct space {
    int length, count;
    double *at; ///< [length*length]
} space;

// Adds what a vector has outside of the space; false where that is nothing.
static bool extend(space *s, const double *vector)
{
    double x[PRODUCT], size = 0.0, rest = 0.0;
    for (int i = 0; i < s->length; ++i) {
        x[i] = vector[i];
        size += x[i] * x[i];
    }
    if (!(size > NOTHING * NOTHING) || s->count == s->length) {
        return false;
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < s->count; ++k) {
            const double *e = s->at + (size_t)k * (size_t)s->length;
            double share = 0.0;
            for (int i = 0; i < s->length; ++i) {
                share += e[i] * x[i];
            }
            for (int i = 0; i < s->length; ++i) {
                x[i] -= share * e[i];
            }
        }
    }
    for (int i = 0; i < s->length; ++i) {
        rest += x[i] * x[i];
    }
    if (!(rest > NOTHING * NOTHING * size)) {
        return false;
    }
    double *e = s->at + (size_t)s->count++ * (size_t)s->length;
    for (int i = 0; i < s->length; ++i) {
        e[i] = x[i] / sqrt(rest);
    }
    return true;
}

static void put_motion(lw_motion a, double *x)
{
    const double six[SIX] = {a.ang.x, a.ang.y, a.ang.z, a.lin.x, a.lin.y, a.lin.z};
    memcpy(x, six, sizeof six);
}

static lw_motion motion_of(const double *x)
{
    const lw_motion a = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    return a;
}

// A linear map of motions: columns.
typedef struct map {
    double M[SIX][SIX];
} map;

static map cross_map(lw_motion S)
{
    map r;
    for (int c = 0; c < SIX; ++c) {
        double unit[SIX] = {0}, x[SIX];
        unit[c] = 1.0;
        put_motion(lwi_motion_cross(&S, motion_of(unit)), x);
        for (int i = 0; i < SIX; ++i) {
            r.M[i][c] = x[i];
        }
    }
    return r;
}

// Motions of the parent in the coordinates of the body at its zero position.
static map move_map(const lw_pose *X_PB)
{
    map r;
    for (int c = 0; c < SIX; ++c) {
        double unit[SIX] = {0}, x[SIX];
        unit[c] = 1.0;
        const lw_motion v = motion_of(unit);
        const lw_motion w = {lw_rotate_back(&X_PB->R, v.ang),
                             lw_rotate_back(&X_PB->R, lw_add3(v.lin, lw_cross3(v.ang, X_PB->p)))};
        put_motion(w, x);
        for (int i = 0; i < SIX; ++i) {
            r.M[i][c] = x[i];
        }
    }
    return r;
}

static void apply(const map *A, const double *x, double *out)
{
    for (int i = 0; i < SIX; ++i) {
        out[i] = 0.0;
        for (int k = 0; k < SIX; ++k) {
            out[i] += A->M[i][k] * x[k];
        }
    }
}

// A P B' of a product.
static void apply_both(const map *A, const double *P, const map *B, double *out)
{
    double AP[PRODUCT];
    for (int i = 0; i < SIX; ++i) {
        for (int j = 0; j < SIX; ++j) {
            AP[i * SIX + j] = 0.0;
            for (int k = 0; k < SIX; ++k) {
                AP[i * SIX + j] += A->M[i][k] * P[k * SIX + j];
            }
        }
    }
    for (int i = 0; i < SIX; ++i) {
        for (int j = 0; j < SIX; ++j) {
            out[i * SIX + j] = 0.0;
            for (int k = 0; k < SIX; ++k) {
                out[i * SIX + j] += AP[i * SIX + k] * B->M[j][k];
            }
        }
    }
}

// The rate of a product as the joint moves.
static void product_rate(const map *cross, const double *P, double *out)
{
    static const map one = {{{1, 0, 0, 0, 0, 0},
                             {0, 1, 0, 0, 0, 0},
                             {0, 0, 1, 0, 0, 0},
                             {0, 0, 0, 1, 0, 0},
                             {0, 0, 0, 0, 1, 0},
                             {0, 0, 0, 0, 0, 1}}};
    double left[PRODUCT], right[PRODUCT];
    apply_both(cross, P, &one, left);
    apply_both(&one, P, cross, right);
    for (int i = 0; i < PRODUCT; ++i) {
        out[i] = left[i] + right[i];
    }
}

// The smallest space that contains this one at every position of the joint.
static void close_space(space *s, int naxis, const map *cross)
{
    for (int k = 0; k < s->count; ++k) {
        for (int a = 0; a < naxis; ++a) {
            double x[PRODUCT];
            const double *e = s->at + (size_t)k * (size_t)s->length;
            if (s->length == SIX) {
                apply(&cross[a], e, x);
            } else {
                product_rate(&cross[a], e, x);
            }
            extend(s, x);
        }
    }
}

enum { VELOCITY, GRAVITY, VELOCITIES, VELOCITY_GRAVITY, SPACES };

// What a body can have, in its coordinates: velocities, gravity, products of velocities, and of a
// velocity with gravity.
typedef struct reach {
    space s[SPACES];
    double memory[2 * SIX * SIX + 2 * PRODUCT * PRODUCT];
} reach;

static void begin_reach(reach *r)
{
    double *at = r->memory;
    for (int k = 0; k < SPACES; ++k) {
        const int length = k < VELOCITIES ? SIX : PRODUCT;
        r->s[k] = (space){length, 0, at};
        at += length * length;
    }
}

static int joint_axes(const lw_model *m, int i, lw_motion *S)
{
    const lw_vec3 none = {0.0, 0.0, 0.0}, z = {0.0, 0.0, 1.0};
    double unit[SIX] = {0};
    switch (m->carrier[i]) {
    case LW_TREE_REVOLUTE:
        S[0] = (lw_motion){z, none};
        return 1;
    case LW_TREE_PRISMATIC:
        S[0] = (lw_motion){none, z};
        return 1;
    case LW_TREE_SCREW:
        S[0] = (lw_motion){z, {0.0, 0.0, m->lead[i]}};
        return 1;
    case LW_TREE_SPHERICAL:
    case LW_TREE_FREE:
        for (int k = 0; k < (m->carrier[i] == LW_TREE_FREE ? 6 : 3); ++k) {
            memset(unit, 0, sizeof unit);
            unit[k] = 1.0;
            S[k] = motion_of(unit);
        }
        return m->carrier[i] == LW_TREE_FREE ? 6 : 3;
    default:
        return 0;
    }
}

// The ten numbers' coefficients in the sum of I[a][b] * P[a][b].
static void inertia_row(const double *P, double *row)
{
    for (int k = 0; k < LWI_TEN; ++k) {
        double unit[LWI_TEN] = {0};
        unit[k] = 1.0;
        const lw_inertia I = lwi_inertia_of_ten(unit);
        row[k] = 0.0;
        for (int b = 0; b < SIX; ++b) {
            double e[SIX] = {0}, f[SIX];
            e[b] = 1.0;
            const lw_motion w = motion_of(e);
            const lw_force force = inertia_times(&I, &w);
            const lw_motion as_motion = {force.ang, force.lin};
            put_motion(as_motion, f);
            for (int a = 0; a < SIX; ++a) {
                row[k] += f[a] * P[a * SIX + b];
            }
        }
    }
}

static void outer(const double *x, const double *y, double *P)
{
    for (int i = 0; i < PRODUCT; ++i) {
        P[i] = x[i / SIX] * y[i % SIX];
    }
}

static void condition(space *rows, const double *P)
{
    double row[LWI_TEN];
    inertia_row(P, row);
    extend(rows, row);
}

// The spaces of a body from those of its parent, and the rank of its conditions.
static int body_rank(const lw_model *m, int i, const reach *parent, reach *own)
{
    lw_motion S[MOST_AXES];
    map cross[MOST_AXES];
    double axis[MOST_AXES][SIX], P[PRODUCT], memory[LWI_TEN * LWI_TEN];
    space rows = {LWI_TEN, 0, memory};
    const int naxis = joint_axes(m, i, S);
    const map move = move_map(&m->X_PJ[i]);
    for (int a = 0; a < naxis; ++a) {
        cross[a] = cross_map(S[a]);
        put_motion(S[a], axis[a]);
    }
    begin_reach(own);
    for (int k = 0; k < SPACES; ++k) {
        for (int e = 0; e < parent->s[k].count; ++e) {
            const double *from = parent->s[k].at + (size_t)e * (size_t)parent->s[k].length;
            if (k < VELOCITIES) {
                apply(&move, from, P);
            } else {
                apply_both(&move, from, &move, P);
            }
            extend(&own->s[k], P);
        }
        close_space(&own->s[k], naxis, cross);
    }
    // What the parent feels must not depend on the position.
    for (int k = VELOCITIES; k < SPACES; ++k) {
        for (int e = 0; e < own->s[k].count; ++e) {
            for (int a = 0; a < naxis; ++a) {
                product_rate(&cross[a], own->s[k].at + e * PRODUCT, P);
                condition(&rows, P);
            }
        }
    }
    // No work along the joint; the products with its own motion are new for the bodies beyond.
    const int nvelocity = own->s[VELOCITY].count;
    for (int a = 0; a < naxis; ++a) {
        for (int e = 0; e < nvelocity + a + 1; ++e) {
            const double *w = e < nvelocity ? own->s[VELOCITY].at + e * SIX : axis[e - nvelocity];
            double Q[PRODUCT];
            outer(axis[a], w, P);
            outer(w, axis[a], Q);
            for (int k = 0; k < PRODUCT; ++k) {
                P[k] += Q[k];
            }
            condition(&rows, P);
            extend(&own->s[VELOCITIES], P);
        }
        for (int e = 0; e < own->s[GRAVITY].count; ++e) {
            outer(axis[a], own->s[GRAVITY].at + e * SIX, P);
            condition(&rows, P);
            extend(&own->s[VELOCITY_GRAVITY], P);
        }
    }
    for (int a = 0; a < naxis; ++a) {
        extend(&own->s[VELOCITY], axis[a]);
    }
    return rows.count;
}

int lwi_structural_count(const lw_model *m)
{
    if (m->nstep > 0) {
        return -1;
    }
    lw_motion S[MOST_AXES];
    for (int i = 0; i < m->nbody; ++i) {
        bool has_link = false;
        for (int k = 0; k < m->nlink; ++k) {
            has_link = has_link || m->frame[m->link[k].frame].body == i;
        }
        if (!has_link || joint_axes(m, i, S) == 0) {
            return -1; // no inertia of its own, or a joint by callbacks
        }
    }
    reach *all = malloc(((size_t)m->nbody + 1) * sizeof *all);
    if (!all) {
        return -1;
    }
    reach *world = &all[m->nbody];
    double gravity[SIX] = {0, 0, 0, m->gravity.x, m->gravity.y, m->gravity.z};
    begin_reach(world);
    extend(&world->s[GRAVITY], gravity);
    int count = 0;
    for (int i = 0; i < m->nbody; ++i) {
        count += body_rank(m, i, m->parent[i] < 0 ? world : &all[m->parent[i]], &all[i]);
    }
    free(all);
    return count;
}
