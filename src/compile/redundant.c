// Loops that nothing solves for must stay closed by themselves, not only in the reference
// configuration.
//
// Which loops are redundant is found from rates in the reference configuration. A rod that stands
// at its singular configuration there feels no rate either: it looks redundant, and the mechanism
// would move as if it were cut. So the independent degrees of freedom are moved some way, and the
// gap of such a loop is compared with the way that its ends went. A singular configuration opens by
// the square of that way; loops that are redundant by their geometry open by rounding, or by the
// few digits that somebody wrote down.
#include "close.h"

#include "../base/report.h"
#include "../loop/closed_form_loops.h"

// Four digits of a length leave less than this share of the way.
static const double open_share = 1e-4;

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
    const double misfit = lwi_loop_relative_residual(loop, row);
    return misfit > 1e-8 && misfit > open_share * way;
}

lw_status lwi_check_redundant(lwi_build *b, const lwi_program *program, const lwi_loop_work *work)
{
    bool is_any = false;
    for (int k = 0; k < b->nloop; ++k) {
        is_any |= b->loop[k].step < 0;
    }
    lwi_probe p;
    if (!is_any) {
        return LW_OK;
    }
    const lw_status status = lwi_make_probe(b, 1, &p);
    double reach =
        0.2; // rad, or a share of the loop's size; less where the mechanism cannot go as far
    while (status == LW_OK && reach > 1e-7 &&
           lwi_probe_at(b, program, work, &p, reach) < b->nstep) {
        reach *= 0.25;
    }
    for (int k = 0; k < b->nloop && status == LW_OK && reach > 1e-7; ++k) {
        double gap;
        if (b->loop[k].step < 0 && opens(b, &b->loop[k].loop, p.q, &gap)) {
            const lwi_flat *flat = &b->flat[b->loop[k].flat];
            lwi_report_error(
                b->report, flat->location, LW_ERR_LOOP_OPEN,
                "loop \"%s\" holds no degree of freedom in the reference configuration, but "
                "opens by %.4g m where the mechanism moves: it is at a singular configuration "
                "there, so give another reference",
                flat->name, gap);
        }
    }
    return status;
}
