// Reading what a frame does in contact.
#include "run_file.h"

#include <string.h>

// Letters of the axes along which forces are controlled.
static lw_status read_force_axes(lwi_run_reader *r, lwi_xml_node *node, lw_control_law law,
                                 lw_contact_task *task)
{
    lw_location at = node->at;
    const char *text = lwi_xml_value(node, "force_axes", &at);
    if (law == LW_CONTROL_IMPEDANCE) {
        return !text ? LW_OK
                     : lwi_report_error(r->report, at, LW_ERR_MODEL,
                                        "force_axes are for law=\"hybrid\"; impedance has none");
    }
    if (!text) {
        return lwi_report_error(r->report, node->at, LW_ERR_MODEL,
                                "<task> of a hybrid controller needs the attribute \"force_axes\"");
    }
    for (const char *c = text; *c; ++c) {
        const char *axis = strchr("xyz", *c);
        if (!axis) {
            return lwi_report_error(r->report, at, LW_ERR_SYNTAX,
                                    "force_axes are letters x, y, z, not \"%s\"", text);
        }
        task->is_force[3 + (axis - "xyz")] = true;
    }
    return LW_OK;
}

static lw_status read_amounts(lwi_run_reader *r, lwi_xml_node *node, const char *name, double *out)
{
    lw_location at = node->at;
    lwi_xml_value(node, name, &at);
    lw_status status = lwi_xml_read_numbers(node, name, false, 3, out, r->report);
    for (int i = 0; i < 3 && status == LW_OK; ++i) {
        if (out[i] < 0.0) {
            status = lwi_report_error(r->report, at, LW_ERR_MODEL, "%s is %g, must not be negative",
                                      name, out[i]);
        }
    }
    return status;
}

lw_status lwi_run_read_task(lwi_run_reader *r, lwi_xml_node *controller, lw_control_law law,
                            lw_contact_task *task)
{
    lwi_xml_node *node = lwi_xml_only(controller, "task", r->report);
    *task = (lw_contact_task){.axes = lw_mat3_identity()};
    if (!node) {
        return lwi_report_error(r->report, controller->at, LW_ERR_MODEL,
                                "a controller for contact needs a <task>");
    }
    double rpy[3] = {0.0};
    lw_status status = lwi_run_find_frame(r, node, "frame", &task->frame);
    status = lwi_first_error(status, lwi_xml_read_numbers(node, "rpy", false, 3, rpy, r->report));
    task->axes = lw_rotation_rpy(rpy[0], rpy[1], rpy[2]);
    status = lwi_first_error(status, read_amounts(r, node, "stiffness", task->stiffness + 3));
    status = lwi_first_error(status, read_amounts(r, node, "damping", task->damping + 3));
    status = lwi_first_error(status, read_amounts(r, node, "rotation_stiffness", task->stiffness));
    status = lwi_first_error(status, read_amounts(r, node, "rotation_damping", task->damping));
    status = lwi_first_error(
        status, lwi_xml_read_numbers(node, "force", false, 3, task->force + 3, r->report));
    return lwi_first_error(status, read_force_axes(r, node, law, task));
}
