// The models of a variation: a description compiled again and again with one number changed.
#include <linkwork/compile.h>

#include "../model/variation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Lengths of rods that are those of the reference configuration, while they are written out.
typedef struct held_lengths {
    lw_parameters *all;
    double *before; ///< [count] of the parameters; NaN for others
} held_lengths;

static bool is_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ".length") == 0;
}

static lw_status hold_lengths(lw_mech *mech, const lw_compile_options *options, const lw_model *m,
                              held_lengths *held)
{
    lw_status status = lw_parameters_create(mech, options, m, &held->all);
    const int n = lw_parameters_count(held->all);
    held->before = malloc(((size_t)n + 1) * sizeof *held->before);
    if (status != LW_OK || !held->before) {
        return status != LW_OK ? status : LW_ERR_MEMORY;
    }
    for (int i = 0; i < n; ++i) {
        const char *name = lw_parameters_name(held->all, i);
        held->before[i] = (double)NAN;
        if (is_length(name) && lw_get_parameter(mech, name, &held->before[i]) == LW_OK) {
            status = lw_set_parameter(mech, name, lw_parameters_value(held->all, i));
        }
        if (status != LW_OK) {
            return status;
        }
    }
    return LW_OK;
}

static void give_back(lw_mech *mech, held_lengths *held)
{
    for (int i = 0; held->before && i < lw_parameters_count(held->all); ++i) {
        if (!isnan(held->before[i])) {
            lw_set_parameter(mech, lw_parameters_name(held->all, i), held->before[i]);
        }
    }
    free(held->before);
    lw_parameters_destroy(held->all);
}

// A small share of the number; of zeros, of a length that is usual for the model or of a radian.
// Larger ones miss how forces bend next to singular configurations, smaller ones lose digits.
static double step_of(const lw_model *m, double value)
{
    double length = 0.0;
    for (int i = 0; i < m->nbody; ++i) {
        length = fmax(length, lw_norm3(m->X_PJ[i].p));
    }
    const double size = value != 0.0 ? fabs(value) : length > 0.0 ? fmin(length, 1.0) : 1.0;
    return ldexp(size, -12);
}

static lw_status make_side(lw_mech *mech, const lw_compile_options *options, lw_variation *x, int i)
{
    const lw_model *m = x->model;
    lw_status status = lw_compile(mech, options, &x->side[i], NULL);
    const lw_model *own = x->side[i];
    const bool is_same = own && own->nq == m->nq && own->nv == m->nv && own->nbody == m->nbody &&
                         own->nstep == m->nstep;
    status = status == LW_ERR_MEMORY || is_same ? status : LW_ERR_MODEL;
    return status == LW_OK ? lw_data_create(x->side[i], &x->data[i]) : status;
}

static lw_status make_sides(lw_mech *mech, const lw_compile_options *options, const char *name,
                            double value, lw_variation *x)
{
    static const int central[LWI_SIDES] = {-3, -2, -1, 1, 2, 3};
    lw_status status = LW_OK;
    for (int i = 0; i < LWI_SIDES && status == LW_OK; ++i) {
        const int steps = x->is_forward ? i : central[i];
        status = lw_set_parameter(mech, name, value + steps * x->step);
        status = status == LW_OK ? make_side(mech, options, x, i) : status;
    }
    lw_set_parameter(mech, name, value);
    return status;
}

lw_status lw_variation_create(lw_mech *mech, const lw_compile_options *options, const lw_model *m,
                              const char *name, lw_variation **variation)
{
    if (variation) {
        *variation = NULL;
    }
    if (!mech || !m || !name || !variation) {
        return LW_ERR_ARGUMENT;
    }
    held_lengths held = {0};
    lw_variation *x = calloc(1, sizeof *x);
    lw_status status = x ? hold_lengths(mech, options, m, &held) : LW_ERR_MEMORY;
    double value;
    if (status == LW_OK) {
        status = lw_get_parameter(mech, name, &value);
    }
    if (status == LW_OK) {
        x->model = m;
        x->step = step_of(m, value);
        x->tau = malloc(((size_t)m->nv + 1) * sizeof *x->tau);
        status = x->tau ? make_sides(mech, options, name, value, x) : LW_ERR_MEMORY;
        if (status == LW_ERR_MODEL && value == 0.0) { // an amount, which cannot be negative
            lwi_variation_clear(x);
            x->is_forward = true;
            status = make_sides(mech, options, name, value, x);
        }
    }
    give_back(mech, &held);
    if (status != LW_OK) {
        lw_variation_destroy(x);
        return status;
    }
    *variation = x;
    return LW_OK;
}
