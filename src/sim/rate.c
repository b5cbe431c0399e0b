// Derivative of the state: forces of all sources, accelerations, and the power of what potential
// energy does not contain.

#include "sim.h"

#include "../dyn/arguments.h"
#include "../dyn/friction.h"
#include "../dyn/loop_forces.h"
#include "../dyn/spring_forces_tree.h"
#include "../kin/integrate.h"
#include "../kin/tree.h"
#include "../math/spatial.h"

#include <math.h>
#include <string.h>

bool lwi_sim_has_friction(const lw_sim *sim)
{
    return !sim->data->settings.is_ideal && !sim->data->settings.is_frictionless;
}

double lwi_sim_friction(const lw_sim *sim, int dof, double v)
{
    const double share = v / sim->def.stribeck_speed;
    return sim->model->dof[dof].friction *
           (1.0 + (sim->def.static_friction - 1.0) * exp(-share * share));
}

// Friction against v at a degree of freedom of the tree, the n-th that has some: smooth, or of a
// joint that slides; 0 where it acts in another way.
static double friction_at(const lw_sim *sim, int dof, int n, double v)
{
    const double share = sim->nstiction == 0           ? lwi_coulomb_share(v * sim->friction_rate)
                         : lwi_stiction_by_events(sim) ? sim->clamp[sim->nlimit + n].slides
                                                       : 0.0;
    return share != 0.0 ? lwi_sim_friction(sim, dof, v) * share : 0.0;
}

// The forces of sim->tau and friction, into sim->tree [nv]. Needs the closure sweep.
static const double *with_friction(lw_sim *sim, const double *tree_v)
{
    const lw_model *m = sim->model;
    for (int i = 0, n = 0; i < m->tree_nv; ++i) {
        const bool has_friction = m->dof[i].friction > 0.0;
        sim->tree[i] = has_friction ? -friction_at(sim, i, n, tree_v[i]) : 0.0;
        n += has_friction;
    }
    lwi_closure_transpose(m, sim->data, sim->tree, 1, sim->tree);
    for (int k = 0; k < m->nv; ++k) {
        sim->tree[k] += sim->tau[k];
    }
    return sim->tree;
}

lw_status lwi_sim_sources(lw_sim *sim, double t, const double *q, const double *v)
{
    const lw_model *m = sim->model;
    lw_status status = LW_OK;
    if (t >= sim->t_break) {
        t = nextafter(sim->t_break, -(double)INFINITY);
    }
    memcpy(sim->tau, sim->held, (size_t)m->nv * sizeof *sim->tau);
    if (sim->def.sampler && m->ndrive > 0) { // motors speed up while a force is held
        status = lw_limit_drives(m, sim->data, q, v, sim->tau, NULL, NULL);
    }
    if (sim->def.nsource > 0) {
        memset(sim->f_ext, 0, (size_t)m->nbody * sizeof *sim->f_ext);
    }
    for (int i = 0; i < sim->def.nsource && status == LW_OK; ++i) {
        const lw_force_source *source = &sim->def.source[i];
        status = source->add(source->context, m, sim->data, t, q, v, sim->tau, sim->f_ext);
    }
    return status;
}

// Power that damping and friction take.
static double joint_losses(const lw_sim *sim, const double *tree_v)
{
    const lw_model *m = sim->model;
    double lost = 0.0;
    for (int i = 0, n = 0; i < m->tree_nv && !sim->data->settings.is_ideal; ++i) {
        const lw_dof *dof = &m->dof[i];
        const double v = tree_v[i];
        lost += dof->damping * v * v;
        if (dof->friction > 0.0 && lwi_sim_has_friction(sim)) {
            lost += friction_at(sim, i, n++, v) * v;
        }
    }
    return lost;
}

// Whether anything acts on a body, so that the motion of bodies matters and not of joints alone.
static bool has_loads(const lw_sim *sim)
{
    bool any = sim->model->nload > 0;
    for (int i = 0; i < sim->model->nbody && sim->def.nsource > 0 && !any; ++i) {
        const lw_force *f = &sim->f_ext[i];
        any = lw_dot3(f->ang, f->ang) + lw_dot3(f->lin, f->lin) > 0.0;
    }
    return any;
}

lw_status lwi_sim_power(const lw_sim *sim, const double *q, const double *v, bool is_swept,
                        double power[2])
{
    const lw_model *m = sim->model;
    lw_data *d = sim->data;
    const bool is_pushed = has_loads(sim);
    if (!is_swept && !lwi_closure_state(m, d, q, v)) {
        return lwi_closure_status(d);
    }
    const double *tree_q = m->nstep > 0 ? d->tree_q : q, *tree_v = m->nstep > 0 ? d->tree_v : v;
    lwi_closure_angles(m, d);
    if (is_pushed) {
        lwi_tree_motion(m, d, tree_q, tree_v, NULL);
    }
    const double lost = joint_losses(sim, tree_v) + lwi_spring_losses(m, d, tree_q, tree_v);
    double sum = -lost;
    for (int k = 0; k < m->nv; ++k) {
        sum += sim->tau[k] * v[k];
    }
    for (int i = 0; i < m->nbody && is_pushed && sim->def.nsource > 0; ++i) {
        sum += lwi_power(d->vel[i], sim->f_ext[i]);
    }
    for (int i = 0; i < m->nload; ++i) {
        const lw_load_info *load = &m->load[i];
        if (load->body < 0) {
            continue;
        }
        // The wrench at its frame, along the axes of the body.
        const lw_mat3 *R = load->axes == LW_IN_WORLD ? &d->X_WB[load->body].R : NULL;
        const lw_vec3 f =
            R ? lw_rotate_back(R, load->force) : lw_rotate(&load->X_BF.R, load->force);
        const lw_vec3 n =
            R ? lw_rotate_back(R, load->torque) : lw_rotate(&load->X_BF.R, load->torque);
        const lw_motion *body = &d->vel[load->body];
        const lw_vec3 u = lw_add3(body->lin, lw_cross3(body->ang, load->X_BF.p));
        sum += lw_dot3(f, u) + lw_dot3(n, body->ang);
    }
    power[0] = sum;
    power[1] = lost;
    return LW_OK;
}

// Begins dynamics at q and v with an acceleration or a force x. The state at the start of a step
// was checked at the end of the one before; where that has closed its loops, the data holds it.
static lw_status begin_dynamics(const lw_sim *sim, const double **q, const double **v,
                                const double *x)
{
    const lw_model *m = sim->model;
    lw_data *d = sim->data;
    if (m->nstep > 0 && lwi_holds_numbers(m, d, *q, *v)) {
        *q = d->held.q;
        *v = d->held.v;
    } else if (*q == sim->y && m->kernel->nquat == 0) {
        lwi_drop_results(d);
    } else {
        return check_state(m, d, *q, *v, x);
    }
    return check_vector(m, x);
}

// Forward (or, with accelerations a, inverse) dynamics with the forces of all sources and the
// friction of the simulation: out are accelerations, or what is missing to the forces that a takes.
// One closure sweep serves all of it, and what follows in lwi_sim_rate().
static lw_status run_dynamics(lw_sim *sim, double t, const double *q, const double *v,
                              const double *a, double *out)
{
    const lw_model *m = sim->model;
    lw_data *d = sim->data;
    ++sim->info.evaluations;
    lw_status status = lwi_sim_sources(sim, t, q, v);
    if (status == LW_OK) {
        status = begin_dynamics(sim, &q, &v, a ? a : sim->tau);
    }
    if (status == LW_OK) {
        status = lwi_closure_motion(m, d, q, v, a);
    }
    if (status != LW_OK) {
        return status;
    }
    const bool adds = lwi_sim_has_friction(sim) && sim->adds_friction;
    const double *tau = adds ? with_friction(sim, m->nstep > 0 ? d->tree_v : v) : sim->tau;
    const lw_force *f_ext = sim->def.nsource > 0 ? sim->f_ext : NULL;
    const bool is_frictionless = d->settings.is_frictionless; // the user's hold outside of this
    const double friction_rate = d->settings.friction_rate;
    d->settings.is_frictionless |= sim->adds_friction;
    d->settings.friction_rate = sim->friction_rate;
    status = a ? lwi_inverse_dynamics(m, d, q, v, a, f_ext, out)
               : lwi_forward_dynamics(m, d, q, v, tau, f_ext, out);
    d->settings.is_frictionless = is_frictionless;
    d->settings.friction_rate = friction_rate;
    for (int k = 0; k < m->nv && a; ++k) {
        out[k] -= tau[k];
    }
    return status;
}

lw_status lwi_sim_rate(lw_sim *sim, double t, const double *y, double *dy)
{
    const lw_model *m = sim->model;
    const double *q = y, *v = y + m->nq;
    lw_status status = run_dynamics(sim, t, q, v, NULL, sim->a);
    const bool holds = lwi_sim_may_hold(sim);
    if (status == LW_OK && holds) {
        status = lwi_sim_hold(sim, q, v, sim->a);
    }
    if (status == LW_OK) {
        lwi_position_rate(m, q, v, dy); // which the dynamics has found good
        memcpy(dy + m->nq, sim->a, (size_t)m->nv * sizeof *dy);
        if (sim->def.counts_work) {
            status = lwi_sim_power(sim, q, v, true, &dy[m->nq + m->nv]);
        }
    }
    return status;
}

// --- For integrators from outside -------------------------------------------------------------

lw_status lw_sim_derivative(lw_sim *sim, double t, const double *y, double *dy)
{
    return sim && y && dy ? lwi_sim_rate(sim, t, y, dy) : LW_ERR_ARGUMENT;
}

lw_status lw_sim_residual(lw_sim *sim, double t, const double *y, const double *dy,
                          double *residual)
{
    if (!sim || !y || !dy || !residual) {
        return LW_ERR_ARGUMENT;
    }
    const lw_model *m = sim->model;
    const double *q = y, *v = y + m->nq, *a = dy + m->nq;
    double *force = residual + m->nq;
    if (lwi_sim_may_hold(sim)) { // forces of what holds are found with the inverse
        const lw_status found = lwi_sim_rate(sim, t, y, residual);
        for (int i = 0; i < sim->ny && found == LW_OK; ++i) {
            residual[i] = dy[i] - residual[i];
        }
        return found;
    }
    lw_status status = run_dynamics(sim, t, q, v, a, force);
    if (status == LW_OK) {
        lwi_position_rate(m, q, v, residual);
    }
    for (int i = 0; i < m->nq && status == LW_OK; ++i) {
        residual[i] = dy[i] - residual[i];
    }
    if (status == LW_OK && sim->def.counts_work) {
        double power[2] = {0.0, 0.0};
        status = lwi_sim_power(sim, q, v, true, power);
        for (int i = 0; i < 2; ++i) {
            residual[m->nq + m->nv + i] = dy[m->nq + m->nv + i] - power[i];
        }
    }
    return status;
}
