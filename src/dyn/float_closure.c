// Closure steps in float. No double in this file.
//
// Linear steps, polynomials and planar loops are those of double, compiled for another scalar. All
// other loops are one block each of Newton's method on the rows of their constraints: one way for
// every shape, where double has closed forms for many. As in loop/newton_block.c the straight path
// of the sources is followed from where the block was closed last, in pieces over which Newton's
// method contracts and the Jacobian changes by less than half.
#define LWI_REAL_FLOAT
#include "float_closure.h"

#include "../kin/kernel_closure.h"
#include "../loop/kernel_law.h"
#include "../loop/kernel_plane.h"
#include "../loop/loop_kernel.h"
#include "../math/sincos.h"

#include <math.h>

// Sums of residuals over what each is judged against: as small as they need to get, and small
// enough where rounding allows no less.
static const float closed = 2e-7f, good_enough = 2e-5f;

// As a sine of the angle by which a loop misses its singular configuration.
static const float least_pivot = 1e-4f;

enum { MOST_ITERATIONS = 200 };

// Float has no joints by callbacks.
static void loop_user_joint(const loop_model *m, int i, const real *q, loop_pose *X, loop_motion *S)
{
    (void)m, (void)i, (void)q, (void)X, (void)S;
}

static void loop_user_bias(const loop_model *m, int i, const real *q, const real *v,
                           const loop_pose *X, loop_motion *A)
{
    (void)m, (void)i, (void)q, (void)v, (void)X, (void)A;
}

typedef struct block {
    const lw_model32 *m;
    lw_data32 *d;
    const lwi_step32 *step;
    loop_model tree;
    int ncolumn;
    int left; ///< iterations
} block;

// --- Positions -----------------------------------------------------------------------------------

// Residuals of one loop, for Newton's method: they vanish where it is closed, and their derivatives
// are its rows there.
static void loop_residual(const lwi_loop32 *loop, const loop_end end[2], real row[LWI_MOST_ROWS])
{
    const mat3 *R0 = &end[0].X.R, *R1 = &end[1].X.R;
    const vec3 d = sub3(end[1].X.p, end[0].X.p);
    if (loop->is_rod) {
        const real length = root_of(dot3(d, d));
        row[0] = 0.5f * (length - loop->length) * (length + loop->length);
        return;
    }
    const vec3 z = transpose_mul3(R0, loop_column(R1, 2));
    loop_rate residual = {motion_zero().ang, {z.x, z.y, z.z - loop->cosine}, transpose_mul3(R0, d)};
    if (loop->type == LW_JOINT_FIXED || loop->type == LW_JOINT_PRISMATIC ||
        loop->type == LW_JOINT_SCREW) {
        const vec3 x = transpose_mul3(R0, loop_column(R1, 0));
        const vec3 y = transpose_mul3(R0, loop_column(R1, 1));
        residual.w = (vec3){0.5f * (y.z - z.y), 0.5f * (z.x - x.z), 0.5f * (x.y - y.x)};
        if (loop->type == LW_JOINT_SCREW) {
            residual.w.z = atan2f(x.y, x.x);
        }
    }
    loop_pick(loop, &residual, row);
}

// Rows, their scales, and in the last column the residuals (v is NULL) or the bias; returns the
// size of the residuals.
static float fill(const block *b, const float *q, const float *v)
{
    const lwi_step32 *step = b->step;
    const int ncolumn = b->ncolumn;
    float *matrix = b->d->matrix, *scale = matrix + step->nrow * ncolumn, sum = 0;
    loop_motion *S = b->d->motion;
    int row = 0;
    memset(matrix, 0, (size_t)(step->nrow * ncolumn) * sizeof *matrix);
    for (int k = 0; k < step->nloop; ++k) {
        const lwi_loop32 *loop = &b->m->loop[step->loop[k]];
        float *at = matrix + row * ncolumn, residual[LWI_MOST_ROWS];
        loop_end end[2];
        const int n0 = loop_branch(&b->tree, loop, 0, q, v, S, &end[0]);
        const int n = n0 + loop_branch(&b->tree, loop, 1, q, v, S + n0, &end[1]);
        loop_rows_at(loop, &end[0].X, &end[1].X, S, n0, n, at, ncolumn, scale + row);
        if (v) {
            loop_bias_at(loop, end, at + ncolumn - 1, ncolumn);
        } else {
            loop_residual(loop, end, residual);
        }
        for (int r = 0; r < loop->nrow && !v; ++r) {
            at[r * ncolumn + ncolumn - 1] = residual[r];
            sum += residual[r] / loop->unit[r] * (residual[r] / loop->unit[r]);
        }
        row += loop->nrow;
    }
    loop_gears(step, row, matrix, scale);
    for (int g = 0; g < step->ngear && !v; ++g, ++row) {
        const float *share = &step->gear_row[g * ncolumn];
        float residual = share[ncolumn - 1];
        for (int c = 0; c < ncolumn - 1; ++c) {
            const int k = c - step->ntarget;
            if (share[c] != 0) { // else perhaps of a quaternion
                residual += share[c] * q[k < 0 ? step->target_q[c] : step->source_q[k]];
            }
        }
        matrix[row * ncolumn + ncolumn - 1] = residual;
        sum += residual / step->gear_unit[g] * (residual / step->gear_unit[g]);
    }
    return root_of(sum);
}

// Rows over their scales and slides by the size of their loop: entries are angles.
static void scale_rows(const block *b)
{
    const lwi_step32 *step = b->step;
    const float *scale = b->d->matrix + step->nrow * b->ncolumn;
    for (int r = 0; r < step->nrow; ++r) {
        float *row = b->d->matrix + r * b->ncolumn;
        const float inverse = scale[r] > 0 ? 1 / scale[r] : 1;
        for (int c = 0; c < b->ncolumn; ++c) {
            row[c] *= inverse * (c < step->ntarget ? step->target_unit[c] : 1);
        }
    }
}

// Solves the scaled rows. Returns the target that is not determined, or -1.
static int eliminate(const block *b, float least)
{
    const lwi_step32 *step = b->step;
    return loop_eliminate(b->d->matrix, step->nrow, b->ncolumn, step->ntarget, least, NULL);
}

static void move_quaternion(float *q, const float *w)
{
    const float x = 0.5f * w[0], y = 0.5f * w[1], z = 0.5f * w[2];
    const float p[4] = {
        q[0] - q[1] * x - q[2] * y - q[3] * z, q[1] + q[0] * x + q[2] * z - q[3] * y,
        q[2] + q[0] * y - q[1] * z + q[3] * x, q[3] + q[0] * z + q[1] * y - q[2] * x};
    const float size = 1 / root_of(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int k = 0; k < 4; ++k) {
        q[k] = p[k] * size;
    }
}

// Moves the targets by the last column, which is over their units.
static void move_targets(const block *b, float *q)
{
    const lwi_step32 *step = b->step;
    for (int t = 0; t < step->ntarget;) {
        const lwi_segment32 *body = &b->m->segment[step->target_body[t]];
        float change[LW_MAX_DOF] = {0};
        for (int k = 0; k < LW_MAX_DOF && t + k < step->ntarget; ++k) {
            change[k] =
                step->target_unit[t + k] * b->d->matrix[(t + k) * b->ncolumn + b->ncolumn - 1];
        }
        if (step->target_q[t] >= 0) {
            q[step->target_q[t]] += change[0];
            ++t;
            continue;
        }
        float *own = q + body->q;
        if (body->carrier == LW_TREE_FREE) { // velocities are along its own axes
            const mat3 R = rotation_of_quaternion(own + 3);
            const vec3 p = mul3(&R, (vec3){change[3], change[4], change[5]});
            own[0] += p.x;
            own[1] += p.y;
            own[2] += p.z;
            own += 3;
        }
        move_quaternion(own, change);
        t += body->nv;
    }
}

static float size_of_change(const block *b)
{
    float sum = 0;
    for (int t = 0; t < b->step->ntarget; ++t) {
        const float x = b->d->matrix[t * b->ncolumn + b->ncolumn - 1];
        sum += x * x;
    }
    return root_of(sum);
}

// Whole steps from the targets in q, as long as each is at most half of the one before; at the end
// the scaled rows there are in the matrix.
static bool contract(block *b, float *q)
{
    float before = 0;
    for (int k = 0;; ++k) {
        const float size = fill(b, q, NULL);
        scale_rows(b);
        if (size <= closed || (k > 1 && before < 1e-6f)) {
            return size <= good_enough;
        }
        if (--b->left < 0 || eliminate(b, 1e-6f) >= 0) {
            return false;
        }
        const float change = size_of_change(b);
        if (!(change < 0.5f) || (k > 0 && change > 0.5f * before)) {
            return size <= good_enough && change < 1e-4f; // as near as rounding lets it
        }
        move_targets(b, q);
        before = change;
    }
}

// |J0^+ J - 1| for the Jacobian J0 at the beginning of a piece, whose solution of both is in the
// matrix that this changes: [J0 | J] is eliminated.
static float jacobian_change(const block *b)
{
    const int n = b->step->ntarget, nrow = b->step->nrow, ncolumn = b->ncolumn;
    float *both = b->d->both, sum = 0;
    for (int r = 0; r < nrow; ++r) {
        memcpy(both + r * 2 * n, b->d->before + r * ncolumn, (size_t)n * sizeof *both);
        memcpy(both + r * 2 * n + n, b->d->matrix + r * ncolumn, (size_t)n * sizeof *both);
    }
    if (loop_eliminate(both, nrow, 2 * n, n, least_pivot, NULL) >= 0) {
        return INFINITY;
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const float x = -both[i * 2 * n + n + j] - (float)(i == j);
            sum += x * x;
        }
    }
    return root_of(sum);
}

static int positions_of(const lwi_segment32 *body)
{
    return body->carrier == LW_TREE_FREE ? 7 : body->carrier == LW_TREE_SPHERICAL ? 4 : 1;
}

static void copy_targets(const block *b, const float *from, float *to)
{
    const lwi_step32 *step = b->step;
    for (int t = 0; t < step->ntarget; ++t) {
        const lwi_segment32 *body = &b->m->segment[step->target_body[t]];
        memcpy(to + body->q, from + body->q, (size_t)positions_of(body) * sizeof *to);
    }
}

// A body whose quaternion is a source: the share `part` of its way. Quaternions of opposite sign
// are the same rotation, and one is on the short way; kernels normalise them.
static float move_source_body(const block *b, int body, const float *from, const float *to,
                              float part, float *at)
{
    const lwi_segment32 *own = &b->m->segment[body];
    const int n = positions_of(own), unit = n - 4;
    float sum = 0, way = 0;
    for (int t = 0; t < b->step->ntarget; ++t) {
        if (b->step->target_body[t] == body) {
            return 0;
        }
    }
    for (int i = own->q + unit; i < own->q + n; ++i) {
        sum += from[i] * to[i];
    }
    for (int i = own->q; i < own->q + n; ++i) {
        const float change = (i >= own->q + unit && sum < 0 ? -to[i] : to[i]) - from[i];
        at[i] = from[i] + part * change;
        way = number_max(way, number_size(change));
    }
    return way;
}

// The share `part` of the way of all sources from one configuration to another; returns the whole
// way of the one that goes furthest.
static float move_sources(const block *b, const float *from, const float *to, float part, float *at)
{
    const lwi_step32 *step = b->step;
    float way = 0;
    for (int k = 0; k < step->nsource; ++k) {
        const int i = step->source_q[k];
        if (i >= 0) {
            const float unit = step->source_unit[k] < 1 ? step->source_unit[k] : 1;
            at[i] = from[i] + part * (to[i] - from[i]);
            way = number_max(way, number_size(to[i] - from[i]) / unit);
        }
    }
    for (int k = 0; k < step->nloop; ++k) {
        const lwi_loop32 *loop = &b->m->loop[step->loop[k]];
        for (int side = 0; side < 2; ++side) {
            for (int i = 0; i < loop->npath[side]; ++i) {
                const int body = loop->path[side][i];
                if (positions_of(&b->m->segment[body]) > 1) {
                    way = number_max(way, move_source_body(b, body, from, to, part, at));
                }
            }
        }
    }
    return way;
}

// From where the block was closed last to the sources of q, straight. `followed` is the share of
// that path on which it closes.
static bool follow(block *b, float *q, float *followed)
{
    const float shortest = 1e-4f, near = 0.01f, reach = 0.4f, alike = 0.5f;
    const size_t rows = (size_t)(b->step->nrow * b->ncolumn) * sizeof(float);
    float *from = b->d->last, *at = b->d->between;
    copy_targets(b, from, q);
    memcpy(at, q, (size_t)b->m->tree_nq * sizeof *at);
    const float way = move_sources(b, from, q, 1, at), longest = way > reach ? reach / way : 1;
    float piece = longest;
    memcpy(at, from, (size_t)b->m->tree_nq * sizeof *at);
    if (way > near) {
        fill(b, from, NULL);
        scale_rows(b);
        memcpy(b->d->before, b->d->matrix, rows);
    }
    for (*followed = 0; *followed < 1;) {
        const float to = *followed + piece < 1 ? *followed + piece : 1;
        copy_targets(b, q, at);
        move_sources(b, from, q, to, at);
        const bool is_good = contract(b, at);
        const float change = !is_good ? 1 : way > near ? jacobian_change(b) : 0;
        if (change <= alike) {
            copy_targets(b, at, q);
            *followed = to;
            memcpy(b->d->before, b->d->matrix, rows);
            piece = piece < 0.5f * longest ? 2 * piece : longest;
        } else if (piece < shortest || b->left < 0) {
            return false;
        } else {
            piece *= 0.5f;
        }
    }
    return true;
}

// Why a block is not closed: which of its loops has the widest gap where the path ended.
static lw_status judge(block *b, const float *q, lwi_closure_fault32 *fault)
{
    fault->loop = b->step->nloop > 0 ? b->step->loop[0] : -1;
    fill(b, q, NULL);
    int row = 0;
    for (int k = 0; k < b->step->nloop; ++k) {
        const lwi_loop32 *loop = &b->m->loop[b->step->loop[k]];
        float sum = 0;
        for (int r = 0; r < loop->nrow; ++r, ++row) {
            const float x = b->d->matrix[row * b->ncolumn + b->ncolumn - 1];
            sum += x * x;
        }
        const float gap = root_of(sum) / (loop->is_rod ? loop->length : 1);
        if (gap > fault->gap) {
            fault->gap = gap;
            fault->loop = b->step->loop[k];
        }
    }
    return LW_ERR_LOOP_OPEN;
}

static lw_status block_rates(block *b, const float *q, float *K, lwi_closure_fault32 *fault)
{
    const int nt = b->step->ntarget, ns = b->step->nsource;
    fill(b, q, NULL);
    scale_rows(b);
    const int singular = eliminate(b, b->step->nloop > 0 ? least_pivot : 1e-6f);
    if (singular >= 0) {
        fault->loop = b->step->nloop > 0 ? b->step->loop[0] : -1;
        fault->dof = b->step->target[singular];
        return LW_ERR_SINGULAR;
    }
    for (int t = 0; t < nt; ++t) {
        for (int k = 0; k < ns; ++k) {
            K[t * ns + k] = b->step->target_unit[t] * b->d->matrix[t * b->ncolumn + nt + k];
        }
    }
    return LW_OK;
}

static block block_of(const lw_model32 *m, lw_data32 *d, const lwi_step32 *step)
{
    return (block){.m = m,
                   .d = d,
                   .step = step,
                   .tree = {m->segment, m->X_PJ},
                   .ncolumn = step->ntarget + step->nsource + 1,
                   .left = MOST_ITERATIONS};
}

static lw_status close_block(const lw_model32 *m, lw_data32 *d, const lwi_step32 *step, float *K)
{
    block b = block_of(m, d, step);
    const bool is_closed = follow(&b, d->q, &d->fault.followed);
    return is_closed ? block_rates(&b, d->q, K, &d->fault) : judge(&b, d->q, &d->fault);
}

// --- Planar loops --------------------------------------------------------------------------------

static plane_work plane_work_of(const lw_data32 *d)
{
    return (plane_work){.sine = d->sine,
                        .cosine = d->cosine,
                        .plane = d->plane,
                        .plane_solve = d->plane_solve,
                        .matrix = d->matrix};
}

static lw_status close_plane(const lw_model32 *m, lw_data32 *d, const planar_loop *plane,
                             const lwi_step32 *step, float *K)
{
    plane_work work = plane_work_of(d);
    lw_status status = step->kind == LW_STEP_PLANAR
                           ? plane_three(plane, step, &work, d->q, &d->fault)
                           : plane_rod(plane, step, &work, d->q, &d->fault);
    if (status != LW_OK) {
        d->fault.loop = step->loop[0];
        return status;
    }
    status = plane_rates(plane, step, &work, K, &d->fault);
    for (int t = 0; t < step->ntarget && status == LW_OK; ++t) {
        const int at = step->target_q[t];
        if (m->segment[step->target_body[t]].carrier == LW_TREE_REVOLUTE) {
            const float angle = atan2f(d->sine[at], d->cosine[at]), turn = 6.28318531f;
            const float turns = (angle - m->q_reference[at]) / turn;
            d->q[at] = angle - turn * floorf(turns + 0.5f);
        }
    }
    return status;
}

// --- The program ---------------------------------------------------------------------------------

static bool is_plain(const lwi_step32 *step)
{
    return step->kind == LW_STEP_LINEAR || step->kind == LW_STEP_FUNCTION;
}

// As close_step().
static void close_table(const lw_model32 *m, const lwi_step32 *step, float *q, float *K,
                        float *bias)
{
    float f[4];
    curve_at(step->law, &m->coefficient[step->first_coefficient], step->ncoefficient,
             q[step->source_q[0]], f);
    q[step->target_q[0]] = f[0];
    K[0] = f[1];
    bias[0] = f[2];
}

static void set_sines(const lw_model32 *m, lw_data32 *d, int at)
{
    if (at >= 0 && m->nplane_record > 0) {
        sincos_real(d->q[at], &d->sine[at], &d->cosine[at]);
    }
}

lw_status lwi_close_positions32(const lw_model32 *m, lw_data32 *d, const float *q)
{
    lw_status status = LW_OK;
    d->fault = (lwi_closure_fault32){-1, -1, 0, 1};
    for (int k = 0; k < m->nq; ++k) {
        d->q[m->q_tree[k]] = q[k];
        set_sines(m, d, m->q_tree[k]);
    }
    for (int s = 0; s < m->nstep && status == LW_OK; ++s) {
        const lwi_step32 *step = &m->step[s];
        const planar_loop *plane = plane_of(m->loop, step);
        float *K = &d->rate[step->rate];
        if (plane) {
            status = close_plane(m, d, plane, step, K);
            continue;
        }
        if (step->kind == LW_STEP_FUNCTION && step->law == LW_LAW_TABLE) {
            close_table(m, step, d->q, K, &d->bias[step->bias]);
        } else if (is_plain(step)) {
            close_step(step, &m->coefficient[step->first_coefficient], d->q, K,
                       &d->bias[step->bias]);
        } else {
            status = close_block(m, d, step, K);
        }
        for (int t = 0; t < step->ntarget; ++t) {
            set_sines(m, d, step->target_q[t]);
        }
    }
    if (status == LW_OK) {
        memcpy(d->last, d->q, (size_t)m->tree_nq * sizeof *d->q);
    }
    return status;
}

static void block_bias(const lw_model32 *m, lw_data32 *d, const lwi_step32 *step, float *bias)
{
    const block b = block_of(m, d, step);
    fill(&b, d->q, d->v);
    scale_rows(&b);
    eliminate(&b, 0); // rates found no pivot that is zero
    for (int t = 0; t < step->ntarget; ++t) {
        bias[t] = step->target_unit[t] * d->matrix[t * b.ncolumn + b.ncolumn - 1];
    }
}

void lwi_close_velocities32(const lw_model32 *m, lw_data32 *d, const float *v)
{
    for (int k = 0; k < m->nv; ++k) {
        d->v[m->v_tree[k]] = v[k];
    }
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step32 *step = &m->step[s];
        const planar_loop *plane = plane_of(m->loop, step);
        float *bias = &d->bias[step->bias];
        cross_step(step, &d->rate[step->rate], NULL, d->v);
        if (plane) {
            plane_work work = plane_work_of(d);
            plane_bias(plane, step, &work, d->v, bias);
        } else if (is_plain(step)) {
            close_bias(step, d->v, bias);
        } else {
            block_bias(m, d, step, bias);
        }
    }
}
