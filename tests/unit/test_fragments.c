// A rod loop in three fragments (D18, D23): before the dependent joint, beyond it, and the other
// branch. Derived equations evaluate the first and the last once, with the tree, and the second one
// once more: seen from the joint. The algorithms see each once from the body that both branches
// hang on.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/kinematics.h>
#include <linkwork/symbolic.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 8000 };

// A chain of joints in all directions.
static void add_chain(char *text, char prefix, int n, const char *from, const char *end)
{
    static const char *const axis[] = {"0.48 0.6 0.64", "0.6 0.48 0.64", "0.64 0.48 0.6",
                                       "0.36 0.48 0.8"};
    for (int i = 0; i < n; ++i) {
        char at[20], one[600];
        snprintf(at, sizeof at, "%c%d", prefix, i - 1);
        snprintf(one, sizeof one,
                 "<joint name='j%c%d' type='revolute' axis='%s' from='%s' to='%c%d' xyz='0.%d1 "
                 "0.%d3 0.%d7' reference='0.%d'/><link name='%c%d' mass='1'>%s</link>",
                 prefix, i, axis[(i + prefix) % 4], i ? at : from, prefix, i, 3 + i, 2 + i, 1 + i,
                 1 + i, prefix, i, i + 1 == n ? end : "");
        strcat(text, one);
    }
}

// Products and sums of the poses of all frames; with the rod, or with the joint free.
static int operations(const int n[3], bool has_rod)
{
    char text[MOST_TEXT] = "<linkwork version='1' name='fragments'><ground/>", more[400];
    add_chain(text, 'a', n[0], "ground", "");
    snprintf(more, sizeof more,
             "<joint name='J' type='revolute' axis='0 1 0' from='a%d' to='J' xyz='0.21 0.13 0.37' "
             "reference='0.3' %s/><link name='J' mass='1'/>",
             n[0] - 1, has_rod ? "dependent='true'" : "");
    strcat(text, more);
    add_chain(text, 'b', n[1], "J", "<frame name='end' xyz='0.41 0.12 0.23'/>");
    add_chain(text, 'c', n[2], "ground", "<frame name='end' xyz='0.31 -0.22 0.13'/>");
    snprintf(more, sizeof more, "<rod name='rod' from='b%d.end' to='c%d.end'/>", n[1] - 1,
             n[2] - 1);
    strcat(text, has_rod ? more : "");
    strcat(text, "</linkwork>");
    lw_model *m = compile_text("fragments.xml", text, NULL);
    lw_derive_options o = lw_default_derive_options();
    o.functions = 1u << LW_FUNCTION_POSES;
    o.effort = 0;
    lw_derivation *d = NULL;
    lw_counts c = {0};
    if (m && CHECK_INT(lw_derive(m, &o, &d, NULL), LW_OK)) {
        c = lw_derivation_counts(d, LW_FUNCTION_POSES);
    }
    lw_derivation_destroy(d);
    lw_model_destroy(m);
    return c.mul + c.add;
}

static int extra(int one, int two, int three)
{
    const int n[3] = {one, two, three};
    check_case("fragments of %d, %d and %d joints", one, two, three);
    return operations(n, true) - operations(n, false);
}

TEST(D23_derived_equations_evaluate_fragment_2_once_more_and_no_other)
{
    const int plain = extra(2, 1, 1);
    CHECK(plain > 0);
    CHECK_INT(extra(3, 1, 1), plain);
    CHECK_INT(extra(4, 1, 1), plain);
    CHECK_INT(extra(2, 1, 2), plain);
    CHECK_INT(extra(2, 1, 3), plain);
    // A further joint costs at most as much again as it costs the tree: it is evaluated once more.
    for (int n = 2; n < 4; ++n) {
        const int few[3] = {2, n, 1}, more[3] = {2, n + 1, 1};
        const int again = extra(2, n + 1, 1) - extra(2, n, 1);
        const int once = operations(more, false) - operations(few, false);
        printf("a further joint of fragment 2: %d operations in the tree, %d in the loop\n", once,
               again);
        CHECK(again > 0 && again <= once);
    }
}

// --- The algorithms ---------------------------------------------------------------------------

// A user joint that turns about x and counts how often its pose is asked for.
static void counted_pose(const void *context, const double *q, lw_pose *X)
{
    ++**(int *const *)context;
    const double c = cos(q[0]), s = sin(q[0]);
    *X = (lw_pose){{{{1, 0, 0}, {0, c, -s}, {0, s, c}}}, {0, 0, 0}};
}

static void counted_motion(const void *context, const double *q, lw_motion *S)
{
    (void)context;
    (void)q;
    *S = (lw_motion){{1, 0, 0}, {0, 0, 0}};
}

static lw_part add_counted(lw_mech *mech, const char *name, lw_port on, int *const *count)
{
    lw_joint_def joint = lw_default_joint_def();
    joint.name = name;
    joint.type = LW_JOINT_USER;
    joint.user =
        (lw_user_joint){.nv = 1, .context = count, .pose = counted_pose, .motion = counted_motion};
    joint.before = lw_placement_xyz(0.3, 0.1, 0.2);
    const lw_part part = lw_add_joint(mech, &joint);
    lw_connect(mech, on, lw_port_of(mech, part, "a"));
    lw_link_def link = lw_default_link_def();
    char text[40];
    snprintf(text, sizeof text, "%s_link", name);
    link.name = text;
    link.mass = 1.0;
    const lw_part carried = lw_add_link(mech, &link);
    lw_connect(mech, lw_port_of(mech, part, "b"), lw_port_of(mech, carried, "a"));
    return carried;
}

TEST(D23_the_algorithms_evaluate_each_fragment_once_in_the_loop_and_once_in_the_tree)
{
    int count[3] = {0, 0, 0};
    int *const counter[3] = {&count[0], &count[1], &count[2]};
    lw_mech *mech = new_mech("counted");
    const lw_ground_def ground_def = lw_default_ground_def();
    const lw_part ground = lw_add_ground(mech, &ground_def);
    const lw_part one = add_counted(mech, "one", lw_port_of(mech, ground, "b"), &counter[0]);
    lw_joint_def joint = lw_default_joint_def();
    joint.name = "J";
    joint.type = LW_JOINT_REVOLUTE;
    joint.axis = lw_vec3_of(0, 1, 0);
    joint.before = lw_placement_xyz(0.2, 0.1, 0.4);
    joint.dependent = true;
    const lw_part J = lw_add_joint(mech, &joint);
    lw_connect(mech, lw_port_of(mech, one, "b"), lw_port_of(mech, J, "a"));
    const lw_part two = add_counted(mech, "two", lw_port_of(mech, J, "b"), &counter[1]);
    const lw_part three = add_counted(mech, "three", lw_port_of(mech, ground, "b"), &counter[2]);
    lw_rod_def rod = lw_default_rod_def();
    rod.name = "rod";
    const lw_part r = lw_add_rod(mech, &rod);
    lw_connect(mech, lw_port_of(mech, two, "b"), lw_port_of(mech, r, "a1"));
    lw_connect(mech, lw_port_of(mech, three, "b"), lw_port_of(mech, r, "a2"));
    lw_model *m = compile_checked(mech, NULL);
    lw_data *d = m ? new_data(m) : NULL;
    if (CHECK(d != NULL && m->nv == 3)) {
        const double q[3] = {0.1, -0.1, 0.05};
        memset(count, 0, sizeof count);
        CHECK_INT(lw_forward_position(m, d, q), LW_OK);
        for (int k = 0; k < 3; ++k) {
            check_case("fragment %d", k + 1);
            CHECK_INT(count[k], 2);
        }
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

int main(void)
{
    RUN(D23_derived_equations_evaluate_fragment_2_once_more_and_no_other);
    RUN(D23_the_algorithms_evaluate_each_fragment_once_in_the_loop_and_once_in_the_tree);
    return REPORT();
}
