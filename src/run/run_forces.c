// Reading <load>, <unbalance> and <force> of a run file.

#include "run_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// table="t0 f0 t1 f1 ...": factors at times that increase.
static lw_status read_table(lwi_run_reader *r, lwi_xml_node *node, lw_timed_load *f)
{
    lw_location at;
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

static lw_status read_course(lwi_run_reader *r, lwi_xml_node *node, bool has_frequency,
                             lw_timed_load *f)
{
    const double infinity = (double)INFINITY;
    lw_status status = lwi_run_read_within(r, node, "from", 0.0, infinity, &f->begin);
    status = lwi_first_error(status, lwi_run_read_within(r, node, "until", 0.0, infinity, &f->end));
    if (status == LW_OK && f->end <= f->begin) {
        lw_location at = node->at;
        lwi_xml_value(node, "until", &at);
        status = lwi_report_error(r->report, at, LW_ERR_MODEL,
                                  "it ends at %g s, and begins only at %g s", f->end, f->begin);
    }
    if (has_frequency) {
        status = lwi_first_error(
            status, lwi_run_read_within(r, node, "frequency", 0.0, infinity, &f->frequency));
    }
    status =
        lwi_first_error(status, lwi_xml_read_number(node, "phase", false, &f->phase, r->report));
    return lwi_first_error(status, read_table(r, node, f));
}

static lw_status read_frame(lwi_run_reader *r, lwi_xml_node *node, lw_timed_load *f)
{
    lw_status status = lwi_run_find_frame(r, node, "frame", &f->frame);
    double point[3] = {0.0};
    status =
        lwi_first_error(status, lwi_xml_read_numbers(node, "point", false, 3, point, r->report));
    f->point = lw_vec3_of(point[0], point[1], point[2]);
    return status;
}

static lw_status read_load(lwi_run_reader *r, lwi_xml_node *node, lw_timed_load *f)
{
    static const char *const axes[] = {"frame", "world", NULL};
    int word = LW_IN_WORLD;
    double force[3] = {0.0}, torque[3] = {0.0};
    lw_status status = read_frame(r, node, f);
    status = lwi_first_error(status, lwi_run_read_word(r, node, "axes", axes, &word));
    status =
        lwi_first_error(status, lwi_xml_read_numbers(node, "force", false, 3, force, r->report));
    status =
        lwi_first_error(status, lwi_xml_read_numbers(node, "torque", false, 3, torque, r->report));
    f->axes = (lw_axes)word;
    f->wrench.lin = lw_vec3_of(force[0], force[1], force[2]);
    f->wrench.ang = lw_vec3_of(torque[0], torque[1], torque[2]);
    return lwi_first_error(status, read_course(r, node, true, f));
}

// A mass at a radius that rotates about z of a frame, by its speed in rad/s.
static lw_status read_unbalance(lwi_run_reader *r, lwi_xml_node *node, lw_timed_load *f)
{
    const double infinity = (double)INFINITY;
    double mass = -1.0, radius = -1.0;
    f->axes = LW_IN_FRAME;
    lw_status status = read_frame(r, node, f);
    static const char *const needed[] = {"mass", "radius", "speed"};
    for (int i = 0; i < 3; ++i) {
        if (!lwi_xml_value(node, needed[i], NULL)) {
            status = lwi_first_error(
                status, lwi_report_error(r->report, node->at, LW_ERR_MODEL,
                                         "<unbalance> needs the attribute \"%s\"", needed[i]));
        }
    }
    status = lwi_first_error(status, lwi_run_read_within(r, node, "mass", 0.0, infinity, &mass));
    status =
        lwi_first_error(status, lwi_run_read_within(r, node, "radius", 0.0, infinity, &radius));
    status =
        lwi_first_error(status, lwi_xml_read_number(node, "speed", false, &f->speed, r->report));
    f->unbalance = mass * radius;
    return lwi_first_error(status, read_course(r, node, false, f));
}

static lw_status read_force(lwi_run_reader *r, lwi_xml_node *node, lw_timed_load *f)
{
    lw_status status = lwi_run_find_joint(r, node, "joint", &f->dof);
    status =
        lwi_first_error(status, lwi_xml_read_number(node, "value", true, &f->value, r->report));
    return lwi_first_error(status, read_course(r, node, true, f));
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
    static const struct {
        const char *tag;
        lw_status (*read)(lwi_run_reader *r, lwi_xml_node *node, lw_timed_load *f);
    } kind[] = {{"load", read_load}, {"unbalance", read_unbalance}, {"force", read_force}};
    enum { KINDS = sizeof kind / sizeof *kind };
    lwi_run *run = r->run;
    int n = 0;
    for (int i = 0; i < KINDS; ++i) {
        n += count_children(root, kind[i].tag);
    }
    lw_timed_load *load = lwi_run_take(r, (size_t)n, sizeof *load);
    if (!load) {
        return LW_ERR_MEMORY;
    }
    lw_status status = LW_OK;
    run->loads.load = load;
    for (int i = 0; i < KINDS; ++i) {
        for (lwi_xml_node *node = lwi_xml_child(root, kind[i].tag); node;
             node = lwi_xml_next(node, kind[i].tag)) {
            lw_timed_load *f = &load[run->loads.count++];
            *f = lw_default_timed_load();
            status = lwi_first_error(status, kind[i].read(r, node, f));
        }
    }
    if (n > 0) {
        run->source[run->run.sim.nsource++] = lw_timed_source(&run->loads);
    }
    return status;
}
