// bench_sweep: cases per second of sweeps on one core, maps of a workspace, and a loop of KDL in
// the same run: bench_sweep SOURCE_DIR [cell of the capability map, 0.05]
#include "measure.h"
#ifdef BENCH_HAS_KDL
#include "peers/ik_kdl.h"
#endif

#include <linkwork/ik.h>
#include <linkwork/kinematics.h>
#include <linkwork/sweep.h>
#include <linkwork/workspace_map.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 8 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Cases per second of processor time, the best of several blocks; without files.
static double rate_of(const char *source, const char *mode, const char *measure)
{
    char text[512], name[512];
    lw_sweep *sweep = NULL;
    lw_sweep_worker *worker = NULL;
    double best = 0.0;
    snprintf(name, sizeof name, "%s/models/plan.xml", source);
    snprintf(text, sizeof text,
             "<sweep model='ur5_class.xml' cases='10000000' mode='%s'><vary q='*'/>"
             "<measure of='%s'/></sweep>",
             mode, measure);
    if (lw_sweep_load_text(name, text, strlen(text), &sweep, NULL) != LW_OK ||
        lw_sweep_worker_create(sweep, &worker) != LW_OK) {
        return 0.0;
    }
    const lw_sweep_info info = lw_sweep_describe(sweep);
    double *rows = malloc((size_t)info.block * (size_t)info.ncolumn * sizeof *rows);
    for (int k = 0; k < ROUNDS && rows; ++k) {
        const double begin = now();
        lw_sweep_block(sweep, worker, k, rows);
        const double rate = info.block / (now() - begin);
        best = rate > best ? rate : best;
    }
    free(rows);
    lw_sweep_worker_destroy(worker);
    lw_sweep_destroy(sweep);
    return best;
}

// The same configurations, one by one.
static double rate_of_kdl(const char *source)
{
    double best = 0.0;
#ifdef BENCH_HAS_KDL
    char text[256], name[512];
    lw_sweep *sweep = NULL;
    lw_sweep_worker *worker = NULL;
    snprintf(name, sizeof name, "%s/models/plan.xml", source);
    snprintf(text, sizeof text,
             "<sweep model='ur5_class.xml' cases='65536'><vary q='*'/><measure of='q'/></sweep>");
    if (lw_sweep_load_text(name, text, strlen(text), &sweep, NULL) != LW_OK ||
        lw_sweep_worker_create(sweep, &worker) != LW_OK) {
        return 0.0;
    }
    static double rows[65536 * 7];
    lw_sweep_block(sweep, worker, 0, rows);
    const lw_model *m = lw_sweep_model(sweep, 0);
    const lw_ik_def def = lw_default_ik_def(-1, lw_find_frame(m, "tool"));
    const double low[8] = {-7, -7, -7, -7, -7, -7}, high[8] = {7, 7, 7, 7, 7, 7};
    lw_ik *ik = NULL;
    lw_ik_create(m, &def, &ik, NULL);
    ik_kdl *kdl = ik_kdl_create(lw_ik_describe(ik), low, high, 1e-6);
    double sum = 0.0;
    for (int k = 0; k < ROUNDS; ++k) {
        const double begin = now();
        for (int i = 0; i < 65536; ++i) {
            sum += ik_kdl_position(kdl, rows + (size_t)i * 7 + 1).x;
        }
        const double rate = 65536.0 / (now() - begin);
        best = rate > best ? rate : best;
    }
    bench_keep(&sum);
    ik_kdl_destroy(kdl);
    lw_ik_destroy(ik);
    lw_sweep_worker_destroy(worker);
    lw_sweep_destroy(sweep);
#else
    (void)source;
#endif
    return best;
}

// Queries of a map that was stored: cell, capability and witness of a direction.
static void query_figures(const lw_workspace_map *map)
{
    const size_t size = lw_workspace_map_size(map);
    void *bytes = malloc(size);
    lw_workspace_map stored = {0};
    if (bytes) {
        lw_workspace_map_write(map, bytes);
        lw_workspace_map_read(bytes, size, &stored);
    }
    free(bytes);
    double sum = 0.0;
    const double begin = now();
    for (int i = 0; i < 10000000 && stored.capability; ++i) {
        const double x = (double)(i % 1009) * 1e-3, y = (double)(i % 701) * 1e-3 - 0.3;
        const long long cell = lw_workspace_map_find(&stored, lw_vec3_of(x, y, 0.5 * x));
        const float *q = lw_workspace_map_witness(&stored, cell, i % stored.ndirection);
        sum += cell >= 0 ? (double)stored.capability[cell] + (q ? (double)q[0] : 0.0) : 0.0;
    }
    bench_keep(&sum);
    printf("query of a stored map            %10.1f ns, %.0f MB\n", (now() - begin) * 100.0,
           1e-6 * (double)size);
    lw_workspace_map_free(&stored);
}

// Random cells and directions, against numeric search from many starts; and every witness of these
// cells against its pose.
static void compare_with_search(const lw_model *m, const lw_workspace_map *map, int frame,
                                int nroll)
{
    lw_ik_def def = lw_default_ik_def(-1, frame);
    lw_ik *ik = NULL;
    lw_data *d = NULL;
    def.solver = LW_IK_BY_SEARCH;
    if (lw_ik_create(m, &def, &ik, NULL) != LW_OK || lw_data_create(m, &d) != LW_OK) {
        lw_ik_destroy(ik);
        return;
    }
    const long long cells = (long long)map->n[0] * map->n[1] * map->n[2];
    int asked = 0, missed = 0, wrong = 0, witnesses = 0;
    for (int i = 0; asked < 3000; ++i) {
        const long long cell = (long long)i * 7919 % cells;
        const int k = i * 31 % map->ndirection;
        const float *witness = lw_workspace_map_witness(map, cell, k);
        const lw_vec3 p = lw_workspace_map_center(map, cell);
        if (!(map->capability[cell] > 0.0F)) {
            continue;
        }
        ++asked;
        if (witness) {
            double q[64] = {0.0};
            lw_pose X;
            for (int j = 0; j < map->nq; ++j) {
                q[j] = (double)witness[j];
            }
            lw_pose_of_frame(m, d, q, frame, &X);
            wrong += !(lw_norm3(lw_sub3(X.p, p)) < 2e-6);
            ++witnesses;
            continue;
        }
        bool is_found = false;
        for (int r = 0; r < nroll && !is_found; ++r) {
            const lw_ik_target target = {
                .X_BT = {lw_workspace_orientation(map->ndirection, nroll, k * nroll + r), p}};
            lw_ik_result result;
            is_found = lw_ik_solve(ik, &target, NULL, &result) == LW_OK && result.nwithin > 0;
        }
        missed += is_found;
    }
    printf("against search from many starts: %d of %d missed, %d of %d witnesses wrong\n", missed,
           asked, wrong, witnesses);
    lw_data_destroy(d);
    lw_ik_destroy(ik);
}

static void map_figures(const char *source, double cell)
{
    char text[256], name[512];
    lw_sweep *sweep = NULL;
    snprintf(name, sizeof name, "%s/models/plan.xml", source);
    snprintf(text, sizeof text, "<sweep model='ur5_class.xml'><measure of='mass'/></sweep>");
    if (lw_sweep_load_text(name, text, strlen(text), &sweep, NULL) != LW_OK) {
        return;
    }
    const lw_model *m = lw_sweep_model(sweep, 0);
    lw_workspace_map_def def = lw_default_workspace_map_def(lw_find_frame(m, "tool"));
    lw_workspace_map map;
    def.cell = cell;
    def.samples = 4000000;
    def.mode = LW_SWEEP_FAST;
    double begin = now();
    lw_workspace_map_create(m, &def, &map, NULL);
    printf("map by samples, fast             %10.2f million/s\n",
           1e-6 * (double)def.samples / (now() - begin));
    lw_workspace_map_free(&map);
    def.samples = 1;
    def.ndirection = 200;
    def.nroll = 12;
    begin = now();
    lw_workspace_map_create(m, &def, &map, NULL);
    printf("capability map, %g m, %d orientations, %lld cells: %.1f s\n", cell, map.norientation,
           (long long)map.n[0] * map.n[1] * map.n[2], now() - begin);
    query_figures(&map);
    compare_with_search(m, &map, def.frame, def.nroll);
    lw_workspace_map_free(&map);
    def.checks_contact = true;
    def.cell = 4.0 * cell;
    begin = now();
    lw_workspace_map_create(m, &def, &map, NULL);
    printf("the same with collision, %g m, %lld cells: %.1f s\n", def.cell,
           (long long)map.n[0] * map.n[1] * map.n[2], now() - begin);
    lw_workspace_map_free(&map);
    lw_sweep_destroy(sweep);
}

int main(int argc, char **argv)
{
    const char *source = argc > 1 ? argv[1] : ".";
    const double fast = rate_of(source, "fast", "tool.position"), kdl = rate_of_kdl(source);
    printf("UR5, one core, a process's own time\n");
    printf("positions, fast                  %10.2f million/s\n", 1e-6 * fast);
    printf("positions, exact                 %10.2f million/s\n",
           1e-6 * rate_of(source, "exact", "tool.position"));
    printf("smallest singular value, fast    %10.2f million/s\n",
           1e-6 * rate_of(source, "fast", "tool.sigma_min"));
    if (kdl > 0.0) {
        printf("KDL, positions of the same q     %10.2f million/s; linkwork / KDL %.1f\n",
               1e-6 * kdl, fast / kdl);
    }
    map_figures(source, argc > 2 ? atof(argv[2]) : 0.05);
    return 0;
}
