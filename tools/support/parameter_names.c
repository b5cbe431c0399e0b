#include "support/parameter_names.h"

#include "support/message.h"

#include <linkwork/derivatives.h>
#include <linkwork/parameters.h>

#include <math.h>
#include <string.h>

typedef struct parameter_names {
    int count, room;
    const char **name;
    double *value; ///< in the description
} parameter_names;

static void add_name(job *work, parameter_names *list, const char *name)
{
    double value;
    if (lw_get_parameter(work->robot.mech, name, &value) != LW_OK || !isfinite(value)) {
        return;
    }
    for (int i = 0; i < list->count; ++i) {
        if (strcmp(list->name[i], name) == 0) {
            return;
        }
    }
    if (list->count == list->room) {
        const char **name_before = list->name;
        const double *value_before = list->value;
        list->room = 2 * list->room + 64;
        list->name = memory_get(work->pool, (size_t)list->room, sizeof *list->name);
        list->value = memory_get(work->pool, (size_t)list->room, sizeof *list->value);
        for (int i = 0; i < list->count; ++i) {
            list->name[i] = name_before[i];
            list->value[i] = value_before[i];
        }
    }
    list->name[list->count] = memory_text(work->pool, "%s", name);
    list->value[list->count++] = value;
}

static void add_fields(job *work, parameter_names *list, const char *part, const char *const *field)
{
    for (; *field; ++field) {
        add_name(work, list, memory_text(work->pool, "%s.%s", part, *field));
    }
}

/// Returns an exit code.
static int find_names(job *work, parameter_names *list)
{
    static const char *const of_joint[] = {"damping", "friction", "stiffness", "rotor_inertia",
                                           NULL};
    static const char *const of_drive[] = {"inertia",   "damping",      "friction",
                                           "max_force", "max_velocity", NULL};
    static const char *const of_spring[] = {"stiffness", "preload",  "free",
                                            "damping",   "backlash", NULL};
    static const char *const of_rod[] = {"length", "mass", NULL};
    static const char *const of_gear[] = {"ratio", NULL};
    const lw_model *m = work->m;
    const lw_compile_options options = robot_options(&work->robot, work->args);
    *list = (parameter_names){0};
    lw_parameters *placing = NULL;
    const lw_status status = lw_parameters_create(work->robot.mech, &options, m, &placing);
    for (int i = 0; i < lw_parameters_count(placing); ++i) {
        add_name(work, list, lw_parameters_name(placing, i));
    }
    lw_parameters_destroy(placing);
    if (status != LW_OK) {
        return complain(exit_code_of(status), "%s", lw_status_text(status));
    }
    for (int i = 0; i < m->nlink; ++i) {
        for (int k = 0; k < LW_LINK_PARAMETER_COUNT; ++k) {
            add_name(work, list,
                     memory_text(work->pool, "%s.%s", m->link[i].name,
                                 lw_link_parameter_name((lw_link_parameter)k)));
        }
    }
    for (int i = 0; i < m->njoint; ++i) {
        add_fields(work, list, m->joints[i].name, of_joint);
    }
    for (int i = 0; i < m->nloop; ++i) {
        add_fields(work, list, m->loop[i].name, of_rod);
    }
    for (int i = 0; i < m->ngear; ++i) {
        add_fields(work, list, m->gear[i].name, of_gear);
    }
    for (int i = 0; i < m->ndrive; ++i) {
        add_fields(work, list, m->drive[i].name, of_drive);
    }
    for (int i = 0; i < m->nspring; ++i) {
        add_fields(work, list, m->spring[i].name, of_spring);
    }
    return EXIT_GOOD;
}

int parameter_names_print(job *work)
{
    parameter_names list;
    const int code = find_names(work, &list);
    if (code != EXIT_GOOD) {
        return code;
    }
    output *out = &work->out;
    if (!out->is_json) {
        output_table(out, "parameter", list.name, list.count, NULL, 1, list.value);
        return EXIT_GOOD;
    }
    json_t *items = output_array(out);
    for (int i = 0; i < list.count; ++i) {
        output_put(out, output_item(out, items), "name s, value f", list.name[i], list.value[i]);
    }
    out->json = output_object(out);
    output_set(out, out->json, "parameters", items);
    return EXIT_GOOD;
}
