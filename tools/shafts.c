#include "shafts.h"

#include <linkwork/motion.h>

#include <stdlib.h>

bool shafts_find(const lw_model *m, shaft_map *map)
{
    *map = (shaft_map){.m = m};
    if (m->nspring == 0) {
        return true;
    }
    map->G = calloc((size_t)m->nv * (size_t)m->nv + 1, sizeof *map->G);
    lw_data *d = lw_data_create(m);
    if (map->G && d && lw_shaft_ratios(m, d, m->q_reference, &map->nfollower, map->G) != LW_OK) {
        map->nfollower = 0;
    }
    const bool is_good = map->G && d;
    lw_data_destroy(d);
    return is_good;
}

void shafts_free(shaft_map *map)
{
    free(map->G);
    *map = (shaft_map){0};
}

bool shafts_is_follower(const shaft_map *map, int freedom)
{
    return map->nfollower > 0 && map->G[freedom * map->m->nv + freedom] == 0;
}

int shafts_follower_at(const shaft_map *map, int position)
{
    for (int k = 0; k < map->m->nv && map->nfollower > 0; ++k) {
        if (shafts_is_follower(map, k) && lw_position_of_freedom(map->m, k) == position) {
            return k;
        }
    }
    return -1;
}

void shafts_follow_position(const shaft_map *map, double *q)
{
    const lw_model *m = map->m;
    for (int e = 0; e < m->nv; ++e) {
        const int at = lw_position_of_freedom(m, e);
        if (at < 0 || !shafts_is_follower(map, e)) {
            continue;
        }
        q[at] = m->q_reference[at];
        for (int k = 0; k < m->nv; ++k) {
            const int i = lw_position_of_freedom(m, k);
            q[at] += i < 0 ? 0 : map->G[e * m->nv + k] * (q[i] - m->q_reference[i]);
        }
    }
}

void shafts_follow(const shaft_map *map, double *x)
{
    const int nv = map->m->nv;
    for (int e = 0; e < nv; ++e) {
        double sum = 0;
        if (!shafts_is_follower(map, e)) {
            continue;
        }
        for (int k = 0; k < nv; ++k) {
            sum += k == e ? 0 : map->G[e * nv + k] * x[k];
        }
        x[e] = sum;
    }
}

void shafts_spread_position(const shaft_map *map, double *q)
{
    int from = map->m->nq - map->nfollower;
    for (int i = map->m->nq - 1; i >= 0; --i) {
        q[i] = shafts_follower_at(map, i) < 0 ? q[--from] : 0;
    }
    shafts_follow_position(map, q);
}

void shafts_spread(const shaft_map *map, double *x)
{
    int from = map->m->nv - map->nfollower;
    for (int k = map->m->nv - 1; k >= 0; --k) {
        x[k] = shafts_is_follower(map, k) ? 0 : x[--from];
    }
    shafts_follow(map, x);
}

void shafts_gather(const shaft_map *map, double *tau)
{
    const int nv = map->m->nv;
    for (int e = 0; e < nv; ++e) {
        for (int k = 0; k < nv && shafts_is_follower(map, e); ++k) {
            tau[k] += k == e ? 0 : map->G[e * nv + k] * tau[e];
        }
    }
    for (int e = 0; e < nv; ++e) {
        tau[e] = shafts_is_follower(map, e) ? 0 : tau[e];
    }
}
