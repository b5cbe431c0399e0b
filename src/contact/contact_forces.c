// Forces of contacts for a wrench.
//
// Unknowns are the forces over their weights, in axes of each contact: two across the normal and
// one along it. Friction pyramids stand around the cones, which are an option.
//
// Where no forces give the wrench, six more unknowns take what is left of it, at a weight beside
// which those of the forces are small: the least wrench that is missing.
#include "cone_forces.h"
#include "dual_qp.h"

#include "../kin/closure.h"
#include "../kin/unit.h"

#include <linkwork/kinematics.h>
#include <linkwork/stance.h>

#include <math.h>
#include <string.h>

enum {
    ROWS_EACH = 2 + LW_MAX_FACETS,
    MOST_ROWS = LW_MAX_CONTACTS * ROWS_EACH,
    MOST = 3 * LW_MAX_CONTACTS + 6
};

typedef struct problem {
    int n;
    const lw_foot_contact *contact;
    double length, size; ///< of the contacts, m, and of the wrench, N
    int facets;
    int nrow;
    lwi_qp_row *row;  ///< [MOST_ROWS] of one contact after the other
    lw_mat3 *axes;    ///< [n] rows: two across, and the normal
    double *scale;    ///< [n] 1 / sqrt(weight)
    double *equality; ///< [6*MOST]
    bool is_new[6];   ///< equalities that are not combinations of those before
    lw_vec3 middle;
    lwi_qp qp;
} problem;

// --- Setting up -------------------------------------------------------------------------------

lw_mat3 lwi_contact_axes(lw_vec3 normal)
{
    const lw_vec3 n = lw_unit3(normal), y = {0.0, 1.0, 0.0}, x = {1.0, 0.0, 0.0};
    const lw_vec3 across = lw_cross3(n, fabs(n.y) < 0.99 ? y : x);
    const lw_vec3 t = lw_unit3(across);
    return (lw_mat3){{t, lw_cross3(n, t), n}};
}

lw_status lwi_check_contacts(int n, const lw_foot_contact *contact, const lw_force *wrench)
{
    if (n < 1 || n > LW_MAX_CONTACTS || !contact || !wrench) {
        return LW_ERR_ARGUMENT;
    }
    double sum = lw_norm3(wrench->ang) + lw_norm3(wrench->lin);
    for (int i = 0; i < n; ++i) {
        const lw_foot_contact *c = &contact[i];
        sum += lw_norm3(c->point) + lw_norm3(c->normal) + c->friction + c->max_force + c->weight;
        if (c->friction < 0.0 || c->max_force < 0.0 || c->weight < 0.0 ||
            lw_norm3(c->normal) == 0.0) {
            return LW_ERR_ARGUMENT;
        }
        for (int k = 0; k < i; ++k) {
            if (lw_norm3(lw_sub3(c->point, contact[k].point)) == 0.0) {
                return LW_ERR_ARGUMENT;
            }
        }
    }
    return isfinite(sum) ? LW_OK : LW_ERR_NUMBER;
}

static void lay_out(problem *p, lw_contact_work *work)
{
    double *at = work->number;
    int *index = work->index;
    p->row = (lwi_qp_row *)(void *)at; // of an int and four doubles
    at += MOST_ROWS * (sizeof(lwi_qp_row) / sizeof(double));
    p->axes = (lw_mat3 *)(void *)at;
    at += LW_MAX_CONTACTS * (sizeof(lw_mat3) / sizeof(double));
    p->scale = at;
    at += LW_MAX_CONTACTS;
    p->equality = at;
    at += 6 * MOST;
    p->qp.Q = at;
    at += MOST * MOST;
    p->qp.R = at;
    at += MOST * MOST;
    p->qp.x = at;
    p->qp.u = at + MOST;
    p->qp.b = p->qp.u + MOST + 1;
    p->qp.d = p->qp.b + MOST + 1;
    p->qp.z = p->qp.d + MOST;
    p->qp.r = p->qp.z + MOST;
    p->qp.row = index;
}

// A facet: friction along the normal less the force in a direction across it.
static void add_facet(problem *p, int i, double c, double s)
{
    const double mu = p->contact[i].friction;
    p->row[p->nrow++] =
        (lwi_qp_row){3 * i, {-c * p->scale[i], -s * p->scale[i], mu * p->scale[i]}, 0.0};
}

static void set_up(problem *p)
{
    p->nrow = 0;
    lw_vec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < p->n; ++i) {
        sum = lw_add3(sum, p->contact[i].point);
    }
    p->middle = lw_scale3(1.0 / p->n, sum);
    p->length = 0.0;
    for (int i = 0; i < p->n; ++i) {
        const lw_foot_contact *c = &p->contact[i];
        p->axes[i] = lwi_contact_axes(c->normal);
        p->scale[i] = 1.0 / sqrt(c->weight > 0.0 ? c->weight : 1.0);
        p->length = fmax(p->length, lw_norm3(lw_sub3(c->point, p->middle)));
        p->row[p->nrow++] = (lwi_qp_row){3 * i, {0.0, 0.0, p->scale[i]}, 0.0};
        for (int k = 0; k < p->facets; ++k) {
            const double turn = 6.283185307179586 * k / p->facets;
            const bool is_square = p->facets == 4; // no rounding in the usual directions
            add_facet(p, i, is_square ? (k == 0) - (k == 2) : cos(turn),
                      is_square ? (k == 1) - (k == 3) : sin(turn));
        }
        if (c->max_force > 0.0) {
            p->row[p->nrow++] = (lwi_qp_row){3 * i, {0.0, 0.0, -p->scale[i]}, -c->max_force};
        }
    }
    p->length = p->length > 0.0 ? p->length : 1.0;
}

// Equality k of the wrench: forces along x, y, z, then moments about the middle over the length.
// `slack` columns take what is missing, at the scale of their weight.
static void fill_equality(problem *p, int k, double slack)
{
    double *row = p->equality + k * MOST;
    memset(row, 0, MOST * sizeof *row);
    for (int i = 0; i < p->n; ++i) {
        const lw_vec3 arm = lw_sub3(p->contact[i].point, p->middle);
        for (int j = 0; j < 3; ++j) {
            const lw_vec3 axis = p->axes[i].row[j];
            const lw_vec3 turn = lw_scale3(1.0 / p->length, lw_cross3(arm, axis));
            const double entry[6] = {axis.x, axis.y, axis.z, turn.x, turn.y, turn.z};
            row[3 * i + j] = p->scale[i] * entry[k];
        }
    }
    if (slack > 0.0) {
        row[3 * p->n + k] = slack;
    }
}

// --- Solving ----------------------------------------------------------------------------------

static lwi_qp_end solve(problem *p, const double wrench[6], double slack, double tolerance,
                        int *rank)
{
    p->qp.n = 3 * p->n + (slack > 0.0 ? 6 : 0);
    p->qp.most = 400;
    lwi_qp_begin(&p->qp);
    *rank = 0;
    for (int k = 0; k < 6; ++k) {
        fill_equality(p, k, slack);
        if (!lwi_qp_equality(&p->qp, p->equality + k * MOST, wrench[k], 1e3 * tolerance,
                             &p->is_new[k])) {
            return LWI_QP_INFEASIBLE;
        }
        *rank += p->is_new[k];
    }
    return lwi_qp_solve(&p->qp, p->nrow, p->row, tolerance);
}

// Residual of the conditions: x less the rows times their multipliers, multipliers below zero, rows
// that do not hold. Where slack takes what is missing, in units of that.
static double residual(const problem *p, const double wrench[6], double slack)
{
    const lwi_qp *qp = &p->qp;
    const double unit = slack > 0.0 ? slack : 1.0;
    double worst = 0.0;
    int used = 0;
    double *rest = qp->z;
    memcpy(rest, qp->x, (size_t)qp->n * sizeof *rest);
    for (int k = 0; k < 6; ++k) {
        const double *row = p->equality + k * MOST;
        double s = -wrench[k];
        for (int j = 0; j < qp->n; ++j) {
            s += row[j] * qp->x[j];
            rest[j] -= p->is_new[k] ? qp->u[used] * row[j] : 0.0;
        }
        used += p->is_new[k];
        worst = fmax(worst, fabs(s));
    }
    for (int i = qp->nequal; i < qp->active; ++i) {
        const lwi_qp_row *row = &p->row[qp->row[i]];
        for (int k = 0; k < 3; ++k) {
            rest[row->first + k] -= qp->u[i] * row->c[k];
        }
        worst = fmax(worst, -qp->u[i] * unit);
    }
    for (int j = 0; j < qp->n; ++j) {
        worst = fmax(worst, fabs(rest[j]) * unit);
    }
    for (int i = 0; i < p->nrow; ++i) {
        const double *x = qp->x + p->row[i].first, *c = p->row[i].c;
        worst = fmax(worst, p->row[i].least - c[0] * x[0] - c[1] * x[1] - c[2] * x[2]);
    }
    return worst;
}

// The same within cones: the equalities alone give the rank, and x goes where the program has it.
static void solve_cones(problem *p, const double wrench[6], double tolerance,
                        lw_contact_result *result)
{
    lwi_cone cone[LW_MAX_CONTACTS];
    p->nrow = 0;
    const lwi_qp_end rows = solve(p, wrench, 0.0, tolerance, &result->rank);
    for (int k = 0; k < 6 && rows == LWI_QP_INFEASIBLE; ++k) {
        fill_equality(p, k, 0.0);
    }
    for (int i = 0; i < p->n; ++i) {
        const lw_foot_contact *c = &p->contact[i];
        cone[i] =
            (lwi_cone){c->friction, c->max_force > 0.0 ? c->max_force / p->scale[i] : HUGE_VAL};
    }
    const lwi_cone_result found =
        lwi_cone_forces(p->n, cone, p->equality, MOST, wrench, tolerance, p->qp.x);
    static const lw_contact_status status[] = {LW_CONTACTS_OPTIMAL, LW_CONTACTS_INFEASIBLE,
                                               LW_CONTACTS_STOPPED};
    result->status = status[found.end];
    result->iterations = found.iterations;
    result->nactive = found.nactive;
    result->kkt = found.kkt;
}

static void write_forces(const problem *p, const lw_force *wrench, lw_vec3 *force,
                         lw_contact_result *result)
{
    lw_vec3 sum = {0.0, 0.0, 0.0}, moment = sum;
    result->objective = 0.0;
    for (int i = 0; i < p->n; ++i) {
        const double *x = p->qp.x + 3 * i, s = p->scale[i];
        force[i] = lw_rotate_back(&p->axes[i], lw_vec3_of(s * x[0], s * x[1], s * x[2]));
        sum = lw_add3(sum, force[i]);
        moment = lw_add3(moment, lw_cross3(p->contact[i].point, force[i]));
        result->objective += 0.5 * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    }
    result->missing = (lw_force){lw_sub3(wrench->ang, moment), lw_sub3(wrench->lin, sum)};
}

lw_status lw_contact_forces(int n, const lw_foot_contact *contact, const lw_force *wrench,
                            const lw_contact_options *options, lw_contact_work *work,
                            lw_vec3 *force, lw_contact_result *result)
{
    static const lw_contact_options usual = {0};
    const lw_contact_options *o = options ? options : &usual;
    lw_status status = lwi_check_contacts(n, contact, wrench);
    if (status == LW_OK && (!work || !force || !result || o->facets < 0 || o->facets == 1 ||
                            o->facets == 2 || o->facets == 3 || o->facets > LW_MAX_FACETS)) {
        status = LW_ERR_ARGUMENT;
    }
    if (status != LW_OK) {
        return status;
    }
    problem p = {.n = n, .contact = contact, .facets = o->facets ? o->facets : 4};
    lay_out(&p, work);
    set_up(&p);
    const lw_vec3 about = lw_sub3(wrench->ang, lw_cross3(p.middle, wrench->lin));
    const lw_vec3 turn = lw_scale3(1.0 / p.length, about), f = wrench->lin;
    const double wanted[6] = {f.x, f.y, f.z, turn.x, turn.y, turn.z};
    p.size = fmax(lw_norm3(f) + lw_norm3(turn), 1e-9);
    const double tolerance = (o->tolerance > 0.0 ? o->tolerance : 1e-12) * p.size;
    double slack = 0.0;
    *result = (lw_contact_result){0};
    if (o->is_exact) {
        solve_cones(&p, wanted, tolerance, result);
        write_forces(&p, wrench, force, result);
        return LW_OK;
    }
    lwi_qp_end end = solve(&p, wanted, 0.0, tolerance, &result->rank);
    result->status = end == LWI_QP_DONE ? LW_CONTACTS_OPTIMAL : LW_CONTACTS_STOPPED;
    if (end == LWI_QP_INFEASIBLE) {
        int rank;
        result->iterations = p.qp.iterations;
        result->status = LW_CONTACTS_INFEASIBLE;
        slack = 1e-4;
        end = solve(&p, wanted, slack, tolerance, &rank);
        result->status = end == LWI_QP_DONE ? LW_CONTACTS_INFEASIBLE : LW_CONTACTS_STOPPED;
    }
    result->kkt = residual(&p, wanted, slack);
    result->nactive = p.qp.active - p.qp.nequal;
    result->iterations += p.qp.iterations;
    write_forces(&p, wrench, force, result);
    return LW_OK;
}

// --- Of a mechanism ---------------------------------------------------------------------------

// The body that is next to the world on the way up.
static int base_body(const lw_model *m, int body)
{
    while (body >= 0 && m->parent[body] >= 0) {
        body = m->parent[body];
    }
    return body;
}

// Adds S' f of a force at a point to tree forces.
static void add_force(const lw_model *m, const lw_data *d, const double *tree_q, int body,
                      lw_vec3 point, lw_vec3 force, double *tree)
{
    for (int i = body; i >= 0; i = m->parent[i]) {
        lw_motion S[LW_MAX_DOF];
        const int n = unit_motions(m, d, tree_q, i, S);
        const lw_vec3 arm = lw_sub3(point, d->X_WB[i].p);
        for (int k = 0; k < n; ++k) {
            tree[m->v_start[i] + k] += lw_dot3(force, lw_add3(S[k].lin, lw_cross3(S[k].ang, arm)));
        }
    }
}

// Takes what the contacts do out of the joint forces at rest.
static lw_status balance(const lw_model *m, lw_data *d, const double *q, int n, const int *frame,
                         const lw_foot_contact *contact, const lw_vec3 *force, double *tau)
{
    double *tree = d->tree_J, *folded = d->tree_J + m->tree_nv;
    if (!lwi_closure_rates(m, d)) {
        return lwi_closure_status(d);
    }
    lwi_closure_angles(m, d);
    memset(tree, 0, (size_t)m->tree_nv * sizeof *tree);
    for (int i = 0; i < n; ++i) {
        add_force(m, d, m->nstep ? d->tree_q : q, m->frame[frame[i]].body, contact[i].point,
                  force[i], tree);
    }
    if (m->nstep) {
        lwi_closure_transpose(m, d, tree, 1, folded);
    }
    for (int k = 0; k < m->nv; ++k) {
        tau[k] -= m->nstep ? folded[k] : tree[k];
    }
    return LW_OK;
}

lw_status lw_stance_forces(const lw_model *m, lw_data *d, const double *q, int n, const int *frame,
                           const lw_foot_contact *contact, const lw_contact_options *options,
                           lw_contact_work *work, lw_vec3 *force, double *tau,
                           lw_contact_result *result)
{
    if (!m || !d || !q || !frame || !contact || !tau || n < 1 || n > LW_MAX_CONTACTS) {
        return LW_ERR_ARGUMENT;
    }
    for (int i = 0; i < n; ++i) {
        if (frame[i] < 0 || frame[i] >= m->nframe_all) {
            return LW_ERR_ARGUMENT;
        }
    }
    const int base = base_body(m, m->frame[frame[0]].body);
    if (base < 0 || m->carrier[base] != LW_TREE_FREE) {
        return LW_ERR_UNSUPPORTED;
    }
    // At rest, without contacts: the forces of the base are what contacts have to give.
    memset(tau, 0, (size_t)m->nv * sizeof *tau);
    lw_status status = lw_inverse_dynamics(m, d, q, tau, tau, NULL, tau);
    if (status == LW_OK) {
        status = lw_forward_position(m, d, q);
    }
    if (status != LW_OK) {
        return status;
    }
    int at = 0;
    while (at < m->nv && m->v_tree[at] != m->v_start[base]) {
        ++at;
    }
    if (at == m->nv) { // loops determine the base: a platform
        return LW_ERR_UNSUPPORTED;
    }
    const lw_pose *X = &d->X_WB[base];
    const lw_vec3 lin = lw_rotate(&X->R, lw_vec3_of(tau[at + 3], tau[at + 4], tau[at + 5]));
    const lw_vec3 ang = lw_rotate(&X->R, lw_vec3_of(tau[at], tau[at + 1], tau[at + 2]));
    const lw_force wrench = {lw_add3(ang, lw_cross3(X->p, lin)), lin};
    status = lw_contact_forces(n, contact, &wrench, options, work, force, result);
    return status == LW_OK ? balance(m, d, q, n, frame, contact, force, tau) : status;
}
