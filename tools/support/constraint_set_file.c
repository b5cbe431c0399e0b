#include "support/constraint_set_file.h"

#include "support/link_pairs.h"
#include "support/message.h"

int constraint_set_open(const robot *r, const command_line *args, constraint_set_file *out)
{
    static const char *const limits[] = {"on", "off", NULL};
    static const option_id of_chains[] = {OPT_FRAME,    OPT_FROM,      OPT_POSE,
                                          OPT_POSITION, OPT_DIRECTION, OPT_HOLD,
                                          OPT_SWIVEL,   OPT_NEAR,      OPT_CERTAIN};
    for (size_t i = 0; i < sizeof of_chains / sizeof *of_chains; ++i) {
        if (args_has(args, of_chains[i])) {
            return complain(EXIT_USAGE, "--constraints and %s exclude each other",
                            option_name(of_chains[i]));
        }
    }
    const int choice = args_choice(args, OPT_LIMITS, limits);
    lw_report *report = NULL;
    int code = choice < 0 ? EXIT_USAGE : report_open(args, &report);
    if (code != EXIT_GOOD) {
        lw_report_destroy(report);
        return code;
    }
    const char *path = args_value(args, OPT_CONSTRAINTS);
    const lw_model *m = r->model;
    lw_status status = lw_constraint_list_load(path, m, &out->list, report);
    if (status == LW_OK && out->list->collide) {
        code = link_pairs_choose(r, args, out->list->collide, NULL);
    }
    if (status == LW_OK && code == EXIT_GOOD) {
        lw_constraint_options options = out->list->options;
        options.ignores_limits = options.ignores_limits || choice == 1;
        status =
            lw_constraints_create(m, out->list->n, out->list->def, &options, &out->set, report);
    }
    print_diagnostics(report, 0);
    lw_report_destroy(report);
    return status == LW_OK                                    ? code
           : status == LW_ERR_FILE || status == LW_ERR_MEMORY ? EXIT_FILE
                                                              : EXIT_INPUT;
}

int constraint_set_solve(const constraint_set_file *in, const double *q,
                         lw_constraint_result *result)
{
    const lw_status status = lw_constraints_solve(in->set, q ? q : in->list->seed, result);
    return status == LW_OK ? EXIT_GOOD
                           : complain(EXIT_NUMERIC,
                                      "the constraints cannot be evaluated at any "
                                      "start: %s",
                                      lw_status_text(status));
}

void constraint_set_close(constraint_set_file *file)
{
    lw_constraints_destroy(file->set);
    lw_constraint_list_destroy(file->list);
}
