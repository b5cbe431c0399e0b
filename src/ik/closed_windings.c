// Windings of chains with gears: a whole turn of a joint changes nothing about the pose, but moves
// the shafts before it by their ratios.
#include "closed_chain.h"

#include "../math/pi.h"

#include <math.h>
#include <string.h>

enum { TURNS = 3 }; ///< of each joint: one back, none, one on

// What a whole turn of joint i does to q: by the plan, which is linear, from zero and from there.
static void find_turn(lw_ik *ik, int i)
{
    const lw_model *m = ik->model;
    lwi_closed_chain *closed = ik->closed;
    double *turn = closed->turn + (size_t)i * (size_t)m->nq;
    for (int pass = 0; pass < 2; ++pass) {
        memset(closed->tree, 0, (size_t)m->tree_nq * sizeof *closed->tree);
        closed->tree[m->q_start[ik->chain.body[i]]] = pass ? LWI_TWO_PI : 0.0;
        lwi_inverse_begin(closed->inverse);
        lwi_inverse_next(closed->inverse, ik->data, closed->tree);
        for (int k = 0; k < m->nq; ++k) {
            turn[k] = closed->tree[m->q_tree[k]] - (pass ? turn[k] : 0.0);
        }
    }
}

void lwi_find_turns(lw_ik *ik)
{
    lwi_closed_chain *closed = ik->closed;
    closed->has_turns = closed->has_rows && closed->inverse->is_complete;
    for (int i = 0; i < closed->inverse->noperation; ++i) {
        closed->has_turns &= closed->inverse->operation[i].kind == LWI_SOLVE_ROWS;
    }
    for (int i = 0; i < ik->chain.arm.n && closed->has_turns; ++i) {
        if (!ik->chain.arm.slides[i]) {
            find_turn(ik, i);
        }
    }
}

long lwi_geared_windings(const lw_ik *ik)
{
    long count = 1;
    for (int i = 0; i < ik->chain.arm.n && ik->closed->has_turns; ++i) {
        count *= ik->chain.arm.slides[i] ? 1 : TURNS;
    }
    return count;
}

bool lwi_geared_winding(const lw_ik *ik, const lw_ik_solution *s, long winding, double *q)
{
    const lw_model *m = ik->model;
    const double slack = 1e-9;
    const double *joint = ik->closed->joint + (s - ik->solution) * LW_IK_JOINTS;
    bool is_inside = true;
    memcpy(q, s->q, sizeof(double) * (size_t)m->nq);
    for (int i = 0; i < ik->chain.arm.n && ik->closed->has_turns; ++i) {
        if (ik->chain.arm.slides[i]) {
            continue;
        }
        const double turns = (double)(winding % TURNS - TURNS / 2);
        const double x = joint[i] + turns * LWI_TWO_PI;
        winding /= TURNS;
        is_inside &= x >= ik->lower[i] - slack && x <= ik->upper[i] + slack;
        for (int k = 0; k < m->nq; ++k) {
            q[k] += turns * ik->closed->turn[(size_t)i * (size_t)m->nq + (size_t)k];
        }
    }
    for (int i = 0; i < ik->ncoordinate; ++i) {
        const lwi_ik_coordinate *at = &ik->coordinate[i];
        is_inside &= q[at->q] >= at->lower - slack && q[at->q] <= at->upper + slack;
    }
    return is_inside;
}
