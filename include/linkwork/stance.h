// linkwork/stance.h: machines on feet: the pose of a body on its contacts, forces, stability.
//
// Experimental. Real-time safe unless stated otherwise; thread safe by const (linkwork/base.h).
//
// A contact is a point with a normal; it pushes along the normal, and within its friction across.
// Forces are found by a dual active-set method for strictly convex quadratic programs (D. Goldfarb,
// A. Idnani, 1983) of our own: it ends with the optimum and the residual of its conditions, or with
// the proof that there is none, and then with the wrench that is missing. Within exact friction
// cones it is Newton's method on the dual, which has six unknowns.
#ifndef LINKWORK_STANCE_H
#define LINKWORK_STANCE_H

#include <linkwork/dynamics.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    LW_MAX_CONTACTS = 12,
    LW_MAX_FACETS = 8, ///< of a friction pyramid
    LW_MAX_AREA_CORNERS = 128
};

// --- The pose of a body on its feet -----------------------------------------------------------

/// The pose that brings points of a body nearest to points of the world, by weighted least squares:
/// min sum of w |R b + t - f|^2 (B. K. P. Horn, 1987).
/// @param body  [n] feet in the body, as forward kinematics has them
/// @param world [n] where they stand
/// @param weight [n] positive; null: equal
/// @param prior what the points leave open (fewer than three, or all on a line) is as in this pose;
///              null: LW_ERR_SINGULAR then
/// @param error root of the weighted mean square of what is left, m, or null
/// @return LW_OK; LW_ERR_ARGUMENT where n < 1 or a weight is not positive, LW_ERR_NUMBER,
///         LW_ERR_SINGULAR
LW_API lw_status lw_pose_of_points(int n, const lw_vec3 *body, const lw_vec3 *world,
                                   const double *weight, const lw_pose *prior, lw_pose *X,
                                   double *error);

// --- Contact forces ---------------------------------------------------------------------------

/// A contact of the machine with its surroundings, in the world.
typedef struct lw_foot_contact {
    lw_vec3 point;
    lw_vec3 normal;   ///< out of the ground, of any length but zero
    double friction;  ///< coefficient, not negative
    double max_force; ///< along the normal, N; 0 for no limit
    double weight;    ///< of the square of its force; 0 for 1
} lw_foot_contact;

/// How forces are found. Zeros are the defaults.
typedef struct lw_contact_options {
    int facets; ///< of the pyramid around the friction cone: 4 to 8; 0 for 4. The directions of
                ///< its facets begin with normal x y, as do the axes of the forces below. Between
                ///< them it holds 1/cos(pi/facets) of the friction: 1.41 times with four
    double tolerance; ///< of the conditions, as a share of the wrench; 0 for 1e-12
    bool is_exact;    ///< friction cones instead of pyramids; facets are not read
} lw_contact_options;

/// What was found.
typedef enum lw_contact_status {
    LW_CONTACTS_OPTIMAL = 0,    ///< the least forces
    LW_CONTACTS_INFEASIBLE = 1, ///< no forces within friction and limits give the wrench: the
                                ///< forces are those that leave the least of it
    LW_CONTACTS_STOPPED = 2     ///< the iterations ended before
} lw_contact_status;

typedef struct lw_contact_result {
    lw_contact_status status;
    int iterations;
    int rank;         ///< of the wrenches that the contacts can give, 1 to 6
    int nactive;      ///< facets and limits that hold forces back; of cones: contacts at theirs
    double objective; ///< half the weighted sum of squares of forces, N^2
    double kkt;       ///< largest residual of the conditions of the optimum, N
    lw_force missing; ///< what the forces leave of the wrench: about the world's origin, N m and N
                      ///< It is the proof that there are none: taken as a motion, with moments
                      ///< about the mean of the points as rates after division by the square of
                      ///< the largest distance from there, it has more power with the wrench than
                      ///< with any forces within friction and limits
} lw_contact_result;

/// Memory for one call at a time.
typedef struct lw_contact_work {
    double number[6144];
    int index[512];
} lw_contact_work;

/// Forces of contacts that give a wrench, with the least weighted sum of squares.
/// @param n      1 to LW_MAX_CONTACTS
/// @param wrench that the contacts give to the machine: about the world's origin, in world axes
/// @param force  [n] on the machine, in the world, N
/// @return LW_OK whatever the status of the result; LW_ERR_ARGUMENT for a friction below zero, a
///         normal without length, two contacts at one point; LW_ERR_NUMBER
LW_API lw_status lw_contact_forces(int n, const lw_foot_contact *contact, const lw_force *wrench,
                                   const lw_contact_options *options, lw_contact_work *work,
                                   lw_vec3 *force, lw_contact_result *result);

/// The stance of a mechanism at rest: contact forces that carry it, with its loads and springs, and
/// the joint forces that go with them. A free joint carries all that the contacts are fixed to.
/// @param q       [nq] configuration
/// @param frame   [n] of the model, that each contact is fixed to
/// @param contact [n] their points are where they are in the world
/// @param force   [n] on the machine, in the world, N
/// @param tau     [nv] joint forces; those of the free joint are what is missing
/// @return as lw_contact_forces() and lw_inverse_dynamics(); LW_ERR_UNSUPPORTED where no free joint
///         carries the machine
LW_API lw_status lw_stance_forces(const lw_model *m, lw_data *d, const double *q, int n,
                                  const int *frame, const lw_foot_contact *contact,
                                  const lw_contact_options *options, lw_contact_work *work,
                                  lw_vec3 *force, double *tau, lw_contact_result *result);

// --- Stability --------------------------------------------------------------------------------

/// How near a machine is to tipping over.
typedef struct lw_support {
    int ncorner;                 ///< of the support polygon
    int corner[LW_MAX_CONTACTS]; ///< contacts, counter-clockwise seen against gravity
    double margin; ///< distance of the centre of mass to the nearest edge, along gravity seen, m;
                   ///< negative outside
    double energy; ///< that lifts the centre of mass over the edge where it takes least, J (D. A.
                   ///< Messuri, C. A. Klein, 1985); 0 outside
    int tip;       ///< edge of least energy, corner[tip] to the next one: the tip-over axis
} lw_support;

/// The support polygon of contacts on any surfaces: the hull of their points as seen along gravity.
/// LW_ERR_ARGUMENT where there are fewer than three, or two at one point; LW_ERR_SINGULAR where all
/// are on a line, or gravity is zero.
LW_API lw_status lw_support_polygon(int n, const lw_foot_contact *contact, lw_vec3 center,
                                    double mass, lw_vec3 gravity, lw_support *support);

/// Where a centre of mass may be, seen along gravity, so that friction and the limits of the
/// contacts can carry it.
typedef struct lw_support_area {
    int ncorner;                           ///< 0 where the contacts cannot carry it anywhere
    double corner[LW_MAX_AREA_CORNERS][2]; ///< counter-clockwise, m: from the centre of mass, along
                                           ///< `across`
    lw_vec3 across[2]; ///< in the world: horizontal, the second left of the first
    double margin;     ///< distance of the centre of mass to the nearest edge, m; negative outside
    int tip;           ///< that edge, from corner[tip] to the next
} lw_support_area;

/// The support region of contacts with friction on any surfaces (T. Bretl, S. Lall, 2008): extreme
/// points by linear programs over the edges of the friction pyramids, until no edge can be moved
/// outward. It is the support polygon on level ground, smaller where contacts may slip, and larger
/// where walls hold.
/// @param options facets; with exact cones the pyramids have 8 edges on them, one straight against
///                gravity, and the area is a little smaller than that of the cones
/// @return as lw_contact_forces(); LW_ERR_SINGULAR where gravity is zero, LW_ERR_LIMIT where the
///         contacts clamp the machine, so that only a max_force bounds the area
LW_API lw_status lw_find_support_area(int n, const lw_foot_contact *contact, lw_vec3 center,
                                      double mass, lw_vec3 gravity,
                                      const lw_contact_options *options, lw_contact_work *work,
                                      lw_support_area *area);

#ifdef __cplusplus
}
#endif
#endif
