// URDF that is written: what comes back to the last bit, and what is told of the rest.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"
#include "whole_urdf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lw_report *report; // of what is written

static bool same_bits(const void *a, const void *b, size_t size)
{
    return size == 0 || memcmp(a, b, size) == 0;
}

// Every number that a file gives, bit by bit.
static void models_are_equal(const lw_model *a, const lw_model *b)
{
    CHECK_INT(a->nbody, b->nbody);
    CHECK_INT(a->nq, b->nq);
    CHECK_INT(a->nframe, b->nframe);
    CHECK_INT(a->nshape, b->nshape);
    if (a->nbody != b->nbody || a->tree_nv != b->tree_nv || a->nframe != b->nframe ||
        a->nshape != b->nshape || a->nstep != b->nstep) {
        return;
    }
    const size_t n = (size_t)a->nbody;
    CHECK(same_bits(a->X_PJ, b->X_PJ, n * sizeof *a->X_PJ));
    CHECK(same_bits(a->inertia, b->inertia, n * sizeof *a->inertia));
    CHECK(same_bits(a->dof, b->dof, (size_t)a->tree_nv * sizeof *a->dof));
    for (int i = 0; i < a->nstep; ++i) { // mimic: offset and multiplier
        CHECK(same_bits(a->step[i].coefficient, b->step[i].coefficient, 2 * sizeof(double)));
    }
    for (int i = 0; i < a->nshape; ++i) {
        CHECK(same_bits(&a->shape[i].X_BS, &b->shape[i].X_BS, sizeof a->shape[i].X_BS));
        CHECK(same_bits(&a->shape[i].size, &b->shape[i].size, sizeof a->shape[i].size));
        CHECK_TEXT(a->shape[i].mesh, b->shape[i].mesh);
    }
    for (int i = 0; i < a->nlink; ++i) {
        CHECK(same_bits(&a->link[i].X_FI, &b->link[i].X_FI, sizeof a->link[i].X_FI));
    }
}

static lw_mech *written_and_read(const lw_mech *mech)
{
    char *text = NULL;
    size_t size = 0;
    lw_mech *again = NULL;
    CHECK_INT(lw_save_text(mech, LW_FORMAT_URDF, &text, &size, report), LW_OK);
    if (text) {
        CHECK_INT(lw_load_text("again.urdf", text, size, NULL, &again, NULL), LW_OK);
    }
    free(text);
    return again;
}

static void round_trip(lw_mech *mech)
{
    lw_report_clear(report);
    lw_mech *again = written_and_read(mech);
    CHECK_INT(lw_report_count(report), 0); // nothing lost, nothing rounded
    if (again) {
        lw_model *a = compile_checked(mech, NULL), *b = compile_checked(again, NULL);
        if (a && b) {
            models_are_equal(a, b);
        }
        lw_model_destroy(a);
        lw_model_destroy(b);
    }
    lw_mech_destroy(again);
}

TEST(written_urdf_reads_back_to_the_last_bit)
{
    lw_mech *mech = load_checked("t.urdf", whole_urdf);
    if (CHECK(mech != NULL)) {
        round_trip(mech);
    }
    lw_mech_destroy(mech);
}

TEST(published_robots_load_and_read_back_to_the_last_bit)
{
    char **names = shared_names("models/urdf", ".urdf");
    for (int i = 0; names && names[i]; ++i) {
        char relative[256];
        snprintf(relative, sizeof relative, "models/urdf/%s", names[i]);
        check_case("%s", names[i]);
        lw_mech *mech = NULL;
        CHECK_INT(lw_load_file(shared_file(relative), NULL, &mech, report), LW_OK);
        if (mech) {
            round_trip(mech);
        }
        lw_mech_destroy(mech);
    }
    names_free(names);
}

TEST(published_poses_agree_with_other_programs)
{
    char **names = shared_names("models/urdf", ".urdf");
    int count = 0;
    for (int i = 0; names && names[i]; ++i) {
        char relative[300];
        snprintf(relative, sizeof relative, "vectors/%s.json", names[i]);
        json_t *file = reference_read(relative);
        snprintf(relative, sizeof relative, "models/urdf/%s", names[i]);
        lw_model *m = file ? shared_model(relative, false) : NULL;
        for (int s = 0; m && s < reference_count(file); ++s) {
            reference_state state;
            if (!reference_state_read(file, s, m, &state)) {
                continue;
            }
            lw_data *d = new_data(m);
            CHECK_INT(lw_forward_position(m, d, state.q), LW_OK);
            for (int k = 0; k < m->nlink; ++k) {
                lw_pose X, want;
                const int frame = m->link[k].frame;
                check_case("%s, %s", names[i], m->frame[frame].name);
                if (reference_link_pose(file, s, m->frame[frame].name, &want) &&
                    lw_frame_pose(m, d, frame, &X) == LW_OK) {
                    // Between two recursive algorithms, over chains of a metre or two.
                    CHECK_NEAR(lw_norm3(lw_sub3(X.p, want.p)), 0, 1e-12);
                    CHECK_NEAR(lw_norm3(lw_sub3(X.R.row[0], want.R.row[0])), 0, 1e-12);
                    ++count;
                }
            }
            lw_data_destroy(d);
            reference_free(&state);
        }
        lw_model_destroy(m);
        json_decref(file);
    }
    CHECK(!names || count > 100);
    names_free(names);
}

// Machines in the library's own format, written as URDF: other frames and forms, the same poses.
TEST(native_machines_written_as_urdf_move_alike)
{
    static const char *const names[] = {"puma560", "puma560_zero", "puma560_craig", "stanford",
                                        "scara",   "gantry",       "ur5_class",     "panda_class"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char path[300];
        snprintf(path, sizeof path, "%s/models/%s.xml", LINKWORK_SOURCE_DIR, names[i]);
        check_case("%s", names[i]);
        lw_mech *mech = NULL;
        CHECK_INT(lw_load_file(path, NULL, &mech, NULL), LW_OK);
        lw_mech *again = mech ? written_and_read(mech) : NULL;
        lw_model *a = again ? compile_checked(mech, NULL) : NULL,
                 *b = again ? compile_checked(again, NULL) : NULL;
        if (a && b && CHECK_INT(a->nq, b->nq) && CHECK(a->nq <= 16)) {
            lw_data *da = new_data(a), *db = new_data(b);
            double qa[16], qb[16];
            for (int k = 0; k < a->nq; ++k) {
                qa[k] = check_random(-1, 1);
                qb[lw_find_position(b, a->position_name[k])] = qa[k];
            }
            lw_forward_position(a, da, qa);
            lw_forward_position(b, db, qb);
            CHECK_NEAR(a->mass, b->mass, 1e-12);
            lw_vec3 ca, cb;
            lw_center_of_mass(a, da, qa, &ca, NULL);
            lw_center_of_mass(b, db, qb, &cb, NULL);
            // Roll, pitch and yaw round each placement; a dozen of them lie in a row.
            CHECK_NEAR(lw_norm3(lw_sub3(ca, cb)), 0, 1e-13);
            for (int k = 0; k < a->nframe; ++k) {
                const lw_frame_info *info = &a->frame[k];
                const char *dot = strrchr(info->name, '.');
                const int other = lw_find_frame(b, dot ? dot + 1 : info->name);
                lw_pose X, Y;
                // A frame that shares its name with a link was renamed.
                if (!dot || other < 0 || lw_find_frame(a, dot + 1) != k) {
                    continue;
                }
                lw_frame_pose(a, da, k, &X);
                lw_frame_pose(b, db, other, &Y);
                check_case("%s, %s", names[i], info->name);
                CHECK_NEAR(lw_norm3(lw_sub3(X.p, Y.p)), 0, 1e-13);
                CHECK_NEAR(lw_norm3(lw_sub3(X.R.row[1], Y.R.row[1])), 0, 1e-13);
            }
            lw_data_destroy(da);
            lw_data_destroy(db);
        }
        lw_model_destroy(a);
        lw_model_destroy(b);
        lw_mech_destroy(again);
        lw_mech_destroy(mech);
    }
}

static void hang(lw_mech *mech, const char *b, const char *a)
{
    CHECK_INT(lw_connect_named(mech, b, a), LW_OK);
}

static void add_joint(lw_mech *mech, const char *name, lw_joint_type type)
{
    lw_joint_def def = lw_default_joint_def();
    def.name = name;
    def.type = type;
    def.pitch = 0.01;
    def.dof[0].stiffness = 5;
    def.dof[0].reference = 0.5;
    lw_add_joint(mech, &def);
}

TEST(what_urdf_cannot_hold_is_listed)
{
    lw_mech *mech = new_mech("m"), *inside = new_mech("inside");
    lw_ground_def ground = lw_default_ground_def();
    ground.gravity = lw_vec3_of(0, 0, -1.62);
    lw_add_ground(mech, &ground);
    lw_link_def link = lw_default_link_def();
    link.name = "inner";
    lw_add_link(inside, &link);
    lw_add_assembly(mech, "box", inside, (lw_location){0});
    add_joint(mech, "turn", LW_JOINT_REVOLUTE);
    add_joint(mech, "screw", LW_JOINT_SCREW);
    add_joint(mech, "follow", LW_JOINT_REVOLUTE);
    link.name = "arm";
    link.b = lw_placement_dh(0.1, 0.2, 0.3, 0.4);
    const lw_part arm = lw_add_link(mech, &link);
    lw_add_frame(mech, arm, "tool", NULL, (lw_location){0});
    lw_shape_def shape = lw_default_shape_def();
    shape.role = LW_SHAPE_BOUND;
    lw_add_shape(mech, arm, &shape);
    lw_load_def load = lw_default_load_def();
    load.name = "push";
    lw_add_load(mech, &load);
    hang(mech, "ground.b", "turn.a");
    hang(mech, "turn.b", "arm.a");
    hang(mech, "arm.b", "screw.a");
    hang(mech, "screw.b", "follow.a");
    hang(mech, "arm.b", "push.a");
    hang(mech, "arm.b", "box.a");
    const double square[3] = {0, 1, 1};
    lw_coupling_def coupling = lw_default_coupling_def();
    coupling.dependent = "follow";
    coupling.source = "turn";
    coupling.ncoefficient = 3;
    coupling.coefficient = square;
    lw_add_coupling(mech, &coupling);
    lw_report_clear(report);
    lw_mech *again = written_and_read(mech);
    CHECK(again != NULL);
    CHECK_HAS(diagnostic_with(report, "gravity"), "warning: lost: gravity");
    CHECK_HAS(diagnostic_with(report, "box"), "warning: lost: assembly \"box\"");
    CHECK_HAS(diagnostic_with(report, "push"), "warning: lost: load \"push\"");
    CHECK_HAS(diagnostic_with(report, "is screw"), "warning: lost: joint \"screw\" is screw");
    CHECK_HAS(diagnostic_with(report, "coupling"), "warning: lost: coupling of \"follow\"");
    CHECK_HAS(diagnostic_with(report, "spring"), "warning: lost: joint \"turn\", its spring");
    CHECK_HAS(diagnostic_with(report, "reference"),
              "warning: lost: joint \"turn\", its reference position");
    CHECK_HAS(diagnostic_with(report, "bounding"),
              "warning: lost: a bounding shape of link \"arm\"");
    CHECK_HAS(diagnostic_with(report, "rounded"),
              "warning: rounded: joint \"screw\", its placement");
    CHECK_HAS(diagnostic_with(report, "tool"), "note: frame \"tool\" becomes link \"tool\"");
    // Joints with no link on them get one.
    CHECK(lw_find_part(again, "screw_link", LW_PART_LINK).index >= 0);
    CHECK(lw_find_part(again, "follow_link", LW_PART_LINK).index >= 0);
    CHECK(lw_find_part(again, "ground", LW_PART_LINK).index >= 0);
    lw_mech_destroy(again);
    lw_mech_destroy(mech);
    lw_mech_destroy(inside);
}

TEST(limits_that_are_not_there_survive)
{
    lw_mech *mech = new_mech("m");
    lw_link_def link = lw_default_link_def();
    link.name = "a";
    lw_add_link(mech, &link);
    link.name = "b & <c> \"d\" ü";
    lw_add_link(mech, &link);
    lw_joint_def joint = lw_default_joint_def();
    joint.name = "j";
    joint.type = LW_JOINT_PRISMATIC;
    joint.dof[0].upper = 1;
    const lw_part part = lw_add_joint(mech, &joint);
    lw_connect(mech, lw_port_of(mech, lw_find_part(mech, "a", LW_PART_LINK), "b"),
               lw_port_of(mech, part, "a"));
    lw_connect(mech, lw_port_of(mech, part, "b"),
               lw_port_of(mech, lw_find_part(mech, link.name, LW_PART_LINK), "a"));
    round_trip(mech);
    lw_mech_destroy(mech);
}

int main(void)
{
    report = new_report();
    RUN(written_urdf_reads_back_to_the_last_bit);
    RUN(published_robots_load_and_read_back_to_the_last_bit);
    RUN(published_poses_agree_with_other_programs);
    RUN(native_machines_written_as_urdf_move_alike);
    RUN(what_urdf_cannot_hold_is_listed);
    RUN(limits_that_are_not_there_survive);
    lw_report_destroy(report);
    return REPORT();
}
