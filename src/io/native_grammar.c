// Which elements linkwork XML has, what stands in which, and with which attributes. This table, the
// schema docs/reference/linkwork.xsd and the reference docs/reference/format.md say the same; a
// test compares them.
#include "native.h"

#include <string.h>

typedef struct element {
    const char *tag;
    const char *const *attr;  ///< ended by a null
    const char *const *child; ///< likewise
} element;

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NOTHING ((const char *const[]){NULL})

#define PLACEMENT "xyz", "rpy", "quat", "matrix", "dh"
#define FREEDOM                                                                                    \
    "lower", "upper", "max_velocity", "max_acceleration", "max_force", "damping", "friction",      \
        "rotor_inertia", "stiffness", "spring_rest", "reference"
#define SHAPES "box", "sphere", "cylinder", "capsule", "mesh"
#define PARTS                                                                                      \
    "ground", "link", "joint", "rod", "load", "use", "mount", "include", "adjust", "frame",        \
        "gear", "coupling", "connect", "gateway", "level", "drive", "gearbox", "spring",           \
        "torsion", "wheel"

static const element grammar[] = {
    {"linkwork", LIST("version", "name", "angle", "level"), LIST(PARTS, "assembly")},
    {"assembly", LIST("name", "level"), LIST(PARTS)},
    {"ground", LIST("name", "gravity"), LIST("frame", SHAPES)},
    {"link", LIST("name", "at", "mass", "center", "inertia", "role"),
     LIST("center", "b", "zero", "frame", SHAPES)},
    {"center", LIST(PLACEMENT), NOTHING},
    {"b", LIST(PLACEMENT), NOTHING},
    {"zero", LIST(PLACEMENT), NOTHING},
    {"frame", LIST("name", "at", PLACEMENT), NOTHING},
    {"joint",
     LIST("name", "type", "from", "to", "axis", "axis2", "pitch", "closing", "sides", "branch",
          "dependent", "role", "point", PLACEMENT, FREEDOM),
     LIST("craig", "paul", "after", "dof")},
    {"craig", LIST("alpha", "a", "theta", "d"), NOTHING},
    {"paul", LIST("theta", "d", "a", "alpha"), NOTHING},
    {"after", LIST(PLACEMENT), NOTHING},
    {"dof", LIST("name", FREEDOM), NOTHING},
    {"rod", LIST("name", "from", "to", "length", "mass", "branch", "role"), NOTHING},
    {"load", LIST("name", "at", "force", "torque", "axes"), NOTHING},
    {"wheel",
     LIST("name", "at", "axis", "radius", "width", "section", "roller", "driven", "steering"),
     NOTHING},
    {"use", LIST("name", "assembly", "at", "role", "level"), NOTHING},
    {"mount", LIST("name", "file", "at", "role", "level"), NOTHING},
    {"include", LIST("file"), NOTHING},
    {"adjust", LIST("joint", "type", "axis", "axis2", "pitch", "dependent", FREEDOM), LIST("dof")},
    {"gear",
     LIST("name", "type", "first", "second", "carrier", "radii", "teeth", "ratio", "hand", "role"),
     NOTHING},
    {"drive",
     LIST("name", "out", "inertia", "max_force", "max_velocity", "damping", "friction", "reference",
          "stall_force", "no_load_velocity", "continuous_force", "curve"),
     NOTHING},
    {"gearbox", LIST("name", "in", "out", "inputs", "outputs", "ratio", "matrix"), NOTHING},
    {"spring",
     LIST("name", "from", "to", "stiffness", "polynomial", "table", "preload", "free", "damping",
          "backlash", "side", "along", "role"),
     NOTHING},
    {"torsion",
     LIST("name", "in", "out", "stiffness", "polynomial", "table", "preload", "free", "damping",
          "backlash", "loss", "loss_speed", "side", "role"),
     NOTHING},
    {"coupling", LIST("name", "joint", "of", "polynomial", "table"), NOTHING},
    {"connect", LIST("from", "to"), NOTHING},
    {"gateway", LIST("name", "port"), NOTHING},
    {"level", LIST("assembly", "level"), NOTHING},
    {"box", LIST("name", "role", "size", "color", PLACEMENT), LIST(SHAPES)},
    {"sphere", LIST("name", "role", "radius", "color", PLACEMENT), LIST(SHAPES)},
    {"cylinder", LIST("name", "role", "radius", "length", "color", PLACEMENT), LIST(SHAPES)},
    {"capsule", LIST("name", "role", "radius", "length", "color", PLACEMENT), LIST(SHAPES)},
    {"mesh", LIST("name", "role", "file", "scale", "convex", "color", PLACEMENT), LIST(SHAPES)},
};

enum { NELEMENT = sizeof grammar / sizeof *grammar };

static const element *element_of(const char *tag)
{
    for (int i = 0; i < NELEMENT; ++i) {
        if (strcmp(grammar[i].tag, tag) == 0) {
            return &grammar[i];
        }
    }
    return NULL;
}

const char *const *lwi_native_attributes(const char *tag)
{
    const element *known = element_of(tag);
    return known ? known->attr : NULL;
}

const char *const *lwi_native_children(const char *tag)
{
    const element *known = element_of(tag);
    return known ? known->child : NULL;
}

static bool is_listed(const char *const *list, const char *word)
{
    while (*list && strcmp(*list, word) != 0) {
        ++list;
    }
    return *list != NULL;
}

static lw_nearest nearest_of(const char *const *list, const char *word)
{
    lw_nearest nearest;
    lw_nearest_init(&nearest, word);
    for (; *list; ++list) {
        lw_nearest_offer(&nearest, *list);
    }
    return nearest;
}

bool lwi_native_is_shape(const char *tag)
{
    return is_listed(LIST(SHAPES), tag);
}

static lw_status check_attributes(const lwi_xml_node *node, const element *known, lw_report *report)
{
    lw_status status = LW_OK;
    char room[LWI_CLIP_SIZE];
    for (int i = 0; i < node->nattr; ++i) {
        const lwi_xml_attr *attr = &node->attr[i];
        if (is_listed(known->attr, attr->name)) {
            continue;
        }
        // Names of other vocabularies ("xml:lang", "xmlns:xsi") are for other readers.
        if (strncmp(attr->name, "xml", 3) == 0 || strchr(attr->name, ':')) {
            continue;
        }
        const lw_nearest nearest = nearest_of(known->attr, attr->name);
        status = lwi_report_error(report, lwi_xml_attr_location(node, attr, 0), LW_ERR_NAME,
                                  "<%s> has no attribute \"%s\"%s%s%s", node->tag,
                                  lwi_clip(attr->name, room), LWI_MEANT(nearest));
    }
    return status;
}

static lw_status check_location_in(const lwi_xml_node *node, const element *parent,
                                   lw_report *report)
{
    char room[LWI_CLIP_SIZE];
    if (element_of(node->tag)) {
        return lwi_report_error(report, node->at, LW_ERR_SYNTAX, "<%s> does not belong in <%s>",
                                node->tag, parent->tag);
    }
    const lw_nearest nearest = nearest_of(parent->child, node->tag);
    lw_nearest type = {.wanted = node->tag, .distance = nearest.distance}; // "hinge"
    for (int i = 0; i < LWI_JOINT_TYPES && is_listed(parent->child, "joint"); ++i) {
        if (i != LW_JOINT_USER) {
            lw_nearest_offer(&type, lw_joint_type_name((lw_joint_type)i));
        }
    }
    if (type.best) {
        return lwi_report_error(report, node->at, LW_ERR_NAME,
                                "<%s> is not known in <%s>; did you mean <joint type=\"%s\">?",
                                lwi_clip(node->tag, room), parent->tag, type.best);
    }
    return lwi_report_error(report, node->at, LW_ERR_NAME, "<%s> is not known in <%s>%s%s%s",
                            lwi_clip(node->tag, room), parent->tag, LWI_MEANT(nearest));
}

// The node that follows in the order of the file, leaving out what is below this one where asked.
static lwi_xml_node *following(lwi_xml_node *node, bool with_children)
{
    if (with_children && node->first_child) {
        return node->first_child;
    }
    while (node && !node->next) {
        node = node->parent;
    }
    return node ? node->next : NULL;
}

lw_status lwi_native_check_grammar(lwi_xml_node *root, lw_report *report)
{
    lw_status status = LW_OK;
    char room[LWI_CLIP_SIZE];
    for (lwi_xml_node *node = root; node;) {
        const element *known = element_of(node->tag);
        const element *parent = node->parent ? element_of(node->parent->tag) : NULL;
        if (parent && !is_listed(parent->child, node->tag)) {
            status = check_location_in(node, parent, report);
            node = following(node, false);
            continue;
        }
        const lw_status attributes = check_attributes(node, known, report);
        status = attributes != LW_OK ? attributes : status;
        if (*node->text) {
            status = lwi_report_error(report, node->at, LW_ERR_SYNTAX,
                                      "text \"%s\" in <%s>: values belong in attributes here",
                                      lwi_clip(node->text, room), node->tag);
        }
        node = following(node, true);
    }
    return status;
}
