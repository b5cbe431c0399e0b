// Forward dynamics, mass and Coriolis matrix where couplings make joints dependent:
// against the matrices of the same tree without couplings, folded by brute force, and by laws; and
// that couplings cost little memory.
#include "check.h"
#include "objects.h"

#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000, MOST_FOLLOWERS = 300 };

/// A tree of revolute and prismatic joints, some of which follow others.
typedef struct machine {
    int n;
    int parent[MOST]; ///< link that joint i is on; 0 is the base
    int nfollower, follower[MOST_FOLLOWERS], leader[MOST_FOLLOWERS];
    double ratio;
    int massless; ///< a link without mass, or -1
} machine;

static machine chain(int n)
{
    machine c = {.n = n, .ratio = -0.7, .massless = -1};
    for (int i = 0; i < n; ++i) {
        c.parent[i] = i;
    }
    return c;
}

// Joint `follower` follows joint `leader`; both count from 0.
static void follow(machine *c, int follower, int leader)
{
    c->follower[c->nfollower] = follower;
    c->leader[c->nfollower++] = leader;
}

static int leader_of(const machine *c, int joint)
{
    for (int k = 0; k < c->nfollower; ++k) {
        if (c->follower[k] == joint) {
            return c->leader[k];
        }
    }
    return -1;
}

static lw_model *build(const machine *c, bool has_followers)
{
    static const char *const axis[] = {"0 0 1", "0 1 0", "1 0 0", "0.6 0 0.8"};
    const size_t room = (size_t)(c->n + 1) * 700;
    char *text = malloc(room);
    size_t at = (size_t)snprintf(text, room, "<robot name=\"fronts\"><link name=\"l0\"/>");
    for (int i = 0; i < c->n; ++i) {
        const double mass = i == c->massless ? 0.0 : 0.1 + 0.01 * (i % 7);
        at += (size_t)snprintf(
            text + at, room - at,
            "<link name=\"l%d\"><inertial><origin xyz=\"0.05 0.01 0\"/><mass value=\"%g\"/>"
            "<inertia ixx=\"%g\" ixy=\"0\" ixz=\"0\" iyy=\"%g\" iyz=\"0\" izz=\"%g\"/></inertial>"
            "</link><joint name=\"j%d\" type=\"%s\"><parent link=\"l%d\"/><child link=\"l%d\"/>"
            "<origin xyz=\"0.1 0 0.01\"/><axis xyz=\"%s\"/><dynamics damping=\"0.02\"/>",
            i + 1, mass, 0.002 * mass, 0.003 * mass, 0.003 * mass, i,
            i % 5 == 3 ? "prismatic" : "continuous", c->parent[i], i + 1, axis[i % 4]);
        if (i % 5 == 3) {
            at += (size_t)snprintf(text + at, room - at,
                                   "<limit lower=\"-9\" upper=\"9\" effort=\"9\" velocity=\"9\"/>");
        }
        if (has_followers && leader_of(c, i) >= 0) {
            at += (size_t)snprintf(text + at, room - at, "<mimic joint=\"j%d\" multiplier=\"%g\"/>",
                                   leader_of(c, i), c->ratio);
        }
        at += (size_t)snprintf(text + at, room - at, "</joint>\n");
    }
    snprintf(text + at, room - at, "</robot>");
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    CHECK_INT(lw_load_text("fronts.urdf", text, strlen(text), NULL, &mech, NULL), LW_OK);
    CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_OK);
    lw_mech_destroy(mech);
    free(text);
    return m;
}

// Tree velocity of a joint; the compile numbers them depth first.
static int dof_of(const lw_model *tree, int joint)
{
    char name[16];
    snprintf(name, sizeof name, "j%d", joint);
    return lw_find_velocity(tree, name);
}

// G [n*nv] of a machine. Followers may follow followers, so that it takes several rounds.
static void fill_G(const machine *c, const lw_model *m, const lw_model *tree, double *G)
{
    memset(G, 0, (size_t)(c->n * m->nv) * sizeof *G);
    for (int k = 0; k < m->nv; ++k) {
        G[m->v_tree[k] * m->nv + k] = 1.0;
    }
    for (int round = 0; round < c->nfollower; ++round) {
        for (int f = 0; f < c->nfollower; ++f) {
            const int y = dof_of(tree, c->follower[f]), x = dof_of(tree, c->leader[f]);
            for (int k = 0; k < m->nv; ++k) {
                G[y * m->nv + k] = c->ratio * G[x * m->nv + k];
            }
        }
    }
}

// out = G' A G
static void fold(int n, int nv, const double *G, const double *A, double *out)
{
    memset(out, 0, (size_t)(nv * nv) * sizeof *out);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            for (int a = 0; a < nv; ++a) {
                for (int b = 0; b < nv; ++b) {
                    out[a * nv + b] += G[i * nv + a] * A[i * n + j] * G[j * nv + b];
                }
            }
        }
    }
}

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static void check_same(const double *x, const double *y, int n, double tolerance)
{
    double off = 0.0;
    for (int i = 0; i < n; ++i) {
        off = fmax(off, fabs(x[i] - y[i]));
    }
    CHECK_NEAR(off / largest(y, n), 0.0, tolerance);
}

static double *numbers(int n)
{
    double *x = calloc((size_t)(n > 0 ? n : 1), sizeof *x);
    for (int i = 0; i < n; ++i) {
        x[i] = check_random(-1.0, 1.0);
    }
    return x;
}

// Forces for an acceleration, and back: as forces, since a light tip swings far for next to
// nothing.
static void check_round_trip(const lw_model *m, lw_data *d, double tolerance)
{
    double *q = numbers(m->nv), *v = numbers(m->nv), *tau = numbers(m->nv);
    double *a = numbers(m->nv), *back = numbers(m->nv), *f = numbers(6 * m->nbody);
    CHECK_INT(lw_forward_dynamics(m, d, q, v, tau, (const lw_force *)f, a), LW_OK);
    CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, (const lw_force *)f, back), LW_OK);
    // Against the largest force that takes part: that of the inertia.
    lw_bias_forces(m, d, q, v, q);
    const double size = fmax(largest(q, m->nv), fmax(largest(tau, m->nv), largest(f, m->nbody)));
    double off = 0.0;
    for (int i = 0; i < m->nv; ++i) {
        off = fmax(off, fabs(tau[i] - back[i]));
    }
    CHECK_NEAR(off / size, 0.0, tolerance);
    free(q), free(v), free(tau), free(a), free(back), free(f);
}

// M times its inverse from the factors, whose order leaves out what couplings do not fill.
static void check_inverse(const lw_model *m, lw_data *d, const double *M)
{
    const int n = m->nv;
    double *inverse = numbers(n * n);
    memcpy(inverse, M, (size_t)(n * n) * sizeof *inverse);
    CHECK_INT(lw_mass_factor(m, d, inverse), LW_OK);
    CHECK_INT(lw_mass_inverse(m, d, inverse, inverse), LW_OK);
    double off = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0.0, size = 0.0;
            for (int k = 0; k < n; ++k) {
                sum += M[i * n + k] * inverse[k * n + j];
                size = fmax(size, fabs(M[i * n + k] * inverse[k * n + j]));
            }
            off = fmax(off, fabs(sum - (i == j)) / fmax(size, 1.0));
        }
    }
    CHECK_NEAR(off, 0.0, 1e-9); // the condition of M is up to 1e6
    free(inverse);
}

// Mass and Coriolis matrix against those of the tree; forward dynamics against these.
static void check_machine(const machine *c, const char *what)
{
    check_case("%s, %d joints", what, c->n);
    lw_model *m = build(c, true), *tree = build(c, false);
    lw_data *d = new_data(m), *tree_d = new_data(tree);
    const int n = c->n, nv = m->nv;
    double *q = numbers(nv), *v = numbers(nv), *tree_q = numbers(n), *tree_v = numbers(n);
    double *G = numbers(n * nv), *A = numbers(n * n), *M = numbers(nv * nv), *N = numbers(nv * nv);
    CHECK_INT(nv, n - c->nfollower);
    fill_G(c, m, tree, G);
    for (int i = 0; i < n; ++i) {
        tree_q[i] = tree_v[i] = 0.0;
        for (int k = 0; k < nv; ++k) {
            tree_q[i] += G[i * nv + k] * q[k];
            tree_v[i] += G[i * nv + k] * v[k];
        }
    }
    CHECK_INT(lw_mass_matrix(tree, tree_d, tree_q, A), LW_OK);
    fold(n, nv, G, A, N);
    CHECK_INT(lw_mass_matrix(m, d, q, M), LW_OK);
    check_same(M, N, nv * nv, 1e-13);
    check_inverse(m, d, M);
    CHECK_INT(lw_coriolis_matrix(tree, tree_d, tree_q, tree_v, A), LW_OK);
    fold(n, nv, G, A, N);
    CHECK_INT(lw_coriolis_matrix(m, d, q, v, M), LW_OK);
    check_same(M, N, nv * nv, 1e-12);
    check_round_trip(m, d, 1e-11);
    free(q), free(v), free(tree_q), free(tree_v), free(G), free(A), free(M), free(N);
    lw_data_destroy(d), lw_data_destroy(tree_d);
    lw_model_destroy(m), lw_model_destroy(tree);
}

TEST(couplings_along_a_chain_fold_the_matrices_of_the_tree)
{
    for (int n = 12; n <= 28; n += 8) {
        machine near = chain(n), far = chain(n), crossed = chain(n), backward = chain(n);
        follow(&near, n / 2, n / 2 - 1);
        check_machine(&near, "next joint");
        follow(&far, n - 1, 0);
        check_machine(&far, "last joint follows the first");
        follow(&backward, 1, n - 2);
        check_machine(&backward, "second joint follows the last but one");
        for (int k = 0; k < 4; ++k) {
            follow(&crossed, n - 1 - k, k);
        }
        check_machine(&crossed, "four crossed couplings");
    }
}

TEST(couplings_between_branches_end_where_these_meet)
{
    for (int seed = 1; seed <= 60; ++seed) {
        check_seed((unsigned long long)seed);
        machine c = chain(14 + seed % 12);
        for (int i = 1; i < c.n; ++i) {
            const int back = (int)check_random(0.0, 4.0);
            c.parent[i] = i - back < 0 ? 0 : i - back; // several branches reach the base
        }
        const int wanted = 1 + seed % 5;
        for (int k = 0; k < 200 && c.nfollower < wanted; ++k) {
            const int y = (int)check_random(0.0, c.n), x = (int)check_random(0.0, c.n);
            if (x < y && leader_of(&c, y) < 0) { // chains of followers too
                follow(&c, y, x);
            }
        }
        check_machine(&c, "random tree");
    }
}

// Few columns of the mass matrix, and long ways of several coordinates at once.
TEST(few_coordinates_move_a_deep_chain)
{
    for (int nv = 1; nv <= 4; nv += 3) {
        machine c = chain(40 * nv + 80);
        c.ratio = 0.9;
        for (int i = nv; i < c.n; ++i) {
            follow(&c, i, i % nv);
        }
        check_machine(&c, "few coordinates");
    }
}

// A chain of n joints on a free base or the ground, of which some follow others by polynomials.
static lw_model *build_curved(int n, bool is_free)
{
    char text[8000];
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "<linkwork version='1' name='curved'><ground/>"
                                 "<joint name='root' type='%s' from='ground' to='l0'/>"
                                 "<link name='l0' mass='2' inertia='0.2 0.3 0.4'/>",
                                 is_free ? "free" : "spherical");
    for (int i = 0; i < n; ++i) {
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "<joint name='j%d' type='%s' axis='%s' from='l%d' to='l%d'/>"
                               "<link name='l%d' mass='%g' center='0.1 0.05 0' "
                               "inertia='0.01 0.02 0.02'/>",
                               i, i % 4 == 2 ? "prismatic" : "revolute",
                               i % 3 == 0   ? "0 0 1"
                               : i % 3 == 1 ? "0 1 0"
                                            : "0.6 0.8 0",
                               i % 5 == 4 ? i / 2 : i, i + 1, i + 1, 0.5 + 0.1 * (i % 3));
    }
    static const int follower[] = {9, 4, 14, 11}, leader[] = {2, 9, 3, 13};
    for (int k = 0; k < 4; ++k) {
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "<coupling name='c%d' joint='j%d' of='j%d' "
                               "polynomial='0.1 0.8 %g -0.2'/>",
                               k, follower[k], leader[k], 0.3 + 0.1 * k);
    }
    snprintf(text + at, sizeof text - at, "</linkwork>");
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    CHECK_INT(lw_load_text("curved.xml", text, strlen(text), NULL, &mech, NULL), LW_OK);
    CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_OK);
    lw_mech_destroy(mech);
    return m;
}

TEST(couplings_by_polynomials_turn_velocity_into_acceleration)
{
    for (int is_free = 0; is_free < 2; ++is_free) {
        check_case(is_free ? "free base" : "spherical base");
        lw_model *m = build_curved(18, is_free);
        lw_data *d = new_data(m);
        unsigned long long seed = 5;
        const int n = m->nv;
        double *q = numbers(m->nq), *v = numbers(n), *a = numbers(n), *tau = numbers(n);
        double *back = numbers(n), *C = numbers(n * n), *g = numbers(n);
        for (int k = 0; k < 50; ++k) {
            lw_random_state(m, d, &seed, 1.0, q, v, a, tau);
            CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, NULL, tau), LW_OK);
            CHECK_INT(lw_forward_dynamics(m, d, q, v, tau, NULL, back), LW_OK);
            check_same(back, a, n, 1e-11);
            CHECK_INT(lw_coriolis_matrix(m, d, q, v, C), LW_OK);
            CHECK_INT(lw_gravity_forces(m, d, q, g), LW_OK);
            CHECK_INT(lw_bias_forces(m, d, q, v, tau), LW_OK);
            for (int i = 0; i < n; ++i) {
                for (int j = 0; j < n; ++j) {
                    g[i] += C[i * n + j] * v[j];
                }
            }
            check_same(g, tau, n, 1e-12);
        }
        free(q), free(v), free(a), free(tau), free(back), free(C), free(g);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// Articulated bodies of the tree alone would divide by zero here.
TEST(a_link_without_mass_may_follow)
{
    machine c = chain(20);
    c.massless = 19;
    follow(&c, 19, 4);
    lw_model *m = build(&c, true);
    lw_data *d = new_data(m);
    check_round_trip(m, d, 1e-11);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(a_coordinate_that_moves_no_inertia_is_named)
{
    machine c = chain(20);
    c.massless = 19;
    follow(&c, 12, 4);
    lw_model *m = build(&c, true);
    lw_data *d = new_data(m);
    double *q = numbers(m->nv), *v = numbers(m->nv), *tau = numbers(m->nv), *a = numbers(m->nv);
    const double before = a[3];
    CHECK_INT(lw_forward_dynamics(m, d, q, v, tau, NULL, a), LW_ERR_SINGULAR);
    CHECK_NEAR(a[3], before, 0.0);
    free(q), free(v), free(tau), free(a);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

static size_t size_of(int n, int nfollower)
{
    machine c = chain(n);
    for (int k = 0; k < nfollower; ++k) {
        const int at = (k + 1) * n / (nfollower + 1);
        follow(&c, at, at - 1);
    }
    lw_model *m = build(&c, true);
    lw_data *d = new_data(m);
    check_case("%d joints, %d of them follow", n, nfollower);
    check_round_trip(m, d, 1e-9); // of 1000 joints in a row
    const size_t size = lw_data_size(m);
    lw_data_destroy(d);
    lw_model_destroy(m);
    return size;
}

TEST(a_chain_of_1000_joints_with_couplings_takes_linear_memory)
{
    const double plain = (double)size_of(1000, 0);
    for (int n = 1; n <= 10; n += 9) {
        const double half = (double)size_of(500, n), whole = (double)size_of(1000, n);
        CHECK(whole < 2.2 * half);
        CHECK(whole < 2.5 * plain); // actuators may sit on dependent joints
    }
}

int main(void)
{
    RUN(couplings_along_a_chain_fold_the_matrices_of_the_tree);
    RUN(couplings_between_branches_end_where_these_meet);
    RUN(few_coordinates_move_a_deep_chain);
    RUN(couplings_by_polynomials_turn_velocity_into_acceleration);
    RUN(a_link_without_mass_may_follow);
    RUN(a_coordinate_that_moves_no_inertia_is_named);
    RUN(a_chain_of_1000_joints_with_couplings_takes_linear_memory);
    return REPORT();
}
