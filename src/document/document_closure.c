// Closure steps in the document.
#include "chapters.h"

#include "../model/kernel.h"
#include "../sym/loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Words ------------------------------------------------------------------------------------

static const char *dof_name(const lw_model *m, int v)
{
    return m->tree_velocity_name[v];
}

// "R2, R3 and R6"
static void add_names(lwi_text *out, const lw_model *m, int n, const int *dof)
{
    for (int i = 0; i < n; ++i) {
        lwi_text_add(out, i == 0 ? "" : i + 1 < n ? ", " : " and ");
        lwi_text_add(out, dof_name(m, dof[i]));
    }
}

static void add_term(lwi_text *out, bool is_first, double factor, const char *name, int power)
{
    const double size = factor < 0.0 ? -factor : factor;
    lwi_text_add(out, factor < 0.0 ? (is_first ? "-" : " - ") : is_first ? "" : " + ");
    if (power == 0 || size != 1.0) {
        lwi_print_number(out, size, LWI_NOTATION_PLAIN);
    }
    if (power > 0) {
        lwi_text_add(out, size != 1.0 ? " " : "");
        lwi_text_add(out, name);
    }
    if (power > 1) {
        lwi_text_add(out, "^");
        lwi_text_add_int(out, power);
    }
}

static void write_text(lwi_page *p, lwi_text *text)
{
    p->text.is_short = p->text.is_short || text->is_short || !text->at;
    if (text->at) {
        lwi_page_words(p, text->at);
    }
    lwi_text_free(text);
}

// target = sum of factor[i] times the names of the sources (by_power: powers of the only one).
static void sum_line(lwi_page *p, const lw_model *m, int target, int n, const double *factor,
                     const int *source, bool by_power)
{
    lwi_text line = {0};
    bool is_first = true;
    lwi_text_format(&line, "%s = ", dof_name(m, target));
    for (int i = 0; i < n; ++i) {
        if (factor[i] != 0.0) {
            const char *name = i == 0 ? "" : dof_name(m, source[by_power ? 0 : i - 1]);
            add_term(&line, is_first, factor[i], name, by_power ? i : i > 0);
            is_first = false;
        }
    }
    lwi_text_add(&line, is_first ? "0" : "");
    write_text(p, &line);
}

static void linear_lines(lwi_page *p, const lw_model *m, const lw_step_info *step)
{
    for (int t = 0; t < step->ntarget; ++t) {
        const double *row = &step->coefficient[t * (1 + step->nsource)];
        sum_line(p, m, step->target[t], 1 + step->nsource, row, step->source, false);
    }
}

// --- Ends of loops ----------------------------------------------------------------------------

// "the point (1, 0, 0) of body 2", and of a joint its axis.
static void add_end(lwi_text *out, const lw_model *m, const lw_frame_info *frame, bool has_axis)
{
    static const double noise = 1e-12;
    char at[LWI_VECTOR_SIZE], axis[LWI_VECTOR_SIZE];
    lwi_text_format(out, "the point %s of ", lwi_vector_text(frame->X_BF.p, noise, at));
    if (frame->body < 0) {
        lwi_text_add(out, "the world");
    } else {
        lwi_text_format(out, "body %d (%s)", frame->body + 1, m->body_name[frame->body]);
    }
    if (has_axis) {
        lwi_text_format(out, ", with its axis along %s there,",
                        lwi_vector_text(lwi_axis(&frame->X_BF.R, 2), noise, axis));
    }
}

// What a loop ties, in numbers: with these its condition can be written down by hand.
static void write_loop(lwi_page *p, const lw_model *m, const lw_loop_info *loop)
{
    lwi_text ends[2] = {{0}, {0}};
    const bool has_axis = !loop->is_rod && loop->type != LW_JOINT_SPHERICAL;
    for (int side = 0; side < 2; ++side) {
        add_end(&ends[side], m, &m->frame[loop->frame[side]], has_axis);
        p->text.is_short = p->text.is_short || ends[side].is_short || !ends[side].at;
    }
    lwi_page_text(p, "%s \"%.200s\" ties %.250s to %.250s and sets %d condition%s.",
                  loop->is_rod ? "The rod" : "The closing joint", loop->name,
                  ends[0].at ? ends[0].at : "", ends[1].at ? ends[1].at : "", loop->nrow,
                  loop->nrow == 1 ? "" : "s");
    lwi_text_free(&ends[0]);
    lwi_text_free(&ends[1]);
}

// --- Formulas ---------------------------------------------------------------------------------

static void rod_formulas(lwi_page *p, bool is_revolute, bool is_minus)
{
    lwi_page_equations(p);
    if (is_revolute) {
        lwi_page_line(p, "A = -(x1 y1 + x2 y2),  B = x1 y2 - x2 y1",
                      "A = -(x_1 y_1 + x_2 y_2), \\quad B = x_1 y_2 - x_2 y_1");
        lwi_page_line(p, "C = (x.x + y.y - L^2)/2 - x3 y3",
                      "C = \\tfrac12 (x^T x + y^T y - L^2) - x_3 y_3");
        lwi_page_line(p, "A cos q + B sin q + C = 0,  w^2 = A^2 + B^2 - C^2",
                      "A \\cos q + B \\sin q + C = 0, \\quad w^2 = A^2 + B^2 - C^2");
        lwi_page_line(p, "cos q = -(A C + B w)/(A^2 + B^2),  sin q = (A w - B C)/(A^2 + B^2)",
                      "\\cos q = -\\frac{A C + B w}{A^2 + B^2}, \\quad "
                      "\\sin q = \\frac{A w - B C}{A^2 + B^2}");
    } else {
        lwi_page_line(p, "d = y - x,  w^2 = d3^2 - d.d + L^2,  q = w - d3",
                      "d = y - x, \\quad w^2 = d_3^2 - d^T d + L^2, \\quad q = w - d_3");
    }
    lwi_page_words(p, is_minus ? "with the negative root w" : "with the positive root w");
    lwi_page_equations_end(p);
}

static void rod_step(lwi_page *p, const lw_model *m, const lw_step_info *step)
{
    const lwi_loop *loop = &m->kernel->program->loop[step->loop[0]];
    char length[LWI_NUMBER_SIZE + 8];
    lwi_short_number(loop->length, length);
    lwi_page_text(p,
                  "The rod has the length L = %s m. Seen from the frame of joint %s at zero "
                  "position, its other end is x; seen from the body that the joint moves, "
                  "its own end is y:",
                  length, dof_name(m, step->target[0]));
    rod_formulas(p, step->kind == LW_STEP_ROD_REVOLUTE, step->branch < 0);
}

static void planar_step(lwi_page *p, const lw_step_info *step)
{
    lwi_page_text(
        p, "Around the loop the two dependent joints and the closing one follow each "
           "other with known placements between them, and make a triangle in the plane. "
           "If all three are revolute, with a, b the sides at the middle one and l the third "
           "side:");
    lwi_page_equations(p);
    lwi_page_line(p, "A = a.b,  B = b x a,  c = (a.a + b.b - l^2)/2,  w^2 = A^2 + B^2 - c^2",
                  "A = a^T b, \\quad B = b \\times a, \\quad c = \\tfrac12 (a^T a + b^T b - "
                  "l^2), \\quad w^2 = A^2 + B^2 - c^2");
    lwi_page_line(p, "cos q = (A c - B w)/(A^2 + B^2),  sin q = (B c + A w)/(A^2 + B^2)",
                  "\\cos q = \\frac{A c - B w}{A^2 + B^2}, \\quad \\sin q = \\frac{B c + A w}{A^2 "
                  "+ B^2}");
    lwi_page_words(p, step->branch < 0 ? "with the negative root w" : "with the positive root w");
    lwi_page_equations_end(p);
    lwi_page_text(p, "The other two follow from the direction of the third side. Where one slides, "
                     "its way is the root of a quadratic instead; where two do, both ways are "
                     "linear.");
}

// Why Newton's method is used here for a step.
static const char *iterated_because(lw_step_kind kind)
{
    switch (kind) {
    case LW_STEP_LEG:
        return "The length of the leg gives one joint, and its direction the two passive ones. "
               "Here";
    case LW_STEP_SPHERICAL:
        return "All axes meet in one point, and the direction of the closing axis gives both "
               "joints. Here";
    default:
        return "There is no closed form:";
    }
}

static void step_formulas(lwi_page *p, const lw_model *m, const lw_step_info *step)
{
    switch (step->kind) {
    case LW_STEP_FUNCTION:
    case LW_STEP_LINEAR:
        lwi_page_equations(p);
        if (step->kind == LW_STEP_LINEAR) {
            linear_lines(p, m, step);
        } else {
            sum_line(p, m, step->target[0], step->ncoefficient, step->coefficient, step->source,
                     true);
        }
        lwi_page_equations_end(p);
        break;
    case LW_STEP_ROD_REVOLUTE:
    case LW_STEP_ROD_PRISMATIC:
        rod_step(p, m, step);
        break;
    case LW_STEP_PLANAR:
        planar_step(p, step);
        break;
    case LW_STEP_SPHERES:
        lwi_page_text(p,
                      "The platform does not rotate, and its origin P is where three spheres "
                      "meet, about centres c0, c1 and c2 with radii L0, L1 and L2. With u = c1 - "
                      "c0, w = c2 - c0 and n = u x w it is");
        lwi_page_formula(p,
                         "P = c0 + (((u.u + L0^2 - L1^2) w - (w.w + L0^2 - L2^2) u) x n)/(2 n.n) "
                         "+ h n",
                         "P = c_0 + \\frac{((u \\cdot u + L_0^2 - L_1^2) w - (w \\cdot w + L_0^2 - "
                         "L_2^2) u) \\times n}{2 n \\cdot n} + h n");
        lwi_page_text(p, "where h, of the sign of the branch, makes |P - c0| = L0.");
        break;
    case LW_STEP_SYMMETRIC:
        lwi_page_text(p,
                      "By the symmetry of the linkage each angle is one of two, x and y, but for "
                      "its sign and a constant. With a constant c of its twists,");
        if (step->coefficient[0] == 4.0) {
            lwi_page_formula(p, "tan(y/2) = c tan(x/2)", "\\tan(y/2) = c \\tan(x/2)");
        } else {
            lwi_page_formula(p,
                             "c^2 + (1 - c^2)(cos x + cos y) + (1 + c^2) cos x cos y - 2 c sin x "
                             "sin y = 0",
                             "c^2 + (1 - c^2)(\\cos x + \\cos y) + (1 + c^2) \\cos x \\cos y - 2 "
                             "c \\sin x \\sin y = 0");
        }
        break;
    default:
        lwi_page_text(p, "%s a loop of code finds the unknowns y, from where they were last, by",
                      iterated_because(step->kind));
        lwi_page_formula(p, "y := y - (dg/dy)^-1 g", "y := y - (\\partial_y g)^{-1} g");
        lwi_page_text(p, "or by least squares where there are more conditions than unknowns. Long "
                         "ways of the sources are taken in pieces, so that the derivatives at both "
                         "ends of each are alike. Every result is NaN where the steps do not "
                         "contract or the loop is not closed in the end.");
        lwi_page_text(p, "Where all loops are legs the unknowns are those of the joints that the "
                         "legs share; the others follow leg by leg. In the lines below x is what "
                         "that loop found.");
        break;
    }
}

static void write_step(lwi_page *p, const lw_model *m, int s)
{
    static const char *const how[] = {"a coupling by a polynomial",
                                      "gear rows, solved together",
                                      "a rod and a revolute joint",
                                      "a rod and a prismatic joint",
                                      "a planar loop",
                                      "loops without a closed form",
                                      "a platform on three pairs of parallel rods",
                                      "a leg and one joint that its length gives",
                                      "a loop of axes that meet in one point",
                                      "a linkage of Bennett or Bricard"};
    const lw_step_info *step = &m->step[s];
    lwi_text sources = {0}, targets = {0};
    add_names(&sources, m, step->nsource, step->source);
    add_names(&targets, m, step->ntarget, step->target);
    p->text.is_short = p->text.is_short || sources.is_short || targets.is_short;
    lwi_page_text(p, "%d. %s: %s. It gives %.300s from %.300s.", s + 1, step->name, how[step->kind],
                  targets.at ? targets.at : "nothing", sources.at ? sources.at : "nothing");
    lwi_text_free(&sources);
    lwi_text_free(&targets);
    for (int i = 0; i < step->nloop; ++i) {
        write_loop(p, m, &m->loop[step->loop[i]]);
    }
    step_formulas(p, m, step);
}

// --- Line by line -----------------------------------------------------------------------------

typedef struct list {
    lwi_output *output;
    int n;
    lwi_page *p;
    bool is_written;
} list;

// The second time, when the code is known to be short, places are written down.
static void add_location(list *l, lwi_expr value, const char *what, const char *of, const char *by)
{
    l->output[l->n] = (lwi_output){"y", l->n, value};
    if (!l->is_written) {
        ++l->n;
        return;
    }
    char location[24], text[400];
    snprintf(location, sizeof location, "y[%d]", l->n);
    snprintf(text, sizeof text, "%s%.150s%s%.150s", what, of, *by ? " for unit rate of " : "", by);
    const char *cell[] = {location, text};
    lwi_page_row(l->p, cell);
    ++l->n;
}

static void list_step(list *l, lwi_symbolic *k, int s)
{
    const lw_model *m = k->m;
    const lw_step_info *step = &m->step[s];
    for (int t = 0; t < step->ntarget; ++t) {
        const lwi_sym_body *b = &k->body[lwi_body_of_dof(m, step->target[t])];
        const char *name = dof_name(m, step->target[t]);
        if (b->nv == 1 && b->q[0] != LWI_UNKNOWN) {
            add_location(l, b->q[0], "position of ", name, "");
        } else if (b->nv == 1) {
            add_location(l, b->c, "cosine of ", name, "");
            add_location(l, b->s, "sine of ", name, "");
        }
        for (int n = 0; n < k->nrate; ++n) {
            const lwi_sym_rate *rate = &k->rate[n];
            for (int i = 0; i < rate->ntarget * rate->nsource; ++i) {
                if (rate->target[i / rate->nsource] == step->target[t] && rate->K[i] != LWI_ZERO) {
                    add_location(l, rate->K[i], "rate of ", name,
                                 dof_name(m, rate->source[i % rate->nsource]));
                }
            }
        }
    }
}

static void list_steps(list *l, lwi_symbolic *k)
{
    for (int s = 0; s < k->m->nstep; ++s) {
        list_step(l, k, s);
    }
}

static int most_places(const lw_model *m)
{
    int n = 0;
    for (int s = 0; s < m->nstep; ++s) {
        // A passive joint of a leg follows from the joints that legs share, too.
        n += m->step[s].ntarget * (2 + m->step[s].nsource + m->step[s].ntarget);
    }
    return n;
}

static void closure_lines(lwi_page *p, const lw_derivation *d)
{
    static const char *const head[] = {"result", "what it is"};
    const lw_model *m = d->model;
    const lwi_select_options as_written = {LWI_COST_OPERATIONS, 0};
    lwi_symbolic k = {0};
    lwi_tape *tape = NULL;
    list l = {.p = p, .output = malloc(((size_t)most_places(m) + 1) * sizeof *l.output)};
    lwi_graph *g = lwi_graph_create(d->options.max_nodes);
    lw_status status = g && l.output ? LW_OK : LW_ERR_MEMORY;
    if (status == LW_OK) {
        status = lwi_symbolic_init(&k, m, &d->options, g, NULL);
    }
    if (status == LW_OK) {
        list_steps(&l, &k);
        status = lwi_select(g, l.n, l.output, &as_written, &tape);
    }
    if (status == LW_OK) {
        const int n = l.n;
        lwi_page_text(
            p, "Line by line, as written; q[0] is q1, c[0] and s[0] are its cosine and sine:");
        if (lwi_document_is_short(tape)) {
            l.n = 0;
            l.is_written = true;
            lwi_page_table(p, 2, head);
            list_steps(&l, &k);
            lwi_page_table_end(p);
        }
        lwi_document_lines(p, tape, "y", n);
    }
    p->text.is_short = p->text.is_short || status != LW_OK;
    lwi_tape_destroy(tape);
    lwi_symbolic_free(&k);
    lwi_graph_destroy(g);
    free(l.output);
}

void lwi_document_closure(lwi_page *p, const lw_derivation *d)
{
    enum { MOST_STEPS = 40 };
    const lw_model *m = d->model;
    if (m->nstep == 0) {
        return;
    }
    lwi_page_heading(p, "Dependent joints");
    lwi_page_text(p, "Step by step, each from what is known before it. Rates and accelerations of "
                     "loops follow from the first and second derivatives of their conditions g, by "
                     "elimination in an order that was chosen in the reference configuration:");
    lwi_page_formula(p, "dy = K dx,  K = -(dg/dy)^-1 dg/dx,  ddy = K ddx - (dg/dy)^-1 b(dx, dy)",
                     "\\dot y = K \\dot x, \\quad K = -(\\partial_y g)^{-1} \\partial_x g, \\quad "
                     "\\ddot y = K \\ddot x - (\\partial_y g)^{-1} b(\\dot x, \\dot y)");
    for (int s = 0; s < m->nstep && s < MOST_STEPS; ++s) {
        write_step(p, m, s);
    }
    if (m->nstep > MOST_STEPS) {
        lwi_page_text(p, "And %d steps more.", m->nstep - MOST_STEPS);
        return;
    }
    closure_lines(p, d);
}
