#include "cut_tree.h"
#include "objects.h"

#include "check.h"

#include "kin/closure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cut_open(const closed_machine *machine, const lw_model *closed, cut_tree *cut)
{
    lw_mech *mech = machine->build(true);
    *cut = (cut_tree){.closed = closed, .tree = closed_model(mech)};
    if (!CHECK(cut->tree != NULL)) {
        return false;
    }
    cut->n = cut->tree->nv;
    cut->d = new_data(cut->tree);
    bool is_same = CHECK_INT(cut->n, closed->tree_nv) && CHECK_INT(cut->tree->nstep, 0) &&
                   CHECK_INT(cut->tree->nbody, closed->nbody) && CHECK(cut->n <= CUT_MOST / 2);
    for (int i = 0; i < cut->n && is_same; ++i) {
        is_same = CHECK_TEXT(cut->tree->velocity_name[i], closed->tree_velocity_name[i]);
    }
    if (!is_same) {
        cut_close(cut);
    }
    return is_same;
}

void cut_close(cut_tree *cut)
{
    lw_data_destroy(cut->d);
    lw_model_destroy(cut->tree);
}

// A frame of the tree on this body, and the place of a point of the body in it.
static int frame_on(const lw_model *m, int body, lw_vec3 at, lw_vec3 *point)
{
    for (int f = 0; f < m->nframe_all; ++f) {
        if (m->frame[f].body == body) {
            const lw_pose back = lw_pose_inverse(&m->frame[f].X_BF);
            *point = lw_pose_apply(&back, at);
            return f;
        }
    }
    return -1;
}

// One end of a loop in world axes: Jacobian of turning and of the point, their bias, their values.
typedef struct end {
    double J[6 * CUT_MOST];
    lw_motion bias, vel;
    lw_pose X;
} end;

static void look_at_end(const cut_tree *cut, const lw_frame_info *at, end *e)
{
    *e = (end){.X = at->X_BF};
    if (at->body < 0) {
        return;
    }
    const lw_model *m = cut->tree;
    lw_vec3 point;
    const int f = frame_on(m, at->body, at->X_BF.p, &point);
    CHECK(lw_frame_jacobian(m, cut->d, cut->q, f, LW_IN_WORLD, &point, e->J) == LW_OK);
    CHECK(lw_frame_jacobian_rate_times_v(m, cut->d, cut->q, cut->v, f, LW_IN_WORLD, &point,
                                         &e->bias) == LW_OK);
    lw_pose X_WF;
    CHECK(lw_frame_pose(m, cut->d, f, &X_WF) == LW_OK);
    const lw_pose back = lw_pose_inverse(&m->frame[f].X_BF), X_WB = lw_pose_mul(&X_WF, &back);
    e->X = lw_pose_mul(&X_WB, &at->X_BF);
    double *x[] = {&e->vel.ang.x, &e->vel.ang.y, &e->vel.ang.z,
                   &e->vel.lin.x, &e->vel.lin.y, &e->vel.lin.z};
    for (int r = 0; r < 6; ++r) {
        for (int i = 0; i < cut->n; ++i) {
            *x[r] += e->J[r * cut->n + i] * cut->v[i];
        }
    }
}

// One condition: t times the difference of the ends' rows from `first` on, of which t's own rate is
// `rate`.
static void add_row(cut_tree *cut, const end e[2], int first, lw_vec3 t, lw_vec3 rate)
{
    double *row = &cut->J[cut->nrow * cut->n];
    for (int i = 0; i < cut->n; ++i) {
        const double *a = &e[0].J[first * cut->n + i], *b = &e[1].J[first * cut->n + i];
        const int n = cut->n;
        row[i] = t.x * (b[0] - a[0]) + t.y * (b[n] - a[n]) + t.z * (b[2 * n] - a[2 * n]);
    }
    const bool is_point = first == 3;
    const lw_vec3 bias =
        is_point ? lw_sub3(e[1].bias.lin, e[0].bias.lin) : lw_sub3(e[1].bias.ang, e[0].bias.ang);
    const lw_vec3 vel =
        is_point ? lw_sub3(e[1].vel.lin, e[0].vel.lin) : lw_sub3(e[1].vel.ang, e[0].vel.ang);
    cut->bias[cut->nrow++] = lw_dot3(t, bias) + lw_dot3(rate, vel);
}

// Rods, and closing joints that are revolute about z of their frames.
static void add_loop(cut_tree *cut, const lw_loop_info *loop)
{
    end e[2];
    look_at_end(cut, &cut->closed->frame[loop->frame[0]], &e[0]);
    look_at_end(cut, &cut->closed->frame[loop->frame[1]], &e[1]);
    if (loop->is_rod) {
        add_row(cut, e, 3, lw_sub3(e[1].X.p, e[0].X.p), lw_sub3(e[1].vel.lin, e[0].vel.lin));
        return;
    }
    CHECK_INT((int)loop->type, (int)LW_JOINT_REVOLUTE);
    const lw_vec3 zero = {0, 0, 0};
    add_row(cut, e, 3, lw_vec3_of(1, 0, 0), zero);
    add_row(cut, e, 3, lw_vec3_of(0, 1, 0), zero);
    add_row(cut, e, 3, lw_vec3_of(0, 0, 1), zero);
    const lw_mat3 column = lw_transpose3(&e[0].X.R);
    for (int k = 0; k < 2; ++k) {
        add_row(cut, e, 0, column.row[k], lw_cross3(e[0].vel.ang, column.row[k]));
    }
}

void cut_update(cut_tree *cut, lw_data *closed)
{
    const lw_model *m = cut->closed;
    lwi_closure_angles(m, closed);
    memcpy(cut->q, closed->tree_q, (size_t)m->tree_nq * sizeof *cut->q);
    memcpy(cut->v, closed->tree_v, (size_t)m->tree_nv * sizeof *cut->v);
    memcpy(cut->a, closed->tree_a, (size_t)m->tree_nv * sizeof *cut->a);
    cut->nrow = 0;
    for (int k = 0; k < m->nloop; ++k) {
        add_loop(cut, &m->loop[k]);
    }
    for (int s = 0; s < m->nstep; ++s) {
        const lw_step_info *step = &m->step[s];
        for (int t = 0; t < step->ntarget && step->nloop == 0; ++t) {
            double *row = &cut->J[cut->nrow * cut->n];
            memset(row, 0, (size_t)cut->n * sizeof *row);
            row[step->target[t]] = 1.0;
            CHECK_INT((int)step->kind, (int)LW_STEP_LINEAR);
            for (int k = 0; k < step->nsource; ++k) {
                row[step->source[k]] = -step->coefficient[t * (1 + step->nsource) + 1 + k];
            }
            cut->bias[cut->nrow++] = 0.0;
        }
    }
}

static void swap_columns(int nrow, int ncolumn, double *A, int i, int j)
{
    for (int r = 0; r < nrow; ++r) {
        const double x = A[r * ncolumn + i];
        A[r * ncolumn + i] = A[r * ncolumn + j];
        A[r * ncolumn + j] = x;
    }
}

static void swap_rows(int ncolumn, double *A, double *b, int i, int j)
{
    for (int c = 0; c < ncolumn; ++c) {
        const double x = A[i * ncolumn + c];
        A[i * ncolumn + c] = A[j * ncolumn + c];
        A[j * ncolumn + c] = x;
    }
    const double x = b[i];
    b[i] = b[j];
    b[j] = x;
}

int solve_any(int nrow, int ncolumn, double *A, double *b, double *x, double *left)
{
    int *order = malloc((size_t)ncolumn * sizeof *order);
    double largest = 0.0;
    int rank = 0;
    for (int c = 0; c < ncolumn; ++c) {
        order[c] = c;
        x[c] = 0.0;
    }
    for (; rank < nrow && rank < ncolumn; ++rank) {
        int row = rank, column = rank;
        for (int r = rank; r < nrow; ++r) {
            for (int c = rank; c < ncolumn; ++c) {
                if (fabs(A[r * ncolumn + c]) > fabs(A[row * ncolumn + column])) {
                    row = r;
                    column = c;
                }
            }
        }
        const double pivot = A[row * ncolumn + column];
        largest = fmax(largest, fabs(pivot));
        if (fabs(pivot) < 1e-11 * largest) {
            break;
        }
        swap_rows(ncolumn, A, b, rank, row);
        swap_columns(nrow, ncolumn, A, rank, column);
        const int keep = order[rank];
        order[rank] = order[column];
        order[column] = keep;
        for (int r = 0; r < nrow; ++r) {
            const double share = A[r * ncolumn + rank] / pivot;
            if (r == rank || share == 0.0) {
                continue;
            }
            for (int c = rank; c < ncolumn; ++c) {
                A[r * ncolumn + c] -= share * A[rank * ncolumn + c];
            }
            b[r] -= share * b[rank];
        }
    }
    for (int k = 0; k < rank; ++k) {
        x[order[k]] = b[k] / A[k * ncolumn + k];
    }
    *left = 0.0;
    for (int r = rank; r < nrow; ++r) {
        *left = fmax(*left, fabs(b[r]));
    }
    free(order);
    return rank;
}
