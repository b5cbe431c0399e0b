// The operations that a search gets down to. The limits are the counts that it reached when this
// was written, so that a change which makes it worse shows; the values themselves are tested
// elsewhere. Each robot has the shortest search that reaches what longer ones do.
#include "check.h"
#include "expr/tape.h"
#include "sym_robots.h"

#include <stdio.h>

enum { MAX_OUTPUTS = 300 };

static void check_counts(sym_robot_name name, bool is_by_elements, int effort, int mul, int add)
{
    check_case("%s%s", sym_robot_title(name), is_by_elements ? ", all elements" : "");
    lwi_graph *g = lwi_graph_create(0);
    lwi_sym_body body[SYM_MAX_BODIES];
    lwi_sym_tree robot = sym_robot(g, name, body);
    lwi_expr value[MAX_OUTPUTS];
    lwi_output output[MAX_OUTPUTS];
    int n = robot.nbody;
    lwi_tree_regroup(g, &robot);
    if (is_by_elements) {
        n = sym_robot_elements(g, &robot, value);
    } else {
        lwi_derive_inverse_dynamics(g, &robot, value);
    }
    for (int k = 0; k < n; k++) {
        output[k] = (lwi_output){"x", k, value[k]};
    }
    const lwi_select_options options = {LWI_COST_OPERATIONS, effort};
    lwi_tape *tape = NULL;
    if (CHECK_INT(lwi_select(g, n, output, &options, &tape), LW_OK)) {
        const lwi_counts counts = lwi_tape_counts(tape);
        printf("        %s: %d products, %d sums\n", sym_robot_title(name), counts.mul + counts.div,
               counts.add);
        CHECK(counts.mul + counts.div <= mul);
        CHECK(counts.add <= add);
    }
    lwi_tape_destroy(tape);
    lwi_graph_destroy(g);
}

TEST(V13_search_of_inverse_dynamics)
{
    check_counts(SYM_FLEXIBLE_SPARSE, false, 1, 100, 73);
    check_counts(SYM_UR5, false, 3, 224, 190);
}

TEST(V13_search_of_all_153_elements)
{
    check_counts(SYM_FLEXIBLE_SPARSE, true, 2, 97, 64);
}

int main(void)
{
    RUN(V13_search_of_inverse_dynamics);
    RUN(V13_search_of_all_153_elements);
    return REPORT();
}
