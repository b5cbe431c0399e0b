#include "draw/picture_layout.h"

#include "draw/picture_order.h"

#include "support/numeral.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OBSTACLES = 50000 };

typedef struct picture_box2 rectangle;

picture_point picture_to_page(const picture_layout *l, picture_point p)
{
    return (picture_point){l->x + l->scale * p.x, l->y - l->scale * p.y};
}

static void fit_to_page(picture_layout *l, const picture *pic, const picture_page *page)
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
    const double margin = page->margin, space_x = page->width - 2 * margin,
                 space_y = page->height - 2 * margin - page->head - page->foot;
    const double width = box.x1 - box.x0, height = box.y1 - box.y0;
    double scale =
        fmin(width > 0 ? space_x / width : HUGE_VAL, height > 0 ? space_y / height : HUGE_VAL);
    if (!isfinite(scale) || !isfinite(width) || !isfinite(height)) {
        scale = 1; // nothing to fit
        box = (rectangle){0, 0, 0, 0};
    }
    l->scale = scale;
    l->x = 0.5 * page->width - 0.5 * scale * (box.x0 + box.x1);
    l->y = page->head + margin + 0.5 * space_y + 0.5 * scale * (box.y0 + box.y1);
}

static int compare_items(const void *a, const void *b)
{
    const picture_item *p = a, *q = b;
    if (p->layer != q->layer) {
        return p->layer < q->layer ? -1 : 1;
    }
    // Floor and shadow lie flat; marks, such as frames, are painted as they come.
    const bool is_solid = p->layer >= LAYER_PALE && p->layer <= LAYER_GHOST;
    if (is_solid && p->depth != q->depth) {
        return p->depth < q->depth ? -1 : 1;
    }
    return (p->order > q->order) - (p->order < q->order);
}

// --- Text -------------------------------------------------------------------------------------

static bool begins_letter(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

// Of a usual typeface without serifs: what is not narrow or wide is about 0.63 of its size wide.
double picture_text_width(const char *text, double size)
{
    double width = 0;
    for (; *text; ++text) {
        const bool is_capital = *text >= 'A' && *text <= 'Z';
        width += !begins_letter(*text)                  ? 0
                 : strchr(" ,.:;'|/()[]ijltfr-", *text) ? 0.4
                 : strchr("mwMW@%", *text)              ? 0.97
                 : is_capital                           ? 0.72
                                                        : 0.63;
    }
    return width * size;
}

const char *picture_shorten(const char *text, double size, double space, size_t *length)
{
    *length = strlen(text);
    if (picture_text_width(text, size) <= space) {
        return "";
    }
    double width = 1.0 * size; // of the dots
    for (size_t i = 0; text[i]; ++i) {
        const char letter[2] = {text[i], '\0'};
        width += picture_text_width(letter, size);
        if (width > space && begins_letter(text[i])) {
            *length = i;
            break;
        }
    }
    return "...";
}

// --- Labels -----------------------------------------------------------------------------------

/// What labels should keep clear of.
typedef struct obstacles {
    picture_point *at; ///< along all strokes and outlines of bodies and marks
    int count, space;
} obstacles;

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
    for (int i = 0; i <= steps && all->count < all->space; ++i) {
        const double t = (double)i / steps;
        all->at[all->count++] = (picture_point){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
    }
}

static void find_obstacles(const picture *pic, const picture_layout *l, obstacles *all)
{
    *all = (obstacles){.space = MOST_OBSTACLES};
    all->at = memory_get(pic->pool, MOST_OBSTACLES, sizeof *all->at);
    for (int i = 0; i < pic->nitem; ++i) {
        const picture_item *item = &pic->item[i];
        if (item->layer != LAYER_BODY && item->layer != LAYER_MARK) {
            continue;
        }
        for (int k = item->first; k < item->first + item->count; ++k) {
            const int next = k + 1 < item->first + item->count ? k + 1 : k;
            add_obstacle(all, picture_to_page(l, pic->point[k]),
                         picture_to_page(l, pic->point[next]));
        }
    }
}

static double label_cost(const obstacles *all, const picture_layout *l, rectangle box)
{
    double cost = 0;
    for (int i = 0; i < l->nlabel; ++i) {
        cost += 20 * overlap(box, l->label[i].box);
    }
    const rectangle near = {box.x0 - 3, box.y0 - 3, box.x1 + 3, box.y1 + 3};
    for (int i = 0; i < all->count; ++i) {
        cost += is_inside(all->at[i], near) ? 40 : 0;
    }
    return cost;
}

// Within the page whatever is there.
static rectangle moved_inside(rectangle box, const picture_page *page)
{
    const rectangle page_box = {8, page->head + 16, page->width - 8,
                                page->height - page->foot - page->margin + 4};
    const double x = fmax(page_box.x0 - box.x0, fmin(0, page_box.x1 - box.x1));
    const double y = fmax(page_box.y0 - box.y0, fmin(0, page_box.y1 - box.y1));
    return (rectangle){box.x0 + x, box.y0 + y, box.x1 + x, box.y1 + y};
}

static rectangle label_box(picture_point at, double angle, double distance, double width)
{
    const double height = 1.2 * PICTURE_LABEL_SIZE;
    const double x = at.x + distance * cos(angle), y = at.y - distance * sin(angle);
    // The box is connected to the side that faces the thing.
    const double x0 = x - width * 0.5 * (1 - cos(angle)), y0 = y - height * 0.5 * (1 + sin(angle));
    return (rectangle){x0, y0, x0 + width, y0 + height};
}

// How far a point is from a box.
static double distance_to(picture_point p, rectangle box)
{
    return hypot(fmax(0, fmax(box.x0 - p.x, p.x - box.x1)),
                 fmax(0, fmax(box.y0 - p.y, p.y - box.y1)));
}

static void place_label(picture_layout *l, const obstacles *all, const picture_page *page,
                        picture_point at, const char *text)
{
    const double space = page->width - 16;
    const double width = fmin(picture_text_width(text, PICTURE_LABEL_SIZE), space);
    rectangle best = {0};
    double best_cost = HUGE_VAL;
    for (int ring = 0; ring < 8; ++ring) {
        for (int i = 0; i < 16; ++i) {
            const double distance = 24 + 16 * ring;
            const rectangle box =
                moved_inside(label_box(at, TWO_PI * i / 16, distance, width), page);
            const double cost = label_cost(all, l, box) + 6 * distance + 4 * (i != 0) +
                                (is_inside(at, box) ? 1e3 : 0);
            if (cost < best_cost) {
                best_cost = cost;
                best = box;
            }
        }
    }
    l->label[l->nlabel++] = (picture_placed){
        .at = at, .box = best, .text = text, .has_leader = distance_to(at, best) > 30};
}

// --- Corner -----------------------------------------------------------------------------------

// Whether anything but the floor is drawn within a rectangle of the page, judged by its corners.
static bool is_taken(const picture *pic, const picture_layout *l, rectangle box)
{
    for (int i = 0; i < pic->nitem; ++i) {
        const picture_item *item = &pic->item[i];
        const bool is_solid = item->layer != LAYER_FLOOR && item->layer != LAYER_SHADOW;
        for (int k = item->first; k < item->first + item->count && is_solid; ++k) {
            if (is_inside(picture_to_page(l, pic->point[k]), box)) {
                return true;
            }
        }
    }
    for (int i = 0; i < l->nlabel; ++i) {
        if (overlap(l->label[i].box, box) > 0) {
            return true;
        }
    }
    return false;
}

static picture_point free_corner(const picture *pic, const picture_layout *l,
                                 const picture_page *page)
{
    const double reach = PICTURE_AXIS + 16, margin = page->margin;
    const double low = page->height - margin - 2 - page->foot, high = page->head + margin + reach;
    const double left = margin + 26, right = page->width - margin - reach;
    const picture_point corner[4] = {{left, low}, {right, low - 18}, {left, high}, {right, high}};
    picture_point best = corner[0];
    for (int i = 3; i >= 0; --i) {
        const picture_point p = corner[i];
        if (!is_taken(pic, l, (rectangle){p.x - 26, p.y - reach, p.x + reach, p.y + 26})) {
            best = p;
        }
    }
    return best;
}

void picture_lay_out(picture_layout *l, picture *pic, const picture_page *page)
{
    obstacles all;
    *l = (picture_layout){.label = memory_get(pic->pool, (size_t)pic->nlabel, sizeof *l->label)};
    fit_to_page(l, pic, page);
    picture_order(pic);
    qsort(pic->item, (size_t)pic->nitem, sizeof *pic->item, compare_items);
    find_obstacles(pic, l, &all);
    for (int i = 0; i < pic->nlabel; ++i) {
        place_label(l, &all, page, picture_to_page(l, pic->label[i].at), pic->label[i].text);
    }
    l->axes = free_corner(pic, l, page);
}
