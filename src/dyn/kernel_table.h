// The kernels for one state, and the table of model/kernels.h that has them. The including file has
// defined LWI_INSTRUCTION_SET, and as the names of what its ..._lanes.c define LWI_SINCOS,
// LWI_LANE_KERNELS and LWI_BATCH_KERNELS.
#ifndef LWI_KERNEL_TABLE_H
#define LWI_KERNEL_TABLE_H

#include "../kin/kernel_body_poses.h"
#include "../kin/kernel_closure_sweep.h"
#include "../model/kernels.h"
#include "kernel_recursions.h"

static const lwi_kernels kernel_table = {
    .name = LWI_INSTRUCTION_SET,
    .closure_position = sweep_positions,
    .closure_rotations = sweep_rotations,
    .closure_angles = sweep_angles,
    .closure_rates = sweep_rates,
    .closure_velocity = sweep_velocities,
    .closure_motion = sweep_motion,
    .closure_acceleration = sweep_accelerations,
    .closure_forces = sweep_forces,
    .tree_poses = tree_poses,
    .path_poses = path_poses,
    .joint_columns = joint_columns,
    .frame_poses = frame_poses,
    .inverse_dynamics = run_inverse_dynamics,
    .mass_matrix = run_mass_matrix,
    .forward_dynamics = run_forward_dynamics,
    .forward_dynamics_closed = run_forward_dynamics_closed,
    .gravity_forces = run_gravity_forces,
    .momentum = run_momentum,
    .momentum_rows = run_momentum_rows,
    .root_forces = run_root_forces,
    .joint_wrenches = run_joint_wrenches,
    .lane = &LWI_LANE_KERNELS,
    .batch = &LWI_BATCH_KERNELS,
};

#endif
