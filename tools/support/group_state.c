#include "support/group_state.h"

#include "support/message.h"
#include "support/robot_file.h"

#include <stdio.h>
#include <string.h>

// NULL with a complaint.
static const lw_group_state *find_state(const lw_srdf *srdf, const char *where, const char *name)
{
    const lw_group_state *found = NULL;
    lw_nearest near;
    lw_nearest_init(&near, name);
    for (int i = 0; i < srdf->nstate; ++i) {
        const lw_group_state *state = &srdf->state[i];
        const size_t length = strlen(state->group);
        if (strncmp(name, state->group, length) == 0 && name[length] == '/' &&
            strcmp(name + length + 1, state->name) == 0) {
            return state;
        }
        if (strcmp(name, state->name) == 0) {
            if (found) {
                complain(EXIT_USAGE, "%s: several groups have \"%s\": give \"%s/%s\" or \"%s/%s\"",
                         where, name, found->group, name, state->group, name);
                return NULL;
            }
            found = state;
        }
        lw_nearest_offer(&near, state->name);
    }
    if (!found) {
        char text[SUGGEST_SIZE];
        complain(EXIT_USAGE, "%s: --srdf has no <group_state> \"%s\"%s", where, name,
                 suggest_text(&near, text));
        for (int i = 0; i < srdf->nstate; ++i) {
            fprintf(stderr, "%s %s/%s%s", i > 0 ? "," : "it has", srdf->state[i].group,
                    srdf->state[i].name, i + 1 < srdf->nstate ? "" : "\n");
        }
    }
    return found;
}

int group_state_find(const command_line *args, const char *where, const char *name, lw_srdf **srdf,
                     const lw_group_state **state)
{
    const char *path = args_value(args, OPT_SRDF);
    if (!path) {
        return complain(EXIT_USAGE,
                        "%s: \"%s\" is not a finite number; a configuration by its name needs "
                        "--srdf FILE",
                        where, name);
    }
    lw_report *report = NULL;
    int code = report_open(args, &report);
    if (code == EXIT_GOOD) {
        code = exit_code_of(lw_srdf_load(path, srdf, report));
        if (code != EXIT_GOOD) {
            print_diagnostics(report, 0);
        }
    }
    lw_report_destroy(report);
    if (code != EXIT_GOOD) {
        return code;
    }
    *state = find_state(*srdf, where, name);
    return *state ? EXIT_GOOD : EXIT_USAGE;
}
