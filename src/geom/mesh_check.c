#include "mesh_check.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// The finalizer of MurmurHash3 (Appleby 2011).
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

// By coordinates, since STL files give each triangle vertices of its own.
static uint64_t hash_point(const double p[3])
{
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (int k = 0; k < 3; ++k) {
        const double value = p[k] == 0.0 ? 0.0 : p[k]; // zero has two signs
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        hash = mix(hash ^ bits);
    }
    return hash;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// In a closed surface every edge belongs to an even number of triangles, and where they agree on
// the outside half of these go along it each way.
lwi_mesh_surface lwi_mesh_check(const lwi_mesh *mesh)
{
    lwi_mesh_surface surface = {0};
    uint64_t parity = 0, ways = 0;
    for (int t = 0; t < mesh->ntriangle; ++t) {
        const double *p[3];
        double e[3][3], normal[3];
        uint64_t hash[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = mesh->vertex + 3 * (size_t)mesh->triangle[3 * (size_t)t + (size_t)k];
            hash[k] = hash_point(p[k]);
        }
        for (int k = 0; k < 3; ++k) {
            const uint64_t a = hash[k], b = hash[(k + 1) % 3];
            if (a != b) {
                parity ^= mix(a + b);
                ways += mix(a ^ mix(b)) - mix(b ^ mix(a));
            }
            for (int i = 0; i < 3; ++i) {
                e[k][i] = p[(k + 1) % 3][i] - p[0][i];
            }
        }
        cross(e[0], e[1], normal);
        const double longest = fmax(dot(e[0], e[0]), dot(e[1], e[1]));
        surface.ndegenerate += sqrt(dot(normal, normal)) <= 1e-9 * longest;
        double from[3];
        for (int i = 0; i < 3; ++i) {
            from[i] = p[0][i] - mesh->vertex[i];
        }
        surface.volume += dot(from, normal) / 6.0;
    }
    surface.is_open = parity != 0;
    surface.is_mixed = !surface.is_open && ways != 0;
    return surface;
}
