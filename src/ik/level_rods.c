// Within the plane of the three parallel joints every link rotates by a constant angle plus that of
// a link of the chain: none (it stays level), q2 (the upper arm) or q2 + q3 (the forearm). A way
// along the links is then three vectors, each rotated by one of these.
#include "level_rods.h"

#include "closed_chain.h"

#include "../kin/closure.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 3, LINKS = 3 };

typedef struct plane {
    lw_ik *ik;
    lw_vec3 h;                    ///< of the parallel joints
    double angle[SAMPLES][LINKS]; ///< of the links of the chain
    double *tree;                 ///< [SAMPLES * tree_nq] positions
} plane;

/// A way along links, by the link of the chain that each part rotates with.
typedef struct way {
    lw_vec3 part[LINKS];
} way;

/// How a body rotates: with a link of the chain, by a constant angle against it.
typedef struct attitude {
    int link;
    lw_mat3 R; ///< at zero position, and rotated by the constant
} attitude;

// The frame of a body at zero position, along the axes of the world.
static lw_mat3 rotation_at_zero(const lw_model *m, int body)
{
    lw_mat3 R = m->X_PJ[body].R;
    for (int i = m->parent[body]; i >= 0; i = m->parent[i]) {
        R = lw_mul3(&m->X_PJ[i].R, &R);
    }
    return R;
}

// Finds how a body rotates against that of the first joint; false where it is otherwise.
static bool find_attitude(const plane *p, int body, attitude *out)
{
    const lw_model *m = p->ik->model;
    const int base = p->ik->chain.body[0];
    double sum[SAMPLES] = {0.0};
    for (int i = body; i != base; i = m->parent[i]) {
        if (i < 0 || m->carrier[i] != LW_TREE_REVOLUTE) {
            return false;
        }
        const lw_mat3 R = rotation_at_zero(m, i);
        const double along = lw_dot3(p->h, lw_vec3_of(R.row[0].z, R.row[1].z, R.row[2].z));
        if (fabs(along) < 1.0 - 1e-12) {
            return false;
        }
        for (int n = 0; n < SAMPLES; ++n) {
            const double x = p->tree[n * m->tree_nq + m->q_start[i]];
            sum[n] += along < 0.0 ? -x : x;
        }
    }
    for (int link = 0; link < LINKS; ++link) {
        const double constant = sum[0] - p->angle[0][link];
        bool is_constant = true;
        for (int n = 1; n < SAMPLES; ++n) {
            is_constant = is_constant && fabs(sum[n] - p->angle[n][link] - constant) < 1e-9;
        }
        if (is_constant) {
            const lw_mat3 turn = lw_exp3(lw_scale3(constant, p->h)), R = rotation_at_zero(m, body);
            *out = (attitude){link, lw_mul3(&turn, &R)};
            return true;
        }
    }
    return false;
}

// Adds a vector that is fixed in a body, times a sign.
static bool add_part(const plane *p, int body, double sign, lw_vec3 fixed, way *sum)
{
    attitude at;
    if (!find_attitude(p, body, &at)) {
        return false;
    }
    lw_vec3 *part = &sum->part[at.link];
    *part = lw_add3(*part, lw_scale3(sign, lw_rotate(&at.R, fixed)));
    return true;
}

// Adds the way from joint `from` of a branch to joint `to`; from -1 it begins at the origin of the
// common body, and to `npath` it ends at the end of the branch.
static bool add_branch(const plane *p, const lwi_loop *loop, int side, int common, int from, int to,
                       double sign, way *sum)
{
    const lw_model *m = p->ik->model;
    bool is_good = true;
    for (int k = from + 1; k <= to && is_good; ++k) {
        const int body = k == 0 ? common : loop->path[side][k - 1];
        const bool is_end = k == loop->npath[side];
        const lw_vec3 fixed = is_end ? loop->X[side].p : m->X_PJ[loop->path[side][k]].p;
        is_good = add_part(p, body, sign, fixed, sum);
    }
    return is_good;
}

// h . (a x b), where the parts of both rotate.
static lwi_level_rod moment_of(lw_vec3 h, const way *a, const way *b, double sign)
{
    lwi_level_rod rod = {0};
    for (int i = 0; i < LINKS; ++i) {
        for (int k = 0; k < LINKS; ++k) {
            const lw_vec3 u = a->part[i], v = b->part[k];
            const double cross = sign * lw_dot3(h, lw_cross3(u, v)),
                         dot = sign * (lw_dot3(u, v) - lw_dot3(h, u) * lw_dot3(h, v));
            if (i == k) {
                rod.constant += cross;
            } else { // v is ahead of u by this angle, or behind
                const int angle = i == 0 ? k - 1 : k == 0 ? i - 1 : 2;
                rod.along[angle] += cross;
                rod.across[angle] += k > i ? dot : -dot;
            }
        }
    }
    return rod;
}

static double value_at(const lwi_level_rod *rod, const double angle[LINKS])
{
    const double q[3] = {angle[1], angle[2], angle[2] - angle[1]};
    double value = rod->constant;
    for (int i = 0; i < 3; ++i) {
        value += rod->along[i] * cos(q[i]) + rod->across[i] * sin(q[i]);
    }
    return value;
}

// From the joint, one way leads to the end of the rod beyond it, the other to the rod's other end.
static bool find_rod(const plane *p, const lwi_step *step, const lwi_loop *loop, lwi_level_rod *rod)
{
    const lw_model *m = p->ik->model;
    const int side = step->side, at = step->at, common = m->parent[loop->path[side][0]];
    way own = {0}, other = {0};
    if (!add_branch(p, loop, side, common, at, loop->npath[side], 1.0, &own) ||
        !add_branch(p, loop, side, common, -1, at, -1.0, &other) ||
        !add_branch(p, loop, 1 - side, common, -1, loop->npath[1 - side], 1.0, &other)) {
        return false;
    }
    const lw_mat3 R = rotation_at_zero(m, loop->path[side][at]);
    const lw_vec3 axis = {R.row[0].z, R.row[1].z, R.row[2].z};
    *rod = moment_of(p->h, &own, &other, lw_dot3(axis, p->h) < 0.0 ? -step->branch : step->branch);
    bool is_good = true;
    for (int n = 0; n < SAMPLES; ++n) {
        is_good = is_good && value_at(rod, p->angle[n]) > 0.0;
    }
    return is_good;
}

// Three configurations near to the reference, in which the joints move by different amounts.
static bool take_samples(plane *p)
{
    lw_ik *ik = p->ik;
    const lw_model *m = ik->model;
    double *q = ik->closed->q;
    const int *body = ik->chain.body;
    const double sign = ik->closed->level.sign[1];
    bool is_good = true;
    lw_data_restart(ik->data);
    for (int n = 0; n < SAMPLES && is_good; ++n) {
        for (int k = 0; k < m->nq; ++k) {
            q[k] = m->q_reference[k];
        }
        for (int i = 0; i < ik->info.njoint; ++i) {
            if (ik->info.position[i] >= 0) {
                q[ik->info.position[i]] += 0.037 * n * sin(1.0 + 2.3 * i + n);
            }
        }
        const double *tree = lwi_closure_position(m, ik->data, q);
        is_good = tree != NULL;
        if (is_good) {
            memcpy(p->tree + n * m->tree_nq, tree, (size_t)m->tree_nq * sizeof *tree);
            p->angle[n][0] = 0.0;
            p->angle[n][1] = tree[m->q_start[body[1]]];
            p->angle[n][2] = p->angle[n][1] + sign * tree[m->q_start[body[2]]];
        }
    }
    return is_good;
}

bool lwi_level_rods_of(lw_ik *ik, double *work, lwi_level_rods *rods)
{
    const lw_model *m = ik->model;
    const lwi_program *program = m->kernel->program;
    plane p = {.ik = ik, .h = ik->chain.arm.h[1], .tree = work};
    bool is_good = take_samples(&p);
    rods->sum = ik->closed->level.sum;
    rods->n = 0;
    for (int s = 0; s < m->nstep && is_good; ++s) {
        const lwi_step *step = &program->step[s];
        if (ik->closed->inverse->needed[s] && step->kind != LW_STEP_LINEAR) {
            is_good = rods->n < LWI_LEVEL_RODS && step->kind == LW_STEP_ROD_REVOLUTE &&
                      find_rod(&p, step, &program->loop[step->loop[0]], &rods->rod[rods->n]);
            rods->rod[is_good ? rods->n++ : 0].loop = step->loop[0];
        }
    }
    return is_good;
}
