// Collisions along a motion, by conservative advancement: a pair that is some distance apart cannot
// touch before its points have moved that far.
#include "solids.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <string.h>

static double length(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// How fast the joint that carries a body rotates and slides, and how far it slides in all.
typedef struct joint_motion {
    double angular, linear, travel;
} joint_motion;

static joint_motion motion_of(const lw_collide *c, int body)
{
    const lw_model *m = c->m;
    const double *q = &c->tree_q[m->q_start[body]], *v = &c->tree_v[m->v_start[body]];
    switch (m->carrier[body]) {
    case LW_TREE_REVOLUTE:
        return (joint_motion){.angular = fabs(v[0])};
    case LW_TREE_PRISMATIC:
        return (joint_motion){.linear = fabs(v[0]), .travel = fabs(q[0]) + fabs(v[0])};
    case LW_TREE_SCREW: {
        const double slide = fabs(m->lead[body] * v[0]);
        return (joint_motion){fabs(v[0]), slide, fabs(m->lead[body] * q[0]) + slide};
    }
    case LW_TREE_SPHERICAL:
        return (joint_motion){.angular = length(v, 3)};
    case LW_TREE_FREE:
        return (joint_motion){length(v, 3), length(v + 3, 3), length(q, 3) + length(v + 3, 3)};
    case LW_TREE_USER:
        break;
    }
    return (joint_motion){.linear = HUGE_VAL};
}

// A bound of the rate at which the distance of a pair changes, over the whole motion: the speeds of
// the farthest points of both links, seen from the last body that carries both.
static double rate_of(const lw_collide *c, int pair)
{
    const lw_model *m = c->m;
    int body[2];
    double reach[2], rate = 0.0;
    for (int side = 0; side < 2; ++side) {
        const link_solids *link = &c->link[c->pair_link[2 * pair + side]];
        body[side] = link->body;
        reach[side] = link->reach;
    }
    while (body[0] != body[1]) { // parents have smaller numbers, so the larger one climbs
        const int side = body[1] > body[0], b = body[side];
        const joint_motion joint = motion_of(c, b);
        rate += joint.linear + joint.angular * reach[side];
        reach[side] += lw_norm3(m->X_PJ[b].p) + joint.travel;
        body[side] = m->parent[b];
    }
    return rate * (1.0 + 1e-12);
}

// Tree coordinates, and the rates of all pairs, at time t; dependent joints move as they do there.
static lw_status find_rates(lw_collide *c, lw_data *d)
{
    const lw_model *m = c->m;
    const lw_status status = lw_tree_state(m, d, c->q, c->v, NULL, c->tree_q, c->tree_v, NULL);
    for (int pair = 0; pair < c->info.npair && status == LW_OK; ++pair) {
        c->rate[pair] = rate_of(c, pair);
    }
    return status;
}

// Whether every dependent joint moves evenly where the independent ones do.
static bool moves_evenly(const lw_model *m)
{
    for (int k = 0; k < m->nstep; ++k) {
        const lw_step_info *step = &m->step[k];
        const bool is_line = step->kind == LW_STEP_FUNCTION && step->law == LW_LAW_POLYNOMIAL &&
                             step->ncoefficient <= 2;
        if (step->kind != LW_STEP_LINEAR && !is_line) {
            return false;
        }
    }
    return true;
}

static lw_status start(lw_collide *c, lw_data *d, const double *q0, const double *q1)
{
    lw_status status = lw_difference(c->m, q0, q1, c->v);
    if (status != LW_OK) {
        return status;
    }
    memcpy(c->q, q0, (size_t)c->m->nq * sizeof *c->q);
    memset(c->safe_until, 0, (size_t)c->info.npair * sizeof *c->safe_until);
    return find_rates(c, d);
}

// Looks at the pairs whose proof ends now. Returns the time at which the next one ends.
static double advance(lw_collide *c, const lw_motion_check *check, double t, bool is_sampled,
                      lw_motion_verdict *result)
{
    double next = 1.0 + check->resolution;
    for (int pair = 0; pair < c->info.npair; ++pair) {
        if (c->pair[pair].reason != LW_PAIR_CHECKED) {
            continue;
        }
        if (c->safe_until[pair] <= t) {
            lw_contact near;
            const double rate = c->rate[pair];
            const double soon = t < 1.0 ? rate * (1.0 - t) * (is_sampled ? 2.0 : 1.0) : 0.0;
            double step = HUGE_VAL;
            ++result->distances;
            if (lwi_nearest_of_pair(c, pair, check->margin + soon, &near)) {
                step = (near.distance.lower - check->margin) / rate * (is_sampled ? 0.5 : 1.0);
                const bool is_hit = lw_verdict_of(&near.distance, check->margin) == LW_VERDICT_HIT;
                if (!(step >= check->resolution)) { // nearer than what is resolved
                    step = check->resolution;
                    if (is_hit || result->verdict == LW_VERDICT_FREE) {
                        result->verdict = is_hit ? LW_VERDICT_HIT : LW_VERDICT_UNCERTAIN;
                        result->contact = near;
                        result->t[0] = fmin(result->t[0], t);
                        result->t[1] = t;
                    }
                }
            }
            c->safe_until[pair] = t + step;
        }
        next = fmin(next, c->safe_until[pair]);
    }
    return next;
}

lw_status lw_collide_motion(lw_collide *c, lw_data *d, const double *q0, const double *q1,
                            const lw_motion_check *check, lw_motion_verdict *result)
{
    if (!c || !d || !check || !result || !isfinite(check->margin) ||
        !(check->resolution >= 1e-9 && check->resolution <= 1.0)) {
        return LW_ERR_ARGUMENT;
    }
    const bool is_sampled = !moves_evenly(c->m);
    c->stop = check->margin;
    lw_status status = start(c, d, q0, q1);
    lw_motion_verdict r = {.verdict = LW_VERDICT_FREE, .t = {1.0, 1.0}, .contact.pair = -1};
    for (double t = 0.0; status == LW_OK && r.verdict != LW_VERDICT_HIT;) {
        status = lw_integrate(c->m, q0, c->v, t, c->q);
        if (status == LW_OK && is_sampled) {
            status = find_rates(c, d);
        }
        status = status == LW_OK ? lwi_place_solids(c, d, c->q) : status;
        if (status != LW_OK) {
            break;
        }
        ++r.states;
        const double next = advance(c, check, t, is_sampled, &r);
        if (t >= 1.0) {
            break;
        }
        t = fmin(next, 1.0);
    }
    if (status == LW_OK) {
        if (is_sampled) {
            r.verdict = r.verdict == LW_VERDICT_FREE ? LW_VERDICT_UNCERTAIN : r.verdict;
            r.t[0] = 0.0;
        }
        r.is_sampled = is_sampled;
        *result = r;
    }
    return status;
}
