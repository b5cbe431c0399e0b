// A picture as LaTeX: a picture environment with the paths of pict2e, for documents that must
// compile alone. Where pict2e is not installed the figure is left out.

#include "draw/picture_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A colour as it is seen on paper: transparent colours are mixed with white.
static void print_color(FILE *file, int color, double opacity)
{
    double part[3];
    for (int i = 0; i < 3; ++i) {
        part[i] = 1 - opacity * (1 - ((color >> (16 - 8 * i)) & 0xff) / 255.0);
    }
    fprintf(file, "\\color[rgb]{%.3f,%.3f,%.3f}", part[0], part[1], part[2]);
}

static void print_path(FILE *file, const picture *pic, const picture_layout *l,
                       const picture_item *item, const picture_page *page)
{
    for (int i = 0; i < item->count; ++i) {
        const picture_point p = picture_to_page(l, pic->point[item->first + i]);
        fprintf(file, "\\%s(%.1f,%.1f)%s", i == 0 ? "moveto" : "lineto", p.x, page->height - p.y,
                i % 4 == 3 ? "%\n" : "");
    }
    if (item->kind == PICTURE_POLYGON || item->kind == PICTURE_BLOB) {
        fputs("\\closepath", file);
    }
}

static void print_stroke(FILE *file, const picture *pic, const picture_layout *l,
                         const picture_item *item, const picture_page *page, int color,
                         double opacity, double pixels)
{
    fputc('{', file);
    print_color(file, color, opacity);
    fprintf(file, "\\linethickness{%.2fpt}", pixels);
    print_path(file, pic, l, item, page);
    fputs("\\strokepath}%\n", file);
}

static void print_fill(FILE *file, const picture *pic, const picture_layout *l,
                       const picture_item *item, const picture_page *page, double opacity)
{
    fputc('{', file);
    print_color(file, item->paint.fill, opacity);
    print_path(file, pic, l, item, page);
    fputs("\\fillpath}%\n", file);
}

static void print_disc(FILE *file, const picture *pic, const picture_layout *l,
                       const picture_item *item, const picture_page *page)
{
    const picture_point p = picture_to_page(l, pic->point[item->first]);
    const double width = fmax(item->width * l->scale, 2);
    fprintf(file, "\\put(%.1f,%.1f){", p.x, page->height - p.y);
    if (item->paint.fill != NO_COLOR) {
        print_color(file, item->paint.fill, item->paint.opacity);
        fprintf(file, "\\circle*{%.1f}", width);
    }
    if (item->paint.stroke != NO_COLOR) {
        print_color(file, item->paint.stroke, 1);
        fprintf(file, "\\linethickness{%.2fpt}\\circle{%.1f}", item->paint.pixels, width);
    }
    fputs("}%\n", file);
}

static void print_item(FILE *file, const picture *pic, const picture_layout *l,
                       const picture_item *item, const picture_page *page)
{
    const picture_paint *paint = &item->paint;
    const bool is_bar = item->kind == PICTURE_BAR || item->kind == PICTURE_BLOB;
    const double opacity = item->layer == LAYER_SHADOW ? 0.1 : paint->opacity;
    if (item->count == 0 || (item->kind != PICTURE_DISC && item->count < 2)) {
        return;
    }
    if (item->kind == PICTURE_DISC) {
        print_disc(file, pic, l, item, page);
        return;
    }
    if (is_bar) { // a wide stroke is the outline of a narrower one
        const double border = paint->stroke == NO_COLOR ? 0 : paint->pixels;
        const double width = fmax(item->width * l->scale, 2 * border + 1);
        if (border > 0) {
            print_stroke(file, pic, l, item, page, paint->stroke, 1, width);
        }
        print_stroke(file, pic, l, item, page, paint->fill, opacity, width - 2 * border);
    }
    if (paint->fill != NO_COLOR && item->kind != PICTURE_LINE && item->kind != PICTURE_BAR) {
        print_fill(file, pic, l, item, page, opacity);
    }
    if (paint->stroke != NO_COLOR && !is_bar) {
        print_stroke(file, pic, l, item, page, paint->stroke, 1, paint->pixels);
    }
}

// Labels are coordinates: "q1" is q with an index; the rest is printed unchanged.
static void print_label(FILE *file, const picture_placed *label, const picture_page *page)
{
    const double x = 0.5 * (label->box.x0 + label->box.x1);
    const double y = page->height - 0.5 * (label->box.y0 + label->box.y1);
    if (label->has_leader) {
        fprintf(file, "{\\color[gray]{.6}\\linethickness{.4pt}\\Line(%.1f,%.1f)(%.1f,%.1f)}%%\n",
                label->at.x, page->height - label->at.y, x, y);
    }
    fprintf(file, "\\put(%.1f,%.1f){\\makebox(0,0){$", x, y);
    for (const char *at = label->text; *at; ++at) {
        const size_t digits = strspn(at + 1, "0123456789");
        if (*at == 'q' && digits > 0) {
            fprintf(file, "q_{%.*s}", (int)digits, at + 1);
            at += digits;
        } else {
            fputs(*at == ' ' ? "\\ " : *at == 't' ? "\\ldots" : "", file); // "q1 to q3"
        }
    }
    fputs("$}}%\n", file);
}

static void print_axes(FILE *file, const picture *pic, const picture_layout *l,
                       const picture_page *page)
{
    static const char name[3] = {'x', 'y', 'z'};
    const double x = l->axes.x, y = page->height - l->axes.y;
    for (int k = 0; k < 3; ++k) {
        const lw_vec3 axis = {k == 0, k == 1, k == 2};
        const picture_point seen = picture_see(pic, axis);
        if (hypot(seen.x, seen.y) < 0.1) {
            continue; // it points at the viewer
        }
        fprintf(file,
                "{\\linethickness{1pt}\\Line(%.1f,%.1f)(%.1f,%.1f)}%%\n"
                "\\put(%.1f,%.1f){\\makebox(0,0){$%c$}}%%\n",
                x, y, x + PICTURE_AXIS * seen.x, y + PICTURE_AXIS * seen.y,
                x + (PICTURE_AXIS + 9) * seen.x, y + (PICTURE_AXIS + 9) * seen.y, name[k]);
    }
}

void picture_tex(FILE *file, picture *pic, const picture_page *page)
{
    picture_layout layout;
    picture_lay_out(&layout, pic, page);
    fprintf(
        file,
        "\\ifcsname strokepath\\endcsname\n\\begin{center}\n"
        "\\setlength{\\unitlength}{1pt}%%\n\\begin{picture}(%d,%d)%%\n\\roundcap\\roundjoin%%\n",
        page->width, page->height);
    for (int i = 0; i < pic->nitem; ++i) {
        print_item(file, pic, &layout, &pic->item[i], page);
    }
    for (int i = 0; i < layout.nlabel; ++i) {
        print_label(file, &layout.label[i], page);
    }
    print_axes(file, pic, &layout, page);
    fputs("\\end{picture}\n\\end{center}\n\\fi\n\n", file);
}
