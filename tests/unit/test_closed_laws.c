// Laws over random states of every shipped mechanism with loops: loops are closed, velocities are
// the derivatives of positions, forces do the work that energy takes, and forward dynamics undoes
// inverse dynamics. Closed forms of spatial loops against bisection and against Newton's method.
//
// The environment variable LINKWORK_CLOSED_STATES is the number of states per mechanism;
// bench/results/closed_laws.md has the table of
//
//     LINKWORK_CLOSED_STATES=100000 build/tests/test_closed_laws
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"

#include <linkwork/dynamics.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static const double PI = 3.14159265358979323846;

static long states_asked(void)
{
    const char *text = getenv("LINKWORK_CLOSED_STATES");
    const long n = text ? atol(text) : 0;
    return n > 0 ? n : 60;
}

// --- Laws ---------------------------------------------------------------------------------------

/// A state, and the largest errors so far, each over the size of what it is an error of.
typedef struct laws {
    const lw_model *m;
    lw_data *d;
    double q[MOST], v[MOST], a[MOST], tau[MOST];
    double size; ///< m: the farthest frame in the reference configuration
    double gap, velocity, power, dynamics;
    long states, open;
} laws;

static int body_of(const lw_model *m, int v)
{
    int i = 0;
    while (m->v_start[i + 1] <= v) {
        ++i;
    }
    return i;
}

// Within the limits, but not beyond 0.3 rad or 0.03 m from the reference, where all of them close
// but for a few.
static void random_state(laws *s)
{
    for (int i = 0; i < s->m->nv; ++i) {
        const lw_dof *f = &s->m->dof[s->m->v_tree[i]];
        const bool is_slide = s->m->carrier[body_of(s->m, s->m->v_tree[i])] == LW_TREE_PRISMATIC;
        const double reach = is_slide ? 0.03 : 0.3, at = s->m->q_reference[i];
        s->q[i] = check_random(fmax(f->lower, at - reach), fmin(f->upper, at + reach));
        s->v[i] = (is_slide ? 0.2 : 1.0) * check_random(-1.0, 1.0);
        s->a[i] = (is_slide ? 0.5 : 3.0) * check_random(-1.0, 1.0);
    }
}

// A little later along the motion with these velocities and accelerations.
static void state_at(const laws *s, double t, double *q, double *v)
{
    for (int i = 0; i < s->m->nv; ++i) {
        q[i] = s->q[i] + t * (s->v[i] + 0.5 * t * s->a[i]);
        v[i] = s->v[i] + t * s->a[i];
    }
}

static double energy_at(const laws *s, double t)
{
    double q[MOST], v[MOST], kinetic = 0.0, potential = 0.0;
    state_at(s, t, q, v);
    CHECK_INT(lw_kinetic_energy(s->m, s->d, q, v, &kinetic), LW_OK);
    CHECK_INT(lw_potential_energy(s->m, s->d, q, &potential), LW_OK);
    return kinetic + potential;
}

// Differences of fourth order over steps of 1e-3: what they leave out and what rounding adds are
// both about 1e-12.
static double slope(double before2, double before, double after, double after2, double step)
{
    return (8.0 * (after - before) - (after2 - before2)) / (12.0 * step);
}

static void check_power(laws *s)
{
    const double h = 1e-3;
    double power = 0.0, scale = 1e-3;
    for (int i = 0; i < s->m->nv; ++i) {
        power += s->tau[i] * s->v[i];
        scale += fabs(s->tau[i] * s->v[i]);
    }
    const double rate =
        slope(energy_at(s, -2 * h), energy_at(s, -h), energy_at(s, h), energy_at(s, 2 * h), h);
    s->power = fmax(s->power, fabs(rate - power) / scale);
}

// Every dependent angle or length, against the derivative of its position.
static void check_velocity(laws *s)
{
    const double h = 1e-3;
    double at[4][MOST], q[MOST], v[MOST];
    const double t[4] = {-2 * h, -h, h, 2 * h};
    for (int k = 0; k < 4; ++k) {
        state_at(s, t[k], q, v);
        CHECK_INT(lw_tree_state(s->m, s->d, q, NULL, NULL, at[k], NULL, NULL), LW_OK);
    }
    double tree_v[MOST];
    CHECK_INT(lw_tree_state(s->m, s->d, s->q, s->v, NULL, NULL, tree_v, NULL), LW_OK);
    for (int i = 0; i < s->m->tree_nv; ++i) {
        const int body = body_of(s->m, i), p = s->m->q_start[body];
        if (s->m->v_start[body + 1] - s->m->v_start[body] == 1) {
            const double rate = slope(at[0][p], at[1][p], at[2][p], at[3][p], h);
            s->velocity = fmax(s->velocity, fabs(rate - tree_v[i]) / (1.0 + fabs(rate)));
        }
    }
}

static void check_laws(laws *s)
{
    double gap = 0.0, back[MOST], worst = 0.0, scale = 1.0;
    random_state(s);
    ++s->states;
    if (lw_inverse_dynamics(s->m, s->d, s->q, s->v, s->a, NULL, s->tau) != LW_OK) {
        ++s->open;
        return;
    }
    CHECK_INT(lw_loop_gap(s->m, s->d, s->q, &gap), LW_OK);
    s->gap = fmax(s->gap, gap / s->size);
    if (!CHECK_INT(lw_forward_dynamics(s->m, s->d, s->q, s->v, s->tau, NULL, back), LW_OK)) {
        return;
    }
    for (int i = 0; i < s->m->nv; ++i) {
        worst = fmax(worst, fabs(back[i] - s->a[i]));
        scale = fmax(scale, fabs(s->a[i]));
    }
    s->dynamics = fmax(s->dynamics, worst / scale);
    if (s->states % 20 == 1) { // eight closures each
        check_power(s);
        check_velocity(s);
    }
}

static double size_of(const lw_model *m, lw_data *d)
{
    double size = 0.0;
    CHECK_INT(lw_forward_position(m, d, m->q_reference), LW_OK);
    for (int f = 0; f < m->nframe; ++f) {
        lw_pose X;
        lw_frame_pose(m, d, f, &X);
        size = fmax(size, lw_norm3(X.p));
    }
    return size;
}

TEST(D25_D43_laws_of_every_shipped_mechanism_with_loops)
{
    glob_t found;
    const long n = states_asked();
    glob(LINKWORK_SOURCE_DIR "/models/closed/*.xml", 0, NULL, &found);
    printf("| Mechanism | States | Do not close | Gap / size | Velocity | Power | Dynamics |\n"
           "|---|--:|--:|--:|--:|--:|--:|\n");
    for (size_t k = 0; k < found.gl_pathc; ++k) {
        lw_model *m = compile_file(found.gl_pathv[k], false);
        laws s = {.m = m, .d = m ? new_data(m) : NULL};
        check_case("%s", strrchr(found.gl_pathv[k], '/') + 1);
        check_seed(5);
        if (CHECK(s.d != NULL) && s.m->nloop > 0) {
            s.size = size_of(s.m, s.d);
            for (long i = 0; i < n; ++i) {
                check_laws(&s);
            }
            printf("| %s | %ld | %ld | %.1e | %.1e | %.1e | %.1e |\n", s.m->name, s.states, s.open,
                   s.gap, s.velocity, s.power, s.dynamics);
            CHECK(s.open * 20 <= s.states);
            CHECK_NEAR(s.gap, 0.0, 1e-13);
            CHECK_NEAR(s.velocity, 0.0, 1e-7); // fifth derivatives near singular configurations
            CHECK_NEAR(s.power, 0.0, 1e-6);
            CHECK_NEAR(s.dynamics, 0.0, 1e-9); // times the condition number of the mass matrix
        }
        lw_data_destroy(s.d);
        lw_model_destroy(m);
    }
    globfree(&found);
}

// --- Against bisection -------------------------------------------------------------------------

/// A condition on the angle of a rocker, zero where the loop is closed.
typedef struct condition {
    double angle[4]; ///< of a spherical four-bar, rad: crank, coupler, rocker, ground
    bool is_rssr;
} condition;

static lw_vec3 rotated(lw_vec3 a, char axis, double by)
{
    const double c = cos(by), s = sin(by);
    return axis == 'z'   ? lw_vec3_of(c * a.x - s * a.y, s * a.x + c * a.y, a.z)
           : axis == 'y' ? lw_vec3_of(c * a.x + s * a.z, a.y, -s * a.x + c * a.z)
                         : lw_vec3_of(a.x, c * a.y - s * a.z, s * a.y + c * a.z);
}

static double misfit(const condition *k, double crank, double rocker)
{
    if (k->is_rssr) {
        const lw_vec3 pin = rotated(lw_vec3_of(0.08, 0, 0), 'z', crank);
        const lw_vec3 arm = rotated(lw_vec3_of(0.22, 0, 0), 'z', rocker);
        const lw_vec3 end = lw_add3(lw_vec3_of(0.4, 0.1, 0), rotated(arm, 'x', 0.5 * PI));
        const lw_vec3 d = lw_sub3(end, pin);
        return lw_dot3(d, d) - 0.44 * 0.44;
    }
    const lw_vec3 z = {0, 0, 1};
    const lw_vec3 pin = rotated(rotated(z, 'y', k->angle[0]), 'z', crank);
    const lw_vec3 end =
        rotated(rotated(rotated(z, 'y', k->angle[2]), 'z', rocker), 'y', k->angle[3]);
    return lw_dot3(pin, end) - cos(k->angle[1]);
}

// The distance from an angle to the nearest root.
static double from_root(const condition *k, double crank, double rocker)
{
    enum { PIECES = 2000 };
    double nearest = 10.0;
    for (int i = 0; i < PIECES; ++i) {
        double low = -PI + 2.0 * PI * i / PIECES, high = -PI + 2.0 * PI * (i + 1) / PIECES;
        const double at_low = misfit(k, crank, low);
        if (at_low * misfit(k, crank, high) > 0.0) {
            continue;
        }
        for (int n = 0; n < 60; ++n) {
            const double middle = 0.5 * (low + high);
            *(misfit(k, crank, middle) * at_low > 0.0 ? &low : &high) = middle;
        }
        nearest = fmin(nearest, fabs(remainder(low - rocker, 2.0 * PI)));
    }
    return nearest;
}

// Compares the angle of "rocker" over full turns of "crank"; returns how many states closed.
static int compare_roots(lw_model *m, const condition *k, int states)
{
    lw_data *d = m ? new_data(m) : NULL;
    double worst = 0.0;
    int closed = 0, rocker = 0;
    while (m && strcmp(m->tree_velocity_name[rocker], "rocker") != 0) {
        ++rocker; // scalars alone: positions have the same numbers
    }
    for (int n = 0; n < states && CHECK(d != NULL); ++n) {
        const double crank = check_random(-PI, PI);
        double tree[MOST];
        if (lw_tree_state(m, d, &crank, NULL, NULL, tree, NULL, NULL) != LW_OK) {
            continue;
        }
        ++closed;
        worst = fmax(worst, from_root(k, crank, tree[rocker]));
    }
    CHECK_NEAR(worst, 0.0, 1e-9); // roundings over the slope, near where roots meet
    lw_data_destroy(d);
    lw_model_destroy(m);
    return closed;
}

TEST(D21_rssr_is_what_bisection_finds)
{
    const condition k = {.is_rssr = true};
    check_seed(2);
    CHECK_INT(compare_roots(shipped_model("closed/rssr.xml"), &k, 200), 200);
}

// Four-bars of random arcs, with joints in both directions.
static lw_model *random_spherical(condition *k)
{
    char text[2048];
    const double unit = PI / 180.0;
    for (int i = 0; i < 4; ++i) {
        k->angle[i] = check_random(20.0, 120.0) * unit;
    }
    snprintf(
        text, sizeof text,
        "<linkwork version='1' name='random'><ground/>"
        "<joint name='crank' type='revolute' from='ground' to='crank' max_force='1' "
        "reference='0.8'/>"
        "<link name='crank' mass='1' inertia='1 1 1'><frame name='pin' rpy='0 %.17g 0'/></link>"
        "<joint name='coupler' type='revolute' axis='0 0 %d' from='crank.pin' to='coupler' "
        "reference='1' dependent='true'/><link name='coupler' mass='1' inertia='1 1 1'>"
        "<frame name='pin' rpy='0 %.17g 0'/></link>"
        "<joint name='rocker' type='revolute' from='ground' to='rocker' rpy='0 %.17g 0' "
        "reference='1' dependent='true'/><link name='rocker' mass='1' inertia='1 1 1'>"
        "<frame name='pin' rpy='0 %.17g 0'/></link>"
        "<joint name='pin' type='revolute' closing='true' from='coupler.pin' "
        "to='rocker.pin'/></linkwork>",
        k->angle[0], check_random(-1.0, 1.0) > 0.0 ? 1 : -1, k->angle[1], k->angle[3], k->angle[2]);
    lw_mech *mech = load_checked("random.xml", text);
    lw_model *m = NULL;
    lw_compile(mech, NULL, &m, NULL); // some cannot be assembled
    lw_mech_destroy(mech);
    return m;
}

TEST(D21_spherical_four_bars_are_what_bisection_finds)
{
    int closed = 0, machines = 0;
    check_seed(3);
    for (int n = 0; n < 60; ++n) {
        condition k = {.is_rssr = false};
        lw_model *m = random_spherical(&k);
        if (m) {
            check_case("four-bar %d", n);
            CHECK_INT(m->step[0].kind, LW_STEP_SPHERICAL);
            ++machines;
            closed += compare_roots(m, &k, 20);
        }
    }
    CHECK(machines > 20);
    CHECK(closed > 200);
}

// --- Against Newton's method -------------------------------------------------------------------

TEST(R17_bennett_and_bricard_are_what_newton_finds)
{
    static const char *const name[] = {"bennett", "bricard"};
    static const double reach[] = {6.3, 0.9};
    for (int k = 0; k < 2; ++k) {
        char file[64];
        snprintf(file, sizeof file, "closed/%s.xml", name[k]);
        lw_model *m[2] = {shipped_model(file), iterated_linkage(name[k])};
        lw_data *d[2] = {new_data(m[0]), new_data(m[1])};
        double worst = 0.0;
        check_case("%s", name[k]);
        CHECK_INT(m[0]->step[0].kind, LW_STEP_SYMMETRIC);
        CHECK_INT(m[1]->step[0].kind, LW_STEP_BLOCK);
        for (int n = 0; n < 2000; ++n) {
            const double q = m[0]->q_reference[0] + reach[k] * sin(0.01 * n), v = 1.0, a = 0.0;
            double tree[2][3][MOST];
            for (int i = 0; i < 2; ++i) {
                CHECK_INT(lw_tree_state(m[i], d[i], &q, &v, &a, tree[i][0], tree[i][1], tree[i][2]),
                          LW_OK);
            }
            for (int i = 0; i < 3 * m[0]->tree_nv; ++i) {
                const int what = i / m[0]->tree_nv, at = i % m[0]->tree_nv;
                worst = fmax(worst, fabs(tree[0][what][at] - tree[1][what][at]));
            }
        }
        CHECK_NEAR(worst, 0.0, 1e-10);
        for (int i = 0; i < 2; ++i) {
            lw_data_destroy(d[i]);
            lw_model_destroy(m[i]);
        }
    }
}

// Any joint of Bennett's linkage may drive it, and any may be the one that closes it.
TEST(R17_bennett_in_every_description)
{
    check_seed(4);
    for (int n = 0; n < 40; ++n) {
        char text[2048];
        const double one = check_random(0.3, 1.4), two = check_random(1.6, 2.8);
        const double a[2] = {0.2, 0.2 * sin(two) / sin(one)}, twist[2] = {one, two};
        const double k = sin(0.5 * (two + one)) / sin(0.5 * (two - one));
        const double x = check_random(0.5, 2.5), y = 2.0 * atan2(k, tan(0.5 * x));
        const double angle[4] = {x, y, -x, -y};
        const int first = n % 4, source = (n / 4) % 3;
        size_t used =
            (size_t)snprintf(text, sizeof text, "<linkwork version='1' name='b'><ground/>");
        for (int j = 0; j < 3; ++j) {
            const int at = (first + j) % 4, is_back = check_random(-1.0, 1.0) > 0.0;
            // Against its axis, the frame behind is the same and the angle has the other sign.
            static const char *const link[] = {"ground", "l0", "l1"};
            used += (size_t)snprintf(
                text + used, sizeof text - used,
                "<joint name='j%d' type='revolute' axis='0 0 %d' from='%s' to='l%d' "
                "reference='%.17g' dependent='%s'/><link name='l%d' mass='1' inertia='1 1 1'>"
                "<b xyz='%.17g 0 0' rpy='%.17g 0 0'/></link>",
                j, is_back ? -1 : 1, link[j], j, (is_back ? -1.0 : 1.0) * angle[at],
                j == source ? "false" : "true", j, a[at % 2], twist[at % 2]);
        }
        const int last = (first + 3) % 4;
        snprintf(text + used, sizeof text - used,
                 "<joint name='end' type='revolute' closing='true' from='l2' to='ground'>"
                 "<after dh='%.17g %.17g 0 0'/></joint></linkwork>",
                 -twist[last % 2], -a[last % 2]);
        check_case("linkage %d", n);
        lw_model *m = compile_text("bennett.xml", text, NULL);
        if (m) {
            CHECK_INT(m->step[0].kind, LW_STEP_SYMMETRIC);
            lw_data *d = new_data(m);
            double worst = 0.0;
            for (int i = 0; i < 100; ++i) {
                const double q = check_random(-7.0, 7.0);
                double gap = 1.0;
                CHECK_INT(lw_loop_gap(m, d, &q, &gap), LW_OK);
                worst = fmax(worst, gap);
            }
            CHECK_NEAR(worst, 0.0, 1e-13);
            lw_data_destroy(d);
        }
        lw_model_destroy(m);
    }
}

int main(void)
{
    RUN(D25_D43_laws_of_every_shipped_mechanism_with_loops);
    RUN(D21_rssr_is_what_bisection_finds);
    RUN(D21_spherical_four_bars_are_what_bisection_finds);
    RUN(R17_bennett_and_bricard_are_what_newton_finds);
    RUN(R17_bennett_in_every_description);
    return REPORT();
}
