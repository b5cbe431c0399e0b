// The search for the cheapest set of ways, in parts: find more ways between known values
// (saturate.c), propose new values that could pay (propose.c), write the question down compactly
// (search_problem.c), and anneal (anneal.c). select.c is the order of these, and unite.c puts the
// diagnostics of two searches together.
#ifndef LWI_SEARCH_H
#define LWI_SEARCH_H

#include "graph.h"
#include "tape.h"

/// A way within a problem, by local numbers.
typedef struct lwi_problem_way {
    int a, b;     ///< nodes; -1 for none
    uint32_t way; ///< in the graph
    lwi_op op;
} lwi_problem_way;

/// The nodes that could serve, renumbered, and how each can be computed. Constants and symbols are
/// there without a way: they cost nothing.
typedef struct lwi_problem {
    int n, nway, noutput;
    uint32_t *node; ///< [n] in the graph
    int *local;     ///< [nodes of the graph] or -1
    int *way_start; ///< [n + 1]
    lwi_problem_way *way;
    int *output; ///< [noutput]
    int *choice; ///< [n] way of each node, by its number in `way`, or -1
    int *ref;    ///< [n] how often it is read; 0: not needed
    lwi_cost cost;
    lwi_arena arena;
} lwi_problem;

/// Everything that the outputs could read through any way.
/// @param graph_choice [nodes of the graph] the way that each node begins with; NULL: the first one
lw_status lwi_problem_make(lwi_problem *p, const lwi_graph *g, int noutput,
                           const lwi_output *output, lwi_cost cost, const uint32_t *graph_choice);
void lwi_problem_free(lwi_problem *p);

/// Writes the ways chosen into an array by nodes of the graph.
void lwi_problem_finish(const lwi_problem *p, uint32_t *graph_choice);

/// What one operation costs. Operations count 100, so that ties can be broken below them.
long lwi_op_cost(lwi_op op, lwi_cost cost);

/// Improves the choice: `moves` random changes, while it cools from `hot` hundredths of an
/// operation.
/// @return the cost of the best choice, which is left in the problem with its reference counts
long lwi_anneal(lwi_problem *p, long moves, int hot, uint64_t seed, lw_status *status);

/// Magnitudes of nodes at random real states, to refuse ways that cancel.
typedef struct lwi_sizes {
    double *size; ///< [n] root mean square
    size_t n;
} lwi_sizes;
lw_status lwi_sizes_update(lwi_sizes *sizes, const lwi_graph *g);
/// Whether a + b loses much more than the way by which the sum was made.
bool lwi_sizes_cancel(const lwi_sizes *sizes, const lwi_graph *g, lwi_expr sum, lwi_expr a,
                      lwi_expr b);

/// The outputs at random states to twice the precision, and how far off each may be: four times as
/// far as the plain tape is, in the root mean square.
typedef struct lwi_accuracy {
    int noutput;
    lwi_wide *truth; ///< by state and output
    double *limit;   ///< [noutput] of the sum of the squares of the errors
} lwi_accuracy;
lw_status lwi_accuracy_make(lwi_accuracy *a, const lwi_graph *g, int noutput,
                            const lwi_output *output, const lwi_tape *plain);
lw_status lwi_accuracy_check(const lwi_accuracy *a, const lwi_tape *tape, bool *is_accurate);
void lwi_accuracy_free(lwi_accuracy *a);

/// Looks at all pairs of the nodes, but not within the first nold: is their sum, difference or
/// product known? Then that is one more way.
void lwi_saturate(lwi_graph *g, int n, const uint32_t *node, int nold, const lwi_sizes *sizes);

/// What lwi_propose() looks for besides the usual. Each makes many values, so that it is not always
/// worth its while.
enum {
    LWI_PROPOSE_MEETINGS = 1, ///< values that two pairs of those in use would give
    LWI_PROPOSE_INNER = 2     ///< common factors that are within factors
};

/// New values, from the choice that a problem has: sums in another order, common factors, products
/// in another order.
/// @param what LWI_PROPOSE_MEETINGS and LWI_PROPOSE_INNER, or 0
void lwi_propose(lwi_graph *g, const lwi_problem *p, unsigned what);

/// Takes the values and ways that a choice of another graph uses into this one. Both graphs grew
/// from the same one of nshared nodes.
/// @param into_choice [nodes of into] that choice, over this graph; to be freed by the caller
lw_status lwi_unite(lwi_graph *into, const lwi_graph *from, size_t nshared, int noutput,
                    const lwi_output *output, const uint32_t *from_choice, uint32_t **into_choice);

/// Writes the tape of a choice.
/// @param choice [nnode] a way for each node that the outputs need through these ways; constants
///               take the way that made them constant, whatever is chosen here
lw_status lwi_tape_of_choice(const lwi_graph *g, int noutput, const lwi_output *output,
                             const uint32_t *choice, lwi_tape **tape);

#endif
