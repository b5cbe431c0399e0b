// How wide LaTeX sets a source, estimated, and lines that fit the page.
#ifndef LWI_LATEX_H
#define LWI_LATEX_H

#include "../base/text.h"

/// Points, at a type size of 10: of a line of text, and of equations beside their names.
#define LWI_LATEX_LINE 483.0
#define LWI_LATEX_WIDTH 425.0

/// Where an equation may be broken: between groups of terms, or, less readable, within one.
#define LWI_BREAK "\002"
#define LWI_WEAK_BREAK "\003"

/// Width of the first n bytes of a formula; breaks have none. A little more than LaTeX needs.
double lwi_latex_width(const char *source, size_t n);

/// Width of words, without what makes them safe.
double lwi_latex_text_width(const char *text);

/// Adds a formula of an align environment, in as many lines as it needs.
void lwi_latex_wrap(lwi_text *out, const char *source);

/// Adds a formula without its breaks.
void lwi_latex_join(lwi_text *out, const char *source);

/// Adds lines of a listing, those that are too long in several.
void lwi_latex_listing(lwi_text *out, const char *lines);

#endif
