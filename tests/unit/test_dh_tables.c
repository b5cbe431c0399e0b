// Tables of Denavit and Hartenberg, found from the axes of models, against published ones.
#include "check.h"
#include "load_text.h"

#include <linkwork/engine.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define QUARTER 1.5707963267948966
#define HALF 3.14159265358979323846

enum { MOST = 8 };

static lw_pose row_pose(const lw_dh_row *r, lw_dh_convention convention, double q)
{
    const double theta = r->theta + (r->is_prismatic ? 0.0 : q);
    const double d = r->d + (r->is_prismatic ? q : 0.0);
    const lw_vec3 x = {1, 0, 0}, z = {0, 0, 1};
    const lw_pose X = {lw_rotation(x, r->alpha), {r->a, 0, 0}};
    const lw_pose Z = {lw_rotation(z, theta), {0, 0, d}};
    return convention == LW_DH_CRAIG ? lw_pose_mul(&X, &Z) : lw_pose_mul(&Z, &X);
}

static double distance_of(const lw_pose *X, const lw_pose *Y)
{
    double far = lw_norm3(lw_sub3(X->p, Y->p));
    for (int i = 0; i < 3; ++i) {
        far = fmax(far, lw_norm3(lw_sub3(X->R.row[i], Y->R.row[i])));
    }
    return far;
}

// base * rows * tip is the pose of the frame, whatever the positions are.
static void check_poses(const lw_model *m, int frame, lw_dh_convention convention)
{
    lw_dh_row row[MOST];
    lw_pose base, tip, X;
    lw_data *d = NULL;
    int n = 0;
    unsigned long long seed = 3;
    double q[MOST + 4], v[MOST + 4];
    if (!CHECK_INT(lw_dh_table(m, frame, convention, MOST, row, &n, &base, &tip), LW_OK)) {
        return;
    }
    lw_data_create(m, &d);
    for (int state = 0; state < 50; ++state) {
        lw_random_state(m, d, &seed, 1.0, q, v, NULL, NULL);
        CHECK_INT(lw_pose_of_frame(m, d, q, frame, &X), LW_OK);
        lw_pose at = base;
        for (int i = 0; i < n; ++i) {
            int k = 0; // the coordinate of this degree of freedom
            while (m->v_tree[k] != row[i].dof) {
                ++k;
            }
            const lw_pose one = row_pose(&row[i], convention, q[k]);
            at = lw_pose_mul(&at, &one);
        }
        at = lw_pose_mul(&at, &tip);
        CHECK_NEAR(distance_of(&at, &X), 0.0, 1e-12);
    }
    lw_data_destroy(d);
}

/// A published table; the joints' own zero positions do not matter, nor does theta.
typedef struct published {
    const char *model, *frame;
    lw_dh_convention convention;
    int n;
    bool has_flips;      ///< z of some axes is published the other way round
    double row[MOST][3]; ///< alpha, a, d
    const char *source;
} published;

static const published table[] = {
    {"puma560.xml",
     "tool.flange",
     LW_DH_PAUL,
     6,
     false,
     {{-QUARTER, 0, 0.6718},
      {0, 0.4318, 0.2435},
      {QUARTER, -0.0203, -0.0934},
      {-QUARTER, 0, 0.4331},
      {QUARTER, 0, 0},
      {0, 0, 0.05625}},
     "Corke and Armstrong-Helouvry 1994"},
    {"stanford.xml",
     "hand.tool",
     LW_DH_PAUL,
     6,
     false,
     {{-QUARTER, 0, 0.412},
      {QUARTER, 0, 0.154},
      {0, 0, 0},
      {-QUARTER, 0, 0},
      {QUARTER, 0, 0},
      {0, 0, 0.263}},
     "Paul 1981"},
    {"scara.xml", // Wenz and Wörn 2006: a1, a2, half a turn before the prismatic joint
     "flange",
     LW_DH_CRAIG,
     4,
     false,
     {{0, 0, 0.387}, {0, 0.325, 0}, {HALF, 0.275, 0}, {0, 0, 0}},
     "Wenz and Woern 2006"},
    {"scara.xml", // the lengths are those of the Cobra 600
     "flange",
     LW_DH_PAUL,
     4,
     false,
     {{0, 0.325, 0.387}, {HALF, 0.275, 0}, {0, 0, 0}, {0, 0, 0}},
     "Adept Cobra 600"},
    {"ur5_class.xml",
     "tool",
     LW_DH_PAUL,
     6,
     false,
     {{QUARTER, 0, 0.089159},
      {0, -0.425, 0},
      {0, -0.39225, 0},
      {QUARTER, 0, 0.10915},
      {-QUARTER, 0, 0.09465},
      {0, 0, 0.0823}},
     "Universal Robots"},
    {"panda_class.xml",
     "link7.flange",
     LW_DH_CRAIG,
     7,
     false,
     {{0, 0, 0.333},
      {-QUARTER, 0, 0},
      {QUARTER, 0, 0.316},
      {QUARTER, 0.0825, 0},
      {-QUARTER, -0.0825, 0.384},
      {QUARTER, 0, 0},
      {QUARTER, 0.088, 0.107}},
     "Franka Emika"},
    {"vibran6.xml",
     "tool",
     LW_DH_PAUL,
     6,
     false,
     {{0, 0, 0}, {QUARTER, 0, 0}, {0, 0.04, 0}, {-QUARTER, 0, 0}, {-QUARTER, 0, 0}, {0, 0, 0.04}},
     "Bansevicius and others 2004"},
    {NULL, // from a specification, below
     "tool",
     LW_DH_PAUL,
     6,
     true,
     {{-QUARTER, 0.26, 0.675},
      {0, 0.68, 0},
      {QUARTER, -0.035, 0},
      {-QUARTER, 0, -0.67},
      {QUARTER, 0, 0},
      {0, 0, -0.158}},
     "KUKA KR 16"},
};

// The data sheet of the KR 16 as a specification: lengths only, axes as usual.
static lw_model *kr16(void)
{
    static const char *const field[][2] = {
        {"class", "articulated"},  {"joint2.length", "0.675"},
        {"joint2.offset", "0.26"}, {"joint3.length", "0.68"},
        {"joint4.length", "0.67"}, {"joint4.offset", "-0.035"},
        {"tool.xyz", "0.158 0 0"}, {"tool.rpy", "0 1.5707963267948966 0"}};
    lw_spec *spec = NULL;
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    lw_spec_create(&spec);
    for (size_t i = 0; i < sizeof field / sizeof *field; ++i) {
        CHECK_INT(lw_spec_set(spec, field[i][0], field[i][1], (lw_location){0}, NULL), LW_OK);
    }
    CHECK_INT(lw_spec_build(spec, &mech, NULL), LW_OK);
    CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_OK);
    lw_mech_destroy(mech);
    lw_spec_destroy(spec);
    return m;
}

// Denavit and Hartenberg leave a choice (K08): x may point either way, which changes the signs of
// alpha and a together, and d is shared freely by joints with parallel axes.
static void check_row(const double want[3], double alpha, double a, bool has_flips)
{
    const double s = want[1] * a < 0.0 || (a == 0.0 && want[0] * alpha < 0.0) ? -1.0 : 1.0;
    CHECK_NEAR(has_flips ? fabs(a) : s * a, has_flips ? fabs(want[1]) : want[1], 1e-12);
    if (has_flips) {
        CHECK_NEAR(fabs(sin(alpha)), fabs(sin(want[0])), 1e-12);
    } else {
        CHECK_NEAR(sin(0.5 * (s * alpha - want[0])), 0.0, 1e-12);
    }
}

static void check_published(const published *p, const lw_model *m, int frame)
{
    lw_dh_row row[MOST];
    lw_pose base, tip;
    int n = 0;
    if (!CHECK_INT(lw_dh_table(m, frame, p->convention, MOST, row, &n, &base, &tip), LW_OK) ||
        !CHECK_INT(n, p->n)) {
        return;
    }
    double got = 0.0, want = 0.0;
    for (int i = 0; i < n; ++i) {
        check_case("%s, row %d", p->source, i + 1);
        check_row(p->row[i], row[i].alpha, row[i].a, p->has_flips);
        // Along parallel axes only the sum of d counts, with the sense of each axis.
        const int twist = p->convention == LW_DH_PAUL ? i : i + 1; // row of alpha to the next axis
        const bool is_parallel = twist < n && fabs(sin(p->row[twist][0])) < 1e-9;
        const double sense = is_parallel && cos(p->row[twist][0]) < 0.0 ? -1.0 : 1.0;
        got += row[i].d;
        want += p->row[i][2];
        if (!is_parallel || i + 1 == n) {
            CHECK_NEAR(p->has_flips ? fabs(got) : got, p->has_flips ? fabs(want) : want, 1e-12);
            got = want = 0.0;
        }
        got *= sense;
        want *= sense;
    }
}

TEST(K08_tables_of_eight_robots_are_the_published_ones)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        check_case("%s", table[i].source);
        lw_model *m = table[i].model ? shipped_model(table[i].model) : kr16();
        const int frame = m ? lw_find_frame(m, table[i].frame) : -1;
        if (CHECK(frame >= 0)) {
            check_published(&table[i], m, frame);
            check_poses(m, frame, LW_DH_CRAIG);
            check_poses(m, frame, LW_DH_PAUL);
        }
        lw_model_destroy(m);
    }
}

TEST(K08_chains_without_a_table_are_refused)
{
    lw_dh_row row[MOST];
    lw_pose base, tip;
    int n = 0;
    lw_model *m = shipped_model("closed/palletiser.xml"), *arm = shipped_model("ur5_class.xml");
    if (m && arm) {
        const int flange = lw_find_frame(m, "flange"), tool = lw_find_frame(arm, "tool");
        CHECK_INT(lw_dh_table(m, flange, LW_DH_CRAIG, MOST, row, &n, &base, &tip),
                  LW_ERR_UNSUPPORTED);
        CHECK_INT(lw_dh_table(arm, tool, LW_DH_CRAIG, 5, row, &n, &base, &tip), LW_ERR_LIMIT);
        CHECK_INT(lw_dh_table(arm, -1, LW_DH_CRAIG, MOST, row, &n, &base, &tip), LW_ERR_ARGUMENT);
        CHECK_INT(lw_dh_table(arm, tool, (lw_dh_convention)2, MOST, row, &n, &base, &tip),
                  LW_ERR_ARGUMENT);
    }
    lw_model_destroy(m);
    lw_model_destroy(arm);
}

int main(void)
{
    RUN(K08_tables_of_eight_robots_are_the_published_ones);
    RUN(K08_chains_without_a_table_are_refused);
    return REPORT();
}
