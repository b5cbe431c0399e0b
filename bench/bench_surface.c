// Distances and contacts of meshes of 10,000 triangles: linkwork, and FCL where it is installed, on
// the same poses in one run; agreement is counted first. Then a capsule over terrain of 2000 cells.
#include "measure.h"
#ifdef BENCH_HAS_FCL
#include "peers/distance_fcl.h"
#endif

#include <linkwork/surface.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POSES = 128, RINGS = 71, SECTORS = 71, VERTICES = RINGS * SECTORS };
enum { TRIANGLES = 2 * (RINGS - 1) * SECTORS, NX = 51, NY = 41 };

static lw_distance_work work;
static lw_vec3 vertex[VERTICES];
static int triangle[3 * TRIANGLES];
static unsigned long long random_state = 1;

static double uniform(double low, double high)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(random_state >> 11) * 0x1p-53;
}

static lw_vec3 vector(double size)
{
    const double x = uniform(-size, size), y = uniform(-size, size);
    return lw_vec3_of(x, y, uniform(-size, size));
}

// A lumpy ring, which is not convex.
static void make_mesh(void)
{
    int n = 0;
    for (int i = 0; i < RINGS; ++i) {
        for (int j = 0; j < SECTORS; ++j) {
            const double u = 6.283185307179586 * i / RINGS, v = 6.283185307179586 * j / SECTORS;
            const double r = 0.15 + 0.02 * sin(5.0 * u) * cos(3.0 * v);
            vertex[i * SECTORS + j] =
                lw_vec3_of((0.4 + r * cos(v)) * cos(u), (0.4 + r * cos(v)) * sin(u), r * sin(v));
            if (i + 1 < RINGS) {
                const int a = i * SECTORS + j, b = i * SECTORS + (j + 1) % SECTORS;
                const int corner[6] = {a, a + SECTORS, b, b, a + SECTORS, b + SECTORS};
                for (int k = 0; k < 6; ++k) {
                    triangle[n++] = corner[k];
                }
            }
        }
    }
}

typedef struct mesh_pair {
    const lw_surface *a, *b;
    lw_pose X[2][POSES];
    double distance[POSES];
    double stop, cutoff;
#ifdef BENCH_HAS_FCL
    fcl_solid *peer;
#endif
} mesh_pair;

static void by_linkwork(void *context, int i)
{
    const mesh_pair *p = context;
    lw_search search = {.cutoff = p->cutoff, .stop = p->stop};
    lw_distance d;
    bool is_found;
    lw_find_surface_distance(p->a, &p->X[0][i], p->b, &p->X[1][i], &search, &work, &d, &is_found);
    bench_keep(&d);
}

#ifdef BENCH_HAS_FCL
static void by_fcl(void *context, int i)
{
    const mesh_pair *p = context;
    const double d = fcl_distance(p->peer, &p->X[0][i], p->peer, &p->X[1][i]);
    bench_keep(&d);
}

static void touch_by_fcl(void *context, int i)
{
    const mesh_pair *p = context;
    const bool is_hit = fcl_touch(p->peer, &p->X[0][i], p->peer, &p->X[1][i]);
    bench_keep(&is_hit);
}
#endif

// `is_counted` is for distance_counts.sh: one distance of each pose, and which overlap.
static void mesh_row(const char *name, mesh_pair *p, double far, bool is_counted)
{
    int hits = 0;
    for (int i = 0; i < POSES; ++i) {
        for (int side = 0; side < 2; ++side) {
            p->X[side][i] = (lw_pose){lw_exp3(vector(1.8)), vector(far)};
        }
        lw_search search = lw_default_search();
        lw_distance d;
        bool is_found;
        lw_find_surface_distance(p->a, &p->X[0][i], p->b, &p->X[1][i], &search, &work, &d,
                                 &is_found);
        p->distance[i] = d.distance;
        hits += d.upper <= 0.0;
        if (is_counted) {
            printf("%s\n", d.upper <= 0.0 ? "overlap" : "apart");
        }
    }
    if (is_counted) {
        return;
    }
    p->cutoff = HUGE_VAL;
    const double distance = bench_time(by_linkwork, p, POSES);
    p->cutoff = 0.0;
    const double touch = bench_time(by_linkwork, p, POSES);
    printf("%-10s %4.0f%% %10.0f %10.0f", name, 100.0 * hits / POSES, distance, touch);
#ifdef BENCH_HAS_FCL
    int differ = 0;
    for (int i = 0; i < POSES; ++i) {
        const double d = fcl_distance(p->peer, &p->X[0][i], p->peer, &p->X[1][i]);
        const bool is_hit = fcl_touch(p->peer, &p->X[0][i], p->peer, &p->X[1][i]);
        differ += is_hit != (p->distance[i] <= 0.0) ||
                  (p->distance[i] > 0.0 && fabs(d - p->distance[i]) > 1e-9);
    }
    const double peer[2] = {bench_time(by_fcl, p, POSES), bench_time(touch_by_fcl, p, POSES)};
    printf(" %10.0f %10.0f %6.2f %6.2f %6d", peer[0], peer[1], distance / peer[0], touch / peer[1],
           differ);
#endif
    printf("\n");
}

// Pairs of boxes and triangles that the tree compares, and what comparing all takes.
static void terrain_row(void)
{
    static double height[NX * NY];
    for (int i = 0; i < NX * NY; ++i) {
        height[i] = 0.1 * sin(0.4 * (i % NX)) * cos(0.3 * (i / NX)) + uniform(0.0, 0.05);
    }
    const lw_surface_options o = {.scale = {0.1, 0.1, 1.0}, .side = LW_SIDE_BELOW};
    lw_surface *terrain = NULL;
    if (lw_surface_create_heights(NX, NY, height, &o, &terrain) != LW_OK) {
        return;
    }
    const lw_solid arm = lw_capsule(0.06, 0.5);
    long long items[2] = {0, 0}, boxes = 0;
    int differ = 0;
    for (int i = 0; i < POSES; ++i) {
        const lw_pose X = lw_pose_identity();
        const lw_pose Y = {lw_exp3(vector(1.8)),
                           lw_vec3_of(uniform(0, 5), uniform(0, 4), uniform(-0.1, 1.0))};
        lw_verdict verdict[2];
        for (int way = 0; way < 2; ++way) {
            lw_search search = {.cutoff = 0.05, .stop = -HUGE_VAL, .is_exhaustive = way == 1};
            lw_distance d;
            bool is_found;
            lw_find_surface_solid_distance(terrain, &X, &arm, &Y, &search, &work, &d, &is_found);
            verdict[way] = is_found ? lw_verdict_of(&d, 0.0) : LW_VERDICT_FREE;
            items[way] += search.items;
            boxes += search.boxes;
        }
        differ += verdict[0] != verdict[1];
    }
    printf("capsule over terrain of %d cells: %.1f triangles and %.1f boxes of %d triangles a "
           "check (%.2f %% and %.2f %%), %d verdicts differ\n",
           (NX - 1) * (NY - 1), (double)items[0] / POSES, (double)boxes / POSES,
           2 * (NX - 1) * (NY - 1), 100.0 * (double)items[0] / (double)items[1],
           100.0 * (double)boxes / (double)items[1], differ);
    lw_surface_destroy(terrain);
}

int main(int argc, char **argv)
{
    static mesh_pair p;
    make_mesh();
    const lw_mesh mesh = {VERTICES, TRIANGLES, vertex, triangle, false};
    lw_surface *surface = NULL;
    if (lw_surface_create(&mesh, NULL, &surface) != LW_OK) {
        return 1;
    }
    p.a = p.b = surface;
    if (argc > 2 && strcmp(argv[2], "mesh-mesh") == 0) {
        mesh_row("near", &p, 0.6, true);
        lw_surface_destroy(surface);
        return 0;
    }
    printf("meshes of %d triangles: times in ns\n%-10s %5s %10s %10s", (int)TRIANGLES, "", "hits",
           "distance", "any hit");
#ifdef BENCH_HAS_FCL
    p.peer = fcl_mesh_create(&mesh);
    printf(" %10s %10s %6s %6s %6s", "FCL", "FCL hit", "ratio", "ratio", "differ");
#endif
    printf("\n");
    mesh_row("near", &p, 0.4, false);
    mesh_row("apart", &p, 1.2, false);
    terrain_row();
#ifdef BENCH_HAS_FCL
    fcl_solid_destroy(p.peer);
#endif
    lw_surface_destroy(surface);
    return 0;
}
