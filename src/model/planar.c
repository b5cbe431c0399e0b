// Planar loops with three joints to solve for: two dependent ones and the closing one, each turning
// about the normal of the plane or sliding within it. Everything else in the loop is known, so the
// loop is e0 F1 e1 F2 e2 F0 = 1 with known poses F between the joints e.
//
//   three turning         the distances between their axes make a triangle
//   two turning, one slide   the axes keep their distance: a quadratic in the slide
//   one turning, two slides  the turn is that of the rest, the slides are linear
//
// Where two turning joints are left, Rz(a) G Rz(b) = H gives both from one vector and one angle.
#include "joint.h"
#include "loop.h"
#include "loop_parts.h"

enum { THREE = 3 };

typedef struct element {
    lw_pose F; ///< from the joint before to this one's frame at rest
    bool is_slide;
    double sign; ///< -1 where the loop runs through the joint backwards
    int q;       ///< tree position, or -1 for the closing joint
    double value;
} element;

static lw_pose rest_of(const lwi_body *body)
{
    const lw_pose one = lw_pose_identity();
    return joint_frame_after(body, &one);
}

static bool is_target(const lwi_step *step, int v)
{
    return v == step->target[0] || v == step->target[1];
}

// Walks once around the loop: down the first branch, through the closing joint, up the second.
static int find_elements(const lw_model *m, const lwi_loop *loop, const lwi_step *step,
                         const double *q, element e[THREE])
{
    const lw_pose one = lw_pose_identity();
    lw_pose X = one;
    int n = 0;
    for (int k = 0; k < loop->npath[0]; ++k) {
        const int i = loop->path[0][k];
        const lwi_body *body = &m->kernel->body[i];
        X = joint_frame_after(body, &X);
        if (is_target(step, body->v)) {
            e[n++] = (element){X, body->carrier == LW_TREE_PRISMATIC, 1.0, body->q, 0.0};
            X = one;
        } else {
            X = joint_pose_after(m, i, q, &X);
        }
    }
    X = lw_pose_mul(&X, &loop->X[0]);
    e[n++] = (element){X, loop->type == LW_JOINT_PRISMATIC, 1.0, -1, 0.0};
    X = lw_pose_inverse(&loop->X[1]);
    for (int k = loop->npath[1] - 1; k >= 0; --k) {
        const int i = loop->path[1][k];
        const lwi_body *body = &m->kernel->body[i];
        if (is_target(step, body->v)) {
            e[n++] = (element){X, body->carrier == LW_TREE_PRISMATIC, -1.0, body->q, 0.0};
            X = one;
        } else {
            const lw_pose J = joint_pose_after(m, i, q, &one), back = lw_pose_inverse(&J);
            X = lw_pose_mul(&X, &back);
        }
        const lw_pose rest = rest_of(body), back = lw_pose_inverse(&rest);
        X = lw_pose_mul(&X, &back);
    }
    e[0].F = lw_pose_mul(&X, &e[0].F);
    return n;
}

static double angle_about_z(const lw_mat3 *R)
{
    return atan2(R->row[1].x, R->row[0].x);
}

static lw_pose turned(double angle)
{
    lw_pose X = lw_pose_identity();
    X.R = turn_columns(&X.R, cos(angle), sin(angle));
    return X;
}

// Rz(a) G Rz(b) = H
static void solve_two_turns(const lw_pose *G, const lw_pose *H, double *a, double *b)
{
    const lw_vec3 g = G->p, h = H->p;
    *a = atan2(g.x * h.y - g.y * h.x, g.x * h.x + g.y * h.y);
    const lw_pose turn = turned(*a), left = lw_pose_mul(&turn, G), back = lw_pose_inverse(&left);
    const lw_pose rest = lw_pose_mul(&back, H);
    *b = angle_about_z(&rest.R);
}

// e[0] and e[2] are left once e[1] is known to be the pose `middle`: e0 (F1 e1 F2) e2 = F0^-1.
static void solve_outer(element *e0, const element *e1, element *e2, const lw_pose *middle)
{
    lw_pose G = lw_pose_mul(&e1->F, middle);
    G = lw_pose_mul(&G, &e2->F);
    const lw_pose H = lw_pose_inverse(&e0->F);
    solve_two_turns(&G, &H, &e0->value, &e2->value);
}

static double length_across_z(lw_vec3 p)
{
    return hypot(p.x, p.y);
}

// The middle joint of three that turn: its two neighbours' axes lie at a and at Rz b, and are as
// far from each other as the pose between them says.
static bool solve_triangle(element e[THREE], int branch, double *gap)
{
    const lw_pose back = lw_pose_inverse(&e[1].F);
    const lw_vec3 a = back.p, b = e[2].F.p;
    const double third = length_across_z(e[0].F.p);
    const double la = length_across_z(a), lb = length_across_z(b);
    const double A = -2.0 * (a.x * b.x + a.y * b.y), B = -2.0 * (a.y * b.x - a.x * b.y);
    const double C = la * la + lb * lb - third * third;
    if (!lwi_solve_cosine(A, B, C, branch, &e[1].value)) {
        *gap = third > la + lb ? third - la - lb : fabs(la - lb) - third;
        return false;
    }
    const lw_pose middle = turned(e[1].value);
    solve_outer(&e[0], &e[1], &e[2], &middle);
    return true;
}

// The slide e[1] between two joints that turn: e0 F1 e1 F2 e2 F0 = 1. Axis 2 lies at F2.p beyond
// the slide, axis 0 at F1^-1 before it.
static bool solve_slide(element e[THREE], int branch, double *gap)
{
    const lw_pose back = lw_pose_inverse(&e[1].F);
    const lw_vec3 normal = column_z(&e[2].F.R);
    const lw_vec3 d = lw_sub3(e[2].F.p, back.p);
    const double off = lw_dot3(d, normal), third = length_across_z(e[0].F.p);
    const double c = lw_dot3(d, d) - off * off - third * third;
    if (!lwi_solve_square(d.z, c, branch, &e[1].value)) {
        *gap = sqrt(fmax(0.0, lw_dot3(d, d) - off * off - d.z * d.z)) - third;
        return false;
    }
    lw_pose middle = lw_pose_identity();
    middle.p.z = e[1].value;
    solve_outer(&e[0], &e[1], &e[2], &middle);
    return true;
}

// One joint turns, e[0]; the slides e[1] and e[2] make up for what it leaves.
static bool solve_two_slides(element e[THREE], double *gap)
{
    const lw_mat3 R12 = lw_mul3(&e[1].F.R, &e[2].F.R), R = lw_mul3(&R12, &e[0].F.R);
    e[0].value = -angle_about_z(&R);
    // In the frame behind the turn: F1.p + s1 z1 + R1 F2.p + s2 z2 + R12 F0.p = 0 within the plane.
    const lw_vec3 z1 = column_z(&e[1].F.R), z2 = column_z(&R12);
    const lw_vec3 t =
        lw_add3(e[1].F.p, lw_add3(lw_rotate(&e[1].F.R, e[2].F.p), lw_rotate(&R12, e[0].F.p)));
    const double det = z1.x * z2.y - z1.y * z2.x;
    if (!(fabs(det) > 1e-12)) {
        *gap = 0.0;
        return false;
    }
    e[1].value = (z2.x * t.y - z2.y * t.x) / det;
    e[2].value = (z1.y * t.x - z1.x * t.y) / det;
    return true;
}

// Turns the cycle until the joint that is alone of its kind stands where its solution wants it.
static void rotate_elements(element e[THREE], int by)
{
    const element copy[THREE] = {e[0], e[1], e[2]};
    for (int k = 0; k < THREE; ++k) {
        e[k] = copy[(k + by) % THREE];
    }
}

lw_status lwi_planar_position(const lw_model *m, const lwi_loop *loop, const lwi_step *step,
                              double *q, lwi_closure_fault *fault)
{
    element e[THREE + 1];
    find_elements(m, loop, step, q, e);
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
        if (e[k].q >= 0) {
            const double value = e[k].sign * e[k].value;
            q[e[k].q] = e[k].is_slide ? value : lwi_near(value, m->tree_q_reference[e[k].q]);
        }
    }
    return LW_OK;
}
