// A set of constraints, its rows at a configuration, and what its solver works in.
#ifndef LWI_CONSTRAINT_SET_H
#define LWI_CONSTRAINT_SET_H

#include <linkwork/constraints.h>
#include <linkwork/ik.h>

#include "../base/arena.h"

enum { LWI_ROWS_KEPT = 4 };

/// A constraint as it is evaluated: directions have length 1, name and posture are copies.
typedef struct lwi_constraint {
    lw_constraint_def def;
    lw_constraint_kind kind;
    lw_ik *chain; ///< of a pose with a closed form, for starts; or null
    void *self;
    int first, nrow;
    int level; ///< within the set: after that of the limits of dependent joints, where it has one
    const lw_constraints *set;
} lwi_constraint;

/// Rows at one configuration.
typedef struct lwi_rows {
    double *q;     ///< [nq]
    double *value; ///< [nrow]
    double *e;     ///< [nrow] beyond the bounds, times the root of the weight
    double *A;     ///< [nrow*n] derivatives of weighted values by the coordinates that move
    double E[LW_CONSTRAINT_LEVELS + 1]; ///< [nlevel] half the sum of squares of e
} lwi_rows;

/// Conditions on a step, as rows: C dq = -c.
typedef struct lwi_stack {
    int n;        ///< rows
    double *C;    ///< [n*ncolumn]
    double *c;    ///< [n]
    double *mu;   ///< [n] multipliers
    int *row;     ///< [n] of the set, or -1 for one of a level that is not met
    double *V;    ///< [rank*ncolumn] orthonormal basis of the rows within the free coordinates
    double *z;    ///< [n] components of the least step along them
    double *work; ///< [n*n]
    int rank;
} lwi_stack;

struct lw_constraints {
    const lw_model *m;
    lw_data *d;
    int ncopy;            ///< constraints of the caller's
    int ncopy_rows;       ///< their rows, which come first
    int nitem;            ///< and that of the limits of dependent joints
    lwi_constraint *item; ///< [nitem]
    int nrow, nlevel;
    int widest;                     ///< most rows of one constraint
    double *lower, *upper, *weight; ///< [nrow] bounds; the root of the weight
    int *row_level;                 ///< [nrow]
    int n;                          ///< coordinates that move
    int *column;                    ///< [n] index in v
    int *position;                  ///< [n] index in q, or -1
    double *low, *high;             ///< [n] limits
    double *wide;                   ///< [n] half the range of starts where there are none
    double tolerance;
    int iterations, starts, repeats;

    bool has_center;  ///< a constraint needs the centre of mass
    lw_vec3 center;   ///< at the configuration at hand, in the world
    double *center_J; ///< [3*nv]
    int ndependent;   ///< dependent joints with limits
    int *dependent;   ///< [ndependent] tree velocities

    lw_motion *S;               ///< [tree_nv]
    double *J;                  ///< [widest*tree_nv]
    lwi_rows at[LWI_ROWS_KEPT]; ///< at hand, a trial, the best, and for differences
    double *v;                  ///< [nv] a step
    double *seed;               ///< [nq]

    // A level's step.
    lwi_stack stack;
    bool *is_fixed, *is_locked; ///< [n] at a limit: for this step, and for all further levels
    bool is_met[LW_CONSTRAINT_LEVELS + 1]; ///< levels that are met; others are held at their least
    double *g, *lagrangian;                ///< [n] gradient of a level, and projected
    double *dq, *rhs;                      ///< [n]
    double *transposed;                    ///< [nrow*n] the same by columns
    double *reduced;       ///< [nrow*n] rows of the level within the null space of the stack
    double *H, *reduced_H; ///< [n*n] second derivatives of the Lagrangian; within the null space
    double *N;             ///< [square of the larger of nrow and n] factor
    bool has_held;         ///< a level before is not met
    double *held;          ///< [nlevel*n*(n+1)] rows that hold the stationary points of such levels
    double *limit_multiplier; ///< [n]

    lw_constraint_outcome *outcome; ///< [ncopy]
    lw_active_limit *active;        ///< [n]
    int *limit_group;               ///< [n] conflict that a limit is part of, or -1
    int *group;                     ///< [n] of the coordinate, while conflicts are grouped
    double *share;                  ///< [nitem*n] of each constraint in the balance of a level
    int nconflict;
    double *dual; ///< [larger of nrow and n]
    bool has_posture;
    double *posture; ///< [nitem*nq] copies, where there is one
    size_t name_bytes;
    char *names;
};

/// The functions of a built-in type.
lw_constraint_kind lwi_constraint_kind_of(lw_constraint_type type);

/// Rows of a type with these numbers; 0 for user rows.
int lwi_constraint_row_count(const lw_constraint_def *def, int nmove);

/// Tree position of a tree velocity; -1 for one of a spherical or free joint.
int lwi_tree_position(const lw_model *m, int dof);

/// Twice the area of the polygon of a balance, positive where its corners go counterclockwise.
double lwi_polygon_area(const lw_constraint_def *def);

/// The kind of the limits of dependent joints.
lw_status lwi_dependent_limits(void *self, const lw_constraint_state *at, double *value, double *J);

/// Evaluates all rows at q, with derivatives.
lw_status lwi_constraints_evaluate(lw_constraints *set, lwi_rows *rows, const double *q);

/// Whether all rows of a level are within a tolerance of their bounds.
bool lwi_level_is_met(const lw_constraints *set, const lwi_rows *rows, int level, double tolerance);

/// How far coordinate k, of those that move, is from its limits; q is in `rows`.
static inline bool lwi_at_limit(const lw_constraints *set, const lwi_rows *rows, int k, int side)
{
    const int i = set->position[k];
    return i >= 0 && (side > 0 ? rows->q[i] >= set->high[k] : rows->q[i] <= set->low[k]);
}

/// Minimises a level from set->at[0], the levels before it held. With second derivatives where it
/// converges slowly if `is_exact`. Returns the number of iterations; *kkt is the gradient that is
/// left.
int lwi_constraints_minimise(lw_constraints *set, int level, bool is_exact, double *kkt);

/// Which rows of the stack, which limits hold a level at set->at[0]: multipliers of both, and its
/// gradient.
void lwi_constraints_balance(lw_constraints *set, int level);

/// Names what a level that is not met conflicts with.
void lwi_constraints_explain(lw_constraints *set, int level);

/// Forgets what was explained, and fills residuals.
void lwi_constraints_clear(lw_constraints *set);
void lwi_constraints_certify(lw_constraints *set, lw_constraint_result *result);

#endif
