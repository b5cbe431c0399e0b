// Large, deep and hostile descriptions, and many threads on one model. Times are printed, not
// checked: they belong to the machine. What is quadratic here does not end before the time-out.
#include "check.h"
#include "load_text.h"
#include "model/kernel.h"
#include "objects.h"
#include "parts/parts.h"
#include "random_mech.h"

#include <linkwork/kinematics.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const lw_location nowhere = {0};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static lw_mech *chain_of(int n, bool is_coupled)
{
    lw_mech *mech = new_mech("chain");
    lw_port port = {{-1}, -1};
    for (int k = 0; k < n; ++k) {
        char joint_name[24], link_name[24], before[24];
        snprintf(joint_name, sizeof joint_name, "j%d", k);
        snprintf(link_name, sizeof link_name, "l%d", k);
        snprintf(before, sizeof before, "j%d", k + 1);
        lw_joint_def joint = lw_default_joint_def();
        joint.name = joint_name;
        joint.type = LW_JOINT_REVOLUTE;
        joint.axis = lw_vec3_of(k % 3 == 0, k % 3 == 1, k % 3 == 2);
        joint.before = lw_placement_xyz(0.1, 0, 0.01);
        lw_link_def link = lw_default_link_def();
        link.name = link_name;
        link.mass = 1;
        const lw_part j = lw_add_joint(mech, &joint), l = lw_add_link(mech, &link);
        if (k > 0) {
            lw_connect(mech, port, lw_port_of(mech, j, "a"));
        }
        lw_connect(mech, lw_port_of(mech, j, "b"), lw_port_of(mech, l, "a"));
        port = lw_port_of(mech, l, "b");
        if (is_coupled && k + 1 < n) { // each follows the next, so that the last one leads
            const double law[] = {0.001, -1};
            const lw_coupling_def def = {
                .dependent = joint_name, .source = before, .ncoefficient = 2, .coefficient = law};
            lw_add_coupling(mech, &def);
        }
    }
    return mech;
}

static void check_far_end(const lw_model *m, const char *frame)
{
    lw_data *d = new_data(m);
    double *q = calloc((size_t)m->nq, sizeof *q);
    lw_pose X;
    CHECK_INT(lw_forward_position(m, d, q), LW_OK);
    CHECK_INT(lw_frame_pose(m, d, lw_find_frame(m, frame), &X), LW_OK);
    CHECK_NEAR(X.p.x, 0.1 * (m->nbody - 1) + 0.1, 1e-7); // 1e5 sums, each rounded to 1e-12
    free(q);
    lw_data_destroy(d);
}

TEST(D13_a_chain_of_100000_links_compiles)
{
    enum { N = 100000 };
    for (int is_coupled = 0; is_coupled < 2; ++is_coupled) {
        const double start = seconds();
        lw_mech *mech = chain_of(N, is_coupled);
        const double built = seconds();
        lw_model *m = compile_checked(mech, NULL);
        const double compiled = seconds();
        printf("%s of %d links: described in %.3f s, compiled in %.3f s, %.0f MB\n",
               is_coupled ? "coupled chain" : "chain", N, built - start, compiled - built,
               (double)lw_model_size(m) / 1e6);
        CHECK_INT(m->nbody, N);
        CHECK_INT(m->nv, is_coupled ? 1 : N);
        CHECK_INT(m->subtree_end[0], N);
        CHECK_INT(m->subtree_end[N - 1], N);
        CHECK_INT(m->parent[N - 1], N - 2);
        if (!is_coupled) {
            check_far_end(m, "l99999");
        }
        lw_model_destroy(m);
        lw_mech_destroy(mech);
    }
}

// Every joint on a frame of its own, found by name: no search may go through all of them.
TEST(D12_a_link_with_50000_frames_and_joints_compiles)
{
    enum { N = 50000 };
    const double start = seconds();
    lw_mech *mech = new_mech("hedgehog");
    lw_link_def hub = lw_default_link_def();
    hub.name = "hub";
    const lw_part part = lw_add_link(mech, &hub);
    for (int k = 0; k < N; ++k) {
        char frame[24], port[40], joint_name[24], a[40];
        snprintf(frame, sizeof frame, "f%d", k);
        snprintf(port, sizeof port, "hub.f%d", k);
        snprintf(joint_name, sizeof joint_name, "j%d", k);
        snprintf(a, sizeof a, "j%d.a", k);
        const lw_placement at = lw_placement_xyz(k, 0, 0);
        lw_add_frame(mech, part, frame, &at, nowhere);
        lw_joint_def joint = lw_default_joint_def();
        joint.name = joint_name;
        joint.type = LW_JOINT_PRISMATIC;
        lw_add_joint(mech, &joint);
        if (lw_connect_named(mech, port, a) != LW_OK) {
            CHECK_TEXT(lw_mech_message(mech), "");
        }
    }
    const lw_port last = lw_find_port(mech, "f49999");
    CHECK_TEXT(lwi_port_name(mech, last), "f49999");
    lw_model *m = compile_checked(mech, NULL);
    printf("%d joints on one link: %.3f s\n", N, seconds() - start);
    CHECK_INT(m->nbody, N);
    for (int i = 0; i < N; i += 777) {
        CHECK_INT(m->parent[i], -1);
        CHECK_NEAR(m->X_PJ[i].p.x, i, 0);
    }
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

// Assemblies in a row, each joined by its gateways only.
TEST(D12_20000_assemblies_joined_by_gateways_compile)
{
    enum { N = 20000 };
    const double start = seconds();
    lw_mech *inside = new_mech("bead");
    lw_joint_def pin = lw_default_joint_def();
    pin.name = "pin";
    pin.type = LW_JOINT_REVOLUTE;
    lw_add_joint(inside, &pin);
    lw_expose(inside, lw_find_port(inside, "pin.a"), "in");
    lw_expose(inside, lw_find_port(inside, "pin.b"), "out");
    lw_mech *mech = new_mech("beads");
    const lw_ground_def ground = lw_default_ground_def();
    lw_port port = lw_port_of(mech, lw_add_ground(mech, &ground), "b");
    for (int k = 0; k < N; ++k) {
        char name[24];
        snprintf(name, sizeof name, "bead%d", k);
        const lw_part part = lw_add_assembly(mech, name, inside, nowhere);
        if (lw_connect(mech, port, lw_port_of(mech, part, "in")) != LW_OK) {
            CHECK_TEXT(lw_mech_message(mech), "");
        }
        port = lw_port_of(mech, part, "out");
    }
    lw_model *m = compile_checked(mech, NULL);
    printf("%d assemblies: %.3f s\n", N, seconds() - start);
    CHECK_INT(m->nbody, N);
    CHECK_INT(m->parent[N - 1], N - 2);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
    lw_mech_destroy(inside);
}

TEST(D12_one_assembly_with_50000_gateways_compiles)
{
    enum { N = 50000 };
    const double start = seconds();
    lw_mech *inside = new_mech("comb");
    for (int k = 0; k < N; ++k) { // all free but for their gateways
        char name[24];
        snprintf(name, sizeof name, "t%d", k);
        lw_link_def def = lw_default_link_def();
        def.name = name;
        const lw_part part = lw_add_link(inside, &def);
        lw_expose(inside, lw_port_of(inside, part, "a"), name);
    }
    lw_mech *mech = new_mech("outer");
    const lw_ground_def ground = lw_default_ground_def();
    const lw_port port = lw_port_of(mech, lw_add_ground(mech, &ground), "b");
    const lw_part comb = lw_add_assembly(mech, "comb", inside, nowhere);
    for (int k = 0; k < N; ++k) {
        char name[24];
        snprintf(name, sizeof name, "t%d", k);
        if (lw_connect(mech, port, lw_port_of(mech, comb, name)) != LW_OK) {
            CHECK_TEXT(lw_mech_message(mech), "");
        }
    }
    lw_model *m = compile_checked(mech, NULL);
    printf("%d gateways: %.3f s\n", N, seconds() - start);
    CHECK_INT(m->nlink, N);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
    lw_mech_destroy(inside);
}

static lw_mech *nest(int depth, int copies, const char *name)
{
    lw_mech *inner = new_mech("core");
    lw_joint_def pin = lw_default_joint_def();
    pin.name = "j";
    pin.type = LW_JOINT_REVOLUTE;
    lw_add_joint(inner, &pin);
    lw_expose(inner, lw_find_port(inner, "j.b"), "out");
    for (int k = 0; k < depth; ++k) {
        lw_mech *mech = new_mech("level");
        for (int i = 0; i < copies; ++i) {
            char full[300];
            snprintf(full, sizeof full, "%s%.0d", name, i);
            const lw_part part = lw_add_assembly(mech, full, inner, nowhere);
            if (i == 0) {
                lw_expose(mech, lw_port_of(mech, part, "out"), "out");
            }
        }
        lw_mech_destroy(inner);
        inner = mech;
    }
    return inner;
}

TEST(D08_deep_assemblies_compile_or_are_refused_by_their_names)
{
    lw_mech *mech = nest(400, 1, "n");
    lw_model *m = compile_checked(mech, NULL);
    CHECK_INT(m->nbody, 1);
    CHECK_INT((int)strlen(m->position_name[0]), 801); // "n/n/ ... /j"
    lw_model_destroy(m);
    lw_mech_destroy(mech);

    static const int depth[] = {1000, 30000};
    for (int k = 0; k < 2; ++k) {
        const double start = seconds();
        mech = nest(depth[k], 1, "n");
        lw_report *report = new_report();
        CHECK_INT(lw_compile(mech, NULL, &m, report), LW_ERR_LIMIT);
        CHECK_INT(lw_report_count(report), 1);
        CHECK_HAS(lw_report_diagnostic(report, 0).message,
                  k ? "the full names of the parts of \"level\" have more than 268435456 bytes"
                    : "the assemblies that it is in, has more than 1000 bytes");
        lw_report_destroy(report);
        lw_mech_destroy(mech); // without recursion
        printf("%d deep: %.3f s\n", depth[k], seconds() - start);
    }
}

static void expect_limit(lw_mech *mech, const char *text)
{
    const double start = seconds();
    lw_model *m = NULL;
    lw_report *report = new_report();
    CHECK_INT(lw_compile(mech, NULL, &m, report), LW_ERR_LIMIT);
    CHECK(m == NULL);
    CHECK_HAS(lw_report_diagnostic(report, 0).message, text);
    printf("refused in %.6f s\n", seconds() - start);
    lw_report_destroy(report);
    lw_mech_destroy(mech);
}

TEST(D29_bombs_of_assemblies_are_refused_before_they_go_off)
{
    expect_limit(nest(22, 2, "n"), "more than 4194304 parts");
    expect_limit(nest(400, 2, "n"), "more than 4194304 parts"); // counts stop growing
    expect_limit(nest(30, 1000, "n"), "more than 4194304 parts");

    // Few parts, long names: each of half a million has a prefix of most of a kilobyte.
    char name[51];
    memset(name, 'x', 50);
    name[50] = '\0';
    expect_limit(nest(18, 2, name), "full names of the parts");

    // One part with many frames, used often.
    lw_mech *inside = new_mech("frames");
    lw_link_def link = lw_default_link_def();
    link.name = "l";
    const lw_part part = lw_add_link(inside, &link);
    for (int k = 0; k < 3000; ++k) {
        char frame[24];
        snprintf(frame, sizeof frame, "f%d", k);
        lw_add_frame(inside, part, frame, NULL, nowhere);
    }
    lw_mech *mech = new_mech("outer");
    for (int k = 0; k < 3000; ++k) {
        char assembly[24];
        snprintf(assembly, sizeof assembly, "a%d", k);
        lw_add_assembly(mech, assembly, inside, nowhere);
    }
    lw_mech_destroy(inside);
    expect_limit(mech, "more than 4194304 parts, frames, shapes, couplings and gears");
}

// A suggestion costs a look at every name, so there are only a few of them.
TEST(D29_many_unknown_names_are_reported_fast)
{
    enum { N = 20000 };
    const double start = seconds();
    lw_mech *mech = chain_of(N, false);
    for (int k = 0; k < N; ++k) {
        char wrong[80];
        snprintf(wrong, sizeof wrong, "jj%d", k);
        const double law[] = {0, 1};
        const lw_coupling_def def = {
            .dependent = wrong, .source = "j0", .ncoefficient = 2, .coefficient = law};
        lw_add_coupling(mech, &def);
        snprintf(wrong, sizeof wrong, "ll%d.b", k);
        if (lw_connect_named(mech, wrong, "j0.a") != LW_ERR_PORT_UNKNOWN) {
            CHECK(false);
        }
    }
    lw_model *m = NULL;
    lw_report *report = new_report();
    CHECK_INT(lw_compile(mech, NULL, &m, report), LW_ERR_NAME);
    CHECK_INT(lw_report_errors(report), N);
    CHECK_HAS(lw_report_diagnostic(report, 0).message, "did you mean \"j0\"?");
    printf("%d unknown names: %.3f s\n", 2 * N, seconds() - start);
    lw_report_destroy(report);
    lw_mech_destroy(mech);
}

enum { THREADS = 16, CALLS = 2000 };

typedef struct worker {
    const lw_model *model;
    int number;
    double sum;
} worker;

// The same states in every thread; the sum over all results is the same, bit for bit.
static void *work(void *context)
{
    worker *w = context;
    const lw_model *m = w->model;
    lw_data *d = new_data(m);
    double q[80], v[80], a[80], J[6 * 80];
    lw_motion acc;
    for (int k = 0; k < CALLS; ++k) {
        for (int i = 0; i < m->nq; ++i) {
            q[i] = sin(i + 0.01 * k);
        }
        for (int i = 0; i < m->nv; ++i) {
            v[i] = cos(i + 0.02 * k);
            a[i] = v[i] - 0.5;
        }
        lw_frame_jacobian(m, d, q, m->nframe - 1, LW_IN_WORLD, NULL, J);
        lw_forward_acceleration(m, d, q, v, a);
        lw_frame_acceleration(m, d, m->nframe - 1, LW_IN_WORLD, &acc);
        w->sum += acc.lin.x + J[k % (6 * m->nv)];
    }
    lw_data_destroy(d);
    return NULL;
}

TEST(C24_sixteen_threads_share_a_model_that_stays_as_it_is)
{
    random_mech_options options = random_mech_default();
    options.njoint = 12;
    lw_model *m = random_model(11, &options);
    const unsigned long long hash = lw_model_hash(m);
    pthread_t thread[THREADS];
    worker w[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        w[i] = (worker){m, i, 0};
        CHECK_INT(pthread_create(&thread[i], NULL, work, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        pthread_join(thread[i], NULL);
        CHECK(isfinite(w[i].sum) && w[i].sum == w[0].sum);
    }
    CHECK(lw_model_hash(m) == hash);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(D13_a_chain_of_100000_links_compiles);
    RUN(D12_a_link_with_50000_frames_and_joints_compiles);
    RUN(D12_20000_assemblies_joined_by_gateways_compile);
    RUN(D12_one_assembly_with_50000_gateways_compiles);
    RUN(D08_deep_assemblies_compile_or_are_refused_by_their_names);
    RUN(D29_bombs_of_assemblies_are_refused_before_they_go_off);
    RUN(D29_many_unknown_names_are_reported_fast);
    RUN(C24_sixteen_threads_share_a_model_that_stays_as_it_is);
    return REPORT();
}
