// Plots of signals over one axis, as SVG: panels below each other, each with its curves and a
// legend.
#ifndef PLOT_H
#define PLOT_H

#include <stdbool.h>
#include <stdio.h>

/// y over x; both are taken from rows of numbers.
typedef struct plot_curve {
    const double *x, *y;
    int count, stride; ///< stride: doubles from one point to the next
    const char *label; ///< borrowed; NULL for one that the legend does not name
    int color;         ///< number of a colour
    int dash;          ///< 0 solid; others for further runs
} plot_curve;

/// What a dash represents, in the legend.
typedef struct plot_key {
    const char *label; ///< borrowed
    int dash;
} plot_key;

typedef struct plot_panel {
    const char *title; ///< with its unit; borrowed
    int ncurve;
    plot_curve *curve;   ///< the caller's
    int nkey;            ///< behind the labels of the curves
    const plot_key *key; ///< the caller's
    bool is_log;         ///< both axes by powers of ten; what is not above zero is left out
} plot_panel;

/// The distance of ticks of an axis of this length, about as many: 1, 2 or 5 by a power of ten.
double plot_tick(double span, int ticks);

/// Draws all panels, as SVG.
void plot_draw(FILE *file, const char *title, const char *axis, const plot_panel *panel,
               int npanel);

/// Writes the file whole or not at all. Complains and returns an exit code.
int plot_write(const char *path, const char *title, const char *axis, const plot_panel *panel,
               int npanel);

#endif
