// The derivation as a document: the mechanism, how its equations were found, the equations
// themselves, and what they cost.
#include "chapters.h"

#include "../sym/symbols.h"

#include "denavit_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = LWI_NUMBER_SIZE + 16 };

// --- The mechanism ----------------------------------------------------------------------------

static const char *carrier_name(lw_tree_joint carrier)
{
    static const char *const name[] = {"revolute",  "prismatic", "screw",
                                       "spherical", "free",      "user"};
    return name[carrier];
}

// "q3", "q1 to q7", or that the joint follows from others.
static void positions_of(const lw_model *m, int i, char text[TEXT_SIZE])
{
    const int nq = m->q_start[i + 1] - m->q_start[i];
    snprintf(text, TEXT_SIZE, "dependent");
    for (int j = 0; j < m->nq; ++j) {
        if (m->q_tree[j] == m->q_start[i]) {
            snprintf(text, TEXT_SIZE,
                     nq > 1 ? LWI_SYMBOL("q%d") " to " LWI_SYMBOL("q%d") : LWI_SYMBOL("q%d"), j + 1,
                     j + nq);
        }
    }
}

static void mechanism(lwi_page *p, const lw_model *m)
{
    static const char *const head[] = {"no.", "body", "joint", "type", "parent", "positions"};
    lwi_page_heading(p, "Mechanism");
    const bool is_latex = p->format == LW_DOCUMENT_LATEX;
    lwi_page_text(
        p,
        "%d bodies, %d independent degree%s of freedom. Bodies are numbered so that each follows "
        "its parent; every joint of one degree of freedom acts about or along z of its "
        "own body's frame. %s, %s, %s are position, velocity and acceleration of joint 1, "
        "%s and %s the cosine and the sine of %s, %s the cosine of %s and so on.",
        m->nbody, m->nv, m->nv == 1 ? "" : "s", LWI_SYMBOL("q1"),
        is_latex ? LWI_SYMBOL("dq1") : "v1", is_latex ? LWI_SYMBOL("ddq1") : "a1", LWI_SYMBOL("c1"),
        LWI_SYMBOL("s1"), LWI_SYMBOL("q1"), LWI_SYMBOL("c12"), LWI_SYMBOL("q1 + q2"));
    lwi_page_table(p, 6, head);
    for (int i = 0; i < m->nbody; ++i) {
        char parent[TEXT_SIZE] = "the world", q[TEXT_SIZE];
        positions_of(m, i, q);
        if (m->parent[i] >= 0) {
            snprintf(parent, sizeof parent, "%d", m->parent[i] + 1);
        }
        lwi_page_cells(p, "dsssss", i + 1, m->body_name[i], m->joints[m->joint[i]].name,
                       carrier_name(m->carrier[i]), parent, q);
    }
    lwi_page_table_end(p);
}

// Where the first and the last frame of the table are: relative to the world, and to the frames
// that the equations are written in.
static void write_ends(lwi_page *p, const lw_pose *base, const lw_pose *tip, int n)
{
    static const double noise = 1e-12;
    const lw_pose *const X[2] = {base, tip};
    char first[TEXT_SIZE + 40];
    snprintf(first, sizeof first, "In frame %d the frame of body %d, below,", n, n);
    for (int i = 0; i < 2; ++i) {
        char origin[LWI_VECTOR_SIZE], x[LWI_VECTOR_SIZE], z[LWI_VECTOR_SIZE];
        lwi_page_text(p, "%s has its origin at %s, its x axis along %s and its z axis along %s.",
                      i == 0 ? "In the world frame 0" : first,
                      lwi_vector_text(X[i]->p, noise, origin),
                      lwi_vector_text(lwi_axis(&X[i]->R, 0), noise, x),
                      lwi_vector_text(lwi_axis(&X[i]->R, 2), noise, z));
    }
}

static void frames(lwi_page *p, const lw_model *m)
{
    static const char *const head[] = {LWI_SYMBOL("i"), LWI_SYMBOL("alpha(i-1)"),
                                       LWI_SYMBOL("a(i-1)"), LWI_SYMBOL("d(i)"),
                                       LWI_SYMBOL("theta(i)")};
    if (!lwi_is_chain(m)) {
        return;
    }
    lwi_denavit *row = malloc((size_t)m->nbody * sizeof *row);
    if (!row) {
        p->text.is_short = true;
        return;
    }
    lw_pose base, tip;
    lwi_denavit_table(m, row, &base, &tip);
    lwi_page_heading(p, "Frames");
    lwi_page_text(p, "Denavit and Hartenberg's table after Craig, found from the axes: frame i is "
                     "frame i-1 rotated by alpha about x, shifted by a along it, rotated by theta "
                     "about the new z and shifted by d along it. Frame 0 is frame 1 at zero "
                     "position. Angles in radians, lengths in metres.");
    lwi_page_table(p, 5, head);
    for (int i = 0; i < m->nbody; ++i) {
        char moved[TEXT_SIZE + 8], number[LWI_NUMBER_SIZE];
        const bool slides = m->carrier[i] == LW_TREE_PRISMATIC;
        const double offset = slides ? row[i].d : row[i].theta;
        lwi_short_number(offset, number);
        snprintf(moved, sizeof moved, LWI_SYMBOL("%s%sq%d"), offset == 0.0 ? "" : number,
                 offset == 0.0 ? "" : " + ", i + 1);
        if (slides) {
            lwi_page_cells(p, "dggsg", i + 1, row[i].alpha, row[i].a, moved, row[i].theta);
        } else {
            lwi_page_cells(p, "dgggs", i + 1, row[i].alpha, row[i].a, row[i].d, moved);
        }
    }
    lwi_page_table_end(p);
    write_ends(p, &base, &tip, m->nbody);
    free(row);
}

static void symbols(lwi_page *p, const lw_derivation *d)
{
    static const char *const head[] = {"symbol", "name in code", "value here", "meaning"};
    bool has_tensor = false;
    if (d->nsymbol == 0) {
        return;
    }
    lwi_page_heading(p, "Symbols");
    lwi_page_text(p, "Numbers of the model that are zero are left out; those of one tensor that "
                     "agree share a symbol. Axes x, y and z are those of the body's frame, which "
                     "has z along its joint's axis; the link that is described may have others.");
    lwi_page_table(p, 4, head);
    for (int i = 0; i < d->nsymbol; ++i) {
        char symbol[64];
        if (lwi_document_is_inverse(d) && !lwi_is_length(&d->symbol[i])) {
            continue;
        }
        snprintf(symbol, sizeof symbol, LWI_SYMBOL("%.60s"), d->symbol[i].symbol);
        lwi_page_cells(p, "ssgs", symbol, d->symbol[i].name, d->symbol[i].value,
                       d->symbol[i].meaning);
        has_tensor = has_tensor || d->symbol[i].symbol[0] == 'I';
    }
    lwi_page_table_end(p);
    if (has_tensor) {
        lwi_document_tensor(p, 'I', d->options.has_product_integrals);
    }
}

// --- The steps --------------------------------------------------------------------------------

static void lagrange_steps(lwi_page *p)
{
    lwi_page_text(p,
                  "1. The pose of every body in the frame of each body before it, as products of "
                  "the placements and joint motions above.");
    lwi_page_text(p,
                  "2. For each link j and joints i, k that carry it, the columns of the Jacobian "
                  "of its centre of mass, and from the kinetic energy the mass matrix:");
    lwi_page_formula(
        p, "M_ik = sum_j ( m_j v_ji . v_jk + w_ji . I_j w_jk )",
        "M_{ik} = \\sum_j \\left( m_j v_{ji}^T v_{jk} + \\omega_{ji}^T I_j \\omega_{jk} \\right)");
    lwi_page_text(p, "3. From the derivatives of the mass matrix the velocity forces, and from the "
                     "potential of gravity the gravity forces:");
    {
        static const lwi_formula line[] = {
            {"B_ikl = ( dM_ik/dq_l + dM_il/dq_k - dM_kl/dq_i ) / 2",
             "B_{ikl} = \\tfrac12 \\left( \\partial_l M_{ik} + \\partial_k M_{il} - "
             "\\partial_i M_{kl} \\right)"},
            {"C_i   = sum_kl B_ikl v_k v_l", "C_i = \\sum_{kl} B_{ikl} \\dot q_k \\dot q_l"},
            {"G_i   = dP/dq_i,  P = -sum_j m_j g . p_j",
             "G_i = \\partial_i P, \\quad P = -\\sum_j m_j g^T p_j"},
            {"tau_i = sum_k M_ik a_k + C_i + G_i",
             "\\tau_i = \\sum_k M_{ik} \\ddot q_k + C_i + G_i"}};
        lwi_page_formulas(p, 4, line);
    }
}

static void uicker_steps(lwi_page *p)
{
    lwi_page_text(p, "1. The 4x4 transformation W_j of every link j, and its first and second "
                     "derivatives, as polynomials in sines and cosines; J_j is the 4x4 matrix of "
                     "second moments of link j.");
    lwi_page_text(p, "2. The elements, by traces:");
    {
        static const lwi_formula line[] = {
            {"H_ik  = sum_j tr( dW_j/dq_i J_j (dW_j/dq_k)' )",
             "H_{ik} = \\sum_j \\operatorname{tr}\\left( \\partial_i W_j J_j \\partial_k "
             "W_j^T \\right)"},
            {"B_ikl = sum_j tr( dW_j/dq_i J_j (d2W_j/dq_k dq_l)' )",
             "B_{ikl} = \\sum_j \\operatorname{tr}\\left( \\partial_i W_j J_j "
             "\\partial_{kl} W_j^T \\right)"},
            {"g_i   = -sum_j m_j g' dW_j/dq_i r_j", "g_i = -\\sum_j m_j g^T \\partial_i W_j r_j"}};
        lwi_page_formulas(p, 3, line);
    }
    lwi_page_text(p, "3. A dictionary of all products of sines and cosines, sorted, each made from "
                     "a shorter one by one factor; the elements are sums over it.");
}

static void recursive_steps(lwi_page *p, const lw_model *m)
{
    lwi_page_text(
        p, "1. What a joint force cannot distinguish from the parent body is moved there (base "
           "parameters): of a revolute joint the mass and the first and second moments "
           "along its axis, of a prismatic one all second moments.");
    lwi_page_text(p,
                  "2. Out from the world: the angular velocity, the angular acceleration and the "
                  "acceleration of the origin of each body, in its own axes; gravity is an upward "
                  "acceleration of the world.");
    lwi_page_text(p, "3. The force and the moment that each body needs for that, from mass, first "
                     "moment and second moments about its origin.");
    lwi_page_text(p,
                  "4. Back to the world: what each joint passes on; its component along the axis "
                  "is the joint's force. All is written out, without a loop.");
    if (m->tree_nv == m->nbody && m->tree_nq == m->nbody) {
        lwi_page_text(
            p, "5. The mass matrix, the Christoffel symbols and the gravity forces come from "
               "composite bodies: all that a joint carries moves as one when it and those "
               "before it move.");
    } else {
        lwi_page_text(
            p, "5. The mass matrix, the Christoffel symbols and the gravity forces come from the "
               "same recursion, column by column, for unit rates and accelerations.");
    }
    if (m->nstep > 0) {
        lwi_page_text(p, "6. The independent degrees of freedom are driven through K, the "
                         "rates of all joints for unit rates of the independent ones, and through "
                         "the accelerations b that rates alone make:");
        lwi_page_formula(
            p,
            "tau = K' tau_tree,  M = K' H K,  B_jl = K' (H b_jl + B(K_j, K_l)),  G = "
            "K' G_tree",
            "\\tau = K^T \\tau_{tree}, \\quad M = K^T H K, \\quad B_{jl} = K^T (H b_{jl} "
            "+ B(K_j, K_l)), \\quad G = K^T G_{tree}");
    }
}

// --- Counts -----------------------------------------------------------------------------------

static const char *cost_name(lw_cost cost)
{
    return cost == LW_COST_MULTIPLICATIONS ? "multiplications first, then additions"
           : cost == LW_COST_INSTRUCTIONS
               ? "instructions, where a multiplication and an addition may be one"
               : "multiplications and additions together";
}

// Which form was taken and why, for functions that have several.
static void write_choice(lwi_page *p, const lw_derivation *d)
{
    char why[LWI_WHY_SIZE];
    if (!lwi_has_closed_form(d->model, why)) {
        lwi_page_text(p, "Only the recursion is possible: %s.", why);
    } else if (d->options.form == LW_FORM_CHEAPEST) {
        lwi_page_text(p, "Taken is what costs least (%s).", cost_name(d->options.cost));
    } else {
        lwi_page_text(p, "The form %s was requested.", lw_form_name(d->options.form));
    }
}

static void counts(lwi_page *p, const lw_derivation *d, bool is_inverse)
{
    static const char *const head[] = {"function", "multiplications", "additions", "sin, cos",
                                       "other"};
    // Closed mechanisms beside the tree that they are made of.
    const int n = d->model->tree_nv;
    lwi_page_heading(p, "Operations");
    lwi_page_text(
        p,
        "Divisions and square roots count as multiplications; what depends on parameters only is "
        "computed once and not counted. Effort %d of 3: %s",
        d->options.effort,
        d->options.effort == 0
            ? "all is counted as it was written."
            : "forms are counted as written first; then the cheapest is searched for a "
              "cheaper set of operations, and the recursion too where it is within half "
              "as much again.");
    lwi_page_table(p, 5, head);
    for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
        for (int form = LW_FORM_RECURSIVE; form < LWI_FORMS; ++form) {
            if (d->tape[f] && d->tried[f].is_tried[form]) {
                char what[80];
                snprintf(what, sizeof what, "%s, %s, %s%s", lw_function_name((lw_function)f),
                         lw_form_name((lw_form)form),
                         d->tried[f].is_searched[form] ? "searched" : "as written",
                         d->form[f] == (lw_form)form ? " (taken)" : "");
                const lw_counts *c = &d->tried[f].counts[form];
                lwi_page_cells(p, "sdddd", what, c->mul + c->div + c->sqrt, c->add, c->sincos,
                               c->other);
            }
        }
    }
    lwi_page_table_end(p);
    if (is_inverse) {
        return;
    }
    write_choice(p, d);
    if (n > d->model->nbody) {
        return; // the methods below are for joints of one degree of freedom
    }
    lwi_page_text(p,
                  "Inverse dynamics of any arm with %d joint%s by the recursive methods of the "
                  "literature, for comparison%s:",
                  n, n == 1 ? "" : "s",
                  d->model->nstep > 0 ? "; they have no loops, which the counts above include"
                                      : "");
    static const char *const classical[] = {"method", "multiplications"};
    lwi_page_table(p, 2, classical);
    static const struct {
        const char *who;
        int factor, less;
    } method[] = {{"Luh, Walker and Paul: 150 n - 48", 150, 48},
                  {"Angeles, Ma and Rojas: 105 n - 109", 105, 109},
                  {"Balafoutis and Patel: 93 n - 69", 93, 69},
                  {"Mata and others: 96 n - 101", 96, 101}};
    for (int i = 0; i < 4; ++i) {
        const int count = method[i].factor * n - method[i].less;
        if (count > 0) {
            lwi_page_cells(p, "sd", method[i].who, count);
        } else {
            lwi_page_cells(p, "ss", method[i].who, "-");
        }
    }
    lwi_page_table_end(p);
}

static void method(lwi_page *p, const lw_derivation *d, lw_form form)
{
    char why[LWI_WHY_SIZE];
    lwi_page_heading(p, "How the equations were found");
    if (form == LW_FORM_LAGRANGE) {
        lwi_page_text(p, "Lagrange's equations, in closed form.");
        lagrange_steps(p);
    } else if (form == LW_FORM_UICKER) {
        lwi_page_text(p, "Uicker and Kahn's equations, in closed form.");
        uicker_steps(p);
    } else {
        lwi_page_text(p, "Newton and Euler's recursion, written out.");
        recursive_steps(p, d->model);
    }
    if (!lwi_has_closed_form(d->model, why)) {
        lwi_page_text(p, "There is no closed form in sines and cosines of this mechanism: %s.",
                      why);
    }
}

lw_status lw_derivation_document(const lw_derivation *d, lw_document format, char **text)
{
    if (text) {
        *text = NULL;
    }
    if (!d || !text || (unsigned)format > LW_DOCUMENT_LATEX) {
        return LW_ERR_ARGUMENT;
    }
    lwi_page page = {.format = format};
    char title[200];
    char why[LWI_WHY_SIZE];
    lw_form form = LW_FORM_RECURSIVE;
    for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
        form = d->tape[f] && d->form[f] != LW_FORM_RECURSIVE ? d->form[f] : form;
    }
    // Inverse kinematics alone has neither masses nor motion.
    const bool is_inverse = lwi_document_is_inverse(d);
    snprintf(title, sizeof title, "%s of %.150s",
             is_inverse ? "Inverse kinematics" : "Equations of motion", d->model->name);
    lwi_page_begin(&page, title);
    if (format == LW_DOCUMENT_LATEX && d->options.figure) {
        lwi_text_add(&page.text, d->options.figure);
    }
    mechanism(&page, d->model);
    frames(&page, d->model);
    lwi_document_bodies(&page, d);
    symbols(&page, d);
    lwi_document_closure(&page, d);
    if (!is_inverse) {
        method(&page, d, form);
    }
    if (!is_inverse && lwi_has_closed_form(d->model, why)) {
        lwi_document_closed_form(&page, d, form == LW_FORM_RECURSIVE ? LW_FORM_LAGRANGE : form);
    }
    lwi_document_inverse(&page, d);
    lwi_document_code(&page, d);
    lwi_document_check(&page, d);
    if (!is_inverse) {
        lwi_document_base(&page, d);
    }
    counts(&page, d, is_inverse);
    lwi_page_end(&page);
    if (page.text.is_short) {
        lwi_text_free(&page.text);
        return LW_ERR_MEMORY;
    }
    *text = page.text.at;
    return LW_OK;
}
