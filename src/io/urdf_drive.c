// Rotor inertias, from the transmissions of files that give them.
//
// A motor behind a gear of reduction n adds n^2 times its rotor's inertia to the joint.
#include "urdf.h"

#include "../base/number.h"

#include <string.h>

// A number that is the text of an element, or its attribute "value"; false where it is neither.
static bool read_amount(lwi_urdf_reader *reader, lwi_xml_node *node, double *out)
{
    char clip[LWI_CLIP_SIZE];
    if (lwi_xml_value(node, "value", NULL)) {
        return lwi_urdf_good(reader, lwi_xml_read_number(node, "value", true, out, reader->report));
    }
    if (lwi_parse_double(node->text, strlen(node->text), out)) {
        return true;
    }
    return lwi_urdf_good(reader, lwi_report_error(reader->report, node->at, LW_ERR_SYNTAX,
                                                  "<%s>: \"%s\" is not a number", node->tag,
                                                  lwi_clip(node->text, clip)));
}

// Looks for an element in the transmission, its actuator and its joint, where the dialects put it.
static lwi_xml_node *find_amount(lwi_xml_node *const location[3], const char *tag,
                                 const char *other)
{
    for (int i = 0; i < 3; ++i) {
        lwi_xml_node *found = location[i] ? lwi_xml_child(location[i], tag) : NULL;
        found = found || !location[i] ? found : lwi_xml_child(location[i], other);
        if (found) {
            return found;
        }
    }
    return NULL;
}

static void read_drive(lwi_urdf_reader *reader, lwi_xml_node *node)
{
    lwi_xml_node *joint = lwi_xml_child(node, "joint");
    lwi_xml_node *actuator = lwi_xml_child(node, "actuator");
    lwi_xml_node *const location[3] = {actuator, joint, node};
    lwi_xml_node *rotor = find_amount(location, "motorInertia", "drake:rotor_inertia");
    lwi_xml_node *gear = find_amount(location, "mechanicalReduction", "drake:gear_ratio");
    double inertia = 0, reduction = 1;
    if (!rotor) {
        node->is_used = false; // it says how the drive is wired, not what it weighs
        return;
    }
    // What else a transmission that is used may say, and has no meaning here.
    lwi_xml_value(node, "name", NULL);
    lwi_xml_child(node, "type");
    if (actuator) {
        lwi_xml_value(actuator, "name", NULL);
    }
    if (!read_amount(reader, rotor, &inertia) || (gear && !read_amount(reader, gear, &reduction))) {
        return;
    }
    lw_location at;
    const char *name = joint ? lwi_xml_value(joint, "name", &at) : NULL;
    if (!name || lwi_xml_next(joint, "joint") || (actuator && lwi_xml_next(actuator, "actuator"))) {
        lwi_report_warning(reader->report, rotor->at, LW_DIAG_ROTOR_IGNORED,
                           "a rotor inertia is used only where one actuator drives one joint");
        return;
    }
    const int found = lwi_names_find(&reader->joint_names, name);
    if (found < 0) {
        char clip[LWI_CLIP_SIZE];
        lwi_report_warning(reader->report, at, LW_DIAG_TRANSMISSION_JOINT,
                           "<transmission>: there is no joint \"%s\"", lwi_clip(name, clip));
        return;
    }
    reader->joint[found].rotor_inertia += reduction * reduction * inertia;
}

void lwi_urdf_read_drives(lwi_urdf_reader *reader)
{
    lwi_xml_node *node = reader->first_drive;
    for (; node; node = lwi_xml_next(node, "transmission")) {
        node->is_used = true;
        read_drive(reader, node);
    }
}
