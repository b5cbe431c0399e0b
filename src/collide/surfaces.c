// Meshes of a mechanism as surfaces, and distances of whatever a link consists of.
#include "solids.h"

#include "../geom/hull_points.h"

#include <math.h>
#include <stdlib.h>

static bool is_same(lw_vec3 a, lw_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool is_mesh(const lw_shape_info *shape)
{
    return shape->role == LW_SHAPE_COLLISION && shape->type == LW_SHAPE_MESH && shape->data >= 0;
}

// The first shape with the same mesh and scale.
static int first_alike(const lw_model *m, int i)
{
    int k = 0;
    while (!is_mesh(&m->shape[k]) || m->shape[k].data != m->shape[i].data ||
           m->shape[k].is_convex != m->shape[i].is_convex ||
           !is_same(m->shape[k].size, m->shape[i].size)) {
        ++k;
    }
    return k;
}

static lw_status make_hull(lw_collide *c, int i)
{
    const lw_shape_info *shape = &c->m->shape[i];
    const lw_mesh *mesh = &c->m->mesh[shape->data];
    lw_vec3 *point = malloc((size_t)mesh->nvertex * sizeof *point);
    if (!point) {
        return LW_ERR_MEMORY;
    }
    c->hull_point[i] = point;
    c->hull[i] = lwi_hull_of_mesh(mesh, shape->size, point, c->work);
    return lw_check_solid(&c->hull[i]);
}

static lw_status make_surface(lw_collide *c, int i)
{
    const lw_shape_info *shape = &c->m->shape[i];
    lw_surface_options o = lw_default_surface_options();
    o.scale = shape->size;
    o.side = c->m->mesh[shape->data].is_terrain ? LW_SIDE_BELOW : LW_SIDE_ENCLOSED;
    return lw_surface_create(&c->m->mesh[shape->data], &o, &c->surface[i]);
}

lw_status lwi_make_surfaces(lw_collide *c)
{
    const lw_model *m = c->m;
    lw_status status = LW_OK;
    for (int i = 0; i < m->nshape; ++i) {
        c->surface[i] = NULL;
        c->hull_point[i] = NULL;
        c->hull[i] = (lw_solid){0};
    }
    for (int i = 0; i < m->nshape && status == LW_OK; ++i) {
        if (is_mesh(&m->shape[i]) && first_alike(m, i) == i) {
            status = m->shape[i].is_convex ? make_hull(c, i) : make_surface(c, i);
        }
    }
    return status;
}

void lwi_free_surfaces(lw_collide *c)
{
    for (int i = 0; i < c->m->nshape; ++i) {
        lw_surface_destroy(c->surface[i]);
        free(c->hull_point[i]);
    }
}

const lw_surface *lwi_surface_of(const lw_collide *c, const lw_shape_info *shape)
{
    return is_mesh(shape) ? c->surface[first_alike(c->m, (int)(shape - c->m->shape))] : NULL;
}

const lw_solid *lwi_hull_of(const lw_collide *c, const lw_shape_info *shape)
{
    return &c->hull[first_alike(c->m, (int)(shape - c->m->shape))];
}

static void turn(lw_distance *d)
{
    const lw_vec3 swapped = d->point[0];
    d->point[0] = d->point[1];
    d->point[1] = swapped;
    d->normal = lw_scale3(-1.0, d->normal);
}

// None fails: sizes and positions have been checked.
static bool find_within(lw_collide *c, int i, int j, double cutoff, lw_distance *distance)
{
    const solid_at *a = &c->solid[i], *b = &c->solid[j];
    const lw_pose *X = &c->X_WS[i], *Y = &c->X_WS[j];
    lw_search search = {
        .cutoff = cutoff, .stop = c->stop, .is_exhaustive = c->method == LW_COLLIDE_ALL};
    bool is_found = false;
    if (!a->surface && !b->surface) {
        return lw_find_distance(&a->solid, X, &b->solid, Y, c->work, distance) == LW_OK &&
               distance->lower <= cutoff;
    }
    if (a->surface && b->surface) {
        lw_find_surface_distance(a->surface, X, b->surface, Y, &search, c->work, distance,
                                 &is_found);
    } else if (a->surface) {
        lw_find_surface_solid_distance(a->surface, X, &b->solid, Y, &search, c->work, distance,
                                       &is_found);
    } else {
        lw_find_surface_solid_distance(b->surface, Y, &a->solid, X, &search, c->work, distance,
                                       &is_found);
        if (is_found) {
            turn(distance);
        }
    }
    c->count.boxes += search.boxes;
    c->count.triangles += search.items;
    return is_found;
}

bool lwi_distance_within(lw_collide *c, int i, int j, double cutoff, lw_distance *distance)
{
    const bool is_found = find_within(c, i, j, cutoff, distance);
    if (is_found) {
        distance->upper += c->solid[i].slack + c->solid[j].slack;
    }
    return is_found;
}
