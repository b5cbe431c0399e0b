// Machines for springs: a tree with joints of every kind, and a loop.
#ifndef SPRING_TREE_H
#define SPRING_TREE_H

/// Its text up to the springs. The first joint gets `more` attributes, as text.
#define SPRING_TREE(more)                                                                          \
    "<linkwork version=\"1\" name=\"tree\">\n"                                                     \
    "<ground><frame name=\"post\" xyz=\"0.3 0.1 0.5\"/></ground>\n"                                \
    "<joint name=\"j1\" type=\"revolute\" from=\"ground\" to=\"arm\" axis=\"0 1 0.2\" " more       \
    "/>\n"                                                                                         \
    "<link name=\"arm\" mass=\"2\" center=\"0 0 0.3\" inertia=\"0.1 0.1 0.05\">"                   \
    "<b xyz=\"0 0 0.6\"/><frame name=\"hook\" xyz=\"0.05 0 0.4\"/></link>\n"                       \
    "<joint name=\"j2\" type=\"spherical\" from=\"arm\" to=\"fore\"/>\n"                           \
    "<link name=\"fore\" mass=\"1\" center=\"0 0.1 0.2\" inertia=\"0.05 0.05 0.04\">"              \
    "<b xyz=\"0.1 0 0.3\"/><frame name=\"tip\" xyz=\"0.2 0 0.3\"/></link>\n"                       \
    "<joint name=\"j3\" type=\"cylindrical\" from=\"fore\" to=\"hand\" axis=\"1 0 0\"/>\n"         \
    "<link name=\"hand\" mass=\"0.5\" center=\"0.1 0 0\" inertia=\"0.02 0.02 0.02\">"              \
    "<frame name=\"thumb\" xyz=\"0.1 0.2 0\"/></link>\n"                                           \
    "<joint name=\"j4\" type=\"free\" from=\"ground\" to=\"ball\" xyz=\"1 0 1\"/>\n"               \
    "<link name=\"ball\" mass=\"1.5\" center=\"0.02 0.01 0\" inertia=\"0.03 0.04 0.05\">"          \
    "<frame name=\"eye\" xyz=\"0 0.1 0.1\"/></link>\n"

/// A four-bar linkage with a massive rod, a balancing spring across it, a gas spring and a torsion
/// at a dependent joint. The limits keep the gas spring within its table.
static const char spring_loop[] =
    "<linkwork version=\"1\" name=\"loop\">\n"
    "<ground><frame name=\"right\" xyz=\"0.5 0 0\"/><frame name=\"low\" xyz=\"0.2 0.1 -0.3\"/>"
    "</ground>\n"
    "<joint name=\"j1\" type=\"revolute\" from=\"ground\" to=\"crank\" axis=\"0 1 0\" "
    "reference=\"0.3\" lower=\"-0.4\" upper=\"0.9\"/>\n"
    "<link name=\"crank\" mass=\"1\" center=\"0 0 0.1\" inertia=\"0.01 0.01 0.01\">"
    "<b xyz=\"0 0 0.2\"/></link>\n"
    "<joint name=\"j2\" type=\"revolute\" from=\"right\" to=\"rocker\" axis=\"0 1 0\" "
    "dependent=\"true\" reference=\"0.2\"/>\n"
    "<link name=\"rocker\" mass=\"1.2\" center=\"0 0 0.15\" inertia=\"0.02 0.02 0.02\">"
    "<b xyz=\"0 0 0.3\"/></link>\n"
    "<rod name=\"coupler\" from=\"crank\" to=\"rocker\" mass=\"0.4\"/>\n"
    "<spring name=\"s\" from=\"low\" to=\"rocker\" stiffness=\"200\" free=\"0.2\" damping=\"4\"/>\n"
    "<spring name=\"gas\" from=\"crank\" to=\"right\" free=\"0\" "
    "table=\"0.2 -90 0.4 -70 0.6 -62 0.8 -60\"/>\n"
    "<torsion name=\"t\" in=\"j2\" stiffness=\"3\" free=\"0.1\"/>\n"
    "</linkwork>\n";

#endif
