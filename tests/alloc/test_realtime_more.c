// D51 for what is real-time safe beside kinematics and dynamics: float arithmetic, Jacobians over
// kinematic parameters, distances of solids and of links, and the current model of a machine. As
// test_realtime.c.

#include "check.h"
#include "realtime.h"

#include <linkwork/geometry.h>
#include <linkwork/surface.h>

static lw_status failure32(const subject *s)
{
    const int dof = lw_data32_failure(s->d32, LW_ERR_SINGULAR).dof;
    return dof >= -1 && dof < s->m->nv ? LW_OK : LW_ERR_ARGUMENT;
}

static lw_status hold_and_release(subject *s)
{
    const lw_model *m = lw_machine_acquire(s->machine);
    if (!m || lw_machine_version(s->machine) < 0) {
        return LW_ERR_ARGUMENT;
    }
    lw_machine_release(s->machine, m);
    return LW_OK;
}

// Every kind of solid against a cone: closed forms, GJK, and the polytope where they overlap.
static lw_status distances(const subject *s)
{
    static lw_distance_work work;
    static const lw_vec3 point[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double r = 0.2 + 0.01 * s->m->nv;
    const lw_solid solid[] = {
        lw_sphere(r),        lw_capsule(r, 0.5), lw_box(lw_vec3_of(r, r, r)),
        lw_cylinder(r, 1.0), lw_cone(r, 0.9),    lw_ellipsoid(lw_vec3_of(r, 0.5, 0.7)),
        lw_hull(4, point),   lw_half_space()};
    const lw_pose X = lw_pose_identity(), Y = {lw_rotation_rpy(0.3, 0.2, 0.1), {0.1, 0.1, 0.1}};
    lw_status status = LW_OK;
    for (size_t i = 0; i < sizeof solid / sizeof *solid && status == LW_OK; ++i) {
        lw_distance d;
        status = lw_find_distance(&solid[4], &X, &solid[i], &Y, &work, &d);
        if (status == LW_OK && lw_verdict_of(&d, 1.0) != LW_VERDICT_HIT) {
            status = LW_ERR_ARGUMENT;
        }
        lw_verdict verdict;
        status = status == LW_OK
                     ? lw_find_verdict(&solid[4], &X, &solid[i], &Y, 0.0, &work, &verdict)
                     : status;
        status = status == LW_OK ? lw_check_solid(&solid[i]) : status;
        lw_distance_start start = {0};
        status = status == LW_OK
                     ? lw_find_distance_from(&solid[4], &X, &solid[i], &Y, &start, &work, &d)
                     : status;
    }
    return status;
}

static lw_status surfaces(const subject *s)
{
    const lw_surface *rough = s->surface;
    static lw_distance_work work;
    const lw_solid box = lw_box(lw_vec3_of(0.1, 0.1, 0.1 + 0.01 * s->m->nv));
    const lw_pose X = lw_pose_identity(), Y = {lw_rotation_rpy(0.3, 0.2, 0.1), {0.1, 0.1, 0.1}};
    lw_search search = lw_default_search();
    lw_distance d;
    bool is_found;
    lw_status status =
        lw_find_surface_distance(rough, &X, rough, &Y, &search, &work, &d, &is_found);
    if (status == LW_OK) {
        status = lw_find_surface_solid_distance(rough, &X, &box, &Y, &search, &work, &d, &is_found);
    }
    return status == LW_OK && lw_surface_describe(rough).nitem != 8 ? LW_ERR_ARGUMENT : status;
}

static lw_status collide(subject *s)
{
    int count = 0;
    lw_verdict verdict;
    const double *q = s->m->q_reference;
    lw_status status = lw_collide_distances(s->collide, s->d, q, 1e9, 4, s->contact, &count);
    if (status == LW_OK) {
        status = lw_collide_check(s->collide, s->d, q, 0.01, &verdict, NULL);
    }
    if (status == LW_OK) {
        status = lw_collide_nearest(s->collide, s->d, NULL, &s->contact[1]);
    }
    for (int i = LW_COLLIDE_COARSE; i >= 0 && status == LW_OK; --i) {
        status = lw_collide_use(s->collide, (lw_collide_method)i);
        status = status == LW_OK ? lw_collide_check(s->collide, s->d, NULL, 0.01, &verdict, NULL)
                                 : status;
    }
    lw_collide_take_count(s->collide);
    lw_contact_patch patch;
    if (status == LW_OK && count > 0) {
        status = lw_collide_patch(s->collide, s->d, &s->contact[0], 1e-6, &patch);
    }
    const lw_solid box = lw_box(lw_vec3_of(1.0, 1.0, 1.0));
    const lw_pose here = lw_pose_identity();
    const lw_distance beside = {.normal = {0.0, 0.0, 1.0}};
    lw_find_patch(&box, &here, &box, &here, &beside, 1e-6, &patch);
    static const double zero[1], one[1] = {1.0};
    static const float zero32[1], one32[1] = {1.0f};
    const lw_capsules ball = {zero, zero, zero, zero, zero, one, zero, one};
    const lw_capsules32 ball32 = {zero32, zero32, zero32, zero32, zero32, one32, zero32, one32};
    double out[5];
    float out32[5];
    const lw_capsule_distances far = {&out[0], &out[1], &out[2], &out[3], &out[4]};
    const lw_capsule_distances32 far32 = {&out32[0], &out32[1], &out32[2], &out32[3], &out32[4]};
    lw_find_capsule_distances(1, &ball, &ball, &far);
    lw_find_capsule_distances32(1, &ball32, &ball32, &far32);
    const lw_collide_info *info = lw_collide_describe(s->collide);
    if (status == LW_OK && info->nlink <= 16) {
        lw_pose X[16];
        for (int i = 0; i < info->nlink; ++i) {
            lw_frame_pose(s->m, s->d, info->link[i], &X[i]);
        }
        status = lw_collide_check_poses(s->collide, 1, X, 0.01, &verdict);
    }
    if (status == LW_OK) { // loops may not close on the way
        const lw_motion_check check = {.margin = 0.01, .resolution = 0.1};
        lw_motion_verdict result;
        lw_collide_motion(s->collide, s->d, q, s->q, &check, &result);
        lw_collide_trajectory(s->collide, s->d, s->trajectory, &check, &result);
    }
    if (status == LW_OK && lw_collide_describe(s->collide)->npair > 0) {
        status = lw_collide_allow(s->collide, 0, false);
    }
    if (status == LW_OK && !lw_clearance_kind()->evaluate) {
        status = LW_ERR_ARGUMENT;
    }
    if (status == LW_OK && count > 0) {
        status = lw_collide_gradient(s->collide, s->d, q, s->contact, s->matrix[0], s->column);
    }
    return status;
}

// A machine that is computed in double only has no float model.
#define IN_FLOAT(call) (s->m32 ? (call) : LW_OK)

#define MORE(DO)                                                                                   \
    DO(lw_set_dynamics_options32, IN_FLOAT(lw_set_dynamics_options32(s->d32, NULL)))               \
    DO(lw_forward_position32,                                                                      \
       IN_FLOAT(lw_forward_position32(s->m32, s->d32, s->q32, s->m->nframe, NULL, s->poses32)))    \
    DO(lw_inverse_dynamics32,                                                                      \
       IN_FLOAT(lw_inverse_dynamics32(s->m32, s->d32, s->q32, s->v32, s->a32, NULL, s->a32)))      \
    DO(lw_mass_matrix32, IN_FLOAT(lw_mass_matrix32(s->m32, s->d32, s->q32, s->M32)))               \
    DO(lw_forward_dynamics32,                                                                      \
       IN_FLOAT(lw_forward_dynamics32(s->m32, s->d32, s->q32, s->v32, s->a32, NULL, s->a32)))      \
    DO(lw_data32_failure, IN_FLOAT(failure32(s)))                                                  \
    DO(lw_parameter_jacobian,                                                                      \
       lw_parameter_jacobian(s->m, s->d, s->parameter_list, s->m->q_reference, s->frame,           \
                             LW_IN_WORLD, s->nlisted, s->listed, s->parameter_J, s->opening))      \
    DO(lw_find_distance, distances(s))                                                             \
    DO(lw_find_distance_from, distances(s))                                                        \
    DO(lw_find_surface_distance, surfaces(s))                                                      \
    DO(lw_collide_distances, collide(s))                                                           \
    DO(lw_machine_acquire, hold_and_release(s))

MORE(RT_DEFINE)
static const rt_function functions[] = {MORE(RT_ENTRY)};
enum { NFUNCTION = sizeof functions / sizeof *functions };

TEST(D51_float_parameters_and_machines_allocate_nothing)
{
    check_no_allocation(functions, NFUNCTION);
}

#define COMMIT(DO) DO(lw_machine_commit, lw_machine_commit(s->machine, NULL))

COMMIT(RT_DEFINE)
static const rt_function commit[] = {COMMIT(RT_ENTRY)};

TEST(D41_a_commit_allocates_nothing)
{
    check_no_allocation(commit, 1);
}

TEST(D41_a_commit_makes_no_system_call)
{
    check_no_system_call(commit, 1);
}

TEST(D51_float_parameters_and_machines_make_no_system_call)
{
    check_no_system_call(functions, NFUNCTION);
}

int main(void)
{
    RUN(D51_float_parameters_and_machines_allocate_nothing);
    RUN(D41_a_commit_allocates_nothing);
    RUN(D41_a_commit_makes_no_system_call);
    RUN(D51_float_parameters_and_machines_make_no_system_call);
    return REPORT();
}
