#include "same_model.h"

#include "check.h"

#include <string.h>

static bool same(const void *a, const void *b, int count, size_t size)
{
    return memcmp(a, b, (size_t)count * size) == 0;
}

static bool same_names(const char *const *a, const char *const *b, int count)
{
    bool is_same = true;
    for (int i = 0; i < count; ++i) {
        is_same = is_same && strcmp(a[i], b[i]) == 0;
    }
    return is_same;
}

static bool check_counts(const lw_model *a, const lw_model *b)
{
    bool is_same = CHECK_INT(b->nbody, a->nbody) && CHECK_INT(b->nq, a->nq);
    is_same = CHECK_INT(b->nv, a->nv) && is_same;
    is_same = CHECK_INT(b->nframe, a->nframe) && is_same;
    is_same = CHECK_INT(b->nframe_all, a->nframe_all) && is_same;
    is_same = CHECK_INT(b->nlink, a->nlink) && is_same;
    is_same = CHECK_INT(b->njoint, a->njoint) && is_same;
    is_same = CHECK_INT(b->nstep, a->nstep) && is_same;
    is_same = CHECK_INT(b->nloop, a->nloop) && is_same;
    is_same = CHECK_INT(b->nload, a->nload) && is_same;
    is_same = CHECK_INT(b->nshape, a->nshape) && is_same;
    is_same = CHECK_INT(b->tree_nq, a->tree_nq) && is_same;
    return CHECK_INT(b->tree_nv, a->tree_nv) && is_same;
}

static void check_bodies(const lw_model *a, const lw_model *b)
{
    const int n = a->nbody;
    CHECK(same(a->parent, b->parent, n, sizeof *a->parent));
    CHECK(same(a->subtree_end, b->subtree_end, n, sizeof *a->subtree_end));
    CHECK(same(a->carrier, b->carrier, n, sizeof *a->carrier));
    CHECK(same(a->joint, b->joint, n, sizeof *a->joint));
    CHECK(same(a->q_start, b->q_start, n + 1, sizeof *a->q_start));
    CHECK(same(a->v_start, b->v_start, n + 1, sizeof *a->v_start));
    CHECK(same(a->lead, b->lead, n, sizeof *a->lead));
    CHECK(same(a->X_PJ, b->X_PJ, n, sizeof *a->X_PJ));
    CHECK(same(a->inertia, b->inertia, n, sizeof *a->inertia));
    CHECK(same_names(a->body_name, b->body_name, n));
    CHECK(same_names(a->position_name, b->position_name, a->nq));
    CHECK(same_names(a->velocity_name, b->velocity_name, a->nv));
    CHECK(same(a->q_reference, b->q_reference, a->nq, sizeof *a->q_reference));
    CHECK(same(a->tree_q_reference, b->tree_q_reference, a->tree_nq, sizeof(double)));
    CHECK(same(a->dof, b->dof, a->tree_nv, sizeof *a->dof));
    CHECK(same(&a->gravity, &b->gravity, 1, sizeof a->gravity));
    CHECK(same(&a->mass, &b->mass, 1, sizeof a->mass));
}

static void check_shapes(const lw_model *a, const lw_model *b)
{
    for (int i = 0; i < a->nshape; ++i) {
        const lw_shape_info *s = &a->shape[i], *t = &b->shape[i];
        CHECK_TEXT(t->name, s->name);
        CHECK_TEXT(t->mesh, s->mesh);
        CHECK_TEXT(t->link, s->link);
        CHECK_INT(t->body, s->body);
        CHECK_INT(t->role, s->role);
        CHECK_INT(t->type, s->type);
        CHECK_INT(t->bound, s->bound);
        CHECK(same(&s->X_BS, &t->X_BS, 1, sizeof s->X_BS));
        CHECK(same(&s->size, &t->size, 1, sizeof s->size));
        CHECK_INT(t->has_color, s->has_color);
        CHECK(same(&s->color, &t->color, 1, sizeof s->color));
    }
}

static void check_loops(const lw_model *a, const lw_model *b)
{
    for (int i = 0; i < a->nloop; ++i) {
        const lw_loop_info *k = &a->loop[i], *l = &b->loop[i];
        CHECK_TEXT(l->name, k->name);
        CHECK_INT(l->is_rod, k->is_rod);
        CHECK_INT(l->type, k->type);
        CHECK_INT(l->frame[0], k->frame[0]);
        CHECK_INT(l->frame[1], k->frame[1]);
        CHECK_INT(l->nrow, k->nrow);
        CHECK_INT(l->rank, k->rank);
        CHECK_INT(l->step, k->step);
        CHECK(same(&k->length, &l->length, 1, sizeof k->length));
        CHECK(same(&k->mass, &l->mass, 1, sizeof k->mass));
    }
}

static void check_steps_and_loads(const lw_model *a, const lw_model *b)
{
    for (int i = 0; i < a->nstep; ++i) {
        const lw_step_info *s = &a->step[i], *t = &b->step[i];
        CHECK_TEXT(t->name, s->name);
        CHECK_INT(t->kind, s->kind);
        CHECK_INT(t->branch, s->branch);
        if (CHECK_INT(t->nsource, s->nsource) && CHECK_INT(t->ntarget, s->ntarget) &&
            CHECK_INT(t->ncoefficient, s->ncoefficient)) {
            CHECK(same(s->source, t->source, s->nsource, sizeof(int)));
            CHECK(same(s->target, t->target, s->ntarget, sizeof(int)));
            CHECK(same(s->coefficient, t->coefficient, s->ncoefficient, sizeof(double)));
        }
    }
    for (int i = 0; i < a->nload; ++i) {
        const lw_load_info *s = &a->load[i], *t = &b->load[i];
        CHECK_TEXT(t->name, s->name);
        CHECK_INT(t->body, s->body);
        CHECK_INT(t->axes, s->axes);
        CHECK(same(&s->X_BF, &t->X_BF, 1, sizeof s->X_BF));
        CHECK(same(&s->force, &t->force, 1, sizeof s->force));
        CHECK(same(&s->torque, &t->torque, 1, sizeof s->torque));
    }
}

void check_same_model(const lw_model *a, const lw_model *b)
{
    CHECK_TEXT(b->name, a->name);
    if (!check_counts(a, b)) {
        return;
    }
    check_bodies(a, b);
    for (int i = 0; i < a->nframe_all; ++i) {
        CHECK_TEXT(b->frame[i].name, a->frame[i].name);
        CHECK_INT(b->frame[i].body, a->frame[i].body);
        CHECK(same(&a->frame[i].X_BF, &b->frame[i].X_BF, 1, sizeof(lw_pose)));
    }
    for (int i = 0; i < a->njoint; ++i) {
        CHECK_TEXT(b->joints[i].name, a->joints[i].name);
        CHECK_INT(b->joints[i].type, a->joints[i].type);
        CHECK_INT(b->joints[i].body, a->joints[i].body);
    }
    check_loops(a, b);
    check_steps_and_loads(a, b);
    check_shapes(a, b);
}
