// Lagrange's equations, as Wenz and Wörn set them up (2006, eqs. 1 to 6): the mass matrix from the
// kinetic energy of each link, by the Jacobians of its centre of mass; the velocity forces from the
// derivatives of the mass matrix; the gravity forces from the potential.
//
// M_ik needs the motions of joints i and k only against each other: both are taken in the frame of
// body i, the one nearer to the world. Then what lies before it does not appear at all, and need
// not be cancelled.
#include "lagrange.h"

typedef struct column {
    lwi_poly_vec w, v; ///< angular velocity of a link, velocity of its centre
} column;

static lwi_poly dot(lwi_polys *s, const lwi_poly_vec *a, const lwi_poly_vec *b)
{
    lwi_poly sum = {NULL, 0};
    for (int i = 0; i < 3; ++i) {
        sum = lwi_poly_add(s, sum, lwi_poly_mul(s, a->x[i], b->x[i]));
    }
    return sum;
}

static lwi_poly_vec cross(lwi_polys *s, const lwi_poly_vec *a, const lwi_poly_vec *b)
{
    lwi_poly_vec out;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out.x[i] =
            lwi_poly_sub(s, lwi_poly_mul(s, a->x[j], b->x[k]), lwi_poly_mul(s, a->x[k], b->x[j]));
    }
    return out;
}

static lwi_poly_vec position(const lwi_poly_pose *X)
{
    return (lwi_poly_vec){{X->row[0][3], X->row[1][3], X->row[2][3]}};
}

static lwi_poly_vec axis(const lwi_poly_pose *X)
{
    return (lwi_poly_vec){{X->row[0][2], X->row[1][2], X->row[2][2]}};
}

// Where the centre of mass of a body is.
static lwi_poly_vec center(lwi_polys *s, const lwi_poly_pose *X, const lwi_poly_body *b)
{
    lwi_poly_vec out;
    for (int r = 0; r < 3; ++r) {
        out.x[r] = X->row[r][3];
        for (int c = 0; c < 3; ++c) {
            out.x[r] = lwi_poly_add(s, out.x[r], lwi_poly_mul(s, X->row[r][c], b->r[c]));
        }
    }
    return out;
}

// What unit rate of the joint of a body at X does to a link whose centre is at c, in the axes of
// body i; rotation in the axes of the link, which R has as columns.
static column column_of(lwi_closed *k, int joint, const lwi_poly_pose *X, const lwi_poly_pose *link,
                        const lwi_poly_vec *c)
{
    lwi_polys *s = &k->s;
    const lwi_poly zero = {NULL, 0};
    const lwi_poly_vec z = axis(X), p = position(X);
    column out = {{{zero, zero, zero}}, z};
    if (k->m->carrier[joint] == LW_TREE_PRISMATIC) {
        return out;
    }
    lwi_poly_vec arm;
    for (int i = 0; i < 3; ++i) {
        arm.x[i] = lwi_poly_sub(s, c->x[i], p.x[i]);
        out.w.x[i] = zero;
        for (int r = 0; r < 3; ++r) {
            const lwi_poly part = lwi_poly_mul(s, link->row[r][i], z.x[r]);
            out.w.x[i] = lwi_poly_add(s, out.w.x[i], part);
        }
    }
    out.v = cross(s, &z, &arm);
    return out;
}

static lwi_poly rotation_energy(lwi_polys *s, const lwi_poly I[6], const lwi_poly_vec *a,
                                const lwi_poly_vec *b)
{
    static const int entry[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    lwi_poly sum = {NULL, 0};
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            const lwi_poly half = lwi_poly_mul(s, I[entry[r][c]], b->x[c]);
            sum = lwi_poly_add(s, sum, lwi_poly_mul(s, a->x[r], half));
        }
    }
    return sum;
}

static void mass_row(lwi_closed *k, int i, lwi_poly_pose *X)
{
    lwi_polys *s = &k->s;
    lwi_closed_poses(k, i, X);
    for (int j = i; j < k->m->subtree_end[i] && s->status == LW_OK; ++j) {
        const lwi_poly_body *b = &k->body[j];
        const lwi_poly_vec c = center(s, &X[j], b);
        const column one = column_of(k, i, &X[i], &X[j], &c);
        for (int l = j; l >= i; l = k->m->parent[l]) {
            const column two = column_of(k, l, &X[l], &X[j], &c);
            const lwi_poly moved = lwi_poly_mul(s, b->mass, dot(s, &one.v, &two.v));
            const lwi_poly rotated = rotation_energy(s, b->I, &one.w, &two.w);
            lwi_poly *at = &k->M[i * k->n + l];
            *at = lwi_poly_add(s, *at, lwi_poly_add(s, moved, rotated));
        }
    }
    for (int l = i; l < k->n; ++l) {
        k->M[l * k->n + i] = k->M[i * k->n + l];
    }
}

static void christoffel(lwi_closed *k)
{
    lwi_polys *s = &k->s;
    const int n = k->n;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            for (int l = j; l < n && s->status == LW_OK; ++l) {
                const lwi_poly a = lwi_poly_derivative(s, k->M[i * n + j], l);
                const lwi_poly b = lwi_poly_derivative(s, k->M[i * n + l], j);
                const lwi_poly c = lwi_poly_derivative(s, k->M[j * n + l], i);
                const lwi_poly all = lwi_poly_sub(s, lwi_poly_add(s, a, b), c);
                k->B[(i * n + j) * n + l] = k->B[(i * n + l) * n + j] = lwi_poly_scale(s, 0.5, all);
            }
        }
    }
}

void lwi_lagrange(lwi_closed *k)
{
    lwi_polys *s = &k->s;
    lwi_poly_pose *X = lwi_arena_take(&s->arena, (size_t)k->n + 1, sizeof *X);
    if (!X) {
        s->status = LW_ERR_MEMORY;
        return;
    }
    for (int i = 0; i < k->n && s->status == LW_OK; ++i) {
        mass_row(k, i, X);
    }
    christoffel(k);
    lwi_closed_poses(k, -1, X);
    lwi_poly P = {NULL, 0};
    for (int j = 0; j < k->n; ++j) {
        const lwi_poly_vec c = center(s, &X[j], &k->body[j]);
        const lwi_poly_vec g = {{k->gravity[0], k->gravity[1], k->gravity[2]}};
        P = lwi_poly_sub(s, P, lwi_poly_mul(s, k->body[j].mass, dot(s, &g, &c)));
    }
    for (int i = 0; i < k->n; ++i) {
        k->G[i] = lwi_poly_derivative(s, P, i);
    }
}
