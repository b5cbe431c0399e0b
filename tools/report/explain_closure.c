// The closure program as JSON and as text.

#include "report/explain.h"

#include "support/motors.h"

#include <math.h>
#include <stdlib.h>

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
        output_set(out, item, "name", output_text(out, loop->name));
        output_set(out, item, "type",
                   output_text(out, loop->is_rod ? "rod" : lw_joint_type_name(loop->type)));
        output_set(
            out, item, "bodies",
            bodies_json(out, m, m->frame[loop->frame[0]].body, m->frame[loop->frame[1]].body));
        if (loop->is_rod) {
            output_set(out, item, "length", output_number(out, loop->length));
            output_set(out, item, "mass", output_number(out, loop->mass));
        }
        output_set(out, item, "conditions", output_number(out, loop->nrow));
        output_set(out, item, "rank", output_number(out, loop->rank));
        output_set(out, item, "step", step_number(out, loop->step));
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
    output_set(out, item, "name", output_text(out, gear->name));
    output_set(out, item, "type", output_text(out, lw_gear_type_name(gear->type)));
    if (has_wheels(gear)) {
        output_set(out, item, "wheels", bodies_json(out, m, gear->body[0], gear->body[1]));
        output_set(out, item, "carrier", output_text(out, explain_body_name(m, gear->carrier)));
    }
    output_set(out, item, "joints", names_json(out, m, gear->dof, gear->ndof));
    output_set(out, item, "indices", indices_json(out, gear->dof, gear->ndof));
    output_set(out, item, "coefficients", output_numbers(out, gear->share, gear->ndof));
    output_set(out, item, "step", step_number(out, gear->step));
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
    output_set(out, item, "name", output_text(out, step->name));
    output_set(out, item, "type", output_text(out, "coupling"));
    output_set(out, item, "joints", joints);
    output_set(out, item, "indices", indices);
    output_set(out, item, "coefficients", coefficients);
    output_set(out, item, "solves", output_text(out, m->tree_velocity_name[step->target[t]]));
    output_set(out, item, "from", names_json(out, m, step->source, step->nsource));
    output_set(out, item, "ratio", ratio);
    output_set(out, item, "offset", output_number(out, row[0]));
    output_set(out, item, "step", step_number(out, (int)(step - m->step)));
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
        output_set(out, item, "ratio", ratio);
        output_set(out, item, "offset", offset);
    }
}

// By the algorithms: once seen from the body that both branches hang on, and once with the tree.
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
        json_t *item = output_object(out), *bodies = output_array(out);
        for (int b = f->first[k]; b != f->last[k]; b = m->parent[b]) {
            output_append(out, bodies, output_text(out, m->body_name[b]));
        }
        output_set(out, item, "bodies", bodies);
        output_set(out, item, "evaluations", output_number(out, EVALUATIONS));
        output_set(out, item, "evaluations_derived", output_number(out, derived_evaluations(f, k)));
        output_append(out, list, item);
    }
    return list;
}

// Null where a configuration is singular.
static json_t *finite_json(output *out, double x)
{
    return isfinite(x) ? output_number(out, x) : json_null();
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
        output_set(out, item, "kind", output_text(out, lw_step_kind_name(step->kind)));
        output_set(out, item, "solves", names_json(out, m, step->target, step->ntarget));
        output_set(out, item, "from", names_json(out, m, step->source, step->nsource));
        output_set(out, item, "loops", loops);
        output_set(out, item, "gears", gears);
        output_set(out, item, "branch", output_number(out, step->branch));
        if (step->condition > 0.0) {
            output_set(out, item, "condition", finite_json(out, step->condition));
            output_set(out, item, "condition_near", finite_json(out, step->condition_near));
        }
        fragments f;
        if (explain_fragments_of(m, step, &f)) {
            output_set(out, item, "common", output_text(out, explain_body_name(m, f.common)));
            output_set(out, item, "fragments", fragments_json(out, m, &f));
        }
        law_json(out, item, step);
        output_append(out, closure, item);
    }
    return closure;
}

// Leaves the rows of shafts out, and tells how many stay.
static int count_joint_rows(const lw_model *m, const motor_matrix *matrix)
{
    int count = 0;
    for (int row = 0; row < matrix->nrow; ++row) {
        if (motors_is_shaft(m, matrix->joint[row])) {
            continue;
        }
        matrix->joint[count] = matrix->joint[row];
        matrix->offset[count] = matrix->offset[row];
        for (int k = 0; k < m->nv; ++k) {
            matrix->at[(size_t)count * (size_t)m->nv + (size_t)k] =
                matrix->at[(size_t)row * (size_t)m->nv + (size_t)k];
        }
        ++count;
    }
    return count;
}

static json_t *motors_json(output *out, const lw_model *m)
{
    motor_matrix matrix;
    if (!motors_find(m, &matrix)) {
        out->is_short = true;
    } else {
        matrix.nrow = count_joint_rows(m, &matrix);
    }
    json_t *item = output_object(out);
    output_set(out, item, "joints", names_json(out, m, matrix.joint, matrix.nrow));
    output_set(out, item, "motors", output_names(out, m->velocity_name, m->nv));
    output_set(out, item, "matrix", output_matrix(out, matrix.at, matrix.nrow, m->nv));
    output_set(out, item, "offset", output_numbers(out, matrix.offset, matrix.nrow));
    motors_free(&matrix);
    return item;
}

// A limit that is none is left out.
static json_t *drives_json(output *out, const lw_model *m)
{
    motor_matrix matrix;
    if (!motors_find(m, &matrix)) {
        out->is_short = true;
    }
    const drive_matrix d = out->is_short ? (drive_matrix){0} : motors_drives(m, &matrix);
    json_t *item = output_object(out), *list = output_array(out), *joints = output_array(out);
    for (int i = 0; i < m->ndrive; ++i) {
        output_append(out, list, explain_drive_json(out, &m->drive[i]));
    }
    for (int k = 0; k < d.njoint; ++k) {
        output_append(out, joints, output_text(out, m->velocity_name[d.joint[k]]));
    }
    output_set(out, item, "drives", list);
    output_set(out, item, "following", names_json(out, m, d.drive, d.ndrive));
    output_set(out, item, "joints", joints);
    output_set(out, item, "ratio", output_matrix(out, d.ratio, d.ndrive, d.njoint));
    output_set(out, item, "inverse",
               d.has_inverse ? output_matrix(out, d.inverse, d.njoint, d.ndrive) : json_null());
    motors_free(&matrix);
    return item;
}

void explain_closure_json(output *out, const lw_model *m)
{
    output_set(out, out->json, "loops", loops_json(out, m));
    output_set(out, out->json, "gears", gears_json(out, m));
    output_set(out, out->json, "closure", closure_json(out, m));
    if (m->ngear > 0) {
        output_set(out, out->json, "motors", motors_json(out, m));
    }
    if (m->ndrive > 0) {
        output_set(out, out->json, "drives", drives_json(out, m));
    }
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
            fputs("; redundant, other gears say the same\n", out->text);
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

enum { MOST_COLUMNS = MOTORS_MOST };

// Drives that follow joints, and the joints by those where that can be turned around.
static void print_ratios(output *out, const lw_model *m, const motor_matrix *matrix)
{
    const drive_matrix d = motors_drives(m, matrix);
    const char *drive[MOST_COLUMNS] = {NULL}, *joint[MOST_COLUMNS] = {NULL};
    for (int i = 0; i < d.ndrive; ++i) {
        drive[i] = m->tree_velocity_name[d.drive[i]];
    }
    for (int k = 0; k < d.njoint; ++k) {
        joint[k] = m->velocity_name[d.joint[k]];
    }
    if (d.ndrive > 0 && d.njoint > 0) {
        fputs("\njoints to drives: turns of each drive for one of each joint\n", out->text);
        output_table(out, "drive", drive, d.ndrive, joint, d.njoint, d.ratio);
    }
    if (d.has_inverse) {
        fputs("\nmotors to joints: a turn of each joint for one of each motor\n", out->text);
        output_table(out, "joint", joint, d.njoint, drive, d.ndrive, d.inverse);
    }
}

// Motors as columns; those that move no gear are left out.
static void print_motors(output *out, const lw_model *m)
{
    motor_matrix matrix;
    int column[MOST_COLUMNS], ncolumn = 0;
    if (!motors_find(m, &matrix)) {
        out->is_short = true;
    } else {
        print_ratios(out, m, &matrix);
        matrix.nrow = count_joint_rows(m, &matrix);
    }
    for (int k = 0; k < m->nv && ncolumn <= MOST_COLUMNS && !out->is_short; ++k) {
        bool is_used = false;
        for (int row = 0; row < matrix.nrow; ++row) {
            is_used = is_used || matrix.at[(size_t)row * (size_t)m->nv + (size_t)k] != 0;
        }
        if (is_used && ncolumn < MOST_COLUMNS) {
            column[ncolumn] = k;
        }
        ncolumn += is_used;
    }
    if (ncolumn > 0 && ncolumn <= MOST_COLUMNS && matrix.nrow > 0) {
        const char *head[MOST_COLUMNS];
        const char **name = calloc((size_t)matrix.nrow, sizeof *name);
        double *value = calloc((size_t)(matrix.nrow * ncolumn), sizeof *value);
        for (int row = 0; row < matrix.nrow && name && value; ++row) {
            name[row] = m->tree_velocity_name[matrix.joint[row]];
            for (int k = 0; k < ncolumn; ++k) {
                head[k] = m->velocity_name[column[k]];
                value[row * ncolumn + k] =
                    matrix.at[(size_t)row * (size_t)m->nv + (size_t)column[k]];
            }
        }
        if (name && value) {
            fputs("\nratios: a turn of each joint for one of each independent joint\n", out->text);
            output_table(out, "joint", name, matrix.nrow, head, ncolumn, value);
        }
        out->is_short = out->is_short || !name || !value;
        free(name);
        free(value);
    }
    motors_free(&matrix);
}

void explain_closure_text(output *out, const lw_model *m)
{
    print_loops(out, m);
    print_gears(out, m);
    print_steps(out, m);
    explain_drives_text(out, m);
    if (m->ngear > 0) {
        print_motors(out, m);
    }
}
