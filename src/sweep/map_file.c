// A map as bytes: a head of numbers, then its arrays. Witnesses are there where a direction is
// reached, one after the other.

#include "mapping.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char magic[8] = "LWMAP 1";

enum { HAS_BEST = 1, HAS_CAPABILITY = 2, MOST = 1 << 28 };

/// The begin of the bytes.
typedef struct head {
    char magic[8];
    uint64_t hash;
    double one; ///< 1.0: of this byte order
    double cell, low[3];
    int64_t samples, failed, nwitness; ///< witnesses that follow
    int32_t n[3], ndirection, norientation, nq, flags, naxis;
} head;

int lwi_map_witnesses(size_t cells, int ndirection, int nq)
{
    const double bytes = (double)cells * ndirection * nq * (double)sizeof(float);
    return bytes < 0x1p30 ? ndirection : 1;
}

static size_t cells_of(const lw_workspace_map *map)
{
    return (size_t)map->n[0] * (size_t)map->n[1] * (size_t)map->n[2];
}

const float *lw_workspace_map_witness(const lw_workspace_map *map, long long cell, int direction)
{
    if (!map || !map->capability || cell < 0 || cell >= (long long)cells_of(map) ||
        direction >= map->ndirection) {
        return NULL;
    }
    const long long stride = (map->ndirection + 7) / 8;
    const unsigned char *bits = map->reached + cell * stride;
    int k = direction >= 0 ? direction : 0;
    if (direction < 0) {
        while (k < map->ndirection && !(bits[k / 8] >> (k % 8) & 1)) {
            ++k;
        }
    }
    const bool has_one = k < map->ndirection && (bits[k / 8] >> (k % 8) & 1);
    // A single witness is that of the last direction that was solved: it answers for any.
    return !has_one || (map->nwitness == 1 && map->ndirection > 1 && direction >= 0)
               ? NULL
               : map->witness +
                     (cell * map->nwitness + (map->nwitness > 1 ? k : 0)) * (long long)map->nq;
}

/// Calls copy() for each witness, in the order of the bytes. Returns how many there are.
static long long each_witness(const lw_workspace_map *map,
                              void (*copy)(float *witness, size_t bytes, void *context),
                              void *context)
{
    const long long cells = (long long)cells_of(map), stride = (map->ndirection + 7) / 8;
    long long count = 0;
    for (long long c = 0; c < cells && map->capability; ++c) {
        int taken = 0;
        for (int k = 0; k < map->ndirection && taken < map->nwitness; ++k) {
            if (map->reached[c * stride + k / 8] >> (k % 8) & 1) {
                float *at = map->witness +
                            (c * map->nwitness + (map->nwitness > 1 ? k : 0)) * (long long)map->nq;
                if (copy) {
                    copy(at, (size_t)map->nq * sizeof *at, context);
                }
                taken += map->nwitness == 1;
                ++count;
            }
        }
    }
    return count;
}

static size_t size_of(size_t cells, const head *h)
{
    const size_t directions = ((size_t)h->ndirection + 7) / 8;
    return sizeof *h + cells * sizeof(unsigned) +
           (h->flags & HAS_BEST ? cells * sizeof(float) : 0) +
           (h->flags & HAS_CAPABILITY ? cells * (sizeof(float) + directions) : 0) +
           (size_t)h->nwitness * (size_t)h->nq * sizeof(float);
}

static head head_of(const lw_workspace_map *map)
{
    head h = {.hash = map->hash,
              .one = 1.0,
              .cell = map->cell,
              .low = {map->low.x, map->low.y, map->low.z},
              .samples = map->samples,
              .failed = map->failed,
              .nwitness = each_witness(map, NULL, NULL),
              .n = {map->n[0], map->n[1], map->n[2]},
              .ndirection = map->ndirection,
              .norientation = map->norientation,
              .nq = map->nq,
              .naxis = map->naxis,
              .flags = (map->best ? HAS_BEST : 0) | (map->capability ? HAS_CAPABILITY : 0)};
    memcpy(h.magic, magic, sizeof magic);
    return h;
}

size_t lw_workspace_map_size(const lw_workspace_map *map)
{
    const head h = head_of(map);
    return size_of(cells_of(map), &h);
}

static void put(unsigned char **to, const void *from, size_t bytes)
{
    memcpy(*to, from, bytes);
    *to += bytes;
}

static void put_witness(float *witness, size_t bytes, void *context)
{
    put(context, witness, bytes);
}

void lw_workspace_map_write(const lw_workspace_map *map, void *bytes)
{
    const size_t cells = cells_of(map);
    unsigned char *at = bytes;
    const head h = head_of(map);
    put(&at, &h, sizeof h);
    put(&at, map->count, cells * sizeof *map->count);
    if (map->best) {
        put(&at, map->best, cells * sizeof *map->best);
    }
    if (map->capability) {
        put(&at, map->capability, cells * sizeof *map->capability);
        put(&at, map->reached, cells * (((size_t)map->ndirection + 7) / 8));
    }
    each_witness(map, put_witness, &at);
}

/// Memory for an array, with the next bytes in it.
static void *take(const unsigned char **from, size_t count, size_t size)
{
    void *array = malloc(count * size + 1);
    if (array) {
        memcpy(array, *from, count * size);
    }
    *from += count * size;
    return array;
}

static void take_witness(float *witness, size_t bytes, void *context)
{
    const unsigned char **from = context;
    memcpy(witness, *from, bytes);
    *from += bytes;
}

static bool is_sound(const head *h, size_t size)
{
    double cells = 1.0;
    for (int i = 0; i < 3; ++i) {
        if (h->n[i] < 1 || !isfinite(h->low[i])) {
            return false;
        }
        cells *= h->n[i];
    }
    return memcmp(h->magic, magic, sizeof magic) == 0 && h->one == 1.0 && h->cell > 0.0 &&
           isfinite(h->cell) && cells <= MOST && h->nq >= 0 && h->nq <= 100000 &&
           h->nwitness >= 0 && (double)h->nwitness <= (double)size && h->ndirection >= 0 &&
           h->norientation >= h->ndirection && (h->flags & ~3) == 0 && h->naxis >= 0 &&
           h->naxis <= 3 && (h->ndirection > 0) == ((h->flags & HAS_CAPABILITY) != 0) &&
           (double)h->ndirection * cells <= 8.0 * (double)size && size_of((size_t)cells, h) == size;
}

lw_status lw_workspace_map_read(const void *bytes, size_t size, lw_workspace_map *map)
{
    if (!map) {
        return LW_ERR_ARGUMENT;
    }
    *map = (lw_workspace_map){0};
    head h;
    if (!bytes || size < sizeof h) {
        return bytes ? LW_ERR_SYNTAX : LW_ERR_ARGUMENT;
    }
    memcpy(&h, bytes, sizeof h);
    if (!is_sound(&h, size)) {
        return LW_ERR_SYNTAX;
    }
    *map = (lw_workspace_map){.cell = h.cell,
                              .low = {h.low[0], h.low[1], h.low[2]},
                              .n = {h.n[0], h.n[1], h.n[2]},
                              .samples = h.samples,
                              .failed = h.failed,
                              .naxis = h.naxis,
                              .ndirection = h.ndirection,
                              .norientation = h.norientation,
                              .nq = h.nq,
                              .hash = h.hash};
    const size_t cells = cells_of(map);
    const unsigned char *at = (const unsigned char *)bytes + sizeof h;
    map->count = take(&at, cells, sizeof *map->count);
    map->best = h.flags & HAS_BEST ? take(&at, cells, sizeof *map->best) : NULL;
    bool is_whole = map->count && (map->best || !(h.flags & HAS_BEST));
    if (h.flags & HAS_CAPABILITY) {
        map->nwitness = lwi_map_witnesses(cells, map->ndirection, map->nq);
        map->capability = take(&at, cells, sizeof *map->capability);
        map->reached = take(&at, cells, ((size_t)map->ndirection + 7) / 8);
        map->witness =
            calloc(cells * (size_t)map->nwitness, (size_t)(map->nq + 1) * sizeof *map->witness);
        is_whole = is_whole && map->capability && map->reached && map->witness;
    }
    if (!is_whole) {
        return LW_ERR_MEMORY;
    }
    if (each_witness(map, NULL, NULL) != h.nwitness) {
        return LW_ERR_SYNTAX;
    }
    each_witness(map, take_witness, &at);
    return LW_OK;
}
