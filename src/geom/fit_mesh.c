// Shapes around pieces of a mesh: a piece that no shape fits to the slack is cut by a plane, and
// what the plane cuts off triangles is part of either side, so that a shape around the corners of a
// piece contains what the piece encloses.
#include "fit_mesh.h"

#include "box_tree.h"
#include "enclose.h"
#include "hull_points.h"
#include "support.h"
#include "surface_search.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CENTER_STEPS = 24, CUTS = 9, MOST_LEAVES = 1024, MOST_PLANES = 40, MOST_MORE = 128 };

#define LEAST_SLACK 1e-3 // of the size: below that, a thousand shapes are not enough

/// All p with n.p >= d.
typedef struct half_space {
    lw_vec3 n;
    double d;
} half_space;

/// Triangles, or points, as their corners, between planes.
typedef struct piece {
    lw_vec3 *corner; ///< [count * ncorner + nmore], with room for MOST_MORE more
    int count, nmore;
    int shape; ///< its number in the fit
    int nplane;
    half_space plane[MOST_PLANES];
} piece;

typedef struct fitter {
    lw_fit_options o;
    lw_surface *mesh;
    int ncorner;
    lw_distance_work *work;
} fitter;

typedef struct whole_fit {
    lw_fit fit; ///< first
    lw_fitted_shape *memory;
} whole_fit;

lw_fit_options lw_default_fit_options(void)
{
    return (lw_fit_options){.slack = 0.01,
                            .most = 64,
                            .kinds =
                                1u << LW_SHAPE_BOX | 1u << LW_SHAPE_SPHERE | 1u << LW_SHAPE_CAPSULE,
                            .allow_convex = true};
}

// --- One shape around points --------------------------------------------------------------------

static lw_solid solid_of(const lw_fitted_shape *s)
{
    return s->type == LW_SHAPE_BOX       ? lw_box(s->size)
           : s->type == LW_SHAPE_CAPSULE ? lw_capsule(s->size.x, s->size.z)
                                         : lw_sphere(s->size.x);
}

// With half of the slack all round, so that flat shapes differ.
static double volume_of(const fitter *f, const lw_fitted_shape *s)
{
    const double pi = 3.14159265358979323846, more = f->o.slack, r = s->size.x + 0.5 * more;
    return s->type == LW_SHAPE_BOX
               ? (s->size.x + more) * (s->size.y + more) * (s->size.z + more)
               : pi * r * r * (4.0 / 3.0 * r + (s->type == LW_SHAPE_CAPSULE ? s->size.z : 0.0));
}

// The centre of the smallest ball, nearly (Badoiu and Clarkson 2003); in a plane across `axis`, or
// in space where that is zero.
static lw_vec3 center_of(const lw_vec3 *p, int n, lw_vec3 center, lw_vec3 axis, double *radius)
{
    double least = HUGE_VAL;
    lw_vec3 best = center;
    for (int k = 0; k < CENTER_STEPS; ++k) {
        double far = -1.0;
        lw_vec3 way = {0.0, 0.0, 0.0};
        for (int i = 0; i < n; ++i) {
            lw_vec3 d = lw_sub3(p[i], center);
            d = lw_sub3(d, lw_scale3(lw_dot3(axis, d), axis));
            const double dd = lw_dot3(d, d);
            way = dd > far ? d : way;
            far = dd > far ? dd : far;
        }
        if (far < least) {
            least = far;
            best = center;
        }
        center = lw_add3(center, lw_scale3(1.0 / (k + 2.0), way));
    }
    *radius = sqrt(least);
    return best;
}

static lw_fitted_shape fit_sphere(const lw_vec3 *p, int n, const lwi_oriented_box *box)
{
    lw_fitted_shape s = {.type = LW_SHAPE_SPHERE, .X = lw_pose_identity()};
    s.X.p = center_of(p, n, box->center, lw_vec3_of(0.0, 0.0, 0.0), &s.size.x);
    return s;
}

// About the longest axis of the box; no longer than its caps have to be.
static lw_fitted_shape fit_capsule(const lw_vec3 *p, int n, const lwi_oriented_box *box)
{
    const lw_vec3 h = box->half;
    const int k = h.x >= h.y && h.x >= h.z ? 0 : h.y >= h.z ? 1 : 2;
    const lw_vec3 z = box->R.row[k], x = box->R.row[(k + 1) % 3], y = box->R.row[(k + 2) % 3];
    lw_fitted_shape s = {.type = LW_SHAPE_CAPSULE};
    const lw_vec3 center = center_of(p, n, box->center, z, &s.size.x);
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < n; ++i) {
        const lw_vec3 d = lw_sub3(p[i], center);
        const double along = lw_dot3(z, d), out2 = lw_dot3(d, d) - along * along;
        const double cap = sqrt(lwi_larger(s.size.x * s.size.x - out2, 0.0));
        low = lwi_smaller(low, along + cap);
        high = lwi_larger(high, along - cap);
    }
    s.size.z = lwi_larger(high - low, 0.0);
    s.X.p = lw_add3(center, lw_scale3(0.5 * (low + high), z));
    s.X.R = (lw_mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return s;
}

static lw_fitted_shape fit_box(const lwi_oriented_box *box)
{
    lw_fitted_shape s = {.type = LW_SHAPE_BOX, .size = lw_scale3(2.0, box->half)};
    const lw_vec3 x = box->R.row[0], y = box->R.row[1], z = box->R.row[2];
    s.X.p = box->center;
    s.X.R = (lw_mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return s;
}

// Makes a shape as large as the points need, to the last digit.
static void enlarge(const fitter *f, const lw_vec3 *p, int n, lw_fitted_shape *s)
{
    const lw_solid solid = solid_of(s);
    double out = 0.0;
    for (int i = 0; i < n; ++i) {
        const lw_vec3 at = lw_rotate_back(&s->X.R, lw_sub3(p[i], s->X.p));
        out = lwi_larger(out, lwi_point_outside(&solid, at, f->work));
    }
    out *= 1.0 + 1e-12;
    s->size = s->type == LW_SHAPE_BOX
                  ? lw_add3(s->size, lw_vec3_of(2.0 * out, 2.0 * out, 2.0 * out))
                  : lw_add3(s->size, lw_vec3_of(out, 0.0, 0.0));
}

// The box that encloses less, along the axes of the mesh or of the points' spread.
static lwi_oriented_box smaller_box(const lw_vec3 *p, int n)
{
    lwi_oriented_box spread, box = {.R = lw_mat3_identity()};
    lwi_box_node along;
    lw_vec3 low = p[0], high = p[0];
    lwi_fit_box(p, n, &spread);
    for (int i = 1; i < n; ++i) {
        lwi_grow_box(&low, &high, p[i]);
    }
    lwi_center_box(low, high, &along);
    box.center = along.center;
    box.half = along.half;
    const lw_vec3 a = box.half, b = spread.half;
    return a.x * a.y * a.z <= b.x * b.y * b.z ? box : spread;
}

// The kind with the least volume.
static lw_fitted_shape fit_points(const fitter *f, const lw_vec3 *p, int n)
{
    const lwi_oriented_box box = smaller_box(p, n);
    const lw_fitted_shape all[] = {fit_box(&box), fit_sphere(p, n, &box), fit_capsule(p, n, &box)};
    lw_fitted_shape best = {0};
    double least = HUGE_VAL;
    for (int i = 0; i < 3; ++i) {
        if ((f->o.kinds >> all[i].type & 1u) && volume_of(f, &all[i]) < least) {
            best = all[i];
            least = volume_of(f, &best);
        }
    }
    return best;
}

// --- The slack ----------------------------------------------------------------------------------

/// A box along the axes of a solid.
typedef struct cell {
    lw_vec3 center, half;
} cell;

static double distance_to_mesh(const fitter *f, lw_vec3 p)
{
    const lw_solid point = lw_sphere(0.0);
    const lw_pose here = lw_pose_identity(), at = {here.R, p};
    lw_search search = lw_default_search();
    lw_distance d;
    bool is_found = false;
    return lw_find_surface_solid_distance(f->mesh, &here, &point, &at, &search, f->work, &d,
                                          &is_found) == LW_OK &&
                   is_found
               ? d.upper
               : HUGE_VAL;
}

// A solid is cut into cells until the middle of each is so near to the mesh that all of it is: no
// point is farther away than the middle and half a diagonal. Cells that are outside do not count.
static bool is_within_slack(const fitter *f, const lw_solid *solid, const lw_pose *X)
{
    enum { DEPTH = 64, MOST_CELLS = 20000 };
    cell stack[DEPTH + 2];
    int top = 0, cells = 0;
    lw_vec3 low, high;
    for (int i = 0; i < 27; ++i) { // what sticks out, at once
        const lw_vec3 way = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        const lw_vec3 p = lw_add3(lwi_support(solid, way), lw_scale3(solid->radius, lw_unit3(way)));
        if (i != 13 && distance_to_mesh(f, lw_pose_apply(X, p)) > f->o.slack) {
            return false;
        }
    }
    const lw_pose own = lw_pose_identity();
    lwi_solid_box(solid, &own, &low, &high);
    stack[top++] = (cell){lw_scale3(0.5, lw_add3(low, high)), lw_scale3(0.5, lw_sub3(high, low))};
    while (top > 0) {
        const cell c = stack[--top];
        const double radius = lw_norm3(c.half);
        const double outside = lwi_point_outside(solid, c.center, f->work);
        if (outside > radius) {
            continue;
        }
        const double away = distance_to_mesh(f, lw_pose_apply(X, c.center));
        if (away + radius <= f->o.slack) {
            continue;
        }
        if ((outside <= 0.0 && away > f->o.slack) || radius < 0.1 * f->o.slack || top > DEPTH ||
            ++cells > MOST_CELLS) {
            return false;
        }
        const lw_vec3 h = c.half;
        const lw_vec3 way = h.x >= h.y && h.x >= h.z ? lw_vec3_of(0.5 * h.x, 0.0, 0.0)
                            : h.y >= h.z             ? lw_vec3_of(0.0, 0.5 * h.y, 0.0)
                                                     : lw_vec3_of(0.0, 0.0, 0.5 * h.z);
        stack[top++] = (cell){lw_add3(c.center, way), lw_sub3(h, way)};
        stack[top++] = (cell){lw_sub3(c.center, way), lw_sub3(h, way)};
    }
    return true;
}

// --- Cuts ---------------------------------------------------------------------------------------

// What is left of a triangle, as triangles; returns how many.
static int clip_triangle(const lw_vec3 t[3], const half_space *h, lw_vec3 *to)
{
    lw_vec3 polygon[4];
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        const lw_vec3 p = t[i], q = t[(i + 1) % 3];
        const double x = lw_dot3(h->n, p) - h->d, y = lw_dot3(h->n, q) - h->d;
        if (x >= 0.0) {
            polygon[count++] = p;
        }
        if ((x < 0.0 && y > 0.0) || (x > 0.0 && y < 0.0)) {
            polygon[count++] = lw_add3(p, lw_scale3(x / (x - y), lw_sub3(q, p)));
        }
    }
    for (int i = 2; i < count; ++i) {
        to[3 * (i - 2)] = polygon[0];
        to[3 * (i - 2) + 1] = polygon[i - 1];
        to[3 * (i - 2) + 2] = polygon[i];
    }
    return count > 2 ? count - 2 : 0;
}

static int clip_all(const fitter *f, const piece *from, const half_space *h, lw_vec3 *to)
{
    int count = 0;
    for (int i = 0; i < from->count; ++i) {
        const lw_vec3 *p = &from->corner[f->ncorner * i];
        if (f->ncorner == 3) {
            count += clip_triangle(p, h, &to[3 * count]);
        } else if (lw_dot3(h->n, *p) >= h->d) {
            to[count++] = *p;
        }
    }
    return count;
}

static bool is_on_side(const piece *p, lw_vec3 at, double slack)
{
    for (int i = 0; i < p->nplane; ++i) {
        if (lw_dot3(p->plane[i].n, at) < p->plane[i].d - slack) {
            return false;
        }
    }
    return true;
}

// Where three planes meet inside of the mesh a piece has a corner that no triangle has. Returns
// whether there was room for all.
static bool add_corners(const fitter *f, piece *p)
{
    lw_vec3 *to = &p->corner[f->ncorner * p->count];
    for (int i = 0; i < p->nplane; ++i) {
        for (int j = 0; j < i; ++j) {
            const half_space *x = &p->plane[i], *y = &p->plane[j];
            const lw_vec3 line = lw_cross3(x->n, y->n);
            for (int k = 0; k < j; ++k) {
                const half_space *z = &p->plane[k];
                const double det = lw_dot3(line, z->n);
                if (fabs(det) < 1e-9) {
                    continue;
                }
                const lw_vec3 sum =
                    lw_add3(lw_add3(lw_scale3(x->d, lw_cross3(y->n, z->n)), lw_scale3(z->d, line)),
                            lw_scale3(y->d, lw_cross3(z->n, x->n)));
                const lw_vec3 at = lw_scale3(1.0 / det, sum);
                if (is_on_side(p, at, 1e-9 * f->mesh->info.size) &&
                    lwi_is_inside_surface(f->mesh, at)) {
                    if (p->nmore == MOST_MORE) {
                        return false;
                    }
                    to[p->nmore++] = at;
                }
            }
        }
    }
    return true;
}

// Cuts a piece in two, where the shapes around both are smallest. False where it cannot be cut.
static bool cut(const fitter *f, const piece *from, piece side[2], lw_fitted_shape shape[2])
{
    const int n = f->ncorner;
    const lwi_oriented_box box = smaller_box(from->corner, n * from->count + from->nmore);
    const double half[3] = {box.half.x, box.half.y, box.half.z};
    const double longest = lwi_larger(lwi_larger(half[0], half[1]), half[2]);
    double least = HUGE_VAL;
    int best = -1;
    for (int k = 0; k <= CUTS; ++k) { // the last time for good
        const int c = k < CUTS ? k : best;
        if (c < 0 || from->nplane == MOST_PLANES) {
            return false;
        }
        if (!(half[c / 3] > 0.25 * longest)) {
            continue;
        }
        const lw_vec3 axis = box.R.row[c / 3];
        const double at = lw_dot3(axis, box.center) + half[c / 3] * (c % 3 - 1) / 3.0;
        double sum = 0.0;
        for (int s = 0; s < 2; ++s) {
            const half_space h = {lw_scale3(s ? 1.0 : -1.0, axis), s ? at : -at};
            piece *p = &side[s];
            p->nmore = 0;
            memcpy(p->plane, from->plane, sizeof p->plane);
            p->plane[from->nplane] = h;
            p->nplane = from->nplane + 1;
            p->count = clip_all(f, from, &h, p->corner);
            if (!add_corners(f, p)) {
                return false;
            }
            const int count = n * p->count + p->nmore; // in the midst of a mesh, no triangles
            if (count > 0) {
                shape[s] = fit_points(f, p->corner, count);
            }
            sum += count > 0 ? volume_of(f, &shape[s]) : HUGE_VAL;
        }
        if (k < CUTS && sum < least) {
            least = sum;
            best = c;
        }
    }
    for (int s = 0; s < 2; ++s) {
        enlarge(f, side[s].corner, n * side[s].count + side[s].nmore, &shape[s]);
    }
    return true;
}

// --- All of it ----------------------------------------------------------------------------------

// Inner nodes become boxes around what is in them, along the axes that they have.
static void enclose_leaves(lw_fitted_shape *shape, int count)
{
    for (int i = count - 1; i >= 0; --i) {
        lw_fitted_shape *s = &shape[i];
        lw_vec3 low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = lw_scale3(-1.0, low);
        for (int k = i + 1; k < count && !s->is_leaf; ++k) {
            if (shape[k].outer == i) {
                const lw_solid inner = solid_of(&shape[k]);
                const lw_pose back = lw_pose_inverse(&s->X), X = lw_pose_mul(&back, &shape[k].X);
                lw_vec3 l, h;
                lwi_solid_box(&inner, &X, &l, &h);
                lwi_grow_box(&low, &high, l);
                lwi_grow_box(&low, &high, h);
            }
        }
        if (!s->is_leaf) {
            lwi_box_node box;
            lwi_center_box(low, high, &box);
            s->type = LW_SHAPE_BOX;
            s->size = lw_scale3(2.0 + 1e-12, box.half);
            s->X.p = lw_pose_apply(&s->X, box.center);
        }
    }
}

static bool fill(fitter *f, piece *list, int *count, lw_fitted_shape *shape, lw_fit *fit)
{
    for (int i = 0;
         i < *count;) { // a piece that is cut is replaced by one half, and looked at again
        piece *p = &list[i];
        lw_fitted_shape *s = &shape[p->shape];
        const lw_solid solid = solid_of(s);
        if (is_within_slack(f, &solid, &s->X)) {
            ++i;
            continue;
        }
        if (*count == f->o.most || f->o.slack < LEAST_SLACK * f->mesh->info.size) {
            fit->slack = HUGE_VAL;
            return true;
        }
        const size_t room = 2 * (size_t)f->ncorner * (size_t)p->count + MOST_MORE;
        piece side[2] = {{.corner = malloc(room * sizeof *p->corner)},
                         {.corner = malloc(room * sizeof *p->corner)}};
        lw_fitted_shape half[2];
        const bool has_memory = side[0].corner && side[1].corner;
        if (!has_memory || !cut(f, p, side, half)) {
            free(side[0].corner);
            free(side[1].corner);
            fit->slack = HUGE_VAL;
            return has_memory;
        }
        s->is_leaf = false;
        free(p->corner);
        for (int k = 0; k < 2; ++k) {
            half[k].outer = p->shape;
            half[k].is_leaf = true;
            shape[fit->nshape] = half[k];
            side[k].shape = fit->nshape++;
        }
        list[(*count)++] = side[1];
        *p = side[0];
    }
    return true;
}

static lw_status start(fitter *f, const lw_mesh *mesh, lw_vec3 scale)
{
    const lw_surface_options o = {
        .scale = scale, .side = mesh && mesh->is_terrain ? LW_SIDE_BELOW : LW_SIDE_ENCLOSED};
    f->work = malloc(sizeof *f->work);
    const lw_status status = f->work ? lw_surface_create(mesh, &o, &f->mesh) : LW_ERR_MEMORY;
    f->ncorner = status == LW_OK ? f->mesh->ncorner : 0;
    return status;
}

static void end(fitter *f)
{
    lw_surface_destroy(f->mesh);
    free(f->work);
}

lw_status lw_fit_mesh(const lw_mesh *mesh, lw_vec3 scale, const lw_fit_options *options,
                      lw_fit **result)
{
    fitter f = {.o = options ? *options : lw_default_fit_options()};
    const unsigned all = lw_default_fit_options().kinds;
    if (!result || !(f.o.slack > 0.0) || f.o.most < 1 || f.o.most > MOST_LEAVES ||
        !(f.o.kinds & all) || (f.o.kinds & ~all)) {
        return LW_ERR_ARGUMENT;
    }
    *result = NULL;
    lw_status status = start(&f, mesh, scale);
    lw_fit *fit = status == LW_OK ? calloc(1, sizeof(whole_fit)) : NULL;
    lw_fitted_shape *shape =
        fit ? calloc(2 * (size_t)f.o.most, sizeof *shape) : NULL; // each cut makes one leaf more
    piece *list = shape ? calloc((size_t)f.o.most, sizeof *list) : NULL;
    int count = 0;
    status = status == LW_OK && !list ? LW_ERR_MEMORY : status;
    if (status == LW_OK) {
        const int n = f.mesh->info.nitem;
        const size_t size = (size_t)f.ncorner * (size_t)n * sizeof *list->corner;
        list[0] = (piece){.corner = malloc(size), .count = n};
        count = 1;
        *fit = (lw_fit){.nshape = 1, .shape = shape, .slack = f.o.slack};
        if (list[0].corner) {
            memcpy(list[0].corner, f.mesh->corner, size);
            shape[0] = fit_points(&f, list[0].corner, f.ncorner * n);
            enlarge(&f, list[0].corner, f.ncorner * n, &shape[0]);
            shape[0].outer = -1;
            shape[0].is_leaf = true;
        }
        status = list[0].corner && fill(&f, list, &count, shape, fit) ? LW_OK : LW_ERR_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        free(list[i].corner);
    }
    free(list);
    end(&f);
    if (status != LW_OK) {
        free(shape);
        free(fit);
        return status;
    }
    ((whole_fit *)fit)->memory = shape;
    fit->nleaf = count;
    enclose_leaves(shape, fit->nshape);
    *result = fit;
    return LW_OK;
}

void lw_fit_destroy(lw_fit *fit)
{
    if (fit) {
        free(((whole_fit *)fit)->memory);
        free(fit);
    }
}

bool lwi_fits_convex(const lw_mesh *mesh, lw_vec3 scale, double slack)
{
    fitter f = {.o = {.slack = slack}};
    bool is_good = start(&f, mesh, scale) == LW_OK;
    lw_vec3 *point = is_good ? malloc((size_t)mesh->nvertex * sizeof *point) : NULL;
    is_good = is_good && point && !mesh->is_terrain;
    if (is_good) {
        const lw_solid hull = lwi_hull_of_mesh(mesh, scale, point, f.work);
        const lw_pose here = lw_pose_identity();
        is_good = is_within_slack(&f, &hull, &here);
    }
    free(point);
    end(&f);
    return is_good;
}
