#include "draw/reach_area.h"

#include <math.h>
#include <string.h>

// --- The area ---------------------------------------------------------------------------------

// The area has at most so many cells on its longer side, and gaps in it of less than twice CLOSING
// cells are closed.
enum { MOST_CELLS = 160, CLOSING = 2 };

/// What is seen, in square cells; the outermost ones are empty.
typedef struct cells {
    unsigned char *is_full; ///< [ny * nx]
    int nx, ny;
    double x, y, side; ///< of the first corner
} cells;

static const picture_paint AREA = {
    .fill = 0xdcebf7, .stroke = 0xdcebf7, .opacity = 1, .pixels = 0.8};
static const picture_paint BOX = {
    .fill = NO_COLOR, .stroke = 0x4d8bbf, .pixels = 1, .is_dashed = true};
static const picture_paint EDGE = {.fill = NO_COLOR, .stroke = 0x4d8bbf, .pixels = 1};

static bool make_cells(cells *c, const lw_workspace *w, const picture *pic)
{
    double low[2] = {(double)INFINITY, (double)INFINITY},
           high[2] = {-(double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < w->count; ++i) {
        const picture_point p = picture_see(pic, w->point[i]);
        low[0] = fmin(low[0], p.x);
        low[1] = fmin(low[1], p.y);
        high[0] = fmax(high[0], p.x);
        high[1] = fmax(high[1], p.y);
    }
    const double size = fmax(high[0] - low[0], high[1] - low[1]);
    c->side = size > 0 && isfinite(size) ? 1.0001 * size / MOST_CELLS : 1e-3;
    c->nx = (int)((high[0] - low[0]) / c->side) + 3 + 2 * CLOSING;
    c->ny = (int)((high[1] - low[1]) / c->side) + 3 + 2 * CLOSING;
    c->x = low[0] - (1 + CLOSING) * c->side;
    c->y = low[1] - (1 + CLOSING) * c->side;
    if (!isfinite(size)) {
        return false;
    }
    c->is_full = memory_get(pic->pool, (size_t)c->nx * (size_t)c->ny, 1);
    for (int i = 0; i < w->count; ++i) {
        const picture_point p = picture_see(pic, w->point[i]);
        const int x = (int)((p.x - c->x) / c->side), y = (int)((p.y - c->y) / c->side);
        c->is_full[y * c->nx + x] = 1;
    }
    return true;
}

// Makes every cell full, or empty, that has such a neighbour; the border stays empty.
static void spread(cells *c, unsigned char value, unsigned char *scratch)
{
    memcpy(scratch, c->is_full, (size_t)c->nx * (size_t)c->ny);
    for (int y = 1; y < c->ny - 1; ++y) {
        for (int x = 1; x < c->nx - 1; ++x) {
            for (int k = 0; k < 9; ++k) {
                if (scratch[(y + k / 3 - 1) * c->nx + x + k % 3 - 1] == value) {
                    c->is_full[y * c->nx + x] = value;
                }
            }
        }
    }
}

// Gaps that chance left are closed: full cells spread by a few, and then empty ones as far.
static void close_gaps(cells *c, memory *pool)
{
    unsigned char *scratch = memory_get(pool, (size_t)c->nx * (size_t)c->ny, 1);
    for (int step = 0; step < 2 * CLOSING; ++step) {
        spread(c, step < CLOSING, scratch);
    }
}

static bool is_full(const cells *c, int x, int y)
{
    return c->is_full[y * c->nx + x] != 0;
}

static void add_corner(const cells *c, picture *pic, int x, int y)
{
    picture_add_seen(pic, (picture_point){c->x + x * c->side, c->y + y * c->side});
}

static void paint_rows(const cells *c, picture *pic)
{
    for (int y = 0; y < c->ny; ++y) {
        for (int x = 0, end; x < c->nx; x = end) {
            for (end = x + 1; end < c->nx && is_full(c, end, y) == is_full(c, x, y); ++end) {
            }
            if (is_full(c, x, y)) {
                picture_begin(pic, PICTURE_POLYGON, LAYER_FLOOR, AREA, 0, 0);
                add_corner(c, pic, x, y);
                add_corner(c, pic, end, y);
                add_corner(c, pic, end, y + 1);
                add_corner(c, pic, x, y + 1);
            }
        }
    }
}

// Whether an edge lies between a cell and the one before it, in x or in y: 1 or -1 by which of them
// is full, else 0.
static int edge_before(const cells *c, bool is_upright, int x, int y)
{
    const bool before = is_upright ? is_full(c, x - 1, y) : is_full(c, x, y - 1);
    return (int)is_full(c, x, y) - (int)before;
}

// Lines of edges, each as long as it is straight.
static void paint_edges(const cells *c, picture *pic, bool is_upright)
{
    const int lines = is_upright ? c->nx : c->ny, length = is_upright ? c->ny : c->nx;
    for (int line = 1; line < lines; ++line) {
        for (int k = 0, end; k < length; k = end) {
            const int kind =
                edge_before(c, is_upright, is_upright ? line : k, is_upright ? k : line);
            for (end = k + 1;
                 end < length && kind == edge_before(c, is_upright, is_upright ? line : end,
                                                     is_upright ? end : line);
                 ++end) {
            }
            if (kind != 0) {
                picture_begin(pic, PICTURE_LINE, LAYER_FLOOR, EDGE, 0, 0);
                add_corner(c, pic, is_upright ? line : k, is_upright ? k : line);
                add_corner(c, pic, is_upright ? line : end, is_upright ? end : line);
            }
        }
    }
}

// --- The largest rectangle --------------------------------------------------------------------

/// Cells x0 .. x1 - 1 of rows y0 .. y1 - 1.
typedef struct rectangle {
    int x0, x1, y0, y1;
} rectangle;

static int area_of(rectangle r)
{
    return (r.x1 - r.x0) * (r.y1 - r.y0);
}

// The largest rectangle that ends in row y: height[x] counts the full cells up to it, and the stack
// holds the columns whose heights may yet go on to the right, each higher than the one before.
static rectangle largest_below(const int *height, int nx, int y, int *stack, rectangle best)
{
    int depth = 0;
    for (int x = 0; x <= nx; ++x) {
        const int here = x < nx ? height[x] : 0;
        while (depth > 0 && height[stack[depth - 1]] >= here) {
            const int tall = height[stack[--depth]];
            const int left = depth > 0 ? stack[depth - 1] + 1 : 0;
            const rectangle r = {left, x, y + 1 - tall, y + 1};
            best = area_of(r) > area_of(best) ? r : best;
        }
        stack[depth++] = x;
    }
    return best;
}

// Cells at the edge are full only in part, so the rectangle is drawn in by one on every side.
static void find_box(reach_area *a, const cells *c, memory *pool)
{
    int *height = memory_get(pool, 2 * (size_t)c->nx + 1, sizeof *height);
    rectangle best = {0, 0, 0, 0};
    for (int y = 0; y < c->ny; ++y) {
        for (int x = 0; x < c->nx; ++x) {
            height[x] = is_full(c, x, y) ? height[x] + 1 : 0;
        }
        best = largest_below(height, c->nx, y, height + c->nx, best);
    }
    a->has_box = best.x1 - best.x0 > 2 && best.y1 - best.y0 > 2;
    a->box[0] = c->x + (best.x0 + 1) * c->side;
    a->box[1] = c->x + (best.x1 - 1) * c->side;
    a->box[2] = c->y + (best.y0 + 1) * c->side;
    a->box[3] = c->y + (best.y1 - 1) * c->side;
}

static void paint_box(const reach_area *a, picture *pic)
{
    for (int k = 0; k < 4 && a->has_box; ++k) {
        static const int corner[5][2] = {{0, 2}, {1, 2}, {1, 3}, {0, 3}, {0, 2}};
        picture_begin(pic, PICTURE_LINE, LAYER_FLOOR, BOX, 0, 0);
        for (int end = k; end <= k + 1; ++end) {
            picture_add_seen(pic, (picture_point){a->box[corner[end][0]], a->box[corner[end][1]]});
        }
    }
}

void reach_area_paint(reach_area *a, const lw_workspace *w, picture *pic)
{
    cells c = {0};
    if (!make_cells(&c, w, pic)) {
        return;
    }
    close_gaps(&c, pic->pool);
    if (pic->view != VIEW_ISO) {
        find_box(a, &c, pic->pool);
    }
    paint_rows(&c, pic);
    paint_edges(&c, pic, true);
    paint_edges(&c, pic, false);
    paint_box(a, pic);
}
