// Sag, and the command that compensates it.
//
// The link side is to be at q, so the springs of drives must give what balances there: the command
// follows without iteration, K (q - command) = -(tau - J' w) at q. Motors behind shafts are found
// likewise, as unknowns for which the joints balance; one step of Newton's method does that for a
// linear shaft, and a few for any other law.

#include "static_forces.h"

#include "../kin/finite.h"
#include "../model/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Which degree of freedom does what --------------------------------------------------------

static bool is_in(int n, const int *list, int k)
{
    bool found = false;
    for (int i = 0; i < n && !found; ++i) {
        found = list[i] == k;
    }
    return found;
}

// Whether a degree of freedom has an elastic force of its own.
static bool has_spring(const lw_model *m, int k)
{
    const int tree = m->v_tree[k];
    bool has = m->dof[tree].stiffness > 0.0;
    for (int i = 0; i < m->nspring && !has; ++i) {
        const lw_spring_info *spring = &m->spring[i];
        has = spring->is_torsion && spring->ncoefficient > 0 &&
              ((spring->dof[0] == tree && spring->dof[1] < 0) ||
               (spring->dof[1] == tree && spring->dof[0] < 0));
    }
    return has;
}

static void sort_out(lw_statics *s, const lw_statics_def *def, const lw_gear_ratios *gears)
{
    const lw_model *m = s->model;
    for (int k = 0; k < m->nv; ++k) {
        const lw_static_role role = def && def->role ? def->role[k] : LW_STATIC_BY_MODEL;
        const bool is_motor = is_in(s->shafts.nmotor, s->shafts.motor, k);
        const bool is_on_shaft = is_in(s->shafts.njoint, s->shafts.joint, k);
        const bool follows = is_in(s->shafts.nmoved, s->shafts.joint, k) && !is_on_shaft;
        const bool is_driven = is_in(gears->njoint, gears->joint, k);
        const bool is_virtual = !is_motor && !is_on_shaft && !follows && s->stiffness[k] == 0.0 &&
                                (role == LW_STATIC_SETTLES || (!is_driven && has_spring(m, k)));
        const bool settles = role != LW_STATIC_HELD && (is_on_shaft || follows || is_virtual);
        if (settles || s->stiffness[k] > 0.0) {
            s->unknown[s->nunknown++] = k;
        }
        if (settles) {
            s->row[s->nsettling++] = k;
        }
        if (is_motor || follows || (settles && is_virtual)) {
            s->column[s->ncolumn++] = k;
        }
        if (settles && is_virtual) {
            s->virtual_joint[s->nvirtual++] = k;
        } else if (!is_motor && !follows) {
            s->driven[s->ndriven++] = k;
        }
    }
}

// --- The object -------------------------------------------------------------------------------

static lw_status check_stiffness(const lw_model *m, const lw_statics_def *def)
{
    for (int k = 0; k < m->nv && def && def->stiffness; ++k) {
        const double stiffness = def->stiffness[k];
        if (!isfinite(stiffness)) {
            return LW_ERR_NUMBER;
        }
        if (stiffness < 0.0 || (stiffness > 0.0 && lw_position_of_dof(m, k) < 0)) {
            return LW_ERR_ARGUMENT;
        }
    }
    return LW_OK;
}

static bool is_sensible(const lw_model *m, const lw_static_load *load)
{
    return load && load->frame >= 0 && load->frame < m->nframe_all &&
           (load->axes == LW_IN_FRAME || load->axes == LW_IN_WORLD);
}

static bool is_finite_wrench(const lw_force *w)
{
    const double x[] = {w->ang.x, w->ang.y, w->ang.z, w->lin.x, w->lin.y, w->lin.z};
    return lwi_all_finite(x, 6);
}

static lwi_wrench_at load_at_frame(const lw_model *m, const lw_static_load *load)
{
    const lw_frame_info *f = &m->frame[load->frame];
    return (lwi_wrench_at){.body = f->body,
                           .X_BF = f->X_BF,
                           .frame = load->frame,
                           .axes = load->axes,
                           .wrench = load->wrench};
}

static lwi_wrench_at load_of_model(const lw_model *m, const lw_load_info *load)
{
    lwi_wrench_at at = {.body = load->body,
                        .X_BF = load->X_BF,
                        .frame = -1,
                        .axes = load->axes,
                        .wrench = {.ang = load->torque, .lin = load->force}};
    for (int i = 0; i < m->nframe_all && at.frame < 0; ++i) {
        at.frame = m->frame[i].body == load->body ? i : -1;
    }
    if (at.frame < 0) {
        at.body = -1; // no frame: no link, so nothing that a load could be attached to
    } else {
        const lw_pose *X = &m->frame[at.frame].X_BF;
        at.point = lw_rotate_back(&X->R, lw_sub3(load->X_BF.p, X->p));
    }
    return at;
}

static lw_status reserve(lw_statics *s, int nload)
{
    const lw_model *m = s->model;
    const size_t nv = (size_t)m->nv, nq = (size_t)m->nq;
    const size_t solver = lwi_equilibrium_doubles(m, m->nv);
    double *x = calloc(nv * nv + 22 * nv + 2 * nq + solver + 1, sizeof *x);
    s->stiffness = x;
    s->unknown = calloc(6 * nv + 1, sizeof *s->unknown);
    s->load = calloc((size_t)(m->nload + nload) + 1, sizeof *s->load);
    s->f_ext = calloc((size_t)m->nbody + 1, sizeof *s->f_ext);
    if (!x || !s->unknown || !s->load || !s->f_ext) {
        return LW_ERR_MEMORY;
    }
    s->zero = x + nv;
    s->tau = s->zero + nv;
    s->along = s->tau + nv;
    s->J = s->along + nv;
    s->A = s->J + 6 * nv;
    s->B = s->A + 6 * nv;
    s->by_q = s->B + 6 * nv;
    s->q = s->by_q + nv * nv;
    s->start = s->q + nq;
    s->block = s->start + nq;
    s->row = s->unknown + nv;
    s->column = s->row + nv;
    s->driven = s->column + nv;
    s->virtual_joint = s->driven + nv;
    return LW_OK;
}

static lw_status fill(lw_statics *s, const lw_statics_def *def)
{
    const lw_model *m = s->model;
    const int nload = def ? def->nload : 0;
    lw_gear_ratios gears;
    lw_status status = reserve(s, nload);
    if (status == LW_OK) {
        status = lw_shafts_create(m, &s->shafts);
    }
    if (status != LW_OK) {
        return status;
    }
    status = lw_gear_ratios_create(m, &gears);
    if (status == LW_OK) {
        if (def && def->stiffness) {
            memcpy(s->stiffness, def->stiffness, (size_t)m->nv * sizeof *s->stiffness);
        }
        sort_out(s, def, &gears);
    }
    lw_gear_ratios_free(&gears);
    s->own = s->applied = 1.0;
    s->nown = m->nload;
    for (int i = 0; i < m->nload; ++i) {
        s->load[i] = load_of_model(m, &m->load[i]);
    }
    s->nload = nload;
    for (int i = 0; i < nload && status == LW_OK; ++i) {
        status = lw_statics_set_load(s, i, &def->load[i]);
    }
    return status;
}

lw_status lw_statics_create(const lw_model *m, const lw_statics_def *def, lw_statics **statics)
{
    if (statics) {
        *statics = NULL;
    }
    if (!m || !statics || (def && (def->nload < 0 || (def->nload > 0 && !def->load)))) {
        return LW_ERR_ARGUMENT;
    }
    lw_status status = check_stiffness(m, def);
    if (status != LW_OK) {
        return status;
    }
    lw_statics *s = calloc(1, sizeof *s);
    if (!s) {
        return LW_ERR_MEMORY;
    }
    s->model = m;
    status = fill(s, def);
    if (status != LW_OK) {
        lw_statics_destroy(s);
        return status;
    }
    *statics = s;
    return LW_OK;
}

void lw_statics_destroy(lw_statics *s)
{
    if (s) {
        lw_shafts_free(&s->shafts);
        free(s->stiffness);
        free(s->unknown);
        free(s->load);
        free(s->f_ext);
        free(s);
    }
}

int lw_statics_unknowns(const lw_statics *s, const int **dof)
{
    if (dof) {
        *dof = s ? s->unknown : NULL;
    }
    return s ? s->nunknown : 0;
}

lw_status lw_statics_set_load(lw_statics *s, int index, const lw_static_load *load)
{
    if (!s || index < 0 || index >= s->nload || !is_sensible(s->model, load)) {
        return LW_ERR_ARGUMENT;
    }
    if (!is_finite_wrench(&load->wrench)) {
        return LW_ERR_NUMBER;
    }
    s->load[s->nown + index] = load_at_frame(s->model, load);
    return LW_OK;
}

lw_status lw_statics_scale(lw_statics *s, double own, double applied)
{
    if (!s) {
        return LW_ERR_ARGUMENT;
    }
    if (!isfinite(own) || !isfinite(applied)) {
        return LW_ERR_NUMBER;
    }
    s->own = own;
    s->applied = applied;
    return LW_OK;
}

// --- Deflection -------------------------------------------------------------------------------

// What is held is where the command has it, and motors where rigid shafts would put them.
static void hold(const lw_statics *s, const double *command, double *q)
{
    const lw_model *m = s->model;
    memcpy(s->q, command, (size_t)m->nq * sizeof *q);
    lw_shafts_follow_position(&s->shafts, s->q);
    for (int i = 0; i < s->nunknown; ++i) {
        const int at = lw_position_of_dof(m, s->unknown[i]);
        if (at >= 0) {
            s->q[at] = q[at];
        }
    }
    // Spherical and free joints have no position of their own in q: whole ones settle, or none.
    for (int i = 0; i < m->kernel->nquat; ++i) {
        const lwi_quat_at *at = &m->kernel->quat[i];
        const int first = at->q - (m->carrier[at->body] == LW_TREE_FREE ? 3 : 0);
        if (is_in(s->nunknown, s->unknown, at->v)) {
            memcpy(s->q + first, q + first, (size_t)(at->q + 4 - first) * sizeof *q);
        }
    }
    memcpy(q, s->q, (size_t)m->nq * sizeof *q);
}

lw_status lw_deflect(lw_statics *s, lw_data *d, const double *command, double *q,
                     lw_deflection *found)
{
    if (!lwi_statics_fits(s, d) || ((!command || !q) && s->model->nq > 0)) {
        return LW_ERR_ARGUMENT;
    }
    if (lwi_check_position(s->model, command) != LW_OK ||
        lwi_check_position(s->model, q) != LW_OK) {
        return LW_ERR_NUMBER;
    }
    hold(s, command, q);
    s->command = command;
    const lw_status status =
        lwi_static_solve(s, d, s->nunknown, s->unknown, s->nunknown, s->unknown, q);
    s->command = NULL;
    if (found) {
        *found = (lw_deflection){.steps = s->solver.steps,
                                 .residual = s->solver.residual,
                                 .is_stable = status == LW_OK && s->solver.is_stable};
    }
    return status;
}

// --- Compensation -----------------------------------------------------------------------------

// The command for a configuration in which everything that settles has settled.
static lw_status command_of(lw_statics *s, lw_data *d, const double *q, double *command)
{
    const lw_model *m = s->model;
    const lw_shafts *shafts = &s->shafts;
    const lw_status status = lwi_static_forces(s, d, q);
    if (status != LW_OK) {
        return status;
    }
    memcpy(command, q, (size_t)m->nq * sizeof *q);
    for (int k = 0; k < m->nv; ++k) {
        if (s->stiffness[k] > 0.0) {
            command[lw_position_of_dof(m, k)] += s->tau[k] / s->stiffness[k];
        }
        s->along[k] = 0.0;
    }
    lwi_shafts_look(shafts, q, s->zero, s->along, s->tau);
    for (int i = 0; i < shafts->njoint; ++i) {
        const int at = lw_position_of_dof(m, shafts->joint[i]);
        if (at >= 0) {
            command[at] -= s->along[shafts->joint[i]];
        }
    }
    return LW_OK;
}

// Motors near where they must be: joints sag on their shafts, and motors are ahead by as much.
// Within backlash they would have no slope to go by.
static lw_status begin_at_motors(lw_statics *s, lw_data *d, double *q)
{
    const lw_model *m = s->model;
    const lw_shafts *shafts = &s->shafts;
    lw_shafts_follow_position(shafts, q);
    if (shafts->njoint == 0) {
        return LW_OK;
    }
    memcpy(s->q, q, (size_t)m->nq * sizeof *q);
    const lw_status status = lwi_static_solve(s, d, s->nsettling, s->row, s->nsettling, s->row, q);
    memset(s->along, 0, (size_t)m->nv * sizeof *s->along);
    for (int i = 0; i < shafts->njoint; ++i) {
        const int at = lw_position_of_dof(m, shafts->joint[i]);
        if (at >= 0) {
            s->along[shafts->joint[i]] = s->q[at] - q[at];
            q[at] = s->q[at];
        }
    }
    lw_shafts_follow(shafts, s->along);
    for (int i = 0; i < shafts->nfollower; ++i) {
        const int at = lw_position_of_dof(m, shafts->follower[i]);
        if (at >= 0) {
            q[at] += s->along[shafts->follower[i]];
        }
    }
    return status;
}

lw_status lw_compensate(lw_statics *s, lw_data *d, double *q, double *command)
{
    if (!lwi_statics_fits(s, d) || ((!q || !command) && s->model->nq > 0)) {
        return LW_ERR_ARGUMENT;
    }
    if (lwi_check_position(s->model, q) != LW_OK) {
        return LW_ERR_NUMBER;
    }
    lw_status status = begin_at_motors(s, d, q);
    if (status == LW_OK) {
        status = lwi_static_solve(s, d, s->nsettling, s->row, s->ncolumn, s->column, q);
    }
    return status == LW_OK ? command_of(s, d, q, command) : status;
}

// --- Joints on shafts -------------------------------------------------------------------------

lw_status lw_shaft_equilibrium(const lw_model *m, lw_data *d, double *q)
{
    if (!m || !d || !q || d->model != m) {
        return LW_ERR_ARGUMENT;
    }
    lw_shafts shafts;
    lw_status status = lw_shafts_create(m, &shafts);
    lw_static_role *role = calloc((size_t)m->nv + 1, sizeof *role);
    double *found = calloc((size_t)m->nq + 1, sizeof *found);
    lw_statics *s = NULL;
    if (status == LW_OK) {
        lw_shafts_follow_position(&shafts, q);
        status = role && found ? LW_OK : LW_ERR_MEMORY;
    }
    if (status == LW_OK && shafts.nmoved > 0) {
        for (int k = 0; k < m->nv; ++k) { // virtual joints stay where they are
            role[k] = is_in(shafts.nmoved, shafts.joint, k) ? LW_STATIC_BY_MODEL : LW_STATIC_HELD;
        }
        status = lw_statics_create(m, &(lw_statics_def){.role = role}, &s);
    }
    if (status == LW_OK && s) {
        memcpy(found, q, (size_t)m->nq * sizeof *q);
        status = lw_deflect(s, d, q, found, NULL);
    }
    if (status == LW_OK && s) {
        memcpy(q, found, (size_t)m->nq * sizeof *q);
    }
    lw_statics_destroy(s);
    free(found);
    free(role);
    lw_shafts_free(&shafts);
    return status;
}
