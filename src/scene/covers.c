// Shapes of a mechanism as covers of its skeleton: which are drawn, and what lies within them.

#include "skeleton.h"

#include <math.h>
#include <string.h>

lw_vec3 lwi_skeleton_half_size(const lw_shape_info *shape)
{
    const double r = shape->size.x;
    switch (shape->type) {
    case LW_SHAPE_BOX:
        return lw_scale3(0.5, shape->size);
    case LW_SHAPE_SPHERE:
        return lw_vec3_of(r, r, r);
    case LW_SHAPE_CYLINDER:
        return lw_vec3_of(r, r, 0.5 * shape->size.z);
    case LW_SHAPE_CAPSULE:
        return lw_vec3_of(r, r, r + 0.5 * shape->size.z);
    default:
        return lw_vec3_of(0, 0, 0);
    }
}

// Not a mesh that was not read, not a mere enclosure, and large enough to be meant: some files put
// balls of a millimetre where nothing is.
static bool is_drawable(const lwi_skeleton *s, const lw_shape_info *shape)
{
    return shape->type != LW_SHAPE_MESH && shape->role != LW_SHAPE_BOUND &&
           lw_norm3(lwi_skeleton_half_size(shape)) > 0.1 * s->unit;
}

bool lwi_skeleton_draws_shape(const lwi_skeleton *s, int shape)
{
    const lw_shape_info *info = &s->shape[shape];
    if (!is_drawable(s, info) || info->role == LW_SHAPE_VISUAL) {
        return is_drawable(s, info);
    }
    // Shapes of a link are adjacent.
    for (int step = -1; step <= 1; step += 2) {
        for (int i = shape + step; i >= 0 && i < s->m->nshape; i += step) {
            const lw_shape_info *other = &s->shape[i];
            if (strcmp(other->link, info->link) != 0) {
                break;
            }
            if (other->role == LW_SHAPE_VISUAL && is_drawable(s, other)) {
                return false;
            }
        }
    }
    return true;
}

// A hull round half the mechanism, as some files have for collision, would hide what it encloses.
bool lwi_skeleton_is_envelope(const lwi_skeleton *s, int shape)
{
    const lw_shape_info *info = &s->shape[shape];
    const lwi_skeleton_node *node = lwi_skeleton_node_of(s, info->body);
    const lw_vec3 half = lwi_skeleton_half_size(info);
    if (s->nnode < 7 || lw_norm3(half) < 6 * s->unit) {
        return false;
    }
    const lw_pose X = lw_pose_mul(&node->X_WB, &info->X_BS);
    int inside = 0;
    for (int i = 1; i < s->nnode; ++i) {
        const lw_vec3 p = lw_rotate_back(&X.R, lw_sub3(s->node[i].X_WB.p, X.p));
        inside += fabs(p.x) < half.x && fabs(p.y) < half.y && fabs(p.z) < half.z;
    }
    return 2 * inside > s->nnode;
}

bool lwi_skeleton_covers(const lwi_skeleton *s, const lwi_skeleton_node *node, lw_vec3 p)
{
    if (!node->has_shape) {
        return false;
    }
    const lw_vec3 local = lw_rotate_back(&node->X_WB.R, lw_sub3(p, node->X_WB.p));
    const double slack = 2 * s->unit;
    const lw_vec3 low = node->shape_low, high = node->shape_high;
    return local.x > low.x - slack && local.y > low.y - slack && local.z > low.z - slack &&
           local.x < high.x + slack && local.y < high.y + slack && local.z < high.z + slack;
}

// Whether a shape hides what is within it: it is drawn, and encloses no more than its link.
static bool is_cover(const lwi_skeleton *s, int shape)
{
    return lwi_skeleton_draws_shape(s, shape) && !lwi_skeleton_is_envelope(s, shape);
}

static lw_pose pose_of(const lwi_skeleton *s, const lw_shape_info *shape)
{
    return lw_pose_mul(&lwi_skeleton_node_of(s, shape->body)->X_WB, &shape->X_BS);
}

static double clamped(double x, double half)
{
    return fmin(fmax(x, -half), half);
}

// The point of a shape, in its own axes, that is nearest to p.
static lw_vec3 nearest_in(const lw_shape_info *shape, lw_vec3 p)
{
    const lw_vec3 half = lwi_skeleton_half_size(shape);
    if (shape->type == LW_SHAPE_BOX) {
        return lw_vec3_of(clamped(p.x, half.x), clamped(p.y, half.y), clamped(p.z, half.z));
    }
    const double r = shape->size.x;
    if (shape->type == LW_SHAPE_CYLINDER) {
        const double share = fmin(1, r / fmax(hypot(p.x, p.y), 1e-300));
        return lw_vec3_of(share * p.x, share * p.y, clamped(p.z, half.z));
    }
    const double z = shape->type == LW_SHAPE_SPHERE ? 0 : clamped(p.z, half.z - r);
    const double share = fmin(1, r / fmax(hypot(hypot(p.x, p.y), p.z - z), 1e-300));
    return lw_vec3_of(share * p.x, share * p.y, z + share * (p.z - z));
}

lw_vec3 lwi_skeleton_nearest(const lwi_skeleton *s, const lwi_skeleton_node *node, lw_vec3 p)
{
    lw_vec3 best = p;
    double least = HUGE_VAL;
    for (int i = 0; i < s->m->nshape; ++i) {
        const lw_shape_info *shape = &s->shape[i];
        if (lwi_skeleton_node_of(s, shape->body) != node || !is_cover(s, i)) {
            continue;
        }
        const lw_pose X = pose_of(s, shape);
        const lw_vec3 q = lw_rotate_back(&X.R, lw_sub3(p, X.p)), on = nearest_in(shape, q);
        const double distance = lw_norm3(lw_sub3(q, on));
        if (distance < least) {
            least = distance;
            best = lw_pose_apply(&X, on);
        }
    }
    return best;
}

bool lwi_skeleton_hides(const lwi_skeleton *s, lw_vec3 center, double radius)
{
    unsigned inside = 0; // one bit for each of six points round the centre
    for (int i = 0; i < s->m->nshape; ++i) {
        const lw_shape_info *shape = &s->shape[i];
        if (!is_cover(s, i)) {
            continue;
        }
        const lw_pose X = pose_of(s, shape);
        const lw_vec3 p = lw_rotate_back(&X.R, lw_sub3(center, X.p));
        for (int k = 0; k < 6; ++k) {
            const double r = k % 2 ? radius : -radius;
            const lw_vec3 step = {k / 2 == 0 ? r : 0, k / 2 == 1 ? r : 0, k / 2 == 2 ? r : 0};
            const lw_vec3 at = lw_add3(p, lw_rotate_back(&X.R, step));
            inside |= lw_norm3(lw_sub3(at, nearest_in(shape, at))) < 1e-3 * s->unit ? 1u << k : 0;
        }
    }
    return inside == 0x3f;
}
