// Geometry of loops over the scalar of ../math/real.h: rows of the constraints on velocities, their
// bias, and the elimination that converts them into the rates of the dependent degrees of freedom.
//
// In the frame C of the common body, spatial vectors about its origin: a degree of freedom moves
// all beyond it by S, so along a branch V += S v and, at zero accelerations, A += V x S v. The
// constraint sees the motion of the second end frame against the first one, in the axes of the
// first:
//
//   rotation w, velocity u of the point at its origin, and for its own point p: u + w x p.
#ifndef LWI_LOOP_KERNEL_H
#define LWI_LOOP_KERNEL_H

#include "../math/real.h"
#include "../math/sincos.h"
#include "../model/kernel.h"
#include "../model/scalar_program.h"

#include <string.h>

// The tree whose loops these are.
#if defined(LWI_REAL_FLOAT)
typedef struct loop_model {
    const lwi_segment32 *segment; ///< [nbody]
    const lwi_place32 *X_PJ;      ///< [nbody] as in lw_model
} loop_model;
typedef lwi_segment32 loop_segment;

static inline const loop_segment *loop_body(const loop_model *m, int i)
{
    return &m->segment[i];
}
#else
typedef lw_model loop_model;
typedef lwi_segment loop_segment;

static inline const loop_segment *loop_body(const loop_model *m, int i)
{
    return &m->kernel->segment[i];
}
#endif

typedef struct loop_pose {
    mat3 R;
    vec3 p;
} loop_pose;

typedef struct loop_motion {
    vec3 ang, lin;
} loop_motion;

/// The end of one branch: where it is and how it moves, in the frame of the common body.
typedef struct loop_end {
    loop_pose X;
    loop_motion V, A;
} loop_end;

static inline vec3 constant_of(constant3 a)
{
    return (vec3){real_of(a.x), real_of(a.y), real_of(a.z)};
}

static inline loop_pose loop_pose_of(const constant_pose *X)
{
    return (loop_pose){
        {{constant_of(X->R.row[0]), constant_of(X->R.row[1]), constant_of(X->R.row[2])}},
        constant_of(X->p)};
}

static inline loop_pose loop_pose_mul(const loop_pose *X, const loop_pose *Y)
{
    return (loop_pose){mul33(&X->R, &Y->R), add3(X->p, mul3(&X->R, Y->p))};
}

static inline vec3 loop_column(const mat3 *R, int k)
{
    const real *r[] = {&R->row[0].x, &R->row[1].x, &R->row[2].x};
    return (vec3){r[0][k], r[1][k], r[2][k]};
}

static inline loop_motion motion_zero(void)
{
    const vec3 zero = {real_of(0), real_of(0), real_of(0)};
    return (loop_motion){zero, zero};
}

static inline loop_motion motion_axpy(real s, loop_motion a, loop_motion b)
{
    return (loop_motion){add3(scale3(s, a.ang), b.ang), add3(scale3(s, a.lin), b.lin)};
}

static inline loop_motion motion_sub(loop_motion a, loop_motion b)
{
    return (loop_motion){sub3(a.ang, b.ang), sub3(a.lin, b.lin)};
}

static inline loop_motion motion_cross(loop_motion a, loop_motion b)
{
    return (loop_motion){cross3(a.ang, b.ang), add3(cross3(a.ang, b.lin), cross3(a.lin, b.ang))};
}

static inline vec3 velocity_at(loop_motion V, vec3 p)
{
    return add3(V.lin, cross3(V.ang, p));
}

static inline mat3 loop_rotate(const mat3 *R, real c, real s)
{
    mat3 T;
    for (int r = 0; r < 3; ++r) {
        T.row[r] = rotate_back_z(c, s, R->row[r]);
    }
    return T;
}

// User joints are callbacks in double; another scalar has its own way to refuse them.
static void loop_user_joint(const loop_model *m, int i, const real *q, loop_pose *X,
                            loop_motion *S);
static void loop_user_bias(const loop_model *m, int i, const real *q, const real *v,
                           const loop_pose *X, loop_motion *A);

/// Body i in C, from its parent there (NULL: that is C); and the motions S of its degrees of
/// freedom. Returns their number.
static int loop_joint(const loop_model *m, int i, const real *q, const loop_pose *X_CP,
                      loop_pose *X_CB, loop_motion S[LW_MAX_DOF])
{
    const loop_segment *body = loop_body(m, i);
    loop_pose X = loop_pose_of(&m->X_PJ[i]);
    if (X_CP) {
        X.p = add3(mul3(&X_CP->R, X.p), X_CP->p);
        X.R = body->is_shifted ? X_CP->R : mul33(&X_CP->R, &X.R);
    }
    const vec3 z = loop_column(&X.R, 2);
    const vec3 zero = motion_zero().ang;
    q += body->q;
    real s, c;
    switch (body->carrier) {
    case LW_TREE_REVOLUTE:
        sincos_real(q[0], &s, &c);
        X.R = loop_rotate(&X.R, c, s);
        S[0] = (loop_motion){z, cross3(X.p, z)};
        break;
    case LW_TREE_PRISMATIC:
        X.p = add3(X.p, scale3(q[0], z));
        S[0] = (loop_motion){zero, z};
        break;
    case LW_TREE_SCREW:
        sincos_real(q[0], &s, &c);
        X.R = loop_rotate(&X.R, c, s);
        X.p = add3(X.p, scale3(body->lead * q[0], z));
        S[0] = (loop_motion){z, add3(cross3(X.p, z), scale3(real_of(body->lead), z))};
        break;
    case LW_TREE_SPHERICAL:
    case LW_TREE_FREE: {
        const bool is_free = body->carrier == LW_TREE_FREE;
        loop_pose own = {rotation_of_quaternion(is_free ? q + 3 : q), zero};
        if (is_free) {
            own.p = (vec3){q[0], q[1], q[2]};
        }
        X = loop_pose_mul(&X, &own);
        for (int k = 0; k < 3; ++k) {
            const vec3 axis = loop_column(&X.R, k);
            S[k] = (loop_motion){axis, cross3(X.p, axis)};
            S[3 + k] = (loop_motion){zero, axis};
        }
        break;
    }
    default:
        loop_user_joint(m, i, q, &X, S);
        break;
    }
    *X_CB = X;
    return body->nv;
}

/// Walks one branch of a loop. S gets the motions of its degrees of freedom, in path order; returns
/// how many. v may be NULL: then only poses and motions are found.
static int loop_branch(const loop_model *m, const closure_loop *loop, int side, const real *q,
                       const real *v, loop_motion *S, loop_end *end)
{
    const vec3 x = {real_of(1), real_of(0), real_of(0)}, y = {x.y, x.x, x.y}, z = {x.y, x.y, x.x};
    loop_pose X = {{{x, y, z}}, motion_zero().ang};
    int n = 0;
    end->V = motion_zero();
    end->A = end->V;
    for (int k = 0; k < loop->npath[side]; ++k) {
        const int i = loop->path[side][k];
        const int nv = loop_joint(m, i, q, k > 0 ? &X : NULL, &X, &S[n]);
        if (v) {
            loop_motion own = motion_zero();
            for (int j = 0; j < nv; ++j) {
                own = motion_axpy(v[loop_body(m, i)->v + j], S[n + j], own);
            }
            end->A = motion_axpy(real_of(1), motion_cross(end->V, own), end->A);
            if (loop_body(m, i)->carrier == LW_TREE_USER) {
                loop_user_bias(m, i, q, v, &X, &end->A);
            }
            end->V = motion_axpy(real_of(1), own, end->V);
        }
        n += nv;
    }
    const loop_pose X_BE = loop_pose_of(&loop->X[side]);
    end->X = loop_pose_mul(&X, &X_BE);
    return n;
}

/// What a constraint sees: the second end frame from the first one.
typedef struct loop_view {
    loop_pose X; ///< where it is
    vec3 w, u;   ///< how it moves
    vec3 dw, du; ///< the rates of these at zero accelerations
} loop_view;

static loop_view loop_look(const loop_end end[2])
{
    const mat3 *R = &end[0].X.R;
    const vec3 p = end[0].X.p;
    const loop_motion V = motion_sub(end[1].V, end[0].V);
    const loop_motion A = motion_sub(motion_sub(end[1].A, end[0].A), motion_cross(end[0].V, V));
    loop_view view;
    for (int r = 0; r < 3; ++r) {
        view.X.R.row[r] = transpose_mul3(&end[1].X.R, loop_column(R, r));
    }
    view.X.p = transpose_mul3(R, sub3(end[1].X.p, p));
    view.w = transpose_mul3(R, V.ang);
    view.u = transpose_mul3(R, velocity_at(V, p));
    view.dw = transpose_mul3(R, A.ang);
    view.du = transpose_mul3(R, velocity_at(A, p));
    return view;
}

/// The rates of all that constraints are made of, for rotation w and velocity u of the second frame
/// against the first: of its z axis, of its origin.
typedef struct loop_rate {
    vec3 w, z, p;
} loop_rate;

static inline loop_rate loop_rate_of(const loop_view *view, vec3 w, vec3 u)
{
    const vec3 z = loop_column(&view->X.R, 2);
    return (loop_rate){w, cross3(w, z), add3(u, cross3(w, view->X.p))};
}

/// Picks the rows of a joint type from rates, or from residuals written the same way.
static int loop_pick(const closure_loop *loop, const loop_rate *r, real row[LWI_MOST_ROWS])
{
    int n = 0;
    switch (loop->type) {
    case LW_JOINT_FIXED:
    case LW_JOINT_PRISMATIC:
        row[n++] = r->w.x;
        row[n++] = r->w.y;
        row[n++] = r->w.z;
        break;
    case LW_JOINT_UNIVERSAL:
        row[n++] = r->z.z;
        break;
    case LW_JOINT_SPHERICAL:
        break;
    default:
        row[n++] = r->z.x;
        row[n++] = r->z.y;
        break;
    }
    if (loop->type != LW_JOINT_PLANAR) {
        row[n++] = r->p.x;
        row[n++] = r->p.y;
    }
    if (loop->type == LW_JOINT_SCREW) {
        row[n++] = r->p.z - loop->lead * r->w.z;
    } else if (loop->type != LW_JOINT_PRISMATIC && loop->type != LW_JOINT_CYLINDRICAL) {
        row[n++] = r->p.z;
    }
    return n;
}

static inline number number_max(number a, number b)
{
    return a < b ? b : a;
}

static inline number loop_square(vec3 a)
{
    const number x = number_size(a.x), y = number_size(a.y), z = number_size(a.z);
    return x * x + y * y + z * z;
}

/// What the entries of the rows of a closing joint are at most, with arms of this length: 1 for
/// those of rotation, the arm for those of distances.
static void loop_largest(const closure_loop *loop, number arm, number row[LWI_MOST_ROWS])
{
    // Written the way of a rate, so that the rows of rotation and of distances find their own. A
    // screw has no row of rotation alone, and its lead is part of the arm.
    const real one = real_of(loop->type == LW_JOINT_SCREW ? 0 : 1), z = real_of(1);
    const real p = real_of(arm);
    const loop_rate largest = {{one, one, one}, {z, z, z}, {p, p, p}};
    real at[LWI_MOST_ROWS];
    const int nrow = loop_pick(loop, &largest, at);
    for (int r = 0; r < nrow; ++r) {
        row[r] = number_size(at[r]);
    }
}

/// How far a degree of freedom moves the end of its branch at a rate of one, squared: of a slide at
/// a rate of the loop's size.
static inline number loop_arm2(const closure_loop *loop, const loop_motion *S, vec3 velocity)
{
    const bool is_slide = loop_square(S->ang) == 0;
    return loop_square(velocity) * (is_slide ? loop->size * loop->size : 1);
}

/// Adds the rows of one loop, whose branches end at X, to the matrix of its step; `at` is the first
/// of them there. S are the motions of its n degrees of freedom, n0 of them on the first branch.
/// With `scale` [nrow], what the entries of each row would be where they are largest: 1 for those
/// of rotation, the longest arm for those of distances, and for a rod that arm times the rod.
/// Against these an entry is an angle.
static void loop_rows_at(const closure_loop *loop, const loop_pose *X0, const loop_pose *X1,
                         const loop_motion *S, int n0, int n, real *at, int ncolumn, number *scale)
{
    const vec3 p0 = X0->p, p1 = X1->p, d = sub3(p1, p0), z = loop_column(&X1->R, 2);
    const bool has_rotation = loop->type == LW_JOINT_FIXED || loop->type == LW_JOINT_PRISMATIC ||
                              loop->type == LW_JOINT_SCREW;
    number arm2 = 0;
    for (int k = 0; k < n; ++k) {
        real row[LWI_MOST_ROWS];
        vec3 velocity = velocity_at(S[k], k < n0 && loop->is_rod ? p0 : p1);
        int nrow = 1;
        if (loop->is_rod) {
            row[0] = dot3(d, velocity);
        } else {
            velocity = transpose_mul3(&X0->R, velocity);
            const loop_rate rate = {has_rotation ? transpose_mul3(&X0->R, S[k].ang) : S[k].ang,
                                    transpose_mul3(&X0->R, cross3(S[k].ang, z)), velocity};
            nrow = loop_pick(loop, &rate, row);
        }
        for (int r = 0; r < nrow; ++r) {
            at[r * ncolumn + loop->column[k]] += k < n0 ? -row[r] : row[r];
        }
        arm2 = number_max(arm2, loop_arm2(loop, &S[k], velocity));
    }
    if (scale && loop->is_rod) {
        scale[0] = number_root(arm2 * loop_square(d));
    } else if (scale) {
        loop_largest(loop, number_root(arm2), scale);
    }
}

/// The second derivatives of the residuals of a loop at zero accelerations, `apart` numbers apart.
static void loop_bias_at(const closure_loop *loop, const loop_end end[2], real *out, int apart)
{
    if (loop->is_rod) {
        const vec3 p0 = end[0].X.p, p1 = end[1].X.p, d = sub3(p1, p0);
        const vec3 v0 = velocity_at(end[0].V, p0), v1 = velocity_at(end[1].V, p1);
        const vec3 a0 = add3(velocity_at(end[0].A, p0), cross3(end[0].V.ang, v0));
        const vec3 a1 = add3(velocity_at(end[1].A, p1), cross3(end[1].V.ang, v1));
        const vec3 dv = sub3(v1, v0);
        out[0] = dot3(d, sub3(a1, a0)) + dot3(dv, dv);
        return;
    }
    // Of the z axis dw x z + w x (w x z), of the origin du + dw x p + w x dp.
    const loop_view view = loop_look(end);
    const loop_rate rate = loop_rate_of(&view, view.w, view.u);
    loop_rate bias = loop_rate_of(&view, view.dw, view.du);
    bias.z = add3(bias.z, cross3(view.w, rate.z));
    bias.p = add3(bias.p, cross3(view.w, rate.p));
    real row[LWI_MOST_ROWS];
    const int nrow = loop_pick(loop, &bias, row);
    for (int r = 0; r < nrow; ++r) {
        out[r * apart] = row[r];
    }
}

/// Adds the rows of one loop at q to the matrix of its step, from row `first` on. v null: no bias.
/// Returns how many motions it left in S.
static inline int loop_rows(const loop_model *m, const closure_loop *loop, const real *q,
                            const real *v, loop_motion *S, real *matrix, int ncolumn, int first,
                            number *scale)
{
    loop_end end[2];
    const int n0 = loop_branch(m, loop, 0, q, v, S, &end[0]);
    const int n = n0 + loop_branch(m, loop, 1, q, v, S + n0, &end[1]);
    real *at = matrix + first * ncolumn;
    loop_rows_at(loop, &end[0].X, &end[1].X, S, n0, n, at, ncolumn, scale);
    if (v) {
        loop_bias_at(loop, end, at + ncolumn - 1, ncolumn);
    }
    return n;
}

/// The rows of a step's gears, from row `row` on.
static void loop_gears(const closure_step *step, int row, real *matrix, number *scale)
{
    const int ncolumn = step->ntarget + step->nsource + 1;
    for (int g = 0; g < step->ngear; ++g, ++row) {
        number largest = 0;
        for (int c = 0; c < ncolumn - 1; ++c) {
            matrix[row * ncolumn + c] = real_of(step->gear_row[g * ncolumn + c]);
            largest = number_max(largest, number_size(step->gear_row[g * ncolumn + c]));
        }
        if (scale) {
            scale[row] = largest;
        }
    }
}

/// The matrix of a step, laid out as in lwi_step: the rows of all its loops, then those of its
/// gears. v and `scale` as above; both may be NULL.
static inline void loop_fill(const loop_model *m, const closure_loop *loops,
                             const closure_step *step, const real *q, const real *v, loop_motion *S,
                             real *matrix, number *scale)
{
    const int ncolumn = step->ntarget + step->nsource + 1;
    memset(matrix, 0, (size_t)(step->nrow * ncolumn) * sizeof *matrix);
    int row = 0;
    for (int k = 0; k < step->nloop; ++k) {
        const closure_loop *loop = &loops[step->loop[k]];
        S += loop_rows(m, loop, q, v, S, matrix, ncolumn, row, scale ? scale + row : NULL);
        row += loop->nrow;
    }
    loop_gears(step, row, matrix, scale);
}

/// Solves the first n columns of a matrix for the others, which become -(inverse) times themselves
/// in the first n rows. Rows beyond n are redundant; the largest entries lead. The factors stay in
/// the first n columns, and `pivot` [n], where it is not NULL, has the rows that were exchanged.
/// Returns the column that has no pivot above `least`, or -1.
static int loop_eliminate(real *matrix, int nrow, int ncolumn, int n, number least, int *pivot)
{
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int r = k + 1; r < nrow; ++r) {
            best = number_size(matrix[r * ncolumn + k]) > number_size(matrix[best * ncolumn + k])
                       ? r
                       : best;
        }
        real *top = matrix + k * ncolumn, *leader = matrix + best * ncolumn;
        if (k >= nrow || !(number_size(leader[k]) > least)) {
            return k;
        }
        if (pivot) {
            pivot[k] = best;
        }
        for (int c = 0; c < ncolumn && best != k; ++c) {
            const real swap = top[c];
            top[c] = leader[c];
            leader[c] = swap;
        }
        const real inverse = 1 / top[k];
        for (int r = k + 1; r < nrow; ++r) {
            real *row = matrix + r * ncolumn;
            const real factor = row[k] * inverse;
            row[k] = factor;
            for (int c = k + 1; c < ncolumn; ++c) {
                row[c] -= factor * top[c];
            }
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        real *row = matrix + k * ncolumn;
        for (int j = k + 1; j < n; ++j) {
            for (int c = n; c < ncolumn; ++c) {
                row[c] += row[j] * matrix[j * ncolumn + c]; // those below are negative already
            }
        }
        const real share = -1 / row[k];
        for (int c = n; c < ncolumn; ++c) {
            row[c] *= share;
        }
    }
    return -1;
}

#endif
