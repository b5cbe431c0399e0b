// Shapes that reach out of the shape that should enclose them. lw_collide makes such a bound
// larger, so that no contact is missed; but then it is not the shape that was described. Rims are
// tested at points, so that what is reported is true.
#include "build.h"

#include "../base/report.h"
#include "../geom/enclose.h"

static lw_solid solid_of(const lw_shape_def *def)
{
    const lw_vec3 s = def->size;
    return def->type == LW_SHAPE_BOX        ? lw_box(s)
           : def->type == LW_SHAPE_CYLINDER ? lw_cylinder(s.x, s.z)
           : def->type == LW_SHAPE_CAPSULE  ? lw_capsule(s.x, s.z)
                                            : lw_sphere(s.x);
}

static double reach_out(const lw_shape_def *inner, const lw_shape_def *bound,
                        lw_distance_work *work)
{
    const lw_pose X_LI = lw_placement_pose(&inner->placement);
    const lw_pose X_LB = lw_placement_pose(&bound->placement);
    const lw_solid outer = solid_of(bound);
    if (inner->type != LW_SHAPE_MESH) {
        const lw_solid solid = solid_of(inner);
        return lwi_solid_outside(&outer, &X_LB, &solid, &X_LI, false, work);
    }
    double most = 0.0;
    for (int i = 0; inner->data && i < inner->data->nvertex; ++i) {
        const lw_vec3 v = inner->data->vertex[i], s = inner->size;
        const lw_vec3 at = lw_pose_apply(&X_LI, lw_vec3_of(s.x * v.x, s.y * v.y, s.z * v.z));
        const lw_vec3 p = lw_rotate_back(&X_LB.R, lw_sub3(at, X_LB.p));
        most = fmax(most, lwi_point_outside(&outer, p, work));
    }
    return most;
}

lw_status lwi_check_shapes(lwi_build *b, const lwi_flat *flat)
{
    const lw_mech *mech = mech_of(b, flat);
    const lwi_part *part = part_of(b, flat);
    const lw_shape_def **of =
        lwi_arena_take(b->arena, (size_t)part->nshape, sizeof *of); // the shapes of this part
    lw_distance_work *work = NULL;                                  // is large, and seldom needed
    if (!of) {
        return lwi_build_no_memory(b);
    }
    int n = 0;
    for (int i = part->first_shape; i >= 0; i = mech->shape.at[i].next) {
        const lw_shape_def *inner = of[n++] = &mech->shape.at[i].def;
        const lw_shape_def *bound = inner->bound >= 0 && inner->bound < n ? of[inner->bound] : NULL;
        if (!bound || bound->type == LW_SHAPE_MESH) {
            continue;
        }
        work = work ? work : lwi_arena_take(b->arena, 1, sizeof *work);
        if (!work) {
            return lwi_build_no_memory(b);
        }
        const double most = reach_out(inner, bound, work);
        if (most > 1e-6 * lw_norm3(bound->size)) {
            lwi_report_warning(b->report, inner->location, LW_DIAG_SHAPE_OUTSIDE,
                               "%s \"%s\": a shape reaches %.4g m out of its bounding shape",
                               lw_part_kind_name(flat->kind), flat->name, most);
        }
    }
    return LW_OK;
}
