#include "fractal.h"

#include "../../src/base/splitmix.h"

#include <math.h>
#include <stdlib.h>

static double noise(unsigned long long *state, double size)
{
    return size * (2 * lwi_random_share(state) - 1);
}

// Fournier, Fussell and Carpenter (1982): the middles of squares, then of their edges.
lw_terrain *fractal_terrain(int level, double cell, double rough, double smooth,
                            unsigned long long seed)
{
    const int side = 1 << level, n = side + 1;
    double *z = calloc((size_t)n * (size_t)n, sizeof *z), size = rough;
    lw_terrain *terrain = NULL;
    for (int step = side; z && step > 1; step /= 2, size *= pow(2, -smooth)) {
        const int half = step / 2;
        for (int k = half; k < n; k += step) {
            for (int i = half; i < n; i += step) {
                const double *a = z + (k - half) * n + i - half, *b = z + (k + half) * n + i - half;
                z[k * n + i] = 0.25 * (a[0] + a[step] + b[0] + b[step]) + noise(&seed, size);
            }
        }
        for (int k = 0; k < n; k += half) {
            for (int i = (k / half) % 2 ? 0 : half; i < n; i += step) {
                double sum = 0;
                int count = 0;
                const int di[4] = {-half, half, 0, 0}, dk[4] = {0, 0, -half, half};
                for (int e = 0; e < 4; ++e) {
                    const int x = i + di[e], y = k + dk[e];
                    if (x >= 0 && x < n && y >= 0 && y < n) {
                        sum += z[y * n + x];
                        ++count;
                    }
                }
                z[k * n + i] = sum / count + noise(&seed, size);
            }
        }
    }
    const lw_terrain_def def = {n, n, 0, 0, cell, z};
    if (z && lw_terrain_create(&def, &terrain, NULL) != LW_OK) {
        terrain = NULL;
    }
    free(z);
    return terrain;
}
