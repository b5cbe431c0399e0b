// CVODE and IDA on a simulation, with dense matrices whose entries they find by differences.
//
// A piece of time in which no force jumps is one problem: at its begin the method is started anew.

#include <linkwork/stiff.h>

#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lw_stiff {
    lw_sim *sim;
    lw_stiff_method method;
    SUNContext context;
    N_Vector y, dy;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    void *memory;     ///< of CVODE or IDA
    lw_status status; ///< of the last callback that failed
    bool is_begun;
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

// Messages are the caller's matter; the status tells what went wrong.
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

static bool begin_ida(lw_stiff *s, double t)
{
    // A first guess of dy: rates of the positions are known, and accelerations where there is
    // inertia.
    double *y = N_VGetArrayPointer(s->y), *dy = N_VGetArrayPointer(s->dy);
    if (lw_sim_derivative(s->sim, t, y, dy) != LW_OK) {
        memset(dy, 0, (size_t)lw_sim_state_size(s->sim) * sizeof *dy);
        double *r = malloc((size_t)lw_sim_state_size(s->sim) * sizeof *r);
        if (!r || lw_sim_residual(s->sim, t, y, dy, r) != LW_OK) {
            free(r);
            return false;
        }
        for (int i = 0; i < lw_sim_model(s->sim)->nq; ++i) {
            dy[i] = -r[i];
        }
        free(r);
    }
    if (s->is_begun) {
        return IDAReInit(s->memory, t, s->y, s->dy) == IDA_SUCCESS;
    }
    const lw_sim_def *def = lw_sim_get_def(s->sim);
    return IDAInit(s->memory, residual, t, s->y, s->dy) == IDA_SUCCESS &&
           IDASStolerances(s->memory, def->relative, def->absolute) == IDA_SUCCESS &&
           IDASetLinearSolver(s->memory, s->solver, s->matrix) == IDA_SUCCESS;
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
    if (def->nevent > 0 || def->has_stops) {
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
    s->matrix = is_good ? SUNDenseMatrix(n, n, s->context) : NULL;
    s->solver = s->y && s->matrix ? SUNLinSol_Dense(s->y, s->matrix, s->context) : NULL;
    if (s->solver && s->dy) {
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
    SUNContext_Free(&s->context);
    free(s);
}

// One piece of time without jumps.
static lw_status run_piece(lw_stiff *s, double t_stop)
{
    const double begin = lw_sim_time(s->sim);
    double *y = N_VGetArrayPointer(s->y);
    memcpy(y, lw_sim_state(s->sim), (size_t)lw_sim_state_size(s->sim) * sizeof *y);
    s->status = LW_ERR_NO_CONVERGENCE;
    const bool is_ida = s->method == LW_STIFF_IDA;
    if (!(is_ida ? begin_ida(s, begin) : begin_cvode(s, begin))) {
        return s->status;
    }
    s->is_begun = true;
    realtype t = begin;
    long steps = 0;
    int flag;
    if (is_ida) {
        IDASetStopTime(s->memory, t_stop);
        flag = IDASolve(s->memory, t_stop, &t, s->y, s->dy, IDA_NORMAL);
        IDAGetNumSteps(s->memory, &steps);
    } else {
        CVodeSetStopTime(s->memory, t_stop);
        flag = CVode(s->memory, t_stop, s->y, &t, CV_NORMAL);
        CVodeGetNumSteps(s->memory, &steps);
    }
    if (flag < 0 || t < t_stop) {
        return s->status;
    }
    return lw_sim_accept(s->sim, t_stop, y, steps);
}

lw_status lw_stiff_advance(lw_stiff *s, double t_end)
{
    if (!s) {
        return LW_ERR_ARGUMENT;
    }
    if (!isfinite(t_end)) {
        return LW_ERR_NUMBER;
    }
    if (t_end < lw_sim_time(s->sim)) {
        return LW_ERR_ARGUMENT;
    }
    lw_status status = LW_OK;
    while (status == LW_OK && lw_sim_time(s->sim) < t_end) {
        double t_stop;
        status = lw_sim_next_change(s->sim, t_end, &t_stop);
        if (status == LW_OK) {
            status = run_piece(s, t_stop);
        }
    }
    return status;
}
