// Solids of a mechanism, and its pairs of links.
#ifndef LWI_SOLIDS_H
#define LWI_SOLIDS_H

#include <linkwork/collide.h>
#include <linkwork/surface.h>

/// A shape of the model that is used.
typedef struct solid_at {
    lw_solid solid;            ///< where `surface` is null
    const lw_surface *surface; ///< of a mesh, or null
    double reach;              ///< no point of it is farther than this from its origin
    int shape, body;
    lw_pose X_BS;
} solid_at;

/// The solids of a link or of the ground: solid[first] .. solid[first + count - 1].
typedef struct link_solids {
    int frame, body, first, count;
    double reach; ///< no point is farther than this from the origin of the body
} link_solids;

struct lw_collide {
    const lw_model *m;
    lw_collide_info info;
    solid_at *solid;
    lw_pose *X_WS; ///< [nsolid] in the state at hand
    link_solids *link;
    lw_collide_pair *pair;
    int *pair_link; ///< [2 npair] numbers in `link`
    lw_distance_work *work;
    lw_surface **surface; ///< [m->nshape] at the first shape with each mesh and scale, else null
    double stop;          ///< m: of a mesh no more needs to be known than that it is as near

    // Of a motion.
    double *safe_until; ///< [npair] time before which the pair is proven not to be near
    double *rate;       ///< [npair] bound of the change of its distance, m per unit of time
    double *q, *v;      ///< [nq], [nv]
    double *tree_q, *tree_v;
};

/// Brings all solids to their poses at q.
lw_status lwi_place_solids(lw_collide *c, lw_data *d, const double *q);

/// Makes the surfaces of all meshes that are used, each once. Not real-time safe.
lw_status lwi_make_surfaces(lw_collide *c);

/// The surface of a shape of the model; null where it is no mesh.
const lw_surface *lwi_surface_of(const lw_collide *c, const lw_shape_info *shape);

/// The distance of two solids or surfaces at their poses; false where they are proven to be farther
/// apart than a cut-off.
bool lwi_distance_within(lw_collide *c, int i, int j, double cutoff, lw_distance *distance);

/// The nearest solids of a pair of links, where any are not proven to be farther than a cut-off.
bool lwi_nearest_of_pair(lw_collide *c, int pair, double cutoff, lw_contact *contact);

#endif
