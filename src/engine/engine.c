// What all engines have in common: the checks before and after a function, and overrides.

#include <linkwork/engine.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct binding {
    lw_engine_function *function;
    void *self;
} binding;

struct lw_engine {
    const lw_model *m;
    lw_engine_options options;
    char *name;
    binding generic[LW_FUNCTION_COUNT];
    binding override[LW_FUNCTION_COUNT];
    void *self;
    void (*destroy)(void *self);
    void (*restart)(void *self);
    const char *(*interpreted)(void *self, lw_function which);
    double *result; ///< of the largest function, so that nothing is written by a refused call
};

lw_engine_options lw_default_engine_options(const lw_model *m)
{
    static const lw_function wanted[] = {
        LW_FUNCTION_POSES,       LW_FUNCTION_JACOBIAN,         LW_FUNCTION_INVERSE_DYNAMICS,
        LW_FUNCTION_MASS_MATRIX, LW_FUNCTION_FORWARD_DYNAMICS, LW_FUNCTION_GRAVITY,
        LW_FUNCTION_ENERGY,      LW_FUNCTION_CORIOLIS_MATRIX};
    lw_engine_options options = {.friction_speed = LW_FRICTION_SPEED,
                                 .frame = m && m->nframe > 0 ? m->nframe - 1 : 0};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
        options.functions |= 1u << wanted[i];
    }
    return options;
}

static bool is_function(lw_function which)
{
    return (int)which >= 0 && which < LW_FUNCTION_COUNT;
}

lw_status lw_engine_create(const lw_model *m, const lw_engine_options *options,
                           const lw_engine_def *def, lw_engine **engine)
{
    if (!engine) {
        return LW_ERR_ARGUMENT;
    }
    *engine = NULL;
    if (!m || !def || !def->name || !def->run) {
        return LW_ERR_ARGUMENT;
    }
    size_t largest = 1;
    unsigned functions = def->functions;
    for (int i = 0; i < LW_FUNCTION_COUNT; ++i) {
        const size_t size = (size_t)lw_function_size(m, (lw_function)i);
        functions &= m->nv > 0 && size == 0 ? ~(1u << i) : ~0u; // more than an int can count
        largest = (def->functions & 1u << i) != 0 && size > largest ? size : largest;
    }
    lw_engine *e = calloc(1, sizeof *e);
    if (!e) {
        return LW_ERR_MEMORY;
    }
    const size_t length = strlen(def->name);
    e->name = malloc(length + 1);
    e->result = calloc(largest, sizeof *e->result);
    if (!e->name || !e->result) {
        lw_engine_destroy(e);
        return LW_ERR_MEMORY;
    }
    memcpy(e->name, def->name, length + 1);
    e->m = m;
    e->options = options ? *options : lw_default_engine_options(m);
    for (int i = 0; i < LW_FUNCTION_COUNT; ++i) {
        const bool has = (functions & 1u << i) != 0;
        e->generic[i] = (binding){has ? def->run : NULL, def->self};
    }
    e->self = def->self;
    e->destroy = def->destroy;
    e->restart = def->restart;
    e->interpreted = def->interpreted;
    *engine = e;
    return LW_OK;
}

void lw_engine_restart(lw_engine *engine)
{
    if (engine && engine->restart) {
        engine->restart(engine->self);
    }
}

const char *lw_engine_interpreted(const lw_engine *engine, lw_function which)
{
    const bool is_own = engine && is_function(which) && engine->interpreted &&
                        engine->generic[which].function && !engine->override[which].function;
    return is_own ? engine->interpreted(engine->self, which) : NULL;
}

void lw_engine_destroy(lw_engine *engine)
{
    if (engine) {
        if (engine->destroy) {
            engine->destroy(engine->self);
        }
        free(engine->name);
        free(engine->result);
        free(engine);
    }
}

lw_status lw_engine_override(lw_engine *engine, lw_function which, lw_engine_function *function,
                             void *self)
{
    if (!engine || !is_function(which)) {
        return LW_ERR_ARGUMENT;
    }
    if (function && !engine->generic[which].function) {
        // Room for its result was not made.
        const size_t size = (size_t)lw_function_size(engine->m, which);
        if (size == 0 && engine->m->nv > 0) {
            return LW_ERR_LIMIT; // more than an int can count
        }
        double *larger = calloc(size + 1, sizeof *larger);
        if (!larger) {
            return LW_ERR_MEMORY;
        }
        size_t largest = 1;
        for (int i = 0; i < LW_FUNCTION_COUNT; ++i) {
            const size_t other = (size_t)lw_function_size(engine->m, (lw_function)i);
            const bool has = engine->generic[i].function || engine->override[i].function;
            largest = has && other > largest ? other : largest;
        }
        if (size > largest) {
            free(engine->result);
            engine->result = larger;
        } else {
            free(larger);
        }
    }
    engine->override[which] = (binding){function, self};
    return LW_OK;
}

const char *lw_engine_name(const lw_engine *engine)
{
    return engine ? engine->name : "";
}

const lw_model *lw_engine_model(const lw_engine *engine)
{
    return engine ? engine->m : NULL;
}

bool lw_engine_has(const lw_engine *engine, lw_function which)
{
    return engine && is_function(which) &&
           (engine->override[which].function || engine->generic[which].function);
}

// --- Checks -----------------------------------------------------------------------------------

// By their bits: sums of doubles would wait for each other, and this is most of what an engine adds
// to a function. An exponent of ones alone becomes the bit of the sign when one is added.
static bool is_finite(const double *x, int n)
{
    const uint64_t exponent = 0x7ff0000000000000u, one = 0x0010000000000000u;
    uint64_t any = 0;
    for (int i = 0; i < n; ++i) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        any |= (bits & exponent) + one;
    }
    return any >> 63 == 0;
}

static lw_status check_array(const double *x, int n)
{
    return !x ? LW_ERR_ARGUMENT : is_finite(x, n) ? LW_OK : LW_ERR_NUMBER;
}

// Quaternions have no limits; all other positions are of one degree of freedom. Bodies and
// positions are in the order of the tree, so that the two are gone through side by side.
static bool is_within_limits(const lw_model *m, const double *q)
{
    int body = 0;
    for (int i = 0; i < m->nq; ++i) {
        while (m->q_start[body + 1] <= m->q_tree[i]) {
            ++body;
        }
        const lw_dof *dof = &m->dof[m->v_start[body]];
        const bool is_one = m->q_start[body + 1] - m->q_start[body] == 1;
        if (is_one && (q[i] < dof->lower || q[i] > dof->upper)) {
            return false;
        }
    }
    return true;
}

static lw_status check_state(const lw_engine *e, lw_function which, const lw_engine_state *state)
{
    // Which of v, a and tau (t) a function reads.
    static const char *const reads[LW_FUNCTION_COUNT] = {
        [LW_FUNCTION_INVERSE_DYNAMICS] = "va",
        [LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES] = "va",
        [LW_FUNCTION_PARAMETER_DERIVATIVES] = "va",
        [LW_FUNCTION_REGRESSOR] = "va",
        [LW_FUNCTION_FORWARD_DYNAMICS] = "vt",
        [LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES] = "vt",
        [LW_FUNCTION_CORIOLIS_MATRIX] = "v",
        [LW_FUNCTION_ENERGY] = "v",
        [LW_FUNCTION_JACOBIAN_RATE] = "v"};
    const char *own = reads[which] ? reads[which] : "";
    const lw_model *m = e->m;
    if (state->nq != m->nq || state->nv != m->nv) {
        return LW_ERR_ARGUMENT;
    }
    lw_status status = check_array(state->q, m->nq);
    if (status == LW_OK && strchr(own, 'v')) {
        status = check_array(state->v, m->nv);
    }
    if (status == LW_OK && strchr(own, 'a')) {
        status = check_array(state->a, m->nv);
    }
    if (status == LW_OK && strchr(own, 't')) {
        status = check_array(state->tau, m->nv);
    }
    if (status == LW_OK && e->options.is_guarded && !is_within_limits(m, state->q)) {
        status = LW_ERR_LIMIT;
    }
    return status;
}

// Straight-line code has no status: a root of something negative or a division by zero tells.
static lw_status why_not_finite(const lw_engine *e, lw_function which)
{
    const bool has_solve = which == LW_FUNCTION_FORWARD_DYNAMICS ||
                           which == LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES ||
                           which == LW_FUNCTION_INVERSE_MASS_MATRIX;
    return e->m->nloop > 0 ? LW_ERR_LOOP_OPEN : has_solve ? LW_ERR_SINGULAR : LW_ERR_NUMBER;
}

static lw_status run(lw_engine *e, lw_function which, const binding *b,
                     const lw_engine_state *state, double *result)
{
    lw_status status = check_state(e, which, state);
    if (status == LW_OK) {
        status = b->function(b->self, which, state, e->result);
    }
    const int size = lw_function_size(e->m, which);
    if (status == LW_OK && !is_finite(e->result, size)) {
        status = why_not_finite(e, which);
    }
    if (status == LW_OK) {
        memcpy(result, e->result, (size_t)size * sizeof *result);
    }
    return status;
}

lw_status lw_engine_run(lw_engine *engine, lw_function which, const lw_engine_state *state,
                        double *result)
{
    if (!engine || !state || !result || !is_function(which)) {
        return LW_ERR_ARGUMENT;
    }
    const binding *b =
        engine->override[which].function ? &engine->override[which] : &engine->generic[which];
    return b->function ? run(engine, which, b, state, result) : LW_ERR_UNSUPPORTED;
}

lw_status lw_engine_run_generic(lw_engine *engine, lw_function which, const lw_engine_state *state,
                                double *result)
{
    if (!engine || !state || !result || !is_function(which)) {
        return LW_ERR_ARGUMENT;
    }
    const binding *b = &engine->generic[which];
    return b->function ? run(engine, which, b, state, result) : LW_ERR_UNSUPPORTED;
}

// --- By name ----------------------------------------------------------------------------------

lw_status lw_engine_inverse_dynamics(lw_engine *engine, const double *q, const double *v,
                                     const double *a, double *tau)
{
    if (!engine) {
        return LW_ERR_ARGUMENT;
    }
    const lw_engine_state state = {engine->m->nq, engine->m->nv, q, v, a, NULL};
    return lw_engine_run(engine, LW_FUNCTION_INVERSE_DYNAMICS, &state, tau);
}

lw_status lw_engine_forward_dynamics(lw_engine *engine, const double *q, const double *v,
                                     const double *tau, double *a)
{
    if (!engine) {
        return LW_ERR_ARGUMENT;
    }
    const lw_engine_state state = {engine->m->nq, engine->m->nv, q, v, NULL, tau};
    return lw_engine_run(engine, LW_FUNCTION_FORWARD_DYNAMICS, &state, a);
}

lw_status lw_engine_mass_matrix(lw_engine *engine, const double *q, double *M)
{
    if (!engine) {
        return LW_ERR_ARGUMENT;
    }
    const lw_engine_state state = {engine->m->nq, engine->m->nv, q, NULL, NULL, NULL};
    return lw_engine_run(engine, LW_FUNCTION_MASS_MATRIX, &state, M);
}

static lw_status component_inverse(void *self, const double *q, const double *v, const double *a,
                                   double *tau)
{
    return lw_engine_inverse_dynamics(self, q, v, a, tau);
}

static lw_status component_gravity(void *self, const double *q, double *tau)
{
    const lw_engine *engine = self;
    const lw_engine_state state = {engine->m->nq, engine->m->nv, q, NULL, NULL, NULL};
    return lw_engine_run(self, LW_FUNCTION_GRAVITY, &state, tau);
}

lw_dynamics_component lw_engine_dynamics(lw_engine *engine)
{
    const lw_dynamics_component none = {NULL, NULL, NULL};
    return engine ? (lw_dynamics_component){component_inverse, component_gravity, engine} : none;
}
