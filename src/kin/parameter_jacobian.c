// Derivatives of a frame's pose by kinematic parameters.
//
// A parameter moves all that is attached behind its places by constant twists (parameter_table.h).
// Where it is in a loop, the residuals g of that loop change, and the targets y of each step follow
// from its rows: J_y dy + J_x dx + g_l = 0, in the order of the steps, with dx = 0 for the
// independent positions. So dy = K dx - J_y^+ g_l, with the K of the closure sweeps.
#include <linkwork/kinematics.h>
#include <linkwork/parameters.h>

#include "../loop/loop.h"
#include "../model/data.h"
#include "../model/parameter_table.h"
#include "closure.h"
#include "unit.h"

#include <string.h>

// Everything that one call works with.
typedef struct bench {
    const lw_model *m;
    const lw_parameters *list;
    lw_data *d;
    const double *q; // of the tree
    double *dx;      // [tree_nv] rates of the tree's positions
    bool is_moved;   // any of them is not zero
} bench;

// --- Inverses of the steps --------------------------------------------------------------------

// The pseudo-inverse [n*nrow] of the first n columns of A, by orthogonal columns, each cleared
// twice. R [n*n] is scratch. False where a column depends on those before it.
static bool invert(int nrow, int n, int stride, double *A, double *R, double *inverse)
{
    double largest = 0.0;
    for (int k = 0; k < nrow * n; ++k) {
        largest = fmax(largest, fabs(A[k / n * stride + k % n]));
    }
    for (int k = 0; k < n; ++k) {
        for (int j = 0; j <= k; ++j) {
            R[j * n + k] = 0.0;
        }
        for (int j = 0; j < 2 * k; ++j) {
            const int i = j % k;
            double share = 0.0;
            for (int r = 0; r < nrow; ++r) {
                share += A[r * stride + i] * A[r * stride + k];
            }
            for (int r = 0; r < nrow; ++r) {
                A[r * stride + k] -= share * A[r * stride + i];
            }
            R[i * n + k] += share;
        }
        double square = 0.0;
        for (int r = 0; r < nrow; ++r) {
            square += A[r * stride + k] * A[r * stride + k];
        }
        const double length = sqrt(square);
        if (!(length > 1e-11 * largest)) {
            return false;
        }
        R[k * n + k] = length;
        for (int r = 0; r < nrow; ++r) {
            A[r * stride + k] /= length;
        }
    }
    for (int r = 0; r < nrow; ++r) {
        for (int k = n - 1; k >= 0; --k) {
            double sum = A[r * stride + k];
            for (int j = k + 1; j < n; ++j) {
                sum -= R[k * n + j] * inverse[j * nrow + r];
            }
            inverse[k * nrow + r] = sum / R[k * n + k];
        }
    }
    return true;
}

static bool find_inverses(const lw_model *m, lw_data *d)
{
    const lwi_program *program = m->kernel->program;
    int at = 0;
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &program->step[s];
        if (step->nrow == 0) {
            continue;
        }
        lwi_step_matrix(m, program, step, &d->loop_work, d->tree_q, NULL);
        if (!invert(step->nrow, step->ntarget, step->ntarget + step->nsource + 1,
                    d->loop_work.matrix, d->rate_work.square, &d->rate_work.inverse[at])) {
            return false;
        }
        at += step->ntarget * step->nrow;
    }
    return true;
}

// --- What a parameter moves -------------------------------------------------------------------

static lw_motion motion_at(const lw_motion *twist, lw_vec3 p)
{
    const lw_motion r = {twist->ang, lw_add3(twist->lin, lw_cross3(twist->ang, p))};
    return r;
}

static lw_motion add(lw_motion a, lw_motion b)
{
    const lw_motion r = {lw_add3(a.ang, b.ang), lw_add3(a.lin, b.lin)};
    return r;
}

// Turning of a place and velocity of the point p there, by the parameter itself, in world axes.
static lw_motion moved_by_parameter(const bench *w, const lwi_parameter *parameter, int location,
                                    lw_vec3 p)
{
    lw_motion sum = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < parameter->naction; ++k) {
        const lwi_action *action = &w->list->action[parameter->action + k];
        if (location < action->first || location >= action->end) {
            continue;
        }
        const lw_pose one = lw_pose_identity();
        const lw_pose *X = action->body < 0 ? &one : &w->d->X_WB[action->body];
        const lw_vec3 p_B = lw_rotate_back(&X->R, lw_sub3(p, X->p));
        const lw_motion own = motion_at(&action->twist, p_B);
        const double factor = action->q < 0 ? 1.0 : w->q[action->q];
        const lw_motion rotated = {lw_scale3(factor, lw_rotate(&X->R, own.ang)),
                                   lw_scale3(factor, lw_rotate(&X->R, own.lin))};
        sum = add(sum, rotated);
    }
    return sum;
}

// The same by the positions of body and of all bodies before it.
static lw_motion moved_by_joints(const bench *w, int body, lw_vec3 p)
{
    lw_motion sum = {{0, 0, 0}, {0, 0, 0}};
    for (int i = body; i >= 0 && w->is_moved; i = w->m->parent[i]) {
        lw_motion S[LW_MAX_DOF];
        const int n = unit_motions(w->m, w->d, w->q, i, S);
        const lw_vec3 arm = lw_sub3(p, w->d->X_WB[i].p);
        for (int k = 0; k < n; ++k) {
            const lw_motion own = motion_at(&S[k], arm);
            const double rate = w->dx[w->m->v_start[i] + k];
            sum = add(sum, (lw_motion){lw_scale3(rate, own.ang), lw_scale3(rate, own.lin)});
        }
    }
    return sum;
}

static lw_pose frame_pose(const bench *w, int frame)
{
    const lw_frame_info *f = &w->m->frame[frame];
    return f->body < 0 ? f->X_BF : lw_pose_mul(&w->d->X_WB[f->body], &f->X_BF);
}

// Rates of the residuals of a loop, by the parameter alone or by the joints too.
static void loop_rates(const bench *w, const lwi_parameter *parameter, int k, bool with_joints,
                       double row[LWI_MOST_ROWS])
{
    const lwi_loop *loop = &w->m->kernel->program->loop[k];
    lw_pose X[2];
    lw_motion V[2];
    for (int side = 0; side < 2; ++side) {
        const int frame = w->m->loop[k].frame[side];
        X[side] = frame_pose(w, frame);
        V[side] = moved_by_parameter(w, parameter, w->list->loop_location[2 * k + side], X[side].p);
        if (with_joints) {
            V[side] = add(V[side], moved_by_joints(w, w->m->frame[frame].body, X[side].p));
        }
    }
    lwi_loop_end_rates(loop, X, V, row);
    if (parameter->index != k) {
        return;
    }
    if (parameter->effect == LWI_EFFECT_LENGTH) {
        row[0] -= parameter->rate * loop->length;
    } else if (parameter->effect == LWI_EFFECT_COSINE) {
        row[0] -= parameter->rate;
    } else if (parameter->effect == LWI_EFFECT_LEAD) {
        const lw_mat3 back = lw_transpose3(&X[0].R), R = lw_mul3(&back, &X[1].R);
        row[loop->nrow - 1] -= parameter->rate * atan2(R.row[1].x, R.row[0].x);
    }
}

// The same for the row of a gear: its shares grow in proportion to a size.
static double gear_rate(const bench *w, const lwi_parameter *parameter, int g, bool with_joints)
{
    const lwi_gear_row *gear = &w->list->gear[g];
    const bool is_own = parameter->effect == LWI_EFFECT_GEAR && parameter->index == g;
    const bool is_ratio = parameter->effect == LWI_EFFECT_RATIO && parameter->index == g;
    double sum = 0.0;
    for (int k = 0; k < gear->ndof; ++k) {
        if (is_ratio && k == parameter->which) {
            sum += parameter->rate * (w->q[gear->q[k]] - gear->reference[k]);
        }
        const bool is_grown = is_own && (k >= gear->nfirst) == (parameter->which == 1);
        sum += is_grown ? parameter->rate * gear->share[k] * (w->q[gear->q[k]] - gear->reference[k])
                        : 0.0;
        sum += with_joints ? gear->share[k] * w->dx[gear->v[k]] : 0.0;
    }
    return sum;
}

// --- Through the closure program --------------------------------------------------------------

// Residual rates of all rows of a step, by the parameter alone; false where all are zero.
static bool step_rates(const bench *w, const lwi_parameter *parameter, int s, double *rate)
{
    const lwi_step *step = &w->m->kernel->program->step[s];
    double *at = rate;
    for (int k = 0; k < step->nloop; ++k) {
        double row[LWI_MOST_ROWS];
        const int nrow = w->m->kernel->program->loop[step->loop[k]].nrow;
        loop_rates(w, parameter, step->loop[k], false, row);
        memcpy(at, row, (size_t)nrow * sizeof *row);
        at += nrow;
    }
    for (; at < rate + step->nrow; ++at) {
        *at = 0.0;
    }
    for (int g = 0; g < w->list->ngear; ++g) {
        if (w->list->gear[g].step == s) {
            rate[w->list->gear[g].row] = gear_rate(w, parameter, g, false);
        }
    }
    for (int r = 0; r < step->nrow; ++r) {
        if (rate[r] != 0.0) {
            return true;
        }
    }
    return false;
}

// x to the power of a coefficient.
static double coupling_rate(const bench *w, const lwi_parameter *parameter, const lwi_step *step)
{
    double power = parameter->rate;
    for (int k = 0; k < parameter->which; ++k) {
        power *= w->q[step->source_q[0]];
    }
    return power;
}

// Rates of all dependent positions.
static void follow(bench *w, const lwi_parameter *parameter)
{
    const lwi_program *program = w->m->kernel->program;
    double *rate = w->d->loop_work.matrix;
    int at = 0;
    memset(w->dx, 0, (size_t)w->m->tree_nv * sizeof *w->dx);
    w->is_moved = false;
    for (int s = 0; s < w->m->nstep; ++s) {
        const lwi_step *step = &program->step[s];
        const double *K = &w->d->rate[step->rate];
        const bool is_felt = step->nrow > 0 && step_rates(w, parameter, s, rate);
        for (int t = 0; t < step->ntarget; ++t) {
            double sum = 0.0;
            for (int k = 0; k < step->nsource; ++k) {
                sum += K[t * step->nsource + k] * w->dx[step->source[k]];
            }
            for (int r = 0; r < step->nrow && is_felt; ++r) {
                sum -= w->d->rate_work.inverse[at + t * step->nrow + r] * rate[r];
            }
            if (parameter->effect == LWI_EFFECT_COUPLING && parameter->index == s) {
                sum += coupling_rate(w, parameter, step);
            }
            w->dx[step->target[t]] = sum;
            w->is_moved |= sum != 0.0;
        }
        at += step->ntarget * step->nrow;
    }
}

// How fast the loops and gears come apart.
static double opening_of(const bench *w, const lwi_parameter *parameter)
{
    double sum = 0.0;
    for (int k = 0; k < w->m->nloop; ++k) {
        const lwi_loop *loop = &w->m->kernel->program->loop[k];
        double row[LWI_MOST_ROWS];
        loop_rates(w, parameter, k, true, row);
        for (int r = 0; r < loop->nrow; ++r) {
            const double own = loop->is_rod ? row[r] / loop->length : row[r];
            sum += own * own;
        }
    }
    for (int g = 0; g < w->list->ngear; ++g) {
        const lwi_gear_row *gear = &w->list->gear[g];
        double largest = 0.0;
        for (int k = 0; k < gear->ndof; ++k) {
            largest = fmax(largest, fabs(gear->share[k]));
        }
        const double own = gear_rate(w, parameter, g, true) / largest;
        sum += own * own;
    }
    return sqrt(sum);
}

static lw_status check(const lw_model *m, const lw_parameters *p, const lw_data *d, int frame,
                       lw_axes axes, int n, const int *list, const double *J)
{
    if (!m || !p || !d || d->model != m || frame < 0 || frame >= m->nframe_all ||
        (axes != LW_IN_FRAME && axes != LW_IN_WORLD) || n < 0 || (n > 0 && (!list || !J)) ||
        p->nbody != m->nbody || p->nframe_all != m->nframe_all || p->nloop != m->nloop ||
        p->nstep != m->nstep || p->tree_nv != m->tree_nv) {
        return LW_ERR_ARGUMENT;
    }
    for (int k = 0; k < n; ++k) {
        if (list[k] < 0 || list[k] >= p->count) {
            return LW_ERR_ARGUMENT;
        }
    }
    return LW_OK;
}

lw_status lw_parameter_jacobian(const lw_model *m, lw_data *d, const lw_parameters *parameters,
                                const double *q, int frame, lw_axes axes, int n, const int *list,
                                double *J, double *opening)
{
    lw_status status = check(m, parameters, d, frame, axes, n, list, J);
    if (status == LW_OK) {
        status = lw_forward_position(m, d, q);
    }
    if (status != LW_OK) {
        return status;
    }
    lwi_drop_results(d);
    lwi_closure_angles(m, d); // rows of loops and gears read positions
    if (!lwi_closure_rates(m, d)) {
        return lwi_closure_status(d);
    }
    if (m->nstep > 0 && !find_inverses(m, d)) {
        return LW_ERR_SINGULAR;
    }
    bench w = {m, parameters, d, m->nstep > 0 ? d->tree_q : q, d->tree_tau, false};
    const lw_pose X = frame_pose(&w, frame);
    for (int k = 0; k < n; ++k) {
        const lwi_parameter *parameter = &parameters->at[list[k]];
        follow(&w, parameter);
        lw_motion V = moved_by_parameter(&w, parameter, parameters->frame_location[frame], X.p);
        V = add(V, moved_by_joints(&w, m->frame[frame].body, X.p));
        if (axes == LW_IN_FRAME) {
            V = (lw_motion){lw_rotate_back(&X.R, V.ang), lw_rotate_back(&X.R, V.lin)};
        }
        const double column[6] = {V.ang.x, V.ang.y, V.ang.z, V.lin.x, V.lin.y, V.lin.z};
        for (int r = 0; r < 6; ++r) {
            J[r * n + k] = column[r];
        }
        if (opening) {
            opening[k] = opening_of(&w, parameter);
        }
    }
    return LW_OK;
}
