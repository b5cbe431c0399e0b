// The closure program as JSON and as text.

#include "report/explain.h"

#include "support/message.h"

#include <linkwork/shafts.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- JSON -------------------------------------------------------------------------------------

static json_t *names_json(output *out, const lw_model *m, const int *v, int n)
{
    json_t *names = output_array(out);
    for (int k = 0; k < n; ++k) {
        output_append(out, names, output_text(out, m->tree_velocity_name[v[k]]));
    }
    return names;
}

static json_t *step_number(output *out, int step)
{
    return step < 0 ? json_null() : output_number(out, step);
}

static json_t *bodies_json(output *out, const lw_model *m, int one, int other)
{
    json_t *bodies = output_array(out);
    output_append(out, bodies, output_text(out, explain_body_name(m, one)));
    output_append(out, bodies, output_text(out, explain_body_name(m, other)));
    return bodies;
}

static json_t *loops_json(output *out, const lw_model *m)
{
    json_t *loops = output_array(out);
    for (int i = 0; i < m->nloop; ++i) {
        const lw_loop_info *loop = &m->loop[i];
        json_t *item = output_object(out);
        output_put(
            out, item, "name s, type s, bodies o", loop->name,
            loop->is_rod ? "rod" : lw_joint_type_name(loop->type),
            bodies_json(out, m, m->frame[loop->frame[0]].body, m->frame[loop->frame[1]].body));
        if (loop->is_rod) {
            output_put(out, item, "length f, mass f", loop->length, loop->mass);
        }
        output_put(out, item, "conditions f, rank f, step o", (double)loop->nrow,
                   (double)loop->rank, step_number(out, loop->step));
        output_append(out, loops, item);
    }
    return loops;
}

static json_t *indices_json(output *out, const int *v, int n)
{
    json_t *indices = output_array(out);
    for (int k = 0; k < n; ++k) {
        output_append(out, indices, output_number(out, v[k]));
    }
    return indices;
}

// Gearboxes and shafts tie axes, not wheels.
static bool has_wheels(const lw_gear_info *gear)
{
    return gear->type != LW_GEAR_BOX && gear->type != LW_GEAR_SHAFT;
}

static json_t *gear_json(output *out, const lw_model *m, const lw_gear_info *gear)
{
    json_t *item = output_object(out);
    output_put(out, item, "name s, type s", gear->name, lw_gear_type_name(gear->type));
    if (has_wheels(gear)) {
        output_put(out, item, "wheels o, carrier s",
                   bodies_json(out, m, gear->body[0], gear->body[1]),
                   explain_body_name(m, gear->carrier));
    }
    output_put(out, item, "joints o, indices o, coefficients o, step o",
               names_json(out, m, gear->dof, gear->ndof), indices_json(out, gear->dof, gear->ndof),
               output_numbers(out, gear->share, gear->ndof), step_number(out, gear->step));
    return item;
}

// A linear coupling has the same keys as a gear, and those of a law.
static json_t *coupling_json(output *out, const lw_model *m, const lw_step_info *step, int t)
{
    const double *row = step->coefficient + t * (1 + step->nsource);
    json_t *item = output_object(out), *ratio = output_array(out);
    json_t *joints = names_json(out, m, &step->target[t], 1);
    json_t *indices = indices_json(out, &step->target[t], 1);
    json_t *coefficients = output_array(out);
    output_append(out, coefficients, output_number(out, 1));
    for (int k = 0; k < step->nsource; ++k) {
        output_append(out, ratio, output_number(out, row[1 + k]));
        output_append(out, joints, output_text(out, m->tree_velocity_name[step->source[k]]));
        output_append(out, indices, output_number(out, step->source[k]));
        output_append(out, coefficients, output_number(out, -row[1 + k]));
    }
    output_put(out, item,
               "name s, type s, joints o, indices o, coefficients o, solves s, "
               "from o, ratio o, offset f, step o",
               step->name, "coupling", joints, indices, coefficients,
               m->tree_velocity_name[step->target[t]],
               names_json(out, m, step->source, step->nsource), ratio, row[0],
               step_number(out, (int)(step - m->step)));
    return item;
}

static json_t *gears_json(output *out, const lw_model *m)
{
    json_t *gears = output_array(out);
    for (int g = 0; g < m->ngear; ++g) {
        output_append(out, gears, gear_json(out, m, &m->gear[g]));
    }
    for (int i = 0; i < m->nstep; ++i) {
        const lw_step_info *step = &m->step[i];
        const bool is_coupling = step->kind == LW_STEP_LINEAR && explain_gears_of_step(m, i) == 0;
        for (int t = 0; t < step->ntarget && is_coupling; ++t) {
            output_append(out, gears, coupling_json(out, m, step, t));
        }
    }
    return gears;
}

static void law_json(output *out, json_t *item, const lw_step_info *step)
{
    if (step->kind == LW_STEP_FUNCTION) {
        output_set(out, item, "polynomial",
                   output_numbers(out, step->coefficient, step->ncoefficient));
    } else if (step->kind == LW_STEP_LINEAR) {
        json_t *ratio = output_array(out), *offset = output_array(out);
        for (int t = 0; t < step->ntarget; ++t) {
            const double *row = step->coefficient + t * (1 + step->nsource);
            output_append(out, offset, output_number(out, row[0]));
            output_append(out, ratio, output_numbers(out, row + 1, step->nsource));
        }
        output_put(out, item, "ratio o, offset o", ratio, offset);
    }
}

// By the algorithms: once seen from the common ancestor of both branches, and once with the tree.
enum { EVALUATIONS = 2 };

// By derived equations, which share values: seen from the world, all but fragment 2 are those of
// the tree.
static int derived_evaluations(const fragments *f, int k)
{
    return f->common < 0 && k != 1 ? 1 : 2;
}

static json_t *fragments_json(output *out, const lw_model *m, const fragments *f)
{
    json_t *list = output_array(out);
    for (int k = 0; k < 3; ++k) {
        json_t *bodies = output_array(out);
        for (int b = f->first[k]; b != f->last[k]; b = m->parent[b]) {
            output_append(out, bodies, output_text(out, m->body_name[b]));
        }
        output_put(out, output_item(out, list), "bodies o, evaluations f, evaluations_derived f",
                   bodies, (double)EVALUATIONS, (double)derived_evaluations(f, k));
    }
    return list;
}

static json_t *closure_json(output *out, const lw_model *m)
{
    json_t *closure = output_array(out);
    for (int i = 0; i < m->nstep; ++i) {
        const lw_step_info *step = &m->step[i];
        json_t *item = output_object(out), *loops = output_array(out), *gears = output_array(out);
        for (int k = 0; k < step->nloop; ++k) {
            output_append(out, loops, output_text(out, m->loop[step->loop[k]].name));
        }
        for (int g = 0; g < m->ngear; ++g) {
            if (m->gear[g].step == i) {
                output_append(out, gears, output_text(out, m->gear[g].name));
            }
        }
        output_put(out, item, "kind s, solves o, from o, loops o, gears o, branch f",
                   lw_step_kind_name(step->kind), names_json(out, m, step->target, step->ntarget),
                   names_json(out, m, step->source, step->nsource), loops, gears,
                   (double)step->branch);
        if (step->condition > 0.0) {
            output_put(out, item, "condition n, condition_near n", step->condition,
                       step->condition_near);
        }
        fragments f;
        if (explain_fragments_of(m, step, &f)) {
            output_put(out, item, "common s, fragments o", explain_body_name(m, f.common),
                       fragments_json(out, m, &f));
        }
        law_json(out, item, step);
        output_append(out, closure, item);
    }
    return closure;
}

// Rows of a matrix that are not those of shafts: their degrees of freedom, numbers and offsets, in
// storage of the caller for all rows. Returns how many there are.
static int joint_rows(const lw_model *m, const lw_gear_ratios *r, int *dof, double *ratio,
                      double *offset)
{
    const size_t nv = (size_t)m->nv;
    int count = 0;
    for (int row = 0; row < r->nrow; ++row) {
        if (r->dof[row] < m->tree_nv - lw_shaft_count(m)) {
            dof[count] = r->dof[row];
            offset[count] = r->offset[row];
            memcpy(ratio + (size_t)count++ * nv, r->ratio + (size_t)row * nv, nv * sizeof *ratio);
        }
    }
    return count;
}

static json_t *motors_json(output *out, const lw_model *m, const lw_gear_ratios *r)
{
    json_t *item = output_object(out);
    const size_t rows = (size_t)r->nrow + 1, nv = (size_t)m->nv;
    int *dof = memory_get(out->pool, rows, sizeof *dof);
    double *ratio = memory_get(out->pool, rows * (nv + 1), sizeof *ratio);
    double *offset = ratio + rows * nv;
    const int count = joint_rows(m, r, dof, ratio, offset);
    output_put(out, item, "joints o, motors o, matrix o, offset o", names_json(out, m, dof, count),
               output_names(out, m->velocity_name, m->nv), output_matrix(out, ratio, count, m->nv),
               output_numbers(out, offset, count));
    return item;
}

static json_t *drives_json(output *out, const lw_model *m, const lw_gear_ratios *r)
{
    json_t *item = output_object(out), *list = output_array(out), *joints = output_array(out);
    for (int i = 0; i < m->ndrive; ++i) {
        output_append(out, list, explain_drive_json(out, &m->drive[i]));
    }
    for (int k = 0; k < r->njoint; ++k) {
        output_append(out, joints, output_text(out, m->velocity_name[r->joint[k]]));
    }
    output_put(out, item, "drives o, following o, joints o, ratio o, inverse o", list,
               names_json(out, m, r->drive, r->ndrive), joints,
               output_matrix(out, r->drive_ratio, r->ndrive, r->njoint),
               r->inverse ? output_matrix(out, r->inverse, r->njoint, r->ndrive) : json_null());
    return item;
}

void explain_closure_json(output *out, const lw_model *m)
{
    output_put(out, out->json, "loops o, gears o, closure o", loops_json(out, m),
               gears_json(out, m), closure_json(out, m));
    lw_gear_ratios ratios;
    if (lw_gear_ratios_create(m, &ratios) == LW_ERR_MEMORY) {
        exit(no_memory());
    }
    if (m->ngear > 0) {
        output_set(out, out->json, "motors", motors_json(out, m, &ratios));
    }
    if (m->ndrive > 0) {
        output_set(out, out->json, "drives", drives_json(out, m, &ratios));
    }
    lw_gear_ratios_free(&ratios);
}

// --- Text -------------------------------------------------------------------------------------

static void print_loops(output *out, const lw_model *m)
{
    int widest = 0;
    for (int i = 0; i < m->nloop; ++i) {
        widest = output_widest(&m->loop[i].name, 1) > widest ? output_widest(&m->loop[i].name, 1)
                                                             : widest;
    }
    if (m->nloop > 0) {
        fputs("\nloops\n", out->text);
    }
    for (int i = 0; i < m->nloop; ++i) {
        const lw_loop_info *loop = &m->loop[i];
        fputs("  ", out->text);
        output_name(out, loop->name, widest + 2);
        explain_loop(out->text, m, loop);
        if (loop->step < 0) {
            fputs("; redundant, other loops close it\n", out->text);
        } else {
            fprintf(out->text, "; closed by step %d\n", loop->step + 1);
        }
    }
}

static void print_gears(output *out, const lw_model *m)
{
    int widest = 0;
    for (int i = 0; i < m->ngear; ++i) {
        widest = output_width(m->gear[i].name) > widest ? output_width(m->gear[i].name) : widest;
    }
    if (m->ngear > 0) {
        fputs("\ngears: rows on the rates of the joints\n", out->text);
    }
    for (int i = 0; i < m->ngear; ++i) {
        const lw_gear_info *gear = &m->gear[i];
        bool is_first = true;
        fputs("  ", out->text);
        output_name(out, gear->name, widest + 2);
        for (int k = 0; k < gear->ndof; ++k) {
            const char *name = m->tree_velocity_name[gear->dof[k]];
            explain_term(out->text, gear->share[k], name, &is_first);
        }
        fprintf(out->text, " = 0; %s", lw_gear_type_name(gear->type));
        if (has_wheels(gear)) {
            fprintf(out->text, ", %s and %s on %s", explain_body_name(m, gear->body[0]),
                    explain_body_name(m, gear->body[1]), explain_body_name(m, gear->carrier));
        }
        if (gear->step < 0) {
            fputs("; redundant, implied by other gears\n", out->text);
        } else {
            fprintf(out->text, "; step %d\n", gear->step + 1);
        }
    }
}

static void print_condition(FILE *file, const lw_step_info *step)
{
    if (!(step->condition > 0.0)) {
        return;
    }
    if (isinf(step->condition)) {
        fputs("       singular in the reference configuration", file);
    } else {
        fprintf(file, "       condition number %.3g", step->condition);
    }
    if (isinf(step->condition_near)) {
        fputs(", cannot be closed nearby", file);
    } else if (step->condition_near > 2.0 * step->condition) {
        fprintf(file, ", up to %.3g nearby", step->condition_near);
    }
    fputc('\n', file);
}

static void print_fragments(FILE *file, const lw_model *m, const lw_step_info *step)
{
    static const char *const where[] = {"before", "beyond"};
    const char *joint = m->tree_velocity_name[step->target[0]];
    fragments f;
    if (!explain_fragments_of(m, step, &f)) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        fprintf(file, "       fragment %d, %s %s:", k + 1, k < 2 ? where[k] : "the other",
                k < 2 ? joint : "branch");
        for (int b = f.first[k]; b != f.last[k]; b = m->parent[b]) {
            fprintf(file, " %s%s", m->body_name[b], m->parent[b] == f.last[k] ? "" : ",");
        }
        fputs(f.first[k] == f.last[k] ? " none\n" : "\n", file);
    }
    fprintf(file,
            "       each is evaluated once seen from %s to find %s, and once more with the tree\n",
            explain_body_name(m, f.common), joint);
    if (f.common < 0) {
        fputs("       derived equations evaluate fragments 1 and 3 once, and fragment 2 twice\n",
              file);
    }
}

static void print_steps(output *out, const lw_model *m)
{
    if (m->nstep > 0) {
        fputs("\nclosure: dependent joints, in the order in which they are computed\n", out->text);
    }
    for (int i = 0; i < m->nstep; ++i) {
        fprintf(out->text, "  %d. %-14s  ", i + 1, lw_step_kind_name(m->step[i].kind));
        explain_step(out->text, m, &m->step[i]);
        fputc('\n', out->text);
        print_condition(out->text, &m->step[i]);
        print_fragments(out->text, m, &m->step[i]);
    }
}

enum { MOST_COLUMNS = 8 }; // of a table that fits a screen

// Drives that follow joints, and the joints by those if that can be inverted.
static void print_ratios(output *out, const lw_model *m, const lw_gear_ratios *r)
{
    const char *drive[MOST_COLUMNS] = {NULL}, *joint[MOST_COLUMNS] = {NULL};
    if (r->ndrive == 0 || r->njoint == 0 || r->ndrive > MOST_COLUMNS || r->njoint > MOST_COLUMNS) {
        return;
    }
    for (int i = 0; i < r->ndrive; ++i) {
        drive[i] = m->tree_velocity_name[r->drive[i]];
    }
    for (int k = 0; k < r->njoint; ++k) {
        joint[k] = m->velocity_name[r->joint[k]];
    }
    fputs("\njoints to drives: revolutions of each drive for one of each joint\n", out->text);
    output_table(out, "drive", drive, r->ndrive, joint, r->njoint, r->drive_ratio);
    if (r->inverse) {
        fputs("\nmotors to joints: revolutions of each joint for one of each motor\n", out->text);
        output_table(out, "joint", joint, r->njoint, drive, r->ndrive, r->inverse);
    }
}

// Independent joints as columns; those that move no gear are left out.
static void print_motors(output *out, const lw_model *m, const lw_gear_ratios *r)
{
    const size_t rows = (size_t)r->nrow + 1, nv = (size_t)m->nv;
    int *dof = memory_get(out->pool, rows, sizeof *dof), ncolumn = 0;
    const char *head[MOST_COLUMNS], **name = memory_get(out->pool, rows, sizeof *name);
    double *ratio = memory_get(out->pool, rows * (nv + 1 + MOST_COLUMNS), sizeof *ratio);
    double *value = ratio + rows * (nv + 1);
    const int count = joint_rows(m, r, dof, ratio, ratio + rows * nv);
    for (int k = 0; k < m->nv; ++k) {
        bool is_used = false;
        for (int row = 0; row < count; ++row) {
            name[row] = m->tree_velocity_name[dof[row]];
            is_used = is_used || ratio[(size_t)row * nv + (size_t)k] != 0;
        }
        for (int row = 0; row < count && is_used && ncolumn < MOST_COLUMNS; ++row) {
            head[ncolumn] = m->velocity_name[k];
            value[row * MOST_COLUMNS + ncolumn] = ratio[(size_t)row * nv + (size_t)k];
        }
        ncolumn += is_used;
    }
    if (ncolumn > 0 && ncolumn <= MOST_COLUMNS) {
        for (int i = 0; i < count * ncolumn; ++i) { // without the columns that are not used
            value[i] = value[i / ncolumn * MOST_COLUMNS + i % ncolumn];
        }
        fputs("\nratios: revolutions of each joint for one of each independent joint\n", out->text);
        output_table(out, "joint", name, count, head, ncolumn, value);
    }
}

void explain_closure_text(output *out, const lw_model *m)
{
    print_loops(out, m);
    print_gears(out, m);
    print_steps(out, m);
    explain_drives_text(out, m);
    lw_gear_ratios ratios;
    if (lw_gear_ratios_create(m, &ratios) == LW_ERR_MEMORY) {
        exit(no_memory());
    }
    if (m->ngear > 0) {
        print_ratios(out, m, &ratios);
        print_motors(out, m, &ratios);
    }
    lw_gear_ratios_free(&ratios);
}
