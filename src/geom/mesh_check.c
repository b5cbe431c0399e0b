#include "mesh_check.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The finalizer of MurmurHash3 (Appleby 2011).
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

// By coordinates, since STL files give each triangle vertices of its own.
static uint64_t hash_point(lw_vec3 p)
{
    const double coordinate[3] = {p.x, p.y, p.z};
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (int k = 0; k < 3; ++k) {
        const double value = coordinate[k] == 0.0 ? 0.0 : coordinate[k]; // zero has two signs
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        hash = mix(hash ^ bits);
    }
    return hash;
}

// In a closed surface every edge belongs to an even number of triangles, and where they agree on
// the outside half of these go along it each way.
lwi_mesh_surface lwi_mesh_check(const lw_mesh *mesh)
{
    lwi_mesh_surface surface = {0};
    uint64_t parity = 0, ways = 0;
    for (int t = 0; t < mesh->ntriangle; ++t) {
        lw_vec3 p[3];
        uint64_t hash[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = mesh->vertex[mesh->triangle[3 * (size_t)t + (size_t)k]];
            hash[k] = hash_point(p[k]);
        }
        for (int k = 0; k < 3; ++k) {
            const uint64_t a = hash[k], b = hash[(k + 1) % 3];
            if (a != b) {
                parity ^= mix(a + b);
                ways += mix(a ^ mix(b)) - mix(b ^ mix(a));
            }
        }
        const lw_vec3 u = lw_sub3(p[1], p[0]), v = lw_sub3(p[2], p[0]), normal = lw_cross3(u, v);
        const double longest = fmax(lw_dot3(u, u), lw_dot3(v, v));
        surface.ndegenerate += lw_norm3(normal) <= 1e-9 * longest;
        surface.volume += lw_dot3(lw_sub3(p[0], mesh->vertex[0]), normal) / 6.0;
    }
    surface.is_open = parity != 0;
    surface.is_mixed = !surface.is_open && ways != 0;
    return surface;
}

static bool are_equal(lw_vec3 a, lw_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

lw_status lwi_mesh_weld(lwi_mesh *mesh)
{
    size_t nslot = 16;
    while (nslot < 2 * (size_t)mesh->nvertex) {
        nslot *= 2;
    }
    int *slot = calloc(nslot, sizeof *slot); // vertex + 1
    int *number = malloc((size_t)mesh->nvertex * sizeof *number + 1);
    if (!slot || !number) {
        free(slot);
        free(number);
        return LW_ERR_MEMORY;
    }
    int count = 0;
    for (int i = 0; i < mesh->nvertex; ++i) {
        size_t at = hash_point(mesh->vertex[i]) & (nslot - 1);
        while (slot[at] && !are_equal(mesh->vertex[slot[at] - 1], mesh->vertex[i])) {
            at = (at + 1) & (nslot - 1);
        }
        if (!slot[at]) {
            mesh->vertex[count] = mesh->vertex[i];
            slot[at] = ++count;
        }
        number[i] = slot[at] - 1;
    }
    for (size_t k = 0; k < 3 * (size_t)mesh->ntriangle; ++k) {
        mesh->triangle[k] = number[mesh->triangle[k]];
    }
    mesh->nvertex = count;
    free(slot);
    free(number);
    return LW_OK;
}

lw_status lwi_mesh_of_heights(int nx, int ny, const double *height, lwi_mesh *mesh)
{
    enum { MOST = 1 << 26 };
    *mesh = (lwi_mesh){0};
    if (nx < 2 || ny < 2 || nx > MOST || ny > MOST / nx) {
        return LW_ERR_ARGUMENT;
    }
    const int n = nx * ny;
    for (int i = 0; i < n; ++i) {
        if (!isfinite(height[i])) {
            return LW_ERR_NUMBER;
        }
    }
    mesh->nvertex = n;
    mesh->ntriangle = 2 * (nx - 1) * (ny - 1);
    mesh->is_terrain = true;
    mesh->vertex = malloc((size_t)n * sizeof *mesh->vertex);
    mesh->triangle = malloc(3 * (size_t)mesh->ntriangle * sizeof *mesh->triangle);
    if (!mesh->vertex || !mesh->triangle) {
        lwi_mesh_free(mesh);
        return LW_ERR_MEMORY;
    }
    int *corner = mesh->triangle;
    for (int i = 0; i < n; ++i) {
        const int x = i % nx, y = i / nx;
        mesh->vertex[i] = lw_vec3_of(x, y, height[i]);
        if (x + 1 < nx && y + 1 < ny) {
            const int cell[6] = {i, i + 1, i + nx + 1, i, i + nx + 1, i + nx};
            memcpy(corner, cell, sizeof cell);
            corner += 6;
        }
    }
    return LW_OK;
}
