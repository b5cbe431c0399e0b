// A pose as KDL has it.
#ifndef BENCH_KDL_FRAME_H
#define BENCH_KDL_FRAME_H

#include <kdl/frames.hpp>

#include <linkwork/math.h>

inline KDL::Frame frame_of(const lw_pose &X)
{
    const lw_vec3 *R = X.R.row;
    return KDL::Frame(
        KDL::Rotation(R[0].x, R[0].y, R[0].z, R[1].x, R[1].y, R[1].z, R[2].x, R[2].y, R[2].z),
        KDL::Vector(X.p.x, X.p.y, X.p.z));
}

#endif
