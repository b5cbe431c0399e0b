// Wheels: the joint that turns each, and the one that steers it.
#include "pack.h"

#include <math.h>

// How far the axis of the axle may be off the wheel: by rounding of what a person types, no more.
static const double rounded = 1e-6;

// Without the rounding of what was typed.
static double typed(double x)
{
    return rounded * round(x / rounded) + 0.0; // no -0
}

// The axis of a wheel in the body that it is fixed to.
static lw_vec3 axis_of(const lwi_build *b, const lwi_flat *flat)
{
    return lw_rotate(&flat->X_BA.R, lw_unit3(as_wheel(part_of(b, flat))->axis));
}

// Whether the joint that carries the body turns it about the axis of the wheel, and through its
// centre. Such a joint acts about z of the body's own frame.
static bool is_turned(const lwi_build *b, const lwi_flat *flat)
{
    return flat->body >= 0 && b->body[flat->body].carrier == LW_TREE_REVOLUTE;
}

static bool is_along_axle(const lwi_build *b, const lwi_flat *flat)
{
    const lw_vec3 axis = axis_of(b, flat);
    return hypot(axis.x, axis.y) < rounded;
}

static bool is_on_axle(const lwi_build *b, const lwi_flat *flat)
{
    const lw_vec3 p = flat->X_BA.p;
    return hypot(p.x, p.y) < rounded * as_wheel(part_of(b, flat))->radius;
}

// What is wrong with the axle of a wheel, and what `axis` would be right.
static void refuse_axle(lwi_build *b, const lwi_flat *flat)
{
    const char *carrier = flat->body < 0 ? "the ground" : b->body[flat->body].name;
    carrier = carrier ? carrier : "its link";
    if (!is_turned(b, flat)) {
        lwi_report_error(b->report, flat->location, LW_ERR_MODEL,
                         "wheel \"%s\" has no axle: %s is not carried by a revolute joint",
                         flat->name, carrier);
    } else if (!is_along_axle(b, flat)) {
        const lw_vec3 z = lw_rotate_back(&flat->X_BA.R, lw_vec3_of(0.0, 0.0, 1.0));
        lwi_report_error(b->report, flat->location, LW_ERR_MODEL,
                         "wheel \"%s\" has no axle: the joint of %s turns about another axis, "
                         "(%.6g, %.6g, %.6g) here",
                         flat->name, carrier, typed(z.x), typed(z.y), typed(z.z));
    } else {
        lwi_report_error(b->report, flat->location, LW_ERR_MODEL,
                         "wheel \"%s\" has no axle: its centre is %.6g m beside the axis of the "
                         "joint of %s",
                         flat->name, hypot(flat->X_BA.p.x, flat->X_BA.p.y), carrier);
    }
}

// The next body above whose revolute joint acts about another direction than the axle, at zero
// positions; -1 where there is none.
static int find_steering(const lwi_build *b, const lwi_flat *flat)
{
    static const double across = 0.87; // cosine of 30 degrees: suspensions are nearer to the axle
    lw_vec3 axis = axis_of(b, flat);
    for (int i = flat->body; i >= 0; i = b->body[i].parent) {
        const lwi_built_body *body = &b->body[i];
        if (i != flat->body && body->carrier == LW_TREE_REVOLUTE && fabs(axis.z) < across) {
            return i;
        }
        axis = lw_rotate(&body->X_PJ.R, axis);
    }
    return -1;
}

void lwi_check_wheel(lwi_build *b, const lwi_flat *flat)
{
    if (!is_turned(b, flat) || !is_along_axle(b, flat) || !is_on_axle(b, flat)) {
        refuse_axle(b, flat);
    } else if (as_wheel(part_of(b, flat))->steering != LW_STEERING_NONE &&
               find_steering(b, flat) < 0) {
        lwi_report_error(b->report, flat->location, LW_ERR_MODEL,
                         "wheel \"%s\" is steered, but no revolute joint above its axle turns "
                         "about another direction",
                         flat->name);
    }
}

void lwi_put_wheels(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    m->nwheel = 0;
    for (int i = 0; i < b->norder; ++i) {
        m->nwheel += b->flat[b->order[i]].kind == LW_PART_WHEEL;
    }
    lw_wheel_info *wheel = lwi_slice(s, (size_t)m->nwheel, sizeof *wheel);
    int n = 0;
    for (int f = 0; f < b->nflat; ++f) {
        const lwi_flat *flat = &b->flat[f];
        if (flat->kind != LW_PART_WHEEL || flat->is_left_out) {
            continue;
        }
        const char *name = lwi_put_text(s, flat->name);
        if (wheel) {
            const lw_wheel_def *def = as_wheel(part_of(b, flat));
            const int steer = def->steering == LW_STEERING_NONE ? -1 : find_steering(b, flat);
            lw_wheel_info *at = &wheel[n++]; // field by field: padding stays zero for the hash
            at->name = name;
            at->body = flat->body;
            at->center = flat->X_BA.p;
            at->axis = axis_of(b, flat);
            at->radius = def->radius;
            at->width = def->width;
            at->section = def->section;
            at->roller = def->roller;
            at->driven = def->driven;
            at->steering = def->steering;
            at->axle = b->body[flat->body].v;
            at->axle_sign = at->axis.z < 0.0 ? -1.0 : 1.0;
            at->steer = steer < 0 ? -1 : b->body[steer].v;
        }
    }
    m->wheel = wheel;
}
