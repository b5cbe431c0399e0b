// The check of several states side by side, one in each lane of a vector of floats, for the table
// of kernels (solids.h). A lane is free or hit only where rounding cannot have made it so; what is
// left in doubt is checked again in double.
#ifndef LWI_KERNEL_CHECK_LANES_H
#define LWI_KERNEL_CHECK_LANES_H

#include "solids.h"

#include <string.h>

#if defined(__AVX2__) && defined(__FMA__)
#define CHECK_LANES 8
#else
#define CHECK_LANES 4
#endif

_Static_assert(CHECK_LANES <= MOST_CHECK_LANES, "memory of the lanes");

typedef float floats __attribute__((vector_size(4 * CHECK_LANES)));
typedef int32_t masks __attribute__((vector_size(4 * CHECK_LANES)));

typedef struct floats3 {
    floats x, y, z;
} floats3;

// A capsule in each state.
typedef struct lane_capsule {
    floats3 p, u;
} lane_capsule;

static inline floats select_floats(masks mask, floats a, floats b)
{
    return (floats)(((masks)a & mask) | ((masks)b & ~mask));
}

static inline floats lane_dot(floats3 a, floats3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline floats3 lane_sub(floats3 a, floats3 b)
{
    return (floats3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline floats lane_clamp(floats x, float most)
{
    const floats high = most - (floats){0}, low = -high;
    x = select_floats(x < low, low, x);
    return select_floats(x > high, high, x);
}

static inline floats lane_abs(floats x)
{
    return (floats)((masks)x & 0x7fffffff);
}

static inline bool any_lane(masks mask)
{
    int32_t any = 0;
    for (int k = 0; k < CHECK_LANES; ++k) {
        any |= mask[k];
    }
    return any != 0;
}

// R p + t, where row i of R is at x[3 i] and t at x[9].
static inline floats3 lane_apply(const floats *x, lw_vec3 p, bool is_point)
{
    const float a = (float)p.x, b = (float)p.y, c = (float)p.z;
    floats3 r = {x[0] * a + x[1] * b + x[2] * c, x[3] * a + x[4] * b + x[5] * c,
                 x[6] * a + x[7] * b + x[8] * c};
    if (is_point) {
        r = (floats3){r.x + x[9], r.y + x[10], r.z + x[11]};
    }
    return r;
}

// Brings links and solids to their places in all lanes, around a point of each state. Returns how
// far away anything is, and marks the lanes in which something is too far or not finite.
static float place_lanes(const lw_collide *c, int n, const lw_pose *X, floats3 *ball,
                         lane_capsule *capsule, masks *is_bad)
{
    const int nlink = c->info.nlink;
    floats far = {0};
    for (int i = 0; i < nlink; ++i) {
        const link_solids *l = &c->link[i];
        floats x[12];
        float number[12][CHECK_LANES];
        for (int lane = 0; lane < CHECK_LANES; ++lane) { // lanes without a state repeat the last
            const lw_pose *state = &X[(ptrdiff_t)(lane < n ? lane : n - 1) * nlink];
            const lw_vec3 p = lw_sub3(state[i].p, state[nlink / 2].p);
            const double *R = &state[i].R.row[0].x;
            for (int k = 0; k < 9; ++k) {
                number[k][lane] = (float)R[k];
            }
            number[9][lane] = (float)p.x;
            number[10][lane] = (float)p.y;
            number[11][lane] = (float)p.z;
        }
        memcpy(x, number, sizeof x);
        ball[i] = lane_apply(x, l->center_L, true);
        const floats away = lane_abs(ball[i].x) + lane_abs(ball[i].y) + lane_abs(ball[i].z) +
                            (float)(l->reach + l->radius);
        far = select_floats(away > far, away, far);
        *is_bad |= ~(away < 1e15f - (floats){0});
        for (int s = l->first; s < l->first + l->count; ++s) {
            capsule[s].p = lane_apply(x, c->solid[s].p_L, true);
            capsule[s].u = lane_apply(x, c->solid[s].z_L, false);
        }
    }
    float most = 0.0f;
    for (int k = 0; k < CHECK_LANES; ++k) {
        most = far[k] > most ? far[k] : most;
    }
    return most;
}

typedef struct lane_verdict {
    masks is_hit, is_doubt;
} lane_verdict;

// As lwi_capsule_verdict(), with an error that covers all roundings of floats.
static inline void check_capsules(const lwi_capsule *a, const lane_capsule *A, const lwi_capsule *b,
                                  const lane_capsule *B, float margin, float error, lane_verdict *v)
{
    const float l = (float)a->half, m = (float)b->half;
    const float beyond = (float)(a->radius + b->radius) + margin;
    const float far = beyond + error, near = beyond - error;
    const floats3 c = lane_sub(B->p, A->p);
    const floats uv = lane_dot(A->u, B->u), uc = lane_dot(A->u, c), vc = lane_dot(B->u, c);
    const floats sine2 = 1.0f - uv * uv, least = 1e-6f - (floats){0};
    floats s = lane_clamp((uc - uv * vc) / select_floats(sine2 < least, least, sine2), l);
    const floats t = lane_clamp(uv * s - vc, m);
    s = lane_clamp(uv * t + uc, l);
    const floats3 d = {c.x + t * B->u.x - s * A->u.x, c.y + t * B->u.y - s * A->u.y,
                       c.z + t * B->u.z - s * A->u.z};
    const floats dd = lane_dot(d, d);
    const floats gap =
        lane_dot(d, c) - l * lane_abs(lane_dot(d, A->u)) - m * lane_abs(lane_dot(d, B->u));
    masks is_hit = dd <= near * near - (floats){0};
    is_hit = near > 0.0f ? is_hit : (masks){0};
    masks is_free = (gap > 0.0f - (floats){0}) & (dd > error * error - (floats){0});
    if (far > 0.0f) {
        is_free &= gap * gap > far * far * dd;
    }
    v->is_hit |= is_hit;
    v->is_doubt |= ~(is_hit | is_free);
}

// Lanes in which two balls are not proven to be farther apart than the margin.
static inline masks near_lanes(floats3 p, floats3 q, float beyond)
{
    const floats3 c = lane_sub(q, p);
    return ~(lane_dot(c, c) > beyond * beyond - (floats){0});
}

// Checks n states at most CHECK_LANES, whose links are at X [n*nlink].
static void check_lanes(lw_collide *c, int n, const lw_pose *X, double margin, lw_verdict *verdict)
{
    floats3 *ball = (floats3 *)(void *)c->lane_ball;
    lane_capsule *capsule = (lane_capsule *)(void *)c->lane_capsule;
    const float m = (float)margin;
    lane_verdict v = {{0}, {0}};
    masks is_bad = {0};
    const float far = place_lanes(c, n, X, ball, capsule, &is_bad);
    const float error = 6e-6f * (far + (m < 0.0f ? -m : m));
    for (int pair = 0; pair < c->info.npair; ++pair) {
        const int i = c->pair_link[2 * pair], j = c->pair_link[2 * pair + 1];
        const link_solids *a = &c->link[i], *b = &c->link[j];
        const float around = (float)(a->radius + b->radius) + m + error;
        if (c->pair[pair].reason != LW_PAIR_CHECKED || around < 0.0f ||
            !any_lane(near_lanes(ball[i], ball[j], around) & ~v.is_hit)) {
            continue;
        }
        for (int s = a->first; s < a->first + a->count; ++s) {
            for (int t = b->first; t < b->first + b->count; ++t) {
                const solid_at *x = &c->solid[s], *y = &c->solid[t];
                const float beyond = (float)(x->reach + y->reach) + m + error;
                const masks is_near = near_lanes(capsule[s].p, capsule[t].p, beyond) & ~v.is_hit;
                if (beyond < 0.0f || !any_lane(is_near)) {
                    continue;
                }
                if (x->is_capsule && y->is_capsule) {
                    check_capsules(&c->capsule[s], &capsule[s], &c->capsule[t], &capsule[t], m,
                                   error, &v);
                } else {
                    v.is_doubt |= is_near;
                }
            }
        }
        if (!any_lane(~v.is_hit)) {
            break;
        }
    }
    for (int k = 0; k < n; ++k) {
        verdict[k] = is_bad[k]       ? LW_VERDICT_UNCERTAIN
                     : v.is_hit[k]   ? LW_VERDICT_HIT
                     : v.is_doubt[k] ? LW_VERDICT_UNCERTAIN
                                     : LW_VERDICT_FREE;
    }
}

#endif
