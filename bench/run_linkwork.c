// run_linkwork CASE SOURCE SHARED [FUNCTION]: times linkwork, and the hand-written yardsticks where
// the model is a six-joint arm.
//
// With `count FUNCTION N` behind the three it evaluates N states once each and times nothing, for a
// tool that counts instructions.
#include "measure.h"
#include "problem.h"
#include "uicker_kahn.h"
#include "yardstick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct engine {
    bench_problem p;
    lw_status status; ///< the last one that was not good
    lw_pose *poses;
    double *J, *tau, *a, *A, *B, *C;
    bool has_arm;
    hand_arm arm;
} engine;

static void note(engine *e, lw_status status)
{
    if (status != LW_OK) {
        e->status = status;
    }
}

static const double *q_of(const engine *e, int i)
{
    return e->p.q + (size_t)i * (size_t)e->p.m->nq;
}

static const double *v_of(const engine *e, int i)
{
    return e->p.v + (size_t)i * (size_t)e->p.m->nv;
}

static const double *a_of(const engine *e, int i)
{
    return e->p.a + (size_t)i * (size_t)e->p.m->nv;
}

static const double *tau_of(const engine *e, int i)
{
    return e->p.tau + (size_t)i * (size_t)e->p.m->nv;
}

static void call_poses(void *context, int i)
{
    engine *e = context;
    note(e, lw_forward_position(e->p.m, e->p.d, q_of(e, i)));
}

static void call_link_poses(void *context, int i)
{
    engine *e = context;
    note(e, lw_forward_position(e->p.m, e->p.d, q_of(e, i)));
    note(e, lw_frame_poses(e->p.m, e->p.d, e->poses));
}

static void call_jacobian(void *context, int i)
{
    engine *e = context;
    note(e, lw_frame_jacobian(e->p.m, e->p.d, q_of(e, i), e->p.tip, LW_IN_WORLD, NULL, e->J));
}

static void call_inverse_dynamics(void *context, int i)
{
    engine *e = context;
    note(e, lw_inverse_dynamics(e->p.m, e->p.d, q_of(e, i), v_of(e, i), a_of(e, i), NULL, e->tau));
}

static void call_mass_matrix(void *context, int i)
{
    engine *e = context;
    note(e, lw_mass_matrix(e->p.m, e->p.d, q_of(e, i), e->A));
}

static void call_forward_dynamics(void *context, int i)
{
    engine *e = context;
    note(e, lw_forward_dynamics(e->p.m, e->p.d, q_of(e, i), v_of(e, i), tau_of(e, i), NULL, e->a));
}

static void call_inverse_derivatives(void *context, int i)
{
    engine *e = context;
    note(e, lw_inverse_dynamics_derivatives(e->p.m, e->p.d, q_of(e, i), v_of(e, i), a_of(e, i),
                                            NULL, e->A, e->B, NULL));
}

static void call_forward_derivatives(void *context, int i)
{
    engine *e = context;
    note(e, lw_forward_dynamics_derivatives(e->p.m, e->p.d, q_of(e, i), v_of(e, i), tau_of(e, i),
                                            NULL, e->a, e->A, e->B, e->C));
}

static void call_hand(void *context, int i)
{
    engine *e = context;
    hand_rnea(&e->arm, q_of(e, i), v_of(e, i), a_of(e, i), e->tau);
}

static void call_uicker_kahn(void *context, int i)
{
    engine *e = context;
    uicker_kahn(&e->arm, q_of(e, i), v_of(e, i), a_of(e, i), e->tau);
}

typedef struct function {
    const char *name;
    bench_call *call;
    bool is_square; ///< its answer has nv * nv numbers: not for chains of thousands
    bool needs_arm; ///< a yardstick
} function;

static const function functions[] = {
    {"poses", call_poses, false, false},
    {"link_poses", call_link_poses, false, false},
    {"jacobian", call_jacobian, false, false},
    {"inverse_dynamics", call_inverse_dynamics, false, false},
    {"mass_matrix", call_mass_matrix, true, false},
    {"forward_dynamics", call_forward_dynamics, false, false},
    {"inverse_derivatives", call_inverse_derivatives, true, false},
    {"forward_derivatives", call_forward_derivatives, true, false},
    {"hand", call_hand, false, true},
    {"uicker_kahn", call_uicker_kahn, false, true},
};

enum { NFUNCTION = sizeof functions / sizeof *functions, MOST_SQUARE = 300 };

static bool is_wanted(const engine *e, const function *f)
{
    return (!f->is_square || e->p.m->nv <= MOST_SQUARE) && (!f->needs_arm || e->has_arm);
}

/// How far a yardstick is from linkwork's torques.
static double worst_of(engine *e, const function *f)
{
    double worst = 0.0;
    for (int i = 0; f->needs_arm && i < e->p.nstate; i += 10) {
        f->call(e, i);
        const double difference = bench_difference(e->tau, tau_of(e, i), e->p.m->nv);
        worst = difference > worst ? difference : worst;
    }
    return worst;
}

static bool engine_open(engine *e)
{
    const lw_model *m = e->p.m;
    const size_t nv = (size_t)m->nv, square = m->nv <= MOST_SQUARE ? nv * nv : 1;
    e->poses = calloc((size_t)m->nframe, sizeof *e->poses);
    e->J = calloc(6 * nv, sizeof(double));
    e->tau = calloc(nv, sizeof(double));
    e->a = calloc(nv, sizeof(double));
    e->A = calloc(square, sizeof(double));
    e->B = calloc(square, sizeof(double));
    e->C = calloc(square, sizeof(double));
    e->has_arm = hand_arm_of(m, &e->arm);
    return e->poses && e->J && e->tau && e->a && e->A && e->B && e->C;
}

static void engine_free(engine *e)
{
    free(e->poses);
    free(e->J);
    free(e->tau);
    free(e->a);
    free(e->A);
    free(e->B);
    free(e->C);
    problem_free(&e->p);
}

static void run(engine *e, const char *only)
{
    for (int k = 0; k < NFUNCTION; ++k) {
        const function *f = &functions[k];
        if (!is_wanted(e, f) || (only && strcmp(only, f->name) != 0)) {
            continue;
        }
        e->status = LW_OK;
        const double worst = worst_of(e, f);
        const double ns = bench_time(f->call, e, e->p.nstate);
        if (e->status == LW_OK) {
            bench_print_time(f->name, ns, worst);
        } else {
            bench_print_none(f->name, lw_status_text(e->status));
        }
    }
}

/// Evaluates every state once.
static bool count(engine *e, const char *name)
{
    for (int k = 0; k < NFUNCTION; ++k) {
        if (strcmp(functions[k].name, name) == 0 && is_wanted(e, &functions[k])) {
            for (int i = 0; i < e->p.nstate; ++i) {
                functions[k].call(e, i);
            }
            return e->status == LW_OK;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    engine e = {0};
    if (argc == 2 && strcmp(argv[1], "about") == 0) {
        printf("%s\n", BENCH_ABOUT);
        return 0;
    }
    const bool is_count = argc == 7 && strcmp(argv[4], "count") == 0 && atoi(argv[6]) > 0;
    if (argc != 4 && argc != 5 && !is_count) {
        fprintf(stderr, "usage: run_linkwork CASE SOURCE SHARED [FUNCTION]\n"
                        "       run_linkwork CASE SOURCE SHARED count FUNCTION N\n");
        return 2;
    }
    if (problem_open(argv[1], argv[2], argv[3], is_count ? atoi(argv[6]) : 0, &e.p) != BENCH_GOOD) {
        return 1;
    }
    bool is_good = engine_open(&e);
    if (is_good && is_count) {
        is_good = count(&e, argv[5]);
    } else if (is_good) {
        run(&e, argc == 5 ? argv[4] : NULL);
    }
    engine_free(&e);
    return is_good ? 0 : 1;
}
