// Identification: base parameters, estimates from logs, physical consistency (K36, D39).
#include "../../src/identify/dense.h"
#include "check.h"
#include "load_text.h"
#include "reference.h"

#include <linkwork/derivatives.h>
#include <linkwork/dynamics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LINKWORK_HAS_IDENTIFY
#include <linkwork/identify.h>

static const lw_regression_info *create(const lw_model *m, const lw_regression_def *def,
                                        lw_regression **r)
{
    CHECK_INT(lw_regression_create(m, def, r, NULL), LW_OK);
    return lw_regression_describe(*r);
}

// --- Base parameters --------------------------------------------------------------------------

// Every torque is that of the base parameters.
static void check_grouping(const lw_model *m, const lw_regression *r)
{
    const lw_regression_info *info = lw_regression_describe(r);
    lw_data *d = NULL;
    CHECK_INT(lw_data_create(m, &d), LW_OK);
    double *W = malloc((size_t)(m->nv * info->nparameter + 1) * sizeof *W);
    double q[64], v[64], a[64], tau[64];
    lw_dynamics_options options = lw_default_dynamics_options(m);
    options.is_ideal = true;
    CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
    for (int s = 0; s < 5; ++s) {
        for (int i = 0; i < m->nv; ++i) {
            q[i] = check_random(-1.5, 1.5);
            v[i] = check_random(-2.0, 2.0);
            a[i] = check_random(-3.0, 3.0);
        }
        CHECK_INT(lw_regression_rows(r, d, q, v, a, W), LW_OK);
        CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, NULL, tau), LW_OK);
        for (int i = 0; i < m->nv; ++i) {
            double sum = 0.0, size = 1.0;
            for (int k = 0; k < info->nbase; ++k) {
                double base = 0.0;
                for (int c = 0; c < info->nparameter; ++c) {
                    base += info->K[k * info->nparameter + c] * info->value[c];
                }
                const double share = W[i * info->nparameter + info->column[k]] * base;
                sum += share;
                size = fmax(size, fabs(share));
            }
            CHECK_NEAR(sum, tau[i], 1e-12 * size); // rounding of some forty products
        }
    }
    free(W);
    lw_data_destroy(d);
}

static int column_named(const lw_regression_info *info, const char *name)
{
    for (int c = 0; c < info->nparameter; ++c) {
        if (strcmp(info->name[c], name) == 0) {
            return c;
        }
    }
    return -1;
}

// The groupings of the file, which are about the links' own frames as ours are.
static void check_published_grouping(const json_t *robot, const lw_regression_info *info)
{
    const char *name, *into;
    json_t *groups, *share;
    json_object_foreach(json_object_get(robot, "grouped"), name, groups)
    {
        const int c = column_named(info, name);
        for (int k = 0; k < info->nbase && c >= 0; ++k) {
            const char *lead = info->name[info->column[k]];
            double wanted = 0.0;
            json_object_foreach(groups, into, share)
            {
                wanted = strcmp(into, lead) == 0 ? json_number_value(share) : wanted;
            }
            check_case("%s into %s", name, lead);
            CHECK_NEAR(info->K[k * info->nparameter + c], wanted, 1e-12);
        }
    }
}

TEST(K36_base_parameters_are_as_many_as_published_and_group_alike)
{
    json_t *file = reference_read("identification_oracles.json");
    size_t i;
    json_t *robot;
    json_array_foreach(file ? json_object_get(file, "base_parameters") : NULL, i, robot)
    {
        const char *path = json_string_value(json_object_get(robot, "model"));
        char relative[200];
        if (!path) {
            continue;
        }
        snprintf(relative, sizeof relative, "models/%s", path);
        lw_model *m = shared_model(relative, false);
        lw_regression *r = NULL;
        const lw_regression_info *info = m ? create(m, NULL, &r) : NULL;
        check_case("%s", path);
        if (info) {
            CHECK_INT(info->nbase, json_integer_value(json_object_get(robot, "count")));
            CHECK_INT(info->nstructural, info->nbase);
            check_grouping(m, r);
            check_published_grouping(robot, info);
        }
        lw_regression_destroy(r);
        lw_model_destroy(m);
    }
    json_decref(file);
}

TEST(K36_exact_recursion_counts_as_elimination_does_on_every_arm)
{
    static const char *const folders[] = {"models/urdf_arms", "models/urdf_ik", "models/urdf"};
    int count = 0;
    for (int f = 0; f < 3; ++f) {
        char **names = shared_names(folders[f], ".urdf");
        for (int i = 0; names && names[i]; ++i) {
            char relative[300];
            snprintf(relative, sizeof relative, "%s/%s", folders[f], names[i]);
            lw_model *m = shared_model(relative, false);
            lw_regression *r = NULL;
            if (m && m->nv <= 20 && lw_regression_create(m, NULL, &r, NULL) == LW_OK) {
                const lw_regression_info *info = lw_regression_describe(r);
                check_case("%s", relative);
                if (info->nstructural >= 0) {
                    ++count;
                    CHECK_INT(info->nstructural, info->ninertial);
                }
            }
            lw_regression_destroy(r);
            lw_model_destroy(m);
        }
        names_free(names);
    }
    printf("%d robots\n", count);
}

// --- Estimates --------------------------------------------------------------------------------

enum { MOST = 20 };

// A periodic motion of an arm, and the torques of the model with friction, rotors and offsets.
typedef struct rig {
    lw_model *m;
    lw_regression *r;
    const lw_regression_info *info;
    lw_log log;
    double *exact; ///< [n*nv] torques without noise
    double *truth; ///< [nbase]
} rig;

static void fill_state(const lw_model *m, double t, double *q, double *v, double *a)
{
    const double reach =
        m->nloop > 0 ? 0.2 : 1.0; // closed loops stay on their side of dead centres
    for (int j = 0; j < m->nv; ++j) {
        q[j] = m->q_reference[j] + 0.2 * reach * j;
        v[j] = a[j] = 0.0;
        for (int l = 1; l <= 4; ++l) { // incommensurate phases, the same for every run
            const double w = 0.628318530717958647 * l, x = w * t + 1.7 * j * l + 0.9 * l * l;
            const double A = reach * (0.9 + 0.13 * ((j * 5 + l * 3) % 7)) / (1.0 + 0.6 * l);
            q[j] += A * sin(x);
            v[j] += A * w * cos(x);
            a[j] -= A * w * w * sin(x);
        }
    }
}

static bool rig_create(const char *model, const lw_regression_def *def, int n, rig *g)
{
    memset(g, 0, sizeof *g);
    g->m = shipped_model(model);
    g->info = g->m ? create(g->m, def, &g->r) : NULL;
    if (!g->info) {
        return false;
    }
    const size_t nv = (size_t)g->m->nv;
    g->log.n = n;
    g->log.t = calloc((size_t)n * (1 + 5 * nv), sizeof(double));
    g->log.q = g->log.t + n;
    g->log.v = g->log.q + (size_t)n * nv;
    g->log.a = g->log.v + (size_t)n * nv;
    g->log.tau = g->log.a + (size_t)n * nv;
    g->exact = g->log.tau + (size_t)n * nv;
    g->truth = calloc((size_t)g->info->nbase, sizeof(double));
    for (int k = 0; k < g->info->nbase; ++k) {
        for (int c = 0; c < g->info->nparameter; ++c) {
            g->truth[k] += g->info->K[k * g->info->nparameter + c] * g->info->value[c];
        }
    }
    lw_data *d = NULL;
    CHECK_INT(lw_data_create(g->m, &d), LW_OK);
    for (int i = 0; i < n; ++i) {
        const size_t at = (size_t)i * nv;
        g->log.t[i] = 10.0 * i / n;
        fill_state(g->m, g->log.t[i], g->log.q + at, g->log.v + at, g->log.a + at);
        CHECK_INT(lw_inverse_dynamics(g->m, d, g->log.q + at, g->log.v + at, g->log.a + at, NULL,
                                      g->exact + at),
                  LW_OK);
    }
    memcpy(g->log.tau, g->exact, (size_t)n * nv * sizeof(double));
    lw_data_destroy(d);
    return true;
}

static void rig_free(rig *g)
{
    lw_regression_destroy(g->r);
    lw_model_destroy(g->m);
    free(g->log.t);
    free(g->truth);
}

static double normal(void)
{
    const double u = check_random(0.0, 1.0), v = check_random(0.0, 1.0);
    return sqrt(-2.0 * log(1.0 - u)) * cos(6.283185307179586 * v);
}

// Adds noise of a share of each joint's largest torque.
static void add_noise(rig *g, double share)
{
    for (int j = 0; j < g->m->nv; ++j) {
        double largest = 0.0;
        for (int i = 0; i < g->log.n; ++i) {
            largest = fmax(largest, fabs(g->exact[i * g->m->nv + j]));
        }
        for (int i = 0; i < g->log.n; ++i) {
            const int at = i * g->m->nv + j;
            g->log.tau[at] = g->exact[at] + share * largest * normal();
        }
    }
}

static double size_of_base(const rig *g)
{
    double largest = 0.0;
    for (int k = 0; k < g->info->nbase; ++k) {
        largest = fmax(largest, fabs(g->truth[k]));
    }
    return largest;
}

static const char *const arms[] = {"ur5_class.xml", "panda_class.xml", "puma560.xml",
                                   "stanford.xml", "closed/palletiser.xml"};

TEST(K36_exact_torques_give_the_parameters_back)
{
    const lw_regression_def all = {.columns = LW_COLUMN_VISCOUS | LW_COLUMN_COULOMB |
                                              LW_COLUMN_OFFSET | LW_COLUMN_ROTOR};
    for (int i = 0; i < 5; ++i) {
        rig g;
        lw_estimate e;
        lw_identify_def def = lw_default_identify_def();
        def.is_consistent = false;
        check_case("%s", arms[i]);
        if (rig_create(arms[i], &all, 200, &g) &&
            CHECK_INT(lw_identify(g.r, &g.log, &def, &e, NULL), LW_OK)) {
            for (int k = 0; k < g.info->nbase; ++k) {
                CHECK_NEAR(e.base[k], g.truth[k], 1e-10 * fmax(1.0, size_of_base(&g)));
            }
            lw_estimate_free(&e);
        }
        rig_free(&g);
    }
}

// All parameters of all trials, by their stated standard deviations: 99.73 % of normal ones lie
// within three. Environment LINKWORK_IDENTIFY_TRIALS: more of them.
TEST(K36_estimates_are_as_uncertain_as_they_state)
{
    const char *wanted = getenv("LINKWORK_IDENTIFY_TRIALS");
    const int trials = wanted ? atoi(wanted) : 30;
    const lw_regression_def def = {.columns = LW_COLUMN_VISCOUS | LW_COLUMN_COULOMB};
    rig g;
    if (rig_create("ur5_class.xml", &def, 500, &g)) {
        int within = 0, all = 0;
        double squares = 0.0;
        check_seed(7);
        for (int trial = 0; trial < trials; ++trial) {
            lw_estimate e;
            lw_identify_def how = lw_default_identify_def();
            how.is_consistent = false;
            add_noise(&g, 0.01);
            if (!CHECK_INT(lw_identify(g.r, &g.log, &how, &e, NULL), LW_OK)) {
                break;
            }
            for (int k = 0; k < g.info->nbase; ++k, ++all) {
                const double z = (e.base[k] - g.truth[k]) / e.sigma[k];
                within += fabs(z) <= 3.0;
                squares += z * z;
            }
            lw_estimate_free(&e);
        }
        // With 1440 of them or more, 99 to 99.9 % is four standard deviations of their number.
        CHECK(within >= 0.99 * all && within <= 0.9995 * all);
        CHECK_NEAR(squares / all, 1.0, 0.15);
        printf("%d of %d within three standard deviations\n", within, all);
    }
    rig_free(&g);
}

TEST(K36_gains_are_found_where_something_held_gives_the_scale)
{
    const char *const held[] = {"wrist_3"};
    const lw_regression_def hold = {.nheld = 1, .held = held}, none = {0};
    for (int side = 0; side < 2; ++side) {
        rig g;
        lw_estimate e;
        lw_identify_def def = lw_default_identify_def();
        def.is_consistent = false;
        def.has_gains = true;
        if (rig_create("ur5_class.xml", side == 0 ? &hold : &none, 300, &g)) {
            for (int i = 0; i < g.log.n * 6; ++i) {
                g.log.tau[i] /= 2.0 + i % 6; // currents
            }
            const lw_status status = lw_identify(g.r, &g.log, &def, &e, NULL);
            CHECK_INT(status, side == 0 ? LW_OK : LW_ERR_ARGUMENT);
            for (int j = 0; j < 6 && status == LW_OK; ++j) {
                CHECK_NEAR(e.gain[j], 2.0 + j, 1e-6); // wrist_3 is light beside the arm
            }
            if (status == LW_OK) {
                lw_estimate_free(&e);
            }
        }
        rig_free(&g);
    }
}

// Velocities and accelerations from positions, by the filter and by a Fourier series.
TEST(K36_conditioned_logs_have_the_derivatives_of_the_motion)
{
    rig g;
    if (rig_create("ur5_class.xml", NULL, 2000, &g)) {
        const lw_filter_def how[2] = {{.cutoff = 20.0}, {.period = 10.0, .harmonics = 4}};
        // Differences of order 4 leave (w h)^4 / 30 of the acceleration: 1e-9 for 2.5 rad/s and 5
        // ms; roundings of positions over the square of the step are 1e-10.
        const double tolerance[2] = {1e-7, 1e-10};
        for (int k = 0; k < 2; ++k) {
            lw_log log;
            check_case("%s", k == 0 ? "filter" : "series");
            if (!CHECK_INT(lw_log_condition(g.m, &g.log, &how[k], &log, NULL), LW_OK)) {
                continue;
            }
            CHECK(log.n >= 300);
            for (int i = log.n / 4; i < 3 * log.n / 4; ++i) { // away from the ends
                double q[6], v[6], a[6];
                fill_state(g.m, log.t[i], q, v, a);
                for (int j = 0; j < 6; ++j) {
                    CHECK_NEAR(log.q[6 * i + j], q[j], tolerance[k]);
                    CHECK_NEAR(log.v[6 * i + j], v[j], tolerance[k]);
                    CHECK_NEAR(log.a[6 * i + j], a[j], tolerance[k] * 10.0);
                }
            }
            lw_log_free(&log);
        }
    }
    rig_free(&g);
}

// Noise in the motion biases least squares; with the command as instruments there is no bias, and
// the stated standard deviations hold.
TEST(K36_instruments_have_no_bias_from_noisy_positions)
{
    rig g;
    enum { TRIALS = 12 };
    if (rig_create("ur5_class.xml", NULL, 500, &g)) {
        const size_t n = (size_t)g.log.n * 6;
        double *block = malloc(2 * n * sizeof *block), squares[2] = {0.0, 0.0};
        lw_log noisy = g.log;
        noisy.v = block, noisy.a = block + n;
        check_seed(9);
        for (int trial = 0; trial < TRIALS; ++trial) {
            for (size_t i = 0; i < n; ++i) {
                noisy.v[i] = g.log.v[i] + 0.05 * normal();
                noisy.a[i] = g.log.a[i] + 0.5 * normal();
            }
            for (int side = 0; side < 2; ++side) {
                lw_estimate e;
                lw_identify_def def = lw_default_identify_def();
                def.is_consistent = false;
                def.instruments = side == 1 ? &g.log : NULL;
                if (!CHECK_INT(lw_identify(g.r, &noisy, &def, &e, NULL), LW_OK)) {
                    continue;
                }
                for (int k = 0; k < e.nbase; ++k) {
                    squares[side] += pow((e.base[k] - g.truth[k]) / e.sigma[k], 2);
                }
                lw_estimate_free(&e);
            }
        }
        const double count = TRIALS * g.info->nbase;
        printf("z-scores: least squares %g, instruments %g\n", sqrt(squares[0] / count),
               sqrt(squares[1] / count));
        CHECK(sqrt(squares[0] / count) > 2.0);
        CHECK_NEAR(sqrt(squares[1] / count), 1.0, 0.25);
        free(block);
    }
    rig_free(&g);
}

// Of instruments that differ much from the columns: the covariance is (Z'A)^-1 Z'Z (Z'A)^-T, which
// with Z'A transposed would be another matrix. Here by its definition, over two unknowns.
TEST(K36_instruments_have_the_covariance_of_their_definition)
{
    const double A[6] = {1, 2, -1, 0.5, 1, 3}, Z[6] = {2, 1, 0.5, -1, 4, 1}, b[3] = {1, 2, 3};
    double x[2], S[4], P[2][2] = {{0}}, N[2][2] = {{0}}, y[2] = {0}, G[2][2];
    CHECK_INT(lwi_instrument_solve(3, 2, A, Z, b, x, S), LW_OK);
    for (int i = 0; i < 3; ++i) {
        for (int r = 0; r < 2; ++r) {
            y[r] += Z[3 * r + i] * b[i];
            for (int c = 0; c < 2; ++c) {
                P[r][c] += Z[3 * r + i] * A[3 * c + i];
                N[r][c] += Z[3 * r + i] * Z[3 * c + i];
            }
        }
    }
    const double det = P[0][0] * P[1][1] - P[0][1] * P[1][0];
    G[0][0] = P[1][1] / det, G[0][1] = -P[0][1] / det;
    G[1][0] = -P[1][0] / det, G[1][1] = P[0][0] / det;
    CHECK(fabs(P[0][1] - P[1][0]) > 1.0);
    for (int r = 0; r < 2; ++r) {
        CHECK_NEAR(x[r], G[r][0] * y[0] + G[r][1] * y[1], 1e-12);
        for (int c = 0; c < 2; ++c) {
            double want = 0.0;
            for (int i = 0; i < 2; ++i) {
                for (int k = 0; k < 2; ++k) {
                    want += G[r][i] * N[i][k] * G[c][k];
                }
            }
            CHECK_NEAR(S[c * 2 + r], want, 1e-12);
        }
    }
}

// Exact torques have no outliers, and a few spoilt ones are all that there are.
TEST(K36_robust_estimates_know_good_samples)
{
    rig g;
    if (rig_create("ur5_class.xml", NULL, 300, &g)) {
        lw_identify_def def = lw_default_identify_def();
        lw_estimate e;
        def.is_robust = true;
        def.is_consistent = false;
        for (int spoilt = 0; spoilt <= 6; spoilt += 6) {
            check_case("%d spoilt", spoilt);
            for (int i = 0; i < spoilt; ++i) {
                g.log.tau[(40 * i + 7) * 6 + i] += 100.0;
            }
            if (CHECK_INT(lw_identify(g.r, &g.log, &def, &e, NULL), LW_OK)) {
                CHECK_INT(e.noutlier, spoilt);
                for (int k = 0; k < e.nbase; ++k) {
                    // A spoilt torque pulls like one that is 1.345 of the least sigma off.
                    CHECK_NEAR(e.base[k], g.truth[k], 1e-4 * fmax(1.0, fabs(g.truth[k])));
                }
                lw_estimate_free(&e);
            }
        }
    }
    rig_free(&g);
}

static bool is_positive(const double *p)
{
    // Principal moments of the tensor about the centre satisfy the triangle inequality: E = tr/2 -
    // T is positive definite there.
    const double m = p[0];
    if (!(m > 0.0)) {
        return false;
    }
    double E[3][3];
    const double h[3] = {p[1], p[2], p[3]}, half = 0.5 * (p[4] + p[5] + p[6]);
    const double T[3][3] = {{p[4], p[7], p[8]}, {p[7], p[5], p[9]}, {p[8], p[9], p[6]}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            E[i][j] = (i == j ? half : 0.0) - T[i][j] - h[i] * h[j] / m;
        }
    }
    const double two = E[0][0] * E[1][1] - E[0][1] * E[1][0];
    const double three = E[0][0] * (E[1][1] * E[2][2] - E[1][2] * E[2][1]) -
                         E[0][1] * (E[1][0] * E[2][2] - E[1][2] * E[2][0]) +
                         E[0][2] * (E[1][0] * E[2][1] - E[1][1] * E[2][0]);
    return E[0][0] > 0.0 && two > 0.0 && three > 0.0;
}

TEST(K36_consistent_parameters_are_those_of_real_bodies)
{
    for (int i = 0; i < 5; ++i) {
        rig g;
        lw_estimate e;
        check_seed(3);
        check_case("%s", arms[i]);
        if (rig_create(arms[i], NULL, 150, &g)) {
            add_noise(&g, 0.05); // so much that plain estimates are not consistent
            if (CHECK_INT(lw_identify(g.r, &g.log, NULL, &e, NULL), LW_OK)) {
                double chi = 0.0;
                for (int b = 0; b + 9 < e.nparameter; b += 10) {
                    CHECK(is_positive(e.full + b));
                }
                for (int k = 0; k < e.nbase; ++k) {
                    double sum = 0.0;
                    for (int c = 0; c < e.nparameter; ++c) {
                        sum += g.info->K[k * e.nparameter + c] * e.full[c];
                    }
                    chi += pow((sum - e.base[k]) / e.sigma[k], 2);
                }
                printf("%s: chi %g of %d\n", arms[i], chi, e.nbase);
                lw_estimate_free(&e);
            }
        }
        rig_free(&g);
    }
}

// Noise in proportion to the torque leaves wrist joints with very small sigmas: the valley of the
// fit is narrow then.
TEST(K36_consistent_parameters_are_found_where_some_joints_have_little_noise)
{
    static const char *const fixed[] = {"joint1.damping", "joint2.friction", "link7.m"};
    const lw_regression_def defs[] = {{0},
                                      {.columns = 31},
                                      {.columns = LW_COLUMN_VISCOUS | LW_COLUMN_COULOMB},
                                      {LW_COLUMN_VISCOUS | LW_COLUMN_COULOMB, 3, fixed}};
    for (int i = 0; i < 4; ++i) {
        rig g;
        lw_estimate e;
        check_seed(3);
        check_case("columns %u, %d held", defs[i].columns, defs[i].nheld);
        if (rig_create("panda_class.xml", &defs[i], 300, &g)) {
            for (int k = 0; k < g.log.n * g.m->nv; ++k) {
                g.log.tau[k] = g.exact[k] * (1.0 + 0.01 * normal());
            }
            if (CHECK_INT(lw_identify(g.r, &g.log, NULL, &e, NULL), LW_OK)) {
                for (int b = 0; b < 10 * g.m->nbody; b += 10) {
                    CHECK(is_positive(e.full + b));
                }
                for (int c = 0; c < e.nparameter; ++c) {
                    const bool is_offset = strstr(g.info->name[c], ".offset") != NULL;
                    CHECK(c < 10 * g.m->nbody || is_offset || e.full[c] >= 0.0);
                    CHECK(!g.info->is_held[c] ||
                          fabs(e.full[c] - g.info->value[c]) < 1e-6 * (1.0 + g.info->value[c]));
                }
                lw_estimate_free(&e);
            }
        }
        rig_free(&g);
    }
}

int main(void)
{
    RUN(K36_exact_torques_give_the_parameters_back);
    RUN(K36_estimates_are_as_uncertain_as_they_state);
    RUN(K36_gains_are_found_where_something_held_gives_the_scale);
    RUN(K36_conditioned_logs_have_the_derivatives_of_the_motion);
    RUN(K36_instruments_have_no_bias_from_noisy_positions);
    RUN(K36_instruments_have_the_covariance_of_their_definition);
    RUN(K36_robust_estimates_know_good_samples);
    RUN(K36_consistent_parameters_are_those_of_real_bodies);
    RUN(K36_consistent_parameters_are_found_where_some_joints_have_little_noise);
    RUN(K36_base_parameters_are_as_many_as_published_and_group_alike);
    RUN(K36_exact_recursion_counts_as_elimination_does_on_every_arm);
    return REPORT();
}
#else
TEST(K36_identification)
{
    check_skip("LAPACKE is not installed");
}
int main(void)
{
    RUN(K36_identification);
    return REPORT();
}
#endif
