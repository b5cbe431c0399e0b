#include "tool_change.h"

#include <linkwork/io.h>

#include <stdio.h>

// Parts that lie ready: two joints, a short link between them, and the tool.
static lw_status add_tool(lw_mech *mech)
{
    lw_joint_def joint = lw_default_joint_def();
    lw_link_def link = lw_default_link_def();
    joint.type = LW_JOINT_REVOLUTE;
    joint.axis = lw_vec3_of(0, 1, 0);
    joint.name = "R7";
    lw_add_joint(mech, &joint);
    joint.axis = lw_vec3_of(0, 0, 1);
    joint.name = "R8";
    lw_add_joint(mech, &joint);
    link.mass = 2;
    link.inertia = (lw_sym3){0.02, 0.02, 0.02, 0, 0, 0};
    link.name = "wrist";
    link.b = lw_placement_xyz(0, 0, -0.1);
    lw_add_link(mech, &link);
    link.name = "tool";
    lw_add_link(mech, &link);
    lw_status status = lw_connect_named(mech, "R7.b", "wrist.a");
    status = status == LW_OK ? lw_connect_named(mech, "wrist.b", "R8.a") : status;
    return status == LW_OK ? lw_connect_named(mech, "R8.b", "tool.a") : status;
}

bool tool_change_open(const char *path, tool_change *t)
{
    *t = (tool_change){0};
    lw_status status = lw_load_file(path, NULL, &t->mech, NULL);
    status = status == LW_OK ? add_tool(t->mech) : status;
    if (status == LW_OK) {
        t->flange = lw_find_port(t->mech, "R5.b");
        t->payload = lw_find_port(t->mech, "Payload.a");
        t->wrist = lw_find_port(t->mech, "R7.a");
        status = lw_machine_create(t->mech, NULL, &t->machine, NULL);
    }
    for (int k = 0; k < 2 && status == LW_OK; ++k) {
        status = tool_change_next(t);
    }
    if (status != LW_OK) {
        fprintf(stderr, "%s: tool change: %s\n", path, lw_status_text(status));
        tool_change_close(t);
    }
    return status == LW_OK;
}

void tool_change_close(tool_change *t)
{
    lw_machine_destroy(t->machine);
    lw_mech_destroy(t->mech);
    *t = (tool_change){0};
}

lw_status tool_change_next(tool_change *t)
{
    lw_status status = lw_disconnect(t->mech, t->flange, t->has_tool ? t->wrist : t->payload);
    t->has_tool = !t->has_tool;
    if (status == LW_OK) {
        status = lw_connect(t->mech, t->flange, t->has_tool ? t->wrist : t->payload);
    }
    return status == LW_OK ? lw_machine_commit(t->machine, NULL) : status;
}
