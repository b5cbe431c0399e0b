// Only what one definition shows by itself is checked here; what needs the whole mechanism is
// checked by the compile. Nothing is recorded as parts are added: a definition that is updated, or
// a part that is removed, leaves no diagnostics behind.
#include "validate.h"

#include "edit.h"

#include <stdio.h>
#include <string.h>

void lwi_bad(const lwi_check *check, lw_status status, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    lwi_report_error(check->report, check->location, status, "%s \"%s\": %s", check->what,
                     check->name, text);
}

bool lwi_all_numbers(const double *value, int n)
{
    for (int i = 0; i < n; ++i) {
        if (!isfinite(value[i])) {
            return false;
        }
    }
    return true;
}

int lwi_find_fall(const double *table, int n)
{
    for (int k = 2; k < n; k += 2) {
        if (!(table[k] > table[k - 2])) {
            return k;
        }
    }
    return -1;
}

static bool is_finite3(lw_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

// ", at FILE" of a second location, or empty.
static const char *aside(lw_location location, char text[LWI_LOCATION_SIZE + 5])
{
    memcpy(text, ", at ", 5);
    lwi_location_text(location, text + 5);
    return text[5] ? text : "";
}

// A rotation matrix may have the rounding of the few digits that a person types, no more.
static void check_placement(const lwi_check *check, const lw_placement *placement)
{
    static const int count[] = {0, 6, 7, 12, 4};
    static const double no_length = 1e-12; // of the square: shorter ones have no digits to trust
    static const double rounded = 1e-6;    // matrices in files have six digits and more
    const double *v = placement->value;
    if ((int)placement->form < 0 || placement->form > LW_PLACEMENT_DH) {
        lwi_bad(check, LW_ERR_ARGUMENT, "unknown form of placement");
        return;
    }
    if (!lwi_all_numbers(v, count[placement->form])) {
        lwi_bad(check, LW_ERR_NUMBER, "placement is not finite");
        return;
    }
    if (placement->form == LW_PLACEMENT_QUAT &&
        !(v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[6] * v[6] > no_length)) {
        lwi_bad(check, LW_ERR_MODEL, "quaternion has no length");
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
            lwi_bad(check, LW_ERR_MODEL,
                    "the matrix is not a rotation (R R' differs from 1 by %.2g)",
                    det < 0.0 ? 2.0 : error);
        }
    }
}

static void check_role(const lwi_check *check, lw_role role)
{
    if ((int)role < 0 || role > LW_ROLE_TRANSMISSION) {
        lwi_bad(check, LW_ERR_ARGUMENT, "unknown role");
    }
}

void lwi_validate_ground(const lwi_check *check, const void *definition)
{
    const lw_ground_def *def = definition;
    const lw_mech *mech = check->mech;
    char text[LWI_LOCATION_SIZE + 5];
    if (mech->ground >= 0 && &mech->part.at[mech->ground] != check->part) {
        lwi_report_error(check->report, check->location, LW_ERR_MODEL,
                         "there is a ground already%s",
                         aside(mech->part.at[mech->ground].location, text));
    }
    if (!is_finite3(def->gravity)) {
        lwi_report_error(check->report, check->location, LW_ERR_NUMBER, "gravity is not finite");
    }
}

void lwi_validate_link(const lwi_check *check, const void *definition)
{
    const lw_link_def *def = definition;
    const double tensor[] = {def->inertia.xx, def->inertia.yy, def->inertia.zz,
                             def->inertia.xy, def->inertia.xz, def->inertia.yz};
    if (!isfinite(def->mass) || !lwi_all_numbers(tensor, 6)) {
        lwi_bad(check, LW_ERR_NUMBER, "mass and inertia must be finite");
    } else if (def->mass < 0.0) {
        lwi_bad(check, LW_ERR_MODEL, "mass is %g, must not be negative", def->mass);
    }
    check_placement(check, &def->inertial);
    check_placement(check, &def->b);
}

// --- Joints -----------------------------------------------------------------------------------

static void check_dof(const lwi_check *check, const lw_dof *f)
{
    const double amount[] = {f->damping, f->friction, f->rotor_inertia, f->stiffness};
    static const char *const word[] = {"damping", "friction", "rotor inertia", "stiffness"};
    for (int i = 0; i < 4; ++i) {
        if (!isfinite(amount[i])) {
            lwi_bad(check, LW_ERR_NUMBER, "%s is not finite", word[i]);
        } else if (amount[i] < 0.0) {
            lwi_report_warning(check->report, check->location, LW_DIAG_COEFFICIENT_NEGATIVE,
                               "joint \"%s\": %s is %g, negative", check->name, word[i], amount[i]);
        }
    }
    if (!isfinite(f->spring_rest) || !isfinite(f->reference)) {
        lwi_bad(check, LW_ERR_NUMBER, "reference and spring rest must be finite");
    }
    if (isnan(f->lower) || isnan(f->upper) || isnan(f->max_velocity) ||
        isnan(f->max_acceleration) || isnan(f->max_force)) {
        lwi_bad(check, LW_ERR_NUMBER, "a limit is not a number");
    } else if (f->lower > f->upper) {
        lwi_report_warning(check->report, check->location, LW_DIAG_LIMIT_ORDER,
                           "joint \"%s\": lower limit %g is above the upper, %g", check->name,
                           f->lower, f->upper);
    } else if (f->max_velocity < 0.0 || f->max_acceleration < 0.0 || f->max_force < 0.0) {
        lwi_report_warning(check->report, check->location, LW_DIAG_LIMIT_NEGATIVE,
                           "joint \"%s\": a limit of velocity, acceleration or effort is negative",
                           check->name);
    }
}

static bool has_direction(lw_vec3 axis)
{
    return is_finite3(axis) && (axis.x != 0.0 || axis.y != 0.0 || axis.z != 0.0);
}

static void check_axes(const lwi_check *check, const lw_joint_def *def)
{
    const lwi_joint_row *row = lwi_joint_row_of(def->type);
    if (row->has_axis && !has_direction(def->axis)) {
        lwi_bad(check, LW_ERR_MODEL, "axis (%g, %g, %g) has no direction", def->axis.x, def->axis.y,
                def->axis.z);
        return;
    }
    // Two rotations about nearly one line are one degree of freedom with a number of digits lost.
    if (row->has_axis2 &&
        (!has_direction(def->axis2) ||
         !(lw_norm3(lw_cross3(lw_unit3(def->axis), lw_unit3(def->axis2))) > 1e-6))) {
        lwi_bad(check, LW_ERR_MODEL, "the two axes of a %s joint must not be parallel", row->name);
    }
    if (row->has_pitch && !isfinite(def->pitch)) {
        lwi_bad(check, LW_ERR_NUMBER, "pitch is not finite");
    }
}

static void check_branch(const lwi_check *check, int branch)
{
    if (branch < -1 || branch > LW_BRANCH_OTHER) {
        lwi_bad(check, LW_ERR_ARGUMENT, "branch is 1, -1, 0 or the other");
    }
}

// Whether a placement has a rotation, beyond rounding.
static bool rotates(const lw_placement *placement)
{
    const lw_pose X = lw_placement_pose(placement);
    const lw_mat3 one = lw_mat3_identity();
    double off = 0.0;
    for (int i = 0; i < 3; ++i) {
        off = fmax(off, lw_norm3(lw_sub3(X.R.row[i], one.row[i])));
    }
    return off > 1e-9;
}

static void check_closing(const lwi_check *check, const lw_joint_def *def)
{
    check_branch(check, def->branch);
    if (def->branch != 0 && !def->closing) {
        lwi_bad(check, LW_ERR_MODEL, "only what closes a loop has a branch");
    }
    if ((int)def->sides < 0 || def->sides > LW_SIDES_REFERENCE) {
        lwi_bad(check, LW_ERR_ARGUMENT, "unknown sides");
    }
    if (def->sides != LW_SIDES_FRAMES && !def->closing) {
        lwi_bad(check, LW_ERR_MODEL, "only a joint that closes a loop has sides");
    }
    if (def->sides == LW_SIDES_REFERENCE && def->after.form != LW_PLACEMENT_IDENTITY) {
        lwi_bad(check, LW_ERR_MODEL,
                "its other side follows from the reference configuration, so nothing is placed "
                "after it");
    }
    if (def->sides == LW_SIDES_POINTS && rotates(&def->after)) {
        lwi_bad(check, LW_ERR_MODEL,
                "its other side is a point, with the directions of the reference configuration, "
                "so nothing rotates it after the joint");
    }
}

void lwi_validate_joint(const lwi_check *check, const void *definition)
{
    const lw_joint_def *def = definition;
    if ((int)def->type < 0 || (int)def->type >= LWI_JOINT_TYPES) {
        lwi_bad(check, LW_ERR_ARGUMENT, "unknown type");
        return;
    }
    check_closing(check, def);
    check_axes(check, def);
    check_placement(check, &def->before);
    check_placement(check, &def->after);
    if (def->type == LW_JOINT_USER &&
        (lwi_joint_nv(def) < 1 || !def->user.pose || !def->user.motion)) {
        lwi_bad(check, LW_ERR_ARGUMENT,
                "a user joint needs 1 to %d degrees of freedom and the callbacks pose and motion",
                LW_MAX_DOF);
        return;
    }
    for (int i = 0; i < lwi_joint_nv(def); ++i) {
        check_dof(check, &def->dof[i]);
    }
}

void lwi_validate_load(const lwi_check *check, const void *definition)
{
    const lw_load_def *def = definition;
    if (!is_finite3(def->force) || !is_finite3(def->torque)) {
        lwi_bad(check, LW_ERR_NUMBER, "force and torque must be finite");
    }
    if (def->axes != LW_IN_FRAME && def->axes != LW_IN_WORLD) {
        lwi_bad(check, LW_ERR_ARGUMENT, "its axes are neither the frame's nor the world's");
    }
}

void lwi_validate_wheel(const lwi_check *check, const void *definition)
{
    const lw_wheel_def *def = definition;
    const double amount[] = {def->width, def->section};
    static const char *const word[] = {"width", "section"};
    if (!has_direction(def->axis)) {
        lwi_bad(check, LW_ERR_MODEL, "axis (%g, %g, %g) has no direction", def->axis.x, def->axis.y,
                def->axis.z);
    }
    if (!isfinite(def->radius) || !(def->radius > 0.0)) {
        lwi_bad(check, LW_ERR_MODEL, "radius is %g, must be positive", def->radius);
    }
    for (int i = 0; i < 2; ++i) {
        if (!isfinite(amount[i]) || amount[i] < 0.0) {
            lwi_bad(check, LW_ERR_MODEL, "%s is %g, must be finite and not negative", word[i],
                    amount[i]);
        }
    }
    if (def->radius > 0.0 && def->section > def->radius) {
        lwi_bad(check, LW_ERR_MODEL, "section %g is larger than the radius, %g", def->section,
                def->radius);
    }
    if (!(fabs(def->roller) <= 1.5708)) { // a quarter of a turn as people write it
        lwi_bad(check, LW_ERR_MODEL,
                "rollers are at %g rad, must be within a quarter of a turn; a file in degrees "
                "says angle=\"degree\"",
                def->roller);
    }
    if ((int)def->steering < 0 || def->steering > LW_STEERING_CASTOR) {
        lwi_bad(check, LW_ERR_ARGUMENT, "unknown steering");
    }
}

void lwi_validate_rod(const lwi_check *check, const void *definition)
{
    const lw_rod_def *def = definition;
    if (!isfinite(def->length) || !isfinite(def->mass) || def->length < 0.0 || def->mass < 0.0) {
        lwi_bad(check, LW_ERR_MODEL, "length and mass must be finite and not negative");
    }
    check_branch(check, def->branch);
}

// --- Gears and couplings ----------------------------------------------------------------------

static void validate_gear(const lwi_check *check, const lw_gear_def *def)
{
    if ((int)def->type < 0 || def->type > LW_GEAR_PLANETARY) {
        lwi_bad(check, LW_ERR_ARGUMENT, "unknown type");
    }
    if (!*def->wheel[0] || !*def->wheel[1]) {
        lwi_bad(check, LW_ERR_NAME, "names two wheels");
    }
    if ((*def->carrier != '\0') != (def->type == LW_GEAR_PLANETARY)) {
        lwi_bad(check, LW_ERR_NAME,
                *def->carrier ? "only a planetary gear names a carrier"
                              : "a planetary gear names its carrier");
    }
    for (int k = 0; k < 2; ++k) {
        if (!isfinite(def->size[k]) || !(def->size[k] > 0.0)) {
            lwi_bad(check, LW_ERR_MODEL, "radii, teeth or ratio must be positive");
            break;
        }
    }
    check_role(check, def->role);
    if (def->hand != 1 && def->hand != -1) {
        lwi_bad(check, LW_ERR_ARGUMENT, "a worm is right-handed (1) or left-handed (-1)");
    }
}

static void validate_coupling(const lwi_check *check, const lw_coupling_def *def)
{
    if (!*def->dependent || !*def->source) {
        lwi_report_error(check->report, check->location, LW_ERR_NAME,
                         "a coupling names a dependent joint and its source");
    }
    if (def->law == LW_LAW_FUNCTION) {
        if (!def->function.at) {
            lwi_bad(check, LW_ERR_ARGUMENT, "its callback is missing");
        }
        return;
    }
    const bool is_table = def->law == LW_LAW_TABLE;
    const int least = is_table ? 4 : 1;
    const int most = is_table ? LWI_LONGEST_TABLE : LWI_HIGHEST_POLYNOMIAL;
    const int fall = is_table ? lwi_find_fall(def->coefficient, def->ncoefficient) : -1;
    if ((int)def->law < 0 || def->law > LW_LAW_FUNCTION) {
        lwi_bad(check, LW_ERR_ARGUMENT, "unknown law");
    } else if (def->ncoefficient < least || def->ncoefficient > most ||
               (is_table && def->ncoefficient % 2 != 0)) {
        lwi_bad(check, LW_ERR_ARGUMENT,
                is_table ? "a table has %d to %d numbers, in pairs" : "needs %d to %d coefficients",
                least, most);
    } else if (!lwi_all_numbers(def->coefficient, def->ncoefficient)) {
        lwi_bad(check, LW_ERR_NUMBER, "a coefficient is not finite");
    } else if (fall >= 0) {
        lwi_bad(check, LW_ERR_MODEL, "the positions of a table must rise, and %g follows %g",
                def->coefficient[fall], def->coefficient[fall - 2]);
    }
}

// --- Frames and shapes ------------------------------------------------------------------------

static void validate_frame(const lwi_check *owner, int index)
{
    const lw_mech *mech = owner->mech;
    const lwi_part_frame *frame = &mech->frame.at[index];
    const int first = lwi_find_frame_of(mech, frame->part, frame->name);
    lwi_check check = *owner;
    check.location = frame->location;
    if (!*frame->name) {
        lwi_bad(&check, LW_ERR_NAME, "a frame needs a name");
    } else if (strlen(frame->name) > LWI_NAME_LIMIT) {
        lwi_bad(&check, LW_ERR_LIMIT, "a frame's name has more than %d bytes", LWI_NAME_LIMIT);
    } else if (strcmp(frame->name, "a") == 0 || strcmp(frame->name, "b") == 0) {
        lwi_bad(&check, LW_ERR_NAME,
                "frame \"%s\" needs another name, every link has ports a and b", frame->name);
    }
    if (first >= 0 && first != index) {
        char text[LWI_LOCATION_SIZE + 5];
        lwi_report_error(check.report, check.location, LW_ERR_NAME,
                         "%s \"%s\" has another frame named \"%s\"%s", check.what, check.name,
                         frame->name, aside(mech->frame.at[first].location, text));
    }
    check.what = "frame";
    check.name = frame->name;
    check_placement(&check, &frame->placement);
}

static void validate_mesh(const lwi_check *check, const lw_mesh *mesh)
{
    for (int i = 0; i < mesh->nvertex; ++i) {
        if (!is_finite3(mesh->vertex[i])) {
            lwi_bad(check, LW_ERR_NUMBER, "vertex %d of its mesh is not finite", i);
            return;
        }
    }
    for (int i = 0; i < 3 * mesh->ntriangle; ++i) {
        const int vertex = mesh->triangle[i];
        if (vertex < 0 || vertex >= mesh->nvertex) {
            lwi_bad(check, LW_ERR_ARGUMENT, "triangle %d of its mesh names vertex %d of %d", i / 3,
                    vertex, mesh->nvertex);
            return;
        }
    }
}

static void validate_shape(const lwi_check *owner, const lw_shape_def *def, int number)
{
    lwi_check check = *owner;
    check.what = owner->part->kind == LW_PART_GROUND ? "shape on ground" : "shape on link";
    check.location = def->location;
    check_placement(&check, &def->placement);
    if ((int)def->type < 0 || def->type > LW_SHAPE_MESH || (int)def->role < 0 ||
        def->role > LW_SHAPE_BOUND) {
        lwi_bad(&check, LW_ERR_ARGUMENT, "unknown type or role");
        return;
    }
    const bool is_round = def->type == LW_SHAPE_CYLINDER || def->type == LW_SHAPE_CAPSULE;
    // What is larger has no square.
    const double most = fmax(fmax(fabs(def->size.x), fabs(def->size.y)), fabs(def->size.z));
    bool is_good = is_finite3(def->size) && most < 1e50;
    if (def->type == LW_SHAPE_MESH) {
        is_good = is_good && def->mesh && *def->mesh; // a mirrored mesh has a negative scale
    } else {
        is_good = is_good && def->size.x >= 0.0;
        is_good = is_good && (def->type == LW_SHAPE_SPHERE || def->size.z >= 0.0);
        is_good = is_good && (def->type == LW_SHAPE_SPHERE || is_round || def->size.y >= 0.0);
    }
    if (!is_good) {
        lwi_bad(&check, LW_ERR_MODEL,
                "sizes must be less than 1e50 m and not negative, and a mesh needs a file");
    }
    if (def->data) {
        validate_mesh(&check, def->data);
    }
    if (def->has_color && !lwi_is_color(&def->color)) {
        lwi_bad(&check, LW_ERR_ARGUMENT,
                "its color must be red, green, blue and opacity from 0 to 1");
    }
    if (def->bound < -1 || def->bound >= number) {
        lwi_bad(&check, LW_ERR_ARGUMENT, "its bound must be an earlier shape there");
    }
}

// --- The whole description --------------------------------------------------------------------

static void check_name(const lwi_check *check, int index)
{
    const lwi_part *part = check->part;
    const int first = lwi_names_find(&check->mech->names[part->kind], part->name);
    char text[LWI_LOCATION_SIZE + 5];
    if (first >= 0 && first != index) {
        lwi_report_error(check->report, check->location, LW_ERR_NAME,
                         "there is another %s named \"%s\"%s", check->what, part->name,
                         aside(check->mech->part.at[first].location, text));
    }
    if (!*part->name) {
        lwi_report_error(check->report, check->location, LW_ERR_NAME, "a %s needs a name",
                         check->what);
    } else if (strlen(part->name) > LWI_NAME_LIMIT) {
        lwi_report_error(check->report, check->location, LW_ERR_LIMIT,
                         "a %s's name has more than %d bytes", check->what, LWI_NAME_LIMIT);
    }
}

void lwi_validate_def(const lwi_check *check, const void *def)
{
    const lwi_kind_row *row = lwi_kind_row_of(check->part->kind);
    if (row->validate) {
        row->validate(check, def);
    }
    if (row->role) {
        check_role(check, *(const lw_role *)((const char *)def + row->role));
    }
}

void lwi_validate(const lw_mech *mech, lw_report *report)
{
    lwi_check check = {.report = report, .mech = mech};
    for (int i = 0; i < mech->part.count; ++i) {
        const lwi_part *part = &mech->part.at[i];
        if (part->kind == LW_PART_REMOVED) {
            continue;
        }
        check.part = part;
        check.what = lw_part_kind_name(part->kind);
        check.name = part->name;
        check.location = part->location;
        check_name(&check, i);
        lwi_validate_def(&check, part->def);
        for (int f = part->first_frame; f >= 0; f = mech->frame.at[f].next) {
            validate_frame(&check, f);
        }
        int number = 0;
        for (int s = part->first_shape; s >= 0; s = mech->shape.at[s].next) {
            validate_shape(&check, &mech->shape.at[s].def, number++);
        }
    }
    check.what = "coupling of";
    for (int i = 0; i < mech->coupling.count; ++i) {
        check.name = mech->coupling.at[i].dependent;
        check.location = mech->coupling.at[i].location;
        validate_coupling(&check, &mech->coupling.at[i]);
    }
    check.what = "gear";
    for (int i = 0; i < mech->gear.count; ++i) {
        check.name = mech->gear.at[i].name;
        check.location = mech->gear.at[i].location;
        validate_gear(&check, &mech->gear.at[i]);
    }
}
