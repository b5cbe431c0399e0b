// Where the redundancy of a chain can be: samples, and ranges within the limits.
#include "solve.h"

#include "../math/pi.h"

#include <math.h>

static bool is_redundant(const lw_ik *ik)
{
    return ik->kind == LWI_IK_SWIVEL || ik->kind == LWI_IK_LOCKED;
}

void lwi_redundancy_range(const lw_ik *ik, double *from, double *to)
{
    *from = -LWI_PI;
    *to = LWI_PI;
    if (ik->kind == LWI_IK_LOCKED) {
        const int i = ik->locked.joint;
        if (isfinite(ik->lower[i]) && isfinite(ik->upper[i])) {
            *from = ik->lower[i];
            *to = ik->upper[i];
        } else if (ik->chain.arm.slides[i]) {
            *from = -ik->length;
            *to = ik->length;
        }
    }
}

// A value without solutions has none: no other value is looked for.
static lw_status solve_sample(lw_ik *ik, const lw_ik_target *target, const double *seed,
                              lw_ik_result *result)
{
    ik->is_sampling = true;
    const lw_status status = lw_ik_solve(ik, target, seed, result);
    ik->is_sampling = false;
    return status;
}

bool lw_ik_next_sample(lw_ik *ik, lw_ik_target *target, const double *seed, lw_ik_samples *samples,
                       lw_ik_result *result)
{
    if (!ik || !target || !samples || !result || !is_redundant(ik) || samples->next < 0 ||
        samples->next >= samples->count) {
        return false;
    }
    double from = samples->from, to = samples->to;
    if (from == 0.0 && to == 0.0) {
        lwi_redundancy_range(ik, &from, &to);
    }
    target->has_redundancy = true;
    target->redundancy = from + (to - from) * samples->next++ / samples->count;
    return solve_sample(ik, target, seed, result) == LW_OK;
}

enum { BRANCHES = 27, SAMPLES = 128 };

static int branch_number(const lw_ik_branch *b)
{
    return 9 * (b->shoulder + 1) + 3 * (b->elbow + 1) + b->wrist + 1;
}

static lw_ik_branch branch_of(int number)
{
    const lw_ik_branch b = {(signed char)(number / 9 - 1), (signed char)(number / 3 % 3 - 1),
                            (signed char)(number % 3 - 1), -1};
    return b;
}

// Bits of the branches that are within the limits at a value.
static unsigned branches_at(lw_ik *ik, lw_ik_target *target, const double *seed, double value)
{
    lw_ik_result r;
    unsigned bits = 0;
    target->redundancy = value;
    if (solve_sample(ik, target, seed, &r) != LW_OK) {
        return 0;
    }
    for (int i = 0; i < r.nsolution; ++i) {
        if (r.solution[i].is_exact && r.solution[i].in_limits) {
            bits |= 1u << branch_number(&r.solution[i].branch);
        }
    }
    return bits;
}

// Arcs as they are found from one end of the range to the other.
typedef struct collection {
    lw_ik_arc *arc;
    int most, count;
    double start[BRANCHES]; // of arcs that are not complete
    unsigned open;
} collection;

static void close_arc(collection *c, int branch, double at)
{
    if (c->count < c->most) {
        c->arc[c->count] = (lw_ik_arc){c->start[branch], at, branch_of(branch)};
    }
    ++c->count;
    c->open &= ~(1u << branch);
}

static void open_arc(collection *c, int branch, double at)
{
    c->start[branch] = at;
    c->open |= 1u << branch;
}

static void advance(collection *c, unsigned now, double at)
{
    for (int i = 0; i < BRANCHES; ++i) {
        const bool was = c->open >> i & 1u, is = now >> i & 1u;
        if (was && !is) {
            close_arc(c, i, at);
        } else if (!was && is) {
            open_arc(c, i, at);
        }
    }
}

// Between neighbouring bounds nothing changes: one solution in the middle decides.
static void swivel_arcs(lw_ik *ik, lw_ik_target *target, const double *seed, collection *c)
{
    double *bound = ik->swivel_bound;
    const int n = lwi_swivel_bounds(&ik->swivel, &ik->X, ik->lower, ik->upper, bound);
    if (n == 0) {
        advance(c, branches_at(ik, target, seed, 0.0), -LWI_PI);
        advance(c, 0, LWI_PI);
        return;
    }
    bound[n] = bound[0] + LWI_TWO_PI;
    int first = 0; // begin where no arc is cut in two, if there is such a place
    for (int i = 0; i < n && first == 0; ++i) {
        const double middle = 0.5 * (bound[i] + bound[i + 1]);
        first = branches_at(ik, target, seed, middle) == 0 ? i + 1 : 0;
    }
    double end = bound[0];
    for (int i = first; i < first + n; ++i) {
        const double turn = i >= n ? LWI_TWO_PI : 0.0, from = bound[i % n] + turn;
        end = bound[i % n + 1] + turn;
        if (end - from > 1e-12) {
            advance(c, branches_at(ik, target, seed, 0.5 * (from + end)), from);
        }
    }
    advance(c, 0, end);
}

static void sampled_arcs(lw_ik *ik, lw_ik_target *target, const double *seed, collection *c)
{
    double from, to, before;
    lwi_redundancy_range(ik, &from, &to);
    const double step = (to - from) / SAMPLES;
    unsigned last = branches_at(ik, target, seed, from);
    advance(c, last, from);
    before = from;
    for (int k = 1; k <= SAMPLES; ++k) {
        const double at = k == SAMPLES ? to : from + k * step;
        const unsigned now = branches_at(ik, target, seed, at);
        for (int i = 0; i < BRANCHES && now != last; ++i) {
            const bool was = last >> i & 1u, is = now >> i & 1u;
            if (was == is) {
                continue;
            }
            double low = before, high = at;
            for (int n = 0; n < 40 && high - low > 1e-10 * (to - from); ++n) {
                const double middle = 0.5 * (low + high);
                const bool here = branches_at(ik, target, seed, middle) >> i & 1u;
                *(here == was ? &low : &high) = middle;
            }
            if (was) {
                close_arc(c, i, low);
            } else {
                open_arc(c, i, high);
            }
        }
        last = now;
        before = at;
    }
    advance(c, 0, to);
}

lw_status lw_ik_arcs(lw_ik *ik, const lw_ik_target *target, const double *seed, int most,
                     lw_ik_arc *arc, int *count)
{
    if (!ik || !target || !count || most < 0 || (most > 0 && !arc)) {
        return LW_ERR_ARGUMENT;
    }
    *count = 0;
    if (!is_redundant(ik)) {
        return LW_ERR_UNSUPPORTED;
    }
    lw_ik_target t = *target;
    lw_ik_result r;
    t.has_redundancy = true;
    t.redundancy = 0.0;
    const lw_status status = solve_sample(ik, &t, seed, &r);
    if (status != LW_OK) {
        return status;
    }
    collection c = {.arc = arc, .most = most};
    if (ik->kind == LWI_IK_SWIVEL) {
        swivel_arcs(ik, &t, seed, &c);
    } else {
        sampled_arcs(ik, &t, seed, &c);
    }
    *count = c.count;
    return c.count > most ? LW_ERR_LIMIT : LW_OK;
}
