// Surfaces: how they are made, and what is inside of them.
#include "surface_search.h"

#include "mesh_check.h"
#include "terrain_block.h"

#include "../base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

lw_surface_options lw_default_surface_options(void)
{
    return (lw_surface_options){.scale = {1.0, 1.0, 1.0}};
}

static lw_vec3 scaled(lw_vec3 p, lw_vec3 scale)
{
    return lw_vec3_of(p.x * scale.x, p.y * scale.y, p.z * scale.z);
}

static lw_status check_mesh(const lw_mesh *mesh, const lw_surface_options *o)
{
    if (!mesh || mesh->nvertex < 1 || !mesh->vertex || mesh->ntriangle < 0 ||
        mesh->ntriangle > 1 << 28 || (mesh->ntriangle > 0 && !mesh->triangle) || o->radius < 0.0 ||
        (unsigned)o->side > LW_SIDE_NONE) {
        return LW_ERR_ARGUMENT;
    }
    for (size_t k = 0; k < 3 * (size_t)mesh->ntriangle; ++k) {
        if (mesh->triangle[k] < 0 || mesh->triangle[k] >= mesh->nvertex) {
            return LW_ERR_ARGUMENT;
        }
    }
    bool is_good = o->radius < 1e50;
    for (int i = 0; i < mesh->nvertex && is_good; ++i) {
        const lw_vec3 p = scaled(mesh->vertex[i], o->scale);
        is_good = fabs(p.x) < 1e50 && fabs(p.y) < 1e50 && fabs(p.z) < 1e50;
    }
    return is_good ? LW_OK : LW_ERR_NUMBER;
}

// --- Connected pieces ---------------------------------------------------------------------------

static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// A vertex of each piece of triangles that share vertices; every point of a cloud is one. Vertices
// at one place count as different ones: that makes more pieces, no fewer. Returns their number.
static int find_pieces(const lw_mesh *mesh, lw_vec3 scale, int *parent, lw_vec3 *piece)
{
    for (int i = 0; i < mesh->nvertex; ++i) {
        parent[i] = mesh->ntriangle > 0 ? -1 : i;
    }
    for (size_t k = 0; k < 3 * (size_t)mesh->ntriangle; ++k) {
        parent[mesh->triangle[k]] = mesh->triangle[k];
    }
    for (size_t k = 0; k < 3 * (size_t)mesh->ntriangle; ++k) {
        const int a = root_of(parent, mesh->triangle[k / 3 * 3]);
        const int b = root_of(parent, mesh->triangle[k]);
        parent[a > b ? a : b] = a > b ? b : a;
    }
    int count = 0;
    for (int i = 0; i < mesh->nvertex; ++i) {
        if (parent[i] == i) {
            piece[count++] = scaled(mesh->vertex[i], scale);
        }
    }
    return count;
}

// --- Making -------------------------------------------------------------------------------------

static lw_surface *lay_out(int nitem, int ncorner, int nnode, int npiece, lwi_slicer *s)
{
    lw_surface *mem = lwi_slice(s, 1, sizeof *mem);
    lw_surface surface = {.ncorner = ncorner, .nnode = nnode, .npiece = npiece};
    surface.info.nitem = nitem;
    surface.node = lwi_slice(s, (size_t)nnode, sizeof *surface.node);
    surface.corner = lwi_slice(s, (size_t)ncorner * (size_t)nitem, sizeof *surface.corner);
    surface.piece = lwi_slice(s, (size_t)npiece, sizeof *surface.piece);
    if (mem) { // a null base counts only
        *mem = surface;
    }
    return mem;
}

static int vertex_of(const lw_mesh *mesh, int item, int corner)
{
    return mesh->ntriangle > 0 ? mesh->triangle[3 * (size_t)item + (size_t)corner] : item;
}

// The tree of boxes along the axes of the frame, and its leaves in its order.
static void build(const lw_mesh *mesh, lw_vec3 scale, int nitem, int ncorner, lwi_box_node *leaf,
                  lwi_box_node *tree)
{
    for (int i = 0; i < nitem; ++i) {
        lw_vec3 low = scaled(mesh->vertex[vertex_of(mesh, i, 0)], scale), high = low;
        for (int k = 0; k < ncorner; ++k) {
            lwi_grow_box(&low, &high, scaled(mesh->vertex[vertex_of(mesh, i, k)], scale));
        }
        lwi_center_box(low, high, &leaf[i]);
        leaf[i].item = i;
    }
    lwi_box_tree_build(leaf, nitem, 1, tree);
}

// Items are put in the order of the leaves, so that those of every box lie side by side; then each
// box is turned to fit.
static void fill(lw_surface *f, const lw_mesh *mesh, lw_vec3 scale, const lwi_box_node *leaf,
                 const lwi_box_node *tree, const int *order)
{
    const int ncorner = f->ncorner, n = ncorner * f->info.nitem;
    for (int i = 0; i < n; ++i) {
        const int vertex = vertex_of(mesh, leaf[i / ncorner].item, i % ncorner);
        f->corner[i] = scaled(mesh->vertex[vertex], scale);
        f->info.size = fmax(f->info.size, lw_norm3(f->corner[i]));
    }
    lwi_fit_box(f->corner, n, &f->box);
    lwi_wide_tree_fill(tree, order, f->nnode, f->corner, ncorner, f->box.center, f->node);
    f->info.low = lw_sub3(tree[0].center, tree[0].half);
    f->info.high = lw_add3(tree[0].center, tree[0].half);
}

// Of a mesh that has been checked.
static lw_status create(const lw_mesh *mesh, const lw_surface_options *options,
                        lw_surface **surface)
{
    const lw_surface_options o = *options;
    const int nitem = mesh->ntriangle > 0 ? mesh->ntriangle : mesh->nvertex;
    const int ncorner = mesh->ntriangle > 0 ? 3 : 1;
    lwi_box_node *leaf = malloc((size_t)nitem * sizeof *leaf);
    lwi_box_node *tree = malloc(2 * (size_t)nitem * sizeof *tree);
    int *order = malloc(((size_t)nitem + 1) * sizeof *order);
    int *parent = malloc((size_t)mesh->nvertex * sizeof *parent);
    lw_vec3 *piece = malloc((size_t)mesh->nvertex * sizeof *piece);
    void *block = NULL;
    lw_status status = LW_ERR_MEMORY;
    if (!leaf || !tree || !order || !parent || !piece) {
        goto done;
    }
    const int npiece = find_pieces(mesh, o.scale, parent, piece);
    build(mesh, o.scale, nitem, ncorner, leaf, tree);
    const int nnode = lwi_wide_tree_order(tree, order);
    lwi_slicer slicer = {0};
    lay_out(nitem, ncorner, nnode, npiece, &slicer);
    block = aligned_alloc(LWI_ALIGN, aligned_size(slicer.used));
    if (!block) {
        goto done;
    }
    slicer = (lwi_slicer){.base = block};
    lw_surface *f = lay_out(nitem, ncorner, nnode, npiece, &slicer);
    memcpy(f->piece, piece, (size_t)npiece * sizeof *piece);
    fill(f, mesh, o.scale, leaf, tree, order);
    const lwi_mesh_surface check = lwi_mesh_check(mesh);
    f->info.radius = o.radius;
    f->info.is_closed = ncorner == 3 && !check.is_open;
    f->is_solid = o.side != LW_SIDE_NONE && f->info.is_closed;
    *surface = f;
    status = LW_OK;

done:
    free(leaf);
    free(tree);
    free(order);
    free(parent);
    free(piece);
    return status;
}

lw_status lw_surface_create(const lw_mesh *mesh, const lw_surface_options *options,
                            lw_surface **surface)
{
    lw_surface_options o = options ? *options : lw_default_surface_options();
    lw_status status = surface ? check_mesh(mesh, &o) : LW_ERR_ARGUMENT;
    if (status != LW_OK) {
        return status;
    }
    *surface = NULL;
    if (o.side != LW_SIDE_BELOW || mesh->ntriangle == 0) {
        return create(mesh, &o, surface);
    }
    lwi_mesh block;
    status = lwi_block_below(mesh, o.scale, &block);
    if (status == LW_OK) {
        const lw_mesh view = lwi_mesh_view(&block);
        o.scale = lw_vec3_of(1.0, 1.0, 1.0);
        status = create(&view, &o, surface);
    }
    lwi_mesh_free(&block);
    return status;
}

lw_status lw_surface_create_heights(int nx, int ny, const double *height,
                                    const lw_surface_options *options, lw_surface **surface)
{
    lwi_mesh mesh = {0};
    lw_status status = height ? lwi_mesh_of_heights(nx, ny, height, &mesh) : LW_ERR_ARGUMENT;
    if (status == LW_OK) {
        const lw_mesh view = lwi_mesh_view(&mesh);
        status = lw_surface_create(&view, options, surface);
    }
    lwi_mesh_free(&mesh);
    return status;
}

void lw_surface_destroy(lw_surface *surface)
{
    free(surface);
}

lw_surface_info lw_surface_describe(const lw_surface *surface)
{
    return surface ? surface->info : (lw_surface_info){0};
}

// --- Inside -------------------------------------------------------------------------------------

// Whether the half line from p along x crosses an edge, seen along z. Both triangles of an edge get
// the same answer, since the ends are ordered.
static bool crosses(lw_vec3 a, lw_vec3 b, lw_vec3 p)
{
    if ((a.y > p.y) == (b.y > p.y)) {
        return false;
    }
    const lw_vec3 low = a.y < b.y ? a : b, high = a.y < b.y ? b : a;
    return p.x < low.x + (p.y - low.y) / (high.y - low.y) * (high.x - low.x);
}

// Whether the half line from p along z goes through a triangle.
static bool is_below(lw_vec3 p, const lw_vec3 t[3])
{
    if (crosses(t[0], t[1], p) + crosses(t[1], t[2], p) + crosses(t[2], t[0], p) != 1) {
        return false;
    }
    const lw_vec3 n = lw_cross3(lw_sub3(t[1], t[0]), lw_sub3(t[2], t[0]));
    const double above = lw_dot3(n, lw_sub3(t[0], p)); // n.z (height of the triangle - p.z)
    return n.z > 0.0 ? above > 0.0 : above < 0.0;
}

// Whether the half line from p along z may meet a box. The lanes of a column of R times half sides
// are how far a box reaches along an axis; a float is off by less than `slack`.
static bool may_be_below(const lwi_wide_node *node, int lane, lw_vec3 p, double slack)
{
    const double at[3] = {p.x, p.y, p.z};
    for (int axis = 0; axis < 3; ++axis) {
        double reach = slack;
        for (int i = 0; i < 3; ++i) {
            reach += (double)(fabsf(node->R[i][axis][lane]) * node->half[i][lane]);
        }
        const double d = at[axis] - (double)node->center[axis][lane];
        if (d > reach || (axis < 2 && d < -reach)) {
            return false;
        }
    }
    return true;
}

// By the parity of the triangles above: what is in a closed surface has an odd number.
bool lwi_is_inside_surface(const lw_surface *f, lw_vec3 p)
{
    int stack[(LWI_WIDE - 1) * LWI_WIDE_DEPTH + 1], top = 0;
    bool is_odd = false;
    if (!f->is_solid) {
        return false;
    }
    const lw_vec3 from = lw_sub3(p, f->box.center);
    const double slack = LWI_FLOAT_SLACK * (lw_norm3(f->box.half) + lw_norm3(from));
    stack[top++] = 0;
    while (top > 0) {
        const lwi_wide_node *node = &f->node[stack[--top]];
        for (int k = 0; k < node->count; ++k) {
            if (!may_be_below(node, k, from, slack)) {
                continue;
            }
            if (node->child[k] > 0) {
                stack[top++] = node->child[k];
            } else {
                is_odd ^= is_below(p, &f->corner[3 * (size_t)~node->child[k]]);
            }
        }
    }
    return is_odd;
}
