#include "wide_tree.h"

#include "support.h"

#include <float.h>
#include <math.h>

// A box is replaced by the two inside of it, the one with most items first, until there are four.
static int open_box(const lwi_box_node *tree, int box, int lane[LWI_WIDE])
{
    int count = 1;
    lane[0] = box;
    while (count < LWI_WIDE) {
        int most = 0;
        for (int k = 1; k < count; ++k) {
            most = tree[lane[k]].count > tree[lane[most]].count ? k : most;
        }
        const int child = tree[lane[most]].child;
        if (child == 0) {
            break;
        }
        lane[most] = child;
        lane[count++] = child + 1;
    }
    return count;
}

static int lanes_of(const lwi_box_node *tree, const int *order, int node, int lane[LWI_WIDE])
{
    lane[0] = order[node];
    return node == 0 ? 1 : open_box(tree, order[node], lane);
}

int lwi_wide_tree_order(const lwi_box_node *tree, int *order)
{
    int nnode = 1;
    order[0] = 0;
    for (int i = 0; i < nnode; ++i) {
        int lane[LWI_WIDE];
        const int count = lanes_of(tree, order, i, lane);
        for (int k = 0; k < count; ++k) {
            if (tree[lane[k]].child > 0) {
                order[nnode++] = lane[k];
            }
        }
    }
    return nnode;
}

static lw_vec3 as_floats(lw_vec3 v)
{
    return lw_vec3_of((double)(float)v.x, (double)(float)v.y, (double)(float)v.z);
}

void lwi_set_lane(const lwi_oriented_box *box, const lw_vec3 *point, int npoint, lw_vec3 middle,
                  lwi_wide_node *node, int lane)
{
    const lw_vec3 c = as_floats(lw_sub3(box->center, middle));
    const lw_vec3 center = lw_add3(middle, c);
    const double at[3] = {c.x, c.y, c.z};
    for (int i = 0; i < 3; ++i) {
        const lw_vec3 side = as_floats(box->R.row[i]);
        double half = 0.0, size = 0.0;
        for (int k = 0; k < npoint; ++k) {
            const lw_vec3 d = lw_sub3(point[k], center);
            half = lwi_larger(half, fabs(lw_dot3(side, d)));
            size = lwi_larger(size, fabs(point[k].x) + fabs(point[k].y) + fabs(point[k].z));
        }
        half += 8.0 * DBL_EPSILON * size;
        node->R[i][0][lane] = (float)side.x;
        node->R[i][1][lane] = (float)side.y;
        node->R[i][2][lane] = (float)side.z;
        node->center[i][lane] = (float)at[i];
        node->half[i][lane] = (float)(half * (1.0 + (double)FLT_EPSILON));
    }
}

void lwi_wide_tree_fill(const lwi_box_node *tree, const int *order, int nnode, const lw_vec3 *point,
                        int npoint, lw_vec3 middle, lwi_wide_node *node)
{
    int next = 1;
    for (int i = 0; i < nnode; ++i) {
        int lane[LWI_WIDE];
        node[i] = (lwi_wide_node){.count = lanes_of(tree, order, i, lane)};
        for (int k = 0; k < node[i].count; ++k) {
            const lwi_box_node *t = &tree[lane[k]];
            const lw_vec3 *first = &point[(size_t)npoint * (size_t)t->first];
            lwi_oriented_box box;
            lwi_fit_box(first, npoint * t->count, &box);
            lwi_set_lane(&box, first, npoint * t->count, middle, &node[i], k);
            node[i].child[k] = t->child > 0 ? next++ : ~t->first;
        }
    }
}
