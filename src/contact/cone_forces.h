// The least forces within friction cones: min 1/2 |x|^2 with A x = a and x_i in a cone each.
#ifndef LWI_CONE_FORCES_H
#define LWI_CONE_FORCES_H

#include <linkwork/stance.h>

#include <stdbool.h>

/// (t, u, n) with sqrt(t^2 + u^2) <= friction n and n <= most.
typedef struct lwi_cone {
    double friction, most;
} lwi_cone;

typedef enum lwi_cone_end { LWI_CONE_DONE, LWI_CONE_INFEASIBLE, LWI_CONE_STOPPED } lwi_cone_end;

typedef struct lwi_cone_result {
    lwi_cone_end end;
    int iterations;
    int nactive;       ///< cones whose force is on their boundary
    double missing[6]; ///< a - A x
    double kkt;        ///< largest residual of the conditions: of the optimum, or of the least
                       ///< that is missing beside forces of little weight
} lwi_cone_result;

/// @param A    [6*stride] row by row, 3 entries for each cone
/// @param x    [3*n]
lwi_cone_result lwi_cone_forces(int n, const lwi_cone *cone, const double *A, int stride,
                                const double a[6], double tolerance, double *x);

/// Rows: two axes across a normal, and the normal.
lw_mat3 lwi_contact_axes(lw_vec3 normal);

/// LW_OK, LW_ERR_ARGUMENT or LW_ERR_NUMBER, as lw_contact_forces().
lw_status lwi_check_contacts(int n, const lw_foot_contact *contact, const lw_force *wrench);

/// How far the origin is from the edge from a to b, which may be a point.
double lwi_edge_distance(const double a[2], const double b[2]);

#endif
