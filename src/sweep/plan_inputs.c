// Reading plans: what varies.

#include "plan_read.h"

#include "../base/text.h"
#include "../kin/joint_range.h"

#include <linkwork/io.h>

#include <math.h>
#include <string.h>

static lw_status no_parameter(lwi_plan_reader *r, const lwi_input *input, const lwi_structure *x)
{
    static const char *const of_link[] = {"mass", "center.x", "center.y", "center.z"};
    lw_nearest near;
    lw_parameters *all = NULL;
    const lw_compile_options options = lwi_sweep_options(r->s);
    lw_nearest_init(&near, input->name);
    if (lw_parameters_create(x->mech, &options, x->model, &all) == LW_OK) {
        for (int i = 0; i < lw_parameters_count(all); ++i) {
            lw_nearest_offer(&near, lw_parameters_name(all, i));
        }
    }
    for (int i = 0; i < 4 * x->model->nlink; ++i) {
        lwi_text text = {0};
        lwi_text_format(&text, "%s.%s", x->model->link[i / 4].name, of_link[i % 4]);
        const char *name = text.at ? lwi_plan_keep(r, text.at) : NULL;
        if (name) {
            lw_nearest_offer(&near, name);
        }
        lwi_text_free(&text);
    }
    const lw_status status = lwi_plan_unknown(r, input->at, "parameter", input->name, &near);
    lw_parameters_destroy(all);
    return status;
}

// A parameter is tried once: what a name means is known where it is set.
static lw_status check_parameter(lwi_plan_reader *r, const lwi_input *input, const lwi_structure *x)
{
    double value;
    lw_mech *mech = NULL;
    lw_status status = lw_load_file(x->path, NULL, &mech, NULL);
    if (status == LW_OK && lw_get_parameter(mech, input->name, &value) != LW_OK) {
        status = no_parameter(r, input, x);
    } else if (status == LW_OK) {
        status = lw_set_parameter(mech, input->name, input->a);
        if (status != LW_OK) {
            lwi_report_error(r->report, input->at, status, "\"%s\" cannot be %g", input->name,
                             input->a);
        }
    }
    lw_mech_destroy(mech);
    return status;
}

static lw_status find_position(lwi_plan_reader *r, lwi_input *input, lwi_structure *x, int i)
{
    const lw_model *m = x->model;
    const int q = lw_find_position(m, input->name);
    x->position[i] = q;
    lw_nearest near;
    lw_nearest_init(&near, input->name);
    for (int k = 0; k < m->nq && q < 0; ++k) {
        lw_nearest_offer(&near, m->position_name[k]);
    }
    if (q < 0) {
        return lwi_plan_unknown(r, input->at, "position", input->name, &near);
    }
    if (input->has_limits && !lwi_joint_range(m, q, &x->low[i], &x->high[i])) {
        return lwi_report_error(r->report, input->at, LW_ERR_MODEL,
                                "\"%s\" has no limits: give a range, uniform=\"LOW HIGH\"",
                                input->name);
    }
    return LW_OK;
}

static lw_status find_inputs(lwi_plan_reader *r)
{
    lw_sweep *s = r->s;
    lw_status status = LW_OK;
    for (int k = 0; k < s->info.nstructure; ++k) {
        lwi_structure *x = &s->structure[k];
        x->position = lwi_plan_take(r, (size_t)s->info.ninput, sizeof *x->position);
        x->low = lwi_plan_take(r, (size_t)s->info.ninput, sizeof *x->low);
        x->high = lwi_plan_take(r, (size_t)s->info.ninput, sizeof *x->high);
        if (!x->position || !x->low || !x->high) {
            return LW_ERR_MEMORY;
        }
        for (int i = 0; i < s->info.ninput; ++i) {
            lwi_input *input = &s->input[i];
            lw_status one = LW_OK;
            x->position[i] = -1;
            x->low[i] = input->a;
            x->high[i] = input->b;
            if (input->kind == LWI_INPUT_POSITION) {
                one = find_position(r, input, x, i);
            } else if (input->kind == LWI_INPUT_PARAMETER) {
                one = check_parameter(r, input, x);
            } else if (k == 0) {
                one = lwi_plan_find_attribute(r, input);
            }
            status = status == LW_OK ? one : status;
        }
    }
    return status;
}

// normal="MEAN DEVIATION", uniform= or lhs="LOW HIGH", grid="FROM TO STEP", value="X".
static lw_status read_law(lwi_plan_reader *r, lwi_xml_node *node, lwi_input *input)
{
    static const struct {
        const char *name;
        int count;
        lwi_input_law law;
    } form[] = {{"value", 1, LWI_LAW_HOLD},
                {"uniform", 2, LWI_LAW_UNIFORM},
                {"normal", 2, LWI_LAW_NORMAL},
                {"lhs", 2, LWI_LAW_LHS},
                {"grid", 3, LWI_LAW_GRID}};
    double x[3] = {0.0, 0.0, 0.0};
    int found = -1;
    for (int k = 0; k < 5; ++k) {
        if (!lwi_xml_value(node, form[k].name, NULL)) {
            continue;
        }
        const lw_status status =
            lwi_xml_read_numbers(node, form[k].name, true, form[k].count, x, r->report);
        if (status != LW_OK || found >= 0) {
            return status != LW_OK
                       ? status
                       : lwi_report_error(r->report, lwi_xml_location_in(node, form[k].name, 0),
                                          LW_ERR_SYNTAX, "\"%s\" varies in two ways", input->name);
        }
        found = k;
    }
    input->has_limits = found < 0;
    input->law = found < 0 ? LWI_LAW_UNIFORM : form[found].law;
    input->a = x[0];
    input->b = x[1];
    input->count = 1;
    if (found < 0 && input->kind != LWI_INPUT_POSITION) {
        return lwi_report_error(r->report, node->at, LW_ERR_SYNTAX,
                                "\"%s\" needs value, uniform, normal, lhs or grid", input->name);
    }
    const char *attr = found < 0 ? "q" : form[found].name;
    if (input->law == LWI_LAW_GRID) {
        const double points = floor((x[1] - x[0]) / x[2] + 1e-9) + 1.0;
        if (!(x[2] != 0.0 && points >= 1.0 && points <= 1e9)) {
            return lwi_report_error(r->report, lwi_xml_location_in(node, attr, 0), LW_ERR_MODEL,
                                    "a grid from %g to %g in steps of %g has %s points", x[0], x[1],
                                    x[2], x[2] != 0.0 && points > 1e9 ? "more than 1e9" : "no");
        }
        input->count = (long long)points;
        input->step = x[2];
    } else if (found > 0 && input->law != LWI_LAW_NORMAL && !(x[0] <= x[1])) {
        return lwi_report_error(r->report, lwi_xml_location_in(node, attr, 0), LW_ERR_MODEL,
                                "the range from %g to %g is empty", x[0], x[1]);
    } else if (input->law == LWI_LAW_NORMAL && !(x[1] >= 0.0)) {
        return lwi_report_error(r->report, lwi_xml_location_in(node, attr, 0), LW_ERR_MODEL,
                                "the standard deviation is %g, must not be negative", x[1]);
    }
    return LW_OK;
}

static lw_status add_input(lwi_plan_reader *r, lwi_xml_node *node, lwi_input_kind kind,
                           const char *name, lw_location at)
{
    lw_sweep *s = r->s;
    if (s->info.ninput == LWI_SWEEP_MOST_INPUTS) {
        return lwi_report_error(r->report, at, LW_ERR_LIMIT, "more than %d numbers vary",
                                LWI_SWEEP_MOST_INPUTS);
    }
    for (int i = 0; i < s->info.ninput; ++i) {
        if (s->input[i].kind == kind && strcmp(s->input[i].name, name) == 0) {
            return lwi_report_error(r->report, at, LW_ERR_NAME, "\"%s\" varies twice", name);
        }
    }
    lwi_input *input = &s->input[s->info.ninput++];
    *input = (lwi_input){.kind = kind, .name = lwi_plan_keep(r, name), .draw = -1, .at = at};
    return input->name ? read_law(r, node, input) : LW_ERR_MEMORY;
}

static lw_status read_vary(lwi_plan_reader *r, lwi_xml_node *node)
{
    lw_location at = node->at;
    const char *q = lwi_xml_value(node, "q", &at), *name;
    lw_status status = LW_OK;
    if (q && strcmp(q, "*") == 0) {
        const lw_model *m = r->s->structure[0].model;
        for (int k = 0; k < m->nv && status == LW_OK; ++k) {
            const int p = lw_position_of_dof(m, k);
            if (p >= 0) {
                status = add_input(r, node, LWI_INPUT_POSITION, m->position_name[p], at);
            }
        }
        return status;
    }
    if (q) {
        return add_input(r, node, LWI_INPUT_POSITION, q, at);
    }
    status = lwi_xml_read_name(node, "parameter", &name, r->report);
    if (status != LW_OK) {
        return status;
    }
    lwi_xml_value(node, "parameter", &at);
    const bool is_run = strncmp(name, "run.", 4) == 0;
    r->s->changes_model = r->s->changes_model || !is_run;
    return add_input(r, node, is_run ? LWI_INPUT_RUN : LWI_INPUT_PARAMETER, name, at);
}

lw_status lwi_plan_read_inputs(lwi_plan_reader *r, lwi_xml_node *root)
{
    lw_sweep *s = r->s;
    s->input = lwi_plan_take(r, LWI_SWEEP_MOST_INPUTS, sizeof *s->input);
    const char **name = lwi_plan_take(r, LWI_SWEEP_MOST_INPUTS, sizeof *name);
    lw_status status = s->input && name ? LW_OK : LW_ERR_MEMORY;
    for (lwi_xml_node *n = lwi_xml_child(root, "vary"); n && status == LW_OK;
         n = lwi_xml_next(n, "vary")) {
        status = read_vary(r, n);
    }
    if (status == LW_OK) {
        status = find_inputs(r);
    }
    for (int i = 0; i < s->info.ninput && status == LW_OK; ++i) {
        lwi_input *input = &s->input[i];
        name[i] = input->name;
        input->draw = input->law == LWI_LAW_GRID || input->law == LWI_LAW_HOLD ? -1 : s->ndraw++;
    }
    s->info.input = name;
    return status;
}
