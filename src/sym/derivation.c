// Derivations: which functions, in which form, as which tapes.
#include "derivation.h"

#include "../base/report.h"
#include "inverse_kinematics.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What a function is called, whether it has several forms, and how many results it has: a power of
/// nv, or OTHER.
enum { OTHER = -1 };
static const struct {
    const char *name, *result;
    bool has_forms;
    int power;
} functions[LW_FUNCTION_COUNT] = {
    [LW_FUNCTION_POSES] = {"poses", "X", false, OTHER},
    [LW_FUNCTION_JACOBIAN] = {"jacobian", "J", false, OTHER},
    [LW_FUNCTION_INVERSE_DYNAMICS] = {"inverse_dynamics", "tau", true, 1},
    [LW_FUNCTION_MASS_MATRIX] = {"mass_matrix", "M", true, 2},
    [LW_FUNCTION_CORIOLIS_MATRIX] = {"coriolis_matrix", "C", true, 2},
    [LW_FUNCTION_CHRISTOFFEL] = {"christoffel", "B", true, 3},
    [LW_FUNCTION_GRAVITY] = {"gravity", "G", true, 1},
    [LW_FUNCTION_FORWARD_DYNAMICS] = {"forward_dynamics", "acc", false, 1},
    [LW_FUNCTION_ENERGY] = {"energy", "E", false, OTHER},
    [LW_FUNCTION_REGRESSOR] = {"regressor", "Y", false, OTHER},
    [LW_FUNCTION_ELEMENTS] = {"elements", "H", true, OTHER},
    [LW_FUNCTION_LOADS] = {"loads", "Q", false, 1},
    [LW_FUNCTION_INVERSE_KINEMATICS] = {"inverse_kinematics", "Q", false, OTHER},
    [LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES] = {"inverse_dynamics_derivatives", "dtau", false,
                                                  OTHER},
    [LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES] = {"forward_dynamics_derivatives", "dacc", false,
                                                  OTHER},
    [LW_FUNCTION_JACOBIAN_RATE] = {"jacobian_rate", "dJ", false, OTHER},
    [LW_FUNCTION_PARAMETER_DERIVATIVES] = {"parameter_derivatives", "dtau_dp", false, OTHER},
    [LW_FUNCTION_INVERSE_MASS_MATRIX] = {"inverse_mass_matrix", "Minv", false, 2},
};

static const char *const forms[LWI_FORMS] = {"cheapest", "recursive", "lagrange", "uicker"};
static const lw_location nowhere = {NULL, 0, 0};

static bool is_function(lw_function f)
{
    return (unsigned)f < LW_FUNCTION_COUNT;
}

const char *lw_function_name(lw_function function)
{
    return is_function(function) ? functions[function].name : "unknown";
}

const char *lw_function_result(lw_function function)
{
    return is_function(function) ? functions[function].result : "unknown";
}

const char *lw_form_name(lw_form form)
{
    return (unsigned)form < LWI_FORMS ? forms[form] : "unknown";
}

static double size_of_function(const lw_model *m, lw_function function, int nsymbol)
{
    const double n = m->nv, elements = (1 + n) * (n * (n + 1) / 2) + n;
    if (!is_function(function)) {
        return 0;
    }
    const int power = functions[function].power;
    if (power > 0) {
        return n * (power > 1 ? n : 1) * (power > 2 ? n : 1);
    }
    switch (function) {
    case LW_FUNCTION_POSES:
        return 12.0 * m->nframe;
    case LW_FUNCTION_JACOBIAN:
    case LW_FUNCTION_JACOBIAN_RATE:
        return 6 * n;
    case LW_FUNCTION_ENERGY:
        return 2;
    case LW_FUNCTION_REGRESSOR:
        return n * 10 * m->nbody;
    case LW_FUNCTION_INVERSE_KINEMATICS:
        return lwi_inverse_rows(m) * (m->nq + 1.0);
    case LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES:
    case LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES:
        return 3 * n * n;
    case LW_FUNCTION_PARAMETER_DERIVATIVES:
        return n * nsymbol;
    default:
        return elements;
    }
}

// The results of the functions together.
static double size_of_mask(const lw_model *m, unsigned mask, int nsymbol)
{
    double size = 0;
    for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
        size += mask & (1u << f) ? size_of_function(m, (lw_function)f, nsymbol) : 0;
    }
    return size;
}

static int whole_size(const lw_model *m, lw_function function, int nsymbol)
{
    const double size = m ? size_of_function(m, function, nsymbol) : 0;
    return size <= INT_MAX ? (int)size : 0;
}

int lw_function_size(const lw_model *m, lw_function function)
{
    return whole_size(m, function, 0);
}

int lw_derivation_size(const lw_derivation *d, lw_function function)
{
    return d ? whole_size(d->model, function, d->nsymbol) : 0;
}

lw_derive_options lw_default_derive_options(void)
{
    const lw_derive_options options = {.functions = 1u << LW_FUNCTION_INVERSE_DYNAMICS,
                                       .effort = 1,
                                       .is_apart = true,
                                       .friction_speed = LW_FRICTION_SPEED};
    return options;
}

// --- One tape ---------------------------------------------------------------------------------

static lw_status fill_outputs(lwi_symbolic *k, const lw_derive_options *options, lw_form form,
                              unsigned mask, lwi_output *output, int *noutput)
{
    lw_status status = LW_OK;
    for (int f = 0; f < LW_FUNCTION_COUNT && status == LW_OK; ++f) {
        if (!(mask & (1u << f))) {
            continue;
        }
        const lw_function function = (lw_function)f;
        const int n = whole_size(k->m, function, k->nsymbol);
        lwi_expr *value = lwi_symbolic_take(k, n);
        if (!value) {
            return LW_ERR_MEMORY;
        }
        status = form == LW_FORM_RECURSIVE ? lwi_derive_function(k, function, options->frame, value)
                                           : lwi_derive_closed_form(k, function, form, value);
        for (int i = 0; i < n; ++i) {
            output[(*noutput)++] = (lwi_output){functions[f].result, i, value[i]};
        }
    }
    return status;
}

// The functions `mask` in one form, as one tape.
// @param loops gets the loops of code, unless it is NULL or they are there
static lw_status derive_tape(const lw_model *m, const lw_derive_options *options, lw_form form,
                             unsigned mask, lw_report *report, lwi_symbolic *symbols,
                             lwi_tape_loops **loops, lwi_tape **tape)
{
    lwi_symbolic k = {0};
    int noutput = 0;
    *tape = NULL;
    lwi_output *output = NULL;
    lwi_graph *g = lwi_graph_create(options->max_nodes);
    lw_status status = g ? lwi_symbolic_init(&k, m, options, g, report) : LW_ERR_MEMORY;
    if (status == LW_OK) {
        output = malloc(((size_t)size_of_mask(m, mask, k.nsymbol) + 1) * sizeof *output);
        status = output ? LW_OK : LW_ERR_MEMORY;
    }
    if (status == LW_OK) {
        status = fill_outputs(&k, options, form, mask, output, &noutput);
    }
    if (status == LW_OK) {
        const lwi_select_options select = {(lwi_cost)options->cost, options->effort};
        status = lwi_select(g, noutput, output, &select, tape);
        if (status == LW_OK && loops && !*loops) {
            status = lwi_make_loop_tapes(&k, &select, loops);
        }
    }
    if (status != LW_OK) {
        lwi_tape_destroy(*tape);
        *tape = NULL;
    }
    lwi_graph_destroy(g);
    free(output);
    if (symbols && status == LW_OK) {
        k.g = NULL;
        *symbols = k; // the caller's now
    } else {
        lwi_symbolic_free(&k);
    }
    return status;
}

// --- Choosing a form --------------------------------------------------------------------------

// Those functions of which there are several forms.
static unsigned with_forms(unsigned mask)
{
    unsigned out = 0;
    for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
        out |= functions[f].has_forms ? mask & (1u << f) : 0;
    }
    return out;
}

static lw_counts counts_of(const lwi_tape *tape)
{
    lw_counts out = {0};
    if (tape) {
        const lwi_counts c = lwi_tape_counts(tape);
        out = (lw_counts){c.mul, c.add, c.div, c.sqrt, c.sincos, c.other};
    }
    return out;
}

static double price(const lw_counts *c, lw_cost cost)
{
    const double products = c->mul + c->div + c->sqrt;
    return cost == LW_COST_MULTIPLICATIONS ? products + 1e-6 * c->add : products + c->add;
}

static void report_choice(const lw_derive_options *options, lw_report *report, unsigned mask,
                          const lwi_form_counts *tried, lw_form best)
{
    char text[200] = "";
    size_t used = 0;
    for (int f = LW_FORM_RECURSIVE; f < LWI_FORMS; ++f) {
        if (tried->is_tried[f] && used < sizeof text) {
            const lw_counts *c = &tried->counts[f];
            const int n = snprintf(text + used, sizeof text - used,
                                   "%s%s %d multiplications and %d additions", used ? ", " : "",
                                   forms[f], c->mul + c->div + c->sqrt, c->add);
            used += n > 0 ? (size_t)n : 0;
        }
    }
    int first = 0;
    while (!(mask & (1u << first))) {
        ++first;
    }
    const char *reason = options->form == LW_FORM_CHEAPEST ? "costs least"
                         : options->form == best           ? "was requested"
                                                           : "is the only one that there is";
    lwi_report_note(report, nowhere, LW_DIAG_FORM_CHOSEN, "%s: the %s form is taken, it %s (%s)",
                    functions[first].name, forms[best], reason, text);
}

typedef struct candidate {
    lwi_tape *tape[LWI_FORMS];
    lwi_form_counts tried;
} candidate;

// All forms that are wanted, as written: quick, and enough to decide which are worth a search.
static void try_forms(lw_derivation *d, unsigned mask, lw_report *report, lwi_symbolic *symbols,
                      candidate *c, lw_status *status)
{
    lwi_tape_loops **loops = d->options.effort == 0 ? &d->loops : NULL;
    char why[LWI_WHY_SIZE];
    const lw_form asked = d->options.form;
    const bool is_closed = with_forms(mask) == mask && lwi_has_closed_form(d->model, why);
    lw_derive_options quick = d->options;
    quick.effort = 0;
    if (!is_closed && asked != LW_FORM_RECURSIVE && with_forms(mask) == mask) {
        lwi_report_note(report, nowhere, LW_DIAG_CLOSED_FORM_NONE,
                        "there is no closed form: %s; unrolled recursion instead", why);
    }
    for (int f = LW_FORM_RECURSIVE; f < LWI_FORMS && *status == LW_OK; ++f) {
        const bool is_wanted =
            f == LW_FORM_RECURSIVE || (is_closed && (asked == LW_FORM_CHEAPEST || (int)asked == f));
        if (!is_wanted) {
            continue;
        }
        const lw_status own =
            derive_tape(d->model, &quick, (lw_form)f, mask, report,
                        f == LW_FORM_RECURSIVE ? symbols : NULL, loops, &c->tape[f]);
        if (own == LW_ERR_LIMIT && f != LW_FORM_RECURSIVE) {
            lwi_report_note(report, nowhere, LW_DIAG_CLOSED_FORM_LARGE,
                            "the %s form grows beyond %d terms: unrolled recursion instead",
                            forms[f], LWI_MOST_TERMS);
            continue;
        }
        *status = own;
        c->tried.is_tried[f] = own == LW_OK;
        c->tried.counts[f] = counts_of(c->tape[f]);
    }
}

// The form that was requested, if there is one, or the cheapest so far.
static int best_form(const lw_derivation *d, const candidate *c)
{
    int best = LW_FORM_RECURSIVE;
    for (int f = LW_FORM_LAGRANGE; f < LWI_FORMS; ++f) {
        const bool is_asked = d->options.form == (lw_form)f;
        const bool is_cheaper = price(&c->tried.counts[f], d->options.cost) <
                                price(&c->tried.counts[best], d->options.cost);
        best = c->tried.is_tried[f] && (is_asked || is_cheaper) ? f : best;
    }
    return best;
}

// Searches for cheaper ways in the best form, and in the recursion where a search might bring it
// before that.
static lw_status search_forms(lw_derivation *d, unsigned mask, candidate *c)
{
    static const double hopeless = 1.5;
    const int best = best_form(d, c);
    const double least = price(&c->tried.counts[best], d->options.cost);
    const double other = price(&c->tried.counts[LW_FORM_RECURSIVE], d->options.cost);
    lw_status status = LW_OK;
    for (int f = LW_FORM_RECURSIVE; f < LWI_FORMS && status == LW_OK && d->options.effort > 0;
         ++f) {
        const bool is_near = f == LW_FORM_RECURSIVE && d->options.form == LW_FORM_CHEAPEST &&
                             other < hopeless * least;
        if (f == best || is_near) {
            lwi_tape_destroy(c->tape[f]);
            status = derive_tape(d->model, &d->options, (lw_form)f, mask, NULL, NULL, &d->loops,
                                 &c->tape[f]);
            c->tried.counts[f] = counts_of(c->tape[f]);
            c->tried.is_searched[f] = true;
        }
    }
    return status;
}

static lw_status derive_mask(lw_derivation *d, unsigned mask, lw_report *report,
                             lwi_symbolic *symbols)
{
    candidate c = {0};
    lw_status status = LW_OK;
    try_forms(d, mask, report, symbols, &c, &status);
    if (status == LW_OK) {
        status = search_forms(d, mask, &c);
    }
    const int best = best_form(d, &c);
    for (int f = 0; f < LWI_FORMS; ++f) {
        if (f != best || status != LW_OK) {
            lwi_tape_destroy(c.tape[f]);
        }
    }
    if (status != LW_OK) {
        return status;
    }
    for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
        if (mask & (1u << f)) {
            d->tape[f] = c.tape[best];
            d->form[f] = (lw_form)best;
            d->tried[f] = c.tried;
        }
    }
    if (with_forms(mask) == mask) {
        report_choice(&d->options, report, mask, &c.tried, (lw_form)best);
    }
    return LW_OK;
}

// --- Life -------------------------------------------------------------------------------------

static void keep_symbols(lw_derivation *d, lwi_symbolic *k)
{
    // Names live in the arena of the symbolic model, which the derivation takes over.
    if (!d->symbol && k->symbol) {
        lwi_arena_free(&d->arena);
        d->arena = k->arena;
        d->symbol = k->symbol;
        d->nsymbol = k->nsymbol;
    } else {
        lwi_symbolic_free(k);
    }
}

lw_status lwi_derivation_workspace(lw_derivation *d)
{
    size_t input = 1, work = 1, result = 1;
    for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
        const lwi_tape *t = d->tape[f];
        if (t) {
            input = (size_t)t->ninput > input ? (size_t)t->ninput : input;
            work = (size_t)t->nslot > work ? (size_t)t->nslot : work;
            result = (size_t)t->noutput > result ? (size_t)t->noutput : result;
        }
    }
    d->input = malloc(input * sizeof *d->input);
    d->work = malloc(work * sizeof *d->work);
    d->result = malloc(result * sizeof *d->result);
    d->state = malloc((d->loops ? (size_t)d->loops->nstate : 1) * sizeof *d->state);
    d->parameter = malloc(((size_t)d->nsymbol + 1) * sizeof *d->parameter);
    d->loop_work = malloc((d->loops ? lwi_tape_loops_work(d->loops) : 1) * sizeof *d->loop_work);
    return d->input && d->work && d->result && d->state && d->parameter && d->loop_work
               ? LW_OK
               : LW_ERR_MEMORY;
}

void lwi_derivation_workspace_free(lw_derivation *d)
{
    free(d->input);
    free(d->work);
    free(d->result);
    free(d->state);
    free(d->parameter);
    free(d->loop_work);
}

static lw_status derive_all(lw_derivation *d, lw_report *report)
{
    // Inverse kinematics reads a pose, and has nothing in common with the others.
    const unsigned alone = d->options.functions & (1u << LW_FUNCTION_INVERSE_KINEMATICS);
    const unsigned all = d->options.functions;
    lw_status status = LW_OK;
    for (int f = 0; f < LW_FUNCTION_COUNT && status == LW_OK; ++f) {
        const unsigned mask = d->options.is_apart ? all & (1u << f)
                              : f == 0            ? all & ~alone
                                                  : alone & (1u << f);
        if (mask) {
            lwi_symbolic symbols = {0};
            status = derive_mask(d, mask, report, &symbols);
            keep_symbols(d, &symbols);
        }
    }
    return status == LW_OK ? lwi_derivation_workspace(d) : status;
}

static bool are_good(const lw_model *m, const lw_derive_options *o)
{
    const unsigned of_frame = 1u << LW_FUNCTION_JACOBIAN | 1u << LW_FUNCTION_JACOBIAN_RATE |
                              1u << LW_FUNCTION_INVERSE_KINEMATICS;
    const bool has_frame =
        !(o->functions & of_frame) || (o->frame >= 0 && o->frame < m->nframe_all);
    const lw_unbalance *u = o->unbalance;
    const bool has_rotor = !u || (u->frame >= 0 && u->frame < m->nframe_all &&
                                  isfinite(u->mass * u->radius * u->speed * u->speed));
    return o->functions != 0 && has_rotor && o->functions < (1u << LW_FUNCTION_COUNT) &&
           o->friction_speed >= 0.0 && isfinite(o->friction_speed) &&
           (o->friction_speed == 0.0 || isfinite(1.0 / o->friction_speed)) && has_frame &&
           (unsigned)o->form < LWI_FORMS && o->effort >= 0 && o->effort <= 3 &&
           (unsigned)o->cost <= LW_COST_INSTRUCTIONS && o->rounding >= 0.0 && o->rounding <= 0.01;
}

lw_status lw_derive(const lw_model *m, const lw_derive_options *options, lw_derivation **derivation,
                    lw_report *report)
{
    const lw_derive_options standard = lw_default_derive_options();
    options = options ? options : &standard;
    if (derivation) {
        *derivation = NULL;
    }
    if (!m || !derivation || !are_good(m, options)) {
        return LW_ERR_ARGUMENT;
    }
    lw_derivation *d = calloc(1, sizeof *d);
    void *block = malloc(lw_model_size(m));
    lw_status status = d && block ? LW_OK : LW_ERR_MEMORY;
    if (status == LW_OK) {
        d->options = *options;
        if (options->unbalance) {
            d->unbalance = *options->unbalance;
            d->options.unbalance = &d->unbalance;
        }
        lw_model_copy(m, block, &d->model);
        block = NULL; // now the derivation's
        lwi_note_skew(m, options, report);
        status = size_of_mask(m, options->functions, 0) <= INT_MAX ? derive_all(d, report)
                                                                   : LW_ERR_LIMIT;
    }
    if (status == LW_ERR_LIMIT) {
        lwi_report_error(report, nowhere, status,
                         "the equations of \"%s\" grow beyond the limit of expressions", m->name);
    }
    if (status != LW_OK) {
        lw_derivation_destroy(d);
        d = NULL;
    }
    free(block);
    *derivation = d;
    return status;
}

void lw_derivation_destroy(lw_derivation *d)
{
    if (!d) {
        return;
    }
    for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
        bool is_first = true;
        for (int e = 0; e < f; ++e) {
            is_first = is_first && d->tape[e] != d->tape[f];
        }
        if (is_first) {
            lwi_tape_destroy(d->tape[f]);
        }
    }
    lwi_tape_loops_destroy(d->loops);
    lwi_arena_free(&d->arena);
    lwi_derivation_workspace_free(d);
    free(d->model);
    free(d);
}

// --- Queries ----------------------------------------------------------------------------------

const lwi_tape *lwi_derivation_tape(const lw_derivation *d, lw_function function)
{
    return d && is_function(function) ? d->tape[function] : NULL;
}

lw_form lw_derivation_form(const lw_derivation *d, lw_function function)
{
    return lwi_derivation_tape(d, function) ? d->form[function] : LW_FORM_RECURSIVE;
}

lw_counts lw_derivation_counts(const lw_derivation *d, lw_function function)
{
    return counts_of(lwi_derivation_tape(d, function));
}

bool lw_derivation_form_counts(const lw_derivation *d, lw_function function, lw_form form,
                               lw_counts *counts)
{
    const bool is_there = lwi_derivation_tape(d, function) && (unsigned)form < LWI_FORMS &&
                          d->tried[function].is_tried[form];
    if (is_there && counts) {
        *counts = d->tried[function].counts[form];
    }
    return is_there;
}

int lw_derivation_nsymbol(const lw_derivation *d)
{
    return d ? d->nsymbol : 0;
}

lw_symbol_info lw_derivation_symbol(const lw_derivation *d, int i)
{
    const lw_symbol_info none = {"", "", "", 0.0, ""};
    return d && i >= 0 && i < d->nsymbol ? d->symbol[i] : none;
}

// --- Running ----------------------------------------------------------------------------------

typedef struct run_input {
    const double *q, *v, *a, *value;
    double time;
} run_input;

static bool input_of(const lw_derivation *d, const lwi_symbol *s, const run_input *in, double *x)
{
    const double *from = NULL;
    switch (s->kind) {
    case LWI_PARAMETER:
        *x = in->value ? in->value[s->index] : d->symbol[s->index].value;
        return true;
    case LWI_TIME:
        *x = in->time;
        return true;
    case LWI_SOLVED:
        from = d->state;
        break;
    case LWI_VELOCITY:
        from = in->v;
        break;
    case LWI_ACCELERATION:
    case LWI_FORCE:
        from = in->a;
        break;
    default:
        from = in->q;
        break;
    }
    if (!from) {
        return false;
    }
    *x = from[s->index];
    *x = s->kind == LWI_SINE ? sin(*x) : s->kind == LWI_COSINE ? cos(*x) : *x;
    return true;
}

// Closes the loops of code at q, from the reference configuration.
static bool close_loops(lw_derivation *d, const run_input *in)
{
    for (int i = 0; i < d->nsymbol; ++i) {
        d->parameter[i] = in->value ? in->value[i] : d->symbol[i].value;
    }
    memset(d->state, 0, (size_t)d->loops->nstate * sizeof *d->state);
    return lwi_tape_loops_close(d->loops, in->q, d->parameter, d->loop_work, d->state);
}

lw_status lwi_derivation_inputs(lw_derivation *d, lw_function function, const double *q,
                                const double *v, const double *a, double time, const double *value)
{
    const lwi_tape *tape = lwi_derivation_tape(d, function);
    if (!tape) {
        return LW_ERR_ARGUMENT;
    }
    const run_input in = {q, v, a, value, time};
    if (d->loops && function != LW_FUNCTION_INVERSE_KINEMATICS) {
        if (!q) {
            return LW_ERR_ARGUMENT;
        }
        for (int i = 0; i < d->model->nq; ++i) {
            if (!isfinite(q[i])) {
                return LW_ERR_NUMBER;
            }
        }
        if (!close_loops(d, &in)) {
            return LW_ERR_LOOP_OPEN;
        }
    }
    for (int i = 0; i < tape->ninput; ++i) {
        if (!input_of(d, &tape->input[i], &in, &d->input[i])) {
            return LW_ERR_ARGUMENT;
        }
        if (!isfinite(d->input[i])) {
            return LW_ERR_NUMBER;
        }
    }
    return LW_OK;
}

lw_status lw_derivation_run(lw_derivation *d, lw_function function, const double *q,
                            const double *v, const double *a, double time, const double *value,
                            double *out)
{
    const lwi_tape *tape = lwi_derivation_tape(d, function);
    lw_status status =
        out ? lwi_derivation_inputs(d, function, q, v, a, time, value) : LW_ERR_ARGUMENT;
    if (status != LW_OK) {
        return status;
    }
    status = lwi_tape_run(tape, d->input, d->work, d->result);
    if (status != LW_OK) {
        return status == LW_ERR_NUMBER && d->model->nloop > 0 ? LW_ERR_LOOP_OPEN : status;
    }
    const char *name = functions[function].result;
    memset(out, 0, (size_t)lw_derivation_size(d, function) * sizeof *out);
    for (int i = 0; i < tape->noutput; ++i) {
        if (strcmp(tape->output[i].name, name) == 0) {
            out[tape->output[i].index] = d->result[i];
        }
    }
    return LW_OK;
}
