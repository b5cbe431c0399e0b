// bench_identify: how long an estimate takes from a log of 5000 samples of an arm of seven joints,
// with consistent bodies, and a calibration from 100 poses.
#include "measure.h"

#include <linkwork/identify.h>
#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 5000, POSES = 100, MOST = 8 };

extern void openblas_set_num_threads(int n) __attribute__((weak));

typedef struct estimation {
    lw_regression *r;
    lw_log log;
    lw_identify_def def;
    lw_estimate found;
    lw_status status;
} estimation;

static void identify(void *context, int state)
{
    estimation *e = context;
    (void)state;
    lw_estimate_free(&e->found);
    e->status = lw_identify(e->r, &e->log, &e->def, &e->found, NULL);
}

// Noise of a standard deviation of one, about normal, the same in every run.
static double noise(unsigned long long *seed)
{
    double sum = 0.0;
    for (int i = 0; i < 12; ++i) {
        *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
        sum += (double)(*seed >> 11) / 9007199254740992.0;
    }
    return sum - 6.0;
}

// A motion of ten seconds with five harmonics, and its torques with 1 % noise.
static bool fill_log(const lw_model *m, lw_log *log)
{
    const size_t n = (size_t)SAMPLES * (size_t)m->nv;
    double *block = malloc((4 * n + SAMPLES) * sizeof *block);
    lw_data *d = NULL;
    unsigned long long seed = 3;
    if (!block || lw_data_create(m, &d) != LW_OK) {
        free(block);
        return false;
    }
    *log = (lw_log){SAMPLES,
                    block,
                    block + SAMPLES,
                    block + SAMPLES + n,
                    block + SAMPLES + 2 * n,
                    block + SAMPLES + 3 * n};
    for (int i = 0; i < SAMPLES; ++i) {
        const double t = 10.0 * i / SAMPLES, w = 0.6283185307179586;
        log->t[i] = t;
        for (int k = 0; k < m->nv; ++k) {
            const size_t at = (size_t)(i * m->nv + k);
            log->q[at] = m->q_reference[k];
            log->v[at] = log->a[at] = 0.0;
            for (int l = 1; l <= 5; ++l) {
                const double phase = l * w * t + 1.7 * k * l + l, size = 0.4 / l;
                log->q[at] += size * sin(phase);
                log->v[at] += size * l * w * cos(phase);
                log->a[at] -= size * l * l * w * w * sin(phase);
            }
        }
        const size_t row = (size_t)(i * m->nv);
        lw_inverse_dynamics(m, d, log->q + row, log->v + row, log->a + row, NULL, log->tau + row);
        for (int k = 0; k < m->nv; ++k) {
            log->tau[row + (size_t)k] *= 1.0 + 0.01 * noise(&seed);
        }
    }
    lw_data_destroy(d);
    return true;
}

static int time_estimates(void)
{
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    estimation e = {.def = lw_default_identify_def()};
    const lw_regression_def columns = {.columns = LW_COLUMN_VISCOUS | LW_COLUMN_COULOMB};
    if (lw_load_file("models/panda_class.xml", NULL, &mech, NULL) != LW_OK ||
        lw_compile(mech, NULL, &m, NULL) != LW_OK || !fill_log(m, &e.log)) {
        fprintf(stderr, "bench_identify: run it from the top folder\n");
        return 1;
    }
    for (int i = 0; i < 4; ++i) {
        e.def.is_consistent = i % 2;
        lw_regression_create(m, i < 2 ? NULL : &columns, &e.r, NULL);
        const double ns = bench_time(identify, &e, 1);
        printf("panda_class, %d samples, %d base parameters%s%s: %.1f ms%s\n", SAMPLES,
               lw_regression_describe(e.r)->nbase, i < 2 ? "" : " with friction",
               i % 2 ? ", consistent bodies" : "", 1e-6 * ns, e.status == LW_OK ? "" : " (FAILED)");
        lw_regression_destroy(e.r);
    }
    lw_estimate_free(&e.found);
    free(e.log.t);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
    return 0;
}

typedef struct geometry {
    lw_mech *mech;
    lw_calibrate_def def;
    int n, rank;
    double after;
    lw_status status;
} geometry;

// The description has new values afterwards, so that each time begins with one of its own.
static void calibrate(void *context, int state)
{
    geometry *g = context;
    lw_calibration found;
    (void)state;
    g->mech = NULL;
    g->status = lw_load_file("models/ur5_class.xml", NULL, &g->mech, NULL);
    if (g->status == LW_OK && g->def.n > 0) {
        g->status = lw_calibrate(g->mech, NULL, &g->def, &found, NULL);
        if (g->status == LW_OK) {
            g->n = found.n;
            g->rank = found.rank;
            g->after = found.after[0];
            lw_calibration_free(&found);
        }
    }
    lw_mech_destroy(g->mech);
}

// Poses of a robot whose joints are off by some millimetres and milliradians.
static bool measure_poses(double *q, double *measured)
{
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    lw_data *d = NULL;
    unsigned long long seed = 11;
    bool is_good = lw_load_file("models/ur5_class.xml", NULL, &mech, NULL) == LW_OK &&
                   lw_compile(mech, NULL, &m, NULL) == LW_OK && lw_data_create(m, &d) == LW_OK;
    for (int i = 0; i < POSES && is_good; ++i) {
        double off[MOST];
        lw_pose X;
        for (int k = 0; k < m->nq; ++k) {
            q[i * m->nq + k] = m->q_reference[k] + 0.7 * noise(&seed);
            off[k] = q[i * m->nq + k] + 1e-3 * (k + 1);
        }
        is_good = lw_pose_of_frame(m, d, off, lw_find_frame(m, "tool"), &X) == LW_OK;
        const lw_quat r = lw_quat_of(&X.R);
        const double all[7] = {X.p.x + 5e-5 * noise(&seed),
                               X.p.y + 5e-5 * noise(&seed),
                               X.p.z + 5e-5 * noise(&seed),
                               r.w,
                               r.x,
                               r.y,
                               r.z};
        memcpy(measured + 7 * i, all, sizeof all);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
    return is_good;
}

static int time_calibration(void)
{
    double q[POSES * MOST], measured[POSES * 7];
    geometry g = {.def = lw_default_calibrate_def(LW_MEASURE_POSE, "tool")};
    if (!measure_poses(q, measured)) {
        fprintf(stderr, "bench_identify: run it from the top folder\n");
        return 1;
    }
    const double load = bench_time(calibrate, &g, 1);
    g.def.n = POSES;
    g.def.q = q;
    g.def.measured = measured;
    g.def.sigma_length = g.def.sigma_angle = 5e-5;
    const double all = bench_time(calibrate, &g, 1);
    printf("ur5_class, %d poses, %d parameters, rank %d: %.2f ms, %.2g m left%s\n", POSES, g.n,
           g.rank, 1e-6 * (all - load), g.after, g.status == LW_OK ? "" : " (FAILED)");
    return g.status == LW_OK ? 0 : 1;
}

int main(void)
{
    if (openblas_set_num_threads) {
        openblas_set_num_threads(1);
    }
    const int code = time_estimates();
    return code == 0 ? time_calibration() : code;
}
