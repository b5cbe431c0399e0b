// Lists what levels of detail make of a mechanism: which parts are locked or left out, and what of
// their masses and inertias goes with them.
#include "build.h"

#include <stdlib.h>
#include <string.h>

// The list with the memory that it lives in.
typedef struct level_list {
    lw_levels levels; ///< first, so that users' pointers are ours
    lwi_arena arena;
} level_list;

void lw_levels_destroy(lw_levels *levels)
{
    if (levels) {
        level_list *list = (level_list *)levels;
        lwi_arena_free(&list->arena);
        free(list);
    }
}

static const lw_joint_def *joint_of(const lwi_build *b, const lwi_flat *flat)
{
    return as_joint(part_of(b, flat));
}

// What an inertia, given in the frame of a joint at rest, is to the joint's degree of freedom.
static double about_axis(const lw_joint_def *def, const lw_inertia *in)
{
    const lwi_joint_row *row = lwi_joint_row_of(def->type);
    for (int k = 0; k < row->npiece; ++k) {
        if (row->piece[k].axis != LWI_AXIS_FIRST) {
            return 0.0; // no one degree of freedom
        }
    }
    if (row->npiece == 0 || row->piece[0].carrier == LW_TREE_PRISMATIC) {
        return row->npiece > 0 ? in->mass : 0.0;
    }
    const lw_vec3 u = lw_unit3(def->axis);
    const lw_sym3 *I = &in->tensor;
    return I->xx * u.x * u.x + I->yy * u.y * u.y + I->zz * u.z * u.z +
           2.0 * (I->xy * u.x * u.y + I->xz * u.x * u.z + I->yz * u.y * u.z);
}

// Adds a link of the transmission to every joint of it on the way to the structure.
static void add_to_joints(const lwi_build *b, int f, double *inertia)
{
    const lwi_flat *flat = &b->flat[f];
    const lw_link_def *def = as_link(part_of(b, flat));
    const lw_inertia own = {.mass = def->mass, .tensor = def->inertia};
    lw_pose X = lw_placement_pose(&def->inertial);
    // A chain has no more parts than there are; rings, which only left out parts can have, end.
    for (int steps = 0; flat->feeder >= 0 && flat->is_transmission && steps < b->nflat; ++steps) {
        const lwi_flat *feeder = &b->flat[flat->feeder];
        const lw_pose port = lwi_port_from_part(b, feeder, flat->feeder_port);
        X = lw_pose_mul(&port, &X);
        if (feeder->kind == LW_PART_JOINT) {
            const lw_joint_def *joint = joint_of(b, feeder);
            const lw_inertia seen = lw_inertia_move(&X, &own);
            inertia[flat->feeder] += feeder->is_transmission ? about_axis(joint, &seen) : 0.0;
            const lw_pose before = lw_placement_pose(&joint->before);
            X = lw_pose_mul(&before, &X);
        }
        flat = feeder;
    }
}

// The first part of the structure on the way to the ground; fixed joints do not count.
static const char *carrier_of(const lwi_build *b, const lwi_flat *flat)
{
    if (lwi_has_axes_only(flat->kind)) {
        return "";
    }
    for (int steps = 0; flat->is_transmission && flat->feeder >= 0 && steps < b->nflat; ++steps) {
        flat = &b->flat[flat->feeder];
    }
    while (flat->kind == LW_PART_JOINT && flat->feeder >= 0 &&
           joint_of(b, flat)->type == LW_JOINT_FIXED) {
        flat = &b->flat[flat->feeder];
    }
    return flat->name;
}

static const char *keep(level_list *list, const char *text)
{
    return lwi_arena_text(&list->arena, text, strlen(text));
}

// The name of a gear, with the assembly that it is in.
static const char *gear_name(level_list *list, const lwi_instance *instance, const char *name)
{
    const size_t np = strlen(instance->prefix), nn = strlen(name);
    char *text = lwi_arena_take(&list->arena, np + nn + 1, 1);
    if (text) {
        memcpy(text, instance->prefix, np);
        memcpy(text + np, name, nn);
    }
    return text;
}

static lw_status fill(const lwi_build *b, level_list *list, lw_assembly_level *assembly,
                      lw_simplified_part *part, const double *inertia)
{
    int n = 0;
    bool is_there = true;
    for (int i = 0; i < b->ninstance; ++i) {
        const lwi_instance *instance = &b->instance[i];
        lw_assembly_level *own = &assembly[i];
        own->name = i ? keep(list, b->flat[instance->flat].name) : "*";
        own->level = instance->level;
        is_there = is_there && own->name;
        for (int p = 0; p < instance->mech->part.count; ++p) {
            const int f = instance->first_flat + p;
            const lwi_flat *flat = &b->flat[f];
            if (!flat->is_transmission) {
                continue;
            }
            const double mass = lwi_part_mass(part_of(b, flat));
            own->ntransmission += !lwi_is_leaf(flat->kind);
            own->mass += mass;
            const bool is_rod = flat->kind == LW_PART_ROD;
            const bool has_tie = lwi_has_axes_only(flat->kind) || lwi_is_leaf(flat->kind) ||
                                 flat->kind == LW_PART_SPRING;
            const bool is_held = instance->level == LW_LEVEL_MIDDLE && !has_tie &&
                                 (is_rod ? flat->feeder >= 0 && !b->flat[flat->feeder].is_left_out
                                         : !flat->is_left_out);
            if (!is_held && !flat->is_left_out) {
                continue;
            }
            own->mass_moved += is_held ? mass : 0.0;
            own->mass_left_out += is_held ? 0.0 : mass;
            part[n] = (lw_simplified_part){.name = keep(list, flat->name),
                                           .kind = lw_part_kind_name(flat->kind),
                                           .assembly = i,
                                           .is_locked = is_held,
                                           .carrier = keep(list, carrier_of(b, flat)),
                                           .mass = mass,
                                           .slides = flat->kind == LW_PART_JOINT &&
                                                     joint_of(b, flat)->type == LW_JOINT_PRISMATIC,
                                           .inertia = inertia[f]};
            is_there = is_there && part[n].name && part[n].carrier;
            ++n;
        }
        for (int k = 0; k < instance->mech->gear.count; ++k) {
            const lw_gear_def *gear = &instance->mech->gear.at[k];
            if (lwi_is_gear_left_out(b, i, gear)) {
                part[n] = (lw_simplified_part){.name = gear_name(list, instance, gear->name),
                                               .kind = "gear",
                                               .assembly = i,
                                               .carrier = ""};
                is_there = is_there && part[n++].name;
            }
        }
    }
    list->levels = (lw_levels){b->ninstance, n, assembly, part};
    return is_there ? LW_OK : LW_ERR_MEMORY;
}

static lw_status make(lwi_build *b, level_list *list)
{
    size_t most = (size_t)b->nflat;
    for (int i = 0; i < b->ninstance; ++i) {
        most += (size_t)b->instance[i].mech->gear.count;
    }
    lw_assembly_level *assembly =
        lwi_arena_take(&list->arena, (size_t)b->ninstance, sizeof *assembly);
    lw_simplified_part *part = lwi_arena_take(&list->arena, most, sizeof *part);
    double *inertia = lwi_arena_take(b->arena, (size_t)b->nflat, sizeof *inertia);
    if (!assembly || !part || !inertia) {
        return LW_ERR_MEMORY;
    }
    for (int f = 0; f < b->nflat; ++f) {
        const lwi_flat *flat = &b->flat[f];
        if (flat->kind == LW_PART_LINK && flat->is_transmission) {
            add_to_joints(b, f, inertia);
        } else if (flat->kind == LW_PART_DRIVE) {
            inertia[f] = as_drive(part_of(b, flat))->inertia;
        }
    }
    return fill(b, list, assembly, part, inertia);
}

lw_status lw_levels_create(const lw_mech *mech, const lw_compile_options *options,
                           lw_levels **levels)
{
    if (!levels) {
        return LW_ERR_ARGUMENT;
    }
    *levels = NULL;
    if (!mech) {
        return LW_ERR_ARGUMENT;
    }
    lwi_compilation c;
    level_list *list = calloc(1, sizeof *list);
    lw_status status = lwi_compile_begin(&c, mech, options, NULL, LWI_PASS_SPAN);
    if (status == LW_OK) {
        status = list ? make(&c.build, list) : LW_ERR_MEMORY;
    }
    if (status == LW_OK) {
        *levels = &list->levels;
    } else if (list) {
        lw_levels_destroy(&list->levels);
    }
    lwi_compile_end(&c, NULL);
    return status;
}
