#include "report/simulation.h"

#include "report/units.h"

#include <math.h>

enum { SAMPLES = 1000 };

// The loads of all motors along the motion that is requested, whatever the controller makes of it;
// NULL where there are none, or where the motion cannot be made.
static lw_motor_load *find_loads(output *out, const simulation *s)
{
    const lw_model *m = s->robot->model;
    if (m->ndrive == 0 || !s->run || !s->run->trajectory || !s->run->controller) {
        return NULL;
    }
    lw_motor_load *load = memory_get(out->pool, (size_t)m->ndrive, sizeof *load);
    return lw_motor_loads(m, s->robot->data, s->run->trajectory, SAMPLES, load) == LW_OK ? load
                                                                                         : NULL;
}

// Where a motor cannot do it: how much, when, and at which point of its curve.
static void print_beyond(output *out, const lw_model *m, const lw_motor_load *load)
{
    for (int k = 0; k < m->ndrive; ++k) {
        if (load[k].use > 1) {
            fprintf(
                out->text,
                "%s: the load exceeds its limits from %.4g s on, %.3g %% of the time: at %.4g s ",
                m->drive[k].name, load[k].first_beyond, 100 * load[k].beyond, load[k].use_time);
            fprintf(out->text, "%.4g N m at %.4g rad/s", load[k].use_force, load[k].use_speed);
            if (isfinite(load[k].use)) {
                fprintf(out->text, ", %.3g times its limit", load[k].use);
            }
            fputc('\n', out->text);
        }
        if (load[k].continuous_use > 1) {
            fprintf(out->text, "%s: RMS torque is %.3g %% of the continuous rating\n",
                    m->drive[k].name, 100 * load[k].continuous_use);
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

void report_motors_text(output *out, const simulation *s)
{
    static const char *const head[COLUMNS] = {"peak force", "rms force",  "peak speed",
                                              "peak power", "peak share", "rms share"};
    const lw_model *m = s->robot->model;
    const lw_motor_load *load = find_loads(out, s);
    if (!load) {
        return;
    }
    const char **name = memory_get(out->pool, (size_t)m->ndrive, sizeof *name);
    int *dof = memory_get(out->pool, (size_t)m->ndrive, sizeof *dof);
    double *value = memory_numbers(out->pool, m->ndrive, COLUMNS);
    for (int k = 0; k < m->ndrive; ++k) {
        name[k] = m->drive[k].name;
        dof[k] = m->drive[k].dof;
        fill_row(&m->drive[k], &load[k], value + k * COLUMNS);
    }
    const char *force = unit_of_some(m, dof, m->ndrive, UNIT_OF_FORCE);
    const char *speed = unit_of_some(m, dof, m->ndrive, UNIT_OF_VELOCITY);
    const char *const unit[COLUMNS] = {force, force, speed, "W", "of limit", "of rating"};
    fputs("\nmotors, along the commanded motion\n", out->text);
    output_unit_table(out, "motor", name, m->ndrive, head, COLUMNS, value, unit, NULL);
    print_beyond(out, m, load);
}

void report_motors_json(output *out, const simulation *s, json_t *result)
{
    const lw_model *m = s->robot->model;
    const lw_motor_load *load = find_loads(out, s);
    json_t *list = load ? output_array(out) : NULL;
    for (int k = 0; load && k < m->ndrive; ++k) {
        const lw_motor_load *one = &load[k];
        output_put(out, output_item(out, list),
                   "name s, peak_force f, rms_force f, peak_speed f, peak_power f, peak_braking f, "
                   "use g, use_time f, use_force f, use_speed f, beyond f, first_beyond g, "
                   "continuous_use f",
                   m->drive[k].name, one->load.peak_force, one->load.rms_force,
                   one->load.peak_speed, one->load.peak_power, one->load.peak_braking, one->use,
                   one->use_time, one->use_force, one->use_speed, one->beyond, one->first_beyond,
                   one->continuous_use);
    }
    if (load) {
        output_set(out, result, "motors", list);
    }
}
