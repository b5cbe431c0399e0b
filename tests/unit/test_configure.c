// Specifications: fields, rules in three states, completions, and the descriptions that follow.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/engine.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const lw_location nowhere = {0};

static lw_report *make_report(void)
{
    lw_report *report = NULL;
    lw_report_create(&report);
    return report;
}

// "class=scara letters=RRTR joint2.length=0.3": a '_' in a value is a blank.
static lw_spec *make_spec(const char *fields, lw_report *report, lw_status *status)
{
    lw_spec *spec = NULL;
    char text[1000], *rest = text;
    lw_spec_create(&spec);
    snprintf(text, sizeof text, "%s", fields);
    *status = LW_OK;
    for (char *one = strtok_r(text, " ", &rest); one; one = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(one, '=');
        *value++ = '\0';
        for (char *c = value; *c; ++c) {
            *c = *c == '_' ? ' ' : *c;
        }
        const lw_status set = lw_spec_set(spec, one, value, nowhere, report);
        *status = *status == LW_OK ? set : *status;
    }
    return spec;
}

// The state of a rule in the last check: the worst of its joints; -1 where it was not evaluated.
static int state_of(const lw_spec *spec, const char *rule)
{
    int state = -1;
    for (int i = 0; i < lw_spec_result_count(spec); ++i) {
        const lw_rule_result r = lw_spec_result(spec, i);
        if (strcmp(r.rule->name, rule) == 0) {
            state = state == LW_RULE_VIOLATED ? state : (int)r.state;
        }
    }
    return state;
}

// --- Classes ------------------------------------------------------------------------------------

// A specification that is accepted, or refused by the rule that is named.
typedef struct case_row {
    const char *fields, *rule;
} case_row;

#define SCARA "class=scara joint2.length=0.3 joint3.length=0.25 "
#define ARTICULATED "class=articulated joint3.length=0.4 joint4.length=0.4 "
#define PARALLELOGRAM                                                                              \
    "class=parallelogram size.pedestal=0.3 size.offset=0.3 size.height=0.3 size.neck=0.2 "         \
    "size.rise=0.1 size.flange=0.2 "
#define PALLETISER "class=palletiser size.offset=0.3 size.height=0.8 size.wrist=0.1 size.drop=0.2 "
#define DELTA "class=delta size.base=0.2 size.platform=0.05 size.width=0.05 "

static const case_row cases[] = {
    {SCARA, ""},
    {SCARA "letters=RRTR", ""},
    {SCARA "letters=RTRR joint4.length=0.2", ""},
    {SCARA "letters=TRRR joint4.length=0.2 mounting=ceiling", ""},
    {SCARA "letters=RRPR joint1.lower=-2 joint1.upper=2", ""},
    {SCARA "letters=RRRR", "scara-principal-joints"},
    {SCARA "letters=RRTR joint2.axis=x", "scara-parallel-axes"},
    {SCARA "letters=RRTT", "scara-fourth-joint"},
    {SCARA "letters=RRTR joint4.axis=x", "scara-fourth-axis"},
    {SCARA "letters=RRT", "four-joints"},
    {SCARA "letters=RRTRR joint5.axis=z joint5.shift=0_0_0", "scara-at-most-four"},
    {"class=scara joint2.length=0 joint3.length=0.2", "scara-arms"},

    {"class=cartesian", ""},
    {"class=cartesian letters=TTTR", ""},
    {"class=cartesian letters=PPPRRR", ""},
    {"class=cartesian joint1.axis=z joint2.axis=x joint3.axis=y", ""},
    {"class=cartesian mounting=wall joint1.lower=0 joint1.upper=1", ""},
    {"class=cartesian letters=RTT", "cartesian-principal-joints"},
    {"class=cartesian joint2.axis=x", "cartesian-right-angles"},
    {"class=cartesian joint3.axis=1_1_0", "cartesian-right-angles"},
    {"class=cartesian letters=TTTT joint4.axis=z", "cartesian-wrist"},
    {"class=cartesian letters=TTTRRRR joint7.axis=z joint7.shift=0_0_0", "cartesian-at-most-six"},

    {"class=gantry", ""},
    {"class=gantry letters=TTTR", ""},
    {"class=gantry letters=TTTRRR joint1.length=2", ""},
    {"class=gantry joint1.axis=y joint2.axis=x", ""},
    {"class=gantry joint3.lower=0 joint3.upper=0.5 joint3.max_velocity=1", ""},
    {"class=gantry letters=TTR", "cartesian-principal-joints"},
    {"class=gantry joint1.axis=z", "cartesian-right-angles"},
    {"class=gantry joint1.axis=z joint2.axis=x joint3.axis=y", "gantry-vertical"},
    {"class=gantry mounting=wall", "gantry-vertical"},
    {"class=gantry letters=TTTT joint4.axis=z", "cartesian-wrist"},

    {"class=cylindrical", ""},
    {"class=cylindrical letters=TRTR", ""},
    {"class=cylindrical letters=RTTRRR", ""},
    {"class=cylindrical letters=RPPR mounting=ceiling", ""},
    {"class=cylindrical joint1.length=0.3 joint3.offset=0.1", ""},
    {"class=cylindrical letters=RRTR", "cylindrical-principal-joints"},
    {"class=cylindrical letters=RTT", "four-joints"},
    {"class=cylindrical joint2.axis=x", "cylindrical-column"},
    {"class=cylindrical joint3.axis=z", "cylindrical-reach"},
    {"class=cylindrical letters=RTTT joint4.axis=y", "cylindrical-wrist"},

    {"class=spherical", ""},
    {"class=spherical letters=RRTR", ""},
    {"class=spherical letters=RRPRRR", ""},
    {"class=spherical joint1.length=0.4 joint2.offset=0.15", ""},
    {"class=spherical joint3.lower=0.3 joint3.upper=1.2", ""},
    {"class=spherical letters=RRRRRR", "spherical-principal-joints"},
    {"class=spherical letters=RRT", "four-joints"},
    {"class=spherical joint2.axis=z", "spherical-tilt"},
    {"class=spherical joint3.axis=y", "spherical-reach"},
    {"class=spherical letters=RRTT joint4.axis=x", "spherical-wrist"},

    {ARTICULATED, ""},
    {ARTICULATED "letters=RRRR", ""},
    {ARTICULATED "letters=RRRRR mounting=wall", ""},
    {ARTICULATED "joint2.offset=0.1 joint4.offset=-0.02", ""},
    {ARTICULATED "joint1.max_velocity=3 joint1.max_acceleration=20", ""},
    {ARTICULATED "letters=RRTRRR", "articulated-principal-joints"},
    {ARTICULATED "letters=RRRRRT", "articulated-revolute"},
    {"class=articulated letters=RRR joint3.length=0.4", "four-joints"},
    {ARTICULATED "joint2.axis=z", "articulated-shoulder"},
    {ARTICULATED "joint3.axis=x", "articulated-elbow"},
    {"class=articulated joint3.length=0 joint4.length=0.4", "articulated-upper-arm"},

    {PARALLELOGRAM "size.arm=1 size.lever=0.3 size.forearm=1", ""},
    {PARALLELOGRAM "size.arm=1 size.lever=0.3 size.forearm=1 letters=RRRRRR", ""},
    {PARALLELOGRAM "size.arm=0.6 size.lever=0.2 size.forearm=0.5 mounting=ceiling", ""},
    {PARALLELOGRAM "size.arm=1 size.lever=0.9 size.forearm=1", ""},
    {PARALLELOGRAM "size.arm=1 size.lever=0.3 size.forearm=1 joint1.lower=-3 joint1.upper=3", ""},
    {PARALLELOGRAM "size.arm=1 size.lever=0.3 size.forearm=1 letters=RRRR", "parallelogram-joints"},
    {PARALLELOGRAM "size.arm=1 size.lever=0.3 size.forearm=1 letters=RRTRRR",
     "parallelogram-joints"},
    {PARALLELOGRAM "size.arm=0 size.lever=0.3 size.forearm=1", "parallelogram-sizes"},
    {PARALLELOGRAM "size.arm=1 size.lever=-0.3 size.forearm=1", "parallelogram-sizes"},
    {PARALLELOGRAM "size.arm=1 size.lever=1.3 size.forearm=1", "parallelogram-lever"},

    {PALLETISER "size.arm=1.2 size.forearm=1.3 size.lever=0.3 size.bracket=0.25", ""},
    {PALLETISER "size.arm=1.2 size.forearm=1.3 size.lever=0.3 size.bracket=0.25 letters=RRRR", ""},
    {PALLETISER "size.arm=1 size.forearm=1 size.lever=0.2 size.bracket=0.2 size.rod_mass=3", ""},
    {PALLETISER "size.arm=1 size.forearm=1 size.lever=0.2 size.bracket=0.2 mounting=floor", ""},
    {PALLETISER "size.arm=2 size.forearm=1 size.lever=0.9 size.bracket=0.9", ""},
    {PALLETISER "size.arm=1 size.forearm=1 size.lever=0.2 size.bracket=0.2 letters=RRR",
     "palletiser-joints"},
    {PALLETISER "size.arm=1 size.forearm=1 size.lever=0.2 size.bracket=0.2 letters=RRTR",
     "palletiser-joints"},
    {PALLETISER "size.arm=0 size.forearm=1 size.lever=0.2 size.bracket=0.2", "palletiser-sizes"},
    {PALLETISER "size.arm=1 size.forearm=1 size.lever=0.2 size.bracket=0", "palletiser-sizes"},
    {PALLETISER "size.arm=1 size.forearm=1 size.lever=1.2 size.bracket=0.2", "palletiser-levers"},

    {DELTA "size.arm=0.3 size.rod=0.7", ""},
    {DELTA "size.arm=0.3 size.rod=0.7 letters=RRR", ""},
    {DELTA "size.arm=0.2 size.rod=0.5 size.rod_mass=0.1", ""},
    {DELTA "size.arm=0.3 size.rod=0.46", ""},
    {DELTA "size.arm=0.3 size.rod=0.7 joint1.max_force=30", ""},
    {DELTA "size.arm=0.3 size.rod=0.7 letters=RRRR", "delta-joints"},
    {DELTA "size.arm=0.3 size.rod=0.7 letters=TTT", "delta-joints"},
    {DELTA "size.arm=0 size.rod=0.7", "delta-sizes"},
    {DELTA "size.arm=0.3 size.rod=-0.7", "delta-sizes"},
    {DELTA "size.arm=0.3 size.rod=0.4", "delta-closes"},

    {"class=five-bar size.base=0.3 size.arm=0.25 size.forearm=0.35", ""},
    {"class=five-bar size.base=0.3 size.arm=0.25 size.forearm=0.35 letters=RR", ""},
    {"class=five-bar size.base=0.1 size.arm=0.25 size.forearm=0.35 mounting=wall", ""},
    {"class=five-bar size.base=0.3 size.arm=0.3 size.forearm=0.28", ""}, // unusual
    {"class=five-bar size.base=0.3 size.arm=0.2 size.forearm=0.3 joint1.max_velocity=9", ""},
    {"class=five-bar size.base=0.3 size.arm=0.2 size.forearm=0.3 letters=RRR", "five-bar-joints"},
    {"class=five-bar size.base=0.3 size.arm=0.2 size.forearm=0.3 letters=TT", "five-bar-joints"},
    {"class=five-bar size.base=0 size.arm=0.2 size.forearm=0.3", "five-bar-sizes"},
    {"class=five-bar size.base=0.3 size.arm=0.2 size.forearm=-1", "five-bar-sizes"},
    {"class=five-bar size.base=1.3 size.arm=0.2 size.forearm=0.3", "five-bar-closes"},

#define FREE "class=free letters=RRRR joint1.axis=z joint2.axis=x joint3.axis=y "
#define SHIFTS "joint1.shift=0_0_0 joint2.shift=0_0_1 joint3.shift=1_0_0 joint4.shift=0_0_0 "
    {FREE SHIFTS "joint4.axis=1_1_1", ""},
    {FREE SHIFTS "joint4.axis=-z", ""},
    {"class=free letters=RTRT rows=craig", ""},
    {"class=free letters=RRRRRRR rows=paul joint2.alpha=1.5", ""},
    {"class=free letters=RRR rows=craig override.four-joints=a_desk_robot", ""},
    {"class=free letters=RRR rows=craig", "four-joints"},
    {FREE SHIFTS "joint4.lower=0", "free-axes"},
    {FREE "joint4.axis=x joint1.shift=0_0_0 joint2.shift=0_0_0 joint3.shift=0_0_0", "free-shifts"},
    {FREE SHIFTS "joint4.axis=0_0_0", "axis-not-zero"},
    {FREE SHIFTS "joint4.axis=z rows=craig", "rows-or-axes"},
    {FREE SHIFTS "joint4.axis=z joint4.alpha=1", "row-needs-rows"},

    // What holds for every class.
    {SCARA "joint1.name=a joint2.name=b joint3.name=a", "joint-names-differ"},
    {SCARA "link1.name=a link4.name=a", "link-names-differ"},
    {SCARA "joint1.name=joint2",
     "joint-names-differ"}, // which the second joint is called by itself
    {SCARA "joint1.lower=1 joint1.upper=-1", "limits-in-order"},
    {SCARA "joint1.lower=-1 joint1.upper=1 joint1.reference=2", "reference-within-limits"},
    {SCARA "joint1.max_velocity=0", "velocity-above-zero"},
    {SCARA "joint1.max_acceleration=-1", "acceleration-above-zero"},
    {SCARA "joint1.max_force=0", "force-above-zero"},
    {SCARA "joint1.type=T letters=RRTR", "letters-match-joints"},
    {SCARA "letters=RRTR joint5.lower=0", "as-many-letters"},
    {SCARA "drive1.inertia=1e-4 drive1.ratio=0", "gear-not-zero"},
    {SCARA "drive1.inertia=1e-4 drive1.ratio=100 drive1.max_velocity=300 joint1.max_velocity=4",
     "velocity-within-drive"},
    {SCARA "link1.mass=-1", "mass-not-negative"},
    {SCARA "link1.mass=1 link1.inertia=1_1_-1", "moments-not-negative"},
    {SCARA "link1.mass=1 link1.shape1.type=box link1.shape1.density=7850", "mass-or-shapes"},
    {SCARA "link1.mass=1 link1.shape1.type=box link1.shape1.material=steel", "mass-or-materials"},
    {SCARA "mounting=floor gravity=0_0_-9.81", "mounting-or-gravity"},
    {SCARA "joint2.shift=0.3_0_0", "length-or-shift"},
    {SCARA "controller.bandwidth=0", "bandwidth-above-zero"},
    {SCARA "controller.damping=-1", "damping-not-negative"},
    {SCARA "controller.period=0", "period-above-zero"},
};

TEST(K05_each_class_accepts_and_refuses_by_the_name_of_the_rule)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lw_status set;
        lw_report *report = make_report();
        lw_spec *spec = make_spec(cases[i].fields, report, &set);
        lw_mech *mech = NULL;
        check_case("%s", cases[i].fields);
        CHECK_INT(set, LW_OK);
        const lw_status status = lw_spec_build(spec, &mech, report);
        if (*cases[i].rule) {
            char message[200];
            CHECK_INT(status, LW_ERR_MODEL);
            CHECK_INT(state_of(spec, cases[i].rule), LW_RULE_VIOLATED);
            snprintf(message, sizeof message, "violates rule %s:", cases[i].rule);
            CHECK(*diagnostic_with(report, message) != '\0');
            CHECK(!mech);
        } else if (!CHECK_INT(status, LW_OK)) {
            print_diagnostics(report);
        } else {
            lw_model *m = NULL; // what the rules accept is a mechanism
            if (!CHECK_INT(lw_compile(mech, NULL, &m, report), LW_OK)) {
                print_diagnostics(report);
            }
            lw_model_destroy(m);
        }
        lw_mech_destroy(mech);
        lw_spec_destroy(spec);
        lw_report_destroy(report);
    }
}

TEST(K05_three_orders_of_a_scara_and_no_others)
{
    for (int code = 0; code < 8; ++code) {
        char fields[200];
        const char letter[3] = {code & 4 ? 'T' : 'R', code & 2 ? 'T' : 'R', code & 1 ? 'T' : 'R'};
        snprintf(fields, sizeof fields,
                 "class=scara letters=%.3sR joint2.length=0.3 joint3.length=0.3 joint4.length=0.1 "
                 "joint1.axis=z joint2.axis=z joint3.axis=z joint4.axis=z joint1.length=0.1",
                 letter);
        lw_status set;
        lw_report *report = make_report();
        lw_spec *spec = make_spec(fields, report, &set);
        const bool is_scara = code == 1 || code == 2 || code == 4;
        check_case("%.3s", letter);
        CHECK_INT(set, LW_OK);
        lw_spec_check(spec, report);
        CHECK_INT(state_of(spec, "scara-principal-joints"),
                  is_scara ? LW_RULE_HOLDS : LW_RULE_VIOLATED);
        CHECK(has_diagnostic(report, "error: violates rule scara-principal-joints") == !is_scara);
        lw_spec_destroy(spec);
        lw_report_destroy(report);
    }
}

// Shipped robots
// -----------------------------------------------------------------------------------

static lw_model *configured(const char *name)
{
    char path[300];
    lw_spec *spec = NULL;
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    lw_report *report = make_report();
    snprintf(path, sizeof path, "%s/models/specs/%s", LINKWORK_SOURCE_DIR, name);
    lw_status status = lw_spec_load(path, &spec, report);
    status = status == LW_OK ? lw_spec_build(spec, &mech, report) : status;
    status = status == LW_OK ? lw_compile(mech, NULL, &m, report) : status;
    if (!CHECK_INT(status, LW_OK)) {
        print_diagnostics(report);
    }
    lw_mech_destroy(mech);
    lw_spec_destroy(spec);
    lw_report_destroy(report);
    return m;
}

enum { MOST = 8 };

static void check_same_numbers(const lw_model *a, const lw_model *b, const char *frame)
{
    lw_data *d = NULL, *e = NULL;
    double q[MOST], v[MOST], acc[MOST], one[MOST], two[MOST], J[2][6 * MOST];
    unsigned long long seed = 7;
    const int fa = lw_find_frame(a, "tool"), fb = lw_find_frame(b, frame);
    lw_data_create(a, &d);
    lw_data_create(b, &e);
    if (!CHECK_INT(a->nv, b->nv) || !CHECK(a->nv <= MOST && a->nq <= MOST) ||
        !CHECK(fa >= 0 && fb >= 0)) {
        lw_data_destroy(d);
        lw_data_destroy(e);
        return;
    }
    for (int n = 0; n < 30; ++n) {
        lw_pose X, Y;
        lw_random_state(b, e, &seed, 0.8, q, v, acc, NULL);
        CHECK_INT(lw_inverse_dynamics(a, d, q, v, acc, NULL, one), LW_OK);
        CHECK_INT(lw_inverse_dynamics(b, e, q, v, acc, NULL, two), LW_OK);
        CHECK_INT(lw_pose_of_frame(a, d, q, fa, &X), LW_OK);
        CHECK_INT(lw_pose_of_frame(b, e, q, fb, &Y), LW_OK);
        lw_frame_jacobian(a, d, q, fa, LW_IN_WORLD, NULL, J[0]);
        lw_frame_jacobian(b, e, q, fb, LW_IN_WORLD, NULL, J[1]);
        for (int k = 0; k < a->nv; ++k) {
            CHECK_NEAR(one[k], two[k], 1e-12 * (1.0 + fabs(two[k])));
        }
        for (int k = 0; k < 6 * a->nv; ++k) {
            CHECK_NEAR(J[0][k], J[1][k], 1e-12);
        }
        CHECK_NEAR(lw_norm3(lw_sub3(X.p, Y.p)), 0.0, 1e-12);
        CHECK_NEAR(lw_norm3(lw_sub3(X.R.row[0], Y.R.row[0])), 0.0, 1e-12);
        CHECK_NEAR(lw_norm3(lw_sub3(X.R.row[1], Y.R.row[1])), 0.0, 1e-12);
    }
    lw_data_destroy(d);
    lw_data_destroy(e);
}

TEST(K01_specifications_give_the_shipped_models)
{
    static const struct {
        const char *spec, *model, *frame;
        lw_level level;
    } row[] = {{"scara.spec", "scara.xml", "tool", LW_LEVEL_UNSET},
               {"puma560.spec", "puma560.xml", "tool.flange", LW_LEVEL_UNSET},
               {"stanford.spec", "stanford.xml", "tool", LW_LEVEL_UNSET},
               {"gantry.spec", "gantry.xml", "tool", LW_LEVEL_UNSET},
               {"ur5_class.spec", "ur5_class.xml", "tool", LW_LEVEL_UNSET},
               {"hr120_class.spec", "hr120/hr120.xml", "payload.tool", LW_LEVEL_HIGH},
               {"palletiser.spec", "closed/palletiser.xml", "flange", LW_LEVEL_UNSET},
               {"delta.spec", "closed/delta.xml", "tool", LW_LEVEL_UNSET},
               {"five_bar.spec", "closed/five_bar.xml", "tool", LW_LEVEL_UNSET}};
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        check_case("%s", row[i].spec);
        lw_model *a = configured(row[i].spec);
        lw_model *b = row[i].level == LW_LEVEL_UNSET ? shipped_model(row[i].model)
                                                     : shipped_model_at(row[i].model, row[i].level);
        if (a && b) {
            check_same_numbers(a, b, row[i].frame);
            for (int k = 0; k < a->nv; ++k) {
                const lw_dof *p = &a->dof[a->v_tree[k]], *w = &b->dof[b->v_tree[k]];
                CHECK(p->lower == w->lower || fabs(p->lower - w->lower) < 1e-14);
                CHECK(p->upper == w->upper || fabs(p->upper - w->upper) < 1e-14);
                CHECK(p->max_velocity == w->max_velocity ||
                      fabs(p->max_velocity - w->max_velocity) < 1e-13 * w->max_velocity);
            }
        }
        lw_model_destroy(a);
        lw_model_destroy(b);
    }
}

// A cylindrical arm has no model of its own; here it is, with masses by hand.
TEST(K01_masses_follow_from_shapes_and_materials)
{
    static const char *const text =
        "<linkwork version='1' name='c'><ground/>"
        "<joint name='a' type='revolute' axis='0 0 1' xyz='0 0 0.2' from='ground' to='a'"
        " rotor_inertia='1.584'/>"
        "<link name='a' mass='75.57729446740964' center='0 0 0.55'"
        " inertia='7.773754546760311 7.773754546760311 0.30608804259300904'/>"
        "<joint name='b' type='prismatic' axis='0 0 1' xyz='0 0 0.35' from='a' to='b'/>"
        "<link name='b' mass='32.85360000000001' inertia='0.2737800000000001 0.2737800000000001 "
        "0.37015056000000013'/>"
        "<joint name='c' type='prismatic' axis='1 0 0' xyz='0.15 0 0' from='b' to='c'/>"
        "<link name='c' mass='11.907000000000004' center='-0.2 0 0'"
        " inertia='0.009724050000000003 0.8085845250000002 0.8085845250000002'/>"
        "<joint name='d' type='revolute' axis='1 0 0' xyz='0.3 0 0' from='c' to='d'/>"
        "<link name='d' mass='3.1566722983270243' center='0.04 0 0'"
        " inertia='0.0025253378386616196 0.0029462274784385566 0.0029462274784385566'/>"
        "<link name='t' at='d' mass='20' center='0.06 0 0' inertia='0.05 0.06 0.06'>"
        "<frame name='tool' xyz='0.12 0 0'/></link></linkwork>";
    lw_model *a = configured("cylindrical.spec"), *b = compile_text("c.xml", text, NULL);
    if (a && b) {
        check_same_numbers(a, b, "tool");
    }
    lw_model_destroy(a);
    lw_model_destroy(b);
}

// --- Completions and states
// -----------------------------------------------------------------------

TEST(K06_every_completion_is_explained)
{
    lw_status set;
    lw_report *report = make_report();
    lw_spec *spec = make_spec("class=scara joint2.length=0.3 joint3.length=0.25", report, &set);
    CHECK_INT(lw_spec_check(spec, report), LW_OK);
    int completed = 0;
    for (int i = 0; i < lw_spec_count(spec); ++i) {
        const lw_spec_entry e = lw_spec_at(spec, i);
        completed += e.rule != NULL;
        CHECK(!e.rule || (*e.rule->name && *e.rule->reason && e.rule->kind == LW_RULE_COMPLETION));
    }
    CHECK_INT(lw_spec_count(spec) - completed, 3); // what was set
    CHECK_TEXT(lw_spec_get(spec, "letters"), "RRTR");
    CHECK_TEXT(lw_spec_get(spec, "joint3.type"), "T");
    CHECK_TEXT(lw_spec_get(spec, "joint3.axis"), "-z");
    CHECK_TEXT(lw_spec_get(spec, "joint3.shift"), "0.25 0 0");
    CHECK_TEXT(lw_spec_get(spec, "gravity"), "0 0 -9.81");
    // Completions follow what they were made of.
    lw_spec_set(spec, "letters", "TRRR", nowhere, report);
    lw_spec_set(spec, "joint4.length", "0.2", nowhere, report);
    CHECK_INT(lw_spec_check(spec, report), LW_OK);
    CHECK_TEXT(lw_spec_get(spec, "joint1.type"), "T");
    CHECK_TEXT(lw_spec_get(spec, "joint3.axis"), "z");
    lw_spec_destroy(spec);
    lw_report_destroy(report);
}

TEST(rules_hold_are_violated_or_cannot_be_decided_yet)
{
    lw_status set;
    lw_report *report = make_report();
    lw_spec *spec = make_spec("class=scara joint2.length=a1 joint3.length=0.25", report, &set);
    lw_spec_check(spec, report);
    CHECK_INT(state_of(spec, "scara-arms"), LW_RULE_UNDECIDED);
    lw_spec_set(spec, "symbol.a1", "0.3", nowhere, report);
    lw_spec_check(spec, report);
    CHECK_INT(state_of(spec, "scara-arms"), LW_RULE_HOLDS);
    lw_spec_set(spec, "symbol.a1", "0", nowhere, report);
    CHECK_INT(lw_spec_check(spec, report), LW_ERR_MODEL);
    CHECK_INT(state_of(spec, "scara-arms"), LW_RULE_VIOLATED);
    lw_spec_destroy(spec);
    lw_report_destroy(report);
}

TEST(K03_a_length_is_a_number_or_a_symbol)
{
    lw_status set;
    lw_report *report = make_report();
    lw_mech *mech = NULL;
    lw_spec *spec = make_spec("class=scara joint2.length=a1 joint3.length=-a1", report, &set);
    CHECK_INT(lw_spec_build(spec, &mech, report), LW_OK);
    CHECK(has_diagnostic(report, "note: symbol \"a1\" has no value"));
    lw_mech_destroy(mech);
    lw_spec_set(spec, "symbol.a1", "0.3", nowhere, report);
    CHECK_INT(lw_spec_build(spec, &mech, report), LW_OK);
    lw_joint_def def;
    CHECK_INT(lw_get_joint_def(mech, lw_find_part(mech, "joint3", LW_PART_JOINT), &def), LW_OK);
    CHECK_NEAR(lw_placement_pose(&def.before).p.x, -0.3, 0.0);
    lw_mech_destroy(mech);
    lw_spec_destroy(spec);
    lw_report_destroy(report);
}

TEST(K04_products_of_inertia_of_both_signs)
{
    for (int integral = 0; integral < 2; ++integral) {
        lw_status set;
        lw_mech *mech = NULL;
        lw_link_def def;
        lw_report *report = make_report();
        lw_spec *spec = make_spec("class=scara joint2.length=0.3 joint3.length=0.3 link1.mass=2 "
                                  "link1.inertia=1_1.1_1.2_0.1_0.2_0.3",
                                  report, &set);
        lw_spec_set(spec, "products", integral ? "integral" : "tensor", nowhere, report);
        CHECK_INT(lw_spec_build(spec, &mech, report), LW_OK);
        CHECK_INT(lw_get_link_def(mech, lw_find_part(mech, "link1", LW_PART_LINK), &def), LW_OK);
        CHECK_NEAR(def.inertia.xy, integral ? -0.1 : 0.1, 0.0);
        CHECK_NEAR(def.inertia.xz, integral ? -0.2 : 0.2, 0.0);
        CHECK_NEAR(def.inertia.yz, integral ? -0.3 : 0.3, 0.0);
        lw_mech_destroy(mech);
        lw_spec_destroy(spec);
        lw_report_destroy(report);
    }
}

// --- Bad input
// ------------------------------------------------------------------------------------

#define FILE_OF(attributes, inside)                                                                \
    "<specification version='1' class='scara' " attributes ">\n" inside "</specification>"
#define ARMS "<joint/><joint length='0.3'/><joint length='0.2'/><joint/>"

TEST(bad_specifications_are_named_with_their_places)
{
    static const struct {
        const char *text, *line;
    } row[] = {
        {"<specification version='1' class='skara'/>",
         "x.spec:1:35: error: class=\"skara\" is none of scara, cartesian, gantry, cylindrical, "
         "spherical, articulated, parallelogram, palletiser, delta, five-bar, free; did you mean "
         "\"scara\"?"},
        {FILE_OF("", "<joint lenght='0.3'/>"),
         "x.spec:2:16: error: a specification has no field \"joint1.lenght\"; did you mean "
         "\"joint#.length\"?"},
        {FILE_OF("", "<joint length='-NaN'/>"), "x.spec:2:16: error: joint1.length=\"-NaN\": "
                                                "\"-NaN\" is neither a number nor the name of a "
                                                "symbol"},
        {FILE_OF("", "<joint length='300mm'/>"),
         "x.spec:2:16: error: joint1.length=\"300mm\": numbers are without units, a length in m "
         "here: write 0.3"},
        {FILE_OF("", "<link mass='2lb'/>"),
         "x.spec:2:13: error: link1.mass=\"2lb\": numbers are without units, a mass in kg here"},
        {FILE_OF("", "<link mass='0,5'/>"), "x.spec:2:13: error: link1.mass=\"0,5\""},
        {FILE_OF("", "<joint length='a1'/><link mass='a1'/>"),
         "x.spec:2:33: error: symbol \"a1\" has two meanings: a mass in link1.mass, and a length "
         "in joint1.length (x.spec:2:16)"},
        {FILE_OF("", "<symbol name='a' value='1'/><symbol name='a' value='2'/>"),
         "x.spec:2:53: error: symbol \"a\" has two meanings: 2 here, and 1 before"},
        {FILE_OF("", "<joints/>"),
         "x.spec:2:1: error: <joints> is not known in <specification>; did you mean \"joint\"?"},
        {FILE_OF("", "<joint type='X'/>"), "x.spec:2:14: error: joint1.type=\"X\": a joint is R"},
        {FILE_OF("letters='RRXR'", ""), "x.spec:1:51: error: letters=\"RRXR\": a joint is R"},
        {FILE_OF("", "<link center='1 2'/>"),
         "x.spec:2:15: error: link1.center=\"1 2\" has 2 numbers, and must have 3"},
        {FILE_OF("", "<link inertia='1 2 3 4'/>"),
         "x.spec:2:16: error: link1.inertia=\"1 2 3 4\" has 4 numbers, and must have 3 or 6"},
        {FILE_OF("", "<link><box material='steal'/></link>"),
         "x.spec:2:22: error: link1.shape1.material=\"steal\" is none of"},
        {FILE_OF("", ARMS "<override rule='for-joints' reason='no'/>"),
         "x.spec:2:95: error: there is no rule \"for-joints\"; did you mean \"four-joints\"?"},
        {FILE_OF("letters='RRTR'", ARMS "<joint type='T'/>"),
         "x.spec:1:51: error: violates rule as-many-letters"},
        {FILE_OF("letters='RRRR'", "<joint lower='1' upper='0'/>"),
         "x.spec:2:25: error: violates rule limits-in-order"},
        {FILE_OF("letters='RRTR'", "<joint/><joint/>"),
         "x.spec:1:35: error: the specification is incomplete: joint2.length is unknown, and class "
         "scara needs it"},
        {"<linkwork version='1'/>",
         "x.spec:1:1: error: the file begins with <specification>, not <linkwork>"},
        {"<specification version='2'/>", "x.spec:1:1: error: version 2 is not known; there is 1"},
        {FILE_OF("", "text"), "x.spec:1:1: error: text \"text\" in <specification>"},
        {"<specification version='1'/>", "error: violates rule class-known"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        lw_spec *spec = NULL;
        lw_mech *mech = NULL;
        lw_report *report = make_report();
        check_case("%s", row[i].text);
        lw_status status =
            lw_spec_load_text("x.spec", row[i].text, strlen(row[i].text), &spec, report);
        status = status == LW_OK ? lw_spec_build(spec, &mech, report) : status;
        CHECK(status != LW_OK && !mech);
        if (!CHECK(has_diagnostic(report, row[i].line))) {
            print_diagnostics(report);
        }
        lw_mech_destroy(mech);
        lw_spec_destroy(spec);
        lw_report_destroy(report);
    }
}

TEST(all_violated_rules_are_reported_at_once)
{
    lw_status set;
    lw_report *report = make_report();
    lw_spec *spec = make_spec("class=scara letters=RRR joint1.lower=1 joint1.upper=0 "
                              "joint2.max_velocity=0 mounting=wall gravity=0_0_1",
                              report, &set);
    CHECK_INT(lw_spec_check(spec, report), LW_ERR_MODEL);
    static const char *const rule[] = {"scara-principal-joints", "four-joints", "limits-in-order",
                                       "velocity-above-zero", "mounting-or-gravity"};
    for (size_t i = 0; i < sizeof rule / sizeof *rule; ++i) {
        check_case("%s", rule[i]);
        CHECK_INT(state_of(spec, rule[i]), LW_RULE_VIOLATED);
    }
    lw_spec_destroy(spec);
    lw_report_destroy(report);
}

// --- Rules of the user's
// --------------------------------------------------------------------------

static lw_status add_rules(lw_spec *spec, const char *text, lw_report *report)
{
    return lw_rules_load_text(spec, "house.xml", text, strlen(text), report);
}

TEST(users_add_rules_and_completions)
{
    lw_status set;
    lw_report *report = make_report();
    lw_spec *spec = make_spec("class=scara joint2.length=0.3 joint3.length=0.25 joint1.lower=-3 "
                              "joint1.upper=3",
                              report, &set);
    CHECK_INT(add_rules(spec,
                        "<rules version='1'><completion name='house-velocity' each='joint' "
                        "when=\"joint.type == 'R'\" set='joint.max_velocity' to='2 * 1.5' "
                        "reason='our drives'/><rule name='house-range' class='scara articulated' "
                        "each='joint' condition='joint.upper - joint.lower &lt; 5' "
                        "reason='our cables' remedy='less range'/><rule name='house-name' "
                        "kind='usual' condition=\"name == 'arm'\" reason='our names'/></rules>",
                        report),
              LW_OK);
    CHECK_INT(lw_spec_check(spec, report), LW_ERR_MODEL);
    CHECK_TEXT(lw_spec_get(spec, "joint1.max_velocity"), "3");
    CHECK(!lw_spec_get(spec, "joint3.max_velocity"));
    CHECK_INT(state_of(spec, "house-range"), LW_RULE_VIOLATED);
    CHECK(has_diagnostic(report, "error: violates rule house-range: our cables"));
    CHECK(has_diagnostic(report, "warning: unusual by rule house-name: our names"));
    CHECK_INT(lw_spec_set(spec, "override.house-range", "tested", nowhere, report), LW_OK);
    CHECK_INT(lw_spec_check(spec, report), LW_OK);
    lw_spec_destroy(spec);
    lw_report_destroy(report);
}

TEST(bad_rules_are_named)
{
    static const struct {
        const char *rule, *message;
    } row[] = {
        {"name='a' condition='joint1.lower &lt;' reason='r'", "an operand is missing at the end"},
        {"name='a' condition='joint1.lowr &lt; 1' reason='r'", "no field joint1.lowr"},
        {"name='a' condition='joints' reason='r'", "it is not true or false"},
        {"name='a' condition=\"joints == 'R'\" reason='r'", "a text is compared with a number"},
        {"name='a' condition='(joints == 1' reason='r'", "a parenthesis is not closed"},
        {"name='a' condition='joints == 1)' reason='r'", "a parenthesis is not opened"},
        {"name='a' condition='parallel(1) and 1 == 1' reason='r'", "wrong arguments of parallel"},
        {"name='a' condition='foo(1)' reason='r'", "no function foo"},
        {"name='a' condition='1 2' reason='r'", "an operator is missing before 2"},
        {"name='a' condition='not 1' reason='r'", "and, or and not connect comparisons"},
        {"name='four-joints' condition='1 == 1' reason='r'", "the name is taken"},
        {"name='a' class='skara' condition='1 == 1' reason='r'",
         "there is no class \"skara\"; did you mean \"scara\"?"},
        {"name='a' each='gear' condition='1 == 1' reason='r'", "is none of joint, link"},
        {"name='a' condition='1 == 1'", "reason"},
        {"name='a' conditon='1 == 1' reason='r'", "did you mean \"condition\"?"},
        {"name='a' kind='must' condition='1 == 1' reason='r'",
         "kind=\"must\" is none of requirement, usual"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        lw_status set;
        char text[300];
        lw_report *report = make_report();
        lw_spec *spec = make_spec("class=scara letters=RRTR", report, &set);
        check_case("%s", row[i].rule);
        snprintf(text, sizeof text, "<rules version='1'><rule %s/></rules>", row[i].rule);
        CHECK(add_rules(spec, text, report) != LW_OK);
        CHECK_HAS(diagnostic_with(report, "house.xml:1:"), row[i].message);
        lw_spec_destroy(spec);
        lw_report_destroy(report);
    }
}

// Kleene's tables: unknown is joint1.lower, which is not set.
TEST(conditions_are_evaluated_by_kleenes_logic)
{
    static const struct {
        const char *condition;
        lw_rule_state state;
    } row[] = {{"1 == 1", LW_RULE_HOLDS},
               {"1 + 2 * 3 == 7 and (1 + 2) * 3 == 9", LW_RULE_HOLDS},
               {"2 - 3 - 4 == -5 and 8 / 4 / 2 == 1", LW_RULE_HOLDS},
               {"-2 * -3 == 6 and abs(-2) == sqrt(4)", LW_RULE_HOLDS},
               {"joint1.lower > 0", LW_RULE_UNDECIDED},
               {"not joint1.lower > 0", LW_RULE_UNDECIDED},
               {"joint1.lower > 0 or 1 == 1", LW_RULE_HOLDS},
               {"joint1.lower > 0 or 1 == 2", LW_RULE_UNDECIDED},
               {"joint1.lower > 0 and 1 == 2", LW_RULE_VIOLATED},
               {"joint1.lower > 0 and 1 == 1", LW_RULE_UNDECIDED},
               {"1 == 2 and joint1.lower > 0", LW_RULE_VIOLATED},
               {"1 == 1 or 1 == 2 and 1 == 2", LW_RULE_HOLDS},
               {"not 1 == 2 and 1 == 1", LW_RULE_HOLDS},
               {"1 / 0 > 1", LW_RULE_UNDECIDED},
               {"class in 'delta scara' and class != 'delta'", LW_RULE_HOLDS},
               {"class in 'scar scaras'", LW_RULE_VIOLATED},
               {"count('R') == 3 and letter(3) == 'T'", LW_RULE_HOLDS},
               {"known(joint1.axis) and not given(joint1.axis)", LW_RULE_HOLDS},
               {"component(joint3.axis, 3) == -1", LW_RULE_HOLDS},
               {"1 <= 1 and 1 >= 1 and not 1 < 1 and not 1 > 1 and 1 != 2", LW_RULE_HOLDS}};
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        lw_status set;
        lw_report *report = make_report();
        lw_spec *spec = make_spec(SCARA, report, &set);
        const lw_rule rule = {.name = "tried",
                              .kind = LW_RULE_REQUIREMENT,
                              .condition = row[i].condition,
                              .reason = "test"};
        check_case("%s", row[i].condition);
        CHECK_INT(lw_spec_add_rule(spec, &rule, nowhere, report), LW_OK);
        lw_spec_check(spec, report);
        CHECK_INT(state_of(spec, "tried"), row[i].state);
        lw_spec_destroy(spec);
        lw_report_destroy(report);
    }
}

TEST(every_rule_is_whole)
{
    lw_spec *spec = NULL;
    lw_spec_create(&spec);
    for (int i = 0; i < lw_rule_count(); ++i) {
        const lw_rule *r = lw_rule_at(i);
        check_case("%s", r->name);
        CHECK(*r->name && *r->condition && *r->reason);
        CHECK(r->kind != LW_RULE_REQUIREMENT || *r->remedy);
        for (int k = 0; k < i; ++k) {
            CHECK(strcmp(r->name, lw_rule_at(k)->name) != 0);
        }
        lw_rule own = *r; // as a user's, so that its condition and classes are looked at
        char name[100];
        snprintf(name, sizeof name, "own-%s", r->name);
        own.name = name;
        CHECK_INT(lw_spec_add_rule(spec, &own, nowhere, NULL), LW_OK);
    }
    CHECK(!lw_rule_at(-1) && !lw_rule_at(lw_rule_count()) && !lw_class_at(lw_class_count()));
    lw_spec_destroy(spec);
}

int main(void)
{
    RUN(K05_each_class_accepts_and_refuses_by_the_name_of_the_rule);
    RUN(K05_three_orders_of_a_scara_and_no_others);
    RUN(K01_specifications_give_the_shipped_models);
    RUN(K01_masses_follow_from_shapes_and_materials);
    RUN(K06_every_completion_is_explained);
    RUN(rules_hold_are_violated_or_cannot_be_decided_yet);
    RUN(K03_a_length_is_a_number_or_a_symbol);
    RUN(K04_products_of_inertia_of_both_signs);
    RUN(bad_specifications_are_named_with_their_places);
    RUN(all_violated_rules_are_reported_at_once);
    RUN(users_add_rules_and_completions);
    RUN(bad_rules_are_named);
    RUN(conditions_are_evaluated_by_kleenes_logic);
    RUN(every_rule_is_whole);
    return REPORT();
}
