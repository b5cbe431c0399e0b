#include "draw/draw_labels.h"

#include <stdlib.h>

enum {
    MOST_TIPS = 16, // more names would be a thicket
    MOST_NAMES = 80
};

static void draw_triad(picture *pic, lw_vec3 at, const lw_mat3 *R, double length)
{
    static const int color[3] = {0xc8322f, 0x2e8b3d, 0x2563b8};
    for (int k = 0; k < 3; ++k) {
        const lw_vec3 unit = {k == 0, k == 1, k == 2};
        const lw_vec3 end = lw_add3(at, lw_scale3(length, lw_rotate(R, unit)));
        const picture_paint paint = {.fill = NO_COLOR, .stroke = color[k], .pixels = 2.2};
        picture_line(pic, LAYER_MARK, paint, at, end);
    }
}

static lw_pose pose_of(const skeleton *s, const lw_frame_info *frame)
{
    const skeleton_node *node = &s->node[s->node_of_body[frame->body + 1]];
    return lw_pose_mul(&node->X_WB, &frame->X_BF);
}

// Whether a tip shows more than the symbol of its joint does.
static bool is_clear(const skeleton_node *node)
{
    return node->tip >= 0 &&
           (node->is_tool || lw_norm3(lw_sub3(node->tip_at, node->X_WB.p)) >= 0.5 * node->unit);
}

// Tips that have no other tip beyond: those that stand apart from their joints, or, where there is
// none, all.
static void draw_tips(picture *pic, const skeleton *s)
{
    bool *has_beyond = calloc((size_t)s->nnode, sizeof *has_beyond), has_clear = false;
    if (!has_beyond) {
        pic->is_short = true;
        return;
    }
    for (int i = 1; i < s->nnode; ++i) {
        has_clear = has_clear || is_clear(&s->node[i]);
    }
    int shown = 0;
    for (int i = s->nnode - 1; i > 0; --i) {
        const skeleton_node *node = &s->node[i];
        const bool is_tip = has_clear ? is_clear(node) : node->tip >= 0;
        if (is_tip || has_beyond[i]) {
            has_beyond[node->parent] = true;
        }
        if (is_tip && !has_beyond[i] && shown < MOST_TIPS) {
            const lw_frame_info *frame = &s->m->frame[node->tip];
            const lw_pose X = pose_of(s, frame);
            draw_triad(pic, X.p, &X.R, 2.6 * node->unit);
            picture_label_at(pic, X.p, frame->name);
            ++shown;
        }
    }
    free(has_beyond);
}

// Whether a frame before this one stands in the same place: one name is enough there.
static bool is_again(const skeleton *s, int number, lw_vec3 p)
{
    const int first = number > 500 ? number - 500 : 0;
    for (int i = first; i < number; ++i) {
        if (lw_norm3(lw_sub3(pose_of(s, &s->m->frame[i]).p, p)) < 0.05 * s->unit) {
            return true;
        }
    }
    return false;
}

static void draw_frames(picture *pic, const skeleton *s)
{
    int shown = 0;
    for (int i = 0; i < s->m->nframe; ++i) {
        const lw_pose X = pose_of(s, &s->m->frame[i]);
        draw_triad(pic, X.p, &X.R, 1.8 * s->unit);
        if (shown < MOST_NAMES && !is_again(s, i, X.p)) {
            picture_label_at(pic, X.p, s->m->frame[i].name);
            ++shown;
        }
    }
}

static void draw_joint_names(picture *pic, const skeleton *s)
{
    for (int i = 1; i < s->nnode && i <= MOST_NAMES; ++i) {
        if (!skeleton_is_carried(s, &s->node[i])) {
            picture_label_at(pic, s->node[i].at, s->m->joints[s->node[i].joint].name);
        }
    }
    for (int i = 0; i < s->m->nloop && i < MOST_NAMES; ++i) {
        const lw_vec3 a = s->X_WE[2 * i].p, b = s->X_WE[2 * i + 1].p;
        picture_label_at(pic, lw_scale3(0.5, lw_add3(a, b)), s->m->loop[i].name);
    }
}

// Coordinates of the bodies that a joint carries; those of dependent joints have no number.
static void draw_coordinates(picture *pic, const skeleton *s)
{
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
            picture_label_coordinates(pic, s->node[i].at, first, last);
        }
    }
}

void draw_labels(picture *pic, const skeleton *s, unsigned show)
{
    if (show & DRAW_FRAMES) {
        draw_frames(pic, s);
    } else if (show & DRAW_TIPS) {
        draw_tips(pic, s);
    }
    if (show & DRAW_JOINTS) {
        draw_joint_names(pic, s);
    }
    if (show & DRAW_COORDINATES) {
        draw_coordinates(pic, s);
    }
}
