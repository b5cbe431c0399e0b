#include "random_loops.h"
#include "objects.h"

#include "check.h"
#include "closed_zoo.h"

#include "kin/closure.h"
#include "model/data.h"
#include "model/kernel.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <string.h>

static lw_vec3 random_vec3(double size)
{
    return lw_vec3_of(check_random(-size, size), check_random(-size, size),
                      check_random(-size, size));
}

static lw_placement random_place(double size)
{
    return lw_placement_rpy(random_vec3(size), random_vec3(3.0));
}

static void add_link(lw_mech *mech, const char *name)
{
    zoo_link(mech, name, 1.0, lw_vec3_of(0.0, 0.0, 0.0));
}

// How far the ends of loop k are from what it asks for, in the poses of the data.
static double rod_error(const lw_model *m, const lw_data *d, int k)
{
    lw_pose X[2];
    lw_frame_pose(m, d, m->loop[k].frame[0], &X[0]);
    lw_frame_pose(m, d, m->loop[k].frame[1], &X[1]);
    return fabs(lw_norm3(lw_sub3(X[0].p, X[1].p)) - m->loop[k].length);
}

// One loop: ground - j1 - j2 (dependent) - j3 - tip, tied by a rod to ground - k1. Types and places
// at random; the reference closes it, because the rod's length is taken there. The same seed gives
// the same machine, on the branch asked for, or cut: without the rod.
static lw_mech *random_rod_loop(unsigned seed, lw_joint_type dependent, int branch, bool cut)
{
    check_seed(seed);
    static const lw_joint_type any[] = {LW_JOINT_REVOLUTE,  LW_JOINT_PRISMATIC,
                                        LW_JOINT_SCREW,     LW_JOINT_CYLINDRICAL,
                                        LW_JOINT_UNIVERSAL, LW_JOINT_SPHERICAL};
    lw_mech *mech = new_mech("rod");
    const char *links[] = {"base", "l1", "l2", "l3", "r1"};
    for (int i = 0; i < 5; ++i) {
        add_link(mech, links[i]);
        zoo_frame(mech, links[i], i == 0 ? "f0" : links[i] + 0, random_place(0.5));
    }
    zoo_frame(mech, "base", "g0", random_place(0.5));
    lw_joint_def j1 = zoo_joint_def("j1", any[(int)check_random(0, 6)], random_vec3(1.0));
    j1.pitch = check_random(-0.3, 0.3);
    zoo_hang(mech, &j1, "base.f0", "l1");
    lw_joint_def j2 = zoo_joint_def("j2", dependent, random_vec3(1.0));
    j2.dependent = !cut;
    zoo_hang(mech, &j2, "l1.l1", "l2");
    const lw_joint_def j3 = zoo_joint_def("j3", any[(int)check_random(0, 6)], random_vec3(1.0));
    zoo_hang(mech, &j3, "l2.l2", "l3");
    const lw_joint_def k1 = zoo_joint_def("k1", any[(int)check_random(0, 6)], random_vec3(1.0));
    zoo_hang(mech, &k1, "base.g0", "r1");
    if (!cut) {
        lw_rod_def rod = lw_default_rod_def();
        rod.name = "rod";
        rod.branch = branch;
        lw_add_rod(mech, &rod);
        zoo_join(mech, "l3.l3", "rod.a1");
        zoo_join(mech, "r1.r1", "rod.a2");
    }
    return mech;
}

static void perturb(const lw_model *m, double size, double *q, double *v, double *a)
{
    double step[64];
    for (int i = 0; i < m->nv; ++i) {
        step[i] = check_random(-size, size);
        v[i] = check_random(-1.0, 1.0);
        a[i] = check_random(-1.0, 1.0);
    }
    lw_integrate(m, m->q_reference, step, 1.0, q);
}

// Velocity and acceleration of a frame against central differences of its position along the
// motion with the given v and a. Differences of order four with h = 1e-3 are good to about 1e-9.
static void check_rates(const lw_model *m, lw_data *d, int frame, const double *q, const double *v,
                        const double *a)
{
    enum { POINTS = 5 };
    const double h = 2e-3;
    lw_vec3 p[POINTS];
    for (int k = 0; k < POINTS; ++k) {
        const double t = (k - 2) * h;
        double rate[64], at[64];
        // q(t) with dv/dt = a held constant: v t + a t^2 / 2 in one go is exact for scalar joints,
        // so quaternion joints are left out by the callers.
        for (int i = 0; i < m->nv; ++i) {
            rate[i] = v[i] * t + 0.5 * a[i] * t * t;
        }
        lw_integrate(m, q, rate, 1.0, at);
        if (lw_forward_position(m, d, at) != LW_OK) {
            return; // the loop opens right here
        }
        lw_pose X;
        lw_frame_pose(m, d, frame, &X);
        p[k] = X.p;
    }
    lw_motion velocity, acceleration;
    if (!CHECK(lw_forward_acceleration(m, d, q, v, a) == LW_OK)) {
        return;
    }
    lw_frame_velocity(m, d, frame, LW_IN_WORLD, &velocity);
    lw_frame_acceleration(m, d, frame, LW_IN_WORLD, &acceleration);
    const lw_vec3 d1 = lw_scale3(1.0 / (12.0 * h),
                                 lw_add3(lw_sub3(p[0], p[4]), lw_scale3(8.0, lw_sub3(p[3], p[1]))));
    const lw_vec3 d2 = lw_scale3(1.0 / (12.0 * h * h),
                                 lw_sub3(lw_scale3(16.0, lw_add3(p[1], p[3])),
                                         lw_add3(lw_add3(p[0], p[4]), lw_scale3(30.0, p[2]))));
    // Near a singular configuration derivatives of any order grow without bound, and differences
    // mean nothing.
    const double wild = lw_norm3(velocity.lin) + sqrt(lw_norm3(acceleration.lin));
    if (wild < 2.0) {
        CHECK_NEAR(lw_norm3(lw_sub3(d1, velocity.lin)), 0.0, 1e-6);
        CHECK_NEAR(lw_norm3(lw_sub3(d2, acceleration.lin)), 0.0, 1e-4);
    }
}

static bool has_quaternion(const lw_model *m)
{
    return m->nq != m->nv;
}

// The cut tree of a loop, and what its rod asks for as a function of the dependent joint.
typedef struct cut_loop {
    const lw_model *m;
    lw_data *d;
    int frame[2], joint;
    double length;
    double q[64];
} cut_loop;

static double stretch(cut_loop *c, double x)
{
    lw_pose X[2];
    c->q[c->joint] = x;
    CHECK(lw_forward_position(c->m, c->d, c->q) == LW_OK);
    lw_frame_pose(c->m, c->d, c->frame[0], &X[0]);
    lw_frame_pose(c->m, c->d, c->frame[1], &X[1]);
    return lw_norm3(lw_sub3(X[0].p, X[1].p)) - c->length;
}

// A root between two points of different sign.
static double bisect(cut_loop *c, double low, double high)
{
    const bool is_rising = stretch(c, low) < 0.0;
    for (int k = 0; k < 60 && high - low > 1e-15; ++k) {
        const double middle = 0.5 * (low + high);
        *((stretch(c, middle) < 0.0) == is_rising ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

// Between its two roots, and between the second and the first a turn or far further on, the
// function has no other; so a bisection in each of the two stretches around a root must end there.
static void check_root(cut_loop *c, double root, double other, bool is_sincos)
{
    const double turn = 6.283185307179586;
    double apart = other - root;
    if (is_sincos) {
        apart -= turn * floor(apart / turn + 0.5);
    }
    const double size = fabs(apart);
    // Where the branches are near each other, rounding moves both by its share of the root.
    if (size > 1e-3) {
        const double half = fmin(0.5 * size, is_sincos ? 0.5 * (turn - size) : size);
        CHECK_NEAR(bisect(c, root - half, root + half), root, 1e-12 / size);
    }
}

// What the closed form puts the dependent joint at, which no public function gives.
static double solved(const lw_model *m, lw_data *d)
{
    lwi_closure_angles(m, d);
    return d->tree_q[m->kernel->program->step[0].target_q[0]];
}

typedef struct tally {
    int closed, with_rates, bisected;
} tally;

// One machine in both branches at some states.
static void check_rod_loop(unsigned seed, lw_joint_type dependent, int states, tally *t)
{
    lw_model *m[3]; // the two branches, and the cut tree
    lw_data *d[2];
    for (int k = 0; k < 3; ++k) {
        lw_mech *mech = random_rod_loop(seed, dependent, k ? -1 : 1, k == 2);
        m[k] = closed_model(mech);
    }
    lw_model *tree = m[2];
    if (!CHECK(m[0] && m[1] && tree)) {
        return;
    }
    const bool is_sincos = dependent == LW_JOINT_REVOLUTE;
    for (int k = 0; k < 2; ++k) {
        d[k] = new_data(m[k]);
        CHECK_INT(m[k]->nv, tree->nv - 1);
        CHECK_INT(m[k]->nstep, 1);
        CHECK_INT((int)m[k]->step[0].kind,
                  (int)(is_sincos ? LW_STEP_ROD_REVOLUTE : LW_STEP_ROD_PRISMATIC));
        CHECK_INT(m[k]->step[0].branch, k ? -1 : 1);
    }
    cut_loop c = {tree,
                  new_data(tree),
                  {lw_find_frame(tree, "l3.l3"), lw_find_frame(tree, "r1.r1")},
                  lw_find_position(tree, "j2"),
                  m[0]->loop[0].length,
                  {0.0}};
    for (int n = 0; n < states; ++n) {
        double q[64], v[64], a[64], root[2];
        perturb(m[0], 0.5, q, v, a);
        lw_status status[2];
        for (int k = 0; k < 2; ++k) {
            status[k] = lw_forward_position(m[k], d[k], q);
            CHECK(status[k] == LW_OK || status[k] == LW_ERR_LOOP_OPEN);
            root[k] = solved(m[k], d[k]);
        }
        CHECK_INT(status[0], status[1]); // both branches or none
        if (status[0] != LW_OK) {
            continue;
        }
        ++t->closed;
        for (int i = 0; i < m[0]->nq; ++i) {
            c.q[m[0]->q_tree[i]] = q[i];
        }
        for (int k = 0; k < 2; ++k) {
            CHECK_NEAR(rod_error(m[k], d[k], 0), 0.0, 1e-13);
            check_root(&c, root[k], root[1 - k], is_sincos);
            ++t->bisected;
            if (n == 0 && !has_quaternion(m[k])) {
                check_rates(m[k], d[k], lw_find_frame(m[k], "l3.l3"), q, v, a);
                ++t->with_rates;
            }
        }
    }
    lw_data_destroy(c.d);
    for (int k = 0; k < 2; ++k) {
        lw_data_destroy(d[k]);
        lw_model_destroy(m[k]);
    }
    lw_model_destroy(tree);
}

void check_rod_loops(lw_joint_type dependent, int machines)
{
    enum { STATES = 25 };
    tally t = {0, 0, 0};
    for (int n = 0; n < machines; ++n) {
        check_case("machine %d", n);
        check_rod_loop(1 + (unsigned)n, dependent, STATES, &t);
    }
    CHECK(t.closed > machines * STATES / 3);
    CHECK(t.bisected == 2 * t.closed);
    CHECK(t.with_rates > machines / 4);
}

// A planar loop of random links in a random plane: crank - (dependent) and ground - (dependent),
// closed by a joint unless it is cut. Types of the three unknown joints as letters; the same seed
// gives the same machine.
static lw_mech *planar_loop(unsigned seed, const char *types, bool on_one_side, bool cut)
{
    check_seed(seed);
    lw_mech *mech = new_mech("planar");
    const lw_vec3 normal = {0.0, 0.0, 1.0};
    const char *links[] = {"base", "crank", "second", "third"};
    for (int i = 0; i < 4; ++i) {
        add_link(mech, links[i]);
    }
    // One fixed turn of the whole plane, so that nothing lies along coordinate axes.
    zoo_frame(mech, "base", "plane", random_place(1.0));
    lw_joint_def def[4];
    char name[4][8] = {"crank_j", "d1", "d2", "close"};
    for (int i = 0; i < 4; ++i) {
        const bool is_slide = i > 0 && types[i - 1] == 'P';
        const double angle = check_random(-3.0, 3.0);
        def[i] = zoo_joint_def(name[i], is_slide ? LW_JOINT_PRISMATIC : LW_JOINT_REVOLUTE,
                               is_slide ? lw_vec3_of(cos(angle), sin(angle), 0.0) : normal);
        def[i].before = lw_placement_rpy(lw_vec3_of(check_random(-1, 1), check_random(-1, 1), 0.0),
                                         lw_vec3_of(0.0, 0.0, check_random(-3, 3)));
        def[i].dependent = !cut && (i == 1 || i == 2);
        if (!is_slide && check_random(0, 1) < 0.5) {
            def[i].axis = lw_vec3_of(0.0, 0.0, -1.0);
        }
    }
    strcpy(name[0], "j0");
    def[0].name = "j0";
    lw_joint_def carry = zoo_joint_def("carry", LW_JOINT_FIXED, normal);
    zoo_hang(mech, &carry, "base.plane", "third"); // stands in for the ground within the plane
    zoo_hang(mech, &def[0], "third.b", "crank");
    zoo_hang(mech, &def[1], "crank.b", "second");
    add_link(mech, "fourth");
    zoo_hang(mech, &def[2], on_one_side ? "second.b" : "third.b", "fourth");
    def[3].closing = true;
    def[3].after = lw_placement_rpy(lw_vec3_of(check_random(-1, 1), check_random(-1, 1), 0.0),
                                    lw_vec3_of(0.0, 0.0, check_random(-3, 3)));
    if (!cut) {
        lw_add_joint(mech, &def[3]);
        zoo_join(mech, on_one_side ? "third.b" : "second.b", "close.a");
        zoo_join(mech, "fourth.b", "close.b");
    }
    return mech;
}

// The cut tree of a planar loop. One of its unknown joints is d1; what d2 and the closing joint
// leave of the conditions is one function of that.
typedef struct cut_plane {
    const lw_model *closed, *m; ///< with the loop, and cut
    lw_data *d;
    const char *types;
    int joint;
    double q[8];
} cut_plane;

static lw_pose end_of_loop(const cut_plane *c, int side)
{
    const lw_frame_info *end = &c->closed->frame[c->closed->loop[0].frame[side]];
    if (end->body < 0) {
        return end->X_BF;
    }
    return lw_pose_mul(&c->d->X_WB[end->body], &end->X_BF);
}

static lw_vec3 z_of(const lw_pose *X)
{
    return lw_vec3_of(X->R.row[0].z, X->R.row[1].z, X->R.row[2].z);
}

// The end on the link that d2 moves, F, must meet the other, O. A hinge: their distances from the
// axis of d2 are equal, or both are on one line along its slide. A slide: d2 turns F to the
// direction of O, and the two are on one line; or it is d1 that turns F so.
static double miss(cut_plane *c, double x)
{
    c->q[c->joint] = x;
    CHECK(lw_forward_position(c->m, c->d, c->q) == LW_OK);
    const int fourth = c->m->frame[lw_find_frame(c->m, "fourth")].body;
    const int on_fourth = c->closed->frame[c->closed->loop[0].frame[1]].body == fourth;
    const lw_pose F = end_of_loop(c, on_fourth ? 1 : 0), O = end_of_loop(c, on_fourth ? 0 : 1);
    const lw_pose *J = &c->d->X_WB[fourth];
    lw_pose crank;
    lw_frame_pose(c->m, c->d, lw_find_frame(c->m, "base.plane"), &crank);
    const lw_vec3 n = z_of(&crank);
    const bool is_sincos = c->types[1] == 'R';
    if (c->types[2] == 'R') {
        if (is_sincos) {
            return lw_norm3(lw_sub3(O.p, J->p)) - lw_norm3(lw_sub3(F.p, J->p));
        }
        return lw_dot3(lw_cross3(n, z_of(J)), lw_sub3(O.p, F.p));
    }
    const lw_vec3 f = z_of(&F), o = z_of(&O);
    const double sine = lw_dot3(n, lw_cross3(f, o)), cosine = lw_dot3(f, o);
    if (!is_sincos) {
        return atan2(sine, cosine);
    }
    const lw_vec3 arm = lw_sub3(F.p, J->p);
    const lw_vec3 turned = lw_add3(lw_scale3(cosine, arm), lw_scale3(sine, lw_cross3(n, arm)));
    const lw_vec3 at =
        lw_add3(J->p, lw_add3(turned, lw_scale3(lw_dot3(n, arm) * (1.0 - cosine), n)));
    return lw_dot3(lw_cross3(n, o), lw_sub3(O.p, at));
}

// Bisection around what the closed form says; false where both branches are within reach of it.
static bool check_planar_root(cut_plane *c, double root, double good)
{
    double low = root - 0.02, high = root + 0.02;
    const double at_low = miss(c, low), at_high = miss(c, high);
    if ((at_low < 0.0) == (at_high < 0.0)) {
        return false;
    }
    for (int k = 0; k < 60 && high - low > 1e-15; ++k) {
        const double middle = 0.5 * (low + high);
        *((miss(c, middle) < 0.0) == (at_low < 0.0) ? &low : &high) = middle;
    }
    // The slope of the function is at least that of the chord over its width but near the branch
    // point, which is 0.02 away; rounding over it is what the root is good to.
    const double slope = fabs(at_high - at_low) / 0.04;
    CHECK_NEAR(0.5 * (low + high), root, good / fmin(1.0, slope));
    return true;
}

// What the closing joint asks for: one point, or one line, in common.
static void check_planar_closed(const lw_model *m, const lw_data *d, double good)
{
    lw_pose X[2];
    lw_frame_pose(m, d, m->loop[0].frame[0], &X[0]);
    lw_frame_pose(m, d, m->loop[0].frame[1], &X[1]);
    const lw_pose back = lw_pose_inverse(&X[0]), Y = lw_pose_mul(&back, &X[1]);
    CHECK_NEAR(hypot(Y.p.x, Y.p.y), 0.0, good);
    CHECK_NEAR(m->loop[0].type == LW_JOINT_REVOLUTE ? Y.p.z : Y.R.row[0].y, 0.0, good);
    CHECK_NEAR(hypot(Y.R.row[0].z, Y.R.row[1].z), 0.0, 1e-12);
}

typedef struct planar_tally {
    int tried, closed, bisected, branch[2];
} planar_tally;

static void check_planar_loop(unsigned seed, const char *types, int states, planar_tally *t)
{
    lw_model *m = NULL, *tree = NULL;
    lw_mech *mech = planar_loop(seed, types, seed % 2, false);
    const lw_status status = lw_compile(mech, NULL, &m, NULL);
    lw_mech_destroy(mech);
    CHECK(status == LW_OK || status == LW_ERR_LOOP_OPEN); // random lengths may not reach
    if (!m) {
        return;
    }
    mech = planar_loop(seed, types, seed % 2, true);
    tree = closed_model(mech);
    lw_data *d = new_data(m);
    CHECK_INT(m->nv, 1);
    CHECK_INT((int)m->step[0].kind, (int)LW_STEP_PLANAR);
    ++t->branch[m->step[0].branch > 0];
    cut_plane c = {m, tree, new_data(tree), types, lw_find_position(tree, "d1"), {0.0}};
    for (int k = 0; k < states; ++k) {
        const double q = m->q_reference[0] + check_random(-0.5, 0.5), v = 1.0, a = 0.5;
        ++t->tried;
        if (lw_forward_position(m, d, &q) != LW_OK) {
            continue;
        }
        ++t->closed;
        lwi_closure_angles(m, d);
        memcpy(c.q, d->tree_q, (size_t)m->tree_nq * sizeof *c.q);
        // Two slides that are nearly parallel meet far away, and positions there have its rounding.
        double size = 1.0;
        for (int i = 0; i < m->tree_nq; ++i) {
            size = fmax(size, fabs(c.q[i]));
        }
        const double good = 1e-12 + 2e-15 * size;
        check_planar_closed(m, d, good);
        t->bisected += check_planar_root(&c, c.q[c.joint], good);
        if (k == 0) {
            check_rates(m, d, lw_find_frame(m, "second"), &q, &v, &a);
        }
    }
    lw_data_destroy(c.d);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_model_destroy(tree);
}

// Unknown joints turn (R) or slide (P): two in the tree and the closing one.
static void check_planar_kind(const char *types, int machines)
{
    enum { STATES = 25 };
    planar_tally t = {0, 0, 0, {0, 0}};
    for (int n = 0; n < machines; ++n) {
        check_case("%s, machine %d", types, n);
        check_planar_loop(1 + (unsigned)n, types, STATES, &t);
    }
    check_case("%s", types);
    CHECK(t.closed > t.tried / 3);
    CHECK(t.tried > machines * STATES / 4);
    CHECK(t.bisected > 0.8 * t.closed);
    CHECK(t.branch[1] > machines / 40);
    // With two slides the equations are linear, and there is one way to close.
    int slides = 0;
    for (int k = 0; k < 3; ++k) {
        slides += types[k] == 'P';
    }
    CHECK(slides > 1 || t.branch[0] > machines / 40);
}

void check_planar_loops(int machines)
{
    static const char *const types[] = {"RRR", "RRP", "RPR", "PRR", "RPP", "PRP", "PPR"};
    for (size_t k = 0; k < sizeof types / sizeof *types; ++k) {
        check_planar_kind(types[k], machines);
    }
}
