// Each condition of a closing joint is a product a.b: of axes of the two end frames, or of an axis
// of the first with the way d from one origin to the other. Both factors are carried by bodies, so
// the first and second derivatives of all conditions are those of two vectors.
#include "loops.h"

#include "../model/kernel.h"

// A vector with its rates for u and v, and the rate of the first along v.
typedef struct moving {
    lwi_vec x, u, v, a;
} moving;

lwi_frame lwi_branch(lwi_symbolic *k, const lwi_loop *loop, int side, int from, int to)
{
    lwi_frame X = frame_identity();
    for (int i = from; i < to; ++i) {
        X = i == from ? k->body[loop->path[side][i]].X
                      : frame_mul(k->g, &X, &k->body[loop->path[side][i]].X);
    }
    return X;
}

static lwi_twist twist_zero(void)
{
    return (lwi_twist){vec_zero(), vec_zero()};
}

static lwi_twist twist_axpy(lwi_graph *g, lwi_expr s, lwi_twist a, lwi_twist b)
{
    return (lwi_twist){vec_add(g, vec_scale(g, s, a.ang), b.ang),
                       vec_add(g, vec_scale(g, s, a.lin), b.lin)};
}

static lwi_twist twist_cross(lwi_graph *g, lwi_twist a, lwi_twist b)
{
    return (lwi_twist){vec_cross(g, a.ang, b.ang), vec_add_crosses(g, a.ang, b.lin, a.lin, b.ang)};
}

void lwi_unit_twists(lwi_symbolic *k, const lwi_sym_body *b, const lwi_frame *X,
                     lwi_twist S[LW_MAX_DOF])
{
    lwi_graph *g = k->g;
    for (int j = 0; j < b->nv; ++j) {
        const bool is_one = b->nv == 1;
        const lwi_vec axis = mat_column(&X->R, is_one ? 2 : j % 3);
        const bool slides = is_one ? b->type == LW_TREE_PRISMATIC : j >= 3;
        if (slides) {
            S[j] = (lwi_twist){vec_zero(), axis};
            continue;
        }
        S[j] = (lwi_twist){axis, vec_cross(g, X->p, axis)};
        if (b->type == LW_TREE_SCREW) {
            S[j].lin = vec_add(g, S[j].lin, vec_scale(g, b->lead, axis));
        }
    }
}

// Rates for a branch, all of the tree; NULL for none.
typedef struct rates {
    const lwi_expr *u, *v;
    const lwi_expr *a; ///< beside what u and v make
} rates;

// One branch: its end, and the motions S of its degrees of freedom in path order; returns how many.
static int branch(lwi_symbolic *k, const lwi_loop *loop, int side, const rates *r, lwi_twist *S,
                  lwi_end *end)
{
    const lwi_expr *u = r->u, *v = r->v;
    lwi_graph *g = k->g;
    lwi_frame X = frame_identity();
    int n = 0;
    end->U = end->V = end->A = twist_zero();
    for (int i = 0; i < loop->npath[side]; ++i) {
        const lwi_sym_body *b = &k->body[loop->path[side][i]];
        lwi_twist own[LW_MAX_DOF], own_u = twist_zero();
        X = frame_mul(g, &X, &b->X);
        lwi_unit_twists(k, b, &X, own);
        for (int j = 0; j < b->nv; ++j) {
            if (u) {
                own_u = twist_axpy(g, u[b->v_start + j], own[j], own_u);
                end->V = twist_axpy(g, v[b->v_start + j], own[j], end->V);
            }
            if (r->a) {
                end->A = twist_axpy(g, r->a[b->v_start + j], own[j], end->A);
            }
            if (S) {
                S[n] = own[j];
            }
            ++n;
        }
        const lwi_twist rate = twist_cross(g, end->V, own_u);
        end->A = twist_axpy(g, LWI_ONE, rate, end->A);
        end->U = twist_axpy(g, LWI_ONE, own_u, end->U);
    }
    const lwi_frame at = frame_number(g, &loop->X[side]);
    end->X = frame_mul(g, &X, &at);
    return n;
}

static moving moving_axis(lwi_graph *g, const lwi_end *end, int axis)
{
    const lwi_vec x = mat_column(&end->X.R, axis), w = vec_cross(g, end->V.ang, x);
    return (moving){x, vec_cross(g, end->U.ang, x), w,
                    vec_add_crosses(g, end->A.ang, x, end->U.ang, w)};
}

static moving moving_origin(lwi_graph *g, const lwi_end *end)
{
    const lwi_vec x = end->X.p;
    const lwi_vec v = vec_add(g, end->V.lin, vec_cross(g, end->V.ang, x));
    const lwi_vec a = vec_add(g, end->A.lin, vec_cross(g, end->A.ang, x));
    return (moving){x, vec_add(g, end->U.lin, vec_cross(g, end->U.ang, x)), v,
                    vec_add(g, a, vec_cross(g, end->U.ang, v))};
}

static moving moving_sub(lwi_graph *g, moving a, moving b)
{
    return (moving){vec_sub(g, a.x, b.x), vec_sub(g, a.u, b.u), vec_sub(g, a.v, b.v),
                    vec_sub(g, a.a, b.a)};
}

// Which derivative of a condition.
typedef enum derivative { VALUE, RATE, CURVATURE } derivative;

static lwi_expr product(lwi_graph *g, derivative order, const moving *a, const moving *b)
{
    if (order == VALUE) {
        return vec_dot(g, a->x, b->x);
    }
    if (order == RATE) {
        return vec_add_dots(g, a->u, b->x, a->x, b->u);
    }
    const lwi_expr ends = vec_add_dots(g, a->a, b->x, a->x, b->a);
    const lwi_expr both = vec_add_dots(g, a->u, b->v, a->v, b->u);
    return lwi_add(g, ends, both);
}

// The angle of the second end against the first about its z axis, for screws.
static lwi_expr rotate_about_z(lwi_graph *g, derivative order, const lwi_end end[2])
{
    const moving x0 = moving_axis(g, &end[0], 0), y0 = moving_axis(g, &end[0], 1),
                 x1 = moving_axis(g, &end[1], 0);
    if (order == VALUE) {
        const lwi_expr cosine = product(g, VALUE, &x0, &x1);
        return lwi_atan2(g, product(g, VALUE, &y0, &x1), cosine);
    }
    // With z axes in line: the difference of the turnings along z0, and the rate of that.
    const moving z0 = moving_axis(g, &end[0], 2);
    const lwi_vec w = vec_sub(g, end[1].U.ang, end[0].U.ang);
    if (order == RATE) {
        return vec_dot(g, z0.x, w);
    }
    const lwi_vec dw = vec_sub(g, end[1].A.ang, end[0].A.ang);
    return vec_add_dots(g, z0.x, dw, z0.v, w);
}

lwi_expr lwi_rod_square(lwi_symbolic *k, const lwi_loop *loop)
{
    const lwi_expr length = k->rod_length[loop - k->m->kernel->program->loop];
    return lwi_mul(k->g, length, length);
}

static int conditions(lwi_symbolic *k, const lwi_loop *loop, derivative order, const lwi_end end[2],
                      lwi_expr row[LWI_MOST_ROWS])
{
    lwi_graph *g = k->g;
    const moving o0 = moving_origin(g, &end[0]), o1 = moving_origin(g, &end[1]);
    const moving d = moving_sub(g, o1, o0);
    if (loop->is_rod) {
        row[0] = lwi_scale(g, 0.5, product(g, order, &d, &d));
        if (order == VALUE) {
            row[0] = lwi_sub(g, row[0], lwi_scale(g, 0.5, lwi_rod_square(k, loop)));
        }
        return 1;
    }
    moving e0[3], e1[3];
    for (int i = 0; i < 3; ++i) {
        e0[i] = moving_axis(g, &end[0], i);
        e1[i] = moving_axis(g, &end[1], i);
    }
    int n = 0;
    if (loop->type == LW_JOINT_UNIVERSAL) {
        row[n] = product(g, order, &e0[2], &e1[2]);
        if (order == VALUE) {
            row[n] = lwi_sub(g, row[n], lwi_number(g, loop->cosine));
        }
        ++n;
    } else if (loop->type != LW_JOINT_SPHERICAL) {
        row[n++] = product(g, order, &e0[0], &e1[2]);
        row[n++] = product(g, order, &e0[1], &e1[2]);
    }
    if (loop->type == LW_JOINT_FIXED || loop->type == LW_JOINT_PRISMATIC) {
        row[n++] = product(g, order, &e0[1], &e1[0]);
    }
    if (loop->type != LW_JOINT_PLANAR) {
        row[n++] = product(g, order, &e0[0], &d);
        row[n++] = product(g, order, &e0[1], &d);
    }
    if (loop->type == LW_JOINT_SCREW) {
        const lwi_expr angle = rotate_about_z(g, order, end);
        const lwi_expr along = product(g, order, &e0[2], &d);
        row[n++] = lwi_sub(g, along, lwi_scale(g, loop->lead, angle));
    } else if (loop->type != LW_JOINT_PRISMATIC && loop->type != LW_JOINT_CYLINDRICAL) {
        row[n++] = product(g, order, &e0[2], &d);
    }
    return n;
}

void lwi_loop_values(lwi_symbolic *k, const lwi_loop *loop, lwi_expr *value)
{
    lwi_end end[2];
    for (int side = 0; side < 2; ++side) {
        branch(k, loop, side, &(rates){0}, NULL, &end[side]);
    }
    conditions(k, loop, VALUE, end, value);
}

void lwi_loop_curvature(lwi_symbolic *k, const lwi_loop *loop, const lwi_expr *u, const lwi_expr *v,
                        lwi_expr *value)
{
    lwi_end end[2];
    for (int side = 0; side < 2; ++side) {
        branch(k, loop, side, &(rates){.u = u, .v = v}, NULL, &end[side]);
    }
    conditions(k, loop, CURVATURE, end, value);
}

lwi_vec lwi_loop_bias(lwi_symbolic *k, const lwi_loop *loop, const lwi_expr *u, const lwi_expr *v)
{
    lwi_end end[2];
    for (int side = 0; side < 2; ++side) {
        branch(k, loop, side, &(rates){.u = u, .v = v}, NULL, &end[side]);
    }
    const moving o0 = moving_origin(k->g, &end[0]), o1 = moving_origin(k->g, &end[1]);
    return moving_sub(k->g, o1, o0).a;
}

void lwi_loop_way(lwi_symbolic *k, const lwi_loop *loop, const lwi_expr *v, const lwi_expr *a,
                  lwi_vec way[3])
{
    lwi_end end[2];
    for (int side = 0; side < 2; ++side) {
        branch(k, loop, side, &(rates){.u = v, .v = v, .a = a}, NULL, &end[side]);
    }
    const moving o0 = moving_origin(k->g, &end[0]), o1 = moving_origin(k->g, &end[1]);
    const moving d = moving_sub(k->g, o1, o0);
    way[0] = d.x;
    way[1] = d.u;
    way[2] = d.a;
}

void lwi_loop_screws(lwi_symbolic *k, const lwi_loop *loop, int side, lwi_twist *S, lwi_vec *end)
{
    lwi_end at;
    branch(k, loop, side, &(rates){0}, S, &at);
    *end = at.X.p;
}

static int dofs(const lwi_symbolic *k, const lwi_loop *loop, int side)
{
    int n = 0;
    for (int i = 0; i < loop->npath[side]; ++i) {
        n += k->body[loop->path[side][i]].nv;
    }
    return n;
}

void lwi_loop_gradient(lwi_symbolic *k, const lwi_loop *loop, int ncolumn, lwi_expr *matrix)
{
    const int n0 = dofs(k, loop, 0), n1 = dofs(k, loop, 1);
    lwi_twist *S = lwi_symbolic_alloc(k, n0 + n1, sizeof *S);
    if (!S) {
        return;
    }
    lwi_end end[2];
    branch(k, loop, 0, &(rates){0}, S, &end[0]);
    branch(k, loop, 1, &(rates){0}, S + n0, &end[1]);
    for (int j = 0; j < n0 + n1; ++j) {
        lwi_end moved[2] = {end[0], end[1]};
        lwi_expr row[LWI_MOST_ROWS];
        moved[j < n0 ? 0 : 1].U = S[j];
        const int n = conditions(k, loop, RATE, moved, row);
        for (int r = 0; r < n; ++r) {
            lwi_expr *at = &matrix[r * ncolumn + loop->column[j]];
            *at = lwi_add(k->g, *at, row[r]);
        }
    }
}
