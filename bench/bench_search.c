// bench_search: the numeric solver of inverse kinematics, beside KDL's two in the same run.
//
//   --source DIR --shared DIR   folders of this repository, and of models that are not part of it
//   --poses N                   of each arm (1000); KDL gets the first 1000 at most
//   --tracking N                poses of each arm that are tracked (10000)
//   --arm WORD                  arms with this word in their name
//   --seed N                    of the random numbers (1)
//
// The protocol is that of TRAC-IK: joint positions uniform within the limits, continuous joints
// within half a turn, make reachable poses; every solver starts in the middle of the limits. A pose
// counts as solved where linkwork's forward kinematics of the answer is within the tolerance in
// each of the six components and the joints are within their limits. Times include failures.
// Tracking starts within 0.1 rad (0.1 m) of joint positions whose Jacobian has a smallest singular
// value above 1e-3. An answer that is not next to the start, by 1 rad, is counted apart: it is a
// solution, but another one.
#include "measure.h"
#ifdef BENCH_HAS_KDL
#include "peers/ik_kdl.h"
#endif

#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_NQ = 64, BLOCK = 50, KDL_POSES = 1000, JOINTS = LW_IK_JOINTS };

typedef struct arm_file {
    const char *name, *file;
    bool is_own;
    const char *base, *tip;
} arm_file;

static const arm_file arms[] = {
    {"puma560", "models/puma560.xml", true, "ground", "tool.flange"},
    {"ur5_class", "models/ur5_class.xml", true, "ground", "wrist_3.tool"},
    {"panda_class", "models/panda_class.xml", true, "ground", "link7.flange"},
    {"stanford", "models/stanford.xml", true, "ground", "hand.tool"},
    {"abb_irb120", "models/urdf_arms/abb_irb120.urdf", false, "base_link", "tool0"},
    {"abb_irb6640", "models/urdf/abb_irb6640_185_280.urdf", false, "base_link", "tool0"},
    {"denso_vs060", "models/urdf_arms/denso_vs060.urdf", false, "world", "J6"},
    {"fanuc_crx10ial", "models/urdf_arms/fanuc_crx10ial.urdf", false, "base_link", "tool0"},
    {"jaco2", "models/urdf_arms/jaco2_j2s6s300.urdf", false, "world", "j2s6s300_end_effector"},
    {"kuka_kr16_2", "models/urdf/kuka_kr16_2.urdf", false, "base_link", "tool0"},
    {"puma560 (urdf)", "models/urdf/puma560.urdf", false, "link1", "link7"},
    {"ur3", "models/urdf_arms/ur3.urdf", false, "world", "ee_link"},
    {"ur5", "models/urdf/ur5.urdf", false, "world", "ee_link"},
    {"ur10", "models/urdf_arms/ur10.urdf", false, "world", "ee_link"},
    {"xarm6", "models/urdf_arms/ufactory_xarm6.urdf", false, "world", "link_eef"},
    {"yaskawa_hc10", "models/urdf_arms/yaskawa_hc10.urdf", false, "base_link", "tool0"},
    {"baxter, left", "models/urdf/baxter.urdf", false, "base", "left_hand"},
    {"baxter, right", "models/urdf/baxter.urdf", false, "base", "right_hand"},
    {"flexiv_rizon4", "models/urdf_arms/flexiv_rizon4.urdf", false, "base_link", "flange"},
    {"iiwa7", "models/urdf_arms/kuka_iiwa7.urdf", false, "iiwa_link_0", "iiwa_link_ee"},
    {"iiwa14", "models/urdf/iiwa14_primitive_collision.urdf", false, "base", "iiwa_link_ee"},
    {"motoman_sia20d", "models/urdf_arms/motoman_sia20d.urdf", false, "base_link", "tool0"},
    {"panda", "models/urdf/panda.urdf", false, "panda_link0", "panda_link8"},
    {"schunk_lwa4d", "models/urdf_arms/schunk_lwa4d.urdf", false, "world", "arm_ee_link"},
};

typedef struct options {
    const char *source, *shared, *arm;
    long poses, tracking;
    unsigned long long seed;
} options;

typedef struct pose {
    lw_ik_target target;
    double q[JOINTS];    ///< that made it
    double from[JOINTS]; ///< where solvers start
    double to[JOINTS];   ///< the answer
} pose;

typedef struct problem {
    lw_model *m;
    lw_data *d;
    lw_ik *ik;
    const lw_ik_info *info;
    int base, tip;
    lw_pose X_BW;
    double lower[JOINTS], upper[JOINTS];
    double tolerance;
    double q[MOST_NQ], seed[MOST_NQ];
    pose *pose;
    unsigned long long state;
#ifdef BENCH_HAS_KDL
    ik_kdl *kdl;
#endif
} problem;

static double random_number(unsigned long long *state, double low, double high)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * ((double)(*state >> 11) / 9007199254740992.0);
}

static lw_model *load(const options *o, const arm_file *arm)
{
    char path[1000];
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    snprintf(path, sizeof path, "%s/%s", arm->is_own ? o->source : o->shared, arm->file);
    if (lw_load_file(path, NULL, &mech, NULL) == LW_OK) {
        lw_compile(mech, NULL, &m, NULL);
    }
    lw_mech_destroy(mech);
    return m;
}

static void close_arm(problem *p)
{
    lw_ik_destroy(p->ik);
    lw_data_destroy(p->d);
    lw_model_destroy(p->m);
    memset(p, 0, sizeof *p);
}

static bool open_arm(const options *o, const arm_file *arm, problem *p)
{
    memset(p, 0, sizeof *p);
    p->m = load(o, arm);
    p->state = o->seed;
    if (!p->m || p->m->nq > MOST_NQ || lw_data_create(p->m, &p->d) != LW_OK) {
        return false;
    }
    p->base = lw_find_frame(p->m, arm->base);
    p->tip = lw_find_frame(p->m, arm->tip);
    lw_pose X = lw_pose_identity();
    memcpy(p->q, p->m->q_reference, sizeof(double) * (size_t)p->m->nq);
    memcpy(p->seed, p->q, sizeof p->q);
    if (p->base >= 0) {
        lw_pose_of_frame(p->m, p->d, p->q, p->base, &X);
    }
    p->X_BW = lw_pose_inverse(&X);
    return p->tip >= 0;
}

static const lw_dof *dof_of(const problem *p, int i)
{
    return &p->m->dof[p->m->v_start[p->info->body[i]]];
}

// A solver with another tolerance. linkwork's is that of the length of all six components, which is
// stricter than that of each.
static bool set_tolerance(problem *p, double tolerance)
{
    lw_ik_def def = lw_default_ik_def(p->base, p->tip);
    def.solver = LW_IK_BY_SEARCH;
    def.tolerance = p->tolerance = tolerance;
    lw_ik_destroy(p->ik);
    p->ik = NULL;
    if (lw_ik_create(p->m, &def, &p->ik, NULL) != LW_OK) {
        return false;
    }
    p->info = lw_ik_describe(p->ik);
    for (int i = 0; i < p->info->njoint; ++i) {
        const lw_dof *dof = dof_of(p, i);
        const bool is_wide = !(isfinite(dof->lower) && isfinite(dof->upper));
        p->lower[i] = is_wide ? -3.141592653589793 : dof->lower;
        p->upper[i] = is_wide ? 3.141592653589793 : dof->upper;
    }
    return true;
}

static lw_pose pose_at(problem *p, const double *x)
{
    lw_pose X;
    for (int i = 0; i < p->info->njoint; ++i) {
        p->q[p->info->position[i]] = x[i];
    }
    lw_pose_of_frame(p->m, p->d, p->q, p->tip, &X);
    return lw_pose_mul(&p->X_BW, &X);
}

// Whether the smallest singular value s of the Jacobian at p->q is above a bound: J J' - bound^2
// has a Cholesky factor.
static bool is_regular(problem *p, double bound)
{
    double J[6 * MOST_NQ], L[6][6];
    const int n = p->m->nv;
    lw_frame_jacobian(p->m, p->d, p->q, p->tip, LW_IN_WORLD, NULL, J);
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = i == j ? -bound * bound : 0.0;
            for (int k = 0; k < n; ++k) {
                sum += J[i * n + k] * J[j * n + k];
            }
            for (int k = 0; k < j; ++k) {
                sum -= L[i][k] * L[j][k];
            }
            if (i == j && !(sum > 0.0)) {
                return false;
            }
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    }
    return true;
}

static void make_pose(problem *p, bool is_tracked, pose *at)
{
    const int n = p->info->njoint;
    do {
        for (int i = 0; i < n; ++i) {
            at->q[i] = random_number(&p->state, p->lower[i], p->upper[i]);
        }
        at->target = (lw_ik_target){.X_BT = pose_at(p, at->q)};
    } while (is_tracked && !is_regular(p, 1e-3));
    for (int i = 0; i < n; ++i) {
        const double near = at->q[i] + random_number(&p->state, -0.1, 0.1);
        at->from[i] = is_tracked ? fmax(p->lower[i], fmin(p->upper[i], near))
                                 : 0.5 * (p->lower[i] + p->upper[i]);
    }
}

static void by_linkwork(problem *p, pose *at)
{
    lw_ik_result result;
    for (int i = 0; i < p->info->njoint; ++i) {
        p->seed[p->info->position[i]] = at->from[i];
    }
    lw_ik_solve(p->ik, &at->target, p->seed, &result);
    for (int i = 0; i < p->info->njoint; ++i) {
        at->to[i] = result.solution[0].q[p->info->position[i]];
    }
}

#ifdef BENCH_HAS_KDL
static void by_newton(problem *p, pose *at)
{
    ik_kdl_newton(p->kdl, &at->target.X_BT, at->from, at->to);
}

// Whole turns bring the answers of a solver without limits into them where that is possible.
static void by_marquardt(problem *p, pose *at)
{
    ik_kdl_marquardt(p->kdl, &at->target.X_BT, at->from, at->to);
    for (int i = 0; i < p->info->njoint; ++i) {
        if (!p->info->is_prismatic[i] && !(at->to[i] >= p->lower[i] && at->to[i] <= p->upper[i])) {
            at->to[i] -= 6.283185307179586 * ceil((at->to[i] - p->upper[i]) / 6.283185307179586);
        }
    }
}
#endif

static bool is_solved(problem *p, const pose *at)
{
    const lw_pose X = pose_at(p, at->to), back = lw_pose_inverse(&X),
                  off = lw_pose_mul(&at->target.X_BT, &back);
    const lw_vec3 w = lw_log3(&off.R), d = lw_sub3(at->target.X_BT.p, X.p);
    const double e[6] = {w.x, w.y, w.z, d.x, d.y, d.z};
    bool is_good = true;
    for (int k = 0; k < 6; ++k) {
        is_good = is_good && fabs(e[k]) <= p->tolerance + 1e-14;
    }
    for (int i = 0; i < p->info->njoint; ++i) {
        const lw_dof *dof = dof_of(p, i);
        is_good = is_good && at->to[i] >= dof->lower - 1e-9 && at->to[i] <= dof->upper + 1e-9;
    }
    return is_good;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct outcome {
    long count, failed, elsewhere;
    double us; ///< mean
} outcome;

// Solves the poses in blocks, each of them `rounds` times, and the shortest of these counts: the
// longer ones are those of a busy machine.
static void run(problem *p, void (*solve)(problem *p, pose *at), long count, int rounds,
                outcome *sum)
{
    double total = sum->us * (double)sum->count;
    for (long first = 0; first < count; first += BLOCK) {
        const long last = first + BLOCK < count ? first + BLOCK : count;
        double least = HUGE_VAL;
        for (int k = 0; k < rounds; ++k) {
            const double start = seconds();
            for (long i = first; i < last; ++i) {
                solve(p, &p->pose[i]);
            }
            least = fmin(least, seconds() - start);
        }
        total += 1e6 * least;
        for (long i = first; i < last; ++i) {
            const pose *at = &p->pose[i];
            double far = 0.0;
            for (int k = 0; k < p->info->njoint; ++k) {
                const double d = at->to[k] - at->from[k];
                const bool is_endless = isinf(dof_of(p, k)->lower) && isinf(dof_of(p, k)->upper);
                far = fmax(far, fabs(is_endless ? remainder(d, 6.283185307179586) : d));
            }
            sum->failed += !is_solved(p, at);
            sum->elsewhere += far > 1.0;
        }
    }
    sum->count += count;
    sum->us = total / (double)sum->count;
}

// Many poses are their own average.
static int rounds_of(long poses)
{
    return poses > 10000 ? 1 : 3;
}

static void print_share(const outcome *o, double ratio)
{
    if (o->count == 0) {
        printf("  %8s %9s %6s", "-", "-", "-");
    } else {
        printf("  %7.3f%% %8.2fus", 100.0 * (1.0 - (double)o->failed / (double)o->count), o->us);
    }
    if (o->count > 0 && ratio > 0.0) {
        printf(" %5.0fx", ratio);
    }
}

static void search_row(const options *o, const arm_file *arm, double tolerance, long *failed)
{
    problem p;
    outcome linkwork = {0}, newton = {0}, marquardt = {0};
    p.pose = NULL;
    if (!open_arm(o, arm, &p) || !set_tolerance(&p, tolerance)) {
        close_arm(&p);
        return;
    }
    static pose poses[KDL_POSES];
    p.pose = poses;
    for (long done = 0; done < o->poses; done += KDL_POSES) {
        const long count = o->poses - done < KDL_POSES ? o->poses - done : KDL_POSES;
        for (long i = 0; i < count; ++i) {
            make_pose(&p, false, &poses[i]);
        }
        run(&p, by_linkwork, count, rounds_of(o->poses), &linkwork);
#ifdef BENCH_HAS_KDL
        if (done == 0) {
            p.kdl = ik_kdl_create(p.info, p.lower, p.upper, tolerance);
            run(&p, by_newton, count, 2, &newton);
            run(&p, by_marquardt, count, 2, &marquardt);
            ik_kdl_destroy(p.kdl);
        }
#endif
    }
    printf("%-15s %d %6.0e", arm->name, p.info->njoint, tolerance);
    print_share(&linkwork, 0.0);
    print_share(&newton, newton.us / linkwork.us);
    print_share(&marquardt, marquardt.us / linkwork.us);
    printf("\n");
    fflush(stdout);
    *failed += linkwork.failed;
    close_arm(&p);
}

static void tracking_row(const options *o, const arm_file *arm, double tolerance, long *failed)
{
    problem p;
    outcome sum = {0};
    if (!open_arm(o, arm, &p) || !set_tolerance(&p, tolerance)) {
        close_arm(&p);
        return;
    }
    static pose poses[KDL_POSES];
    p.pose = poses;
    for (long done = 0; done < o->tracking; done += KDL_POSES) {
        const long count = o->tracking - done < KDL_POSES ? o->tracking - done : KDL_POSES;
        for (long i = 0; i < count; ++i) {
            make_pose(&p, true, &poses[i]);
        }
        run(&p, by_linkwork, count, rounds_of(o->tracking), &sum);
    }
    printf("%-15s %d %6.0e %9ld %7ld %9ld %8.2fus\n", arm->name, p.info->njoint, tolerance,
           sum.count, sum.failed, sum.elsewhere, sum.us);
    fflush(stdout);
    *failed += sum.failed;
    close_arm(&p);
}

static bool read_options(int argc, char **argv, options *o)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];
        if (strcmp(name, "--source") == 0) {
            o->source = value;
        } else if (strcmp(name, "--shared") == 0) {
            o->shared = value;
        } else if (strcmp(name, "--arm") == 0) {
            o->arm = value;
        } else if (strcmp(name, "--poses") == 0) {
            o->poses = strtol(value, NULL, 10);
        } else if (strcmp(name, "--tracking") == 0) {
            o->tracking = strtol(value, NULL, 10);
        } else if (strcmp(name, "--seed") == 0) {
            o->seed = strtoull(value, NULL, 10);
        } else {
            return false;
        }
    }
    return argc % 2 == 1;
}

int main(int argc, char **argv)
{
    options o = {".", "../shared", "", 1000, 10000, 1};
    const int count = (int)(sizeof arms / sizeof *arms);
    static const double tolerance[] = {1e-5, 1e-10};
    long failed = 0;
    if (!read_options(argc, argv, &o)) {
        fprintf(stderr, "usage: bench_search [--source DIR] [--shared DIR] [--poses N] "
                        "[--tracking N] [--arm WORD] [--seed N]\n");
        return 2;
    }
    printf("%-15s %s %6s  %19s  %26s  %26s\n", "arm", "n", "within", "linkwork", "KDL NR_JL",
           "KDL LMA");
    for (int i = 0; i < 2 * count && o.poses > 0; ++i) {
        if (strstr(arms[i % count].name, o.arm)) {
            search_row(&o, &arms[i % count], tolerance[i / count], &failed);
        }
    }
    printf("%ld not solved by linkwork\n\n", failed);
    failed = 0;
    printf("%-15s %s %6s %9s %7s %9s %8s\n", "tracking", "n", "within", "poses", "failed",
           "elsewhere", "mean");
    for (int i = 0; i < 2 * count && o.tracking > 0; ++i) {
        if (strstr(arms[i % count].name, o.arm)) {
            tracking_row(&o, &arms[i % count], tolerance[i / count], &failed);
        }
    }
    printf("%ld not solved\n", failed);
    return 0;
}
