// The support region of contacts with friction.
//
// Forces are sums of edges of the friction pyramids, with shares that are not negative. In axes
// along gravity the centre of mass that they carry is linear in them: its distance is the moment
// over the gravity load. What remains are four equalities, that forces across gravity and the
// moment about it vanish and the force along it is the load, and the limits. So the farthest centre
// of mass in a direction is a linear program, by the simplex method on a table; the next begins
// where the last has ended. Corners are found between two others until the edge between them is
// the farthest (Bretl and Lall).
#include "cone_forces.h"

#include <linkwork/stance.h>

#include <math.h>
#include <string.h>

enum {
    MOST_ROWS = 4 + LW_MAX_CONTACTS,
    MOST_COLUMNS = LW_MAX_CONTACTS * (LW_MAX_FACETS + 1),
    WIDTH = MOST_COLUMNS + 1,
    MOST_PIVOTS = 1000
};

/// Rows sum to the last column. A basis beyond the columns is artificial.
typedef struct table {
    int nrow, ncolumn;
    double *row; ///< [nrow*WIDTH]
    int *basis;  ///< [nrow]
    double *at;  ///< [2*ncolumn] the centre of mass that each column adds
    double *price;
} table;

static double *value_of(const table *t, int row)
{
    return &t->row[row * WIDTH + t->ncolumn];
}

static void pivot(table *t, int row, int column)
{
    double *p = t->row + row * WIDTH;
    const double scale = 1.0 / p[column];
    for (int j = 0; j <= t->ncolumn; ++j) {
        p[j] *= scale;
    }
    for (int i = 0; i < t->nrow; ++i) {
        double *r = t->row + i * WIDTH;
        const double share = i == row ? 0.0 : r[column];
        for (int j = 0; share != 0.0 && j <= t->ncolumn; ++j) {
            r[j] -= share * p[j];
        }
    }
    t->basis[row] = column;
}

// The row that is used up first as a column grows; -1 where none is.
static int leaving_row(const table *t, int column)
{
    int leaves = -1;
    double least = HUGE_VAL;
    for (int i = 0; i < t->nrow; ++i) {
        const double rate = t->row[i * WIDTH + column];
        const double ratio = fmax(*value_of(t, i), 0.0) / rate;
        if (rate > 1e-11 &&
            (ratio < least || (ratio == least && rate > t->row[leaves * WIDTH + column]))) {
            least = ratio;
            leaves = i;
        }
    }
    return leaves;
}

// Prices t->price [ncolumn] per unit of each column, less those of the columns that it takes the
// place of. The column that gains most; after many pivots the first one that gains, which cannot
// go round in circles (R. G. Bland, 1977); -1 where none gains.
static int entering_column(const table *t, const double *gain, double artificial, int pivots)
{
    int enters = -1;
    double most = 1e-10;
    for (int j = 0; j < t->ncolumn; ++j) {
        double price = gain ? gain[j] : 0.0;
        for (int i = 0; i < t->nrow; ++i) {
            const double lost =
                t->basis[i] < t->ncolumn ? (gain ? gain[t->basis[i]] : 0.0) : artificial;
            price -= lost * t->row[i * WIDTH + j];
        }
        if (price > most) {
            enters = j;
            if (pivots > MOST_PIVOTS / 2) {
                break;
            }
            most = price;
        }
    }
    return enters;
}

static lw_status maximize(table *t, const double *gain, double artificial)
{
    for (int pivots = 0; pivots < MOST_PIVOTS; ++pivots) {
        const int column = entering_column(t, gain, artificial, pivots);
        if (column < 0) {
            return LW_OK;
        }
        const int row = leaving_row(t, column);
        if (row < 0) {
            return LW_ERR_LIMIT;
        }
        pivot(t, row, column);
    }
    return LW_ERR_NO_CONVERGENCE;
}

// --- Setting up -------------------------------------------------------------------------------

typedef struct ground {
    int n;
    const lw_foot_contact *contact;
    lw_vec3 center;
    lw_mat3 R; ///< columns: two across gravity, and up
    double load;
} ground;

static void add_edge(table *t, const ground *g, int i, lw_vec3 force)
{
    const int j = t->ncolumn++;
    const lw_vec3 p = lw_rotate_back(&g->R, lw_sub3(g->contact[i].point, g->center));
    const lw_vec3 f = lw_rotate_back(&g->R, force);
    const lw_vec3 moment = lw_cross3(p, f);
    const double column[4] = {f.x, f.y, f.z, moment.z};
    for (int k = 0; k < 4; ++k) {
        t->row[k * WIDTH + j] = column[k];
    }
    t->row[(4 + i) * WIDTH + j] = 1.0;
    t->at[2 * j] = -moment.y;
    t->at[2 * j + 1] = moment.x;
}

// The edges of the pyramid around a cone, or on it. Forces are over the gravity load, and those
// along the normal are 1. One edge on a cone is straight against what gravity has across the
// normal: on a slope the friction that just holds is that of the cone.
static void add_pyramid(table *t, const ground *g, int i, int facets, bool is_exact)
{
    const lw_mat3 axes = lwi_contact_axes(g->contact[i].normal);
    const double half = 3.141592653589793 / facets;
    const double across = g->contact[i].friction / (is_exact ? 1.0 : cos(half));
    const lw_vec3 up = lw_rotate(&axes, lw_rotate(&g->R, lw_vec3_of(0.0, 0.0, 1.0)));
    const double first = is_exact ? atan2(up.y, up.x) : half;
    for (int k = 0; k < (across > 0.0 ? facets : 1); ++k) {
        const double angle = first + 2 * k * half;
        add_edge(t, g, i,
                 lw_add3(axes.row[2], lw_add3(lw_scale3(across * cos(angle), axes.row[0]),
                                              lw_scale3(across * sin(angle), axes.row[1]))));
    }
}

static void set_up(table *t, const ground *g, int facets, bool is_exact)
{
    memset(t->row, 0, MOST_ROWS * WIDTH * sizeof *t->row);
    memset(t->at, 0, 2 * MOST_COLUMNS * sizeof *t->at);
    t->ncolumn = 0;
    t->nrow = 4 + g->n;
    for (int i = 0; i < g->n; ++i) {
        add_pyramid(t, g, i, facets, is_exact);
    }
    for (int i = 0; i < g->n; ++i) { // what a limit leaves
        t->row[(4 + i) * WIDTH + t->ncolumn] = 1.0;
        t->basis[4 + i] = t->ncolumn++;
    }
    for (int k = 0; k < 4; ++k) {
        *value_of(t, k) = k == 2;
        t->basis[k] = MOST_COLUMNS + k;
    }
    int used = 4;
    for (int i = 0; i < g->n; ++i) { // without a limit there is no row
        if (g->contact[i].max_force > 0.0) {
            memmove(t->row + used * WIDTH, t->row + (4 + i) * WIDTH, WIDTH * sizeof *t->row);
            t->basis[used] = t->basis[4 + i];
            *value_of(t, used++) = g->contact[i].max_force / g->load;
        }
    }
    t->nrow = used;
}

// Forces that carry the load with the centre of mass anywhere. False where there are none.
static lw_status find_any(table *t, bool *is_found)
{
    const lw_status status = maximize(t, NULL, -1.0);
    double rest = 0.0;
    for (int i = 0; i < t->nrow; ++i) {
        rest += t->basis[i] >= t->ncolumn ? fabs(*value_of(t, i)) : 0.0;
    }
    *is_found = rest < 1e-9;
    for (int i = 0; i < t->nrow && *is_found; ++i) {
        for (int j = 0; j < t->ncolumn && t->basis[i] >= t->ncolumn; ++j) {
            if (fabs(t->row[i * WIDTH + j]) > 1e-9) {
                pivot(t, i, j);
            }
        }
    }
    return status;
}

// The farthest centre of mass in a direction.
static lw_status find_extreme(table *t, const double direction[2], double p[2])
{
    for (int j = 0; j < t->ncolumn; ++j) {
        t->price[j] = direction[0] * t->at[2 * j] + direction[1] * t->at[2 * j + 1];
    }
    const lw_status status = maximize(t, t->price, 0.0);
    p[0] = p[1] = 0.0;
    for (int i = 0; i < t->nrow; ++i) {
        if (t->basis[i] < t->ncolumn) {
            p[0] += t->at[2 * t->basis[i]] * *value_of(t, i);
            p[1] += t->at[2 * t->basis[i] + 1] * *value_of(t, i);
        }
    }
    return status;
}

// --- The region -------------------------------------------------------------------------------

static void insert(lw_support_area *area, int at, const double p[2])
{
    memmove(area->corner[at + 1], area->corner[at],
            (size_t)(area->ncorner - at) * sizeof area->corner[0]);
    memcpy(area->corner[at], p, sizeof area->corner[0]);
    ++area->ncorner;
}

// Moves outward what edges there are. All corners are extreme points, in order.
static lw_status grow(table *t, double size, lw_support_area *area)
{
    for (int i = 0; i < area->ncorner && area->ncorner < LW_MAX_AREA_CORNERS;) {
        const double *a = area->corner[i], *b = area->corner[(i + 1) % area->ncorner];
        const double length = hypot(b[0] - a[0], b[1] - a[1]);
        const double out[2] = {(b[1] - a[1]) / length, (a[0] - b[0]) / length};
        double p[2];
        const lw_status status = length > 1e-9 * size ? find_extreme(t, out, p) : LW_OK;
        if (status != LW_OK) {
            return status;
        }
        if (length > 1e-9 * size && out[0] * (p[0] - a[0]) + out[1] * (p[1] - a[1]) > 1e-9 * size) {
            insert(area, i + 1, p);
        } else {
            ++i;
        }
    }
    return LW_OK;
}

// Where an edge is the farthest, the program may end anywhere on it: such points are left out.
static void drop_flat_corners(double size, lw_support_area *area)
{
    for (int i = 0; i < area->ncorner && area->ncorner > 2;) {
        const double *p = area->corner[i], *b = area->corner[(i + 1) % area->ncorner];
        const double *a = area->corner[(i + area->ncorner - 1) % area->ncorner];
        const double x = b[0] - a[0], y = b[1] - a[1], length = hypot(x, y);
        if (fabs(x * (p[1] - a[1]) - y * (p[0] - a[0])) > 1e-9 * size * length) {
            ++i;
            continue;
        }
        --area->ncorner;
        memmove(area->corner[i], area->corner[i + 1],
                (size_t)(area->ncorner - i) * sizeof area->corner[0]);
    }
}

static void find_margin(lw_support_area *area)
{
    bool is_inside = area->ncorner > 2;
    double nearest = HUGE_VAL;
    for (int i = 0; i < area->ncorner; ++i) {
        const double *a = area->corner[i], *b = area->corner[(i + 1) % area->ncorner];
        const double distance = lwi_edge_distance(a, b);
        is_inside = is_inside && a[0] * b[1] - a[1] * b[0] >= 0.0;
        if (distance < nearest) {
            nearest = distance;
            area->tip = i;
        }
    }
    area->margin = is_inside || nearest == 0.0 ? nearest : -nearest;
}

static lw_status find_area(table *t, double size, lw_support_area *area)
{
    static const double first[3][2] = {{1.0, 0.0}, {-0.5, 0.8660254}, {-0.5, -0.8660254}};
    for (int k = 0; k < 3; ++k) {
        double p[2];
        const lw_status status = find_extreme(t, first[k], p);
        if (status != LW_OK) {
            return status;
        }
        const double *last = area->corner[area->ncorner > 0 ? area->ncorner - 1 : 0];
        const double *begin = area->corner[0];
        const bool is_new =
            area->ncorner == 0 || (hypot(p[0] - last[0], p[1] - last[1]) > 1e-9 * size &&
                                   hypot(p[0] - begin[0], p[1] - begin[1]) > 1e-9 * size);
        if (is_new) {
            insert(area, area->ncorner, p);
        }
    }
    const lw_status status = grow(t, size, area);
    drop_flat_corners(size, area);
    find_margin(area);
    return status;
}

lw_status lw_find_support_area(int n, const lw_foot_contact *contact, lw_vec3 center, double mass,
                               lw_vec3 gravity, const lw_contact_options *options,
                               lw_contact_work *work, lw_support_area *area)
{
    static const lw_contact_options usual = {0};
    const lw_contact_options *o = options ? options : &usual;
    const int facets = o->is_exact ? LW_MAX_FACETS : o->facets ? o->facets : 4;
    const lw_force load = {.lin = lw_scale3(mass, gravity)};
    if (!work || !area || facets < 4 || facets > LW_MAX_FACETS) {
        return LW_ERR_ARGUMENT;
    }
    lw_status status = lwi_check_contacts(n, contact, &load);
    const double weight = lw_norm3(load.lin);
    if (status != LW_OK || !isfinite(lw_norm3(center))) {
        return status != LW_OK ? status : LW_ERR_NUMBER;
    }
    if (!(weight > 0.0) || !(mass > 0.0)) {
        return LW_ERR_SINGULAR;
    }
    const ground g = {n, contact, center, lw_rotation_to_z(lw_scale3(-mass / weight, gravity)),
                      weight};
    double size = 0.0;
    for (int i = 0; i < n; ++i) {
        size = fmax(size, lw_norm3(lw_sub3(contact[i].point, center)));
    }
    double *number = work->number;
    table t = {.row = number,
               .basis = work->index,
               .at = number + MOST_ROWS * WIDTH,
               .price = number + MOST_ROWS * WIDTH + 2 * MOST_COLUMNS};
    bool is_found;
    *area = (lw_support_area){.margin = -HUGE_VAL};
    for (int k = 0; k < 2; ++k) {
        const lw_vec3 unit = lw_vec3_of(k == 0, k == 1, 0.0);
        area->across[k] = lw_rotate(&g.R, unit);
    }
    set_up(&t, &g, facets, o->is_exact);
    status = find_any(&t, &is_found);
    return status == LW_OK && is_found ? find_area(&t, size, area) : status;
}
