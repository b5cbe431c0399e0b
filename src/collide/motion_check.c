// Collisions along a motion, by conservative advancement: a pair that is some distance apart cannot
// touch before its points have moved that far. A trajectory is taken in parts, each in unit time,
// with the largest speed that a joint has within the part.
#include "solids.h"

#include <linkwork/kinematics.h>

#include "../model/data.h"
#include "../motion/trajectory.h"

#include <math.h>
#include <string.h>

#define LOOK_AHEAD 0.9
#define LONG_PROOF 0.05 // of the motion
#define LONG_PART 0.5   // rad or m: of a trajectory, for which speeds are bounded

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
// time before and after; never faster than `most`. Where `has_twists`, the links also have
// velocities now, seen from the last body that carries both: v of the centres of their balls, and
// w; and the rates of two of their points differ by `turn` more per unit of time.
typedef struct pair_rate {
    double speed, growth, most, turn;
    lw_vec3 v[2], w[2];
    bool has_twists;
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

// Adds the motion of a link by a joint about or along z of a body; false for other joints.
static bool add_twist(const lw_collide *c, const lw_pose *X, int body, int link, lw_vec3 *v,
                      lw_vec3 *w)
{
    const lw_model *m = c->m;
    const double rate = c->tree_v[m->v_start[body]];
    const lw_vec3 z = {X->R.row[0].z, X->R.row[1].z, X->R.row[2].z};
    const bool is_slide = m->carrier[body] == LW_TREE_PRISMATIC;
    const double slide = is_slide                            ? rate
                         : m->carrier[body] == LW_TREE_SCREW ? m->lead[body] * rate
                                                             : 0.0;
    if (!is_slide) {
        const lw_vec3 p = {c->balls.x[link] - X->p.x, c->balls.y[link] - X->p.y,
                           c->balls.z[link] - X->p.z};
        const lw_vec3 turn = lw_scale3(rate, z);
        *w = lw_add3(*w, turn);
        *v = lw_add3(*v, lw_cross3(turn, p));
    }
    *v = lw_add3(*v, lw_scale3(slide, z));
    return m->carrier[body] <= LW_TREE_SCREW;
}

// Speeds of the farthest points of both links, seen from the last body that carries both. A joint's
// arm does not become longer faster than the joints behind it move the link.
static pair_rate rate_of(const lw_collide *c, const lw_pose *X_WB, int pair)
{
    const lw_model *m = c->m;
    pair_rate rate = {.has_twists = X_WB != NULL};
    int body[2];
    double reach[2], behind[2] = {0.0, 0.0};
    for (int side = 0; side < 2; ++side) {
        const link_solids *link = &c->link[c->pair_link[2 * pair + side]];
        body[side] = link->body;
        reach[side] = link->reach;
    }
    while (body[0] != body[1]) { // parents have smaller numbers, so the larger one climbs
        const int side = body[1] > body[0], b = body[side], link = c->pair_link[2 * pair + side];
        const joint_motion joint = motion_of(c, b);
        double arm = reach[side];
        if (X_WB) {
            arm = joint.angular > 0.0 ? lwi_smaller(arm, arm_of(c, X_WB, b, link)) : arm;
            rate.has_twists =
                rate.has_twists && add_twist(c, &X_WB[b], b, link, &rate.v[side], &rate.w[side]);
        }
        rate.speed += joint.linear + joint.angular * arm;
        rate.growth += joint.angular * behind[side];
        rate.turn += joint.angular * (2.0 * behind[side] + joint.angular * reach[side]);
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

// How long a gap lasts that closes at a speed, and `growth` faster per unit of time.
static double lasts_at(double speed, double growth, double gap)
{
    const double root = sqrt(speed * speed + 4.0 * growth * gap);
    return 2.0 * gap / (speed + root) * (1.0 - 1e-12);
}

// How long a gap lasts, before and after now.
static double lasts(const pair_rate *rate, double gap)
{
    return gap <= 0.0 ? gap / rate->most
                      : lwi_larger(gap / rate->most, lasts_at(rate->speed, rate->growth, gap));
}

// For how long before and after now something is proven.
typedef struct proof {
    double back, ahead;
} proof;

// How fast points of a capsule move along n: about which speed, and by how much more or less.
static double speed_along(const lw_collide *c, const pair_rate *rate, int side, int link, int solid,
                          lw_vec3 n, double *more)
{
    const lwi_capsule *s = &c->capsule[solid];
    const lw_vec3 turn = lw_cross3(n, rate->w[side]);
    const lw_vec3 d = {s->p.x - c->balls.x[link], s->p.y - c->balls.y[link],
                       s->p.z - c->balls.z[link]};
    *more += s->half * fabs(lw_dot3(s->u, turn)) + s->radius * lw_norm3(turn);
    return lw_dot3(n, rate->v[side]) + lw_dot3(d, turn);
}

// How long two capsules stay apart along their normal, as that is now.
static proof apart_along(const lw_collide *c, const pair_rate *rate, const int link[2],
                         const int solid[2], const lw_distance *d, double gap)
{
    double more = 0.0;
    const double a = speed_along(c, rate, 0, link[0], solid[0], d->normal, &more);
    const double b = speed_along(c, rate, 1, link[1], solid[1], d->normal, &more);
    more += 1e-12 * rate->most;
    return (proof){lasts_at(lwi_larger(more - (a - b), 0.0), 0.5 * rate->turn, gap),
                   lasts_at(lwi_larger(more + (a - b), 0.0), 0.5 * rate->turn, gap)};
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

// Between two configurations, or along a trajectory.
typedef struct course {
    const double *q0;
    const lw_trajectory *trajectory; // null: evenly from q0
    double begin, length;            // s: what is unit time here
} course;

// The state at time t, and with it the velocity.
static lw_status go_to(lw_collide *c, const course *way, double t)
{
    if (!way->trajectory) {
        return lw_integrate(c->m, way->q0, c->v, t, c->q);
    }
    const lw_status status =
        lw_trajectory_state(way->trajectory, c->m, way->begin + t * way->length, c->q, c->v, NULL);
    for (int k = 0; k < c->m->nv; ++k) {
        c->v[k] *= way->length;
    }
    return status;
}

// The speed that no joint of the tree exceeds along a part of a trajectory, where each degree of
// freedom moves as fast as c->v: contributions to a dependent joint do not cancel.
static lw_status bound_speeds(lw_collide *c, lw_data *d)
{
    const lw_model *m = c->m;
    double *sum = c->bound, *each = c->bound + m->tree_nv;
    memset(sum, 0, (size_t)m->tree_nv * sizeof *sum);
    memset(each, 0, (size_t)m->nv * sizeof *each);
    lw_status status = LW_OK;
    for (int k = 0; k < m->nv && status == LW_OK; ++k) {
        each[k] = c->v[k];
        status = lw_tree_state(m, d, c->q, each, NULL, c->tree_q, c->tree_v, NULL);
        each[k] = 0.0;
        for (int i = 0; i < m->tree_nv; ++i) {
            sum[i] += fabs(c->tree_v[i]);
        }
    }
    memcpy(c->tree_v, sum, (size_t)m->tree_nv * sizeof *sum);
    return status;
}

static lw_status start(lw_collide *c, lw_data *d, const course *way)
{
    const lw_model *m = c->m;
    memset(c->safe_until, 0, (size_t)c->info.npair * sizeof *c->safe_until);
    if (!way->trajectory) {
        memcpy(c->q, way->q0, (size_t)m->nq * sizeof *c->q);
        return find_rates(c, d);
    }
    lw_status status = go_to(c, way, 0.0);
    lwi_trajectory_speeds(way->trajectory, way->begin, way->begin + way->length, c->v);
    for (int k = 0; k < m->nv; ++k) { // spherical and free joints stay where they are
        c->v[k] *= lw_position_of_dof(m, k) < 0 ? 0.0 : way->length * (1.0 + 1e-12);
    }
    status = status == LW_OK ? bound_speeds(c, d) : status;
    for (int pair = 0; pair < c->info.npair && status == LW_OK; ++pair) {
        c->rate[pair] = rate_of(c, NULL, pair).most;
    }
    return status;
}

// All shapes of a pair of links, each by its own normal where both are capsules. Writes the
// nearest.
static proof proof_of_shapes(lw_collide *c, const lw_pose *X_WB, const pair_rate *rate, int pair,
                             double margin, lw_contact *near, bool *is_near)
{
    const int link[2] = {c->pair_link[2 * pair], c->pair_link[2 * pair + 1]};
    proof all = {1.0, 1.0};
    int at[2] = {-1, -1}, solid[2];
    lwi_place_link(c, X_WB, link[0]);
    lwi_place_link(c, X_WB, link[1]);
    *is_near = false;
    while (lwi_next_shapes(c, X_WB, pair, margin + rate->most, at, solid)) {
        const solid_at *s = &c->solid[solid[0]], *t = &c->solid[solid[1]];
        const lw_vec3 apart = lw_sub3(c->capsule[solid[1]].p, c->capsule[solid[0]].p);
        const double wanted = lwi_larger(all.back, all.ahead);
        const double beyond = margin + rate->most * wanted + s->reach + t->reach;
        const bool is_far = lw_dot3(apart, apart) * (1.0 - 1e-12) > beyond * beyond;
        lw_distance d;
        if ((c->method != LW_COLLIDE_ALL && is_far && wanted >= 0.0) ||
            !lwi_shape_distance(c, X_WB, solid, margin + rate->most, &d)) {
            continue;
        }
        const double gap = d.lower - margin;
        const bool has_normal = gap > 0.0 && rate->has_twists && s->is_capsule && t->is_capsule;
        const double coarse = has_normal ? gap / rate->most : lasts(rate, gap);
        const proof one =
            has_normal ? apart_along(c, rate, link, solid, &d, gap) : (proof){coarse, coarse};
        all.back = lwi_smaller(all.back, lwi_larger(one.back, coarse));
        all.ahead = lwi_smaller(all.ahead, lwi_larger(one.ahead, coarse));
        if (!*is_near || d.upper < near->distance.upper) {
            *near = (lw_contact){pair, {s->shape, t->shape}, d};
            *is_near = true;
        }
    }
    return all;
}

// A pair at time t: for how long before and after it is proven not to come nearer than the margin.
// What lasts as long as `enough` is not looked at more closely. Where joints do not move evenly,
// their largest speeds alone are known.
static proof proof_of(lw_collide *c, const lw_pose *X_WB, const lw_motion_check *check, int pair,
                      bool is_even, double enough, lw_contact *near, bool *is_near)
{
    const int a = c->pair_link[2 * pair], b = c->pair_link[2 * pair + 1];
    const lw_vec3 apart = {c->balls.x[b] - c->balls.x[a], c->balls.y[b] - c->balls.y[a],
                           c->balls.z[b] - c->balls.z[a]};
    const double far =
        lw_norm3(apart) * (1.0 - 1e-12) - c->balls.r[a] - c->balls.r[b] - check->margin;
    *is_near = false;
    if (far > c->rate[pair] * enough) {
        const double soon = far / c->rate[pair];
        return (proof){soon, soon};
    }
    pair_rate rate = rate_of(c, X_WB, pair);
    const double soon = lasts(&rate, far);
    if (far > 0.0 && soon >= enough) {
        return (proof){soon, soon};
    }
    rate.has_twists = rate.has_twists && is_even;
    return proof_of_shapes(c, X_WB, &rate, pair, check->margin, near, is_near);
}

// Pairs whose proof has ended before t are looked at there. Returns whether all are proven at t and
// back to where their proofs ended; else nothing is said about what is between.
static bool look(lw_collide *c, const lw_pose *X_WB, const lw_motion_check *check, double t,
                 bool is_sampled, bool is_even, lw_motion_verdict *result)
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
        proof step = {HUGE_VAL, HUGE_VAL};
        if (is_sampled) { // the speeds at t alone are known
            const double rate = c->rate[pair];
            is_near =
                lwi_nearest_of_pair(c, X_WB, pair, check->margin + 2.0 * rate * (1.0 - t), &near);
            step.ahead = is_near ? 0.5 * (near.distance.lower - check->margin) / rate : 1.0;
        } else {
            step = proof_of(c, X_WB, check, pair, is_even, enough, &near, &is_near);
        }
        if (back > 0.0 && !(step.back >= back)) {
            is_proven = false;
            continue;
        }
        if (!(step.ahead >= check->resolution) && is_near) { // nearer than what is resolved
            const bool is_hit = lw_verdict_of(&near.distance, check->margin) == LW_VERDICT_HIT;
            step.ahead = check->resolution;
            if (is_hit || result->verdict == LW_VERDICT_FREE) {
                c->stop = 0.0; // a contact has the distance, not the first within the margin
                lwi_nearest_of_pair(c, X_WB, pair, check->margin, &near);
                c->stop = check->margin;
                result->verdict = is_hit ? LW_VERDICT_HIT : LW_VERDICT_UNCERTAIN;
                result->contact = near;
                result->t[0] = lwi_smaller(result->t[0], t);
                result->t[1] = t;
            }
        }
        c->safe_until[pair] = t + step.ahead;
        c->step[pair] = step.ahead;
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

static lw_status follow(lw_collide *c, lw_data *d, const course *way, const lw_motion_check *check,
                        lw_motion_verdict *result)
{
    const bool is_sampled = !moves_evenly(c->m);
    lw_status status = start(c, d, way);
    lw_motion_verdict r = {
        .verdict = LW_VERDICT_FREE, .t = {1.0, 1.0}, .contact.pair = -1, .is_sampled = is_sampled};
    double t = 0.0, ahead = is_sampled ? 0.0 : LOOK_AHEAD;
    while (status == LW_OK && r.verdict != LW_VERDICT_HIT) {
        status = go_to(c, way, t);
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
        const bool is_proven = look(c, d->X_WB, check, t, is_sampled, !way->trajectory, &r);
        double step = 0.0;
        const double end = first_end(c, &step);
        if (end > 1.0) {
            break;
        }
        ahead = is_sampled ? 0.0 : !is_proven ? 0.0 : lwi_smaller(LOOK_AHEAD, ahead + 0.3);
        t = lwi_smaller(end + ahead * step, 1.0);
    }
    if (is_sampled) {
        r.verdict = r.verdict == LW_VERDICT_FREE ? LW_VERDICT_UNCERTAIN : r.verdict;
        r.t[0] = 0.0;
    }
    *result = r;
    return status;
}

static bool can_follow(const lw_collide *c, const lw_data *d, const lw_motion_check *check,
                       const lw_motion_verdict *result)
{
    return c && d && check && result && isfinite(check->margin) && check->resolution >= 1e-9 &&
           check->resolution <= 1.0;
}

lw_status lw_collide_motion(lw_collide *c, lw_data *d, const double *q0, const double *q1,
                            const lw_motion_check *check, lw_motion_verdict *result)
{
    if (!can_follow(c, d, check, result)) {
        return LW_ERR_ARGUMENT;
    }
    c->stop = check->margin;
    lw_motion_verdict r;
    lw_status status = lw_difference(c->m, q0, q1, c->v);
    status = status == LW_OK ? follow(c, d, &(course){.q0 = q0}, check, &r) : status;
    if (status == LW_OK) {
        *result = r;
    }
    return status;
}

// How much of a trajectory is taken at once: no degree of freedom moves far.
static double part_of(lw_collide *c, const lw_trajectory *trajectory, double begin, double most)
{
    for (double length = most;; length *= 0.5) {
        double way = 0.0;
        lwi_trajectory_speeds(trajectory, begin, begin + length, c->v);
        for (int k = 0; k < c->m->nv; ++k) {
            way = lwi_larger(way, c->v[k] * length);
        }
        if (!(way > LONG_PART) || length < 1e-6 * most) {
            return length;
        }
    }
}

lw_status lw_collide_trajectory(lw_collide *c, lw_data *d, const lw_trajectory *trajectory,
                                const lw_motion_check *check, lw_motion_verdict *result)
{
    if (!can_follow(c, d, check, result) || !trajectory ||
        lw_trajectory_axes(trajectory) != c->m->nv) {
        return LW_ERR_ARGUMENT;
    }
    c->stop = check->margin;
    const double duration = lw_trajectory_duration(trajectory);
    lw_motion_verdict all = {
        .verdict = LW_VERDICT_FREE, .t = {duration, duration}, .contact.pair = -1};
    double begin = 0.0;
    lw_status status = LW_OK;
    do {
        const double rest = duration - begin, length = part_of(c, trajectory, begin, rest);
        const course way = {.trajectory = trajectory, .begin = begin, .length = length};
        lw_motion_check part_check = *check;
        part_check.resolution =
            length > 0.0 ? lwi_smaller(check->resolution * duration / length, 1.0) : 1.0;
        lw_motion_verdict part;
        status = follow(c, d, &way, &part_check, &part);
        all.states += part.states;
        all.distances += part.distances;
        all.is_sampled = part.is_sampled;
        if (part.verdict == LW_VERDICT_HIT ||
            (all.verdict == LW_VERDICT_FREE && part.verdict != LW_VERDICT_FREE)) {
            all.t[0] = lwi_smaller(all.t[0], begin + part.t[0] * length);
            all.t[1] = begin + part.t[1] * length;
            all.verdict = part.verdict;
            all.contact = part.contact;
        }
        begin = length < rest ? begin + length : duration;
    } while (status == LW_OK && begin < duration && all.verdict != LW_VERDICT_HIT);
    if (status == LW_OK) {
        *result = all;
    }
    return status;
}
