// Derivatives, sensitivities and regressors through loops: random spatial loops of every kind of
// closing joint, rods with mass, and the closed machines that the project ships, against
// differences of the library's own inverse dynamics.
#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include "arrays.h"
#include "check.h"
#include "closed_zoo.h"
#include "load_text.h"
#include "objects.h"
#include "random_mech.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

// --- Machines ---------------------------------------------------------------------------------

static lw_placement some_location(void)
{
    return lw_placement_rpy(random3(0.4), random3(2.0));
}

static void add_link(lw_mech *mech, const char *name)
{
    lw_link_def def = lw_default_link_def();
    def.name = name;
    def.mass = check_random(0.5, 2.0);
    def.inertial = some_location();
    def.inertia = (lw_sym3){0.1, 0.12, 0.09, 0.01, -0.02, 0.005};
    def.b = some_location();
    CHECK(lw_add_link(mech, &def).index >= 0);
    const lw_placement tip = some_location();
    lw_add_frame(mech, lw_find_part(mech, name, LW_PART_LINK), "tip", &tip, (lw_location){0});
}

static void join(lw_mech *mech, const char *one, const char *other)
{
    if (!CHECK(lw_connect_named(mech, one, other) == LW_OK)) {
        printf("%s\n", lw_mech_message(mech));
    }
}

static void hang(lw_mech *mech, lw_joint_def *def, const char *from, const char *link)
{
    char text[64];
    for (int k = 0; k < LW_MAX_DOF; ++k) {
        def->dof[k].damping = 0.3;
        def->dof[k].stiffness = def->type == LW_JOINT_REVOLUTE ? 2.0 : 0.0;
        def->dof[k].rotor_inertia = 0.0;
    }
    CHECK(lw_add_joint(mech, def).index >= 0);
    snprintf(text, sizeof text, "%s.a", def->name);
    join(mech, from, text);
    snprintf(text, sizeof text, "%s.b", def->name);
    char to[64];
    snprintf(to, sizeof to, "%s.a", link);
    join(mech, text, to);
}

// A chain of joints from the ground, one letter each; Q is a user joint.
static const char *const LINK[] = {"l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8"};
static const char *const JOINT[] = {"j0", "j1", "j2", "j3", "j4", "j5", "j6", "j7"};

// Small letters are dependent joints.
static lw_joint_type type_of(char letter)
{
    static const char LETTERS[] = "XRPHCUSEFQ"; // in the order of lw_joint_type
    return (lw_joint_type)(strchr(LETTERS, toupper(letter)) - LETTERS);
}

static lw_mech *chain(const char *types, bool is_open)
{
    lw_mech *mech = new_mech(types);
    const lw_placement anchor = lw_placement_xyz(0.0, 0.0, 0.0);
    add_link(mech, LINK[0]);
    lw_add_frame(mech, lw_find_part(mech, LINK[0], LW_PART_LINK), "anchor", &anchor,
                 (lw_location){0});
    for (int k = 0; types[k]; ++k) {
        add_link(mech, LINK[k + 1]);
        lw_joint_def def = lw_default_joint_def();
        def.name = JOINT[k];
        def.type = type_of(types[k]);
        def.dependent = !is_open && islower(types[k]) != 0;
        def.axis = random_unit();
        def.axis2 = lw_unit3(lw_cross3(def.axis, random_unit()));
        def.pitch = 0.2;
        def.before = some_location();
        def.user = random_mech_user_joint();
        for (int i = 0; i < LW_MAX_DOF; ++i) {
            def.dof[i].reference = check_random(-0.5, 0.5);
        }
        char from[16];
        snprintf(from, sizeof from, "%s.b", LINK[k]);
        hang(mech, &def, from, LINK[k + 1]);
    }
    return mech;
}

// Two things beside the loop: a link that follows its first degree of freedom, and a load on the
// tip.
static void add_tail(lw_mech *mech, const char *source)
{
    static const double coefficient[] = {0.1, 0.7, -0.3};
    add_link(mech, "tail");
    lw_joint_def def = lw_default_joint_def();
    def.name = "follower";
    def.type = LW_JOINT_REVOLUTE;
    def.before = some_location();
    hang(mech, &def, "l1.b", "tail");
    lw_coupling_def coupling = lw_default_coupling_def();
    coupling.dependent = "follower";
    coupling.source = source;
    coupling.ncoefficient = 3;
    coupling.coefficient = coefficient;
    CHECK(lw_add_coupling(mech, &coupling) == LW_OK);
    lw_load_def load = lw_default_load_def();
    load.name = "wind";
    load.axes = LW_IN_WORLD;
    load.force = random3(3.0);
    load.torque = random3(1.0);
    CHECK(lw_add_load(mech, &load).index >= 0);
    join(mech, "tail.b", "wind.a");
}

// The tip of the chain tied to the ground by a closing joint, whose far side lies where the tip is
// in the reference configuration.
static lw_model *closed_by_joint(unsigned seed, const char *types, char closing)
{
    check_seed(seed);
    lw_mech *mech = chain(types, true);
    lw_model *open = compile_checked(mech, NULL);
    lw_data *d = open ? new_data(open) : NULL;
    lw_pose X_WT = lw_pose_identity();
    char tip[16];
    snprintf(tip, sizeof tip, "%s.tip", LINK[strlen(types)]);
    if (d) {
        lw_forward_position(open, d, open->q_reference);
        lw_frame_pose(open, d, lw_find_frame(open, tip), &X_WT);
    }
    lw_data_destroy(d);
    lw_model_destroy(open);
    lw_mech_destroy(mech);
    check_seed(seed);
    mech = chain(types, false);
    lw_joint_def def = lw_default_joint_def();
    def.name = "close";
    def.type = type_of(closing);
    def.closing = true;
    def.axis = random_unit();
    def.axis2 = lw_unit3(lw_cross3(def.axis, random_unit()));
    def.pitch = 0.15;
    def.before = lw_placement_of_pose(&X_WT);
    CHECK(lw_add_joint(mech, &def).index >= 0);
    join(mech, "l0.anchor", "close.a");
    join(mech, tip, "close.b");
    if (types[0] == 'R') {
        add_tail(mech, "j0");
    }
    lw_model *m = compile_checked(mech, NULL);
    lw_mech_destroy(mech);
    return m;
}

// Two rods with mass, one to the ground and one within the chain.
static lw_model *closed_by_rods(const char *types)
{
    lw_mech *mech = chain(types, false);
    const int n = (int)strlen(types);
    char from[16];
    lw_rod_def rod = lw_default_rod_def();
    rod.name = "one";
    rod.mass = 0.7;
    CHECK(lw_add_rod(mech, &rod).index >= 0);
    join(mech, "l0.anchor", "one.a1");
    snprintf(from, sizeof from, "%s.b", LINK[n]);
    join(mech, from, "one.a2");
    rod.name = "two";
    rod.mass = 0.4;
    CHECK(lw_add_rod(mech, &rod).index >= 0);
    join(mech, "l1.b", "two.a1");
    snprintf(from, sizeof from, "%s.b", LINK[n - 1]);
    join(mech, from, "two.a2");
    add_tail(mech, types[0] == 'R' ? "j0" : "j1");
    lw_model *m = compile_checked(mech, NULL);
    lw_mech_destroy(mech);
    return m;
}

static lw_model *shipped(const char *path)
{
    lw_mech *mech = NULL;
    lw_report *report = new_report();
    lw_model *m = NULL;
    if (lw_load_file(path, NULL, &mech, report) == LW_OK) {
        lw_compile(mech, NULL, &m, report);
    }
    for (int k = 0; k < lw_report_count(report) && !m; ++k) {
        printf("%s\n", lw_report_diagnostic(report, k).message);
    }
    lw_report_destroy(report);
    lw_mech_destroy(mech);
    return m;
}

// Random machines near a singular configuration are of no use: there derivatives of any order grow
// without bound, and differences mean nothing.
static bool is_tame(const lw_model *m)
{
    lw_data *d = new_data(m);
    bool is_good = d != NULL;
    for (int k = 0; k < m->nv && is_good; ++k) {
        double v[MOST] = {0};
        v[k] = 1.0;
        is_good = lw_forward_velocity(m, d, m->q_reference, v) == LW_OK;
        for (int f = 0; f < m->nframe && is_good; ++f) {
            lw_motion motion;
            lw_frame_velocity(m, d, f, LW_IN_WORLD, &motion);
            is_good = lw_norm3(motion.ang) < 3.0 && lw_norm3(motion.lin) < 3.0;
        }
    }
    lw_data_destroy(d);
    return is_good;
}

static void visit_one(lw_model *m, void (*visit)(const lw_model *, lw_data *))
{
    lw_data *d = m ? new_data(m) : NULL;
    if (CHECK(d != NULL)) {
        visit(m, d);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

static void every_closed_machine(void (*visit)(const lw_model *, lw_data *))
{
    static const struct {
        const char *types;
        char closing;
    } LOOPS[] = {{"Rrrrrrr", 'X'}, {"Rpuc", 'R'}, {"RRrrr", 'S'}, {"Rsrr", 'P'}, {"Hrsr", 'H'},
                 {"Rsr", 'U'},     {"Rqu", 'C'},  {"RRrrr", 'E'}, {"Rf", 'X'},   {"RCrru", 'U'},
                 {"Rrrrrr", 'R'},  {"FRru", 'E'}, {"RSrrr", 'S'}};
    for (size_t k = 0; k < sizeof LOOPS / sizeof *LOOPS; ++k) {
        check_case("%s closed by %c", LOOPS[k].types, LOOPS[k].closing);
        lw_model *m = NULL;
        for (unsigned seed = 1; !m && CHECK(seed < 100); ++seed) {
            m = closed_by_joint(seed, LOOPS[k].types, LOOPS[k].closing);
            if (m && !is_tame(m)) {
                lw_model_destroy(m);
                m = NULL;
            }
        }
        visit_one(m, visit);
    }
    static const char *const RODS[] = {"RRrr", "RPrr", "RSrp", "RUrr", "FRrr", "RQrr"};
    for (size_t k = 0; k < sizeof RODS / sizeof *RODS; ++k) {
        check_case("%s with rods", RODS[k]);
        lw_model *m = NULL;
        for (unsigned seed = 1; !m && CHECK(seed < 100); ++seed) {
            check_seed(seed);
            m = closed_by_rods(RODS[k]);
            if (m && !is_tame(m)) {
                lw_model_destroy(m);
                m = NULL;
            }
        }
        visit_one(m, visit);
    }
    for (int k = 0; k < closed_zoo_count; ++k) {
        check_case("closed zoo, %s", closed_zoo[k].name);
        check_seed(7);
        lw_mech *mech = closed_zoo[k].build(false);
        visit_one(compile_checked(mech, NULL), visit);
        lw_mech_destroy(mech);
    }
    static const char FOLDER[] = LINKWORK_SOURCE_DIR "/models/closed";
    struct dirent **entry = NULL;
    const int n = scandir(FOLDER, &entry, NULL, alphasort);
    for (int k = 0; k < n; ++k) {
        const char *name = entry[k]->d_name;
        const size_t length = strlen(name);
        if (length > 4 && strcmp(name + length - 4, ".xml") == 0) {
            char path[1024];
            snprintf(path, sizeof path, "%s/%s", FOLDER, name);
            check_case("models/closed/%s", name);
            check_seed(7);
            visit_one(shipped(path), visit);
        }
        free(entry[k]);
    }
    free(entry);
}

// --- States -----------------------------------------------------------------------------------

typedef struct state {
    double q[MOST], v[MOST], a[MOST], tau[MOST];
    lw_force f_ext[MOST];
} state;

// Central differences of eighth order: what is cut off is h^8/630 of the ninth derivative, and
// rounding is about 1e-14 / h of the forces. Lively machines need the smaller step, large forces
// the larger one.
static const double STEPS[2] = {0x1p-8, 0x1p-11};
static const double WEIGHT[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};

// Whether the loops close wherever the differences look.
static bool is_closed_around(const lw_model *m, lw_data *d, const double *q)
{
    bool is_good = true;
    for (int k = 0; k < 2 * m->nv && is_good; ++k) {
        double unit[MOST] = {0}, moved[MOST];
        unit[k / 2] = 1.0;
        lw_integrate(m, q, unit, (k % 2 ? 4.0 : -4.0) * STEPS[0], moved);
        is_good = lw_forward_position(m, d, moved) == LW_OK;
    }
    return is_good;
}

// Near the reference configuration, where loops close and stay away from singular configurations.
static bool find_state(const lw_model *m, lw_data *d, state *s)
{
    for (int attempt = 0; attempt < 20; ++attempt) {
        double step[MOST];
        for (int k = 0; k < m->nv; ++k) {
            step[k] = check_random(-0.1, 0.1);
            s->v[k] = check_random(-1.0, 1.0);
            s->a[k] = check_random(-1.0, 1.0);
            s->tau[k] = check_random(-1.0, 1.0);
        }
        for (int i = 0; i < m->nbody; ++i) {
            s->f_ext[i] = (lw_force){random3(0.5), random3(2.0)};
        }
        lw_integrate(m, m->q_reference, step, 1.0, s->q);
        if (is_closed_around(m, d, s->q) &&
            lw_forward_acceleration(m, d, s->q, s->v, s->a) == LW_OK) {
            return true;
        }
    }
    return CHECK(false);
}

typedef lw_status (*function)(const lw_model *m, lw_data *d, const state *s, double *out);

static lw_status inverse(const lw_model *m, lw_data *d, const state *s, double *out)
{
    return lw_inverse_dynamics(m, d, s->q, s->v, s->a, s->f_ext, out);
}

static lw_status forward(const lw_model *m, lw_data *d, const state *s, double *out)
{
    return lw_forward_dynamics(m, d, s->q, s->v, s->tau, s->f_ext, out);
}

// Column k of a derivative; `which` is 0 for q, 1 for v, 2 for a and tau.
static bool difference(const lw_model *m, lw_data *d, const state *s, function f, int which, int k,
                       double size, double *column)
{
    memset(column, 0, (size_t)m->nv * sizeof *column);
    for (int step = -4; step <= 4; ++step) {
        if (step == 0) {
            continue;
        }
        state moved = *s;
        const double h = step * size;
        if (which == 0) {
            double unit[MOST] = {0};
            unit[k] = 1.0;
            lw_integrate(m, s->q, unit, h, moved.q);
        } else {
            (which == 1 ? moved.v : moved.a)[k] += h;
            moved.tau[k] += which == 2 ? h : 0.0;
        }
        double out[MOST];
        if (!CHECK_INT(f(m, d, &moved, out), LW_OK)) {
            return false;
        }
        const double weight = (step < 0 ? -1.0 : 1.0) * WEIGHT[abs(step) - 1] / size;
        for (int i = 0; i < m->nv; ++i) {
            column[i] += weight * out[i];
        }
    }
    return true;
}

static void check_matrix(const lw_model *m, lw_data *d, const state *s, function f, int which,
                         const double *A)
{
    const int n = m->nv;
    double largest = 1.0, value[MOST]; // differences of large values keep their rounding
    CHECK_INT(f(m, d, s, value), LW_OK);
    for (int k = 0; k < n * n; ++k) {
        largest = fmax(largest, fmax(fabs(A[k]), fabs(value[k / n])));
    }
    for (int k = 0; k < n; ++k) {
        double column[2][MOST];
        if (!difference(m, d, s, f, which, k, STEPS[0], column[0]) ||
            !difference(m, d, s, f, which, k, STEPS[1], column[1])) {
            return;
        }
        for (int i = 0; i < n; ++i) {
            const double mine = A[i * n + k], *one = column[0], *two = column[1];
            const double nearest = fabs(mine - one[i]) < fabs(mine - two[i]) ? one[i] : two[i];
            if (!CHECK_NEAR(mine, nearest, 1e-9 * largest)) {
                return; // one line a matrix is enough
            }
        }
    }
}

static void visit_derivatives(const lw_model *m, lw_data *d)
{
    static double by_q[MOST * MOST], by_v[MOST * MOST], M[MOST * MOST], a[MOST];
    state s;
    lw_dynamics_options options = lw_default_dynamics_options(m);
    options.base_velocity = (lw_motion){random3(0.5), random3(1.0)};
    options.base_acceleration = (lw_motion){random3(0.5), random3(1.0)};
    CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
    if (!CHECK(m->nv <= MOST && m->nbody <= MOST) || !find_state(m, d, &s)) {
        return;
    }
    CHECK_INT(lw_inverse_dynamics_derivatives(m, d, s.q, s.v, s.a, s.f_ext, by_q, by_v, M), LW_OK);
    check_matrix(m, d, &s, inverse, 0, by_q);
    check_matrix(m, d, &s, inverse, 1, by_v);
    check_matrix(m, d, &s, inverse, 2, M);
    const lw_status status =
        lw_forward_dynamics_derivatives(m, d, s.q, s.v, s.tau, s.f_ext, a, by_q, by_v, M);
    CHECK(status == LW_OK || status == LW_ERR_SINGULAR); // shipped machines may have massless tips
    if (status == LW_OK) {
        check_matrix(m, d, &s, forward, 0, by_q);
        check_matrix(m, d, &s, forward, 1, by_v);
        check_matrix(m, d, &s, forward, 2, M);
    }
}

TEST(derivatives_through_loops_agree_with_differences)
{
    every_closed_machine(visit_derivatives);
}

// --- By inertial parameters -------------------------------------------------------------------

// tau = Y p + what has no inertia: forces at the joints, loads, rods with mass. That rest does not
// depend on p, so it is what remains where all p are zero; tau is linear in p, and each sensitivity
// is a combination of columns.
static void visit_regressor(const lw_model *m, lw_data *d)
{
    state s;
    if (!find_state(m, d, &s)) {
        return;
    }
    const int width = 10 * m->nbody;
    double *Y = calloc((size_t)(m->nv * width), sizeof *Y), *p = calloc((size_t)width, sizeof *p);
    double tau[MOST];
    lw_dynamics_options options = lw_default_dynamics_options(m);
    options.is_ideal = true;
    lw_set_dynamics_options(d, &options);
    CHECK_INT(lw_regressor(m, d, s.q, s.v, s.a, Y), LW_OK);
    CHECK_INT(lw_inertial_parameters(m, p), LW_OK);
    bool has_rest = m->nload > 0;
    for (int k = 0; k < m->nloop; ++k) {
        has_rest |= m->loop[k].mass > 0.0;
    }
    CHECK_INT(lw_inverse_dynamics(m, d, s.q, s.v, s.a, NULL, tau), LW_OK);
    for (int i = 0; i < m->nv && !has_rest; ++i) {
        double sum = 0.0, size = 1.0;
        for (int k = 0; k < width; ++k) {
            sum += Y[i * width + k] * p[k];
            size += fabs(Y[i * width + k] * p[k]);
        }
        CHECK_NEAR(sum, tau[i], 1e-12 * size);
    }
    // Each parameter of each link against the columns of its body.
    for (int link = 0; link < m->nlink; ++link) {
        for (int kind = 0; kind < LW_LINK_PARAMETER_COUNT; ++kind) {
            lw_inertial_parameter parameter;
            double dtau[MOST];
            CHECK_INT(lw_parameter_of_link(m, link, (lw_link_parameter)kind, &parameter), LW_OK);
            CHECK_INT(lw_inertial_sensitivity(m, d, s.q, s.v, s.a, 1, &parameter, dtau), LW_OK);
            const lw_inertia *I = &parameter.rate;
            const double ten[10] = {I->mass,           I->first_moment.x, I->first_moment.y,
                                    I->first_moment.z, I->tensor.xx,      I->tensor.yy,
                                    I->tensor.zz,      I->tensor.xy,      I->tensor.xz,
                                    I->tensor.yz};
            for (int i = 0; i < m->nv; ++i) {
                double sum = 0.0, size = 1.0;
                for (int k = 0; k < 10 && parameter.body >= 0; ++k) {
                    const double term = Y[i * width + 10 * parameter.body + k] * ten[k];
                    sum += term;
                    size += fabs(term);
                }
                CHECK_NEAR(dtau[i], sum, 1e-12 * size);
            }
        }
    }
    free(Y);
    free(p);
}

TEST(regressor_and_sensitivities_through_loops)
{
    every_closed_machine(visit_regressor);
}

// --- Coriolis ---------------------------------------------------------------------------------

// C v is what velocities cause, and dM/dt - 2 C is skew; dM/dt by differences along the motion.
static void visit_coriolis(const lw_model *m, lw_data *d)
{
    static double C[MOST * MOST], M[MOST * MOST], rate[2][MOST * MOST];
    state s;
    lw_dynamics_options options = lw_default_dynamics_options(m);
    options.is_ideal = true;
    options.gravity = lw_vec3_of(0, 0, 0);
    lw_set_dynamics_options(d, &options);
    if (!find_state(m, d, &s)) {
        return;
    }
    const int n = m->nv;
    double zero[MOST] = {0}, with[MOST], without[MOST], size = 1.0;
    CHECK_INT(lw_coriolis_matrix(m, d, s.q, s.v, C), LW_OK);
    CHECK_INT(lw_inverse_dynamics(m, d, s.q, s.v, zero, NULL, with), LW_OK);
    CHECK_INT(lw_inverse_dynamics(m, d, s.q, zero, zero, NULL, without), LW_OK);
    memset(rate, 0, sizeof rate);
    for (int step = -4; step <= 4; ++step) {
        double q[MOST];
        for (int which = 0; which < 2 && step != 0; ++which) {
            const double weight = (step < 0 ? -1.0 : 1.0) * WEIGHT[abs(step) - 1] / STEPS[which];
            lw_integrate(m, s.q, s.v, step * STEPS[which], q);
            CHECK_INT(lw_mass_matrix(m, d, q, M), LW_OK);
            for (int k = 0; k < n * n; ++k) {
                rate[which][k] += weight * M[k];
                size = fmax(size, fabs(M[k]));
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int k = 0; k < n; ++k) {
            sum += C[i * n + k] * s.v[k];
            const double both = C[i * n + k] + C[k * n + i], *one = rate[0], *two = rate[1];
            const double first = fabs(both - one[i * n + k]), second = fabs(both - two[i * n + k]);
            CHECK_NEAR(fmin(first, second), 0.0, 1e-9 * size);
        }
        CHECK_NEAR(sum, with[i] - without[i], 1e-10 * size);
    }
}

TEST(coriolis_matrix_through_loops)
{
    every_closed_machine(visit_coriolis);
}

int main(void)
{
    RUN(derivatives_through_loops_agree_with_differences);
    RUN(regressor_and_sensitivities_through_loops);
    RUN(coriolis_matrix_through_loops);
    return REPORT();
}
