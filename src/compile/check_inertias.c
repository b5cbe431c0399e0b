// Numbers that left the range of double on the way, which are errors; inertias that no rigid body
// can have, and limits, references and centres of mass that were hardly meant. Those are
// computable, and many published robots have them, so each is a warning with its place, never a
// refusal and never a silent repair.
#include "build.h"

#include "../base/report.h"

#include <stdio.h>

// Eigenvalues of a symmetric tensor in ascending order, by the trigonometric form (Smith 1961).
static lw_vec3 principal_moments(const lw_sym3 *S)
{
    const double third = 2.0943951023931954923; // 2 pi / 3
    const double mean = (S->xx + S->yy + S->zz) / 3.0;
    const double a = S->xx - mean, b = S->yy - mean, c = S->zz - mean;
    const double off = S->xy * S->xy + S->xz * S->xz + S->yz * S->yz;
    const double p = sqrt((a * a + b * b + c * c + 2.0 * off) / 6.0);
    if (!(p > 0.0)) {
        return lw_vec3_of(mean, mean, mean);
    }
    const double det = a * (b * c - S->yz * S->yz) - S->xy * (S->xy * c - S->yz * S->xz) +
                       S->xz * (S->xy * S->yz - b * S->xz);
    const double r = fmax(-1.0, fmin(1.0, det / (2.0 * p * p * p)));
    const double angle = acos(r) / 3.0;
    const double high = mean + 2.0 * p * cos(angle);
    const double low = mean + 2.0 * p * cos(angle + third);
    return lw_vec3_of(low, 3.0 * mean - low - high, high);
}

static void check_link(lwi_build *b, const lwi_flat *flat, const lw_link_def *def)
{
    const lw_vec3 I = principal_moments(&def->inertia);
    const double size = fmax(fabs(I.x), fabs(I.z));
    const double slack = 1e-6 * size; // files give a few digits
    if (size == 0.0) {
        return; // a point mass, or nothing
    }
    if (def->mass == 0.0) {
        lwi_report_warning(b->report, flat->location, LW_DIAG_INERTIA_WITHOUT_MASS,
                           "link \"%s\": has inertia but no mass", flat->name);
    }
    if (I.x < -slack) {
        lwi_report_warning(b->report, flat->location, LW_DIAG_INERTIA_NOT_POSITIVE,
                           "link \"%s\": inertia is not positive, principal moments are "
                           "%.4g, %.4g, %.4g",
                           flat->name, I.x, I.y, I.z);
    } else if (I.x + I.y < I.z - slack) {
        lwi_report_warning(b->report, flat->location, LW_DIAG_INERTIA_TRIANGLE,
                           "link \"%s\": no body has principal moments %.4g, %.4g, %.4g: "
                           "the two smaller must add up to the largest or more",
                           flat->name, I.x, I.y, I.z);
    }
}

// Without squares that overflow.
static double length_of(lw_vec3 a)
{
    return hypot(hypot(a.x, a.y), a.z);
}

// How far the joints reach when they are stretched out, and no less than 1 m.
static double reach_of(const lwi_build *b)
{
    double reach = 1.0;
    for (int i = 0; i < b->nbody; ++i) {
        reach += length_of(b->body[i].X_PJ.p);
    }
    return reach;
}

// Millimetres read as metres put a centre of mass far outside of the mechanism.
static void check_centre(lwi_build *b, const lwi_flat *flat, const lw_link_def *def, double reach)
{
    const double distance = length_of(lw_placement_pose(&def->inertial).p);
    if (def->mass > 0.0 && distance > 10.0 * reach) {
        lwi_report_warning(b->report, flat->location, LW_DIAG_CENTRE_FAR,
                           "link \"%s\": its centre of mass is %.4g m away; the file may mean mm",
                           flat->name, distance);
    }
}

// Whole numbers of degrees that no joint with limits turns through in radians.
static bool is_in_degrees(const lw_joint_info *info, const lw_dof *f)
{
    const double largest = fmax(fabs(f->lower), fabs(f->upper));
    return info->type == LW_JOINT_REVOLUTE && largest >= 30.0 && largest <= 720.0 &&
           f->lower == floor(f->lower) && f->upper == floor(f->upper);
}

static void check_limits(lwi_build *b)
{
    int count = 0;
    const lwi_built_joint *first = NULL;
    double q = 0.0;
    const lw_dof *limit = NULL;
    for (int j = 0; j < b->njoint; ++j) {
        const lwi_built_joint *joint = &b->joint[j];
        const lw_joint_info *info = &joint->info;
        for (int i = 0; i < info->nv && joint->def && info->nq == info->nv; ++i) {
            const lw_dof *f = &joint->def->dof[i];
            const double at = b->tree_q_reference[info->q + i], slack = 1e-6 * fmax(1.0, fabs(at));
            if (is_in_degrees(info, f)) {
                lwi_report_warning(b->report, b->flat[joint->flat].location, LW_DIAG_LIMIT_DEGREES,
                                   "joint \"%s\": limits %g to %g rad look like degrees",
                                   info->name, f->lower, f->upper);
            }
            if (f->lower > f->upper || (at >= f->lower - slack && at <= f->upper + slack)) {
                continue;
            }
            if (count++ == 0) {
                first = joint;
                limit = f;
                q = at;
            }
        }
    }
    if (count > 0) {
        char others[40] = "";
        if (count > 1) {
            snprintf(others, sizeof others, ", and so are %d more", count - 1);
        }
        lwi_report_warning(b->report, b->flat[first->flat].location, LW_DIAG_REFERENCE_LIMIT,
                           "joint \"%s\": its reference position %g is outside its limits, %g to "
                           "%g%s",
                           first->info.name, q, limit->lower, limit->upper, others);
    }
}

static bool is_massless(const lw_inertia *inertia)
{
    const lw_sym3 *t = &inertia->tensor;
    return inertia->mass == 0.0 && t->xx == 0.0 && t->yy == 0.0 && t->zz == 0.0;
}

// A body without inertia beyond its joint has no forward dynamics. One warning for all of them:
// models for kinematics alone have many.
static lw_status check_tips(lwi_build *b)
{
    char *carries_mass = lwi_arena_take(b->arena, (size_t)b->nbody, 1);
    if (!carries_mass) {
        return lwi_build_no_memory(b);
    }
    int count = 0, first = -1;
    for (int i = b->nbody - 1; i >= 0; --i) {
        const lwi_built_body *body = &b->body[i];
        carries_mass[i] |= !is_massless(&body->inertia) || b->joint[body->joint].info.is_shaft;
        if (carries_mass[i]) {
            if (body->parent >= 0) {
                carries_mass[body->parent] = 1;
            }
        } else {
            ++count;
            first = i;
        }
    }
    if (count > 0) {
        const lwi_built_joint *joint = &b->joint[b->body[first].joint];
        const lw_location location =
            joint->flat >= 0 ? b->flat[joint->flat].location : (lw_location){0};
        lwi_report_warning(b->report, location, LW_DIAG_JOINT_WITHOUT_MASS,
                           "nothing beyond joint \"%s\"%s has mass: inverse dynamics works, "
                           "forward dynamics will not",
                           joint->info.name, count > 1 ? " and some others" : "");
    }
    return LW_OK;
}

// Zero times a number that is not finite is not zero.
static bool is_finite_pose(const lw_pose *X)
{
    double sum = 0.0 * X->p.x + 0.0 * X->p.y + 0.0 * X->p.z;
    for (int i = 0; i < 3; ++i) {
        sum += 0.0 * X->R.row[i].x + 0.0 * X->R.row[i].y + 0.0 * X->R.row[i].z;
    }
    return sum == 0.0;
}

static bool is_finite_inertia(const lw_inertia *inertia)
{
    const lw_vec3 h = inertia->first_moment;
    const lw_sym3 *t = &inertia->tensor;
    return 0.0 * (inertia->mass + h.x + h.y + h.z) + 0.0 * (t->xx + t->yy + t->zz) +
               0.0 * (t->xy + t->xz + t->yz) ==
           0.0;
}

static void check_part(lwi_build *b, int f)
{
    const lwi_flat *flat = &b->flat[f];
    const lwi_part *part = part_of(b, flat);
    int body;
    bool is_finite = is_finite_pose(&flat->X_BA);
    if (flat->kind == LW_PART_JOINT) {
        is_finite = is_finite && is_finite_pose(&b->joint[flat->joint].X_Bb);
    }
    for (int i = 0; i < part->nframe; ++i) {
        const lw_pose X = lwi_port_pose(b, f, LWI_PORT_FIRST_FRAME + i, &body);
        is_finite = is_finite && is_finite_pose(&X);
    }
    if (!is_finite) {
        lwi_report_error(b->report, flat->location, LW_ERR_NUMBER,
                         "%s \"%s\": its placement is too far away to compute with",
                         lw_part_kind_name(flat->kind), flat->name);
    }
}

// Of the link that gives a body its name, or else of what moves it.
static lw_location body_location(const lwi_build *b, const lwi_built_body *body)
{
    for (int i = 0; i < b->norder; ++i) {
        const lwi_flat *flat = &b->flat[b->order[i]];
        if (flat->kind == LW_PART_LINK && flat->name == body->name) {
            return flat->location;
        }
    }
    const int flat = b->joint[body->joint].flat;
    return flat >= 0 ? b->flat[flat].location : (lw_location){0};
}

static void check_numbers(lwi_build *b)
{
    for (int i = 0; i < b->norder; ++i) {
        check_part(b, b->order[i]);
    }
    for (int i = 0; i < b->nbody; ++i) {
        if (!is_finite_inertia(&b->body[i].inertia)) {
            lwi_report_error(b->report, body_location(b, &b->body[i]), LW_ERR_NUMBER,
                             "link \"%s\": mass or inertia, with what is fixed to it, is too large "
                             "to compute with",
                             b->body[i].name);
        }
    }
    for (int j = 0; j < b->njoint; ++j) {
        const lw_joint_info *info = &b->joint[j].info;
        const int flat = b->joint[j].flat;
        for (int i = info->q; i < info->q + info->nq; ++i) {
            if (!isfinite(b->tree_q_reference[i])) {
                lwi_report_error(b->report, flat >= 0 ? b->flat[flat].location : (lw_location){0},
                                 LW_ERR_NUMBER, "\"%s\": its reference position is not finite",
                                 b->tree_q_name[i]);
            }
        }
    }
}

lw_status lwi_pass_check(lwi_build *b)
{
    check_numbers(b);
    check_limits(b);
    const double reach = reach_of(b);
    for (int i = 0; i < b->norder; ++i) {
        const lwi_flat *flat = &b->flat[b->order[i]];
        if (part_of(b, flat)->nshape > 0 && lwi_check_shapes(b, flat) != LW_OK) {
            return LW_ERR_MEMORY;
        }
        if (flat->kind == LW_PART_WHEEL) {
            lwi_check_wheel(b, flat);
        }
        if (flat->kind == LW_PART_LINK) {
            const lw_link_def *def = as_link(part_of(b, flat));
            check_link(b, flat, def);
            check_centre(b, flat, def, reach);
        }
    }
    return check_tips(b);
}
