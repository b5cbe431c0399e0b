// A step has the conditions J u = 0 on the velocities u of its joints, targets y and sources x, and
// J w + (dJ/dt) u = 0 on their accelerations w. Along a motion g of its joints,
//
//   J_y dy' + J_x dx' + A g = 0,               A = d(J u)/dq
//   J_y dy'' + J_x dx'' + B g + C du = 0,      B = d(J w + (dJ/dt) u)/dq,  C the same by u
//
// and with F = -J_y^-1 and K = F J_x each step adds to what its sources do
//
//   dy' = K dx' + KA g_x,                      KA = F (A_x + A_y K)
//   dy'' = K dx'' + KB g_x + KC dx',           KC = F (C_x + C_y K),  KB = F (B_x + B_y K + C_y KA)
//
// where A_x are the columns of the sources, and so on: local matrices, which the products of
// model/fronts.h then carry along as they compose G. The change of G' t has for each step its
// multipliers l = F' t_y times the change of J, folded by G from both sides.
//
// A, B and C of a loop. Its conditions are on the motion of its second end frame seen from the
// first: spatial vectors about the origin p of the second, V = V_1 - V_0 and A = A_1 - A_0 - V_0 x
// V_1. Degree of freedom k of the second branch moves all behind it by S, and with what
// derivatives.c calls psi, chi and eta, seen from the moving first frame,
//
//   psi' = psi - V_0 x S,   chi' = chi - V_0 x (psi + psi') - A_0 x S,   eta' = eta - 2 V_0 x S,
//
// a point that rests in the second frame, with velocity u and acceleration a there, changes its
// velocity by psi'(p) + S x u and its acceleration by chi'(p) + 2 psi' x u + S x a, and by velocity
// eta'(p) + 2 S x u (angular parts in the products). Degrees of freedom of the first branch do the
// same with the opposite sign, because all of this is relative to the first frame.
#include "closure_derivatives.h"

#include "../loop/law.h"
#include "../loop/loop.h"
#include "../loop/user_rate.h"
#include "../model/joint.h"
#include "derivative_sweep.h"

#include <string.h>

// What a loop's conditions see, along the axes of the world.
typedef struct view {
    const lwi_loop *loop;
    lw_mat3 R;       // axes of the first end frame
    lw_vec3 z;       // third axis of the second
    lw_vec3 dz, ddz; // its velocity and acceleration, seen from the first
    lw_vec3 d;       // from the first origin to the second
    lw_vec3 arm[2];  // from the origins that spatial vectors of the branches are about, to p
    lw_motion V_0;   // of the first end, about p
    lw_motion A_0;   // likewise
    lw_motion V, A;  // of the second, seen from the first
    lw_vec3 a;       // acceleration of p, likewise
    lw_vec3 end_u[2], end_a[2]; // of a rod: velocities and accelerations of its ends. V.lin and a
                                // are their differences, and nothing else of the motion is there
    double sign;                // of the branch at hand
} view;

// A vector of the conditions: rotation, third axis and origin of the second frame.
typedef struct triple {
    lw_vec3 w, z, p;
} triple;

static lw_motion about(lw_motion x, lw_vec3 arm)
{
    return (lw_motion){x.ang, lw_add3(x.lin, lw_cross3(x.ang, arm))};
}

static lw_motion motion_sub(lw_motion a, lw_motion b)
{
    return (lw_motion){lw_sub3(a.ang, b.ang), lw_sub3(a.lin, b.lin)};
}

// Where the origin of a root is.
static lw_vec3 root_origin(const lw_model *m, const double *q, int i)
{
    if (m->kernel->segment[i].carrier == LW_TREE_REVOLUTE) {
        return m->X_PJ[i].p;
    }
    const lw_pose one = lw_pose_identity(), X = joint_frame_after(m, i, &one);
    return joint_pose_after(m, i, q, &X).p;
}

static view look(const lw_model *m, const lw_data *d, const lwi_world_body *ground, const double *q,
                 int k)
{
    view s = {.loop = &m->kernel->program->loop[k]};
    lw_motion V[2], A[2];
    lw_vec3 p[2], origin[2];
    for (int side = 0; side < 2; ++side) {
        const lw_frame_info *frame = &m->frame[m->loop[k].frame[side]];
        const lwi_world_body *B = frame->body < 0 ? ground : &d->world[frame->body];
        const int first = s.loop->npath[side] > 0 ? s.loop->path[side][0] : -1;
        // Branches that meet at the world have an origin each.
        origin[side] = first >= 0 && m->parent[first] < 0 ? root_origin(m, q, first)
                                                          : lw_vec3_of(0.0, 0.0, 0.0);
        p[side] = lw_add3(origin[side], lw_pose_apply(&B->X, frame->X_BF.p));
        if (!s.loop->is_rod) {
            const lw_mat3 R = lw_mul3(&B->X.R, &frame->X_BF.R);
            s.R = side ? s.R : R;
            s.z = column_z(&R);
        }
        V[side] = B->vel;
        A[side] = B->acc;
    }
    s.d = lw_sub3(p[1], p[0]);
    for (int side = 0; side < 2; ++side) {
        s.arm[side] = lw_sub3(p[1], origin[side]);
        if (s.loop->is_rod) {
            const lw_vec3 r = lw_sub3(p[side], origin[side]);
            s.end_u[side] = about(V[side], r).lin;
            s.end_a[side] = lw_add3(about(A[side], r).lin, lw_cross3(V[side].ang, s.end_u[side]));
            continue;
        }
        V[side] = about(V[side], s.arm[side]);
        A[side] = about(A[side], s.arm[side]);
    }
    if (s.loop->is_rod) {
        s.V.lin = lw_sub3(s.end_u[1], s.end_u[0]);
        s.a = lw_sub3(s.end_a[1], s.end_a[0]);
        return s;
    }
    s.V_0 = V[0];
    s.A_0 = A[0];
    s.V = motion_sub(V[1], V[0]);
    s.A = motion_sub(motion_sub(A[1], A[0]), lwi_motion_cross(&V[0], V[1]));
    s.a = lw_add3(s.A.lin, lw_cross3(s.V.ang, s.V.lin));
    s.dz = lw_cross3(s.V.ang, s.z);
    s.ddz = lw_add3(lw_cross3(s.A.ang, s.z), lw_cross3(s.V.ang, s.dz));
    return s;
}

// --- Rows of a step ---------------------------------------------------------------------------

// Matrices of a step, [nrow*ncolumn] each, columns as in lwi_step: targets, then sources.
enum { ROWS_J, ROWS_A, ROWS_B, ROWS_C, ROWS };

// Entries of a loop's rows in one column: conditions on a motion of the second frame.
static void put_rows(const view *s, const triple *x, double *to, int apart)
{
    double row[LWI_MOST_ROWS];
    lwi_loop_pick(s->loop, lw_rotate_back(&s->R, x->w), lw_rotate_back(&s->R, x->z),
                  lw_rotate_back(&s->R, x->p), row);
    for (int r = 0; r < s->loop->nrow; ++r) {
        to[r * apart] = s->sign * row[r];
    }
}

static lw_vec3 sum3(lw_vec3 a, double two, lw_vec3 b, lw_vec3 c)
{
    return (lw_vec3){a.x + two * b.x + c.x, a.y + two * b.y + c.y, a.z + two * b.z + c.z};
}

// The columns of one degree of freedom, all motions about p: entries of the four matrices.
static void put_columns(const view *s, const lw_motion *S, const lw_motion *psi,
                        const lw_motion *chi, const lw_motion *eta, double *const to[ROWS],
                        int apart)
{
    const lw_vec3 u = s->V.lin, w = S->ang, none = {0.0, 0.0, 0.0};
    const lw_vec3 u_q = lw_add3(psi->lin, lw_cross3(w, u));
    const lw_vec3 a_q = sum3(chi->lin, 2.0, lw_cross3(psi->ang, u), lw_cross3(w, s->a));
    const lw_vec3 a_v = sum3(eta->lin, 2.0, lw_cross3(w, u), none);
    const lw_vec3 z = s->z, v = s->V.ang;
    const triple x[ROWS] = {
        {w, lw_cross3(w, z), S->lin},
        {lw_add3(psi->ang, lw_cross3(w, v)), lw_add3(lw_cross3(psi->ang, z), lw_cross3(w, s->dz)),
         u_q},
        {sum3(chi->ang, 1.0, lw_cross3(psi->ang, v), lw_cross3(w, s->A.ang)),
         sum3(lw_cross3(chi->ang, z), 2.0, lw_cross3(psi->ang, s->dz), lw_cross3(w, s->ddz)), a_q},
        {lw_add3(eta->ang, lw_cross3(w, v)),
         sum3(lw_cross3(eta->ang, z), 2.0, lw_cross3(w, s->dz), none), a_v},
    };
    for (int k = 0; k < ROWS; ++k) {
        put_rows(s, &x[k], to[k], apart);
    }
}

// The same of a rod, whose length changes by the velocities and accelerations of its two ends:
// d . (u_1 - u_0) and d . (a_1 - a_0) + |u_1 - u_0|^2.
static void put_rod_columns(const lw_model *m, const lw_data *d, const view *s, int body, int v,
                            double *const to[ROWS])
{
    const int side = s->sign > 0.0;
    const lw_vec3 r = side ? s->arm[1] : lw_sub3(s->arm[0], s->d), u = s->end_u[side];
    const lw_motion S = about(lwi_row_motion(d, LWI_ROW_S, v), r);
    const lw_motion psi = about(
        (lw_motion){lwi_row_vector(d, LWI_ROW_PSI, v), lwi_row_vector(d, LWI_ROW_PSI_LIN, v)}, r);
    const lw_motion chi = about(lwi_row_motion(d, LWI_ROW_CHI, v), r);
    const lw_vec3 rotated = lw_cross3(S.ang, u), u_q = lw_add3(psi.lin, rotated);
    const lw_vec3 a_q = sum3(chi.lin, 2.0, lw_cross3(psi.ang, u), lw_cross3(S.ang, s->end_a[side]));
    const double across = lw_dot3(S.lin, s->V.lin), change = across + lw_dot3(s->d, u_q);
    to[ROWS_J][0] = s->sign * lw_dot3(s->d, S.lin);
    to[ROWS_A][0] = s->sign * change;
    to[ROWS_B][0] =
        s->sign * (lw_dot3(S.lin, s->a) + lw_dot3(s->d, a_q) + 2.0 * lw_dot3(s->V.lin, u_q));
    to[ROWS_C][0] = 2.0 * s->sign * change;
    const lwi_segment *b = &m->kernel->segment[body];
    if (b->nv > 1 || b->carrier == LW_TREE_USER) { // else eta is 2 psi
        const lw_motion eta = about(lwi_row_motion(d, LWI_ROW_ETA, v), r);
        const lw_vec3 a_v = lwi_axpy3(2.0, rotated, eta.lin);
        to[ROWS_C][0] = s->sign * (lw_dot3(s->d, a_v) + 2.0 * across);
    }
}

static lwi_bend move_loop(const lw_model *m, const lw_data *d, const view *s, int body, int v,
                          double *const row[ROWS], int column, int apart)
{
    const lw_vec3 arm = s->arm[s->sign > 0.0];
    const lw_motion still = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    double *const to[ROWS] = {row[ROWS_J] + column, row[ROWS_A] + column, row[ROWS_B] + column,
                              row[ROWS_C] + column};
    const lw_motion S = about(lwi_row_motion(d, LWI_ROW_S, v), arm);
    const lwi_bend own = {.S = lwi_motion_axpy(s->sign, S, still), .column = column, .body = body};
    if (s->loop->is_rod) {
        put_rod_columns(m, d, s, body, v, to);
        return own;
    }
    const lw_motion psi = about(
        (lw_motion){lwi_row_vector(d, LWI_ROW_PSI, v), lwi_row_vector(d, LWI_ROW_PSI_LIN, v)}, arm);
    const lw_motion chi = about(lwi_row_motion(d, LWI_ROW_CHI, v), arm);
    const lw_motion eta = about(lwi_row_motion(d, LWI_ROW_ETA, v), arm);
    const lw_motion carried = lwi_motion_cross(&s->V_0, S), psi_seen = motion_sub(psi, carried);
    const lw_motion both = lwi_motion_cross(&s->V_0, lwi_motion_add(psi, psi_seen));
    const lw_motion chi_seen = motion_sub(motion_sub(chi, both), lwi_motion_cross(&s->A_0, S));
    const lw_motion eta_seen = lwi_motion_axpy(-2.0, carried, eta);
    put_columns(s, &S, &psi_seen, &chi_seen, &eta_seen, to, apart);
    return own;
}

// Rows of one loop in the matrices of its step; returns how many degrees of freedom it has.
static int move_branches(const lw_model *m, const lw_data *d, view *s, double *const row[ROWS],
                         int apart, lwi_bend *out)
{
    int n = 0;
    for (int side = 0; side < 2; ++side) {
        s->sign = side ? 1.0 : -1.0;
        for (int k = 0; k < s->loop->npath[side]; ++k) {
            const int i = s->loop->path[side][k];
            for (int v = m->v_start[i]; v < m->v_start[i + 1]; ++v, ++n) {
                out[n] = move_loop(m, d, s, i, v, row, s->loop->column[n], apart);
                out[n].at = side ? k + 1 : -(k + 1);
            }
        }
    }
    return n;
}

// --- The change of the rows -------------------------------------------------------------------

// Multipliers as vectors, along the axes of the world.
static triple spread_multipliers(const view *s, const double *multiplier)
{
    if (s->loop->is_rod) {
        const lw_vec3 none = {0.0, 0.0, 0.0};
        return (triple){none, none, lw_scale3(multiplier[0], s->d)};
    }
    triple x;
    lwi_loop_spread(s->loop, multiplier, &x.w, &x.z, &x.p);
    return (triple){lw_rotate(&s->R, x.w), lw_rotate(&s->R, x.z), lw_rotate(&s->R, x.p)};
}

// Multipliers times the change of column i of J along degree of freedom k. What is nearer to the
// first end moves what is beyond it.
static double change_of_row(const view *s, const triple *l, double rod, const lwi_bend *i,
                            const lwi_bend *k)
{
    // A joint moves its own axes on the second branch; on the first these rest, seen from its end.
    const bool is_moved = k->at < i->at || (k->at == i->at && k->at > 0);
    const lw_motion *first = is_moved ? &k->S : &i->S, *second = is_moved ? &i->S : &k->S;
    double sum = lw_dot3(l->p, lw_cross3(first->ang, second->lin));
    if (s->loop->is_rod) {
        return sum + rod * lw_dot3(i->S.lin, k->S.lin);
    }
    sum += lw_dot3(l->z, lw_cross3(first->ang, lw_cross3(second->ang, s->z)));
    return is_moved ? sum + lw_dot3(l->w, lw_cross3(k->S.ang, i->S.ang)) : sum;
}

// User joints whose S changes by itself: degree of freedom i along k of one joint.
static double change_of_user(const lw_model *m, const lw_data *d, const double *q, const view *s,
                             const triple *l, const lwi_bend *i, const lwi_bend *k,
                             const lwi_bend *first)
{
    if (i->body != k->body || m->carrier[i->body] != LW_TREE_USER ||
        !m->kernel->user[i->body].bias) {
        return 0.0;
    }
    while (first->body != i->body) {
        ++first;
    }
    lw_motion rate[LW_MAX_DOF];
    lwi_user_motion_rate(&m->kernel->user[i->body], q + m->q_start[i->body], (int)(k - first),
                         rate);
    const lw_motion x =
        about(lwi_motion_to_world(&d->world[i->body], rate[i - first]), s->arm[i->at > 0]);
    const double sum =
        lw_dot3(l->p, x.lin) + lw_dot3(l->w, x.ang) + lw_dot3(l->z, lw_cross3(x.ang, s->z));
    return i->at > 0 ? sum : -sum;
}

static int count_dofs(const lw_model *m, const lwi_loop *loop)
{
    int n = 0;
    for (int k = 0; k < loop->npath[0] + loop->npath[1]; ++k) {
        n += lwi_body_on_path(m, loop, k)->nv;
    }
    return n;
}

static void add_pairs(const lw_model *m, const lw_data *d, const double *q, const view *s,
                      const double *multiplier, const lwi_bend *dof, int n, double *pair, int apart)
{
    const triple l = spread_multipliers(s, multiplier);
    const bool has_user = m->kernel->user != NULL;
    for (int x = 0; x < n * n; ++x) {
        const lwi_bend *i = &dof[x / n], *k = &dof[x % n];
        // Second derivatives of a length do not depend on the order of two joints.
        const bool is_twin = s->loop->is_rod && i->at != k->at;
        if (is_twin && x / n > x % n) {
            continue;
        }
        double change = change_of_row(s, &l, multiplier[0], i, k);
        change += has_user ? change_of_user(m, d, q, s, &l, i, k, dof) : 0.0;
        pair[i->column * apart + k->column] += change;
        if (is_twin) {
            pair[k->column * apart + i->column] += change;
        }
    }
}

// --- Steps ------------------------------------------------------------------------------------

// Everything that one call works with.
typedef struct job {
    const lw_model *m;
    lw_data *d;
    const lwi_state *at;
    lwi_world_body ground;
    double *by_q;
} job;

// out [nt*ns] = F (X_x + X_y K), of which X [nrow*(nt+ns)] are the rows.
static void solve_rows(const lwi_step *step, const double *F, const double *X, const double *K,
                       double *out)
{
    const int nt = step->ntarget, ns = step->nsource, n = nt + ns;
    memset(out, 0, (size_t)(nt * ns) * sizeof *out);
    for (int r = 0; r < step->nrow; ++r) {
        const double *row = X + r * n;
        for (int k = 0; k < ns; ++k) {
            double sum = row[nt + k];
            for (int t = 0; t < nt; ++t) {
                sum += row[t] * K[t * ns + k];
            }
            for (int t = 0; t < nt; ++t) {
                out[t * ns + k] += F[t * step->nrow + r] * sum;
            }
        }
    }
}

// out [nt*ns] += F X_y Y
static void add_solved(const lwi_step *step, const double *F, const double *X, const double *Y,
                       double *out)
{
    const int nt = step->ntarget, ns = step->nsource, n = nt + ns;
    for (int r = 0; r < step->nrow; ++r) {
        for (int k = 0; k < ns; ++k) {
            double sum = 0.0;
            for (int t = 0; t < nt; ++t) {
                sum += X[r * n + t] * Y[t * ns + k];
            }
            for (int t = 0; t < nt; ++t) {
                out[t * ns + k] += F[t * step->nrow + r] * sum;
            }
        }
    }
}

// F [nt*nrow] = -J_y^-1, of as many rows as there are targets; false where there are not.
static bool invert_targets(const lwi_step *step, const double *J, double *matrix, double *F)
{
    const int nt = step->ntarget, nrow = step->nrow, n = nt + step->nsource, wide = nt + nrow;
    memset(matrix, 0, (size_t)(nrow * wide) * sizeof *matrix);
    for (int r = 0; r < nrow; ++r) {
        memcpy(matrix + r * wide, J + r * n, (size_t)nt * sizeof *matrix);
        matrix[r * wide + nt + r] = 1.0;
    }
    if (lwi_eliminate_columns(matrix, nrow, wide, nt) >= 0) {
        return false;
    }
    for (int t = 0; t < nt; ++t) {
        memcpy(F + t * nrow, matrix + t * wide + nt, (size_t)nrow * sizeof *F);
    }
    return true;
}

// Adds G' P G of the sources' square P, into which the targets' rows and columns are folded first.
static void fold_pairs(const job *j, const lwi_step *step, double *pair)
{
    const lwi_fronts *p = j->m->kernel->program->fronts;
    const double *K = &j->d->rate[step->rate], *g = j->d->fronts.g;
    const int nt = step->ntarget, ns = step->nsource, n = nt + ns;
    for (int t = 0; t < nt; ++t) {
        for (int k = 0; k < ns; ++k) {
            for (int c = 0; c < n; ++c) {
                pair[(nt + k) * n + c] += K[t * ns + k] * pair[t * n + c];
            }
        }
    }
    for (int i = 0; i < ns; ++i) {
        const double *row = pair + (nt + i) * n;
        const int v = step->source[i];
        for (int k = 0; k < ns; ++k) {
            double sum = row[nt + k];
            for (int t = 0; t < nt; ++t) {
                sum += row[t] * K[t * ns + k];
            }
            const int u = step->source[k];
            for (int e = p->row[v]; e < p->row[v] + p->nrow[v]; ++e) {
                double *to = j->by_q + (size_t)p->column[e] * (size_t)j->m->nv;
                for (int o = p->row[u]; o < p->row[u] + p->nrow[u]; ++o) {
                    to[p->column[o]] += g[e] * sum * g[o];
                }
            }
        }
    }
}

// Multipliers of a step's rows, for the forces on its targets.
static void find_multipliers(const lwi_step *step, const double *F, const double *tau,
                             double *multiplier)
{
    for (int r = 0; r < step->nrow; ++r) {
        multiplier[r] = 0.0;
        for (int t = 0; t < step->ntarget; ++t) {
            multiplier[r] += F[t * step->nrow + r] * tau[step->target[t]];
        }
    }
}

static void bend_pairs(const job *j, const lwi_step *step, const view *only)
{
    const lwi_rate_work *work = &j->d->rate_work;
    const int n = step->ntarget + step->nsource;
    const lwi_bend *dof = work->dof;
    const double *multiplier = work->multiplier;
    find_multipliers(step, work->F, j->d->tree_tau, work->multiplier);
    memset(work->pair, 0, (size_t)(n * n) * sizeof *work->pair);
    for (int k = 0; k < step->nloop; ++k) {
        const view s =
            step->nloop == 1 ? *only : look(j->m, j->d, &j->ground, j->at->q, step->loop[k]);
        const int ndof = count_dofs(j->m, s.loop);
        add_pairs(j->m, j->d, j->at->q, &s, multiplier, dof, ndof, work->pair, n);
        dof += ndof;
        multiplier += s.loop->nrow;
    }
    fold_pairs(j, step, work->pair);
}

static bool bend_loops(const job *j, const lwi_step *step)
{
    const lwi_rate_work *work = &j->d->rate_work;
    const int n = step->ntarget + step->nsource, size = step->nrow * n;
    const double *K = &j->d->rate[step->rate], *F = work->F;
    double *KA = &work->v_by_q[step->rate], *KB = &work->a_by_q[step->rate];
    double *KC = &work->a_by_v[step->rate];
    double *row[ROWS], *X[ROWS];
    for (int k = 0; k < ROWS; ++k) {
        X[k] = row[k] = work->rows + k * size;
    }
    memset(work->rows, 0, (size_t)(ROWS * size) * sizeof *work->rows);
    view s = {.loop = NULL};
    lwi_bend *dof = work->dof;
    for (int k = 0; k < step->nloop; ++k) {
        s = look(j->m, j->d, &j->ground, j->at->q, step->loop[k]);
        dof += move_branches(j->m, j->d, &s, row, n, dof);
        for (int x = 0; x < ROWS; ++x) {
            row[x] += s.loop->nrow * n;
        }
    }
    for (int g = 0; g < step->ngear; ++g) {
        memcpy(row[ROWS_J] + g * n, step->gear_row + g * (n + 1), (size_t)n * sizeof **row);
    }
    if (!invert_targets(step, X[ROWS_J], work->matrix, work->F)) {
        return false;
    }
    solve_rows(step, F, X[ROWS_A], K, KA);
    solve_rows(step, F, X[ROWS_B], K, KB);
    solve_rows(step, F, X[ROWS_C], K, KC);
    add_solved(step, F, X[ROWS_C], KA, KB);
    if (j->by_q) {
        bend_pairs(j, step, &s);
    }
    return true;
}

// y = f(x)
static void bend_function(const job *j, const lwi_step *step)
{
    const lwi_rate_work *work = &j->d->rate_work;
    const double v = j->at->v[step->source[0]], a = j->at->a[step->source[0]];
    double f[4];
    lwi_law_at(step, j->at->q[step->source_q[0]], f);
    work->v_by_q[step->rate] = f[2] * v;
    work->a_by_q[step->rate] = f[2] * a + f[3] * v * v;
    work->a_by_v[step->rate] = 2.0 * f[2] * v;
    if (j->by_q) {
        double pair[4] = {0.0, 0.0, 0.0, f[2] * j->d->tree_tau[step->target[0]]};
        fold_pairs(j, step, pair);
    }
}

// What steps do to the motion of their sources, composed as G is.
static void compose(const lw_model *m, const lw_data *d)
{
    const lwi_fronts *p = m->kernel->program->fronts;
    const lwi_front_data *f = &d->fronts;
    const lwi_rate_work *work = &d->rate_work;
    const size_t size = (size_t)p->nentry * sizeof(double);
    memset(f->v_by_q, 0, size);
    memset(f->a_by_q, 0, size);
    memset(f->a_by_v, 0, size);
    for (int k = 0; k < p->nproduct; ++k) {
        const int to = p->product[k].to, from = p->product[k].from, r = p->product[k].rate;
        const double K = d->rate[r], KC = work->a_by_v[r], g = f->g[from], w = f->v_by_q[from];
        f->v_by_q[to] += K * w + work->v_by_q[r] * g;
        f->a_by_q[to] += K * f->a_by_q[from] + work->a_by_q[r] * g + KC * w;
        f->a_by_v[to] += K * f->a_by_v[from] + KC * g;
    }
}

bool lwi_closure_derivatives(const lw_model *m, lw_data *d, const lwi_state *at, double *by_q)
{
    job j = {.m = m, .d = d, .at = at, .by_q = by_q};
    lwi_world_ground(d, &j.ground);
    // Each step hands the forces on its targets on; those on the targets themselves stay.
    d->kernels->closure_forces(m, d, d->tree_tau, d->fronts.sum);
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &m->kernel->program->step[s];
        if (step->kind == LW_STEP_FUNCTION) {
            bend_function(&j, step);
        } else if (step->kind != LW_STEP_LINEAR && step->nloop > 0) {
            if (!bend_loops(&j, step)) {
                return false;
            }
        }
    }
    compose(m, d);
    return true;
}
