// Pairs that need no check: those that overlap in every state, and those that never touch.
#include "solids.h"

#include <linkwork/kinematics.h>

#include "../math/pi.h"
#include "../model/data.h"

#include <math.h>
#include <string.h>

enum { MOST_PATH = 8, MOST_DEPTH = 40, MOST_BOXES = 4096 };

// --- Samples ----------------------------------------------------------------------------------

// The range of a coordinate of one joint; false where nothing bounds it.
static bool range_of(const lw_model *m, int v, double *low, double *high)
{
    *low = m->dof[v].lower;
    *high = m->dof[v].upper;
    if (isfinite(*low) && isfinite(*high)) {
        return true;
    }
    for (int i = 0; i < m->nbody; ++i) {
        if (m->v_start[i] == v && m->carrier[i] == LW_TREE_REVOLUTE) {
            *low = -LWI_PI;
            *high = LWI_PI;
            return true;
        }
    }
    return false;
}

static double next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

// Positions within the limits; what has none stays at the reference.
static void random_positions(const lw_model *m, uint64_t *random, double *q)
{
    memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
    for (int k = 0; k < m->nv; ++k) {
        double low, high;
        const int at = lw_position_of_dof(m, k);
        if (at >= 0 && range_of(m, m->v_tree[k], &low, &high)) {
            q[at] = low + (high - low) * next_random(random);
        }
    }
}

// Counts the overlaps of each pair in the state at hand.
static void count_hits(lw_collide *c, const lw_pose *X_WB, double *hits)
{
    int solid[2];
    const int n = c->kernels->near_balls(c->info.nlink, &c->balls, 0.0, c->near);
    for (int k = 0; k < n; ++k) {
        const int pair = c->near[k];
        if (c->pair[pair].reason == LW_PAIR_CHECKED &&
            c->kernels->pair_verdict(c, X_WB, pair, 0.0, solid) != LW_VERDICT_FREE) {
            ++hits[pair];
        }
    }
}

// --- Proofs over the limits -------------------------------------------------------------------

// The joints between two links, and the ranges that are left to be proven.
typedef struct joint_box {
    int n;
    int v[MOST_PATH], q[MOST_PATH]; ///< of the tree, and independent
    double low[MOST_PATH], high[MOST_PATH], reach[MOST_PATH];
} joint_box;

// The independent coordinate that is this one of the tree; -1 where there is none.
static int independent_of(const lw_model *m, int v)
{
    for (int k = 0; k < m->nv; ++k) {
        if (m->v_tree[k] == v) {
            return lw_position_of_dof(m, k);
        }
    }
    return -1;
}

// False where a joint between them has no range of one coordinate, or depends on others.
static bool joints_between(const lw_collide *c, int pair, joint_box *box)
{
    const lw_model *m = c->m;
    int body[2];
    double reach[2];
    for (int side = 0; side < 2; ++side) {
        const link_solids *link = &c->link[c->pair_link[2 * pair + side]];
        body[side] = link->body;
        reach[side] = link->reach;
    }
    for (box->n = 0; body[0] != body[1]; ++box->n) {
        const int side = body[1] > body[0], b = body[side], k = box->n, v = m->v_start[b];
        const bool slides = m->carrier[b] == LW_TREE_PRISMATIC;
        if (k == MOST_PATH || (!slides && m->carrier[b] != LW_TREE_REVOLUTE) ||
            !range_of(m, v, &box->low[k], &box->high[k])) {
            return false;
        }
        box->v[k] = v;
        box->q[k] = independent_of(m, v);
        box->reach[k] = slides ? 1.0 : reach[side];
        const double travel = slides ? lwi_larger(fabs(box->low[k]), fabs(box->high[k])) : 0.0;
        reach[side] += lw_norm3(m->X_PJ[b].p) + travel;
        body[side] = m->parent[b];
        if (box->q[k] < 0) {
            return false;
        }
    }
    return true;
}

// Whether the pair is apart everywhere in the box: its distance in the middle is more than what the
// way from there to any corner can change.
static bool is_apart_in(lw_collide *c, lw_data *d, int pair, const joint_box *box, bool *is_hit)
{
    lw_contact near;
    memset(c->tree_v, 0, (size_t)c->m->tree_nv * sizeof *c->tree_v);
    for (int k = 0; k < box->n; ++k) {
        c->q[box->q[k]] = 0.5 * (box->low[k] + box->high[k]);
        c->tree_v[box->v[k]] = 0.5 * (box->high[k] - box->low[k]) * (1.0 + 1e-12);
    }
    if (lw_tree_state(c->m, d, c->q, NULL, NULL, c->tree_q, NULL, NULL) != LW_OK ||
        lwi_place_balls(c, d, c->q) != LW_OK) {
        return false;
    }
    const double way = lwi_pair_way(c, d->X_WB, pair);
    const bool is_near = lwi_nearest_of_pair(c, d->X_WB, pair, way, &near);
    *is_hit = is_near && near.distance.lower <= 0.0;
    return !is_near;
}

// A joint whose range was cut into halves.
typedef struct cut {
    int joint;
    bool is_second;
    double low, high; ///< of both halves
} cut;

static int widest_of(const joint_box *box)
{
    int widest = 0;
    for (int k = 1; k < box->n; ++k) {
        if ((box->high[k] - box->low[k]) * box->reach[k] >
            (box->high[widest] - box->low[widest]) * box->reach[widest]) {
            widest = k;
        }
    }
    return widest;
}

// Goes on to the next box; false where all are proven.
static bool next_box(joint_box *box, cut *cuts, int *depth)
{
    while (*depth > 0) {
        cut *last = &cuts[*depth - 1];
        if (!last->is_second) {
            last->is_second = true;
            box->low[last->joint] = box->high[last->joint];
            box->high[last->joint] = last->high;
            return true;
        }
        box->low[last->joint] = last->low;
        --*depth;
    }
    return false;
}

static bool never_touches(lw_collide *c, lw_data *d, int pair)
{
    joint_box box;
    cut cuts[MOST_DEPTH];
    int depth = 0;
    bool is_hit = false;
    memcpy(c->q, c->m->q_reference, (size_t)c->m->nq * sizeof *c->q);
    if (!joints_between(c, pair, &box)) {
        return false;
    }
    for (int n = 0; n < MOST_BOXES; ++n) {
        if (is_apart_in(c, d, pair, &box, &is_hit)) {
            if (!next_box(&box, cuts, &depth)) {
                return true;
            }
            continue;
        }
        if (is_hit || depth == MOST_DEPTH || box.n == 0) {
            return false;
        }
        const int k = widest_of(&box);
        cuts[depth++] = (cut){k, false, box.low[k], box.high[k]};
        box.high[k] = 0.5 * (box.low[k] + box.high[k]);
    }
    return false;
}

lw_status lw_collide_search_pairs(lw_collide *c, lw_data *d, const lw_pair_search *search)
{
    if (!c || !d || !search || search->samples < 1) {
        return LW_ERR_ARGUMENT;
    }
    uint64_t random = search->seed;
    int states = 0;
    double *hits = c->safe_until;
    c->stop = 0.0;
    memset(hits, 0, (size_t)c->info.npair * sizeof *hits);
    lw_status status = lwi_place_balls(c, d, c->m->q_reference);
    if (status != LW_OK) {
        return status;
    }
    count_hits(c, d->X_WB, hits);
    for (int n = 0; n < search->samples; ++n) {
        random_positions(c->m, &random, c->q);
        if (lwi_place_balls(c, d, c->q) == LW_OK) { // loops may not close there
            count_hits(c, d->X_WB, hits);
            ++states;
        }
    }
    for (int pair = 0; pair < c->info.npair; ++pair) {
        lw_collide_pair *p = &c->pair[pair];
        if (p->reason != LW_PAIR_CHECKED || states == 0) {
            continue;
        }
        p->samples = states;
        if (hits[pair] > states) {
            p->reason = LW_PAIR_ALWAYS;
        } else if (hits[pair] == 0.0 && never_touches(c, d, pair)) {
            p->reason = LW_PAIR_NEVER;
        } else if (hits[pair] == 0.0 && search->allow_unseen) {
            p->reason = LW_PAIR_UNSEEN;
        }
    }
    return LW_OK;
}
