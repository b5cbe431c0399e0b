// Loops of code, from expressions to tapes.
#include "derivation.h"

#include "../model/kernel.h"
#include "../model/program.h"

#include <math.h>
#include <stdlib.h>

// How far a position may go in a piece: angles, and slides by the size of the smallest loop, as in
// src/loop/newton_block.c.
static double reach_of(const lwi_symbolic *k, const lwi_tape_loops *loops, int i)
{
    static const double reach = 0.4;
    const lw_model *m = k->m;
    const lwi_program *program = m->kernel->program;
    double size = 1.0;
    bool is_read = false;
    int body = 0;
    while (m->q_start[body + 1] <= m->q_tree[i]) {
        ++body;
    }
    for (int n = 0; n < loops->nloop; ++n) {
        const lwi_step *step = &program->step[k->loop[n].step];
        const lwi_tape *rows = loops->loop[n].rows;
        for (int j = 0; j < step->nloop; ++j) {
            size = fmin(size, program->loop[step->loop[j]].size);
        }
        for (int j = 0; j < rows->ninput; ++j) {
            is_read =
                is_read || (rows->input[j].kind != LWI_SOLVED &&
                            rows->input[j].kind != LWI_PARAMETER && rows->input[j].index == i);
        }
    }
    return !is_read                                ? (double)INFINITY
           : m->carrier[body] == LW_TREE_PRISMATIC ? reach * size
                                                   : reach;
}

static lw_status make_tapes(const lwi_symbolic *k, const lwi_sym_loop *from,
                            const lwi_select_options *select, lwi_tape_loop *loop)
{
    const int nrow = from->nrow, nJ = nrow * from->ndof;
    lwi_output *output = malloc(((size_t)(nrow + nJ + from->nx)) * sizeof *output);
    if (!output) {
        return LW_ERR_MEMORY;
    }
    for (int i = 0; i < nrow + nJ; ++i) {
        output[i] = i < nrow ? (lwi_output){"r", i, from->row[i]}
                             : (lwi_output){"J", i - nrow, from->J[i - nrow]};
    }
    lw_status status = lwi_select(k->g, nrow + nJ, output, select, &loop->rows);
    for (int i = 0; i < from->nx; ++i) {
        output[i] = (lwi_output){"y", i, from->moved[i]};
    }
    if (status == LW_OK) {
        status = lwi_select(k->g, from->nx, output, select, &loop->move);
    }
    free(output);
    return status;
}

lw_status lwi_make_loop_tapes(const lwi_symbolic *k, const lwi_select_options *select,
                              lwi_tape_loops **out)
{
    const lw_model *m = k->m;
    const size_t nq = (size_t)m->nq, size = sizeof **out + (size_t)k->nloop * sizeof *(*out)->loop;
    size_t nx = 0;
    *out = NULL;
    for (int i = 0; i < k->nloop; ++i) {
        nx += (size_t)k->loop[i].nx;
    }
    if (k->nloop == 0) {
        return LW_OK;
    }
    lwi_tape_loops *loops = calloc(1, size + (2 * nq + nx) * sizeof(double));
    if (!loops) {
        return LW_ERR_MEMORY;
    }
    loops->loop = (lwi_tape_loop *)(loops + 1);
    double *q = (double *)(loops->loop + k->nloop), *reach = q + nq, *start = reach + nq;
    *loops = (lwi_tape_loops){.nq = m->nq,
                              .nstate = k->nstate,
                              .nloop = k->nloop,
                              .q = q,
                              .reach = reach,
                              .loop = loops->loop};
    lw_status status = LW_OK;
    for (int i = 0; i < k->nloop && status == LW_OK; ++i) {
        const lwi_sym_loop *l = &k->loop[i];
        loops->loop[i] = (lwi_tape_loop){.name = m->step[l->step].name,
                                         .nx = l->nx,
                                         .ndof = l->ndof,
                                         .nrow = l->nrow,
                                         .first = l->first,
                                         .start = start,
                                         .unit = l->unit,
                                         .size = l->size};
        for (int j = 0; j < l->nx; ++j) {
            *start++ = l->start[j];
        }
        status = make_tapes(k, l, select, &loops->loop[i]);
    }
    for (int i = 0; i < m->nq && status == LW_OK; ++i) {
        q[i] = m->q_reference[i];
        reach[i] = reach_of(k, loops, i);
    }
    if (status != LW_OK) {
        lwi_tape_loops_destroy(loops);
        return status;
    }
    *out = loops;
    return LW_OK;
}
