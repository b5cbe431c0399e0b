// The model and the data of float arithmetic.
#ifndef LWI_FLOAT_MODEL_H
#define LWI_FLOAT_MODEL_H

#include <linkwork/float.h>

#include "../base/arena.h"
#include "../model/kernel.h"
#include "../model/kernel_sizes.h"
#include "../model/loop_work.h"
#include "../model/program.h"

typedef struct lwi_frame32 {
    int body;
    lw_pose32 X_BF;
} lwi_frame32;

/// As lw_spring_info; ends are along the axes of the segments.
typedef struct lwi_spring32 {
    bool is_torsion, is_plane;
    int body[2], dof[2], position[2];
    lwi_vector32 p[2], normal;
    lw_law law;
    int ncoefficient;
    const float *coefficient;
    float preload, free, damping, backlash, loss, loss_speed;
    lw_spring_side side;
} lwi_spring32;

struct lw_model32 {
    int nbody, nq, nv, tree_nq, tree_nv, nstep, nrate, nbias, nframe, nload, nquat, ngeneral;
    bool all_revolute, has_joint_forces;
    float world_phi[2];
    float gravity[3];             ///< of the model
    const lwi_segment32 *segment; ///< [nbody]
    const lwi_passive32 *passive; ///< [tree_nv]
    const lwi_load32 *load;       ///< [nload]
    const lwi_frame32 *frame;     ///< [nframe] all of the model's frames
    const int *q_tree, *v_tree;   ///< [nq], [nv]
    const int *quat;              ///< [nquat] positions of their w in q
    const lwi_step32 *step;       ///< [nstep]
    const float *coefficient;     ///< of all steps
    int nspring, nloop, nplane_record, nplane_solve;
    int matrix, both, longest;  ///< largest work space of one step
    bool has_rods;              ///< with mass
    const lwi_loop32 *loop;     ///< [nloop]
    const lwi_spring32 *spring; ///< [nspring]
    const float *rod_mass;      ///< [nloop]
    const lwi_place32 *X_PJ;    ///< [nbody] as in lw_model, where there are loops
    const float *q_reference;   ///< [tree_nq] likewise
};

struct lw_data32 {
    const lw_model32 *model;
    int singular_dof;
    bool is_ideal;
    float friction_rate; ///< as in lwi_settings
    float gravity[3];
    float base_rotation[3], base_rotation_rate[3], base_acceleration[3];
    float *q, *v, *a, *tau; ///< of the tree, where it has closure steps
    float *rate, *bias;     ///< of the steps, as in lw_data
    float *x;               ///< [nv] likewise
    float *M;               ///< [tree_nv*tree_nv] likewise
    float *last;            ///< [tree_nq] where all was closed last
    float *between;         ///< [tree_nq] on the path from there
    float *sine, *cosine;   ///< [tree_nq] of angles, for planar loops
    float *matrix, *before; ///< [lw_model32.matrix] of one step
    float *both;            ///< [lw_model32.both] likewise
    float *spring_row;      ///< [tree_nv] change of a spring's length for unit rates
    float *spring_tau;      ///< [tree_nv] forces that hold against all springs
    void *motion;           ///< [longest] of the joints of a step's loops
    void *plane;            ///< [nplane_record]
    float *plane_solve;     ///< [4 * nplane_solve]
    lwi_closure_fault32 fault;
    void *pose; ///< [nbody]
    void *work; ///< of the recursions
};

/// Fills the closure program of a copy, its loops and the sizes of their work space.
void lwi_put_program32(const lw_model *m, lwi_slicer *s, lw_model32 *to);

#endif
