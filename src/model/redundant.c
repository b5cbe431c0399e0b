// Loops that nothing solves for must stay closed by themselves, not only in the reference
// configuration.
//
// Which loops are redundant is found from rates in the reference configuration. A rod that stands
// at its dead centre there feels no rate either: it looks redundant, and the machine would move as
// if it were cut. So the independent freedoms are moved some way, and the gap of such a loop is
// compared with the way that its ends went. A dead centre opens by the square of that way; loops
// that are redundant by their geometry open by rounding, or by the few digits that somebody wrote
// down.
#include "close.h"

#include "../base/report.h"
#include "loop_parts.h"

#include <string.h>

// Four digits of a length leave less than this share of the way.
static const double open_share = 1e-4;

typedef struct probe {
    lwi_step moving; ///< its targets are all independent freedoms
    double *change;  ///< [moving.ntarget]
    double *q;       ///< [tree_nq]
} probe;

static lw_status make_probe(lwi_build *b, probe *p)
{
    const size_t n = (size_t)b->tree_nv;
    int *target = lwi_arena_take(b->arena, n, sizeof *target);
    int *target_q = lwi_arena_take(b->arena, n, sizeof *target_q);
    int *target_body = lwi_arena_take(b->arena, n, sizeof *target_body);
    p->change = lwi_arena_take(b->arena, n, sizeof *p->change);
    p->q = lwi_arena_take(b->arena, (size_t)b->tree_nq, sizeof *p->q);
    if (!target || !target_q || !target_body || !p->change || !p->q) {
        return lwi_build_no_memory(b);
    }
    unsigned long long state = 1;
    for (int v = 0; v < b->tree_nv; ++v) {
        if (!b->is_target[v]) {
            const int t = p->moving.ntarget++;
            target[t] = v;
            target_q[t] = lwi_q_of_v(b, v);
            target_body[t] = lwi_body_of_v(b, v);
            state = state * 6364136223846793005u + 1442695040888963407u;
            const double share = (double)(state >> 33) / 2147483648.0; // in [0, 1)
            p->change[t] = (state >> 40) & 1 ? 0.5 + 0.5 * share : -0.5 - 0.5 * share;
            p->change[t] *= b->unit[v];
        }
    }
    p->moving.target = target;
    p->moving.target_q = target_q;
    p->moving.target_body = target_body;
    return LW_OK;
}

static bool sweep(lwi_build *b, const lwi_program *program, const lwi_loop_work *work,
                  const probe *p, double reach)
{
    memcpy(p->q, b->tree_q_reference, (size_t)b->tree_nq * sizeof *p->q);
    lwi_move_targets(&b->draft, &p->moving, p->change, 1, reach, b->tree_q_reference, p->q);
    for (int k = 0; k < b->nstep; ++k) {
        lwi_closure_fault fault = {-1, -1, 0.0};
        if (lwi_step_position(&b->draft, program, &b->step[k].step, work, p->q, &fault) != LW_OK) {
            return false;
        }
    }
    return true;
}

// The second end frame of a loop, seen from the first.
static lw_pose between_ends(const lwi_build *b, const lwi_loop *loop, const double *q)
{
    lw_pose X[2];
    for (int side = 0; side < 2; ++side) {
        X[side] = lwi_branch_pose(&b->draft, loop, side, 0, loop->npath[side], q);
        X[side] = lw_pose_mul(&X[side], &loop->X[side]);
    }
    const lw_pose back = lw_pose_inverse(&X[0]);
    return lw_pose_mul(&back, &X[1]);
}

static bool opens(const lwi_build *b, const lwi_loop *loop, const double *q, double *gap)
{
    double row[LWI_MOST_ROWS];
    const lw_pose X_ref = between_ends(b, loop, b->tree_q_reference), X = between_ends(b, loop, q);
    const lw_pose back = lw_pose_inverse(&X_ref), moved = lw_pose_mul(&back, &X);
    const lw_vec3 turn = lw_log3(&moved.R);
    const double way = lw_norm3(moved.p) / loop->size + (loop->is_rod ? 0.0 : lw_norm3(turn));
    *gap = lwi_loop_residual(&b->draft, loop, q, row);
    const double misfit = lwi_loop_misfit(loop, row);
    return misfit > 1e-8 && misfit > open_share * way;
}

lw_status lwi_check_redundant(lwi_build *b, const lwi_program *program, const lwi_loop_work *work)
{
    bool is_any = false;
    for (int k = 0; k < b->nloop; ++k) {
        is_any |= b->loop[k].step < 0;
    }
    probe p = {0};
    if (!is_any) {
        return LW_OK;
    }
    const lw_status status = make_probe(b, &p);
    double reach =
        0.2; // rad, or a share of the loop's size; less where the machine cannot go as far
    while (status == LW_OK && reach > 1e-7 && !sweep(b, program, work, &p, reach)) {
        reach *= 0.25;
    }
    for (int k = 0; k < b->nloop && status == LW_OK && reach > 1e-7; ++k) {
        double gap;
        if (b->loop[k].step < 0 && opens(b, &b->loop[k].loop, p.q, &gap)) {
            const lwi_flat *flat = &b->flat[b->loop[k].flat];
            lwi_report_error(b->report, flat->place, LW_ERR_LOOP_OPEN,
                             "loop \"%s\" holds no freedom in the reference configuration, but "
                             "opens by %.4g m where the machine moves: it is at a dead centre "
                             "there, so give another reference",
                             flat->name, gap);
        }
    }
    return status;
}
