// Collisions along motions and trajectories (C33): what is proven, against many states on the way.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/collide.h>
#include <linkwork/kinematics.h>
#include <linkwork/motion.h>

#include <stdio.h>

enum { MOST = 16, SAMPLES = 300 };

static const lw_motion_check check = {.margin = 0.01, .resolution = 1e-5};

// A motion from q0 to q1, or along a trajectory.
typedef struct course {
    const lw_model *m;
    lw_collide *c;
    lw_data *d;
    const lw_trajectory *trajectory;
    double q0[MOST], q1[MOST];
} course;

static double duration_of(const course *way)
{
    return way->trajectory ? lw_trajectory_duration(way->trajectory) : 1.0;
}

static lw_verdict verdict_at(const course *way, double t)
{
    double v[MOST], q[MOST];
    lw_verdict verdict = LW_VERDICT_UNCERTAIN;
    if (way->trajectory) {
        CHECK_INT(lw_trajectory_state(way->trajectory, way->m, t, q, NULL, NULL), LW_OK);
    } else {
        CHECK_INT(lw_difference(way->m, way->q0, way->q1, v), LW_OK);
        CHECK_INT(lw_integrate(way->m, way->q0, v, t, q), LW_OK);
    }
    CHECK_INT(lw_collide_check(way->c, way->d, q, check.margin, &verdict, NULL), LW_OK);
    return verdict;
}

static void check_course(const course *way, int count[3])
{
    lw_motion_verdict result;
    const lw_status status =
        way->trajectory ? lw_collide_trajectory(way->c, way->d, way->trajectory, &check, &result)
                        : lw_collide_motion(way->c, way->d, way->q0, way->q1, &check, &result);
    if (!CHECK_INT(status, LW_OK)) {
        return;
    }
    ++count[result.verdict];
    for (int i = 0; i <= SAMPLES; ++i) {
        const double t = duration_of(way) * i / SAMPLES;
        if (verdict_at(way, t) == LW_VERDICT_HIT) {
            CHECK(result.verdict != LW_VERDICT_FREE);
            CHECK(result.is_sampled || t >= result.t[0]);
        }
    }
    if (result.verdict == LW_VERDICT_HIT) {
        CHECK_INT(verdict_at(way, result.t[1]), LW_VERDICT_HIT);
    }
}

// Through four points, there on a circle of two coordinates, and to a last one.
static lw_trajectory *trajectory_of(const lw_model *m, const double *start)
{
    double point[5][MOST];
    lw_axis_limits limits[MOST];
    for (int i = 0; i < m->nv; ++i) {
        limits[i] = lw_default_axis_limits();
        limits[i].velocity = 1.5;
        limits[i].acceleration = 4.0;
        for (int k = 0; k < 5; ++k) {
            point[k][i] = start[i] + check_random(-0.5, 0.5);
        }
    }
    double points[4 * MOST];
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < m->nv; ++i) {
            points[k * m->nv + i] = point[k][i];
        }
    }
    lw_move move[3] = {lw_default_move(), lw_default_move(), lw_default_move()};
    move[0].type = LW_MOVE_THROUGH;
    move[0].npoint = 4;
    move[0].point = points;
    move[1].type = LW_MOVE_ARC;
    move[1].axis[0] = 1;
    move[1].axis[1] = 2;
    move[1].center[0] = point[3][1] + 0.1;
    move[1].center[1] = point[3][2];
    move[1].angle = 3.0;
    move[2].npoint = 1;
    move[2].point = point[4];
    move[2].profile = LW_PROFILE_TRAPEZOID;
    const lw_trajectory_def def = {m->nv, start, limits, NULL, 3, move};
    lw_trajectory *trajectory = NULL;
    CHECK_INT(lw_trajectory_create(&def, &trajectory, NULL), LW_OK);
    return trajectory;
}

static void check_courses(const char *name, int ncourse, bool is_trajectory)
{
    static lw_contact contact[400];
    lw_model *m = shipped_model(name);
    course way = {.m = m, .d = new_data(m)};
    int count[3] = {0, 0, 0}, near = 0;
    CHECK_INT(lw_collide_create(m, &way.c, NULL), LW_OK);
    CHECK(m->nq <= MOST && m->nv == m->nq);
    // Pairs that overlap in the reference configuration are so always, and left out.
    CHECK_INT(lw_collide_distances(way.c, way.d, m->q_reference, 0.011, 400, contact, &near),
              LW_OK);
    for (int i = 0; i < near; ++i) {
        CHECK_INT(lw_collide_allow(way.c, contact[i].pair, true), LW_OK);
    }
    for (int n = 0; n < ncourse; ++n) {
        for (int i = 0; i < m->nq; ++i) {
            way.q0[i] = m->q_reference[i] + check_random(-1, 1);
            way.q1[i] = way.q0[i] + check_random(-1, 1);
        }
        check_case("%s, motion %d", name, n);
        lw_trajectory *trajectory = is_trajectory ? trajectory_of(m, way.q0) : NULL;
        way.trajectory = trajectory;
        check_course(&way, count);
        lw_trajectory_destroy(trajectory);
    }
    printf("%s: %d free, %d hit, %d uncertain\n", name, count[LW_VERDICT_FREE],
           count[LW_VERDICT_HIT], count[LW_VERDICT_UNCERTAIN]);
    CHECK(15 * count[LW_VERDICT_FREE] > ncourse && 30 * count[LW_VERDICT_UNCERTAIN] < ncourse);
    lw_collide_destroy(way.c);
    lw_data_destroy(way.d);
    lw_model_destroy(m);
}

TEST(C33_motions_that_are_proven_free_never_hit)
{
    check_courses("ur5_class.xml", 300, false);
    check_courses("panda_class.xml", 300, false);
    check_courses("stanford.xml", 300, false);
}

TEST(C33_trajectories_that_are_proven_free_never_hit)
{
    check_courses("ur5_class.xml", 100, true);
    check_courses("panda_class.xml", 100, true);
    check_courses("stanford.xml", 100, true);
}

// Capsules on two arms, whose proofs go along the normal: with joints of each kind on either side.
TEST(C33_motions_of_capsules_that_are_proven_free_never_hit)
{
    static const char arms[] =
        "<linkwork version='1' name='m'><ground/>"
        "<joint name='a' type='revolute' axis='0 0 1' from='ground' to='p'/>"
        "<link name='p' mass='1'><capsule radius='0.05' length='0.3' xyz='0.2 0 0' rpy='0 1.5 0'/>"
        "</link><joint name='b' type='screw' pitch='3' axis='0 1 0' xyz='0.4 0 0' from='p' "
        "to='r'/>"
        "<link name='r' mass='1'><capsule radius='0.04' length='0.3' xyz='0.1 0 0.1'/>"
        "<sphere radius='0.06' xyz='0.3 0 0'/></link>"
        "<joint name='c' type='revolute' axis='1 0 1' xyz='0.2 0 0' from='r' to='s'/>"
        "<link name='s' mass='1'><capsule radius='0.03' length='0.4' xyz='0 0.2 0' rpy='1.5 0 0'/>"
        "</link><joint name='d' type='prismatic' axis='0 0 1' xyz='0.8 0 0' from='ground' to='t'/>"
        "<link name='t' mass='1'><capsule radius='0.05' length='0.2'/></link>"
        "<joint name='e' type='revolute' axis='0 1 1' from='t' to='u'/>"
        "<link name='u' mass='1'><capsule radius='0.05' length='0.5' xyz='0 0.2 0' rpy='1.2 0 0'/>"
        "</link></linkwork>";
    lw_model *m = compile_text("m.xml", arms, NULL);
    course way = {.m = m, .d = new_data(m)};
    int count[3] = {0, 0, 0};
    CHECK_INT(lw_collide_create(m, &way.c, NULL), LW_OK);
    for (int n = 0; n < 3000; ++n) {
        for (int i = 0; i < m->nq; ++i) {
            way.q0[i] = check_random(-1, 1);
            way.q1[i] = way.q0[i] + check_random(-1.5, 1.5);
        }
        check_case("motion %d", n);
        check_course(&way, count);
    }
    printf("%d free, %d hit, %d uncertain\n", count[LW_VERDICT_FREE], count[LW_VERDICT_HIT],
           count[LW_VERDICT_UNCERTAIN]);
    CHECK(count[LW_VERDICT_FREE] > 500 && count[LW_VERDICT_HIT] > 300);
    CHECK(count[LW_VERDICT_UNCERTAIN] < 30);
    lw_collide_destroy(way.c);
    lw_data_destroy(way.d);
    lw_model_destroy(m);
}

// At rest nothing but its ends is looked at; a trajectory of another machine is refused.
TEST(C33_a_trajectory_of_no_length_is_its_state)
{
    lw_model *m = shipped_model("ur5_class.xml");
    lw_data *d = new_data(m);
    lw_collide *c = NULL;
    lw_axis_limits limits[MOST];
    for (int i = 0; i < MOST; ++i) {
        limits[i] = lw_default_axis_limits();
    }
    const double away[MOST] = {0.3, -1, 1.2, 0.4, 0.7, 0.1};
    for (int n = m->nv; n <= m->nv + 1; ++n) {
        const lw_trajectory_def def = {.n = n, .start = away, .limits = limits};
        lw_trajectory *rest = NULL;
        lw_motion_verdict result;
        CHECK_INT(lw_trajectory_create(&def, &rest, NULL), LW_OK);
        CHECK(c || lw_collide_create(m, &c, NULL) == LW_OK);
        CHECK_INT(lw_collide_trajectory(c, d, rest, &check, &result),
                  n == m->nv ? LW_OK : LW_ERR_ARGUMENT);
        CHECK_INT(lw_collide_trajectory(c, d, NULL, &check, &result), LW_ERR_ARGUMENT);
        if (n == m->nv) {
            lw_verdict verdict;
            CHECK_INT(lw_collide_check(c, d, away, check.margin, &verdict, NULL), LW_OK);
            CHECK_INT(result.verdict, verdict);
            CHECK(result.t[0] <= 0.0 && result.states <= 2);
        }
        lw_trajectory_destroy(rest);
    }
    lw_collide_destroy(c);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(C33_motions_that_are_proven_free_never_hit);
    RUN(C33_motions_of_capsules_that_are_proven_free_never_hit);
    RUN(C33_trajectories_that_are_proven_free_never_hit);
    RUN(C33_a_trajectory_of_no_length_is_its_state);
    return REPORT();
}
