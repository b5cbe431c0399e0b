#include "plain_arm.h"
#include "objects.h"

#include "check.h"

lw_location line(int n)
{
    return (lw_location){"arm.xml", n, 3};
}

arm good_arm(void)
{
    arm a = {.mech = new_mech("arm")};
    a.shoulder = lw_default_joint_def();
    a.shoulder.name = "shoulder";
    a.shoulder.type = LW_JOINT_REVOLUTE;
    a.shoulder.location = line(10);
    a.elbow = a.shoulder;
    a.elbow.name = "elbow";
    a.elbow.location = line(30);
    a.upper = lw_default_link_def();
    a.upper.name = "upper";
    a.upper.mass = 1;
    a.upper.inertia = (lw_sym3){.xx = 1, .yy = 1, .zz = 1};
    a.upper.location = line(20);
    a.lower = a.upper;
    a.lower.name = "lower";
    a.lower.location = line(40);
    return a;
}

void build(arm *a)
{
    lw_ground_def ground = lw_default_ground_def();
    ground.location = line(5);
    lw_add_ground(a->mech, &ground);
    lw_add_joint(a->mech, &a->shoulder);
    lw_add_link(a->mech, &a->upper);
    lw_add_joint(a->mech, &a->elbow);
    a->lower_part = lw_add_link(a->mech, &a->lower);
    lw_connect_named(a->mech, "ground.b", "shoulder.a");
    lw_connect_named(a->mech, "shoulder.b", "upper.a");
    lw_connect_named(a->mech, "upper.b", "elbow.a");
    lw_connect_named(a->mech, "elbow.b", "lower.a");
}

void couple(arm *a, const char *dependent, const char *source, int n, int at)
{
    static const double law[] = {0.5, 2, 0, 1};
    const lw_coupling_def def = {.dependent = dependent,
                                 .source = source,
                                 .ncoefficient = n,
                                 .coefficient = law,
                                 .location = line(at)};
    CHECK_INT(lw_add_coupling(a->mech, &def), LW_OK);
}
