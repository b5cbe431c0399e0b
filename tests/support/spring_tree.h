// A machine with joints of every kind, for springs between its ends.
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

#endif
