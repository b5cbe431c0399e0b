// Inverse kinematics of gantry and cylindrical types: at most three revolute joints, whose angles
// the orientation gives, and prismatic joints, which take what is left of the position. These keep
// their directions in one frame of the chain, so that they are a constant matrix times it.
#include "inverse_solver.h"

enum { SLIDES = 3 };

static bool are_parallel(lw_vec3 a, lw_vec3 b)
{
    return lw_norm3(lw_cross3(a, b)) < 1e-9;
}

// Whether joint k has the same direction before and behind the joints from `from` to `to`.
static bool keeps_direction(const lwi_arm *arm, int k, int from, int to)
{
    bool keeps = true;
    for (int i = from; i < to; ++i) {
        keeps = keeps && (arm->slides[i] || are_parallel(arm->h[i], arm->h[k]));
    }
    return keeps;
}

// The joint whose frame before it has all slides in constant directions; -1 where there is none.
static int common_frame(const lwi_arm *arm)
{
    for (int f = 0; f <= arm->n; ++f) {
        bool is_common = true;
        for (int k = 0; k < arm->n; ++k) {
            is_common = is_common && (!arm->slides[k] || (k < f ? keeps_direction(arm, k, k + 1, f)
                                                                : keeps_direction(arm, k, f, k)));
        }
        if (is_common) {
            return f;
        }
    }
    return -1;
}

static int list_joints(const lwi_arm *arm, bool slides, int at[JOINTS])
{
    int n = 0;
    for (int i = 0; i < arm->n && i < JOINTS; ++i) {
        if (arm->slides[i] == slides) {
            at[n++] = i;
        }
    }
    return n;
}

// What the directions of the slides are multiplied with to give their positions: (H' H)^-1 H' in
// rows. False where they depend on each other.
static bool invert(const lwi_arm *arm, int n, const int at[SLIDES], lw_vec3 row[SLIDES])
{
    const lw_vec3 *h = arm->h;
    if (n == 1) {
        row[0] = h[at[0]];
        return true;
    }
    const lw_vec3 a = h[at[0]], b = h[at[1]];
    const lw_vec3 c = n == 3 ? h[at[2]] : lw_cross3(a, b), bc = lw_cross3(b, c);
    const double volume = lw_dot3(a, bc);
    if (fabs(volume) < 1e-6) {
        return false;
    }
    row[0] = lw_scale3(1.0 / volume, bc);
    row[1] = lw_scale3(1.0 / volume, lw_cross3(c, a));
    row[2] = lw_scale3(1.0 / volume, lw_cross3(a, b));
    return true;
}

bool lwi_slides_of(const lwi_arm *arm)
{
    int turn[JOINTS], slide[JOINTS];
    lw_vec3 row[SLIDES];
    if (arm->n > JOINTS) {
        return false;
    }
    const int nturn = list_joints(arm, false, turn), nslide = list_joints(arm, true, slide);
    bool is_good = nturn <= 3 && nslide >= 1 && nslide <= SLIDES && common_frame(arm) >= 0 &&
                   invert(arm, nslide, slide, row);
    for (int i = 0; i + 1 < nturn; ++i) {
        is_good = is_good && !are_parallel(arm->h[turn[i]], arm->h[turn[i + 1]]);
    }
    return is_good;
}

// A vector across another.
static lw_vec3 across(lw_vec3 h)
{
    const lw_vec3 any = fabs(h.x) < 0.6 ? lw_vec3_of(1.0, 0.0, 0.0) : lw_vec3_of(0.0, 1.0, 0.0);
    return lw_unit3(lw_sub3(any, lw_scale3(lw_dot3(h, any), h)));
}

// R a, where R is the rotation of all joints.
static lwi_vec turned(lwi_solver *a, lw_vec3 x)
{
    const lw_mat3 back = lw_transpose3(&a->arm.X_BT.R);
    return mat_apply(a->g, &a->X.R, number3(a, lw_rotate(&back, x), 1.0));
}

// The angles of at most two revolute joints: R1 h2 = R h2, R2 x2 = R1' R x2 for x2 across h2.
static void set_angles(lwi_solver *a, int n, const int at[JOINTS])
{
    const lw_vec3 *h = a->arm.h;
    const lw_vec3 last = n > 0 ? h[at[n - 1]] : lw_vec3_of(0.0, 0.0, 1.0), x = across(last);
    lwi_vec axis = turned(a, last), side = turned(a, x);
    if (n == 2) {
        pair *q = &a->q[at[0]];
        *q = between(a, h[at[0]], number3(a, last, 1.0), axis, 1.0);
        axis = rotate(a, h[at[0]], opposite(*q), axis);
        side = rotate(a, h[at[0]], opposite(*q), side);
    }
    require_same(a, axis, number3(a, last, 1.0));
    if (n > 0) {
        a->q[at[n - 1]] = between(a, last, number3(a, x, 1.0), side, 1.0);
    } else {
        require_same(a, side, number3(a, x, 1.0));
    }
}

// c + R (p - c) of joint i, or back.
static lwi_vec about_joint(lwi_solver *a, int i, pair q, lwi_vec p)
{
    const lwi_vec c = a->at[i];
    return vec_add(a->g, c, rotate(a, a->arm.h[i], q, vec_sub(a->g, p, c)));
}

// The target and the tip without slides, both seen from the common frame: what is between them.
static void set_slides(lwi_solver *a)
{
    lwi_graph *g = a->g;
    const lwi_arm *arm = &a->arm;
    const int f = common_frame(arm);
    int at[JOINTS];
    lw_vec3 row[SLIDES];
    lwi_vec want = a->X.p, tip = a->tip;
    for (int i = 0; i < f; ++i) {
        want = arm->slides[i] ? want : about_joint(a, i, opposite(a->q[i]), want);
    }
    for (int i = arm->n - 1; i >= f; --i) {
        tip = arm->slides[i] ? tip : about_joint(a, i, a->q[i], tip);
    }
    const int n = list_joints(arm, true, at);
    lwi_vec left = vec_sub(g, want, tip);
    invert(arm, n, at, row);
    const lwi_vec all = left;
    for (int i = 0; i < n; ++i) {
        a->slide[at[i]] = vec_dot(g, number3(a, row[i], 1.0), all);
        const lwi_vec way = vec_scale(g, a->slide[at[i]], number3(a, arm->h[at[i]], 1.0));
        left = vec_sub(g, left, way);
    }
    if (n < SLIDES) { // the rest of the position must fit
        const double tolerance = 1e-12 * a->scale * a->scale;
        require(a, lwi_sub(g, lwi_number(g, tolerance), vec_dot(g, left, left)));
    }
}

void lwi_solve_slides(lwi_solver *a)
{
    int at[JOINTS];
    const int n = list_joints(&a->arm, false, at);
    for (int sign = 1; sign >= (n == 3 ? -1 : 1); sign -= 2) {
        a->is_real = LWI_ONE;
        if (n == 3) {
            const lw_vec3 h = a->arm.h[at[2]], other = a->arm.h[at[1]];
            const lw_vec3 x = lw_unit3(lw_sub3(other, lw_scale3(lw_dot3(h, other), h)));
            lwi_set_wrist(a, at, turned(a, h), turned(a, x), turned(a, lw_cross3(h, x)), sign);
            a->q[at[1]] = unit(a, a->q[at[1]].s, a->q[at[1]].c, 1.0);
            a->q[at[2]] = unit(a, a->q[at[2]].s, a->q[at[2]].c, 1.0);
        } else {
            set_angles(a, n, at);
        }
        set_slides(a);
        lwi_keep_row(a);
    }
}
