// What the levels of detail leave of the mechanism.
//
// A part belongs to the transmission where it is marked so, where its assembly is marked so, where
// it is connected on such a part, and where it is a joint that carries nothing else. Gears, rods
// and closing joints do where they tie such a part, as do springs, and drives, gearboxes and
// torsions always. At the middle level joints of the transmission are held in their reference
// position, so that all masses stay where they are; at the high level its parts are left out. What
// connects them to the main joints is left out at both.
#include "build.h"

#include "../base/report.h"
#include "../math/pi.h"

#include <stdio.h>

static lw_role said_role(const lwi_build *b, const lwi_flat *flat)
{
    const lw_role own = part_of(b, flat)->role;
    return own ? own : b->instance[flat->instance].role;
}

static bool hangs(const lwi_flat *flat)
{
    return flat->kind != LW_PART_ASSEMBLY && !flat->is_closer && !lwi_has_axes_only(flat->kind) &&
           flat->feeder >= 0;
}

// Marks the joints that carry parts of the transmission and nothing else. Marks climb: a joint that
// carries only such a joint is one too.
static lw_status mark_carriers(lwi_build *b, char *is_carrier)
{
    int *children = lwi_arena_take(b->arena, (size_t)b->nflat, sizeof *children);
    int *marked = lwi_arena_take(b->arena, (size_t)b->nflat, sizeof *marked);
    if (!children || !marked) {
        return lwi_build_no_memory(b);
    }
    for (int f = 0; f < b->nflat; ++f) {
        if (hangs(&b->flat[f]) && !lwi_is_leaf(b->flat[f].kind)) {
            ++children[b->flat[f].feeder];
        }
    }
    for (int f = 0; f < b->nflat; ++f) {
        const lwi_flat *flat = &b->flat[f];
        if (lwi_is_leaf(flat->kind) || !hangs(flat) || said_role(b, flat) != LW_ROLE_TRANSMISSION) {
            continue;
        }
        for (int g = flat->feeder; g >= 0; g = b->flat[g].feeder) {
            if (b->flat[g].kind != LW_PART_JOINT || said_role(b, &b->flat[g]) != LW_ROLE_BY_KIND ||
                ++marked[g] != children[g]) {
                break;
            }
            is_carrier[g] = 1;
        }
    }
    return LW_OK;
}

// What the level of its assembly makes of a part, given what became of the part that it is
// connected to.
static void treat(lwi_build *b, lwi_flat *flat, bool is_carrier)
{
    const lwi_flat *feeder = &b->flat[flat->feeder];
    const lw_role role = said_role(b, flat);
    if (role == LW_ROLE_STRUCTURAL && feeder->is_transmission) {
        lwi_report_error(
            b->report, flat->location, LW_ERR_MODEL,
            "%s \"%s\" is structural, but is connected to %s \"%s\", which belongs to the "
            "transmission",
            lw_part_kind_name(flat->kind), flat->name, lw_part_kind_name(feeder->kind),
            feeder->name);
    }
    flat->is_transmission = role == LW_ROLE_TRANSMISSION || is_carrier ||
                            (role == LW_ROLE_BY_KIND && feeder->is_transmission);
    const lw_level level = b->instance[flat->instance].level;
    flat->is_left_out = feeder->is_left_out || (flat->is_transmission && level == LW_LEVEL_HIGH);
    flat->is_locked = flat->is_transmission && level == LW_LEVEL_MIDDLE && !flat->is_left_out &&
                      flat->kind == LW_PART_JOINT;
    b->is_simplified |= flat->is_left_out || flat->is_locked;
}

// Feeders first: from each part the walk goes up to one that has been treated, and back. A ring of
// parts that are connected to each other ends the walk too; span reports it.
static lw_status treat_tree(lwi_build *b)
{
    char *is_carrier = lwi_arena_take(b->arena, (size_t)b->nflat, 1);
    char *is_seen = lwi_arena_take(b->arena, (size_t)b->nflat, 1);
    int *path = lwi_arena_take(b->arena, (size_t)b->nflat, sizeof *path);
    if (!is_carrier || !is_seen || !path) {
        return lwi_build_no_memory(b);
    }
    const lw_status status = mark_carriers(b, is_carrier);
    for (int f = 0; f < b->nflat && status == LW_OK; ++f) {
        int n = 0;
        for (int g = f; g >= 0 && !is_seen[g] && hangs(&b->flat[g]); g = b->flat[g].feeder) {
            is_seen[g] = 1;
            path[n++] = g;
        }
        while (n > 0) {
            const int g = path[--n];
            treat(b, &b->flat[g], is_carrier[g]);
        }
    }
    return status;
}

static void treat_closer(lwi_build *b, lwi_flat *flat)
{
    const lwi_flat *one = flat->feeder >= 0 ? &b->flat[flat->feeder] : NULL;
    const lwi_flat *two = flat->feeder2 >= 0 ? &b->flat[flat->feeder2] : NULL;
    const lw_role role = said_role(b, flat);
    flat->is_transmission = role == LW_ROLE_TRANSMISSION ||
                            (role == LW_ROLE_BY_KIND &&
                             ((one && one->is_transmission) || (two && two->is_transmission)));
    const lw_level level = b->instance[flat->instance].level;
    flat->is_left_out = (flat->is_transmission && level != LW_LEVEL_LOW) ||
                        (one && one->is_left_out) || (two && two->is_left_out);
    b->is_simplified |= flat->is_left_out;
}

// Drives, gearboxes and torsions are connected to axes, not to the tree, and have no mass that
// could stay.
static void treat_drive(lwi_build *b, lwi_flat *flat)
{
    const lwi_kind_row *row = lwi_kind_row_of(flat->kind);
    flat->is_transmission =
        row->is_transmission && (!row->role || said_role(b, flat) != LW_ROLE_STRUCTURAL);
    flat->is_left_out = flat->is_transmission && b->instance[flat->instance].level != LW_LEVEL_LOW;
    b->is_simplified |= flat->is_left_out;
}

bool lwi_is_gear_left_out(const lwi_build *b, int instance, const lw_gear_def *gear)
{
    const lwi_instance *in = &b->instance[instance];
    const lw_role role = gear->role ? gear->role : in->role;
    if (in->level == LW_LEVEL_LOW || role == LW_ROLE_STRUCTURAL) {
        return false;
    }
    bool is_transmission = role == LW_ROLE_TRANSMISSION;
    for (int k = 0; k < 2; ++k) {
        // A wheel that is not there matters to a level that has gears, and is reported there.
        const lw_port port = lwi_wheel_port(in->mech, gear->wheel[k]);
        is_transmission |=
            port.part.index < 0 || b->flat[in->first_flat + port.part.index].is_transmission;
    }
    return is_transmission;
}

static void note_instance(lwi_build *b, int i)
{
    const lwi_instance *instance = &b->instance[i];
    int count[LWI_KIND_COUNT] = {0}, ngear = 0, sum = 0;
    double mass = 0.0;
    for (int p = 0; p < instance->mech->part.count; ++p) {
        const lwi_flat *flat = &b->flat[instance->first_flat + p];
        if (flat->is_transmission) {
            ++count[flat->kind];
            mass += lwi_part_mass(part_of(b, flat));
            sum += !lwi_is_leaf(flat->kind) && flat->kind != LW_PART_ASSEMBLY;
        }
    }
    for (int k = 0; k < instance->mech->gear.count; ++k) {
        ngear += lwi_is_gear_left_out(b, i, &instance->mech->gear.at[k]);
    }
    if (sum + ngear == 0) {
        return;
    }
    const int nspring = count[LW_PART_SPRING] + count[LW_PART_TORSION];
    const lwi_flat *flat = instance->flat >= 0 ? &b->flat[instance->flat] : NULL;
    const bool is_high = instance->level == LW_LEVEL_HIGH;
    char springs[32] = "";
    if (nspring > 0) {
        snprintf(springs, sizeof springs, ", springs %d", nspring);
    }
    lwi_report_note(b->report, flat ? flat->location : (lw_location){0}, LW_DIAG_LEVEL_SUMMARY,
                    "%s \"%s\" at level %s %s of its transmission: links %d (%g kg), joints %d; "
                    "and leaves out rods %d, gears %d, drives %d%s",
                    flat ? "assembly" : "mechanism", flat ? flat->name : b->mech->name,
                    lw_level_name(instance->level),
                    is_high ? "leaves out the parts" : "fixes to their carriers the parts",
                    count[LW_PART_LINK], mass, count[LW_PART_JOINT], count[LW_PART_ROD],
                    ngear + count[LW_PART_GEARBOX], count[LW_PART_DRIVE], springs);
}

lw_status lwi_pass_simplify(lwi_build *b)
{
    const lw_status status = treat_tree(b);
    bool has_level = false, has_transmission = false;
    for (int f = 0; f < b->nflat && status == LW_OK; ++f) {
        if (b->flat[f].is_closer) {
            treat_closer(b, &b->flat[f]);
        } else if (lwi_has_axes_only(b->flat[f].kind)) {
            treat_drive(b, &b->flat[f]);
        }
        has_transmission |= b->flat[f].is_transmission;
    }
    for (int i = 0; i < b->ninstance && status == LW_OK; ++i) {
        if (b->instance[i].level != LW_LEVEL_LOW) {
            has_level = true;
            note_instance(b, i);
        }
    }
    if (has_level && !has_transmission && status == LW_OK) {
        lwi_report_note(b->report, (lw_location){0}, LW_DIAG_LEVEL_ALIKE,
                        "no part of \"%s\" is marked as transmission: its levels are alike",
                        b->mech->name);
    }
    return status;
}

// --- Parts that are held ----------------------------------------------------------------------

// The motion of one piece of a joint, by its position or its positions.
static lw_pose piece_motion(const lw_joint_def *def, int piece, const double *r)
{
    const lwi_joint_row *row = lwi_joint_row_of(def->type);
    const lw_tree_joint carrier = row->piece[piece].carrier;
    const lw_vec3 axis = lwi_piece_axis(row->piece[piece].axis, def->axis, def->axis2);
    lw_pose X = lw_pose_identity();
    if (carrier == LW_TREE_USER) {
        def->user.pose(def->user.context, r, &X);
    } else if (carrier == LW_TREE_SPHERICAL || carrier == LW_TREE_FREE) {
        X.R = lw_exp3(lw_vec3_of(r[0], r[1], r[2]));
        X.p = carrier == LW_TREE_FREE ? lw_vec3_of(r[3], r[4], r[5]) : X.p;
    } else {
        const double lead = def->pitch / LWI_TWO_PI;
        const double angle = carrier == LW_TREE_PRISMATIC ? 0.0 : r[0];
        const double travel = carrier == LW_TREE_PRISMATIC ? r[0]
                              : carrier == LW_TREE_SCREW   ? lead * r[0]
                                                           : 0.0;
        X.R = lw_exp3(lw_scale3(angle, lw_unit3(axis)));
        X.p = lw_scale3(travel, lw_unit3(axis));
    }
    return X;
}

lw_pose lwi_reference_motion(const lw_joint_def *def)
{
    double r[LW_MAX_DOF] = {0.0};
    for (int i = 0; i < lwi_joint_nv(def); ++i) {
        r[i] = def->dof[i].reference;
    }
    lw_pose X = lw_pose_identity();
    for (int k = 0; k < lwi_joint_row_of(def->type)->npiece; ++k) {
        const lw_pose piece = piece_motion(def, k, r + k); // several pieces have one position each
        X = lw_pose_mul(&X, &piece);
    }
    return X;
}

// A thin rod between two points, about the frame in which these are given.
static lw_inertia thin_rod(double mass, lw_vec3 one, lw_vec3 two)
{
    const lw_vec3 d = lw_sub3(two, one);
    const lw_vec3 middle = lw_scale3(0.5, lw_add3(one, two));
    const double k = mass / 12.0;
    const lw_inertia own = {.mass = mass,
                            .tensor = {k * (d.y * d.y + d.z * d.z), k * (d.x * d.x + d.z * d.z),
                                       k * (d.x * d.x + d.y * d.y), -k * d.x * d.y, -k * d.x * d.z,
                                       -k * d.y * d.z}};
    const lw_pose X = {lw_mat3_identity(), middle};
    return lw_inertia_move(&X, &own);
}

// A rod that the middle level holds goes with the body that its first end is on, as it lies
// in the reference configuration.
lw_status lwi_pass_lump(lwi_build *b)
{
    for (int f = 0; f < b->nflat; ++f) {
        const lwi_flat *flat = &b->flat[f];
        if (flat->kind != LW_PART_ROD || !flat->is_left_out || flat->feeder < 0 ||
            flat->feeder2 < 0 || b->instance[flat->instance].level != LW_LEVEL_MIDDLE ||
            b->flat[flat->feeder].is_left_out || b->flat[flat->feeder2].is_left_out) {
            continue;
        }
        const double mass = as_rod(part_of(b, flat))->mass;
        int body[2];
        const lw_pose X[2] = {lwi_port_pose(b, flat->feeder, flat->feeder_port, &body[0]),
                              lwi_port_pose(b, flat->feeder2, flat->feeder2_port, &body[1])};
        if (body[0] < 0) {
            b->ground_mass += mass;
            continue;
        }
        const lw_pose X_W1 = lwi_reference_pose(b, body[0]), X_1W = lw_pose_inverse(&X_W1);
        const lw_pose X_W2 = lwi_reference_pose(b, body[1]);
        const lw_vec3 far_end = lw_pose_apply(&X_1W, lw_pose_apply(&X_W2, X[1].p));
        const lw_inertia rod = thin_rod(mass, X[0].p, far_end);
        b->body[body[0]].inertia = lw_inertia_add(&b->body[body[0]].inertia, &rod);
    }
    return LW_OK;
}
