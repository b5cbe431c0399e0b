// Whether links hit each other in one state, for the table of kernels (solids.h): balls around
// links first, then those around solids, then the solids.
#ifndef LWI_KERNEL_CHECK_H
#define LWI_KERNEL_CHECK_H

#include "solids.h"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

static bool place_balls(lw_collide *c, const lw_pose *X_WB)
{
    const ball_list *balls = &c->balls;
    double far = 0.0;
    for (int i = 0; i < c->info.nlink; ++i) {
        const link_solids *l = &c->link[i];
        const lw_vec3 p = l->body < 0 ? l->center : lw_pose_apply(&X_WB[l->body], l->center);
        balls->x[i] = p.x;
        balls->y[i] = p.y;
        balls->z[i] = p.z;
        far += fabs(p.x) + fabs(p.y) + fabs(p.z);
    }
    ++c->now;
    c->skew = 0.0;
    return far < 1e49;
}

// Rounding may move a squared distance by this share, at the most.
#define BALL_SLACK (1.0 - 1e-12)

static int near_balls(int n, const ball_list *balls, double margin, int *pair)
{
    const double *x = balls->x, *y = balls->y, *z = balls->z, *r = balls->r;
    int count = 0, first = 0; // `first` is the pair of i with i + 1
    for (int i = 0; i < n; ++i) {
#if defined(__AVX2__) && defined(__FMA__)
        const __m256d xi = _mm256_set1_pd(x[i]), yi = _mm256_set1_pd(y[i]);
        const __m256d zi = _mm256_set1_pd(z[i]), beyond = _mm256_set1_pd(r[i] + margin);
        const __m256d slack = _mm256_set1_pd(BALL_SLACK), zero = _mm256_setzero_pd();
        for (int j = i + 1; j < n; j += 4) {
            const __m256d dx = _mm256_sub_pd(_mm256_loadu_pd(&x[j]), xi);
            const __m256d dy = _mm256_sub_pd(_mm256_loadu_pd(&y[j]), yi);
            const __m256d dz = _mm256_sub_pd(_mm256_loadu_pd(&z[j]), zi);
            const __m256d far = _mm256_add_pd(_mm256_loadu_pd(&r[j]), beyond);
            const __m256d dd = _mm256_mul_pd(
                slack, _mm256_fmadd_pd(dx, dx, _mm256_fmadd_pd(dy, dy, _mm256_mul_pd(dz, dz))));
            const __m256d is_near =
                _mm256_and_pd(_mm256_cmp_pd(dd, _mm256_mul_pd(far, far), _CMP_LE_OQ),
                              _mm256_cmp_pd(far, zero, _CMP_GE_OQ));
            const unsigned those = n - j < 4 ? (1u << (n - j)) - 1u : 15u;
            for (unsigned m = (unsigned)_mm256_movemask_pd(is_near) & those; m; m &= m - 1) {
                pair[count++] = first + j - i - 1 + __builtin_ctz(m);
            }
        }
#else
        for (int j = i + 1; j < n; ++j) {
            const double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            const double far = r[j] + (r[i] + margin);
            pair[count] = first + j - i - 1;
            count += far >= 0.0 && (dx * dx + dy * dy + dz * dz) * BALL_SLACK <= far * far;
        }
#endif
        first += n - 1 - i;
    }
    return count;
}

static lw_verdict pair_verdict(lw_collide *c, const lw_pose *X_WB, int pair, double margin,
                               int solid[2])
{
    const int side[2] = {c->pair_link[2 * pair], c->pair_link[2 * pair + 1]};
    const link_solids *a = &c->link[side[0]], *b = &c->link[side[1]];
    lw_verdict worst = LW_VERDICT_FREE;
    if (a->nnode + b->nnode + (int)c->method > 0) {
        return lwi_tree_verdict(c, X_WB, pair, margin, solid);
    }
    lwi_place_link(c, X_WB, side[0]);
    lwi_place_link(c, X_WB, side[1]);
    for (int i = a->first; i < a->first + a->count; ++i) {
        for (int j = b->first; j < b->first + b->count; ++j) {
            const solid_at *s = &c->solid[i], *t = &c->solid[j];
            const lw_vec3 apart = lw_sub3(c->capsule[j].p, c->capsule[i].p);
            const double beyond = s->reach + t->reach + margin;
            if (beyond < 0.0 || lw_dot3(apart, apart) * BALL_SLACK > beyond * beyond) {
                continue;
            }
            lw_verdict v = LW_VERDICT_UNCERTAIN;
            if (s->is_capsule && t->is_capsule) {
                ++c->count.shapes;
                v = lwi_capsule_verdict(&c->capsule[i], &c->capsule[j], c->skew, margin);
            }
            if (v == LW_VERDICT_UNCERTAIN) {
                v = lwi_solid_verdict(c, X_WB, i, j, margin);
            }
            if (v != LW_VERDICT_FREE) {
                worst = v;
                solid[0] = i;
                solid[1] = j;
            }
            if (v == LW_VERDICT_HIT) {
                return v;
            }
        }
    }
    return worst;
}

#endif
