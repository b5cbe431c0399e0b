// What the sweeps of the derivatives do body by body: joints that are not revolute, external forces
// and loads.

#include "derivative_sweep.h"

#include "user.h"

static void put3(lw_vec3 x, double *row, size_t stride)
{
    row[0] = x.x;
    row[stride] = x.y;
    row[2 * stride] = x.z;
}

static void put_motion(lw_motion x, double *row, size_t stride)
{
    put3(x.ang, row, stride);
    put3(x.lin, row + 3 * stride, stride);
}

void lwi_sweep_columns(const lw_model *m, lw_data *d, int i, const lwi_state *at,
                       const lwi_world_body *P)
{
    const lwi_segment *b = &m->kernel->segment[i];
    const lwi_world_body *B = &d->world[i];
    const size_t stride = d->dof_stride;
    for (int k = 0; k < b->nv; ++k) {
        const lw_motion S = d->S[b->v + k];
        lw_motion psi = lwi_motion_cross(&P->vel, S);
        lw_motion chi =
            lwi_motion_add(lwi_motion_cross(&P->acc, S), lwi_motion_cross(&P->vel, psi));
        lw_motion eta = lwi_motion_add(psi, lwi_motion_cross(&B->vel, S));
        if (b->carrier == LW_TREE_USER) {
            lwi_user_column(&m->kernel->user[i], at, b, P, B, k, &psi, &chi, &eta);
        }
        double *row = d->dof_row + b->v + k;
        put_motion(S, row + LWI_ROW_S * stride, stride);
        put3(psi.ang, row + LWI_ROW_PSI * stride, stride);
        put3(psi.lin, row + LWI_ROW_PSI_LIN * stride, stride);
        put_motion(chi, row + LWI_ROW_CHI * stride, stride);
        put_motion(eta, row + LWI_ROW_ETA * stride, stride);
    }
}

void lwi_take_off_force(lw_data *d, int i, lw_vec3 n, lw_vec3 f)
{
    const size_t stride = d->body_stride;
    double *row = d->body_row + LWI_ROW_FORCE * stride + i;
    const double off[6] = {n.x, n.y, n.z, f.x, f.y, f.z};
    for (size_t k = 0; k < 6; ++k) {
        row[k * stride] -= off[k];
    }
}

// r.f 1 - f r' - [t]x and f, for a load along the axes of the world.
static void add_world_load(lw_data *d, int i, lw_vec3 r, lw_vec3 f, lw_vec3 t)
{
    const size_t stride = d->body_stride;
    const double rf = lw_dot3(r, f);
    const double rows[] = {rf - f.x * r.x,
                           t.z - f.x * r.y,
                           -t.y - f.x * r.z,
                           -t.z - f.y * r.x,
                           rf - f.y * r.y,
                           t.x - f.y * r.z,
                           t.y - f.z * r.x,
                           -t.x - f.z * r.y,
                           rf - f.z * r.z,
                           f.x,
                           f.y,
                           f.z};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        d->body_row[(LWI_ROW_LOAD + k) * stride + (size_t)i] += rows[k];
    }
}

static void take_load(lw_data *d, const lw_load_info *load)
{
    const lwi_world_body *B = &d->world[load->body];
    const lw_vec3 r = lw_pose_apply(&B->X, load->X_BF.p);
    lw_vec3 f = load->force, t = load->torque;
    if (load->axes == LW_IN_WORLD) {
        add_world_load(d, load->body, r, f, t);
    } else {
        f = lw_rotate(&B->X.R, lw_rotate(&load->X_BF.R, f));
        t = lw_rotate(&B->X.R, lw_rotate(&load->X_BF.R, t));
    }
    lwi_take_off_force(d, load->body, lw_add3(t, lw_cross3(r, f)), f);
}

void lwi_sweep_forces(const lw_model *m, lw_data *d, const lw_force *f_ext)
{
    for (int i = 0; f_ext && i < m->nbody; ++i) {
        const lw_force f = lwi_force_to_world(&d->world[i], f_ext[i]);
        lwi_take_off_force(d, i, f.ang, f.lin);
    }
    const size_t stride = d->body_stride;
    for (size_t k = LWI_ROW_LOAD * stride; m->nload > 0 && k < LWI_LOAD_ROWS * stride; ++k) {
        d->body_row[k] = 0.0;
    }
    for (int k = 0; k < m->nload; ++k) {
        if (m->load[k].body >= 0) {
            take_load(d, &m->load[k]);
        }
    }
    if (d->nrod_mass > 0) {
        lwi_sweep_rods(m, d);
    }
}
