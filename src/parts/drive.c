// Drives and gearboxes: parts that have axes and no frames.
#include "edit.h"

#include "../base/report.h"

#include <string.h>

LWI_NEXT(lw_drive_def, drive)
LWI_NEXT(lw_gearbox_def, gearbox)

bool lwi_has_axes_only(lwi_kind kind)
{
    return kind == LWI_DRIVE || kind == LWI_GEARBOX || kind == LWI_TORSION;
}

static bool is_amount(double x)
{
    return isfinite(x) && x >= 0.0;
}

enum { LONGEST_CURVE = 2000 };

static bool has_capacity(const lw_drive_def *def)
{
    return def->ncurve == 0 ||
           (def->ncurve >= 4 && def->ncurve <= LONGEST_CURVE && def->ncurve % 2 == 0 && def->curve);
}

// Speeds rise from rest, and no effort is negative.
static void check_curve(lw_mech *mech, const lw_drive_def *def, const lwi_part *p)
{
    for (int k = 0; k < def->ncurve; k += 2) {
        const double speed = def->curve[k], effort = def->curve[k + 1];
        if (!is_amount(speed) || !is_amount(effort)) {
            lwi_report_error(mech->bad, p->location, LW_ERR_NUMBER,
                             "drive \"%s\": speeds and efforts of its curve must be finite and not "
                             "negative",
                             p->name);
            return;
        }
        if (k == 0 ? speed != 0.0 : !(speed > def->curve[k - 2])) {
            lwi_report_error(mech->bad, p->location, LW_ERR_MODEL,
                             "drive \"%s\": the speeds of its curve begin at 0 and rise", p->name);
            return;
        }
    }
}

static void check_line(lw_mech *mech, const lw_drive_def *def, const lwi_part *p)
{
    const bool has_stall = !isinf(def->stall_force), has_speed = !isinf(def->no_load_velocity);
    if (!(def->stall_force >= 0.0) || !(def->no_load_velocity > 0.0) ||
        !(def->continuous_force >= 0.0)) {
        lwi_report_error(mech->bad, p->location, LW_ERR_MODEL,
                         "drive \"%s\": stall and continuous effort must not be negative, and the "
                         "no-load velocity must be positive",
                         p->name);
    } else if (has_stall != has_speed) {
        lwi_report_error(mech->bad, p->location, LW_ERR_MODEL,
                         "drive \"%s\": stall_force and no_load_velocity make a line together; "
                         "%s is missing",
                         p->name, has_stall ? "no_load_velocity" : "stall_force");
    }
}

static void check_drive(lw_mech *mech, const lw_drive_def *def, lw_part part)
{
    const lwi_part *p = &mech->part.at[part.index];
    if (!is_amount(def->inertia) || !is_amount(def->damping) || !is_amount(def->friction)) {
        lwi_report_error(
            mech->bad, p->location, LW_ERR_MODEL,
            "drive \"%s\": inertia, damping and friction must be finite and not negative", p->name);
    }
    if (!(def->max_force >= 0.0) || !(def->max_velocity >= 0.0)) {
        lwi_report_error(mech->bad, p->location, LW_ERR_MODEL,
                         "drive \"%s\": limits of effort and velocity must not be negative",
                         p->name);
    }
    if (!isfinite(def->reference)) {
        lwi_report_error(mech->bad, p->location, LW_ERR_NUMBER,
                         "drive \"%s\": reference is not finite", p->name);
    }
    check_line(mech, def, p);
    check_curve(mech, def, p);
}

lw_part lw_add_drive(lw_mech *mech, const lw_drive_def *def)
{
    if (!lwi_may_edit(mech) || !def) {
        return no_part;
    }
    if (!has_capacity(def)) {
        lwi_refuse(mech, LW_ERR_ARGUMENT,
                   "drive \"%s\" has a curve of 4 to %d numbers, in pairs, or none",
                   def->name ? def->name : "", LONGEST_CURVE);
        return no_part;
    }
    lw_drive_def *drive = next_drive(mech);
    const size_t n = (size_t)def->ncurve;
    double *curve = lwi_arena_take(&mech->arena, n, sizeof *curve);
    if (!drive || (!curve && n > 0)) {
        lwi_edit_no_memory(mech);
        return no_part;
    }
    if (n > 0) {
        memcpy(curve, def->curve, n * sizeof *curve);
    }
    *drive = *def;
    drive->curve = curve;
    const lw_part part =
        lwi_add_part(mech, LWI_DRIVE, &mech->drive.count, def->name, def->location);
    if (part.index >= 0) {
        drive->name = mech->part.at[part.index].name;
        drive->location = mech->part.at[part.index].location;
        check_drive(mech, drive, part);
    }
    return part;
}

static bool is_row_zero(const double *at, int n, int step)
{
    for (int k = 0; k < n; ++k) {
        if (at[k * step] != 0.0) {
            return false;
        }
    }
    return true;
}

// Every axis must be tied to another: a row or a column of zeros would leave one to itself.
static void check_gearbox(lw_mech *mech, const lw_gearbox_def *def, lw_part part)
{
    const lwi_part *p = &mech->part.at[part.index];
    const bool is_ratio = def->form == LW_GEARBOX_RATIO;
    const int rows = is_ratio ? def->nin : def->nout, columns = is_ratio ? def->nout : def->nin;
    if (!is_ratio && def->form != LW_GEARBOX_MATRIX) {
        lwi_report_error(mech->bad, p->location, LW_ERR_ARGUMENT, "gearbox \"%s\": unknown form",
                         p->name);
        return;
    }
    bool is_finite = true;
    for (int k = 0; k < rows * columns; ++k) {
        is_finite = is_finite && isfinite(def->coefficient[k]);
    }
    if (!is_finite) {
        lwi_report_error(mech->bad, p->location, LW_ERR_NUMBER,
                         "gearbox \"%s\": its ratios must be finite", p->name);
        return;
    }
    bool has_zeros = false;
    for (int r = 0; r < rows; ++r) {
        has_zeros |= is_row_zero(&def->coefficient[r * columns], columns, 1);
    }
    for (int c = 0; c < columns; ++c) {
        has_zeros |= is_row_zero(&def->coefficient[c], rows, columns);
    }
    if (has_zeros) {
        lwi_report_error(mech->bad, p->location, LW_ERR_MODEL,
                         rows * columns == 1
                             ? "gearbox \"%s\": its ratio is zero"
                             : "gearbox \"%s\": a row or a column of its matrix is zero",
                         p->name);
    }
}

lw_part lw_add_gearbox(lw_mech *mech, const lw_gearbox_def *def)
{
    static const double one = 1.0;
    if (!lwi_may_edit(mech) || !def) {
        return no_part;
    }
    if (def->nin < 1 || def->nout < 1 || def->nin > LW_MAX_AXES || def->nout > LW_MAX_AXES ||
        (!def->coefficient && (def->nin != 1 || def->nout != 1))) {
        lwi_refuse(mech, LW_ERR_ARGUMENT,
                   "gearbox \"%s\" has 1 to %d axes on each side, and a ratio for each pair",
                   def->name ? def->name : "", LW_MAX_AXES);
        return no_part;
    }
    lw_gearbox_def *box = next_gearbox(mech);
    const size_t n = (size_t)(def->nin * def->nout);
    double *coefficient = lwi_arena_take(&mech->arena, n, sizeof *coefficient);
    if (!box || !coefficient) {
        lwi_edit_no_memory(mech);
        return no_part;
    }
    memcpy(coefficient, def->coefficient ? def->coefficient : &one, n * sizeof *coefficient);
    *box = *def;
    box->coefficient = coefficient;
    const lw_part part =
        lwi_add_part(mech, LWI_GEARBOX, &mech->gearbox.count, def->name, def->location);
    if (part.index >= 0) {
        box->name = mech->part.at[part.index].name;
        box->location = mech->part.at[part.index].location;
        check_gearbox(mech, box, part);
    }
    return part;
}
