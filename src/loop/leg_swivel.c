// The two passive joints of a leg, from the directions of the leg as they carry it and as both its
// ends have it: two rotations about axes that meet (the second canonical subproblem of Paden and
// Kahan), with sines and cosines alone.
#include "torn_block.h"

#include "../math/angle.h"
#include "../math/pi.h"
#include "../model/joint.h"

/// The two passive joints of a leg: M places the second on the first, and y is what it carries.
typedef struct swivel {
    int q[2]; ///< positions
    const lw_mat3 *M;
} swivel;

static swivel swivel_of(const lw_model *m, const lwi_program *program, const lwi_torn_leg *leg)
{
    const int *body = &program->loop[leg->loop].path[leg->side][leg->swivel];
    return (swivel){{m->kernel->segment[body[0]].q, m->kernel->segment[body[1]].q},
                    &m->X_PJ[body[1]].R};
}

// The height of y over the plane across the first axis is a cos q2 + b sin q2 + c.
static void height_of(const lw_mat3 *M, lw_vec3 y, double height[3])
{
    const lw_vec3 row = M->row[2];
    height[0] = row.x * y.x + row.y * y.y;
    height[1] = row.y * y.x - row.x * y.y;
    height[2] = row.z * y.z;
}

// The angle of a sine and a cosine, by as many whole turns as `near`.
static double angle_near(double s, double c, double near)
{
    const double angle = lwi_angle_of(s, c), away = angle - near;
    return fabs(away) <= 0.5 * LWI_TWO_PI ? angle
                                          : angle - LWI_TWO_PI * floor(away / LWI_TWO_PI + 0.5);
}

// Rz(q1) M Rz(q2) y = x. The second angle brings y to the height of x over the plane across the
// first axis, on one of two branches; the first rotates it there.
static bool solve_swivel(const swivel *w, lw_vec3 x, lw_vec3 y, lw_vec3 y_from, const double *from,
                         double *q, const lwi_loop_work *work, double *gap)
{
    double h[3], was[3], s0, c0;
    height_of(w->M, y, h);
    height_of(w->M, y_from, was);
    sincos_real(from[w->q[1]], &s0, &c0);
    const double branch = copysign(1.0, was[0] * s0 - was[1] * c0);
    const double C = x.z - h[2], square = h[0] * h[0] + h[1] * h[1], rest = square - C * C;
    if (!(rest >= -1e-13 * lw_dot3(y, y))) {
        *gap = fabs(C) - sqrt(square);
        return false;
    }
    const int first = w->q[0], second = w->q[1];
    if (!(square > 0.0)) { // the second joint does not move y: it stays, and rates report that
        q[first] = from[first];
        q[second] = from[second];
        sincos_real(q[first], &work->sine[first], &work->cosine[first]);
        sincos_real(q[second], &work->sine[second], &work->cosine[second]);
        return true;
    }
    const double root = branch * sqrt(fmax(0.0, rest)), inverse = 1.0 / square;
    const double c2 = inverse * (h[0] * C - h[1] * root), s2 = inverse * (h[1] * C + h[0] * root);
    const lw_vec3 carried =
        lw_rotate(w->M, lw_vec3_of(c2 * y.x - s2 * y.y, s2 * y.x + c2 * y.y, y.z));
    const double c = carried.x * x.x + carried.y * x.y, s = carried.x * x.y - carried.y * x.x;
    const double size = sqrt(c * c + s * s);
    q[second] = angle_near(s2, c2, from[second]);
    work->sine[second] = s2;
    work->cosine[second] = c2;
    if (size > 0.0) {
        const double share = 1.0 / size;
        q[first] = angle_near(share * s, share * c, from[first]);
        work->sine[first] = share * s;
        work->cosine[first] = share * c;
    } else { // along the first axis, which does not move it: it stays
        q[first] = from[first];
        sincos_real(q[first], &work->sine[first], &work->cosine[first]);
    }
    return true;
}

// The tip beyond the passive joints, where the sources were at `from`.
static lw_vec3 tip_beyond(const lw_model *m, const lwi_program *program, const lwi_legs *legs,
                          const lwi_torn_leg *leg, const double *from)
{
    const lwi_leg_branch *beyond = &legs->branch[leg->beyond];
    lw_pose X = lw_pose_identity();
    for (int k = 0; k < beyond->n; ++k) {
        X = k == 0 ? m->X_PJ[beyond->body[0]] : joint_frame_after(m, beyond->body[k], &X);
        X = joint_pose_after(m, beyond->body[k], from, &X);
    }
    return lw_pose_apply(&X, program->loop[leg->loop].X[leg->side].p);
}

lw_status lwi_legs_passive(const lw_model *m, const lwi_program *program, const lwi_step *step,
                           const lwi_loop_work *work, const double *from, double *q,
                           lwi_closure_fault *fault)
{
    const lwi_legs *legs = step->reduced->legs;
    const lw_pose *X = &work->branch_pose[legs->first_pose];
    lwi_legs_walk(m, program, step->reduced, work, q, false, true);
    for (int k = 0; k < legs->nleg; ++k) {
        const lwi_torn_leg *leg = &legs->leg[k];
        const lwi_leg_state *s = &work->leg[legs->first_leg + k];
        if (leg->swivel < 0) {
            continue;
        }
        const swivel w = swivel_of(m, program, leg);
        const int body = program->loop[leg->loop].path[leg->side][leg->swivel];
        const lw_vec3 along = lw_rotate_back(&X[leg->foot].R, s->d);
        const lw_vec3 x = lw_rotate_back(&m->X_PJ[body].R, along);
        const lw_vec3 y_from = tip_beyond(m, program, legs, leg, from);
        if (!solve_swivel(&w, x, s->y, y_from, from, q, work, &fault->gap)) {
            fault->loop = leg->loop;
            return LW_ERR_LOOP_OPEN;
        }
    }
    for (int t = 0; t < step->reduced->ntarget; ++t) {
        const int at = step->reduced->target_q[t];
        if (at >= 0) {
            sincos_real(q[at], &work->sine[at], &work->cosine[at]);
        }
    }
    return LW_OK;
}
