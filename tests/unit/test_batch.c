// Batches: each state as alone, whatever stands beside it, whatever engine and how many threads.
#include "base/cpu.h"
#include "check.h"
#include "dyn/batch_job.h"
#include "laws.h"
#include "load_text.h"
#include "objects.h"
#include "random_mech.h"
#include "zoo.h"

#include <linkwork/openmp.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Many states of one machine, and results for them.
typedef struct many {
    const lw_model *m;
    int n;
    double *q, *v, *a;
    lw_force *f_ext;
    double *tau, *M, *acc; ///< results
    lw_pose *X;            ///< of all frames
} many;

static double *room_for(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);
    for (size_t k = 0; k < n; ++k) {
        x[k] = -777; // not a result
    }
    return x;
}

static void allocate_many(const lw_model *m, int n, many *x)
{
    const size_t count = (size_t)n, nv = (size_t)m->nv;
    *x = (many){.m = m, .n = n};
    x->q = room_for(count * (size_t)m->nq);
    x->v = room_for(count * nv);
    x->a = room_for(count * nv);
    x->tau = room_for(count * nv);
    x->acc = room_for(count * nv);
    x->M = room_for(count * nv * nv);
    x->f_ext = calloc(count * (size_t)m->nbody + 1, sizeof *x->f_ext);
    x->X = calloc(count * (size_t)m->nframe_all + 1, sizeof *x->X);
}

// False where the machine cannot take random states.
static bool make_many(const lw_model *m, lw_data *d, int n, many *x)
{
    const size_t nv = (size_t)m->nv;
    allocate_many(m, n, x);
    for (int k = 0; k < n; ++k) {
        law_state s;
        const bool is_good = law_make(m, d, &s);
        if (is_good) {
            memcpy(&x->q[k * m->nq], s.q, (size_t)m->nq * sizeof *s.q);
            memcpy(&x->v[k * m->nv], s.v, nv * sizeof *s.v);
            memcpy(&x->a[k * m->nv], s.a, nv * sizeof *s.a);
            memcpy(&x->f_ext[k * m->nbody], s.f_ext, (size_t)m->nbody * sizeof *s.f_ext);
        }
        law_free(&s);
        if (!is_good) {
            return false;
        }
    }
    return true;
}

static void free_many(many *x)
{
    free(x->q);
    free(x->v);
    free(x->a);
    free(x->tau);
    free(x->acc);
    free(x->M);
    free(x->f_ext);
    free(x->X);
    *x = (many){0};
}

// Results against those of single states. Two compilations of one recursion differ by rounding:
// 1e-11 of the largest number, 1e-9 where a mass matrix is inverted.
static void compare_with_singles(const many *x, lw_data *d)
{
    const lw_model *m = x->m;
    const int nv = m->nv, n2 = nv * nv;
    double *y = room_for((size_t)nv), *M = room_for((size_t)n2);
    for (int k = 0; k < x->n; ++k) {
        const double *q = &x->q[k * m->nq], *v = &x->v[k * nv], *a = &x->a[k * nv];
        const lw_force *f = &x->f_ext[k * m->nbody];
        CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, f, y), LW_OK);
        CHECK_CLOSE(&x->tau[k * nv], y, nv, 1e-11 * (1 + largest(y, nv)));
        CHECK_INT(lw_mass_matrix(m, d, q, M), LW_OK);
        CHECK_CLOSE(&x->M[(size_t)k * (size_t)n2], M, n2, 1e-11 * (1 + largest(M, n2)));
        const lw_status status = lw_forward_dynamics(m, d, q, v, a, f, y);
        for (int i = 0; i < nv && status == LW_ERR_SINGULAR; ++i) {
            y[i] = 0.0;
        }
        CHECK_CLOSE(&x->acc[k * nv], y, nv, 1e-8 * (1 + largest(y, nv)));
        CHECK_INT(lw_forward_position(m, d, q), LW_OK);
        for (int i = 0; i < m->nframe_all; ++i) {
            lw_pose X;
            CHECK_INT(lw_frame_pose(m, d, i, &X), LW_OK);
            const lw_pose *got = &x->X[k * m->nframe_all + i];
            CHECK_NEAR(lw_norm3(lw_sub3(got->p, X.p)), 0.0, 1e-13 * (1 + lw_norm3(X.p)));
            for (int r = 0; r < 3; ++r) {
                CHECK_NEAR(lw_norm3(lw_sub3(got->R.row[r], X.R.row[r])), 0.0, 1e-13);
            }
        }
    }
    free(y);
    free(M);
}

static void run_many(many *x, lw_batch *b)
{
    const lw_model *m = x->m;
    CHECK_INT(lw_inverse_dynamics_batch(m, b, x->n, x->q, x->v, x->a, x->f_ext, x->tau), LW_OK);
    CHECK_INT(lw_mass_matrix_batch(m, b, x->n, x->q, x->M), LW_OK);
    CHECK_INT(lw_forward_position_batch(m, b, x->n, x->q, m->nframe_all, NULL, x->X), LW_OK);
    const lw_status status =
        lw_forward_dynamics_batch(m, b, x->n, x->q, x->v, x->a, x->f_ext, x->acc);
    CHECK(status == LW_OK || status == LW_ERR_SINGULAR);
    CHECK_INT(lw_batch_failure(b, LW_ERR_SINGULAR).state >= 0, status == LW_ERR_SINGULAR);
}

static void visit_batch(const lw_model *m, lw_data *d)
{
    many x;
    lw_batch *b = new_batch(m, NULL);
    const int n = (int)check_random(1, 12);
    if (make_many(m, d, n, &x) && CHECK(b != NULL)) {
        run_many(&x, b);
        compare_with_singles(&x, d);
    }
    lw_batch_destroy(b);
    free_many(&x);
}

TEST(D38_D40_states_of_a_batch_as_alone)
{
    every_machine(visit_batch);
}

// --- Closed mechanisms ------------------------------------------------------------------------

// States in which all loops close.
static void make_closed(const lw_model *m, lw_data *d, int n, many *x)
{
    unsigned long long seed = 5;
    allocate_many(m, n, x);
    for (int k = 0; k < n; ++k) {
        lw_random_state(m, d, &seed, 1.0, &x->q[k * m->nq], &x->v[k * m->nv], &x->a[k * m->nv],
                        &x->acc[k * m->nv]);
    }
    for (int k = 0; k < n * m->nbody; ++k) {
        x->f_ext[k] = (lw_force){random3(1.0), random3(1.0)};
    }
}

// Planar closed forms, then one of each kind whose loops are closed state by state.
static const char *const closed_models[] = {
    "closed/four_bar.xml",     "closed/four_bar_crossed.xml",
    "closed/slider_crank.xml", "closed/five_bar.xml",
    "closed/watt.xml",         "closed/stephenson.xml",
    "closed/andrews.xml",      "closed/excavator.xml",
    "closed/palletiser.xml",   "closed/planetary.xml",
    "closed/geared_wrist.xml", "rover/rover.xml",
    "humanoid/humanoid.xml",   "closed/delta.xml",
    "closed/bennett.xml",      "closed/linear_delta.xml",
    "closed/rssr.xml",         "closed/spherical_four_bar.xml",
    "closed/ankle.xml",        "closed/agile_eye.xml",
    "closed/stewart.xml",
};

enum { CLOSED_MODELS = sizeof closed_models / sizeof *closed_models, CLOSED_IN_LANES = 13 };

TEST(D38_states_of_closed_mechanisms_as_alone)
{
    for (int k = 0; k < CLOSED_MODELS; ++k) {
        lw_model *m = shipped_model(closed_models[k]);
        lw_data *d = m ? new_data(m) : NULL;
        lw_batch *b = m ? new_batch(m, NULL) : NULL;
        many x = {0};
        if (d && b) {
            make_closed(m, d, 11, &x);
            run_many(&x, b);
            compare_with_singles(&x, d);
            CHECK_INT(lw_batch_one_by_one(b) == NULL, k < CLOSED_IN_LANES);
        }
        free_many(&x);
        lw_batch_destroy(b);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

TEST(K15_open_loops_are_zero_and_the_others_good)
{
    lw_model *m = shipped_model("closed/five_bar.xml");
    lw_data *d = m ? new_data(m) : NULL;
    lw_batch *b = m ? new_batch(m, NULL) : NULL;
    many x = {0};
    enum { N = 9, OPEN = 5 };
    if (d && b) {
        make_closed(m, d, N, &x);
        const size_t nv = (size_t)m->nv, n2 = nv * nv;
        double *q = &x.q[OPEN * m->nq], *tau = room_for(nv);
        while (lw_inverse_dynamics(m, d, q, x.v, x.a, NULL, tau) == LW_OK) {
            q[0] += 0.3;
        }
        CHECK_INT(lw_inverse_dynamics(m, d, q, x.v, x.a, NULL, tau), LW_ERR_LOOP_OPEN);
        CHECK_INT(lw_inverse_dynamics_batch(m, b, N, x.q, x.v, x.a, x.f_ext, x.tau),
                  LW_ERR_SINGULAR);
        CHECK_INT(lw_batch_failure(b, LW_ERR_SINGULAR).state, OPEN);
        CHECK_INT(lw_forward_dynamics_batch(m, b, N, x.q, x.v, x.a, x.f_ext, x.acc),
                  LW_ERR_SINGULAR);
        CHECK_INT(lw_mass_matrix_batch(m, b, N, x.q, x.M), LW_ERR_SINGULAR);
        CHECK_INT(lw_forward_position_batch(m, b, N, x.q, m->nframe_all, NULL, x.X),
                  LW_ERR_SINGULAR);
        CHECK_NEAR(largest(&x.tau[OPEN * nv], m->nv), 0.0, 0.0);
        CHECK_NEAR(largest(&x.acc[OPEN * nv], m->nv), 0.0, 0.0);
        CHECK(x.M[OPEN * n2] == -777 && x.X[OPEN * m->nframe_all].R.row[0].x == 0.0);
        // The others: those before and those behind.
        many part = x;
        part.n = OPEN;
        compare_with_singles(&part, d);
        part = (many){.m = m,
                      .n = N - OPEN - 1,
                      .q = q + m->nq,
                      .v = &x.v[(OPEN + 1) * nv],
                      .a = &x.a[(OPEN + 1) * nv],
                      .f_ext = &x.f_ext[(OPEN + 1) * m->nbody],
                      .tau = &x.tau[(OPEN + 1) * nv],
                      .M = &x.M[(OPEN + 1) * n2],
                      .acc = &x.acc[(OPEN + 1) * nv],
                      .X = &x.X[(OPEN + 1) * m->nframe_all]};
        compare_with_singles(&part, d);
        free(tau);
    }
    free_many(&x);
    lw_batch_destroy(b);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// --- Kernels for other processors -------------------------------------------------------------

static void run_lanes(const lwi_batch_kernels *batch, lw_data *closing, many *x)
{
    const lw_model *m = x->m;
    const size_t size = (batch->size(m) + 127) / 64 * 64;
    void *work = aligned_alloc(64, size);
    memset(work, 0x5a, size);
    memset(work, 0, 64); // as a worker of a batch begins
    lwi_batch_job job = {
        .model = m,
        .settings = {.gravity = m->gravity, .friction_rate = 1.0 / LW_FRICTION_SPEED},
        .n = x->n,
        .q = x->q,
        .v = x->v,
        .x = x->a,
        .f_ext = x->f_ext,
        .nframe = m->nframe_all,
        .poses = x->X};
    const struct {
        lwi_batch_kind kind;
        double *out;
    } part[] = {{LWI_BATCH_POSES, NULL},
                {LWI_BATCH_INVERSE, x->tau},
                {LWI_BATCH_MASS, x->M},
                {LWI_BATCH_FORWARD, x->acc}};
    for (int k = 0; k < 4; ++k) {
        job.kind = part[k].kind;
        job.out = part[k].out;
        batch->run(&job, 0, x->n, work, closing);
    }
    free(work);
}

static const lwi_kernels *under_test;

// Batches of mechanisms with springs go state by state (batch.c): the lanes know no springs.
static void visit_lanes(const lw_model *m, lw_data *d)
{
    many x;
    if (m->nloop == 0 && m->nspring == 0 && make_many(m, d, 7, &x)) {
        run_lanes(under_test->batch, NULL, &x);
        compare_with_singles(&x, d);
        free_many(&x);
    }
}

static void visit_recursions(const lw_model *m, lw_data *d)
{
    law_state s;
    const lwi_kernels *run = under_test;
    if (m->nstep == 0 && m->nloop == 0 && m->nspring == 0 && law_make(m, d, &s)) {
        const int n = m->nv;
        CHECK_INT(lw_inverse_dynamics(m, d, s.q, s.v, s.a, s.f_ext, s.x), LW_OK);
        run->inverse_dynamics(m, d, s.q, s.v, s.a, s.f_ext, false, s.y);
        CHECK_CLOSE(s.y, s.x, n, 1e-11 * (1 + largest(s.x, n)));
        CHECK_INT(lw_mass_matrix(m, d, s.q, s.M), LW_OK);
        run->mass_matrix(m, d, s.q, false, s.C);
        CHECK_CLOSE(s.C, s.M, n * n, 1e-11 * (1 + largest(s.M, n * n)));
        CHECK_INT(lw_mass_matrix_upper(m, d, s.q, s.C), LW_OK);
        for (int k = 0; k < n; ++k) {
            CHECK_CLOSE(s.C + k * (n + 1), s.M + k * (n + 1), n - k, 0.0);
        }
        CHECK_INT(lw_gravity_forces(m, d, s.q, s.x), LW_OK);
        run->gravity_forces(m, d, s.q, s.y);
        CHECK_CLOSE(s.y, s.x, n, 1e-11 * (1 + largest(s.x, n)));
        const lw_status status = lw_forward_dynamics(m, d, s.q, s.v, s.a, s.f_ext, s.x);
        const int singular_dof = run->forward_dynamics(m, d, s.q, s.v, s.a, s.f_ext, s.y);
        CHECK_INT(singular_dof >= 0, status == LW_ERR_SINGULAR);
        if (status == LW_OK) {
            CHECK_CLOSE(s.y, s.x, n, 1e-8 * (1 + largest(s.x, n)));
        }
        law_free(&s);
    }
}

static void every_machine_on(const lwi_kernels *kernels, lwi_cpu needed)
{
    if (!kernels || lwi_cpu_level() < needed) {
        check_skip("this processor or this build does not have it");
        return;
    }
    under_test = kernels;
    every_machine(visit_lanes);
    for (int k = 0; k < CLOSED_MODELS; ++k) {
        lw_model *m = shipped_model(closed_models[k]);
        lw_data *d = m ? new_data(m) : NULL;
        many x = {0};
        if (d) {
            make_closed(m, d, 5, &x);
            run_lanes(kernels->batch, k < CLOSED_IN_LANES ? NULL : d, &x);
            compare_with_singles(&x, d);
        }
        free_many(&x);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    every_machine(visit_recursions);
}

TEST(D52_kernels_for_any_processor)
{
    every_machine_on(lwi_kernels_generic, LWI_CPU_ANY);
}

TEST(D52_kernels_for_AVX2)
{
    every_machine_on(lwi_kernels_avx2, LWI_CPU_AVX2);
}

TEST(D52_kernels_for_AVX512)
{
    every_machine_on(lwi_kernels_avx512, LWI_CPU_AVX512);
}

// --- Threads ----------------------------------------------------------------------------------

typedef struct thread_share {
    lw_batch_task *task;
    void *argument;
    int worker, nworker, nblock;
} thread_share;

static void *run_thread(void *argument)
{
    const thread_share *s = argument;
    for (int block = s->worker; block < s->nblock; block += s->nworker) {
        s->task(s->argument, block, s->worker);
    }
    return NULL;
}

static void run_on_threads(void *context, int nblock, int nworker, lw_batch_task *task,
                           void *argument)
{
    enum { MOST = 8 };
    pthread_t thread[MOST];
    thread_share share[MOST];
    ++*(int *)context;
    CHECK(nworker <= MOST);
    for (int k = 0; k < nworker; ++k) {
        share[k] = (thread_share){task, argument, k, nworker, nblock};
        CHECK(pthread_create(&thread[k], NULL, run_thread, &share[k]) == 0);
    }
    for (int k = 0; k < nworker; ++k) {
        pthread_join(thread[k], NULL);
    }
}

TEST(C24_the_number_of_threads_changes_no_bit)
{
    lw_model *m = zoo_model(ZOO_FREE);
    lw_data *d = m ? new_data(m) : NULL;
    many x = {0};
    enum { STATES = 1001 };
    if (d && make_many(m, d, STATES, &x)) {
        const size_t bytes = STATES * (size_t)m->nv * sizeof(double);
        double *first = malloc(bytes), *second = malloc(bytes);
        for (int nworker = 1; nworker <= 7; nworker += nworker == 1 ? 1 : 5) {
            int calls = 0;
            const lw_batch_runner runner = {nworker, run_on_threads, &calls};
            lw_batch *b = new_batch(m, &runner);
            run_many(&x, b);
            CHECK_INT(calls, 4);
            if (nworker == 1) {
                memcpy(first, x.tau, bytes);
                memcpy(second, x.acc, bytes);
            }
            CHECK(memcmp(first, x.tau, bytes) == 0);
            CHECK(memcmp(second, x.acc, bytes) == 0);
            lw_batch_destroy(b);
        }
        const lw_batch_runner runner = lw_openmp_runner(2);
        lw_batch *b = new_batch(m, &runner);
        run_many(&x, b);
        CHECK(memcmp(first, x.tau, bytes) == 0);
        lw_batch_destroy(b);
        free(first);
        free(second);
    }
    free_many(&x);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// A state's result does not depend on its lane or its neighbours.
TEST(C24_neighbours_change_no_bit)
{
    lw_model *m = zoo_model(ZOO_BRANCHED);
    lw_data *d = m ? new_data(m) : NULL;
    lw_batch *b = m ? new_batch(m, NULL) : NULL;
    many x = {0};
    if (d && b && make_many(m, d, 9, &x)) {
        const size_t row = (size_t)m->nv * sizeof(double);
        run_many(&x, b);
        double *alone = room_for((size_t)m->nv);
        for (int k = 0; k < 9; ++k) {
            CHECK_INT(lw_inverse_dynamics_batch(m, b, 1, &x.q[k * m->nq], &x.v[k * m->nv],
                                                &x.a[k * m->nv], &x.f_ext[k * m->nbody], alone),
                      LW_OK);
            CHECK(memcmp(alone, &x.tau[k * m->nv], row) == 0);
        }
        free(alone);
    }
    free_many(&x);
    lw_batch_destroy(b);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// --- Promises ---------------------------------------------------------------------------------

TEST(D51_a_bad_state_is_found_and_outputs_stay)
{
    lw_model *m = zoo_model(ZOO_FREE);
    lw_data *d = m ? new_data(m) : NULL;
    lw_batch *b = m ? new_batch(m, NULL) : NULL;
    many x = {0};
    if (d && b && make_many(m, d, 99, &x)) {
        const double keep = x.v[57 * m->nv + 3];
        x.v[57 * m->nv + 3] = (double)INFINITY;
        CHECK_INT(lw_inverse_dynamics_batch(m, b, 99, x.q, x.v, x.a, NULL, x.tau), LW_ERR_NUMBER);
        CHECK_INT(lw_batch_failure(b, LW_ERR_SINGULAR).state, 57);
        x.v[57 * m->nv + 3] = keep;
        memset(&x.q[31 * m->nq + 3], 0, 4 * sizeof *x.q); // the quaternion of the free joint
        CHECK_INT(lw_mass_matrix_batch(m, b, 99, x.q, x.M), LW_ERR_NUMBER);
        CHECK_INT(lw_batch_failure(b, LW_ERR_SINGULAR).state, 31);
        CHECK_INT(lw_forward_dynamics_batch(m, b, 99, x.q, x.v, x.a, NULL, x.acc), LW_ERR_NUMBER);
        CHECK_INT(lw_forward_position_batch(m, b, 99, x.q, m->nframe, NULL, x.X), LW_ERR_NUMBER);
        CHECK(x.tau[0] == -777 && x.M[0] == -777 && x.acc[0] == -777);
        CHECK_INT(lw_inverse_dynamics_batch(m, b, 31, x.q, x.v, x.a, NULL, x.tau), LW_OK);
        CHECK_INT(lw_batch_failure(b, LW_ERR_SINGULAR).state, -1);
    }
    free_many(&x);
    lw_batch_destroy(b);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(K15_singular_states_are_zero_and_the_others_good)
{
    random_mech_options options = random_mech_default();
    options.types = RANDOM_TYPE(LW_JOINT_REVOLUTE);
    options.coupled = 0;
    options.has_mass = false; // nothing moves any inertia
    lw_model *m = random_model(3, &options);
    lw_data *d = m ? new_data(m) : NULL;
    lw_batch *b = m ? new_batch(m, NULL) : NULL;
    many x = {0};
    if (d && b && make_many(m, d, 6, &x)) {
        CHECK_INT(lw_forward_dynamics_batch(m, b, 6, x.q, x.v, x.a, NULL, x.acc), LW_ERR_SINGULAR);
        CHECK_INT(lw_batch_failure(b, LW_ERR_SINGULAR).state, 0);
        CHECK_NEAR(largest(x.acc, 6 * m->nv), 0.0, 0.0);
    }
    free_many(&x);
    lw_batch_destroy(b);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(D51_arguments_of_batches_are_checked)
{
    lw_model *m = zoo_model(ZOO_REVOLUTE), *other = zoo_model(ZOO_REVOLUTE);
    lw_data *d = m ? new_data(m) : NULL;
    lw_batch *b = m ? new_batch(m, NULL) : NULL;
    many x = {0};
    if (d && b && make_many(m, d, 3, &x)) {
        CHECK_INT(lw_inverse_dynamics_batch(m, b, 0, NULL, NULL, NULL, NULL, NULL), LW_OK);
        CHECK_INT(lw_inverse_dynamics_batch(m, b, -1, x.q, x.v, x.a, NULL, x.tau), LW_ERR_ARGUMENT);
        CHECK_INT(lw_inverse_dynamics_batch(other, b, 3, x.q, x.v, x.a, NULL, x.tau),
                  LW_ERR_ARGUMENT);
        CHECK_INT(lw_inverse_dynamics_batch(m, NULL, 3, x.q, x.v, x.a, NULL, x.tau),
                  LW_ERR_ARGUMENT);
        CHECK_INT(lw_inverse_dynamics_batch(m, b, 3, x.q, NULL, x.a, NULL, x.tau), LW_ERR_ARGUMENT);
        CHECK_INT(lw_mass_matrix_batch(m, b, 3, x.q, NULL), LW_ERR_ARGUMENT);
        CHECK_INT(lw_forward_dynamics_batch(m, b, 3, NULL, x.v, x.a, NULL, x.acc), LW_ERR_ARGUMENT);
        const int frame[] = {0, m->nframe_all};
        CHECK_INT(lw_forward_position_batch(m, b, 3, x.q, 2, frame, x.X), LW_ERR_ARGUMENT);
        CHECK_INT(lw_forward_position_batch(m, b, 3, x.q, 1, frame, x.X), LW_OK);
        const lw_batch_runner nobody = {0, run_on_threads, NULL};
        CHECK(!new_batch(m, &nobody) && !new_batch(NULL, NULL));
        CHECK_INT(lw_batch_set_options(NULL, NULL), LW_ERR_ARGUMENT);
        CHECK(lw_batch_lanes() >= 1 && lw_batch_engine() != NULL);
    }
    free_many(&x);
    lw_batch_destroy(b);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_model_destroy(other);
}

// Options of a batch are those of data.
TEST(D38_options_of_a_batch)
{
    lw_model *m = zoo_model(ZOO_LOADED);
    lw_data *d = m ? new_data(m) : NULL;
    lw_batch *b = m ? new_batch(m, NULL) : NULL;
    many x = {0};
    if (d && b && make_many(m, d, 5, &x)) {
        lw_dynamics_options options = lw_default_dynamics_options(m);
        options.is_ideal = true;
        options.gravity = lw_vec3_of(1, 2, 3);
        options.base_velocity.ang = lw_vec3_of(0.5, -1, 0.25);
        options.base_acceleration = (lw_motion){{1, 2, -1}, {0.5, 0, 3}};
        CHECK_INT(lw_batch_set_options(b, &options), LW_OK);
        CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
        run_many(&x, b);
        compare_with_singles(&x, d);
    }
    free_many(&x);
    lw_batch_destroy(b);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(D38_D40_states_of_a_batch_as_alone);
    RUN(D38_states_of_closed_mechanisms_as_alone);
    RUN(K15_open_loops_are_zero_and_the_others_good);
    RUN(D52_kernels_for_any_processor);
    RUN(D52_kernels_for_AVX2);
    RUN(D52_kernels_for_AVX512);
    RUN(C24_the_number_of_threads_changes_no_bit);
    RUN(C24_neighbours_change_no_bit);
    RUN(D51_a_bad_state_is_found_and_outputs_stay);
    RUN(K15_singular_states_are_zero_and_the_others_good);
    RUN(D51_arguments_of_batches_are_checked);
    RUN(D38_options_of_a_batch);
    return REPORT();
}
