// Frames, and labels with the names of frames and joints.

#include "scene_builder.h"

#include <stdlib.h>

enum {
    MOST_TIPS = 16, // more names could not be read
    MOST_NAMES = 80
};

static void add_triad(lwi_scene_builder *b, const lw_pose *X, double length)
{
    for (int k = 0; k < 3; ++k) {
        const lw_vec3 unit = {k == 0, k == 1, k == 2};
        lwi_scene_line(b, (lw_scene_role)(LW_SCENE_FRAME_X + k), X->p,
                       lw_add3(X->p, lw_scale3(length, lw_rotate(&X->R, unit))));
    }
}

static lw_pose pose_of(const lwi_skeleton *s, const lw_frame_info *frame)
{
    return lw_pose_mul(&lwi_skeleton_node_of(s, frame->body)->X_WB, &frame->X_BF);
}

// Whether a tip shows more than the symbol of its joint does.
static bool is_clear(const lwi_skeleton_node *node)
{
    return node->tip >= 0 &&
           (node->is_tool || lw_norm3(lw_sub3(node->tip_at, node->X_WB.p)) >= 0.5 * node->unit);
}

// Tips that have no other tip beyond: those apart from their joints, or all if there are none.
static void add_tips(lwi_scene_builder *b)
{
    const lwi_skeleton *s = b->s;
    bool *has_beyond = calloc((size_t)s->nnode, sizeof *has_beyond), has_clear = false;
    if (!has_beyond) {
        b->is_short = true;
        return;
    }
    for (int i = 1; i < s->nnode; ++i) {
        has_clear = has_clear || is_clear(&s->node[i]);
    }
    int shown = 0;
    for (int i = s->nnode - 1; i > 0; --i) {
        const lwi_skeleton_node *node = &s->node[i];
        const bool is_tip = has_clear ? is_clear(node) : node->tip >= 0;
        if (is_tip || has_beyond[i]) {
            has_beyond[node->parent] = true;
        }
        if (is_tip && !has_beyond[i] && shown < MOST_TIPS) {
            const lw_frame_info *frame = &s->m->frame[node->tip];
            const lw_pose X = pose_of(s, frame);
            add_triad(b, &X, 2.6 * node->unit);
            lwi_scene_label(b, X.p, frame->name, -1, -1);
            ++shown;
        }
    }
    free(has_beyond);
}

// Whether a frame before this one has the same origin: one name is enough there.
static bool is_again(const lwi_skeleton *s, int number, lw_vec3 p)
{
    const int first = number > 500 ? number - 500 : 0;
    for (int i = first; i < number; ++i) {
        if (lw_norm3(lw_sub3(pose_of(s, &s->m->frame[i]).p, p)) < 0.05 * s->unit) {
            return true;
        }
    }
    return false;
}

static void add_frames(lwi_scene_builder *b)
{
    const lwi_skeleton *s = b->s;
    int shown = 0;
    for (int i = 0; i < s->m->nframe; ++i) {
        const lw_pose X = pose_of(s, &s->m->frame[i]);
        add_triad(b, &X, 1.8 * s->unit);
        if (shown < MOST_NAMES && !is_again(s, i, X.p)) {
            lwi_scene_label(b, X.p, s->m->frame[i].name, -1, -1);
            ++shown;
        }
    }
}

static void add_joint_names(lwi_scene_builder *b)
{
    const lwi_skeleton *s = b->s;
    for (int i = 1; i < s->nnode && i <= MOST_NAMES; ++i) {
        if (!lwi_skeleton_is_carried(s, &s->node[i])) {
            lwi_scene_label(b, s->node[i].at, s->m->joints[s->node[i].joint].name, -1, -1);
        }
    }
    for (int i = 0; i < s->m->nloop && i < MOST_NAMES; ++i) {
        const lw_vec3 sum = lw_add3(s->X_WE[2 * i].p, s->X_WE[2 * i + 1].p);
        lwi_scene_label(b, lw_scale3(0.5, sum), s->m->loop[i].name, -1, -1);
    }
}

// Coordinates of the bodies that a joint carries; those of dependent joints have no number.
static void add_coordinates(lwi_scene_builder *b)
{
    const lwi_skeleton *s = b->s;
    const lw_model *m = s->m;
    for (int i = 1; i < s->nnode && i <= MOST_NAMES; ++i) {
        const lw_joint_info *joint = &m->joints[s->node[i].joint];
        const int begin = m->q_start[joint->body], end = m->q_start[s->node[i].body + 1];
        int first = -1, last = -1;
        for (int k = 0; k < m->nq; ++k) {
            if (m->q_tree[k] >= begin && m->q_tree[k] < end) {
                first = first < 0 ? k : first;
                last = k;
            }
        }
        if (first >= 0) {
            lwi_scene_label(b, s->node[i].at, NULL, first, last);
        }
    }
}

void lwi_scene_labels(lwi_scene_builder *b, unsigned show)
{
    b->body = -1;
    if (show & LW_SCENE_SHOW_FRAMES) {
        add_frames(b);
    } else if (show & LW_SCENE_SHOW_TIPS) {
        add_tips(b);
    }
    if (show & LW_SCENE_SHOW_JOINTS) {
        add_joint_names(b);
    }
    if (show & LW_SCENE_SHOW_COORDINATES) {
        add_coordinates(b);
    }
}
