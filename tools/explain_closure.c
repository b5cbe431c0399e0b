#include "explain.h"

#include "motors.h"
#include "number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Words ------------------------------------------------------------------------------------

const char *explain_body_name(const lw_model *m, int body)
{
    return body < 0 ? "world" : m->body_name[body];
}

// One summand after others: " - 2 a". Nothing where the factor is zero.
static void print_term(FILE *file, double factor, const char *name, bool *is_first)
{
    char text[NUMBER_ROOM];
    if (factor == 0) {
        return;
    }
    fputs(*is_first ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + "), file);
    if (!name) {
        fputs(number_text(fabs(factor), text), file);
    } else if (fabs(fabs(factor) - 1) < 1e-14) {
        fputs(name, file);
    } else {
        fprintf(file, "%s %s", number_text(fabs(factor), text), name);
    }
    *is_first = false;
}

static void print_zero_if(FILE *file, bool is_empty)
{
    if (is_empty) {
        fputc('0', file);
    }
}

// "-0.5 a + 2 b + 0.1" of target t of a linear step.
static void print_row(FILE *file, const lw_model *m, const lw_step_info *step, int t)
{
    const double *row = step->coefficient + t * (1 + step->nsource);
    bool is_first = true;
    for (int k = 0; k < step->nsource; ++k) {
        print_term(file, row[1 + k], m->tree_velocity_name[step->source[k]], &is_first);
    }
    print_term(file, row[0], NULL, &is_first);
    print_zero_if(file, is_first);
}

// The polynomial of a function.
static void print_law(FILE *file, const lw_model *m, const lw_step_info *step)
{
    if (step->law != LW_LAW_POLYNOMIAL) {
        const char *of = m->tree_velocity_name[step->source[0]];
        if (step->law == LW_LAW_TABLE) {
            fprintf(file, "a table of %d points over %s", step->ncoefficient / 3, of);
        } else {
            fprintf(file, "a function of %s", of);
        }
        return;
    }
    const char *source = m->tree_velocity_name[step->source[0]];
    bool is_first = true;
    for (int i = step->ncoefficient - 1; i >= 0; --i) {
        print_term(file, step->coefficient[i], i > 0 ? source : NULL, &is_first);
        if (i > 1 && step->coefficient[i] != 0) {
            fprintf(file, "^%d", i);
        }
    }
    print_zero_if(file, is_first);
}

static void print_list(FILE *file, const lw_model *m, const int *v, int n)
{
    for (int k = 0; k < n; ++k) {
        fprintf(file, "%s%s", k ? ", " : "", m->tree_velocity_name[v[k]]);
    }
}

static void print_loop_names(FILE *file, const lw_model *m, const lw_step_info *step)
{
    const char *between = step->nloop > 1 ? "loops " : "loop ";
    for (int i = 0; i < m->nloop; ++i) { // in the order of the description
        if (m->loop[i].step == (int)(step - m->step)) {
            fprintf(file, "%s%s", between, m->loop[i].name);
            between = ", ";
        }
    }
}

static char letter_of(lw_joint_type type)
{
    return type == LW_JOINT_REVOLUTE ? 'R' : type == LW_JOINT_PRISMATIC ? 'P' : '\0';
}

static const lw_joint_info *joint_of_velocity(const lw_model *m, int v)
{
    for (int j = 0; j < m->njoint; ++j) {
        if (m->joints[j].v <= v && v < m->joints[j].v + m->joints[j].nv) {
            return &m->joints[j];
        }
    }
    return NULL;
}

// "RRR": the joints that a planar loop is solved for, the closing one last.
static void print_dyad(FILE *file, const lw_model *m, const lw_step_info *step)
{
    for (int t = 0; t < step->ntarget; ++t) {
        const lw_joint_info *joint = joint_of_velocity(m, step->target[t]);
        const char letter = joint ? letter_of(joint->type) : '\0';
        if (letter) {
            fputc(letter, file);
        }
    }
    const char last = letter_of(m->loop[step->loop[0]].type);
    if (last) {
        fputc(last, file);
    }
}

static int gears_of_step(const lw_model *m, int step)
{
    int count = 0;
    for (int g = 0; g < m->ngear; ++g) {
        count += m->gear[g].step == step;
    }
    return count;
}

static void print_block(FILE *file, const lw_model *m, const lw_step_info *step)
{
    const int ngear = gears_of_step(m, (int)(step - m->step));
    int rows = ngear, felt = ngear;
    for (int k = 0; k < step->nloop; ++k) {
        rows += m->loop[step->loop[k]].nrow;
        felt += m->loop[step->loop[k]].rank;
    }
    fprintf(file, "%d unknown%s, %d condition%s", step->ntarget, step->ntarget == 1 ? "" : "s",
            rows, rows == 1 ? "" : "s");
    if (felt < rows) {
        fprintf(file, ", of which the loops feel %d", felt);
    }
    fputs("; starts from the last solution; ", file);
    print_loop_names(file, m, step);
    if (ngear > 0) {
        fprintf(file, "; %d gear%s", ngear, ngear == 1 ? "" : "s");
    }
}

static void print_branch(FILE *file, int branch)
{
    if (branch != 0) {
        fprintf(file, ", branch %+d of two", branch);
    }
}

void explain_step(FILE *file, const lw_model *m, const lw_step_info *step)
{
    if (step->kind == LW_STEP_FUNCTION) {
        fprintf(file, "%s = ", m->tree_velocity_name[step->target[0]]);
        print_law(file, m, step);
        return;
    }
    if (step->kind == LW_STEP_LINEAR) {
        for (int t = 0; t < step->ntarget; ++t) {
            fprintf(file, "%s%s = ", t ? "; " : "", m->tree_velocity_name[step->target[t]]);
            print_row(file, m, step, t);
        }
        return;
    }
    const char *first = m->tree_velocity_name[step->target[0]];
    print_list(file, m, step->target, step->ntarget);
    if (step->nsource > 0) {
        fputs(" from ", file);
        print_list(file, m, step->source, step->nsource);
    }
    fputs(": ", file);
    if (step->kind == LW_STEP_ROD_REVOLUTE) {
        fprintf(file, "A cos %s + B sin %s + C = 0, rod %s", first, first, step->name);
    } else if (step->kind == LW_STEP_ROD_PRISMATIC) {
        fprintf(file, "%s^2 + 2 b %s + c = 0, rod %s", first, first, step->name);
    } else if (step->kind == LW_STEP_PLANAR) {
        print_dyad(file, m, step);
        fputs(" in closed form, ", file);
        print_loop_names(file, m, step);
    } else {
        print_block(file, m, step);
    }
    print_branch(file, step->branch);
}

void explain_loop(FILE *file, const lw_model *m, const lw_loop_info *loop)
{
    char text[NUMBER_ROOM];
    if (loop->is_rod) {
        fprintf(file, "rod of %s m", number_text(loop->length, text));
        if (loop->mass > 0) {
            fprintf(file, " and %s kg", number_text(loop->mass, text));
        }
    } else {
        fprintf(file, "closing %s joint", lw_joint_type_name(loop->type));
    }
    fprintf(file, " between %s and %s: ", explain_body_name(m, m->frame[loop->frame[0]].body),
            explain_body_name(m, m->frame[loop->frame[1]].body));
    fprintf(file, "%d condition%s", loop->nrow, loop->nrow == 1 ? "" : "s");
    if (loop->rank < loop->nrow) {
        fprintf(file, ", of which it feels %d", loop->rank);
    }
}

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
    output_set(out, item, "joints", names_json(out, m, gear->freedom, gear->nfreedom));
    output_set(out, item, "indices", indices_json(out, gear->freedom, gear->nfreedom));
    output_set(out, item, "coefficients", output_numbers(out, gear->share, gear->nfreedom));
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
        const bool is_coupling = step->kind == LW_STEP_LINEAR && gears_of_step(m, i) == 0;
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
        for (int k = 0; k < gear->nfreedom; ++k) {
            const char *name = m->tree_velocity_name[gear->freedom[k]];
            print_term(out->text, gear->share[k], name, &is_first);
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

static void print_steps(output *out, const lw_model *m)
{
    if (m->nstep > 0) {
        fputs("\nclosure: dependent joints, in the order in which they are computed\n", out->text);
    }
    for (int i = 0; i < m->nstep; ++i) {
        fprintf(out->text, "  %d. %-14s  ", i + 1, lw_step_kind_name(m->step[i].kind));
        explain_step(out->text, m, &m->step[i]);
        fputc('\n', out->text);
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
