// Reading <load> and <force> of a run file, and what they do.

#include "run.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- What they do -----------------------------------------------------------------------------

static double table_at(const lwi_run_force *f, double t)
{
    if (t <= f->time[0]) {
        return f->factor[0];
    }
    int low = 0, high = f->npoint; // the last point at or before t
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (f->time[middle] <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    if (high == f->npoint) {
        return f->factor[low];
    }
    const double share = (t - f->time[low]) / (f->time[high] - f->time[low]);
    return f->factor[low] + share * (f->factor[high] - f->factor[low]);
}

static double factor_at(const lwi_run_force *f, double t)
{
    if (t < f->begin || t >= f->end) {
        return 0.0;
    }
    const double wave =
        f->frequency > 0.0 ? sin(6.283185307179586 * f->frequency * t + f->phase) : 1.0;
    return f->npoint > 0 ? wave * table_at(f, t) : wave;
}

static lw_status add_forces(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                            const double *v, double *tau, lw_force *f_ext)
{
    const lwi_run *run = context;
    bool has_poses = false;
    (void)v;
    for (int i = 0; i < run->nforce; ++i) {
        const lwi_run_force *f = &run->force[i];
        const double factor = factor_at(f, t);
        if (f->freedom >= 0) {
            tau[f->freedom] += factor * f->value;
        } else if (factor != 0.0) {
            lw_status status = has_poses ? LW_OK : lw_forward_position(m, d, q);
            const lw_force wrench = {lw_scale3(factor, f->wrench.ang),
                                     lw_scale3(factor, f->wrench.lin)};
            if (status == LW_OK) {
                status = lw_add_force_at_frame(m, d, f->frame, f->axes, &wrench, f_ext);
            }
            if (status != LW_OK) {
                return status;
            }
            has_poses = true;
        }
    }
    return LW_OK;
}

// --- Reading ----------------------------------------------------------------------------------

// table="t0 f0 t1 f1 ...": factors at times that increase.
static lw_status read_table(lwi_run_reader *r, lwi_xml_node *node, lwi_run_force *f)
{
    lw_place at;
    const char *text = lwi_xml_value(node, "table", &at);
    if (!text) {
        return LW_OK;
    }
    const int room = (int)strlen(text) / 2 + 1; // a number and a blank each
    double *all = lwi_run_take(r, (size_t)room, sizeof *all);
    double *split = lwi_run_take(r, (size_t)room + 1, sizeof *split);
    int count = 0;
    if (!all || !split) {
        return LW_ERR_MEMORY;
    }
    const lw_status status = lwi_xml_read_list(node, "table", true, room, all, &count, r->report);
    if (status != LW_OK) {
        return status;
    }
    if (count == 0 || count % 2 != 0) {
        return lwi_report_error(r->report, at, LW_ERR_MODEL,
                                "a table has pairs of a time and a factor");
    }
    f->npoint = count / 2;
    for (int i = 0; i < f->npoint; ++i) {
        split[i] = all[2 * i];
        split[f->npoint + i] = all[2 * i + 1];
        if (i > 0 && !(split[i] > split[i - 1])) {
            return lwi_report_error(r->report, at, LW_ERR_MODEL,
                                    "the times of a table must increase; %g follows %g", split[i],
                                    split[i - 1]);
        }
    }
    f->time = split;
    f->factor = split + f->npoint;
    return LW_OK;
}

static lw_status read_course(lwi_run_reader *r, lwi_xml_node *node, lwi_run_force *f)
{
    const double infinity = (double)INFINITY;
    f->end = infinity;
    lw_status status = lwi_run_read_within(r, node, "from", 0.0, infinity, &f->begin);
    status = lwi_first_error(status, lwi_run_read_within(r, node, "until", 0.0, infinity, &f->end));
    if (status == LW_OK && f->end <= f->begin) {
        lw_place at = node->at;
        lwi_xml_value(node, "until", &at);
        status = lwi_report_error(r->report, at, LW_ERR_MODEL,
                                  "it ends at %g s, and begins only at %g s", f->end, f->begin);
    }
    status = lwi_first_error(
        status, lwi_run_read_within(r, node, "frequency", 0.0, infinity, &f->frequency));
    status =
        lwi_first_error(status, lwi_xml_read_number(node, "phase", false, &f->phase, r->report));
    return lwi_first_error(status, read_table(r, node, f));
}

static lw_status read_load(lwi_run_reader *r, lwi_xml_node *node, lwi_run_force *f)
{
    static const char *const axes[] = {"frame", "world", NULL};
    const char *frame = NULL;
    int word = LW_IN_WORLD;
    double force[3] = {0.0}, torque[3] = {0.0};
    f->freedom = -1;
    lw_status status = lwi_xml_read_name(node, "frame", &frame, r->report);
    if (status == LW_OK) {
        lw_place at = node->at;
        lwi_xml_value(node, "frame", &at);
        f->frame = lw_find_frame(r->m, frame);
        if (f->frame < 0) {
            char room[LWI_CLIP_SIZE];
            status = lwi_report_error(r->report, at, LW_ERR_NAME,
                                      "the machine has no frame \"%s\", or several",
                                      lwi_clip(frame, room));
        }
    }
    status = lwi_first_error(status, lwi_run_read_word(r, node, "axes", axes, &word));
    status =
        lwi_first_error(status, lwi_xml_read_numbers(node, "force", false, 3, force, r->report));
    status =
        lwi_first_error(status, lwi_xml_read_numbers(node, "torque", false, 3, torque, r->report));
    f->axes = (lw_axes)word;
    f->wrench.lin = lw_vec3_of(force[0], force[1], force[2]);
    f->wrench.ang = lw_vec3_of(torque[0], torque[1], torque[2]);
    return lwi_first_error(status, read_course(r, node, f));
}

static lw_status read_force(lwi_run_reader *r, lwi_xml_node *node, lwi_run_force *f)
{
    lw_status status = lwi_run_find_joint(r, node, "joint", &f->freedom);
    status =
        lwi_first_error(status, lwi_xml_read_number(node, "value", true, &f->value, r->report));
    return lwi_first_error(status, read_course(r, node, f));
}

static int count_children(lwi_xml_node *root, const char *tag)
{
    int n = 0;
    for (lwi_xml_node *node = lwi_xml_child(root, tag); node; node = lwi_xml_next(node, tag)) {
        ++n;
    }
    return n;
}

lw_status lwi_run_read_forces(lwi_run_reader *r, lwi_xml_node *root)
{
    lwi_run *run = r->run;
    const int n = count_children(root, "load") + count_children(root, "force");
    run->force = lwi_run_take(r, (size_t)n, sizeof *run->force);
    if (!run->force) {
        return LW_ERR_MEMORY;
    }
    lw_status status = LW_OK;
    for (lwi_xml_node *node = lwi_xml_child(root, "load"); node;
         node = lwi_xml_next(node, "load")) {
        status = lwi_first_error(status, read_load(r, node, &run->force[run->nforce++]));
    }
    for (lwi_xml_node *node = lwi_xml_child(root, "force"); node;
         node = lwi_xml_next(node, "force")) {
        status = lwi_first_error(status, read_force(r, node, &run->force[run->nforce++]));
    }
    if (n > 0) {
        const lw_force_source source = {add_forces, run};
        run->source[run->run.sim.nsource++] = source;
    }
    return status;
}
