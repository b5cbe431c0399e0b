// A hundred thousand random loops of every kind that has a closed form.
#include "check.h"
#include "random_loops.h"

enum { MACHINES = 4000 }; // in 25 configurations each

TEST(D19_rod_with_a_revolute_joint_closes_in_closed_form)
{
    check_rod_loops(LW_JOINT_REVOLUTE, MACHINES);
}

TEST(D20_rod_with_a_prismatic_joint_closes_in_closed_form)
{
    check_rod_loops(LW_JOINT_PRISMATIC, MACHINES);
}

TEST(D26_planar_loops_of_every_kind_close_in_closed_form)
{
    check_planar_loops(MACHINES);
}

int main(void)
{
    RUN(D19_rod_with_a_revolute_joint_closes_in_closed_form);
    RUN(D20_rod_with_a_prismatic_joint_closes_in_closed_form);
    RUN(D26_planar_loops_of_every_kind_close_in_closed_form);
    return REPORT();
}
