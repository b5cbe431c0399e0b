// linkwork explain: how the model was built from the description.

#include "commands.h"
#include "message.h"
#include "model.h"
#include "number.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

// --- What there is to tell --------------------------------------------------------------------

static const char *joint_of_body(const lw_model *m, int body)
{
    return m->joints[m->joint[body]].name;
}

static const char *name_of_body(const lw_model *m, int body)
{
    return body < 0 ? "world" : m->body_name[body];
}

// Links by body: first[b + 1] begins the list of body b (-1 is the world), next[link] goes on.
typedef struct link_table {
    int *first, *last, *next;
} link_table;

static bool sort_links(const lw_model *m, link_table *table)
{
    table->first = malloc(((size_t)m->nbody + 1) * sizeof *table->first);
    table->last = malloc(((size_t)m->nbody + 1) * sizeof *table->last);
    table->next = malloc(((size_t)m->nlink + 1) * sizeof *table->next);
    if (!table->first || !table->last || !table->next) {
        return false;
    }
    for (int b = 0; b <= m->nbody; ++b) {
        table->first[b] = table->last[b] = -1;
    }
    for (int i = 0; i < m->nlink; ++i) {
        const int slot = m->frame[m->link[i].frame].body + 1;
        table->next[i] = -1;
        if (table->first[slot] < 0) {
            table->first[slot] = i;
        } else {
            table->next[table->last[slot]] = i;
        }
        table->last[slot] = i;
    }
    return true;
}

static void free_links(link_table *table)
{
    free(table->first);
    free(table->last);
    free(table->next);
}

// Whether more than one link makes up the body; one on the world is merged into it.
static bool is_merged(const link_table *table, int body)
{
    const int first = table->first[body + 1];
    return first >= 0 && (body < 0 || table->next[first] >= 0);
}

// "-0.5 a + 2 b + 0.1" of target t of a linear step.
static void print_row(FILE *file, const lw_model *m, const lw_step_info *step, int t)
{
    const double *row = step->coefficient + t * (1 + step->nsource);
    char text[NUMBER_ROOM];
    const char *sign = "";
    for (int k = 1; k <= step->nsource; ++k) {
        if (row[k] == 0) {
            continue;
        }
        fprintf(file, "%s", *sign ? (row[k] < 0 ? " - " : sign) : (row[k] < 0 ? "-" : ""));
        if (fabs(row[k]) != 1) {
            fprintf(file, "%s ", number_text(fabs(row[k]), text));
        }
        fputs(m->tree_velocity_name[step->source[k - 1]], file);
        sign = " + ";
    }
    if (row[0] != 0 || !*sign) {
        fprintf(file, "%s%s", *sign ? (row[0] < 0 ? " - " : sign) : (row[0] < 0 ? "-" : ""),
                number_text(fabs(row[0]), text));
    }
}

// The polynomial of a function.
static void print_law(FILE *file, const lw_model *m, const lw_step_info *step)
{
    const char *source = m->tree_velocity_name[step->source[0]];
    const double *c = step->coefficient;
    const char *sign = "";
    char text[NUMBER_ROOM];
    for (int i = step->ncoefficient - 1; i >= 0; --i) {
        if (c[i] == 0) {
            continue;
        }
        const double size = *sign ? fabs(c[i]) : c[i];
        fputs(*sign && c[i] < 0 ? " - " : sign, file);
        if (i == 0 || fabs(size) != 1) {
            fprintf(file, "%s%s", number_text(size, text), i > 0 ? " " : "");
        } else if (size < 0) {
            fputc('-', file);
        }
        if (i > 0) {
            fputs(source, file);
        }
        if (i > 1) {
            fprintf(file, "^%d", i);
        }
        sign = " + ";
    }
    if (!*sign) {
        fputc('0', file);
    }
}

// --- JSON -------------------------------------------------------------------------------------

static json_t *tree_json(output *out, const lw_model *m)
{
    json_t *tree = output_array(out);
    for (int i = 0; i < m->nbody; ++i) {
        const lw_joint_info *joint = &m->joints[m->joint[i]];
        json_t *body = output_object(out);
        output_set(out, body, "body", output_text(out, m->body_name[i]));
        output_set(out, body, "parent", output_text(out, name_of_body(m, m->parent[i])));
        output_set(out, body, "joint", output_text(out, joint->name));
        output_set(out, body, "type", output_text(out, lw_joint_type_name(joint->type)));
        json_t *freedoms = output_array(out);
        for (int k = m->v_start[i]; k < m->v_start[i + 1]; ++k) {
            output_append(out, freedoms, output_text(out, m->tree_velocity_name[k]));
        }
        output_set(out, body, "velocities", freedoms);
        output_set(out, body, "mass", output_number(out, m->inertia[i].mass));
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
        output_set(out, item, "body", output_text(out, name_of_body(m, b)));
        output_set(out, item, "links", links);
        output_append(out, merged, item);
    }
    return merged;
}

static json_t *names_json(output *out, const lw_model *m, const int *v, int n)
{
    json_t *names = output_array(out);
    for (int k = 0; k < n; ++k) {
        output_append(out, names, output_text(out, m->tree_velocity_name[v[k]]));
    }
    return names;
}

static json_t *gears_json(output *out, const lw_model *m)
{
    json_t *gears = output_array(out);
    for (int i = 0; i < m->nstep; ++i) {
        const lw_step_info *step = &m->step[i];
        for (int t = 0; t < step->ntarget && step->kind == LW_STEP_LINEAR; ++t) {
            const double *row = step->coefficient + t * (1 + step->nsource);
            json_t *gear = output_object(out), *ratios = output_array(out);
            for (int k = 0; k < step->nsource; ++k) {
                output_append(out, ratios, output_number(out, row[1 + k]));
            }
            output_set(out, gear, "name", output_text(out, step->name));
            output_set(out, gear, "solves",
                       output_text(out, m->tree_velocity_name[step->target[t]]));
            output_set(out, gear, "from", names_json(out, m, step->source, step->nsource));
            output_set(out, gear, "ratio", ratios);
            output_set(out, gear, "offset", output_number(out, row[0]));
            output_append(out, gears, gear);
        }
    }
    return gears;
}

static json_t *closure_json(output *out, const lw_model *m)
{
    json_t *closure = output_array(out);
    for (int i = 0; i < m->nstep; ++i) {
        const lw_step_info *step = &m->step[i];
        json_t *item = output_object(out);
        json_t *loops = output_array(out);
        for (int k = 0; k < step->nloop; ++k) {
            output_append(out, loops, output_text(out, m->loop[step->loop[k]].name));
        }
        output_set(out, item, "kind", output_text(out, lw_step_kind_name(step->kind)));
        output_set(out, item, "solves", names_json(out, m, step->target, step->ntarget));
        output_set(out, item, "from", names_json(out, m, step->source, step->nsource));
        output_set(out, item, "loops", loops);
        output_set(out, item, "branch", output_number(out, step->branch));
        output_append(out, closure, item);
    }
    return closure;
}

static void explain_json(output *out, const robot *r, const link_table *table)
{
    json_t *notes = output_array(out);
    for (int i = 0; i < lw_report_count(r->report); ++i) {
        const lw_finding finding = lw_report_finding(r->report, i);
        output_append(out, notes, output_text(out, finding.message));
    }
    out->json = output_object(out);
    output_set(out, out->json, "tree", tree_json(out, r->model));
    output_set(out, out->json, "merged", merged_json(out, r->model, table));
    output_set(out, out->json, "gears", gears_json(out, r->model));
    output_set(out, out->json, "closure", closure_json(out, r->model));
    output_set(out, out->json, "notes", notes);
}

// --- Text -------------------------------------------------------------------------------------

// Whether a body hangs on the same parent further down; then the line of the tree goes on.
static bool has_later_brother(const lw_model *m, int body)
{
    const int end = m->subtree_end[body];
    return end < m->nbody && m->parent[end] == m->parent[body];
}

enum { DEEPEST_SHOWN = 40 }; // levels of indentation

static void print_tree(output *out, const lw_model *m)
{
    fprintf(out->text, "tree: %d bod%s on the world\n", m->nbody, m->nbody == 1 ? "y" : "ies");
    for (int i = 0; i < m->nbody; ++i) {
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
                name_of_body(m, b));
        is_first = false;
        for (int i = table->first[b + 1]; i >= 0; i = table->next[i]) {
            fprintf(out->text, " %s%s", m->link[i].name, table->next[i] >= 0 ? "," : "");
        }
        fputc('\n', out->text);
    }
}

static void print_list(FILE *file, const lw_model *m, const int *v, int n)
{
    for (int k = 0; k < n; ++k) {
        fprintf(file, "%s%s", k ? ", " : "", m->tree_velocity_name[v[k]]);
    }
}

static void print_loop_step(FILE *file, const lw_model *m, const lw_step_info *step, int number)
{
    fprintf(file, "  %d. %s  ", number, lw_step_kind_name(step->kind));
    print_list(file, m, step->target, step->ntarget);
    fputs(" from ", file);
    print_list(file, m, step->source, step->nsource);
    fputs(step->nloop > 1 ? ", by loops " : ", by loop ", file);
    for (int k = 0; k < step->nloop; ++k) {
        fprintf(file, "%s%s", k ? ", " : "", m->loop[step->loop[k]].name);
    }
    fprintf(file, step->branch ? ", branch %+d\n" : "\n", step->branch);
}

static void print_closure(output *out, const lw_model *m)
{
    if (m->nstep > 0) {
        fputs("\nclosure: dependent joints, in the order in which they are computed\n", out->text);
    }
    for (int i = 0; i < m->nstep; ++i) {
        const lw_step_info *step = &m->step[i];
        if (step->nloop == 0) {
            for (int t = 0; t < step->ntarget; ++t) {
                fprintf(out->text, "  %d. %-8s  %s = ", i + 1, lw_step_kind_name(step->kind),
                        m->tree_velocity_name[step->target[t]]);
                if (step->kind == LW_STEP_LINEAR) {
                    print_row(out->text, m, step, t);
                } else {
                    print_law(out->text, m, step);
                }
                fputc('\n', out->text);
            }
        } else {
            print_loop_step(out->text, m, step, i + 1);
        }
    }
}

static void print_notes(output *out, const lw_report *report)
{
    static const char *const severity[] = {"", "warning: ", "error: "};
    for (int i = 0; i < lw_report_count(report); ++i) {
        const lw_finding finding = lw_report_finding(report, i);
        fprintf(out->text, "%s  %s%s\n", i == 0 ? "\nnotes\n" : "", severity[finding.severity],
                finding.message);
    }
}

static void explain_text(output *out, const robot *r, const link_table *table)
{
    print_tree(out, r->model);
    print_merged(out, r->model, table);
    print_closure(out, r->model);
    print_notes(out, r->report);
}

int command_explain(const command_line *args)
{
    robot r;
    output out = {0};
    link_table table = {0};
    int code = robot_open(&r, args);
    if (code == EXIT_GOOD &&
        (!output_begin(&out, args_has(args, OPT_JSON)) || !sort_links(r.model, &table))) {
        code = complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
    }
    if (code == EXIT_GOOD) {
        (out.is_json ? explain_json : explain_text)(&out, &r, &table);
    }
    code = output_finish(&out, code);
    free_links(&table);
    robot_close(&r);
    return code;
}
