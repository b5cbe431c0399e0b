#include "vehicle.h"

#include "load_text.h"

#include <stdio.h>
#include <string.h>

const vehicle_wheel osr_wheel[6] = {
    {"front_left", 0.274, 0.177, 0, 0, 0, "driven"},
    {"front_right", 0.274, -0.177, 0, 0, 0, "driven"},
    {"middle_left", 0, 0.253, 0, 0, 0, "none"},
    {"middle_right", 0, -0.253, 0, 0, 0, "none"},
    {"rear_left", -0.31, 0.177, 0, 0, 0, "driven"},
    {"rear_right", -0.31, -0.177, 0, 0, 0, "driven"},
};

lw_model *vehicle(double radius, int nwheel, const vehicle_wheel *wheel)
{
    char text[16000];
    int n = snprintf(text, sizeof text,
                     "<linkwork version='1' name='vehicle' angle='degree'><ground/>"
                     "<joint name='root' type='free' from='ground' to='body'>"
                     "<dof name='vz' reference='%.17g'/></joint>"
                     "<link name='body' mass='10' inertia='1 1 1'/>",
                     radius);
    for (int k = 0; k < nwheel; ++k) {
        const vehicle_wheel *w = &wheel[k];
        const bool is_steered = strcmp(w->steering, "none") != 0;
        char at[80];
        snprintf(at, sizeof at, "%s", is_steered ? w->name : "body");
        if (is_steered) {
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "<joint name='steer_%s' type='revolute' axis='0 0 1' from='body' to='%s' "
                          "xyz='%.17g %.17g 0'/><link name='%s' mass='1' inertia='1 1 1'/>",
                          w->name, w->name, w->x, w->y, w->name);
        }
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "<joint name='drive_%s' type='revolute' axis='0 1 0' from='%s' to='wheel_%s' "
                      "xyz='%.17g %.17g 0'/><link name='wheel_%s' mass='1' inertia='1 1 1'/>"
                      "<wheel name='%s' at='wheel_%s' radius='%.17g' roller='%.17g' "
                      "steering='%s'/>",
                      w->name, at, w->name, w->trail + (is_steered ? 0 : w->x),
                      w->aside + (is_steered ? 0 : w->y), w->name, w->name, w->name, radius,
                      w->roller, w->steering);
    }
    snprintf(text + n, sizeof text - (size_t)n, "</linkwork>");
    return compile_text("vehicle.xml", text, NULL);
}
