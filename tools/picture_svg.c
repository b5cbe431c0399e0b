// A picture as SVG: fitted to the page, painted from far to near, labels where there is room.
//
// Every shape carries its colours as plain attributes, without style sheets, so that drawing
// programs and text processors read the file alike.

#include "picture.h"

#include "number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MARGIN = 36,     // pixels, on all sides
    TITLE_ROOM = 50, // more, at the top
    NOTE_ROOM = 16   // more, at the bottom
};

static const double LABEL_SIZE = 13; // pixels of the type

typedef struct page_fit {
    double scale; ///< pixels a metre
    double x, y;  ///< pixel of the view's origin
} page_fit;

typedef struct rectangle {
    double x0, y0, x1, y1;
} rectangle;

static picture_point to_page(const page_fit *fit, picture_point p)
{
    return (picture_point){fit->x + fit->scale * p.x, fit->y - fit->scale * p.y};
}

static page_fit fit_to_page(const picture *pic, const picture_page *page)
{
    rectangle box = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < pic->nitem; ++i) {
        const picture_item *item = &pic->item[i];
        const double margin = 0.5 * item->width;
        for (int k = item->first; k < item->first + item->count; ++k) {
            box.x0 = fmin(box.x0, pic->point[k].x - margin);
            box.y0 = fmin(box.y0, pic->point[k].y - margin);
            box.x1 = fmax(box.x1, pic->point[k].x + margin);
            box.y1 = fmax(box.y1, pic->point[k].y + margin);
        }
    }
    const double room_x = page->width - 2 * MARGIN,
                 room_y = page->height - 2 * MARGIN - TITLE_ROOM - NOTE_ROOM;
    const double width = box.x1 - box.x0, height = box.y1 - box.y0;
    double scale =
        fmin(width > 0 ? room_x / width : HUGE_VAL, height > 0 ? room_y / height : HUGE_VAL);
    if (!isfinite(scale) || !isfinite(width) || !isfinite(height)) {
        scale = 1; // nothing to fit
        box = (rectangle){0, 0, 0, 0};
    }
    return (page_fit){.scale = scale,
                      .x = 0.5 * page->width - 0.5 * scale * (box.x0 + box.x1),
                      .y = TITLE_ROOM + MARGIN + 0.5 * room_y + 0.5 * scale * (box.y0 + box.y1)};
}

// --- Order ------------------------------------------------------------------------------------

static int compare_items(const void *a, const void *b)
{
    const picture_item *p = a, *q = b;
    if (p->layer != q->layer) {
        return p->layer < q->layer ? -1 : 1;
    }
    // Floor and shadow lie flat; marks, such as frames, are painted as they come.
    const bool is_solid = p->layer == LAYER_BODY || p->layer == LAYER_GHOST;
    if (is_solid && p->depth != q->depth) {
        return p->depth < q->depth ? -1 : 1;
    }
    return (p->order > q->order) - (p->order < q->order);
}

// --- Shapes -----------------------------------------------------------------------------------

static void print_points(FILE *file, const picture *pic, const page_fit *fit,
                         const picture_item *item)
{
    for (int i = 0; i < item->count; ++i) {
        const picture_point p = to_page(fit, pic->point[item->first + i]);
        fprintf(file, "%s%.1f %.1f", i == 0 ? "M" : "L", p.x, p.y);
    }
    if (item->kind == PICTURE_POLYGON || item->kind == PICTURE_BLOB) {
        fputc('Z', file);
    }
}

static void print_fill(FILE *file, const picture_paint *paint)
{
    if (paint->fill == NO_COLOR) {
        fputs(" fill=\"none\"", file);
        return;
    }
    fprintf(file, " fill=\"#%06x\"", (unsigned)paint->fill);
    if (paint->opacity < 1) {
        fprintf(file, " fill-opacity=\"%.2f\"", paint->opacity);
    }
}

static void print_stroke(FILE *file, int color, double pixels)
{
    fprintf(file, " stroke=\"#%06x\" stroke-width=\"%.2f\"", (unsigned)color, pixels);
}

// The end of a bar: half of the ellipse that is seen of it lies within the bar.
static void print_end(FILE *file, const picture *pic, const page_fit *fit, const picture_item *item,
                      int end, int color, double along, double across)
{
    const int last = item->first + item->count - 1;
    const picture_point p = to_page(fit, pic->point[end == 0 ? item->first : last]);
    const picture_point q = to_page(fit, pic->point[end == 0 ? item->first + 1 : last - 1]);
    fprintf(file,
            "<ellipse cx=\"%.1f\" cy=\"%.1f\" rx=\"%.2f\" ry=\"%.2f\" fill=\"#%06x\" "
            "transform=\"rotate(%.1f %.1f %.1f)\"/>\n",
            p.x, p.y, along, across, (unsigned)color,
            57.29577951308232 * atan2(p.y - q.y, p.x - q.x), p.x, p.y);
}

// One stroke of a bar or a blob: the outline is a wider stroke below the body, by `border` on each
// side.
static void print_thick(FILE *file, const picture *pic, const page_fit *fit,
                        const picture_item *item, int color, double pixels, double border)
{
    const bool is_round =
        item->kind == PICTURE_BLOB || (item->bulge[0] >= 1 && item->bulge[1] >= 1);
    fputs("<path d=\"", file);
    print_points(file, pic, fit, item);
    fputc('"', file);
    if (item->kind == PICTURE_BLOB) {
        fprintf(file, " fill=\"#%06x\"", (unsigned)color);
    } else {
        fputs(" fill=\"none\"", file);
    }
    print_stroke(file, color, pixels);
    fprintf(file, " stroke-linecap=\"%s\" stroke-linejoin=\"round\"/>\n",
            is_round ? "round" : "butt");
    for (int end = 0; end < 2 && !is_round && item->count > 1; ++end) {
        const double along = item->bulge[end] * 0.5 * (pixels - 2 * border) + border;
        print_end(file, pic, fit, item, end, color, along, 0.5 * pixels);
    }
}

static void print_bar(FILE *file, const picture *pic, const page_fit *fit, const picture_item *item)
{
    const picture_paint *paint = &item->paint;
    const double border = paint->stroke == NO_COLOR ? 0 : paint->pixels;
    const double width = fmax(item->width * fit->scale, 2 * border + 1);
    const bool is_faint = paint->opacity < 1;
    if (is_faint) {
        fprintf(file, "<g opacity=\"%.2f\">\n", paint->opacity);
    }
    if (border > 0) {
        print_thick(file, pic, fit, item, paint->stroke, width, border);
    }
    print_thick(file, pic, fit, item, paint->fill, width - 2 * border, 0);
    if (is_faint) {
        fputs("</g>\n", file);
    }
}

static void print_disc(FILE *file, const picture *pic, const page_fit *fit,
                       const picture_item *item)
{
    const picture_point p = to_page(fit, pic->point[item->first]);
    fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"", p.x, p.y,
            fmax(0.5 * item->width * fit->scale, 1));
    print_fill(file, &item->paint);
    if (item->paint.stroke != NO_COLOR) {
        print_stroke(file, item->paint.stroke, item->paint.pixels);
    }
    fputs("/>\n", file);
}

static void print_item(FILE *file, const picture *pic, const page_fit *fit,
                       const picture_item *item)
{
    if (item->count == 0) {
        return;
    }
    if (item->kind == PICTURE_BAR || item->kind == PICTURE_BLOB) {
        print_bar(file, pic, fit, item);
        return;
    }
    if (item->kind == PICTURE_DISC) {
        print_disc(file, pic, fit, item);
        return;
    }
    fputs("<path d=\"", file);
    print_points(file, pic, fit, item);
    fputc('"', file);
    print_fill(file, &item->paint);
    if (item->paint.stroke != NO_COLOR) {
        print_stroke(file, item->paint.stroke, item->paint.pixels);
        fputs(" stroke-linecap=\"round\" stroke-linejoin=\"round\"", file);
    }
    if (item->paint.is_dashed) {
        fputs(" stroke-dasharray=\"7 3 1.5 3\"", file);
    }
    fputs("/>\n", file);
}

// Overlapping shadows must not grow darker, so all of them share one transparent group.
static void print_items(FILE *file, const picture *pic, const page_fit *fit)
{
    bool is_in_shadow = false;
    for (int i = 0; i < pic->nitem; ++i) {
        const bool is_shadow = pic->item[i].layer == LAYER_SHADOW;
        if (is_shadow != is_in_shadow) {
            fputs(is_shadow ? "<g opacity=\"0.10\">\n" : "</g>\n", file);
            is_in_shadow = is_shadow;
        }
        print_item(file, pic, fit, &pic->item[i]);
    }
    if (is_in_shadow) {
        fputs("</g>\n", file);
    }
}

// --- Text -------------------------------------------------------------------------------------

void svg_print(FILE *file, const char *text)
{
    for (; *text; ++text) {
        switch (*text) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        default:
            fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
        }
    }
}

static double text_width(const char *text, double size)
{
    int letters = 0;
    for (; *text; ++text) {
        letters += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return 0.6 * size * letters;
}

#define TYPEFACE " font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\""

static void print_text(FILE *file, double x, double y, double size, const char *more, int color,
                       const char *text)
{
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.0f\"" TYPEFACE "%s fill=\"#%06x\">", x,
            y, size, more, (unsigned)color);
    svg_print(file, text);
    fputs("</text>\n", file);
}

// --- Labels -----------------------------------------------------------------------------------

/// What labels should keep clear of.
typedef struct obstacles {
    picture_point *at; ///< along all strokes and outlines of bodies and marks
    int count, room;
    rectangle *label; ///< placed already
    int nlabel;
} obstacles;

enum { MOST_OBSTACLES = 50000 };

static bool is_inside(picture_point p, rectangle box)
{
    return p.x > box.x0 && p.x < box.x1 && p.y > box.y0 && p.y < box.y1;
}

static double overlap(rectangle a, rectangle b)
{
    const double x = fmin(a.x1, b.x1) - fmax(a.x0, b.x0);
    const double y = fmin(a.y1, b.y1) - fmax(a.y0, b.y0);
    return x > 0 && y > 0 ? x * y : 0;
}

static void add_obstacle(obstacles *all, picture_point a, picture_point b)
{
    const int steps = 1 + (int)fmin(hypot(b.x - a.x, b.y - a.y) / 5, 400);
    for (int i = 0; i <= steps && all->count < all->room; ++i) {
        const double t = (double)i / steps;
        all->at[all->count++] = (picture_point){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
    }
}

static bool find_obstacles(const picture *pic, const page_fit *fit, obstacles *all)
{
    *all = (obstacles){.room = MOST_OBSTACLES};
    all->at = malloc(MOST_OBSTACLES * sizeof *all->at);
    all->label = calloc((size_t)pic->nlabel + 1, sizeof *all->label);
    if (!all->at || !all->label) {
        return false;
    }
    for (int i = 0; i < pic->nitem; ++i) {
        const picture_item *item = &pic->item[i];
        if (item->layer != LAYER_BODY && item->layer != LAYER_MARK) {
            continue;
        }
        for (int k = item->first; k < item->first + item->count; ++k) {
            const int next = k + 1 < item->first + item->count ? k + 1 : k;
            add_obstacle(all, to_page(fit, pic->point[k]), to_page(fit, pic->point[next]));
        }
    }
    return true;
}

static double label_cost(const obstacles *all, rectangle box, const picture_page *page)
{
    double cost = 0;
    const rectangle inside = {8, TITLE_ROOM + 16, page->width - 8, page->height - 8};
    const double area = (box.x1 - box.x0) * (box.y1 - box.y0);
    cost += 20 * (area - overlap(box, inside));
    for (int i = 0; i < all->nlabel; ++i) {
        cost += 20 * overlap(box, all->label[i]);
    }
    const rectangle near = {box.x0 - 3, box.y0 - 3, box.x1 + 3, box.y1 + 3};
    for (int i = 0; i < all->count; ++i) {
        cost += is_inside(all->at[i], near) ? 40 : 0;
    }
    return cost;
}

static rectangle label_box(picture_point at, double angle, double distance, double width)
{
    const double height = 1.2 * LABEL_SIZE;
    const double x = at.x + distance * cos(angle), y = at.y - distance * sin(angle);
    // The box hangs on the side that faces the thing.
    const double x0 = x - width * 0.5 * (1 - cos(angle)), y0 = y - height * 0.5 * (1 + sin(angle));
    return (rectangle){x0, y0, x0 + width, y0 + height};
}

static void place_label(FILE *file, obstacles *all, const picture_page *page, picture_point at,
                        const char *text)
{
    const double width = text_width(text, LABEL_SIZE);
    rectangle best = {0};
    double best_cost = HUGE_VAL, best_distance = 0;
    for (int ring = 0; ring < 6; ++ring) {
        for (int i = 0; i < 16; ++i) {
            const double distance = 24 + 16 * ring;
            const double angle = TWO_PI * i / 16;
            const rectangle box = label_box(at, angle, distance, width);
            const double cost = label_cost(all, box, page) + 6 * distance + 4 * (i != 0);
            if (cost < best_cost) {
                best_cost = cost;
                best = box;
                best_distance = distance;
            }
        }
    }
    all->label[all->nlabel++] = best;
    if (best_distance > 30) {
        const picture_point end = {fmin(fmax(at.x, best.x0), best.x1),
                                   fmin(fmax(at.y, best.y0), best.y1)};
        fprintf(file,
                "<path d=\"M%.1f %.1fL%.1f %.1f\" fill=\"none\" stroke=\"#9aa3ad\" "
                "stroke-width=\"0.8\"/>\n",
                at.x, at.y, end.x, end.y);
    }
    const double y = best.y1 - 0.28 * LABEL_SIZE;
    print_text(file, best.x0, y, LABEL_SIZE,
               " stroke=\"#ffffff\" stroke-width=\"4\" stroke-linejoin=\"round\"", 0xffffff, text);
    print_text(file, best.x0, y, LABEL_SIZE, "", 0x28303a, text);
}

static bool print_labels(FILE *file, const picture *pic, const page_fit *fit,
                         const picture_page *page)
{
    obstacles all;
    const bool is_good = find_obstacles(pic, fit, &all);
    for (int i = 0; is_good && i < pic->nlabel; ++i) {
        place_label(file, &all, page, to_page(fit, pic->label[i].at), pic->label[i].text);
    }
    free(all.at);
    free(all.label);
    return is_good;
}

// --- Page -------------------------------------------------------------------------------------

// Whether anything but the floor is drawn within a rectangle of the page, as far as corners tell.
static bool is_taken(const picture *pic, const page_fit *fit, rectangle box)
{
    for (int i = 0; i < pic->nitem; ++i) {
        const picture_item *item = &pic->item[i];
        const bool is_solid = item->layer != LAYER_FLOOR && item->layer != LAYER_SHADOW;
        for (int k = item->first; k < item->first + item->count && is_solid; ++k) {
            if (is_inside(to_page(fit, pic->point[k]), box)) {
                return true;
            }
        }
    }
    return false;
}

// The axes of the world, in a corner.
static void print_axes(FILE *file, const picture *pic, const page_fit *fit,
                       const picture_page *page)
{
    static const char *const name[3] = {"x", "y", "z"};
    static const int color[3] = {0xc8322f, 0x2e8b3d, 0x2563b8};
    const double length = 30, reach = length + 16;
    const double low = page->height - MARGIN - 18, high = TITLE_ROOM + MARGIN + reach;
    const picture_point corner[4] = {{MARGIN + 26, low},
                                     {page->width - MARGIN - reach, low},
                                     {MARGIN + 26, high},
                                     {page->width - MARGIN - reach, high}};
    double x = corner[0].x, y = low;
    for (int i = 3; i >= 0; --i) {
        const picture_point p = corner[i];
        if (!is_taken(pic, fit, (rectangle){p.x - 26, p.y - reach, p.x + reach, p.y + 26})) {
            x = p.x;
            y = p.y;
        }
    }
    for (int k = 0; k < 3; ++k) {
        const lw_vec3 axis = {k == 0, k == 1, k == 2};
        const picture_point seen = picture_see(pic, axis);
        if (hypot(seen.x, seen.y) < 0.1) {
            continue; // it points at the viewer
        }
        fprintf(file, "<path d=\"M%.1f %.1fL%.1f %.1f\" fill=\"none\"", x, y, x + length * seen.x,
                y - length * seen.y);
        print_stroke(file, color[k], 2);
        fputs(" stroke-linecap=\"round\"/>\n", file);
        print_text(file, x + (length + 9) * seen.x, y - (length + 9) * seen.y + 4, 12,
                   " text-anchor=\"middle\"", color[k], name[k]);
    }
}

// A length to measure by, where no grid is seen. Returns where it begins.
static double print_scale(FILE *file, const page_fit *fit, const picture_page *page)
{
    const double length = page->scale_length * fit->scale;
    const double x = page->width - MARGIN - length, y = page->height - MARGIN + 6;
    char text[48];
    fprintf(file, "<path d=\"M%.1f %.1fv6h%.1fv-6\" fill=\"none\"", x, y, length);
    print_stroke(file, 0x5b6672, 1.2);
    fputs("/>\n", file);
    snprintf(text, sizeof text, "%g m", page->scale_length);
    print_text(file, x + 0.5 * length, y - 3, 12, " text-anchor=\"middle\"", 0x5b6672, text);
    return x - 14;
}

static void print_page(FILE *file, const picture *pic, const page_fit *fit,
                       const picture_page *page)
{
    print_text(file, MARGIN, MARGIN + 4, 20, " font-weight=\"bold\"", 0x1d242c, page->title);
    print_text(file, MARGIN, MARGIN + 25, 12, "", 0x5b6672, page->subtitle);
    const double end = page->scale_length > 0 ? print_scale(file, fit, page) : page->width - MARGIN;
    print_text(file, end, page->height - MARGIN + 10, 12, " text-anchor=\"end\"", 0x5b6672,
               page->note);
    print_axes(file, pic, fit, page);
}

bool picture_svg(picture *pic, const picture_page *page, char **text, size_t *size)
{
    *text = NULL;
    FILE *file = open_memstream(text, size);
    if (!file) {
        return false;
    }
    const page_fit fit = fit_to_page(pic, page);
    qsort(pic->item, (size_t)pic->nitem, sizeof *pic->item, compare_items);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\">\n<title>",
            page->width, page->height, page->width, page->height);
    svg_print(file, page->title);
    fprintf(file, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", page->width,
            page->height);
    print_items(file, pic, &fit);
    bool is_good = print_labels(file, pic, &fit, page);
    print_page(file, pic, &fit, page);
    fputs("</svg>\n", file);
    is_good = fclose(file) == 0 && is_good && !pic->is_short;
    if (!is_good) {
        free(*text);
        *text = NULL;
    }
    return is_good;
}
