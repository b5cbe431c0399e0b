// Where a step has its degrees of freedom: columns in its matrix, positions, units.
#include "close.h"

#include <stdlib.h>

// Columns of the loops in the matrix of their step, and positions of its degrees of freedom.
// column_of [tree_nv] is scratch.
static lw_status index_columns(lwi_build *b, lwi_step *step, int *column_of)
{
    int *target_q = lwi_arena_take(b->arena, (size_t)step->ntarget, sizeof *target_q);
    int *source_q = lwi_arena_take(b->arena, (size_t)step->nsource, sizeof *source_q);
    int *target_body = lwi_arena_take(b->arena, (size_t)step->ntarget, sizeof *target_body);
    double *target_unit = lwi_arena_take(b->arena, (size_t)step->ntarget, sizeof *target_unit);
    double *source_unit = lwi_arena_take(b->arena, (size_t)step->nsource, sizeof *source_unit);
    if (!target_q || !source_q || !target_body || !target_unit || !source_unit) {
        return lwi_build_no_memory(b);
    }
    for (int t = 0; t < step->ntarget; ++t) {
        target_unit[t] = step->nloop > 0 ? b->unit[step->target[t]] : 1.0;
        target_body[t] = lwi_body_of_v(b, step->target[t]);
        target_q[t] = lwi_q_of_v(b, step->target[t]);
        column_of[step->target[t]] = t;
    }
    for (int s = 0; s < step->nsource; ++s) {
        source_unit[s] = step->nloop > 0 ? b->unit[step->source[s]] : 1.0;
        source_q[s] = lwi_q_of_v(b, step->source[s]);
        column_of[step->source[s]] = step->ntarget + s;
    }
    step->target_q = target_q;
    step->source_q = source_q;
    step->target_body = target_body;
    step->target_unit = target_unit;
    step->source_unit = source_unit;
    for (int k = 0; k < step->nloop; ++k) {
        lwi_built_loop *built = &b->loop[step->loop[k]];
        int *column = lwi_arena_take(b->arena, (size_t)built->ndof, sizeof *column);
        if (!column) {
            return lwi_build_no_memory(b);
        }
        for (int i = 0; i < built->ndof; ++i) {
            column[i] = column_of[built->dof[i]];
        }
        built->loop.column = column;
    }
    return LW_OK;
}

static int by_number(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// The positions of the joints of a step's loops, and of its sources, each once.
static lw_status set_spans(lwi_build *b, lwi_step *step)
{
    size_t most = (size_t)step->nsource, n = 0;
    for (int k = 0; k < step->nloop; ++k) {
        const lwi_loop *loop = &b->loop[step->loop[k]].loop;
        most += LWI_MOST_POSITIONS * (size_t)(loop->npath[0] + loop->npath[1]);
    }
    int *position = lwi_arena_take(b->arena, most, sizeof *position);
    int *span = lwi_arena_take(b->arena, 2 * most, sizeof *span);
    if (!position || !span) {
        return lwi_build_no_memory(b);
    }
    for (int k = 0; k < step->nsource; ++k) {
        position[n] = step->source_q[k];
        n += step->source_q[k] >= 0;
    }
    for (int k = 0; k < step->nloop; ++k) {
        const lwi_loop *loop = &b->loop[step->loop[k]].loop;
        for (int i = 0; i < loop->npath[0] + loop->npath[1]; ++i) {
            const lwi_segment *body = lwi_body_on_path(&b->draft, loop, i);
            for (int j = 0; j < lwi_position_count(body); ++j) {
                position[n++] = body->q + j;
            }
        }
    }
    qsort(position, n, sizeof *position, by_number);
    for (size_t k = 0; k < n; ++k) {
        int *last = step->nspan > 0 ? &span[2 * step->nspan - 2] : NULL;
        if (last && position[k] <= last[0] + last[1]) {
            last[1] = position[k] - last[0] + 1;
        } else {
            span[2 * step->nspan] = position[k];
            span[2 * step->nspan + 1] = 1;
            ++step->nspan;
        }
    }
    step->span = span;
    return LW_OK;
}

// The rows of a step's gears in its columns, with the constant that fits the reference.
static lw_status index_gears(lwi_build *b, lwi_built_step *built, const int *column_of)
{
    lwi_step *step = &built->step;
    const int ncolumn = step->ntarget + step->nsource + 1;
    double *row = lwi_arena_take(b->arena, (size_t)(built->ngear * ncolumn), sizeof *row);
    double *unit = lwi_arena_take(b->arena, (size_t)built->ngear, sizeof *unit);
    if (!row || !unit) {
        return lwi_build_no_memory(b);
    }
    for (int g = 0; g < built->ngear; ++g) {
        const lwi_built_gear *gear = &b->gear[built->gear[g]];
        unit[g] = lwi_gear_unit(b, gear);
        for (int k = 0; k < gear->ndof; ++k) {
            row[g * ncolumn + column_of[gear->dof[k]]] += gear->share[k];
            row[g * ncolumn + ncolumn - 1] -=
                gear->share[k] * b->tree_q_reference[lwi_q_of_v(b, gear->dof[k])];
        }
    }
    step->gear_row = row;
    step->gear_unit = unit;
    step->ngear = built->ngear;
    return LW_OK;
}

lw_status lwi_index_step(lwi_build *b, lwi_built_step *built, int *column_of)
{
    lw_status status = index_columns(b, &built->step, column_of);
    if (status == LW_OK && built->step.nloop > 0) {
        status = set_spans(b, &built->step);
    }
    if (status == LW_OK && built->ngear) {
        status = index_gears(b, built, column_of);
    }
    return status;
}
