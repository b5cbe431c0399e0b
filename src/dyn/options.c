// Options of dynamics, kept in the data.
#include <linkwork/dynamics.h>

#include "../kin/finite.h"
#include "../model/data.h"

lw_dynamics_options lw_default_dynamics_options(const lw_model *m)
{
    lw_dynamics_options options = {0};
    if (m) {
        options.gravity = m->gravity;
    }
    return options;
}

static bool is_finite3(lw_vec3 v)
{
    return lwi_all_finite(&v.x, 3);
}

lw_status lw_set_dynamics_options(lw_data *d, const lw_dynamics_options *options)
{
    if (!d) {
        return LW_ERR_ARGUMENT;
    }
    const lw_dynamics_options o = options ? *options : lw_default_dynamics_options(d->model);
    if (!is_finite3(o.gravity) || !is_finite3(o.base_velocity.ang) ||
        !is_finite3(o.base_velocity.lin) || !is_finite3(o.base_acceleration.ang) ||
        !is_finite3(o.base_acceleration.lin)) {
        return LW_ERR_NUMBER;
    }
    d->is_ideal = o.is_ideal;
    d->gravity = o.gravity;
    d->base_velocity = o.base_velocity;
    d->base_acceleration = o.base_acceleration;
    return LW_OK;
}

lw_dynamics_options lw_get_dynamics_options(const lw_data *d)
{
    lw_dynamics_options options = lw_default_dynamics_options(d ? d->model : NULL);
    if (d) {
        options.is_ideal = d->is_ideal;
        options.gravity = d->gravity;
        options.base_velocity = d->base_velocity;
        options.base_acceleration = d->base_acceleration;
    }
    return options;
}

int lw_data_culprit(const lw_data *d)
{
    return d ? d->culprit : -1;
}
