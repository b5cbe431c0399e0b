// Chains that closure steps have to do with: dependent joints between the frames, and platforms
// that legs carry. Candidates are joint positions of the tree; here they become independent
// coordinates, every branch, verified by the closure sweep.
#ifndef LWI_CLOSED_CHAIN_H
#define LWI_CLOSED_CHAIN_H

#include "inverse_closure.h"
#include "level_chain.h"
#include "solve.h"

struct lwi_closed_chain {
    lwi_inverse *inverse;
    double *tree;    ///< [tree_nq] the combination under way
    double *seed;    ///< [tree_nq] of dependent joints of the chain: their values at the seed
    bool has_rows;   ///< gears or laws: whole turns of a joint matter to those before it
    bool has_blocks; ///< Newton blocks or three spheres are among the steps of the chain
    bool has_newton; ///< Newton blocks are
    int side;        ///< sign of the determinants of these in the reference configuration
    int platform;    ///< body on a dependent free or ball joint that is all of the chain; -1
    bool is_above;   ///< the base frame is on the platform, not the tip
    lwi_level_chain level;
    int rank, angular_rank;        ///< of the motion of the tip against the base, and its rotation
    int driven_body[LW_IK_DRIVEN]; ///< that the joints of lw_ik_info.driven carry
    int *active; ///< [nactive] velocities in v that the pose of the tip depends on
    int nactive;
    bool has_turns;   ///< gears alone lead back from the chain: `turn` is known
    double *turn;     ///< [LW_IK_JOINTS * nq] what a whole turn of each joint does to q
    double *joint;    ///< [LWI_IK_SOLUTIONS * LW_IK_JOINTS] joints of the chain in each solution
    double *J;        ///< [2 * 6 * nv] Jacobians of tip and base
    double *q, *best; ///< [2 * nq], [nq] configurations under way
};

/// Lays out what a model with closure steps needs; null in counting runs.
lwi_closed_chain *lwi_closed_chain_lay_out(const lw_model *m, lwi_slicer *s);

/// Decides whether closure steps have to do with the chain of `ik`, and plans for it; ik->closed is
/// null where they have not.
void lwi_closed_chain_of(lw_ik *ik);

/// Whether the chain is a platform, or has no plan and is searched: no class of arms is looked for.
/// Sets the kind.
bool lwi_closed_chain_takes(lw_ik *ik);

/// The length that errors of such a chain are judged against, m.
double lwi_closed_chain_length(const lw_ik *ik);

/// Degrees of freedom of the tip against the base.
int lwi_closed_chain_dof(const lw_ik *ik);

/// Adds to what a lw_ik tells about its chain.
void lwi_closed_chain_describe(lw_ik *ik);

/// Values of dependent joints at the seed, as far as they matter.
void lwi_closed_chain_begin(lw_ik *ik);

/// The value that dependent joint i of the chain has at the seed, or where that does not matter in
/// the reference configuration.
double lwi_closed_chain_seed(const lw_ik *ik, int i);

/// Adds the solutions that a configuration of the chain stands for; `position` has its joints,
/// which stand `stride` doubles apart.
void lwi_closed_chain_accept(lw_ik *ik, const lwi_candidate *c, const double *position, int stride,
                             double residual);

/// All solutions for a platform.
void lwi_platform_solve(lw_ik *ik);

/// Adds a solution in independent coordinates; the joints of the chain are those of closed->tree.
void lwi_closed_chain_store(lw_ik *ik, const double *q, const lwi_candidate *c, double residual,
                            int index);

// In closed_windings.c:

/// Finds what whole turns of the joints do to the shafts before them.
void lwi_find_turns(lw_ik *ik);

/// How many windings of a solution there may be, one turn on either side for each joint; and one of
/// them. False where it is outside the limits.
long lwi_geared_windings(const lw_ik *ik);
bool lwi_geared_winding(const lw_ik *ik, const lw_ik_solution *s, long winding, double *q);

// In closed_search.c:

/// Ranks of the Jacobian of the tip against the base, in independent coordinates: how many degrees
/// of degree of freedom the chain has, whatever the number of its joints.
void lwi_closed_chain_rank(lw_ik *ik);

/// By damped least squares on the independent coordinates: the nearest configuration, or solutions
/// of what has no plan.
void lwi_closed_chain_search(lw_ik *ik, int starts);

#endif
