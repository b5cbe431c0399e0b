// Conversion of a model to float, and the life of both. The only part that uses double.
#include "float_model.h"

#include "../base/report.h"
#include "../kin/finite.h"
#include "../model/failure.h"
#include "friction.h"
#include "options.h"

#include <stdlib.h>
#include <string.h>

static void vec3_to_float(lw_vec3 from, float to[3])
{
    to[0] = (float)from.x;
    to[1] = (float)from.y;
    to[2] = (float)from.z;
}

// The first step that is a function of the user's, or -1.
static int first_user_step(const lw_model *m)
{
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &m->kernel->program->step[s];
        if (step->kind == LW_STEP_FUNCTION && step->law == LW_LAW_FUNCTION) {
            return s;
        }
    }
    return -1;
}

static bool is_convertible(const lw_model *m)
{
    return m && !m->kernel->user && first_user_step(m) < 0;
}

// A joint by callbacks.
static const char *first_user_joint(const lw_model *m)
{
    for (int i = 0; i < m->nbody; ++i) {
        if (m->carrier[i] == LW_TREE_USER) {
            return m->joints[m->joint[i]].name;
        }
    }
    return "";
}

// Why there is no copy: the first joint or coupling by callbacks, which are in double.
static lw_status report_unsupported(const lw_model *m, lw_report *report)
{
    const lw_location nowhere = {0};
    const bool is_joint = m->kernel->user != NULL;
    return lwi_report_error(report, nowhere, LW_ERR_UNSUPPORTED,
                            "\"%s\" has no copy for float arithmetic: %s by callbacks \"%s\" is "
                            "computed in double only",
                            m->name, is_joint ? "joint" : "coupling",
                            is_joint ? first_user_joint(m) : m->step[first_user_step(m)].name);
}

static void fill_frames(const lw_model *m, lwi_frame32 *frame)
{
    for (int k = 0; k < m->nframe_all; ++k) {
        frame[k].body = m->frame[k].body;
        for (int r = 0; r < 3; ++r) {
            vec3_to_float(m->frame[k].X_BF.R.row[r], &frame[k].X_BF.R[3 * r]);
        }
        vec3_to_float(m->frame[k].X_BF.p, frame[k].X_BF.p);
    }
}

static void *put_ints(lwi_slicer *s, const int *from, int n)
{
    int *to = lwi_slice(s, (size_t)n, sizeof *to);
    if (to && n > 0) {
        memcpy(to, from, (size_t)n * sizeof *to);
    }
    return to;
}

static void put_counts(const lw_model *m, lw_model32 *to)
{
    const lwi_kernel *kernel = m->kernel;
    to->nbody = m->nbody;
    to->nq = m->nq;
    to->nv = m->nv;
    to->tree_nq = m->tree_nq;
    to->tree_nv = m->tree_nv;
    to->nrate = kernel->program->nrate;
    to->nbias = kernel->program->nbias;
    to->nframe = m->nframe_all;
    to->nload = kernel->nload;
    to->nquat = kernel->nquat;
    to->ngeneral = kernel->ngeneral;
    to->all_revolute = kernel->all_revolute != 0;
    to->has_joint_forces = kernel->has_joint_forces != 0;
    to->world_phi[0] = (float)kernel->world_phi[0];
    to->world_phi[1] = (float)kernel->world_phi[1];
    vec3_to_float(m->gravity, to->gravity);
}

static lw_model32 *lay_out(const lw_model *m, lwi_slicer *s)
{
    const lwi_kernel *kernel = m->kernel;
    lw_model32 scratch; // counting: what is written below is thrown away
    lw_model32 *block = lwi_slice(s, 1, sizeof *block);
    lw_model32 *to = block ? block : &scratch;
    put_counts(m, to);
    lwi_segment32 *segment = lwi_slice(s, (size_t)m->nbody, sizeof *segment);
    lwi_passive32 *passive = lwi_slice(s, (size_t)m->tree_nv, sizeof *passive);
    lwi_load32 *load = lwi_slice(s, (size_t)kernel->nload, sizeof *load);
    lwi_frame32 *frame = lwi_slice(s, (size_t)m->nframe_all, sizeof *frame);
    int *quat = lwi_slice(s, (size_t)kernel->nquat, sizeof *quat);
    lwi_put_program32(m, s, to);
    to->q_tree = put_ints(s, m->q_tree, m->nq);
    to->v_tree = put_ints(s, m->v_tree, m->nv);
    to->segment = segment;
    to->passive = passive;
    to->load = load;
    to->frame = frame;
    to->quat = quat;
    if (!block) {
        return NULL;
    }
    for (int i = 0; i < m->nbody; ++i) {
        lwi_segment_to_float(&kernel->segment[i], &segment[i]);
    }
    for (int k = 0; k < m->tree_nv; ++k) {
        lwi_passive_to_float(&kernel->passive[k], &passive[k]);
    }
    for (int k = 0; k < kernel->nload; ++k) {
        lwi_load_to_float(&kernel->load[k], &load[k]);
    }
    for (int k = 0; k < kernel->nquat; ++k) {
        quat[k] = kernel->quat[k].q;
    }
    fill_frames(m, frame);
    return block;
}

size_t lw_model32_size(const lw_model *m)
{
    lwi_slicer count = {0};
    if (is_convertible(m)) {
        lay_out(m, &count);
    }
    return aligned_size(count.used);
}

lw_status lw_model32_init(const lw_model *m, void *mem, lw_model32 **copy, lw_report *report)
{
    if (copy) {
        *copy = NULL;
    }
    if (!m || !mem || !copy) {
        return LW_ERR_ARGUMENT;
    }
    if (!is_convertible(m)) {
        return report_unsupported(m, report);
    }
    memset(mem, 0, lw_model32_size(m));
    lwi_slicer fill = {.base = mem};
    *copy = lay_out(m, &fill);
    return LW_OK;
}

lw_status lw_model32_create(const lw_model *m, lw_model32 **copy, lw_report *report)
{
    if (copy) {
        *copy = NULL;
    }
    if (!m || !copy) {
        return LW_ERR_ARGUMENT;
    }
    if (!is_convertible(m)) {
        return report_unsupported(m, report);
    }
    void *mem = aligned_alloc(LWI_ALIGN, lw_model32_size(m));
    return mem ? lw_model32_init(m, mem, copy, report) : LW_ERR_MEMORY;
}

void lw_model32_destroy(lw_model32 *m)
{
    free(m);
}

int lw_model32_nq(const lw_model32 *m)
{
    return m ? m->nq : 0;
}

int lw_model32_nv(const lw_model32 *m)
{
    return m ? m->nv : 0;
}

int lw_model32_nbody(const lw_model32 *m)
{
    return m ? m->nbody : 0;
}

static lw_data32 *lay_out_data(const lw_model32 *m, lwi_slicer *s)
{
    enum { POSE = 12, MOTION = 6 }; // floats of a rotation and a position, and of a motion
    const size_t nv = (size_t)m->tree_nv, n = (size_t)m->nbody;
    const size_t closed = m->nstep > 0 ? 1 : 0;
    lw_data32 scratch;
    lw_data32 *block = lwi_slice(s, 1, sizeof *block);
    lw_data32 *d = block ? block : &scratch;
    memset(d, 0, sizeof *d);
    d->model = m;
    d->singular_dof = -1;
    lw_set_dynamics_options32(d, NULL);
    d->q = lwi_slice(s, closed * (size_t)m->tree_nq, sizeof *d->q);
    d->v = lwi_slice(s, closed * nv, sizeof *d->v);
    d->a = lwi_slice(s, closed * nv, sizeof *d->a);
    d->tau = lwi_slice(s, closed * nv, sizeof *d->tau);
    d->rate = lwi_slice(s, (size_t)m->nrate, sizeof *d->rate);
    d->bias = lwi_slice(s, (size_t)m->nbias, sizeof *d->bias);
    d->x = lwi_slice(s, closed * (size_t)m->nv, sizeof *d->x);
    d->M = lwi_slice(s, closed * nv * nv, sizeof *d->M);
    d->last = lwi_slice(s, closed * (size_t)m->tree_nq, sizeof *d->last);
    d->between = lwi_slice(s, closed * (size_t)m->tree_nq, sizeof *d->between);
    d->sine = lwi_slice(s, closed * (size_t)m->tree_nq, sizeof *d->sine);
    d->cosine = lwi_slice(s, closed * (size_t)m->tree_nq, sizeof *d->cosine);
    d->matrix = lwi_slice(s, (size_t)m->matrix, sizeof *d->matrix);
    d->before = lwi_slice(s, (size_t)m->matrix, sizeof *d->before);
    d->both = lwi_slice(s, (size_t)m->both, sizeof *d->both);
    d->spring_row = lwi_slice(s, m->nspring > 0 ? nv : 0, sizeof *d->spring_row);
    d->spring_tau = lwi_slice(s, m->nspring > 0 ? nv : 0, sizeof *d->spring_tau);
    d->motion = lwi_slice(s, (size_t)m->longest, MOTION * sizeof(float));
    d->plane = lwi_slice(s, (size_t)m->nplane_record, sizeof(lwi_plane_record32));
    d->plane_solve = lwi_slice(s, 4 * (size_t)m->nplane_solve, sizeof *d->plane_solve);
    if (d->last) {
        memcpy(d->last, m->q_reference, closed * (size_t)m->tree_nq * sizeof *d->last);
    }
    d->pose = lwi_slice(s, n, POSE * sizeof(float));
    d->work =
        lwi_slice(s, LWI_WORK_BODY * n + LWI_WORK_DOF * nv + LWI_WORK_GENERAL * (size_t)m->ngeneral,
                  sizeof(float));
    return block;
}

size_t lw_data32_size(const lw_model32 *m)
{
    lwi_slicer count = {0};
    if (m) {
        lay_out_data(m, &count);
    }
    return aligned_size(count.used);
}

lw_status lw_data32_init(const lw_model32 *m, void *mem, lw_data32 **d)
{
    if (d) {
        *d = NULL;
    }
    if (!m || !mem || !d) {
        return LW_ERR_ARGUMENT;
    }
    memset(mem, 0, lw_data32_size(m));
    lwi_slicer fill = {.base = mem};
    *d = lay_out_data(m, &fill);
    return LW_OK;
}

lw_status lw_data32_create(const lw_model32 *m, lw_data32 **d)
{
    if (d) {
        *d = NULL;
    }
    if (!m || !d) {
        return LW_ERR_ARGUMENT;
    }
    void *mem = aligned_alloc(LWI_ALIGN, lw_data32_size(m));
    return mem ? lw_data32_init(m, mem, d) : LW_ERR_MEMORY;
}

void lw_data32_destroy(lw_data32 *d)
{
    free(d);
}

lw_status lw_set_dynamics_options32(lw_data32 *d, const lw_dynamics_options *options)
{
    if (!d) {
        return LW_ERR_ARGUMENT;
    }
    if (!options) {
        d->is_ideal = false;
        d->friction_rate = (float)lwi_friction_rate(LW_FRICTION_SPEED);
        memcpy(d->gravity, d->model->gravity, sizeof d->gravity);
        memset(d->base_rotation, 0, sizeof d->base_rotation);
        memset(d->base_rotation_rate, 0, sizeof d->base_rotation_rate);
        memset(d->base_acceleration, 0, sizeof d->base_acceleration);
        return LW_OK;
    }
    lwi_settings settings;
    const lw_status status = lwi_settings_of(NULL, options, &settings);
    if (status != LW_OK) {
        return status;
    }
    d->is_ideal = settings.is_ideal;
    d->friction_rate =
        settings.is_frictionless ? 0.0f : (float)fmin(settings.friction_rate, (double)FLT_MAX);
    vec3_to_float(settings.gravity, d->gravity);
    vec3_to_float(settings.base_velocity.ang, d->base_rotation);
    vec3_to_float(settings.base_acceleration.ang, d->base_rotation_rate);
    vec3_to_float(settings.base_acceleration.lin, d->base_acceleration);
    return LW_OK;
}

lw_failure lw_data32_failure(const lw_data32 *d, lw_status status)
{
    lw_failure failure = lwi_failure_of(status);
    if (d && (status == LW_ERR_SINGULAR || status == LW_ERR_LOOP_OPEN)) {
        failure.dof = d->singular_dof;
        failure.loop = d->fault.loop;
        failure.tree_dof = d->fault.dof;
        failure.gap = (double)d->fault.gap;
        failure.followed = (double)d->fault.followed;
    }
    return failure;
}
