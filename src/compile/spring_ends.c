// Springs and torsions, with their ends found. They tie nothing: what is dependent and in
// which order is decided without them.
#include "build.h"

#include "../base/report.h"
#include "../loop/law.h"

#include <string.h>

// The pairs of a table, converted into its columns and the bends of its spline.
static const double *prepare_law(lwi_build *b, const lw_spring_def *def, int *count)
{
    *count = def->ncoefficient;
    if (def->law != LW_LAW_TABLE) {
        return def->coefficient;
    }
    const int n = def->ncoefficient / 2;
    double *table = lwi_arena_take(b->arena, 3 * (size_t)n, sizeof *table);
    if (table) {
        lwi_fill_table(def->coefficient, n, table);
    }
    *count = 3 * n;
    return table;
}

// Distance of the ends in the reference configuration; 0 for a plane.
static double find_ends(const lwi_build *b, const lwi_flat *flat, lw_spring_info *info)
{
    const int feeder[2] = {flat->feeder, flat->feeder2};
    const int port[2] = {flat->feeder_port, flat->feeder2_port};
    lw_vec3 end[2];
    for (int side = 0; side < 2; ++side) {
        const lw_pose at = lwi_port_pose(b, feeder[side], port[side], &info->body[side]);
        info->p[side] = at.p;
        if (side == 0 && info->along == LW_SPRING_NORMAL) {
            info->normal = lw_rotate(&at.R, lw_vec3_of(0.0, 0.0, 1.0));
        }
        const lw_pose X =
            info->body[side] < 0 ? lw_pose_identity() : lwi_reference_pose(b, info->body[side]);
        end[side] = lw_pose_apply(&X, info->p[side]);
    }
    if (info->body[0] == info->body[1]) {
        lwi_report_warning(b->report, flat->location, LW_DIAG_SPRING_IDLE,
                           "spring \"%s\": both ends are on one body, so it does nothing",
                           flat->name);
    }
    return info->along == LW_SPRING_NORMAL ? 0.0 : lw_norm3(lw_sub3(end[1], end[0]));
}

// Twist in the reference configuration.
static double find_axes(lwi_build *b, int f, lw_spring_info *info)
{
    double twist = 0.0;
    for (int side = 0; side < 2; ++side) {
        const int v = b->axis[b->first_axis[f] + side].shared;
        info->dof[side] = v;
        info->position[side] = v < 0 ? -1 : lwi_q_of_v(b, v);
        const double q = v < 0 ? 0.0 : b->tree_q_reference[info->position[side]];
        twist += side ? -q : q;
    }
    if (info->dof[0] == info->dof[1]) {
        lwi_report_error(b->report, b->flat[f].location, LW_ERR_MODEL,
                         "torsion \"%s\": both ends are on one axis", b->flat[f].name);
    }
    return twist;
}

static lw_status add_spring(lwi_build *b, int f)
{
    const lwi_flat *flat = &b->flat[f];
    const lw_spring_def *def = as_spring(part_of(b, flat));
    lw_spring_info *info = &b->spring[b->nspring++];
    // Member by member over zeros: the gaps between them are hashed with the model.
    memset(info, 0, sizeof *info);
    info->name = flat->name;
    info->is_torsion = flat->kind == LW_PART_TORSION;
    info->law = def->law;
    info->side = def->side;
    info->along = def->along;
    info->preload = def->preload;
    info->damping = def->damping;
    info->backlash = def->backlash;
    info->loss = def->loss;
    info->loss_speed = def->loss_speed;
    for (int end = 0; end < 2; ++end) {
        info->body[end] = info->dof[end] = info->position[end] = -1;
    }
    info->coefficient = prepare_law(b, def, &info->ncoefficient);
    if (!info->coefficient) {
        return lwi_build_no_memory(b);
    }
    const double rest = info->is_torsion ? find_axes(b, f, info) : find_ends(b, flat, info);
    info->free = isnan(def->free) ? rest : def->free;
    return LW_OK;
}

lw_status lwi_pass_springs(lwi_build *b)
{
    int count = 0;
    for (int f = 0; f < b->nflat; ++f) {
        const lw_part_kind kind = b->flat[f].kind;
        count += (kind == LW_PART_SPRING || kind == LW_PART_TORSION) && !b->flat[f].is_left_out;
    }
    b->spring = lwi_arena_take(b->arena, (size_t)count, sizeof *b->spring);
    lw_status status = b->spring || count == 0 ? LW_OK : lwi_build_no_memory(b);
    for (int f = 0; f < b->nflat && count > 0 && status == LW_OK; ++f) {
        const lw_part_kind kind = b->flat[f].kind;
        if ((kind == LW_PART_SPRING || kind == LW_PART_TORSION) && !b->flat[f].is_left_out) {
            status = add_spring(b, f);
        }
    }
    return status == LW_OK && lw_report_errors(b->report) > 0 ? LW_ERR_MODEL : status;
}
