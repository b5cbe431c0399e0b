// Base parameters: what a body shares with its parent, moved there. No rank is computed; the
// joint's symmetry determines what its force does not depend on.
#include "body_motion.h"

/// The part of a body that the joint moves into itself, as seen from the parent whatever q is.
static lwi_pseudo shared_part(const lwi_pseudo *P, lw_tree_joint type)
{
    lwi_pseudo part = {.m = LWI_ZERO};
    if (type == LW_TREE_REVOLUTE) {
        part.m = P->m;
        part.h.z = P->h.z;
        part.S.zz = P->S.zz;
    } else if (type == LW_TREE_PRISMATIC) {
        part.S = P->S;
    }
    return part;
}

static lwi_pseudo without(lwi_graph *g, const lwi_pseudo *P, const lwi_pseudo *part)
{
    lwi_pseudo minus = {.m = lwi_neg(part->m), .h = vec_neg(part->h)};
    for (int k = 0; k < 6; ++k) {
        minus.S.e[k] = lwi_neg(part->S.e[k]);
    }
    return lwi_pseudo_add(g, P, &minus);
}

/// Moves the origin of a body along its axis: another point of the body, the same joint.
static void slide_origin(lwi_graph *g, lwi_sym_tree *tree, int i, lwi_expr by)
{
    lwi_sym_body *body = &tree->body[i];
    const lwi_pseudo P = lwi_pseudo_of(g, body);
    const lwi_pseudo moved = lwi_pseudo_shift(g, &P, vec_of(LWI_ZERO, LWI_ZERO, lwi_neg(by)));
    lwi_pseudo_store(g, &moved, body);
    body->moment.x = lwi_add(g, body->moment.x, lwi_mul(g, by, body->force.y));
    body->moment.y = lwi_sub(g, body->moment.y, lwi_mul(g, by, body->force.x));
    for (int k = 0; k < 3; ++k) {
        body->rest.p.e[k] = lwi_add(g, body->rest.p.e[k], lwi_mul(g, body->rest.R.row[k].z, by));
    }
    for (int k = i + 1; k < tree->nbody; ++k) {
        if (tree->body[k].parent == i) {
            tree->body[k].rest.p.z = lwi_sub(g, tree->body[k].rest.p.z, by);
        }
    }
}

/// Offsets along the axes of a parallel run go outward, to the children of its last body: there
/// they are summed, and cost once what each would cost. Those of last bodies are dropped.
static void slide_outward(lwi_graph *g, lwi_sym_tree *tree)
{
    for (int i = 0; i < tree->nbody; ++i) {
        const lwi_sym_body *body = &tree->body[i];
        bool is_in_run = body->parent >= 0 && lwi_is_parallel(body);
        int children = 0;
        for (int k = i + 1; k < tree->nbody; ++k) {
            if (tree->body[k].parent == i) {
                is_in_run = is_in_run || lwi_is_parallel(&tree->body[k]);
                ++children;
            }
        }
        if (body->type == LW_TREE_REVOLUTE && (children == 0 || (children == 1 && is_in_run))) {
            const lwi_vec axis = mat_column(&body->rest.R, 2);
            slide_origin(g, tree, i, lwi_neg(vec_dot(g, axis, body->rest.p)));
        }
    }
}

void lwi_tree_regroup(lwi_graph *g, lwi_sym_tree *tree)
{
    slide_outward(g, tree);
    for (int i = tree->nbody - 1; i >= 0; --i) {
        lwi_sym_body *body = &tree->body[i];
        const lwi_pseudo P = lwi_pseudo_of(g, body);
        const lwi_pseudo part = shared_part(&P, body->type);
        const lwi_pseudo rest = without(g, &P, &part);
        lwi_pseudo_store(g, &rest, body);
        if (body->parent >= 0) {
            lwi_sym_body *parent = &tree->body[body->parent];
            const lwi_pseudo moved = lwi_pseudo_move(g, &part, &body->rest);
            const lwi_pseudo own = lwi_pseudo_of(g, parent);
            const lwi_pseudo sum = lwi_pseudo_add(g, &own, &moved);
            lwi_pseudo_store(g, &sum, parent);
        }
    }
}
