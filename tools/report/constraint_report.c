#include "report/constraint_report.h"

#include "support/numeral.h"

#include <math.h>

static json_t *conflicts_json(output *out, const lw_model *m, const lw_constraint_result *found)
{
    json_t *conflicts = output_array(out);
    for (int group = 0; group < found->nconflict; ++group) {
        json_t *item = output_item(out, conflicts);
        json_t *names = output_array(out), *limits = output_array(out);
        for (int i = 0; i < found->nconstraint; ++i) {
            if (found->constraint[i].conflict == group) {
                output_append(out, names, output_text(out, found->constraint[i].name));
            }
        }
        for (int i = 0; i < found->nlimit; ++i) {
            if (found->limit[i].conflict == group) {
                output_append(out, limits, output_text(out, m->velocity_name[found->limit[i].dof]));
            }
        }
        output_put(out, item, "constraints o, limits o", names, limits);
    }
    return conflicts;
}

static void report_json(output *out, json_t *result, const lw_model *m,
                        const lw_constraint_result *found)
{
    json_t *constraints = output_array(out), *limits = output_array(out);
    for (int i = 0; i < found->nconstraint; ++i) {
        const lw_constraint_outcome *o = &found->constraint[i];
        output_put(out, output_item(out, constraints),
                   "name s, level d, residual f, met o, at_bound o", o->name, o->level, o->residual,
                   json_boolean(o->is_met), json_boolean(o->is_at_bound));
    }
    for (int i = 0; i < found->nlimit; ++i) {
        const lw_active_limit *l = &found->limit[i];
        output_put(out, output_item(out, limits), "joint s, side s, multiplier f",
                   m->velocity_name[l->dof], l->is_upper ? "upper" : "lower", l->multiplier);
    }
    output_put(out, result,
               "q o, status s, constraints o, conflicts o, active_limits o, kkt f, iterations d, "
               "starts d",
               output_numbers(out, found->q, m->nq), lw_constraint_status_name(found->status),
               constraints, conflicts_json(out, m, found), limits, found->kkt, found->iterations,
               found->starts);
}

static const char *short_number(double value, char number[NUMBER_SIZE])
{
    return number_text(fabs(value) < 1e-12 ? 0.0 : value, number);
}

// One conflict as a line: its constraints, then its limits.
static void conflict_line(output *out, const lw_model *m, const lw_constraint_result *found,
                          int group)
{
    const char *between = "in conflict: ";
    for (int i = 0; i < found->nconstraint; ++i) {
        if (found->constraint[i].conflict == group) {
            fprintf(out->text, "%s%s", between, found->constraint[i].name);
            between = ", ";
        }
    }
    for (int i = 0; i < found->nlimit; ++i) {
        if (found->limit[i].conflict == group) {
            fprintf(out->text, "%s%s limit of %s", between,
                    found->limit[i].is_upper ? "upper" : "lower",
                    m->velocity_name[found->limit[i].dof]);
            between = ", ";
        }
    }
    fputc('\n', out->text);
}

static void report_text(output *out, const lw_model *m, const lw_constraint_result *found)
{
    static const char *const meaning[] = {
        "all constraints are met", "not all constraints can be met; this is the best there is",
        "the iterations ended before an optimum was proven"};
    char number[NUMBER_SIZE];
    int width = output_width("constraint");
    for (int i = 0; i < found->nconstraint; ++i) {
        const int one = output_width(found->constraint[i].name);
        width = one > width ? one : width;
    }
    fprintf(out->text, "%s: %s\n\n", lw_constraint_status_name(found->status),
            meaning[found->status]);
    output_name(out, "constraint", width);
    fprintf(out->text, "  level     residual\n");
    for (int i = 0; i < found->nconstraint; ++i) {
        const lw_constraint_outcome *o = &found->constraint[i];
        output_name(out, o->name, width);
        fprintf(out->text, "  %5d  %11s%s\n", o->level,
                short_number(o->is_met ? 0.0 : o->residual, number),
                !o->is_met       ? "  not met"
                : o->is_at_bound ? "  at its bound"
                                 : "");
    }
    for (int i = 0; i < found->nconflict; ++i) {
        conflict_line(out, m, found, i);
    }
    for (int i = 0; i < found->nlimit; ++i) {
        fprintf(out->text, "at its %s limit: %s\n", found->limit[i].is_upper ? "upper" : "lower",
                m->velocity_name[found->limit[i].dof]);
    }
    static const char *const head[] = {"q"};
    fputc('\n', out->text);
    output_table(out, "", m->position_name, m->nq, head, 1, found->q);
}

void constraint_report(output *out, json_t *result, const lw_model *m,
                       const lw_constraint_result *found)
{
    if (result) {
        report_json(out, result, m, found);
    } else {
        report_text(out, m, found);
    }
}
