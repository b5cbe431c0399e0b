// In which order the accelerations of a tree with closure steps are eliminated: from the tips
// inward, each one as soon as all that it moves has been met.
//
// A plain coordinate moves its own joint alone and is eliminated there, as articulated bodies do. A
// shared one moves dependent joints too; it is carried along inward, with the force that each body
// needs for it, up to the body that carries all the joints that it moves, or to the world. The
// shared coordinates that are under way at a body are its front. So a coupling costs what the way
// between its joints costs, and nothing beyond (multifrontal elimination: Duff and Reid 1983; in
// the field, constraint embedding: Jain 2009).
#ifndef LWI_FRONTS_H
#define LWI_FRONTS_H

/// One term of the composed rates G, dv_tree = G dv: entry `to` gets rate times entry `from`.
typedef struct lwi_product {
    int to, from;
    int rate; ///< entry of lw_data.rate
} lwi_product;

/// What a body has to do with fronts.
typedef enum lwi_front_role {
    LWI_FRONT_NONE,
    LWI_FRONT_PASSES, ///< its own degrees of freedom are plain, and all of its front goes on
    LWI_FRONT_MEETS   ///< a degree of freedom is shared or dependent, or a coordinate ends
} lwi_front_role;

typedef struct lwi_fronts {
    // G by rows, sparse. The first nv entries are the ones of the independent degrees of freedom;
    // all others are sums of products.
    int nentry;
    int nproduct;
    const lwi_product *product; ///< [nproduct] in the order of the steps
    const int *row, *nrow;      ///< [tree_nv] first entry, and how many
    const int *column;          ///< [nentry] independent degree of freedom
    const int *at;              ///< [nentry] its place among `dof` in the front of the body that
                                ///< the row belongs to; -1 in the rows of plain ones
    const char *bends;          ///< [nv] some rate that depends on it is not constant
    int is_bent;                ///< any of these
    const int *v_parent;        ///< [nv] for the factors of the mass matrix, as in lw_data
    // Fronts of all bodies, and of the world after them.
    int nfront;
    const int *first; ///< [nbody+2] first place of each front
    const int *nkept; ///< [nbody+1] so many of each front, the first ones, go on to the parent
    const int *dof;   ///< [nfront] tree velocity of the shared coordinate
    const int *slot;  ///< [nfront] its row in the matrix of those under way
    const int *to;    ///< [nfront] its place in the front of the parent; -1 where it ends
    const int *share; ///< [nbody+1] first of the numbers kept to go outward again
    int nslot, nshare;
    const char *role;    ///< [nbody] lwi_front_role
    int has_few_columns; ///< inverse dynamics for each column of the mass matrix takes less than it
    int is_sparse; ///< elimination is expected to take less than the mass matrix and its factors
} lwi_fronts;

#endif
