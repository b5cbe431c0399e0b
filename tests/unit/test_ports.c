// Ports and connections: what may be joined, what is refused and in which words, taking apart.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "parts/parts.h"
#include "random_mech.h"

#include <linkwork/kinematics.h>
#include <stdio.h>
#include <string.h>

// ground, two links, two joints, a load, and an assembly with a B gateway, an A gateway and an axis
// gateway.
static lw_mech *workshop(void)
{
    lw_mech *inside = new_mech("inside");
    lw_link_def link = lw_default_link_def();
    lw_joint_def joint = lw_default_joint_def();
    joint.type = LW_JOINT_REVOLUTE;
    link.name = "base";
    lw_add_link(inside, &link);
    link.name = "lid";
    lw_add_link(inside, &link);
    joint.name = "pin";
    lw_add_joint(inside, &joint);
    CHECK_INT(lw_connect_named(inside, "base.b", "pin.a"), LW_OK);
    CHECK_INT(lw_expose(inside, lw_find_port(inside, "pin.b"), "out"), LW_OK);
    CHECK_INT(lw_expose(inside, lw_find_port(inside, "lid.a"), "in"), LW_OK);
    CHECK_INT(lw_expose(inside, lw_find_port(inside, "pin.axis"), "shaft"), LW_OK);

    lw_mech *mech = new_mech("workshop");
    const lw_ground_def ground = lw_default_ground_def();
    lw_add_ground(mech, &ground);
    link.name = "arm";
    const lw_part arm = lw_add_link(mech, &link);
    lw_add_frame(mech, arm, "tool", NULL, (lw_location){0});
    link.name = "hand";
    lw_add_link(mech, &link);
    joint.name = "elbow";
    lw_add_joint(mech, &joint);
    joint.name = "wrist";
    lw_add_joint(mech, &joint);
    lw_load_def load = lw_default_load_def();
    load.name = "weight";
    lw_add_load(mech, &load);
    lw_add_assembly(mech, "box", inside, (lw_location){0});
    lw_mech_destroy(inside);
    CHECK_INT(lw_connect_named(mech, "ground.b", "elbow.a"), LW_OK);
    CHECK_INT(lw_connect_named(mech, "elbow.b", "arm.a"), LW_OK);
    CHECK_INT(lw_connect_named(mech, "arm.b", "wrist.a"), LW_OK);
    CHECK_INT(lw_connect_named(mech, "wrist.b", "hand.a"), LW_OK);
    return mech;
}

typedef struct refusal {
    const char *one, *other;
    lw_status status;
    const char *text; ///< names both ends
} refusal;

TEST(D12_illegal_connections_are_refused_each_in_its_own_words)
{
    static const refusal table[] = {
        {"ground.b", "elbow.axis", LW_ERR_PORT_KIND,
         "ground \"ground\" port b and joint \"elbow\" port axis: a frame port and an axis port"},
        {"weight.a", "wrist.axis", LW_ERR_PORT_KIND,
         "load \"weight\" port a and joint \"wrist\" port axis: a frame port and an axis port"},
        {"box.shaft", "arm.b", LW_ERR_PORT_KIND,
         "assembly \"box\" port shaft and link \"arm\" port b: a frame port and an axis port"},
        {"box.a", "weight.a", LW_ERR_PORT_BOTH_A,
         "assembly \"box\" port a and load \"weight\" port a: two A ports"},
        {"box.in", "weight.a", LW_ERR_PORT_BOTH_A,
         "assembly \"box\" port in and load \"weight\" port a: two A ports"},
        {"arm.b", "arm.tool", LW_ERR_PORT_SAME_PART,
         "link \"arm\" port b and link \"arm\" port tool: a part cannot be connected to itself"},
        {"arm.tool", "hand.b", LW_ERR_PORT_BOTH_B,
         "link \"arm\" port tool and link \"hand\" port b: two B ports"},
        {"box.out", "ground.b", LW_ERR_PORT_BOTH_B,
         "assembly \"box\" port out and ground \"ground\" port b: two B ports"},
        {"hand.b", "wrist.a", LW_ERR_PORT_TAKEN,
         "link \"hand\" port b and joint \"wrist\" port a: the A port is connected already"},
        {"elbow.b", "elbow.a", LW_ERR_PORT_SAME_PART,
         "joint \"elbow\" port b and joint \"elbow\" port a: a part cannot be connected to itself"},
        {"arm.nose", "weight.a", LW_ERR_PORT_UNKNOWN,
         "there is no port \"arm.nose\" to be connected with \"weight.a\""},
        {"arm.tol", "weight.a", LW_ERR_PORT_UNKNOWN, "did you mean \"tool\"?"},
        {"amr.b", "weight.a", LW_ERR_PORT_UNKNOWN, "did you mean \"arm\"?"},
        {"box.ou", "weight.a", LW_ERR_PORT_UNKNOWN, "did you mean \"out\"?"},
        {"ground.a", "elbow.b", LW_ERR_PORT_UNKNOWN,
         "there is no port \"ground.a\" to be connected with \"elbow.b\""},
        {"weight.b", "hand.a", LW_ERR_PORT_UNKNOWN, "no port \"weight.b\""},
        {"hand.b", "box/lid.a", LW_ERR_PORT_PROTECTED,
         "\"box/lid.a\", to be connected with \"hand.b\", is inside assembly \"box\""},
        {"box/pin.b", "weight.a", LW_ERR_PORT_PROTECTED,
         "\"weight.a\", is inside assembly \"box\""},
    };
    lw_mech *mech = workshop();
    const int connections = mech->connection.count;
    for (size_t k = 0; k < sizeof table / sizeof *table; ++k) {
        const refusal *r = &table[k];
        check_case("%s and %s", r->one, r->other);
        CHECK_INT(lw_connect_named(mech, r->one, r->other), r->status);
        CHECK_HAS(lw_mech_message(mech), r->text);
        if (r->status < LW_ERR_PORT_PROTECTED && r->status != LW_ERR_PORT_UNKNOWN) {
            // The order of the ends does not matter.
            CHECK_INT(lw_connect_named(mech, r->other, r->one), r->status);
            CHECK_HAS(lw_mech_message(mech), lw_status_text(r->status));
        }
    }
    CHECK_INT(mech->connection.count, connections);
    CHECK_INT(lw_connect_named(mech, "arm.tool", NULL), LW_ERR_ARGUMENT);
    CHECK_TEXT(lw_mech_message(mech), "the name of a port is null");
    CHECK_INT(lw_connect_named(mech, "arm.tool", "weight.a"), LW_OK);
    CHECK_TEXT(lw_mech_message(mech), "");
    lw_mech_destroy(mech);
}

// As `from` and `to` of a file: a part without a port means its b, or what it hangs by.
TEST(D10_names_without_a_port_mean_what_they_mean_in_a_file)
{
    static const struct {
        const char *one, *other;  ///< as written
        const char *from, *hangs; ///< which ports that is
    } table[] = {
        {"ground", "box.a", "ground.b", "box.a"},
        {"box.a", "ground", "ground.b", "box.a"},
        {"hand", "weight", "hand.b", "weight.a"},
        {"weight", "hand", "hand.b", "weight.a"},
        {"tool", "weight", "arm.tool", "weight.a"},
        {"weight", "tool", "arm.tool", "weight.a"},
        {"link:hand", "load:weight", "hand.b", "weight.a"},
        {"link:arm.tool", "weight.a", "arm.tool", "weight.a"},
        {"elbow", "box.shaft", "elbow.axis", "box.shaft"},
        {"wrist.axis", "elbow", "wrist.axis", "elbow.axis"},
    };
    lw_mech *mech = workshop();
    for (size_t k = 0; k < sizeof table / sizeof *table; ++k) {
        check_case("%s and %s", table[k].one, table[k].other);
        CHECK_INT(lw_connect_named(mech, table[k].one, table[k].other), LW_OK);
        const lw_port from = lw_find_port(mech, table[k].from);
        CHECK_INT(lw_disconnect(mech, from, lw_find_port(mech, table[k].hangs)), LW_OK);
        CHECK_INT(lw_connect_named(mech, table[k].one, table[k].other), LW_OK);
        CHECK_INT(lw_disconnect_named(mech, table[k].one, table[k].other), LW_OK);
        CHECK_INT(lw_disconnect_named(mech, table[k].one, table[k].other), LW_ERR_PORT_FREE);
    }
    // What is suggested is never what was written.
    lw_spring_def spring = lw_default_spring_def();
    spring.name = "coil";
    lw_add_spring(mech, &spring);
    CHECK_INT(lw_connect_named(mech, "arm", "coil"), LW_ERR_PORT_UNKNOWN);
    CHECK_TEXT(lw_mech_message(mech), "spring \"coil\", to be connected with \"arm\", needs the "
                                      "name of a port, as \"coil.a1\"");
    CHECK_INT(lw_connect_named(mech, "arm", "coil.a"), LW_ERR_PORT_UNKNOWN);
    CHECK_HAS(lw_mech_message(mech), "did you mean \"a1\"?");
    CHECK_INT(lw_connect_named(mech, "arm", "coil.a1"), LW_OK);
    lw_mech_destroy(mech);
}

TEST(D12_cycles_are_refused_at_any_distance)
{
    lw_mech *mech = workshop();
    const lw_port elbow = lw_find_port(mech, "elbow.a");
    CHECK_INT(lw_disconnect(mech, elbow, lw_find_port(mech, "ground.b")), LW_OK);
    CHECK_INT(lw_connect(mech, lw_find_port(mech, "hand.b"), elbow), LW_ERR_PORT_CYCLE);
    CHECK_HAS(lw_mech_message(mech), "link \"hand\" port b and joint \"elbow\" port a");
    // Once the chain is cut the same connection is a tree.
    CHECK_INT(lw_disconnect(mech, lw_find_port(mech, "arm.b"), lw_find_port(mech, "wrist.a")),
              LW_OK);
    CHECK_INT(lw_connect(mech, lw_find_port(mech, "hand.b"), elbow), LW_OK);
    CHECK_INT(lw_connect(mech, lw_find_port(mech, "arm.b"), lw_find_port(mech, "wrist.a")),
              LW_ERR_PORT_CYCLE);
    CHECK_INT(lw_connect(mech, lw_find_port(mech, "ground.b"), lw_find_port(mech, "wrist.a")),
              LW_OK);
    lw_mech_destroy(mech);
}

TEST(D10_ports_that_do_not_exist_and_foreign_parts_are_refused)
{
    lw_mech *mech = workshop();
    const lw_port good = lw_find_port(mech, "arm.b");
    const lw_port none = lw_find_port(mech, "nothing");
    const lw_port beyond = {{mech->part.count}, 0};
    const lw_port odd = {good.part, 1000}, negative = {good.part, -5};
    CHECK_INT(none.index, -1);
    CHECK_INT(lw_connect(mech, good, none), LW_ERR_PORT_FOREIGN);
    CHECK_HAS(lw_mech_message(mech), "link \"arm\" port b and part \"?\" port ?");
    CHECK_INT(lw_connect(mech, beyond, good), LW_ERR_PORT_FOREIGN);
    CHECK_INT(lw_connect(mech, good, odd), LW_ERR_PORT_UNKNOWN);
    CHECK_INT(lw_connect(mech, good, negative), LW_ERR_PORT_UNKNOWN);
    CHECK_INT(lw_disconnect(mech, good, none), LW_ERR_PORT_FOREIGN);
    CHECK_INT(lw_connect(NULL, good, none), LW_ERR_ARGUMENT);
    CHECK_INT(lw_connect_named(mech, NULL, "arm.b"), LW_ERR_ARGUMENT);
    CHECK_INT(lw_disconnect(NULL, good, none), LW_ERR_ARGUMENT);
    CHECK_INT(lw_port_of(mech, (lw_part){-1}, "a").index, -1);
    CHECK_INT(lw_port_of(mech, good.part, NULL).index, -1);
    CHECK_INT(lw_port_of(mech, lw_find_part(mech, "ground", LW_PART_GROUND), "a").index, -1);
    CHECK_INT(lw_port_of(mech, lw_find_part(mech, "arm", LW_PART_LINK), "axis").index, -1);
    CHECK_INT(lw_find_part(mech, "arm", LW_PART_JOINT).index, -1);
    CHECK_INT(lw_find_part(NULL, "arm", LW_PART_ANY).index, -1);
    CHECK_INT(lw_find_port(NULL, "arm.b").index, -1);
    lw_mech_destroy(mech);
}

TEST(D12_disconnecting_needs_the_very_connection)
{
    lw_mech *mech = workshop();
    const lw_port a = lw_find_port(mech, "wrist.a"), b = lw_find_port(mech, "arm.b");
    const lw_port tool = lw_find_port(mech, "tool"); // a name that stands once needs no part
    CHECK(tool.part.index == b.part.index && tool.index != b.index);
    CHECK_INT(lw_disconnect(mech, a, tool), LW_ERR_PORT_FREE);
    CHECK_HAS(lw_mech_message(mech), "link \"arm\" port tool and joint \"wrist\" port a");
    CHECK_INT(lw_disconnect(mech, a, b), LW_OK);
    CHECK_INT(lw_disconnect(mech, a, b), LW_ERR_PORT_FREE);
    CHECK_INT(lw_connect(mech, tool, a), LW_OK);
    CHECK_INT(lw_connect(mech, b, a), LW_ERR_PORT_TAKEN);

    // A gateways of assemblies likewise.
    const lw_port in = lw_find_port(mech, "box.in");
    CHECK_INT(lw_disconnect(mech, in, b), LW_ERR_PORT_FREE);
    CHECK_INT(lw_connect(mech, in, b), LW_OK);
    CHECK_INT(lw_connect(mech, in, tool), LW_ERR_PORT_TAKEN);
    CHECK_INT(lw_disconnect(mech, b, in), LW_OK);
    CHECK_INT(lw_connect(mech, in, tool), LW_OK);
    CHECK_INT(mech->connection.count, 1);
    lw_mech_destroy(mech);
}

// A tool change: the same description, taken apart and joined elsewhere, gives the other machine.
TEST(C04_a_machine_is_extended_reconfigured_and_compiled_again)
{
    lw_mech *mech = workshop();
    CHECK_INT(lw_connect_named(mech, "hand.b", "box.a"), LW_OK);
    CHECK_INT(lw_connect_named(mech, "box.out", "box.in"), LW_ERR_PORT_SAME_PART);
    CHECK_INT(lw_connect_named(mech, "hand.b", "box.in"), LW_OK);
    CHECK_INT(lw_connect_named(mech, "tool", "weight.a"), LW_OK);
    lw_model *before = compile_checked(mech, NULL);
    const unsigned long long hash = lw_model_hash(before);
    CHECK_INT(before->nv, 3);

    lw_joint_def slide = lw_default_joint_def();
    slide.name = "slide";
    slide.type = LW_JOINT_PRISMATIC;
    lw_add_joint(mech, &slide);
    CHECK_INT(lw_disconnect(mech, lw_find_port(mech, "hand.b"), lw_find_port(mech, "box.a")),
              LW_OK);
    CHECK_INT(lw_connect_named(mech, "hand.b", "slide.a"), LW_OK);
    lw_model *failed = before;
    CHECK_INT(lw_compile(mech, NULL, &failed, NULL),
              LW_ERR_MODEL); // the box is connected to nothing
    CHECK(failed == NULL);
    CHECK_INT(lw_connect_named(mech, "slide.b", "box.a"), LW_OK);
    lw_model *after = compile_checked(mech, NULL);
    CHECK_INT(after->nv, 4);

    // Two computations go on with the old model meanwhile.
    lw_data *d = new_data(before);
    const double q[3] = {0.1, 0.2, 0.3};
    lw_vec3 center;
    CHECK_INT(lw_forward_position(before, d, q), LW_OK);
    CHECK_INT(lw_center_of_mass(before, d, q, &center, NULL), LW_ERR_SINGULAR);
    CHECK(lw_model_hash(before) == hash);
    lw_data_destroy(d);
    lw_model_destroy(before);
    lw_model_destroy(after);
    lw_mech_destroy(mech);
}

// What connects is a port number in the part that hangs: nothing is copied, nothing grows.
TEST(D15_connections_take_no_memory)
{
    enum { N = 1000 };
    lw_mech *mech = new_mech("star");
    const lw_ground_def ground = lw_default_ground_def();
    const lw_part center = lw_add_ground(mech, &ground);
    lw_part link[N];
    for (int k = 0; k < N; ++k) {
        char name[16];
        snprintf(name, sizeof name, "l%d", k);
        lw_link_def def = lw_default_link_def();
        def.name = name;
        link[k] = lw_add_link(mech, &def);
    }
    const char *next = mech->arena.next;
    const lwi_part *parts = mech->part.at;
    for (int k = 0; k < N; ++k) {
        const lw_port from = lw_port_of(mech, k % 3 ? link[k - 1] : center, "b");
        CHECK_INT(lw_connect(mech, lw_port_of(mech, link[k], "a"), from), LW_OK);
        CHECK(mech->part.at[link[k].index].feeder.part.index == from.part.index);
    }
    CHECK(mech->arena.next == next && mech->part.at == parts && mech->connection.count == 0);
    lw_mech_destroy(mech);
}

TEST(D12_one_B_port_feeds_many_A_ports)
{
    lw_mech *mech = new_mech("many");
    lw_link_def def = lw_default_link_def();
    def.name = "hub";
    lw_add_link(mech, &def);
    for (int k = 0; k < 5; ++k) {
        char name[16], port[20];
        snprintf(name, sizeof name, "j%d", k);
        snprintf(port, sizeof port, "j%d.a", k);
        lw_joint_def joint = lw_default_joint_def();
        joint.name = name;
        joint.type = LW_JOINT_REVOLUTE;
        lw_add_joint(mech, &joint);
        CHECK_INT(lw_connect_named(mech, "hub.b", port), LW_OK);
    }
    lw_model *m = compile_checked(mech, NULL);
    CHECK_INT(m->nbody, 5);
    for (int i = 0; i < m->nbody; ++i) {
        CHECK_INT(m->parent[i], -1);
    }
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

// Names hold dots: the longest part that fits wins, and kinds do not get into each other's way.
TEST(D10_names_with_dots_find_their_ports)
{
    lw_mech *mech = new_mech("dots");
    lw_link_def link = lw_default_link_def();
    lw_joint_def joint = lw_default_joint_def();
    link.name = "x";
    const lw_part x = lw_add_link(mech, &link);
    link.name = "x.y";
    const lw_part xy = lw_add_link(mech, &link);
    joint.name = "x";
    const lw_part jx = lw_add_joint(mech, &joint);
    lw_add_frame(mech, x, "y.b", NULL, (lw_location){0});
    CHECK_INT(lw_find_port(mech, "x.y.b").part.index, xy.index);
    CHECK_INT(lw_find_port(mech, "x.axis").part.index, jx.index);
    CHECK_INT(lw_find_port(mech, "x.b").part.index, x.index);
    CHECK_INT(lw_find_port(mech, "y.b").part.index, x.index);
    lw_add_frame(mech, xy, "y.b", NULL, (lw_location){0});
    CHECK_INT(lw_find_port(mech, "y.b").index, -1); // stands twice now
    CHECK_INT(lw_find_port(mech, "").index, -1);
    CHECK_INT(lw_find_port(mech, ".").index, -1);
    CHECK_INT(lw_find_port(mech, "x.").index, -1);
    lw_mech_destroy(mech);
}

int main(void)
{
    RUN(D12_illegal_connections_are_refused_each_in_its_own_words);
    RUN(D10_names_without_a_port_mean_what_they_mean_in_a_file);
    RUN(D12_cycles_are_refused_at_any_distance);
    RUN(D10_ports_that_do_not_exist_and_foreign_parts_are_refused);
    RUN(D12_disconnecting_needs_the_very_connection);
    RUN(C04_a_machine_is_extended_reconfigured_and_compiled_again);
    RUN(D15_connections_take_no_memory);
    RUN(D12_one_B_port_feeds_many_A_ports);
    RUN(D10_names_with_dots_find_their_ports);
    return REPORT();
}
