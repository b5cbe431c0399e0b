// linkwork explain: how the model was built from the description.

#include "commands/commands.h"
#include "report/explain.h"
#include "report/explain_ik.h"
#include "support/job.h"
#include "support/message.h"

#include <linkwork/shafts.h>

#include <string.h>

// --- Links of bodies ---------------------------------------------------------------------------

static const char *joint_of_body(const lw_model *m, int body)
{
    return m->joints[m->joint[body]].name;
}

// Links by body: first[b + 1] begins the list of body b (-1 is the world), next[link] continues it.
typedef struct link_table {
    int *first, *last, *next;
} link_table;

static link_table sort_links(const lw_model *m, memory *pool)
{
    const size_t nbody = (size_t)m->nbody + 1;
    link_table table = {memory_get(pool, nbody, sizeof(int)), memory_get(pool, nbody, sizeof(int)),
                        memory_get(pool, (size_t)m->nlink, sizeof(int))};
    for (int b = 0; b <= m->nbody; ++b) {
        table.first[b] = table.last[b] = -1;
    }
    for (int i = 0; i < m->nlink; ++i) {
        const int slot = m->frame[m->link[i].frame].body + 1;
        table.next[i] = -1;
        if (table.first[slot] < 0) {
            table.first[slot] = i;
        } else {
            table.next[table.last[slot]] = i;
        }
        table.last[slot] = i;
    }
    return table;
}

// Whether more than one link makes up the body; one on the world is merged into it.
static bool is_merged(const link_table *table, int body)
{
    const int first = table->first[body + 1];
    return first >= 0 && (body < 0 || table->next[first] >= 0);
}

// --- JSON -------------------------------------------------------------------------------------

static json_t *tree_json(output *out, const lw_model *m)
{
    json_t *tree = output_array(out);
    for (int i = 0; i < m->nbody - lw_shaft_count(m); ++i) {
        const lw_joint_info *joint = &m->joints[m->joint[i]];
        json_t *body = output_object(out);
        output_put(out, body, "body s, parent s, joint s, type s", m->body_name[i],
                   explain_body_name(m, m->parent[i]), joint->name,
                   lw_joint_type_name(joint->type));
        json_t *dofs = output_array(out);
        for (int k = m->v_start[i]; k < m->v_start[i + 1]; ++k) {
            output_append(out, dofs, output_text(out, m->tree_velocity_name[k]));
        }
        output_put(out, body, "velocities o, mass f", dofs, m->inertia[i].mass);
        output_append(out, tree, body);
    }
    return tree;
}

static json_t *merged_json(output *out, const lw_model *m, const link_table *table)
{
    json_t *merged = output_array(out);
    for (int b = -1; b < m->nbody; ++b) {
        if (!is_merged(table, b)) {
            continue;
        }
        json_t *item = output_object(out), *links = output_array(out);
        for (int i = table->first[b + 1]; i >= 0; i = table->next[i]) {
            output_append(out, links, output_text(out, m->link[i].name));
        }
        output_put(out, item, "body s, links o", explain_body_name(m, b), links);
        output_append(out, merged, item);
    }
    return merged;
}

static void explain_json(output *out, const robot *r, const link_table *table,
                         const lw_levels *levels)
{
    json_t *notes = output_array(out);
    for (int i = 0; i < lw_report_count(r->report); ++i) {
        const lw_diagnostic diagnostic = lw_report_diagnostic(r->report, i);
        output_append(out, notes, output_text(out, diagnostic.message));
    }
    out->json = output_object(out);
    output_put(out, out->json, "tree o, merged o, inverse_kinematics o", tree_json(out, r->model),
               merged_json(out, r->model, table), explain_ik_json(out, r->model));
    explain_closure_json(out, r->model);
    explain_springs_json(out, r->model);
    explain_wheels_json(out, r->model);
    output_put(out, out->json, "levels o, notes o", explain_levels_json(out, levels), notes);
}

// --- Text -------------------------------------------------------------------------------------

// Whether a body is connected to the same parent further down; then the line of the tree continues.
static bool has_later_brother(const lw_model *m, int body)
{
    const int end = m->subtree_end[body];
    return end < m->nbody && m->parent[end] == m->parent[body] &&
           !m->joints[m->joint[end]].is_shaft;
}

enum { DEEPEST_SHOWN = 40 }; // levels of indentation

static void print_tree(output *out, const lw_model *m)
{
    const int nbody = m->nbody - lw_shaft_count(m);
    fprintf(out->text, "tree: %d bod%s on the world\n", nbody, nbody == 1 ? "y" : "ies");
    for (int i = 0; i < nbody; ++i) {
        int path[DEEPEST_SHOWN], depth = 0;
        for (int b = m->parent[i]; b >= 0 && depth < DEEPEST_SHOWN; b = m->parent[b]) {
            path[depth++] = b;
        }
        fputs("  ", out->text);
        while (depth > 0) {
            fputs(has_later_brother(m, path[--depth]) ? "|  " : "   ", out->text);
        }
        const lw_joint_type type = m->joints[m->joint[i]].type;
        fprintf(out->text, "%s %s  (%s %s)\n", has_later_brother(m, i) ? "|-" : "`-",
                m->body_name[i], lw_joint_type_name(type), joint_of_body(m, i));
    }
}

static void print_merged(output *out, const lw_model *m, const link_table *table)
{
    bool is_first = true;
    for (int b = -1; b < m->nbody; ++b) {
        if (!is_merged(table, b)) {
            continue;
        }
        fprintf(out->text, "%s  %s:", is_first ? "\nmerged: links that are rigidly one\n" : "",
                explain_body_name(m, b));
        is_first = false;
        for (int i = table->first[b + 1]; i >= 0; i = table->next[i]) {
            fprintf(out->text, " %s%s", m->link[i].name, table->next[i] >= 0 ? "," : "");
        }
        fputc('\n', out->text);
    }
}

static void print_notes(output *out, const lw_report *report)
{
    static const char *const severity[] = {"", "warning: ", "error: "};
    for (int i = 0; i < lw_report_count(report); ++i) {
        const lw_diagnostic diagnostic = lw_report_diagnostic(report, i);
        fprintf(out->text, "%s  %s%s\n", i == 0 ? "\nnotes\n" : "", severity[diagnostic.severity],
                diagnostic.message);
    }
}

static void explain_text(output *out, const robot *r, const link_table *table,
                         const lw_levels *levels)
{
    print_tree(out, r->model);
    print_merged(out, r->model, table);
    explain_ik_text(out, r->model);
    explain_closure_text(out, r->model);
    explain_springs_text(out, r->model);
    explain_wheels_text(out, r->model);
    explain_levels_text(out, levels);
    print_notes(out, r->report);
}

// --- One stage --------------------------------------------------------------------------------

typedef struct stage_lines {
    output *out;
    json_t *list;
} stage_lines;

static void add_line(void *context, const char *text)
{
    const stage_lines *lines = context;
    if (lines->list) {
        output_append(lines->out, lines->list, output_text(lines->out, text));
    } else {
        fprintf(lines->out->text, "%s\n", text);
    }
}

static int explain_stage(output *out, const robot *r, const command_line *args, const char *name)
{
    const lw_compile_options options = robot_options(r, args);
    int stage = 0;
    while (lw_compile_stage_name(stage) && strcmp(lw_compile_stage_name(stage), name) != 0) {
        ++stage;
    }
    if (!lw_compile_stage_name(stage)) {
        complain(EXIT_USAGE, "--stage: there is no stage \"%s\"; there are", name);
        for (stage = 0; lw_compile_stage_name(stage); ++stage) {
            fprintf(stderr, "  %s\n", lw_compile_stage_name(stage));
        }
        return EXIT_USAGE;
    }
    const stage_lines lines = {out, out->is_json ? output_array(out) : NULL};
    const lw_status status =
        lw_compile_stage(r->mech, &options, stage, add_line, (void *)&lines, NULL);
    if (out->is_json) {
        out->json = output_object(out);
        output_put(out, out->json, "stage s, lines o", name, lines.list);
    }
    return status == LW_OK ? EXIT_GOOD
                           : complain(exit_code_of(status), "%s", lw_status_text(status));
}

static int run(job *work)
{
    output *out = &work->out;
    const char *stage = args_value(work->args, OPT_STAGE);
    if (stage) {
        return explain_stage(out, &work->robot, work->args, stage);
    }
    const link_table table = sort_links(work->m, work->pool);
    const lw_compile_options options = robot_options(&work->robot, work->args);
    lw_levels *levels = NULL;
    const lw_status status = lw_levels_create(work->robot.mech, &options, &levels);
    if (status != LW_OK) {
        return complain(exit_code_of(status), "%s", lw_status_text(status));
    }
    robot_check_drives(&work->robot, work->args);
    (out->is_json ? explain_json : explain_text)(out, &work->robot, &table, levels);
    lw_levels_destroy(levels);
    return EXIT_GOOD;
}

const command_def command_explain = {
    .name = "explain",
    .options = OPTIONS(OPTIONS_RESULT, OPT_STAGE),
    .summary = "how the model was built: tree, loops, gears, dependent joints",
    .about =
        "Explains how the model was built from the description: the tree of bodies, links that are "
        "merged because they are rigidly connected, the loops that rods and closing joints make, "
        "the gears, and the steps by which dependent joints follow from others, in their order and "
        "with the way each is solved.\n\nA loop has conditions, of which fewer may be independent: "
        "those that keep a planar four-bar in its plane are redundant. A closed form has two "
        "branches, and stays on that of the reference configuration. A gear is a row of "
        "coefficients on the rates of joints; where gears alone connect joints, a table has the "
        "ratios of joints and motors. Drives are listed with their inertia and limits, the ratios "
        "of drives to joints, and the inverse if there is one.\n\nLevels list the transmission "
        "parts that each assembly keeps, locks or leaves out.",
    .keys = "tree (body, parent, joint, type, velocities, mass), merged (body, links), "
            "inverse_kinematics (frame, class, derivation), loops "
            "(name, type, bodies, length, mass, conditions, rank, step), gears (name, type, "
            "wheels, carrier, joints, indices, coefficients, step; couplings: solves, from, "
            "ratio, offset), closure (in order: kind, solves, from, loops, gears, branch, "
            "condition, condition_near; of a rod: common, fragments (bodies, evaluations, "
            "evaluations_derived); "
            "ratio and offset, or polynomial), motors (joints, motors, matrix, offset), "
            "drives (drives: name, index, inertia, max_force, max_velocity, stall_force, "
            "no_load_velocity, continuous_force, curve; following, "
            "joints, ratio, inverse), "
            "wheels (base, wheels: wheel, axle, radius, steering; passive, mobility, "
            "steerability), "
            "levels (assembly, level, transmission_parts, mass, mass_moved, mass_left_out, "
            "locked and left_out: part, kind, carrier, mass, inertia, slides), notes; with "
            "--stage: stage, lines",
    .example = "explain gripper.urdf\nexplain palletiser.xml --json",
    .run = run,
};
