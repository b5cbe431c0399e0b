// Platforms whose legs have a closed form: which block is one, recognised where it is closed.
//
// A platform on three pairs of rods does not rotate where the rods of each pair are equal and
// parallel and stay so: both begin on one body, whose joints slide or rotate about the direction
// from foot to foot. Then three spheres give its place (loop/three_spheres.c).
#include "close.h"

#include "../loop/closed_form_loops.h"
#include "../model/joint.h"

#include <string.h>

// Rods of a pair are equal to the rounding of their numbers: what is off by more would rotate the
// platform by that much, and is left to Newton's method.
static const double same = 1e-12;

/// One rod of the platform, where the mechanism stands in its reference.
typedef struct standing {
    int loop, side; ///< as in lwi_platform_leg
    lw_vec3 foot, tip;
} standing;

// The side of a loop on which a platform is all there is, or -1; what is on the other side must
// rotate or slide.
static int side_of_platform(const lwi_build *b, const lwi_loop *loop, int platform)
{
    for (int side = 0; side < 2; ++side) {
        const int other = 1 - side;
        bool is_simple = loop->npath[side] == 1 && loop->path[side][0] == platform;
        for (int k = 0; k < loop->npath[other] && is_simple; ++k) {
            const lw_tree_joint carrier = b->body[loop->path[other][k]].carrier;
            is_simple = carrier == LW_TREE_REVOLUTE || carrier == LW_TREE_PRISMATIC;
        }
        if (is_simple) {
            return side;
        }
    }
    return -1;
}

// The platform whose six degrees of freedom a step gives, and nothing else, or -1.
static int platform_of(const lwi_build *b, const lwi_step *step)
{
    bool is_one = step->ntarget == 6 && step->ngear == 0 &&
                  b->body[step->target_body[0]].carrier == LW_TREE_FREE;
    for (int t = 1; t < step->ntarget && is_one; ++t) {
        is_one = step->target_body[t] == step->target_body[0];
    }
    return is_one ? step->target_body[0] : -1;
}

static bool stand(const lwi_build *b, const lwi_program *program, int index, int platform,
                  const double *q, standing *out)
{
    const lwi_loop *loop = &program->loop[index];
    const int side = side_of_platform(b, loop, platform);
    if (!loop->is_rod || side < 0) {
        return false;
    }
    const int leg = 1 - side;
    const lw_pose X = lwi_branch_pose(&b->draft, loop, leg, 0, loop->npath[leg], q);
    const lw_pose Y = lwi_branch_pose(&b->draft, loop, side, 0, 1, q);
    *out = (standing){.loop = index,
                      .side = leg,
                      .foot = lw_pose_apply(&X, loop->X[leg].p),
                      .tip = lw_rotate(&Y.R, loop->X[side].p)};
    return true;
}

// Whether two rods are a pair.
static bool is_pair(const lwi_build *b, const lwi_program *program, const standing *x,
                    const standing *y, const double *q)
{
    const lwi_loop *one = &program->loop[x->loop], *two = &program->loop[y->loop];
    const int n = one->npath[x->side];
    const lw_vec3 across = lw_sub3(x->foot, y->foot);
    const lw_vec3 off = lw_sub3(across, lw_sub3(x->tip, y->tip));
    const double size = lw_norm3(across);
    if (n != two->npath[y->side] || fabs(one->length - two->length) > same * one->length ||
        !(size > 0.0) || lw_norm3(off) > same * one->size) {
        return false;
    }
    lw_pose X = lw_pose_identity();
    for (int k = 0; k < n; ++k) {
        const int i = one->path[x->side][k];
        X = joint_frame_after(&b->draft, i, &X);
        const double sine = lw_norm3(lw_cross3(across, column_z(&X.R))) / size;
        if (i != two->path[y->side][k] || (b->body[i].carrier == LW_TREE_REVOLUTE && sine > same)) {
            return false;
        }
        X = joint_pose_after(&b->draft, i, q, &X);
    }
    return true;
}

// Where a loop of its step has each of its columns: those of the first branch come first.
static int first_column(const lwi_build *b, const lwi_loop *loop, int side)
{
    int n = 0;
    for (int k = 0; k < loop->npath[0] && side == 1; ++k) {
        n += b->body[loop->path[0][k]].nv;
    }
    return n;
}

// The three legs of a platform that does not rotate; fewer where it does, or may.
static int pair_rods(lwi_build *b, const lwi_program *program, const lwi_step *step, int platform,
                     const double *q, lwi_platform_leg leg[3])
{
    standing rod[6];
    bool is_used[6] = {false};
    int npair = 0;
    for (int k = 0; k < 6; ++k) {
        if (!stand(b, program, step->loop[k], platform, q, &rod[k])) {
            return 0;
        }
    }
    for (int i = 0; i < 6; ++i) {
        for (int j = i + 1; j < 6 && !is_used[i]; ++j) {
            if (is_used[j] || !is_pair(b, program, &rod[i], &rod[j], q)) {
                continue;
            }
            const lwi_loop *loop = &program->loop[rod[i].loop];
            lwi_platform_leg *own = &leg[npair++];
            is_used[i] = is_used[j] = true;
            own->loop = rod[i].loop;
            own->side = rod[i].side;
            own->column = first_column(b, loop, rod[i].side);
            own->motion = b->nleg_motion;
            own->tip = rod[i].tip;
            own->across = lw_sub3(rod[i].foot, rod[j].foot);
            b->nleg_motion += loop->npath[rod[i].side];
        }
    }
    return npair;
}

lw_status lwi_find_spheres(lwi_build *b, const lwi_program *program, lwi_step *step, int named,
                           const double *q)
{
    const int body = step->nloop == 6 ? platform_of(b, step) : -1;
    if (body < 0) {
        return LW_OK;
    }
    lwi_platform *platform = lwi_arena_take(b->arena, 1, sizeof *platform);
    lwi_platform_leg *leg = lwi_arena_take(b->arena, 3, sizeof *leg);
    if (!platform || !leg) {
        return lwi_build_no_memory(b);
    }
    if (pair_rods(b, program, step, body, q, leg) < 3) {
        return LW_OK;
    }
    const lw_pose one = lw_pose_identity(), X_J = joint_frame_after(&b->draft, body, &one);
    const lw_pose X = joint_pose_after(&b->draft, body, q, &X_J);
    platform->body = body;
    platform->nleg = 3;
    platform->leg = leg;
    platform->first = b->nleg;
    platform->R = X.R;
    b->nleg += 3;
    // On which side of the three centres the platform stands.
    lw_vec3 d[3];
    for (int k = 0; k < 3; ++k) {
        standing rod;
        stand(b, program, leg[k].loop, body, q, &rod);
        d[k] = lw_sub3(lw_add3(X.p, rod.tip), rod.foot);
    }
    const lw_vec3 n = lw_cross3(lw_sub3(d[0], d[1]), lw_sub3(d[0], d[2]));
    const int nearer = lw_dot3(n, d[0]) < 0.0 ? -1 : 1;
    step->kind = LW_STEP_SPHERES;
    step->platform = platform;
    step->branch = named == LW_BRANCH_OTHER ? -nearer : named ? named : nearer;
    return LW_OK;
}
