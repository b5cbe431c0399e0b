// What the parts of the closure program are, in words.

#include "report/explain.h"

#include "support/numeral.h"

#include <math.h>

const char *explain_body_name(const lw_model *m, int body)
{
    return body < 0 ? "world" : m->body_name[body];
}

// One summand after others: " - 2 a". Nothing where the factor is zero.
void explain_term(FILE *file, double factor, const char *name, bool *is_first)
{
    char text[NUMBER_SIZE];
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
        explain_term(file, row[1 + k], m->tree_velocity_name[step->source[k]], &is_first);
    }
    explain_term(file, row[0], NULL, &is_first);
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
        explain_term(file, step->coefficient[i], i > 0 ? source : NULL, &is_first);
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

int explain_gears_of_step(const lw_model *m, int step)
{
    int count = 0;
    for (int g = 0; g < m->ngear; ++g) {
        count += m->gear[g].step == step;
    }
    return count;
}

static void print_block(FILE *file, const lw_model *m, const lw_step_info *step)
{
    const int ngear = explain_gears_of_step(m, (int)(step - m->step));
    int rows = ngear, felt = ngear;
    for (int k = 0; k < step->nloop; ++k) {
        rows += m->loop[step->loop[k]].nrow;
        felt += m->loop[step->loop[k]].rank;
    }
    const int n = step->nunknown, follow = step->ntarget - n;
    if (follow > 0) {
        rows = felt = step->nloop;
    }
    fprintf(file, "%d unknown%s, %d condition%s", n, n == 1 ? "" : "s", rows, rows == 1 ? "" : "s");
    if (follow > 0) {
        fprintf(file, ", one for each leg; %d passive joints follow", follow);
    }
    if (felt < rows) {
        fprintf(file, ", of which the loops feel %d", felt);
    }
    fputs("; starts from the last solution; ", file);
    print_loop_names(file, m, step);
    if (ngear > 0) {
        fprintf(file, "; %d gear%s", ngear, ngear == 1 ? "" : "s");
    }
}

// Every angle is x or y, but for its sign.
static void print_symmetric(FILE *file, const lw_model *m, const lw_step_info *step)
{
    char text[NUMBER_SIZE];
    const double *k = step->coefficient;
    if (k[0] == 4.0) {
        fprintf(file, "Bennett's linkage, tan(y/2) = %s tan(x/2) in closed form, ",
                number_text(k[1], text));
    } else {
        fprintf(file,
                "Bricard's linkage of threefold symmetry, a cosine of twists %s, closed form, ",
                number_text(k[1], text));
    }
    print_loop_names(file, m, step);
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
    } else if (step->kind == LW_STEP_SPHERES) {
        fputs("it does not rotate; its origin is where three spheres meet, one for each pair of "
              "parallel rods; ",
              file);
        print_loop_names(file, m, step);
        fprintf(file, "; seen from the platform their centres follow each other %s",
                step->branch > 0 ? "counterclockwise" : "clockwise");
    } else if (step->kind == LW_STEP_LEG) {
        fputs("one leg: its length gives one joint in closed form, its direction the two passive "
              "ones, ",
              file);
        print_loop_names(file, m, step);
    } else if (step->kind == LW_STEP_SPHERICAL) {
        fputs("all axes meet in one point; closed form from the direction of the closing axis, ",
              file);
        print_loop_names(file, m, step);
    } else if (step->kind == LW_STEP_SYMMETRIC) {
        print_symmetric(file, m, step);
    } else {
        print_block(file, m, step);
    }
    print_branch(file, step->branch);
}

void explain_loop(FILE *file, const lw_model *m, const lw_loop_info *loop)
{
    char text[NUMBER_SIZE];
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

// --- Fragments --------------------------------------------------------------------------------

static int body_of_velocity(const lw_model *m, int v)
{
    int i = 0;
    while (m->v_start[i + 1] <= v) {
        ++i;
    }
    return i;
}

static bool is_on_branch(const lw_model *m, int body, int end)
{
    while (end > body) {
        end = m->parent[end];
    }
    return end == body;
}

bool explain_fragments_of(const lw_model *m, const lw_step_info *step, fragments *f)
{
    if (step->kind != LW_STEP_ROD_REVOLUTE && step->kind != LW_STEP_ROD_PRISMATIC) {
        return false;
    }
    const lw_loop_info *loop = &m->loop[step->loop[0]];
    const int joint = body_of_velocity(m, step->target[0]);
    const int end[2] = {m->frame[loop->frame[0]].body, m->frame[loop->frame[1]].body};
    const int side = is_on_branch(m, joint, end[0]) ? 0 : 1;
    int common = end[0], other = end[1];
    while (common != other) { // parents have smaller numbers
        if (common > other) {
            common = m->parent[common];
        } else {
            other = m->parent[other];
        }
    }
    *f = (fragments){.common = common,
                     .first = {m->parent[joint], end[side], end[1 - side]},
                     .last = {common, m->parent[joint], common}};
    return true;
}
