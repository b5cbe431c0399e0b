// Collision meshes of a description as fits.
#include "parts.h"

#include <linkwork/fit.h>

#include "../base/report.h"
#include "../geom/fit_mesh.h"
#include "edit.h"

// The first shape of the fit takes the place of the mesh; the others follow behind all shapes.
static bool replace(lw_mech *mech, int index, int number, const lw_fit *fit)
{
    const lw_part part = {mech->shape.at[index].part};
    const lw_shape_def mesh = mech->shape.at[index].def;
    const lw_pose X = lw_placement_pose(&mesh.placement);
    const int first = mech->part.at[part.index].nshape;
    for (int i = 0; i < fit->nshape; ++i) {
        const lw_fitted_shape *s = &fit->shape[i];
        const lw_pose at = lw_pose_mul(&X, &s->X);
        lw_shape_def def = lw_default_shape_def();
        def.name = i == 0 ? mesh.name : NULL;
        def.type = s->type;
        def.size = s->size;
        def.role = s->is_leaf ? LW_SHAPE_COLLISION : LW_SHAPE_BOUND;
        def.placement = lw_placement_of_pose(&at);
        def.bound = i == 0 ? mesh.bound : s->outer == 0 ? number : first + s->outer - 1;
        def.has_color = mesh.has_color;
        def.color = mesh.color;
        def.location = mesh.location;
        if (i == 0) {
            mech->shape.at[index].def = def;
        } else if (lw_add_shape(mech, part, &def) < 0) {
            return false;
        }
    }
    return true;
}

static bool has_inside(const lw_mech *mech, const lwi_part *part, int number)
{
    for (int i = part->first_shape; i >= 0; i = mech->shape.at[i].next) {
        if (mech->shape.at[i].def.bound == number) {
            return true;
        }
    }
    return false;
}

static lw_status fit_shape(lw_mech *mech, int index, int number, const lw_fit_options *o,
                           lw_report *report, int *count)
{
    lw_shape_def *def = &mech->shape.at[index].def;
    lw_fit *fit = NULL;
    if (o->allow_convex && lwi_fits_convex(def->data, def->size, o->slack)) {
        def->is_convex = true;
        ++*count;
        return LW_OK;
    }
    const lw_status status = lw_fit_mesh(def->data, def->size, o, &fit);
    if (status != LW_OK) {
        return status;
    }
    if (!(fit->slack <= o->slack)) {
        lwi_report_warning(report, def->location, LW_DIAG_MESH_KEPT,
                           "mesh \"%s\" stays: %d shapes do not fit it to %g m", def->mesh, o->most,
                           o->slack);
        lw_fit_destroy(fit);
        return LW_OK;
    }
    const bool has_memory = replace(mech, index, number, fit);
    lw_fit_destroy(fit);
    ++*count;
    return has_memory ? LW_OK : LW_ERR_MEMORY;
}

lw_status lw_fit_shapes(lw_mech *mech, const lw_fit_options *options, lw_report *report, int *count)
{
    const lw_fit_options o = options ? *options : lw_default_fit_options();
    int fitted = 0;
    if (!mech) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_may_edit(mech)) {
        return LW_ERR_FROZEN;
    }
    lw_status status = LW_OK;
    for (int k = 0; k < mech->part.count && status == LW_OK; ++k) {
        const int n = mech->part.at[k].nshape; // those that are added need no look
        int number = 0;
        for (int i = mech->part.at[k].first_shape; number < n && status == LW_OK; ++number) {
            const lw_shape_def *def = &mech->shape.at[i].def;
            if (def->type == LW_SHAPE_MESH && def->role == LW_SHAPE_COLLISION && def->data &&
                !def->is_convex && !def->data->is_terrain &&
                !has_inside(mech, &mech->part.at[k], number)) {
                status = fit_shape(mech, i, number, &o, report, &fitted);
            }
            i = mech->shape.at[i].next;
        }
    }
    if (count) {
        *count = fitted;
    }
    return status;
}
