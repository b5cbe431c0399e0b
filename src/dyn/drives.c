// What motors can give: a peak, a line from stall to no load, a curve; and forces held within that.
#include <linkwork/dynamics.h>

#include "../math/largest.h"
#include "actuators.h"
#include "arguments.h"
#include "drives.h"

#include <math.h>
#include <string.h>

// Straight lines between the points of a curve over speed; nothing beyond the last.
static double curve_at(const lw_drive_info *drive, double speed)
{
    const double *c = drive->curve;
    for (int k = 2; k < drive->ncurve; k += 2) {
        if (speed <= c[k]) {
            const double share = (speed - c[k - 2]) / (c[k] - c[k - 2]);
            return c[k - 1] + share * (c[k + 1] - c[k - 1]);
        }
    }
    return 0.0;
}

// The largest force along a motion of this speed, which is not negative.
static double most_at(const lw_drive_info *drive, double speed)
{
    double most = drive->max_force;
    if (isfinite(drive->stall_force)) {
        const double share = 1.0 - speed / drive->no_load_velocity;
        most = fmin(most, drive->stall_force * fmax(share, 0.0));
    }
    return drive->ncurve > 0 ? fmin(most, curve_at(drive, speed)) : most;
}

lw_status lw_drive_range(const lw_model *m, int drive, double speed, double *least, double *most)
{
    if (!m || drive < 0 || drive >= m->ndrive || !least || !most) {
        return LW_ERR_ARGUMENT;
    }
    if (isnan(speed)) {
        return LW_ERR_NUMBER;
    }
    const double along = most_at(&m->drive[drive], fabs(speed));
    const double against = most_at(&m->drive[drive], 0.0);
    *most = speed > 0.0 ? along : against;
    *least = speed < 0.0 ? -along : -against;
    return LW_OK;
}

// Holds each force within its range; how many were outside.
static int hold(const lw_model *m, const double *tree_v, double *force)
{
    int nheld = 0;
    for (int k = 0; k < m->ndrive; ++k) {
        double least, most;
        lw_drive_range(m, k, tree_v[m->drive[k].dof], &least, &most);
        const double held = fmin(fmax(force[k], least), most);
        nheld += held != force[k];
        force[k] = held;
    }
    return nheld;
}

// What no drive can give; rounding alone is nothing, and would be noise beside a limit far below
// what is wanted.
static void clean_rest(const lw_model *m, const double *tau, double *rest)
{
    const double rounding = 1e-12;
    const double size = lwi_largest(tau, m->nv);
    for (int i = 0; i < m->nv; ++i) {
        rest[i] = fabs(rest[i]) > rounding * size ? rest[i] : 0.0;
    }
}

// Psi force + rest.
static void gather(const lw_model *m, lw_data *d, const double *force, const double *rest,
                   double *tau)
{
    double *tree = d->tree_a;
    memset(tree, 0, (size_t)m->tree_nv * sizeof *tree);
    for (int k = 0; k < m->ndrive; ++k) {
        tree[m->drive[k].dof] += force[k];
    }
    lwi_closure_transpose(m, d, tree, 1, tree);
    for (int i = 0; i < m->nv; ++i) {
        tau[i] = tree[i] + rest[i];
    }
}

const double *lwi_split_onto_drives(const lw_model *m, lw_data *d, const double *q, const double *v,
                                    const double *tau, double *effort)
{
    const double *tree_v = lwi_closure_position(m, d, q) ? lwi_closure_velocity(m, d, v) : NULL;
    if (tree_v) {
        int *dof = d->path_dof;
        for (int k = 0; k < m->ndrive; ++k) {
            dof[k] = m->drive[k].dof;
        }
        lwi_split_forces(m, d, tau, m->ndrive, dof, NULL, effort, d->tree_tau);
    }
    return tree_v;
}

lw_status lw_limit_drives(const lw_model *m, lw_data *d, const double *q, const double *v,
                          double *tau, double *effort, int *nheld)
{
    lw_status status = check_state(m, d, q, v, tau);
    if (nheld) {
        *nheld = 0;
    }
    if (status != LW_OK || m->ndrive == 0) {
        return status;
    }
    double *force = d->drive_force, *rest = d->tree_tau;
    const double *tree_v = lwi_split_onto_drives(m, d, q, v, tau, force);
    if (!tree_v) {
        return lwi_closure_status(d);
    }
    const int n = hold(m, tree_v, force);
    if (n > 0) { // else tau stays as it is, to the last bit
        clean_rest(m, tau, rest);
        gather(m, d, force, rest, tau);
    }
    if (effort) {
        memcpy(effort, force, (size_t)m->ndrive * sizeof *effort);
    }
    if (nheld) {
        *nheld = n;
    }
    return LW_OK;
}
