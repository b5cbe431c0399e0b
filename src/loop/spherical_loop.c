// Loops of revolute joints whose axes all meet in one point, two of them dependent: spherical
// four-bars, universal joints between two shafts, and five-bars with two drives.
//
// The closing axis c must have one direction as seen from both branches. Where both dependent
// joints are on one branch, that is
//
//   Rz(q1) B Rz(q2) u = w,
//
// with the frame of the first joint at rest as base, u the closing axis as the second one carries
// it, and w the same from the other branch. With one of them on each branch it is Rz(-q1) B Rz(q2)
// u = w with w as the first one carries it. Both are two rotations about axes that meet
// (math/two_rotations.h): two branches, which meet where z1, z2 and c lie in one plane.
//
// With w0 and w1 the angular velocities of the two ends of the loop, w1 - w0 is along c; across
// z2 x c neither the second joint nor the closing one has a part in it, and so the rate of the
// first follows, and in the same way that of the second.
#include "closed_form_loops.h"

#include "../math/angle.h"
#include "../math/pi.h"
#include "../math/two_rotations.h"
#include "../model/joint.h"

static lw_vec3 closing_axis(const lw_model *m, const lwi_loop *loop, int side, int from,
                            const double *q)
{
    const lw_pose X = lwi_branch_pose(m, loop, side, from, loop->npath[side], q);
    return lw_rotate(&X.R, column_z(&loop->X[side].R));
}

// The frame of a joint at rest, seen from the body at `from` of its branch.
static lw_mat3 joint_axes(const lw_model *m, const lwi_loop *loop, int side, int from, int at,
                          const double *q)
{
    const lw_pose X = lwi_branch_pose(m, loop, side, from, at, q);
    const lw_pose Y = joint_frame_after(m, loop->path[side][at], &X);
    return Y.R;
}

/// The equation of a loop at q.
typedef struct equation {
    lw_mat3 B;
    lw_vec3 u, w;
    double sign; ///< of the first angle
} equation;

static equation equation_of(const lw_model *m, const lwi_loop *loop, const lwi_step *step,
                            const double *q)
{
    const int one = step->side, two = step->side2;
    const lw_mat3 A = joint_axes(m, loop, one, 0, step->at, q);
    equation e = {.u = closing_axis(m, loop, two, step->at2 + 1, q)};
    if (one == two) {
        e.B = joint_axes(m, loop, one, step->at + 1, step->at2, q);
        e.w = lw_rotate_back(&A, closing_axis(m, loop, 1 - one, 0, q));
        e.sign = 1.0;
    } else {
        const lw_mat3 back = lw_transpose3(&A), other = joint_axes(m, loop, two, 0, step->at2, q);
        e.B = lw_mul3(&back, &other);
        e.w = closing_axis(m, loop, one, step->at + 1, q);
        e.sign = -1.0;
    }
    return e;
}

int lwi_spherical_branch(const lw_model *m, const lwi_loop *loop, const lwi_step *step,
                         const double *q)
{
    const equation e = equation_of(m, loop, step, q);
    double height[3], s, c;
    lwi_height_of(&e.B, e.u, height);
    sincos_real(q[m->kernel->segment[loop->path[step->side2][step->at2]].q], &s, &c);
    return lwi_branch_of_two(height, s, c) > 0.0 ? 1 : -1;
}

static double nearest(double s, double c, double reference)
{
    const double angle = lwi_angle_of(s, c);
    return angle - LWI_TWO_PI * floor((angle - reference) / LWI_TWO_PI + 0.5);
}

lw_status lwi_spherical_position(const lw_model *m, const lwi_program *program,
                                 const lwi_step *step, const lwi_loop_work *work, double *q,
                                 lwi_closure_fault *fault)
{
    const lwi_loop *loop = &program->loop[step->loop[0]];
    const equation e = equation_of(m, loop, step, q);
    const int at[2] = {m->kernel->segment[loop->path[step->side][step->at]].q,
                       m->kernel->segment[loop->path[step->side2][step->at2]].q};
    lwi_two_angles angle;
    double gap;
    if (!lwi_two_rotations(&e.B, e.u, e.w, step->branch, &angle, &gap)) {
        return lwi_block_gap(m, program, step, work, q, fault);
    }
    angle.sine[0] *= e.sign;
    for (int k = 0; k < 2; ++k) {
        q[at[k]] = nearest(angle.sine[k], angle.cosine[k], m->tree_q_reference[at[k]]);
    }
    return LW_OK;
}

// The axes of all joints of the loop along those of the common body, branch by branch, and behind
// them the closing one.
static void find_axes(const lw_model *m, const lwi_loop *loop, const double *q, lw_motion *axis)
{
    for (int side = 0; side < 2; ++side) {
        lw_pose X = lw_pose_identity();
        for (int k = 0; k < loop->npath[side]; ++k) {
            const int i = loop->path[side][k];
            X = joint_frame_after(m, i, &X);
            (axis++)->ang = column_z(&X.R);
            X = joint_pose_after(m, i, q, &X);
        }
        axis[1 - side].ang = lw_rotate(&X.R, column_z(&loop->X[side].R));
    }
}

/// What the two dependent joints are found by: n . (w1 - w0) with n across the axis of the other
/// one and the closing one, over what its own axis gives.
typedef struct solution {
    const lw_motion *axis;
    int own[2]; ///< places of the dependent joints among the axes
    lw_vec3 across[2];
} solution;

static double sign_of(const lwi_loop *loop, int place)
{
    return place < loop->npath[0] ? -1.0 : 1.0;
}

static bool find_solution(const lwi_loop *loop, const lwi_step *step, const lw_motion *axis,
                          solution *s)
{
    const int n0 = loop->npath[0];
    const lw_vec3 c = axis[n0 + loop->npath[1]].ang;
    *s =
        (solution){.axis = axis, .own = {step->side * n0 + step->at, step->side2 * n0 + step->at2}};
    for (int k = 0; k < 2; ++k) {
        const lw_vec3 n = lw_cross3(axis[s->own[1 - k]].ang, c);
        const double D = lw_dot3(axis[s->own[k]].ang, n);
        if (!(fabs(D) > LWI_SINGULAR_SINE)) {
            return false;
        }
        s->across[k] = lw_scale3(-sign_of(loop, s->own[k]) / D, n);
    }
    return true;
}

// Which entry of a solution a target is.
static int entry_of(const lw_model *m, const lwi_loop *loop, const lwi_step *step, int target)
{
    return m->kernel->segment[loop->path[step->side][step->at]].v == step->target[target] ? 0 : 1;
}

lw_status lwi_spherical_rates(const lw_model *m, const lwi_program *program, const lwi_step *step,
                              const lwi_loop_work *work, const double *q, double *K,
                              lwi_closure_fault *fault)
{
    const lwi_loop *loop = &program->loop[step->loop[0]];
    lw_motion *axis = &work->leg_motion[step->motion];
    solution s;
    find_axes(m, loop, q, axis);
    if (!find_solution(loop, step, axis, &s)) {
        fault->loop = step->loop[0];
        fault->dof = step->target[0];
        return LW_ERR_SINGULAR;
    }
    for (int t = 0; t < 2; ++t) {
        const lw_vec3 n = s.across[entry_of(m, loop, step, t)];
        for (int k = 0; k < loop->npath[0] + loop->npath[1]; ++k) {
            const int column = loop->column[k] - step->ntarget;
            if (column >= 0) {
                K[t * step->nsource + column] = sign_of(loop, k) * lw_dot3(n, axis[k].ang);
            }
        }
    }
    return LW_OK;
}

void lwi_spherical_bias(const lw_model *m, const lwi_program *program, const lwi_step *step,
                        const lwi_loop_work *work, const double *v, double *bias)
{
    const lwi_loop *loop = &program->loop[step->loop[0]];
    const lw_motion *axis = &work->leg_motion[step->motion];
    const lw_vec3 none = {0.0, 0.0, 0.0}, c = axis[loop->npath[0] + loop->npath[1]].ang;
    lw_vec3 velocity[2] = {none, none}, acceleration[2] = {none, none};
    solution s;
    if (!find_solution(loop, step, axis, &s)) {
        return; // rates have reported it
    }
    for (int side = 0, place = 0; side < 2; ++side) {
        for (int k = 0; k < loop->npath[side]; ++k, ++place) {
            const int i = loop->path[side][k];
            const lw_vec3 own = lw_scale3(v[m->kernel->segment[i].v], axis[place].ang);
            acceleration[side] = lw_add3(acceleration[side], lw_cross3(velocity[side], own));
            velocity[side] = lw_add3(velocity[side], own);
        }
    }
    const double closing = lw_dot3(c, lw_sub3(velocity[1], velocity[0]));
    const lw_vec3 carried = lw_scale3(closing, lw_cross3(velocity[0], c));
    const lw_vec3 rest = lw_sub3(lw_sub3(acceleration[1], acceleration[0]), carried);
    for (int t = 0; t < 2; ++t) {
        bias[t] = lw_dot3(s.across[entry_of(m, loop, step, t)], rest);
    }
}
