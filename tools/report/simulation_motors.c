#include "report/simulation_motors.h"

#include "report/units.h"

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

/// Names and degrees of freedom of all motors.
typedef struct motor_list {
    const char **name;
    int *dof;
} motor_list;

static motor_list list_motors(const lw_model *m)
{
    motor_list list = {calloc((size_t)m->ndrive + 1, sizeof *list.name),
                       calloc((size_t)m->ndrive + 1, sizeof *list.dof)};
    for (int k = 0; k < m->ndrive && list.name && list.dof; ++k) {
        list.name[k] = m->drive[k].name;
        list.dof[k] = m->drive[k].dof;
    }
    return list;
}

// Where a motor cannot do it: how much, when, and at which point of its curve.
static void print_beyond(output *out, const lw_model *m, const lw_motor_load *load)
{
    for (int k = 0; k < m->ndrive; ++k) {
        if (load[k].use > 1) {
            fprintf(out->text,
                    "%s cannot give that from %.4g s on, %.3g %% of the time: at %.4g s ",
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

// Whether a motor has limits of what it gives.
static bool has_limits(const lw_drive_info *drive)
{
    return isfinite(drive->max_force) || isfinite(drive->stall_force) || drive->ncurve > 0;
}

static void fill_row(const lw_drive_info *drive, const lw_motor_load *load, double *row)
{
    row[0] = load->load.peak_force;
    row[1] = load->load.rms_force;
    row[2] = load->load.peak_speed;
    row[3] = fmax(load->load.peak_power, load->load.peak_braking); // given, or taken
    row[4] = has_limits(drive) && isfinite(load->use) ? load->use : OUTPUT_NONE;
    row[5] = isfinite(drive->continuous_force) ? load->continuous_use : OUTPUT_NONE;
}

enum { COLUMNS = 6 };

static void print_loads(output *out, const lw_model *m, const lw_motor_load *load)
{
    static const char *const head[COLUMNS] = {"peak force", "rms force",  "peak speed",
                                              "peak power", "peak share", "rms share"};
    const motor_list list = list_motors(m);
    double *value = calloc((size_t)m->ndrive * COLUMNS + 1, sizeof *value);
    const bool is_good = list.name && list.dof && value;
    if (is_good) {
        const char *force = unit_of_some(m, list.dof, m->ndrive, UNIT_OF_FORCE);
        const char *speed = unit_of_some(m, list.dof, m->ndrive, UNIT_OF_VELOCITY);
        const char *const unit[COLUMNS] = {force, force, speed, "W", "of limit", "for long"};
        for (int k = 0; k < m->ndrive; ++k) {
            fill_row(&m->drive[k], &load[k], value + k * COLUMNS);
        }
        fputs("\nmotors, along the motion that is asked for\n", out->text);
        output_unit_table(out, "motor", list.name, m->ndrive, head, COLUMNS, value, unit, NULL);
        print_beyond(out, m, load);
    }
    out->is_short = out->is_short || !is_good;
    free(value);
    free(list.dof);
    free(list.name);
}

void report_motors_text(output *out, const simulation *s)
{
    lw_motor_load *load = find_loads(s);
    if (load) {
        print_loads(out, s->robot->model, load);
    }
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
        output_set(out, item, "peak_braking", output_number(out, load[k].load.peak_braking));
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
