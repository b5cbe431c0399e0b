// The two passive joints of a leg, from the directions of the leg as they carry it and as both its
// ends have it: two rotations about axes that meet.
#include "torn_block.h"

#include "../math/angle.h"
#include "../math/pi.h"
#include "../math/two_rotations.h"
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

// The angle of a sine and a cosine, by as many whole turns as `near`.
static double angle_near(double s, double c, double near)
{
    const double angle = lwi_angle_of(s, c), away = angle - near;
    return fabs(away) <= 0.5 * LWI_TWO_PI ? angle
                                          : angle - LWI_TWO_PI * floor(away / LWI_TWO_PI + 0.5);
}

// Rz(q1) M Rz(q2) y = x, on the branch of `from`. A joint that does not move the leg stays, and
// rates report that.
static bool solve_swivel(const swivel *w, lw_vec3 x, lw_vec3 y, lw_vec3 y_from, const double *from,
                         double *q, const lwi_loop_work *work, double *gap)
{
    double was[3], s0, c0;
    lwi_two_angles angle;
    lwi_height_of(w->M, y_from, was);
    sincos_real(from[w->q[1]], &s0, &c0);
    if (!lwi_two_rotations(w->M, y, x, lwi_branch_of_two(was, s0, c0), &angle, gap)) {
        return false;
    }
    const bool is_moved[2] = {angle.is_first, angle.is_moved};
    for (int k = 0; k < 2; ++k) {
        const int at = w->q[k];
        if (is_moved[k]) {
            q[at] = angle_near(angle.sine[k], angle.cosine[k], from[at]);
            work->sine[at] = angle.sine[k];
            work->cosine[at] = angle.cosine[k];
        } else {
            q[at] = from[at];
            sincos_real(q[at], &work->sine[at], &work->cosine[at]);
        }
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
