#include "report/spec_inputs.h"

#include <linkwork/compile.h>

#include "support/message.h"

#include <math.h>
#include <string.h>

// All parameters of the equations, zeros too.
static lw_status list_parameters(const lw_model *m, lw_derivation **d)
{
    lw_derive_options o = lw_default_derive_options();
    o.functions = 1u << LW_FUNCTION_INVERSE_DYNAMICS;
    o.form = LW_FORM_RECURSIVE;
    o.effort = 0;
    o.inputs = "*";
    return lw_derive(m, &o, d, NULL);
}

static int refuse(lw_status status)
{
    return complain(exit_code_of(status), "symbols as inputs: %s", lw_status_text(status));
}

static lw_status set_symbol(memory *pool, lw_spec *spec, const char *name, double value)
{
    return lw_spec_set(spec, memory_text(pool, "symbol.%s", name),
                       memory_text(pool, "%.17g", value), (lw_location){0}, NULL);
}

static lw_status build(lw_spec *spec, lw_model **m)
{
    lw_mech *mech = NULL;
    lw_status status = lw_spec_build(spec, &mech, NULL);
    if (status == LW_OK) {
        status = lw_compile(mech, NULL, m, NULL);
    }
    lw_mech_destroy(mech);
    return status;
}

static double changed(double value)
{
    return value == 0.0 ? 0.015625 : 1.015625 * value;
}

// What a symbol is among the parameters before and after it was changed: added to the list where
// each that changes is the symbol itself, or its negative. Else why not.
static void match_symbol(memory *pool, const lw_spec_symbol *s, const lw_derivation *before,
                         const lw_derivation *after, spec_inputs *inputs)
{
    const double now = s->value, then = changed(s->value);
    const char *items = "", *why = NULL;
    for (int i = 0; i < lw_derivation_nsymbol(before) && !why; ++i) {
        const lw_symbol_info p = lw_derivation_symbol(before, i);
        const double other = lw_derivation_symbol(after, i).value;
        const double sign = p.value * now < 0.0 ? -1.0 : 1.0;
        if (fabs(other - p.value) <= 1e-9 * fabs(p.value)) {
            continue;
        }
        if (fabs(p.value - sign * now) > 1e-9 * fabs(now) ||
            fabs(other - sign * then) > 1e-9 * fabs(then)) {
            why = memory_text(pool, "%s is %s together with other numbers", p.name, s->name);
        } else {
            items = memory_text(pool, "%s%s%s=%s%s", items, *items ? "," : "", s->name,
                                sign < 0.0 ? "-" : "", p.name);
        }
    }
    if (!why && !*items) {
        why = "no equation reads it";
    }
    if (why) {
        inputs->note = memory_text(pool, "%s%s%s is a number in the code: %s", inputs->note,
                                   *inputs->note ? "; " : "", s->name, why);
    } else {
        inputs->list = memory_text(pool, "%s%s%s", inputs->list ? inputs->list : "",
                                   inputs->list ? "," : "", items);
    }
}

// The model with one symbol changed, and its parameters.
static lw_status try_symbol(memory *pool, lw_spec *spec, const lw_spec_symbol *s,
                            const lw_derivation *before, spec_inputs *inputs)
{
    lw_model *m = NULL;
    lw_derivation *after = NULL;
    lw_status status = set_symbol(pool, spec, s->name, changed(s->value));
    if (status == LW_OK) {
        status = build(spec, &m);
    }
    if (status == LW_OK) {
        status = list_parameters(m, &after);
    }
    if (status == LW_OK && lw_derivation_nsymbol(after) == lw_derivation_nsymbol(before)) {
        match_symbol(pool, s, before, after, inputs);
    } else if (status != LW_ERR_MEMORY) {
        inputs->note = memory_text(pool, "%s%s%s is a number in the code: rules leave it no other",
                                   inputs->note, *inputs->note ? "; " : "", s->name);
        status = LW_OK;
    }
    lw_derivation_destroy(after);
    lw_model_destroy(m);
    const lw_status back = set_symbol(pool, spec, s->name, s->value);
    return status == LW_OK ? back : status;
}

static bool is_listed(const char *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (strncmp(at, name, n) == 0 && at[n] == '=') {
            return true;
        }
    }
    return false;
}

// Changes all inputs at once, for a robot that only they tell from the first.
static lw_status build_other(memory *pool, lw_spec *spec, spec_inputs *inputs)
{
    const int n = lw_spec_symbol_count(spec);
    double *value = memory_numbers(pool, n, 1);
    lw_status status = LW_OK;
    for (int i = 0; i < n && status == LW_OK; ++i) {
        const lw_spec_symbol s = lw_spec_symbol_at(spec, i);
        value[i] = s.value;
        if (is_listed(inputs->list, s.name)) {
            status = set_symbol(pool, spec, s.name, changed(s.value));
        }
    }
    status = status == LW_OK ? build(spec, &inputs->other) : status;
    for (int i = 0; i < n; ++i) {
        set_symbol(pool, spec, lw_spec_symbol_at(spec, i).name, value[i]);
    }
    return status;
}

int spec_inputs_find(memory *pool, lw_spec *spec, const lw_model *m, spec_inputs *inputs)
{
    lw_derivation *before = NULL;
    *inputs = (spec_inputs){.note = ""};
    const int n = lw_spec_symbol_count(spec);
    if (n == 0) {
        return EXIT_GOOD;
    }
    lw_status status = list_parameters(m, &before);
    for (int i = 0; i < n && status == LW_OK; ++i) {
        const lw_spec_symbol s = lw_spec_symbol_at(spec, i);
        status = try_symbol(pool, spec, &s, before, inputs);
    }
    lw_derivation_destroy(before);
    if (status == LW_OK && inputs->list) {
        status = build_other(pool, spec, inputs);
    }
    return status == LW_OK ? EXIT_GOOD : refuse(status);
}
