// Wheels of a model as they stand at one configuration, and the motion of their contacts.
#ifndef LWI_WHEEL_ROWS_H
#define LWI_WHEEL_ROWS_H

#include <linkwork/wheels.h>

#include "../model/data.h"

/// Places where a wheel touches a terrain at once.
enum { WHEEL_PLACES = 3 };

struct lw_wheels {
    const lw_model *m;
    int base, base_frame; ///< body and frame, -1 for the world
    int npassive;
    int *passive;              ///< [npassive]
    int *steer_body;           ///< [nwheel] body that its steering joint carries, or -1
    lw_wheel_contact *contact; ///< [WHEEL_PLACES*nwheel] the first contact of each wheel, on
                               ///< terrain the second ones, then the third
    lw_pose X_WF;              ///< of the base
    double *tree_row;          ///< [tree_nv] and [nv]: a row in work
    double *row;
    double *A, *At;                     ///< [3*nwheel * (6+npassive)]
    double *b, *fit, *sigma, *leverage; ///< [3*nwheel], fit with 6+npassive more

    // On terrain (stand.h): n unknowns, of which the first three are height, pitch and roll.
    int nunknown, *unknown;   ///< [nunknown-3] indices in v of passive joints, castors apart
    int nbound;               ///< contacts of wheels, then lower and upper limits of the joints;
                              ///< behind them the sides of a trust region, two by two
    int *active;              ///< [nunknown] bounds that hold, or a side: that unknown is free
    bool *is_edge;            ///< [nunknown] active bounds that are not reached
    double *gap;              ///< [nbound+2*nunknown] infinite where there is no such contact
    double *load;             ///< [2*nbound] forces of the bounds, in the end
    double *bound_row;        ///< [(nbound+2*nunknown)*nunknown]
    double *matrix, *inverse; ///< [nunknown*nunknown]
    double *curvature;        ///< [nunknown*nunknown] of the energy along edges
    double *close;            ///< [nunknown] what a step takes off the gaps of active bounds
    double *step, *force, *gradient, *trial; ///< [nunknown], trial [nq]
    double *center_J;                        ///< [3*nv]
    double *touch; ///< [2*places] x and y of contacts from the centres, of the last call
    double *kept, *kept_touch; ///< [nq], [2*places] before a step
    bool is_warm, is_standing; ///< contacts, and active bounds, of the last call serve the next
};

/// Bounds that are contacts: place p of wheel k is p * nwheel + k.
static inline int wheel_places(const lw_model *m)
{
    return WHEEL_PLACES * m->nwheel;
}

/// Rows of A, and its columns.
static inline int wheel_rows(const lw_wheels *w)
{
    return 3 * w->m->nwheel;
}

static inline int wheel_columns(const lw_wheels *w)
{
    return 6 + w->npassive;
}

/// Marks in `moves` [tree_nv] what the marked tree velocities depend on, through the closure
/// program.
void lwi_mark_sources(const lw_model *m, double *moves);

/// The contact of a wheel whose centre and axis are in place, with the ground of this normal. False
/// where the axle is along the normal.
bool lwi_place_contact(const lw_wheel_info *wheel, lw_vec3 normal, lw_wheel_contact *at);

/// Fills w->X_WF and centres and axes of w->contact from poses in d.
void lwi_place_wheels(const lw_data *d, lw_wheels *w);

/// The velocity along `direction` of the point `point` of body `body` against the base, by tree
/// velocities: w->tree_row. World coordinates. Needs poses and, with steps, d->tree_q.
void lwi_wheel_row(const lw_data *d, lw_wheels *w, const double *tree_q, int body, lw_vec3 point,
                   lw_vec3 direction);

/// A row of unknowns from w->tree_row: twist of the base along its own axes, angular part first,
/// then passive joints. Needs the rates of the closure program.
void lwi_wheel_unknowns(const lw_data *d, lw_wheels *w, lw_vec3 point, lw_vec3 direction,
                        double *row);

#endif
