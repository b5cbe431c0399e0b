// Large machines, generated: a chain of 100,000 links is read, compiled and moved within 500 MB,
// and poses, reading and compiling grow in proportion to the number of links. A chain of joints
// that follow each other is moved too, and its forces and accelerations found.
//
// Times are printed, not checked: they belong to the machine. Growth is checked by counting
// instructions, in test_growth_counts.sh, for which this program runs one machine of a given size:
//
//     test_growth chain|star|mimic N

#define _DEFAULT_SOURCE // wait4
#include "check.h"
#include "objects.h"

#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef enum machine_kind { CHAIN, STAR, MIMIC } machine_kind;

static const char *const kind_name[] = {"chain", "star", "mimic"};

typedef struct text {
    char *at;
    size_t size, room;
} text;

static void append(text *t, const char *piece)
{
    const size_t length = strlen(piece);
    if (t->size + length + 1 > t->room) {
        t->room = 2 * (t->size + length + 1);
        t->at = realloc(t->at, t->room);
        if (!t->at) {
            abort();
        }
    }
    memcpy(t->at + t->size, piece, length + 1);
    t->size += length;
}

// A robot of n + 1 links. In a chain each link hangs on the one before; in a star all hang on the
// first; with mimic each joint of a chain follows the one before it, and one degree of freedom is
// left.
static text generate(machine_kind kind, int n)
{
    static const char *const axis[] = {"0 0 1", "0 1 0", "1 0 0", "0.6 0 0.8"};
    text t = {0};
    char piece[700];
    append(&t, "<robot name=\"large\">\n<link name=\"l0\"/>\n");
    for (int i = 1; i <= n; ++i) {
        snprintf(piece, sizeof piece,
                 "<link name=\"l%d\"><inertial><origin xyz=\"0.05 0 0\"/><mass value=\"0.1\"/>"
                 "<inertia ixx=\"1e-4\" ixy=\"0\" ixz=\"0\" iyy=\"1e-4\" iyz=\"0\" izz=\"1e-4\"/>"
                 "</inertial></link>\n"
                 "<joint name=\"j%d\" type=\"continuous\"><parent link=\"l%d\"/>"
                 "<child link=\"l%d\"/><origin xyz=\"0.1 0 0.01\"/><axis xyz=\"%s\"/>",
                 i, i, kind == STAR ? 0 : i - 1, i, axis[i % 4]);
        append(&t, piece);
        if (kind == MIMIC && i > 1) {
            snprintf(piece, sizeof piece, "<mimic joint=\"j%d\" multiplier=\"-1\"/>", i - 1);
            append(&t, piece);
        }
        append(&t, "</joint>\n");
    }
    append(&t, "</robot>\n");
    return t;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static lw_model *build(machine_kind kind, int n)
{
    text t = generate(kind, n);
    lw_mech *mech = NULL;
    lw_model *model = NULL;
    lw_report *report = new_report();
    const double start = seconds();
    lw_status status = lw_load_text("large.urdf", t.at, t.size, NULL, &mech, report);
    const double loaded = seconds();
    if (CHECK_INT(status, LW_OK)) {
        status = lw_compile(mech, NULL, &model, report);
        CHECK_INT(status, LW_OK);
    }
    printf("%s of %d links: read in %.3f s, compiled in %.3f s\n", kind_name[kind], n,
           loaded - start, seconds() - loaded);
    if (lw_report_errors(report) > 0) {
        const lw_diagnostic first = lw_report_diagnostic(report, 0);
        printf("%s\n", first.message);
    }
    lw_report_destroy(report);
    lw_mech_destroy(mech);
    free(t.at);
    return model;
}

static bool evaluate(const lw_model *m)
{
    bool is_good = false;
    lw_data *d = new_data(m);
    double *q = calloc((size_t)(m->nq > 0 ? m->nq : 1), sizeof *q);
    if (CHECK(d && q)) {
        for (int i = 0; i < m->nq; ++i) {
            q[i] = check_random(-1.0, 1.0);
        }
        const double start = seconds();
        is_good = CHECK_INT(lw_forward_position(m, d, q), LW_OK);
        printf("poses of all links in %.3f ms\n", 1e3 * (seconds() - start));
    }
    free(q);
    lw_data_destroy(d);
    return is_good;
}

// One degree of freedom moves all: tau = M a + h forth and back.
static bool push(const lw_model *m)
{
    lw_data *d = new_data(m);
    bool is_good = CHECK(d != NULL);
    if (is_good) {
        const double q = 1e-3, v = 0.1, a = 0.7;
        double tau = 0.0, h = 0.0, M = 0.0, back = 0.0;
        const double start = seconds();
        CHECK_INT(lw_inverse_dynamics(m, d, &q, &v, &a, NULL, &tau), LW_OK);
        printf("inverse dynamics in %.3f ms\n", 1e3 * (seconds() - start));
        CHECK_INT(lw_bias_forces(m, d, &q, &v, &h), LW_OK);
        CHECK_INT(lw_mass_matrix(m, d, &q, &M), LW_OK);
        CHECK_NEAR((M * a + h) / tau, 1.0, 1e-9);
        CHECK_INT(lw_forward_dynamics(m, d, &q, &v, &tau, NULL, &back), LW_OK);
        is_good = CHECK_NEAR(back, a, 1e-9);
        if (m->tree_nv <= 2000) { // every pair of joints is met
            CHECK_INT(lw_coriolis_matrix(m, d, &q, &v, &M), LW_OK);
            CHECK_INT(lw_inverse_dynamics_derivatives(m, d, &q, &v, &a, NULL, &h, &M, &back),
                      LW_OK);
        }
    }
    lw_data_destroy(d);
    return is_good;
}

static int run_one(machine_kind kind, int n, bool is_pushed)
{
    lw_model *m = build(kind, n);
    if (!m || !CHECK_INT(m->nbody, n) || !CHECK_INT(m->nv, kind == MIMIC ? 1 : n)) {
        return 1;
    }
    const bool is_good = evaluate(m) && (!is_pushed || push(m));
    lw_model_destroy(m);
    return !is_good;
}

// In a process of its own, whose memory can be asked for.
static void check_machine(machine_kind kind, int n, double most_megabytes)
{
    fflush(stdout);
    const pid_t child = fork();
    if (!CHECK(child >= 0)) {
        return;
    }
    if (child == 0) {
        const int result = run_one(kind, n, kind == MIMIC);
        fflush(stdout);
        _exit(result);
    }
    int status = 0;
    struct rusage usage;
    if (CHECK(wait4(child, &status, 0, &usage) == child)) {
        CHECK_INT(status, 0);
        const double megabytes = (double)usage.ru_maxrss / 1024.0;
        printf("%.0f MB at most\n", megabytes);
        CHECK(megabytes > 1.0);
        CHECK(megabytes < most_megabytes);
    }
}

enum { LARGE = 100000 };

TEST(chain_of_100000_links_loads_compiles_and_moves_in_500_MB)
{
    check_machine(CHAIN, LARGE, 500.0);
}

TEST(star_of_100000_links_loads_compiles_and_moves_in_500_MB)
{
    check_machine(STAR, LARGE, 500.0);
}

TEST(chain_of_100000_mimic_joints_is_one_dof)
{
    check_machine(MIMIC, 2000, 60.0);
    check_machine(MIMIC, LARGE, 700.0);
}

TEST(nested_elements_100000_deep_give_a_message)
{
    text t = {0};
    append(&t, "<robot name=\"deep\">");
    for (int i = 0; i < LARGE; ++i) {
        append(&t, "<link>");
    }
    lw_report *report = new_report();
    lw_mech *mech = NULL;
    CHECK(lw_load_text("deep.urdf", t.at, t.size, NULL, &mech, report) != LW_OK);
    CHECK(mech == NULL);
    CHECK(lw_report_errors(report) > 0);
    lw_report_destroy(report);
    free(t.at);
}

int main(int count, char **arg)
{
    for (int kind = CHAIN; count == 3 && kind <= MIMIC; ++kind) {
        if (strcmp(arg[1], kind_name[kind]) == 0) {
            return run_one((machine_kind)kind, atoi(arg[2]), false);
        }
    }
    RUN(chain_of_100000_links_loads_compiles_and_moves_in_500_MB);
    RUN(star_of_100000_links_loads_compiles_and_moves_in_500_MB);
    RUN(chain_of_100000_mimic_joints_is_one_dof);
    RUN(nested_elements_100000_deep_give_a_message);
    return REPORT();
}
