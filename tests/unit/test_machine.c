// Reconfiguration while others compute (D41).
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/linkwork.h>

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static void add_link(lw_mech *mech, const char *name, double mass, double length)
{
    lw_link_def def = lw_default_link_def();
    def.name = name;
    def.mass = mass;
    def.inertia = (lw_sym3){0.1 * mass, 0.1 * mass, 0.1 * mass, 0.0, 0.0, 0.0};
    def.b = lw_placement_xyz(0.0, 0.0, length);
    CHECK(lw_add_link(mech, &def).index >= 0);
}

static void add_joint(lw_mech *mech, const char *name, lw_vec3 axis)
{
    lw_joint_def def = lw_default_joint_def();
    def.name = name;
    def.type = LW_JOINT_REVOLUTE;
    def.axis = axis;
    CHECK(lw_add_joint(mech, &def).index >= 0);
}

static void join(lw_mech *mech, const char *one, const char *other)
{
    CHECK_INT(lw_connect_named(mech, one, other), LW_OK);
}

static void part(lw_mech *mech, const char *one, const char *other)
{
    CHECK_INT(lw_disconnect(mech, lw_find_port(mech, one), lw_find_port(mech, other)), LW_OK);
}

// Four joints and a payload, with two more joints and a tool lying ready.
static lw_mech *make_arm(void)
{
    lw_mech *mech = new_mech("arm");
    const lw_ground_def ground = lw_default_ground_def();
    const lw_vec3 y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0};
    lw_add_ground(mech, &ground);
    add_joint(mech, "R1", z);
    add_joint(mech, "R2", y);
    add_joint(mech, "R3", y);
    add_joint(mech, "R5", z);
    add_link(mech, "L1", 5.0, 0.4);
    add_link(mech, "L2", 4.0, 0.5);
    add_link(mech, "L3", 3.0, 0.3);
    add_link(mech, "flange", 1.0, 0.1);
    add_link(mech, "payload", 20.0, 0.0);
    join(mech, "ground.b", "R1.a");
    join(mech, "R1.b", "L1.a");
    join(mech, "L1.b", "R2.a");
    join(mech, "R2.b", "L2.a");
    join(mech, "L2.b", "R3.a");
    join(mech, "R3.b", "L3.a");
    join(mech, "L3.b", "R5.a");
    join(mech, "R5.b", "flange.a");
    join(mech, "flange.b", "payload.a");
    add_joint(mech, "R6", y);
    add_joint(mech, "R7", z);
    add_link(mech, "tool", 2.0, 0.2);
    join(mech, "R6.b", "R7.a");
    join(mech, "R7.b", "tool.a");
    return mech;
}

TEST(D30_D41_tool_change_takes_effect_at_one_instant)
{
    lw_mech *mech = make_arm();
    lw_machine *machine = NULL;
    CHECK_INT(lw_machine_create(mech, NULL, &machine, NULL), LW_OK);
    const lw_model *m = lw_machine_acquire(machine);
    CHECK_INT(m->nv, 4);
    CHECK_INT(lw_find_frame(m, "tool"), -1);
    part(mech, "flange.b", "payload.a");
    join(mech, "flange.b", "R6.a");
    CHECK_INT(lw_machine_version(machine), 1);
    CHECK_INT(m->nv, 4); // an edit alone changes nothing
    CHECK_INT(lw_machine_commit(machine, NULL), LW_OK);
    CHECK_INT(m->nv, 4); // who holds the old model keeps it
    const lw_model *tooled = lw_machine_acquire(machine);
    CHECK_INT(tooled->nv, 6);
    CHECK_INT(lw_machine_version(machine), 2);
    CHECK_NEAR(tooled->mass, 5 + 4 + 3 + 1 + 2, 1e-12);
    // The axes of R5, R6 and R7 meet, as in a wrist.
    lw_data *d = new_data(tooled);
    const double q[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    CHECK_INT(lw_forward_position(tooled, d, q), LW_OK);
    lw_pose X6, X7;
    lw_frame_pose(tooled, d, lw_find_frame(tooled, "R6.b"), &X6);
    lw_frame_pose(tooled, d, lw_find_frame(tooled, "R7.b"), &X7);
    CHECK_NEAR(lw_norm3(lw_sub3(X6.p, X7.p)), 0.0, 1e-14);
    lw_data_destroy(d);
    // The room of the old model is not written while somebody holds it.
    CHECK_INT(lw_machine_commit(machine, NULL), LW_ERR_BUSY);
    lw_machine_release(machine, m);
    CHECK_INT(lw_machine_commit(machine, NULL), LW_OK);
    lw_machine_release(machine, tooled);
    lw_machine_destroy(machine);
    lw_mech_destroy(mech);
}

TEST(D41_failed_commit_leaves_the_old_model_current)
{
    lw_mech *mech = make_arm();
    lw_machine *machine = NULL;
    CHECK_INT(lw_machine_create(mech, NULL, &machine, NULL), LW_OK);
    const lw_model *m = lw_machine_acquire(machine);
    const unsigned long long hash = lw_model_hash(m);
    const double coefficient[2] = {0.0, 1.0};
    const lw_coupling_def bad = {
        .dependent = "R2", .source = "nobody", .ncoefficient = 2, .coefficient = coefficient};
    lw_add_coupling(mech, &bad);
    lw_report *report = new_report();
    CHECK_INT(lw_machine_commit(machine, report), LW_ERR_NAME);
    CHECK_HAS(lw_report_diagnostic(report, 0).message, "there is no joint \"nobody\"");
    CHECK(lw_model_hash(m) == hash);
    const lw_model *same = lw_machine_acquire(machine);
    CHECK(same == m);
    lw_machine_release(machine, same);
    lw_machine_release(machine, m);
    lw_report_destroy(report);
    lw_machine_destroy(machine);
    lw_mech_destroy(mech);
}

TEST(D41_too_little_room_is_a_clean_failure)
{
    lw_mech *mech = make_arm();
    lw_machine_def def = lw_default_machine_def();
    for (size_t room = 64; room < 100000; room = room * 5 / 4) {
        lw_machine *machine = NULL;
        def.model_size = room;
        def.work_size = 1u << 20;
        lw_status status = lw_machine_create(mech, &def, &machine, NULL);
        CHECK(status == LW_OK || status == LW_ERR_MEMORY);
        lw_machine_destroy(machine);
        machine = NULL;
        def.model_size = 0;
        def.work_size = room;
        status = lw_machine_create(mech, &def, &machine, NULL);
        CHECK(status == LW_OK || status == LW_ERR_MEMORY);
        lw_machine_destroy(machine);
    }
    lw_mech_destroy(mech);
}

// A URDF without a ground. The payload stands first in the file, so that it is the first part that
// is connected to nothing once it is taken off.
static const char urdf[] =
    "<robot name=\"arm\">"
    "<link name=\"payload\"><inertial><mass value=\"20\"/><inertia ixx=\"1\" iyy=\"1\" "
    "izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
    "<link name=\"base_link\"/>"
    "<link name=\"flange\"><inertial><mass value=\"3\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" "
    "ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
    "<joint name=\"lift\" type=\"continuous\"><parent link=\"base_link\"/><child link=\"flange\"/>"
    "<axis xyz=\"0 1 0\"/></joint>"
    "<joint name=\"payload_joint\" type=\"fixed\"><parent link=\"flange\"/><child "
    "link=\"payload\"/><origin xyz=\"1 0 0\"/></joint></robot>";

static void add_ground(lw_mech *mech)
{
    const lw_ground_def ground = lw_default_ground_def();
    CHECK(lw_add_ground(mech, &ground).index >= 0);
}

TEST(D41_recipe_of_the_header_works_on_a_urdf_without_a_ground)
{
    lw_mech *mech = load_checked("arm.urdf", urdf);
    lw_machine *machine = NULL;
    add_joint(mech, "tool_joint", (lw_vec3){0.0, 1.0, 0.0});
    add_link(mech, "tool", 2.0, 0.2);
    join(mech, "tool_joint", "tool");
    lw_report *report = new_report();
    CHECK_INT(lw_machine_create(mech, NULL, &machine, report), LW_OK);
    CHECK_HAS(diagnostic_with(report, "tool_joint"),
              "warning: joint \"tool_joint\" is connected to nothing: left out");
    const lw_model *m = lw_machine_acquire(machine);
    CHECK_NEAR(m->mass, 23.0, 1e-12);
    CHECK_INT(lw_disconnect_named(mech, "flange", "payload_joint"), LW_OK);
    CHECK_INT(lw_connect_named(mech, "flange", "tool_joint"), LW_OK);
    CHECK_INT(lw_machine_commit(machine, report), LW_OK);
    const lw_model *tooled = lw_machine_acquire(machine);
    CHECK_NEAR(tooled->mass, 5.0, 1e-12);
    CHECK_INT(tooled->nv, 2);
    lw_machine_release(machine, m);
    lw_machine_release(machine, tooled);
    // The mechanism stays the tree of its base where that is hung up on something else.
    add_ground(mech);
    CHECK_INT(lw_connect_named(mech, "ground", "base_link"), LW_OK);
    CHECK_INT(lw_machine_commit(machine, NULL), LW_OK);
    m = lw_machine_acquire(machine);
    CHECK_NEAR(m->mass, 5.0, 1e-12);
    lw_machine_release(machine, m);
    lw_report_destroy(report);
    lw_machine_destroy(machine);
    lw_mech_destroy(mech);
}

TEST(D41_without_a_ground_the_mechanism_stays_the_tree_of_its_base)
{
    lw_mech *mech = load_checked("arm.urdf", urdf);
    lw_machine *machine = NULL;
    part(mech, "flange.b", "payload_joint.a"); // before the first compile
    CHECK_INT(lw_machine_create(mech, NULL, &machine, NULL), LW_OK);
    const lw_model *m = lw_machine_acquire(machine);
    CHECK_INT(m->nv, 1);
    CHECK_NEAR(m->mass, 3.0, 1e-12);
    lw_machine_release(machine, m);
    add_link(mech, "cart", 7.0, 0.0);
    join(mech, "cart.b", "base_link.a");
    CHECK_INT(lw_machine_commit(machine, NULL), LW_OK);
    m = lw_machine_acquire(machine);
    CHECK_NEAR(m->mass, 10.0, 1e-12);
    lw_machine_release(machine, m);
    lw_machine_destroy(machine);
    lw_mech_destroy(mech);
}

TEST(a_mechanism_that_is_connected_to_nothing_is_an_error)
{
    lw_mech *mech = load_checked("arm.urdf", urdf);
    lw_machine *machine = NULL;
    lw_report *report = new_report();
    add_ground(mech);
    CHECK_INT(lw_connect_named(mech, "ground", "bse_link.a"), LW_ERR_PORT_UNKNOWN);
    CHECK_HAS(lw_mech_message(mech), "did you mean \"base_link\"?");
    CHECK_INT(lw_machine_create(mech, NULL, &machine, report), LW_ERR_MODEL);
    CHECK(!machine);
    CHECK_HAS(diagnostic_with(report, "error: "), "link \"base_link\" is connected to nothing");
    // A link without mass on the ground makes no mechanism either.
    add_link(mech, "world", 0.0, 0.0);
    CHECK_INT(lw_connect_named(mech, "ground", "world"), LW_OK);
    CHECK_INT(lw_machine_create(mech, NULL, &machine, NULL), LW_ERR_MODEL);
    CHECK_INT(lw_connect_named(mech, "world", "base_link"), LW_OK);
    CHECK_INT(lw_machine_create(mech, NULL, &machine, NULL), LW_OK);
    // Nor can a commit make it vanish.
    CHECK_INT(lw_disconnect_named(mech, "world", "base_link"), LW_OK);
    CHECK_INT(lw_machine_commit(machine, NULL), LW_ERR_MODEL);
    const lw_model *m = lw_machine_acquire(machine);
    CHECK_NEAR(m->mass, 23.0, 1e-12);
    lw_machine_release(machine, m);
    lw_machine_destroy(machine);
    lw_report_destroy(report);
    lw_mech_destroy(mech);
}

TEST(a_ground_alone_is_a_machine_and_a_rod_with_a_free_end_is_named)
{
    lw_mech *mech = new_mech("cell");
    lw_machine *machine = NULL;
    add_ground(mech);
    CHECK_INT(lw_machine_create(mech, NULL, &machine, NULL), LW_OK);
    lw_machine_destroy(machine);
    add_link(mech, "arm", 1.0, 1.0);
    add_joint(mech, "pivot", (lw_vec3){0.0, 1.0, 0.0});
    join(mech, "ground", "pivot");
    join(mech, "pivot", "arm");
    lw_rod_def rod = lw_default_rod_def();
    rod.name = "strut";
    CHECK(lw_add_rod(mech, &rod).index >= 0);
    join(mech, "strut.a1", "arm");
    lw_report *report = new_report();
    CHECK_INT(lw_machine_create(mech, NULL, &machine, report), LW_OK);
    CHECK_HAS(diagnostic_with(report, "strut"), "warning: rod \"strut\"");
    lw_machine_destroy(machine);
    lw_report_destroy(report);
    lw_mech_destroy(mech);
}

typedef struct reader {
    lw_machine *machine;
    atomic_int *stop;
    atomic_long computed;
    int bad;
} reader;

// Computes on whatever is current; every model must be whole.
static void *read_on(void *argument)
{
    reader *r = argument;
    void *mem = aligned_alloc(64, 1u << 20);
    const double q[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    double tau[6];
    int version = 0;
    while (!atomic_load(r->stop)) {
        const lw_model *m = lw_machine_acquire(r->machine);
        const int now = lw_machine_version(r->machine);
        r->bad += now < version;
        version = now;
        const double mass = m->nv == 4 ? 33.0 : 15.0;
        lw_data *d = data_in(m, mem);
        r->bad += fabs(m->mass - mass) > 1e-12 || (m->nv != 4 && m->nv != 6);
        r->bad += lw_gravity_forces(m, d, q, tau) != LW_OK || !isfinite(tau[0]);
        lw_machine_release(r->machine, m);
        atomic_fetch_add(&r->computed, 1);
    }
    free(mem);
    return NULL;
}

TEST(D41_others_compute_while_the_tool_changes)
{
    enum { READERS = 3, CHANGES = 300 };
    lw_mech *mech = make_arm();
    lw_machine *machine = NULL;
    CHECK_INT(lw_machine_create(mech, NULL, &machine, NULL), LW_OK);
    atomic_int stop;
    atomic_init(&stop, 0);
    reader readers[READERS];
    pthread_t thread[READERS];
    for (int k = 0; k < READERS; ++k) {
        readers[k].machine = machine;
        readers[k].stop = &stop;
        readers[k].bad = 0;
        atomic_init(&readers[k].computed, 0);
        CHECK_INT(pthread_create(&thread[k], NULL, read_on, &readers[k]), 0);
    }
    for (int k = 0; k < READERS; ++k) {
        while (atomic_load(&readers[k].computed) == 0) {
            sched_yield(); // on a busy machine threads start late
        }
    }
    int committed = 0;
    bool has_tool = false;
    for (int n = 0; n < CHANGES; ++n) {
        part(mech, "flange.b", has_tool ? "R6.a" : "payload.a");
        join(mech, "flange.b", has_tool ? "payload.a" : "R6.a");
        has_tool = !has_tool;
        lw_status status = LW_ERR_BUSY;
        for (int k = 0; k < 100000 && status == LW_ERR_BUSY; ++k) {
            status = lw_machine_commit(machine, NULL);
            if (status == LW_ERR_BUSY) {
                sched_yield(); // a reader that was put to sleep holds the spare room
            }
        }
        committed += status == LW_OK;
    }
    atomic_store(&stop, 1);
    for (int k = 0; k < READERS; ++k) {
        pthread_join(thread[k], NULL);
        CHECK_INT(readers[k].bad, 0);
    }
    CHECK_INT(committed, CHANGES);
    lw_machine_destroy(machine);
    lw_mech_destroy(mech);
}

int main(void)
{
    RUN(D30_D41_tool_change_takes_effect_at_one_instant);
    RUN(D41_failed_commit_leaves_the_old_model_current);
    RUN(D41_too_little_room_is_a_clean_failure);
    RUN(D41_recipe_of_the_header_works_on_a_urdf_without_a_ground);
    RUN(D41_without_a_ground_the_mechanism_stays_the_tree_of_its_base);
    RUN(a_mechanism_that_is_connected_to_nothing_is_an_error);
    RUN(a_ground_alone_is_a_machine_and_a_rod_with_a_free_end_is_named);
    RUN(D41_others_compute_while_the_tool_changes);
    return REPORT();
}
