#include "closed_chain.h"

#include "describe.h"

#include "../kin/closure.h"
#include "../loop/closed_form_loops.h"
#include "../math/pi.h"
#include "../model/kernel.h"

#include <math.h>
#include <string.h>

// Combinations that are looked at for one configuration of a chain: bounded work, whatever the
// number of legs.
enum { MOST_COMBINATIONS = 4096 };

lwi_closed_chain *lwi_closed_chain_lay_out(const lw_model *m, lwi_slicer *s)
{
    lwi_closed_chain scratch;
    lwi_closed_chain *block = lwi_slice(s, 1, sizeof *block);
    lwi_closed_chain *closed = block ? block : &scratch;
    memset(closed, 0, sizeof *closed);
    const size_t nv = (size_t)m->nv;
    closed->inverse = lwi_inverse_lay_out(m, s);
    closed->tree = lwi_slice(s, (size_t)m->tree_nq, sizeof(double));
    closed->seed = lwi_slice(s, (size_t)m->tree_nq, sizeof(double));
    closed->J = lwi_slice(s, 2 * 6 * nv, sizeof(double));
    closed->q = lwi_slice(s, 2 * (size_t)m->nq, sizeof(double));
    closed->turn = lwi_slice(s, LW_IK_JOINTS * (size_t)m->nq, sizeof(double));
    closed->joint = lwi_slice(s, LWI_IK_SOLUTIONS * LW_IK_JOINTS, sizeof(double));
    closed->best = lwi_slice(s, (size_t)m->nq, sizeof(double));
    closed->active = lwi_slice(s, nv, sizeof *closed->active);
    return block;
}

static bool is_dependent(const lw_model *m, int body)
{
    return m->kernel->program->step_of[m->v_start[body]] >= 0;
}

static bool carries_platform(const lw_model *m, int body, int parent)
{
    return body >= 0 && m->parent[body] == parent && is_dependent(m, body) &&
           (m->carrier[body] == LW_TREE_FREE || m->carrier[body] == LW_TREE_SPHERICAL);
}

static int body_of(const lw_model *m, int frame)
{
    return frame < 0 ? -1 : m->frame[frame].body;
}

static bool is_in_chain(const lw_ik *ik, int body)
{
    for (int i = 0; i < ik->chain.arm.n; ++i) {
        if (ik->chain.body[i] == body) {
            return true;
        }
    }
    return false;
}

// Independent coordinates that the pose of the tip depends on: those of the chain, and those that
// steps lead to it. The latter are driven.
static void find_active(lw_ik *ik)
{
    const lw_model *m = ik->model;
    lwi_closed_chain *closed = ik->closed;
    closed->nactive = 0;
    ik->info.ndriven = 0;
    for (int k = 0; k < m->nv; ++k) {
        const int v = m->v_tree[k], q = lw_position_of_dof(m, k);
        bool is_source = false;
        for (int s = 0; s < m->nstep; ++s) {
            const lwi_step *step = &m->kernel->program->step[s];
            for (int t = 0; t < step->nsource && closed->inverse->needed[s]; ++t) {
                is_source |= step->source[t] == v;
            }
        }
        int body = 0;
        while (m->v_start[body + 1] <= v) {
            ++body;
        }
        if (q < 0 || (!is_source && !is_in_chain(ik, body))) {
            continue;
        }
        closed->active[closed->nactive++] = k;
        if (!is_in_chain(ik, body) && ik->info.ndriven < LW_IK_DRIVEN) {
            closed->driven_body[ik->info.ndriven] = body;
            ik->info.driven[ik->info.ndriven++] = q;
        }
    }
}

// The sign of a determinant, by elimination within A, whose rows are `stride` apart.
static int sign_of_determinant(int n, int stride, double *A)
{
    int sign = 1;
    for (int c = 0; c < n; ++c) {
        int best = c;
        for (int r = c + 1; r < n; ++r) {
            best = fabs(A[r * stride + c]) > fabs(A[best * stride + c]) ? r : best;
        }
        const double pivot = A[best * stride + c];
        if (pivot == 0.0) {
            return 0;
        }
        sign = (pivot < 0.0) != (best != c) ? -sign : sign;
        for (int k = c; k < n && best != c; ++k) {
            const double a = A[c * stride + k];
            A[c * stride + k] = A[best * stride + k];
            A[best * stride + k] = a;
        }
        for (int r = c + 1; r < n; ++r) {
            const double share = A[r * stride + c] / pivot;
            for (int k = c + 1; k < n; ++k) {
                A[r * stride + k] -= share * A[c * stride + k];
            }
        }
    }
    return sign;
}

// On which side of its three spheres' plane a platform stands: the rows of its three legs are the
// directions of the rods, along its own axes.
static int side_of_spheres(const lwi_step *step, const double *matrix)
{
    const int ncolumn = step->ntarget + step->nsource + 1;
    double d[9];
    for (int k = 0; k < 3; ++k) {
        int row = 0; // every loop is a rod, with one
        while (step->loop[row] != step->platform->leg[k].loop) {
            ++row;
        }
        memcpy(&d[3 * k], &matrix[row * ncolumn + 3], 3 * sizeof *d);
    }
    return sign_of_determinant(3, 3, d);
}

static bool is_block(const lwi_step *step)
{
    return step->kind == LW_STEP_BLOCK || step->kind == LW_STEP_SPHERES;
}

// On which side of their singular configurations the blocks stand at tree positions q. A block
// with more rows than unknowns has no determinant, and counts as 1.
static int side_of_blocks(const lw_ik *ik, const double *q)
{
    const lw_model *m = ik->model;
    const lwi_program *program = m->kernel->program;
    const lwi_loop_work *work = &ik->data->loop_work;
    int side = 1;
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &program->step[s];
        if (ik->closed->inverse->needed[s] && is_block(step) && step->nrow == step->ntarget) {
            const int n = step->ntarget, ncolumn = n + step->nsource + 1;
            lwi_step_matrix(m, program, step, work, q, NULL);
            side *= step->kind == LW_STEP_SPHERES ? side_of_spheres(step, work->matrix)
                                                  : sign_of_determinant(n, ncolumn, work->matrix);
        }
    }
    return side;
}

void lwi_closed_chain_of(lw_ik *ik)
{
    const lw_model *m = ik->model;
    lwi_closed_chain *closed = ik->closed;
    const int base = body_of(m, ik->def.base), tip = body_of(m, ik->def.tip);
    int body[LWI_ARM_JOINTS], n = ik->chain.arm.n;
    closed->platform = -1;
    memcpy(body, ik->chain.body, sizeof body);
    if (n == 0) {
        closed->is_above = carries_platform(m, base, tip);
        if (!closed->is_above && !carries_platform(m, tip, base)) {
            ik->closed = NULL;
            return;
        }
        closed->platform = closed->is_above ? base : tip;
        body[n++] = closed->platform;
    }
    lwi_inverse_plan(closed->inverse, body, n);
    closed->inverse->platform = closed->platform;
    bool is_needed = false;
    for (int s = 0; s < m->nstep; ++s) {
        is_needed |= closed->inverse->needed[s];
        const lwi_step *step = &m->kernel->program->step[s];
        closed->has_blocks |= closed->inverse->needed[s] && is_block(step);
        closed->has_newton |= closed->inverse->needed[s] && step->kind == LW_STEP_BLOCK;
    }
    if (!is_needed) {
        ik->closed = NULL;
        return;
    }
    for (int i = 0; i < closed->inverse->noperation; ++i) {
        const lwi_operation_kind kind = closed->inverse->operation[i].kind;
        closed->has_rows |= kind == LWI_SOLVE_ROWS || kind == LWI_SOLVE_LAW;
    }
    memcpy(closed->seed, m->tree_q_reference, (size_t)m->tree_nq * sizeof *closed->seed);
    find_active(ik);
    closed->side = side_of_blocks(ik, m->tree_q_reference);
    lwi_closed_chain_rank(ik);
    lwi_find_turns(ik);
}

bool lwi_closed_chain_takes(lw_ik *ik)
{
    const bool is_platform = ik->closed->platform >= 0;
    // Plans lead back from all joints of a chain. Where one is held, or the class would leave one
    // at the seed though others tie it, solutions are searched for.
    const int n = ik->chain.arm.n;
    const bool is_tied = n > ik->info.rows && ik->closed->rank < n,
               is_level = ik->closed->level.is_level && ik->def.task != LW_IK_DIRECTION,
               is_planned = ik->closed->inverse->is_complete && ik->def.redundancy != LW_IK_HOLD &&
                            (is_level || !is_tied);
    ik->kind = is_planned && is_platform ? LWI_IK_PLATFORM
               : is_planned && is_level  ? LWI_IK_LEVEL
                                         : LWI_IK_NUMERIC;
    return is_platform || !is_planned || is_level;
}

double lwi_closed_chain_length(const lw_ik *ik)
{
    const lw_model *m = ik->model;
    double length = ik->six.scale;
    for (int k = 0; k < m->nloop; ++k) {
        if (ik->closed->inverse->is_near[k]) {
            length = fmax(length, m->kernel->program->loop[k].size);
        }
    }
    return length;
}

int lwi_closed_chain_dof(const lw_ik *ik)
{
    return ik->closed->rank;
}

void lwi_closed_chain_describe(lw_ik *ik)
{
    lw_ik_info *info = &ik->info;
    const lwi_inverse *inverse = ik->closed->inverse;
    if (ik->kind == LWI_IK_PLATFORM) {
        info->class_name = "platform: solved leg by leg";
        info->most_solutions = 1;
    } else if (ik->kind == LWI_IK_LEVEL) {
        info->class_name = "three parallel axes that closures keep level";
        info->most_solutions = 4;
        const lwi_arm *arm = &ik->chain.arm;
        lwi_ik_add_fact(info, LW_IK_PARALLEL, 1, 3,
                        fmax(lwi_axis_angle(arm, 1, 2), lwi_axis_angle(arm, 1, 3)));
        lwi_ik_add_step(info, "SP4", 2, 0, -1, -1, "h2 . R1' p = h2 . (p12 + p23 + p34 + p45)");
        lwi_ik_add_step(info, "SP3", 2, 2, -1, -1, "|p23 + R3 p34| = |R1' p - p12 - R234 p45|");
        lwi_ik_add_step(info, "SP1", 1, 1, -1, -1, "R2 (p23 + R3 p34) = R1' p - p12 - R234 p45");
        lwi_ik_add_step(info, "loop", 1, 3, -1, -1, "q4 = q234 - q2 - q3");
        if (info->njoint == 5) {
            lwi_ik_add_step(info, "SP1", 1, 4, -1, -1, "R5 = R234' R1' R");
        }
    }
    for (int i = 0; i < inverse->noperation && ik->kind != LWI_IK_NUMERIC; ++i) {
        const lwi_operation *o = &inverse->operation[i];
        static const char *const names[] = {[LWI_SOLVE_ROWS] = "linear",
                                            [LWI_SOLVE_LAW] = "law",
                                            [LWI_SOLVE_LEG] = "leg",
                                            [LWI_SOLVE_FORWARD] = "forward"};
        const bool branches = o->kind == LWI_SOLVE_LEG;
        if (o->kind != LWI_CHECK_LOOP) {
            lwi_ik_add_step(
                info, names[o->kind], branches ? 2 : 1, -1, -1, -1,
                o->loop ? ik->model->loop[o->loop - ik->model->kernel->program->loop].name : "");
        }
        const int most = branches ? 2 * info->most_solutions : info->most_solutions;
        info->most_solutions = most < LWI_IK_SOLUTIONS ? most : LWI_IK_SOLUTIONS;
    }
}

void lwi_closed_chain_begin(lw_ik *ik)
{
    const lw_model *m = ik->model;
    lwi_closed_chain *closed = ik->closed;
    // Whole turns matter to gears; joints and rotations that the task leaves open keep what they
    // have. Other dependent joints are determined, and begin anywhere.
    const bool keeps_seed = ik->def.task != LW_IK_POSE && ik->kind != LWI_IK_LEVEL &&
                            (closed->platform < 0 || closed->angular_rank > 0);
    if (closed->has_rows || keeps_seed) {
        const double *tree = lwi_closure_position(m, ik->data, ik->seed);
        if (tree) {
            memcpy(closed->seed, tree, (size_t)m->tree_nq * sizeof *closed->seed);
        }
    }
    for (int k = 0; k < m->nq; ++k) {
        closed->tree[m->q_tree[k]] = ik->seed[k];
        closed->seed[m->q_tree[k]] = ik->seed[k];
    }
}

double lwi_closed_chain_seed(const lw_ik *ik, int i)
{
    return ik->closed->seed[ik->model->q_start[ik->chain.body[i]]];
}

// How far the positions of the platform's joint are apart; q and -q are the same rotation.
static double platform_error(const lw_ik *ik, const double *a, const double *b)
{
    const lw_model *m = ik->model;
    const int at = m->q_start[ik->closed->platform], end = m->q_start[ik->closed->platform + 1];
    double error = 0.0, dot = 0.0;
    for (int k = end - 4; k < end; ++k) {
        dot += a[k] * b[k];
    }
    for (int k = at; k < end; ++k) {
        error = fmax(error, fabs(a[k] - (k >= end - 4 && dot < 0.0 ? -b[k] : b[k])));
    }
    return error;
}

// How far the closure sweep from the independent coordinates leaves the joints of the chain from
// where the combination has them, rad and m; infinite where a loop opens.
static double sweep_error(lw_ik *ik, const lwi_candidate *candidate, const double *q)
{
    const lw_model *m = ik->model;
    const lwi_closed_chain *closed = ik->closed;
    lw_data *d = ik->data;
    if (!lwi_closure_position_of_steps(m, d, q, closed->inverse->needed)) {
        return (double)INFINITY;
    }
    double error = closed->platform >= 0 ? platform_error(ik, d->tree_q, closed->tree) : 0.0;
    for (int i = 0; i < ik->chain.arm.n; ++i) {
        const int at = m->q_start[ik->chain.body[i]];
        if (ik->info.position[i] >= 0) {
            continue;
        }
        if (ik->chain.arm.slides[i]) {
            error = fmax(error, fabs(d->tree_q[at] - closed->tree[at]));
        } else {
            const double s = candidate->q[i].s - d->loop_work.sine[at],
                         c = candidate->q[i].c - d->loop_work.cosine[at], r = sqrt(s * s + c * c);
            error = r > error ? r : error;
        }
    }
    return error;
}

// The same where Newton blocks are to stay where the combination has them.
static double combination_error(lw_ik *ik, const lwi_candidate *candidate, const double *q)
{
    const lw_model *m = ik->model;
    const lwi_closed_chain *closed = ik->closed;
    const lwi_program *program = m->kernel->program;
    if (closed->inverse->is_proved) {
        return lwi_inverse_gap(closed->inverse);
    }
    for (int s = 0; s < m->nstep && closed->has_blocks; ++s) {
        bool is_known = closed->inverse->needed[s] && program->step[s].kind == LW_STEP_BLOCK;
        for (int t = 0; t < program->step[s].ntarget && is_known; ++t) {
            is_known = closed->inverse->known[program->step[s].target[t]];
        }
        if (is_known) {
            lwi_block_restart(m, &program->step[s], &ik->data->loop_work, closed->tree);
        }
    }
    return sweep_error(ik, candidate, q);
}

// Whether the mechanism gets to closed->tree from the reference without being taken apart. Newton
// blocks follow the straight path of their sources from there: equal signs of determinants alone
// would not tell configurations that two singular ones are between.
static bool is_same_assembly(lw_ik *ik, const lwi_candidate *c, const double *q)
{
    const lwi_closed_chain *closed = ik->closed;
    if (side_of_blocks(ik, closed->tree) != closed->side) {
        return false;
    }
    if (!closed->has_newton) {
        return true;
    }
    lw_data_restart(ik->data);
    return sweep_error(ik, c, q) < 1e-6 * fmax(1.0, ik->length);
}

// The limits of a joint of the chain, or of one that follows from it.
static bool is_within(double x, const lw_dof *dof)
{
    const double slack = 1e-9;
    return x >= dof->lower - slack && x <= dof->upper + slack;
}

static unsigned limits_of(const lw_ik *ik, const double *q)
{
    const lw_model *m = ik->model;
    unsigned outside = 0;
    for (int i = 0; i < ik->chain.arm.n && !ik->def.ignores_limits; ++i) {
        const double x = ik->closed->tree[m->q_start[ik->chain.body[i]]];
        bool is_inside = x >= ik->lower[i] && x <= ik->upper[i];
        if (!is_inside) {
            lwi_ik_wind(ik, i, x, &is_inside);
        }
        outside |= is_inside ? 0u : 1u << i;
    }
    for (int k = 0; k < ik->info.ndriven && !ik->def.ignores_limits; ++k) {
        const int v = m->v_start[ik->closed->driven_body[k]];
        outside |= is_within(q[ik->info.driven[k]], &m->dof[v]) ? 0u : 1u << (LW_IK_JOINTS + k);
    }
    return outside;
}

// Where a new solution goes: behind the others, or, where there is no space, in place of one that
// is outside its limits. -1 where there is none.
static int place_for(const lw_ik *ik, unsigned outside)
{
    if (ik->nsolution < LWI_IK_SOLUTIONS) {
        return ik->nsolution;
    }
    for (int k = 0; k < ik->nsolution && outside == 0; ++k) {
        if (!ik->solution[k].in_limits) {
            return k;
        }
    }
    return -1;
}

void lwi_closed_chain_store(lw_ik *ik, const double *q, const lwi_candidate *c, double residual,
                            int index)
{
    const size_t nq = (size_t)ik->model->nq;
    const unsigned outside = limits_of(ik, q);
    const int n = place_for(ik, outside);
    if (n < 0) {
        ++ik->result.nlost;
        return;
    }
    const lwi_closed_chain *closed = ik->closed;
    const bool is_same = !closed->has_blocks || (outside == 0 && is_same_assembly(ik, c, q));
    double *to = ik->q + (size_t)n * nq;
    memcpy(to, q, nq * sizeof *q);
    for (int i = 0; i < ik->chain.arm.n; ++i) {
        ik->closed->joint[n * LW_IK_JOINTS + i] =
            ik->closed->tree[ik->model->q_start[ik->chain.body[i]]];
    }
    ik->kept[n] = *c;
    ik->solution[n] = (lw_ik_solution){.q = to,
                                       .residual = residual,
                                       .branch = {c->shoulder, c->elbow, c->wrist, index},
                                       .in_limits = outside == 0,
                                       .is_same_assembly = is_same,
                                       .is_exact = residual <= ik->tolerance,
                                       .undetermined = c->undetermined,
                                       .outside = outside};
    ik->nsolution += n == ik->nsolution;
}

// All combinations of what the joints of the chain in closed->tree leave open.
static void run_combinations(lw_ik *ik, const lwi_candidate *c, double residual, int candidate)
{
    const lw_model *m = ik->model;
    lwi_closed_chain *closed = ik->closed;
    lwi_inverse *inverse = closed->inverse;
    double *q = closed->q;
    lwi_inverse_begin(inverse);
    for (int n = 0; n < MOST_COMBINATIONS && lwi_inverse_next(inverse, ik->data, closed->tree);
         ++n) {
        for (int k = 0; k < m->nq; ++k) {
            q[k] = closed->tree[m->q_tree[k]];
        }
        const double error = combination_error(ik, c, q) * fmax(1.0, ik->length);
        const double whole = sqrt(residual * residual + error * error);
        if (whole <= ik->tolerance) {
            lwi_closed_chain_store(ik, q, c, whole,
                                   (candidate << 16) + lwi_inverse_branch(inverse));
        } else {
            ++ik->result.nlost;
        }
    }
    if (ik->nsolution == 0 && lwi_inverse_find_open(inverse, ik->data, closed->tree) &&
        (ik->result.open_loop < 0 || inverse->gap < ik->result.gap)) {
        ik->result.open_loop = inverse->open;
        ik->result.gap = inverse->gap;
    }
}

void lwi_closed_chain_accept(lw_ik *ik, const lwi_candidate *c, const double *position, int stride,
                             double residual)
{
    const lw_model *m = ik->model;
    lwi_closed_chain *closed = ik->closed;
    for (int i = 0; i < ik->chain.arm.n; ++i) {
        const int at = m->q_start[ik->chain.body[i]];
        bool is_inside;
        double x = position[i * stride];
        if (closed->has_rows && !ik->chain.arm.slides[i]) { // near to the seed
            x -= LWI_TWO_PI * floor((x - closed->seed[at]) / LWI_TWO_PI + 0.5);
        }
        if (x < ik->lower[i] || x > ik->upper[i]) {
            x = lwi_ik_wind(ik, i, x, &is_inside);
        }
        closed->tree[at] = (c->undetermined >> i & 1u) != 0 ? closed->seed[at] : x;
    }
    run_combinations(ik, c, residual, (int)(c - ik->candidates.at));
}

// The pose of the platform's joint that brings the tip to X.
static lw_pose platform_pose(const lw_ik *ik, const lw_pose *X)
{
    const lw_model *m = ik->model;
    const lw_pose X_B = ik->def.base < 0 ? lw_pose_identity() : m->frame[ik->def.base].X_BF;
    const lw_pose X_T = lw_pose_inverse(&m->frame[ik->def.tip].X_BF);
    lw_pose Y = lw_pose_mul(&X_B, X);
    Y = lw_pose_mul(&Y, &X_T);
    if (ik->closed->is_above) {
        Y = lw_pose_inverse(&Y);
    }
    const lw_pose back = lw_pose_inverse(&m->X_PJ[ik->closed->platform]);
    return lw_pose_mul(&back, &Y);
}

// The rotation of the tip where the task is its position alone: that of the seed, or the only one
// that the platform can have.
static lw_mat3 kept_rotation(const lw_ik *ik)
{
    const lw_model *m = ik->model;
    const lwi_closed_chain *closed = ik->closed;
    const int at =
        m->q_start[closed->platform] + (m->carrier[closed->platform] == LW_TREE_FREE ? 3 : 0);
    const double *q = closed->angular_rank > 0 ? closed->seed : m->tree_q_reference;
    const lw_quat quat = {q[at], q[at + 1], q[at + 2], q[at + 3]};
    const lw_mat3 own = lw_rotation_quat(quat);
    lw_mat3 R = lw_mul3(&m->X_PJ[closed->platform].R, &own);
    R = closed->is_above ? lw_transpose3(&R) : R;
    if (ik->def.base >= 0) {
        const lw_mat3 back = lw_transpose3(&m->frame[ik->def.base].X_BF.R);
        R = lw_mul3(&back, &R);
    }
    return lw_mul3(&R, &m->frame[ik->def.tip].X_BF.R);
}

void lwi_platform_solve(lw_ik *ik)
{
    const lw_model *m = ik->model;
    lwi_closed_chain *closed = ik->closed;
    const bool is_free = m->carrier[closed->platform] == LW_TREE_FREE;
    double *q = closed->tree + m->q_start[closed->platform];
    lw_pose X = ik->X;
    if (ik->def.task == LW_IK_POSITION) {
        X.R = kept_rotation(ik);
    }
    const lw_pose Y = platform_pose(ik, &X);
    const lw_quat quat = lw_quat_of(&Y.R);
    if (is_free) {
        q[0] = Y.p.x, q[1] = Y.p.y, q[2] = Y.p.z;
        q += 3;
    }
    closed->inverse->X_PP = lw_pose_mul(&m->X_PJ[closed->platform], &Y);
    q[0] = quat.w, q[1] = quat.x, q[2] = quat.y, q[3] = quat.z;
    const lwi_candidate c = {.undetermined = 0};
    run_combinations(ik, &c, is_free ? 0.0 : lw_norm3(Y.p), 0);
}
