// CVODE and IDA on a simulation, with dense matrices whose entries they find by differences.
//
// A piece of time in which nothing jumps is one problem: at its start the method is started anew.
// Events are found by the simulation, on the polynomials that the methods have for each step.

#include <linkwork/dynamics.h>
#include <linkwork/stiff.h>

#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST_STEP = 1e-14; // of the time; less is a rounding of it

struct lw_stiff {
    lw_sim *sim;
    lw_stiff_method method;
    SUNContext context;
    N_Vector y, dy, within; ///< the last: at a time within the last step
    SUNMatrix matrix;
    SUNLinearSolver solver;
    void *memory;     ///< of CVODE or IDA
    lw_status status; ///< of the last callback that failed
    bool is_begun;    ///< at least once
    bool lacks_start; ///< forces do not determine the velocities of degrees of freedom without
                      ///< inertia
    bool goes_on;     ///< nothing has jumped since the last step
    double t;         ///< where that ended
    double t_change;  ///< the next time at which a force jumps
};

// A callback that fails where a smaller step may help answers 1, else -1.
static int answer(lw_stiff *s, lw_status status)
{
    if (status == LW_OK) {
        return 0;
    }
    s->status = status;
    return status == LW_ERR_LOOP_OPEN || status == LW_ERR_SINGULAR || status == LW_ERR_NUMBER ? 1
                                                                                              : -1;
}

static int rate(realtype t, N_Vector y, N_Vector dy, void *context)
{
    lw_stiff *s = context;
    return answer(s, lw_sim_derivative(s->sim, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy)));
}

static int residual(realtype t, N_Vector y, N_Vector dy, N_Vector r, void *context)
{
    lw_stiff *s = context;
    return answer(s, lw_sim_residual(s->sim, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy),
                                     N_VGetArrayPointer(r)));
}

// Messages are the caller's matter; the status reports what went wrong.
static void say_nothing(int code, const char *module, const char *function, char *text, void *data)
{
    (void)code;
    (void)module;
    (void)function;
    (void)text;
    (void)data;
}

static bool begin_cvode(lw_stiff *s, double t)
{
    if (s->is_begun) {
        return CVodeReInit(s->memory, t, s->y) == CV_SUCCESS;
    }
    const lw_sim_def *def = lw_sim_get_def(s->sim);
    return CVodeInit(s->memory, rate, t, s->y) == CV_SUCCESS &&
           CVodeSStolerances(s->memory, def->relative, def->absolute) == CV_SUCCESS &&
           CVodeSetLinearSolver(s->memory, s->solver, s->matrix) == CV_SUCCESS;
}

// The velocity of a degree of freedom without inertia is no state of its own: at the start it is
// found from the forces, whatever was given for it. Where these do not determine it IDA begins with
// what it has.
static bool find_start(lw_stiff *s, double t)
{
    const lw_model *m = lw_sim_model(s->sim);
    const size_t nv = (size_t)m->nv;
    double *is_state = N_VGetArrayPointer(s->within);
    double *M = malloc(nv * nv * sizeof *M);
    if (!M || lw_mass_matrix(m, lw_sim_data(s->sim), N_VGetArrayPointer(s->y), M) != LW_OK) {
        free(M);
        return false;
    }
    N_VConst(1.0, s->within);
    for (size_t k = 0; k < nv; ++k) {
        is_state[(size_t)m->nq + k] = M[k * nv + k] > 0.0 ? 1.0 : 0.0;
    }
    free(M);
    const double soon = t + 1e-6 * fmax(1.0, fabs(t)); // gives IDA the direction and scale of time
    if (IDASetId(s->memory, s->within) != IDA_SUCCESS) {
        return false;
    }
    s->lacks_start = IDACalcIC(s->memory, IDA_YA_YDP_INIT, soon) != IDA_SUCCESS;
    return !s->lacks_start || IDAReInit(s->memory, t, s->y, s->dy) == IDA_SUCCESS;
}

// A first guess of dy where accelerations are not determined: the rates of the positions.
static bool guess_rates(lw_stiff *s, double t)
{
    double *y = N_VGetArrayPointer(s->y), *dy = N_VGetArrayPointer(s->dy);
    memset(dy, 0, (size_t)lw_sim_state_size(s->sim) * sizeof *dy);
    double *r = malloc((size_t)lw_sim_state_size(s->sim) * sizeof *r);
    const bool is_good = r && lw_sim_residual(s->sim, t, y, dy, r) == LW_OK;
    for (int i = 0; is_good && i < lw_sim_model(s->sim)->nq; ++i) {
        dy[i] = -r[i];
    }
    free(r);
    return is_good;
}

static bool begin_ida(lw_stiff *s, double t)
{
    double *y = N_VGetArrayPointer(s->y), *dy = N_VGetArrayPointer(s->dy);
    s->lacks_start = false;
    const lw_status known = lw_sim_derivative(s->sim, t, y, dy);
    if (known != LW_OK && !guess_rates(s, t)) {
        return false;
    }
    bool is_good;
    if (s->is_begun) {
        is_good = IDAReInit(s->memory, t, s->y, s->dy) == IDA_SUCCESS;
    } else {
        const lw_sim_def *def = lw_sim_get_def(s->sim);
        is_good = IDAInit(s->memory, residual, t, s->y, s->dy) == IDA_SUCCESS &&
                  IDASStolerances(s->memory, def->relative, def->absolute) == IDA_SUCCESS &&
                  IDASetLinearSolver(s->memory, s->solver, s->matrix) == IDA_SUCCESS;
    }
    return is_good && (known != LW_ERR_SINGULAR || find_start(s, t));
}

lw_status lw_stiff_create(lw_sim *sim, lw_stiff_method method, lw_stiff **stiff)
{
    if (stiff) {
        *stiff = NULL;
    }
    if (!sim || !stiff || lw_sim_state_size(sim) == 0) {
        return LW_ERR_ARGUMENT;
    }
    const lw_sim_def *def = lw_sim_get_def(sim);
    if (def->sticks && def->method == LW_METHOD_EULER) {
        return LW_ERR_UNSUPPORTED;
    }
    lw_stiff *s = calloc(1, sizeof *s);
    if (!s) {
        return LW_ERR_MEMORY;
    }
    const sunindextype n = lw_sim_state_size(sim);
    s->sim = sim;
    s->method = method;
    bool is_good = SUNContext_Create(NULL, &s->context) == 0;
    s->y = is_good ? N_VNew_Serial(n, s->context) : NULL;
    s->dy = is_good ? N_VNew_Serial(n, s->context) : NULL;
    s->within = is_good ? N_VNew_Serial(n, s->context) : NULL;
    s->matrix = is_good ? SUNDenseMatrix(n, n, s->context) : NULL;
    s->solver = s->y && s->matrix ? SUNLinSol_Dense(s->y, s->matrix, s->context) : NULL;
    if (s->solver && s->dy && s->within) {
        s->memory =
            method == LW_STIFF_IDA ? IDACreate(s->context) : CVodeCreate(CV_BDF, s->context);
    }
    if (!s->memory) {
        lw_stiff_destroy(s);
        return LW_ERR_MEMORY;
    }
    if (method == LW_STIFF_IDA) {
        IDASetErrHandlerFn(s->memory, say_nothing, NULL);
        IDASetUserData(s->memory, s);
        IDASetMaxNumSteps(s->memory, 10000000);
    } else {
        CVodeSetErrHandlerFn(s->memory, say_nothing, NULL);
        CVodeSetUserData(s->memory, s);
        CVodeSetMaxNumSteps(s->memory, 10000000);
    }
    *stiff = s;
    return LW_OK;
}

void lw_stiff_destroy(lw_stiff *s)
{
    if (!s) {
        return;
    }
    if (s->memory && s->method == LW_STIFF_IDA) {
        IDAFree(&s->memory);
    } else if (s->memory) {
        CVodeFree(&s->memory);
    }
    if (s->solver) {
        SUNLinSolFree(s->solver);
    }
    if (s->matrix) {
        SUNMatDestroy(s->matrix);
    }
    N_VDestroy(s->y);
    N_VDestroy(s->dy);
    N_VDestroy(s->within);
    SUNContext_Free(&s->context);
    free(s);
}

// The state at a time within the last step.
static lw_status state_within(void *context, double t, double *y)
{
    lw_stiff *s = context;
    const int flag = s->method == LW_STIFF_IDA ? IDAGetDky(s->memory, t, 0, s->within)
                                               : CVodeGetDky(s->memory, t, 0, s->within);
    if (flag < 0) {
        return LW_ERR_NUMBER;
    }
    memcpy(y, N_VGetArrayPointer(s->within), (size_t)lw_sim_state_size(s->sim) * sizeof *y);
    return LW_OK;
}

// The same of a step that is only a rounding: where it began.
static lw_status state_here(void *context, double t, double *y)
{
    const lw_stiff *s = context;
    (void)t;
    memcpy(y, N_VGetArrayPointer(s->y), (size_t)lw_sim_state_size(s->sim) * sizeof *y);
    return LW_OK;
}

// Starts the method at the state of the simulation.
static lw_status begin(lw_stiff *s)
{
    const lw_status status = lw_sim_next_change(s->sim, (double)INFINITY, &s->t_change);
    if (status != LW_OK) {
        return status;
    }
    double *y = N_VGetArrayPointer(s->y);
    const double t = lw_sim_time(s->sim);
    memcpy(y, lw_sim_state(s->sim), (size_t)lw_sim_state_size(s->sim) * sizeof *y);
    s->status = LW_ERR_NO_CONVERGENCE;
    if (!(s->method == LW_STIFF_IDA ? begin_ida(s, t) : begin_cvode(s, t))) {
        return s->status;
    }
    s->is_begun = s->goes_on = true;
    return LW_OK;
}

static int one_step(lw_stiff *s, double t_stop, realtype *t)
{
    if (s->method == LW_STIFF_IDA) {
        IDASetStopTime(s->memory, t_stop);
        return IDASolve(s->memory, t_stop, t, s->y, s->dy, IDA_ONE_STEP);
    }
    CVodeSetStopTime(s->memory, t_stop);
    return CVode(s->memory, t_stop, s->y, t, CV_ONE_STEP);
}

lw_status lw_stiff_step(lw_stiff *s, double t_end)
{
    if (!s) {
        return LW_ERR_ARGUMENT;
    }
    if (!isfinite(t_end)) {
        return LW_ERR_NUMBER;
    }
    if (t_end <= lw_sim_time(s->sim)) {
        return t_end == lw_sim_time(s->sim) ? LW_OK : LW_ERR_ARGUMENT;
    }
    // Others may have moved the simulation in between.
    const bool is_there = s->goes_on && s->t == lw_sim_time(s->sim) && s->t < s->t_change;
    lw_status status = is_there ? LW_OK : begin(s);
    if (status != LW_OK) {
        return status;
    }
    realtype t = lw_sim_time(s->sim);
    const double t_stop = fmin(t_end, s->t_change);
    if (t_stop - t <= LEAST_STEP * fabs(t_stop)) { // too short for a method to begin
        const lw_outer_step still = {t_stop, N_VGetArrayPointer(s->y), 0, state_here, s};
        memcpy(N_VGetArrayPointer(s->y), lw_sim_state(s->sim),
               (size_t)lw_sim_state_size(s->sim) * sizeof(double));
        status = lw_sim_accept(s->sim, &still, &s->goes_on);
        s->goes_on = false;
        return status;
    }
    s->status = LW_ERR_NO_CONVERGENCE;
    // Where every step fails, they end in one that is less than a rounding of the time.
    const int flag = one_step(s, t_stop, &t);
    if (flag < 0 || !(t > lw_sim_time(s->sim))) {
        s->goes_on = false;
        if (s->lacks_start) { // the singular degree of freedom is reported with this status
            return lw_sim_derivative(s->sim, lw_sim_time(s->sim), lw_sim_state(s->sim),
                                     N_VGetArrayPointer(s->dy));
        }
        return s->status;
    }
    const lw_outer_step step = {t, N_VGetArrayPointer(s->y), 1, state_within, s};
    status = lw_sim_accept(s->sim, &step, &s->goes_on);
    s->t = lw_sim_time(s->sim);
    return status;
}

lw_status lw_stiff_advance(lw_stiff *s, double t_end)
{
    lw_status status = LW_OK;
    do {
        status = lw_stiff_step(s, t_end);
    } while (status == LW_OK && lw_sim_time(s->sim) < t_end && lw_sim_get_info(s->sim).event < 0);
    return status;
}
