// Heights between the points of a grid: cubics through four points in a row, whose slopes are those
// of the neighbours' chords (Catmull and Rom). Slopes are continuous, and a plane stays a plane.
#include "height_field.h"

#include "../base/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 64 };

// --- Evaluation -------------------------------------------------------------------------------

// Shares of four points in a row at 0 <= t <= 1 between the middle ones.
static void shares(double t, double w[4])
{
    const double s = 1.0 - t;
    w[0] = -0.5 * t * s * s;
    w[1] = s * (1.0 + t * (1.0 - 1.5 * t));
    w[2] = t * (1.0 + s * (1.0 - 1.5 * s));
    w[3] = -0.5 * s * t * t;
}

static void rates(double t, double w[4])
{
    w[0] = -0.5 + t * (2.0 - 1.5 * t);
    w[1] = t * (-5.0 + 4.5 * t);
    w[2] = 0.5 + t * (4.0 - 4.5 * t);
    w[3] = t * (-1.0 + 1.5 * t);
}

static void second_rates(double t, double w[4])
{
    w[0] = 2.0 - 3.0 * t;
    w[1] = -5.0 + 9.0 * t;
    w[2] = 4.0 - 9.0 * t;
    w[3] = -1.0 + 3.0 * t;
}

// The cell below a point: its first corner in the array with the ring, and the place in the cell.
static const double *cell_of(const lw_terrain *t, double x, double y, double at[2])
{
    const double u = (x - t->x) * t->over, v = (y - t->y) * t->over;
    if (!(u >= 0.0 && v >= 0.0 && u <= t->nx - 1 && v <= t->ny - 1)) {
        return NULL;
    }
    const int i = u < t->nx - 2 ? (int)u : t->nx - 2, k = v < t->ny - 2 ? (int)v : t->ny - 2;
    at[0] = u - i;
    at[1] = v - k;
    return t->height + (size_t)k * (size_t)(t->nx + 2) + (size_t)i;
}

static double dot4(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

bool lwi_terrain_height(const lw_terrain *t, double x, double y, double *height)
{
    double at[2], a[4], b[4], row[4];
    if (t->nx == 0) {
        *height = t->plane.height + t->plane.slope[0] * x + t->plane.slope[1] * y;
        return true;
    }
    const double *z = cell_of(t, x, y, at);
    if (!z) {
        return false;
    }
    shares(at[0], a);
    shares(at[1], b);
    for (int k = 0; k < 4; ++k) {
        row[k] = dot4(a, z + (size_t)k * (size_t)(t->nx + 2));
    }
    *height = dot4(b, row);
    return true;
}

bool lw_terrain_at(const lw_terrain *terrain, double x, double y, lw_ground_point *at)
{
    if (!terrain || !at) {
        return false;
    }
    if (terrain->nx == 0) {
        *at = terrain->plane;
        at->height += at->slope[0] * x + at->slope[1] * y;
        return true;
    }
    double in[2], a[3][4], b[3][4], row[3][4];
    const double *z = cell_of(terrain, x, y, in), over = terrain->over;
    if (!z) {
        return false;
    }
    shares(in[0], a[0]);
    rates(in[0], a[1]);
    second_rates(in[0], a[2]);
    shares(in[1], b[0]);
    rates(in[1], b[1]);
    second_rates(in[1], b[2]);
    for (int k = 0; k < 4; ++k) {
        const double *from = z + (size_t)k * (size_t)(terrain->nx + 2);
        for (int order = 0; order < 3; ++order) {
            row[order][k] = dot4(a[order], from);
        }
    }
    at->height = dot4(b[0], row[0]);
    at->slope[0] = dot4(b[0], row[1]) * over;
    at->slope[1] = dot4(b[1], row[0]) * over;
    at->curvature[0] = dot4(b[0], row[2]) * over * over;
    at->curvature[1] = dot4(b[1], row[1]) * over * over;
    at->curvature[2] = dot4(b[2], row[0]) * over * over;
    const double length = sqrt(1.0 + at->slope[0] * at->slope[0] + at->slope[1] * at->slope[1]);
    at->normal = lw_vec3_of(-at->slope[0] / length, -at->slope[1] / length, 1.0 / length);
    return true;
}

void lw_terrain_bounds(const lw_terrain *terrain, double low[2], double high[2])
{
    low[0] = low[1] = -HUGE_VAL;
    high[0] = high[1] = HUGE_VAL;
    if (terrain && terrain->nx > 0) {
        low[0] = terrain->x;
        low[1] = terrain->y;
        high[0] = terrain->x + (terrain->nx - 1) * terrain->cell;
        high[1] = terrain->y + (terrain->ny - 1) * terrain->cell;
    }
}

// --- Bounds of curvature ----------------------------------------------------------------------

static int cell_near(double at, int n)
{
    return (int)fmin(fmax(floor(at), 0.0), n - 2.0);
}

double lwi_terrain_bend(const lw_terrain *t, double x, double y, double reach)
{
    if (t->nx == 0) {
        return 0.0;
    }
    const double u = (x - t->x) * t->over, v = (y - t->y) * t->over, far = reach * t->over;
    const int i0 = cell_near(u - far, t->nx), i1 = cell_near(u + far, t->nx);
    const int k0 = cell_near(v - far, t->ny), k1 = cell_near(v + far, t->ny);
    float most = 0.0f;
    if ((i1 - i0 + 1) * (k1 - k0 + 1) > MOST_CELLS) {
        return HUGE_VAL;
    }
    for (int k = k0; k <= k1; ++k) {
        const float *row = t->bend + (size_t)k * (size_t)(t->nx - 1);
        for (int i = i0; i <= i1; ++i) {
            most = row[i] > most ? row[i] : most;
        }
    }
    return (double)most;
}

// At most of the second derivative along one direction: it is linear along that, from `low` to
// `high` of each of four rows, and of the shares across (shares()) the outer ones are from -2/27 to
// 0 and the inner ones from 0 to 9/8 together.
static double bend_along(const double low[4], const double high[4])
{
    const double inner = fmax(fmax(fmax(low[1], low[2]), fmax(high[1], high[2])), 0.0);
    const double outer = fmin(fmin(low[0], high[0]), 0.0) + fmin(fmin(low[3], high[3]), 0.0);
    return 1.125 * inner - 2.0 / 27.0 * outer;
}

// At most of the larger eigenvalue of the second derivatives in a cell, times its square. The mixed
// one is a sum of mixed differences with shares of which no more than 3/2 come together along each
// direction.
static double bend_of_cell(const double *z, size_t width)
{
    double low[2][4], high[2][4], mixed = 0.0;
    for (size_t k = 0; k < 4; ++k) {
        const double *row = z + k * width, *column = z + k;
        low[0][k] = 2.0 * row[0] - 5.0 * row[1] + 4.0 * row[2] - row[3];
        high[0][k] = 2.0 * row[3] - 5.0 * row[2] + 4.0 * row[1] - row[0];
        low[1][k] =
            2.0 * column[0] - 5.0 * column[width] + 4.0 * column[2 * width] - column[3 * width];
        high[1][k] =
            2.0 * column[3 * width] - 5.0 * column[2 * width] + 4.0 * column[width] - column[0];
        for (size_t i = 0; i < 3 && k < 3; ++i) {
            mixed = fmax(mixed, fabs(row[width + i + 1] - row[width + i] - row[i + 1] + row[i]));
        }
    }
    return fmax(bend_along(low[0], high[0]), bend_along(low[1], high[1])) + 2.25 * mixed;
}

// A slope along x is one of 3/2 of the largest difference in a row, and shares of rows are 5/4
// together.
static void bound_slopes(lw_terrain *t)
{
    const size_t width = (size_t)t->nx + 2, count = width * ((size_t)t->ny + 2);
    double most[2] = {0.0, 0.0};
    for (size_t i = 0; i < count; ++i) {
        if (i % width > 0) {
            most[0] = fmax(most[0], fabs(t->height[i] - t->height[i - 1]));
        }
        if (i >= width) {
            most[1] = fmax(most[1], fabs(t->height[i] - t->height[i - width]));
        }
    }
    t->steep = 1.875 * hypot(most[0], most[1]) * t->over;
}

static void bound_bends(lw_terrain *t)
{
    const size_t width = (size_t)t->nx + 2, n = (size_t)t->nx - 1;
    for (size_t k = 0; k + 1 < (size_t)t->ny; ++k) {
        for (size_t i = 0; i < n; ++i) {
            const double bend = bend_of_cell(t->height + k * width + i, width);
            t->bend[k * n + i] = (float)(1.0001 * bend * t->over * t->over);
        }
    }
}

// --- Making one -------------------------------------------------------------------------------

// The ring goes straight on from the last two points of each row and column.
static void fill_ring(lw_terrain *t)
{
    const size_t width = (size_t)t->nx + 2, rows = (size_t)t->ny + 2;
    double *z = t->height;
    for (size_t k = 1; k + 1 < rows; ++k) {
        double *row = z + k * width;
        row[0] = 2.0 * row[1] - row[2];
        row[width - 1] = 2.0 * row[width - 2] - row[width - 3];
    }
    for (size_t i = 0; i < width; ++i) {
        z[i] = 2.0 * z[width + i] - z[2 * width + i];
        z[(rows - 1) * width + i] = 2.0 * z[(rows - 2) * width + i] - z[(rows - 3) * width + i];
    }
}

lw_status lw_terrain_create(const lw_terrain_def *def, lw_terrain **terrain, lw_report *report)
{
    if (!terrain) {
        return LW_ERR_ARGUMENT;
    }
    *terrain = NULL;
    if (!def || !def->height || def->nx < 2 || def->ny < 2 || def->nx > MOST_TERRAIN_POINTS ||
        def->ny > MOST_TERRAIN_POINTS || !(def->cell > 0.0) || !isfinite(def->cell) ||
        !isfinite(def->x) || !isfinite(def->y)) {
        return LW_ERR_ARGUMENT;
    }
    const size_t nx = (size_t)def->nx, ny = (size_t)def->ny;
    for (size_t i = 0; i < nx * ny; ++i) {
        if (!isfinite(def->height[i])) {
            return lwi_report_error(report, (lw_location){0}, LW_ERR_NUMBER,
                                    "terrain: the height of row %d, column %d is not a number: a "
                                    "hole",
                                    (int)(i / nx) + 1, (int)(i % nx) + 1);
        }
    }
    lw_terrain *t = calloc(1, sizeof *t);
    double *height = malloc((nx + 2) * (ny + 2) * sizeof *height);
    float *bend = malloc((nx - 1) * (ny - 1) * sizeof *bend);
    if (!t || !height || !bend) {
        free(t);
        free(height);
        free(bend);
        return LW_ERR_MEMORY;
    }
    *t = (lw_terrain){.nx = def->nx,
                      .ny = def->ny,
                      .x = def->x,
                      .y = def->y,
                      .cell = def->cell,
                      .over = 1.0 / def->cell,
                      .height = height,
                      .bend = bend};
    for (size_t k = 0; k < ny; ++k) {
        memcpy(height + (k + 1) * (nx + 2) + 1, def->height + k * nx, nx * sizeof *height);
    }
    fill_ring(t);
    bound_slopes(t);
    bound_bends(t);
    *terrain = t;
    return LW_OK;
}

lw_status lw_terrain_create_plane(lw_vec3 point, lw_vec3 normal, lw_terrain **terrain)
{
    if (!terrain) {
        return LW_ERR_ARGUMENT;
    }
    *terrain = NULL;
    const double length = lw_norm3(normal);
    if (!isfinite(length) || !isfinite(lw_norm3(point)) || !(normal.z > 1e-6 * length)) {
        return LW_ERR_ARGUMENT;
    }
    lw_terrain *t = calloc(1, sizeof *t);
    if (!t) {
        return LW_ERR_MEMORY;
    }
    t->plane.normal = lw_scale3(1.0 / length, normal);
    t->plane.slope[0] = -normal.x / normal.z;
    t->plane.slope[1] = -normal.y / normal.z;
    t->steep = hypot(t->plane.slope[0], t->plane.slope[1]);
    t->plane.height = point.z - t->plane.slope[0] * point.x - t->plane.slope[1] * point.y;
    *terrain = t;
    return LW_OK;
}

void lw_terrain_destroy(lw_terrain *terrain)
{
    if (terrain) {
        free(terrain->height);
        free(terrain->bend);
        free(terrain);
    }
}
