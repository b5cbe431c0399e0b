// With the foot at A and the tip at B, in the frame of the common body, and y the same way as the
// passive joints carry it, a leg is d.d = y.y for d = B - A. Velocities of the tip against the end
// of the leg, w for one degree of freedom, must vanish: d.w = 0 is the row of the reduced step,
// because the passive joints, about z1 and z2 through A, move the end of the leg across d. The
// other two directions give their rates: with D = d.(z1 x z2)
//
//   dq1 = -z2.w / D,   dq2 = z1.w / D.
#include "torn_block.h"

#include "../math/angle.h"
#include "../math/pi.h"
#include "../model/joint.h"

#include <string.h>

static lw_vec3 velocity_of(const lw_motion *S, lw_vec3 p)
{
    return lw_add3(S->lin, lw_cross3(S->ang, p));
}

// --- Positions ---------------------------------------------------------------------------------

// Body i from its parent, and the motions of its joint. Returns how many these are.
static int walk_joint(const lw_model *m, int i, const double *q, lw_pose *X, lw_motion *S)
{
    static const lw_vec3 none = {0.0, 0.0, 0.0};
    const lwi_segment *body = &m->kernel->segment[i];
    *X = joint_frame_after(m, i, X);
    const lw_vec3 z = column_z(&X->R);
    *X = joint_pose_after(m, i, q, X);
    const bool is_free = body->carrier == LW_TREE_FREE;
    switch (body->carrier) {
    case LW_TREE_PRISMATIC:
        S[0] = (lw_motion){none, z};
        break;
    case LW_TREE_REVOLUTE:
        S[0] = (lw_motion){z, lw_cross3(X->p, z)};
        break;
    default:
        for (int k = 0; k < 3; ++k) {
            const double *row[] = {&X->R.row[0].x, &X->R.row[1].x, &X->R.row[2].x};
            const lw_vec3 axis = {row[0][k], row[1][k], row[2][k]};
            S[k] = (lw_motion){axis, lw_cross3(X->p, axis)};
            if (is_free) {
                S[3 + k] = (lw_motion){none, axis};
            }
        }
        break;
    }
    return body->nv;
}

static void walk_branch(const lw_model *m, const lwi_leg_branch *branch, const lwi_loop_work *work,
                        const double *q, lw_pose *X)
{
    lw_motion *S = &work->leg_motion[branch->motion];
    *X = lw_pose_identity();
    for (int k = 0; k < branch->n; ++k) {
        S += walk_joint(m, branch->body[k], q, X, S);
    }
}

double lwi_legs_walk(const lw_model *m, const lwi_program *program, const lwi_step *torn,
                     const lwi_loop_work *work, const double *q, bool is_again)
{
    const lwi_legs *legs = torn->legs;
    lw_pose *X = &work->branch_pose[legs->first_pose];
    double sum = 0.0;
    for (int k = 0; k < legs->nbranch; ++k) {
        if (!is_again || !legs->branch[k].is_given) {
            walk_branch(m, &legs->branch[k], work, q, &X[k]);
        }
    }
    for (int k = 0; k < legs->nleg; ++k) {
        const lwi_torn_leg *leg = &legs->leg[k];
        const lwi_loop *loop = &program->loop[leg->loop];
        lwi_leg_state *s = &work->leg[legs->first_leg + k];
        if (!is_again || !legs->branch[leg->foot].is_given) {
            s->foot = lw_pose_apply(&X[leg->foot], leg->foot_point);
        }
        if (!is_again) {
            s->square = loop->length * loop->length;
        }
        if (!is_again && leg->swivel >= 0) {
            s->y = lw_pose_apply(&X[leg->beyond], loop->X[leg->side].p);
            s->square = lw_dot3(s->y, s->y);
        }
        s->d = lw_sub3(lw_pose_apply(&X[leg->tip], leg->tip_point), s->foot);
        s->residual = 0.5 * (lw_dot3(s->d, s->d) - s->square);
        sum += (s->residual / leg->unit) * (s->residual / leg->unit);
    }
    return sqrt(sum);
}

// What the velocities of all columns give along g, for each leg: g . w.
static void add_row(const lwi_legs *legs, const lwi_torn_leg *leg, const lwi_leg_state *s,
                    const lwi_loop_work *work, lw_vec3 g, int ncolumn, double *row)
{
    const lwi_leg_branch *tip = &legs->branch[leg->tip], *foot = &legs->branch[leg->foot];
    const lw_motion *S = &work->leg_motion[tip->motion];
    if (tip->is_free) { // g . (w x b) = w . (b x g) along its own axes
        const lw_vec3 own = lw_rotate_back(&work->branch_pose[legs->first_pose + leg->tip].R, g);
        const lw_vec3 turn = lw_cross3(leg->tip_point, own);
        const double entry[6] = {turn.x, turn.y, turn.z, own.x, own.y, own.z};
        for (int k = 0; k < 6; ++k) {
            row[tip->column[k]] = entry[k];
        }
    } else {
        const lw_vec3 end = lw_add3(s->foot, s->d);
        for (int k = 0; k < tip->ndof; ++k) {
            row[tip->column[k]] += lw_dot3(g, velocity_of(&S[k], end));
        }
    }
    // Along d a foot and the end of its leg are as fast: only for the other directions it matters
    // that the whole leg goes along.
    const lw_vec3 end = leg->swivel >= 0 ? lw_add3(s->foot, s->d) : s->foot;
    S = &work->leg_motion[foot->motion];
    for (int k = 0; k < foot->ndof; ++k) {
        if (foot->column[k] < ncolumn) {
            row[foot->column[k]] -= lw_dot3(g, velocity_of(&S[k], end));
        }
    }
    if (leg->swivel < 0 || legs->branch[leg->beyond].ndof == 0 ||
        legs->branch[leg->beyond].column[0] >= ncolumn) {
        return;
    }
    const lwi_leg_branch *beyond = &legs->branch[leg->beyond];
    // Along d the way of the leg's own joints is along y, whichever way its body is rotated.
    const lw_vec3 own = lw_rotate_back(&s->R, g);
    S = &work->leg_motion[beyond->motion];
    for (int k = 0; k < beyond->ndof; ++k) {
        row[beyond->column[k]] -= lw_dot3(own, velocity_of(&S[k], s->y));
    }
}

// What the entries of a row are at most: the longest arm of the joints that carry its tip and its
// foot, times the leg.
static double scale_of(const lwi_program *program, const lwi_step *torn, const lwi_torn_leg *leg,
                       const lwi_leg_state *s, const lwi_loop_work *work)
{
    const double size = program->loop[leg->loop].size;
    double arm2 = 0.0;
    for (int side = 0; side < 2; ++side) {
        const lwi_leg_branch *branch = &torn->legs->branch[side ? leg->tip : leg->foot];
        const lw_vec3 p = side ? lw_add3(s->foot, s->d) : s->foot;
        if (branch->is_free) {
            const lw_vec3 b = side ? leg->tip_point : leg->foot_point;
            const double least = fmin(b.x * b.x, fmin(b.y * b.y, b.z * b.z));
            arm2 = fmax(arm2, fmax(size * size, lw_dot3(b, b) - least));
            continue;
        }
        const lw_motion *S = &work->leg_motion[branch->motion];
        for (int k = 0; k < branch->ndof; ++k) {
            if (branch->column[k] < torn->ntarget) {
                const bool is_slide = lw_dot3(S[k].ang, S[k].ang) == 0.0;
                const lw_vec3 v = velocity_of(&S[k], p);
                arm2 = fmax(arm2, lw_dot3(v, v) * (is_slide ? size * size : 1.0));
            }
        }
    }
    return sqrt(arm2 * lw_dot3(s->d, s->d));
}

void lwi_legs_matrix(const lwi_program *program, const lwi_step *torn, const lwi_loop_work *work)
{
    const lwi_legs *legs = torn->legs;
    const int ncolumn = torn->ntarget + torn->nsource + 1;
    double *scale = work->matrix + torn->nrow * ncolumn;
    memset(work->matrix, 0, (size_t)(torn->nrow * ncolumn) * sizeof *work->matrix);
    for (int k = 0; k < legs->nleg; ++k) {
        const lwi_leg_state *s = &work->leg[legs->first_leg + k];
        double *row = work->matrix + k * ncolumn;
        add_row(legs, &legs->leg[k], s, work, s->d, ncolumn - 1, row);
        row[ncolumn - 1] = s->residual;
        scale[k] = scale_of(program, torn, &legs->leg[k], s, work);
    }
}

void lwi_legs_gap(const lwi_step *torn, const lwi_loop_work *work, lwi_closure_fault *fault)
{
    const lwi_legs *legs = torn->legs;
    fault->gap = 0.0;
    for (int k = 0; k < legs->nleg; ++k) {
        const lwi_leg_state *s = &work->leg[legs->first_leg + k];
        const double own = fabs(lw_norm3(s->d) - sqrt(s->square));
        fault->loop = own > fault->gap ? legs->leg[k].loop : fault->loop;
        fault->gap = fmax(fault->gap, own);
    }
}

// --- Passive joints ----------------------------------------------------------------------------

/// The two passive joints of a leg: M places the second on the first, and y is what it carries.
typedef struct swivel {
    int q[2]; ///< positions
    const lw_mat3 *M;
} swivel;

static swivel swivel_of(const lw_model *m, const lwi_program *program, const lwi_torn_leg *leg)
{
    const int *body = &program->loop[leg->loop].path[leg->side][leg->swivel];
    return (swivel){{m->kernel->segment[body[0]].q, m->kernel->segment[body[1]].q},
                    &m->X_PJ[body[1]].R};
}

// The height of y over the plane across the first axis is a cos q2 + b sin q2 + c.
static void height_of(const lw_mat3 *M, lw_vec3 y, double height[3])
{
    const lw_vec3 row = M->row[2];
    height[0] = row.x * y.x + row.y * y.y;
    height[1] = row.y * y.x - row.x * y.y;
    height[2] = row.z * y.z;
}

// The angle of a sine and a cosine, by as many whole turns as `near`.
static double angle_near(double s, double c, double near)
{
    const double angle = lwi_angle_of(s, c), away = angle - near;
    return fabs(away) <= 0.5 * LWI_TWO_PI ? angle
                                          : angle - LWI_TWO_PI * floor(away / LWI_TWO_PI + 0.5);
}

// Rz(q1) M Rz(q2) y = x. The second angle brings y to the height of x over the plane across the
// first axis, on one of two branches; the first rotates it there.
static bool solve_swivel(const swivel *w, lw_vec3 x, lw_vec3 y, lw_vec3 y_from, const double *from,
                         double *q, const lwi_loop_work *work, double *gap)
{
    double h[3], was[3], s0, c0;
    height_of(w->M, y, h);
    height_of(w->M, y_from, was);
    sincos_real(from[w->q[1]], &s0, &c0);
    const double branch = copysign(1.0, was[0] * s0 - was[1] * c0);
    const double C = x.z - h[2], square = h[0] * h[0] + h[1] * h[1], rest = square - C * C;
    if (!(rest >= -1e-13 * lw_dot3(y, y))) {
        *gap = fabs(C) - sqrt(square);
        return false;
    }
    if (!(square > 0.0)) {
        return true; // the second joint does not move y: it stays, and rates report that
    }
    const double root = branch * sqrt(fmax(0.0, rest)), inverse = 1.0 / square;
    const double c2 = inverse * (h[0] * C - h[1] * root), s2 = inverse * (h[1] * C + h[0] * root);
    const lw_vec3 carried =
        lw_rotate(w->M, lw_vec3_of(c2 * y.x - s2 * y.y, s2 * y.x + c2 * y.y, y.z));
    const double c = carried.x * x.x + carried.y * x.y, s = carried.x * x.y - carried.y * x.x;
    const double size = sqrt(c * c + s * s), share = 1.0 / size;
    const int first = w->q[0], second = w->q[1];
    q[second] = angle_near(s2, c2, from[second]);
    work->sine[second] = s2;
    work->cosine[second] = c2;
    if (size > 0.0) {
        q[first] = angle_near(share * s, share * c, from[first]);
        work->sine[first] = share * s;
        work->cosine[first] = share * c;
    }
    return true;
}

// The tip beyond the passive joints, where the sources were at `from`.
static lw_vec3 tip_beyond(const lw_model *m, const lwi_program *program, const lwi_legs *legs,
                          const lwi_torn_leg *leg, const double *from)
{
    const lwi_leg_branch *beyond = &legs->branch[leg->beyond];
    lw_pose X = lw_pose_identity();
    for (int k = 0; k < beyond->n; ++k) {
        X = joint_frame_after(m, beyond->body[k], &X);
        X = joint_pose_after(m, beyond->body[k], from, &X);
    }
    return lw_pose_apply(&X, program->loop[leg->loop].X[leg->side].p);
}

lw_status lwi_legs_passive(const lw_model *m, const lwi_program *program, const lwi_step *step,
                           const lwi_loop_work *work, const double *from, double *q,
                           lwi_closure_fault *fault)
{
    const lwi_legs *legs = step->reduced->legs;
    const lw_pose *X = &work->branch_pose[legs->first_pose];
    for (int k = 0; k < legs->nleg; ++k) {
        const lwi_torn_leg *leg = &legs->leg[k];
        const lwi_leg_state *s = &work->leg[legs->first_leg + k];
        if (leg->swivel < 0) {
            continue;
        }
        const swivel w = swivel_of(m, program, leg);
        const int body = program->loop[leg->loop].path[leg->side][leg->swivel];
        const lw_pose X_J = joint_frame_after(m, body, &X[leg->foot]);
        const lw_vec3 x = lw_rotate_back(&X_J.R, s->d);
        const lw_vec3 y_from = tip_beyond(m, program, legs, leg, from);
        if (!solve_swivel(&w, x, s->y, y_from, from, q, work, &fault->gap)) {
            fault->loop = leg->loop;
            return LW_ERR_LOOP_OPEN;
        }
    }
    return LW_OK;
}

// --- Rates -------------------------------------------------------------------------------------

// The axes of the passive joints, and the shares of velocities that are theirs.
static bool set_axes(const lw_model *m, const lwi_program *program, const lwi_legs *legs,
                     const lwi_torn_leg *leg, const lwi_loop_work *work, const double *q,
                     lwi_leg_state *s)
{
    const int *body = &program->loop[leg->loop].path[leg->side][leg->swivel];
    lw_pose X = work->branch_pose[legs->first_pose + leg->foot];
    for (int k = 0; k < 2; ++k) {
        X = joint_frame_after(m, body[k], &X);
        s->z[k] = column_z(&X.R);
        X = joint_pose_after(m, body[k], q, &X);
    }
    s->R = X.R;
    const double D = lw_dot3(s->d, lw_cross3(s->z[0], s->z[1]));
    if (!(fabs(D) > LWI_SINGULAR_SINE_BLOCK * lw_norm3(s->d))) {
        return false;
    }
    s->share[0] = lw_scale3(-1.0 / D, s->z[1]);
    s->share[1] = lw_scale3(1.0 / D, s->z[0]);
    return true;
}

// The three rows of each leg: along it, and of its passive joints.
static lw_status set_rows(const lw_model *m, const lwi_program *program, const lwi_step *step,
                          const lwi_loop_work *work, const double *q, lwi_closure_fault *fault)
{
    const lwi_step *torn = step->reduced;
    const lwi_legs *legs = torn->legs;
    const int n = torn->ntarget + torn->nsource;
    double *row = &work->leg_row[legs->first_row];
    lwi_legs_walk(m, program, torn, work, q, false);
    memset(row, 0, (size_t)(3 * legs->nleg * n) * sizeof *row);
    for (int k = 0; k < legs->nleg; ++k, row += 3 * n) {
        const lwi_torn_leg *leg = &legs->leg[k];
        lwi_leg_state *s = &work->leg[legs->first_leg + k];
        if (leg->swivel >= 0 && !set_axes(m, program, legs, leg, work, q, s)) {
            fault->loop = leg->loop;
            fault->dof = step->target[leg->passive[0]];
            return LW_ERR_SINGULAR;
        }
        add_row(legs, leg, s, work, s->d, n, row);
        for (int i = 0; i < 2 && leg->swivel >= 0; ++i) {
            add_row(legs, leg, s, work, s->share[i], n, row + (1 + i) * n);
        }
    }
    return LW_OK;
}

// Solves the rows along the legs for the unknowns: for rates, or for the bias that is in the place
// of the residuals.
static lw_status solve_rows(const lwi_program *program, const lwi_step *torn,
                            const lwi_loop_work *work, bool is_bias, lwi_closure_fault *fault)
{
    const lwi_legs *legs = torn->legs;
    lwi_step own = *torn;
    const int n = own.ntarget + own.nsource;
    own.nsource = is_bias ? 0 : own.nsource;
    const int ncolumn = own.ntarget + own.nsource + 1;
    const double *row = &work->leg_row[legs->first_row];
    double *scale = work->matrix + own.nrow * ncolumn;
    for (int k = 0; k < legs->nleg; ++k, row += 3 * n) {
        const lwi_leg_state *s = &work->leg[legs->first_leg + k];
        double *at = work->matrix + k * ncolumn;
        memcpy(at, row, (size_t)(ncolumn - 1) * sizeof *at);
        at[ncolumn - 1] = is_bias ? s->residual : 0.0;
        scale[k] = scale_of(program, torn, &legs->leg[k], s, work);
    }
    const int singular_dof = lwi_step_eliminate(&own, work, LWI_SINGULAR_SINE_BLOCK);
    if (singular_dof >= 0) {
        fault->loop = own.loop[0];
        fault->dof = own.target[singular_dof];
        return LW_ERR_SINGULAR;
    }
    return LW_OK;
}

lw_status lwi_legs_rates(const lw_model *m, const lwi_program *program, const lwi_step *step,
                         const lwi_loop_work *work, const double *q, double *K,
                         lwi_closure_fault *fault)
{
    const lwi_step *torn = step->reduced;
    const lwi_legs *legs = torn->legs;
    const int nt = torn->ntarget, ns = torn->nsource, n = nt + ns, ncolumn = n + 1;
    lw_status status = set_rows(m, program, step, work, q, fault);
    if (status == LW_OK) {
        status = solve_rows(program, torn, work, false, fault);
    }
    if (status != LW_OK) {
        return status;
    }
    for (int t = 0; t < step->ntarget; ++t) {
        if (legs->kept[t] >= 0) {
            memcpy(&K[t * ns], &work->matrix[legs->kept[t] * ncolumn + nt], (size_t)ns * sizeof *K);
        }
    }
    const double *row = &work->leg_row[legs->first_row];
    for (int k = 0; k < legs->nleg; ++k, row += 3 * n) {
        for (int i = 0; i < 2 && legs->leg[k].swivel >= 0; ++i) {
            const double *own = row + (1 + i) * n;
            double *at = &K[legs->leg[k].passive[i] * ns];
            memcpy(at, own + nt, (size_t)ns * sizeof *at);
            for (int t = 0; t < nt; ++t) {
                const double *rate = &work->matrix[t * ncolumn + nt];
                for (int c = 0; c < ns; ++c) {
                    at[c] += own[t] * rate[c];
                }
            }
        }
    }
    return LW_OK;
}

// --- Bias --------------------------------------------------------------------------------------

/// How a body moves where no joint accelerates, about the origin.
typedef struct moving {
    lw_motion V, A;
} moving;

static void add_motion(moving *b, lw_motion own)
{
    const lw_motion V = b->V;
    b->A.ang = lw_add3(b->A.ang, lw_cross3(V.ang, own.ang));
    b->A.lin = lw_add3(b->A.lin, lw_add3(lw_cross3(V.ang, own.lin), lw_cross3(V.lin, own.ang)));
    b->V = (lw_motion){lw_add3(V.ang, own.ang), lw_add3(V.lin, own.lin)};
}

static moving move_branch(const lw_model *m, const lwi_leg_branch *branch,
                          const lwi_loop_work *work, const double *v)
{
    const lw_motion *S = &work->leg_motion[branch->motion];
    moving b = {{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
    for (int k = 0; k < branch->n; ++k) {
        const lwi_segment *body = &m->kernel->segment[branch->body[k]];
        lw_motion own = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        for (int j = 0; j < body->nv; ++j, ++S) {
            own.ang = lw_add3(own.ang, lw_scale3(v[body->v + j], S->ang));
            own.lin = lw_add3(own.lin, lw_scale3(v[body->v + j], S->lin));
        }
        add_motion(&b, own);
    }
    return b;
}

// The acceleration of a point that a body carries, and its velocity.
static lw_vec3 acceleration_of(const moving *b, lw_vec3 p, lw_vec3 *velocity)
{
    *velocity = velocity_of(&b->V, p);
    return lw_add3(velocity_of(&b->A, p), lw_cross3(b->V.ang, *velocity));
}

// The acceleration of the end of a leg beyond its passive joints.
static lw_vec3 end_acceleration(const lw_model *m, const lwi_program *program, const lwi_legs *legs,
                                const lwi_torn_leg *leg, const lwi_leg_state *s,
                                const lwi_loop_work *work, const double *v, moving foot)
{
    const int *body = &program->loop[leg->loop].path[leg->side][leg->swivel];
    for (int k = 0; k < 2; ++k) {
        const lw_vec3 w = lw_scale3(v[m->kernel->segment[body[k]].v], s->z[k]);
        add_motion(&foot, (lw_motion){w, lw_cross3(s->foot, w)});
    }
    lw_vec3 carried, own;
    const lw_vec3 a = acceleration_of(&foot, lw_add3(s->foot, s->d), &carried);
    const moving beyond = move_branch(m, &legs->branch[leg->beyond], work, v);
    const lw_vec3 rest = lw_rotate(&s->R, acceleration_of(&beyond, s->y, &own));
    const lw_vec3 coriolis = lw_scale3(2.0, lw_cross3(foot.V.ang, lw_rotate(&s->R, own)));
    return lw_add3(a, lw_add3(coriolis, rest));
}

lw_status lwi_legs_bias(const lw_model *m, const lwi_program *program, const lwi_step *step,
                        const lwi_loop_work *work, const double *v, double *bias,
                        lwi_closure_fault *fault)
{
    const lwi_step *torn = step->reduced;
    const lwi_legs *legs = torn->legs;
    const int nt = torn->ntarget, n = nt + torn->nsource;
    for (int k = 0; k < legs->nleg; ++k) {
        const lwi_torn_leg *leg = &legs->leg[k];
        lwi_leg_state *s = &work->leg[legs->first_leg + k];
        const moving tip = move_branch(m, &legs->branch[leg->tip], work, v);
        const moving foot = move_branch(m, &legs->branch[leg->foot], work, v);
        lw_vec3 v0, v1;
        const lw_vec3 a1 = acceleration_of(&tip, lw_add3(s->foot, s->d), &v1);
        if (leg->swivel >= 0) {
            s->gain = lw_sub3(a1, end_acceleration(m, program, legs, leg, s, work, v, foot));
            s->residual = lw_dot3(s->d, s->gain);
        } else {
            const lw_vec3 a0 = acceleration_of(&foot, s->foot, &v0), dv = lw_sub3(v1, v0);
            s->residual = lw_dot3(s->d, lw_sub3(a1, a0)) + lw_dot3(dv, dv);
        }
    }
    const lw_status status = solve_rows(program, torn, work, true, fault);
    if (status != LW_OK) {
        return status;
    }
    for (int t = 0; t < step->ntarget; ++t) {
        if (legs->kept[t] >= 0) {
            bias[t] = work->matrix[legs->kept[t] * (nt + 1) + nt];
        }
    }
    const double *row = &work->leg_row[legs->first_row];
    for (int k = 0; k < legs->nleg; ++k, row += 3 * n) {
        const lwi_leg_state *s = &work->leg[legs->first_leg + k];
        for (int i = 0; i < 2 && legs->leg[k].swivel >= 0; ++i) {
            double sum = lw_dot3(s->share[i], s->gain);
            for (int t = 0; t < nt; ++t) {
                sum += row[(1 + i) * n + t] * work->matrix[t * (nt + 1) + nt];
            }
            bias[legs->leg[k].passive[i]] = sum;
        }
    }
    return LW_OK;
}
