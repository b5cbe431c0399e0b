// Positions in planar loops: rods, and loops with three joints to solve for.
#include "plane.h"

#include "../math/sincos.h"
#include "loop_parts.h"

// A pose within the plane.
typedef struct pose2 {
    double c, s;
    lwi_vec2 p;
} pose2;

static const pose2 unmoved = {1.0, 0.0, {0.0, 0.0}};

static inline lwi_vec2 turn(const pose2 *X, lwi_vec2 a)
{
    return (lwi_vec2){X->c * a.x - X->s * a.y, X->s * a.x + X->c * a.y};
}

static inline lwi_vec2 apply(const pose2 *X, lwi_vec2 a)
{
    const lwi_vec2 b = turn(X, a);
    return (lwi_vec2){X->p.x + b.x, X->p.y + b.y};
}

static inline pose2 times(const pose2 *X, const pose2 *Y)
{
    return (pose2){X->c * Y->c - X->s * Y->s, X->s * Y->c + X->c * Y->s, apply(X, Y->p)};
}

static inline pose2 inverse(const pose2 *X)
{
    const pose2 back = {X->c, -X->s, {0.0, 0.0}};
    const lwi_vec2 p = turn(&back, X->p);
    return (pose2){back.c, back.s, {-p.x, -p.y}};
}

static inline double dot(lwi_vec2 a, lwi_vec2 b)
{
    return a.x * b.x + a.y * b.y;
}

static inline double cross(lwi_vec2 a, lwi_vec2 b)
{
    return a.x * b.y - a.y * b.x;
}

static inline lwi_vec2 minus(lwi_vec2 a, lwi_vec2 b)
{
    return (lwi_vec2){a.x - b.x, a.y - b.y};
}

// Walks along a branch from the pose X, whose direction is `angle`.
static void walk(const lwi_plane_side *side, int from, int to, const double *q, pose2 *X,
                 double *angle, lwi_plane_record *record)
{
    for (int k = from; k < to; ++k) {
        const lwi_plane_joint *joint = &side->joint[k];
        X->p = apply(X, joint->offset);
        record[k].p = X->p;
        if (joint->is_slide) {
            record[k].dir = turn(X, joint->slide);
            X->p.x += q[joint->q] * record[k].dir.x;
            X->p.y += q[joint->q] * record[k].dir.y;
        } else {
            *angle += joint->sign * q[joint->q];
            sincos_real(*angle, &X->s, &X->c);
        }
    }
}

static void set_end(const lwi_plane_side *side, const pose2 *X, lwi_plane_record *end)
{
    end->p = apply(X, side->end);
    end->dir = turn(X, side->along);
}

static lwi_plane_record *records(const lwi_plane *plane, const lwi_loop_work *work, int side)
{
    return work->plane + plane->first + (side ? plane->side[0].n : 0);
}

static lwi_plane_record *ends(const lwi_plane *plane, const lwi_loop_work *work)
{
    return work->plane + plane->first + plane->side[0].n + plane->side[1].n;
}

// a cos + b sin = c with branch 1 or -1; false where there is no solution.
static bool solve_turn(double a, double b, double c, double branch, double *cosine, double *sine)
{
    const double size2 = a * a + b * b;
    const double rest = size2 - c * c;
    // A hair beyond the end of the reach is rounding: the two branches meet there.
    if (!(rest >= -2e-14 * size2) || size2 == 0.0) {
        return false;
    }
    const double w = branch * sqrt(rest > 0.0 ? rest : 0.0), inverse_size2 = 1.0 / size2;
    *cosine = (a * c - b * w) * inverse_size2;
    *sine = (b * c + a * w) * inverse_size2;
    return true;
}

// The rod ties the end of the branch beyond the joint, at y in its moving frame, to the point O:
// |P + Rot y - O|^2 = L^2, which is (O - P).Rot y = (|O - P|^2 + |y|^2 - L^2) / 2 for a joint that
// turns, and a quadratic for one that slides.
lw_status lwi_plane_rod(const lw_model *m, const lwi_plane *plane, const lwi_step *step,
                        const lwi_loop_work *work, double *q, lwi_closure_fault *fault)
{
    const int own = step->side, at = step->at;
    const lwi_plane_side *side = &plane->side[own], *other = &plane->side[1 - own];
    const lwi_plane_joint *joint = &side->joint[at];
    lwi_plane_record *record = records(plane, work, own), *end = ends(plane, work);
    pose2 X = unmoved, Y = unmoved, Z = unmoved;
    double angle = 0.0, other_angle = 0.0, beyond = 0.0;
    walk(other, 0, other->n, q, &Y, &other_angle, records(plane, work, 1 - own));
    set_end(other, &Y, &end[1 - own]);
    walk(side, 0, at, q, &X, &angle, record);
    lwi_vec2 y = side->end;
    if (at + 1 < side->n) {
        walk(side, at + 1, side->n, q, &Z, &beyond, record);
        y = apply(&Z, y);
    }
    const lwi_vec2 P = apply(&X, joint->offset), O = end[1 - own].p, D = minus(O, P);
    record[at].p = P;
    if (joint->is_slide) {
        const lwi_vec2 w = turn(&X, joint->slide);
        const lwi_vec2 d = minus(turn(&X, y), D);
        double root;
        if (!lwi_solve_square(dot(w, d), dot(d, d) - plane->length2, step->branch, &root)) {
            fault->gap = fabs(cross(w, d)) - sqrt(plane->length2);
            return LW_ERR_LOOP_OPEN;
        }
        q[joint->q] = root;
        record[at].dir = w;
        X.p = (lwi_vec2){P.x + root * w.x, P.y + root * w.y};
    } else {
        const double dd = dot(D, D), yy = dot(y, y);
        const double c = 0.5 * (dd + yy - plane->length2);
        // The branch is that of the joint's own angle in A cos q + B sin q + C = 0, A = -2 D.y.
        if (!solve_turn(dot(D, y), D.y * y.x - D.x * y.y, c, -joint->sign * step->branch, &X.c,
                        &X.s)) {
            const double near = fabs(sqrt(dd) - sqrt(yy)), far = sqrt(dd) + sqrt(yy);
            const double length = sqrt(plane->length2);
            fault->gap = length < near ? near - length : length - far;
            return LW_ERR_LOOP_OPEN;
        }
        X.p = P;
        q[joint->q] =
            lwi_near(joint->sign * (atan2(X.s, X.c) - angle), m->tree_q_reference[joint->q]);
    }
    for (int k = at + 1; k < side->n; ++k) {
        record[k].p = apply(&X, record[k].p);
        record[k].dir = turn(&X, record[k].dir);
    }
    end[own].p = apply(&X, y);
    return LW_OK;
}

enum { THREE = 3 };

// One of the three joints to solve for. Around the loop they follow each other as
// e0 F1 e1 F2 e2 F0 = 1.
typedef struct element {
    pose2 F; ///< from the joint before to this one at zero
    bool is_slide;
    double sign; ///< -1 where the loop runs through the joint backwards or its axis is turned
    lwi_vec2 slide;
    int q;       ///< tree position, or -1 for the closing joint
    pose2 value; ///< what the joint does
    double amount;
} element;

static pose2 shift_by(lwi_vec2 p)
{
    return (pose2){1.0, 0.0, p};
}

static pose2 motion_of(const lwi_plane_joint *joint, const double *q)
{
    pose2 J = unmoved;
    if (joint->is_slide) {
        J.p = (lwi_vec2){q[joint->q] * joint->slide.x, q[joint->q] * joint->slide.y};
    } else {
        sincos_real(joint->sign * q[joint->q], &J.s, &J.c);
    }
    return J;
}

static element element_of(const lwi_plane_joint *joint, const pose2 *F, double way)
{
    return (element){.F = *F,
                     .is_slide = joint->is_slide,
                     .sign = joint->is_slide ? way : way * joint->sign,
                     .slide = joint->slide,
                     .q = joint->q};
}

static bool is_target(const lwi_step *step, int v)
{
    return v == step->target[0] || v == step->target[1];
}

// Down the first branch, through the closing joint, up the second.
static void find_elements(const lwi_plane *plane, const lwi_step *step, const double *q,
                          element e[THREE])
{
    pose2 X = unmoved, J;
    int n = 0;
    for (int k = 0; k < plane->side[0].n; ++k) {
        const lwi_plane_joint *joint = &plane->side[0].joint[k];
        X.p = apply(&X, joint->offset);
        if (is_target(step, joint->v)) {
            e[n++] = element_of(joint, &X, 1.0);
            X = unmoved;
        } else {
            J = motion_of(joint, q);
            X = times(&X, &J);
        }
    }
    const lwi_plane_side *one = &plane->side[0], *two = &plane->side[1];
    X.p = apply(&X, one->end);
    e[n++] =
        (element){.F = X, .is_slide = plane->slides, .sign = 1.0, .slide = one->along, .q = -1};
    X = unmoved;
    if (plane->slides) { // the two directions agree
        X.c = dot(one->along, two->along);
        X.s = cross(two->along, one->along);
    }
    J = shift_by((lwi_vec2){-two->end.x, -two->end.y});
    X = times(&X, &J);
    for (int k = two->n - 1; k >= 0; --k) {
        const lwi_plane_joint *joint = &two->joint[k];
        if (is_target(step, joint->v)) {
            e[n++] = element_of(joint, &X, -1.0);
            X = unmoved;
        } else {
            J = motion_of(joint, q);
            J = inverse(&J);
            X = times(&X, &J);
        }
        J = shift_by((lwi_vec2){-joint->offset.x, -joint->offset.y});
        X = times(&X, &J);
    }
    e[0].F = times(&X, &e[0].F);
}

// e0 and e2 turn, and e1 is known: e0 (F1 e1 F2) e2 = F0^-1. One vector gives e0, the rest e2.
static void solve_outer(element e[THREE])
{
    pose2 G = times(&e[1].F, &e[1].value);
    G = times(&G, &e[2].F);
    const pose2 H = inverse(&e[0].F);
    const double c = dot(G.p, H.p), s = cross(G.p, H.p), size = sqrt(c * c + s * s);
    e[0].value = (pose2){size > 0.0 ? c / size : 1.0, size > 0.0 ? s / size : 0.0, {0.0, 0.0}};
    pose2 rest = times(&e[0].value, &G);
    rest = inverse(&rest);
    e[2].value = times(&rest, &H);
}

// Three that turn: the axes of e0 and e2, at a and at Rot b from that of e1, are as far from each
// other as F0 says.
static bool solve_triangle(element e[THREE], int branch, double *gap)
{
    const lwi_vec2 a = inverse(&e[1].F).p, b = e[2].F.p;
    const double aa = dot(a, a), bb = dot(b, b), third2 = dot(e[0].F.p, e[0].F.p);
    pose2 *value = &e[1].value;
    *value = unmoved;
    if (!solve_turn(dot(a, b), cross(b, a), 0.5 * (aa + bb - third2), branch, &value->c,
                    &value->s)) {
        const double la = sqrt(aa), lb = sqrt(bb), third = sqrt(third2);
        *gap = third > la + lb ? third - la - lb : fabs(la - lb) - third;
        return false;
    }
    solve_outer(e);
    return true;
}

// e1 slides between two that turn, which keep their distance.
static bool solve_slide(element e[THREE], int branch, double *gap)
{
    const lwi_vec2 d = minus(e[2].F.p, inverse(&e[1].F).p);
    const double third2 = dot(e[0].F.p, e[0].F.p);
    if (!lwi_solve_square(dot(e[1].slide, d), dot(d, d) - third2, branch, &e[1].amount)) {
        *gap = fabs(cross(e[1].slide, d)) - sqrt(third2);
        return false;
    }
    e[1].value = shift_by((lwi_vec2){e[1].amount * e[1].slide.x, e[1].amount * e[1].slide.y});
    solve_outer(e);
    return true;
}

// e0 turns by what the rest leaves over, and the slides e1 and e2 are linear.
static bool solve_two_slides(element e[THREE], double *gap)
{
    const pose2 F12 = times(&e[1].F, &e[2].F), F = times(&F12, &e[0].F);
    e[0].value = (pose2){F.c, -F.s, {0.0, 0.0}};
    const lwi_vec2 d1 = turn(&e[1].F, e[1].slide), d2 = turn(&F12, e[2].slide);
    const double det = cross(d1, d2);
    if (!(fabs(det) > 1e-12)) {
        *gap = 0.0;
        return false;
    }
    e[1].amount = cross(d2, F.p) / det;
    e[2].amount = -cross(d1, F.p) / det;
    return true;
}

static void rotate_elements(element e[THREE], int by)
{
    const element copy[THREE] = {e[0], e[1], e[2]};
    for (int k = 0; k < THREE; ++k) {
        e[k] = copy[(k + by) % THREE];
    }
}

lw_status lwi_plane_three(const lw_model *m, const lwi_plane *plane, const lwi_step *step,
                          const lwi_loop_work *work, double *q, lwi_closure_fault *fault)
{
    element e[THREE + 1]; // one spare, so that a walk that finds too many stays within
    find_elements(plane, step, q, e);
    int slides = 0, odd = 0;
    for (int k = 0; k < THREE; ++k) {
        slides += e[k].is_slide;
    }
    for (int k = 0; k < THREE; ++k) {
        odd = e[k].is_slide == (slides == 1) ? k : odd;
    }
    bool is_closed;
    if (slides == 0) {
        is_closed = solve_triangle(e, step->branch, &fault->gap);
    } else if (slides == 1) {
        rotate_elements(e, (odd + 2) % THREE);
        is_closed = solve_slide(e, step->branch, &fault->gap);
    } else {
        rotate_elements(e, odd);
        is_closed = solve_two_slides(e, &fault->gap);
    }
    if (!is_closed) {
        return LW_ERR_LOOP_OPEN;
    }
    for (int k = 0; k < THREE; ++k) {
        if (e[k].q >= 0 && e[k].is_slide) {
            q[e[k].q] = e[k].sign * e[k].amount;
        } else if (e[k].q >= 0) {
            const double angle = e[k].sign * atan2(e[k].value.s, e[k].value.c);
            q[e[k].q] = lwi_near(angle, m->tree_q_reference[e[k].q]);
        }
    }
    for (int side = 0; side < 2; ++side) {
        pose2 X = unmoved;
        double angle = 0.0;
        walk(&plane->side[side], 0, plane->side[side].n, q, &X, &angle, records(plane, work, side));
        set_end(&plane->side[side], &X, &ends(plane, work)[side]);
    }
    return LW_OK;
}

// --- Rates ------------------------------------------------------------------------------------

static inline lwi_vec2 across(lwi_vec2 a)
{
    return (lwi_vec2){-a.y, a.x};
}

// Velocity of the end of a branch for unit rate of one of its joints.
static inline lwi_vec2 unit_velocity(const lwi_plane_joint *joint, const lwi_plane_record *record,
                                     lwi_vec2 end)
{
    if (joint->is_slide) {
        return record->dir;
    }
    const lwi_vec2 arm = minus(end, record->p);
    return (lwi_vec2){-joint->sign * arm.y, joint->sign * arm.x};
}

// The rows of the loop's conditions: one for a rod, two for a closing joint.
static void fill_rows(const lwi_plane *plane, bool is_rod, const lwi_loop_work *work, int ncolumn)
{
    const lwi_plane_record *end = ends(plane, work);
    const lwi_vec2 d = minus(end[1].p, end[0].p), t = across(end[0].dir);
    double *first = work->matrix, *second = work->matrix + ncolumn;
    for (int side = 0; side < 2; ++side) {
        const lwi_plane_record *record = records(plane, work, side);
        const double way = side ? 1.0 : -1.0;
        for (int k = 0; k < plane->side[side].n; ++k) {
            const lwi_plane_joint *joint = &plane->side[side].joint[k];
            const lwi_vec2 v = unit_velocity(joint, &record[k], end[side].p);
            const double w = joint->is_slide ? 0.0 : joint->sign;
            if (is_rod) {
                first[joint->column] = way * dot(d, v);
            } else if (plane->slides) {
                // The directions stay parallel, and the second end on the line of the first.
                first[joint->column] = way * w;
                second[joint->column] = way * dot(t, v) + (side ? 0.0 : w * dot(across(t), d));
            } else {
                first[joint->column] = way * v.x;
                second[joint->column] = way * v.y;
            }
        }
    }
}

// A pivot below this share of the largest entries is a dead centre; see loop.c.
static const double smallest_pivot = 1e-11;

static double largest_of(const double *row, int n)
{
    double largest = 0.0;
    for (int k = 0; k < n; ++k) {
        largest = fabs(row[k]) > largest ? fabs(row[k]) : largest;
    }
    return largest;
}

lw_status lwi_plane_rates(const lwi_plane *plane, const lwi_step *step, const lwi_loop_work *work,
                          double *K, lwi_closure_fault *fault)
{
    const int nt = step->ntarget, ns = step->nsource, ncolumn = nt + ns + 1;
    const double *r0 = work->matrix, *r1 = work->matrix + ncolumn;
    fill_rows(plane, nt == 1, work, ncolumn);
    double *solve = work->plane_solve + 4 * step->plane_solve;
    bool is_singular;
    if (nt == 1) {
        is_singular = !(fabs(r0[0]) > smallest_pivot * largest_of(r0, 1 + ns));
        solve[0] = is_singular ? 0.0 : -1.0 / r0[0];
    } else {
        const double det = r0[0] * r1[1] - r0[1] * r1[0];
        const double size = largest_of(r0, 2 + ns) * largest_of(r1, 2 + ns);
        is_singular = !(fabs(det) > smallest_pivot * size);
        const double inverse_det = is_singular ? 0.0 : -1.0 / det;
        solve[0] = r1[1] * inverse_det;
        solve[1] = -r0[1] * inverse_det;
        solve[2] = -r1[0] * inverse_det;
        solve[3] = r0[0] * inverse_det;
    }
    if (is_singular) {
        fault->loop = step->loop[0];
        fault->freedom = step->target[0];
        return LW_ERR_SINGULAR;
    }
    for (int k = 0; k < ns; ++k) {
        if (nt == 1) {
            K[k] = solve[0] * r0[1 + k];
        } else {
            K[k] = solve[0] * r0[2 + k] + solve[1] * r1[2 + k];
            K[ns + k] = solve[2] * r0[2 + k] + solve[3] * r1[2 + k];
        }
    }
    return LW_OK;
}

// How the end of a branch moves: turning rate, velocity, and acceleration at zero accelerations of
// the joints. Each stretch between two joints turns with the sum of the rates before it, and so
// pulls its outer end inward; a slide adds what turning does to its velocity.
typedef struct end_motion {
    double w;
    lwi_vec2 v, a;
} end_motion;

static end_motion move_end(const lwi_plane_side *side, const lwi_plane_record *record, lwi_vec2 end,
                           const double *v)
{
    end_motion e = {0.0, {0.0, 0.0}, {0.0, 0.0}};
    for (int k = 0; k < side->n; ++k) {
        const lwi_plane_joint *joint = &side->joint[k];
        const double rate = v[joint->v];
        const lwi_vec2 next = k + 1 < side->n ? record[k + 1].p : end;
        const lwi_vec2 step = minus(next, record[k].p);
        if (joint->is_slide) {
            const lwi_vec2 dir = record[k].dir;
            e.v = (lwi_vec2){e.v.x + rate * dir.x, e.v.y + rate * dir.y};
            e.a = (lwi_vec2){e.a.x - 2.0 * e.w * rate * dir.y, e.a.y + 2.0 * e.w * rate * dir.x};
        } else {
            e.w += joint->sign * rate;
        }
        e.v = (lwi_vec2){e.v.x - e.w * step.y, e.v.y + e.w * step.x};
        e.a = (lwi_vec2){e.a.x - e.w * e.w * step.x, e.a.y - e.w * e.w * step.y};
    }
    return e;
}

void lwi_plane_bias(const lwi_plane *plane, const lwi_step *step, const lwi_loop_work *work,
                    const double *v, double *bias)
{
    const lwi_plane_record *end = ends(plane, work);
    end_motion e[2];
    for (int side = 0; side < 2; ++side) {
        e[side] = move_end(&plane->side[side], records(plane, work, side), end[side].p, v);
    }
    const lwi_vec2 d = minus(end[1].p, end[0].p), dv = minus(e[1].v, e[0].v);
    const lwi_vec2 da = minus(e[1].a, e[0].a);
    const double *solve = work->plane_solve + 4 * step->plane_solve;
    if (step->ntarget == 1) {
        bias[0] = solve[0] * (dot(d, da) + dot(dv, dv));
        return;
    }
    lwi_vec2 row = da;
    if (plane->slides) {
        const lwi_vec2 t = across(end[0].dir);
        const double w = e[0].w;
        row = (lwi_vec2){0.0, dot(t, da) + 2.0 * w * dot(across(t), dv) - w * w * dot(t, d)};
    }
    bias[0] = solve[0] * row.x + solve[1] * row.y;
    bias[1] = solve[2] * row.x + solve[3] * row.y;
}
