#include "report/model_report.h"

#include <linkwork/shafts.h>

#include <math.h>

enum { LOWER, UPPER, VELOCITY, EFFORT };

// Limits of a joint: a number, or NULL where there is none; an array for several degrees of
// degree of freedom.
static json_t *limits_json(output *out, const lw_model *m, const lw_joint_info *joint, int which)
{
    json_t *all = output_array(out);
    for (int v = joint->v; v < joint->v + joint->nv; ++v) {
        const lw_dof *f = &m->dof[v];
        const double limits[] = {f->lower, f->upper, f->max_velocity, f->max_force};
        json_t *limit = isfinite(limits[which]) ? output_number(out, limits[which]) : json_null();
        if (joint->nv == 1) {
            json_decref(all);
            return limit;
        }
        output_append(out, all, limit);
    }
    return all;
}

static json_t *joints_json(output *out, const lw_model *m)
{
    json_t *joints = output_array(out);
    for (int j = 0; j < m->njoint; ++j) {
        const lw_joint_info *joint = &m->joints[j];
        if (joint->is_shaft) {
            continue;
        }
        output_put(out, output_item(out, joints),
                   "name s, type s, lower o, upper o, velocity o, effort o", joint->name,
                   lw_joint_type_name(joint->type), limits_json(out, m, joint, LOWER),
                   limits_json(out, m, joint, UPPER), limits_json(out, m, joint, VELOCITY),
                   limits_json(out, m, joint, EFFORT));
    }
    return joints;
}

json_t *model_json(output *out, const lw_model *m)
{
    json_t *root = output_object(out);
    output_put(out, root, "name s, nbody d, nq d, nv d, positions o, velocities o", m->name,
               m->nbody - lw_shaft_count(m), m->nq, m->nv,
               output_names(out, m->position_name, m->nq),
               output_names(out, m->velocity_name, m->nv));
    json_t *frames = output_array(out);
    for (int i = 0; i < m->nframe; ++i) {
        output_append(out, frames, output_text(out, m->frame[i].name));
    }
    output_put(out, root, "frames o, loops d", frames, m->nloop);
    if (m->ndrive > 0) {
        output_set(out, root, "drives", json_integer(m->ndrive));
    }
    if (m->nspring > 0) {
        output_set(out, root, "springs", json_integer(m->nspring));
    }
    output_put(out, root, "mass f, reference o, joints o", m->mass,
               output_numbers(out, m->q_reference, m->nq), joints_json(out, m));
    return root;
}

json_t *diagnostics_json(output *out, const lw_report *report)
{
    static const char *const severity[] = {"note", "warning", "error"};
    json_t *diagnostics = output_array(out);
    for (int i = 0; i < lw_report_count(report); ++i) {
        const lw_diagnostic diagnostic = lw_report_diagnostic(report, i);
        output_put(out, output_item(out, diagnostics),
                   "file s, line d, column d, severity s, code s, message s",
                   diagnostic.location.file ? diagnostic.location.file : "",
                   diagnostic.location.line, diagnostic.location.column,
                   severity[diagnostic.severity], lw_diagnostic_code_name(&diagnostic),
                   diagnostic.message);
    }
    return diagnostics;
}
