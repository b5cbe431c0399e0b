// D51: the functions that are promised to be real-time safe allocate nothing and make no system
// call, on any model. That they take no lock is seen from the library's objects, which know none
// (tests/frame/test_objects.sh), and a test of the headers sees that no function is missing here.

#define _DEFAULT_SOURCE // syscall
#include "check.h"
#include "realtime.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KINEMATICS(DO)                                                                             \
    DO(lw_integrate, lw_integrate(s->m, s->m->q_reference, s->v, 0.02, s->q))                      \
    DO(lw_integrate_again, lw_integrate(s->m, s->q, s->a, 0.1, s->q2))                             \
    DO(lw_difference, lw_difference(s->m, s->q, s->q2, s->tau))                                    \
    DO(lw_position_rate, lw_position_rate(s->m, s->q, s->v, s->q2))                                \
    DO(lw_forward_position, lw_forward_position(s->m, s->d, s->q))                                 \
    DO(lw_set_state, lw_set_state(s->m, s->d, s->q, s->v))                                         \
    DO(lw_held_position, lw_forward_position(s->m, s->d, lw_held_position(s->d)))                  \
    DO(lw_held_velocity,                                                                           \
       lw_forward_velocity(s->m, s->d, lw_held_position(s->d), lw_held_velocity(s->d)))            \
    DO(lw_held_stage, lw_held_stage(s->d) == LW_STAGE_VELOCITY ? LW_OK : LW_ERR_STAGE)             \
    DO(lw_frame_pose, lw_frame_pose(s->m, s->d, s->frame, &s->pose))                               \
    DO(lw_frame_poses, lw_frame_poses(s->m, s->d, s->poses))                                       \
    DO(lw_relative_pose, lw_relative_pose(s->m, s->d, 0, s->frame, &s->pose))                      \
    DO(lw_center_of_mass, lw_center_of_mass(s->m, s->d, s->q, &s->point, s->matrix[0]))            \
    DO(lw_forward_velocity, lw_forward_velocity(s->m, s->d, s->q, s->v))                           \
    DO(lw_frame_velocity, lw_frame_velocity(s->m, s->d, s->frame, LW_IN_WORLD, &s->motion))        \
    DO(lw_forward_acceleration, lw_forward_acceleration(s->m, s->d, s->q, s->v, s->a))             \
    DO(lw_frame_acceleration,                                                                      \
       lw_frame_acceleration(s->m, s->d, s->frame, LW_IN_WORLD, &s->motion))                       \
    DO(lw_tree_state,                                                                              \
       lw_tree_state(s->m, s->d, s->q, s->v, s->a, s->regressor, s->regressor, s->regressor))      \
    DO(lw_loop_gap, lw_loop_gap(s->m, s->d, s->q, &s->regressor[0]))                               \
    DO(lw_step_conditions, lw_step_conditions(s->m, s->d, s->q, s->regressor))                     \
    DO(lw_pose_of_frame, lw_pose_of_frame(s->m, s->d, s->q, s->frame, &s->pose))                   \
    DO(lw_frame_jacobian,                                                                          \
       lw_frame_jacobian(s->m, s->d, s->q, s->frame, LW_IN_WORLD, &s->point, s->matrix[0]))        \
    DO(lw_frame_jacobian_rate, lw_frame_jacobian_rate(s->m, s->d, s->q, s->v, s->frame,            \
                                                      LW_IN_WORLD, &s->point, s->matrix[0]))       \
    DO(lw_frame_jacobian_rate_times_v,                                                             \
       lw_frame_jacobian_rate_times_v(s->m, s->d, s->q, s->v, s->frame, LW_IN_WORLD, NULL,         \
                                      &s->motion))

KINEMATICS(RT_DEFINE)
static const rt_function kinematics[] = {KINEMATICS(RT_ENTRY)};
enum { NKINEMATICS = sizeof kinematics / sizeof *kinematics };

TEST(D51_kinematics_allocate_nothing)
{
    check_no_allocation(kinematics, NKINEMATICS);
}

TEST(D51_kinematics_make_no_system_call)
{
    check_no_system_call(kinematics, NKINEMATICS);
}

// The watch itself: it must see what it is there to see.
static lw_status allocate(subject *s)
{
    (void)s;
    void *volatile block = malloc(100);
    free(block);
    return LW_OK;
}

static lw_status call_system(subject *s)
{
    (void)s;
    syscall(SYS_getppid);
    return LW_OK;
}

TEST(watch_sees_an_allocation)
{
    const rt_function bad[] = {kinematics[0], {"allocate", allocate}, kinematics[1]};
    CHECK_INT(count_allocating(bad, 3), 1);
}

TEST(watch_sees_a_system_call)
{
    const rt_function bad[] = {kinematics[0], {"call_system", call_system}, kinematics[1]};
    const long number = first_system_call(bad, 3);
    if (number == -2) {
        check_skip("the kernel offers no seccomp filter");
        return;
    }
    CHECK_INT(number, SYS_getppid);
}

int main(void)
{
    RUN(watch_sees_an_allocation);
    RUN(watch_sees_a_system_call);
    RUN(D51_kinematics_allocate_nothing);
    RUN(D51_kinematics_make_no_system_call);
    return REPORT();
}
