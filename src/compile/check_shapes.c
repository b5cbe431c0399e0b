// Shapes that reach out of the shape that should enclose them: a bounding tree with such a shape
// misses contacts. Points on the inner shape are tested, so that what is reported is true.
#include "build.h"

#include "../base/report.h"

enum { DIRECTIONS = 14 }; ///< the axes and the diagonals

static lw_vec3 direction(int i)
{
    static const signed char diagonal[8][3] = {{1, 1, 1},  {1, 1, -1},  {1, -1, 1},  {1, -1, -1},
                                               {-1, 1, 1}, {-1, 1, -1}, {-1, -1, 1}, {-1, -1, -1}};
    if (i < 8) {
        return lw_vec3_of(diagonal[i][0], diagonal[i][1], diagonal[i][2]);
    }
    const double sign = i % 2 ? -1.0 : 1.0;
    return lw_vec3_of(i / 2 == 4 ? sign : 0.0, i / 2 == 5 ? sign : 0.0, i / 2 == 6 ? sign : 0.0);
}

// The point of a shape that is farthest in a direction, in the shape's frame.
static lw_vec3 support(const lw_shape_def *def, lw_vec3 d)
{
    const lw_vec3 s = def->size;
    const double up = d.z < 0.0 ? -0.5 * s.z : 0.5 * s.z;
    const double across = hypot(d.x, d.y), along = lw_norm3(d);
    switch (def->type) {
    case LW_SHAPE_BOX:
        return lw_vec3_of(copysign(0.5 * s.x, d.x), copysign(0.5 * s.y, d.y), up);
    case LW_SHAPE_CYLINDER:
        return across > 0.0 ? lw_vec3_of(s.x * d.x / across, s.x * d.y / across, up)
                            : lw_vec3_of(0.0, 0.0, up);
    case LW_SHAPE_CAPSULE:
        return lw_add3(lw_vec3_of(0.0, 0.0, up), lw_scale3(s.x / along, d));
    default:
        return lw_scale3(s.x / along, d);
    }
}

// How far a point lies outside of a shape, in the shape's frame; at most 0 inside.
static double outside(const lw_shape_def *def, lw_vec3 p)
{
    const lw_vec3 s = def->size;
    const double beyond = fabs(p.z) - 0.5 * s.z;
    switch (def->type) {
    case LW_SHAPE_BOX:
        return fmax(beyond, fmax(fabs(p.x) - 0.5 * s.x, fabs(p.y) - 0.5 * s.y));
    case LW_SHAPE_CYLINDER:
        return fmax(beyond, hypot(p.x, p.y) - s.x);
    case LW_SHAPE_CAPSULE:
        return lw_norm3(lw_vec3_of(p.x, p.y, fmax(beyond, 0.0))) - s.x;
    default:
        return lw_norm3(p) - s.x;
    }
}

static double reach_out(const lw_shape_def *inner, const lw_shape_def *bound)
{
    const lw_pose X_LI = lw_placement_pose(&inner->placement);
    const lw_pose X_LB = lw_placement_pose(&bound->placement);
    double most = 0.0;
    for (int i = 0; i < DIRECTIONS; ++i) {
        const lw_vec3 at = lw_pose_apply(&X_LI, support(inner, direction(i)));
        const lw_vec3 p = lw_rotate_back(&X_LB.R, lw_sub3(at, X_LB.p));
        most = fmax(most, outside(bound, p));
    }
    return most;
}

lw_status lwi_check_shapes(lwi_build *b, const lwi_flat *flat)
{
    const lw_mech *mech = mech_of(b, flat);
    const lwi_part *part = part_of(b, flat);
    const lw_shape_def **of =
        lwi_arena_take(b->arena, (size_t)part->nshape, sizeof *of); // the shapes of this part
    if (!of) {
        return lwi_build_no_memory(b);
    }
    int n = 0;
    for (int i = part->first_shape; i >= 0; i = mech->shape.at[i].next) {
        const lw_shape_def *inner = of[n++] = &mech->shape.at[i].def;
        const lw_shape_def *bound = inner->bound >= 0 && inner->bound < n ? of[inner->bound] : NULL;
        if (!bound || inner->type == LW_SHAPE_MESH || bound->type == LW_SHAPE_MESH) {
            continue;
        }
        const double most = reach_out(inner, bound);
        if (most > 1e-6 * lw_norm3(bound->size)) {
            lwi_report_warning(b->report, inner->location, LW_DIAG_SHAPE_OUTSIDE,
                               "%s \"%s\": a shape reaches %.4g m out of its bounding shape",
                               lw_part_kind_name(flat->kind), flat->name, most);
        }
    }
    return LW_OK;
}
