// A picture as SVG: what picture_layout.c placed, item by item.
//
// Every shape carries its colours as plain attributes, without style sheets, so that drawing
// programs and text processors read the file alike.

#include "draw/picture_layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Shapes -----------------------------------------------------------------------------------

static void print_points(FILE *file, const picture *pic, const picture_layout *l,
                         const picture_item *item)
{
    for (int i = 0; i < item->count; ++i) {
        const picture_point p = picture_to_page(l, pic->point[item->first + i]);
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
static void print_end(FILE *file, const picture *pic, const picture_layout *l,
                      const picture_item *item, int end, int color, double along, double across)
{
    const int last = item->first + item->count - 1;
    const picture_point p = picture_to_page(l, pic->point[end == 0 ? item->first : last]);
    const picture_point q = picture_to_page(l, pic->point[end == 0 ? item->first + 1 : last - 1]);
    fprintf(file,
            "<ellipse cx=\"%.1f\" cy=\"%.1f\" rx=\"%.2f\" ry=\"%.2f\" fill=\"#%06x\" "
            "transform=\"rotate(%.1f %.1f %.1f)\"/>\n",
            p.x, p.y, along, across, (unsigned)color,
            57.29577951308232 * atan2(p.y - q.y, p.x - q.x), p.x, p.y);
}

// One stroke of a bar or a blob: the outline is a wider stroke below the body, by `border` on each
// side.
static void print_thick(FILE *file, const picture *pic, const picture_layout *l,
                        const picture_item *item, int color, double pixels, double border)
{
    const bool is_round =
        item->kind == PICTURE_BLOB || (item->bulge[0] >= 1 && item->bulge[1] >= 1);
    fputs("<path d=\"", file);
    print_points(file, pic, l, item);
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
        print_end(file, pic, l, item, end, color, along, 0.5 * pixels);
    }
}

static void print_bar(FILE *file, const picture *pic, const picture_layout *l,
                      const picture_item *item)
{
    const picture_paint *paint = &item->paint;
    const double border = paint->stroke == NO_COLOR ? 0 : paint->pixels;
    const double width = fmax(item->width * l->scale, 2 * border + 1);
    const bool is_faint = paint->opacity < 1;
    if (is_faint) {
        fprintf(file, "<g opacity=\"%.2f\">\n", paint->opacity);
    }
    if (border > 0) {
        print_thick(file, pic, l, item, paint->stroke, width, border);
    }
    print_thick(file, pic, l, item, paint->fill, width - 2 * border, 0);
    if (is_faint) {
        fputs("</g>\n", file);
    }
}

static void print_disc(FILE *file, const picture *pic, const picture_layout *l,
                       const picture_item *item)
{
    const picture_point p = picture_to_page(l, pic->point[item->first]);
    fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"", p.x, p.y,
            fmax(0.5 * item->width * l->scale, 1));
    print_fill(file, &item->paint);
    if (item->paint.stroke != NO_COLOR) {
        print_stroke(file, item->paint.stroke, item->paint.pixels);
    }
    fputs("/>\n", file);
}

static void print_item(FILE *file, const picture *pic, const picture_layout *l,
                       const picture_item *item)
{
    if (item->count == 0) {
        return;
    }
    if (item->kind == PICTURE_BAR || item->kind == PICTURE_BLOB) {
        print_bar(file, pic, l, item);
        return;
    }
    if (item->kind == PICTURE_DISC) {
        print_disc(file, pic, l, item);
        return;
    }
    fputs("<path d=\"", file);
    print_points(file, pic, l, item);
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
static void print_items(FILE *file, const picture *pic, const picture_layout *l)
{
    bool is_in_shadow = false;
    for (int i = 0; i < pic->nitem; ++i) {
        const bool is_shadow = pic->item[i].layer == LAYER_SHADOW;
        if (is_shadow != is_in_shadow) {
            fputs(is_shadow ? "<g opacity=\"0.10\">\n" : "</g>\n", file);
            is_in_shadow = is_shadow;
        }
        print_item(file, pic, l, &pic->item[i]);
    }
    if (is_in_shadow) {
        fputs("</g>\n", file);
    }
}

// --- Text -------------------------------------------------------------------------------------

static void print_bytes(FILE *file, const char *text, size_t length)
{
    for (size_t i = 0; i < length; ++i) {
        switch (text[i]) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        default:
            fputc((unsigned char)text[i] < ' ' ? ' ' : text[i], file);
        }
    }
}

void svg_print(FILE *file, const char *text)
{
    print_bytes(file, text, strlen(text));
}

#define TYPEFACE " font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\""

// Cut off where it is wider than the space that it has.
static void print_text(FILE *file, double x, double y, double size, double space, const char *more,
                       int color, const char *text)
{
    size_t length;
    const char *dots = picture_shorten(text, size, space + 1, &length);
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.0f\"" TYPEFACE "%s fill=\"#%06x\">", x,
            y, size, more, (unsigned)color);
    print_bytes(file, text, length);
    fprintf(file, "%s</text>\n", dots);
}

static void print_label(FILE *file, const picture_placed *label)
{
    const picture_box2 box = label->box;
    const double y = box.y1 - 0.28 * PICTURE_LABEL_SIZE, width = box.x1 - box.x0;
    if (label->has_leader) {
        fprintf(file,
                "<path d=\"M%.1f %.1fL%.1f %.1f\" fill=\"none\" stroke=\"#9aa3ad\" "
                "stroke-width=\"0.8\"/>\n",
                label->at.x, label->at.y, fmin(fmax(label->at.x, box.x0), box.x1),
                fmin(fmax(label->at.y, box.y0), box.y1));
    }
    print_text(file, box.x0, y, PICTURE_LABEL_SIZE, width,
               " stroke=\"#ffffff\" stroke-width=\"4\" stroke-linejoin=\"round\"", 0xffffff,
               label->text);
    print_text(file, box.x0, y, PICTURE_LABEL_SIZE, width, "", 0x28303a, label->text);
}

// --- Page -------------------------------------------------------------------------------------

// The axes of the world, in a corner.
static void print_axes(FILE *file, const picture *pic, picture_point at)
{
    static const char *const name[3] = {"x", "y", "z"};
    static const int color[3] = {0xc8322f, 0x2e8b3d, 0x2563b8};
    for (int k = 0; k < 3; ++k) {
        const lw_vec3 axis = {k == 0, k == 1, k == 2};
        const picture_point seen = picture_see(pic, axis);
        if (hypot(seen.x, seen.y) < 0.1) {
            continue; // it points at the viewer
        }
        fprintf(file, "<path d=\"M%.1f %.1fL%.1f %.1f\" fill=\"none\"", at.x, at.y,
                at.x + PICTURE_AXIS * seen.x, at.y - PICTURE_AXIS * seen.y);
        print_stroke(file, color[k], 2);
        fputs(" stroke-linecap=\"round\"/>\n", file);
        print_text(file, at.x + (PICTURE_AXIS + 9) * seen.x, at.y - (PICTURE_AXIS + 9) * seen.y + 4,
                   12, 24, " text-anchor=\"middle\"", color[k], name[k]);
    }
}

// A length to measure by, where no grid is seen. Returns where it begins.
static double print_scale(FILE *file, const picture_layout *l, const picture_page *page)
{
    const double length = page->scale_length * l->scale;
    const double x = page->width - page->margin - length, y = page->height - page->margin + 6;
    char text[48];
    fprintf(file, "<path d=\"M%.1f %.1fv6h%.1fv-6\" fill=\"none\"", x, y, length);
    print_stroke(file, 0x5b6672, 1.2);
    fputs("/>\n", file);
    snprintf(text, sizeof text, "%g m", page->scale_length);
    print_text(file, x + 0.5 * length, y - 3, 12, page->width, " text-anchor=\"middle\"", 0x5b6672,
               text);
    return x - 14;
}

// Where a text is best broken into two lines: behind a comma near its middle. Null for nowhere.
static const char *middle_comma(const char *text)
{
    const char *best = NULL, *middle = text + strlen(text) / 2;
    for (const char *at = strstr(text, ", "); at; at = strstr(at + 1, ", ")) {
        best = !best || labs(at - middle) < labs(best - middle) ? at : best;
    }
    return best;
}

// At the bottom right, in two lines where one is too short.
static void print_note(FILE *file, const picture_page *page, double end)
{
    const double space = end - page->margin, y = page->height - page->margin + 10;
    const bool is_long = picture_text_width(page->note, 12) > space;
    const char *comma = is_long ? middle_comma(page->note) : NULL;
    if (comma) {
        char first[200];
        snprintf(first, sizeof first, "%.*s", (int)(comma - page->note + 1), page->note);
        print_text(file, end, y - 16, 12, space, " text-anchor=\"end\"", 0x5b6672, first);
    }
    print_text(file, end, y, 12, space, " text-anchor=\"end\"", 0x5b6672,
               comma ? comma + 2 : page->note);
}

static void print_page(FILE *file, const picture *pic, const picture_layout *l,
                       const picture_page *page)
{
    const double margin = page->margin, space = page->width - 2 * margin;
    print_text(file, margin, margin + 4, 20, space, " font-weight=\"bold\"", 0x1d242c, page->title);
    print_text(file, margin, margin + 25, 12, space, "", 0x5b6672, page->subtitle);
    const double end = page->scale_length > 0 ? print_scale(file, l, page) : page->width - margin;
    print_note(file, page, end);
    print_axes(file, pic, l->axes);
}

void picture_svg(FILE *file, picture *pic, const picture_page *page)
{
    picture_layout layout;
    picture_lay_out(&layout, pic, page);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\">\n<title>",
            page->width, page->height, page->width, page->height);
    svg_print(file, page->title);
    fprintf(file, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", page->width,
            page->height);
    print_items(file, pic, &layout);
    for (int i = 0; i < layout.nlabel; ++i) {
        print_label(file, &layout.label[i]);
    }
    print_page(file, pic, &layout, page);
    fputs("</svg>\n", file);
}
