// Drives, gearboxes, springs and torsions: what is wrong with their definitions.
#include "validate.h"

static bool is_amount(double x)
{
    return isfinite(x) && x >= 0.0;
}

// Speeds rise from rest, and no effort is negative.
static void check_curve(const lwi_check *check, const lw_drive_def *def)
{
    for (int k = 0; k < def->ncurve; k += 2) {
        const double speed = def->curve[k], effort = def->curve[k + 1];
        if (!is_amount(speed) || !is_amount(effort)) {
            lwi_bad(check, LW_ERR_NUMBER,
                    "speeds and efforts of its curve must be finite and not negative");
            return;
        }
        if (k == 0 ? speed != 0.0 : !(speed > def->curve[k - 2])) {
            lwi_bad(check, LW_ERR_MODEL, "the speeds of its curve begin at 0 and rise");
            return;
        }
    }
}

void lwi_validate_drive(const lwi_check *check, const void *definition)
{
    const lw_drive_def *def = definition;
    const bool has_stall = !isinf(def->stall_force), has_speed = !isinf(def->no_load_velocity);
    if (!is_amount(def->inertia) || !is_amount(def->damping) || !is_amount(def->friction)) {
        lwi_bad(check, LW_ERR_MODEL,
                "inertia, damping and friction must be finite and not negative");
    }
    if (!(def->max_force >= 0.0) || !(def->max_velocity >= 0.0)) {
        lwi_bad(check, LW_ERR_MODEL, "limits of effort and velocity must not be negative");
    }
    if (!isfinite(def->reference)) {
        lwi_bad(check, LW_ERR_NUMBER, "reference is not finite");
    }
    if (!(def->stall_force >= 0.0) || !(def->no_load_velocity > 0.0) ||
        !(def->continuous_force >= 0.0)) {
        lwi_bad(check, LW_ERR_MODEL,
                "stall and continuous effort must not be negative, and the no-load velocity must "
                "be positive");
    } else if (has_stall != has_speed) {
        lwi_bad(check, LW_ERR_MODEL,
                "stall_force and no_load_velocity make a line together; %s is missing",
                has_stall ? "no_load_velocity" : "stall_force");
    }
    check_curve(check, def);
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

// A row or a column of zeros would leave an axis without any relation to the others.
void lwi_validate_gearbox(const lwi_check *check, const void *definition)
{
    const lw_gearbox_def *def = definition;
    const bool is_ratio = def->form == LW_GEARBOX_RATIO;
    const int rows = is_ratio ? def->nin : def->nout, columns = is_ratio ? def->nout : def->nin;
    if (!is_ratio && def->form != LW_GEARBOX_MATRIX) {
        lwi_bad(check, LW_ERR_ARGUMENT, "unknown form");
        return;
    }
    if (!def->coefficient) {
        return; // a ratio of 1
    }
    if (!lwi_all_numbers(def->coefficient, rows * columns)) {
        lwi_bad(check, LW_ERR_NUMBER, "its ratios must be finite");
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
        lwi_bad(check, LW_ERR_MODEL,
                rows * columns == 1 ? "its ratio is zero"
                                    : "a row or a column of its matrix is zero");
    }
}

// --- Springs and torsions ---------------------------------------------------------------------

static void check_amounts(const lwi_check *check, const lw_spring_def *def, bool is_torsion)
{
    const double amount[] = {def->damping, def->backlash, def->loss};
    static const char *const word[] = {"damping", "backlash", "loss"};
    for (size_t k = 0; k < sizeof amount / sizeof *amount; ++k) {
        if (!is_amount(amount[k])) {
            lwi_bad(check, LW_ERR_MODEL, "%s is %g, must be finite and not negative", word[k],
                    amount[k]);
        }
    }
    if (!isfinite(def->preload) || isinf(def->free)) {
        lwi_bad(check, LW_ERR_NUMBER, "preload and free length must be finite");
    }
    if (!is_torsion && def->along == LW_SPRING_LINE && def->free < 0.0) {
        lwi_bad(check, LW_ERR_MODEL, "free length is %g, must not be negative", def->free);
    }
    if (def->loss > 1.0 || !(def->loss_speed > 0.0) || !isfinite(def->loss_speed)) {
        lwi_bad(check, LW_ERR_MODEL, "loss is a share of at most 1, and its speed is positive");
    }
    if (!is_torsion && def->loss > 0.0) {
        lwi_bad(check, LW_ERR_MODEL, "only a torsion has a loss, at its axis out");
    }
}

// The law at zero: of a table only where it has a point there, which is what a spring with play or
// one side needs.
static double at_zero(const lw_spring_def *def)
{
    if (def->law == LW_LAW_POLYNOMIAL) {
        return def->ncoefficient > 0 ? def->coefficient[0] : 0.0;
    }
    for (int k = 0; k < def->ncoefficient; k += 2) {
        if (def->coefficient[k] == 0.0) {
            return def->coefficient[k + 1];
        }
    }
    return (double)NAN;
}

static void check_law(const lwi_check *check, const lw_spring_def *def)
{
    if (!lwi_all_numbers(def->coefficient, def->ncoefficient)) {
        lwi_bad(check, LW_ERR_NUMBER, "a coefficient is not finite");
        return;
    }
    const int fall =
        def->law == LW_LAW_TABLE ? lwi_find_fall(def->coefficient, def->ncoefficient) : -1;
    if (fall >= 0) {
        lwi_bad(check, LW_ERR_MODEL, "the positions of a table must rise, and %g follows %g",
                def->coefficient[fall], def->coefficient[fall - 2]);
        return;
    }
    const bool begins_at_zero = def->preload == 0.0 && at_zero(def) == 0.0;
    if ((def->side != LW_SPRING_BOTH || def->backlash > 0.0) && !begins_at_zero) {
        lwi_bad(check, LW_ERR_MODEL,
                "with one side or with backlash its force begins at zero: no preload, and a law "
                "that is zero at zero");
    }
}

void lwi_validate_spring(const lwi_check *check, const void *definition)
{
    const lw_spring_def *def = definition;
    check_amounts(check, def, check->part->kind == LW_PART_TORSION);
    if ((def->law != LW_LAW_POLYNOMIAL && def->law != LW_LAW_TABLE) || (int)def->side < 0 ||
        def->side > LW_SPRING_COMPRESSION) {
        lwi_bad(check, LW_ERR_ARGUMENT, "unknown law or side");
        return;
    }
    if ((int)def->along < 0 || def->along > LW_SPRING_NORMAL ||
        (def->along != LW_SPRING_LINE && check->part->kind == LW_PART_TORSION)) {
        lwi_bad(check, LW_ERR_ARGUMENT, "unknown measure of length");
        return;
    }
    if (def->along == LW_SPRING_NORMAL && def->law == LW_LAW_POLYNOMIAL && def->ncoefficient == 2 &&
        !(def->coefficient[1] > 0.0)) {
        lwi_bad(check, LW_ERR_MODEL, "stiffness of a contact is %g, must be above zero",
                def->coefficient[1]);
        return;
    }
    check_law(check, def);
}
