// A platform that does not rotate, on three pairs of parallel rods (Clavel 1988): where three
// spheres meet.
//
// The two rods of a pair are equal and lie parallel, so that each pair keeps a direction of the
// platform, and the three together its orientation R. Of every pair one rod is enough: it holds the
// tip, at P + t with t = R times its place on the platform, at the distance L from its foot f. So
// the origin P of the platform is on the sphere about c = f - t with radius L, and with u = c1 -
// c0, w = c2 - c0 and n = u x w
//
//   P = c0 + (alpha w x n + beta n x u) / n.n + gamma n,
//   alpha = (u.u + L0^2 - L1^2) / 2,   beta = (w.w + L0^2 - L2^2) / 2,
//
// where gamma, of either sign, makes |P - c0| = L0: the branch says on which side of the three
// centres the platform is. Rates follow from d . (dP - df) = 0 for the three rods d.
#include "closed_form_loops.h"

#include "../model/joint.h"

#include <string.h>

// The pose of the last body of a leg in the frame of the common body, and the motions of its
// joints, which rotate or slide.
static lw_pose walk_leg(const lw_model *m, const lwi_loop *loop, const lwi_platform_leg *leg,
                        const double *q, lw_motion *S)
{
    lw_pose X = lw_pose_identity();
    for (int k = 0; k < loop->npath[leg->side]; ++k) {
        const int i = loop->path[leg->side][k];
        const lwi_segment *body = &m->kernel->segment[i];
        X = k > 0 ? joint_frame_after(m, i, &X) : m->X_PJ[i];
        const lw_vec3 z = column_z(&X.R);
        if (body->carrier == LW_TREE_PRISMATIC) {
            X.p = lw_add3(X.p, lw_scale3(q[body->q], z));
            S[k] = (lw_motion){{0.0, 0.0, 0.0}, z};
        } else {
            double s, c;
            sincos_real(q[body->q], &s, &c);
            X.R = rotate_columns(&X.R, c, s);
            S[k] = (lw_motion){z, lw_cross3(X.p, z)};
        }
    }
    return X;
}

// Where the three legs begin.
static void find_feet(const lw_model *m, const lwi_program *program, const lwi_platform *platform,
                      const lwi_loop_work *work, const double *q)
{
    for (int k = 0; k < 3; ++k) {
        const lwi_platform_leg *leg = &platform->leg[k];
        const lwi_loop *loop = &program->loop[leg->loop];
        const lw_pose X = walk_leg(m, loop, leg, q, &work->leg_motion[leg->motion]);
        work->leg[platform->first + k].foot = lw_pose_apply(&X, loop->X[leg->side].p);
    }
}

// The origin of the platform from the centres of the three spheres. Where these do not meet it is
// the point of their plane that has the same power for all, and false is returned.
static bool meet(const lw_vec3 c[3], const double square[3], int branch, lw_vec3 *P)
{
    const lw_vec3 u = lw_sub3(c[1], c[0]), w = lw_sub3(c[2], c[0]), n = lw_cross3(u, w);
    const double nn = lw_dot3(n, n), inverse = nn > 0.0 ? 1.0 / nn : 0.0;
    const double alpha = 0.5 * inverse * (lw_dot3(u, u) + square[0] - square[1]);
    const double beta = 0.5 * inverse * (lw_dot3(w, w) + square[0] - square[2]);
    const lw_vec3 within =
        lw_add3(lw_scale3(alpha, lw_cross3(w, n)), lw_scale3(beta, lw_cross3(n, u)));
    const double rest = square[0] - lw_dot3(within, within);
    const double gamma = branch * sqrt(fmax(0.0, rest) * inverse);
    *P = lw_add3(c[0], lw_add3(within, lw_scale3(gamma, n)));
    // A hair beyond the reach is rounding: the two branches meet there.
    return nn > 0.0 && rest >= -2e-14 * square[0];
}

lw_status lwi_spheres_position(const lw_model *m, const lwi_program *program, const lwi_step *step,
                               const lwi_loop_work *work, double *q, lwi_closure_fault *fault)
{
    const lwi_platform *platform = step->platform;
    lwi_leg_state *state = &work->leg[platform->first];
    lw_vec3 center[3], P;
    double square[3];
    find_feet(m, program, platform, work, q);
    for (int k = 0; k < 3; ++k) {
        const lwi_platform_leg *leg = &platform->leg[k];
        center[k] = lw_sub3(state[k].foot, leg->tip);
        square[k] = program->loop[leg->loop].length * program->loop[leg->loop].length;
    }
    const bool is_closed = meet(center, square, step->branch, &P);
    for (int k = 0; k < 3; ++k) {
        state[k].d = lw_sub3(P, center[k]);
    }
    const lw_pose *X_PJ = &m->X_PJ[platform->body];
    const lw_vec3 p = lw_rotate_back(&X_PJ->R, lw_sub3(P, X_PJ->p));
    const int at = m->kernel->segment[platform->body].q;
    q[at] = p.x;
    q[at + 1] = p.y;
    q[at + 2] = p.z;
    memcpy(&q[at + 3], &m->tree_q_reference[at + 3], 4 * sizeof *q);
    return is_closed ? LW_OK : lwi_block_gap(m, program, step, work, q, fault);
}

// The volume that three directions span, as a sine.
static double sine_of(const lw_vec3 a[3])
{
    const double size = lw_dot3(a[0], a[0]) * lw_dot3(a[1], a[1]) * lw_dot3(a[2], a[2]);
    const double volume = fabs(lw_dot3(a[0], lw_cross3(a[1], a[2])));
    return size > 0.0 ? volume / sqrt(size) : 0.0;
}

// There are two kinds of singular configurations: the three rods lie in directions of one plane,
// and the platform moves across it; or the planes of the three pairs have a direction in common,
// and the platform rotates about it.
static lw_status check_singular(const lwi_step *step, const lwi_leg_state *state,
                                lwi_closure_fault *fault)
{
    const lwi_platform_leg *leg = step->platform->leg;
    const lw_vec3 d[3] = {state[0].d, state[1].d, state[2].d};
    lw_vec3 turn[3];
    bool is_flat = false;
    for (int k = 0; k < 3; ++k) {
        turn[k] = lw_cross3(leg[k].across, d[k]);
        const double size = lw_dot3(leg[k].across, leg[k].across) * lw_dot3(d[k], d[k]);
        if (!(lw_dot3(turn[k], turn[k]) > LWI_SINGULAR_SINE * LWI_SINGULAR_SINE * size)) {
            fault->loop = leg[k].loop;
            is_flat = true;
        }
    }
    const bool is_across = !(sine_of(d) > LWI_SINGULAR_SINE);
    if (!is_across && !is_flat && sine_of(turn) > LWI_SINGULAR_SINE) {
        return LW_OK;
    }
    fault->loop = is_flat ? fault->loop : leg[0].loop;
    fault->dof = step->target[is_across ? 3 : 0];
    return LW_ERR_SINGULAR;
}

// The velocity of a foot for a joint of its leg.
static lw_vec3 foot_velocity(const lwi_leg_state *state, const lw_motion *S)
{
    return lw_add3(S->lin, lw_cross3(S->ang, state->foot));
}

lw_status lwi_spheres_rates(const lwi_program *program, const lwi_step *step,
                            const lwi_loop_work *work, double *K, lwi_closure_fault *fault)
{
    const lwi_platform *platform = step->platform;
    lwi_leg_state *state = &work->leg[platform->first];
    const int ns = step->nsource;
    const lw_status status = check_singular(step, state, fault);
    if (status != LW_OK) {
        return status;
    }
    memset(K, 0, (size_t)(step->ntarget * ns) * sizeof *K);
    const lw_vec3 a = lw_cross3(state[1].d, state[2].d);
    const double inverse = 1.0 / lw_dot3(state[0].d, a);
    state[0].gain = lw_scale3(inverse, a);
    state[1].gain = lw_scale3(inverse, lw_cross3(state[2].d, state[0].d));
    state[2].gain = lw_scale3(inverse, lw_cross3(state[0].d, state[1].d));
    for (int k = 0; k < 3; ++k) {
        const lwi_platform_leg *leg = &platform->leg[k];
        const lwi_loop *loop = &program->loop[leg->loop];
        const lw_vec3 own = lw_rotate_back(&platform->R, state[k].gain);
        for (int j = 0; j < loop->npath[leg->side]; ++j) {
            const lw_vec3 v = foot_velocity(&state[k], &work->leg_motion[leg->motion + j]);
            const double rate = lw_dot3(state[k].d, v);
            double *at = &K[3 * ns + loop->column[leg->column + j] - step->ntarget];
            at[0] += rate * own.x;
            at[ns] += rate * own.y;
            at[2 * ns] += rate * own.z;
        }
    }
    return LW_OK;
}

// The acceleration of a foot where its joints have none, and its velocity.
static lw_vec3 foot_bias(const lw_model *m, const lwi_loop *loop, const lwi_platform_leg *leg,
                         const lwi_leg_state *state, const lw_motion *S, const double *v,
                         lw_vec3 *velocity)
{
    lw_motion V = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, A = V;
    for (int k = 0; k < loop->npath[leg->side]; ++k) {
        const double rate = v[m->kernel->segment[loop->path[leg->side][k]].v];
        const lw_motion own = {lw_scale3(rate, S[k].ang), lw_scale3(rate, S[k].lin)};
        A.ang = lw_add3(A.ang, lw_cross3(V.ang, own.ang));
        A.lin = lw_add3(A.lin, lw_add3(lw_cross3(V.ang, own.lin), lw_cross3(V.lin, own.ang)));
        V = (lw_motion){lw_add3(V.ang, own.ang), lw_add3(V.lin, own.lin)};
    }
    *velocity = foot_velocity(state, &V);
    return lw_add3(foot_velocity(state, &A), lw_cross3(V.ang, *velocity));
}

void lwi_spheres_bias(const lw_model *m, const lwi_program *program, const lwi_step *step,
                      const lwi_loop_work *work, const double *v, double *bias)
{
    const lwi_platform *platform = step->platform;
    const lwi_leg_state *state = &work->leg[platform->first];
    const double *own = &v[m->kernel->segment[platform->body].v + 3];
    const lw_vec3 velocity = lw_rotate(&platform->R, lw_vec3_of(own[0], own[1], own[2]));
    lw_vec3 sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        const lwi_platform_leg *leg = &platform->leg[k];
        lw_vec3 foot;
        const lw_vec3 a = foot_bias(m, &program->loop[leg->loop], leg, &state[k],
                                    &work->leg_motion[leg->motion], v, &foot);
        const lw_vec3 dv = lw_sub3(velocity, foot);
        const double share = lw_dot3(state[k].d, a) - lw_dot3(dv, dv);
        sum = lw_add3(sum, lw_scale3(share, state[k].gain));
    }
    const lw_vec3 along = lw_rotate_back(&platform->R, sum);
    memset(bias, 0, 3 * sizeof *bias);
    bias[3] = along.x;
    bias[4] = along.y;
    bias[5] = along.z;
}
