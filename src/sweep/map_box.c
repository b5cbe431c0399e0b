// The largest box within a map: for every range of layers along z, the cells that are reached in
// all of them, and in these the largest rectangle, by a stack of columns that grow (the largest
// rectangle in a histogram).

#include <linkwork/workspace_map.h>

#include <stdlib.h>
#include <string.h>

typedef struct box {
    int low[3], high[3]; ///< cells; high is behind the last
    long long size;
} box;

typedef struct layers {
    int nx, ny;
    unsigned char *is_in; ///< [nx*ny] in all layers of the range
    int *height;          ///< [nx] rows up to the current one
    int *stack;           ///< [nx+1] columns whose heights ascend
} layers;

/// Compares the rectangles of one row, whose columns have these heights, with the best.
static void look_along(const layers *l, int row, int bottom, int top, box *best)
{
    const long long depth = top - bottom;
    int used = 0;
    for (int i = 0; i <= l->nx; ++i) {
        const int height = i < l->nx ? l->height[i] : 0;
        while (used > 0 && l->height[l->stack[used - 1]] >= height) {
            const int tall = l->height[l->stack[--used]];
            const int from = used > 0 ? l->stack[used - 1] + 1 : 0;
            const long long size = depth * tall * (i - from);
            if (size > best->size) {
                *best = (box){{from, row + 1 - tall, bottom}, {i, row + 1, top}, size};
            }
        }
        l->stack[used++] = i;
    }
}

static void look_between(const layers *l, int bottom, int top, box *best)
{
    memset(l->height, 0, (size_t)l->nx * sizeof *l->height);
    for (int j = 0; j < l->ny; ++j) {
        for (int i = 0; i < l->nx; ++i) {
            l->height[i] = l->is_in[(ptrdiff_t)j * l->nx + i] ? l->height[i] + 1 : 0;
        }
        look_along(l, j, bottom, top, best);
    }
}

static bool is_good(const lw_workspace_map *map, long long cell, double capability)
{
    const double share = map->capability ? (double)map->capability[cell] : 0.0;
    return capability > 0.0 ? share >= capability : map->count[cell] > 0 || share > 0.0;
}

lw_status lw_workspace_map_box(const lw_workspace_map *map, double capability, lw_vec3 *low,
                               lw_vec3 *high)
{
    if (!map || !map->count || !low || !high || !(capability >= 0.0 && capability <= 1.0) ||
        (capability > 0.0 && !map->capability)) {
        return LW_ERR_ARGUMENT;
    }
    const int nz = map->n[2];
    const long long plane = (long long)map->n[0] * map->n[1];
    if ((double)plane * nz * nz > 0x1p33) {
        return LW_ERR_LIMIT;
    }
    layers l = {.nx = map->n[0], .ny = map->n[1]};
    l.is_in = malloc((size_t)plane + 1);
    l.height = malloc(((size_t)l.nx + 1) * sizeof *l.height);
    l.stack = malloc(((size_t)l.nx + 1) * sizeof *l.stack);
    box best = {.size = 0};
    const lw_status status = l.is_in && l.height && l.stack ? LW_OK : LW_ERR_MEMORY;
    for (int bottom = 0; bottom < nz && status == LW_OK; ++bottom) {
        long long left = plane;
        memset(l.is_in, 1, (size_t)plane);
        for (int top = bottom; top < nz && left * (nz - bottom) > best.size; ++top) {
            left = 0;
            for (long long c = 0; c < plane; ++c) {
                l.is_in[c] = l.is_in[c] && is_good(map, top * plane + c, capability);
                left += l.is_in[c];
            }
            look_between(&l, bottom, top + 1, &best);
        }
    }
    free(l.is_in);
    free(l.height);
    free(l.stack);
    const double c = map->cell;
    *low = lw_vec3_of(map->low.x + c * best.low[0], map->low.y + c * best.low[1],
                      map->low.z + c * best.low[2]);
    *high = lw_vec3_of(map->low.x + c * best.high[0], map->low.y + c * best.high[1],
                       map->low.z + c * best.high[2]);
    return status;
}
