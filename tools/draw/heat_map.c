#include "draw/heat_map.h"

#include "draw/picture.h"
#include "support/files.h"
#include "support/message.h"

#include <math.h>
#include <stdlib.h>

enum { LEFT = 80, TOP = 80, BOTTOM = 60, CELL = 7, COLORS = 48, BAR = 22, STEPS = 5 };

/// Where cells are.
typedef struct grid {
    double x0, y0, cell; ///< of the lower left corner, and the side of a cell
    int nx, ny;
    double low, high; ///< of the values
    double *value;    ///< [nx*ny] not above zero where there is none
} grid;

// From pale yellow over red to dark violet, so that it is read without colours too.
static int color_of(double share)
{
    static const int stop[] = {0xfff3c4, 0xfdbb5b, 0xe8604c, 0xa32a6b, 0x3b1152};
    const double at = fmin(fmax(share, 0.0), 1.0) * 4.0;
    const int i = at >= 4.0 ? 3 : (int)at;
    const double t = at - i;
    int mixed = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        const int a = stop[i] >> shift & 255, b = stop[i + 1] >> shift & 255;
        mixed |= (int)lround(a + t * (b - a)) << shift;
    }
    return mixed;
}

static grid make_grid(memory *pool, const heat_map *map)
{
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < map->count; ++i) {
        low[0] = fmin(low[0], map->x[i]);
        low[1] = fmin(low[1], map->y[i]);
        high[0] = fmax(high[0], map->x[i]);
        high[1] = fmax(high[1], map->y[i]);
    }
    const double longest = fmax(fmax(high[0] - low[0], high[1] - low[1]), 1e-6);
    grid g = {.x0 = low[0], .y0 = low[1], .cell = longest / HEAT_CELLS, .low = HUGE_VAL};
    g.nx = (int)((high[0] - low[0]) / g.cell) + 1;
    g.ny = (int)((high[1] - low[1]) / g.cell) + 1;
    g.value = memory_numbers(pool, g.nx, g.ny);
    for (int i = 0; i < map->count; ++i) {
        const int x = (int)((map->x[i] - g.x0) / g.cell), y = (int)((map->y[i] - g.y0) / g.cell);
        double *cell = &g.value[y * g.nx + x];
        *cell = fmax(*cell, map->value[i]);
    }
    for (int i = 0; i < g.nx * g.ny; ++i) {
        if (g.value[i] > 0.0) {
            g.low = fmin(g.low, g.value[i]);
            g.high = fmax(g.high, g.value[i]);
        }
    }
    return g;
}

static void print_head(FILE *file, const heat_map *map, double width, double height)
{
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
            "<text x=\"%d\" y=\"26\" font-size=\"17\" fill=\"#222222\">",
            width, height, width, height, LEFT);
    svg_print(file, map->title);
    fprintf(file, "</text>\n<text x=\"%d\" y=\"46\" fill=\"#555555\">", LEFT);
    svg_print(file, map->subtitle);
    fputs("</text>\n", file);
}

static void print_axes(FILE *file, const heat_map *map, const grid *g, double pixels)
{
    const double width = g->nx * pixels, height = g->ny * pixels;
    for (int i = 0; i <= STEPS; ++i) {
        const double share = (double)i / STEPS;
        fprintf(file,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"#444444\">%.3g</text>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"#444444\">%.3g</text>\n",
                LEFT + share * width, TOP + height + 18.0, g->x0 + share * g->nx * g->cell,
                LEFT - 8, TOP + height * (1.0 - share) + 4.0, g->y0 + share * g->ny * g->cell);
    }
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"#222222\">",
            LEFT + 0.5 * width, TOP + height + 40.0);
    svg_print(file, map->x_name);
    fprintf(file,
            "</text>\n<text transform=\"translate(22 %.1f) rotate(-90)\" "
            "text-anchor=\"middle\" fill=\"#222222\">",
            TOP + 0.5 * height);
    svg_print(file, map->y_name);
    fputs("</text>\n", file);
}

static void print_scale(FILE *file, const heat_map *map, const grid *g, double x, double height)
{
    const double part = height / 64.0;
    for (int i = 0; i < 64; ++i) {
        fprintf(file, "<rect x=\"%.1f\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" fill=\"#%06x\"/>",
                x, TOP + height - (i + 1) * part, BAR, part + 0.5, (unsigned)color_of(i / 63.0));
    }
    for (int i = 0; i <= STEPS; ++i) {
        const double share = (double)i / STEPS;
        fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#444444\">%.3g</text>\n", x + BAR + 6.0,
                TOP + height * (1.0 - share) + 4.0, g->low + share * (g->high - g->low));
    }
    fprintf(file, "<text x=\"%.1f\" y=\"%d\" fill=\"#222222\">", x - 10.0, TOP - 10);
    svg_print(file, map->value_name);
    fputs("</text>\n", file);
}

// A path of squares for each of COLORS colours.
static void print_cells(FILE *file, const grid *g, double pixels)
{
    const double range = g->high > g->low ? g->high - g->low : 1.0;
    for (int color = 0; color < COLORS; ++color) {
        fprintf(file, "<path fill=\"#%06x\" d=\"", (unsigned)color_of(color / (COLORS - 1.0)));
        for (int i = 0; i < g->nx * g->ny; ++i) {
            const double share = (g->value[i] - g->low) / range;
            if (g->value[i] > 0.0 && (int)lround(share * (COLORS - 1)) == color) {
                fprintf(file, "M%.0f %.0fh%dv%dh-%dz", LEFT + i % g->nx * pixels,
                        TOP + g->ny * pixels - (i / g->nx + 1) * pixels, CELL, CELL, CELL);
            }
        }
        fputs("\"/>\n", file);
    }
}

int heat_map_write(memory *pool, const heat_map *map, const char *path)
{
    const grid g = make_grid(pool, map);
    if (!(g.high > 0.0)) {
        return complain(EXIT_NUMERIC, "there is nothing to draw in %s", path);
    }
    const double pixels = CELL, height = g.ny * pixels;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file) {
        return no_memory();
    }
    const double edge = LEFT + g.nx * pixels;
    print_head(file, map, fmax(edge + 150.0, 560.0), TOP + height + BOTTOM);
    print_cells(file, &g, pixels);
    fprintf(file,
            "\n<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"#888888\"/>\n",
            LEFT, TOP, g.nx * pixels, height);
    print_axes(file, map, &g, pixels);
    print_scale(file, map, &g, edge + 40.0, height);
    fputs("</svg>\n", file);
    const bool is_good = fclose(file) == 0;
    const int code = is_good ? file_write(path, text, size) : no_memory();
    free(text);
    return code;
}
