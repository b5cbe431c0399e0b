#include "box_tree.h"

#include <float.h>
#include <math.h>

void lwi_center_box(lw_vec3 low, lw_vec3 high, lwi_box_node *node)
{
    const double slack = 1.0 + 4.0 * DBL_EPSILON;
    node->center = lw_scale3(0.5, lw_add3(low, high));
    node->half = lw_scale3(slack * 0.5, lw_sub3(high, low));
    const lw_vec3 c = node->center;
    node->half.x += 2.0 * DBL_EPSILON * fabs(c.x);
    node->half.y += 2.0 * DBL_EPSILON * fabs(c.y);
    node->half.z += 2.0 * DBL_EPSILON * fabs(c.z);
}

static double coordinate(lw_vec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

// Brings the leaves whose centres are lowest along an axis to the front, `k` of them (Hoare 1961).
static void part(lwi_box_node *leaf, int n, int k, int axis)
{
    int first = 0, last = n - 1;
    while (first < last) {
        const double pivot = coordinate(leaf[first + (last - first) / 2].center, axis);
        int i = first, j = last;
        while (i <= j) {
            while (coordinate(leaf[i].center, axis) < pivot) {
                ++i;
            }
            while (coordinate(leaf[j].center, axis) > pivot) {
                --j;
            }
            if (i <= j) {
                const lwi_box_node swapped = leaf[i];
                leaf[i++] = leaf[j];
                leaf[j--] = swapped;
            }
        }
        if (k <= j) {
            last = j;
        } else if (k >= i) {
            first = i;
        } else {
            return;
        }
    }
}

// Returns the longest side.
static int enclose(const lwi_box_node *leaf, int n, lwi_box_node *node)
{
    lw_vec3 low = lw_sub3(leaf[0].center, leaf[0].half);
    lw_vec3 high = lw_add3(leaf[0].center, leaf[0].half);
    for (int i = 1; i < n; ++i) {
        lwi_grow_box(&low, &high, lw_sub3(leaf[i].center, leaf[i].half));
        lwi_grow_box(&low, &high, lw_add3(leaf[i].center, leaf[i].half));
    }
    lwi_center_box(low, high, node);
    const lw_vec3 h = node->half;
    return h.x >= h.y && h.x >= h.z ? 0 : h.y >= h.z ? 1 : 2;
}

int lwi_box_tree_build(lwi_box_node *leaf, int n, int most, lwi_box_node *tree)
{
    struct {
        int node, first, count;
    } stack[LWI_TREE_DEPTH + 1];
    int top = 0, used = 1;
    stack[top].node = 0;
    stack[top].first = 0;
    stack[top++].count = n;
    while (top > 0) {
        --top;
        const int node = stack[top].node, first = stack[top].first, count = stack[top].count;
        tree[node].first = first;
        tree[node].count = count;
        tree[node].child = 0;
        tree[node].item = leaf[first].item;
        const int axis = enclose(&leaf[first], count, &tree[node]), half = count / 2;
        if (count <= most) {
            continue;
        }
        part(&leaf[first], count, half, axis);
        tree[node].child = used;
        for (int side = 0; side < 2; ++side) { // the larger half below, so that the stack is short
            stack[top].node = used + 1 - side;
            stack[top].first = side == 0 ? first + half : first;
            stack[top++].count = side == 0 ? count - half : half;
        }
        used += 2;
    }
    return used;
}
