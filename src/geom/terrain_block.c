// The block below a sheet, as terrain is one: height fields of other libraries have such a base.
//
// Walls stand below the edges of an odd number of triangles, and each has one triangle of the
// bottom, from a vertex that all of these share. Every edge then belongs to an even number of
// triangles, and the bottom covers, in parity, what the sheet covers: a half line along z that
// begins below it meets both.
#include "terrain_block.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int compare_edges(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// The edges that belong to an odd number of triangles, the smaller vertex in the upper half.
// Returns how many there are.
static size_t find_border(const lw_mesh *sheet, uint64_t *edge)
{
    size_t n = 0, count = 0;
    for (size_t k = 0; k < 3 * (size_t)sheet->ntriangle; ++k) {
        const uint64_t a = (uint64_t)sheet->triangle[k];
        const uint64_t b = (uint64_t)sheet->triangle[k % 3 == 2 ? k - 2 : k + 1];
        if (a != b) {
            edge[n++] = a < b ? a << 32 | b : b << 32 | a;
        }
    }
    qsort(edge, n, sizeof *edge, compare_edges);
    for (size_t i = 0; i < n;) {
        size_t same = i;
        while (same < n && edge[same] == edge[i]) {
            ++same;
        }
        const bool is_odd = (same - i) % 2 == 1;
        edge[count] = edge[i];
        count += is_odd;
        i = same;
    }
    return count;
}

// The vertices, and all of them again at the bottom: most of these are in no triangle.
static void set_vertices(const lw_mesh *sheet, lw_vec3 scale, lw_vec3 *vertex)
{
    lw_vec3 low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = lw_scale3(-1.0, low);
    for (int i = 0; i < sheet->nvertex; ++i) {
        const lw_vec3 v = sheet->vertex[i];
        const lw_vec3 p = {v.x * scale.x, v.y * scale.y, v.z * scale.z};
        low = lw_vec3_of(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = lw_vec3_of(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
        vertex[i] = p;
    }
    const double bottom = low.z - lw_norm3(lw_sub3(high, low));
    for (int i = 0; i < sheet->nvertex; ++i) {
        vertex[sheet->nvertex + i] = lw_vec3_of(vertex[i].x, vertex[i].y, bottom);
    }
}

lw_status lwi_block_below(const lw_mesh *sheet, lw_vec3 scale, lwi_mesh *block)
{
    const size_t n = (size_t)sheet->ntriangle;
    const int nvertex = sheet->nvertex;
    *block = (lwi_mesh){0};
    uint64_t *edge = malloc(3 * n * sizeof *edge + 1);
    const size_t nborder = edge ? find_border(sheet, edge) : 0, all = n + 3 * nborder;
    if (edge && (all > 1 << 28 || nvertex > 1 << 29)) {
        free(edge);
        return LW_ERR_ARGUMENT;
    }
    block->vertex = malloc(2 * (size_t)nvertex * sizeof *block->vertex);
    block->triangle = malloc(3 * all * sizeof *block->triangle + 1);
    if (!edge || !block->vertex || !block->triangle) {
        free(edge);
        lwi_mesh_free(block);
        return LW_ERR_MEMORY;
    }
    block->nvertex = 2 * nvertex;
    block->ntriangle = (int)all;
    set_vertices(sheet, scale, block->vertex);
    memcpy(block->triangle, sheet->triangle, 3 * n * sizeof *block->triangle);
    int *to = block->triangle + 3 * n;
    for (size_t i = 0; i < nborder; ++i) {
        const int a = (int)(edge[i] >> 32), b = (int)(edge[i] & 0xffffffffu);
        const int center = nvertex + (int)(edge[0] >> 32);
        const int corner[9] = {a,           b,      nvertex + b, a,          nvertex + b,
                               nvertex + a, center, nvertex + a, nvertex + b};
        memcpy(to, corner, sizeof corner);
        to += 9;
    }
    free(edge);
    return LW_OK;
}
