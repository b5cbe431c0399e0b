// Columns of joint torques: the inertial parameters of each body in the frame of its first link,
// and friction, rotors, springs and offsets of the joints; base parameters by elimination.
//
// Columns stand in the order of the bodies from the world on, within a body so that what is usually
// regrouped to the parent (Iyy, mz, m; Khalil and Kleinfinger 1987) comes last. A column that those
// before it span at random states goes into their combinations.
#include "regression.h"

#include "../base/report.h"
#include "../base/splitmix.h"
#include "../base/text.h"

#include <linkwork/derivatives.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const inertial_name[LWI_TEN] = {"m",   "mx",  "my",  "mz",  "Ixx",
                                                   "Iyy", "Izz", "Ixy", "Ixz", "Iyz"};
static const char *const joint_name[LWI_JOINT_KINDS] = {"damping", "friction", "offset",
                                                        "rotor_inertia", "stiffness"};

// Columns whose residual is below this share of their length depend on those before them; what is
// found is below 1e-8, where angles of a file are rounded, or 1e-2.
static const double DEPENDENT = 1e-7;
static const double ROUNDING = 1e-10; // of an entry of K

void lwi_ten_of(const lw_inertia *I, double *ten)
{
    const lw_vec3 h = I->first_moment;
    const lw_sym3 T = I->tensor;
    const double all[LWI_TEN] = {I->mass, h.x, h.y, h.z, T.xx, T.yy, T.zz, T.xy, T.xz, T.yz};
    memcpy(ten, all, sizeof all);
}

lw_inertia lwi_inertia_of_ten(const double *p)
{
    const lw_inertia I = {p[0], {p[1], p[2], p[3]}, {p[4], p[5], p[6], p[7], p[8], p[9]}};
    return I;
}

// --- What there is ----------------------------------------------------------------------------

static int first_link(const lw_model *m, int body)
{
    for (int k = 0; k < m->nlink; ++k) {
        if (m->frame[m->link[k].frame].body == body) {
            return k;
        }
    }
    return -1;
}

static bool add_bodies(lw_regression *r)
{
    const lw_model *m = r->m;
    r->body = lwi_arena_take(&r->arena, (size_t)m->nbody + 1, sizeof *r->body);
    for (int i = 0; i < m->nbody && r->body; ++i) {
        const int link = first_link(m, i);
        if (link < 0) {
            continue; // of a joint that was split, or a shaft: no inertia of its own
        }
        lwi_body_columns *b = &r->body[r->nbody++];
        b->body = i;
        b->link = link;
        b->X_BL = m->frame[m->link[link].frame].X_BF;
        for (int k = 0; k < LWI_TEN; ++k) {
            double unit[LWI_TEN] = {0}, moved[LWI_TEN];
            unit[k] = 1.0;
            const lw_inertia one = lwi_inertia_of_ten(unit);
            const lw_inertia there = lw_inertia_move(&b->X_BL, &one);
            lwi_ten_of(&there, moved);
            for (int j = 0; j < LWI_TEN; ++j) {
                b->T[j * LWI_TEN + k] = moved[j];
            }
        }
    }
    return r->body;
}

static bool add_joints(lw_regression *r, unsigned columns)
{
    const lw_model *m = r->m;
    r->joint = lwi_arena_take(&r->arena, LWI_JOINT_KINDS * (size_t)m->njoint + 1, sizeof *r->joint);
    for (int j = 0; j < m->njoint && r->joint; ++j) {
        const lw_joint_info *joint = &m->joints[j];
        for (int k = 0; k < LWI_JOINT_KINDS && joint->nv == 1 && joint->nq == 1; ++k) {
            if (columns & 1u << k) {
                r->joint[r->njoint++] =
                    (lwi_joint_column){joint->v, joint->q, j, (lw_joint_columns)(1u << k)};
            }
        }
    }
    return r->joint;
}

static double joint_value(const lw_dof *dof, lw_joint_columns kind)
{
    switch (kind) {
    case LW_COLUMN_VISCOUS:
        return dof->damping;
    case LW_COLUMN_COULOMB:
        return dof->friction;
    case LW_COLUMN_ROTOR:
        return dof->rotor_inertia;
    case LW_COLUMN_SPRING:
        return dof->stiffness;
    default:
        return 0.0;
    }
}

static const char *joined(lw_regression *r, const char *stem, const char *tail)
{
    char *text = lwi_arena_take(&r->arena, strlen(stem) + strlen(tail) + 2, 1);
    if (text) {
        sprintf(text, "%s.%s", stem, tail);
    }
    return text;
}

static bool name_columns(lw_regression *r)
{
    const lw_model *m = r->m;
    const size_t n = (size_t)r->info.nparameter;
    const char **name = lwi_arena_take(&r->arena, n + 1, sizeof *name);
    double *value = lwi_arena_take(&r->arena, n + 1, sizeof *value);
    bool is_good = name && value;
    int c = 0;
    for (int i = 0; i < r->nbody && is_good; ++i) {
        const lwi_body_columns *b = &r->body[i];
        const lw_pose X_LB = lw_pose_inverse(&b->X_BL);
        const lw_inertia I = lw_inertia_move(&X_LB, &m->inertia[b->body]);
        lwi_ten_of(&I, value + c);
        for (int k = 0; k < LWI_TEN; ++k, ++c) {
            name[c] = joined(r, m->link[b->link].name, inertial_name[k]);
            is_good = is_good && name[c];
        }
    }
    for (int i = 0; i < r->njoint && is_good; ++i, ++c) {
        int k = 0;
        while (1u << k != (unsigned)r->joint[i].kind) {
            ++k;
        }
        name[c] = joined(r, m->joints[r->joint[i].joint].name, joint_name[k]);
        value[c] = joint_value(&m->dof[r->joint[i].dof], r->joint[i].kind);
        is_good = name[c];
    }
    r->info.name = name;
    r->info.value = value;
    return is_good;
}

static lw_status hold(lw_regression *r, const lw_regression_def *def, lw_report *report)
{
    bool *is_held = lwi_arena_take(&r->arena, (size_t)r->info.nparameter + 1, sizeof *is_held);
    if (!is_held) {
        return LW_ERR_MEMORY;
    }
    r->info.is_held = is_held;
    for (int k = 0; def && k < def->nheld; ++k) {
        const size_t length = strlen(def->held[k]);
        lw_nearest nearest;
        int count = 0;
        lw_nearest_init(&nearest, def->held[k]);
        for (int c = 0; c < r->info.nparameter; ++c) {
            const char *name = r->info.name[c];
            if (strncmp(name, def->held[k], length) == 0 &&
                (name[length] == '\0' || name[length] == '.')) {
                is_held[c] = true;
                ++count;
            }
            lw_nearest_offer(&nearest, name);
        }
        if (count == 0) {
            return lwi_report_error(report, (lw_location){0}, LW_ERR_NAME,
                                    "there is no parameter \"%s\" to hold%s%s%s", def->held[k],
                                    nearest.best ? "; did you mean \"" : "",
                                    nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
        }
    }
    return LW_OK;
}

// --- Rows -------------------------------------------------------------------------------------

// What acts along its own degree of freedom for a unit of the parameter.
static double joint_force(const lw_model *m, const lwi_joint_column *c, const double *q,
                          const double *v, const double *a)
{
    switch (c->kind) {
    case LW_COLUMN_VISCOUS:
        return v[c->dof];
    case LW_COLUMN_COULOMB: {
        const double x = fmax(-1.0, fmin(1.0, v[c->dof] / LW_FRICTION_SPEED));
        return x * (1.5 - 0.5 * x * x);
    }
    case LW_COLUMN_OFFSET:
        return 1.0;
    case LW_COLUMN_ROTOR:
        return a[c->dof];
    default:
        return q[c->position] - m->dof[c->dof].spring_rest;
    }
}

// Columns of the joints, and through the rates of dependent ones to independent torques.
static lw_status joint_rows(const lw_regression *r, lw_data *d, const double *q, const double *v,
                            const double *a, double *W)
{
    const lw_model *m = r->m;
    const size_t width = (size_t)r->info.nparameter;
    const size_t n = (size_t)m->tree_nv;
    double *work = malloc(((size_t)m->tree_nq + 3 * n + (size_t)m->nv) * sizeof *work);
    if (!work) {
        return LW_ERR_MEMORY;
    }
    double *tree_q = work, *tree_v = tree_q + m->tree_nq, *tree_a = tree_v + n;
    double *rate = tree_a + n, *unit = rate + n;
    lw_status status = lw_tree_state(m, d, q, v, a, tree_q, tree_v, tree_a);
    for (int i = 0; i < m->nv && status == LW_OK; ++i) {
        memset(unit, 0, (size_t)m->nv * sizeof *unit);
        unit[i] = 1.0;
        status = lw_tree_state(m, d, q, unit, NULL, NULL, rate, NULL);
        for (int k = 0; k < r->njoint && status == LW_OK; ++k) {
            W[(size_t)i * width + (size_t)(LWI_TEN * r->nbody + k)] =
                rate[r->joint[k].dof] * joint_force(m, &r->joint[k], tree_q, tree_v, tree_a);
        }
    }
    free(work);
    return status;
}

lw_status lw_regression_rows(const lw_regression *r, lw_data *d, const double *q, const double *v,
                             const double *a, double *W)
{
    if (!r || !d || !W) {
        return LW_ERR_ARGUMENT;
    }
    const lw_model *m = r->m;
    const size_t all = (size_t)m->nbody * LWI_TEN, width = (size_t)r->info.nparameter;
    double *Y = malloc((size_t)m->nv * all * sizeof *Y + 1);
    lw_status status = Y ? lw_regressor(m, d, q, v, a, Y) : LW_ERR_MEMORY;
    for (int i = 0; i < m->nv && status == LW_OK; ++i) {
        for (int b = 0; b < r->nbody; ++b) {
            const double *y = Y + (size_t)i * all + (size_t)r->body[b].body * LWI_TEN;
            double *w = W + (size_t)i * width + (size_t)b * LWI_TEN;
            const double *T = r->body[b].T;
            for (int k = 0; k < LWI_TEN; ++k) {
                double sum = 0.0;
                for (int j = 0; j < LWI_TEN; ++j) {
                    sum += y[j] * T[j * LWI_TEN + k];
                }
                w[k] = sum;
            }
        }
    }
    free(Y);
    if (status == LW_OK && r->njoint > 0) {
        status = joint_rows(r, d, q, v, a, W);
    }
    return status;
}

lw_status lwi_row_work_create(const lw_regression *r, lwi_row_work *w)
{
    const size_t size = (size_t)r->m->nv * (size_t)r->info.nparameter;
    w->W = malloc((size + (size_t)r->m->nv) * sizeof *w->W + 1);
    w->known = w->W ? w->W + size : NULL;
    w->d = NULL;
    const lw_status status = w->W ? lw_data_create(r->m, &w->d) : LW_ERR_MEMORY;
    if (status != LW_OK) {
        lwi_row_work_free(w);
    }
    return status;
}

void lwi_row_work_free(lwi_row_work *w)
{
    lw_data_destroy(w->d);
    free(w->W);
    *w = (lwi_row_work){0};
}

// --- Base parameters --------------------------------------------------------------------------

// The columns of W at random states, column by column: A [nparameter * rows].
static lw_status sample(const lw_regression *r, int rows, double *A)
{
    const lw_model *m = r->m;
    lwi_row_work w;
    double *state = malloc(((size_t)m->nq + 2 * (size_t)m->nv) * sizeof *state + 1);
    lw_status status = state ? lwi_row_work_create(r, &w) : LW_ERR_MEMORY;
    if (status != LW_OK) {
        free(state);
        return status;
    }
    double *q = state, *v = q + m->nq, *a = v + m->nv, *step = a;
    unsigned long long seed = 20260102;
    int row = 0;
    for (int tries = 0; row + m->nv <= rows && tries < 20 * rows && status == LW_OK; ++tries) {
        // Far and near: closed mechanisms may not reach far, but near there all looks linear.
        const double reach = 3.0 * (m->nloop > 0 ? lwi_random_share(&seed) : 1.0);
        for (int k = 0; k < m->nv; ++k) {
            step[k] = reach * (lwi_random_share(&seed) - 0.5);
        }
        status = lw_integrate(m, m->q_reference, step, 1.0, q);
        for (int k = 0; k < m->nv; ++k) {
            v[k] = 4.0 * lwi_random_share(&seed) - 2.0;
            a[k] = 4.0 * lwi_random_share(&seed) - 2.0;
        }
        const lw_status own = status == LW_OK ? lw_regression_rows(r, w.d, q, v, a, w.W) : status;
        if (own == LW_ERR_LOOP_OPEN || own == LW_ERR_SINGULAR) {
            continue;
        }
        status = own;
        for (int i = 0; i < m->nv && status == LW_OK; ++i, ++row) {
            for (int c = 0; c < r->info.nparameter; ++c) {
                A[(size_t)c * (size_t)rows + (size_t)row] = w.W[i * r->info.nparameter + c];
            }
        }
    }
    lwi_row_work_free(&w);
    free(state);
    return status == LW_OK && row + m->nv <= rows ? LW_ERR_NO_CONVERGENCE : status;
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

// Column c less its shares of the base columns so far, whose unit vectors are in A in their place;
// shares are added to `share` [nbase]. Twice, so that rounding leaves nothing.
static double orthogonalise(const lw_regression *r, int rows, double *A, int c, double *share)
{
    double *x = A + (size_t)c * (size_t)rows;
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < r->info.nbase; ++k) {
            const double *e = A + (size_t)r->info.column[k] * (size_t)rows;
            const double s = dot(rows, e, x);
            share[k] += s;
            for (int i = 0; i < rows; ++i) {
                x[i] -= s * e[i];
            }
        }
    }
    return sqrt(dot(rows, x, x));
}

// Location of the columns in the order in which they are taken.
static int column_at(const lw_regression *r, int location)
{
    static const int order[LWI_TEN] = {4, 7, 8, 5, 9, 6, 1, 2, 3, 0};
    return location < LWI_TEN * r->nbody
               ? LWI_TEN * (location / LWI_TEN) + order[location % LWI_TEN]
               : location;
}

// R [nbase*nbase] of the base columns by columns, S shares of each column: K = R^-1 S.
static void solve_groups(const lw_regression *r, int most, const double *S, double *K)
{
    const int n = r->info.nbase, width = r->info.nparameter;
    for (int c = 0; c < width; ++c) {
        for (int i = n - 1; i >= 0 && !r->info.is_held[c]; --i) {
            double x = S[(size_t)c * (size_t)most + (size_t)i];
            for (int k = i + 1; k < n; ++k) {
                x -= S[(size_t)r->info.column[k] * (size_t)most + (size_t)i] * K[k * width + c];
            }
            x /= S[(size_t)r->info.column[i] * (size_t)most + (size_t)i];
            K[i * width + c] = x;
        }
        for (int i = 0; i < n; ++i) {
            double *k = &K[i * width + c];
            *k = fabs(*k) < ROUNDING ? 0.0 : *k;
        }
    }
}

static lw_status find_base(lw_regression *r)
{
    const int n = r->info.nparameter, rows = n + 4 * r->m->nv;
    const size_t width = (size_t)n;
    double *A = calloc(width * (size_t)rows + 1, sizeof *A); // rows that no state fills are zero
    double *S = calloc(width * width + 1, sizeof *S);        // shares of column c from c * n on
    int *column = lwi_arena_take(&r->arena, width + 1, sizeof *column);
    bool *has_effect = lwi_arena_take(&r->arena, width + 1, sizeof *has_effect);
    lw_status status = A && S && column && has_effect ? sample(r, rows, A) : LW_ERR_MEMORY;
    r->info.column = column;
    r->info.has_effect = has_effect;
    double largest = 0.0;
    for (int c = 0; c < n && status == LW_OK; ++c) {
        largest =
            fmax(largest, dot(rows, A + (size_t)c * (size_t)rows, A + (size_t)c * (size_t)rows));
    }
    largest = sqrt(largest);
    for (int location = 0; location < n && status == LW_OK; ++location) {
        const int c = column_at(r, location);
        double *x = A + (size_t)c * (size_t)rows;
        const double length = sqrt(dot(rows, x, x));
        has_effect[c] = length > DEPENDENT * largest;
        if (!has_effect[c] || r->info.is_held[c]) {
            continue;
        }
        const double rest = orthogonalise(r, rows, A, c, S + (size_t)c * width);
        if (rest > DEPENDENT * length) {
            for (int i = 0; i < rows; ++i) {
                x[i] /= rest;
            }
            S[(size_t)c * width + (size_t)r->info.nbase] = rest;
            column[r->info.nbase++] = c;
            r->info.ninertial += c < LWI_TEN * r->nbody;
        }
    }
    double *K = NULL;
    if (status == LW_OK) {
        K = lwi_arena_take(&r->arena, (size_t)r->info.nbase * width + 1, sizeof *K);
        status = K ? LW_OK : LW_ERR_MEMORY;
    }
    if (status == LW_OK) {
        solve_groups(r, n, S, K);
        r->info.K = K;
    }
    free(A);
    free(S);
    return status;
}

lw_status lw_regression_create(const lw_model *m, const lw_regression_def *def,
                               lw_regression **regression, lw_report *report)
{
    if (!regression) {
        return LW_ERR_ARGUMENT;
    }
    *regression = NULL;
    if (!m || (def && (def->columns >> LWI_JOINT_KINDS || (def->nheld > 0 && !def->held)))) {
        return LW_ERR_ARGUMENT;
    }
    lw_regression *r = calloc(1, sizeof *r);
    if (!r) {
        return LW_ERR_MEMORY;
    }
    r->m = m;
    lw_status status = LW_ERR_MEMORY;
    if (add_bodies(r) && add_joints(r, def ? def->columns : 0)) {
        r->info.nparameter = LWI_TEN * r->nbody + r->njoint;
        status = name_columns(r) ? hold(r, def, report) : LW_ERR_MEMORY;
    }
    if (status == LW_OK) {
        r->info.nstructural = lwi_structural_count(m);
        status = find_base(r);
    }
    if (status != LW_OK) {
        lw_regression_destroy(r);
        return status;
    }
    *regression = r;
    return LW_OK;
}

void lw_regression_destroy(lw_regression *r)
{
    if (r) {
        lwi_arena_free(&r->arena);
        free(r);
    }
}

const lw_regression_info *lw_regression_describe(const lw_regression *r)
{
    return r ? &r->info : NULL;
}
