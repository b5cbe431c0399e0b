// Meshes as triangles that are large enough to be seen: vertices in one cell of a grid become one
// (Rossignac and Borrel 1993), and triangles that lose a side are left out.
#include "scene_builder.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/// Cells by the vertices that stand for them.
typedef struct cell_table {
    int *slot; ///< [nslot] vertex + 1, or 0
    size_t nslot;
    int *chosen; ///< [nvertex] the vertex that stands for each
} cell_table;

static uint64_t cell_of(lw_vec3 p, double cell)
{
    const int64_t x = (int64_t)floor(p.x / cell), y = (int64_t)floor(p.y / cell);
    const int64_t z = (int64_t)floor(p.z / cell);
    return (uint64_t)x * 0x9e3779b97f4a7c15u + (uint64_t)y * 0xc2b2ae3d27d4eb4fu +
           (uint64_t)z * 0x165667b19e3779f9u;
}

static bool open_table(cell_table *table, int nvertex)
{
    table->nslot = 64;
    while (table->nslot < 2 * (size_t)nvertex) {
        table->nslot *= 2;
    }
    table->slot = calloc(table->nslot, sizeof *table->slot);
    table->chosen = malloc((size_t)nvertex * sizeof *table->chosen + 1);
    return table->slot && table->chosen;
}

// By the hash of the cell alone: two cells of one hash are drawn as one, which is not seen.
static void choose(cell_table *table, const lw_vec3 *at, int nvertex, double cell)
{
    for (int i = 0; i < nvertex; ++i) {
        const uint64_t key = cell_of(at[i], cell);
        size_t k = (size_t)(key ^ key >> 29) & (table->nslot - 1);
        while (table->slot[k] && cell_of(at[table->slot[k] - 1], cell) != key) {
            k = (k + 1) & (table->nslot - 1);
        }
        table->slot[k] = table->slot[k] ? table->slot[k] : i + 1;
        table->chosen[i] = table->slot[k] - 1;
    }
}

// A mirrored mesh goes round its triangles the other way.
static void add_triangles(lwi_scene_builder *b, const lw_mesh *mesh, const lw_vec3 *at,
                          const int *chosen, bool is_mirrored)
{
    for (int t = 0; t < mesh->ntriangle; ++t) {
        const int *corner = &mesh->triangle[3 * (size_t)t];
        const int i = chosen[corner[0]], j = chosen[corner[1]], k = chosen[corner[2]];
        if (i != j && j != k && k != i) {
            lwi_scene_add_point(b, at[i]);
            lwi_scene_add_point(b, at[is_mirrored ? k : j]);
            lwi_scene_add_point(b, at[is_mirrored ? j : k]);
        }
    }
}

void lwi_scene_mesh(lwi_scene_builder *b, const lw_shape_info *shape, const lw_pose *X,
                    bool is_envelope)
{
    const lw_mesh *mesh = &b->s->m->mesh[shape->data];
    const lw_vec3 s = shape->size, none = {0, 0, 0};
    lw_vec3 *at = malloc((size_t)mesh->nvertex * sizeof *at);
    cell_table table = {0};
    if (!at || !open_table(&table, mesh->nvertex)) {
        b->is_short = true;
        goto done;
    }
    for (int i = 0; i < mesh->nvertex; ++i) {
        const lw_vec3 p = mesh->vertex[i];
        at[i] = lw_pose_apply(X, lw_vec3_of(p.x * s.x, p.y * s.y, p.z * s.z));
    }
    choose(&table, at, mesh->nvertex, 0.2 * b->s->unit);
    if (!is_envelope) {
        lwi_scene_add(b, LW_SCENE_HULL, LW_SCENE_SHADOW, NULL, none, 0, 0);
        for (int i = 0; i < mesh->nvertex; ++i) {
            if (table.chosen[i] == i) {
                lwi_scene_add_point(b, at[i]);
            }
        }
    }
    lwi_scene_add(b, LW_SCENE_TRIANGLES, LW_SCENE_COVER, NULL, none, 0,
                  is_envelope ? LW_SCENE_SEE_THROUGH : 0);
    add_triangles(b, mesh, at, table.chosen, s.x * s.y * s.z < 0);

done:
    free(at);
    free(table.slot);
    free(table.chosen);
}
