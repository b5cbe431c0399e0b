// The classes with loops, as tables of their parts.

#include "spec.h"

#include "../math/pi.h"

#include <math.h>
#include <string.h>

typedef enum row_kind { LINK, JOINT, DEPENDENT, FRAME, ROD, PIN, TOOL, PLATFORM } row_kind;

/// A part: what it is, what it is connected to, and where, as three lengths over the fields.
/// `slot` is the number of the joint or link whose fields it has, or 0.
typedef struct row {
    row_kind kind;
    const char *name, *from, *port; ///< port of `from`: "b" or a frame
    const char *axis;               ///< of a joint; of a rod or a pin the part at its other end
    const char *to_port;            ///< and the port there
    const char *xyz[3];             ///< of a link its port b; of a rod its length first
    double yaw;                     ///< of a frame
    int slot;
} row;

#define ORIGIN                                                                                     \
    {                                                                                              \
        "0", "0", "0"                                                                              \
    }

static const row palletiser[] = {
    {JOINT, "R1", "ground", "b", "z", NULL, ORIGIN, 0, 1},
    {LINK, "turret", "R1", "b", NULL, NULL, {"size.offset", "0", "size.height"}, 0, 1},
    {JOINT, "R2", "turret", "b", "y", NULL, ORIGIN, 0, 2},
    {LINK, "lower_arm", "R2", "b", NULL, NULL, {"0", "0", "size.arm"}, 0, 2},
    {JOINT, "R3", "lower_arm", "b", "y", NULL, ORIGIN, 0, 3},
    {LINK, "forearm", "R3", "b", NULL, NULL, {"size.forearm", "0", "0"}, 0, 3},
    {DEPENDENT, "R4", "forearm", "b", "y", NULL, ORIGIN, 0, 0},
    {LINK, "hand", "R4", "b", NULL, NULL, {"size.wrist", "0", "-size.drop"}, 0, 4},
    {JOINT, "R5", "hand", "b", "z", NULL, ORIGIN, 0, 4},
    {LINK, "flange", "R5", "b", NULL, NULL, ORIGIN, 0, 5},
    {LINK, "anchor", "R1", "b", NULL, NULL, {"size.offset - size.lever", "0", "size.height"}, 0, 0},
    {LINK, "hub", "R3", "b", NULL, NULL, ORIGIN, 0, 0},
    {DEPENDENT, "R6", "hub", "b", "y", NULL, ORIGIN, 0, 0},
    {LINK, "lever", "R6", "b", NULL, NULL, {"-size.lever", "0", "0"}, 0, 6},
    {LINK, "crank", "R6", "b", NULL, NULL, {"0", "0", "size.bracket"}, 0, 7},
    {LINK, "bracket", "R4", "b", NULL, NULL, {"0", "0", "size.bracket"}, 0, 8},
    {ROD, "lower_rod", "anchor", "b", "lever", "b", {"size.arm", "0", "0"}, 0, 0},
    {ROD, "upper_rod", "crank", "b", "bracket", "b", {"size.forearm", "0", "0"}, 0, 0},
    {TOOL, "flange", NULL, NULL, NULL, NULL, ORIGIN, 0, 0},
};

static const row parallelogram[] = {
    {JOINT, "S", "ground", "b", "z", NULL, {"0", "0", "size.pedestal"}, 0, 1},
    {LINK, "swing", "S", "b", NULL, NULL, {"size.offset", "0", "size.height"}, 0, 1},
    {JOINT, "V", "swing", "b", "y", NULL, ORIGIN, 0, 2},
    {LINK, "lever", "V", "b", NULL, NULL, ORIGIN, 0, 2},
    {DEPENDENT, "pull", "lever", "b", "y", NULL, {"-size.lever", "0", "0"}, 0, 0},
    {LINK, "pull_rod", "pull", "b", NULL, NULL, {"0", "0", "size.arm"}, 0, 3},
    {JOINT, "H", "swing", "b", "y", NULL, ORIGIN, 0, 3},
    {LINK, "lower_arm", "H", "b", NULL, NULL, {"0", "0", "size.arm"}, 0, 4},
    {DEPENDENT, "elbow", "lower_arm", "b", "y", NULL, ORIGIN, 0, 0},
    {LINK, "forearm", "elbow", "b", NULL, NULL, {"size.neck", "0", "size.rise"}, 0, 5},
    {FRAME, "rear", "forearm", NULL, NULL, NULL, {"-size.lever", "0", "0"}, 0, 0},
    {LINK, "plate", "forearm", "b", NULL, NULL, ORIGIN, 0, 6},
    {JOINT, "R2", "plate", "b", "x", NULL, ORIGIN, 0, 4},
    {LINK, "tube", "R2", "b", NULL, NULL, {"size.forearm", "0", "0"}, 0, 7},
    {JOINT, "B", "tube", "b", "y", NULL, ORIGIN, 0, 5},
    {LINK, "bend", "B", "b", NULL, NULL, ORIGIN, 0, 8},
    {JOINT, "R1", "bend", "b", "x", NULL, ORIGIN, 0, 6},
    {LINK, "tip", "R1", "b", NULL, NULL, {"size.flange", "0", "0"}, 0, 9},
    {PIN, "pin", "pull_rod", "b", "forearm", "rear", ORIGIN, 0, 0},
    {TOOL, "tip", NULL, NULL, NULL, NULL, {"size.flange", "0", "0"}, 0, 0},
};

#define HALF "sqrt(3) / 2"
#define LEG(n, x, y, yaw)                                                                          \
    {                                                                                              \
        FRAME, "side" n, "ground", NULL, NULL, NULL, {x "size.base", y "size.base", "0"}, yaw, 0   \
    }
#define ARM(n, slot)                                                                               \
    {JOINT, "joint" n, "ground", "side" n, "y", NULL, ORIGIN, 0, slot},                            \
        {LINK, "arm" n, "joint" n, "b", NULL, NULL, {"size.arm", "0", "0"}, 0, slot},              \
        {FRAME, "left", "arm" n, NULL, NULL, NULL, {"size.arm", "size.width", "0"}, 0, 0},         \
    {                                                                                              \
        FRAME, "right", "arm" n, NULL, NULL, NULL, {"size.arm", "-size.width", "0"}, 0, 0          \
    }
#define PAIR(n)                                                                                    \
    {ROD, "left" n, "arm" n, "left", "platform", "left" n, {"size.rod", "0", "0"}, 0, 0},          \
    {                                                                                              \
        ROD, "right" n, "arm" n, "right", "platform", "right" n, {"size.rod", "0", "0"}, 0, 0      \
    }
#define CORNER(name, x, y)                                                                         \
    {                                                                                              \
        FRAME, name, "platform", NULL, NULL, NULL, {x, y, "0"}, 0, 0                               \
    }

static const row delta[] = {
    LEG("1", "", "0 * ", 0.0),
    LEG("2", "-0.5 * ", HALF " * ", LWI_TWO_PI / 3.0),
    LEG("3", "-0.5 * ", "-" HALF " * ", 2.0 * LWI_TWO_PI / 3.0),
    ARM("1", 1),
    ARM("2", 2),
    ARM("3", 3),
    {PLATFORM, "free", "ground", "b", NULL, NULL, ORIGIN, 0, 0},
    {LINK, "platform", "free", "b", NULL, NULL, ORIGIN, 0, 4},
    CORNER("left1", "size.platform", "size.width"),
    CORNER("right1", "size.platform", "-size.width"),
    CORNER("left2", "-0.5 * size.platform - " HALF " * size.width",
           HALF " * size.platform - 0.5 * size.width"),
    CORNER("right2", "-0.5 * size.platform + " HALF " * size.width",
           HALF " * size.platform + 0.5 * size.width"),
    CORNER("left3", "-0.5 * size.platform + " HALF " * size.width",
           "-" HALF " * size.platform - 0.5 * size.width"),
    CORNER("right3", "-0.5 * size.platform - " HALF " * size.width",
           "-" HALF " * size.platform + 0.5 * size.width"),
    PAIR("1"),
    PAIR("2"),
    PAIR("3"),
    {TOOL, "platform", NULL, NULL, NULL, NULL, ORIGIN, 0, 0},
};

static const row five_bar[] = {
    {JOINT, "left", "ground", "b", "z", NULL, {"-size.base / 2", "0", "0"}, 0, 1},
    {LINK, "left_arm", "left", "b", NULL, NULL, {"size.arm", "0", "0"}, 0, 1},
    {DEPENDENT, "left_elbow", "left_arm", "b", "z", NULL, ORIGIN, 0, 1},
    {LINK, "left_forearm", "left_elbow", "b", NULL, NULL, {"size.forearm", "0", "0"}, 0, 2},
    {JOINT, "right", "ground", "b", "z", NULL, {"size.base / 2", "0", "0"}, 0, 2},
    {LINK, "right_arm", "right", "b", NULL, NULL, {"size.arm", "0", "0"}, 0, 3},
    {DEPENDENT, "right_elbow", "right_arm", "b", "z", NULL, ORIGIN, 0, 2},
    {LINK, "right_forearm", "right_elbow", "b", NULL, NULL, {"size.forearm", "0", "0"}, 0, 4},
    {PIN, "pin", "left_forearm", "b", "right_forearm", "b", ORIGIN, 0, 0},
    {TOOL, "left_forearm", NULL, NULL, NULL, NULL, {"size.forearm", "0", "0"}, 0, 0},
};

static const struct {
    const char *name;
    const row *row;
    int nrow;
} tables[] = {{"palletiser", palletiser, (int)(sizeof palletiser / sizeof *palletiser)},
              {"parallelogram", parallelogram, (int)(sizeof parallelogram / sizeof *parallelogram)},
              {"delta", delta, (int)(sizeof delta / sizeof *delta)},
              {"five-bar", five_bar, (int)(sizeof five_bar / sizeof *five_bar)}};

enum { MOST_ROWS = 40 };

typedef struct parts {
    lwi_builder *b;
    const row *row;
    int nrow;
    lw_part ground, part[MOST_ROWS];
} parts;

static lw_part find(const parts *p, const char *name)
{
    for (int i = 0; i < p->nrow; ++i) {
        if (p->row[i].kind != TOOL && p->row[i].kind != FRAME &&
            strcmp(p->row[i].name, name) == 0) {
            return p->part[i];
        }
    }
    return p->ground;
}

// A length over the fields; each that is unknown is reported.
static double length_of(const parts *p, const char *expression)
{
    char fields[200] = "";
    lwi_context context = {.spec = p->b->spec, .each = "", .fields = fields, .room = sizeof fields};
    lwi_result result;
    if (lwi_evaluate(&context, expression, &result) && result.kind == LWI_NUMBER) {
        return result.number;
    }
    for (char *at = fields; *at; at += strspn(at, " ")) {
        char path[LWI_SPEC_PATH];
        const size_t n = strcspn(at, " ");
        memcpy(path, at, n);
        path[n] = '\0';
        lwi_build_number(p->b, path);
        at += n;
    }
    return 0.0;
}

static lw_placement placement_of(const parts *p, const row *r)
{
    const lw_vec3 xyz =
        lw_vec3_of(length_of(p, r->xyz[0]), length_of(p, r->xyz[1]), length_of(p, r->xyz[2]));
    return r->yaw != 0.0 ? lw_placement_rpy(xyz, lw_vec3_of(0, 0, r->yaw))
                         : lw_placement_xyz(xyz.x, xyz.y, xyz.z);
}

static lw_vec3 axis_of(const char *axis)
{
    return lw_vec3_of(*axis == 'x', *axis == 'y', *axis == 'z');
}

static lw_part add_joint(const parts *p, const row *r)
{
    lw_joint_def def = lw_default_joint_def();
    if (r->kind == JOINT) {
        def = lwi_build_joint_def(p->b, r->slot, r->name);
        def.axis = axis_of(r->axis);
    } else {
        def.name = r->name;
        def.type = r->kind == PLATFORM ? LW_JOINT_FREE : LW_JOINT_REVOLUTE;
        def.dependent = r->kind != PIN;
        def.closing = r->kind == PIN;
        def.axis = r->kind == DEPENDENT ? axis_of(r->axis) : axis_of("y");
        def.location = p->b->at;
        if (r->kind == DEPENDENT && r->slot > 0) {
            def.dof[0].reference = p->b->reference[r->slot - 1];
        } else if (r->kind == PLATFORM) {
            def.dof[5].reference = p->b->reference[0]; // along z
        }
    }
    if (r->kind == PIN) {
        // All axes of the planar loop are parallel to those of its joints.
        const bool is_flat = strcmp(r->from, "left_forearm") == 0;
        def.axis = axis_of(is_flat ? "z" : "y");
    } else {
        def.before = placement_of(p, r);
    }
    return lw_add_joint(p->b->mech, &def);
}

static lw_part add_rod(const parts *p, const row *r)
{
    lw_rod_def def = lw_default_rod_def();
    def.name = r->name;
    def.length = length_of(p, r->xyz[0]);
    def.location = p->b->at;
    lwi_spec_numbers(p->b->spec, "size.rod_mass", 1, &def.mass);
    return lw_add_rod(p->b->mech, &def);
}

static void add_row(parts *p, int i)
{
    const row *r = &p->row[i];
    lwi_builder *b = p->b;
    const lw_placement at = r->kind == ROD || r->kind == PIN || r->kind == PLATFORM
                                ? lw_placement_identity()
                                : placement_of(p, r);
    if (r->kind == FRAME) {
        const lw_port frame = lw_add_frame(b->mech, find(p, r->from), r->name, &at, b->at);
        lwi_build_has(b, frame.index >= 0);
        return;
    }
    if (r->kind == TOOL) {
        lwi_build_tool(b, find(p, r->name), &at);
        return;
    }
    lw_part part;
    if (r->kind == LINK) {
        part = lwi_build_link(b, r->slot, r->name, &at);
    } else {
        part = r->kind == ROD ? add_rod(p, r) : add_joint(p, r);
    }
    p->part[i] = part;
    if (!lwi_build_has(b, part.index >= 0)) {
        return;
    }
    lwi_build_connect(b, find(p, r->from), r->port, part, r->kind == ROD ? "a1" : "a");
    if (r->kind == ROD || r->kind == PIN) {
        lwi_build_connect(b, find(p, r->axis), r->to_port, part, r->kind == ROD ? "a2" : "b");
    }
    if (r->kind == JOINT) {
        lwi_build_drive(b, r->slot, part);
    }
}

// --- Where loops are closed -------------------------------------------------------------------

// Elbows of a five-bar whose tip is on the far side of its base, where its arms are as referred.
static void five_bar_elbows(lwi_builder *b)
{
    const double base = lwi_build_number(b, "size.base"), arm = lwi_build_number(b, "size.arm");
    const double forearm = lwi_build_number(b, "size.forearm");
    const double q[2] = {lwi_build_number(b, "joint1.reference"),
                         lwi_build_number(b, "joint2.reference")};
    const double x[2] = {-base / 2 + arm * cos(q[0]), base / 2 + arm * cos(q[1])};
    const double y[2] = {arm * sin(q[0]), arm * sin(q[1])};
    const double dx = x[1] - x[0], dy = y[1] - y[0], d = hypot(dx, dy);
    const double rise = sqrt(fmax(forearm * forearm - d * d / 4, 0.0));
    if (d > 0.0) {
        const double px = (x[0] + x[1]) / 2 - rise * dy / d;
        const double py = (y[0] + y[1]) / 2 + rise * dx / d;
        for (int k = 0; k < 2; ++k) {
            b->reference[k] = atan2(py - y[k], px - x[k]) - q[k];
        }
    }
}

// Height of the platform of a delta whose three arms are as the first one's reference.
static void delta_height(lwi_builder *b)
{
    double q = 0.0;
    lwi_spec_numbers(b->spec, "joint1.reference", 1, &q);
    const double arm = lwi_build_number(b, "size.arm"), rod = lwi_build_number(b, "size.rod");
    const double out =
        lwi_build_number(b, "size.base") + arm * cos(q) - lwi_build_number(b, "size.platform");
    b->reference[0] = -arm * sin(q) - sqrt(fmax(rod * rod - out * out, 0.0));
}

void lwi_build_loops(lwi_builder *b, const char *class_name)
{
    parts p = {.b = b, .ground = lw_find_part(b->mech, "ground", LW_PART_GROUND)};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) {
        if (strcmp(tables[i].name, class_name) == 0) {
            p.row = tables[i].row;
            p.nrow = tables[i].nrow;
        }
    }
    if (strcmp(class_name, "five-bar") == 0) {
        five_bar_elbows(b);
    } else if (strcmp(class_name, "delta") == 0) {
        delta_height(b);
    }
    for (int i = 0; i < p.nrow && b->status != LW_ERR_MEMORY; ++i) {
        add_row(&p, i);
    }
}
