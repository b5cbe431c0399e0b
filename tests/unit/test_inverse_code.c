// Inverse kinematics as derived equations and as code: against lw_ik, by forward kinematics, and by
// compilers (K10, K20, V23, D34).
#include "check.h"
#include "compiled.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"

#include <linkwork/compile.h>
#include <linkwork/configure.h>
#include <linkwork/engine.h>
#include <linkwork/generate.h>
#include <linkwork/ik.h>
#include <linkwork/io.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
enum { ROWS = 8, MOST = 8 * 9 };
static char folder[64];

// Joints as "axis x y z offset x y z", of six revolute joints; the offset is that of the next one.
typedef struct arm_def {
    const char *name;
    double joint[6][6];
} arm_def;

static const arm_def arms[] = {
    {"spherical wrist, axes 1 and 2 intersect, skew wrist",
     {{0, 0, 1, 0, 0, 0},
      {0, 1, 0, 0.1, 0.2, 0.5},
      {1, 0, 0, 0.05, 0.1, 0.6},
      {0, 0, 1, 0, 0, 0},
      {0, 0.8, 0.6, 0, 0, 0},
      {0, 0, 1, 0.02, 0.03, 0.1}}},
    {"spherical wrist, axes 1 and 2 parallel",
     {{0, 0, 1, 0.4, 0.1, 0.2},
      {0, 0, 1, 0.3, 0, 0.1},
      {0, 1, 0, 0.1, 0.05, 0.4},
      {0, 0, 1, 0, 0, 0},
      {0, 1, 0, 0, 0, 0},
      {0, 0, 1, 0, 0, 0.1}}},
    {"spherical wrist, axes 2 and 3 opposed, offsets",
     {{0, 0, 1, 0.1, 0.02, 0.3},
      {0, 1, 0, 0.05, 0.1, 0.5},
      {0, -1, 0, 0.1, 0.03, 0.6},
      {1, 0, 0, 0, 0, 0},
      {0, 0, 1, 0, 0, 0},
      {1, 0, 0, 0.1, 0, 0}}},
    {"three parallel axes of both senses, last two skew to them",
     {{0, 0, 1, 0, 0.1, 0.1},
      {0, 1, 0, 0.4, 0.02, 0},
      {0, -1, 0, 0.4, 0, 0.03},
      {0, 1, 0, 0.05, 0.1, 0.02},
      {0.6, 0, 0.8, 0, 0, 0},
      {0, 1, 0, 0.01, 0.08, 0.03}}},
    {"spherical shoulder: seen from the tip",
     {{0, 0, 1, 0, 0, 0},
      {0, 1, 0, 0, 0, 0},
      {0, 0, 1, 0.1, 0, 0.5},
      {0, 1, 0, 0.1, 0, 0.4},
      {0, 1, 0, 0.05, 0.1, 0.1},
      {1, 0, 0, 0.1, 0.02, 0}}},
};

static lw_model *model_of(const arm_def *arm, int n)
{
    char text[4000];
    size_t used = (size_t)snprintf(text, sizeof text, "<linkwork version='1' name='arm'><ground/>");
    for (int i = 0; i < n; ++i) {
        const double *j = arm->joint[i];
        char from[16] = "ground";
        if (i > 0) {
            snprintf(from, sizeof from, "l%d.end", i);
        }
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "<joint name='q%d' type='revolute' axis='%g %g %g' from='%s' "
                                 "to='l%d'/><link name='l%d' mass='1' inertia='1 1 1'>"
                                 "<frame name='end' xyz='%g %g %g'/></link>",
                                 i + 1, j[0], j[1], j[2], from, i + 1, i + 1, j[3], j[4], j[5]);
    }
    snprintf(text + used, sizeof text - used, "</linkwork>");
    return compile_text("arm.xml", text, NULL);
}

static lw_derivation *derive(const lw_model *m, int frame, int effort, lw_report *report)
{
    lw_derivation *d = NULL;
    lw_derive_options options = lw_default_derive_options();
    options.functions = 1u << LW_FUNCTION_INVERSE_KINEMATICS;
    options.frame = frame;
    options.effort = effort;
    CHECK_INT(lw_derive(m, &options, &d, report), report ? LW_ERR_UNSUPPORTED : LW_OK);
    return d;
}

static void numbers_of(const lw_pose *X, double x[12])
{
    memcpy(x, X->R.row, 9 * sizeof *x);
    memcpy(x + 9, &X->p, 3 * sizeof *x);
}

static double residual_of(const lw_model *m, lw_data *d, int tip, const lw_pose *X, const double *q)
{
    lw_pose now;
    if (lw_pose_of_frame(m, d, q, tip, &now) != LW_OK) {
        return (double)INFINITY;
    }
    const lw_mat3 back = lw_transpose3(&now.R), R = lw_mul3(&X->R, &back);
    const lw_vec3 w = lw_log3(&R), e = lw_sub3(X->p, now.p);
    return sqrt(lw_dot3(w, w) + lw_dot3(e, e));
}

static double apart(const lw_ik_info *info, const double *a, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < info->njoint; ++i) {
        const int k = info->position[i];
        const double d = k < 0 ? 0.0 : a[k] - b[k]; // of a dependent joint there is none
        worst = fmax(worst, info->is_prismatic[i] ? fabs(d) : fabs(remainder(d, 2.0 * PI)));
    }
    return worst;
}

// Every row that is real is a solution, and one of lw_ik; every solution of lw_ik is a row.
static void check_pose(const lw_model *m, lw_data *d, lw_derivation *derived, lw_ik *ik, int tip,
                       const double *q)
{
    const lw_ik_info *info = lw_ik_describe(ik);
    const int width = m->nq + 1;
    double x[12], Q[MOST];
    lw_ik_target target = {0};
    lw_ik_result r;
    CHECK_INT(lw_pose_of_frame(m, d, q, tip, &target.X_BT), LW_OK);
    numbers_of(&target.X_BT, x);
    CHECK_INT(
        lw_derivation_run(derived, LW_FUNCTION_INVERSE_KINEMATICS, x, NULL, NULL, 0.0, NULL, Q),
        LW_OK);
    CHECK_INT(lw_ik_solve(ik, &target, NULL, &r), LW_OK);
    bool is_found = false;
    for (int i = 0; i < ROWS; ++i) {
        const double *row = Q + i * width, is_real = row[m->nq];
        CHECK(is_real == 0.0 || is_real == 1.0);
        bool is_there = is_real == 0.0;
        for (int s = 0; s < r.nsolution && !is_there; ++s) {
            is_there = r.solution[s].is_exact && apart(info, r.solution[s].q, row) < 1e-6;
        }
        CHECK(is_there);
        CHECK(is_real == 0.0 || residual_of(m, d, tip, &target.X_BT, row) < 1e-9);
        is_found = is_found || (is_real == 1.0 && apart(info, q, row) < 1e-6);
    }
    CHECK(is_found);
    for (int s = 0; s < r.nsolution; ++s) {
        bool is_there = false;
        for (int i = 0; i < ROWS; ++i) {
            const double *row = Q + i * width;
            is_there = is_there || (row[m->nq] == 1.0 && apart(info, r.solution[s].q, row) < 1e-6);
        }
        CHECK(is_there);
    }
}

// The rotation of a palletiser's tip is that of its first and last joint as long as its rods keep
// it level. Where they do not the equations have no solution. Next to dead centres, where rods lose
// half the digits, neither is asked for.
static bool is_level(const lw_model *m, lw_data *d, lw_derivation *derived, int tip,
                     const double *q)
{
    const double upright[4] = {q[0], 0.0, 0.0, q[3]};
    double x[12], level[12], Q[MOST], off = 0.0;
    lw_pose X;
    CHECK_INT(lw_pose_of_frame(m, d, upright, tip, &X), LW_OK);
    numbers_of(&X, level);
    CHECK_INT(lw_pose_of_frame(m, d, q, tip, &X), LW_OK);
    numbers_of(&X, x);
    for (int i = 0; i < 9; ++i) {
        off = fmax(off, fabs(x[i] - level[i]));
    }
    CHECK_INT(
        lw_derivation_run(derived, LW_FUNCTION_INVERSE_KINEMATICS, x, NULL, NULL, 0.0, NULL, Q),
        LW_OK);
    for (int i = 0; i < ROWS && off > 1e-5; ++i) {
        CHECK(Q[i * (m->nq + 1) + m->nq] == 0.0);
    }
    return off <= 1e-12;
}

// How many of 1000 states have solutions.
static int check_arm(const char *name, lw_model *m, int tip)
{
    lw_ik *ik = NULL;
    int found = 0;
    lw_ik_def def = lw_default_ik_def(-1, tip);
    def.ignores_limits = true;
    check_case("%s", name);
    lw_derivation *derived = m ? derive(m, tip, 0, NULL) : NULL;
    lw_data *d = m ? new_data(m) : NULL;
    if (d && derived && CHECK_INT(lw_ik_create(m, &def, &ik, NULL), LW_OK)) {
        unsigned long long seed = 5;
        double q[8] = {0};
        for (int n = 0; n < 1000; ++n) {
            for (int i = 0; i < m->nq; ++i) {
                seed = seed * 6364136223846793005ull + 1442695040888963407ull;
                q[i] = PI * (2.0 * (double)(seed >> 11) / 9007199254740992.0 - 1.0);
            }
            if (m->nstep == 0 || is_level(m, d, derived, tip, q)) {
                check_pose(m, d, derived, ik, tip, q);
                ++found;
            }
        }
    }
    lw_ik_destroy(ik);
    lw_data_destroy(d);
    lw_derivation_destroy(derived);
    lw_model_destroy(m);
    return found;
}

TEST(K10_D34_derived_solutions_are_those_of_lw_ik)
{
    static const char *const shipped[][2] = {{"puma560.xml", "flange"},
                                             {"puma560_craig.xml", NULL},
                                             {"ur5_class.xml", "tool"},
                                             {"stanford.xml", "tool"},
                                             {"scara.xml", NULL}};
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; ++i) {
        lw_model *m = shipped_model(shipped[i][0]);
        const int tip = m ? m->nframe - 1 : -1;
        check_arm(shipped[i][0], m, tip);
    }
    for (size_t i = 0; i < sizeof arms / sizeof *arms; ++i) {
        lw_model *m = model_of(&arms[i], 6);
        check_arm(arms[i].name, m, m ? m->nframe - 1 : -1);
    }
}

// Rods keep a palletiser's flange level up to their dead centres. Other solutions of poses before
// them may be beyond, and are none. Axes may be of either sense, the forearm bent, the lever on
// either link, and the last joint missing.
TEST(K10_D34_derived_solutions_of_palletisers_end_at_dead_centres)
{
    static const struct {
        const char *from, *to, *frame;
    } kinds[] = {
        {"palletiser", "palletiser", "flange"},
        {"<b xyz=\"1.3 0 0\"/>", "<b xyz=\"1.2 0 0.5\"/>", "flange"},
        {"axis=\"0 1 0\" from=\"L12\"", "axis=\"0 -1 0\" from=\"L12\"", "flange"},
        {"axis=\"0 1 0\" from=\"L23\"", "axis=\"0 -1 0\" from=\"L23\"", "flange"},
        {"axis=\"0 1 0\" from=\"L34\"", "axis=\"0 -1 0\" from=\"L34\"", "flange"},
        {"axis=\"0 1 0\" from=\"L36\"", "axis=\"0 -1 0\" from=\"L36\"", "flange"},
        {"axis=\"0 0 1\" from=\"L45\"", "axis=\"0.6 0 -0.8\" from=\"L45\"", "flange"},
        {"axis=\"0 1 0\" from=\"L36\"", "axis=\"0 1 0\" from=\"L23\"", "flange"},
        {"<b xyz=\"0 0 0.25\"/></link>\n  <link name=\"L5D\"",
         "<b xyz=\"0.07 0 0.24\"/></link>\n  <link name=\"L5D\"", "flange"}, // the sum is not zero
        {"palletiser", "palletiser", "L45"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        lw_model *m = shipped_model_with("closed/palletiser.xml", kinds[i].from, kinds[i].to);
        const int found = check_arm(kinds[i].to, m, m ? lw_find_frame(m, kinds[i].frame) : -1);
        CHECK(found > 150 && found < 350); // a quarter, where both rods are before dead centre
    }
}

// --- Slides, loops beside the chain, platforms ------------------------------------------------

static lw_model *model_of_spec(const char *name)
{
    char path[400];
    lw_spec *spec = NULL;
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    snprintf(path, sizeof path, "%s/models/specs/%s", LINKWORK_SOURCE_DIR, name);
    if (CHECK_INT(lw_spec_load(path, &spec, NULL), LW_OK) &&
        CHECK_INT(lw_spec_build(spec, &mech, NULL), LW_OK)) {
        CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_OK);
    }
    lw_mech_destroy(mech);
    lw_spec_destroy(spec);
    return m;
}

// Slides of less than a metre count as angles here.
static double all_apart(int n, const double *a, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < n; ++i) {
        worst = fmax(worst, fabs(remainder(a[i] - b[i], 2.0 * PI)));
    }
    return worst;
}

static bool has_row(const double *Q, int rows, int nq, const double *q)
{
    bool has = false;
    for (int i = 0; i < rows; ++i) {
        const double *row = Q + i * (nq + 1);
        has = has || (row[nq] == 1.0 && all_apart(nq, row, q) < 1e-6);
    }
    return has;
}

// The state is a row, all rows that are real reach the target, and rows and the solutions of lw_ik
// are the same set, of all coordinates and as the mechanism is assembled. Returns how many rows are
// real.
static int check_all_rows(const lw_model *m, lw_data *d, lw_derivation *derived, lw_ik *ik, int tip,
                          bool is_position, const double *q)
{
    const int rows = lw_function_size(m, LW_FUNCTION_INVERSE_KINEMATICS) / (m->nq + 1);
    double x[12], Q[16 * 9];
    lw_ik_target target = {0};
    lw_ik_result r;
    int real = 0;
    CHECK(rows * (m->nq + 1) <= 16 * 9);
    CHECK_INT(lw_pose_of_frame(m, d, q, tip, &target.X_BT), LW_OK);
    numbers_of(&target.X_BT, x);
    CHECK_INT(
        lw_derivation_run(derived, LW_FUNCTION_INVERSE_KINEMATICS, x, NULL, NULL, 0.0, NULL, Q),
        LW_OK);
    CHECK(has_row(Q, rows, m->nq, q));
    CHECK_INT(lw_ik_solve(ik, &target, q, &r), LW_OK);
    for (int i = 0; i < rows; ++i) {
        const double *row = Q + i * (m->nq + 1);
        bool is_solution = false;
        for (int s = 0; s < r.nsolution; ++s) {
            is_solution = is_solution || all_apart(m->nq, row, r.solution[s].q) < 1e-6;
        }
        lw_pose X;
        if (row[m->nq] == 1.0) {
            ++real;
            CHECK(is_solution);
            CHECK(is_position ? lw_pose_of_frame(m, d, row, tip, &X) == LW_OK &&
                                    lw_norm3(lw_sub3(X.p, target.X_BT.p)) <= 1e-12
                              : residual_of(m, d, tip, &target.X_BT, row) < 1e-9);
        }
    }
    for (int s = 0; s < r.nsolution; ++s) {
        CHECK(!r.solution[s].is_same_assembly || has_row(Q, rows, m->nq, r.solution[s].q));
    }
    return real;
}

static void check_states(const char *name, lw_model *m, int tip, bool is_position, int want)
{
    lw_ik_def def = lw_default_ik_def(-1, tip);
    lw_ik *ik = NULL;
    check_case("%s", name);
    def.ignores_limits = true;
    def.task = is_position ? LW_IK_POSITION : LW_IK_POSE;
    lw_derivation *derived = CHECK(tip >= 0) ? derive(m, tip, 0, NULL) : NULL;
    lw_data *d = new_data(m);
    if (derived && CHECK_INT(lw_ik_create(m, &def, &ik, NULL), LW_OK)) {
        unsigned long long seed = 9;
        double q[8], v[8], a[8], tau[8];
        int most = 0;
        for (int n = 0; n < 200; ++n) {
            lw_random_state(m, d, &seed, 0.7, q, v, a, tau);
            for (int k = lw_ik_describe(ik)->njoint; m->nstep == 0 && k < m->nq; ++k) {
                q[k] = 0.0; // beyond the chain
            }
            const int real = check_all_rows(m, d, derived, ik, tip, is_position, q);
            most = real > most ? real : most;
        }
        CHECK_INT(most, want);
    }
    lw_ik_destroy(ik);
    lw_data_destroy(d);
    lw_derivation_destroy(derived);
    lw_model_destroy(m);
}

TEST(K10_D34_derived_solutions_of_slides_loops_and_platforms)
{
    static const struct {
        const char *file, *frame;
        int most; ///< rows that are real at a time
    } kinds[] = {{"gantry.xml", "hand", 2},
                 {"gantry.xml", "carriage", 1},
                 {"cylindrical.spec", "tool_body.tool", 1},
                 {"closed/five_bar.xml", "left_forearm.tool", 4},
                 {"closed/delta.xml", "platform", 5},
                 {"five_bar.spec", "left_forearm.tool", 4},
                 {"delta.spec", "platform.tool", 5},
                 {"hr120_class.spec", "payload.tool", 8}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        const bool is_spec = strstr(kinds[i].file, ".spec") != NULL;
        lw_model *m = is_spec ? model_of_spec(kinds[i].file) : shipped_model(kinds[i].file);
        check_states(kinds[i].file, m, m ? lw_find_frame(m, kinds[i].frame) : -1, m && m->nq == 2,
                     kinds[i].most);
    }
}

// --- Legs -------------------------------------------------------------------------------------

static lw_model *leg_of(const double joint[3][6])
{
    arm_def arm = {"leg", {{0}}};
    memcpy(arm.joint, joint, 3 * sizeof *joint);
    return model_of(&arm, 3);
}

TEST(C20_C45_K10_derived_solutions_of_legs_reach_the_foot)
{
    static const double kinds[][3][6] = {
        // offsets to the side, knee of the other sense
        {{1, 0, 0, 0.03, 0.06, -0.02}, {0, 1, 0, 0.01, 0.04, -0.3}, {0, -1, 0, 0.02, 0.01, -0.35}},
        // axes 1 and 2 intersect, the last is skew to both
        {{0, 0, 1, 0, 0, 0.1}, {0, 1, 0, 0.05, 0.02, -0.3}, {0.6, 0, 0.8, 0.03, 0.25, -0.1}},
        // axes 1 and 2 parallel
        {{0, 0, 1, 0.3, 0.02, 0.1}, {0, 0, 1, 0.25, 0, 0.05}, {0, 1, 0, 0.1, 0.03, -0.2}},
    };
    lw_model *m = shipped_model("quadruped/leg.xml");
    check_states("leg", m, m ? lw_find_frame(m, "shin.foot") : -1, true, 4);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        m = leg_of(kinds[i]);
        check_states("leg of its own", m, m ? m->nframe - 1 : -1, true, 4);
    }
}

TEST(C20_legs_of_an_independent_program)
{
    json_t *file = reference_read("mobility_oracles.json");
    json_t *cases = json_object_get(json_object_get(file, "leg_3r"), "cases"), *one, *solution;
    size_t i, k;
    json_array_foreach(cases, i, one)
    {
        double l[3], x[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, Q[8 * 4], q[3];
        CHECK_INT(reference_numbers(json_object_get(one, "l"), l, 3), 3);
        CHECK_INT(reference_numbers(json_object_get(one, "foot"), x + 9, 3), 3);
        const double joint[3][6] = {
            {1, 0, 0, 0, l[0], 0}, {0, 1, 0, 0, 0, -l[1]}, {0, 1, 0, 0, 0, -l[2]}};
        lw_model *m = leg_of(joint);
        lw_derivation *derived = derive(m, m->nframe - 1, 0, NULL);
        const lw_function f = LW_FUNCTION_INVERSE_KINEMATICS;
        const int rows = lw_function_size(m, f) / 4;
        int real = 0;
        if (!CHECK(rows <= 8) ||
            !CHECK_INT(lw_derivation_run(derived, f, x, NULL, NULL, 0.0, NULL, Q), LW_OK)) {
            break;
        }
        for (int row = 0; row < rows; ++row) {
            real += Q[4 * row + 3] == 1.0;
        }
        CHECK_INT(real, (int)json_array_size(json_object_get(one, "solutions")));
        json_array_foreach(json_object_get(one, "solutions"), k, solution)
        {
            double nearest = HUGE_VAL;
            CHECK_INT(reference_numbers(solution, q, 3), 3);
            for (int row = 0; row < rows; ++row) {
                const double off = Q[4 * row + 3] == 1.0 ? all_apart(3, Q + 4 * row, q) : HUGE_VAL;
                nearest = fmin(nearest, off);
            }
            CHECK_NEAR(nearest, 0, 1e-13);
        }
        lw_derivation_destroy(derived);
        lw_model_destroy(m);
    }
    json_decref(file);
}

static void check_refused(lw_model *m, int tip, const char *text)
{
    lw_report *report = new_report();
    check_case("%s", text);
    CHECK(derive(m, tip, 0, report) == NULL);
    const char *line = diagnostic_with(report, "inverse kinematics of frame");
    CHECK(strstr(line, text) && strstr(line, "linkwork ik"));
    lw_report_destroy(report);
    lw_model_destroy(m);
}

TEST(C20_K10_other_classes_are_refused_by_name)
{
    static const struct {
        double joint[3][6];
        const char *text;
    } kinds[] = {
        {{{1, 0, 0, 0, 0.1, 0.1}, {0, 1, 0, 0, 0, -0.3}, {0, 0, 1, 0.3, 0, 0}},
         "(an axis and two axes that intersect)"},
        {{{1, 0, 0, 0, 0.1, 0.1}, {0, 1, 0, 0.1, 0, 0.3}, {0, 0.6, 0.8, 0.3, 0, 0}},
         "(three axes)"},
        {{{1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0}}, "no equations are derived"},
        {{{1, 0, 0, 0, 0.1, -0.1}, {0, 1, 0, 0, 0, -0.3}, {0, 1, 0, 0, 0.1, 0}},
         "(an axis and two parallel axes)"}, // the foot is on the axis of the knee
        {{{0, 1, 0, 0, 0, -0.1}, {0, 1, 0, 0, 0, -0.3}, {0, 1, 0, 0, 0, -0.3}},
         "no equations are derived"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        lw_model *m = leg_of(kinds[i].joint);
        check_refused(m, m ? m->nframe - 1 : -1, kinds[i].text);
    }
    lw_model *m = shipped_model("quadruped/quadruped.xml");
    check_refused(m, lw_find_frame(m, "hind_left/shin.foot"), "joint \"root\" moves the base");
    m = shipped_model("lemur_class/limb.xml");
    check_refused(m, lw_find_frame(m, "shin.foot"), "(one axis, then a spherical wrist)");
    m = shipped_model("panda_class.xml");
    check_refused(m, m->nframe - 1, "no equations are derived for this class");
}

// Stretched and aligned arms: every row is finite, and the pose is reached where it is real.
TEST(K10_singular_poses_have_numbers)
{
    static const double half = 1.57079632679489661923;
    static const double states[][6] = {{0},
                                       {0.3, -0.4, 0.5, 0, 0, 0},
                                       {0, -half, half, 0, 0, 0},
                                       {0.1, 0.2, 0, 0.3, half, 0.4},
                                       {0, 0, 0, 0, half, 0}};
    static const char *const shipped[] = {"puma560.xml", "ur5_class.xml", "stanford.xml"};
    for (int k = 0; k < 3; ++k) {
        lw_model *m = shipped_model(shipped[k]);
        const int tip = m->nframe - 1;
        lw_derivation *derived = derive(m, tip, 0, NULL);
        lw_data *d = new_data(m);
        for (size_t i = 0; derived && i < sizeof states / sizeof *states; ++i) {
            double x[12], Q[MOST];
            lw_pose X;
            check_case("%s, state %zu", shipped[k], i);
            CHECK_INT(lw_pose_of_frame(m, d, states[i], tip, &X), LW_OK);
            numbers_of(&X, x);
            CHECK_INT(lw_derivation_run(derived, LW_FUNCTION_INVERSE_KINEMATICS, x, NULL, NULL, 0.0,
                                        NULL, Q),
                      LW_OK);
            int real = 0;
            for (int r = 0; r < ROWS; ++r) {
                const double *row = Q + r * 7;
                real += row[6] == 1.0;
                CHECK(row[6] == 0.0 || residual_of(m, d, tip, &X, row) < 1e-6);
            }
            CHECK(real > 0);
        }
        lw_data_destroy(d);
        lw_derivation_destroy(derived);
        lw_model_destroy(m);
    }
}

// Far away nothing is real, and all is finite all the same.
TEST(K10_out_of_reach_no_row_is_real)
{
    const double x[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 7, 8, 9};
    for (int k = 0; k < 2; ++k) {
        lw_model *m = shipped_model(k == 0 ? "puma560.xml" : "quadruped/leg.xml");
        lw_derivation *d = derive(m, k == 0 ? m->nframe - 1 : lw_find_frame(m, "foot"), 0, NULL);
        double Q[MOST];
        CHECK_INT(lw_derivation_run(d, LW_FUNCTION_INVERSE_KINEMATICS, x, NULL, NULL, 0.0, NULL, Q),
                  LW_OK);
        for (int i = 0; i < ROWS; ++i) {
            CHECK(Q[(i + 1) * (m->nq + 1) - 1] == 0.0);
        }
        lw_derivation_destroy(d);
        lw_model_destroy(m);
    }
}

static char *generate(lw_derivation *d, lw_generate_options options)
{
    char *text = NULL;
    size_t size = 0;
    options.prefix = "arm";
    CHECK_INT(lw_generate(d, &options, &text, &size, NULL), LW_OK);
    return text ? text : calloc(1, 1);
}

TEST(K20_V23_code_of_inverse_kinematics_checks_itself)
{
    static const char *const shipped[] = {
        "puma560.xml",         "ur5_class.xml",         "stanford.xml",
        "scara.xml",           "closed/palletiser.xml", "gantry.xml",
        "closed/five_bar.xml", "closed/delta.xml",      "quadruped/leg.xml"};
    static const struct {
        lw_generate_options options;
        const char *flags, *tolerance;
    } kinds[] = {
        {{.lanes = 1}, "-O2 -Wpedantic", "1e-9"},
        {{.lanes = 1, .real = LW_REAL_FLOAT}, "-O1 -Wpedantic -Wdouble-promotion", "1e-3f"},
        {{.lanes = 4, .sincos = LW_SINCOS_INLINE}, "-O1 -Wno-psabi", "1e-9"},
    };
    for (int k = 0; k < 9; ++k) {
        static const char *const tips[9] = {
            [4] = "flange", [6] = "left_forearm.tool", [7] = "platform", [8] = "shin.foot"};
        lw_model *m = shipped_model(shipped[k]);
        const int tip = tips[k] ? lw_find_frame(m, tips[k]) : m->nframe - 1;
        lw_derivation *d = derive(m, tip, k == 3, NULL);
        for (size_t i = 0; d && i < sizeof kinds / sizeof *kinds; ++i) {
            check_case("%s, kind %zu", shipped[k], i);
            char *text = generate(d, kinds[i].options);
            CHECK(strstr(text, "arm_inverse_kinematics(const ") && strstr(text, " X[12], "));
            compiled_self_check(folder, "gcc", kinds[i].flags, text, kinds[i].tolerance);
            lw_text_free(text);
        }
        char *python =
            d ? generate(d, (lw_generate_options){.lanes = 1, .language = LW_LANGUAGE_PYTHON})
              : NULL;
        if (python && compiled_has("python3") && CHECK(compiled_write(folder, "arm.py", python)) &&
            !CHECK_INT(compiled_run(folder, "python3 -B -c 'import arm, sys; "
                                            "sys.exit(not arm.self_check() < 1e-9)'"),
                       0)) {
            compiled_show_log(folder);
        }
        lw_text_free(python);
        lw_derivation_destroy(d);
        lw_model_destroy(m);
    }
}

// A routine of one's own: that of another engine, with one joint of one solution off.
typedef struct own_routine {
    lw_engine *engine;
    double off;
} own_routine;

static lw_status run_own(void *self, lw_function which, const lw_engine_state *state, double *Q)
{
    const own_routine *own = self;
    const lw_status status = lw_engine_run(own->engine, which, state, Q);
    for (int i = 0; i < ROWS && status == LW_OK; ++i) {
        if (Q[i * 7 + 6] == 1.0) {
            Q[i * 7 + 3] += own->off;
            break;
        }
    }
    return status;
}

TEST(C07_C08_D34_engines_of_inverse_kinematics_agree_as_sets)
{
    static const char *const shipped[] = {"puma560.xml", "ur5_class.xml", "stanford.xml"};
    const lw_verify_options how = {.nstate = 200, .seed = 3};
    for (int k = 0; k < 3; ++k) {
        lw_model *m = shipped_model(shipped[k]);
        lw_engine_options options = lw_default_engine_options(m);
        options.functions = 1u << LW_FUNCTION_INVERSE_KINEMATICS;
        lw_engine *engine[3] = {NULL};
        check_case("%s", shipped[k]);
        CHECK_INT(lw_engine_numeric(m, &options, &engine[0]), LW_OK);
        CHECK_INT(lw_engine_symbolic(m, &options, &engine[1], NULL), LW_OK);
        CHECK_INT(lw_engine_numeric(m, &options, &engine[2]), LW_OK);
        own_routine own = {engine[0], 0.0};
        CHECK_INT(lw_engine_override(engine[2], LW_FUNCTION_INVERSE_KINEMATICS, run_own, &own),
                  LW_OK);
        for (int is_wrong = 0; is_wrong < 2; ++is_wrong) {
            // A whole turn changes nothing, less does.
            own.off = is_wrong ? 1e-3 : 2.0 * PI;
            lw_verification *v = NULL;
            CHECK_INT(lw_verify(3, engine, &how, &v), LW_OK);
            int compared = 0;
            for (int i = 0; i < lw_verification_count(v); ++i) {
                const lw_verify_pair pair = lw_verification_pair(v, i);
                compared += pair.function == LW_FUNCTION_INVERSE_KINEMATICS;
                if (pair.function == LW_FUNCTION_INVERSE_KINEMATICS) {
                    const bool has_own = pair.engine[1] == 2;
                    CHECK((pair.worst <= pair.tolerance) == !(is_wrong && has_own));
                    CHECK_INT(pair.nanswered, 200);
                }
            }
            CHECK_INT(compared, 3);
            lw_verification_destroy(v);
        }
        for (int i = 0; i < 3; ++i) {
            lw_engine_destroy(engine[i]);
        }
        lw_model_destroy(m);
    }
}

// The same poses by elimination, which finds the same set, and by search, which finds one of it.
TEST(C07_D34_elimination_and_search_agree_with_the_closed_form)
{
    static const char *const shipped[] = {"puma560.xml", "ur5_class.xml"};
    for (int k = 0; k < 2; ++k) {
        lw_model *m = shipped_model(shipped[k]);
        const int tip = m->nframe - 1;
        lw_ik *ik[3] = {NULL};
        lw_data *d = new_data(m);
        unsigned long long seed = 11;
        for (int i = 0; i < 3; ++i) {
            lw_ik_def def = lw_default_ik_def(-1, tip);
            def.ignores_limits = true;
            def.is_certain = true;
            def.solver = (lw_ik_solver)i;
            CHECK_INT(lw_ik_create(m, &def, &ik[i], NULL), LW_OK);
        }
        CHECK_INT(lw_ik_describe(ik[0])->method, LW_IK_CLOSED_FORM);
        CHECK_INT(lw_ik_describe(ik[1])->method, LW_IK_ELIMINATION);
        CHECK_INT(lw_ik_describe(ik[2])->method, LW_IK_NUMERIC);
        for (int n = 0; n < 200; ++n) {
            double q[6];
            lw_ik_target target = {0};
            lw_ik_result r[3];
            for (int i = 0; i < 6; ++i) {
                seed = seed * 6364136223846793005ull + 1442695040888963407ull;
                q[i] = PI * (2.0 * (double)(seed >> 11) / 9007199254740992.0 - 1.0);
            }
            CHECK_INT(lw_pose_of_frame(m, d, q, tip, &target.X_BT), LW_OK);
            for (int i = 0; i < 3; ++i) {
                CHECK_INT(lw_ik_solve(ik[i], &target, NULL, &r[i]), LW_OK);
            }
            check_case("%s, pose %d", shipped[k], n);
            CHECK_INT(r[1].nsolution, r[0].nsolution);
            CHECK_INT(r[2].nsolution, 1);
            for (int i = 1; i < 3; ++i) {
                for (int s = 0; s < r[i].nsolution; ++s) {
                    double least = 1.0;
                    for (int t = 0; t < r[0].nsolution; ++t) {
                        least = fmin(least, apart(lw_ik_describe(ik[0]), r[i].solution[s].q,
                                                  r[0].solution[t].q));
                    }
                    CHECK(r[i].solution[s].is_exact && least < 1e-6);
                }
            }
        }
        for (int i = 0; i < 3; ++i) {
            lw_ik_destroy(ik[i]);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

int main(void)
{
    if (!compiled_folder(folder)) {
        return 1;
    }
    RUN(K10_D34_derived_solutions_are_those_of_lw_ik);
    RUN(K10_D34_derived_solutions_of_palletisers_end_at_dead_centres);
    RUN(K10_D34_derived_solutions_of_slides_loops_and_platforms);
    RUN(C20_C45_K10_derived_solutions_of_legs_reach_the_foot);
    RUN(C20_legs_of_an_independent_program);
    RUN(C20_K10_other_classes_are_refused_by_name);
    RUN(K10_singular_poses_have_numbers);
    RUN(K10_out_of_reach_no_row_is_real);
    RUN(K20_V23_code_of_inverse_kinematics_checks_itself);
    RUN(C07_C08_D34_engines_of_inverse_kinematics_agree_as_sets);
    RUN(C07_D34_elimination_and_search_agree_with_the_closed_form);
    compiled_remove(folder);
    return REPORT();
}
