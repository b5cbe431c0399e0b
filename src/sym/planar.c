// Trees whose axes are all parallel, in absolute angles: a second derivation of the same joint
// forces. A body has one angle against the world, and the interaction of two bodies depends on the
// difference of their angles: with l the arm of body i towards body j, and h the first moment of
// body j with all that it carries,
//
//     C = h . Rz(-delta) l,  S = h x Rz(-delta) l,  delta = angle j - angle i
//     moment on j: C a_i - S w_i^2,  moment on i: C a_j + S w_j^2
#include "body_motion.h"

#include <stdlib.h>

/// A body in the plane. Vectors are rotated so that all axes are the world's when all angles are
/// zero.
typedef struct flat {
    int rotating;    ///< the body itself, or the next one inward that rotates; -1: the world
    int carrier;     ///< the next one inward that rotates; -1: the world
    bool is_against; ///< its z points against the world's
    lwi_expr D[4];   ///< the rotation of its axes at angle zero
    lwi_expr angle, w, a;
    lwi_expr arm[2]; ///< from the parent's origin to its own
    lwi_expr at[2];  ///< its origin, from that of the carrier
    lwi_expr own[2]; ///< the same for those it carries: zero if it rotates
    lwi_expr m, h[2], J;
    lwi_expr rise;         ///< acceleration along the world's z
    lwi_expr sliding_mass; ///< mass that slides with it
    lwi_expr moment, force;
} flat;

static bool is_flat(const lwi_sym_tree *tree)
{
    if (tree->gravity.x != LWI_ZERO || tree->gravity.y != LWI_ZERO) {
        return false;
    }
    for (int i = 0; i < tree->nbody; ++i) {
        const lwi_sym_body *b = &tree->body[i];
        if (!lwi_is_parallel(b) || b->q[0] == LWI_UNKNOWN ||
            (b->type != LW_TREE_PRISMATIC && b->type != LW_TREE_REVOLUTE) ||
            (b->rest.R.row[2].z != LWI_ONE && b->rest.R.row[2].z != lwi_neg(LWI_ONE)) ||
            lwi_is_loaded(b)) {
            return false;
        }
    }
    return true;
}

static void rotate2(lwi_graph *g, const lwi_expr D[4], const lwi_expr x[2], lwi_expr out[2])
{
    for (int k = 0; k < 2; ++k) {
        out[k] = lwi_add_products(g, D[2 * k], x[0], D[2 * k + 1], x[1]);
    }
}

static lwi_expr dot2(lwi_graph *g, const lwi_expr a[2], const lwi_expr b[2])
{
    return lwi_add_products(g, a[0], b[0], a[1], b[1]);
}

static lwi_expr by_sign(const flat *f, lwi_expr a)
{
    return f->is_against ? lwi_neg(a) : a;
}

/// Position and rotation of a body, from its parent.
static void place(lwi_graph *g, const lwi_sym_body *body, int i, const flat *parent, flat *f)
{
    f->is_against = parent->is_against != (body->rest.R.row[2].z != LWI_ONE);
    for (int k = 0; k < 4; ++k) {
        const int row = k / 2, column = k % 2;
        f->D[k] = lwi_add_products(g, parent->D[2 * row], body->rest.R.row[0].e[column],
                                   parent->D[2 * row + 1], body->rest.R.row[1].e[column]);
    }
    rotate2(g, parent->D, body->rest.p.e, f->arm);
    for (int k = 0; k < 2; ++k) {
        f->at[k] = lwi_add(g, parent->own[k], f->arm[k]);
        f->own[k] = body->type == LW_TREE_REVOLUTE ? LWI_ZERO : f->at[k];
    }
    rotate2(g, f->D, body->own.first.e, f->h);
    f->m = f->sliding_mass = body->own.mass;
    f->J = body->own.tensor.zz;
    f->rotating = parent->rotating;
    f->carrier = parent->rotating;
    f->angle = parent->angle;
    f->w = parent->w;
    f->a = parent->a;
    f->rise = parent->rise;
    if (body->type == LW_TREE_REVOLUTE) {
        f->rotating = i;
        f->angle = lwi_add(g, f->angle, by_sign(f, body->q[0]));
        f->w = lwi_add(g, f->w, by_sign(f, body->v[0]));
        f->a = lwi_add(g, f->a, by_sign(f, body->a[0]));
    } else {
        f->rise = lwi_add(g, f->rise, by_sign(f, body->a[0]));
    }
}

/// What a joint force does not depend on goes to the parent, as regrouping does in three
/// dimensions.
static void carry(lwi_graph *g, const lwi_sym_body *body, flat *f, flat *parent)
{
    const lwi_expr *arm = f->arm;
    const lwi_expr square = lwi_mul(g, f->m, dot2(g, arm, arm));
    if (body->type == LW_TREE_PRISMATIC) {
        const lwi_expr cross = lwi_scale(g, 2.0, dot2(g, arm, f->h));
        parent->J = lwi_add(g, parent->J, lwi_add(g, f->J, cross));
        for (int k = 0; k < 2; ++k) {
            parent->h[k] = lwi_add(g, parent->h[k], f->h[k]);
            f->h[k] = LWI_ZERO;
        }
        f->J = LWI_ZERO;
    } else {
        parent->sliding_mass = lwi_add(g, parent->sliding_mass, f->sliding_mass);
    }
    parent->J = lwi_add(g, parent->J, square);
    for (int k = 0; k < 2; ++k) {
        parent->h[k] = lwi_add(g, parent->h[k], lwi_mul(g, f->m, arm[k]));
    }
    parent->m = lwi_add(g, parent->m, f->m);
    f->m = LWI_ZERO;
}

/// What body j and one of those that carry it do to each other.
static void interact(lwi_graph *g, flat *i, flat *j, const lwi_expr arm[2])
{
    const lwi_expr delta = lwi_sub(g, j->angle, i->angle);
    const lwi_expr s = lwi_sin(g, delta), c = lwi_cos(g, delta);
    const lwi_expr along = dot2(g, j->h, arm);
    const lwi_expr across = lwi_sub_products(g, j->h[0], arm[1], j->h[1], arm[0]);
    const lwi_expr C = lwi_add_products(g, along, c, across, s);
    const lwi_expr S = lwi_sub_products(g, across, c, along, s);
    const lwi_expr wi = lwi_mul(g, i->w, i->w), wj = lwi_mul(g, j->w, j->w);
    const lwi_expr on_j = lwi_sub_products(g, C, i->a, S, wi);
    const lwi_expr on_i = lwi_add_products(g, C, j->a, S, wj);
    j->moment = lwi_add(g, j->moment, on_j);
    i->moment = lwi_add(g, i->moment, on_i);
}

bool lwi_derive_planar(lwi_graph *g, const lwi_sym_tree *tree, lwi_expr *tau)
{
    if (!is_flat(tree)) {
        return false;
    }
    const int n = tree->nbody;
    flat *all = calloc((size_t)n + 1, sizeof *all); // the last one is the world
    if (!all) {
        lwi_graph_fail(g, LW_ERR_MEMORY);
        return false;
    }
    flat *world = &all[n];
    world->rotating = world->carrier = -1;
    world->D[0] = world->D[3] = LWI_ONE;
    for (int i = 0; i < n; ++i) {
        const int parent = tree->body[i].parent;
        place(g, &tree->body[i], i, parent < 0 ? world : &all[parent], &all[i]);
    }
    for (int i = n - 1; i >= 0; --i) {
        const int parent = tree->body[i].parent;
        carry(g, &tree->body[i], &all[i], parent < 0 ? world : &all[parent]);
    }
    for (int j = 0; j < n; ++j) {
        if (tree->body[j].type == LW_TREE_REVOLUTE) {
            all[j].moment = lwi_add(g, all[j].moment, lwi_mul(g, all[j].J, all[j].a));
            for (int k = j; all[k].carrier >= 0; k = all[k].carrier) {
                interact(g, &all[all[k].carrier], &all[j], all[k].at);
            }
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        const lwi_sym_body *body = &tree->body[i];
        flat *f = &all[i], *parent = body->parent < 0 ? world : &all[body->parent];
        if (body->type == LW_TREE_REVOLUTE) {
            tau[i] = by_sign(f, f->moment);
        } else {
            const lwi_expr rise = lwi_sub(g, f->rise, tree->gravity.z);
            f->force = lwi_add(g, f->force, lwi_mul(g, f->sliding_mass, rise));
            tau[i] = by_sign(f, f->force);
        }
        parent->moment = lwi_add(g, parent->moment, f->moment);
        parent->force = lwi_add(g, parent->force, f->force);
    }
    free(all);
    return true;
}
