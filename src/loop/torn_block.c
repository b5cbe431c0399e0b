// With the foot at A and the tip at B, in the frame of the common body, and y the same way as the
// passive joints carry it, a leg is d.d = y.y for d = B - A. Velocities of the tip against the end
// of the leg, w for one degree of freedom, must vanish: d.w = 0 is the row of the reduced step,
// because the passive joints, about z1 and z2 through A, move the end of the leg across d. The
// other two directions give their rates: with D = d.(z1 x z2)
//
//   dq1 = -z2.w / D,   dq2 = z1.w / D.
#include "torn_block.h"

#include "../model/joint.h"

#include <string.h>

static lw_vec3 velocity_of(const lw_motion *S, lw_vec3 p)
{
    return lw_add3(S->lin, lw_cross3(S->ang, p));
}

// --- Positions ---------------------------------------------------------------------------------

// Body i from its parent, and the motions of its joint. Returns how many these are.
static int walk_joint(const lw_model *m, int i, const double *q, bool is_first, lw_pose *X,
                      lw_motion *S)
{
    static const lw_vec3 none = {0.0, 0.0, 0.0};
    const lwi_segment *body = &m->kernel->segment[i];
    *X = is_first ? m->X_PJ[i] : joint_frame_after(m, i, X);
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

// Motions are found where they are wanted, or where the rows of the legs need them.
static void walk_branch(const lw_model *m, const lwi_leg_branch *branch, const lwi_loop_work *work,
                        const double *q, bool with_motions, lw_pose *X)
{
    lw_motion *S = &work->leg_motion[branch->motion];
    *X = lw_pose_identity();
    for (int k = 0; k < branch->n; ++k) {
        const int i = branch->body[k];
        if (with_motions || (!branch->is_given && !branch->is_free)) {
            S += walk_joint(m, i, q, k == 0, X, S);
        } else {
            *X = k == 0 ? m->X_PJ[i] : joint_frame_after(m, i, X);
            *X = joint_pose_after(m, i, q, X);
        }
    }
}

double lwi_legs_walk(const lw_model *m, const lwi_program *program, const lwi_step *torn,
                     const lwi_loop_work *work, const double *q, bool is_again, bool with_motions)
{
    const lwi_legs *legs = torn->legs;
    lw_pose *X = &work->branch_pose[legs->first_pose];
    double sum = 0.0;
    for (int k = 0; k < legs->nbranch; ++k) {
        if (!is_again || !legs->branch[k].is_given) {
            walk_branch(m, &legs->branch[k], work, q, with_motions, &X[k]);
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
            s->length = loop->length;
            if (leg->swivel >= 0) {
                s->y = lw_pose_apply(&X[leg->beyond], loop->X[leg->side].p);
                s->length = lw_norm3(s->y);
            }
            s->square = s->length * s->length;
        }
        s->d = lw_sub3(lw_pose_apply(&X[leg->tip], leg->tip_point), s->foot);
        s->residual = 0.5 * (lw_dot3(s->d, s->d) - s->square);
        work->residual[k] = s->residual;
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
    if (torn->legs->branch[leg->tip].is_free && torn->legs->branch[leg->foot].is_given) {
        return leg->arm * s->length;
    }
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

// A [n*n] becomes its inverse (Gauss and Jordan, the largest of each column leading). Returns the
// column that has no pivot above `least`, or -1.
LWI_INLINE int invert(int n, double *A, double least)
{
    int from[LWI_MOST_LEGS];
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int r = k + 1; r < n; ++r) {
            best = fabs(A[r * n + k]) > fabs(A[best * n + k]) ? r : best;
        }
        if (!(fabs(A[best * n + k]) > least)) {
            return k;
        }
        from[k] = best;
        double top[LWI_MOST_LEGS]; // apart from the others, so that it can stay in registers
        const double inverse = 1.0 / A[best * n + k];
        for (int c = 0; c < n; ++c) {
            top[c] = inverse * A[best * n + c];
            A[best * n + c] = A[k * n + c];
        }
        top[k] = inverse;
        for (int r = 0; r < n; ++r) {
            const double factor = A[r * n + k];
            A[r * n + k] = 0.0;
            for (int c = 0; c < n; ++c) {
                A[r * n + c] -= factor * top[c];
            }
        }
        for (int c = 0; c < n; ++c) {
            A[k * n + c] = top[c];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        for (int r = 0; r < n && from[k] != k; ++r) {
            const double swap = A[r * n + k];
            A[r * n + k] = A[r * n + from[k]];
            A[r * n + from[k]] = swap;
        }
    }
    return -1;
}

// Where the inverse of the rows along the legs is kept.
static double *inverse_of(const lwi_step *torn, const lwi_loop_work *work)
{
    const lwi_legs *legs = torn->legs;
    return &work->leg_row[legs->first_row + 3 * legs->nleg * (torn->ntarget + legs->nsource)];
}

// Finds it, from rows that stand `stride` doubles apart; slides count by their units, and rows by
// their scales, as in lwi_step_eliminate().
static int invert_rows(const lwi_program *program, const lwi_step *torn, const lwi_loop_work *work,
                       const double *row, int stride, double least)
{
    const lwi_legs *legs = torn->legs;
    const int n = torn->ntarget;
    double *A = inverse_of(torn, work), share[LWI_MOST_LEGS];
    for (int k = 0; k < n; ++k) {
        const lwi_leg_state *s = &work->leg[legs->first_leg + k];
        const double scale = scale_of(program, torn, &legs->leg[k], s, work);
        share[k] = scale > 0.0 ? 1.0 / scale : 1.0;
        for (int t = 0; t < n; ++t) {
            A[k * n + t] = row[k * stride + t] * share[k] * torn->target_unit[t];
        }
    }
    const int singular_dof = n == 6 ? invert(6, A, least) : invert(n, A, least);
    for (int t = 0; t < n && singular_dof < 0; ++t) {
        for (int k = 0; k < n; ++k) {
            A[t * n + k] *= share[k] * torn->target_unit[t];
        }
    }
    return singular_dof;
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

// --- Rates -------------------------------------------------------------------------------------

// The axes of the passive joints, and the shares of velocities that are theirs.
static bool set_axes(const lw_model *m, const lwi_program *program, const lwi_legs *legs,
                     const lwi_torn_leg *leg, const lwi_loop_work *work, lwi_leg_state *s)
{
    const int *body = &program->loop[leg->loop].path[leg->side][leg->swivel];
    const lwi_leg_branch *foot = &legs->branch[leg->foot];
    s->R = work->branch_pose[legs->first_pose + leg->foot].R;
    for (int k = 0; k < 2; ++k) {
        const lw_mat3 *own = &m->X_PJ[body[k]].R;
        const int q = m->kernel->segment[body[k]].q;
        s->R = k == 0 && foot->n == 0 ? *own : lw_mul3(&s->R, own);
        s->z[k] = column_z(&s->R);
        s->R = rotate_columns(&s->R, work->cosine[q], work->sine[q]);
    }
    const double D = lw_dot3(s->d, lw_cross3(s->z[0], s->z[1]));
    if (!(fabs(D) > LWI_SINGULAR_SINE_BLOCK * s->length)) {
        return false;
    }
    s->share[0] = lw_scale3(-1.0 / D, s->z[1]);
    s->share[1] = lw_scale3(1.0 / D, s->z[0]);
    return true;
}

// The three rows of each leg: along it, and of its passive joints.
static lw_status set_rows(const lw_model *m, const lwi_program *program, const lwi_step *step,
                          const lwi_loop_work *work, lwi_closure_fault *fault)
{
    const lwi_step *torn = step->reduced;
    const lwi_legs *legs = torn->legs;
    const int n = torn->ntarget + torn->nsource;
    double *row = &work->leg_row[legs->first_row];
    memset(row, 0, (size_t)(3 * legs->nleg * n) * sizeof *row);
    for (int k = 0; k < legs->nleg; ++k, row += 3 * n) {
        const lwi_torn_leg *leg = &legs->leg[k];
        lwi_leg_state *s = &work->leg[legs->first_leg + k];
        if (leg->swivel >= 0 && !set_axes(m, program, legs, leg, work, s)) {
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

lw_status lwi_legs_rates(const lw_model *m, const lwi_program *program, const lwi_step *step,
                         const lwi_loop_work *work, double *K, lwi_closure_fault *fault)
{
    const lwi_step *torn = step->reduced;
    const lwi_legs *legs = torn->legs;
    const int nt = torn->ntarget, ns = torn->nsource, n = nt + ns;
    const lw_status status = set_rows(m, program, step, work, fault);
    if (status != LW_OK) {
        return status;
    }
    const double *rows = &work->leg_row[legs->first_row], *A = inverse_of(torn, work);
    const int singular_dof = invert_rows(program, torn, work, rows, 3 * n, LWI_SINGULAR_SINE_BLOCK);
    if (singular_dof >= 0) {
        fault->loop = step->loop[0];
        fault->dof = torn->target[singular_dof];
        return LW_ERR_SINGULAR;
    }
    // Of the unknowns, in the matrix: a leg has few sources.
    double *own = work->matrix;
    memset(own, 0, (size_t)(nt * ns) * sizeof *own);
    for (int k = 0; k < legs->nleg; ++k) {
        for (int c = 0; c < ns; ++c) {
            const double share = rows[3 * n * k + nt + c];
            for (int t = 0; t < nt && share != 0.0; ++t) {
                own[t * ns + c] -= A[t * nt + k] * share;
            }
        }
    }
    for (int t = 0; t < step->ntarget; ++t) {
        if (legs->kept[t] >= 0) {
            memcpy(&K[t * ns], &own[legs->kept[t] * ns], (size_t)ns * sizeof *K);
        }
    }
    for (int k = 0; k < legs->nleg; ++k) {
        for (int i = 0; i < 2 && legs->leg[k].swivel >= 0; ++i) {
            const double *row = rows + (3 * k + 1 + i) * n;
            double *at = &K[legs->leg[k].passive[i] * ns];
            memcpy(at, row + nt, (size_t)ns * sizeof *at);
            for (int t = 0; t < nt; ++t) {
                for (int c = 0; c < ns; ++c) {
                    at[c] += row[t] * own[t * ns + c];
                }
            }
        }
    }
    return LW_OK;
}

// --- Bias --------------------------------------------------------------------------------------

static inline void add_motion(lwi_moving *b, lw_motion own)
{
    const lw_motion V = b->V;
    b->A.ang = lw_add3(b->A.ang, lw_cross3(V.ang, own.ang));
    b->A.lin = lw_add3(b->A.lin, lw_add3(lw_cross3(V.ang, own.lin), lw_cross3(V.lin, own.ang)));
    b->V = (lw_motion){lw_add3(V.ang, own.ang), lw_add3(V.lin, own.lin)};
}

static lwi_moving move_branch(const lw_model *m, const lwi_leg_branch *branch,
                              const lwi_loop_work *work, const double *v)
{
    const lw_motion *S = &work->leg_motion[branch->motion];
    lwi_moving b = {{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
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
static lw_vec3 acceleration_of(const lwi_moving *b, lw_vec3 p, lw_vec3 *velocity)
{
    *velocity = velocity_of(&b->V, p);
    return lw_add3(velocity_of(&b->A, p), lw_cross3(b->V.ang, *velocity));
}

// The acceleration of the end of a leg beyond its passive joints.
static lw_vec3 end_acceleration(const lw_model *m, const lwi_program *program, const lwi_legs *legs,
                                const lwi_torn_leg *leg, const lwi_leg_state *s,
                                const lwi_loop_work *work, const double *v, lwi_moving foot)
{
    const int *body = &program->loop[leg->loop].path[leg->side][leg->swivel];
    for (int k = 0; k < 2; ++k) {
        const lw_vec3 w = lw_scale3(v[m->kernel->segment[body[k]].v], s->z[k]);
        add_motion(&foot, (lw_motion){w, lw_cross3(s->foot, w)});
    }
    lw_vec3 carried, own;
    const lw_vec3 a = acceleration_of(&foot, lw_add3(s->foot, s->d), &carried);
    const lwi_moving *beyond = &work->branch_moving[legs->first_pose + leg->beyond];
    const lw_vec3 rest = lw_rotate(&s->R, acceleration_of(beyond, s->y, &own));
    const lw_vec3 coriolis = lw_scale3(2.0, lw_cross3(foot.V.ang, lw_rotate(&s->R, own)));
    return lw_add3(a, lw_add3(coriolis, rest));
}

void lwi_legs_bias(const lw_model *m, const lwi_program *program, const lwi_step *step,
                   const lwi_loop_work *work, const double *v, double *bias)
{
    const lwi_step *torn = step->reduced;
    const lwi_legs *legs = torn->legs;
    const int nt = torn->ntarget, n = nt + torn->nsource;
    lwi_moving *moving = &work->branch_moving[legs->first_pose];
    for (int k = 0; k < legs->nbranch; ++k) {
        moving[k] = move_branch(m, &legs->branch[k], work, v);
    }
    for (int k = 0; k < legs->nleg; ++k) {
        const lwi_torn_leg *leg = &legs->leg[k];
        lwi_leg_state *s = &work->leg[legs->first_leg + k];
        const lwi_moving *tip = &moving[leg->tip], *foot = &moving[leg->foot];
        lw_vec3 v0, v1;
        const lw_vec3 a1 = acceleration_of(tip, lw_add3(s->foot, s->d), &v1);
        if (leg->swivel >= 0) {
            s->gain = lw_sub3(a1, end_acceleration(m, program, legs, leg, s, work, v, *foot));
            s->residual = lw_dot3(s->d, s->gain);
        } else {
            const lw_vec3 a0 = acceleration_of(foot, s->foot, &v0), dv = lw_sub3(v1, v0);
            s->residual = lw_dot3(s->d, lw_sub3(a1, a0)) + lw_dot3(dv, dv);
        }
    }
    const double *rows = &work->leg_row[legs->first_row], *A = inverse_of(torn, work);
    double own[LWI_MOST_LEGS];
    for (int t = 0; t < nt; ++t) {
        own[t] = 0.0;
        for (int k = 0; k < nt; ++k) {
            own[t] -= A[t * nt + k] * work->leg[legs->first_leg + k].residual;
        }
    }
    for (int t = 0; t < step->ntarget; ++t) {
        if (legs->kept[t] >= 0) {
            bias[t] = own[legs->kept[t]];
        }
    }
    for (int k = 0; k < legs->nleg; ++k) {
        const lwi_leg_state *s = &work->leg[legs->first_leg + k];
        for (int i = 0; i < 2 && legs->leg[k].swivel >= 0; ++i) {
            const double *row = rows + (3 * k + 1 + i) * n;
            double sum = lw_dot3(s->share[i], s->gain);
            for (int t = 0; t < nt; ++t) {
                sum += row[t] * own[t];
            }
            bias[legs->leg[k].passive[i]] = sum;
        }
    }
}
