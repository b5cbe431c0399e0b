// Inverse kinematics for people: forward kinematics link by link, what the classification found of
// the axes, and which equation gives which joint.
#include "chapters.h"

#include "../ik/level_rods.h"
#include "../sym/inverse_family.h"
#include "../sym/symbols.h"

#include <linkwork/ik.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Forward kinematics -----------------------------------------------------------------------

// Adds a term of a sum: a number times a name, or a number alone.
static void add_term(lwi_text *out, double factor, const char *name, lwi_notation notation)
{
    if (fabs(factor) < 1e-13) {
        return;
    }
    const bool is_one = name && fabs(fabs(factor) - 1.0) < 1e-13;
    lwi_text_add(out, factor < 0.0 ? (out->used > 0 ? " - " : "-") : out->used > 0 ? " + " : "");
    if (!is_one) {
        lwi_print_number(out, fabs(factor), notation);
        lwi_text_add(out, !name ? "" : notation == LWI_NOTATION_LATEX ? "\\," : "*");
    }
    if (name) {
        lwi_print_name(out, name, notation);
    }
}

// Adds a length of a body: the symbol that has its value, or the number.
static void add_length(lwi_text *out, const lw_derivation *d, int body, double value,
                       lwi_notation notation)
{
    for (int i = 0; i < d->nsymbol && value != 0.0; ++i) {
        const lw_symbol_info *s = &d->symbol[i];
        const char *part = strchr(s->name, '_');
        if (lwi_is_length(s) && part && strcmp(part + 1, d->model->body_name[body]) == 0 &&
            fabs(fabs(s->value) - fabs(value)) < 1e-12 * fabs(value)) {
            add_term(out, value * s->value < 0.0 ? -1.0 : 1.0, s->symbol, notation);
            return;
        }
    }
    add_term(out, value, NULL, notation);
}

// Entries of the matrix from the frame of a body, joint moved, to its parent's; `q` is the name of
// its position behind c and s.
static void fill_link(const lw_derivation *d, int body, const char *q, lwi_notation notation,
                      lwi_text entry[16])
{
    const lw_pose *X = &d->model->X_PJ[body];
    const bool slides = d->model->carrier[body] == LW_TREE_PRISMATIC;
    const double p[3] = {X->p.x, X->p.y, X->p.z};
    char c[24], s[24], name[24];
    snprintf(c, sizeof c, "c%s", q);
    snprintf(s, sizeof s, "s%s", q);
    snprintf(name, sizeof name, "q%s", q);
    for (int i = 0; i < 3; ++i) {
        const double R[3] = {X->R.row[i].x, X->R.row[i].y, X->R.row[i].z};
        lwi_text *row = entry + 4 * i;
        add_term(&row[0], R[0], slides ? NULL : c, notation);
        add_term(&row[1], R[1], slides ? NULL : c, notation);
        if (!slides) {
            add_term(&row[0], R[1], s, notation);
            add_term(&row[1], -R[0], s, notation);
        }
        add_term(&row[2], R[2], NULL, notation);
        add_length(&row[3], d, body, p[i], notation);
        if (slides) {
            add_term(&row[3], R[2], name, notation);
        }
    }
}

// A placement that does not move.
static void fill_fixed(const lw_pose *X, lwi_notation notation, lwi_text entry[16])
{
    const double p[3] = {X->p.x, X->p.y, X->p.z};
    for (int i = 0; i < 3; ++i) {
        const double R[3] = {X->R.row[i].x, X->R.row[i].y, X->R.row[i].z};
        for (int k = 0; k < 4; ++k) {
            add_term(&entry[4 * i + k], k < 3 ? R[k] : p[i], NULL, notation);
        }
    }
}

static void write_matrix(lwi_page *p, const char *name, lwi_text entry[16])
{
    char symbol[32];
    for (int i = 0; i < 16; ++i) {
        lwi_text_add(&entry[i], entry[i].used > 0 ? "" : i == 15 ? "1" : "0");
    }
    snprintf(symbol, sizeof symbol, isdigit((unsigned char)name[1]) ? "%.1s_{%s}" : "%.1s", name,
             name + 1);
    if (!lwi_page_matrix(p, symbol, 4, 4, entry)) {
        size_t width[4] = {0};
        for (int i = 0; i < 16; ++i) {
            width[i % 4] = entry[i].used > width[i % 4] ? entry[i].used : width[i % 4];
        }
        lwi_page_equations(p);
        for (int i = 0; i < 4; ++i) {
            lwi_text plain = {0}, latex = {0};
            lwi_text_format(&plain, "%s%s ", i == 0 ? name : &"  "[2 - strlen(name)],
                            i == 0 ? " =" : "  ");
            lwi_text_format(&latex, "%s_{%d\\cdot} &= ", symbol, i + 1);
            for (int k = 0; k < 4; ++k) {
                const char *at = entry[4 * i + k].at ? entry[4 * i + k].at : "";
                lwi_text_add(&plain, k == 0 ? "( " : "  ");
                for (size_t n = entry[4 * i + k].used; n < width[k]; ++n) {
                    lwi_text_add(&plain, " ");
                }
                lwi_text_add(&plain, at);
                lwi_text_format(&latex, "%s%s", k == 0 ? "(" : ",\\; ", at);
            }
            lwi_text_add(&plain, " )");
            lwi_text_add(&latex, ")");
            lwi_page_line(p, plain.at ? plain.at : "", latex.at ? latex.at : "");
            p->text.is_short = p->text.is_short || plain.is_short || latex.is_short;
            lwi_text_free(&plain);
            lwi_text_free(&latex);
        }
        lwi_page_equations_end(p);
    }
    for (int i = 0; i < 16; ++i) {
        p->text.is_short = p->text.is_short || entry[i].is_short;
        lwi_text_free(&entry[i]);
    }
}

static void forward(lwi_page *p, const lw_derivation *d, const lw_ik_info *info)
{
    const lw_model *m = d->model;
    const lwi_notation notation =
        p->format == LW_DOCUMENT_LATEX ? LWI_NOTATION_LATEX : LWI_NOTATION_PLAIN;
    lwi_page_heading(p, "Forward kinematics");
    lwi_page_text(p,
                  "Each joint takes coordinates of its body's frame to those of the frame before, "
                  "by a 4x4 matrix. T1 is that of the first joint of the chain, and F the place of "
                  "frame %s in the last body. Their product is the pose X that inverse kinematics "
                  "begins with:",
                  m->frame[d->options.frame].name);
    lwi_text plain = {0}, latex = {0};
    lwi_text_add(&plain, "X = ");
    lwi_text_add(&latex, "X = ");
    for (int i = 0; i < info->njoint; ++i) {
        lwi_text_format(&plain, "T%d ", i + 1);
        lwi_text_format(&latex, "T_{%d} ", i + 1);
    }
    lwi_text_add(&plain, "F");
    lwi_text_add(&latex, "F");
    lwi_page_formula(p, plain.at ? plain.at : "", latex.at ? latex.at : "");
    p->text.is_short = p->text.is_short || plain.is_short || latex.is_short;
    lwi_text_free(&plain);
    lwi_text_free(&latex);
    for (int i = 0; i < info->njoint; ++i) {
        if (info->position[i] < 0) {
            lwi_page_text(p, "%s depends on the others: cj%d and sj%d are its cosine and sine.",
                          m->tree_velocity_name[m->v_start[info->body[i]]], i + 1, i + 1);
        }
    }
    for (int i = 0; i < info->njoint; ++i) {
        lwi_text entry[16] = {{0}};
        char name[16], q[16];
        const bool depends = info->position[i] < 0;
        snprintf(name, sizeof name, "T%d", i + 1);
        snprintf(q, sizeof q, depends ? "j%d" : "%d", depends ? i + 1 : info->position[i] + 1);
        fill_link(d, info->body[i], q, notation, entry);
        write_matrix(p, name, entry);
    }
    lwi_text entry[16] = {{0}};
    fill_fixed(&m->frame[d->options.frame].X_BF, notation, entry);
    write_matrix(p, "F", entry);
}

// --- The class --------------------------------------------------------------------------------

static void axes(lwi_page *p, const lw_ik_info *info)
{
    static const char *const head[] = {"axis", "direction h", "point", "kind"};
    lwi_page_heading(p, "Axes of the joints");
    lwi_page_text(p, "At zero position, in the world. A point is any one on the axis.");
    lwi_page_table(p, 4, head);
    for (int i = 0; i < info->njoint; ++i) {
        lwi_page_cells(p, "dvvs", i + 1, info->axis[i], 1e-12, info->point[i], 1e-12 * info->length,
                       info->is_prismatic[i] ? "prismatic" : "revolute");
    }
    lwi_page_table_end(p);
    static const char *const property[] = {"parallel", "intersecting", "meeting in one point"};
    static const char *const facts[] = {"axes", "are", "margin", "unit"};
    if (info->nfact == 0) {
        return;
    }
    lwi_page_text(p, "What makes the class, and how far each property is from being exact:");
    lwi_page_table(p, 4, facts);
    for (int i = 0; i < info->nfact; ++i) {
        const lw_ik_fact *f = &info->fact[i];
        char which[32];
        snprintf(which, sizeof which, "%d %s %d", f->first + 1,
                 f->property == LW_IK_INTERSECTING ? "and" : "to", f->last + 1);
        lwi_page_cells(p, "ssgs", which, property[f->property], f->margin,
                       f->property == LW_IK_PARALLEL ? "rad" : "m");
    }
    lwi_page_table_end(p);
}

// An equation of lw_ik_step as LaTeX: indices below, transposes above, words as text.
static void add_latex(lwi_text *out, const char *from)
{
    while (*from) {
        size_t n = 0;
        while (isalpha((unsigned char)from[n])) {
            ++n;
        }
        if (n > 2 || (n == 2 && islower((unsigned char)from[0]) && from[0] != 'h')) {
            lwi_text_add(out, "\\text{ ");
            lwi_text_add_bytes(out, from, n);
            lwi_text_add(out, " }");
            from += n;
        } else if (n > 0) {
            size_t digits = 0;
            while (isdigit((unsigned char)from[n + digits])) {
                ++digits;
            }
            lwi_text_add_bytes(out, from, 1);
            if (n + digits > 1) {
                lwi_text_add(out, "_{");
                lwi_text_add_bytes(out, from + 1, n + digits - 1);
                lwi_text_add(out, "}");
            }
            from += n + digits;
        } else if (strncmp(from, " x ", 3) == 0 && strchr("h(", from[3])) {
            lwi_text_add(out, " \\times ");
            from += 3;
        } else if (strncmp(from, " . ", 3) == 0) {
            lwi_text_add(out, " \\cdot ");
            from += 3;
        } else {
            if (*from == '\'') {
                lwi_text_add(out, "^T");
            } else {
                lwi_text_add_bytes(out, from, 1);
            }
            ++from;
        }
    }
}

static bool is_level(const lw_ik_info *info)
{
    bool is = false; // a joint of the chain depends on its others
    for (int i = 0; i < info->njoint; ++i) {
        is = is || info->position[i] < 0;
    }
    return is && info->ndriven == 0;
}

// What the letters of the equations mean.
static const char *letters(const lw_ik_info *info)
{
    bool is_six = info->njoint == 6; // revolute joints
    for (int i = 0; i < info->njoint; ++i) {
        is_six = is_six && !info->is_prismatic[i];
    }
    return is_level(info)
               ? "All indices count the axes along the chain, dependent joints included. p12 leads "
                 "from the point of axis 1 to that of axis 2, p from the point of axis 1 to that "
                 "of "
                 "the last axis, and R is the rotation of all joints, both known from X. Loops "
                 "hold "
                 "the sum q234 of the angles about the three parallel axes constant, so that the "
                 "rotation R234 by it is known; p45 is zero where the fourth axis is the last."
           : is_six
               ? "p12 leads from the point of axis 1 to that of axis 2, where axes intersect from "
                 "that point; R06 is the rotation of all joints and p16 the way from the point of "
                 "axis 1 to that of axis 6, both known from X."
               : "c1 is a point of axis 1, p the point at zero position that the first joints "
                 "carry and g where it is to be, known from X. In a wrist a, b, c are its joints "
                 "and W the rotation that the joints before leave to it.";
}

// The joints that a step gives: positions by symbol and name.
static void add_joints(lwi_text *out, const lw_model *m, const lw_ik_info *info,
                       const lw_ik_step *s)
{
    for (int k = 0; k < s->njoint; ++k) {
        const int joint = s->joint[k], at = info->position[joint];
        const char *name = m->tree_velocity_name[m->v_start[info->body[joint]]];
        lwi_text_add(out, k > 0 ? ", " : "");
        if (at >= 0) {
            lwi_text_format(out, LWI_SYMBOL("q%d") " (%s)", at + 1, name);
        } else {
            lwi_text_format(out, "%s, dependent,", name);
        }
    }
}

static void steps(lwi_page *p, const lw_model *m, const lw_ik_info *info)
{
    lwi_page_heading(p, "Which equation gives which joint");
    lwi_page_text(
        p,
        "The chain is of the class: %s. h1 is the direction of axis 1 and R1 the rotation about it "
        "by q1; a prime is the transpose. %s%s In this order:",
        info->class_name, letters(info),
        info->is_reversed ? " The class is that of the chain seen from its tip: axes count from "
                            "there in the equations, and X is its inverse; the joints named are "
                            "those of the arm."
                          : "");
    for (int i = 0; i < info->nstep; ++i) {
        const lw_ik_step *s = &info->step[i];
        lwi_text joints = {0};
        add_joints(&joints, m, info, s);
        lwi_page_text(p, "%d. %s%s%s, %d root%s:", i + 1, joints.at ? joints.at : "",
                      joints.used > 0 ? " by " : "", s->subproblem, s->nsolution,
                      s->nsolution == 1 ? "" : "s");
        p->text.is_short = p->text.is_short || joints.is_short;
        lwi_text_free(&joints);
        lwi_text latex = {0};
        add_latex(&latex, s->equation);
        lwi_page_formula(p, s->equation, latex.at ? latex.at : "");
        p->text.is_short = p->text.is_short || latex.is_short;
        lwi_text_free(&latex);
    }
    lwi_page_text(p, "The subproblems, with s and c the sine and cosine of the angle q about k:");
    static const lwi_formula line[] = {
        {"SP1: R(k, q) u = w:  q = atan2( (k x u) . w, ((k x u) x k) . w )",
         "\\text{SP1: } R(k, q)\\,u = w: \\quad q = \\operatorname{atan2}\\left( (k \\times u) "
         "\\cdot w,\\; ((k \\times u) \\times k) \\cdot w \\right)"},
        {"SP4: h . R(k, q) u = e:  A s + B c = D with A = h . (k x u), B = h . ((k x u) x k), D = "
         "e - (h . k)(k . u)",
         "\\text{SP4: } h \\cdot R(k, q)\\,u = e: \\quad A s + B c = D, \\; A = h \\cdot (k "
         "\\times "
         "u), \\; B = h \\cdot ((k \\times u) \\times k)"},
        {"     r = sqrt(A^2 + B^2), x = D/r, y = +-sqrt(1 - x^2):  s = (A x + B y)/r, c = (B x - A "
         "y)/r",
         "r = \\sqrt{A^2 + B^2}, \\; x = D/r, \\; y = \\pm\\sqrt{1 - x^2}: \\quad s = (A x + B "
         "y)/r, "
         "\\; c = (B x - A y)/r"},
        {"SP3: |v + R(k, q) u| = l:  SP4 with h = v, e = (l^2 - v . v - u . u)/2",
         "\\text{SP3: } |v + R(k, q)\\,u| = l: \\quad \\text{SP4 with } h = v, \\; e = (l^2 - v "
         "\\cdot v - u \\cdot u)/2"}};
    lwi_page_formulas(p, 4, line);
}

static bool has_fact(const lw_ik_info *info, lw_ik_property property, int count)
{
    bool has = false;
    for (int i = 0; i < info->nfact; ++i) {
        const lw_ik_fact *f = &info->fact[i];
        has = has || (f->property == property && f->last - f->first + 1 == count);
    }
    return has;
}

static void solutions(lwi_page *p, const lw_ik_info *info, int nq)
{
    lwi_page_heading(p, "Solutions and singular poses");
    lwi_page_text(p,
                  "At most %d solutions are real at a time. The equations below have a row of Q "
                  "for each choice of signs: %d positions, of which those outside the chain are "
                  "zero, then 1 where all roots are real and 0 where they are not; the row is then "
                  "the configuration in which roots that do not exist are replaced by the nearest "
                  "that do. Angles are within a turn about zero; limits are not regarded.",
                  info->most_solutions, nq);
    lwi_page_text(p, "Where the root of SP3 or SP4 vanishes two solutions meet: a stretched or a "
                     "folded elbow, the border of reach. Where both A and B vanish, or the vectors "
                     "of SP1 are along the axis, the pose does not determine the angle: it is "
                     "taken as zero, and later joints are found for that.");
    if (has_fact(info, LW_IK_SPHERICAL, 3)) {
        lwi_page_text(p, "The wrist is singular where its first and last axis are in line, so that "
                         "only the sum of their angles counts; the shoulder where the wrist's "
                         "point is on the first axis.");
    }
    if (is_level(info)) {
        lwi_page_text(p, "The chain has fewer degrees of freedom than a pose: a row is real only "
                         "where the rotation agrees to 1e-6 rad with the one that the loops allow. "
                         "Rods hold the sum of the angles up to their dead centres, where they "
                         "pass through the joint that they give: rows beyond one are not real, as "
                         "the mechanism leaves the dead centre in its mirror image.");
    }
    if (info->ndriven > 0) {
        lwi_page_text(p, "A leg, named by its loop, gives a joint beside the chain. Where u leads "
                         "from this joint to the end of the leg's first part and w to the pin that "
                         "the leg holds at the distance l from there, |w - R(k, q) u| = l: SP4 "
                         "with h = w, e = (w . w + u . u - l^2)/2. A row is real only on the side "
                         "of the dead centres of "
                         "the loops on which the mechanism is assembled: the other one is its "
                         "mirror image.");
    }
    if (has_fact(info, LW_IK_PARALLEL, 3) && !is_level(info)) {
        lwi_page_text(p, "The wrist is singular where the last axis is parallel to the three that "
                         "are; the sum of their angles is then taken as zero, and where the arm "
                         "cannot reach with that sum the row is not real though others would be.");
    }
}

// On which side of its dead centre each rod has to be.
static void dead_centres(lwi_page *p, const lw_model *m, lw_ik *ik)
{
    const lw_ik_info *info = lw_ik_describe(ik);
    const int second = info->position[1] + 1, third = info->position[2] + 1;
    const bool is_opposed = lw_dot3(info->axis[1], info->axis[2]) < 0.0;
    char name[2][3][32];
    for (int k = 0; k < 2; ++k) {
        const char c = k == 0 ? 'c' : 's';
        snprintf(name[k][0], sizeof name[k][0], "%c%d", c, second);
        snprintf(name[k][1], sizeof name[k][1], is_opposed ? "%c%d-%d" : "%c%d%d", c, second,
                 third);
        snprintf(name[k][2], sizeof name[k][2], "%c%d", c, third);
    }
    lwi_level_rods rods;
    double *work = calloc(3 * (size_t)m->tree_nq + 1, sizeof *work);
    const bool is_good = work && lwi_level_rods_of(ik, work, &rods);
    p->text.is_short = p->text.is_short || !is_good;
    for (int i = 0; is_good && i < rods.n; ++i) {
        const lwi_level_rod *rod = &rods.rod[i];
        lwi_text side[2] = {{0}};
        for (int n = 0; n < 2; ++n) {
            const lwi_notation notation = n == 0 ? LWI_NOTATION_PLAIN : LWI_NOTATION_LATEX;
            add_term(&side[n], rod->constant, NULL, notation);
            for (int k = 0; k < 3; ++k) {
                const double across = k == 2 && is_opposed ? -rod->across[k] : rod->across[k];
                add_term(&side[n], rod->along[k], name[0][k], notation);
                add_term(&side[n], across, name[1][k], notation);
            }
            lwi_text_add(&side[n], " > 0");
            p->text.is_short = p->text.is_short || side[n].is_short;
        }
        lwi_page_text(p, "Before the dead centre of rod %s:", m->loop[rod->loop].name);
        lwi_page_formula(p, side[0].at ? side[0].at : "", side[1].at ? side[1].at : "");
        lwi_text_free(&side[0]);
        lwi_text_free(&side[1]);
    }
    free(work);
}

void lwi_document_inverse(lwi_page *p, const lw_derivation *d)
{
    lw_ik *ik = NULL;
    if (!d->tape[LW_FUNCTION_INVERSE_KINEMATICS]) {
        return;
    }
    if (lwi_inverse_solver(d->model, lw_default_ik_def(-1, d->options.frame), &ik, NULL) != LW_OK) {
        p->text.is_short = true;
        return;
    }
    const lw_ik_info *info = lw_ik_describe(ik);
    forward(p, d, info);
    axes(p, info);
    steps(p, d->model, info);
    solutions(p, info, d->model->nq);
    if (is_level(info)) {
        dead_centres(p, d->model, ik);
    }
    lw_ik_destroy(ik);
}
