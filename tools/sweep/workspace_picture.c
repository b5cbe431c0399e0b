#include "sweep/workspace_picture.h"

#include "draw/plot.h"
#include "support/files.h"
#include "support/message.h"

#include <math.h>

static const int across[3] = {0, 1, 0}, up[3] = {2, 2, 1}, through[3] = {1, 0, 2};

enum { LONGEST = 720, RIM = 44, TICKS = 8 }; ///< pixels, but the last

typedef struct view {
    double low[2], scale, height;
} view;

static double seen_x(const view *v, double x)
{
    return RIM + (x - v->low[0]) * v->scale;
}

static double seen_y(const view *v, double y)
{
    return RIM + v->height - (y - v->low[1]) * v->scale;
}

// How good a cell is, from 0 to 1: its capability, else its manipulability.
static double quality(const lw_workspace_map *map, long long cell, double best)
{
    return map->capability ? (double)map->capability[cell]
           : best > 0.0    ? (double)map->best[cell] / best
                           : 1.0;
}

static void paint_cells(FILE *file, const view *v, const lw_workspace_map *map, int plane,
                        double at)
{
    const double low[3] = {map->low.x, map->low.y, map->low.z};
    double p[3], best = 0.0;
    const long long cells = (long long)map->n[0] * map->n[1] * map->n[2];
    for (long long c = 0; c < cells && map->best; ++c) {
        best = fmax(best, (double)map->best[c]);
    }
    for (int i = 0; i < map->n[across[plane]]; ++i) {
        for (int k = 0; k < map->n[up[plane]]; ++k) {
            p[across[plane]] = low[across[plane]] + (i + 0.5) * map->cell;
            p[up[plane]] = low[up[plane]] + (k + 0.5) * map->cell;
            p[through[plane]] = at;
            const long long c = lw_workspace_map_find(map, lw_vec3_of(p[0], p[1], p[2]));
            if (c < 0 || (map->count[c] == 0 && !(map->capability && map->capability[c] > 0.0F))) {
                continue;
            }
            const double side = map->cell * v->scale;
            fprintf(file,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%.2f\" "
                    "fill-opacity=\"%.2f\"/>\n",
                    seen_x(v, p[across[plane]] - 0.5 * map->cell),
                    seen_y(v, p[up[plane]] + 0.5 * map->cell), side, side,
                    0.12 + 0.68 * quality(map, c, best));
        }
    }
}

// The numbers along both axes, in metres.
static void paint_axes(FILE *file, const view *v, double width, double height, int plane)
{
    static const char *const name = "xyz";
    const double tick = plot_tick(fmax(width, height), TICKS), bottom = RIM + v->height;
    const long first[2] = {lround(ceil(v->low[0] / tick)), lround(ceil(v->low[1] / tick))};
    fprintf(file, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%.1f\"/>\n", RIM,
            RIM, width * v->scale, v->height);
    for (long i = first[0]; (double)i * tick <= v->low[0] + width; ++i) {
        const double x = seen_x(v, (double)i * tick);
        fprintf(file,
                "<path class=\"frame\" d=\"M%.1f %.1fv5\"/><text class=\"number\" x=\"%.1f\" "
                "y=\"%.1f\" text-anchor=\"middle\">%g</text>\n",
                x, bottom, x, bottom + 17.0, (double)i * tick);
    }
    for (long i = first[1]; (double)i * tick <= v->low[1] + height; ++i) {
        const double y = seen_y(v, (double)i * tick);
        fprintf(file,
                "<path class=\"frame\" d=\"M%d %.1fh-5\"/><text class=\"number\" x=\"%d\" "
                "y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                RIM, y, RIM - 8, y + 4.0, (double)i * tick);
    }
    fprintf(file,
            "<text class=\"number\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%c, m</text>\n"
            "<text class=\"number\" x=\"6\" y=\"%d\">%c, m</text>\n",
            RIM + width * v->scale, bottom + 34.0, name[across[plane]], RIM - 8, name[up[plane]]);
}

static void paint_boundary(FILE *file, const view *v, const lw_boundary *b)
{
    for (int c = 0; c < b->ncurve; ++c) {
        const lw_boundary_curve *curve = &b->curve[c];
        fprintf(file, "<polyline class=\"%s\" points=\"",
                curve->is_barrier ? "barrier" : "boundary");
        for (int i = curve->first; i < curve->first + curve->count; ++i) {
            fprintf(file, "%.2f,%.2f ", seen_x(v, b->point[2 * i]), seen_y(v, b->point[2 * i + 1]));
        }
        fputs("\"/>\n", file);
    }
    if (b->has_box) {
        fprintf(file,
                "<rect class=\"box\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
                seen_x(v, b->box[0] - 0.5 * b->box[2]), seen_y(v, b->box[1] + 0.5 * b->box[2]),
                b->box[2] * v->scale, b->box[2] * v->scale);
    }
}

int workspace_picture(const char *path, const lw_workspace_map *map, const lw_boundary *boundary,
                      const char *measure, int plane, double at)
{
    static const char *const name = "xyz";
    const double low[3] = {map->low.x, map->low.y, map->low.z};
    const double width = map->n[across[plane]] * map->cell, height = map->n[up[plane]] * map->cell;
    view v = {{low[across[plane]], low[up[plane]]}, LONGEST / fmax(width, height), 0.0};
    v.height = height * v.scale;
    file_draft draft;
    const int code = file_begin(&draft);
    if (code != EXIT_GOOD) {
        return code;
    }
    fprintf(draft.to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\">\n"
            "<style>text{font:13px Helvetica,Arial,sans-serif;fill:#222}"
            ".boundary{fill:none;stroke:#d1495b;stroke-width:2}"
            ".barrier{fill:none;stroke:#555;stroke-width:1;stroke-dasharray:5 4}"
            ".box{fill:none;stroke:#2e8b57;stroke-width:2}"
            ".frame{fill:none;stroke:#888}.number{font-size:11px}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n<g fill=\"#1b6ca8\">\n",
            fmax(width * v.scale, LONGEST) + 2 * RIM, v.height + 2 * RIM);
    paint_cells(draft.to, &v, map, plane, at);
    fputs("</g>\n", draft.to);
    paint_axes(draft.to, &v, width, height, plane);
    if (boundary) {
        paint_boundary(draft.to, &v, boundary);
    }
    fprintf(draft.to,
            "<text x=\"%d\" y=\"24\">section %c = %g m; cells of %g m shaded by %s; boundary red, "
            "barriers dashed%s</text>\n</svg>\n",
            RIM, name[through[plane]], at, map->cell, map->capability ? "capability" : measure,
            boundary && boundary->has_box ? ", largest square green" : "");
    return file_end(&draft, path);
}
