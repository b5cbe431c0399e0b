// A robot that has all that URDF can say and linkwork reads.
#ifndef WHOLE_URDF_H
#define WHOLE_URDF_H

static const char whole_urdf[] =
    "<?xml version='1.0'?>\n"
    "<robot name='whole' version='1.0'>\n"
    " <link name='base'/>\n"
    " <link name='arm'>\n"
    "  <inertial><origin xyz='0.1 0.2 0.3' rpy='0.4 0.5 0.6'/><mass value='2'/>\n"
    "   <inertia ixx='1' ixy='0.1' ixz='0.2' iyy='2' iyz='0.3' izz='2.5'/></inertial>\n"
    "  <visual name='v'><origin xyz='1 0 0'/><geometry><box size='1 2 3'/></geometry></visual>\n"
    "  <visual><geometry><sphere radius='0.5'/></geometry></visual>\n"
    "  <collision><geometry><cylinder radius='0.1' length='2'/></geometry></collision>\n"
    "  <collision><geometry><capsule radius='0.2' length='3'/></geometry></collision>\n"
    "  <collision><geometry><mesh filename='package://x/y.stl' scale='1 1 -1'/></geometry>"
    "</collision>\n"
    " </link>\n"
    " <link name='slide'/><link name='wheel'/><link name='finger'/><link name='eye'/>\n"
    " <joint name='finger' type='prismatic'>\n"
    "  <parent link='arm'/><child link='finger'/><mimic joint='slide' multiplier='-2' "
    "offset='3'/>\n"
    "  <limit lower='-1' upper='1' effort='10' velocity='2'/></joint>\n"
    " <joint name='arm' type='revolute'>\n"
    "  <origin xyz='1 2 3' rpy='0.1 0.2 0.3'/><parent link='base'/><child link='arm'/>\n"
    "  <axis xyz='0 0 2'/><limit lower='-1' upper='2' effort='30' velocity='4' "
    "acceleration='5'/>\n"
    "  <dynamics damping='0.7' friction='0.8'/></joint>\n"
    " <joint name='slide' type='prismatic'>\n"
    "  <parent link='arm'/><child link='slide'/><axis xyz='0 1 0'/>\n"
    "  <limit lower='0' upper='0' effort='1' velocity='1'/></joint>\n"
    " <joint name='wheel' type='continuous'>\n"
    "  <parent link='arm'/><child link='wheel'/><limit lower='1' upper='2' effort='6' "
    "velocity='7'/></joint>\n"
    " <joint name='eye' type='fixed'><parent link='arm'/><child link='eye'/>\n"
    "  <axis xyz='0 0 0'/><mimic joint='wheel'/></joint>\n"
    " <transmission name='t'><type>x</type><joint name='arm'><hardwareInterface>y"
    "</hardwareInterface></joint>\n"
    "  <actuator name='m'><mechanicalReduction>100</mechanicalReduction>\n"
    "   <motorInertia>1e-4</motorInertia></actuator></transmission>\n"
    "</robot>\n";

#endif
