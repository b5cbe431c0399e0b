// Residuals and rates of loops in double, and the choice of the way in which a step finds
// positions.
#include "loop.h"

#include "../math/damped.h"
#include "../math/wide.h"
#include "../model/joint.h"
#include "closed_form_loops.h"
#include "law.h"
#include "loop_kernel.h"
#include "planar_loop.h"
#include "torn_block.h"

#include <string.h>

static vec3 from_body(const loop_pose *X, lw_vec3 a)
{
    return mul3(&X->R, (vec3){a.x, a.y, a.z});
}

static void loop_user_joint(const lw_model *m, int i, const real *q, loop_pose *X, loop_motion *S)
{
    const lw_user_joint *user = &m->kernel->user[i];
    lw_motion own[LW_MAX_DOF];
    lw_pose pose;
    user->pose(user->context, q, &pose);
    const loop_pose Y = loop_pose_of(&pose);
    *X = loop_pose_mul(X, &Y);
    user->motion(user->context, q, own);
    for (int k = 0; k < user->nv; ++k) {
        const vec3 ang = from_body(X, own[k].ang);
        S[k] = (loop_motion){ang, add3(from_body(X, own[k].lin), cross3(X->p, ang))};
    }
}

static void loop_user_bias(const lw_model *m, int i, const real *q, const real *v,
                           const loop_pose *X, loop_motion *A)
{
    const lw_user_joint *user = &m->kernel->user[i];
    const lwi_segment *body = &m->kernel->segment[i];
    if (user->bias) {
        lw_motion rate;
        user->bias(user->context, q + body->q, v + body->v, &rate);
        const vec3 ang = from_body(X, rate.ang);
        A->ang = add3(A->ang, ang);
        A->lin = add3(A->lin, add3(from_body(X, rate.lin), cross3(X->p, ang)));
    }
}

// The tilt of the second z axis against the first, as its x and y there. Those vanish for opposite
// axes too, which no motion of the joint makes; so beyond a right angle they go on growing, to 2,
// and point the other way, because there they shrink where the tilt grows: a step of Newton's
// method by their rates then lessens it.
static lw_vec3 tilt_of(lw_vec3 z)
{
    if (z.z >= 0.0) {
        return z;
    }
    const double size = hypot(z.x, z.y);
    if (!(size > 0.0)) {
        return lw_vec3_of(-2.0, 0.0, z.z);
    }
    const double share = (size - 2.0) / size;
    return lw_vec3_of(share * z.x, share * z.y, z.z);
}

// Residuals of a loop whose branches end at X, and the gap between these in metres.
static double residual_at(const lwi_loop *loop, const lw_pose *X0, const lw_pose *X1,
                          double row[LWI_MOST_ROWS])
{
    const lw_vec3 d = lw_sub3(X1->p, X0->p);
    if (loop->is_rod) {
        row[0] = 0.5 * (lw_dot3(d, d) - loop->length * loop->length);
        return fabs(lw_norm3(d) - loop->length);
    }
    const lw_vec3 z = tilt_of(lw_rotate_back(&X0->R, column_z(&X1->R)));
    const lw_vec3 p = lw_rotate_back(&X0->R, d);
    loop_rate residual = {{0.0, 0.0, 0.0}, {z.x, z.y, z.z - loop->cosine}, {p.x, p.y, p.z}};
    if (loop->type == LW_JOINT_FIXED || loop->type == LW_JOINT_PRISMATIC ||
        loop->type == LW_JOINT_SCREW) {
        const lw_mat3 back = lw_transpose3(&X0->R), R = lw_mul3(&back, &X1->R);
        const lw_vec3 angle = lw_log3(&R);
        residual.w = (vec3){angle.x, angle.y, angle.z};
        if (loop->type == LW_JOINT_SCREW) {
            residual.w.z = lwi_rounded_atan2(R.row[1].x, R.row[0].x);
        }
    }
    const int n = loop_pick(loop, &residual, row);
    double sum = 0.0;
    for (int r = 0; r < n; ++r) {
        sum += row[r] * row[r];
    }
    return sqrt(sum);
}

double lwi_loop_residual(const lw_model *m, const lwi_loop *loop, const double *q,
                         double row[LWI_MOST_ROWS])
{
    lw_pose X[2];
    for (int side = 0; side < 2; ++side) {
        X[side] = lwi_branch_pose(m, loop, side, 0, loop->npath[side], q);
        X[side] = lw_pose_mul(&X[side], &loop->X[side]);
    }
    return residual_at(loop, &X[0], &X[1], row);
}

double lwi_loop_relative_residual(const lwi_loop *loop, const double row[LWI_MOST_ROWS])
{
    double sum = 0.0;
    for (int r = 0; r < loop->nrow; ++r) {
        sum += (row[r] / loop->unit[r]) * (row[r] / loop->unit[r]);
    }
    return sqrt(sum);
}

void lwi_set_loop_units(lwi_loop *loop)
{
    if (loop->is_rod) {
        loop->unit[0] = loop->size * loop->length;
    } else {
        loop_largest(loop, loop->size, loop->unit);
    }
}

// The wrench that does the same work as the multipliers, found by what the rows make of six unit
// motions of the second end frame against the first.
void lwi_loop_forces_at_ends(const lw_model *m, const lwi_loop *loop, const double *q,
                             const double lambda[LWI_MOST_ROWS], lw_force force[2])
{
    lw_pose X[2];
    for (int side = 0; side < 2; ++side) {
        X[side] = lwi_branch_pose(m, loop, side, 0, loop->npath[side], q);
        X[side] = lw_pose_mul(&X[side], &loop->X[side]);
    }
    if (loop->is_rod) {
        const lw_vec3 push = lw_scale3(lambda[0], lw_sub3(X[1].p, X[0].p));
        force[0] = (lw_force){{0, 0, 0}, lw_rotate_back(&X[0].R, lw_scale3(-1.0, push))};
        force[1] = (lw_force){{0, 0, 0}, lw_rotate_back(&X[1].R, push)};
        return;
    }
    const lw_pose back = lw_pose_inverse(&X[0]), X_01 = lw_pose_mul(&back, &X[1]);
    const loop_view view = {.X = loop_pose_of(&X_01)};
    double wrench[6];
    for (int k = 0; k < 6; ++k) {
        double unit[6] = {0}, row[LWI_MOST_ROWS];
        unit[k] = 1.0;
        const loop_rate rate = loop_rate_of(&view, (vec3){unit[0], unit[1], unit[2]},
                                            (vec3){unit[3], unit[4], unit[5]});
        const int n = loop_pick(loop, &rate, row);
        wrench[k] = 0.0;
        for (int r = 0; r < n; ++r) {
            wrench[k] += lambda[r] * row[r];
        }
    }
    const lw_vec3 ang = {wrench[0], wrench[1], wrench[2]}, lin = {wrench[3], wrench[4], wrench[5]};
    const lw_vec3 there = lw_sub3(ang, lw_cross3(X_01.p, lin));
    force[0] = (lw_force){lw_scale3(-1.0, ang), lw_scale3(-1.0, lin)};
    force[1] = (lw_force){lw_rotate_back(&X_01.R, there), lw_rotate_back(&X_01.R, lin)};
}

void lwi_loop_end_rates(const lwi_loop *loop, const lw_pose X[2], const lw_motion V[2],
                        double row[LWI_MOST_ROWS])
{
    const lw_vec3 d = lw_sub3(X[1].p, X[0].p), u = lw_sub3(V[1].lin, V[0].lin);
    if (loop->is_rod) {
        row[0] = lw_dot3(d, u);
        return;
    }
    const lw_mat3 *R = &X[0].R;
    const lw_vec3 rotation = lw_sub3(V[1].ang, V[0].ang);
    const lw_vec3 w = lw_rotate_back(R, rotation);
    const lw_vec3 z = lw_rotate_back(R, lw_cross3(rotation, column_z(&X[1].R)));
    const lw_vec3 p = lw_rotate_back(R, lw_sub3(u, lw_cross3(V[0].ang, d)));
    const loop_rate rate = {{w.x, w.y, w.z}, {z.x, z.y, z.z}, {p.x, p.y, p.z}};
    loop_pick(loop, &rate, row);
}

void lwi_loop_pick(const lwi_loop *loop, lw_vec3 w, lw_vec3 z, lw_vec3 p, double row[LWI_MOST_ROWS])
{
    const loop_rate rate = {{w.x, w.y, w.z}, {z.x, z.y, z.z}, {p.x, p.y, p.z}};
    loop_pick(loop, &rate, row);
}

// The rows of loop_pick() one by one.
void lwi_loop_spread(const lwi_loop *loop, const double *multiplier, lw_vec3 *w, lw_vec3 *z,
                     lw_vec3 *p)
{
    *w = *z = *p = lw_vec3_of(0.0, 0.0, 0.0);
    switch (loop->type) {
    case LW_JOINT_FIXED:
    case LW_JOINT_PRISMATIC:
        w->x = *multiplier++;
        w->y = *multiplier++;
        w->z = *multiplier++;
        break;
    case LW_JOINT_UNIVERSAL:
        z->z = *multiplier++;
        break;
    case LW_JOINT_SPHERICAL:
        break;
    default:
        z->x = *multiplier++;
        z->y = *multiplier++;
        break;
    }
    if (loop->type != LW_JOINT_PLANAR) {
        p->x = *multiplier++;
        p->y = *multiplier++;
    }
    if (loop->type != LW_JOINT_PRISMATIC && loop->type != LW_JOINT_CYLINDRICAL) {
        p->z = *multiplier;
    }
    if (loop->type == LW_JOINT_SCREW) {
        w->z = -loop->lead * *multiplier;
    }
}

int lwi_eliminate_columns(double *matrix, int nrow, int ncolumn, int n)
{
    return loop_eliminate(matrix, nrow, ncolumn, n, 0.0, NULL);
}

// Motions of other loops, or from elsewhere, are about to be in the work space.
static void forget_walk(const lwi_loop_work *work)
{
    if (work->count) {
        work->count->walked = NULL;
    }
}

void lwi_loop_matrix(const lw_model *m, const lwi_loop *loop, const lwi_loop_work *work,
                     const double *q, double *matrix, int ncolumn)
{
    forget_walk(work);
    loop_rows(m, loop, q, NULL, (loop_motion *)work->motion, matrix, ncolumn, 0, NULL);
}

void lwi_loop_matrix_scaled(const lw_model *m, const lwi_loop *loop, const lwi_loop_work *work,
                            const double *q, double *matrix, int ncolumn)
{
    double scale[LWI_MOST_ROWS];
    forget_walk(work);
    loop_rows(m, loop, q, NULL, (loop_motion *)work->motion, matrix, ncolumn, 0, scale);
    for (int r = 0; r < loop->nrow; ++r) {
        for (int c = 0; c < ncolumn && scale[r] > 0.0; ++c) {
            matrix[r * ncolumn + c] /= scale[r];
        }
    }
}

void lwi_step_matrix(const lw_model *m, const lwi_program *program, const lwi_step *step,
                     const lwi_loop_work *work, const double *q, const double *v)
{
    const int ncolumn = step->ntarget + step->nsource + 1;
    forget_walk(work);
    loop_fill(m, program->loop, step, q, v, (loop_motion *)work->motion, work->matrix,
              work->matrix + step->nrow * ncolumn);
}

static lw_pose pose_of(const loop_pose *X)
{
    lw_pose Y;
    for (int r = 0; r < 3; ++r) {
        Y.R.row[r] = lw_vec3_of(X->R.row[r].x, X->R.row[r].y, X->R.row[r].z);
    }
    Y.p = lw_vec3_of(X->p.x, X->p.y, X->p.z);
    return Y;
}

static int dofs_of_branch(const lw_model *m, const lwi_loop *loop, int side)
{
    int n = 0;
    for (int k = 0; k < loop->npath[side]; ++k) {
        n += m->kernel->segment[loop->path[side][k]].nv;
    }
    return n;
}

double lwi_step_walk(const lw_model *m, const lwi_program *program, const lwi_step *step,
                     const lwi_loop_work *work, const double *q)
{
    loop_motion *S = (loop_motion *)work->motion;
    double *residual = work->residual, sum = 0.0;
    forget_walk(work);
    for (int k = 0; k < step->nloop; ++k) {
        const lwi_loop *loop = &program->loop[step->loop[k]];
        for (int side = 0; side < 2; ++side) {
            loop_end end;
            S += loop_branch(m, loop, side, q, NULL, S, &end);
            work->loop_end[2 * k + side] = pose_of(&end.X);
        }
        residual_at(loop, &work->loop_end[2 * k], &work->loop_end[2 * k + 1], residual);
        const double misfit = lwi_loop_relative_residual(loop, residual);
        residual += loop->nrow;
        sum += misfit * misfit;
    }
    const int ncolumn = step->ntarget + step->nsource + 1;
    for (int g = 0; g < step->ngear; ++g, ++residual) {
        const double *share = &step->gear_row[g * ncolumn];
        *residual = share[ncolumn - 1];
        for (int c = 0; c < ncolumn - 1; ++c) {
            const int k = c - step->ntarget;
            if (share[c] != 0.0) { // else perhaps of a quaternion
                *residual += share[c] * q[k < 0 ? step->target_q[c] : step->source_q[k]];
            }
        }
        sum += (*residual / step->gear_unit[g]) * (*residual / step->gear_unit[g]);
    }
    return sqrt(sum);
}

void lwi_step_matrix_there(const lw_model *m, const lwi_program *program, const lwi_step *step,
                           const lwi_loop_work *work)
{
    const int ncolumn = step->ntarget + step->nsource + 1;
    const loop_motion *S = (const loop_motion *)work->motion;
    double *scale = work->matrix + step->nrow * ncolumn;
    memset(work->matrix, 0, (size_t)(step->nrow * ncolumn) * sizeof *work->matrix);
    int row = 0;
    for (int k = 0; k < step->nloop; ++k) {
        const lwi_loop *loop = &program->loop[step->loop[k]];
        const int n0 = dofs_of_branch(m, loop, 0), n = n0 + dofs_of_branch(m, loop, 1);
        const loop_pose X0 = loop_pose_of(&work->loop_end[2 * k]);
        const loop_pose X1 = loop_pose_of(&work->loop_end[2 * k + 1]);
        loop_rows_at(loop, &X0, &X1, S, n0, n, work->matrix + row * ncolumn, ncolumn, scale + row);
        S += n;
        row += loop->nrow;
    }
    loop_gears(step, row, work->matrix, scale);
}

int lwi_step_eliminate(const lwi_step *step, const lwi_loop_work *work, double least)
{
    const int ncolumn = step->ntarget + step->nsource + 1;
    const double *scale = work->matrix + step->nrow * ncolumn;
    for (int r = 0; r < step->nrow; ++r) {
        const double inverse = scale[r] > 0.0 ? 1.0 / scale[r] : 1.0;
        double *row = work->matrix + r * ncolumn;
        for (int t = 0; t < step->ntarget; ++t) {
            row[t] *= inverse * step->target_unit[t];
        }
        for (int c = step->ntarget; c < ncolumn; ++c) {
            row[c] *= inverse;
        }
    }
    const int singular_dof =
        loop_eliminate(work->matrix, step->nrow, ncolumn, step->ntarget, least, work->pivot);
    for (int t = 0; t < step->ntarget && singular_dof < 0; ++t) {
        for (int c = step->ntarget; c < ncolumn && step->target_unit[t] != 1.0; ++c) {
            work->matrix[t * ncolumn + c] *= step->target_unit[t];
        }
    }
    return singular_dof;
}

void lwi_step_solve(const lwi_step *step, const lwi_loop_work *work, double *out, int apart)
{
    const int nt = step->ntarget, ncolumn = nt + step->nsource + 1;
    const double *A = work->matrix, *scale = A + step->nrow * ncolumn;
    double *b = work->residual;
    for (int r = 0; r < step->nrow; ++r) {
        b[r] = scale[r] > 0.0 ? b[r] / scale[r] : b[r];
    }
    for (int k = 0; k < nt; ++k) {
        const double own = b[work->pivot[k]];
        b[work->pivot[k]] = b[k];
        b[k] = own - lwi_dot(k, A + k * ncolumn, b);
    }
    for (int k = nt - 1; k >= 0; --k) {
        const double *row = A + k * ncolumn;
        b[k] = (b[k] - lwi_dot(nt - 1 - k, row + k + 1, b + k + 1)) / row[k];
        out[k * apart] = -step->target_unit[k] * b[k];
    }
}

static double least_pivot(const lwi_step *step)
{
    return step->nloop == 0              ? LWI_NO_PIVOT
           : step->kind == LW_STEP_BLOCK ? LWI_SINGULAR_SINE_BLOCK
                                         : LWI_SINGULAR_SINE;
}

static const lwi_plane *plane_of(const lwi_program *program, const lwi_step *step)
{
    const bool is_closed_form = step->kind == LW_STEP_ROD_REVOLUTE ||
                                step->kind == LW_STEP_ROD_PRISMATIC || step->kind == LW_STEP_PLANAR;
    return is_closed_form ? program->loop[step->loop[0]].plane : NULL;
}

static lw_status solve_matrix(const lw_model *m, const lwi_program *program, const lwi_step *step,
                              const lwi_loop_work *work, const double *q, lwi_closure_fault *fault)
{
    if (!work->count || work->count->walked != step) {
        lwi_step_walk(m, program, step, work, q);
    }
    lwi_step_matrix_there(m, program, step, work);
    const int singular_dof = lwi_step_eliminate(step, work, least_pivot(step));
    if (singular_dof >= 0) {
        fault->loop = step->nloop ? step->loop[0] : -1;
        fault->dof = step->target[singular_dof];
        return LW_ERR_SINGULAR;
    }
    return LW_OK;
}

lw_status lwi_step_rates(const lw_model *m, const lwi_program *program, const lwi_step *step,
                         const lwi_loop_work *work, const double *q, double *K,
                         lwi_closure_fault *fault)
{
    const int nt = step->ntarget, ns = step->nsource, ncolumn = nt + ns + 1;
    if (step->kind == LW_STEP_FUNCTION) {
        double f[4];
        lwi_law_at(step, q[step->source_q[0]], f);
        K[0] = f[1];
        return LW_OK;
    }
    if (step->kind == LW_STEP_LINEAR) {
        for (int t = 0; t < nt; ++t) {
            memcpy(&K[t * ns], &step->coefficient[t * (1 + ns) + 1], (size_t)ns * sizeof *K);
        }
        return LW_OK;
    }
    if (step->kind == LW_STEP_SPHERES) {
        return lwi_spheres_rates(program, step, work, K, fault);
    }
    if (step->kind == LW_STEP_SPHERICAL) {
        return lwi_spherical_rates(m, program, step, work, q, K, fault);
    }
    if (step->kind == LW_STEP_SYMMETRIC) {
        return lwi_symmetric_rates(step, q, K, fault);
    }
    if (step->reduced) {
        return lwi_legs_rates(m, program, step, work, K, fault);
    }
    const lwi_plane *plane = plane_of(program, step);
    if (plane) {
        return lwi_plane_rates(plane, step, work, K, fault);
    }
    const lw_status status = solve_matrix(m, program, step, work, q, fault);
    for (int t = 0; t < nt && status == LW_OK; ++t) {
        memcpy(&K[t * ns], &work->matrix[t * ncolumn + nt], (size_t)ns * sizeof *K);
    }
    return status;
}

// How the end of a branch moves, from the motions of its degrees of freedom. Of user joints the
// whole branch is needed.
static void move_branch(const lw_model *m, const lwi_loop *loop, int side, const double *q,
                        const double *v, loop_motion *S, loop_end *end)
{
    const loop_motion *at = S;
    end->V = end->A = motion_zero();
    for (int k = 0; k < loop->npath[side]; ++k) {
        const lwi_segment *body = &m->kernel->segment[loop->path[side][k]];
        loop_motion own = motion_zero();
        if (body->carrier == LW_TREE_USER) {
            loop_branch(m, loop, side, q, v, S, end);
            return;
        }
        for (int j = 0; j < body->nv; ++j, ++at) {
            own = motion_axpy(v[body->v + j], *at, own);
        }
        end->A = motion_axpy(1.0, motion_cross(end->V, own), end->A);
        end->V = motion_axpy(1.0, own, end->V);
    }
}

// The second derivatives of the residuals, in their place.
static void bias_rows(const lw_model *m, const lwi_program *program, const lwi_step *step,
                      const lwi_loop_work *work, const double *q, const double *v)
{
    loop_motion *S = (loop_motion *)work->motion;
    double *row = work->residual;
    for (int k = 0; k < step->nloop; ++k) {
        const lwi_loop *loop = &program->loop[step->loop[k]];
        loop_end end[2];
        for (int side = 0; side < 2; ++side) {
            end[side].X = loop_pose_of(&work->loop_end[2 * k + side]);
            move_branch(m, loop, side, q, v, S, &end[side]);
            S += dofs_of_branch(m, loop, side);
        }
        loop_bias_at(loop, end, row, 1);
        row += loop->nrow;
    }
    memset(row, 0, (size_t)step->ngear * sizeof *row);
}

void lwi_step_bias(const lw_model *m, const lwi_program *program, const lwi_step *step,
                   const lwi_loop_work *work, const double *q, const double *v, double *bias)
{
    const int nt = step->ntarget;
    if (step->kind == LW_STEP_FUNCTION) {
        double f[4];
        lwi_law_at(step, q[step->source_q[0]], f);
        bias[0] = f[2] * v[step->source[0]] * v[step->source[0]];
        return;
    }
    if (step->kind == LW_STEP_LINEAR) {
        memset(bias, 0, (size_t)nt * sizeof *bias);
        return;
    }
    if (step->kind == LW_STEP_SPHERES) {
        lwi_spheres_bias(m, program, step, work, v, bias);
        return;
    }
    if (step->kind == LW_STEP_SPHERICAL) {
        lwi_spherical_bias(m, program, step, work, v, bias);
        return;
    }
    if (step->kind == LW_STEP_SYMMETRIC) {
        lwi_symmetric_bias(step, q, v, bias);
        return;
    }
    if (step->reduced) {
        lwi_legs_bias(m, program, step, work, v, bias);
        return;
    }
    const lwi_plane *plane = plane_of(program, step);
    if (plane) {
        lwi_plane_bias(plane, step, work, v, bias);
        return;
    }
    bias_rows(m, program, step, work, q, v);
    lwi_step_solve(step, work, bias, 1);
}

static void function_position(const lwi_step *step, double *q)
{
    double f[4];
    lwi_law_at(step, q[step->source_q[0]], f);
    q[step->target_q[0]] = f[0];
}

static void linear_position(const lwi_step *step, double *q)
{
    for (int t = 0; t < step->ntarget; ++t) {
        const double *row = &step->coefficient[t * (1 + step->nsource)];
        double y = row[0];
        for (int k = 0; k < step->nsource; ++k) {
            y += row[1 + k] * q[step->source_q[k]];
        }
        q[step->target_q[t]] = y;
    }
}

lw_status lwi_step_position(const lw_model *m, const lwi_program *program, const lwi_step *step,
                            const lwi_loop_work *work, double *q, lwi_closure_fault *fault)
{
    lw_status status = LW_OK;
    switch (step->kind) {
    case LW_STEP_FUNCTION:
        function_position(step, q);
        break;
    case LW_STEP_LINEAR:
        linear_position(step, q);
        break;
    case LW_STEP_ROD_REVOLUTE:
    case LW_STEP_ROD_PRISMATIC: {
        const lwi_loop *loop = &program->loop[step->loop[0]];
        status = loop->plane ? lwi_plane_position(m, loop->plane, step, work, q, fault)
                             : lwi_rod_position(m, loop, step, q, fault);
        break;
    }
    case LW_STEP_PLANAR:
        status = lwi_plane_position(m, program->loop[step->loop[0]].plane, step, work, q, fault);
        break;
    case LW_STEP_BLOCK:
        status = lwi_block_position(m, program, step, work, q, fault);
        break;
    case LW_STEP_SPHERES:
        status = lwi_spheres_position(m, program, step, work, q, fault);
        break;
    case LW_STEP_LEG:
        status = lwi_single_leg_position(m, program, step, work, q, fault);
        break;
    case LW_STEP_SPHERICAL:
        status = lwi_spherical_position(m, program, step, work, q, fault);
        break;
    case LW_STEP_SYMMETRIC:
        status = lwi_symmetric_position(m, program, step, work, q, fault);
        break;
    }
    if (status != LW_OK && fault->loop < 0) {
        fault->loop = step->nloop ? step->loop[0] : -1;
    }
    return status;
}
