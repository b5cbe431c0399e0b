// The scratch of one thread, laid out in one block by the same code that counts its size.
#include "data.h"

#include "../base/arena.h"

#include <stdlib.h>
#include <string.h>

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void lay_out_rate_work(const lw_model *m, lwi_slicer *s, lwi_rate_work *w)
{
    const lwi_program *program = m->kernel->program;
    if (m->nstep == 0) {
        return;
    }
    double **const rates[] = {&w->v_by_q, &w->a_by_q, &w->a_by_v};
    for (size_t k = 0; k < sizeof rates / sizeof *rates; ++k) {
        *rates[k] = lwi_slice(s, (size_t)program->nrate, sizeof(double));
    }
    size_t inverses = 0, square = 0, rows = 0, matrix = 0, pair = 0, F = 0;
    for (int k = 0; k < m->nstep; ++k) {
        const lwi_step *step = &program->step[k];
        const size_t nt = (size_t)step->ntarget, nrow = (size_t)step->nrow;
        const size_t n = nt + (size_t)step->nsource;
        inverses += nt * nrow;
        square = larger(square, nt * nt);
        if (step->nloop > 0) {
            rows = larger(rows, 4 * nrow * n);
            matrix = larger(matrix, nrow * (nt + nrow));
            pair = larger(pair, n * n);
            F = larger(F, nt * nrow);
        }
    }
    w->rows = lwi_slice(s, rows, sizeof(double));
    w->matrix = lwi_slice(s, matrix, sizeof(double));
    w->F = lwi_slice(s, F, sizeof(double));
    w->multiplier = lwi_slice(s, (size_t)program->nrow, sizeof(double));
    w->pair = lwi_slice(s, pair, sizeof(double));
    w->dof = lwi_slice(s, (size_t)program->longest, sizeof *w->dof);
    w->is_bent = lwi_slice(s, (size_t)m->nstep, sizeof *w->is_bent);
    w->inverse = lwi_slice(s, inverses, sizeof(double));
    w->square = lwi_slice(s, square, sizeof(double));
}

static void lay_out_fronts(const lw_model *m, lwi_slicer *s, lwi_front_data *f)
{
    const lwi_fronts *p = m->kernel->program->fronts;
    if (p) {
        double **const entries[] = {&f->g, &f->g_dot, &f->v_by_q, &f->a_by_q, &f->a_by_v};
        for (size_t k = 0; k < sizeof entries / sizeof *entries; ++k) {
            *entries[k] = lwi_slice(s, (size_t)p->nentry, sizeof(double));
        }
        f->row = lwi_slice(s, 3 * ((size_t)m->tree_nv + LWI_ROW_SPARE), sizeof(double));
        f->sum = lwi_slice(s, 3 * (size_t)m->nv, sizeof(double));
        f->F = lwi_slice(s, 6 * (size_t)p->nfront, sizeof(double));
        f->D = lwi_slice(s, (size_t)p->nslot * (size_t)p->nslot, sizeof(double));
        f->r = lwi_slice(s, 3 * (size_t)p->nslot, sizeof(double));
        f->share = lwi_slice(s, (size_t)p->nshare, sizeof(double));
    }
}

// Mechanisms whose degrees of freedom fit beside the state. Loads of the model would act in every
// lane.
static bool is_wide(const lw_model *m)
{
    return m->nstep > 0 && m->nv > 0 && m->nv < LWI_WIDE_LANES && m->kernel->nload == 0;
}

static void *lay_out_wide(const lw_model *m, lwi_slicer *s)
{
    if (!is_wide(m)) {
        return NULL;
    }
    const size_t n = (size_t)m->nbody, nv = (size_t)m->tree_nv;
    const size_t wide = LWI_WORK_BODY * n + LWI_WORK_DOF * nv +
                        LWI_WORK_GENERAL * (size_t)m->kernel->ngeneral + (size_t)m->tree_nq +
                        3 * nv;
    return lwi_slice(s, LWI_WIDE_LANES * wide + 6 * n, sizeof(double));
}

// What grows with the square of the size, as far as it is needed and not too large. Decided by the
// model alone: pointers of the data are NULL while the size is counted.
static void lay_out_matrices(const lw_model *m, lwi_slicer *s, lw_data *d)
{
    const lwi_fronts *fronts = m->kernel->program->fronts;
    const size_t nv = (size_t)m->nv;
    const bool is_factored =
        d->nrod_mass > 0 || (m->nstep > 0 && (is_wide(m) || !fronts || !fronts->is_sparse));
    if (is_factored && nv <= LWI_DENSE) {
        d->M = lwi_slice(s, nv * nv, sizeof(double));
    }
    const int some = m->tree_nv < LWI_MOST_SPLIT ? m->tree_nv : LWI_MOST_SPLIT;
    d->nsplit = m->nstep == 0 ? 0 : m->ndrive > some ? m->ndrive : some;
    for (int k = 0; k < 2; ++k) {
        d->split[k] = lwi_slice(s, nv * (size_t)d->nsplit, sizeof(double));
    }
}

// Closure steps couple branches: the compile has found what is before what then. Rods with mass
// couple more, so with them every degree of freedom is taken to be attached to the one before.
static void find_parents(const lw_model *m, const lw_data *d, int *parent)
{
    const lwi_fronts *fronts = m->kernel->program->fronts;
    if (fronts && d->nrod_mass == 0) {
        memcpy(parent, fronts->v_parent, (size_t)m->nv * sizeof *parent);
        return;
    }
    if (m->nstep > 0 || d->nrod_mass > 0) {
        for (int k = 0; k < m->nv; ++k) {
            parent[k] = k - 1;
        }
        return;
    }
    for (int i = 0; i < m->nbody; ++i) {
        const int p = m->parent[i];
        for (int k = m->v_start[i]; k < m->v_start[i + 1]; ++k) {
            parent[k] = k > m->v_start[i] ? k - 1 : p < 0 ? -1 : m->v_start[p + 1] - 1;
        }
    }
}

// The tree of the independent degrees of freedom.
static void find_dofs(const lw_model *m, lw_data *d, int *parent, int *end)
{
    find_parents(m, d, parent);
    for (int k = 0; k < m->nv; ++k) {
        end[k] = k + 1;
    }
    for (int k = m->nv - 1; k >= 0; --k) {
        const int p = parent[k];
        if (p >= 0 && end[p] < end[k]) {
            end[p] = end[k];
        }
    }
    size_t pairs = 0;
    for (int k = 0; k < m->nv; ++k) {
        pairs += (size_t)(end[k] - k);
    }
    const bool is_deep = pairs > LWI_DEEP * (size_t)m->nv;
    d->dofs = (lwi_dof_tree){m->nv, parent, end, is_deep};
}

static void lay_out_dofs(const lw_model *m, lwi_slicer *s, lw_data *d)
{
    const size_t nv = (size_t)m->nv;
    int *parent = lwi_slice(s, nv, sizeof *parent), *end = lwi_slice(s, nv, sizeof *end);
    if (parent) {
        find_dofs(m, d, parent, end);
    }
}

static lw_data *lay_out(const lw_model *m, lwi_slicer *s)
{
    const size_t nbody = (size_t)m->nbody;
    const size_t nq = (size_t)m->tree_nq, nv = (size_t)m->tree_nv;
    lw_data scratch; // counting: the pointers written below are thrown away
    lw_data *block = lwi_slice(s, 1, sizeof *block);
    lw_data *d = block ? block : &scratch;
    memset(d, 0, sizeof *d);
    d->model = m;
    d->stage = LW_STAGE_NONE;
    d->singular_dof = -1;
    d->tree_q = lwi_slice(s, nq, sizeof *d->tree_q);
    d->tree_v = lwi_slice(s, nv, sizeof *d->tree_v);
    d->tree_a = lwi_slice(s, nv, sizeof *d->tree_a);
    d->held.q = lwi_slice(s, (size_t)m->nq, sizeof(double));
    d->held.v = lwi_slice(s, (size_t)m->nv, sizeof(double));
    d->held.sine = lwi_slice(s, m->nstep ? 0 : nbody, sizeof(double));
    d->held.cosine = lwi_slice(s, m->nstep ? 0 : nbody, sizeof(double));
    d->tree_tau = lwi_slice(s, nv, sizeof *d->tree_tau);
    const lwi_program *program = m->kernel->program;
    d->rate = lwi_slice(s, (size_t)program->nrate, sizeof(double));
    d->rate_bias = lwi_slice(s, (size_t)program->nbias, sizeof(double));
    lay_out_fronts(m, s, &d->fronts);
    d->loop_work.matrix = lwi_slice(s, (size_t)program->matrix, sizeof(double));
    d->loop_work.motion = lwi_slice(s, 6 * (size_t)(program->longest + LW_MAX_DOF), sizeof(double));
    d->loop_work.residual = lwi_slice(s, (size_t)program->nrow, sizeof(double));
    d->loop_work.pivot = lwi_slice(s, (size_t)program->nrow, sizeof(int));
    d->loop_work.loop_end = lwi_slice(s, 2 * (size_t)program->nend, sizeof(lw_pose));
    d->loop_work.plane = lwi_slice(s, (size_t)program->nplane_record, sizeof *d->loop_work.plane);
    d->loop_work.plane_solve = lwi_slice(s, 4 * (size_t)program->nplane_solve, sizeof(double));
    d->loop_work.leg = lwi_slice(s, (size_t)program->nleg, sizeof *d->loop_work.leg);
    d->loop_work.leg_motion = lwi_slice(s, (size_t)program->nleg_motion, sizeof(lw_motion));
    d->loop_work.branch_pose = lwi_slice(s, (size_t)program->nbranch, sizeof(lw_pose));
    d->loop_work.branch_moving = lwi_slice(s, (size_t)program->nbranch, sizeof(lwi_moving));
    d->loop_work.leg_row = lwi_slice(s, (size_t)program->nleg_row, sizeof(double));
    d->loop_work.sine = lwi_slice(s, m->nstep ? nq : 0, sizeof(double));
    d->loop_work.cosine = lwi_slice(s, m->nstep ? nq : 0, sizeof(double));
    d->loop_work.candidate = lwi_slice(s, m->nloop ? nq : 0, sizeof(double));
    d->loop_work.damped = lwi_slice(s, (size_t)program->damped, sizeof(double));
    d->loop_work.last = lwi_slice(s, (size_t)program->nlast, sizeof(double));
    d->loop_work.from = lwi_slice(s, program->damped ? nq : 0, sizeof(double));
    d->loop_work.between = lwi_slice(s, program->damped ? nq : 0, sizeof(double));
    const size_t before = program->damped ? (size_t)program->matrix : 0;
    d->loop_work.before = lwi_slice(s, before, sizeof(double));
    d->iterations.most = LWI_MOST_ITERATIONS;
    d->needed_step = lwi_slice(s, (size_t)m->nstep, sizeof *d->needed_step);
    d->loop_work.count = &d->iterations;
    lay_out_rate_work(m, s, &d->rate_work);
    d->X_WB = lwi_slice(s, nbody, sizeof *d->X_WB);
    d->vel = lwi_slice(s, nbody, sizeof *d->vel);
    d->acc = lwi_slice(s, nbody, sizeof *d->acc);
    d->subtree = lwi_slice(s, nbody, sizeof *d->subtree);
    d->angle = lwi_slice(s, nbody, sizeof *d->angle);
    d->path = lwi_slice(s, nbody, sizeof *d->path);
    d->tree_J = lwi_slice(s, 6 * nv, sizeof *d->tree_J);
    d->sine = lwi_slice(s, nq, sizeof *d->sine);
    d->cosine = lwi_slice(s, nq, sizeof *d->cosine);
    d->world = lwi_slice(s, nbody, sizeof *d->world);
    d->S = lwi_slice(s, nv, sizeof *d->S);
    d->body_stride = nbody + LWI_ROW_SPARE;
    d->dof_stride = nv + LWI_ROW_SPARE;
    d->body_row =
        lwi_slice(s, m->nload > 0 ? LWI_LOAD_ROWS : LWI_BODY_ROWS, d->body_stride * sizeof(double));
    d->dof_row = lwi_slice(s, LWI_DOF_ROWS, d->dof_stride * sizeof(double));
    d->run = lwi_slice(s, nbody, sizeof *d->run);
    d->path_dof = lwi_slice(s, d->dof_stride, sizeof *d->path_dof);
    d->v_work = lwi_slice(s, nv, sizeof *d->v_work);
    d->settings.gravity = m->gravity;
    d->settings.friction_rate = 1.0 / LW_FRICTION_SPEED;
    d->composite = lwi_slice(s, nbody, sizeof *d->composite);
    d->work = lwi_slice(s,
                        LWI_WORK_LINK * nbody + LWI_WORK_DOF * nv +
                            LWI_WORK_GENERAL * (size_t)m->kernel->ngeneral,
                        sizeof(double));
    const size_t nloop = (size_t)m->nloop;
    for (int k = 0; k < m->nloop; ++k) {
        d->nrod_mass += m->loop[k].mass > 0.0;
    }
    d->wide = lay_out_wide(m, s);
    lay_out_matrices(m, s, d);
    d->applied = lwi_slice(s, nloop > 0 ? nbody : 0, sizeof *d->applied);
    d->loop_force = lwi_slice(s, 2 * nloop, sizeof *d->loop_force);
    d->tension = lwi_slice(s, nloop, sizeof *d->tension);
    d->rod = lwi_slice(s, d->nrod_mass > 0 ? nloop : 0, sizeof *d->rod);
    d->rod_J = lwi_slice(s, d->nrod_mass > 0 ? 24 * nv : 0, sizeof *d->rod_J);
    d->drive_force = lwi_slice(s, (size_t)m->ndrive, sizeof *d->drive_force);
    const size_t has_springs = m->nspring > 0;
    d->spring_row = lwi_slice(s, has_springs * nv, sizeof *d->spring_row);
    d->spring_tau = lwi_slice(s, has_springs * nv, sizeof *d->spring_tau);
    d->spring_s = lwi_slice(s, has_springs * 4 * nv, sizeof *d->spring_s);
    d->spring_force = lwi_slice(s, has_springs * nbody, sizeof *d->spring_force);
    lay_out_dofs(m, s, d);
    return block;
}

// K of linear steps, which no sweep finds again; their b is zero.
static void set_constant_rates(const lw_model *m, lw_data *d)
{
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &m->kernel->program->step[s];
        const int ns = step->nsource;
        for (int k = 0; k < step->ntarget * ns && step->kind == LW_STEP_LINEAR; ++k) {
            d->rate[step->rate + k] = step->coefficient[k / ns * (1 + ns) + 1 + k % ns];
        }
    }
}

size_t lw_data_size(const lw_model *m)
{
    lwi_slicer count = {0};
    if (m) {
        lay_out(m, &count);
    }
    return aligned_size(count.used);
}

lw_status lw_data_init(const lw_model *m, void *mem, lw_data **d)
{
    if (d) {
        *d = NULL;
    }
    if (!m || !mem || !d) {
        return LW_ERR_ARGUMENT;
    }
    memset(mem, 0, lw_data_size(m));
    lwi_slicer fill = {.base = mem};
    *d = lay_out(m, &fill);
    (*d)->kernels = lwi_select_kernels();
    set_constant_rates(m, *d);
    lw_data_restart(*d);
    return LW_OK;
}

void lw_data_restart(lw_data *d)
{
    if (!d) {
        return;
    }
    const lw_model *m = d->model;
    lwi_drop_results(d);
    d->iterations.walked = NULL;
    if (m->nstep > 0) {
        // Newton's method starts from here, and from then on where it ended last.
        memcpy(d->tree_q, m->tree_q_reference, (size_t)m->tree_nq * sizeof *d->tree_q);
        for (int s = 0; s < m->nstep; ++s) {
            const lwi_step *step = &m->kernel->program->step[s];
            if (step->kind == LW_STEP_BLOCK) {
                lwi_block_restart(m, step, &d->loop_work, d->tree_q);
            }
        }
    }
}

lw_status lw_data_create(const lw_model *m, lw_data **d)
{
    if (d) {
        *d = NULL;
    }
    if (!m || !d) {
        return LW_ERR_ARGUMENT;
    }
    void *mem = aligned_alloc(LWI_ALIGN, lw_data_size(m));
    return mem ? lw_data_init(m, mem, d) : LW_ERR_MEMORY;
}

void lw_data_destroy(lw_data *d)
{
    free(d);
}

int lw_data_iterations(const lw_data *d)
{
    return d ? d->iterations.used : 0;
}

lw_status lw_data_limit_iterations(lw_data *d, int most)
{
    if (!d || most < 0) {
        return LW_ERR_ARGUMENT;
    }
    d->iterations.most = most > 0 ? most : LWI_MOST_ITERATIONS;
    return LW_OK;
}

lw_stage lw_data_stage(const lw_data *d)
{
    return d ? d->stage : LW_STAGE_NONE;
}
