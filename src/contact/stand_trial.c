// A vehicle in a pose that is tried: where its wheels touch, and how gaps and energy change.
#include "stand.h"

#include "../kin/closure.h"
#include "../math/invert.h"

#include <linkwork/kinematics.h>

#include <math.h>

// q of the base: roll about x, then pitch about y, then heading about z.
static void set_base(standing *s)
{
    const stance_pose *p = &s->pose;
    const double a = cos(0.5 * p->heading), b = sin(0.5 * p->heading), c = cos(0.5 * p->pitch);
    const double e = sin(0.5 * p->pitch), f = cos(0.5 * p->roll), g = sin(0.5 * p->roll);
    const double q[7] = {p->x,
                         p->y,
                         p->z,
                         a * c * f + b * e * g,
                         a * c * g - b * e * f,
                         a * e * f + b * c * g,
                         b * c * f - a * e * g};
    memcpy(s->q + s->at, q, sizeof q);
}

static double *joint_of(const standing *s, int k)
{
    return &s->q[lw_position_of_dof(s->m, s->w->unknown[k])];
}

// The wheel of a bound that is a contact.
static int wheel_of(const standing *s, int bound)
{
    return bound % s->m->nwheel;
}

// The derivative of the gap of contact k: its velocity along the normal.
static void fill_wheel_row(standing *s, int k)
{
    const lw_model *m = s->m;
    lw_wheels *w = s->w;
    const lw_wheel_contact *at = &w->contact[k];
    const lw_pose *X = &s->d->X_WB[w->base];
    const lw_vec3 arm = lw_sub3(at->point, X->p), n = at->normal;
    const lw_vec3 across = lw_vec3_of(-sin(s->pose.heading), cos(s->pose.heading), 0.0);
    const lw_vec3 ahead = lw_vec3_of(X->R.row[0].x, X->R.row[1].x, X->R.row[2].x);
    const double *tree_q = m->nstep ? s->d->tree_q : s->q, *out = w->tree_row;
    double *row = bound_row(w, k);
    row[0] = n.z;
    row[1] = lw_dot3(n, lw_cross3(across, arm));
    row[2] = lw_dot3(n, lw_cross3(ahead, arm));
    lwi_wheel_row(s->d, w, tree_q, m->wheel[wheel_of(s, k)].body, at->point, n);
    w->tree_row[m->wheel[wheel_of(s, k)].axle] = 0.0;
    if (m->nstep) {
        lwi_closure_transpose(m, s->d, w->tree_row, 1, w->row);
        out = w->row;
    }
    for (int i = 3; i < w->nunknown; ++i) {
        row[i] = out[w->unknown[i - 3]];
    }
}

// Keeps what was found of contact k.
static lw_status keep_contact(standing *s, int k, lw_status status)
{
    lw_wheels *w = s->w;
    if (status == LW_ERR_ARGUMENT) {
        s->result->outside = wheel_of(s, k);
    }
    if (status == LW_OK && isfinite(w->gap[k])) {
        w->touch[2 * k] = w->contact[k].point.x - w->contact[k].center.x;
        w->touch[2 * k + 1] = w->contact[k].point.y - w->contact[k].center.y;
        fill_wheel_row(s, k);
    }
    return status;
}

static lw_status touch_wheel(standing *s, int k, const double *start)
{
    const lw_wheel_info *info = &s->m->wheel[wheel_of(s, k)];
    return keep_contact(s, k, lwi_touch(s->terrain, info, start, &s->w->contact[k], &s->w->gap[k]));
}

// Follows contact k of a wheel, until it is the one of an earlier place.
static lw_status touch_again(standing *s, int k, const double *start)
{
    lw_wheels *w = s->w;
    const lw_status status = touch_wheel(s, k, start);
    for (int at = wheel_of(s, k); at < k && isfinite(w->gap[k]); at += s->m->nwheel) {
        const double apart = lw_norm3(lw_sub3(w->contact[k].point, w->contact[at].point));
        if (status == LW_OK &&
            (isinf(w->gap[at]) || apart >= 1e-3 * s->m->wheel[wheel_of(s, k)].radius)) {
            continue;
        }
        w->gap[k] = HUGE_VAL;
        for (int i = 0; i < w->nunknown; ++i) {
            w->active[i] = w->active[i] == k ? at : w->active[i];
        }
    }
    return status;
}

lw_status lwi_stand_look(standing *s, int wheel)
{
    lw_wheels *w = s->w;
    const lw_wheel_contact *known[WHEEL_PLACES] = {&w->contact[wheel]};
    int n = 1, other = -1;
    for (int k = wheel + s->m->nwheel; k < wheel_places(s->m); k += s->m->nwheel) {
        if (isfinite(w->gap[k]) && is_active(w, k)) {
            known[n++] = &w->contact[k];
        } else {
            w->gap[k] = HUGE_VAL;
            other = other < 0 ? k : other;
        }
    }
    return other < 0 ? LW_OK
                     : keep_contact(s, other,
                                    lwi_touch_other(s->terrain, &s->m->wheel[wheel], n, known,
                                                    &w->contact[other], &w->gap[other]));
}

int lwi_nearest_place(const lw_wheels *w, int wheel)
{
    int nearest = wheel;
    for (int k = wheel; k < wheel_places(w->m); k += w->m->nwheel) {
        nearest = w->gap[k] < w->gap[nearest] ? k : nearest;
    }
    return nearest;
}

lw_status lwi_stand_evaluate(standing *s)
{
    lw_wheels *w = s->w;
    const int nwheel = s->m->nwheel, nplace = wheel_places(s->m);
    set_base(s);
    lw_status status = lw_forward_position(s->m, s->d, s->q);
    if (status == LW_OK && !lwi_closure_rates(s->m, s->d)) {
        status = lwi_closure_status(s->d);
    }
    if (status != LW_OK) {
        return status;
    }
    lwi_place_wheels(s->d, w);
    for (int k = nwheel; k < nplace; ++k) {
        w->contact[k].center = w->contact[k - nwheel].center;
        w->contact[k].axis = w->contact[k - nwheel].axis;
    }
    for (int k = 0; k < nplace && status == LW_OK; ++k) {
        const lw_vec3 center = w->contact[wheel_of(s, k)].center;
        const double start[2] = {center.x + w->touch[2 * k], center.y + w->touch[2 * k + 1]};
        if (k < nwheel) {
            status = touch_wheel(s, k, w->is_warm ? start : NULL);
        } else if (!w->is_warm) {
            w->gap[k] = HUGE_VAL;
        } else if (isfinite(w->gap[k]) && (!s->is_thorough || is_active(w, k))) {
            status = touch_again(s, k, start);
        }
    }
    for (int k = 0; k < nwheel && s->is_thorough && w->is_warm && status == LW_OK; ++k) {
        status = lwi_stand_look(s, k);
    }
    w->is_warm = status == LW_OK;
    for (int k = 0; k < w->nunknown - 3; ++k) {
        const lw_dof *dof = &s->m->dof[s->m->v_tree[w->unknown[k]]];
        const double q = *joint_of(s, k);
        for (int side = 0; side < 2; ++side) {
            const int bound = nplace + 2 * k + side;
            double *row = bound_row(w, bound);
            memset(row, 0, (size_t)w->nunknown * sizeof *row);
            row[3 + k] = side ? -1.0 : 1.0;
            w->gap[bound] = side ? dof->upper - q : q - dof->lower;
        }
    }
    return status;
}

lw_status lwi_stand_gradient(standing *s)
{
    lw_wheels *w = s->w;
    lw_vec3 center;
    const lw_status status = lw_center_of_mass(s->m, s->d, s->q, &center, w->center_J);
    if (status != LW_OK) {
        return status;
    }
    const lw_pose *X = &s->d->X_WB[w->base];
    const lw_vec3 weight = lw_scale3(-s->m->mass, s->m->gravity), arm = lw_sub3(center, X->p);
    const lw_vec3 across = lw_vec3_of(-sin(s->pose.heading), cos(s->pose.heading), 0.0);
    const lw_vec3 ahead = lw_vec3_of(X->R.row[0].x, X->R.row[1].x, X->R.row[2].x);
    s->energy = lw_dot3(weight, center) / lw_norm3(weight);
    w->gradient[0] = weight.z;
    w->gradient[1] = lw_dot3(weight, lw_cross3(across, arm));
    w->gradient[2] = lw_dot3(weight, lw_cross3(ahead, arm));
    for (int i = 3; i < w->nunknown; ++i) {
        const double *J = w->center_J + w->unknown[i - 3];
        const int nv = s->m->nv;
        w->gradient[i] = weight.x * J[0] + weight.y * J[nv] + weight.z * J[2 * nv];
    }
    return LW_OK;
}

void lwi_stand_move(standing *s, const double *step, double share)
{
    s->pose.z += share * step[0];
    s->pose.pitch += share * step[1];
    s->pose.roll += share * step[2];
    for (int i = 3; i < s->w->nunknown; ++i) {
        *joint_of(s, i - 3) += share * step[i];
    }
}

bool lwi_stand_invert(lw_wheels *w)
{
    const int n = w->nunknown;
    for (int i = 0; i < n; ++i) {
        memcpy(w->matrix + i * n, bound_row(w, w->active[i]), (size_t)n * sizeof *w->matrix);
    }
    return lwi_invert(n, w->matrix, w->inverse, 1e-9);
}

void lwi_stand_forces(lw_wheels *w)
{
    const int n = w->nunknown;
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int k = 0; k < n; ++k) {
            sum += w->inverse[k * n + i] * w->gradient[k];
        }
        w->force[i] = sum;
    }
}
