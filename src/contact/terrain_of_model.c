// The heights of what is fixed to the world of a model, as a scene is: over each point of a grid
// the highest one of all its solids and of the triangles of its meshes.
#include "height_field.h"

#include "../base/report.h"

#include <math.h>
#include <stdlib.h>

static bool is_mesh(const lw_shape_info *shape)
{
    return shape->type == LW_SHAPE_MESH;
}

static bool is_ground(const lw_model *m, const lw_shape_info *shape)
{
    return shape->body < 0 && shape->role == LW_SHAPE_COLLISION &&
           (!is_mesh(shape) || (shape->data >= 0 && m->mesh[shape->data].ntriangle > 0));
}

// --- Solids -----------------------------------------------------------------------------------

// Cuts t[0] to t[1] down to where a + 2 b t + c t^2 <= 0, for c >= 0. False where nothing is left.
static bool cut_round(double a, double b, double c, double t[2])
{
    const double root = b * b - a * c;
    if (!(c > 0.0)) {
        return a <= 0.0;
    }
    if (!(root >= 0.0)) {
        return false;
    }
    t[0] = fmax(t[0], (-b - sqrt(root)) / c);
    t[1] = fmin(t[1], (-b + sqrt(root)) / c);
    return t[0] <= t[1];
}

// The same down to |p + d t| <= half.
static bool cut_slab(double p, double d, double half, double t[2])
{
    return cut_round(p * p - half * half, p * d, d * d, t);
}

static bool cut_ball(lw_vec3 p, lw_vec3 d, double radius, double t[2])
{
    return cut_round(lw_dot3(p, p) - radius * radius, lw_dot3(p, d), lw_dot3(d, d), t);
}

// The same down to the cylinder about z.
static bool cut_cylinder(lw_vec3 p, lw_vec3 d, lw_vec3 size, double t[2])
{
    return cut_round(p.x * p.x + p.y * p.y - size.x * size.x, p.x * d.x + p.y * d.y,
                     d.x * d.x + d.y * d.y, t) &&
           cut_slab(p.z, d.z, 0.5 * size.z, t);
}

// The highest point of a solid over x, y; -infinity where there is none.
static double top_of(const lw_shape_info *shape, double x, double y)
{
    const lw_vec3 size = shape->size;
    const lw_vec3 d = lw_rotate_back(&shape->X_BS.R, lw_vec3_of(0.0, 0.0, 1.0));
    const lw_vec3 p = lw_rotate_back(&shape->X_BS.R, lw_sub3(lw_vec3_of(x, y, 0.0), shape->X_BS.p));
    double t[2] = {-HUGE_VAL, HUGE_VAL}, top = -HUGE_VAL;
    bool is_over = false;
    switch (shape->type) {
    case LW_SHAPE_BOX:
        is_over = cut_slab(p.x, d.x, 0.5 * size.x, t) && cut_slab(p.y, d.y, 0.5 * size.y, t) &&
                  cut_slab(p.z, d.z, 0.5 * size.z, t);
        break;
    case LW_SHAPE_SPHERE:
        is_over = cut_ball(p, d, size.x, t);
        break;
    case LW_SHAPE_CYLINDER:
        is_over = cut_cylinder(p, d, size, t);
        break;
    case LW_SHAPE_CAPSULE:
        is_over = cut_cylinder(p, d, size, t);
        for (int end = -1; end <= 1; end += 2) {
            double cap[2] = {-HUGE_VAL, HUGE_VAL};
            const lw_vec3 from = {p.x, p.y, p.z - 0.5 * end * size.z};
            top = cut_ball(from, d, size.x, cap) ? fmax(top, cap[1]) : top;
        }
        break;
    case LW_SHAPE_MESH:
        break;
    }
    return is_over ? fmax(top, t[1]) : top;
}

// Raises the points of the grid that lie below a solid, its rim included.
static void raise_solid(const lw_shape_info *shape, const lw_terrain_def *def, double *height)
{
    const double over = 1.0 / def->cell;
    const lw_vec3 c = shape->X_BS.p, s = shape->size;
    const double reach = shape->type == LW_SHAPE_BOX ? 0.5 * lw_norm3(s) : s.x + 0.5 * s.z;
    const int i0 = (int)fmin(fmax(ceil((c.x - reach - def->x) * over), 0.0), def->nx);
    const int i1 = (int)fmin(fmax(floor((c.x + reach - def->x) * over), -1.0), def->nx - 1.0);
    const int k0 = (int)fmin(fmax(ceil((c.y - reach - def->y) * over), 0.0), def->ny);
    const int k1 = (int)fmin(fmax(floor((c.y + reach - def->y) * over), -1.0), def->ny - 1.0);
    for (int k = k0; k <= k1; ++k) {
        for (int i = i0; i <= i1; ++i) {
            const double x = def->x + i * def->cell, y = def->y + k * def->cell;
            double *at = &height[(size_t)k * (size_t)def->nx + (size_t)i];
            double z = top_of(shape, x, y);
            if (isinf(z)) { // rounding of a point on the rim
                z = top_of(shape, x - 1e-12 * (x - c.x), y - 1e-12 * (y - c.y));
            }
            if (isfinite(z) && !(*at >= z)) {
                *at = z;
            }
        }
    }
}

// --- Meshes -----------------------------------------------------------------------------------

// The vertex k of a shape's mesh, in the world.
static lw_vec3 vertex_of(const lw_model *m, const lw_shape_info *shape, int k)
{
    const lw_vec3 p = m->mesh[shape->data].vertex[k], s = shape->size;
    return lw_pose_apply(&shape->X_BS, lw_vec3_of(p.x * s.x, p.y * s.y, p.z * s.z));
}

// Raises the points of the grid that lie below a triangle, edges included.
static void raise_triangle(const lw_vec3 p[3], const lw_terrain_def *def, double *height)
{
    const double ax = p[1].x - p[0].x, ay = p[1].y - p[0].y;
    const double bx = p[2].x - p[0].x, by = p[2].y - p[0].y, area = ax * by - ay * bx;
    const double size = fmax(fmax(fabs(ax), fabs(ay)), fmax(fabs(bx), fabs(by)));
    if (!(fabs(area) > 1e-12 * size * size)) {
        return; // upright: its neighbours have its edges
    }
    const double low_x = fmin(p[0].x, fmin(p[1].x, p[2].x)), over = 1.0 / def->cell;
    const double low_y = fmin(p[0].y, fmin(p[1].y, p[2].y));
    const double high_x = fmax(p[0].x, fmax(p[1].x, p[2].x));
    const double high_y = fmax(p[0].y, fmax(p[1].y, p[2].y));
    const int i0 = (int)ceil((low_x - def->x) * over - 1e-6);
    const int i1 = (int)floor((high_x - def->x) * over + 1e-6);
    const int k0 = (int)ceil((low_y - def->y) * over - 1e-6);
    const int k1 = (int)floor((high_y - def->y) * over + 1e-6);
    for (int k = k0 < 0 ? 0 : k0; k <= k1 && k < def->ny; ++k) {
        for (int i = i0 < 0 ? 0 : i0; i <= i1 && i < def->nx; ++i) {
            const double x = def->x + i * def->cell - p[0].x;
            const double y = def->y + k * def->cell - p[0].y;
            const double u = (x * by - y * bx) / area, v = (ax * y - ay * x) / area;
            const double z = p[0].z + u * (p[1].z - p[0].z) + v * (p[2].z - p[0].z);
            double *at = &height[(size_t)k * (size_t)def->nx + (size_t)i];
            if (u >= -1e-6 && v >= -1e-6 && u + v <= 1.0 + 1e-6 && !(*at >= z)) {
                *at = z;
            }
        }
    }
}

// --- The grid ---------------------------------------------------------------------------------

// Where the first of the meshes came from.
static const char *first_file(const lw_model *m)
{
    for (int s = 0; s < m->nshape; ++s) {
        if (is_ground(m, &m->shape[s]) && is_mesh(&m->shape[s]) && m->shape[s].mesh_file[0]) {
            return m->shape[s].mesh_file;
        }
    }
    return NULL;
}

static void include(lw_vec3 p, double low[2], double high[2])
{
    low[0] = fmin(low[0], p.x);
    low[1] = fmin(low[1], p.y);
    high[0] = fmax(high[0], p.x);
    high[1] = fmax(high[1], p.y);
}

// What the meshes cover; the boxes where there are none. False where there are neither.
static bool find_bounds(const lw_model *m, double low[2], double high[2])
{
    low[0] = low[1] = HUGE_VAL;
    high[0] = high[1] = -HUGE_VAL;
    for (int pass = 0; pass < 2 && !(high[0] > low[0] && high[1] > low[1]); ++pass) {
        for (int s = 0; s < m->nshape; ++s) {
            const lw_shape_info *shape = &m->shape[s];
            const bool is_used =
                is_ground(m, shape) && shape->type == (pass == 0 ? LW_SHAPE_MESH : LW_SHAPE_BOX);
            const int count = !is_used ? 0 : pass == 0 ? m->mesh[shape->data].nvertex : 8;
            for (int k = 0; k < count; ++k) {
                const lw_vec3 h = lw_scale3(0.5, shape->size);
                const lw_vec3 corner = {k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z};
                include(pass == 0 ? vertex_of(m, shape, k) : lw_pose_apply(&shape->X_BS, corner),
                        low, high);
            }
        }
    }
    return high[0] > low[0] && high[1] > low[1];
}

static void raise_all(const lw_model *m, const lw_terrain_def *def, double *height)
{
    for (int s = 0; s < m->nshape; ++s) {
        const lw_shape_info *shape = &m->shape[s];
        if (!is_ground(m, shape)) {
            continue;
        }
        if (!is_mesh(shape)) {
            raise_solid(shape, def, height);
            continue;
        }
        for (int k = 0; k < m->mesh[shape->data].ntriangle; ++k) {
            const int *corner = m->mesh[shape->data].triangle + 3 * k;
            const lw_vec3 p[3] = {vertex_of(m, shape, corner[0]), vertex_of(m, shape, corner[1]),
                                  vertex_of(m, shape, corner[2])};
            raise_triangle(p, def, height);
        }
    }
}

lw_status lw_terrain_create_of_model(const lw_model *m, double cell, lw_terrain **terrain,
                                     lw_report *report)
{
    double low[2], high[2];
    if (!terrain) {
        return LW_ERR_ARGUMENT;
    }
    *terrain = NULL;
    if (!m || !(cell > 0.0) || !isfinite(cell)) {
        return LW_ERR_ARGUMENT;
    }
    if (!find_bounds(m, low, high)) {
        return LW_ERR_NAME;
    }
    const double nx = floor((high[0] - low[0]) / cell + 1e-6) + 1.0;
    const double ny = floor((high[1] - low[1]) / cell + 1e-6) + 1.0;
    if (!(nx >= 2.0 && ny >= 2.0 && nx <= MOST_TERRAIN_POINTS && ny <= MOST_TERRAIN_POINTS)) {
        return lwi_report_error(report, (lw_location){.file = first_file(m)}, LW_ERR_LIMIT,
                                "terrain: %g by %g m in cells of %g m: 2 to %d points each way are "
                                "possible",
                                high[0] - low[0], high[1] - low[1], cell, MOST_TERRAIN_POINTS);
    }
    lw_terrain_def def = {(int)nx, (int)ny, low[0], low[1], cell, NULL};
    const size_t count = (size_t)def.nx * (size_t)def.ny;
    double *height = malloc(count * sizeof *height);
    if (!height) {
        return LW_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        height[i] = (double)NAN;
    }
    raise_all(m, &def, height);
    def.height = height;
    lw_status status = LW_OK;
    for (size_t i = 0; i < count && status == LW_OK; ++i) {
        if (isnan(height[i])) {
            status = lwi_report_error(report, (lw_location){.file = first_file(m)}, LW_ERR_MODEL,
                                      "terrain: a hole at x %g, y %g: nothing lies there",
                                      low[0] + (double)(i % (size_t)def.nx) * cell,
                                      low[1] + (double)(i / (size_t)def.nx) * cell);
        }
    }
    status = status == LW_OK ? lw_terrain_create(&def, terrain, report) : status;
    free(height);
    return status;
}
