// The layout of a picture on its page: the scale, the order of painting, and the positions of
// labels. Writers, such as picture_svg.c, only print what is laid out here.
#ifndef PICTURE_LAYOUT_H
#define PICTURE_LAYOUT_H

#include "draw/picture.h"

/// What belongs on the page besides. Lengths in pixels.
typedef struct picture_page {
    int width, height;
    double margin;     ///< on all sides
    double head, foot; ///< more at the top and at the bottom, for text
    const char *title;
    const char *subtitle;
    const char *note;    ///< bottom right
    double scale_length; ///< of a scale beside the note, m; 0 for none
} picture_page;

#define PICTURE_LABEL_SIZE 13.0 // pixels of the type
#define PICTURE_AXIS 30.0       // length of the axes of the world in their corner

typedef struct picture_box2 {
    double x0, y0, x1, y1;
} picture_box2;

typedef struct picture_placed {
    picture_point at; ///< what is labelled
    picture_box2 box;
    const char *text;
    bool has_leader;
} picture_placed;

typedef struct picture_layout {
    double scale; ///< pixels per metre
    double x, y;  ///< pixel of the view's origin
    picture_placed *label;
    int nlabel;
    picture_point axes; ///< where the axes of the world are drawn: in a free corner
} picture_layout;

/// Sorts the items of a picture in the order of painting, and places them and all labels: within
/// the page, wherever there is space.
void picture_lay_out(picture_layout *l, picture *pic, const picture_page *page);

picture_point picture_to_page(const picture_layout *l, picture_point p);

/// Width of a text, estimated.
double picture_text_width(const char *text, double size);

/// How many bytes of a text fit, and what follows them: "..." or nothing.
const char *picture_shorten(const char *text, double size, double space, size_t *length);

/// Writes the picture as SVG.
void picture_svg(FILE *file, picture *pic, const picture_page *page);

/// The same as a picture environment of LaTeX, for pict2e, with coordinates as its only labels.
void picture_tex(FILE *file, picture *pic, const picture_page *page);

#endif
