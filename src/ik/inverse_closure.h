// The closure program backwards: from wanted tree coordinates of a chain to the independent
// coordinates that give them, every branch.
//
// A plan is made once. Known are the joints of the chain; the unknown independent coordinates are
// the sources of the steps that give dependent joints of the chain. Each operation solves one
// condition for what is not known yet, in closed form: linear rows by a constant inverse, laws by
// bracketing and bisection, loops as legs whose other side is known. Operations may have several
// results; the combinations are run through without recursion, and what does not depend on a
// choice is not computed again.
#ifndef LWI_INVERSE_CLOSURE_H
#define LWI_INVERSE_CLOSURE_H

#include "../base/arena.h"
#include "../model/data.h"
#include "leg.h"

enum {
    LWI_INVERSE_OPERATIONS = 64, ///< of a plan; as many bits has lwi_operation.after
    LWI_INVERSE_ROWS = 6         ///< linear rows that are solved together
};

typedef enum lwi_operation_kind {
    LWI_SOLVE_ROWS,    ///< linear rows
    LWI_SOLVE_LAW,     ///< the source of a law, from its value
    LWI_SOLVE_LEG,     ///< joints of one side of a loop
    LWI_SOLVE_FORWARD, ///< a step whose sources are known, as in the closure sweep
    LWI_CHECK_LOOP     ///< a loop whose joints are all known must be closed
} lwi_operation_kind;

/// A second loop that the joints of a leg must close, as each of the two rods of a parallelogram.
typedef struct lwi_companion {
    const lwi_loop *loop;
    lwi_leg leg; ///< with the joints of the operation, for the end of this loop
} lwi_companion;

enum { LWI_COMPANIONS = 2 }; ///< of one leg; further loops are checked on their own

/// One linear row among tree coordinates: of a linear step or a polynomial of degree one.
typedef struct lwi_inverse_row {
    const lwi_step *step;
    int target; ///< which of the step's
} lwi_inverse_row;

typedef struct lwi_operation {
    lwi_operation_kind kind;
    unsigned long long after;  ///< bit i: reads what operation i gives
    unsigned long long before; ///< bit i: operation i reads what this one gives
    int ntarget;
    int target[LWI_INVERSE_ROWS];   ///< tree positions that it gives
    bool matters[LWI_INVERSE_ROWS]; ///< it is independent, or something else reads it
    const lwi_step *step;           ///< of a law, or forward
    lwi_inverse_row row[LWI_INVERSE_ROWS];
    double inverse[LWI_INVERSE_ROWS * LWI_INVERSE_ROWS]; ///< of the rows' matrix of targets
    const lwi_loop *loop;                                ///< of a leg or a check
    int side;                                            ///< of the loop, that has the targets
    bool is_fixed; ///< no joint of this side is known: the leg never changes
    lwi_leg leg;
    int ncompanion;
    lwi_companion companion[LWI_COMPANIONS];

    int count, choice;            ///< results, and which one is in the tree now
    int label[LWI_LEG_SOLUTIONS]; ///< of the results: which root each one is
    double result[LWI_LEG_SOLUTIONS][LWI_INVERSE_ROWS];
    double result_gap[LWI_LEG_SOLUTIONS]; ///< that is left of the loops, m
    double gap;                           ///< of a loop that cannot be closed, m
} lwi_operation;

typedef struct lwi_inverse {
    const lw_model *model;
    bool is_complete; ///< the plan gives every unknown coordinate
    bool is_proved;   ///< operations and checks close all loops in question: no sweep need follow
    bool *known;      ///< [tree_nv]
    bool *needed;     ///< [nstep] steps that the chain depends on
    bool *is_near;    ///< [nloop] loops of these steps
    bool *is_used;    ///< [nloop] those that an operation solves or checks
    int *given_by;    ///< [tree_nq] operation that gives this position, or -1
    int noperation, most_operations;
    lwi_operation *operation;
    int platform;     ///< body whose pose in its parent is known as such, or -1
    lw_pose X_PP;     ///< that pose, set by the caller
    double tolerance; ///< gaps of loops above it are out of reach, as a fraction of the loop's size

    // Of an enumeration.
    bool is_begun;
    unsigned long long stale; ///< bit i: what operation i reads has changed since it was solved
    int open;                 ///< loop that lwi_inverse_find_open() found, or -1
    double gap;               ///< of that loop, m
} lwi_inverse;

/// Lays out a plan; null in counting runs.
lwi_inverse *lwi_inverse_lay_out(const lw_model *m, lwi_slicer *s);

/// Makes the plan for a chain of bodies whose tree coordinates will be given.
void lwi_inverse_plan(lwi_inverse *inverse, const int *body, int nbody);

/// Begins an enumeration. `tree` [tree_nq] holds the joints of the chain, and the caller's values
/// of all independent coordinates.
void lwi_inverse_begin(lwi_inverse *inverse);

/// The next combination, written into `tree`; false when there are no more.
bool lwi_inverse_next(lwi_inverse *inverse, lw_data *d, double *tree);

/// Where there is no combination: which leg is farthest from its target, and by how much, into
/// `open` and `gap`. False where none is.
bool lwi_inverse_find_open(lwi_inverse *inverse, lw_data *d, double *tree);

/// The widest gap that is left of the loops that the last one was solved from, m.
double lwi_inverse_gap(const lwi_inverse *inverse);

/// Which combination the last one was: the same number along a path as long as no two meet.
int lwi_inverse_branch(const lwi_inverse *inverse);

// Between inverse_plan.c and inverse_closure.c.

/// Value of a row at `tree`: zero where it holds.
double lwi_inverse_row_value(const lwi_inverse_row *row, const double *tree);

/// Axes of the joints of an operation on one side of a loop, with those that are known where `tree`
/// has them.
void lwi_inverse_set_leg(const lw_model *m, const lwi_operation *operation, const lwi_loop *loop,
                         const double *tree, lwi_leg *leg);

#endif
