#include "simulation_motors.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 1000 };

// The loads of all motors along the motion that is asked for, whatever the controller makes of it;
// null where there are none, or where the motion cannot be made.
static lw_motor_load *find_loads(const simulation *s)
{
    const lw_model *m = s->robot->model;
    if (m->ndrive == 0 || !s->run || !s->run->trajectory || !s->run->controller) {
        return NULL;
    }
    lw_motor_load *load = calloc((size_t)m->ndrive, sizeof *load);
    if (load && lw_motor_loads(m, s->robot->data, s->run->trajectory, SAMPLES, load) != LW_OK) {
        free(load);
        load = NULL;
    }
    return load;
}

static const char **names_of(const lw_model *m)
{
    const char **name = calloc((size_t)m->ndrive, sizeof *name);
    for (int k = 0; k < m->ndrive && name; ++k) {
        name[k] = m->drive[k].name;
    }
    return name;
}

// Where a motor cannot do it: how much, when, and at which point of its curve.
static void print_beyond(output *out, const lw_model *m, const lw_motor_load *load)
{
    for (int k = 0; k < m->ndrive; ++k) {
        if (load[k].use > 1) {
            fprintf(out->text,
                    "%s leaves its curve from %.4g s on, %.3g %% of the time: at %.4g s ",
                    m->drive[k].name, load[k].first_beyond, 100 * load[k].beyond, load[k].use_time);
            fprintf(out->text, "%.4g N m at %.4g rad/s", load[k].use_force, load[k].use_speed);
            if (isfinite(load[k].use)) {
                fprintf(out->text, ", %.3g of what it has", load[k].use);
            }
            fputc('\n', out->text);
        }
        if (load[k].continuous_use > 1) {
            fprintf(out->text, "%s gets too hot if this goes on: %.3g of what it bears for long\n",
                    m->drive[k].name, load[k].continuous_use);
        }
    }
}

void report_motors_text(output *out, const simulation *s)
{
    static const char *const head[] = {"peak force", "rms force", "peak speed", "of its curve",
                                       "for long"};
    enum { COLUMNS = sizeof head / sizeof *head };
    const lw_model *m = s->robot->model;
    lw_motor_load *load = find_loads(s);
    const char **name = load ? names_of(m) : NULL;
    double *value = load ? calloc((size_t)m->ndrive * COLUMNS, sizeof *value) : NULL;
    for (int k = 0; k < m->ndrive && value; ++k) {
        const double row[COLUMNS] = {load[k].load.peak_force, load[k].load.rms_force,
                                     load[k].load.peak_speed, load[k].use, load[k].continuous_use};
        for (int i = 0; i < COLUMNS; ++i) {
            value[k * COLUMNS + i] = row[i];
        }
    }
    if (name && value) {
        fputs("\nmotors, along the motion that is asked for\n", out->text);
        output_table(out, "motor", name, m->ndrive, head, COLUMNS, value);
        print_beyond(out, m, load);
    }
    out->is_short = out->is_short || (load && (!name || !value));
    free(value);
    free(name);
    free(load);
}

// JSON has no infinity: such a number is left out.
static void set_finite(output *out, json_t *item, const char *key, double value)
{
    if (isfinite(value)) {
        output_set(out, item, key, output_number(out, value));
    }
}

void report_motors_json(output *out, const simulation *s, json_t *result)
{
    const lw_model *m = s->robot->model;
    lw_motor_load *load = find_loads(s);
    if (!load) {
        return;
    }
    json_t *list = output_array(out);
    for (int k = 0; k < m->ndrive; ++k) {
        json_t *item = output_object(out);
        output_set(out, item, "name", output_text(out, m->drive[k].name));
        output_set(out, item, "peak_force", output_number(out, load[k].load.peak_force));
        output_set(out, item, "rms_force", output_number(out, load[k].load.rms_force));
        output_set(out, item, "peak_speed", output_number(out, load[k].load.peak_speed));
        output_set(out, item, "peak_power", output_number(out, load[k].load.peak_power));
        set_finite(out, item, "use", load[k].use);
        output_set(out, item, "use_time", output_number(out, load[k].use_time));
        output_set(out, item, "use_force", output_number(out, load[k].use_force));
        output_set(out, item, "use_speed", output_number(out, load[k].use_speed));
        output_set(out, item, "beyond", output_number(out, load[k].beyond));
        set_finite(out, item, "first_beyond", load[k].first_beyond);
        output_set(out, item, "continuous_use", output_number(out, load[k].continuous_use));
        output_append(out, list, item);
    }
    output_set(out, result, "motors", list);
    free(load);
}
