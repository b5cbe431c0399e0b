// Files of constraints: what is read, and what is refused, with its place.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/constraint_file.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char planar[] =
    "<linkwork version='1' name='planar'><ground/>"
    "<joint name='j1' type='revolute' from='ground' to='a'/>"
    "<link name='a' mass='1'><frame name='tip' xyz='1 0 0'/></link>"
    "<joint name='j2' type='revolute' from='a.tip' to='b'/>"
    "<link name='b' mass='1'><frame name='tip' xyz='1 0 0'/></link></linkwork>";

// All diagnostics of reading and making a set. Free with free().
static char *diagnostics_of(const lw_model *m, const char *text, lw_constraint_list **list)
{
    lw_report *report = new_report();
    lw_constraints *set = NULL;
    lw_status status = lw_constraint_list_load_text("t.xml", text, strlen(text), m, list, report);
    if (status == LW_OK) {
        const lw_constraint_options *o = &(*list)->options;
        status = lw_constraints_create(m, (*list)->n, (*list)->def, o, &set, report);
    }
    CHECK((set != NULL) == (status == LW_OK));
    CHECK((status == LW_OK) == (lw_report_errors(report) == 0));
    lw_constraints_destroy(set);
    char *lines = diagnostics_text(report);
    lw_report_destroy(report);
    return lines;
}

TEST(every_element_is_read)
{
    static const char text[] =
        "<constraints version='1' name='all' tolerance='1e-8' iterations='7' starts='3' "
        "repeats='2' "
        "limits='false'><start><joint name='j2' q='0.5'/></start><move name='j2'/>"
        "<pose name='1' frame='b.tip' relative_to='a' xyz='1 2 3' rpy='0 0 1' weight='2'/>"
        "<position name='2' frame='b' point='1 0 0' xyz='1 1 0' level='3'/>"
        "<orientation name='3' frame='b' quat='0.8 0 0 0.6'/>"
        "<direction name='4' frame='b' axis='1 0 0' direction='0 2 0' upper='0.1'/>"
        "<plane name='5' frame='b' xyz='0 1 0' normal='0 1 0' lower='-1' upper='1'/>"
        "<line name='6' frame='b' xyz='0 1 0' direction='1 0 0'/>"
        "<distance name='7' frame='b' xyz='0 0 0' value='1.5'/>"
        "<look_at name='8' frame='b' axis='1 0 0' xyz='9 9 0'/>"
        "<face name='9' frame='b' axis='0 0 -1' xyz='0 0 0' normal='0 0 1'/>"
        "<center_of_mass name='10' xyz='1 0 0'/>"
        "<balance name='11' polygon='0 0 1 0 1 1' margin='0.1'/>"
        "<joint name='12' joint='j1' value='0.25'/>"
        "<function name='13' joint='j1' of='j2' terms='0 2 1'/>"
        "<posture name='14' q='0.1 0.2'/></constraints>";
    lw_model *m = compile_text("planar.xml", planar, NULL);
    lw_constraint_list *list = NULL;
    char *lines = diagnostics_of(m, text, &list);
    CHECK_TEXT(lines, "");
    if (list) {
        CHECK_INT(list->n, 14);
        for (int i = 0; i < list->n; ++i) {
            CHECK_INT(atoi(list->def[i].name), i + 1);
            const int skipped = i + 1 > 8 ? LW_CONSTRAINT_FACE - 8 : 0; // in the order of types
            CHECK_INT(list->def[i].type, i + skipped);
        }
        CHECK_TEXT(list->name, "all");
        CHECK_INT(list->options.iterations, 7);
        CHECK_INT(list->options.starts, 3);
        CHECK_INT(list->options.repeats, 2);
        CHECK_NEAR(list->options.tolerance, 1e-8, 0.0);
        CHECK(list->options.ignores_limits && !list->options.moves[0] && list->options.moves[1]);
        CHECK_NEAR(list->seed[1], 0.5, 0.0);
        CHECK_INT(list->def[0].relative_to, lw_find_frame(m, "a"));
        CHECK_NEAR(list->def[0].weight, 2.0, 0.0);
        CHECK_NEAR(list->def[0].target.R.row[0].y, -sin(1.0), 1e-15);
        CHECK_INT(list->def[1].level, 3);
        CHECK_NEAR(list->def[2].target.R.row[0].x, 0.28, 1e-15);
        CHECK(isinf(list->def[3].lower) && list->def[3].upper == 0.1);
        CHECK_NEAR(list->def[6].value, 1.5, 0.0);
        CHECK_INT(list->def[10].ncorner, 3);
        CHECK_NEAR(list->def[11].value, 0.25, 0.0);
        CHECK_INT(list->def[12].nterm, 3);
        CHECK_NEAR(list->def[13].posture[1], 0.2, 0.0);
        CHECK_TEXT(list->def[0].location.file, "t.xml");
    }
    free(lines);
    lw_constraint_list_destroy(list);
    lw_model_destroy(m);
}

#define SET(inside) "<constraints version='1'>\n" inside "</constraints>"

TEST(bad_input_is_named_with_its_place)
{
    static const struct {
        const char *text, *line;
    } bad[] = {
        {SET(""), "t.xml:1:1: error: it has no constraints"},
        {"<run version='1'/>", "t.xml:1:1: error: a file of constraints begins with <constraints>"},
        {SET("<position name='p' frame='b.tup' xyz='1 0 0'/>"),
         "t.xml:2:27: error: the mechanism has no frame \"b.tup\"; did you mean \"b.tip\"?"},
        {SET("<position name='p' frame='b' xyz='1 nan 0'/>"), "t.xml:2:37: error: "},
        {SET("<position name='p' frame='b' xyz='1e200 0 0'/>"),
         "t.xml:2:1: error: constraint \"p\": a number is not finite, or so large that its square "
         "is not"},
        {SET("<direction name='p' frame='b' direction='0 0 0'/>"),
         "t.xml:2:1: error: constraint \"p\": its direction has length zero"},
        {SET("<look_at name='p' frame='b' axis='0 0 0' xyz='1 0 0'/>"),
         "t.xml:2:1: error: constraint \"p\": its axis has length zero"},
        {SET("<joint name='p' joint='j3' value='1'/>"),
         "t.xml:2:24: error: the mechanism has no joint \"j3\"; did you mean \"j1\"?"},
        {SET("<joint name='p' joint='j1' lower='2' upper='1'/>"),
         "t.xml:2:1: error: constraint \"p\": its lower bound is above its upper bound"},
        {SET("<joint name='p' joint='j1' weight='0'/>"),
         "t.xml:2:1: error: constraint \"p\": its weight must be above 0"},
        {SET("<joint name='p' joint='j1' level='8'/>"),
         "t.xml:2:35: error: level is 8, must be a whole number from 0 to 7"},
        {SET("<joint name='p' joint='j1'/><joint name='p' joint='j2'/>"),
         "t.xml:2:29: error: two constraints are named \"p\""},
        {SET("<joint joint='j1'/>"), "t.xml:2:1: error: "},
        {SET("<pose name='p' frame='b' xyz='1 0 0' quat='1 1 0 0'/>"),
         "t.xml:2:44: error: quat has length 1.41421, must have 1"},
        {SET("<pose name='p' frame='b' relative_to='b' xyz='1 0 0'/>"),
         "t.xml:2:1: error: constraint \"p\": its two frames are the same"},
        {SET("<balance name='p' polygon='0 0 1 0 0 1 1 1'/>"),
         "t.xml:2:1: error: constraint \"p\": its polygon is not convex"},
        {SET("<balance name='p' polygon='0 0 1 0'/>"), "t.xml:2:28: error: polygon has 4 numbers"},
        {SET("<face name='p' frame='b' xyz='0 0 0' normal='0 0 1' upper='1'/>"),
         "t.xml:2:1: error: constraint \"p\": a face contact has no bounds"},
        {SET("<move name='j9'/><joint name='p' joint='j1'/>"),
         "t.xml:2:13: error: the mechanism has no joint or assembly \"j9\""},
        {SET("<joint name='p' joint='j1' value='1'/><joint name='r' joint='j1' value='2'/>"),
         "t.xml:2:39: warning: constraints \"p\" and \"r\" contradict each other"},
        {SET("<joint name='p' joint='j1' valve='1'/>"), "t.xml:2:"},
        {SET("<jiont name='p' joint='j1'/><joint name='q' joint='j1'/>"), "t.xml:2:1: warning: "},
    };
    lw_model *m = compile_text("planar.xml", planar, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        lw_constraint_list *list = NULL;
        char *lines = diagnostics_of(m, bad[i].text, &list);
        check_case("%s", bad[i].text);
        CHECK_HAS(lines, bad[i].line);
        free(lines);
        lw_constraint_list_destroy(list);
    }
    CHECK_INT(lw_constraint_list_load("/nowhere/t.xml", m, &(lw_constraint_list *){NULL}, NULL),
              LW_ERR_FILE);
    lw_model_destroy(m);
}

// Every clearance looks at the pairs of the one lw_collide, whose pairs the reader may choose.
TEST(C13_clearances_are_read_and_hold)
{
    static const char text[] =
        "<constraints version='1'><start><joint name='j1' q='0.1'/><joint name='j2' q='2.9'/>"
        "</start><clearance name='near' lower='0.3' level='0'/>"
        "<clearance name='far' upper='0.5'/></constraints>";
    static const char arm[] =
        "<linkwork version='1' name='arm'><ground><sphere radius='0.1'/></ground>"
        "<joint name='j1' type='revolute' from='ground' to='a'/>"
        "<link name='a' mass='1'><frame name='tip' xyz='1 0 0'/></link>"
        "<joint name='j2' type='revolute' from='a.tip' to='b'/>"
        "<link name='b' mass='1'><sphere radius='0.1' xyz='1 0 0'/></link></linkwork>";
    lw_model *m = compile_text("arm.xml", arm, NULL);
    lw_constraint_list *list = NULL;
    lw_constraints *set = NULL;
    lw_constraint_result found = {0};
    CHECK_INT(lw_constraint_list_load_text("t.xml", text, strlen(text), m, &list, NULL), LW_OK);
    if (CHECK(list && list->collide)) {
        CHECK_INT(list->def[0].type, LW_CONSTRAINT_USER);
        CHECK(list->def[0].upper == (double)INFINITY && list->def[1].lower == -(double)INFINITY);
        CHECK_INT(lw_constraints_create(m, 2, list->def, &list->options, &set, NULL), LW_OK);
        CHECK_INT(lw_constraints_solve(set, list->seed, &found), LW_OK);
        CHECK_INT(found.status, LW_CONSTRAINTS_SOLVED);
        const double apart = 2.0 * cos(0.5 * found.q[1]) - 0.2; // of the two balls
        CHECK(apart > 0.3 - 1e-9 && apart < 0.5 + 1e-9);
        CHECK_INT(lw_collide_allow(list->collide, 0, true), LW_OK);
        CHECK_INT(lw_constraints_solve(set, list->seed, &found), LW_OK);
        CHECK_INT(found.status, LW_CONSTRAINTS_BEST); // nothing is left that is near enough
    }
    lw_constraints_destroy(set);
    lw_constraint_list_destroy(list);
    lw_model_destroy(m);
    m = compile_text("planar.xml", planar, NULL);
    char *lines = diagnostics_of(m, text, &list);
    CHECK(!list && strstr(lines, "t.xml:1:93: error: no two links have collision shapes"));
    free(lines);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(every_element_is_read);
    RUN(C13_clearances_are_read_and_hold);
    RUN(bad_input_is_named_with_its_place);
    return REPORT();
}
