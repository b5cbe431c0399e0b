// D51 for wheels. As test_realtime.c.

#include "check.h"
#include "realtime.h"

static lw_status wheels(subject *s)
{
    const lw_motion twist = {{0, 0, 0.1}, {0.2, 0, 0}};
    const double *q = s->m->q_reference;
    lw_drive_result driven;
    lw_odometry_result found;
    lw_mobility mobility;
    if (!s->wheels) {
        return LW_OK;
    }
    if (s->m->nwheel > 8 || lw_wheels_describe(s->wheels).npassive > s->m->nv) {
        return LW_ERR_ARGUMENT;
    }
    lw_status status = lw_wheel_contacts(s->m, s->d, s->wheels, q, NULL, NULL);
    if (status == LW_OK) {
        status = lw_drive(s->m, s->d, s->wheels, q, &twist, NULL, s->command, &driven);
    }
    if (status == LW_OK) {
        status =
            lw_odometry(s->m, s->d, s->wheels, q, s->speed, NULL, NULL, s->column, NULL, &found);
    }
    if (status == LW_OK) {
        status = lw_wheel_mobility(s->m, s->d, s->wheels, q, &mobility);
    }
    if (status == LW_OK && lw_wheels_size(s->m) <= s->block_size) {
        lw_wheels *again;
        status = lw_wheels_init(s->m, s->block, &again);
    }
    s->pose = lw_pose_advance(&s->pose, &twist, 0.1);
    return status;
}

#define CONTACT(DO) DO(lw_drive, wheels(s))

CONTACT(RT_DEFINE)
static const rt_function functions[] = {CONTACT(RT_ENTRY)};
enum { NFUNCTION = sizeof functions / sizeof *functions };

TEST(D51_wheels_allocate_nothing)
{
    check_no_allocation(functions, NFUNCTION);
}

TEST(D51_wheels_make_no_system_call)
{
    check_no_system_call(functions, NFUNCTION);
}

int main(void)
{
    RUN(D51_wheels_allocate_nothing);
    RUN(D51_wheels_make_no_system_call);
    return REPORT();
}
