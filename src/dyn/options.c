// Options of dynamics, kept in the data.
#include <linkwork/dynamics.h>

#include "../kin/finite.h"
#include "friction.h"
#include "options.h"

lw_dynamics_options lw_default_dynamics_options(const lw_model *m)
{
    lw_dynamics_options options = {0};
    if (m) {
        options.gravity = m->gravity;
    }
    options.friction_speed = LW_FRICTION_SPEED;
    return options;
}

static bool is_finite3(lw_vec3 v)
{
    return lwi_all_finite(&v.x, 3);
}

lw_status lwi_settings_of(const lw_model *m, const lw_dynamics_options *options,
                          lwi_settings *settings)
{
    const lw_dynamics_options o = options ? *options : lw_default_dynamics_options(m);
    if (!(o.friction_speed >= 0.0 && isfinite(o.friction_speed)) || !is_finite3(o.gravity) ||
        !is_finite3(o.base_velocity.ang) || !is_finite3(o.base_velocity.lin) ||
        !is_finite3(o.base_acceleration.ang) || !is_finite3(o.base_acceleration.lin)) {
        return LW_ERR_NUMBER;
    }
    settings->is_ideal = o.is_ideal;
    settings->is_frictionless = o.is_frictionless;
    settings->friction_rate = lwi_friction_rate(o.friction_speed);
    settings->gravity = o.gravity;
    settings->base_velocity = o.base_velocity;
    settings->base_acceleration = o.base_acceleration;
    return LW_OK;
}

lw_status lw_set_dynamics_options(lw_data *d, const lw_dynamics_options *options)
{
    return d ? lwi_settings_of(d->model, options, &d->settings) : LW_ERR_ARGUMENT;
}

lw_dynamics_options lw_get_dynamics_options(const lw_data *d)
{
    lw_dynamics_options options = lw_default_dynamics_options(d ? d->model : NULL);
    if (d) {
        options.is_ideal = d->settings.is_ideal;
        options.is_frictionless = d->settings.is_frictionless;
        options.friction_speed = lwi_friction_speed(d->settings.friction_rate);
        options.gravity = d->settings.gravity;
        options.base_velocity = d->settings.base_velocity;
        options.base_acceleration = d->settings.base_acceleration;
    }
    return options;
}
