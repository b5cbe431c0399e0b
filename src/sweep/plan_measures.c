// Reading plans: what is measured.

#include "plan_read.h"

#include "../base/text.h"
#include "ellipsoid.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 256 };

static int find_in_model(const lwi_measure *x, const lw_model *m, const char *name,
                         lw_nearest *near)
{
    const bool is_run = x->kind == LWI_MEASURE_RUN;
    const int at = is_run ? lw_find_velocity(m, name) : lw_find_frame(m, name);
    for (int k = 0; k < (is_run ? m->nv : m->nframe_all) && at < 0; ++k) {
        const char *known = is_run ? m->velocity_name[k] : m->frame[k].name;
        const char *dot = strrchr(known, '.');
        lw_nearest_offer(near, known);
        if (dot && lw_find_frame(m, dot + 1) == k) { // short, where no other has it
            lw_nearest_offer(near, dot + 1);
        }
    }
    return at;
}

static bool is_of_ellipsoid(const lwi_measure *x)
{
    return x->kind == LWI_MEASURE_MANIPULABILITY || x->kind == LWI_MEASURE_SIGMA_MIN ||
           x->kind == LWI_MEASURE_INVERSE_CONDITION;
}

// Parameters that vary do not change how many axes there are: a tolerance that tilts a planar arm
// would otherwise make its manipulability another quantity.
static lw_status find_rank(lwi_plan_reader *r, lwi_measure *x, int k)
{
    const lw_model *m = r->s->structure[k].model;
    double *q = calloc(lwi_ellipsoid_space(m) + (size_t)m->nq, sizeof *q);
    lw_data *d = NULL;
    const lw_status status = q ? lw_data_create(m, &d) : LW_ERR_MEMORY;
    if (status == LW_OK) {
        x->rank[k] = lwi_ellipsoid_rank(m, d, x->at[k], (lwi_jacobian_part)x->part, r->s->length, q,
                                        q + m->nq);
    }
    lw_data_destroy(d);
    free(q);
    return status;
}

/// Refuses signals of a run that a joint does not have, which would be 0.
static lw_status check_signal(lwi_plan_reader *r, const lwi_measure *x, lw_location at)
{
    const lw_sweep *s = r->s;
    char room[LWI_CLIP_SIZE];
    if (!s->run_text) {
        return lwi_report_error(r->report, at, LW_ERR_MODEL,
                                "\"%s\" needs a run: <run file=\"FILE\"/>",
                                lwi_clip(x->text, room));
    }
    const bool is_of_position = x->signal == LWI_SIGNAL_Q || x->signal == LWI_SIGNAL_ERROR;
    for (int k = 0; k < s->info.nstructure && is_of_position; ++k) {
        if (lw_position_of_dof(s->structure[k].model, x->at[k]) < 0) {
            return lwi_report_error(r->report, at, LW_ERR_MODEL,
                                    "\"%s\": orientations are no coordinates by themselves",
                                    lwi_clip(x->text, room));
        }
    }
    return LW_OK;
}

static lw_status read_measure(lwi_plan_reader *r, lwi_xml_node *node, lwi_measure *x)
{
    lw_sweep *s = r->s;
    char name[NAME_SIZE], room[LWI_CLIP_SIZE];
    lw_status status = lwi_xml_read_name(node, "of", &x->text, r->report);
    const lw_location at = lwi_xml_location_in(node, "of", 0);
    if (status != LW_OK) {
        return status;
    }
    x->text = lwi_plan_keep(r, x->text);
    x->at = lwi_plan_take(r, (size_t)s->info.nstructure, sizeof *x->at);
    x->rank = lwi_plan_take(r, (size_t)s->info.nstructure, sizeof *x->rank);
    if (!x->text || !x->at || !x->rank) {
        return LW_ERR_MEMORY;
    }
    if (!lwi_measure_parse(s, x, name, sizeof name)) {
        return lwi_report_error(
            r->report, at, LW_ERR_SYNTAX,
            "\"%s\" is no measure: q, inputs, FRAME.position, FRAME.pose, FRAME.x, "
            "FRAME.manipulability, FRAME.sigma_min, FRAME.inverse_condition (of .translation, "
            ".rotation or .scaled), the same of FRAME.force and FRAME.dynamic, tau_gravity, "
            "potential, mass, or of a run max(abs(tau[JOINT]))",
            lwi_clip(x->text, room));
    }
    for (int k = 0; k < s->info.nstructure && name[0] && status == LW_OK; ++k) {
        lw_nearest near;
        lw_nearest_init(&near, name);
        x->at[k] = find_in_model(x, s->structure[k].model, name, &near);
        if (x->at[k] < 0) {
            return lwi_plan_unknown(r, at, x->kind == LWI_MEASURE_RUN ? "joint" : "frame", name,
                                    &near);
        }
        status = is_of_ellipsoid(x) ? find_rank(r, x, k) : LW_OK;
    }
    if (status == LW_OK && x->kind == LWI_MEASURE_RUN) {
        status = check_signal(r, x, at);
    }
    if (status != LW_OK) {
        return status;
    }
    const lw_model *m = s->structure[0].model;
    for (int k = 1; k < s->info.nstructure; ++k) {
        const lw_model *other = s->structure[k].model;
        if ((x->kind == LWI_MEASURE_Q && other->nq != m->nq) ||
            (x->kind == LWI_MEASURE_GRAVITY && other->nv != m->nv)) {
            return lwi_report_error(r->report, at, LW_ERR_MODEL,
                                    "the structures have different numbers of joints, so \"%s\" "
                                    "has different numbers of columns",
                                    x->text);
        }
    }
    s->has_run = s->has_run || x->kind == LWI_MEASURE_RUN;
    if (x->kind == LWI_MEASURE_POSITION || x->kind == LWI_MEASURE_POSE) {
        s->has_poses = true;
        x->pose = s->nframe++;
    }
    x->column = s->info.ncolumn;
    s->info.ncolumn += x->ncolumn;
    return LW_OK;
}

static const char *column_name(lwi_plan_reader *r, const lwi_measure *x, int k)
{
    static const char *const pose[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    const lw_sweep *s = r->s;
    const lw_model *m = s->structure[0].model;
    lwi_text text = {0};
    if (x->kind == LWI_MEASURE_Q) {
        lwi_text_format(&text, "q.%s", m->position_name[k]);
    } else if (x->kind == LWI_MEASURE_GRAVITY) {
        lwi_text_format(&text, "tau_gravity.%s", m->velocity_name[k]);
    } else if (x->kind == LWI_MEASURE_INPUTS) {
        const int i = k - (s->info.nstructure > 1);
        lwi_text_format(&text, i >= 0 && s->input[i].kind == LWI_INPUT_POSITION ? "q.%s" : "%s",
                        i < 0 ? "structure" : s->input[i].name);
    } else if (x->ncolumn > 1) {
        const char *frame = m->frame[x->at[0]].name;
        lwi_text_format(&text, "%s.%s", frame, pose[k]);
    } else {
        lwi_text_add(&text, x->text);
    }
    const char *name = text.at ? lwi_plan_keep(r, text.at) : NULL;
    lwi_text_free(&text);
    return name;
}

// Columns are fields of .npy files, whose names must differ.
static lw_status check_name(lwi_plan_reader *r, lwi_xml_node *node, const char **name, int column)
{
    char room[LWI_CLIP_SIZE];
    for (int k = 0; k < column; ++k) {
        if (strcmp(name[k], name[column]) == 0) {
            return lwi_report_error(r->report, lwi_xml_location_in(node, "of", 0), LW_ERR_NAME,
                                    "column \"%s\" is there already, of a measure before",
                                    lwi_clip(name[k], room));
        }
    }
    return LW_OK;
}

static lw_status name_columns(lwi_plan_reader *r, lwi_xml_node *root)
{
    lw_sweep *s = r->s;
    lwi_xml_node *node = lwi_xml_child(root, "measure");
    const char **name = lwi_plan_take(r, (size_t)s->info.ncolumn, sizeof *name);
    lw_status status = name ? LW_OK : LW_ERR_MEMORY;
    if (name) {
        name[0] = "status";
    }
    for (int i = 0; i < s->nmeasure; ++i, node = lwi_xml_next(node, "measure")) {
        const lwi_measure *x = &s->measure[i];
        for (int k = 0; k < x->ncolumn && status == LW_OK; ++k) {
            const int column = x->column + k;
            name[column] = column_name(r, x, k);
            status = name[column] ? check_name(r, node, name, column) : LW_ERR_MEMORY;
        }
    }
    s->info.column = name;
    return status;
}

lw_status lwi_plan_read_measures(lwi_plan_reader *r, lwi_xml_node *root)
{
    lw_sweep *s = r->s;
    int count = 0;
    for (lwi_xml_node *n = lwi_xml_child(root, "measure"); n; n = lwi_xml_next(n, "measure")) {
        ++count;
    }
    if (count == 0 || count > LWI_SWEEP_MOST_MEASURES) {
        return lwi_report_error(r->report, root->at, LW_ERR_MODEL,
                                "a plan has 1 to %d measures: <measure of=\"FRAME.position\"/>",
                                LWI_SWEEP_MOST_MEASURES);
    }
    s->measure = lwi_plan_take(r, (size_t)count, sizeof *s->measure);
    s->info.ncolumn = 1;
    lw_status status = s->measure ? LW_OK : LW_ERR_MEMORY;
    for (lwi_xml_node *n = lwi_xml_child(root, "measure"); n && status == LW_OK;
         n = lwi_xml_next(n, "measure")) {
        status = read_measure(r, n, &s->measure[s->nmeasure++]);
    }
    for (int k = 0; k < s->info.nstructure && status == LW_OK; ++k) {
        int *frame = lwi_plan_take(r, (size_t)s->nframe, sizeof *frame);
        for (int i = 0; i < s->nmeasure && frame; ++i) {
            const lwi_measure *x = &s->measure[i];
            if (x->kind == LWI_MEASURE_POSITION || x->kind == LWI_MEASURE_POSE) {
                frame[x->pose] = x->at[k];
            }
        }
        s->structure[k].frame = frame;
        status = frame ? LW_OK : LW_ERR_MEMORY;
    }
    return status == LW_OK ? name_columns(r, root) : status;
}
