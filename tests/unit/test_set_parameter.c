// Numbers of a description by name: read, and written.
#include "check.h"

#include "arrays.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/derivatives.h>
#include <linkwork/engine.h>
#include <linkwork/io.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Parts of every kind.
TEST(D36_numbers_of_the_description)
{
    static const struct {
        const char *file, *name;
        double value;
    } all[] = {{"palletiser", "R1.axis.z", 1.0},
               {"palletiser", "R1.before.x", 0.0},
               {"palletiser", "R1.upper", 3.0},
               {"palletiser", "R2.friction", 0.0},
               {"palletiser", "L12.mass", 120.0},
               {"palletiser", "L12.center.z", 0.4},
               {"palletiser", "L12.inertia.zz", 5.0},
               {"palletiser", "L12.b.x", 0.3},
               {"palletiser", "LAB.length", 1.2},
               {"palletiser", "LAB.mass", 6.0},
               {"palletiser", "Payload.flange.y", 0},
               {"driven_wrist", "belt.ratio", 1.5},
               {"driven_wrist", "harmonic.ratio", -100},
               {"four_bar", "crank.tip.y", 0.0},
               {"geared_wrist", "drive1.size1", 20.0},
               {"geared_wrist", "drive1.size2", 60.0},
               {"geared_wrist", "drive1.ratio", 3.0},
               {"../panda_class", "gripper.c1", 1.0},
               {"../rover/rover", "rear_left/wheel/drive.damping", 0.0},
               {"../rover/rover", "arm/elbow.lower", -0.17453292519943295}};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        char path[300];
        double value = (double)NAN;
        lw_mech *mech = NULL;
        check_case("%s", all[i].name);
        snprintf(path, sizeof path, LINKWORK_SOURCE_DIR "/models/closed/%s.xml", all[i].file);
        if (CHECK_INT(lw_load_file(path, NULL, &mech, NULL), LW_OK)) {
            CHECK_INT(lw_get_parameter(mech, all[i].name, &value), LW_OK);
            CHECK_NEAR(value, all[i].value, 0.0);
            CHECK_INT(lw_set_parameter(mech, all[i].name, value + 0.25), LW_OK);
            CHECK_INT(lw_get_parameter(mech, all[i].name, &value), LW_OK);
            CHECK_NEAR(value, all[i].value + 0.25, 0.0);
            CHECK_INT(lw_get_parameter(mech, "nobody.mass", &value), LW_ERR_UNSUPPORTED);
            CHECK_INT(lw_set_parameter(mech, "L12.mas", 1.0), LW_ERR_UNSUPPORTED);
            CHECK_INT(lw_get_parameter(mech, NULL, &value), LW_ERR_ARGUMENT);
            CHECK_NEAR(value, all[i].value + 0.25, 0.0);
        }
        lw_mech_destroy(mech);
    }
}

// Forces by a number of each kind, with what is known of them without differences: those of links,
// of one assembly among several that are made of the same description, too.
TEST(D39_forces_by_any_number)
{
    static const struct {
        const char *file, *name;
    } all[] = {{"closed/palletiser", "Payload.mass"},
               {"closed/palletiser", "L23.inertia.yy"},
               {"closed/delta", "platform.mass"},
               {"rover/rover", "rear_left/wheel/wheel.mass"},
               {"rover/rover", "rear_left/bracket.center.z"},
               {"ur5_class", "forearm.center.x"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        char path[300];
        lw_mech *mech = NULL;
        check_case("%s", all[i].name);
        snprintf(path, sizeof path, LINKWORK_SOURCE_DIR "/models/%s.xml", all[i].file);
        lw_model *m = compile_path(path, &mech), *again = NULL;
        lw_data *d = m ? new_data(m) : NULL;
        lw_variation *x = NULL;
        lw_inertial_parameter known;
        if (d && CHECK_INT(lw_variation_create(mech, NULL, m, all[i].name, &x), LW_OK) &&
            CHECK_INT(lw_find_parameter(m, all[i].name, &known), LW_OK)) {
            const int n = m->nv;
            double *q = numbers(m->nq), *v = numbers(n), *a = numbers(n);
            double *want = numbers(n), *got = numbers(n);
            unsigned long long seed = 5;
            lw_random_state(m, d, &seed, 1, q, v, a, want);
            CHECK_INT(lw_inertial_sensitivity(m, d, q, v, a, 1, &known, want), LW_OK);
            CHECK_INT(lw_force_sensitivity(m, d, x, q, v, a, NULL, got), LW_OK);
            for (int k = 0; k < n; ++k) {
                CHECK_NEAR(got[k], want[k], 1e-9 * (1.0 + largest(want, n)));
            }
            CHECK(largest(want, n) > 0.0);
            CHECK_INT(lw_force_sensitivity(m, d, NULL, q, v, a, NULL, got), LW_ERR_ARGUMENT);
            free(q);
            free(v);
            free(a);
            free(want);
            free(got);
        }
        // The description is what it was.
        if (CHECK_INT(lw_compile(mech, NULL, &again, NULL), LW_OK)) {
            CHECK(lw_model_hash(again) == lw_model_hash(m));
        }
        lw_variation *none = x;
        CHECK_INT(lw_variation_create(mech, NULL, m, "nobody.mass", &none), LW_ERR_UNSUPPORTED);
        CHECK(!none);
        CHECK_INT(lw_variation_create(NULL, NULL, m, all[i].name, &none), LW_ERR_ARGUMENT);
        lw_variation_destroy(x);
        lw_data_destroy(d);
        lw_model_destroy(again);
        lw_model_destroy(m);
        lw_mech_destroy(mech);
    }
}

// A gear's ratio, and a number that is not free to vary alone.
TEST(D36_forces_through_gears_and_loops)
{
    lw_mech *mech = NULL;
    lw_model *m = compile_path(LINKWORK_SOURCE_DIR "/models/closed/four_bar.xml", &mech);
    lw_variation *x = NULL;
    CHECK_INT(lw_variation_create(mech, NULL, m, "rocker.before.roll", &x), LW_ERR_MODEL);
    CHECK_INT(lw_variation_create(mech, NULL, m, "crank.tip.x", &x), LW_OK);
    lw_variation_destroy(x);
    lw_model_destroy(m);
    lw_mech_destroy(mech);

    x = NULL;
    // One joint with inertia J behind a gear of ratio n at an acceleration a: tau = J a / n^2.
    m = compile_text("geared.xml",
                     "<linkwork version='1' name='geared'><ground/>"
                     "<joint name='motor' type='revolute' axis='0 0 1' from='ground' to='rotor'/>"
                     "<link name='rotor'/>"
                     "<joint name='axle' type='revolute' axis='0 0 1' from='ground' to='wheel' "
                     "dependent='true' xyz='1 0 0'/>"
                     "<link name='wheel' mass='1' inertia='1 1 2'/>"
                     "<gear name='pair' type='spur' first='rotor' second='wheel' teeth='10 40'/>"
                     "</linkwork>",
                     &mech);
    lw_data *d = m ? new_data(m) : NULL;
    if (d && CHECK_INT(lw_variation_create(mech, NULL, m, "pair.ratio", &x), LW_OK)) {
        const double q = 0.3, v = 0.5, a = 3.0;
        double dtau;
        CHECK_INT(lw_force_sensitivity(m, d, x, &q, &v, &a, NULL, &dtau), LW_OK);
        CHECK_NEAR(dtau, -2.0 * 2.0 * a / 64.0, 1e-10);
    }
    lw_variation_destroy(x);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

// Amounts that are zero have nothing below: a motor's damping acts behind its gearbox.
TEST(D36_forces_by_amounts_that_are_zero)
{
    lw_mech *mech = NULL;
    lw_model *m = compile_text("driven.xml",
                               "<linkwork version='1' name='driven'><ground/>"
                               "<joint name='axle' type='revolute' axis='0 0 1' from='ground' "
                               "to='wheel'/><link name='wheel' mass='1' inertia='1 1 2'/>"
                               "<drive name='motor' inertia='1e-4' out='box.in'/>"
                               "<gearbox name='box' out='axle' ratio='10'/></linkwork>",
                               &mech);
    lw_data *d = m ? new_data(m) : NULL;
    lw_variation *x = NULL;
    if (d && CHECK_INT(lw_variation_create(mech, NULL, m, "motor.damping", &x), LW_OK)) {
        const double q = 0.3, v = 0.5, a = 3.0;
        double dtau;
        CHECK_INT(lw_force_sensitivity(m, d, x, &q, &v, &a, NULL, &dtau), LW_OK);
        CHECK_NEAR(dtau, 100 * v, 1e-8);
    }
    lw_variation_destroy(x);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

// A description that two assemblies share: a loop of one of them closes the other way, and only it.
TEST(branches_of_loops_within_assemblies)
{
    lw_mech *inside = NULL, *pair = NULL;
    lw_model *one = compile_path(LINKWORK_SOURCE_DIR "/models/closed/four_bar.xml", &inside);
    const int branch = one ? one->step[0].branch : 0;
    lw_model_destroy(one);
    CHECK_INT(lw_mech_create("pair", &pair), LW_OK);
    const lw_ground_def ground = lw_default_ground_def();
    const lw_port floor = lw_port_of(pair, lw_add_ground(pair, &ground), "b");
    static const char *const name[] = {"left", "right"};
    for (int i = 0; i < 2; ++i) {
        const lw_part part = lw_add_assembly(pair, name[i], inside, (lw_location){0});
        CHECK_INT(lw_connect(pair, floor, lw_port_of(pair, part, "a")), LW_OK);
    }
    CHECK_INT(lw_set_branch(inside, "close", -branch), LW_ERR_FROZEN);
    CHECK_INT(lw_set_branch(pair, "right/crank", 1), LW_ERR_UNSUPPORTED);
    CHECK_INT(lw_set_branch(pair, "close", 1), LW_ERR_UNSUPPORTED);
    CHECK_INT(lw_set_branch(pair, "right/close", 0), LW_ERR_ARGUMENT);
    CHECK_INT(lw_set_branch(pair, "right/close", -branch), LW_OK);
    lw_model *m = NULL;
    if (CHECK_INT(lw_compile(pair, NULL, &m, NULL), LW_OK) && CHECK_INT(m->nstep, 2)) {
        for (int i = 0; i < 2; ++i) {
            const bool is_left = strncmp(m->step[i].name, "left/", 5) == 0;
            CHECK_INT(m->step[i].branch, is_left ? branch : -branch);
        }
    }
    lw_model_destroy(m);
    lw_mech_destroy(pair);
    lw_mech_destroy(inside);
}

int main(void)
{
    RUN(branches_of_loops_within_assemblies);
    RUN(D39_forces_by_any_number);
    RUN(D36_forces_through_gears_and_loops);
    RUN(D36_forces_by_amounts_that_are_zero);
    RUN(D36_numbers_of_the_description);
    return REPORT();
}
