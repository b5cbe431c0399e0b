// Springs between two ports, and torsions between two axes.
#include "edit.h"

#include "../base/report.h"
#include "validate.h"

#include <string.h>

LWI_NEXT(lw_spring_def, spring)

enum { HIGHEST = 16, LONGEST_TABLE = 2000 };

static bool has_capacity(const lw_spring_def *def)
{
    const bool is_table = def->law == LW_LAW_TABLE;
    const int least = is_table ? 4 : 0, most = is_table ? LONGEST_TABLE : HIGHEST;
    return def->ncoefficient >= least && def->ncoefficient <= most &&
           (def->coefficient || def->ncoefficient == 0) &&
           (!is_table || def->ncoefficient % 2 == 0);
}

static void check_numbers(lw_mech *mech, const lw_spring_def *def, const lwi_part *p)
{
    const char *kind = lwi_kind_name(p->kind);
    const double amount[] = {def->damping, def->backlash, def->loss};
    static const char *const word[] = {"damping", "backlash", "loss"};
    for (size_t k = 0; k < sizeof amount / sizeof *amount; ++k) {
        if (!isfinite(amount[k]) || amount[k] < 0.0) {
            lwi_report_error(mech->bad, p->location, LW_ERR_MODEL,
                             "%s \"%s\": %s is %g, must be finite and not negative", kind, p->name,
                             word[k], amount[k]);
        }
    }
    if (!isfinite(def->preload) || isinf(def->free)) {
        lwi_report_error(mech->bad, p->location, LW_ERR_NUMBER,
                         "%s \"%s\": preload and free length must be finite", kind, p->name);
    }
    if (p->kind == LWI_SPRING && def->free < 0.0) {
        lwi_report_error(mech->bad, p->location, LW_ERR_MODEL,
                         "spring \"%s\": free length is %g, must not be negative", p->name,
                         def->free);
    }
    if (def->loss > 1.0 || !(def->loss_speed > 0.0) || !isfinite(def->loss_speed)) {
        lwi_report_error(mech->bad, p->location, LW_ERR_MODEL,
                         "%s \"%s\": loss is a share of at most 1, and its speed is positive", kind,
                         p->name);
    }
    if (p->kind == LWI_SPRING && def->loss > 0.0) {
        lwi_report_error(mech->bad, p->location, LW_ERR_MODEL,
                         "spring \"%s\": only a torsion has a loss, at its axis out", p->name);
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

static void check_law(lw_mech *mech, const lw_spring_def *def, const lwi_part *p)
{
    const char *kind = lwi_kind_name(p->kind);
    bool is_finite = true;
    for (int k = 0; k < def->ncoefficient; ++k) {
        is_finite = is_finite && isfinite(def->coefficient[k]);
    }
    if (!is_finite) {
        lwi_report_error(mech->bad, p->location, LW_ERR_NUMBER,
                         "%s \"%s\": a coefficient is not finite", kind, p->name);
        return;
    }
    for (int k = 2; k < def->ncoefficient && def->law == LW_LAW_TABLE; k += 2) {
        if (!(def->coefficient[k] > def->coefficient[k - 2])) {
            lwi_report_error(mech->bad, p->location, LW_ERR_MODEL,
                             "%s \"%s\": the positions of a table must rise, and %g follows %g",
                             kind, p->name, def->coefficient[k], def->coefficient[k - 2]);
            return;
        }
    }
    const bool begins_at_zero = def->preload == 0.0 && at_zero(def) == 0.0;
    if ((def->side != LW_SPRING_BOTH || def->backlash > 0.0) && !begins_at_zero) {
        lwi_report_error(mech->bad, p->location, LW_ERR_MODEL,
                         "%s \"%s\": with one side or with backlash its force begins at zero: no "
                         "preload, and a law that is zero at zero",
                         kind, p->name);
    }
}

static void check_spring(lw_mech *mech, const lw_spring_def *def, const lwi_part *p)
{
    check_numbers(mech, def, p);
    if ((def->law != LW_LAW_POLYNOMIAL && def->law != LW_LAW_TABLE) || (int)def->side < 0 ||
        def->side > LW_SPRING_COMPRESSION) {
        lwi_report_error(mech->bad, p->location, LW_ERR_ARGUMENT, "%s \"%s\": unknown law or side",
                         lwi_kind_name(p->kind), p->name);
        return;
    }
    check_law(mech, def, p);
    lwi_check_role(mech, def->role, p->location, lwi_kind_name(p->kind), p->name);
}

static lw_part add(lw_mech *mech, const lw_spring_def *def, lwi_kind kind)
{
    if (!lwi_may_edit(mech) || !def) {
        return no_part;
    }
    if (!has_capacity(def)) {
        lwi_refuse(mech, LW_ERR_ARGUMENT,
                   "%s \"%s\" has a polynomial of at most %d coefficients, or a table of 4 to %d "
                   "numbers, in pairs",
                   lwi_kind_name(kind), def->name ? def->name : "", HIGHEST, LONGEST_TABLE);
        return no_part;
    }
    lw_spring_def *spring = next_spring(mech);
    const size_t n = (size_t)def->ncoefficient;
    double *coefficient = lwi_arena_take(&mech->arena, n + 1, sizeof *coefficient);
    if (!spring || !coefficient) {
        lwi_edit_no_memory(mech);
        return no_part;
    }
    *spring = *def;
    if (n > 0) {
        memcpy(coefficient, def->coefficient, n * sizeof *coefficient);
    }
    spring->coefficient = coefficient;
    const lw_part part = lwi_add_part(mech, kind, &mech->spring.count, def->name, def->location);
    if (part.index >= 0) {
        lwi_part *own = &mech->part.at[part.index];
        spring->name = own->name;
        spring->location = own->location;
        own->role = def->role;
        check_spring(mech, spring, own);
    }
    return part;
}

lw_part lw_add_spring(lw_mech *mech, const lw_spring_def *def)
{
    return add(mech, def, LWI_SPRING);
}

lw_part lw_add_torsion(lw_mech *mech, const lw_spring_def *def)
{
    return add(mech, def, LWI_TORSION);
}
