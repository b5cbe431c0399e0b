// Parts are read back, updated and removed, in a description and in a machine (C04).
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/linkwork.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char arm[] = "<linkwork version='1' name='arm'>\n"
                          "<ground/>\n"
                          "<joint name='j1' type='revolute' axis='0 1 0' from='ground' to='l1'/>\n"
                          "<link name='l1' mass='2' center='0.2 0 0' inertia='0.1 0.2 0.3'>\n"
                          "  <b xyz='0.5 0 0'/><frame name='tip' xyz='0.5 0 0.1'/></link>\n"
                          "<joint name='j2' type='revolute' axis='0 1 0' from='l1' to='l2'/>\n"
                          "<link name='l2' mass='1' center='0.1 0 0' inertia='0.1 0.1 0.1'>\n"
                          "  <b xyz='0.3 0 0'/></link>\n"
                          "<joint name='grip' type='fixed' from='l2' to='payload'/>\n"
                          "<link name='payload' mass='3'/>\n"
                          "<drive name='m' out='j2' inertia='0.01'/>\n"
                          "<spring name='s' from='ground' to='l1.tip' stiffness='10'/>\n"
                          "</linkwork>\n";

static lw_part part_of(const lw_mech *mech, const char *name, lw_part_kind kind)
{
    const lw_part part = lw_find_part(mech, name, kind);
    CHECK(part.index >= 0);
    return part;
}

static lw_model *compiled(const lw_mech *mech)
{
    lw_model *m = NULL;
    CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_OK);
    return m;
}

TEST(C04_definitions_are_read_back_as_they_were_given)
{
    lw_mech *mech = load_checked("arm.xml", arm);
    lw_link_def link;
    lw_joint_def joint;
    lw_drive_def drive;
    lw_spring_def spring;
    lw_ground_def ground;
    CHECK_INT(lw_get_link_def(mech, part_of(mech, "l1", LW_PART_LINK), &link), LW_OK);
    CHECK(link.mass == 2.0 && link.inertia.zz == 0.3 && strcmp(link.name, "l1") == 0);
    CHECK_INT(lw_get_joint_def(mech, part_of(mech, "j1", LW_PART_JOINT), &joint), LW_OK);
    CHECK(joint.type == LW_JOINT_REVOLUTE && joint.axis.y == 1.0);
    CHECK_INT(lw_get_drive_def(mech, part_of(mech, "m", LW_PART_DRIVE), &drive), LW_OK);
    CHECK(drive.inertia == 0.01);
    CHECK_INT(lw_get_spring_def(mech, part_of(mech, "s", LW_PART_SPRING), &spring), LW_OK);
    CHECK(spring.ncoefficient == 2 && spring.coefficient[1] == 10.0);
    CHECK_INT(lw_get_ground_def(mech, part_of(mech, "ground", LW_PART_GROUND), &ground), LW_OK);
    CHECK(ground.gravity.z == -9.81);
    CHECK_INT(lw_get_link_def(mech, part_of(mech, "j1", LW_PART_JOINT), &link), LW_ERR_ARGUMENT);
    CHECK_INT(lw_get_link_def(mech, (lw_part){99}, &link), LW_ERR_ARGUMENT);
    lw_mech_destroy(mech);
}

// An update gives the same model, to the last bit, as a description that had the numbers at once.
TEST(C04_an_update_is_as_good_as_a_new_description)
{
    lw_mech *mech = load_checked("arm.xml", arm);
    lw_link_def link;
    lw_joint_def joint;
    const lw_part l2 = part_of(mech, "l2", LW_PART_LINK), j2 = part_of(mech, "j2", LW_PART_JOINT);
    lw_get_link_def(mech, l2, &link);
    link.mass = 4.0;
    link.inertial = lw_placement_xyz(0.15, 0.0, 0.02);
    link.b = lw_placement_xyz(0.35, 0.0, 0.0);
    CHECK_INT(lw_set_link_def(mech, l2, &link), LW_OK);
    lw_get_joint_def(mech, j2, &joint);
    joint.dof[0].friction = 0.5;
    joint.dof[0].upper = 1.5;
    CHECK_INT(lw_set_joint_def(mech, j2, &joint), LW_OK);
    CHECK_INT(lw_set_frame_placement(mech, lw_find_port(mech, "l1.tip"),
                                     &(lw_placement){LW_PLACEMENT_RPY, {0.6, 0.0, 0.1}}),
              LW_OK);
    static const char other[] =
        "<linkwork version='1' name='arm'>\n"
        "<ground/>\n"
        "<joint name='j1' type='revolute' axis='0 1 0' from='ground' to='l1'/>\n"
        "<link name='l1' mass='2' center='0.2 0 0' inertia='0.1 0.2 0.3'>\n"
        "  <b xyz='0.5 0 0'/><frame name='tip' xyz='0.6 0 0.1'/></link>\n"
        "<joint name='j2' type='revolute' axis='0 1 0' from='l1' to='l2' friction='0.5' "
        "upper='1.5'/>\n"
        "<link name='l2' mass='4' center='0.15 0 0.02' inertia='0.1 0.1 0.1'>\n"
        "  <b xyz='0.35 0 0'/></link>\n"
        "<joint name='grip' type='fixed' from='l2' to='payload'/>\n"
        "<link name='payload' mass='3'/>\n"
        "<drive name='m' out='j2' inertia='0.01'/>\n"
        "<spring name='s' from='ground' to='l1.tip' stiffness='10'/>\n"
        "</linkwork>\n";
    lw_mech *fresh = load_checked("arm.xml", other);
    lw_model *m = compiled(mech), *n = compiled(fresh);
    CHECK(m && n && lw_model_hash(m) == lw_model_hash(n));
    lw_model_destroy(m);
    lw_model_destroy(n);
    lw_mech_destroy(mech);
    lw_mech_destroy(fresh);
}

TEST(C04_a_bad_update_changes_nothing_and_says_why)
{
    lw_mech *mech = load_checked("arm.xml", arm);
    lw_model *before = compiled(mech);
    const lw_part l2 = part_of(mech, "l2", LW_PART_LINK), j2 = part_of(mech, "j2", LW_PART_JOINT);
    lw_link_def link;
    lw_joint_def joint;
    lw_get_link_def(mech, l2, &link);
    link.mass = -1.0;
    CHECK_INT(lw_set_link_def(mech, l2, &link), LW_ERR_MODEL);
    CHECK_TEXT(lw_mech_message(mech), "link \"l2\": mass is -1, must not be negative");
    lw_get_joint_def(mech, j2, &joint);
    joint.dof[0].damping = (double)NAN;
    CHECK_INT(lw_set_joint_def(mech, j2, &joint), LW_ERR_NUMBER);
    lw_get_joint_def(mech, j2, &joint);
    joint.closing = true; // port b carries a link
    CHECK_INT(lw_set_joint_def(mech, j2, &joint), LW_ERR_PORT_TAKEN);
    CHECK_INT(lw_set_link_def(mech, j2, &link), LW_ERR_ARGUMENT);
    lw_model *after = compiled(mech);
    CHECK(before && after && lw_model_hash(before) == lw_model_hash(after));
    lw_model_destroy(before);
    lw_model_destroy(after);
    lw_mech_destroy(mech);
}

// A definition that was bad when it was added is no error once it is mended or removed.
TEST(C04_what_is_mended_or_removed_is_not_reported)
{
    lw_mech *mech = load_checked("arm.xml", arm);
    lw_link_def bad = lw_default_link_def();
    bad.name = "bad";
    bad.mass = -1.0;
    const lw_part part = lw_add_link(mech, &bad);
    lw_joint_def hold = lw_default_joint_def();
    hold.name = "hold";
    const lw_part joint = lw_add_joint(mech, &hold);
    CHECK_INT(lw_connect_named(mech, "l1.b", "hold.a"), LW_OK);
    CHECK_INT(lw_connect_named(mech, "hold.b", "bad.a"), LW_OK);
    lw_model *m = NULL;
    CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_ERR_MODEL);
    bad.mass = 1.0;
    CHECK_INT(lw_set_link_def(mech, part, &bad), LW_OK);
    lw_model_destroy(compiled(mech));
    CHECK_INT(lw_remove_part(mech, part), LW_OK);
    CHECK_INT(lw_remove_part(mech, joint), LW_OK);
    lw_model_destroy(compiled(mech));
    lw_mech_destroy(mech);
}

// Without the part, the model is that of a description which never had it.
TEST(C04_a_removed_part_leaves_nothing_behind)
{
    lw_mech *mech = load_checked("arm.xml", arm);
    const lw_part payload = part_of(mech, "payload", LW_PART_LINK);
    CHECK_INT(lw_remove_part(mech, payload), LW_OK);
    CHECK_INT(lw_remove_part(mech, part_of(mech, "grip", LW_PART_JOINT)), LW_OK);
    CHECK_INT(lw_remove_part(mech, part_of(mech, "m", LW_PART_DRIVE)), LW_OK);
    CHECK_INT(lw_remove_part(mech, part_of(mech, "s", LW_PART_SPRING)), LW_OK);
    lw_model *m = compiled(mech);
    CHECK(m && m->nlink == 2 && m->ndrive == 0 && m->nspring == 0);
    CHECK(m && fabs(m->mass - 3.0) < 1e-15);
    lw_model_destroy(m);
    // Saved and loaded again: the writer leaves it out too.
    char *text = NULL;
    size_t size = 0;
    CHECK_INT(lw_save_text(mech, LW_FORMAT_LINKWORK, &text, &size, NULL), LW_OK);
    CHECK(text && !strstr(text, "payload") && !strstr(text, "drive"));
    free(text);
    // The handle means no other part, and is reported.
    lw_link_def link = lw_default_link_def();
    link.name = "payload";
    const lw_part again = lw_add_link(mech, &link);
    CHECK(again.index != payload.index);
    CHECK_INT(lw_get_part_kind(mech, payload), LW_PART_REMOVED);
    CHECK_TEXT(lw_get_part_name(mech, payload), "payload");
    CHECK_INT(lw_find_part(mech, "payload", LW_PART_LINK).index, again.index);
    CHECK_INT(lw_remove_part(mech, payload), LW_ERR_ARGUMENT);
    CHECK_INT(lw_set_link_def(mech, payload, &link), LW_ERR_ARGUMENT);
    CHECK_INT(lw_port_of(mech, payload, "a").index, -1);
    CHECK_INT(lw_connect(mech, lw_find_port(mech, "l2.b"), (lw_port){payload, 0}),
              LW_ERR_PORT_FOREIGN);
    CHECK_HAS(lw_mech_message(mech), "removed part \"payload\"");
    CHECK_INT(lw_connect_named(mech, "l2.b", "payload.a"), LW_OK);
    lw_mech_destroy(mech);
}

TEST(C04_what_names_a_part_must_go_first)
{
    lw_mech *mech = load_checked(
        "mimic.xml",
        "<linkwork version='1' name='mimic'>\n<ground/>\n"
        "<joint name='a' type='revolute' from='ground' to='la'/><link name='la' mass='1'"
        " inertia='1 1 1'/>\n"
        "<joint name='b' type='revolute' from='ground' to='lb'/><link name='lb' mass='1'"
        " inertia='1 1 1'/>\n"
        "<coupling joint='b' of='a' polynomial='0 2'/>\n"
        "<gateway name='g' port='la.b'/>\n</linkwork>\n");
    const lw_part b = part_of(mech, "b", LW_PART_JOINT);
    CHECK_INT(lw_remove_part(mech, b), LW_ERR_PORT_TAKEN);
    CHECK_HAS(lw_mech_message(mech), "coupling");
    CHECK_INT(lw_remove_coupling(mech, "c"), LW_ERR_NAME);
    CHECK_INT(lw_remove_coupling(mech, "b"), LW_OK);
    CHECK_INT(lw_remove_part(mech, b), LW_OK);
    CHECK_INT(lw_remove_part(mech, part_of(mech, "la", LW_PART_LINK)), LW_ERR_PORT_TAKEN);
    CHECK_INT(lw_remove_gear(mech, "none"), LW_ERR_NAME);
    // A frozen description refuses.
    lw_mech *outer = new_mech("outer");
    lw_add_assembly(outer, "in", mech, (lw_location){0});
    CHECK_INT(lw_remove_part(mech, part_of(mech, "lb", LW_PART_LINK)), LW_ERR_FROZEN);
    lw_link_def link = lw_default_link_def();
    CHECK_INT(lw_set_link_def(mech, part_of(mech, "lb", LW_PART_LINK), &link), LW_ERR_FROZEN);
    // An assembly is removed like any part, and its inside lives as long as its users.
    CHECK_INT(lw_remove_part(outer, part_of(outer, "in", LW_PART_ASSEMBLY)), LW_OK);
    lw_mech_destroy(outer);
    lw_mech_destroy(mech);
}

// C04: the payload at run time. The commit allocates nothing, and readers see it at once.
TEST(C04_a_machine_commits_an_updated_payload)
{
    lw_mech *mech = load_checked("arm.xml", arm);
    lw_machine *machine = NULL;
    CHECK_INT(lw_machine_create(mech, NULL, &machine, NULL), LW_OK);
    const lw_part payload = part_of(mech, "payload", LW_PART_LINK);
    for (int mass = 1; mass <= 5; ++mass) {
        lw_link_def link;
        lw_get_link_def(mech, payload, &link);
        link.mass = mass;
        CHECK_INT(lw_set_link_def(mech, payload, &link), LW_OK);
        CHECK_INT(lw_machine_commit(machine, NULL), LW_OK);
        const lw_model *m = lw_machine_acquire(machine);
        CHECK_NEAR(m->mass, 3.0 + mass, 1e-14);
        lw_machine_release(machine, m);
    }
    CHECK_INT(lw_remove_part(mech, payload), LW_OK);
    CHECK_INT(lw_machine_commit(machine, NULL), LW_OK);
    const lw_model *m = lw_machine_acquire(machine);
    CHECK_NEAR(m->mass, 3.0, 1e-14);
    lw_machine_release(machine, m);
    lw_machine_destroy(machine);
    lw_mech_destroy(mech);
}

int main(void)
{
    RUN(C04_definitions_are_read_back_as_they_were_given);
    RUN(C04_an_update_is_as_good_as_a_new_description);
    RUN(C04_a_bad_update_changes_nothing_and_says_why);
    RUN(C04_what_is_mended_or_removed_is_not_reported);
    RUN(C04_a_removed_part_leaves_nothing_behind);
    RUN(C04_what_names_a_part_must_go_first);
    RUN(C04_a_machine_commits_an_updated_payload);
    return REPORT();
}
