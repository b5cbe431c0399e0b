// D51 for what surrounds computations: data laid out in given memory, names and sizes, the
// mathematics by value, and engines. As test_realtime.c.
#include "check.h"
#include "realtime.h"

#include <string.h>

static lw_status good(bool is_good)
{
    return is_good ? LW_OK : LW_ERR_ARGUMENT;
}

// A tool change: the data of a new model is laid out again in the same memory.
static lw_status lay_out_data(subject *s)
{
    lw_data *d = NULL;
    if (lw_data_size(s->m) > s->block_size || lw_data_init(s->m, s->block, &d) != LW_OK) {
        return LW_ERR_ARGUMENT;
    }
    return lw_data_limit_iterations(d, 100) == LW_OK && lw_data_iterations(d) == 0
               ? LW_OK
               : LW_ERR_ARGUMENT;
}

static lw_status lay_out_data32(subject *s)
{
    lw_data32 *d = NULL;
    return good(lw_model32_size(s->m) > 0 && lw_data32_size(s->m32) <= s->block_size &&
                lw_data32_init(s->m32, s->block, &d) == LW_OK &&
                lw_model32_nq(s->m32) == s->m->nq && lw_model32_nv(s->m32) == s->m->nv &&
                lw_model32_nbody(s->m32) == s->m->nbody);
}

static lw_status copy_model(subject *s)
{
    lw_model *copy = NULL;
    return good(lw_model_size(s->m) <= s->block_size &&
                lw_model_copy(s->m, s->block, &copy) == LW_OK &&
                lw_model_hash(copy) == lw_model_hash(s->m));
}

static lw_status find_names(const subject *s)
{
    const lw_model *m = s->m;
    return good((m->nq == 0 || lw_find_position(m, m->position_name[m->nq - 1]) >= 0) &&
                (m->nv == 0 || lw_find_velocity(m, m->velocity_name[m->nv - 1]) >= 0) &&
                (m->nbody == 0 || lw_find_body(m, m->body_name[m->nbody - 1]) >= 0) &&
                lw_find_frame(m, m->frame[s->frame].name) >= 0);
}

static lw_status print_names(const subject *s)
{
    return good(lw_model_count(s->m, LW_LIST_FRAMES) == s->m->nframe_all &&
                lw_model_find(s->m, LW_LIST_FRAMES, lw_model_name(s->m, LW_LIST_FRAMES, 0)) == 0 &&
                lw_enum_value(LW_ENUM_FORM, lw_enum_name(LW_ENUM_FORM, LW_FORM_LAGRANGE)) ==
                    LW_FORM_LAGRANGE &&
                lw_status_name(LW_ERR_LOOP_OPEN)[0] && lw_status_text(LW_ERR_MEMORY)[0] &&
                lw_step_kind_name(LW_STEP_BLOCK)[0]);
}

static lw_status batch_options(subject *s)
{
    const lw_status status = lw_batch_set_options(s->batch, NULL);
    return good(status == LW_OK && lw_batch_lanes() > 0 && lw_batch_engine()[0] &&
                lw_batch_failure(s->batch, LW_OK).state == -1 &&
                (s->m->nspring == 0 || lw_batch_one_by_one(s->batch)));
}

static lw_status mathematics(subject *s)
{
    const lw_mat3 R = lw_rotation_rpy(0.1, 0.2, 0.3);
    const lw_mat3 Q = lw_rotation_quat(lw_quat_of(&R)), P = lw_exp3(lw_log3(&R));
    const lw_mat3 T = lw_rotation(lw_unit3(lw_log3(&R)), lw_norm3(lw_log3(&R)));
    const lw_vec3 rpy = lw_rpy_of(&R), z = {R.row[0].z, R.row[1].z, R.row[2].z};
    const lw_mat3 Z = lw_rotation_to_z(z);
    const lw_sym3 tensor = lw_sym3_rotate(&R, &(lw_sym3){1, 2, 3, 0, 0, 0});
    const lw_inertia inertia = lw_inertia_of(2.0, rpy, tensor);
    const lw_pose X = {R, rpy};
    s->number = lw_inertia_move(&X, &inertia).mass;
    return good(fabs(Q.row[1].x - P.row[1].x) + fabs(T.row[1].x - R.row[1].x) < 1e-14 &&
                fabs(rpy.z - 0.3) + fabs(Z.row[2].z - z.z) < 1e-14 && s->number == 2.0);
}

// A copy in `linear`, which is large enough for the derivative of a state by itself.
static lw_status eigenvalues(subject *s)
{
    const int n = s->m->nv;
    memset(s->linear, 0, (size_t)(n * n) * sizeof *s->linear);
    for (int i = 0; i < n; ++i) {
        s->linear[i * n + i] = i;
    }
    return lw_eigenvalues(n, s->linear, s->tau, s->column);
}

static lw_status run_engine(subject *s)
{
    const lw_engine_state state = {s->m->nq, s->m->nv, s->m->q_reference, s->v, s->a, s->tau};
    const lw_status status = lw_engine_run(s->engine, LW_FUNCTION_GRAVITY, &state, s->column);
    return status == LW_OK
               ? lw_engine_run_generic(s->engine, LW_FUNCTION_GRAVITY, &state, s->column)
               : status;
}

#define OBJECTS(DO)                                                                                \
    DO(lw_data_init, lay_out_data(s))                                                              \
    DO(lw_data32_init, s->m32 ? lay_out_data32(s) : LW_OK)                                         \
    DO(lw_model_copy, copy_model(s))                                                               \
    DO(lw_find_frame, find_names(s))                                                               \
    DO(lw_status_name, print_names(s))                                                             \
    DO(lw_batch_set_options, batch_options(s))                                                     \
    DO(lw_rotation, mathematics(s))                                                                \
    DO(lw_eigenvalues, eigenvalues(s))                                                             \
    DO(lw_engine_run, run_engine(s))                                                               \
    DO(lw_engine_inverse_dynamics,                                                                 \
       lw_engine_inverse_dynamics(s->engine, s->m->q_reference, s->v, s->a, s->tau))               \
    DO(lw_engine_forward_dynamics,                                                                 \
       lw_engine_forward_dynamics(s->engine, s->m->q_reference, s->v, s->tau, s->column))          \
    DO(lw_engine_mass_matrix, lw_engine_mass_matrix(s->engine, s->m->q_reference, s->matrix[0]))

OBJECTS(RT_DEFINE)
static const rt_function functions[] = {OBJECTS(RT_ENTRY)};
enum { NFUNCTION = sizeof functions / sizeof *functions };

TEST(D51_objects_and_names_allocate_nothing)
{
    check_no_allocation(functions, NFUNCTION);
}

TEST(D51_objects_and_names_make_no_system_call)
{
    check_no_system_call(functions, NFUNCTION);
}

int main(void)
{
    RUN(D51_objects_and_names_allocate_nothing);
    RUN(D51_objects_and_names_make_no_system_call);
    return REPORT();
}
