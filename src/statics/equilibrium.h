// Where forces balance: the one solver of equilibria, which deflections, the initial state of
// simulations and linearized motion share.
#ifndef LWI_EQUILIBRIUM_H
#define LWI_EQUILIBRIUM_H

#include <linkwork/model.h>

/// Residual forces of nrow conditions over n >= nrow unknown degrees of freedom.
typedef struct lwi_equilibrium {
    const lw_model *model;
    int nrow, n;
    const int *dof; ///< [n] the unknowns, as indices in v

    /// Slopes are those of an energy: they are symmetric, and only a minimum is gone to.
    bool is_potential;

    /// Residual forces r [nrow] at q, and their slopes S [nrow*n] along the unknowns.
    lw_status (*forces)(void *context, const double *q, double *r);
    lw_status (*slopes)(void *context, const double *q, double *S);
    void *context;

    double size;     ///< in: of the forces that balance, as far as it is known; grows
    double stiffest; ///< of the springs; 0 where it is not known
    int most_steps;  ///< of Newton's method
    int steps;       ///< out
    double residual; ///< out: the largest one
    bool is_stable;  ///< out: the symmetric part of the slopes is positive definite
    bool is_firm;    ///< out: and far from where it is not

    double *r, *S, *F, *x, *v, *from; ///< [n], [n*n], [n*n], [n], [nv], [nq] workspace
} lwi_equilibrium;

/// Doubles that the workspace takes, and how it is laid out.
size_t lwi_equilibrium_doubles(const lw_model *m, int n);
void lwi_equilibrium_lay(lwi_equilibrium *e, double *block);

/// Goes from q to an equilibrium. LW_ERR_NO_CONVERGENCE where none is found. Allocates nothing.
/// @param q [nq] in place; after failure, where the search ended
lw_status lwi_find_equilibrium(lwi_equilibrium *e, double *q);

#endif
