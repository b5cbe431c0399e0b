// The closure program for kernels, by the scalar of ../math/real.h.
#ifndef LWI_SCALAR_PROGRAM_H
#define LWI_SCALAR_PROGRAM_H

#include "loop_work.h"

#if defined(LWI_REAL_FLOAT)
typedef lwi_step32 closure_step;
typedef lwi_loop32 closure_loop;
typedef lwi_plane32 planar_loop;
typedef lwi_plane_side32 planar_side;
typedef lwi_plane_joint32 planar_joint;
typedef lwi_vec232 constant2;
typedef lwi_vector32 constant3;
typedef lwi_place32 constant_pose;
typedef lwi_closure_fault32 closure_fault;
#else
typedef lwi_step closure_step;
typedef lwi_loop closure_loop;
typedef lwi_plane planar_loop;
typedef lwi_plane_side planar_side;
typedef lwi_plane_joint planar_joint;
typedef lwi_vec2 constant2;
typedef lw_vec3 constant3;
typedef lw_pose constant_pose;
typedef lwi_closure_fault closure_fault;
#endif

#endif
