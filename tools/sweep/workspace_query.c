#include "sweep/workspace_query.h"

#include "support/files.h"
#include "support/message.h"
#include "support/numeral.h"

#include <math.h>
#include <stdlib.h>

int workspace_store(const char *path, const lw_workspace_map *map)
{
    const size_t size = lw_workspace_map_size(map);
    char *bytes = malloc(size);
    if (!bytes) {
        return no_memory();
    }
    lw_workspace_map_write(map, bytes);
    const int code = file_write(path, bytes, size);
    free(bytes);
    return code;
}

static int read_map(job *work, lw_workspace_map *map)
{
    const char *path = args_value(work->args, OPT_STORED);
    char *bytes = NULL;
    size_t size = 0;
    const int code = file_read(path, &bytes, &size);
    if (code != EXIT_GOOD) {
        return code;
    }
    const lw_status status = lw_workspace_map_read(bytes, size, map);
    free(bytes);
    if (status == LW_ERR_SYNTAX) {
        return complain(EXIT_INPUT, "%s is no map of a workspace, or of another machine", path);
    }
    if (status == LW_OK && map->hash != lw_model_hash(work->m)) {
        return complain(EXIT_INPUT, "%s is a map of another model, or of another level of detail",
                        path);
    }
    return status == LW_OK ? EXIT_GOOD : no_memory();
}

static lw_vec3 direction_of(const lw_workspace_map *map, int k)
{
    const lw_mat3 R = lw_workspace_orientation(map->ndirection, 1, k);
    return lw_vec3_of(R.row[0].z, R.row[1].z, R.row[2].z);
}

// The direction of the map that is nearest to d, and the angle between them.
static int nearest_direction(const lw_workspace_map *map, lw_vec3 d, double *angle)
{
    int best = 0;
    double most = -1e300;
    for (int k = 0; k < map->ndirection; ++k) {
        const double along = lw_dot3(direction_of(map, k), d);
        if (along > most) {
            most = along;
            best = k;
        }
    }
    const lw_vec3 found = direction_of(map, best);
    *angle = atan2(lw_norm3(lw_cross3(found, d)), lw_dot3(found, d));
    return best;
}

static const double *witness_of(job *work, const lw_workspace_map *map, long long cell, int k)
{
    const float *witness = lw_workspace_map_witness(map, cell, k);
    double *q = witness ? memory_numbers(work->pool, map->nq + 1, 1) : NULL;
    for (int i = 0; witness && i < map->nq; ++i) {
        q[i] = (double)witness[i];
    }
    return q;
}

static void print_cell(job *work, const lw_workspace_map *map, long long cell, int asked,
                       double angle)
{
    output *out = &work->out;
    const lw_vec3 p = lw_workspace_map_center(map, cell);
    const double center[3] = {p.x, p.y, p.z};
    const double *q = witness_of(work, map, cell, asked);
    int reached = 0;
    for (int k = 0; k < map->ndirection; ++k) {
        reached += map->reached[cell * ((map->ndirection + 7) / 8) + k / 8] >> (k % 8) & 1;
    }
    if (out->is_json) {
        out->json = output_object(out);
        output_put(out, out->json, "cell l, center o, samples l, manipulability f", (long)cell,
                   output_numbers(out, center, 3), (long)map->count[cell],
                   map->best ? (double)map->best[cell] : 0.0);
        if (map->capability) {
            output_put(out, out->json, "capability f, directions d, witness o",
                       (double)map->capability[cell], reached,
                       q ? output_numbers(out, q, map->nq) : json_null());
        }
        if (asked >= 0) {
            const lw_vec3 d = direction_of(map, asked);
            const double direction[3] = {d.x, d.y, d.z};
            output_put(out, out->json, "direction o, off f", output_numbers(out, direction, 3),
                       angle);
        }
        return;
    }
    fprintf(out->text, "cell about (%.6g, %.6g, %.6g): %u samples", p.x, p.y, p.z,
            map->count[cell]);
    if (map->capability) {
        fprintf(out->text, ", capability %.4g, %d of %d directions", (double)map->capability[cell],
                reached, map->ndirection);
    }
    fputs("\n", out->text);
    if (asked >= 0) {
        const lw_vec3 d = direction_of(map, asked);
        fprintf(out->text, "direction (%.4f, %.4f, %.4f), %.2f degrees off, is %s\n", d.x, d.y, d.z,
                360.0 / TWO_PI * angle,
                q ? "reached" : "not reached, or the map has no witness of it");
    }
    if (q) {
        output_table(out, "q", (const char *const *)work->m->position_name, map->nq, NULL, 1, q);
    }
}

int workspace_query(job *work)
{
    const command_line *args = work->args;
    lw_workspace_map map = {0};
    double p[3], d[3] = {0}, angle = 0.0;
    if (!args_has(args, OPT_STORED) || !args_has(args, OPT_QUERY)) {
        return complain(EXIT_USAGE, "--query and --stored go together");
    }
    int code = args_numbers(args, OPT_QUERY, 3, p);
    if (code == EXIT_GOOD && args_has(args, OPT_DIRECTION)) {
        code = args_numbers(args, OPT_DIRECTION, 3, d);
        if (code == EXIT_GOOD && d[0] == 0.0 && d[1] == 0.0 && d[2] == 0.0) {
            code = complain(EXIT_USAGE, "--direction is zero, which is no direction");
        }
    }
    code = code == EXIT_GOOD ? read_map(work, &map) : code;
    if (code == EXIT_GOOD && args_has(args, OPT_DIRECTION) && map.ndirection == 0) {
        code = complain(EXIT_USAGE, "the map has no directions: it was made without --directions");
    }
    if (code == EXIT_GOOD) {
        const long long cell = lw_workspace_map_find(&map, lw_vec3_of(p[0], p[1], p[2]));
        if (cell < 0) {
            code = complain(EXIT_INPUT, "the point is outside of the map");
        } else {
            const int asked = args_has(args, OPT_DIRECTION)
                                  ? nearest_direction(&map, lw_vec3_of(d[0], d[1], d[2]), &angle)
                                  : -1;
            print_cell(work, &map, cell, asked, angle);
        }
    }
    lw_workspace_map_free(&map);
    return code;
}
