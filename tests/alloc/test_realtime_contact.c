// D51 for wheels, terrain and feet. As test_realtime.c.

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

static lw_status terrain(subject *s)
{
    lw_ground_point at;
    lw_stand_result found;
    double low[2], high[2];
    if (!s->wheels || !lw_terrain_at(s->terrain, 0.5, 0.5, &at)) {
        return LW_OK;
    }
    lw_terrain_bounds(s->terrain, low, high);
    return lw_stand(s->m, s->d, s->wheels, s->terrain, 0.0, 0.0, 0.0, NULL, s->q2, NULL, &found);
}

static lw_status feet(subject *s)
{
    static lw_contact_work work;
    const lw_foot_contact contact[3] = {{.point = {1, 0, 0}, .normal = {0, 0, 1}, .friction = 1},
                                        {.point = {0, 1, 0}, .normal = {0, 0, 1}, .friction = 1},
                                        {.point = {0, 0, 0}, .normal = {0, 0, 1}, .friction = 1}};
    const lw_vec3 point[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}, center = {0.3, 0.3, 1};
    const lw_force wrench = {{3, -3, 0}, {0, 0, 10}};
    const int frame[3] = {s->frame, s->frame, s->frame};
    lw_vec3 force[3];
    lw_contact_result result;
    lw_support support;
    lw_support_area area;
    const lw_contact_options cones = {.is_exact = true};
    lw_status status = lw_contact_forces(3, contact, &wrench, NULL, &work, force, &result);
    if (status == LW_OK) {
        status = lw_contact_forces(3, contact, &wrench, &cones, &work, force, &result);
    }
    if (status == LW_OK) {
        status = lw_pose_of_points(3, point, point, NULL, NULL, &s->pose, NULL);
    }
    if (status == LW_OK) {
        status = lw_support_polygon(3, contact, center, 1, lw_vec3_of(0, 0, -9.81), &support);
    }
    if (status == LW_OK) {
        status = lw_find_support_area(3, contact, center, 1, lw_vec3_of(0, 0, -9.81), NULL, &work,
                                      &area);
    }
    if (status == LW_OK) { // most models have no free base
        lw_stance_forces(s->m, s->d, s->m->q_reference, 3, frame, contact, NULL, &work, force,
                         s->tau, &result);
    }
    return status;
}

#define CONTACT(DO) DO(lw_drive, wheels(s)) DO(lw_stand, terrain(s)) DO(lw_contact_forces, feet(s))

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
