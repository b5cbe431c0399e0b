// Distances and verdicts of the links in a state. Balls around links come first: the few pairs
// that they leave are looked at, those first that were hit most often.
#include "solids.h"

#include <linkwork/kinematics.h>

#include "../model/data.h"

#include <math.h>

lw_status lwi_place_balls(lw_collide *c, lw_data *d, const double *q)
{
    lw_status status = LW_OK;
    if (q || c->m->nq == 0) {
        status = lw_forward_position(c->m, d, q);
    } else if (d->model != c->m || d->stage < LW_STAGE_POSITION) {
        status = d->model != c->m ? LW_ERR_ARGUMENT : LW_ERR_STAGE;
    }
    if (status == LW_OK && !c->kernels->place_balls(c, d->X_WB)) {
        status = LW_ERR_NUMBER;
    }
    return status;
}

const lw_pose *lwi_solid_pose(lw_collide *c, const lw_pose *X_WB, int solid)
{
    const solid_at *at = &c->solid[solid];
    if (c->posed[solid] != c->now) {
        c->posed[solid] = c->now;
        c->X_WS[solid] = at->body < 0 ? at->X_BS : lw_pose_mul(&X_WB[at->body], &at->X_BS);
    }
    return &c->X_WS[solid];
}

bool lwi_shape_distance(lw_collide *c, const lw_pose *X_WB, const int solid[2], double cutoff,
                        lw_distance *distance)
{
    const int i = solid[0], j = solid[1];
    if (c->solid[i].is_capsule && c->solid[j].is_capsule &&
        lwi_capsule_distance(&c->capsule[i], &c->capsule[j], c->skew, false, distance)) {
        ++c->count.shapes;
        return distance->lower <= cutoff;
    }
    lwi_solid_pose(c, X_WB, i);
    lwi_solid_pose(c, X_WB, j);
    ++*(i < c->info.nsolid && j < c->info.nsolid ? &c->count.shapes : &c->count.bounds);
    return lwi_distance_within(c, i, j, cutoff, distance);
}

lw_verdict lwi_solid_verdict(lw_collide *c, const lw_pose *X_WB, int i, int j, double margin)
{
    lw_verdict verdict = LW_VERDICT_UNCERTAIN;
    if (c->solid[i].surface || c->solid[j].surface) {
        const double stop = c->stop;
        lw_distance distance;
        c->stop = margin;
        verdict = lwi_shape_distance(c, X_WB, (int[2]){i, j}, margin, &distance)
                      ? lw_verdict_of(&distance, margin)
                      : LW_VERDICT_FREE;
        c->stop = stop;
        return verdict;
    }
    ++*(i < c->info.nsolid && j < c->info.nsolid ? &c->count.shapes : &c->count.bounds);
    const lw_solid *a = &c->solid[i].solid, *b = &c->solid[j].solid;
    const lw_pose *X_a = lwi_solid_pose(c, X_WB, i), *X_b = lwi_solid_pose(c, X_WB, j);
    const double slack = c->solid[i].slack + c->solid[j].slack;
    lw_find_verdict(a, X_a, b, X_b, margin, c->work, &verdict);
    if (verdict == LW_VERDICT_HIT && slack > 0.0) { // what they stand for may be farther apart
        lw_find_verdict(a, X_a, b, X_b, margin - slack, c->work, &verdict);
        verdict = verdict == LW_VERDICT_HIT ? verdict : LW_VERDICT_UNCERTAIN;
    }
    return verdict;
}

bool lwi_nearest_of_pair(lw_collide *c, const lw_pose *X_WB, int pair, double cutoff,
                         lw_contact *contact)
{
    double least = HUGE_VAL;
    bool is_found = false;
    int at[2] = {-1, -1}, solid[2];
    lwi_place_link(c, X_WB, c->pair_link[2 * pair]);
    lwi_place_link(c, X_WB, c->pair_link[2 * pair + 1]);
    while (lwi_next_shapes(c, X_WB, pair, cutoff, at, solid)) {
        const solid_at *s = &c->solid[solid[0]], *t = &c->solid[solid[1]];
        const lw_vec3 apart = lw_sub3(c->capsule[solid[1]].p, c->capsule[solid[0]].p);
        const double beyond = cutoff + s->reach + t->reach;
        const bool is_far = lw_dot3(apart, apart) * (1.0 - 1e-12) > beyond * beyond;
        lw_distance distance;
        if ((c->method != LW_COLLIDE_ALL && (beyond < 0.0 || is_far)) ||
            !lwi_shape_distance(c, X_WB, solid, cutoff, &distance)) {
            continue;
        }
        least = distance.lower < least ? distance.lower : least;
        if (!is_found || distance.upper < contact->distance.upper) {
            *contact = (lw_contact){pair, {s->shape, t->shape}, distance};
            cutoff = distance.upper < cutoff ? distance.upper : cutoff;
            is_found = true;
        }
    }
    if (is_found) { // another shape may be as near, as far as is proven
        contact->distance.lower = least;
    }
    return is_found;
}

// Pairs of links whose balls are near, or all of them. Returns how many.
static int near_pairs(lw_collide *c, double margin)
{
    for (int i = 0; c->method == LW_COLLIDE_ALL && i < c->info.npair; ++i) {
        c->near[i] = i;
    }
    return c->method == LW_COLLIDE_ALL
               ? c->info.npair
               : c->kernels->near_balls(c->info.nlink, &c->balls, margin, c->near);
}

// Keeps the contacts in order of their distances; the farthest is dropped where there is no place.
static void insert(const lw_contact *found, int most, lw_contact *contact, int count)
{
    int k = count < most ? count : most;
    while (k > 0 && contact[k - 1].distance.distance > found->distance.distance) {
        if (k < most) {
            contact[k] = contact[k - 1];
        }
        --k;
    }
    if (k < most) {
        contact[k] = *found;
    }
}

lw_status lw_collide_distances(lw_collide *c, lw_data *d, const double *q, double cutoff, int most,
                               lw_contact *contact, int *count)
{
    if (!c || !d || !count || most < 0 || (most > 0 && !contact) || isnan(cutoff)) {
        return LW_ERR_ARGUMENT;
    }
    c->stop = 0.0;
    const lw_status status = lwi_place_balls(c, d, q);
    if (status != LW_OK) {
        return status;
    }
    *count = 0;
    const int n = near_pairs(c, cutoff);
    for (int k = 0; k < n; ++k) {
        lw_contact found;
        if (c->pair[c->near[k]].reason == LW_PAIR_CHECKED &&
            lwi_nearest_of_pair(c, d->X_WB, c->near[k], cutoff, &found)) {
            insert(&found, most, contact, *count);
            ++*count;
        }
    }
    return LW_OK;
}

lw_status lw_collide_nearest(lw_collide *c, lw_data *d, const double *q, lw_contact *contact)
{
    if (!c || !d || !contact) {
        return LW_ERR_ARGUMENT;
    }
    const lw_status status = lwi_place_balls(c, d, q);
    if (status != LW_OK) {
        return status;
    }
    c->stop = 0.0;
    // The pair that was nearest the last time excludes most others.
    double cutoff = HUGE_VAL, least = HUGE_VAL;
    lw_contact best = {.pair = -1}, found;
    if (c->nearest < c->info.npair && c->pair[c->nearest].reason == LW_PAIR_CHECKED &&
        lwi_nearest_of_pair(c, d->X_WB, c->nearest, HUGE_VAL, &best)) {
        cutoff = best.distance.upper;
        least = best.distance.lower;
    }
    const int n = near_pairs(c, cutoff);
    for (int k = 0; k < n; ++k) {
        const int pair = c->near[k];
        if (c->pair[pair].reason != LW_PAIR_CHECKED || pair == best.pair ||
            !lwi_nearest_of_pair(c, d->X_WB, pair, cutoff, &found)) {
            continue;
        }
        least = found.distance.lower < least ? found.distance.lower : least;
        if (best.pair < 0 || found.distance.upper < best.distance.upper) {
            best = found;
            cutoff = found.distance.upper;
            c->nearest = pair;
        }
    }
    best.distance.lower = least;
    *contact = best;
    return LW_OK;
}

// The verdict on all pairs whose balls are near, and the pair that it is about.
static lw_verdict check_near(lw_collide *c, const lw_pose *X_WB, int n, double margin, int *hit)
{
    lw_verdict verdict = LW_VERDICT_FREE;
    int kept = 0, first = 0, solid[2];
    for (int k = 0; k < n; ++k) {
        if (c->pair[c->near[k]].reason == LW_PAIR_CHECKED) {
            first = c->hits[c->near[k]] > c->hits[c->near[first]] ? kept : first;
            c->near[kept++] = c->near[k];
        }
    }
    for (int k = 0; k < kept; ++k) { // `first` before the others
        const int pair = c->near[k == 0 ? first : k == first ? 0 : k];
        const lw_verdict v = c->kernels->pair_verdict(c, X_WB, pair, margin, solid);
        if (v != LW_VERDICT_FREE) {
            verdict = v;
            *hit = pair;
        }
        if (v == LW_VERDICT_HIT) {
            ++c->hits[pair];
            break;
        }
    }
    return verdict;
}

lw_status lw_collide_check(lw_collide *c, lw_data *d, const double *q, double margin,
                           lw_verdict *verdict, lw_contact *contact)
{
    if (!c || !d || !verdict || !isfinite(margin)) {
        return LW_ERR_ARGUMENT;
    }
    const lw_status status = lwi_place_balls(c, d, q);
    if (status != LW_OK) {
        return status;
    }
    int pair = 0;
    c->stop = margin;
    const int n = near_pairs(c, margin);
    *verdict = check_near(c, d->X_WB, n, margin, &pair);
    c->stop = 0.0; // a contact has the distance, not the first that is within the margin
    if (contact && *verdict != LW_VERDICT_FREE &&
        !lwi_nearest_of_pair(c, d->X_WB, pair, margin, contact)) {
        lwi_nearest_of_pair(c, d->X_WB, pair, HUGE_VAL, contact); // bounds alone were near
    }
    return LW_OK;
}

// One state by the poses of its links.
static lw_status check_links(lw_collide *c, const lw_pose *X_WL, double margin, lw_verdict *verdict)
{
    for (int i = 0; i < c->info.nlink; ++i) {
        const link_solids *l = &c->link[i];
        if (l->body >= 0) {
            const lw_pose X_LB = lw_pose_inverse(&c->m->frame[l->frame].X_BF);
            c->X_WB[l->body] = lw_pose_mul(&X_WL[i], &X_LB);
        }
    }
    if (!c->kernels->place_balls(c, c->X_WB)) {
        return LW_ERR_NUMBER;
    }
    int pair = 0;
    const int n = near_pairs(c, margin);
    *verdict = check_near(c, c->X_WB, n, margin, &pair);
    return LW_OK;
}

lw_status lw_collide_check_poses(lw_collide *c, int n, const lw_pose *X_WL, double margin,
                                 lw_verdict *verdict)
{
    if (!c || n < 0 || (n > 0 && (!X_WL || !verdict)) || !isfinite(margin)) {
        return LW_ERR_ARGUMENT;
    }
    const int lanes = c->kernels->lanes, nlink = c->info.nlink;
    lw_status status = LW_OK;
    for (int k = 0; k < n && nlink == 0; ++k) {
        verdict[k] = LW_VERDICT_FREE;
    }
    for (int k = 0; k < n && nlink > 0 && status == LW_OK; k += lanes) {
        const int count = n - k < lanes ? n - k : lanes;
        for (int i = 0; c->method != LW_COLLIDE_TREES && i < count; ++i) {
            verdict[k + i] = LW_VERDICT_UNCERTAIN; // one by one
        }
        if (c->method == LW_COLLIDE_TREES) {
            c->kernels->check_lanes(c, count, &X_WL[(ptrdiff_t)k * nlink], margin, &verdict[k]);
        }
        for (int i = k; i < k + count && status == LW_OK; ++i) {
            if (verdict[i] == LW_VERDICT_UNCERTAIN) {
                status = check_links(c, &X_WL[(ptrdiff_t)i * nlink], margin, &verdict[i]);
            }
        }
    }
    return status;
}
