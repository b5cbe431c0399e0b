// K10: closed forms of inverse kinematics take nearly as many instructions for one target as for
// any other. This program solves random targets; test_ik_constant_counts.sh counts the
// instructions, for which it is called as
//
//     test_ik_constant MODEL TIP N
//
// and calls target_ends() behind every target.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/linkwork.h>

#include <stdio.h>
#include <stdlib.h>

void target_ends(void);

// callgrind writes down and forgets its counts behind this.
__attribute__((noinline)) void target_ends(void)
{
    __asm__ volatile("" : : : "memory");
}

// Targets that joints all around reach, limits or not; how many of them have all eight solutions.
static int solve(const char *model, const char *tip, int count)
{
    lw_model *m = shipped_model(model);
    lw_data *d = m ? new_data(m) : NULL;
    lw_ik *ik = NULL;
    int whole = 0;
    const lw_ik_def def = lw_default_ik_def(-1, m ? lw_find_frame(m, tip) : 0);
    if (CHECK(d != NULL) && CHECK_INT(lw_ik_create(m, &def, &ik, NULL), LW_OK)) {
        for (int n = 0; n < count; ++n) {
            double q[6];
            lw_ik_target target = {.has_redundancy = false};
            lw_ik_result r;
            for (int i = 0; i < 6; ++i) {
                q[i] = check_random(-3.14, 3.14);
            }
            CHECK_INT(lw_pose_of_frame(m, d, q, def.tip, &target.X_BT), LW_OK);
            CHECK_INT(lw_ik_solve(ik, &target, NULL, &r), LW_OK);
            whole += r.nsolution == 8;
            target_ends();
        }
    }
    lw_ik_destroy(ik);
    lw_data_destroy(d);
    lw_model_destroy(m);
    return whole;
}

TEST(K10_random_targets_have_all_solutions)
{
    CHECK_INT(solve("puma560.xml", "tool.flange", 2000), 2000);
    CHECK(solve("ur5_class.xml", "wrist_3.tool", 2000) > 1000);
}

int main(int argc, char **argv)
{
    if (argc == 4) {
        return solve(argv[1], argv[2], atoi(argv[3])) > 0 ? 0 : 1;
    }
    RUN(K10_random_targets_have_all_solutions);
    return REPORT();
}
