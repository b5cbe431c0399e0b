// The table of kinds of parts. A new kind is one row here, its definition in linkwork/mech.h, its
// element in io/native_kinds.c, and what the compile makes of it.
#include "edit.h"

#include "validate.h"

#include <stddef.h>
#include <stdio.h>

static int count_curve(const void *def)
{
    const lw_drive_def *drive = def;
    const int n = drive->ncurve;
    const bool is_good = n == 0 || (n >= 4 && n <= LWI_LONGEST_TABLE && n % 2 == 0);
    return is_good && (n == 0 || drive->curve) ? n : -1;
}

static int count_ratios(const void *def)
{
    const lw_gearbox_def *box = def;
    const bool is_good = box->nin >= 1 && box->nout >= 1 && box->nin <= LW_MAX_AXES &&
                         box->nout <= LW_MAX_AXES &&
                         (box->coefficient || (box->nin == 1 && box->nout == 1));
    return is_good ? box->nin * box->nout : -1;
}

static int count_coefficients(const void *def)
{
    const lw_spring_def *spring = def;
    const bool is_table = spring->law == LW_LAW_TABLE;
    const int n = spring->ncoefficient, least = is_table ? 4 : 0;
    const int most = is_table ? LWI_LONGEST_TABLE : LWI_HIGHEST_POLYNOMIAL;
    const bool is_good = n >= least && n <= most && (spring->coefficient || n == 0);
    return is_good && (!is_table || n % 2 == 0) ? n : -1;
}

// A joint of several degrees of freedom has an axis port by the name of each.
static const char *joint_axis(const void *def, int i)
{
    static const char *const number[LW_MAX_DOF] = {"1", "2", "3", "4", "5", "6"};
    const lw_joint_def *joint = def;
    const lwi_joint_row *row = lwi_joint_row_of(joint->type);
    if (lwi_joint_nv(joint) < 2 || row->has_quaternion || i < 0 || i >= lwi_joint_nv(joint)) {
        return NULL;
    }
    return joint->type == LW_JOINT_USER ? number[i] : row->velocity[i];
}

// "in" and "out", with numbers where a side has several.
static const char *gearbox_axis(const void *def, int i)
{
    static const char *const several[2][LW_MAX_AXES] = {
        {"in1", "in2", "in3", "in4", "in5", "in6", "in7", "in8", "in9", "in10", "in11", "in12",
         "in13", "in14", "in15", "in16"},
        {"out1", "out2", "out3", "out4", "out5", "out6", "out7", "out8", "out9", "out10", "out11",
         "out12", "out13", "out14", "out15", "out16"}};
    const lw_gearbox_def *box = def;
    const int side = i >= box->nin, count = side ? box->nout : box->nin;
    if (i < 0 || i >= box->nin + box->nout) {
        return NULL;
    }
    return count > 1 ? several[side][side ? i - box->nin : i] : side ? "out" : "in";
}

static const char *torsion_axis(const void *def, int i)
{
    (void)def;
    return i == 0 ? "in" : i == 1 ? "out" : NULL;
}

static double link_mass(const void *def)
{
    return ((const lw_link_def *)def)->mass;
}

static double rod_mass(const void *def)
{
    return ((const lw_rod_def *)def)->mass;
}

#define SPRING                                                                                     \
    .size = sizeof(lw_spring_def), .location = offsetof(lw_spring_def, location),                  \
    .role = offsetof(lw_spring_def, role), .numbers = offsetof(lw_spring_def, coefficient),        \
    .count = count_coefficients,                                                                   \
    .range = "a polynomial of at most 16 coefficients, or a table of 4 to 2000 numbers, in pairs", \
    .validate = lwi_validate_spring

static const lwi_kind_row table[LWI_KIND_COUNT] = {
    [LW_PART_ANY] = {.name = "part"},
    [LW_PART_REMOVED] = {.name = "removed part"},
    [LW_PART_GROUND] = {.name = "ground",
                        .size = sizeof(lw_ground_def),
                        .location = offsetof(lw_ground_def, location),
                        .port[LWI_PORT_B] = {"b", LWI_SIDE_B},
                        .carries_frames = true,
                        .can_be_root = true,
                        .validate = lwi_validate_ground},
    [LW_PART_LINK] = {.name = "link",
                      .size = sizeof(lw_link_def),
                      .location = offsetof(lw_link_def, location),
                      .role = offsetof(lw_link_def, role),
                      .port = {{"a", LWI_SIDE_A}, {"b", LWI_SIDE_B}},
                      .carries_frames = true,
                      .can_be_root = true,
                      .mass = link_mass,
                      .validate = lwi_validate_link},
    [LW_PART_JOINT] = {.name = "joint",
                       .size = sizeof(lw_joint_def),
                       .location = offsetof(lw_joint_def, location),
                       .role = offsetof(lw_joint_def, role),
                       .port = {{"a", LWI_SIDE_A}, {"b", LWI_SIDE_B}, {"axis", LWI_SIDE_AXIS}},
                       .axis = joint_axis,
                       .can_be_root = true,
                       .validate = lwi_validate_joint},
    [LW_PART_LOAD] = {.name = "load",
                      .size = sizeof(lw_load_def),
                      .location = offsetof(lw_load_def, location),
                      .port[LWI_PORT_A] = {"a", LWI_SIDE_A},
                      .is_leaf = true,
                      .validate = lwi_validate_load},
    [LW_PART_WHEEL] = {.name = "wheel",
                       .size = sizeof(lw_wheel_def),
                       .location = offsetof(lw_wheel_def, location),
                       .port[LWI_PORT_A] = {"a", LWI_SIDE_A},
                       .is_leaf = true,
                       .validate = lwi_validate_wheel},
    [LW_PART_ROD] = {.name = "rod",
                     .size = sizeof(lw_rod_def),
                     .location = offsetof(lw_rod_def, location),
                     .role = offsetof(lw_rod_def, role),
                     .port = {{"a1", LWI_SIDE_A}, {"a2", LWI_SIDE_A}},
                     .is_closer = true,
                     .mass = rod_mass,
                     .validate = lwi_validate_rod},
    [LW_PART_ASSEMBLY] = {.name = "assembly",
                          .size = sizeof(lwi_assembly),
                          .port[LWI_PORT_A] = {"a", LWI_SIDE_A},
                          .can_be_root = true},
    [LW_PART_DRIVE] = {.name = "drive",
                       .size = sizeof(lw_drive_def),
                       .location = offsetof(lw_drive_def, location),
                       .numbers = offsetof(lw_drive_def, curve),
                       .count = count_curve,
                       .range = "a curve of 4 to 2000 numbers, in pairs, or none",
                       .port[LWI_PORT_AXIS] = {"axis", LWI_SIDE_AXIS},
                       .has_axes_only = true,
                       .is_transmission = true,
                       .validate = lwi_validate_drive},
    [LW_PART_GEARBOX] = {.name = "gearbox",
                         .size = sizeof(lw_gearbox_def),
                         .location = offsetof(lw_gearbox_def, location),
                         .numbers = offsetof(lw_gearbox_def, coefficient),
                         .count = count_ratios,
                         .range = "1 to 16 axes on each side, and a ratio for each pair",
                         .axis = gearbox_axis,
                         .has_axes_only = true,
                         .is_transmission = true,
                         .validate = lwi_validate_gearbox},
    [LW_PART_SPRING] = {.name = "spring",
                        SPRING,
                        .port = {{"a1", LWI_SIDE_A}, {"a2", LWI_SIDE_A}},
                        .is_closer = true},
    [LW_PART_TORSION] = {.name = "torsion",
                         SPRING,
                         .axis = torsion_axis,
                         .has_axes_only = true,
                         .is_transmission = true},
};

const lwi_kind_row *lwi_kind_row_of(lw_part_kind kind)
{
    return &table[(int)kind >= 0 && (int)kind < LWI_KIND_COUNT ? kind : LW_PART_REMOVED];
}

const char *lw_part_kind_name(lw_part_kind kind)
{
    return lwi_kind_row_of(kind)->name;
}

double lwi_part_mass(const lwi_part *part)
{
    const lwi_kind_row *row = lwi_kind_row_of(part->kind);
    return row->mass ? row->mass(part->def) : 0.0;
}

bool lwi_has_axes_only(lw_part_kind kind)
{
    return lwi_kind_row_of(kind)->has_axes_only;
}

bool lwi_is_leaf(lw_part_kind kind)
{
    return lwi_kind_row_of(kind)->is_leaf;
}

bool lwi_is_closer(const lwi_part *part)
{
    return lwi_kind_row_of(part->kind)->is_closer ||
           (part->kind == LW_PART_JOINT && as_joint(part)->closing);
}

// --- Degrees of freedom of joints -------------------------------------------------------------

int lwi_joint_nv(const lw_joint_def *joint)
{
    const int nv = joint->type == LW_JOINT_USER ? joint->user.nv : lw_joint_type_nv(joint->type);
    return nv < 0 || nv > LW_MAX_DOF ? 0 : nv;
}

int lwi_axis_count(const lwi_part *part)
{
    const lwi_kind_row *row = lwi_kind_row_of(part->kind);
    int n = row->port[LWI_PORT_AXIS].name ? 1 : 0;
    if (part->kind == LW_PART_JOINT) {
        return lwi_joint_nv(as_joint(part));
    }
    while (row->axis && row->axis(part->def, n)) {
        ++n;
    }
    return n;
}

const char *lwi_dof_suffix(lw_joint_type type, int nv, int i, bool positions, char text[16])
{
    if (type == LW_JOINT_USER && nv > 1) {
        snprintf(text, 16, "%d", i + 1);
        return text;
    }
    const lwi_joint_row *row = lwi_joint_row_of(type);
    const char *word = positions ? row->position[i] : row->velocity[i];
    return word ? word : "";
}

int lwi_axis_dof(const lw_joint_def *joint, int port)
{
    const int nv = lwi_joint_nv(joint), i = port - LWI_PORT_FIRST_FRAME;
    if (lwi_joint_row_of(joint->type)->has_quaternion || nv == 0) {
        return -1;
    }
    if (port == LWI_PORT_AXIS) {
        return nv == 1 ? 0 : -1;
    }
    return nv > 1 && i >= 0 && i < nv ? i : -1;
}
