// By signed volumes (Montanari, Petrinic and Barbieri 2017): the signs of sub-determinants decide
// which points count, and none is divided by before its sign is known to agree.
#include "simplex.h"

static inline bool same_sign(double a, double b)
{
    return (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0);
}

static inline lw_vec3 combine(const lw_vec3 *w, const lwi_nearest *r)
{
    lw_vec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; ++i) {
        if (r->counts >> i & 1u) {
            sum = lw_add3(sum, lw_scale3(r->weight[i], w[i]));
        }
    }
    return sum;
}

static inline void nearest_of_one(const lw_vec3 *w, int i, lwi_nearest *r)
{
    r->counts = 1u << i;
    r->weight[i] = 1.0;
    r->v = w[i];
    r->vv = lw_dot3(r->v, r->v);
}

static inline void nearest_of_two(const lw_vec3 *w, int i, int j, lwi_nearest *r)
{
    const lw_vec3 a = w[i], b = w[j], t = lw_sub3(b, a);
    const double toward_b = -lw_dot3(a, t), toward_a = lw_dot3(b, t);
    if (toward_a > 0.0 && toward_b > 0.0) {
        r->counts = 1u << i | 1u << j;
        r->weight[j] = toward_b / (toward_a + toward_b);
        r->weight[i] = 1.0 - r->weight[j];
        r->v = lw_add3(lw_scale3(r->weight[i], a), lw_scale3(r->weight[j], b));
        r->vv = lw_dot3(r->v, r->v);
        return;
    }
    nearest_of_one(w, lw_dot3(a, a) <= lw_dot3(b, b) ? i : j, r);
}

static void nearest_of_three(const lw_vec3 *w, int i, int j, int k, lwi_nearest *r)
{
    const int at[3] = {i, j, k};
    const lw_vec3 a = w[i], b = w[j], c = w[k];
    const lw_vec3 n = lw_cross3(lw_sub3(b, a), lw_sub3(c, a));
    const double nn = lw_dot3(n, n);
    bool counts[3] = {false, false, false};
    if (nn > 0.0) {
        // The projection of the origin onto the plane, seen along the axis that shows it largest.
        const lw_vec3 p = lw_scale3(lw_dot3(a, n) / nn, n);
        const lw_vec3 x = lw_sub3(a, p), y = lw_sub3(b, p), z = lw_sub3(c, p);
        const double nx = fabs(n.x), ny = fabs(n.y), nz = fabs(n.z);
        double all, area[3];
        if (nx >= ny && nx >= nz) {
            all = n.x;
            area[0] = y.y * z.z - y.z * z.y;
            area[1] = z.y * x.z - z.z * x.y;
            area[2] = x.y * y.z - x.z * y.y;
        } else if (ny >= nz) {
            all = n.y;
            area[0] = y.z * z.x - y.x * z.z;
            area[1] = z.z * x.x - z.x * x.z;
            area[2] = x.z * y.x - x.x * y.z;
        } else {
            all = n.z;
            area[0] = y.x * z.y - y.y * z.x;
            area[1] = z.x * x.y - z.y * x.x;
            area[2] = x.x * y.y - x.y * y.x;
        }
        for (int m = 0; m < 3; ++m) {
            counts[m] = same_sign(all, area[m]);
        }
        if (counts[0] && counts[1] && counts[2]) {
            const double scale = 1.0 / (area[0] + area[1] + area[2]);
            r->counts = 1u << i | 1u << j | 1u << k;
            r->weight[i] = area[0] * scale;
            r->weight[j] = area[1] * scale;
            r->weight[k] = area[2] * scale;
            r->v = lw_add3(lw_add3(lw_scale3(r->weight[i], a), lw_scale3(r->weight[j], b)),
                           lw_scale3(r->weight[k], c));
            r->vv = lw_dot3(r->v, r->v);
            return;
        }
    }
    r->vv = HUGE_VAL;
    for (int m = 0; m < 3; ++m) {
        if (!counts[m]) {
            lwi_nearest edge;
            nearest_of_two(w, at[(m + 1) % 3], at[(m + 2) % 3], &edge);
            if (edge.vv < r->vv) {
                *r = edge;
            }
        }
    }
}

static void nearest_of_four(const lw_vec3 *w, lwi_nearest *r)
{
    const lw_vec3 a = w[0], b = w[1], c = w[2], d = w[3];
    const lw_vec3 bc = lw_cross3(b, c), ad = lw_cross3(a, d);
    const double volume[4] = {-lw_dot3(d, bc), -lw_dot3(c, ad), lw_dot3(b, ad), lw_dot3(a, bc)};
    const double all = volume[0] + volume[1] + volume[2] + volume[3];
    bool is_inside = true;
    for (int k = 0; k < 4; ++k) {
        is_inside &= same_sign(all, volume[k]);
    }
    r->vv = HUGE_VAL;
    if (is_inside) {
        r->counts = 15u;
        for (int k = 0; k < 4; ++k) {
            r->weight[k] = volume[k] / all;
        }
        r->v = combine(w, r);
        r->vv = lw_dot3(r->v, r->v);
        return;
    }
    for (int k = 0; k < 4; ++k) {
        if (!same_sign(all, volume[k])) {
            lwi_nearest face;
            nearest_of_three(w, k == 0, 1 + (k <= 1), 2 + (k <= 2), &face);
            if (face.vv < r->vv) {
                *r = face;
            }
        }
    }
}

lwi_nearest lwi_nearest_of(const lw_vec3 *w, int n)
{
    lwi_nearest r;
    switch (n) {
    case 1:
        nearest_of_one(w, 0, &r);
        break;
    case 2:
        nearest_of_two(w, 0, 1, &r);
        break;
    case 3:
        nearest_of_three(w, 0, 1, 2, &r);
        break;
    default:
        nearest_of_four(w, &r);
        break;
    }
    return r;
}

lw_vec3 lwi_simplex_nearest(lwi_simplex *s)
{
    const lw_vec3 w[4] = {s->at[0].w, s->at[1].w, s->at[2].w, s->at[3].w};
    const lwi_nearest r = lwi_nearest_of(w, s->n);
    int n = 0;
    for (int i = 0; i < 4; ++i) {
        if (r.counts >> i & 1u) {
            s->at[n] = s->at[i];
            s->weight[n++] = r.weight[i];
        }
    }
    s->n = n;
    return r.v;
}

lw_vec3 lwi_simplex_point_a(const lwi_simplex *s)
{
    lw_vec3 sum = {0, 0, 0};
    for (int i = 0; i < s->n; ++i) {
        sum = lw_add3(sum, lw_scale3(s->weight[i], s->at[i].a));
    }
    return sum;
}

lw_vec3 lwi_triangle_normal(lw_vec3 u, lw_vec3 v)
{
    const lw_vec3 n = lw_unit3(lw_cross3(u, v));
    const lw_vec3 longer = lw_unit3(lw_dot3(v, v) > lw_dot3(u, u) ? v : u);
    return lw_unit3(lw_sub3(n, lw_scale3(lw_dot3(n, longer), longer)));
}

double lwi_simplex_depth(const lwi_simplex *s, double rounding)
{
    double depth = s->n == 4 ? HUGE_VAL : -HUGE_VAL;
    for (int k = 0; k < 4 && s->n == 4; ++k) {
        const lw_vec3 a = s->at[(k + 1) % 4].w, b = s->at[(k + 2) % 4].w, c = s->at[(k + 3) % 4].w;
        const lw_vec3 u = lw_sub3(b, a), v = lw_sub3(c, a), n = lw_cross3(u, v);
        const double norm = lw_norm3(n), edge = lw_norm3(u) + lw_norm3(v);
        const double inside = lw_dot3(n, lw_sub3(a, s->at[k].w)), here = lw_dot3(n, a);
        if (!(norm > 0.0)) {
            return -HUGE_VAL;
        }
        // Moved points turn the face, the more so the narrower it is.
        const double turn = rounding * (1.0 + (lw_norm3(a) + edge) * edge / norm);
        depth = lwi_smaller(depth, (inside < 0.0 ? -here : here) / norm - turn);
    }
    return depth;
}
