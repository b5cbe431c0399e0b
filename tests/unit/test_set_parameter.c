// Numbers of a description by name: read, and written.
#include "check.h"

#include <linkwork/io.h>

#include <math.h>
#include <stdio.h>

// Parts of every kind.
TEST(D36_numbers_of_the_description)
{
    static const struct {
        const char *file, *name;
        double value;
    } all[] = {{"palletiser", "R1.axis.z", 1.0},         {"palletiser", "R1.before.x", 0.0},
               {"palletiser", "R1.upper", 3.0},          {"palletiser", "R2.friction", 0.0},
               {"palletiser", "L12.mass", 120.0},        {"palletiser", "L12.center.z", 0.4},
               {"palletiser", "L12.inertia.zz", 5.0},    {"palletiser", "L12.b.x", 0.3},
               {"palletiser", "LAB.length", 1.2},        {"palletiser", "LAB.mass", 6.0},
               {"palletiser", "Payload.flange.y", 0},    {"driven_wrist", "belt.ratio", 1.5},
               {"driven_wrist", "harmonic.ratio", -100}, {"four_bar", "crank.tip.y", 0.0}};
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

int main(void)
{
    RUN(D36_numbers_of_the_description);
    return REPORT();
}
