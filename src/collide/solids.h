// Solids of a mechanism, and its pairs of links.
#ifndef LWI_SOLIDS_H
#define LWI_SOLIDS_H

#include <linkwork/collide.h>
#include <linkwork/surface.h>

#include "../geom/segment_pair.h"

#include <stdint.h>

/// A shape of the model that is used.
typedef struct solid_at {
    lw_solid solid;            ///< where `surface` is null
    const lw_surface *surface; ///< of a mesh, or null
    double reach;              ///< no point of it is farther than this from its origin
    int shape, body;
    bool is_capsule; ///< or a sphere
    lw_pose X_BS;
    lw_vec3 p_L, z_L; ///< its origin and its z in the frame of the link
    double slack;     ///< how far it may reach out of what it stands for: convex hulls of meshes
} solid_at;

/// The solids of a link or of the ground: solid[first] .. solid[first + count - 1].
typedef struct link_solids {
    int frame, body, first, count;
    int carrier;      ///< the next described joint on the way to the world, -1 for none
    double reach;     ///< no point is farther than this from the origin of the body
    lw_vec3 center;   ///< of a ball around all of them, in the frame of the body
    lw_vec3 center_L; ///< in the frame of the link
    double radius;
    int first_node, nnode; ///< of its tree; 0 where its shapes are few and have no bounds
} link_solids;

/// A shape, or a bound round the nodes behind it, up to `end`.
typedef struct tree_node {
    int solid, end;
} tree_node;

/// Balls around links in the world, side by side; there is more to be read behind the last.
typedef struct ball_list {
    double *x, *y, *z, *r;
} ball_list;
enum { BALLS_MORE = 8, MOST_CHECK_LANES = 8 };

struct lw_collide;

/// Compiled for several instruction sets.
typedef struct lwi_collide_kernels {
    /// Brings the balls to where the bodies are. False where one is too far away for any answer.
    bool (*place_balls)(struct lw_collide *c, const lw_pose *X_WB);
    /// Pairs of balls that are not farther apart than a margin; returns how many.
    int (*near_balls)(int n, const ball_list *balls, double margin, int *pair);
    /// The verdict on a pair of links. Writes the two solids that are hit, or uncertain.
    lw_verdict (*pair_verdict)(struct lw_collide *c, const lw_pose *X_WB, int pair, double margin,
                               int solid[2]);
    int lanes; ///< states that are checked side by side
    /// Verdicts on n states, at most as many as lanes, whose links are at X [n*nlink]. Uncertain is
    /// what floats do not tell, and all that depends on a solid that is no capsule.
    void (*check_lanes)(struct lw_collide *c, int n, const lw_pose *X, double margin,
                        lw_verdict *verdict);
} lwi_collide_kernels;

const lwi_collide_kernels *lwi_collide_kernels_generic(void);
const lwi_collide_kernels *lwi_collide_kernels_avx2(void); ///< null where there are none

struct lw_collide {
    const lw_model *m;
    lw_collide_info info;
    solid_at *solid; ///< [nsolid + nbound]
    int nbound, nnode;
    tree_node *node; ///< [nnode]
    lw_pose *X_WS;   ///< [nsolid + nbound] in the state at hand
    lw_collide_method method;
    lw_collide_count count;
    link_solids *link;
    int *link_frame;
    lw_collide_pair *pair;
    int *pair_link; ///< [2 npair] numbers in `link`
    lw_distance_work *work;
    lw_vec3 **hull_point; ///< [m->nshape] of `hull`, or null
    lw_solid *hull;       ///< [m->nshape] of convex meshes, as `surface`
    lw_surface **surface; ///< [m->nshape] at the first shape with each mesh and scale, else null
    double stop;          ///< m: of a mesh no more needs to be known than that it is as near

    // The state at hand. What belongs to a link is brought there when somebody asks for it.
    const lwi_collide_kernels *kernels;
    ball_list balls;      ///< [nlink + BALLS_MORE]
    lwi_capsule *capsule; ///< [nsolid]; of other solids the origin alone
    uint64_t now;         ///< number of the state; of 32 bits it would come again within the hour
    uint64_t *placed;     ///< [nlink] the state in which its capsules were brought there
    uint64_t *posed;      ///< [nsolid + nbound] the same of X_WS
    double skew;          ///< of the capsules' axes
    int *near;            ///< [npair]
    uint32_t *hits;       ///< [npair] how often it was hit: pairs are looked at in this order
    int nearest;          ///< pair that was so the last time

    // Several states.
    float *lane_ball, *lane_capsule; ///< [nlink], [nsolid] of kernel_check_lanes.h
    lw_pose *X_WB;                   ///< [nbody] bodies of one of them

    // Of a motion.
    double *safe_until; ///< [npair] time before which the pair is proven not to be near
    double *step;       ///< [npair] how long that proof lasts
    double *rate;       ///< [npair] bound of the change of its distance, m per unit of time
    double *q, *v;      ///< [nq], [nv]
    double *tree_q, *tree_v;
    double *bound; ///< [tree_nv + nv] of the speeds of a trajectory
};

/// Makes the surfaces and hulls of all meshes that are used, each once. Not real-time safe.
lw_status lwi_make_surfaces(lw_collide *c);
void lwi_free_surfaces(lw_collide *c);

/// The hull of a convex mesh.
const lw_solid *lwi_hull_of(const lw_collide *c, const lw_shape_info *shape);

/// The surface of a shape of the model; null where it is no mesh.
const lw_surface *lwi_surface_of(const lw_collide *c, const lw_shape_info *shape);

/// A shape that is no mesh, as a solid.
lw_solid lwi_solid_of_shape(const lw_shape_info *shape);

/// How many shapes of a model are bounds.
int lwi_count_bounds(const lw_model *m);

/// Makes the trees of all links. Not real-time safe.
lw_status lwi_make_trees(lw_collide *c);

/// The next two shapes of a pair of links that no bound proves to be farther apart than a margin;
/// at: {-1, -1} at first.
bool lwi_next_shapes(lw_collide *c, const lw_pose *X_WB, int pair, double margin, int at[2],
                     int solid[2]);

/// As lwi_collide_kernels.pair_verdict, with trees, or as the method is.
lw_verdict lwi_tree_verdict(lw_collide *c, const lw_pose *X_WB, int pair, double margin,
                            int solid[2]);

/// The distance of two solids or surfaces at X_WS; false where they are proven to be farther apart
/// than a cut-off.
bool lwi_distance_within(lw_collide *c, int i, int j, double cutoff, lw_distance *distance);

/// The same of two shapes in the state at hand, whose links were brought there.
bool lwi_shape_distance(lw_collide *c, const lw_pose *X_WB, const int solid[2], double cutoff,
                        lw_distance *distance);

/// Brings balls to their places at q; null: where the data has the bodies. Solids follow by
/// lwi_place_link() and lwi_solid_pose().
lw_status lwi_place_balls(lw_collide *c, lw_data *d, const double *q);

/// The pose of a solid in the state at hand.
const lw_pose *lwi_solid_pose(lw_collide *c, const lw_pose *X_WB, int solid);

/// Brings the capsules of a link to where they are in the state at hand.
static inline void lwi_place_link(lw_collide *c, const lw_pose *X_WB, int link)
{
    const link_solids *l = &c->link[link];
    if (c->placed[link] == c->now) {
        return;
    }
    c->placed[link] = c->now;
    for (int i = l->first; i < l->first + l->count; ++i) {
        const solid_at *at = &c->solid[i];
        lwi_capsule *s = &c->capsule[i];
        const lw_mat3 *R = &at->X_BS.R;
        const lw_vec3 z = {R->row[0].z, R->row[1].z, R->row[2].z};
        s->p = l->body < 0 ? at->X_BS.p : lw_pose_apply(&X_WB[l->body], at->X_BS.p);
        s->u = l->body < 0 ? z : lw_rotate(&X_WB[l->body].R, z);
        c->skew = lwi_larger(c->skew, fabs(lw_dot3(s->u, s->u) - 1.0));
    }
}

/// By how much the distance of a pair changes at the most, where every joint moves by no more than
/// its entry of tree_v from tree_q, the state at hand.
double lwi_pair_way(const lw_collide *c, const lw_pose *X_WB, int pair);

/// The verdict on two solids, whatever they are.
lw_verdict lwi_solid_verdict(lw_collide *c, const lw_pose *X_WB, int i, int j, double margin);

/// The nearest solids of a pair of links, where any are not proven to be farther than a cut-off.
bool lwi_nearest_of_pair(lw_collide *c, const lw_pose *X_WB, int pair, double cutoff,
                         lw_contact *contact);

#endif
