// Classes of robots, and what is usual for them.

#include "spec.h"

#include <string.h>

static const lw_robot_class classes[] = {
    {"scara", "RRTR", true,
     "Two parallel arms and a stroke: the three principal axes are parallel, two of them revolute "
     "and one prismatic.",
     ""},
    {"cartesian", "TTT", true, "Three prismatic joints at right angles, and a wrist or none.", ""},
    {"gantry", "TTT", true,
     "A Cartesian robot that hangs from rails: the third prismatic joint is vertical.", ""},
    {"cylindrical", "RTTR", true,
     "A revolute and a prismatic joint along the vertical, and a prismatic joint that reaches out.",
     ""},
    {"spherical", "RRTRRR", true,
     "Two revolute joints at right angles and a prismatic joint that reaches out, and a wrist.",
     ""},
    {"articulated", "RRRRRR", true,
     "A waist, a shoulder and an elbow, these two parallel, and a wrist.", ""},
    {"parallelogram", "RRRRRR", false,
     "Articulated; a lever at the shoulder moves the forearm over a parallelogram.",
     "sizes pedestal, offset, height, arm, lever, neck, rise, forearm, flange; joints waist, "
     "lever, "
     "lower arm, three of the wrist; links swing, lever, pull rod, lower arm, forearm, plate, "
     "tube, bend, tip"},
    {"palletiser", "RRRR", false,
     "Two parallelograms keep the hand upright; the fourth joint rotates it about the vertical.",
     "sizes offset, height, arm, forearm, lever, bracket, wrist, drop, rod_mass; joints waist, "
     "shoulder, elbow, hand; links turret, lower arm, forearm, hand, flange, lever, crank, "
     "bracket"},
    {"delta", "RRR", false,
     "Three arms, each with a pair of rods, carry a platform that moves without rotation.",
     "sizes base, arm, rod, platform, width, rod_mass; joints of the three arms; links the three "
     "arms, platform"},
    {"five-bar", "RR", false, "Two driven arms in one plane carry the tool between their forearms.",
     "sizes base, arm, forearm; joints left, right; links left arm, left forearm, right arm, right "
     "forearm"},
    {"free", "", true, "Any chain: every axis is given.", ""},
};

int lw_class_count(void)
{
    return (int)(sizeof classes / sizeof *classes);
}

const lw_robot_class *lw_class_at(int i)
{
    return i >= 0 && i < lw_class_count() ? &classes[i] : NULL;
}

const lw_robot_class *lwi_spec_class(const lw_spec *spec)
{
    const char *name = lw_spec_get(spec, "class");
    for (int i = 0; name && i < lw_class_count(); ++i) {
        if (strcmp(classes[i].name, name) == 0) {
            return &classes[i];
        }
    }
    return NULL;
}

// Of each joint its axis, and the directions of its length and its offset from the joint before, at
// the zero position. A row serves chains whose letters begin with its own. Where a SCARA's stroke
// comes third it goes downward, and so does what it carries (Wenz and Wörn 2006).
static const struct {
    const char *name, *letters;
    lwi_usual_joint joint[7];
} usual[] = {
    {"scara",
     "RRT",
     {{"z", "z", "x", 0}, {"z", "x", "z", 1}, {"-z", "x", "z", 1}, {"-z", "-z", "x", 0}}},
    {"scara",
     "RTR",
     {{"z", "z", "x", 0}, {"z", "z", "x", 0}, {"z", "x", "z", 1}, {"-z", "x", "z", 1}}},
    {"scara",
     "TRR",
     {{"z", "z", "x", 0}, {"z", "z", "x", 0}, {"z", "x", "z", 1}, {"-z", "x", "z", 1}}},
    {"cartesian",
     "TTT",
     {{"x", "z", "x", 0},
      {"y", "z", "x", 0},
      {"z", "x", "z", 0},
      {"z", "z", "x", 0},
      {"y", "z", "x", 0},
      {"z", "z", "x", 0}}},
    {"gantry",
     "TTT",
     {{"x", "z", "x", 0},
      {"y", "z", "x", 0},
      {"-z", "x", "z", 0},
      {"z", "-z", "x", 0},
      {"y", "-z", "x", 0},
      {"z", "-z", "x", 0}}},
    {"cylindrical",
     "RTT",
     {{"z", "z", "x", 0},
      {"z", "z", "x", 0},
      {"x", "x", "z", 0},
      {"x", "x", "z", 0},
      {"y", "x", "z", 0},
      {"x", "x", "z", 0}}},
    {"cylindrical",
     "TRT",
     {{"z", "z", "x", 0},
      {"z", "z", "x", 0},
      {"x", "x", "z", 0},
      {"x", "x", "z", 0},
      {"y", "x", "z", 0},
      {"x", "x", "z", 0}}},
    {"spherical",
     "RRT",
     {{"z", "z", "x", 0},
      {"y", "z", "y", 0},
      {"z", "z", "y", 0},
      {"z", "z", "x", 0},
      {"y", "z", "x", 0},
      {"z", "z", "x", 0}}},
    {"articulated",
     "RRR",
     {{"z", "z", "x", 0},
      {"y", "z", "x", 0},
      {"y", "z", "x", 1},
      {"x", "x", "z", 1},
      {"y", "x", "z", 0},
      {"x", "x", "z", 0}}},
    {"parallelogram",
     "RRR",
     {{"z", NULL, NULL, 0},
      {"y", NULL, NULL, 0},
      {"y", NULL, NULL, 0},
      {"x", NULL, NULL, 0},
      {"y", NULL, NULL, 0},
      {"x", NULL, NULL, 0}}},
    {"palletiser",
     "RRRR",
     {{"z", NULL, NULL, 0}, {"y", NULL, NULL, 0}, {"y", NULL, NULL, 0}, {"z", NULL, NULL, 0}}},
    {"delta", "RRR", {{"y", NULL, NULL, 0}, {"y", NULL, NULL, 0}, {"y", NULL, NULL, 0}}},
    {"five-bar", "RR", {{"z", NULL, NULL, 0}, {"z", NULL, NULL, 0}}},
};

bool lwi_usual(const lw_spec *spec, int joint, lwi_usual_joint *out)
{
    const lw_robot_class *own = lwi_spec_class(spec);
    const char *letters = lw_spec_get(spec, "letters");
    for (size_t i = 0; own && letters && joint >= 1 && i < sizeof usual / sizeof *usual; ++i) {
        const int most = (int)(sizeof usual[i].joint / sizeof *usual[i].joint);
        if (strcmp(usual[i].name, own->name) == 0 && joint <= most &&
            strncmp(letters, usual[i].letters, strlen(usual[i].letters)) == 0 &&
            usual[i].joint[joint - 1].axis) {
            *out = usual[i].joint[joint - 1];
            return true;
        }
    }
    return false;
}
