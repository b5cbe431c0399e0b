// What contacts read of a terrain.
#ifndef LWI_HEIGHT_FIELD_H
#define LWI_HEIGHT_FIELD_H

#include <linkwork/terrain.h>

enum { MOST_TERRAIN_POINTS = 20000 }; ///< each way

struct lw_terrain {
    int nx, ny;              ///< 0 for a plane
    double x, y, cell, over; ///< over = 1 / cell
    double *height;          ///< [(nx+2)*(ny+2)] with a ring of points that go straight on
    float *bend;  ///< [(nx-1)*(ny-1)] 1/m: second derivatives in a cell are at most this, upward
    double steep; ///< slopes are at most this
    lw_ground_point plane; ///< at the origin
};

/// The height alone, and whether the point is on the grid.
bool lwi_terrain_height(const lw_terrain *t, double x, double y, double *height);

/// What second derivatives along any direction are at most within `reach` of a point along x and y,
/// 1/m; infinite where that is not known without looking at many cells.
double lwi_terrain_bend(const lw_terrain *t, double x, double y, double reach);

#endif
