// Wheels for a motion of the base.
//
// A steered wheel rolls without side slip where its axle goes through the axis that the base turns
// about. With the velocity u of the steering axis at the height of the contact, the trail e of the
// contact along the rolling direction and the rate w about the steering axis, the rolling direction
// stands at the angle asin(w e / |u|) to u, or at the supplement of that. An offset along the axle
// changes the speed alone.
#include "wheel_rows.h"

#include "../math/pi.h"
#include "../math/row_space.h"

#include <float.h>
#include <math.h>
#include <string.h>

// A motion of the base in world axes, and its origin.
typedef struct base_motion {
    lw_vec3 ang, lin, origin;
} base_motion;

static lw_vec3 velocity_at(const base_motion *base, lw_vec3 p)
{
    return lw_add3(base->lin, lw_cross3(base->ang, lw_sub3(p, base->origin)));
}

static lw_vec3 turned(const lw_mat3 *R, lw_vec3 about, lw_vec3 p)
{
    return lw_add3(about, lw_rotate(R, lw_sub3(p, about)));
}

// The wheel after its steering joint, with axis z through o, has turned by an angle.
static bool turn_wheel(const lw_wheel_info *wheel, lw_vec3 o, lw_vec3 z, double angle,
                       const lw_wheel_contact *from, lw_wheel_contact *to)
{
    const lw_mat3 R = lw_rotation(z, angle);
    to->center = turned(&R, o, from->center);
    to->axis = lw_rotate(&R, from->axis);
    return lwi_place_contact(wheel, from->normal, to);
}

static double wrapped(double angle)
{
    return angle > LWI_PI ? angle - 2 * LWI_PI : angle <= -LWI_PI ? angle + 2 * LWI_PI : angle;
}

// Of the two angles, and of each with whole turns, the nearest to 0 that is within the limits; or
// the limit that is nearest to one.
static double choose(const double turn[2], double now, const lw_dof *dof, bool has_limits, int only,
                     bool *is_at_limit, int *which)
{
    double best = HUGE_VAL, nearest = HUGE_VAL, clamped = 0.0;
    int clamped_which = 0;
    for (int k = 0; k < 6; ++k) {
        const int side = k % 2;
        const double x = turn[side] + 2 * LWI_PI * (k / 2 - 1);
        if (only >= 0 && side != only) {
            continue;
        }
        const double low = has_limits ? dof->lower : -HUGE_VAL;
        const double high = has_limits ? dof->upper : HUGE_VAL;
        if (now + x >= low && now + x <= high) {
            if (fabs(x) < fabs(best)) {
                best = x;
                *which = side;
            }
            continue;
        }
        const double edge = now + x < low ? low - now : high - now;
        if (fabs(x - edge) < nearest) {
            nearest = fabs(x - edge);
            clamped = edge;
            clamped_which = side;
        }
    }
    *is_at_limit = !isfinite(best);
    if (*is_at_limit) {
        *which = clamped_which;
        return clamped;
    }
    return best;
}

// Turns a wheel to where it rolls without side slip.
static bool steer(const lw_wheels *w, const lw_data *d, const base_motion *base, int k, double now,
                  bool has_limits, lw_wheel_contact *at, lw_wheel_command *command)
{
    const lw_wheel_info *wheel = &w->m->wheel[k];
    const lw_wheel_contact from = *at;
    const lw_pose *X = &d->X_WB[w->steer_body[k]];
    const lw_vec3 z = lw_vec3_of(X->R.row[0].z, X->R.row[1].z, X->R.row[2].z);
    const lw_vec3 arm = lw_sub3(at->point, X->p);
    const lw_vec3 foot = lw_add3(X->p, lw_scale3(lw_dot3(z, arm), z));
    const lw_vec3 along = lw_unit3(lw_sub3(at->forward, lw_scale3(lw_dot3(z, at->forward), z)));
    const lw_vec3 across = lw_cross3(z, along);
    const lw_vec3 u = velocity_at(base, foot);
    const double ux = lw_dot3(u, along), uy = lw_dot3(u, across), speed = hypot(ux, uy);
    const double trail = lw_dot3(along, arm), turn_rate = lw_dot3(base->ang, z) * trail;
    const double size =
        lw_norm3(base->lin) + lw_norm3(base->ang) * lw_norm3(lw_sub3(foot, base->origin));
    command->steer = now;
    command->is_held = !(speed > 1e-12 * size) && !(fabs(turn_rate) > 1e-12 * size);
    if (command->is_held) {
        return true;
    }
    const double lean = asin(fmax(-1.0, fmin(1.0, turn_rate / fmax(speed, DBL_MIN))));
    const double heading = atan2(uy, ux);
    const double turn[2] = {wrapped(heading + lean), wrapped(wrapped(heading - lean) + LWI_PI)};
    const int only =
        wheel->steering != LW_STEERING_CASTOR || fabs(trail) < 1e-12 ? -1 : trail > 0.0;
    int which = 0;
    double angle = choose(turn, now, &w->m->dof[wheel->steer], has_limits, only,
                          &command->is_at_limit, &which);
    if (!turn_wheel(wheel, X->p, z, angle, &from, at)) {
        return false;
    }
    // Where the steering axis is not the normal of the ground the contact moves a little.
    for (int i = 0; i < 8 && !command->is_at_limit; ++i) {
        const lw_vec3 now_u = velocity_at(base, at->point);
        const double slip = lw_dot3(at->side, now_u), roll = lw_dot3(at->forward, now_u);
        if (!(fabs(slip) > 4e-16 * size) || !(fabs(slip) < 0.5 * fabs(roll))) {
            break;
        }
        angle += slip / roll;
        if (!turn_wheel(wheel, X->p, z, angle, &from, at)) {
            return false;
        }
    }
    command->steer = now + angle;
    command->is_reversed = which == 1;
    return true;
}

static lw_vec3 in_base(const lw_wheels *w, lw_vec3 a)
{
    return lw_rotate_back(&w->X_WF.R, a);
}

// The side condition of a wheel in the plane of the base: velocities along x and y, and the rate of
// turn times a length.
static void side_row(const lw_wheels *w, int k, double length, double row[3])
{
    const lw_vec3 s = in_base(w, w->contact[k].side);
    const lw_vec3 c = in_base(w, lw_sub3(w->contact[k].point, w->X_WF.p));
    row[0] = s.x;
    row[1] = s.y;
    row[2] = (c.x * s.y - c.y * s.x) / length;
}

// An orthonormal basis, in w->A, of the side conditions of wheels that are not steered, or of all.
static int side_conditions(lw_wheels *w, bool with_steered, double length)
{
    const lw_model *m = w->m;
    int n = 0;
    for (int k = 0; k < m->nwheel; ++k) {
        const lw_wheel_info *wheel = &m->wheel[k];
        if (wheel->roller == 0.0 && (wheel->steering == LW_STEERING_NONE ||
                                     (with_steered && wheel->steering == LW_STEERING_DRIVEN))) {
            side_row(w, k, length, w->A + 3 * n);
            w->b[n++] = 0.0;
        }
    }
    return lwi_row_space(n, 3, 1e-9, w->A, w->b);
}

// Takes the part out of a motion in the plane of the base that wheels which are not steered cannot
// follow. Angles count by the mean distance of the wheels.
static void project(lw_wheels *w, lw_motion *twist)
{
    double square = 0.0;
    for (int k = 0; k < w->m->nwheel; ++k) {
        const lw_vec3 c = lw_sub3(w->contact[k].point, w->X_WF.p);
        square += lw_dot3(c, c) / w->m->nwheel;
    }
    const double length = sqrt(square);
    const int rank = side_conditions(w, false, length);
    double x[3] = {twist->lin.x, twist->lin.y, twist->ang.z * length};
    for (int i = 0; i < rank; ++i) {
        const double share = lwi_dot(3, w->A + 3 * i, x);
        for (int k = 0; k < 3; ++k) {
            x[k] -= share * w->A[3 * i + k];
        }
    }
    twist->lin.x = x[0];
    twist->lin.y = x[1];
    twist->ang.z = x[2] / length;
}

// The speed of a wheel that stands right, and what slips then.
static void roll(const lw_wheel_info *wheel, const base_motion *base, const lw_wheel_contact *at,
                 lw_wheel_command *command)
{
    const lw_vec3 u = velocity_at(base, at->point);
    const lw_vec3 spin = lw_cross3(at->axis, lw_sub3(at->point, at->center));
    const double radius = -lw_dot3(at->forward, spin);
    const double forward = lw_dot3(at->forward, u), side = lw_dot3(at->side, u);
    if (wheel->roller == 0.0) {
        command->speed = forward / radius;
        command->side_slip = side;
        return;
    }
    // The roller holds the ground along its axis alone.
    command->speed = (forward - side * cos(wheel->roller) / sin(wheel->roller)) / radius;
}

// Reduces all speeds alike until each is within its limit.
static void limit_speeds(const lw_wheels *w, bool has_limits, lw_wheel_command *command,
                         lw_drive_result *result)
{
    const lw_model *m = w->m;
    result->scale = 1.0;
    result->limiting = -1;
    for (int k = 0; k < m->nwheel && has_limits; ++k) {
        const double most = m->dof[m->wheel[k].axle].max_velocity;
        if (fabs(command[k].speed) * result->scale > most) {
            result->scale = most / fabs(command[k].speed);
            result->limiting = k;
        }
    }
    double sum = 0.0;
    for (int k = 0; k < m->nwheel; ++k) {
        command[k].speed *= result->scale;
        command[k].side_slip *= result->scale;
        sum += command[k].side_slip * command[k].side_slip;
    }
    result->twist.ang = lw_scale3(result->scale, result->twist.ang);
    result->twist.lin = lw_scale3(result->scale, result->twist.lin);
    result->slip = sqrt(sum);
}

static double tree_position(const lw_model *m, const lw_data *d, const double *q, int body)
{
    return (m->nstep ? d->tree_q : q)[m->q_start[body]];
}

lw_status lw_drive(const lw_model *m, lw_data *d, lw_wheels *wheels, const double *q,
                   const lw_motion *twist, const lw_drive_options *options,
                   lw_wheel_command *command, lw_drive_result *result)
{
    static const lw_drive_options usual = {0};
    const lw_drive_options *o = options ? options : &usual;
    if (!twist || !command || !result) {
        return LW_ERR_ARGUMENT;
    }
    if (!isfinite(lw_norm3(twist->ang)) || !isfinite(lw_norm3(twist->lin))) {
        return LW_ERR_NUMBER;
    }
    const lw_status status = lw_wheel_contacts(m, d, wheels, q, o->normal, NULL);
    if (status != LW_OK) {
        return status;
    }
    result->twist = *twist;
    if (o->projects) {
        project(wheels, &result->twist);
    }
    const lw_mat3 *R = &wheels->X_WF.R;
    const base_motion base = {lw_rotate(R, result->twist.ang), lw_rotate(R, result->twist.lin),
                              wheels->X_WF.p};
    for (int k = 0; k < m->nwheel; ++k) {
        lw_wheel_contact *at = &wheels->contact[k];
        command[k] = (lw_wheel_command){0};
        if (wheels->steer_body[k] >= 0 &&
            !steer(wheels, d, &base, k, tree_position(m, d, q, wheels->steer_body[k]),
                   !o->ignores_limits, at, &command[k])) {
            return LW_ERR_SINGULAR;
        }
        roll(&m->wheel[k], &base, at, &command[k]);
    }
    limit_speeds(wheels, !o->ignores_limits, command, result);
    return LW_OK;
}

lw_status lw_wheel_mobility(const lw_model *m, lw_data *d, lw_wheels *wheels, const double *q,
                            lw_mobility *mobility)
{
    if (!mobility) {
        return LW_ERR_ARGUMENT;
    }
    const lw_status status = lw_wheel_contacts(m, d, wheels, q, NULL, NULL);
    if (status != LW_OK) {
        return status;
    }
    const int fixed = side_conditions(wheels, false, 1.0);
    const int all = side_conditions(wheels, true, 1.0);
    mobility->mobility = 3 - all;
    mobility->steerability = all - fixed;
    return LW_OK;
}
