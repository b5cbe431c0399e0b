// A platform that does not rotate, on three pairs of parallel rods: where three spheres meet, as
// src/loop/three_spheres.c explains it. One rod of each pair is enough, for rates too.
#include "loops.h"

#include "../model/kernel.h"

enum { LEGS = 3 };

// The point where the spheres meet, on the branch of the step.
static lwi_vec meet(lwi_graph *g, const lwi_vec c[LEGS], const lwi_expr square[LEGS], int branch)
{
    const lwi_vec u = vec_sub(g, c[1], c[0]), w = vec_sub(g, c[2], c[0]), n = vec_cross(g, u, w);
    const lwi_expr inverse = lwi_div(g, LWI_ONE, vec_dot(g, n, n));
    const lwi_expr half = lwi_scale(g, 0.5, inverse);
    const lwi_expr uu = lwi_add(g, vec_dot(g, u, u), lwi_sub(g, square[0], square[1]));
    const lwi_expr ww = lwi_add(g, vec_dot(g, w, w), lwi_sub(g, square[0], square[2]));
    const lwi_vec along = vec_sub(g, vec_scale(g, uu, w), vec_scale(g, ww, u));
    const lwi_vec within = vec_scale(g, half, vec_cross(g, along, n));
    const lwi_expr rest = lwi_sub(g, square[0], vec_dot(g, within, within));
    const lwi_expr root = lwi_sqrt(g, lwi_mul(g, rest, inverse));
    const lwi_vec out = vec_scale(g, branch < 0 ? lwi_neg(root) : root, n);
    return vec_add(g, c[0], vec_add(g, within, out));
}

void lwi_meet_spheres(lwi_symbolic *k, const lwi_step *step)
{
    lwi_graph *g = k->g;
    const lwi_platform *platform = step->platform;
    lwi_sym_body *b = &k->body[platform->body];
    lwi_vec center[LEGS];
    lwi_expr square[LEGS];
    for (int i = 0; i < LEGS; ++i) {
        const lwi_platform_leg *leg = &platform->leg[i];
        const lwi_loop *loop = &k->m->kernel->program->loop[leg->loop];
        const lwi_frame X = lwi_branch(k, loop, leg->side, 0, loop->npath[leg->side]);
        const lwi_vec foot = frame_apply(g, &X, vec_number(g, loop->X[leg->side].p));
        center[i] = vec_sub(g, foot, vec_number(g, leg->tip));
        square[i] = lwi_rod_square(k, loop);
    }
    const lwi_vec P = meet(g, center, square, step->branch);
    const lwi_vec p = mat_apply_t(g, &b->rest.R, vec_sub(g, P, b->rest.p));
    const double *reference = &k->m->tree_q_reference[k->m->q_start[platform->body]];
    for (int i = 0; i < 7; ++i) {
        b->q[i] = i < 3 ? p.e[i] : lwi_number(g, reference[i]);
    }
    lwi_symbolic_place_quaternion(k, platform->body);
}

// Of the rows of the three rods over the translations: the columns of their inverse, negated, are
// what a unit of each row moves the platform by.
lw_status lwi_symbolic_platform_rates(lwi_symbolic *k, int s, const lwi_step *step)
{
    lwi_graph *g = k->g;
    const int ns = step->nsource, ncolumn = step->ntarget + ns;
    lwi_expr *matrix = lwi_symbolic_take(k, LEGS * ncolumn), *gain = lwi_symbolic_take(k, 9);
    if (!matrix || !gain) {
        return LW_ERR_MEMORY;
    }
    lwi_vec row[LEGS];
    for (int i = 0; i < LEGS; ++i) {
        const int loop = step->platform->leg[i].loop;
        lwi_loop_gradient(k, &k->m->kernel->program->loop[loop], ncolumn, matrix + i * ncolumn);
        row[i] = vec_of(matrix[i * ncolumn + 3], matrix[i * ncolumn + 4], matrix[i * ncolumn + 5]);
    }
    const lwi_vec first = vec_cross(g, row[1], row[2]);
    const lwi_expr share = lwi_neg(lwi_div(g, LWI_ONE, vec_dot(g, row[0], first)));
    for (int i = 0; i < LEGS; ++i) {
        const lwi_vec across = vec_cross(g, row[(i + 1) % LEGS], row[(i + 2) % LEGS]);
        const lwi_vec own = vec_scale(g, share, across);
        for (int e = 0; e < 3; ++e) {
            gain[3 * i + e] = own.e[e];
        }
    }
    k->step[s].factor = gain;
    for (int c = 0; c < ns; ++c) {
        lwi_expr right[LEGS], x[6];
        for (int i = 0; i < LEGS; ++i) {
            right[i] = matrix[i * ncolumn + step->ntarget + c];
        }
        lwi_solve_platform(k, s, right, x);
        for (int t = 0; t < step->ntarget; ++t) {
            k->step[s].K[t * ns + c] = x[t];
        }
    }
    return k->status;
}

void lwi_solve_platform(lwi_symbolic *k, int s, const lwi_expr right[3], lwi_expr x[6])
{
    const lwi_expr *gain = k->step[s].factor;
    for (int t = 0; t < 6; ++t) {
        x[t] = t < 3 ? LWI_ZERO : lwi_column_dot(k->g, LEGS, gain + t - 3, 3, right, 1);
    }
}
