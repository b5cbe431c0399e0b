// Which points of a plane can be reached: by damped least squares within the limits, from
// configurations that lead close; and cell by cell, from each that is reached to its neighbours.

#include "boundary_curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool lwi_section_descend(lwi_section *s, const double p[2], double *x)
{
    enum { N = LWI_BOUNDARY_JOINTS, ROWS = LWI_BOUNDARY_ROWS, STEPS = 60 };
    const double wanted[ROWS] = {p[0], p[1]};
    double at[ROWS], J[ROWS * N], b[LWI_CURVE_UNKNOWNS], damping = 1e-6, last = 1e300;
    int idle = 0;
    lwi_curve_matrix A;
    for (int it = 0; it < STEPS; ++it) {
        if (!lwi_section_place(s, x, at, J)) {
            return false;
        }
        double error = 0.0, r[ROWS];
        for (int k = 0; k < s->rows; ++k) {
            r[k] = wanted[k] - at[k];
            error += r[k] * r[k];
        }
        if (error < 1e-20 * s->size * s->size) {
            return true;
        }
        // At the nearest point the distance no longer changes.
        idle = fabs(last - error) < 1e-9 * error ? idle + 1 : 0;
        if (idle == 3) {
            return false;
        }
        damping = error < last ? 0.3 * damping : 10.0 * damping;
        last = error;
        // (J D J' + damping) z = r, step D J' z, where D leaves out joints that a limit holds.
        bool is_held[N] = {false};
        for (int pass = 0; pass < 2; ++pass) {
            double dx[N];
            memset(A, 0, sizeof A);
            for (int k = 0; k < s->rows; ++k) {
                for (int l = 0; l < s->rows; ++l) {
                    for (int i = 0; i < s->njoint; ++i) {
                        A[k][l] += is_held[i] ? 0.0 : J[k * N + i] * J[l * N + i];
                    }
                }
                A[k][k] += (1e-12 + damping) * s->size * s->size;
                b[k] = r[k];
            }
            if (!lwi_solve_square(s->rows, A, b)) {
                return false;
            }
            bool is_changed = false;
            for (int i = 0; i < s->njoint; ++i) {
                dx[i] = 0.0;
                for (int k = 0; k < s->rows && !is_held[i]; ++k) {
                    dx[i] += J[k * N + i] * b[k];
                }
                const bool hits = !s->is_full[i] && ((x[i] <= s->low[i] && dx[i] < 0.0) ||
                                                     (x[i] >= s->high[i] && dx[i] > 0.0));
                is_changed = is_changed || (hits && !is_held[i]);
                is_held[i] = is_held[i] || hits;
            }
            if (is_changed && pass == 0) {
                continue;
            }
            for (int i = 0; i < s->njoint; ++i) {
                x[i] = lwi_section_clip(s, i, x[i] + fmin(fmax(dx[i], -0.5), 0.5));
            }
            break;
        }
    }
    return false;
}

const double *lwi_section_near(const lwi_section *s, const double p[2], double *beyond)
{
    const double *found = NULL;
    double least = 1e300;
    for (int i = 0; i < s->pool.count; ++i) {
        const double *at = lwi_trace_point(&s->pool, i);
        const double u = at[0] - p[0], v = at[1] - p[1], gap = u * u + v * v;
        if (gap > *beyond && gap < least) {
            least = gap;
            found = at;
        }
    }
    *beyond = least;
    return found ? found + 2 : NULL;
}

bool lwi_section_reaches(lwi_section *s, const double p[2], const double *near)
{
    enum { ABOUT = 8, POOL = 24, TRIES = 60 };
    double x[LWI_BOUNDARY_JOINTS], beyond = -1.0;
    for (int n = 0; n < TRIES; ++n) {
        // First about the configuration at hand, then from others that lead close, then from any.
        const double *from = n < ABOUT          ? near
                             : n < ABOUT + POOL ? lwi_section_near(s, p, &beyond)
                                                : NULL;
        const double spread = n > 0 && n < ABOUT ? 0.3 : 0.0;
        lwi_section_draw(s, x);
        for (int i = 0; i < s->njoint && from; ++i) {
            x[i] = lwi_section_clip(s, i, from[i] + spread * (lwi_section_share(s) - 0.5));
        }
        if (lwi_section_descend(s, p, x)) {
            return true;
        }
    }
    return false;
}

// --- Cells ------------------------------------------------------------------------------------

void lwi_cell_center(const lwi_cells *cells, int cell, double p[2])
{
    p[0] = cells->low[0] + (cell % cells->n[0] + 0.5) * cells->edge;
    p[1] = cells->low[1] + (cell / cells->n[0] + 0.5) * cells->edge;
}

bool lwi_cells_surround(const lwi_cells *cells, const double p[2])
{
    const int u = (int)floor((p[0] - cells->low[0]) / cells->edge);
    const int v = (int)floor((p[1] - cells->low[1]) / cells->edge);
    for (int i = u - 2; i <= u + 2; ++i) {
        for (int k = v - 2; k <= v + 2; ++k) {
            if (i < 0 || k < 0 || i >= cells->n[0] || k >= cells->n[1] ||
                !cells->is_reached[k * cells->n[0] + i]) {
                return false;
            }
        }
    }
    return true;
}

/// Room about what the pool reaches: random configurations miss the rim by a part of the size.
static lw_status place_cells(lwi_cells *cells, const lwi_section *s)
{
    double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
    for (int i = 0; i < s->pool.count; ++i) {
        for (int k = 0; k < 2; ++k) {
            low[k] = fmin(low[k], lwi_trace_point(&s->pool, i)[k]);
            high[k] = fmax(high[k], lwi_trace_point(&s->pool, i)[k]);
        }
    }
    const double extent = fmax(high[0] - low[0], high[1] - low[1]);
    if (s->pool.count == 0 || !(extent > 0.0)) {
        return LW_OK;
    }
    cells->edge = extent / s->def->cells;
    for (int k = 0; k < 2; ++k) {
        cells->low[k] = low[k] - 0.25 * extent;
        cells->n[k] = (int)ceil((high[k] - low[k] + 0.5 * extent) / cells->edge);
    }
    const size_t count = (size_t)cells->n[0] * (size_t)cells->n[1];
    cells->is_reached = calloc(count, 1);
    cells->x = calloc(count * LWI_BOUNDARY_JOINTS, sizeof *cells->x);
    return cells->is_reached && cells->x ? LW_OK : LW_ERR_MEMORY;
}

static lw_status add_stuck(lwi_cells *cells, int cell, const double *x)
{
    if (cells->nstuck == cells->stuck_space) {
        const int space = 2 * cells->stuck_space + 256;
        struct lwi_stuck *larger = realloc(cells->stuck, (size_t)space * sizeof *larger);
        if (!larger) {
            return LW_ERR_MEMORY;
        }
        cells->stuck = larger;
        cells->stuck_space = space;
    }
    struct lwi_stuck *stuck = &cells->stuck[cells->nstuck++];
    stuck->cell = cell;
    memcpy(stuck->x, x, sizeof stuck->x);
    return LW_OK;
}

/// Goes to the centre of a cell from a configuration, and marks the cell where that succeeds.
static lw_status go_to(lwi_cells *cells, lwi_section *s, int cell, const double *from, int *queue,
                       int *nqueue)
{
    double p[2], x[LWI_BOUNDARY_JOINTS];
    lwi_cell_center(cells, cell, p);
    memcpy(x, from, sizeof x);
    if (!lwi_section_descend(s, p, x)) {
        return add_stuck(cells, cell, x);
    }
    cells->is_reached[cell] = 1;
    memcpy(cells->x + (ptrdiff_t)cell * LWI_BOUNDARY_JOINTS, x, sizeof x);
    queue[(*nqueue)++] = cell;
    return LW_OK;
}

/// From every cell of the queue to its neighbours.
static lw_status spread(lwi_cells *cells, lwi_section *s, int *queue, int *first, int *nqueue)
{
    lw_status status = LW_OK;
    for (; *first < *nqueue && status == LW_OK; ++*first) {
        const int cell = queue[*first], nu = cells->n[0];
        const int next[4] = {cell % nu > 0 ? cell - 1 : -1, cell % nu < nu - 1 ? cell + 1 : -1,
                             cell - nu, cell + nu < nu * cells->n[1] ? cell + nu : -1};
        for (int k = 0; k < 4 && status == LW_OK; ++k) {
            if (next[k] >= 0 && !cells->is_reached[next[k]]) {
                status = go_to(cells, s, next[k], cells->x + (ptrdiff_t)cell * LWI_BOUNDARY_JOINTS,
                               queue, nqueue);
            }
        }
    }
    return status;
}

lw_status lwi_cells_open(lwi_cells *cells, lwi_section *s)
{
    enum { STARTS = 6 };
    *cells = (lwi_cells){0};
    lw_status status = place_cells(cells, s);
    const int count = cells->n[0] * cells->n[1];
    int *queue = calloc((size_t)count + 1, sizeof *queue), first = 0, nqueue = 0;
    status = queue ? status : LW_ERR_MEMORY;
    for (int i = 0; i < s->pool.count && count > 0 && status == LW_OK; ++i) {
        const double *at = lwi_trace_point(&s->pool, i);
        const int u = (int)((at[0] - cells->low[0]) / cells->edge);
        const int v = (int)((at[1] - cells->low[1]) / cells->edge), cell = v * cells->n[0] + u;
        if (!cells->is_reached[cell]) {
            status = go_to(cells, s, cell, at + 2, queue, &nqueue);
        }
    }
    status = status == LW_OK ? spread(cells, s, queue, &first, &nqueue) : status;
    // Next to what is reached, other configurations may lead further.
    const int nstuck = cells->nstuck;
    for (int i = 0; i < nstuck && status == LW_OK; ++i) {
        const int cell = cells->stuck[i].cell;
        double p[2], beyond = -1.0;
        bool is_first = !cells->is_reached[cell];
        for (int k = 0; k < i && is_first; ++k) {
            is_first = cells->stuck[k].cell != cell;
        }
        lwi_cell_center(cells, cell, p);
        for (int n = 0; n < STARTS && is_first && !cells->is_reached[cell]; ++n) {
            const double *near = lwi_section_near(s, p, &beyond);
            status = near ? go_to(cells, s, cell, near, queue, &nqueue) : status;
        }
    }
    status = status == LW_OK ? spread(cells, s, queue, &first, &nqueue) : status;
    for (int i = 0; i < nqueue && status == LW_OK; ++i) {
        double *at = lwi_trace_add(&s->pool);
        if (!at) {
            status = LW_ERR_MEMORY;
            break;
        }
        lwi_cell_center(cells, queue[i], at);
        memcpy(at + 2, cells->x + (ptrdiff_t)queue[i] * LWI_BOUNDARY_JOINTS,
               LWI_BOUNDARY_JOINTS * sizeof *at);
    }
    free(queue);
    return status;
}

void lwi_cells_close(lwi_cells *cells)
{
    free(cells->is_reached);
    free(cells->x);
    free(cells->stuck);
}
