// KDL gets joints about z of frames on the axes, which is the cheapest form of a chain for it.
#include "ik_kdl.h"
#include "kdl_frame.h"

#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>

#include <cmath>

namespace
{

/// A frame on a joint axis: z along it.
KDL::Frame frame_on(lw_vec3 axis, lw_vec3 point)
{
    const KDL::Vector z(axis.x, axis.y, axis.z),
        other = std::fabs(axis.x) < 0.6 ? KDL::Vector(1, 0, 0) : KDL::Vector(0, 1, 0);
    KDL::Vector x = other * z;
    x.Normalize();
    return KDL::Frame(KDL::Rotation(x, z * x, z), KDL::Vector(point.x, point.y, point.z));
}

KDL::Chain chain_of(const lw_ik_info &info)
{
    KDL::Chain chain;
    KDL::Frame at = frame_on(info.axis[0], info.point[0]);
    chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::Fixed), at));
    for (int i = 0; i < info.njoint; ++i) {
        const KDL::Frame next = i + 1 < info.njoint ? frame_on(info.axis[i + 1], info.point[i + 1])
                                                    : frame_of(info.X_BT);
        const KDL::Joint joint(info.is_prismatic[i] ? KDL::Joint::TransZ : KDL::Joint::RotZ);
        chain.addSegment(KDL::Segment(joint, at.Inverse() * next));
        at = next;
    }
    return chain;
}

KDL::JntArray array_of(const double *x, int n)
{
    KDL::JntArray a(n);
    for (int i = 0; i < n; ++i) {
        a(i) = x[i];
    }
    return a;
}

} // namespace

struct ik_kdl {
    KDL::Chain chain;
    KDL::ChainFkSolverPos_recursive fk;
    KDL::ChainIkSolverVel_pinv velocity;
    KDL::ChainIkSolverPos_NR_JL newton;
    KDL::ChainIkSolverPos_LMA marquardt;
    KDL::JntArray from, to;

    ik_kdl(const lw_ik_info &info, const double *lower, const double *upper, double tolerance)
        : chain(chain_of(info)), fk(chain), velocity(chain),
          newton(chain, array_of(lower, info.njoint), array_of(upper, info.njoint), fk, velocity,
                 100, tolerance),
          marquardt(chain, Eigen::Matrix<double, 6, 1>::Ones(), tolerance, 500), from(info.njoint),
          to(info.njoint)
    {
    }

    void solve(KDL::ChainIkSolverPos &solver, const lw_pose &X_BT, const double *seed, double *q)
    {
        for (unsigned i = 0; i < from.rows(); ++i) {
            from(i) = seed[i];
        }
        solver.CartToJnt(from, frame_of(X_BT), to);
        for (unsigned i = 0; i < to.rows(); ++i) {
            q[i] = to(i);
        }
    }
};

ik_kdl *ik_kdl_create(const lw_ik_info *chain, const double *lower, const double *upper,
                      double tolerance)
{
    return new ik_kdl(*chain, lower, upper, tolerance);
}

void ik_kdl_destroy(ik_kdl *kdl)
{
    delete kdl;
}

void ik_kdl_newton(ik_kdl *kdl, const lw_pose *X_BT, const double *seed, double *q)
{
    kdl->solve(kdl->newton, *X_BT, seed, q);
}

void ik_kdl_marquardt(ik_kdl *kdl, const lw_pose *X_BT, const double *seed, double *q)
{
    kdl->solve(kdl->marquardt, *X_BT, seed, q);
}

lw_vec3 ik_kdl_position(ik_kdl *kdl, const double *q)
{
    KDL::Frame X;
    for (unsigned i = 0; i < kdl->from.rows(); ++i) {
        kdl->from(i) = q[i];
    }
    kdl->fk.JntToCart(kdl->from, X);
    return lw_vec3_of(X.p.x(), X.p.y(), X.p.z());
}
