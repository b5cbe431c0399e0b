// How much load an elastic mechanism bears.
//
// The equilibrium is followed as the load grows from nothing. A step of the load is good where the
// equilibrium is stable and near the last one: beyond the load that buckles a mechanism there is
// none nearby (it snaps through), or it is not stable (it bifurcates). Halving the step that fails
// finds the load to rounding, whichever it is.

#include "static_forces.h"

#include "../kin/finite.h"
#include "../math/largest.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <string.h>

// rad or m that the equilibrium may move in one step of the load.
static const double NEAR = 0.1;

// Share of the load by which steps end.
static const double finest = 1e-14;

enum { STEPS = 4000 };

/// A path of equilibria over one number.
typedef struct path {
    lw_statics *s;
    lw_data *d;
    const double *command;
    double *q;                         ///< [nq] the last good one
    void (*set)(lw_statics *, double); ///< sets the number
    /// Whether to go on at the equilibrium in q; false ends the path there, before it.
    bool (*goes_on)(void *context, const double *q);
    void *context;
} path;

// The equilibrium at x from p->q, into s->start; false where there is none nearby, as beyond the
// reach of loops.
static lw_status try_at(const path *p, double x, bool *is_good)
{
    const lw_model *m = p->s->model;
    lw_deflection found;
    double *q = p->s->start;
    p->set(p->s, x);
    memcpy(q, p->q, (size_t)m->nq * sizeof *q);
    const lw_status status = lw_deflect(p->s, p->d, p->command, q, &found);
    *is_good = status == LW_OK && found.is_stable && found.steps < 40 &&
               lw_difference(m, p->q, q, p->s->along) == LW_OK &&
               lwi_largest(p->s->along, m->nv) <= NEAR &&
               (!p->goes_on || p->goes_on(p->context, q));
    if (status == LW_ERR_LOOP_OPEN || status == LW_ERR_SINGULAR) {
        lw_data_restart(p->d); // loops begin where they can be closed
        return LW_OK;
    }
    return status == LW_ERR_NO_CONVERGENCE ? LW_OK : status;
}

// Goes along the path to where it ends, *x; infinite where it goes on at `most`.
static lw_status follow(const path *p, double most, double *x)
{
    const size_t size = (size_t)p->s->model->nq * sizeof *p->q;
    double at = 0.0, step = fmin(0.05, most);
    lw_status status = LW_OK;
    for (int round = 0; round < STEPS && status == LW_OK; ++round) {
        bool is_good = false;
        const double next = fmin(at + step, most);
        status = try_at(p, next, &is_good);
        if (is_good) {
            memcpy(p->q, p->s->start, size);
            at = next;
            step *= lwi_largest(p->s->along, p->s->model->nv) < 0.25 * NEAR ? 2.0 : 1.0;
        } else {
            step = 0.5 * fmin(step, most - at);
        }
        if (at >= most) {
            *x = (double)INFINITY;
            return status;
        }
        if (step <= finest * fmax(at, finest)) {
            break;
        }
    }
    *x = at;
    return status;
}

static void scale_all(lw_statics *s, double x)
{
    s->own = s->applied = x;
}

static void scale_applied(lw_statics *s, double x)
{
    s->applied = x;
}

// The equilibrium at the begin, from the command.
static lw_status begin(const path *p, bool *is_good)
{
    const lw_model *m = p->s->model;
    lw_deflection found;
    memcpy(p->q, p->command, (size_t)m->nq * sizeof *p->q);
    p->set(p->s, 0.0);
    const lw_status status = lw_deflect(p->s, p->d, p->command, p->q, &found);
    *is_good = status == LW_OK && found.is_stable && (!p->goes_on || p->goes_on(p->context, p->q));
    return status;
}

lw_status lw_load_factor(lw_statics *s, lw_data *d, const double *command, lw_load_scaling scaling,
                         double most, double *factor, double *q)
{
    if (!lwi_statics_fits(s, d) || !command || !factor || !q || !(most > 0.0) || !isfinite(most)) {
        return LW_ERR_ARGUMENT;
    }
    const double own = s->own, applied = s->applied;
    const path p = {.s = s,
                    .d = d,
                    .command = command,
                    .q = q,
                    .set = scaling == LW_SCALE_ALL ? scale_all : scale_applied};
    bool is_good = false;
    *factor = 0.0;
    lw_status status = begin(&p, &is_good);
    if (status == LW_OK && is_good) {
        status = follow(&p, most, factor);
    }
    s->own = own;
    s->applied = applied;
    return status;
}

// --- Payload ----------------------------------------------------------------------------------

/// The frame that is watched.
typedef struct watched {
    lw_statics *s;
    lw_data *d;
    int frame;
    lw_vec3 goal;
    double error;
} watched;

static bool is_within(void *context, const double *q)
{
    const watched *w = context;
    lw_pose X;
    return lw_pose_of_frame(w->s->model, w->d, q, w->frame, &X) == LW_OK &&
           lw_norm3(lw_sub3(X.p, w->goal)) < w->error;
}

static void set_payload(lw_statics *s, double mass)
{
    s->load[s->nown + s->nload].wrench.lin = lw_scale3(mass, s->gravity);
}

lw_status lw_payload_limit(lw_statics *s, lw_data *d, const double *command, int frame,
                           double error, double most, double *mass, double *q)
{
    if (!lwi_statics_fits(s, d) || !command || !mass || !q || !(error > 0.0) || !(most > 0.0) ||
        !isfinite(most) || frame < 0 || frame >= s->model->nframe_all) {
        return LW_ERR_ARGUMENT;
    }
    watched w = {.s = s, .d = d, .frame = frame, .error = error};
    lw_pose X;
    lw_status status = lw_pose_of_frame(s->model, d, command, frame, &X);
    if (status != LW_OK) {
        return status;
    }
    w.goal = X.p;
    s->gravity = lw_scale3(s->own, lw_get_dynamics_options(d).gravity);
    s->load[s->nown + s->nload] = (lwi_wrench_at){.body = s->model->frame[frame].body,
                                                  .X_BF = s->model->frame[frame].X_BF,
                                                  .frame = frame,
                                                  .axes = LW_IN_WORLD};
    s->has_payload = true;
    const path p = {.s = s,
                    .d = d,
                    .command = command,
                    .q = q,
                    .set = set_payload,
                    .goes_on = is_within,
                    .context = &w};
    bool is_good = false;
    *mass = 0.0;
    status = begin(&p, &is_good);
    if (status == LW_OK && is_good) {
        status = follow(&p, most, mass);
    }
    s->has_payload = false;
    return status;
}
