// run_mujoco CASE SOURCE SHARED: times MuJoCo on the tree that linkwork compiled, and compares the
// answers. With `count FUNCTION N` behind, it evaluates N states once and times nothing, for a tool
// that counts instructions.
//
// MuJoCo gets the tree as MJCF: fixed links merged (as its own compiler does), no geometry, no
// limits, no constraints. For each answer the cheapest sequence of its public stages is timed, not
// mj_forward or mj_inverse, which would also look for contacts, sensors and actuators:
//
//   poses             mj_kinematics
//   jacobian          mj_kinematics, mj_comPos, mj_jacSite
//   inverse_dynamics  mj_kinematics, mj_comPos, mj_comVel, mj_rne with acceleration
//   mass_matrix       mj_kinematics, mj_comPos, mj_crb, mj_fullM
//   forward_dynamics  mj_kinematics, mj_comPos, mj_crb, mj_factorM, mj_comVel, mj_rne, mj_solveM
//
// Copying the state into mjData is part of each, because its functions read it there.
#include "count_calls.h"

#include "../bench_problem.h"
#include "../measure.h"
#include "../yardstick.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace
{

std::string format(const char *text, std::initializer_list<double> numbers)
{
    std::string out;
    const double *next = numbers.begin();
    for (; *text; ++text) {
        if (*text == '#') {
            char number[40];
            std::snprintf(number, sizeof number, "%.17g ", *next++);
            out += number;
        } else {
            out += *text;
        }
    }
    return out;
}

std::string place(const lw_pose &X)
{
    const lw_quat r = lw_quat_of(&X.R);
    return format("pos='###' quat='####'", {X.p.x, X.p.y, X.p.z, r.w, r.x, r.y, r.z});
}

/// Principal axes and moments of a tensor, by turning away the largest product of inertia until
/// none is left (Jacobi). MuJoCo's own reduction of a full tensor is good to about 1e-8 only.
void principal(const lw_sym3 &I, lw_mat3 &R, double moment[3])
{
    double A[3][3] = {{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}};
    double V[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int turn = 0; turn < 60; ++turn) {
        int a = 0, b = 1;
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3;
            if (std::fabs(A[i][j]) > std::fabs(A[a][b])) {
                a = i, b = j;
            }
        }
        if (A[a][b] == 0.0) {
            break;
        }
        const double angle = 0.5 * std::atan2(2 * A[a][b], A[a][a] - A[b][b]);
        const double c = std::cos(angle), s = std::sin(angle);
        for (int k = 0; k < 3; ++k) { // columns of A and V
            const double x = A[k][a], y = A[k][b], u = V[k][a], v = V[k][b];
            A[k][a] = c * x + s * y, A[k][b] = c * y - s * x;
            V[k][a] = c * u + s * v, V[k][b] = c * v - s * u;
        }
        for (int k = 0; k < 3; ++k) { // rows of A
            const double x = A[a][k], y = A[b][k];
            A[a][k] = c * x + s * y, A[b][k] = c * y - s * x;
        }
        A[a][b] = A[b][a] = 0.0;
    }
    for (int k = 0; k < 3; ++k) {
        R.row[k] = lw_vec3_of(V[k][0], V[k][1], V[k][2]);
        moment[k] = A[k][k];
    }
}

std::string inertial(const lw_inertia &inertia)
{
    lw_pose X;
    lw_sym3 I;
    double moment[3];
    center_of(&inertia, &X.p, &I);
    principal(I, X.R, moment);
    return "<inertial " + place(X) +
           format(" mass='#' diaginertia='###'/>", {inertia.mass, moment[0], moment[1], moment[2]});
}

/// The tree as MJCF, body by body: they are in depth-first order, as elements are.
std::string mjcf_of(const bench_problem &p)
{
    const lw_model &m = *p.m;
    std::string text = "<mujoco><compiler angle='radian' autolimits='false'/><size njmax='0' "
                       "nconmax='0'/>" +
                       format("<option gravity='###'/>", {m.gravity.x, m.gravity.y, m.gravity.z}) +
                       "<worldbody>";
    std::vector<int> open;
    for (int i = 0; i < m.nbody; ++i) {
        for (; !open.empty() && open.back() != m.parent[i]; open.pop_back()) {
            text += "</body>";
        }
        open.push_back(i);
        text += "<body " + place(m.X_PJ[i]) + ">";
        text += m.carrier[i] == LW_TREE_FREE        ? "<freejoint/>"
                : m.carrier[i] == LW_TREE_PRISMATIC ? "<joint type='slide' axis='0 0 1'/>"
                                                    : "<joint type='hinge' axis='0 0 1'/>";
        text += inertial(m.inertia[i]);
        if (m.frame[p.tip].body == i) {
            text += "<site name='tip' " + place(m.frame[p.tip].X_BF) + "/>";
        }
    }
    for (size_t i = 0; i < open.size(); ++i) {
        text += "</body>";
    }
    return text + "</worldbody></mujoco>";
}

mjModel *load(const std::string &text, std::string &why)
{
    const std::unique_ptr<mjVFS> vfs(new mjVFS);
    char error[1000] = "";
    mj_defaultVFS(vfs.get());
    mj_makeEmptyFileVFS(vfs.get(), "tree.xml", static_cast<int>(text.size()));
    std::memcpy(vfs->filedata[mj_findFileVFS(vfs.get(), "tree.xml")], text.data(), text.size());
    mjModel *model = mj_loadXML("tree.xml", vfs.get(), error, sizeof error);
    mj_deleteVFS(vfs.get());
    why = error;
    std::replace(why.begin(), why.end(), '\n', ' ');
    return model;
}

/// Whether this driver can hand the model over: no closure steps, only joints that both sides have,
/// and a free joint only as the first (its coordinates are converted).
const char *obstacle(const lw_model &m)
{
    for (int i = 0; i < m.nbody; ++i) {
        if (m.carrier[i] != LW_TREE_REVOLUTE && m.carrier[i] != LW_TREE_PRISMATIC &&
            !(m.carrier[i] == LW_TREE_FREE && i == 0)) {
            return "a joint that MuJoCo has not";
        }
        if (!(m.inertia[i].mass > 0.0)) {
            return "a body without mass";
        }
    }
    return m.nstep ? "joints that depend on others" : nullptr;
}

/// MuJoCo's coordinates of a free base: position and quaternion as here, but the velocity of the
/// origin first and in world axes, then the angular velocity in body axes.
struct base {
    bool is_free;
    lw_mat3 R;

    base(const lw_model &m, const double *q) : is_free(m.carrier[0] == LW_TREE_FREE), R()
    {
        if (is_free) {
            R = lw_rotation_quat(lw_quat{q[3], q[4], q[5], q[6]});
        }
    }

    void velocity(const double *v, double *out) const
    {
        if (is_free) {
            const lw_vec3 world = lw_rotate(&R, lw_vec3_of(v[3], v[4], v[5]));
            const double w[3] = {v[0], v[1], v[2]};
            out[0] = world.x, out[1] = world.y, out[2] = world.z;
            std::copy(w, w + 3, out + 3);
        }
    }

    /// The second derivative of the base's position is in world axes too: R (dv/dt + w x v).
    void acceleration(const double *v, const double *a, double *out) const
    {
        if (is_free) {
            const lw_vec3 w = {v[0], v[1], v[2]}, lin = {v[3], v[4], v[5]};
            const lw_vec3 turn = lw_cross3(w, lin);
            const double both[6] = {a[0], a[1], a[2], a[3] + turn.x, a[4] + turn.y, a[5] + turn.z};
            velocity(both, out);
        }
    }
};

struct engine {
    const bench_problem &problem;
    std::string why; ///< there is no model
    mjModel *model;
    mjData *data = nullptr;
    int nv;
    std::vector<double> q, v, a, tau; ///< the states in MuJoCo's coordinates
    std::vector<double> jacp, jacr, M, result;

    explicit engine(const bench_problem &p)
        : problem(p), model(load(mjcf_of(p), why)), nv(p.m->nv), q(p.q, p.q + p.nstate * p.m->nq),
          v(p.v, p.v + p.nstate * p.m->nv), a(p.a, p.a + p.nstate * p.m->nv),
          tau(p.tau, p.tau + p.nstate * p.m->nv), jacp(3 * nv), jacr(3 * nv), M(nv * nv), result(nv)
    {
        data = model ? mj_makeData(model) : nullptr;
        for (int i = 0; i < p.nstate; ++i) {
            const base b(*p.m, p.q + i * p.m->nq);
            b.acceleration(p.v + i * nv, p.a + i * nv, &a[i * nv]);
            b.velocity(p.v + i * nv, &v[i * nv]);
            b.velocity(p.tau + i * nv, &tau[i * nv]); // forces turn as velocities do
        }
    }

    ~engine()
    {
        mj_deleteData(data);
        mj_deleteModel(model);
    }

    void set_position(int i)
    {
        std::memcpy(data->qpos, &q[i * model->nq], sizeof(double) * model->nq);
    }

    void set_velocity(int i)
    {
        std::memcpy(data->qvel, &v[i * nv], sizeof(double) * nv);
    }
};

void call_poses(void *context, int i)
{
    engine &e = *static_cast<engine *>(context);
    e.set_position(i);
    mj_kinematics(e.model, e.data);
}

void call_jacobian(void *context, int i)
{
    engine &e = *static_cast<engine *>(context);
    e.set_position(i);
    mj_kinematics(e.model, e.data);
    mj_comPos(e.model, e.data);
    mj_jacSite(e.model, e.data, e.jacp.data(), e.jacr.data(), 0);
}

void call_inverse_dynamics(void *context, int i)
{
    engine &e = *static_cast<engine *>(context);
    e.set_position(i);
    e.set_velocity(i);
    std::memcpy(e.data->qacc, &e.a[i * e.nv], sizeof(double) * e.nv);
    mj_kinematics(e.model, e.data);
    mj_comPos(e.model, e.data);
    mj_comVel(e.model, e.data);
    mj_rne(e.model, e.data, 1, e.result.data());
}

void call_mass_matrix(void *context, int i)
{
    engine &e = *static_cast<engine *>(context);
    e.set_position(i);
    mj_kinematics(e.model, e.data);
    mj_comPos(e.model, e.data);
    mj_crb(e.model, e.data);
    mj_fullM(e.model, e.M.data(), e.data->qM);
}

void call_forward_dynamics(void *context, int i)
{
    engine &e = *static_cast<engine *>(context);
    e.set_position(i);
    e.set_velocity(i);
    mj_kinematics(e.model, e.data);
    mj_comPos(e.model, e.data);
    mj_crb(e.model, e.data);
    mj_factorM(e.model, e.data);
    mj_comVel(e.model, e.data);
    mj_rne(e.model, e.data, 0, e.data->qfrc_bias);
    mju_sub(e.data->qfrc_smooth, &e.tau[i * e.nv], e.data->qfrc_bias, e.nv);
    mj_solveM(e.model, e.data, e.data->qacc, e.data->qfrc_smooth, 1);
}

// Each comparison evaluates one state with MuJoCo and with linkwork, and speaks MuJoCo's
// coordinates.

double compare_poses(engine &e, int i)
{
    const bench_problem &p = e.problem;
    double worst = 0.0;
    call_poses(&e, i);
    lw_forward_position(p.m, p.d, p.q + i * p.m->nq);
    for (int body = 0; body < p.m->nbody; ++body) {
        const lw_pose X = problem_body_pose(&p, body);
        const lw_vec3 *R = X.R.row;
        const double want[12] = {R[0].x, R[0].y, R[0].z, R[1].x, R[1].y, R[1].z,
                                 R[2].x, R[2].y, R[2].z, X.p.x,  X.p.y,  X.p.z};
        worst = std::max({worst, bench_difference(e.data->xmat + 9 * (body + 1), want, 9),
                          bench_difference(e.data->xpos + 3 * (body + 1), want + 9, 3)});
    }
    return worst;
}

/// Columns of a matrix [rows][nv] from linkwork's velocities to MuJoCo's: x -> x T with T the map
/// of `base` turned around. Its transpose takes forces, and the rows of a mass matrix.
void columns_to_mujoco(const base &b, int rows, int nv, double *x)
{
    for (int row = 0; b.is_free && row < rows; ++row, x += nv) {
        const double old[6] = {x[0], x[1], x[2], x[3], x[4], x[5]};
        b.velocity(old, x);
    }
}

double compare_jacobian(engine &e, int i)
{
    const bench_problem &p = e.problem;
    const double *q = p.q + i * p.m->nq;
    std::vector<double> want(6 * e.nv);
    call_jacobian(&e, i);
    lw_frame_jacobian(p.m, p.d, q, p.tip, LW_IN_WORLD, nullptr, want.data());
    columns_to_mujoco(base(*p.m, q), 6, e.nv, want.data());
    return std::max(bench_difference(e.jacr.data(), want.data(), 3 * e.nv),
                    bench_difference(e.jacp.data(), want.data() + 3 * e.nv, 3 * e.nv));
}

double compare_inverse_dynamics(engine &e, int i)
{
    call_inverse_dynamics(&e, i);
    return bench_difference(e.result.data(), &e.tau[i * e.nv], e.nv);
}

void transpose(std::vector<double> &M, int n)
{
    for (int row = 0; row < n; ++row) {
        for (int k = 0; k < row; ++k) {
            std::swap(M[row * n + k], M[k * n + row]);
        }
    }
}

double compare_mass_matrix(engine &e, int i)
{
    const bench_problem &p = e.problem;
    const double *q = p.q + i * p.m->nq;
    const base b(*p.m, q);
    std::vector<double> want(e.nv * e.nv);
    call_mass_matrix(&e, i);
    lw_mass_matrix(p.m, p.d, q, want.data());
    columns_to_mujoco(b, e.nv, e.nv, want.data());
    transpose(want, e.nv);
    columns_to_mujoco(b, e.nv, e.nv, want.data());
    return bench_difference(e.M.data(), want.data(), e.nv * e.nv);
}

double compare_forward_dynamics(engine &e, int i)
{
    call_forward_dynamics(&e, i);
    return bench_difference(e.data->qacc, &e.a[i * e.nv], e.nv);
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

void run(const bench_problem &problem)
{
    if (const char *why = obstacle(*problem.m)) {
        bench_print_none("all", why);
        return;
    }
    engine e(problem);
    if (!e.data) {
        bench_print_none("all", e.why.c_str());
        return;
    }
    for (const function &f : functions) {
        double worst = 0.0;
        for (int i = 0; i < problem.nstate; i += 10) {
            worst = std::max(worst, f.compare(e, i));
        }
        bench_print_time(f.name, bench_time(f.call, &e, problem.nstate), worst);
    }
}

bool count(const bench_problem &problem, const char *name)
{
    engine e(problem);
    return !obstacle(*problem.m) && e.data && count_calls(functions, name, problem.nstate, {&e});
}

} // namespace

int main(int argc, char **argv)
{
    bench_problem problem;
    if (argc == 2 && std::strcmp(argv[1], "about") == 0) {
        std::printf("MuJoCo %s\n", mj_versionString());
        return 0;
    }
    const bool is_count = argc == 7 && std::strcmp(argv[4], "count") == 0;
    if (argc != 4 && !is_count) {
        std::fprintf(stderr, "usage: run_mujoco CASE SOURCE SHARED [count FUNCTION N]\n");
        return 2;
    }
    const int nstate = is_count ? std::atoi(argv[6]) : 0;
    if (problem_open(argv[1], argv[2], argv[3], nstate, &problem) != BENCH_GOOD) {
        return 1;
    }
    bool is_good = true;
    if (is_count) {
        is_good = count(problem, argv[5]);
    } else {
        run(problem);
    }
    problem_free(&problem);
    return is_good ? 0 : 1;
}
