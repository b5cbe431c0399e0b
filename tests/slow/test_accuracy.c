// Code after a search is as accurate as the plain recursion, for every machine of models/ that is a
// tree; puma560_*.xml are puma560.xml again, as test_native shows.
#include "check.h"
#include "compiled.h"
#include "tape_accuracy.h"

static char folder[64];

TEST(generated_code_of_every_tree_is_as_accurate_as_the_recursion)
{
    static const char *const model[] = {"gantry.xml",
                                        "panda_class.xml",
                                        "puma560.xml",
                                        "scara.xml",
                                        "stanford.xml",
                                        "ur5_class.xml",
                                        "vibran6.xml",
                                        "quadruped/quadruped.xml",
                                        "humanoid/humanoid.xml",
                                        "rover/rover.xml"};
    for (size_t k = 0; k < sizeof model / sizeof *model; k++) {
        accuracy_check(folder, model[k], LW_SINCOS_LIBRARY, 1);
    }
}

int main(void)
{
    if (!compiled_folder(folder)) {
        return 1;
    }
    RUN(generated_code_of_every_tree_is_as_accurate_as_the_recursion);
    compiled_remove(folder);
    return REPORT();
}
