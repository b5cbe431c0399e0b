// The robot and its links.
#include "urdf.h"

#include <string.h>

enum { MOST_LINKS = 500000 }; // so that a hostile file ends soon and within little memory

bool lwi_urdf_good(lwi_urdf_reader *reader, lw_status status)
{
    if (status != LW_OK && (reader->status == LW_OK || status == LW_ERR_MEMORY)) {
        reader->status = status;
    }
    return status == LW_OK;
}

static const char *nearest_name(lwi_urdf_reader *reader, bool is_link, const char *name)
{
    enum { MOST = 10 }; // a search over all names each time would take forever in a large file
    if (reader->nsuggestion >= MOST) {
        return NULL;
    }
    ++reader->nsuggestion;
    lw_nearest nearest;
    lw_nearest_init(&nearest, name);
    for (int i = 0; i < (is_link ? reader->nlink : reader->njoint); ++i) {
        lw_nearest_offer(&nearest, is_link ? reader->link[i].name : reader->joint[i].name);
    }
    return nearest.best;
}

int lwi_urdf_find(lwi_urdf_reader *reader, bool is_link, const char *name, lw_location at,
                  const char *who)
{
    const int found = lwi_names_find(is_link ? &reader->link_names : &reader->joint_names, name);
    if (found < 0) {
        char clip[LWI_CLIP_SIZE], clip_who[LWI_CLIP_SIZE], clip_meant[LWI_CLIP_SIZE];
        const char *meant = nearest_name(reader, is_link, name);
        lwi_urdf_good(
            reader,
            lwi_report_error(reader->report, at, LW_ERR_NAME, "%s: there is no %s \"%s\"%s%s%s",
                             lwi_clip(who, clip_who), is_link ? "link" : "joint",
                             lwi_clip(name, clip), meant ? "; did you mean \"" : "",
                             meant ? lwi_clip(meant, clip_meant) : "", meant ? "\"?" : ""));
    }
    return found;
}

lw_placement lwi_urdf_origin(lwi_urdf_reader *reader, lwi_xml_node *node)
{
    lwi_xml_node *origin = lwi_xml_only(node, "origin", reader->report);
    if (!origin) {
        return lw_placement_identity();
    }
    double xyz[3] = {0}, rpy[3] = {0};
    lwi_urdf_good(reader, lwi_xml_read_numbers(origin, "xyz", false, 3, xyz, reader->report));
    lwi_urdf_good(reader, lwi_xml_read_numbers(origin, "rpy", false, 3, rpy, reader->report));
    return lw_placement_rpy(lw_vec3_of(xyz[0], xyz[1], xyz[2]), lw_vec3_of(rpy[0], rpy[1], rpy[2]));
}

// The tensor is about the centre of mass, along the axes of the inertial frame. A missing one is
// zero, as a point mass has; published files leave it out.
static void read_inertial(lwi_urdf_reader *reader, lwi_xml_node *node, lw_link_def *def)
{
    static const char *const entry[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    lw_report *report = reader->report;
    char clip[LWI_CLIP_SIZE];
    def->inertial = lwi_urdf_origin(reader, node);
    lwi_xml_node *mass = lwi_xml_only(node, "mass", report);
    if (!mass) {
        lwi_urdf_good(reader, lwi_report_error(report, node->at, LW_ERR_MODEL,
                                               "link \"%s\": <inertial> has no <mass>",
                                               lwi_clip(def->name, clip)));
        return;
    }
    lwi_urdf_good(reader, lwi_xml_read_number(mass, "value", true, &def->mass, report));
    lwi_xml_node *inertia = lwi_xml_only(node, "inertia", report);
    if (!inertia) {
        lwi_report_warning(report, node->at, LW_DIAG_INERTIA_MISSING,
                           "link \"%s\": <inertial> has no <inertia>; it is zero",
                           lwi_clip(def->name, clip));
        return;
    }
    double value[6] = {0};
    for (int i = 0; i < 6; ++i) {
        lwi_urdf_good(reader, lwi_xml_read_number(inertia, entry[i], i < 3, &value[i], report));
    }
    def->inertia = (lw_sym3){value[0], value[1], value[2], value[3], value[4], value[5]};
}

static void add_link(lwi_urdf_reader *reader, lwi_urdf_link *link)
{
    lw_link_def def = lw_default_link_def();
    def.name = link->name;
    def.location = link->node->at;
    lwi_xml_node *inertial = lwi_xml_only(link->node, "inertial", reader->report);
    if (inertial) {
        read_inertial(reader, inertial, &def);
    }
    // After an error the rest is read for what else is wrong, and takes no room.
    if (reader->status == LW_OK) {
        link->part = lw_add_link(reader->mech, &def);
        if (link->part.index < 0) {
            lwi_urdf_good(reader, LW_ERR_MEMORY);
            return;
        }
    }
    lwi_urdf_add_shapes(reader, link, "visual");
    lwi_urdf_add_shapes(reader, link, "collision");
}

// Where a link or a joint of this name stands already; false where there is none.
static bool find_other(const lwi_urdf_reader *reader, bool is_link, const char *name,
                       lw_location *at)
{
    const int other = lwi_names_find(is_link ? &reader->link_names : &reader->joint_names, name);
    if (other >= 0) {
        *at = is_link ? reader->link[other].node->at : reader->joint[other].node->at;
    }
    return other >= 0;
}

// Takes a link or a joint into its list; a second one of a name is refused and left out.
static void list_part(lwi_urdf_reader *reader, lwi_xml_node *node, bool is_link)
{
    const char *name = NULL;
    lw_location at;
    node->is_used = true;
    if (!lwi_urdf_good(reader, lwi_xml_read_name(node, "name", &name, reader->report))) {
        lwi_xml_skip(node);
        return;
    }
    if (find_other(reader, is_link, name, &at)) {
        char clip[LWI_CLIP_SIZE];
        lwi_urdf_good(reader, lwi_report_error(reader->report, node->at, LW_ERR_NAME,
                                               "there is another %s \"%s\", at %d:%d", node->tag,
                                               lwi_clip(name, clip), at.line, at.column));
        lwi_xml_skip(node);
        return;
    }
    bool is_kept;
    if (is_link) {
        reader->link[reader->nlink] =
            (lwi_urdf_link){.node = node, .name = name, .part = {-1}, .parent_joint = -1};
        is_kept = lwi_names_add(&reader->link_names, name, reader->nlink++);
    } else {
        reader->joint[reader->njoint] = (lwi_urdf_joint){
            .node = node, .name = name, .part = {-1}, .parent = -1, .child = -1, .mimics = -1};
        is_kept = lwi_names_add(&reader->joint_names, name, reader->njoint++);
    }
    if (!is_kept) {
        lwi_urdf_good(reader, LW_ERR_MEMORY);
    }
}

// Finds links, joints and transmissions, in as few walks over a large file as can be.
static void list_parts(lwi_urdf_reader *reader, lwi_xml_node *root)
{
    int nlink = 0, njoint = 0;
    for (const lwi_xml_node *node = root->first_child; node; node = node->next) {
        nlink += strcmp(node->tag, "link") == 0;
        njoint += strcmp(node->tag, "joint") == 0;
    }
    if (nlink > MOST_LINKS || njoint > MOST_LINKS) {
        lwi_urdf_good(reader, lwi_report_error(reader->report, root->at, LW_ERR_LIMIT,
                                               "more than %d links or joints", MOST_LINKS));
        return;
    }
    reader->link = lwi_arena_take(&reader->arena, (size_t)nlink, sizeof *reader->link);
    reader->joint = lwi_arena_take(&reader->arena, (size_t)njoint, sizeof *reader->joint);
    if (!reader->link || !reader->joint || !lwi_names_reserve(&reader->link_names, (size_t)nlink) ||
        !lwi_names_reserve(&reader->joint_names, (size_t)njoint)) {
        lwi_urdf_good(reader, LW_ERR_MEMORY);
        return;
    }
    const lwi_xml_node *macro = NULL;
    for (lwi_xml_node *node = root->first_child; node && reader->status != LW_ERR_MEMORY;
         node = node->next) {
        if (strcmp(node->tag, "link") == 0 || strcmp(node->tag, "joint") == 0) {
            list_part(reader, node, node->tag[0] == 'l');
        } else if (strcmp(node->tag, "transmission") == 0 && !reader->first_drive) {
            reader->first_drive = node;
        } else if (strncmp(node->tag, "xacro:", 6) == 0 && !macro) {
            macro = node;
        }
    }
    if (macro) { // what it would have made is missing
        lwi_report_warning(reader->report, macro->at, LW_DIAG_XACRO,
                           "this file has xacro macros; expand them with xacro first");
    }
}

static const char *read_robot_name(lwi_urdf_reader *reader, lwi_xml_node *root)
{
    lwi_xml_value(root, "version", NULL);
    const char *name = lwi_xml_value(root, "name", NULL);
    if (!name || !*name) {
        lwi_report_warning(reader->report, root->at, LW_DIAG_ROBOT_UNNAMED,
                           "<robot> has no name; \"robot\" is taken");
        name = "robot";
    }
    return name;
}

static void report_unused(lwi_xml_doc *doc, lw_report *report)
{
    static const char *const known[] = {"link",        "joint",     "inertial",
                                        "origin",      "mass",      "inertia",
                                        "visual",      "collision", "geometry",
                                        "box",         "sphere",    "cylinder",
                                        "capsule",     "mesh",      "material",
                                        "color",       "texture",   "parent",
                                        "child",       "axis",      "limit",
                                        "dynamics",    "mimic",     "name",
                                        "type",        "xyz",       "rpy",
                                        "value",       "ixx",       "iyy",
                                        "izz",         "ixy",       "ixz",
                                        "iyz",         "size",      "radius",
                                        "length",      "filename",  "scale",
                                        "lower",       "upper",     "effort",
                                        "velocity",    "damping",   "friction",
                                        "multiplier",  "offset",    "transmission",
                                        "calibration", "gazebo",    "safety_controller",
                                        NULL};
    lwi_xml_report_unused(doc, known, report);
}

static void read_robot(lwi_urdf_reader *reader, lwi_xml_node *root)
{
    list_parts(reader, root);
    if (reader->nlink == 0 && reader->status == LW_OK) {
        lwi_urdf_good(reader, lwi_report_error(reader->report, root->at, LW_ERR_MODEL,
                                               "<robot> has no <link>"));
    }
    lwi_urdf_read_joints(reader);
    lwi_urdf_read_drives(reader);
    lwi_urdf_check_tree(reader);
    lwi_urdf_list_materials(reader, root);
    for (int i = 0; i < reader->nlink && reader->status != LW_ERR_MEMORY; ++i) {
        add_link(reader, &reader->link[i]);
    }
    lwi_urdf_add_joints(reader);
}

lw_status lwi_urdf_read(lwi_xml_doc *doc, const lwi_load_context *context, lw_mech **mech,
                        lw_report *report)
{
    lwi_urdf_reader reader = {.context = context, .report = report};
    lwi_xml_node *root = lwi_xml_root(doc);
    lwi_names_init(&reader.link_names, &reader.arena);
    lwi_names_init(&reader.joint_names, &reader.arena);
    lwi_names_init(&reader.material_names, &reader.arena);
    *mech = NULL;
    if (lw_mech_create(read_robot_name(&reader, root), &reader.mech) != LW_OK) {
        return LW_ERR_MEMORY;
    }
    read_robot(&reader, root);
    if (reader.status == LW_OK) {
        *mech = reader.mech;
        reader.mech = NULL; // now the caller's
    }
    if (reader.nlink > 0) {
        report_unused(doc, report);
    }
    lw_mech_destroy(reader.mech);
    lwi_arena_free(&reader.arena);
    return reader.status;
}
