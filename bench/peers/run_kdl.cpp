// run_kdl CASE SOURCE SHARED: times KDL on the arm that linkwork compiled, and compares the
// answers. With `count FUNCTION N` behind, it evaluates N states once in each form and times
// nothing, for a tool that counts instructions.
//
// KDL gets the tree with fixed links merged, in two forms, and the faster one counts for each
// function: joints about general axes in the frame of the parent, as its parser of URDF makes them;
// and joints about z of their own frame, with the placement of the next joint as the tip of the
// segment, as a chain made by hand has them. Its solvers are used as its users do, each made once:
//
//   poses             ChainFkSolverPos_recursive::JntToCart into a vector of all frames
//   jacobian          ChainJntToJacSolver::JntToJac
//   inverse_dynamics  ChainIdSolver_RNE::CartToJnt
//   mass_matrix       ChainDynParam::JntToMass
//   forward_dynamics  ChainFdSolver_RNE::CartToJnt
#include "count_calls.h"
#include "kdl_frame.h"

#include "../bench_problem.h"
#include "../measure.h"
#include "../yardstick.h"

#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace
{

KDL::RigidBodyInertia inertia_of(const lw_inertia &inertia)
{
    if (!(inertia.mass > 0.0)) {
        return KDL::RigidBodyInertia::Zero();
    }
    lw_vec3 c;
    lw_sym3 I;
    center_of(&inertia, &c, &I);
    return KDL::RigidBodyInertia(inertia.mass, KDL::Vector(c.x, c.y, c.z),
                                 KDL::RotationalInertia(I.xx, I.yy, I.zz, I.xy, I.xz, I.yz));
}

/// Whether a placement may be moved behind a turn about z or a shift along it.
bool commutes_with_z(const lw_pose &X)
{
    return X.p.x == 0.0 && X.p.y == 0.0 && X.R.row[2].x == 0.0 && X.R.row[2].y == 0.0 &&
           X.R.row[2].z == 1.0;
}

struct engine {
    const bench_problem &problem;
    std::vector<lw_pose> X_BT; ///< tip of segment i in body i
    int first = 0;             ///< segment of body 0
    KDL::Chain chain;          ///< made last of the three, because making it fills them
    KDL::ChainFkSolverPos_recursive fk;
    KDL::ChainJntToJacSolver jac;
    KDL::ChainIdSolver_RNE id;
    KDL::ChainDynParam dyn;
    KDL::ChainFdSolver_RNE fd;
    std::vector<KDL::JntArray> q, v, a, tau;
    std::vector<KDL::Frame> frames;
    KDL::Jacobian J;
    KDL::JntArray result;
    KDL::JntSpaceInertiaMatrix M;
    KDL::Wrenches f_ext;

    /// Joints about axes given in the parent: the tip is the body's own frame.
    static KDL::Chain chain_by_axis(const bench_problem &p, std::vector<lw_pose> &X_BT)
    {
        const lw_model &m = *p.m;
        KDL::Chain chain;
        for (int i = 0; i < m.nbody; ++i) {
            const KDL::Frame at = frame_of(m.X_PJ[i]);
            const KDL::Joint joint("joint", at.p, at.M.UnitZ(),
                                   m.carrier[i] == LW_TREE_PRISMATIC ? KDL::Joint::TransAxis
                                                                     : KDL::Joint::RotAxis);
            const bool is_last = i + 1 == m.nbody;
            X_BT.push_back(is_last ? m.frame[p.tip].X_BF : lw_pose_identity());
            const KDL::Frame tip = frame_of(X_BT.back());
            chain.addSegment(
                KDL::Segment("body", joint, at * tip, tip.Inverse() * inertia_of(m.inertia[i])));
        }
        return chain;
    }

    /// Joints about z: the tip of a segment is the frame of the next joint.
    static KDL::Chain chain_by_z(const bench_problem &p, std::vector<lw_pose> &X_BT, int &first)
    {
        const lw_model &m = *p.m;
        KDL::Chain chain;
        lw_pose moved = lw_pose_identity();
        if (commutes_with_z(m.X_PJ[0])) {
            moved = m.X_PJ[0];
        } else {
            chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::Fixed), frame_of(m.X_PJ[0])));
            first = 1;
        }
        for (int i = 0; i < m.nbody; ++i) {
            X_BT.push_back(i + 1 < m.nbody ? m.X_PJ[i + 1] : m.frame[p.tip].X_BF);
            const lw_pose before = i == 0 ? moved : lw_pose_identity();
            const KDL::Frame tip = frame_of(X_BT.back());
            const KDL::Joint joint(m.carrier[i] == LW_TREE_PRISMATIC ? KDL::Joint::TransZ
                                                                     : KDL::Joint::RotZ);
            chain.addSegment(KDL::Segment(joint, frame_of(before) * tip,
                                          tip.Inverse() * inertia_of(m.inertia[i])));
        }
        return chain;
    }

    static std::vector<KDL::JntArray> arrays(const double *x, int n, int nstate)
    {
        std::vector<KDL::JntArray> list(nstate, KDL::JntArray(n));
        for (int i = 0; i < nstate; ++i) {
            for (int k = 0; k < n; ++k) {
                list[i](k) = x[i * n + k];
            }
        }
        return list;
    }

    engine(const bench_problem &p, bool is_by_axis)
        : problem(p), chain(is_by_axis ? chain_by_axis(p, X_BT) : chain_by_z(p, X_BT, first)),
          fk(chain), jac(chain),
          id(chain, KDL::Vector(p.m->gravity.x, p.m->gravity.y, p.m->gravity.z)),
          dyn(chain, KDL::Vector(p.m->gravity.x, p.m->gravity.y, p.m->gravity.z)),
          fd(chain, KDL::Vector(p.m->gravity.x, p.m->gravity.y, p.m->gravity.z)),
          q(arrays(p.q, p.m->nq, p.nstate)), v(arrays(p.v, p.m->nv, p.nstate)),
          a(arrays(p.a, p.m->nv, p.nstate)), tau(arrays(p.tau, p.m->nv, p.nstate)),
          frames(chain.getNrOfSegments()), J(p.m->nv), result(p.m->nv), M(p.m->nv),
          f_ext(chain.getNrOfSegments(), KDL::Wrench::Zero())
    {
    }
};

void call_poses(void *context, int i)
{
    engine &e = *static_cast<engine *>(context);
    e.fk.JntToCart(e.q[i], e.frames);
    bench_keep(&e.frames[0]);
}

void call_jacobian(void *context, int i)
{
    engine &e = *static_cast<engine *>(context);
    e.jac.JntToJac(e.q[i], e.J);
    bench_keep(&e.J);
}

void call_inverse_dynamics(void *context, int i)
{
    engine &e = *static_cast<engine *>(context);
    e.id.CartToJnt(e.q[i], e.v[i], e.a[i], e.f_ext, e.result);
    bench_keep(&e.result);
}

void call_mass_matrix(void *context, int i)
{
    engine &e = *static_cast<engine *>(context);
    e.dyn.JntToMass(e.q[i], e.M);
    bench_keep(&e.M);
}

void call_forward_dynamics(void *context, int i)
{
    engine &e = *static_cast<engine *>(context);
    e.fd.CartToJnt(e.q[i], e.v[i], e.tau[i], e.f_ext, e.result);
    bench_keep(&e.result);
}

// Each comparison evaluates one state with KDL and with linkwork.

double compare_poses(engine &e, int i)
{
    const bench_problem &p = e.problem;
    double worst = 0.0;
    call_poses(&e, i);
    lw_forward_position(p.m, p.d, p.q + i * p.m->nq);
    for (int body = 0; body < p.m->nbody; ++body) {
        const lw_pose X_WB = problem_body_pose(&p, body);
        const lw_pose X_WT = lw_pose_mul(&X_WB, &e.X_BT[body]);
        const KDL::Frame want = frame_of(X_WT);
        const KDL::Frame &got = e.frames[e.first + body];
        worst = std::max({worst, bench_difference(got.M.data, want.M.data, 9),
                          bench_difference(got.p.data, want.p.data, 3)});
    }
    return worst;
}

double compare_jacobian(engine &e, int i)
{
    const bench_problem &p = e.problem;
    const int nv = p.m->nv;
    std::vector<double> want(6 * nv), got(6 * nv);
    call_jacobian(&e, i);
    lw_frame_jacobian(p.m, p.d, p.q + i * p.m->nq, p.tip, LW_IN_WORLD, nullptr, want.data());
    for (int row = 0; row < 6; ++row) {
        for (int k = 0; k < nv; ++k) {
            got[row * nv + k] = e.J((row + 3) % 6, k); // KDL has the linear rows first
        }
    }
    return bench_difference(got.data(), want.data(), 6 * nv);
}

double compare_inverse_dynamics(engine &e, int i)
{
    const int nv = e.problem.m->nv;
    call_inverse_dynamics(&e, i);
    return bench_difference(e.result.data.data(), e.problem.tau + i * nv, nv);
}

double compare_mass_matrix(engine &e, int i)
{
    const bench_problem &p = e.problem;
    const int nv = p.m->nv;
    std::vector<double> want(nv * nv);
    call_mass_matrix(&e, i);
    lw_mass_matrix(p.m, p.d, p.q + i * p.m->nq, want.data());
    return bench_difference(e.M.data.data(), want.data(), nv * nv);
}

double compare_forward_dynamics(engine &e, int i)
{
    const int nv = e.problem.m->nv;
    call_forward_dynamics(&e, i);
    return bench_difference(e.result.data.data(), e.problem.a + i * nv, nv);
}

struct function {
    const char *name;
    bench_call *call;
    double (*compare)(engine &, int);
};

const function functions[] = {
    {"poses", call_poses, compare_poses},
    {"jacobian", call_jacobian, compare_jacobian},
    {"inverse_dynamics", call_inverse_dynamics, compare_inverse_dynamics},
    {"mass_matrix", call_mass_matrix, compare_mass_matrix},
    {"forward_dynamics", call_forward_dynamics, compare_forward_dynamics},
};

bool count(const bench_problem &problem, const char *name)
{
    if (!problem_is_chain(problem.m)) {
        return false;
    }
    engine by_axis(problem, true), by_z(problem, false);
    return count_calls(functions, name, problem.nstate, {&by_axis, &by_z});
}

} // namespace

int main(int argc, char **argv)
{
    bench_problem problem;
    if (argc == 2 && std::strcmp(argv[1], "about") == 0) {
        std::printf("KDL %s\n", KDL_VERSION_TEXT);
        return 0;
    }
    const bool is_count = argc == 7 && std::strcmp(argv[4], "count") == 0;
    if (argc != 4 && !is_count) {
        std::fprintf(stderr, "usage: run_kdl CASE SOURCE SHARED [count FUNCTION N]\n");
        return 2;
    }
    const int nstate = is_count ? std::atoi(argv[6]) : 0;
    if (problem_open(argv[1], argv[2], argv[3], nstate, &problem) != BENCH_GOOD) {
        return 1;
    }
    bool is_good = true;
    if (is_count) {
        is_good = count(problem, argv[5]);
    } else if (problem_is_chain(problem.m)) {
        engine by_axis(problem, true), by_z(problem, false);
        for (const function &f : functions) {
            double worst = 0.0;
            for (int i = 0; i < problem.nstate; i += 10) {
                worst = std::max({worst, f.compare(by_axis, i), f.compare(by_z, i)});
            }
            const double ns = std::min(bench_time(f.call, &by_axis, problem.nstate),
                                       bench_time(f.call, &by_z, problem.nstate));
            bench_print_time(f.name, ns, worst);
        }
    } else {
        bench_print_none("all", "not a serial chain of joints of one degree of freedom");
    }
    problem_free(&problem);
    return is_good ? 0 : 1;
}
