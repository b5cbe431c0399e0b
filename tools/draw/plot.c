#include "draw/plot.h"

#include "draw/picture.h"
#include "report/output.h"
#include "support/files.h"
#include "support/message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// All in pixels.
enum {
    WIDTH = 960,
    LEFT = 84,
    RIGHT = 200, ///< of the legend
    TOP = 56,
    PANEL = 210,
    GAP = 46,
    BOTTOM = 52,
    LEGEND_ROWS = 11
};

static const char *const color[] = {"#1b6ca8", "#d1495b", "#2e8b57", "#edae49", "#6a4c93",
                                    "#00b4c8", "#a0522d", "#555555", "#c71585", "#7fb800"};
static const char *const dash[] = {"", " stroke-dasharray=\"7 4\"", " stroke-dasharray=\"2 3\"",
                                   " stroke-dasharray=\"9 3 2 3\""};
enum { COLORS = sizeof color / sizeof *color, DASHES = sizeof dash / sizeof *dash };

/// A range with round ends, and the distance of its ticks; of logarithms where is_log.
typedef struct scale {
    double low, high, tick;
    bool is_log;
} scale;

enum { DECADES = 6 }; ///< of a logarithmic axis, at most: the rest is rounding

double plot_tick(double span, int ticks)
{
    const double power = pow(10.0, floor(log10(span / ticks))), part = span / ticks / power;
    return power * (part <= 1.0 ? 1.0 : part <= 2.0 ? 2.0 : part <= 5.0 ? 5.0 : 10.0);
}

static scale round_scale(double low, double high, int ticks)
{
    if (!(low <= high)) {
        low = 0.0;
        high = 1.0;
    }
    const double size = fmax(fabs(low), fabs(high));
    if (high - low <= 1e-12 * size || high == low) { // a line; give it some space
        const double space = size > 0.0 ? 0.1 * size : 1.0;
        low -= space;
        high += space;
    }
    const double tick = plot_tick(high - low, ticks);
    // What goes beyond a tick by less than a curve is thick needs no further one.
    return (scale){floor(low / tick + 0.02) * tick, ceil(high / tick - 0.02) * tick, tick, false};
}

// Of logarithms of a range above zero, with ends at powers of ten.
static scale log_scale(double low, double high)
{
    if (!(low > 0.0 && low <= high)) {
        low = high = 1.0;
    }
    const double top = ceil(log10(high) - 1e-9), bottom = floor(log10(low) + 1e-9);
    return (scale){fmax(bottom < top ? bottom : top - 1.0, top - DECADES), top, 1.0, true};
}

static void range_of(const double *value, int count, int stride, bool is_log, double *low,
                     double *high)
{
    for (int i = 0; i < count; ++i) {
        const double x = value[(size_t)i * (size_t)stride];
        if (isfinite(x) && (!is_log || x > 0.0)) {
            *low = fmin(*low, x);
            *high = fmax(*high, x);
        }
    }
}

static double place(const scale *s, double value, double from, double length)
{
    const double x = s->is_log ? fmax(log10(fmax(value, 1e-300)), s->low) : value;
    return from + (x - s->low) / (s->high - s->low) * length;
}

// The number at the tick v of an axis.
static double number_at(const scale *s, double v)
{
    return s->is_log ? pow(10.0, v) : fabs(v) < 1e-9 * s->tick ? 0.0 : v;
}

// A line of the grid at a value of the horizontal axis, where that is within it.
static void draw_upright(FILE *file, const scale *x, double value, double top, bool is_last)
{
    const double width = WIDTH - LEFT - RIGHT, v = x->is_log ? log10(value) : value;
    const double at = LEFT + (v - x->low) / (x->high - x->low) * width;
    if (at < LEFT - 1e-6 || at > LEFT + width + 1e-6) {
        return;
    }
    fprintf(file, "<path d=\"M%.1f %.1fv%d\" class=\"grid\"/>", at, top, PANEL);
    if (is_last) {
        fprintf(file,
                "<text x=\"%.1f\" y=\"%.1f\" class=\"tick\" text-anchor=\"middle\">%.6g"
                "</text>\n",
                at, top + PANEL + 17.0, value);
    }
}

static void draw_grid(FILE *file, const scale *x, const scale *y, double top, bool is_last)
{
    const double width = WIDTH - LEFT - RIGHT;
    for (double v = y->low; v <= y->high + 0.5 * y->tick; v += y->tick) {
        const double shown = number_at(y, v), at = top + PANEL - place(y, shown, 0.0, PANEL);
        fprintf(file, "<path d=\"M%d %.1fh%.1f\" class=\"grid\"/>", LEFT, at, width);
        fprintf(file, "<text x=\"%d\" y=\"%.1f\" class=\"tick\" text-anchor=\"end\">%.6g</text>\n",
                LEFT - 7, at + 4.0, shown);
    }
    const double first = floor(x->low / x->tick + 1e-9) * x->tick;
    for (double v = first; v <= x->high + 1e-9 * x->tick; v += x->tick) {
        draw_upright(file, x, number_at(x, v), top, is_last);
        if (x->is_log && x->high - x->low < 3.5) { // space for more than powers of ten
            draw_upright(file, x, 2.0 * number_at(x, v), top, is_last);
            draw_upright(file, x, 5.0 * number_at(x, v), top, is_last);
        }
    }
    fprintf(file, "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" class=\"frame\"/>\n",
            LEFT, top, width, PANEL);
}

// A curve of many points is drawn by the least and the largest of each column of pixels, so that
// no peak is lost.
static void draw_curve(FILE *file, const plot_curve *c, const scale *x, const scale *y, double top)
{
    const double width = WIDTH - LEFT - RIGHT;
    const int bins = 2 * (int)width, most_points = x->is_log ? c->count : 2 * bins;
    const int group = c->count > most_points ? c->count / bins : 1;
    fprintf(file, "<polyline class=\"curve\" stroke=\"%s\"%s points=\"", color[c->color % COLORS],
            dash[c->dash % DASHES]);
    int begin = 0;
    while (x->is_log && begin < c->count && !(c->x[(size_t)begin * (size_t)c->stride] > 0.0)) {
        ++begin;
    }
    for (int i = begin; i < c->count; i += group) {
        int least = i, most = i;
        for (int k = i; k < c->count && k < i + group; ++k) {
            least = c->y[(size_t)k * (size_t)c->stride] < c->y[(size_t)least * (size_t)c->stride]
                        ? k
                        : least;
            most = c->y[(size_t)k * (size_t)c->stride] > c->y[(size_t)most * (size_t)c->stride]
                       ? k
                       : most;
        }
        const int first = least < most ? least : most, second = least < most ? most : least;
        for (int k = first;; k = second) {
            const size_t at = (size_t)k * (size_t)c->stride;
            fprintf(file, "%.2f,%.2f ", place(x, c->x[at], LEFT, width),
                    top + PANEL - place(y, c->y[at], 0.0, PANEL));
            if (k == second) {
                break;
            }
        }
    }
    fputs("\"/>\n", file);
}

enum { LABEL_LETTERS = 24 }; ///< that fit beside the panels

static const char *behind_letters(const char *text, int letters)
{
    for (int k = 0; *text; ++text) {
        k += ((unsigned char)*text & 0xc0) != 0x80; // bytes that go on with a letter are none
        if (k > letters) {
            break;
        }
    }
    return text;
}

// A name that is too long keeps its begin and its end, by which names differ.
static void print_label(FILE *file, const char *label)
{
    const int letters = output_width(label), half = LABEL_LETTERS / 2;
    char part[4 * LABEL_LETTERS + 8];
    if (letters > LABEL_LETTERS) {
        snprintf(part, sizeof part, "%.*s\xe2\x80\xa6%s",
                 (int)(behind_letters(label, half) - label), label,
                 behind_letters(label, letters - half + 1));
        label = part;
    }
    svg_print(file, label);
}

static void draw_entry(FILE *file, int row, double top, const char *stroke, int pattern,
                       const char *label)
{
    const int x = WIDTH - RIGHT + 14;
    const double y = top + 12.0 + 18.0 * row;
    fprintf(file, "<path d=\"M%d %.1fh24\" class=\"curve\" stroke=\"%s\"%s/>", x, y, stroke,
            dash[pattern % DASHES]);
    fprintf(file, "<text x=\"%d\" y=\"%.1f\" class=\"label\">", x + 31, y + 4.0);
    print_label(file, label);
    fputs("</text>\n", file);
}

// Curves with a label, as many as there is space for, and the keys below them.
static void draw_legend(FILE *file, const plot_panel *panel, double top)
{
    int named = 0, row = 0;
    for (int i = 0; i < panel->ncurve; ++i) {
        named += panel->curve[i].label != NULL;
    }
    const int space = panel->nkey < LEGEND_ROWS ? LEGEND_ROWS - panel->nkey : 0;
    for (int i = 0; i < panel->ncurve; ++i) {
        const plot_curve *c = &panel->curve[i];
        if (!c->label) {
            continue;
        }
        if (row == space && named > space) {
            fprintf(file, "<text x=\"%d\" y=\"%.1f\" class=\"label\">and %d more</text>\n",
                    WIDTH - RIGHT + 14, top + 16.0 + 18.0 * row, named - row);
            ++row;
            break;
        }
        draw_entry(file, row++, top, color[c->color % COLORS], c->dash, c->label);
    }
    for (int i = 0; i < panel->nkey; ++i) {
        draw_entry(file, row++, top, "#222222", panel->key[i].dash, panel->key[i].label);
    }
}

static void draw_panel(FILE *file, const plot_panel *panel, const scale *x, double top,
                       bool is_last)
{
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (int i = 0; i < panel->ncurve; ++i) {
        range_of(panel->curve[i].y, panel->curve[i].count, panel->curve[i].stride, panel->is_log,
                 &low, &high);
    }
    const scale y = panel->is_log ? log_scale(low, high) : round_scale(low, high, 5);
    fprintf(file, "<text x=\"%d\" y=\"%.1f\" class=\"title\">", LEFT, top - 9.0);
    svg_print(file, panel->title);
    fputs("</text>\n", file);
    draw_grid(file, x, &y, top, is_last);
    for (int i = 0; i < panel->ncurve; ++i) {
        draw_curve(file, &panel->curve[i], x, &y, top);
    }
    draw_legend(file, panel, top);
}

void plot_draw(FILE *file, const char *title, const char *axis, const plot_panel *panel, int npanel)
{
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (int p = 0; p < npanel; ++p) {
        for (int i = 0; i < panel[p].ncurve; ++i) {
            const plot_curve *c = &panel[p].curve[i];
            range_of(c->x, c->count, c->stride, panel[p].is_log, &low, &high);
        }
    }
    scale x = panel[0].is_log ? log_scale(low, high) : round_scale(low, high, 10);
    if (high > low) { // the axis ends where the data do
        x.low = x.is_log ? log10(low) : low;
        x.high = x.is_log ? log10(high) : high;
    }
    const int height = TOP + npanel * (PANEL + GAP) - GAP + BOTTOM;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\">\n<style>text{font-family:Helvetica,Arial,sans-serif}"
            ".tick{font-size:12px;fill:#555}.label{font-size:12px;fill:#222}"
            ".title{font-size:14px;fill:#222}.head{font-size:17px;font-weight:bold;fill:#222}"
            ".grid{stroke:#e4e4e4;fill:none}.frame{stroke:#888;fill:none}"
            ".curve{fill:none;stroke-width:1.6;stroke-linejoin:round}</style>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
            WIDTH, height, WIDTH, height, WIDTH, height);
    fprintf(file, "<text x=\"%d\" y=\"26\" class=\"head\">", LEFT);
    svg_print(file, title);
    fputs("</text>\n", file);
    for (int p = 0; p < npanel; ++p) {
        draw_panel(file, &panel[p], &x, TOP + p * (PANEL + GAP), p == npanel - 1);
    }
    fprintf(file, "<text x=\"%d\" y=\"%d\" class=\"label\" text-anchor=\"middle\">",
            LEFT + (WIDTH - LEFT - RIGHT) / 2, height - 14);
    svg_print(file, axis);
    fputs("</text>\n</svg>\n", file);
}

int plot_write(const char *path, const char *title, const char *axis, const plot_panel *panel,
               int npanel)
{
    file_draft draft;
    const int code = file_begin(&draft);
    if (code != EXIT_GOOD) {
        return code;
    }
    plot_draw(draft.to, title, axis, panel, npanel);
    return file_end(&draft, path);
}
