#include "draw/workspace.h"

#include "support/message.h"
#include "support/numeral.h"
#include "support/robot_file.h"

#include <linkwork/kinematics.h>
#include <linkwork/motion.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// --- Samples ----------------------------------------------------------------------------------

/// A joint that is varied.
typedef struct range {
    int position; ///< in q
    double low, high;
} range;

// The same numbers in every run: Steele, Lea and Flood's SplitMix64 (2014), scaled to [0, 1).
static double next_share(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

// Edges of a workspace are mostly where joints are at their limits, so these come up more often
// than by chance.
static double pick(const range *r, uint64_t *state)
{
    const double kind = next_share(state);
    return kind < 0.15   ? r->low
           : kind < 0.30 ? r->high
                         : r->low + (r->high - r->low) * next_share(state);
}

static bool turns(const lw_model *m, int v)
{
    for (int i = 0; i < m->nbody; ++i) {
        if (m->v_start[i] <= v && v < m->v_start[i + 1]) {
            return m->carrier[i] == LW_TREE_REVOLUTE;
        }
    }
    return false;
}

static int hold(const command_line *args, const lw_model *m, bool *is_held)
{
    for (int i = 0; i < args_count(args, OPT_HOLD); ++i) {
        const char *name = args_value_at(args, OPT_HOLD, i);
        const int k = lw_find_position(m, name);
        if (k < 0) {
            return complain(EXIT_USAGE, "--hold: there is no position \"%s\"", name);
        }
        is_held[k] = true;
    }
    return EXIT_GOOD;
}

// The joints to vary. Spherical and free ones have no limits that would bound them; they stay.
static int find_ranges(const command_line *args, const lw_model *m, range *list, int *count)
{
    bool *is_held = calloc((size_t)m->nq + 1, sizeof *is_held);
    int code =
        is_held ? hold(args, m, is_held) : complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
    *count = 0;
    for (int k = 0; k < m->nv && code == EXIT_GOOD; ++k) {
        const int q = lw_position_of_dof(m, k), v = m->v_tree[k];
        if (q < 0 || is_held[q]) {
            continue;
        }
        range r = {q, m->dof[v].lower, m->dof[v].upper};
        const bool is_open = !isfinite(r.low) || !isfinite(r.high);
        if (is_open && !turns(m, v)) {
            code = complain(EXIT_INPUT, "%s has no limits; give it some, or --hold it",
                            m->position_name[q]);
        } else if (is_open) { // a turn has every direction
            r.low = -acos(-1.0);
            r.high = acos(-1.0);
        }
        list[(*count)++] = r;
    }
    free(is_held);
    return code;
}

static void add_location(workspace *w, lw_vec3 p)
{
    const double out = hypot(p.x, p.y);
    if (w->count == 0) {
        w->low = w->high = p;
        w->reach = w->nearest = out;
    }
    w->low = lw_vec3_of(fmin(w->low.x, p.x), fmin(w->low.y, p.y), fmin(w->low.z, p.z));
    w->high = lw_vec3_of(fmax(w->high.x, p.x), fmax(w->high.y, p.y), fmax(w->high.z, p.z));
    w->reach = fmax(w->reach, out);
    w->nearest = fmin(w->nearest, out);
    w->location[w->count++] = p;
}

static int visit(workspace *w, const lw_model *m, lw_data *d, int frame, double *q,
                 const range *list, int nrange, int samples)
{
    uint64_t state = 1;
    for (int i = 0; i < samples; ++i) {
        lw_pose X;
        for (int k = 0; k < nrange; ++k) {
            q[list[k].position] = pick(&list[k], &state);
        }
        lw_status status = lw_forward_position(m, d, q);
        if (status == LW_ERR_LOOP_OPEN) {
            ++w->open;
            continue;
        }
        if (status == LW_OK) {
            status = lw_frame_pose(m, d, frame, &X);
        }
        if (status != LW_OK) {
            char why[ROBOT_WHY_ROOM];
            return complain(exit_code_of(status), "%s", robot_why(m, d, status, why));
        }
        add_location(w, X.p);
    }
    return w->count > 0 ? EXIT_GOOD
                        : complain(EXIT_NUMERIC, "no sample of the workspace closes all loops");
}

int workspace_sample(workspace *w, const command_line *args, const lw_model *m, lw_data *d,
                     const double *q)
{
    const char *name = args_value(args, OPT_WORKSPACE), *text = args_value(args, OPT_SAMPLES);
    int samples = 400000, nrange = 0;
    *w = (workspace){0};
    if (!name) {
        return args_has(args, OPT_HOLD) || text
                   ? complain(EXIT_USAGE, "--hold and --samples need --workspace FRAME")
                   : EXIT_GOOD;
    }
    if (text && !number_parse_count(text, strlen(text), 10000000, &samples)) {
        return complain(EXIT_USAGE, "--samples is a whole number from 1 to 10000000, not \"%s\"",
                        text);
    }
    const int frame = robot_find_frame(m, name);
    if (frame < 0) {
        return EXIT_USAGE;
    }
    double *at = calloc((size_t)m->nq + 1, sizeof *at);
    range *list = calloc((size_t)m->nv + 1, sizeof *list);
    w->location = calloc((size_t)samples, sizeof *w->location);
    int code = EXIT_GOOD;
    if (!at || !list || !w->location) {
        code = complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
        goto done;
    }
    memcpy(at, q, (size_t)m->nq * sizeof *at);
    code = find_ranges(args, m, list, &nrange);
    if (code == EXIT_GOOD) {
        code = visit(w, m, d, frame, at, list, nrange, samples);
    }
done:
    free(at);
    free(list);
    return code;
}

void workspace_free(workspace *w)
{
    free(w->location);
    *w = (workspace){0};
}

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

static bool make_cells(cells *c, const workspace *w, const picture *pic)
{
    double low[2] = {(double)INFINITY, (double)INFINITY},
           high[2] = {-(double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < w->count; ++i) {
        const picture_point p = picture_see(pic, w->location[i]);
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
    c->is_full = calloc((size_t)c->nx * (size_t)c->ny, 1);
    if (!c->is_full || !isfinite(size)) {
        return false;
    }
    for (int i = 0; i < w->count; ++i) {
        const picture_point p = picture_see(pic, w->location[i]);
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
static bool close_gaps(cells *c)
{
    unsigned char *scratch = malloc((size_t)c->nx * (size_t)c->ny);
    for (int step = 0; step < 2 * CLOSING && scratch; ++step) {
        spread(c, step < CLOSING, scratch);
    }
    free(scratch);
    return scratch != NULL;
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
static bool find_box(workspace *w, const cells *c)
{
    int *height = calloc(2 * (size_t)c->nx + 1, sizeof *height);
    rectangle best = {0, 0, 0, 0};
    for (int y = 0; y < c->ny && height; ++y) {
        for (int x = 0; x < c->nx; ++x) {
            height[x] = is_full(c, x, y) ? height[x] + 1 : 0;
        }
        best = largest_below(height, c->nx, y, height + c->nx, best);
    }
    w->has_box = best.x1 - best.x0 > 2 && best.y1 - best.y0 > 2;
    w->box[0] = c->x + (best.x0 + 1) * c->side;
    w->box[1] = c->x + (best.x1 - 1) * c->side;
    w->box[2] = c->y + (best.y0 + 1) * c->side;
    w->box[3] = c->y + (best.y1 - 1) * c->side;
    free(height);
    return height != NULL;
}

static void paint_box(const workspace *w, picture *pic)
{
    for (int k = 0; k < 4 && w->has_box; ++k) {
        static const int corner[5][2] = {{0, 2}, {1, 2}, {1, 3}, {0, 3}, {0, 2}};
        picture_begin(pic, PICTURE_LINE, LAYER_FLOOR, BOX, 0, 0);
        for (int end = k; end <= k + 1; ++end) {
            picture_add_seen(pic, (picture_point){w->box[corner[end][0]], w->box[corner[end][1]]});
        }
    }
}

void workspace_paint(workspace *w, picture *pic, bool has_box)
{
    cells c = {0};
    if (w->count > 0 && make_cells(&c, w, pic) && close_gaps(&c) && (!has_box || find_box(w, &c))) {
        paint_rows(&c, pic);
        paint_edges(&c, pic, true);
        paint_edges(&c, pic, false);
        paint_box(w, pic);
    } else if (w->count > 0) {
        pic->is_short = true;
    }
    free(c.is_full);
}
