// Distances of the links of a mechanism (C13, C28, C30): against an independent program, by laws,
// and the pairs that are not checked with their reasons.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "random_mech.h"
#include "reference.h"

#include "base/splitmix.h"

#include <linkwork/collide.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4000 };

static lw_contact contact[MOST];

static lw_collide *collide_of(const lw_model *m)
{
    lw_collide *c = NULL;
    CHECK_INT(lw_collide_create(m, &c, NULL), LW_OK);
    return c;
}

// The pair of two links, by name; -1 where there is none.
static int pair_of(const lw_model *m, const lw_collide *c, const char *a, const char *b)
{
    const lw_collide_info *info = lw_collide_describe(c);
    for (int i = 0; i < info->npair; ++i) {
        const char *x = m->frame[info->pair[i].frame[0]].name;
        const char *y = m->frame[info->pair[i].frame[1]].name;
        if ((strcmp(a, x) == 0 && strcmp(b, y) == 0) || (strcmp(a, y) == 0 && strcmp(b, x) == 0)) {
            return i;
        }
    }
    return -1;
}

static int check_robot(const json_t *entry)
{
    char path[200];
    int compared = 0;
    snprintf(path, sizeof path, "models/%s", json_string_value(json_object_get(entry, "model")));
    lw_model *m = shared_model(path, false);
    if (!m) {
        return 0;
    }
    lw_data *d = new_data(m);
    lw_collide *c = collide_of(m);
    for (int i = 0; i < lw_collide_describe(c)->npair; ++i) {
        CHECK_INT(lw_collide_allow(c, i, false), LW_OK);
    }
    double *q = calloc((size_t)m->nq, sizeof *q);
    size_t n, k;
    const json_t *state, *row, *value;
    const char *name;
    json_array_foreach(json_object_get(entry, "states"), n, state)
    {
        check_case("%s, state %zu", path, n);
        memset(q, 0, (size_t)m->nq * sizeof *q);
        json_object_foreach(json_object_get(state, "q"), name, value)
        {
            const int at = lw_find_position(m, name);
            if (CHECK(at >= 0)) {
                q[at] = json_number_value(value);
            }
        }
        int count = 0;
        CHECK_INT(lw_collide_distances(c, d, q, HUGE_VAL, MOST, contact, &count), LW_OK);
        CHECK_INT(count, lw_collide_describe(c)->npair);
        json_array_foreach(json_object_get(state, "pairs"), k, row)
        {
            const int pair = pair_of(m, c, json_string_value(json_array_get(row, 0)),
                                     json_string_value(json_array_get(row, 1)));
            const double want = json_number_value(json_array_get(row, 2));
            for (int i = 0; i < count && pair >= 0; ++i) {
                if (contact[i].pair == pair) {
                    CHECK_NEAR(contact[i].distance.distance, want, 1e-10);
                    ++compared;
                }
            }
        }
    }
    free(q);
    lw_collide_destroy(c);
    lw_data_destroy(d);
    lw_model_destroy(m);
    return compared;
}

TEST(C28_R47_links_of_robots_are_as_far_apart_as_an_independent_program_finds)
{
    json_t *file = reference_read("collision_oracles.json");
    size_t n;
    const json_t *entry;
    int compared = 0;
    json_array_foreach(json_object_get(file, "robots"), n, entry)
    {
        compared += check_robot(entry);
    }
    CHECK(!file || compared > 1000);
    json_decref(file);
}

// A double pendulum that folds onto its base, with a slide beside it.
static const char machine[] =
    "<linkwork version='1' name='m'><ground><box size='0.2 0.2 0.2'/></ground>"
    "<joint name='j1' type='revolute' axis='0 1 0' from='ground' to='u'/>"
    "<link name='u' mass='1' center='0.3 0 0' inertia='0.1 0.1 0.1'><b xyz='0.6 0 0'/>"
    "<capsule radius='0.05' length='0.6' xyz='0.3 0 0' rpy='0 1.5707963267948966 0'/></link>"
    "<joint name='j2' type='revolute' axis='0 1 0' from='u.b' to='f'/>"
    "<link name='f' mass='1' center='0.3 0 0' inertia='0.1 0.1 0.1'>"
    "<box size='0.3 0.3 0.3' xyz='0.5 0 0'><sphere radius='0.05' xyz='0.5 0 0'/></box></link>"
    "</linkwork>";

TEST(C29_pairs_that_are_not_checked_have_their_reason)
{
    lw_model *m = compile_text("m.xml", machine, NULL);
    lw_collide *c = collide_of(m);
    const lw_collide_info *info = lw_collide_describe(c);
    CHECK_INT(info->nlink, 3);
    CHECK_INT(info->nsolid, 3);
    CHECK_INT(info->npair, 3);
    const int adjacent = pair_of(m, c, "ground", "u"), checked = pair_of(m, c, "ground", "f");
    if (CHECK(adjacent >= 0 && checked >= 0)) {
        CHECK_INT(info->pair[adjacent].reason, LW_PAIR_ADJACENT);
        CHECK_TEXT(info->pair[adjacent].joint, "j1");
        CHECK_INT(info->pair[checked].reason, LW_PAIR_CHECKED);
        CHECK(!info->pair[checked].joint);
    }
    CHECK_INT(lw_collide_allow(c, 3, true), LW_ERR_ARGUMENT);
    CHECK_INT(lw_collide_allow(c, checked, true), LW_OK);
    CHECK_INT(info->pair[checked].reason, LW_PAIR_DECLARED);
    lw_collide_destroy(c);
    lw_model_destroy(m);
}

// A closing joint connects the body that the pad is on with the coupler.
TEST(C29_links_at_a_closing_joint_are_adjacent)
{
    lw_model *m =
        shipped_model_with("closed/four_bar.xml", "<frame name=\"point\" xyz=\"0.175 0 0.1\"/>",
                           "<frame name=\"point\" xyz=\"0.175 0 0.1\"/>"
                           "<sphere radius=\"0.01\"/></link><link name=\"pad\" "
                           "at=\"rocker.tip\"><sphere radius=\"0.01\"/>");
    lw_collide *c = collide_of(m);
    const int pair = pair_of(m, c, "coupler", "pad");
    if (CHECK(pair >= 0)) {
        CHECK_INT(lw_collide_describe(c)->pair[pair].reason, LW_PAIR_ADJACENT);
        CHECK_TEXT(lw_collide_describe(c)->pair[pair].joint, "close");
    }
    lw_collide_destroy(c);
    lw_model_destroy(m);
}

// Neighbours are links, not bodies: over a fixed joint a link with shapes comes between, one
// without does not.
TEST(C29_what_is_fixed_to_a_link_is_no_neighbour_of_the_next)
{
    lw_model *m = compile_text(
        "m.xml",
        "<linkwork version='1' name='m'><ground><sphere radius='0.1'/></ground>"
        "<joint name='screws' type='fixed' from='ground' to='table' xyz='1 0 0'/>"
        "<link name='table'><sphere radius='0.1'/></link>"
        "<joint name='j1' type='revolute' axis='0 0 1' from='ground' to='turret'/>"
        "<link name='turret' mass='1' inertia='1 1 1'><sphere radius='0.1'/></link>"
        "<joint name='f' type='fixed' from='turret' to='plate'/><link name='plate'/>"
        "<joint name='j2' type='revolute' axis='0 1 0' from='plate' to='boom'/>"
        "<link name='boom' mass='1' inertia='1 1 1'><sphere radius='0.1'/></link></linkwork>",
        NULL);
    static const struct {
        const char *a, *b;
        lw_pair_reason reason;
    } row[] = {{"ground", "table", LW_PAIR_SAME_BODY}, {"ground", "turret", LW_PAIR_ADJACENT},
               {"table", "turret", LW_PAIR_CHECKED},   {"turret", "boom", LW_PAIR_ADJACENT},
               {"table", "boom", LW_PAIR_CHECKED},     {"ground", "boom", LW_PAIR_CHECKED}};
    lw_collide *c = collide_of(m);
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        const int pair = pair_of(m, c, row[i].a, row[i].b);
        if (CHECK(pair >= 0)) {
            CHECK_INT(lw_collide_describe(c)->pair[pair].reason, row[i].reason);
        }
    }
    lw_collide_destroy(c);
    lw_model_destroy(m);
}

TEST(C28_a_check_agrees_with_the_distances)
{
    lw_model *m = compile_text("m.xml", machine, NULL);
    lw_data *d = new_data(m);
    lw_collide *c = collide_of(m);
    int hits = 0, free_states = 0;
    for (int n = 0; n < 5000; ++n) {
        const double q[2] = {check_random(-3, 3), check_random(-3, 3)};
        const double margin = n % 2 ? 0.0 : 0.1;
        int count = 0;
        lw_verdict verdict;
        lw_contact first;
        CHECK_INT(lw_collide_distances(c, d, q, HUGE_VAL, MOST, contact, &count), LW_OK);
        CHECK_INT(count, 1);
        CHECK_INT(lw_collide_check(c, d, q, margin, &verdict, &first), LW_OK);
        CHECK_INT(verdict, lw_verdict_of(&contact[0].distance, margin));
        hits += verdict == LW_VERDICT_HIT;
        free_states += verdict == LW_VERDICT_FREE;
        // A cut-off leaves out what is farther, and nothing else.
        CHECK_INT(lw_collide_distances(c, d, q, margin, 0, NULL, &count), LW_OK);
        CHECK_INT(count, verdict != LW_VERDICT_FREE);
    }
    CHECK(hits > 100 && free_states > 100);
    lw_collide_destroy(c);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// The nearest pair is the first of all, and poses that the data has serve as well as coordinates.
static void check_nearest(const char *name)
{
    lw_model *m = shipped_model(name);
    lw_data *d = new_data(m);
    lw_collide *c = collide_of(m);
    double q[64];
    lw_contact nearest;
    lw_verdict verdict[2];
    check_case("%s", name);
    CHECK_INT(lw_collide_nearest(c, d, NULL, &nearest), LW_ERR_STAGE);
    for (int n = 0; n < 300 && CHECK(m->nq <= 64); ++n) {
        int count = 0;
        for (int k = 0; k < m->nq; ++k) {
            q[k] = m->q_reference[k] + check_random(-1.0, 1.0);
        }
        CHECK_INT(lw_collide_distances(c, d, q, HUGE_VAL, MOST, contact, &count), LW_OK);
        CHECK_INT(lw_collide_nearest(c, d, NULL, &nearest), LW_OK);
        CHECK(count > 0 && nearest.distance.lower <= contact[0].distance.upper &&
              contact[0].distance.lower <= nearest.distance.upper);
        for (int k = 0; k < count; ++k) { // none is proven to be nearer
            CHECK(contact[k].distance.upper >= nearest.distance.lower);
        }
        CHECK_INT(lw_collide_check(c, d, NULL, 0.01, &verdict[0], NULL), LW_OK);
        CHECK_INT(lw_collide_check(c, d, q, 0.01, &verdict[1], NULL), LW_OK);
        CHECK_INT(verdict[0], verdict[1]);
        CHECK_INT(verdict[0], lw_verdict_of(&nearest.distance, 0.01));
    }
    lw_collide_destroy(c);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(C28_the_nearest_pair_is_the_first_of_all_distances)
{
    check_nearest("panda_class.xml");
    check_nearest("ur5_class.xml");
    check_nearest("stanford.xml");
}

// States side by side, first in float, have the verdicts of states one by one.
static void check_batch(const char *name, double margin, int *hits)
{
    enum { STATES = 203 };
    lw_model *m = shipped_model(name);
    lw_data *d = new_data(m);
    lw_collide *c = collide_of(m);
    const int nlink = lw_collide_describe(c)->nlink, *link = lw_collide_describe(c)->link;
    lw_pose *X = calloc((size_t)STATES * (size_t)nlink, sizeof *X);
    lw_verdict verdict[STATES], want[STATES];
    double q[64];
    check_case("%s, margin %g", name, margin);
    for (int n = 0; n < STATES && CHECK(m->nq <= 64); ++n) {
        for (int k = 0; k < m->nq; ++k) {
            q[k] = m->q_reference[k] + check_random(-2.0, 2.0);
        }
        CHECK_INT(lw_collide_check(c, d, q, margin, &want[n], NULL), LW_OK);
        for (int i = 0; i < nlink; ++i) {
            CHECK_INT(lw_frame_pose(m, d, link[i], &X[n * nlink + i]), LW_OK);
        }
        *hits += want[n] == LW_VERDICT_HIT;
    }
    CHECK_INT(lw_collide_check_poses(c, STATES, X, margin, verdict), LW_OK);
    for (int n = 0; n < STATES; ++n) {
        CHECK_INT(verdict[n], want[n]);
    }
    X[3].p.x = (double)NAN;
    CHECK_INT(lw_collide_check_poses(c, STATES, X, margin, verdict), LW_ERR_NUMBER);
    CHECK_INT(lw_collide_check_poses(c, -1, X, margin, verdict), LW_ERR_ARGUMENT);
    CHECK_INT(lw_collide_check_poses(c, 1, NULL, margin, verdict), LW_ERR_ARGUMENT);
    CHECK_INT(lw_collide_check_poses(c, 1, X, (double)NAN, verdict), LW_ERR_ARGUMENT);
    CHECK_INT(lw_collide_check_poses(c, 0, NULL, margin, NULL), LW_OK);
    free(X);
    lw_collide_destroy(c);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(C28_states_side_by_side_have_the_verdicts_of_states_one_by_one)
{
    static const double margin[] = {0.0, 0.02, -0.02};
    int hits = 0;
    for (int k = 0; k < 3; ++k) {
        check_batch("panda_class.xml", margin[k], &hits);
        check_batch("ur5_class.xml", margin[k], &hits);
        check_batch("stanford.xml", margin[k], &hits);
    }
    CHECK(hits > 100 && hits < 1700);
}

// A machine at rest is not in contact with itself: a shape that reached into a link beyond its
// neighbours would be reported wherever the machine is used.
TEST(C28_no_shipped_model_is_in_contact_at_rest)
{
    glob_t found;
    int checked = 0;
    shipped_paths(&found);
    for (size_t i = 0; i < found.gl_pathc; ++i) {
        lw_model *m = compile_path(found.gl_pathv[i], NULL);
        lw_data *d = new_data(m);
        lw_collide *c = collide_of(m);
        lw_verdict verdict;
        check_case("%s", found.gl_pathv[i]);
        CHECK_INT(lw_collide_check(c, d, m->q_reference, 0.0, &verdict, NULL), LW_OK);
        CHECK_INT(verdict, LW_VERDICT_FREE);
        checked += lw_collide_describe(c)->npair > 0;
        lw_collide_destroy(c);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    CHECK(checked >= 15);
    globfree(&found);
}

// What is left out does not come into contact, or always is; the evidence is there.
TEST(C29_pairs_that_always_overlap_or_never_touch_are_found)
{
    const lw_pair_search search = {.samples = 500, .seed = 1};
    lw_model *m = // a drive of the upper arm that reaches down into the foot of the robot
        shipped_model_with("ur5_class.xml", "length=\"0.11\" xyz=\"0.425 0 0.141\"",
                           "length=\"0.14\" xyz=\"0.425 0 0.12\"");
    lw_data *d = new_data(m);
    lw_collide *c = collide_of(m);
    CHECK_INT(lw_collide_search_pairs(c, d, &search), LW_OK);
    const int always = pair_of(m, c, "ground", "upper_arm");
    CHECK_INT(lw_collide_describe(c)->pair[always].reason, LW_PAIR_ALWAYS);
    CHECK_INT(lw_collide_describe(c)->pair[always].samples, 500);
    CHECK_INT(lw_collide_search_pairs(c, d, NULL), LW_ERR_ARGUMENT);
    lw_collide_destroy(c);
    lw_data_destroy(d);
    lw_model_destroy(m);
    m = shipped_model("panda_class.xml");
    d = new_data(m);
    c = collide_of(m);
    lw_collide *all = collide_of(m);
    CHECK_INT(lw_collide_search_pairs(c, d, &search), LW_OK);
    const lw_collide_info *info = lw_collide_describe(c);
    int never = 0, count = 0;
    for (int i = 0; i < info->npair; ++i) {
        never += info->pair[i].reason == LW_PAIR_NEVER;
    }
    CHECK(never >= 5);
    for (int n = 0; n < 2000; ++n) { // other samples than those of the search
        double q[16];
        for (int k = 0; k < m->nq; ++k) {
            const lw_dof *dof = &m->dof[m->v_tree[k]];
            q[k] = check_random(dof->lower, dof->upper);
        }
        CHECK_INT(lw_collide_distances(all, d, q, 0.0, MOST, contact, &count), LW_OK);
        for (int k = 0; k < count && k < MOST; ++k) {
            CHECK(info->pair[contact[k].pair].reason != LW_PAIR_NEVER);
        }
    }
    lw_collide_destroy(all);
    lw_collide_destroy(c);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Central differences of the distance, where the nearest points are unique.
static void check_gradient(const lw_model *m, lw_collide *c, lw_data *d, const double *q)
{
    int count = 0;
    double gradient[64], work[6 * 64], moved[64], step[64];
    CHECK_INT(lw_collide_distances(c, d, q, HUGE_VAL, MOST, contact, &count), LW_OK);
    if (!CHECK(count > 0 && m->nv <= 64 && m->nq <= 64)) {
        return;
    }
    const lw_contact near = contact[0];
    CHECK_INT(lw_collide_gradient(c, d, q, &near, work, gradient), LW_OK);
    for (int k = 0; k < m->nv; ++k) {
        double side[2] = {0, 0};
        for (int i = 0; i < 2; ++i) {
            memset(step, 0, sizeof step);
            step[k] = i ? 1e-6 : -1e-6;
            CHECK_INT(lw_integrate(m, q, step, 1.0, moved), LW_OK);
            CHECK_INT(lw_collide_distances(c, d, moved, HUGE_VAL, MOST, contact, &count), LW_OK);
            for (int j = 0; j < count; ++j) {
                side[i] = contact[j].pair == near.pair ? contact[j].distance.distance : side[i];
            }
        }
        CHECK_NEAR(gradient[k], (side[1] - side[0]) / 2e-6, 1e-5);
    }
}

TEST(C30_gradients_of_distances_are_their_differences)
{
    lw_model *m = compile_text("m.xml", machine, NULL);
    lw_data *d = new_data(m);
    lw_collide *c = collide_of(m);
    for (int n = 0; n < 200; ++n) {
        const double q[2] = {check_random(0.2, 1.2), check_random(0.3, 2.0)};
        check_case("state %d", n);
        check_gradient(m, c, d, q);
    }
    lw_collide_destroy(c);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// The rods of the palletiser carry no shapes; those of its links move through its loops.
TEST(C30_gradients_go_through_loops)
{
    lw_model *m = shipped_model_with(
        "closed/palletiser.xml", "<frame name=\"flange\"/>",
        "<frame name=\"flange\"/><sphere radius=\"0.1\"/></link><link name=\"post\" at=\"ground\">"
        "<capsule radius=\"0.1\" length=\"1\" xyz=\"0 2 0.5\"/>");
    lw_data *d = new_data(m);
    lw_collide *c = m ? collide_of(m) : NULL;
    for (int n = 0; n < 50 && CHECK(m && c); ++n) {
        double q[4];
        for (int k = 0; k < 4; ++k) {
            q[k] = m->q_reference[k] + check_random(-0.3, 0.3);
        }
        check_case("state %d", n);
        check_gradient(m, c, d, q);
    }
    lw_collide_destroy(c);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// The wheel is dependent, and its pin comes near a post as the pinion turns; a slide goes along.
TEST(C30_gradients_go_through_gears_and_couplings)
{
    lw_model *m = compile_text(
        "m.xml",
        "<linkwork version='1' name='m'><ground><capsule name='post' radius='0.05' length='1' "
        "xyz='1 0.1 0.5'/></ground>"
        "<joint name='a' type='revolute' axis='0 0 1' from='ground' to='pinion'/>"
        "<link name='pinion' mass='1' inertia='1 1 1'/>"
        "<joint name='b' type='revolute' axis='0 0 1' xyz='0.4 0 0' from='ground' to='wheel' "
        "dependent='true'/>"
        "<link name='wheel' mass='1' inertia='1 1 1'/>"
        "<joint name='c' type='prismatic' axis='0 0.6 0.8' xyz='0.2 0 0.2' from='wheel' to='pin' "
        "dependent='true'/>"
        "<link name='pin' mass='1' inertia='1 1 1'><sphere radius='0.05'/></link>"
        "<gear name='mesh' type='spur' first='pinion' second='wheel' teeth='20 60'/>"
        "<coupling name='cam' joint='c' of='a' polynomial='0 0.05 0.02'/></linkwork>",
        NULL);
    lw_data *d = new_data(m);
    lw_collide *c = m ? collide_of(m) : NULL;
    for (int n = 0; n < 100 && CHECK(m && c && m->nv == 1); ++n) {
        const double q = check_random(-3, 3);
        check_case("state %d", n);
        check_gradient(m, c, d, &q);
    }
    lw_collide_destroy(c);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Two balls of one link: for one the margin is inside of the interval, the other one is a little
// farther. The pair is uncertain, although the other one is proven to be beyond the margin.
TEST(C30_a_pair_of_links_is_proven_only_where_all_its_shapes_are)
{
    static const char balls[] =
        "<linkwork version='1' name='m'><ground><sphere radius='0.5'/></ground>"
        "<joint name='a' type='prismatic' axis='0 0 1' from='ground' to='s'/>"
        "<link name='s' mass='1' inertia='1 1 1'/>"
        "<joint name='b' type='prismatic' axis='1 0 0' from='s' to='u'/>"
        "<link name='u' mass='1' inertia='1 1 1'><sphere radius='0.5' xyz='2 0 0'/>"
        "<sphere radius='0.5' xyz='0 2.00000000000001 0'/></link></linkwork>";
    lw_model *m = compile_text("m.xml", balls, NULL);
    lw_data *d = new_data(m);
    lw_collide *c = collide_of(m);
    const double q[2] = {0, 0}, far[2] = {1e60, 0}, right[2] = {0, 9};
    lw_verdict verdict;
    int count;
    CHECK_INT(lw_collide_check(c, d, q, 1.0, &verdict, NULL), LW_OK);
    CHECK_INT(verdict, LW_VERDICT_UNCERTAIN);
    CHECK_INT(lw_collide_check(c, d, q, 1.1, &verdict, NULL), LW_OK);
    CHECK_INT(verdict, LW_VERDICT_HIT);
    CHECK_INT(lw_collide_check(c, d, q, 0.9, &verdict, NULL), LW_OK);
    CHECK_INT(verdict, LW_VERDICT_FREE);
    CHECK_INT(lw_collide_distances(c, d, far, HUGE_VAL, MOST, contact, &count), LW_ERR_NUMBER);
    const lw_motion_check check = {.margin = 0.5, .resolution = 1e-3};
    lw_motion_verdict motion;
    CHECK_INT(lw_collide_motion(c, d, q, right, &check, &motion), LW_OK);
    CHECK_INT(motion.verdict, LW_VERDICT_FREE);
    CHECK_INT(motion.contact.pair, -1);
    lw_collide_destroy(c);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(C28_bad_arguments_are_refused)
{
    lw_model *m = compile_text("m.xml", machine, NULL);
    lw_data *d = new_data(m);
    lw_collide *c = collide_of(m);
    const double q[2] = {0, 0}, bad[2] = {(double)NAN, 0};
    int count;
    lw_verdict verdict;
    lw_collide *none = c;
    CHECK_INT(lw_collide_create(NULL, &none, NULL), LW_ERR_ARGUMENT);
    CHECK(!none);
    CHECK_INT(lw_collide_distances(c, d, bad, 1.0, MOST, contact, &count), LW_ERR_NUMBER);
    CHECK_INT(lw_collide_distances(c, d, q, (double)NAN, MOST, contact, &count), LW_ERR_ARGUMENT);
    CHECK_INT(lw_collide_distances(c, d, q, 1.0, -1, contact, &count), LW_ERR_ARGUMENT);
    CHECK_INT(lw_collide_distances(c, d, q, 1.0, 1, NULL, &count), LW_ERR_ARGUMENT);
    CHECK_INT(lw_collide_check(c, d, q, HUGE_VAL, &verdict, NULL), LW_ERR_ARGUMENT);
    double work[12], gradient[2];
    lw_contact near;
    CHECK_INT(lw_collide_nearest(c, d, q, &near), LW_OK);
    near.distance.normal.y = (double)NAN;
    CHECK_INT(lw_collide_gradient(c, d, q, &near, work, gradient), LW_ERR_NUMBER);
    near.pair = -1;
    CHECK_INT(lw_collide_gradient(c, d, q, &near, work, gradient), LW_ERR_ARGUMENT);
    lw_contact_patch patch;
    near.shape[1] = m->nshape;
    CHECK_INT(lw_collide_patch(c, d, &near, 0.0, &patch), LW_ERR_ARGUMENT);
    CHECK(!lw_collide_describe(NULL));
    lw_collide_destroy(c);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

static const lw_vec3 box_vertex[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                      {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const int box_triangle[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                     2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

// Two arms with a box at their ends: as a box, or as a mesh of it with a scale.
static lw_model *boxes(bool is_mesh)
{
    static const char text[] =
        "<linkwork version='1' name='m'><ground/>"
        "<joint name='j1' type='revolute' axis='0 1 0' from='ground' to='u'/>"
        "<joint name='j2' type='revolute' axis='1 1 0' from='ground' to='v'/>"
        "<joint name='j3' type='prismatic' axis='1 0 0' from='v' to='w'/>"
        "<link name='u' mass='1' inertia='1 1 1'/><link name='v' mass='1' inertia='1 1 1'/>"
        "<link name='w' mass='1' inertia='1 1 1'/></linkwork>";
    lw_mech *mech = load_checked("m.xml", text);
    const lw_mesh mesh = {8, 12, box_vertex, box_triangle, false};
    for (int i = 0; i < 3; ++i) {
        static const char *const name[] = {"u", "v", "w"};
        lw_shape_def def = lw_default_shape_def();
        def.placement = lw_placement_xyz(0.3 * i, 0.1, 0.2 * i);
        def.type = is_mesh ? LW_SHAPE_MESH : LW_SHAPE_BOX;
        def.size = lw_scale3(is_mesh ? 0.5 : 1.0, lw_vec3_of(0.2, 0.3, 0.1 + 0.1 * (i % 2)));
        def.mesh = def.mesh_file = is_mesh ? "box.stl" : NULL;
        def.data = is_mesh ? &mesh : NULL;
        CHECK_INT(lw_add_shape(mech, lw_find_part(mech, name[i], LW_PART_LINK), &def), 0);
    }
    lw_model *m = compile_checked(mech, NULL);
    lw_mech_destroy(mech);
    return m;
}

TEST(C28_meshes_are_in_the_model_and_as_far_as_the_boxes_that_they_are)
{
    lw_model *m[2] = {boxes(false), boxes(true)};
    CHECK_INT(m[1]->nmesh, 1); // three shapes share it
    void *memory = malloc(lw_model_size(m[1]));
    lw_model *copy = NULL;
    CHECK_INT(lw_model_copy(m[1], memory, &copy), LW_OK);
    CHECK(lw_model_hash(copy) == lw_model_hash(m[1]));
    CHECK(copy->mesh[copy->shape[2].data].vertex[7].x == 1.0);
    CHECK(copy->mesh != m[1]->mesh && copy->mesh->triangle != m[1]->mesh->triangle);
    lw_data *d[2] = {new_data(m[0]), new_data(copy)};
    lw_collide *c[2] = {collide_of(m[0]), collide_of(copy)};
    unsigned long long seed = 3;
    int hits = 0;
    for (int n = 0; n < 300; ++n) {
        double q[3];
        int count[2];
        for (int k = 0; k < 3; ++k) {
            q[k] = lwi_random_share(&seed) * (k < 2 ? 6.0 : 0.5);
        }
        CHECK_INT(lw_collide_distances(c[0], d[0], q, HUGE_VAL, 3, contact, &count[0]), LW_OK);
        CHECK_INT(lw_collide_distances(c[1], d[1], q, HUGE_VAL, 3, contact + 3, &count[1]), LW_OK);
        CHECK_INT(count[0], count[1]);
        for (int i = 0; i < count[0]; ++i) {
            const lw_distance *box = &contact[i].distance;
            int k = 3;
            while (k < 5 && contact[k].pair != contact[i].pair) {
                ++k;
            }
            const lw_distance *mesh = &contact[k].distance;
            CHECK(mesh->lower <= box->upper && box->lower <= mesh->upper);
            CHECK(lw_verdict_of(mesh, 0.0) == lw_verdict_of(box, 0.0));
            CHECK(box->distance <= 0.0 || fabs(mesh->distance - box->distance) < 1e-12);
            hits += box->distance < 0.0;
        }
    }
    CHECK(hits > 10);
    for (int k = 0; k < 2; ++k) {
        lw_collide_destroy(c[k]);
        lw_data_destroy(d[k]);
        lw_model_destroy(m[k]);
    }
    free(memory);
}

// A ball over a nearly flat roof, which is a mesh or its hull: the ridge is below a millionth of
// the size and no point of the hull that is used.
static lw_model *ball_over_roof(bool is_convex)
{
    static const lw_vec3 vertex[7] = {{-0.5, -0.5, 0}, {0.5, -0.5, 0}, {0.5, 0.5, 0},
                                      {-0.5, 0.5, 0},  {0, 0, -0.5},   {0, -0.4, 5e-7},
                                      {0, 0.4, 6e-7}};
    static const int triangle[30] = {0, 1, 5, 1, 2, 6, 1, 6, 5, 2, 3, 6, 3, 0, 6,
                                     0, 5, 6, 1, 0, 4, 2, 1, 4, 3, 2, 4, 0, 3, 4};
    lw_mech *mech = load_checked(
        "m.xml", "<linkwork version='1' name='m'>"
                 "<link name='house' mass='1' inertia='1 1 1'/>"
                 "<joint name='x' type='prismatic' axis='1 0 0' from='house' to='k'/>"
                 "<link name='k' mass='1' inertia='1 1 1'/>"
                 "<joint name='z' type='prismatic' from='k' to='b' xyz='0.45 0.45 0.1'/>"
                 "<link name='b' mass='1' inertia='1 1 1'><sphere radius='0.1'/></link>"
                 "</linkwork>");
    const lw_mesh mesh = {7, 10, vertex, triangle, false};
    lw_shape_def def = lw_default_shape_def();
    def.type = LW_SHAPE_MESH;
    def.size = lw_vec3_of(1.0, 1.0, 1.0);
    def.mesh = "roof";
    def.data = &mesh;
    def.is_convex = is_convex;
    CHECK(lw_add_shape(mech, lw_find_part(mech, "house", LW_PART_LINK), &def) >= 0);
    lw_model *m = compile_checked(mech, NULL);
    lw_mech_destroy(mech);
    return m;
}

TEST(C28_hulls_of_meshes_prove_nothing_that_is_not_so_of_the_mesh)
{
    lw_model *m[2] = {ball_over_roof(false), ball_over_roof(true)};
    lw_data *d[2] = {new_data(m[0]), new_data(m[1])};
    lw_collide *c[2] = {collide_of(m[0]), collide_of(m[1])};
    for (int n = 0; n < 40; ++n) {
        const double q[2] = {-0.02 * n, 1e-7 * (n % 8)};
        lw_contact near[2];
        lw_verdict verdict[2];
        check_case("place %d", n);
        for (int k = 0; k < 2; ++k) {
            CHECK_INT(lw_collide_nearest(c[k], d[k], q, &near[k]), LW_OK);
            CHECK_INT(lw_collide_check(c[k], d[k], q, 0.0, &verdict[k], NULL), LW_OK);
        }
        CHECK(near[0].distance.lower <= near[1].distance.upper &&
              near[1].distance.lower <= near[0].distance.upper);
        CHECK(verdict[0] == verdict[1] || verdict[0] == LW_VERDICT_UNCERTAIN ||
              verdict[1] == LW_VERDICT_UNCERTAIN);
    }
    for (int k = 0; k < 2; ++k) {
        lw_collide_destroy(c[k]);
        lw_data_destroy(d[k]);
        lw_model_destroy(m[k]);
    }
}

TEST(meshes_that_name_no_vertex_are_refused_by_the_compile)
{
    const int triangle[3] = {0, 1, 8};
    const lw_vec3 vertex[2] = {{0, 0, 0}, {(double)NAN, 0, 0}};
    const lw_mesh mesh[2] = {{8, 1, box_vertex, triangle, false}, {2, 0, vertex, NULL, false}};
    for (int i = 0; i < 2; ++i) {
        lw_mech *mech =
            load_checked("m.xml", "<linkwork version='1' name='m'><ground/></linkwork>");
        lw_shape_def def = lw_default_shape_def();
        def.type = LW_SHAPE_MESH;
        def.mesh = "x.stl";
        def.data = &mesh[i];
        lw_report *report = new_report();
        lw_model *m = NULL;
        CHECK_INT(lw_add_shape(mech, lw_find_part(mech, "ground", LW_PART_GROUND), &def), 0);
        CHECK(lw_compile(mech, NULL, &m, report) != LW_OK);
        CHECK(*diagnostic_with(report, i == 0 ? "triangle 0 of its mesh names vertex 8 of 8"
                                              : "vertex 1 of its mesh is not finite"));
        lw_report_destroy(report);
        lw_mech_destroy(mech);
    }
}

int main(void)
{
    RUN(C28_R47_links_of_robots_are_as_far_apart_as_an_independent_program_finds);
    RUN(C29_pairs_that_are_not_checked_have_their_reason);
    RUN(C29_links_at_a_closing_joint_are_adjacent);
    RUN(C29_what_is_fixed_to_a_link_is_no_neighbour_of_the_next);
    RUN(C28_a_check_agrees_with_the_distances);
    RUN(C28_the_nearest_pair_is_the_first_of_all_distances);
    RUN(C28_states_side_by_side_have_the_verdicts_of_states_one_by_one);
    RUN(C28_no_shipped_model_is_in_contact_at_rest);
    RUN(C29_pairs_that_always_overlap_or_never_touch_are_found);
    RUN(C30_gradients_of_distances_are_their_differences);
    RUN(C30_gradients_go_through_loops);
    RUN(C30_gradients_go_through_gears_and_couplings);
    RUN(C30_a_pair_of_links_is_proven_only_where_all_its_shapes_are);
    RUN(C28_bad_arguments_are_refused);
    RUN(C28_meshes_are_in_the_model_and_as_far_as_the_boxes_that_they_are);
    RUN(C28_hulls_of_meshes_prove_nothing_that_is_not_so_of_the_mesh);
    RUN(meshes_that_name_no_vertex_are_refused_by_the_compile);
    return REPORT();
}
