// Collisions along a motion, by conservative advancement: a pair that is some distance apart cannot
// touch before its points have moved that far.
#include "solids.h"

#include <linkwork/kinematics.h>

#include "../model/data.h"

#include <math.h>
#include <string.h>

#define LOOK_AHEAD 0.9
#define LONG_PROOF 0.05 // of the motion

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

// How fast the distance of a pair changes: at the most `speed` now, and `growth` faster per unit of
// time before and after; never faster than `most`.
typedef struct pair_rate {
    double speed, growth, most;
} pair_rate;

// From a joint to where a ball is in the state at hand: from its axis, or from its centre.
static double arm_of(const lw_collide *c, const lw_pose *X_WB, int body, int link)
{
    const lw_pose *X = &X_WB[body];
    const lw_vec3 z = {X->R.row[0].z, X->R.row[1].z, X->R.row[2].z};
    const lw_vec3 p = {c->balls.x[link] - X->p.x, c->balls.y[link] - X->p.y,
                       c->balls.z[link] - X->p.z};
    const bool has_axis =
        c->m->carrier[body] == LW_TREE_REVOLUTE || c->m->carrier[body] == LW_TREE_SCREW;
    return lw_norm3(has_axis ? lw_cross3(z, p) : p) + c->balls.r[link];
}

// Speeds of the farthest points of both links, seen from the last body that carries both. A joint's
// arm does not become longer faster than the joints behind it move the link.
static pair_rate rate_of(const lw_collide *c, const lw_pose *X_WB, int pair)
{
    const lw_model *m = c->m;
    pair_rate rate = {0.0, 0.0, 0.0};
    int body[2];
    double reach[2], behind[2] = {0.0, 0.0};
    for (int side = 0; side < 2; ++side) {
        const link_solids *link = &c->link[c->pair_link[2 * pair + side]];
        body[side] = link->body;
        reach[side] = link->reach;
    }
    while (body[0] != body[1]) { // parents have smaller numbers, so the larger one climbs
        const int side = body[1] > body[0], b = body[side];
        const joint_motion joint = motion_of(c, b);
        const double arm =
            X_WB && joint.angular > 0.0
                ? lwi_smaller(reach[side], arm_of(c, X_WB, b, c->pair_link[2 * pair + side]))
                : reach[side];
        rate.speed += joint.linear + joint.angular * arm;
        rate.growth += joint.angular * behind[side];
        behind[side] += joint.linear + joint.angular * reach[side];
        reach[side] += lw_norm3(m->X_PJ[b].p) + joint.travel;
        body[side] = m->parent[b];
    }
    rate.most = (behind[0] + behind[1]) * (1.0 + 1e-12);
    rate.speed *= 1.0 + 1e-12;
    return rate;
}

double lwi_pair_way(const lw_collide *c, const lw_pose *X_WB, int pair)
{
    const pair_rate rate = rate_of(c, X_WB, pair);
    return lwi_smaller(rate.most, (rate.speed + rate.growth) * (1.0 + 1e-12));
}

// How long a gap lasts, before and after now.
static double lasts(pair_rate rate, double gap)
{
    const double root = sqrt(rate.speed * rate.speed + 4.0 * rate.growth * gap);
    return gap <= 0.0
               ? gap / rate.most
               : lwi_larger(gap / rate.most, 2.0 * gap / (rate.speed + root) * (1.0 - 1e-12));
}

// Tree coordinates, and the rates of all pairs, at time t; dependent joints move as they do there.
static lw_status find_rates(lw_collide *c, lw_data *d)
{
    const lw_model *m = c->m;
    const lw_status status = lw_tree_state(m, d, c->q, c->v, NULL, c->tree_q, c->tree_v, NULL);
    for (int pair = 0; pair < c->info.npair && status == LW_OK; ++pair) {
        c->rate[pair] = rate_of(c, NULL, pair).most;
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

// A pair at time t: for how long before and after it is proven not to come nearer than the margin.
// What lasts as long as `enough` is not looked at more closely.
static double proof_of(lw_collide *c, const lw_pose *X_WB, const lw_motion_check *check, int pair,
                       double enough, lw_contact *near, bool *is_near)
{
    const int a = c->pair_link[2 * pair], b = c->pair_link[2 * pair + 1];
    const lw_vec3 apart = {c->balls.x[b] - c->balls.x[a], c->balls.y[b] - c->balls.y[a],
                           c->balls.z[b] - c->balls.z[a]};
    const double far =
        lw_norm3(apart) * (1.0 - 1e-12) - c->balls.r[a] - c->balls.r[b] - check->margin;
    *is_near = false;
    if (far > c->rate[pair] * enough) {
        return far / c->rate[pair];
    }
    const pair_rate rate = rate_of(c, X_WB, pair);
    const double soon = lasts(rate, far);
    if (far > 0.0 && soon >= enough) {
        return soon;
    }
    *is_near = lwi_nearest_of_pair(c, X_WB, pair, check->margin + c->rate[pair], near);
    return *is_near ? lasts(rate, near->distance.lower - check->margin) : 1.0;
}

// Pairs whose proof has ended before t are looked at there. Returns whether all are proven at t and
// back to where their proofs ended; else nothing is said about what is between.
static bool look(lw_collide *c, const lw_pose *X_WB, const lw_motion_check *check, double t,
                 bool is_sampled, lw_motion_verdict *result)
{
    bool is_proven = true;
    for (int pair = 0; pair < c->info.npair; ++pair) {
        if (c->pair[pair].reason != LW_PAIR_CHECKED || c->safe_until[pair] > t) {
            continue;
        }
        lw_contact near;
        bool is_near;
        const double back = t - c->safe_until[pair];
        const double enough = lwi_larger(lwi_smaller(1.0 - t, LONG_PROOF), back);
        ++result->distances;
        double step =
            is_sampled ? HUGE_VAL : proof_of(c, X_WB, check, pair, enough, &near, &is_near);
        if (is_sampled) { // the speeds at t alone are known
            const double rate = c->rate[pair];
            is_near =
                lwi_nearest_of_pair(c, X_WB, pair, check->margin + 2.0 * rate * (1.0 - t), &near);
            step = is_near ? 0.5 * (near.distance.lower - check->margin) / rate : 1.0;
        }
        if (back > 0.0 && !(step >= back)) {
            is_proven = false;
            continue;
        }
        if (!(step >= check->resolution) && is_near) { // nearer than what is resolved
            const bool is_hit = lw_verdict_of(&near.distance, check->margin) == LW_VERDICT_HIT;
            step = check->resolution;
            if (is_hit || result->verdict == LW_VERDICT_FREE) {
                result->verdict = is_hit ? LW_VERDICT_HIT : LW_VERDICT_UNCERTAIN;
                result->contact = near;
                result->t[0] = lwi_smaller(result->t[0], t);
                result->t[1] = t;
            }
        }
        c->safe_until[pair] = t + step;
        c->step[pair] = step;
    }
    return is_proven;
}

// Where the first proof ends; and how long it lasted.
static double first_end(const lw_collide *c, double *step)
{
    double end = HUGE_VAL;
    for (int pair = 0; pair < c->info.npair; ++pair) {
        if (c->pair[pair].reason == LW_PAIR_CHECKED && c->safe_until[pair] < end) {
            end = c->safe_until[pair];
            *step = c->step[pair];
        }
    }
    return end;
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
    double t = 0.0, ahead = is_sampled ? 0.0 : LOOK_AHEAD;
    while (status == LW_OK && r.verdict != LW_VERDICT_HIT) {
        status = lw_integrate(c->m, q0, c->v, t, c->q);
        if (status == LW_OK && is_sampled) {
            status = find_rates(c, d);
        }
        status = status == LW_OK ? lwi_place_balls(c, d, c->q) : status;
        if (status != LW_OK) {
            break;
        }
        ++r.states;
        // A proof reaches back as far as ahead: the next look is beyond the end of the last one.
        // Where it does not reach back to it, that end itself is looked at.
        const bool is_proven = look(c, d->X_WB, check, t, is_sampled, &r);
        double step = 0.0;
        const double end = first_end(c, &step);
        if (end > 1.0) {
            break;
        }
        ahead = is_sampled ? 0.0 : !is_proven ? 0.0 : lwi_smaller(LOOK_AHEAD, ahead + 0.3);
        t = lwi_smaller(end + ahead * step, 1.0);
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
