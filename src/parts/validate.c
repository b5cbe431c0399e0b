// Only what one definition can tell by itself is checked here; what needs the whole machine is
// checked by the compile.
#include "validate.h"

#include "../base/report.h"

#include <string.h>

static bool all_finite(const double *value, int n)
{
    for (int i = 0; i < n; ++i) {
        if (!isfinite(value[i])) {
            return false;
        }
    }
    return true;
}

static bool is_finite3(lw_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

void lwi_check_name(lw_mech *mech, lwi_kind kind, const char *name, lw_location location)
{
    if (!*name) {
        lwi_report_error(mech->bad, location, LW_ERR_NAME, "a %s needs a name",
                         lwi_kind_name(kind));
    } else if (strlen(name) > LWI_NAME_LIMIT) {
        lwi_report_error(mech->bad, location, LW_ERR_LIMIT, "a %s's name has more than %d bytes",
                         lwi_kind_name(kind), LWI_NAME_LIMIT);
    }
}

void lwi_report_duplicate(lw_mech *mech, lwi_kind kind, const char *name, lw_location location,
                          lw_location first)
{
    char text[LWI_LOCATION_SIZE];
    lwi_location_text(first, text);
    lwi_report_error(mech->bad, location, LW_ERR_NAME, "there is another %s named \"%s\"%s%s",
                     lwi_kind_name(kind), name, *text ? ", at " : "", text);
}

// A rotation matrix may carry the rounding of the few digits a person types, no more.
static void check_placement(lw_mech *mech, const lw_placement *placement, lw_location location,
                            const char *what, const char *name)
{
    static const int count[] = {0, 6, 7, 12, 4};
    if ((int)placement->form < 0 || placement->form > LW_PLACEMENT_DH) {
        lwi_report_error(mech->bad, location, LW_ERR_ARGUMENT,
                         "%s \"%s\": unknown form of placement", what, name);
        return;
    }
    static const double no_length = 1e-12; // of the square: shorter ones have no digits to trust
    static const double rounded = 1e-6;    // matrices in files have six digits and more
    const double *v = placement->value;
    if (!all_finite(v, count[placement->form])) {
        lwi_report_error(mech->bad, location, LW_ERR_NUMBER, "%s \"%s\": placement is not finite",
                         what, name);
        return;
    }
    if (placement->form == LW_PLACEMENT_QUAT &&
        !(v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[6] * v[6] > no_length)) {
        lwi_report_error(mech->bad, location, LW_ERR_MODEL, "%s \"%s\": quaternion has no length",
                         what, name);
    }
    if (placement->form == LW_PLACEMENT_MATRIX) {
        const lw_pose X = lw_placement_pose(placement);
        const lw_mat3 T = lw_transpose3(&X.R);
        const lw_mat3 E = lw_mul3(&X.R, &T);
        double error = 0.0;
        for (int i = 0; i < 3; ++i) {
            error = fmax(error, fabs(E.row[i].x - (i == 0)));
            error = fmax(error, fabs(E.row[i].y - (i == 1)));
            error = fmax(error, fabs(E.row[i].z - (i == 2)));
        }
        const double det = lw_dot3(X.R.row[0], lw_cross3(X.R.row[1], X.R.row[2]));
        if (!(error < rounded) || det < 0.0) {
            lwi_report_error(
                mech->bad, location, LW_ERR_MODEL,
                "%s \"%s\": the matrix is not a rotation (R R' differs from 1 by %.2g)", what, name,
                det < 0.0 ? 2.0 : error);
        }
    }
}

void lwi_check_role(lw_mech *mech, lw_role role, lw_location location, const char *what,
                    const char *name)
{
    if ((int)role < 0 || role > LW_ROLE_TRANSMISSION) {
        lwi_report_error(mech->bad, location, LW_ERR_ARGUMENT, "%s \"%s\": unknown role", what,
                         name);
    }
}

void lwi_check_ground(lw_mech *mech, const lw_ground_def *def, lw_part part)
{
    const lw_location location = mech->part.at[part.index].location;
    if (mech->ground >= 0) {
        char text[LWI_LOCATION_SIZE];
        lwi_location_text(mech->part.at[mech->ground].location, text);
        lwi_report_error(mech->bad, location, LW_ERR_MODEL, "there is a ground already%s%s",
                         *text ? ", at " : "", text);
    }
    if (!is_finite3(def->gravity)) {
        lwi_report_error(mech->bad, location, LW_ERR_NUMBER, "gravity is not finite");
    }
}

void lwi_check_link(lw_mech *mech, const lw_link_def *def, lw_part part)
{
    const lw_location location = mech->part.at[part.index].location;
    const char *name = mech->part.at[part.index].name;
    const double tensor[] = {def->inertia.xx, def->inertia.yy, def->inertia.zz,
                             def->inertia.xy, def->inertia.xz, def->inertia.yz};
    if (!isfinite(def->mass) || !all_finite(tensor, 6)) {
        lwi_report_error(mech->bad, location, LW_ERR_NUMBER,
                         "link \"%s\": mass and inertia must be finite", name);
    } else if (def->mass < 0.0) {
        lwi_report_error(mech->bad, location, LW_ERR_MODEL,
                         "link \"%s\": mass is %g, must not be negative", name, def->mass);
    }
    check_placement(mech, &def->inertial, location, "link", name);
    check_placement(mech, &def->b, location, "link", name);
    lwi_check_role(mech, def->role, location, "link", name);
}

static void check_dof(lw_mech *mech, const lw_dof *f, lw_location location, const char *name)
{
    const double amount[] = {f->damping, f->friction, f->rotor_inertia, f->stiffness};
    static const char *const word[] = {"damping", "friction", "rotor inertia", "stiffness"};
    for (int i = 0; i < 4; ++i) {
        if (!isfinite(amount[i])) {
            lwi_report_error(mech->bad, location, LW_ERR_NUMBER, "joint \"%s\": %s is not finite",
                             name, word[i]);
        } else if (amount[i] < 0.0) {
            lwi_report_warning(mech->bad, location, LW_DIAG_COEFFICIENT_NEGATIVE,
                               "joint \"%s\": %s is %g, negative", name, word[i], amount[i]);
        }
    }
    if (!isfinite(f->spring_rest) || !isfinite(f->reference)) {
        lwi_report_error(mech->bad, location, LW_ERR_NUMBER,
                         "joint \"%s\": reference and spring rest must be finite", name);
    }
    if (isnan(f->lower) || isnan(f->upper) || isnan(f->max_velocity) ||
        isnan(f->max_acceleration) || isnan(f->max_force)) {
        lwi_report_error(mech->bad, location, LW_ERR_NUMBER,
                         "joint \"%s\": a limit is not a number", name);
    } else if (f->lower > f->upper) {
        lwi_report_warning(mech->bad, location, LW_DIAG_LIMIT_ORDER,
                           "joint \"%s\": lower limit %g is above the upper, %g", name, f->lower,
                           f->upper);
    } else if (f->max_velocity < 0.0 || f->max_acceleration < 0.0 || f->max_force < 0.0) {
        lwi_report_warning(mech->bad, location, LW_DIAG_LIMIT_NEGATIVE,
                           "joint \"%s\": a limit of velocity, acceleration or effort is negative",
                           name);
    }
}

static bool uses_axis(lw_joint_type type)
{
    return type != LW_JOINT_FIXED && type != LW_JOINT_SPHERICAL && type != LW_JOINT_FREE &&
           type != LW_JOINT_USER;
}

static bool has_direction(lw_vec3 axis)
{
    return is_finite3(axis) && (axis.x != 0.0 || axis.y != 0.0 || axis.z != 0.0);
}

static void check_axes(lw_mech *mech, const lw_joint_def *def, lw_location location,
                       const char *name)
{
    if (!uses_axis(def->type)) {
        return;
    }
    if (!has_direction(def->axis)) {
        lwi_report_error(mech->bad, location, LW_ERR_MODEL,
                         "joint \"%s\": axis (%g, %g, %g) has no direction", name, def->axis.x,
                         def->axis.y, def->axis.z);
        return;
    }
    if (def->type == LW_JOINT_UNIVERSAL) {
        // Two turns about nearly one line are one degree of freedom with a number of digits lost.
        if (!has_direction(def->axis2) ||
            !(lw_norm3(lw_cross3(lw_unit3(def->axis), lw_unit3(def->axis2))) > 1e-6)) {
            lwi_report_error(mech->bad, location, LW_ERR_MODEL,
                             "joint \"%s\": the two axes of a universal joint must not be parallel",
                             name);
        }
    }
    if (def->type == LW_JOINT_SCREW && !isfinite(def->pitch)) {
        lwi_report_error(mech->bad, location, LW_ERR_NUMBER, "joint \"%s\": pitch is not finite",
                         name);
    }
}

static void check_branch(lw_mech *mech, int branch, lw_location location, const char *what,
                         const char *name)
{
    if (branch < -1 || branch > LW_BRANCH_OTHER) {
        lwi_report_error(mech->bad, location, LW_ERR_ARGUMENT,
                         "%s \"%s\": branch is 1, -1, 0 or the other", what, name);
    }
}

// Whether a placement has a rotation, beyond rounding.
static bool turns(const lw_placement *placement)
{
    const lw_pose X = lw_placement_pose(placement);
    const lw_mat3 one = lw_mat3_identity();
    double off = 0.0;
    for (int i = 0; i < 3; ++i) {
        off = fmax(off, lw_norm3(lw_sub3(X.R.row[i], one.row[i])));
    }
    return off > 1e-9;
}

void lwi_check_joint(lw_mech *mech, const lw_joint_def *def, lw_part part)
{
    const lw_location location = mech->part.at[part.index].location;
    const char *name = mech->part.at[part.index].name;
    if ((int)def->type < 0 || def->type > LW_JOINT_USER) {
        lwi_report_error(mech->bad, location, LW_ERR_ARGUMENT, "joint \"%s\": unknown type", name);
        return;
    }
    check_branch(mech, def->branch, location, "joint", name);
    if (def->branch != 0 && !def->closing) {
        lwi_report_error(mech->bad, location, LW_ERR_MODEL,
                         "joint \"%s\": only what closes a loop has a branch", name);
    }
    if ((int)def->sides < 0 || def->sides > LW_SIDES_REFERENCE) {
        lwi_report_error(mech->bad, location, LW_ERR_ARGUMENT, "joint \"%s\": unknown sides", name);
    }
    if (def->sides != LW_SIDES_FRAMES && !def->closing) {
        lwi_report_error(mech->bad, location, LW_ERR_MODEL,
                         "joint \"%s\": only a joint that closes a loop has sides", name);
    }
    if (def->sides == LW_SIDES_REFERENCE && def->after.form != LW_PLACEMENT_IDENTITY) {
        lwi_report_error(
            mech->bad, location, LW_ERR_MODEL,
            "joint \"%s\": its other side follows from the reference configuration, so "
            "nothing is placed after it",
            name);
    }
    if (def->sides == LW_SIDES_POINTS && turns(&def->after)) {
        lwi_report_error(mech->bad, location, LW_ERR_MODEL,
                         "joint \"%s\": its other side is a point, with the directions of the "
                         "reference configuration, so nothing turns it after the joint",
                         name);
    }
    check_axes(mech, def, location, name);
    check_placement(mech, &def->before, location, "joint", name);
    check_placement(mech, &def->after, location, "joint", name);
    lwi_check_role(mech, def->role, location, "joint", name);
    if (def->type == LW_JOINT_USER &&
        (def->user.nv < 1 || def->user.nv > LW_MAX_DOF || !def->user.pose || !def->user.motion)) {
        lwi_report_error(
            mech->bad, location, LW_ERR_ARGUMENT,
            "joint \"%s\": a user joint needs 1 to %d degrees of freedom and the callbacks "
            "pose and motion",
            name, LW_MAX_DOF);
        return;
    }
    const int nv = def->type == LW_JOINT_USER ? def->user.nv : lw_joint_type_nv(def->type);
    for (int i = 0; i < nv; ++i) {
        check_dof(mech, &def->dof[i], location, name);
    }
}

void lwi_check_load(lw_mech *mech, const lw_load_def *def, lw_part part)
{
    const lwi_part *p = &mech->part.at[part.index];
    if (!is_finite3(def->force) || !is_finite3(def->torque)) {
        lwi_report_error(mech->bad, p->location, LW_ERR_NUMBER,
                         "load \"%s\": force and torque must be finite", p->name);
    }
    if (def->axes != LW_IN_FRAME && def->axes != LW_IN_WORLD) {
        lwi_report_error(mech->bad, p->location, LW_ERR_ARGUMENT,
                         "load \"%s\": its axes are neither the frame's nor the world's", p->name);
    }
}

void lwi_check_rod(lw_mech *mech, const lw_rod_def *def, lw_part part)
{
    const lwi_part *p = &mech->part.at[part.index];
    if (!isfinite(def->length) || !isfinite(def->mass) || def->length < 0.0 || def->mass < 0.0) {
        lwi_report_error(mech->bad, p->location, LW_ERR_MODEL,
                         "rod \"%s\": length and mass must be finite and not negative", p->name);
    }
    lwi_check_role(mech, def->role, p->location, "rod", p->name);
    check_branch(mech, def->branch, p->location, "rod", p->name);
}

void lwi_check_gear(lw_mech *mech, const lw_gear_def *def)
{
    const char *name = def->name ? def->name : "";
    if ((int)def->type < 0 || def->type > LW_GEAR_PLANETARY) {
        lwi_report_error(mech->bad, def->location, LW_ERR_ARGUMENT, "gear \"%s\": unknown type",
                         name);
    }
    if (!def->wheel[0] || !*def->wheel[0] || !def->wheel[1] || !*def->wheel[1]) {
        lwi_report_error(mech->bad, def->location, LW_ERR_NAME, "gear \"%s\": names two wheels",
                         name);
    }
    const bool has_carrier = def->carrier && *def->carrier;
    if (has_carrier != (def->type == LW_GEAR_PLANETARY)) {
        lwi_report_error(mech->bad, def->location, LW_ERR_NAME,
                         has_carrier ? "gear \"%s\": only a planetary gear names a carrier"
                                     : "gear \"%s\": a planetary gear names its carrier",
                         name);
    }
    for (int k = 0; k < 2; ++k) {
        if (!isfinite(def->size[k]) || !(def->size[k] > 0.0)) {
            lwi_report_error(mech->bad, def->location, LW_ERR_MODEL,
                             "gear \"%s\": radii, teeth or ratio must be positive", name);
            break;
        }
    }
    lwi_check_role(mech, def->role, def->location, "gear", name);
    if (def->hand != 1 && def->hand != -1) {
        lwi_report_error(mech->bad, def->location, LW_ERR_ARGUMENT,
                         "gear \"%s\": a worm is right-handed (1) or left-handed (-1)", name);
    }
}

void lwi_check_frame(lw_mech *mech, const lwi_part *owner, const lwi_part_frame *frame, int twin)
{
    if (!*frame->name) {
        lwi_report_error(mech->bad, frame->location, LW_ERR_NAME, "%s \"%s\": a frame needs a name",
                         lwi_kind_name(owner->kind), owner->name);
    } else if (strlen(frame->name) > LWI_NAME_LIMIT) {
        lwi_report_error(mech->bad, frame->location, LW_ERR_LIMIT,
                         "%s \"%s\": a frame's name has more than %d bytes",
                         lwi_kind_name(owner->kind), owner->name, LWI_NAME_LIMIT);
    }
    if (strcmp(frame->name, "a") == 0 || strcmp(frame->name, "b") == 0) {
        lwi_report_error(mech->bad, frame->location, LW_ERR_NAME,
                         "%s \"%s\": frame \"%s\" needs another name, every link has ports a and b",
                         lwi_kind_name(owner->kind), owner->name, frame->name);
    }
    if (twin >= 0) {
        char text[LWI_LOCATION_SIZE];
        lwi_location_text(mech->frame.at[twin].location, text);
        lwi_report_error(mech->bad, frame->location, LW_ERR_NAME,
                         "%s \"%s\" has another frame named \"%s\"%s%s", lwi_kind_name(owner->kind),
                         owner->name, frame->name, *text ? ", at " : "", text);
    }
    check_placement(mech, &frame->placement, frame->location, "frame", frame->name);
}

void lwi_check_shape(lw_mech *mech, const lwi_part *owner, const lw_shape_def *def)
{
    const lw_location location = def->location;
    const char *what = owner->kind == LWI_GROUND ? "shape on ground" : "shape on link";
    const char *name = owner->name;
    check_placement(mech, &def->placement, location, what, name);
    if ((int)def->type < 0 || def->type > LW_SHAPE_MESH || (int)def->role < 0 ||
        def->role > LW_SHAPE_BOUND) {
        lwi_report_error(mech->bad, location, LW_ERR_ARGUMENT, "%s \"%s\": unknown type or role",
                         what, name);
        return;
    }
    const bool is_round = def->type == LW_SHAPE_CYLINDER || def->type == LW_SHAPE_CAPSULE;
    bool is_good = is_finite3(def->size);
    if (def->type == LW_SHAPE_MESH) {
        is_good = is_good && def->mesh && *def->mesh; // a mirrored mesh has a negative scale
    } else {
        is_good = is_good && def->size.x >= 0.0;
        is_good = is_good && (def->type == LW_SHAPE_SPHERE || def->size.z >= 0.0);
        is_good = is_good && (def->type == LW_SHAPE_SPHERE || is_round || def->size.y >= 0.0);
    }
    if (!is_good) {
        lwi_report_error(
            mech->bad, location, LW_ERR_MODEL,
            "%s \"%s\": sizes must be finite and not negative, and a mesh needs a file", what,
            name);
    }
    if (def->bound < -1 || def->bound >= owner->nshape) {
        lwi_report_error(mech->bad, location, LW_ERR_ARGUMENT,
                         "%s \"%s\": its bound must be an earlier shape there", what, name);
    }
}

void lwi_check_coupling(lw_mech *mech, const lw_coupling_def *def)
{
    enum { HIGHEST = 16, LONGEST_TABLE = 2000 }; // a higher degree is a table in disguise
    const char *name = def->dependent ? def->dependent : "";
    if (!*name || !def->source || !*def->source) {
        lwi_report_error(mech->bad, def->location, LW_ERR_NAME,
                         "a coupling names a dependent joint and its source");
    }
    if (def->law == LW_LAW_FUNCTION) {
        if (!def->function.at) {
            lwi_report_error(mech->bad, def->location, LW_ERR_ARGUMENT,
                             "coupling of \"%s\": its callback is missing", name);
        }
        return;
    }
    const bool is_table = def->law == LW_LAW_TABLE;
    const int least = is_table ? 4 : 1, most = is_table ? LONGEST_TABLE : HIGHEST;
    if ((int)def->law < 0 || def->law > LW_LAW_FUNCTION) {
        lwi_report_error(mech->bad, def->location, LW_ERR_ARGUMENT,
                         "coupling of \"%s\": unknown law", name);
    } else if (def->ncoefficient < least || def->ncoefficient > most || !def->coefficient ||
               (is_table && def->ncoefficient % 2 != 0)) {
        lwi_report_error(mech->bad, def->location, LW_ERR_ARGUMENT,
                         is_table ? "coupling of \"%s\": a table has %d to %d numbers, in pairs"
                                  : "coupling of \"%s\": needs %d to %d coefficients",
                         name, least, most);
    } else if (!all_finite(def->coefficient, def->ncoefficient)) {
        lwi_report_error(mech->bad, def->location, LW_ERR_NUMBER,
                         "coupling of \"%s\": a coefficient is not finite", name);
    } else {
        for (int k = 2; k < def->ncoefficient && is_table; k += 2) {
            if (!(def->coefficient[k] > def->coefficient[k - 2])) {
                lwi_report_error(mech->bad, def->location, LW_ERR_MODEL,
                                 "coupling of \"%s\": the positions of a table must rise, and %g "
                                 "follows %g",
                                 name, def->coefficient[k], def->coefficient[k - 2]);
                break;
            }
        }
    }
}
