#include "report/explain_ik.h"

static const char *const methods[] = {"closed form",
                                      "closed form of a nearby geometry, then Newton's method",
                                      "elimination", "damped least squares"};
static const char *const properties[] = {"parallel", "intersecting", "meeting in one point"};

const char *ik_joint_name(const lw_model *m, const lw_ik_info *info, int joint)
{
    return m->tree_velocity_name[m->v_start[info->body[joint]]];
}

void ik_class_text(const lw_ik_info *info, FILE *file)
{
    fprintf(file, "%s%s: %s", info->class_name, info->is_reversed ? ", seen from the tip" : "",
            methods[info->method]);
    if (info->most_solutions > 0 && info->method != LW_IK_NUMERIC) {
        fprintf(file, ", at most %d solution%s", info->most_solutions,
                info->most_solutions == 1 ? "" : "s");
    }
    fputc('\n', file);
}

// Axes count from 1 for people, as joints do in the literature.
void ik_derivation_text(const lw_model *m, const lw_ik_info *info, FILE *file)
{
    for (int i = 0; i < info->nfact; ++i) {
        const lw_ik_fact *fact = &info->fact[i];
        fprintf(file, "  axes %d %s %d: %s, to %.3g %s\n", fact->first + 1,
                fact->property == LW_IK_INTERSECTING ? "and" : "to", fact->last + 1,
                properties[fact->property], fact->margin,
                fact->property == LW_IK_PARALLEL ? "rad" : "m");
    }
    for (int i = 0; i < info->nstep; ++i) {
        const lw_ik_step *step = &info->step[i];
        fprintf(file, "  %d. ", i + 1);
        for (int k = 0; k < step->njoint; ++k) {
            fprintf(file, "%s%s (q%d)", k > 0 ? ", " : "", ik_joint_name(m, info, step->joint[k]),
                    step->joint[k] + 1);
        }
        fprintf(file, ": %s, %d root%s, from %s\n", step->subproblem, step->nsolution,
                step->nsolution == 1 ? "" : "s", step->equation);
    }
}

json_t *ik_derivation_json(output *out, const lw_model *m, const lw_ik_info *info)
{
    json_t *derivation = output_object(out), *facts = output_array(out), *steps = output_array(out);
    output_set(out, derivation, "method", output_text(out, methods[info->method]));
    for (int i = 0; i < info->nfact; ++i) {
        const lw_ik_fact *fact = &info->fact[i];
        output_put(out, output_item(out, facts), "property s, first d, last d, margin f",
                   properties[fact->property], fact->first, fact->last, fact->margin);
    }
    for (int i = 0; i < info->nstep; ++i) {
        const lw_ik_step *step = &info->step[i];
        json_t *joints = output_array(out);
        for (int k = 0; k < step->njoint; ++k) {
            output_append(out, joints, output_text(out, ik_joint_name(m, info, step->joint[k])));
        }
        output_put(out, output_item(out, steps), "solves o, subproblem s, equation s, roots d",
                   joints, step->subproblem, step->equation, step->nsolution);
    }
    output_put(out, derivation, "axes o, steps o", facts, steps);
    return derivation;
}

// The last frame of body i where it carries no other body; -1 otherwise, and for shafts.
static int tool_frame(const lw_model *m, int i)
{
    int tip = -1;
    if (m->subtree_end[i] == i + 1 && !m->joints[m->joint[i]].is_shaft) {
        for (int k = 0; k < m->nframe; ++k) {
            tip = m->frame[k].body == i ? k : tip;
        }
    }
    return tip;
}

void explain_ik_text(output *out, const lw_model *m)
{
    bool is_first = true;
    for (int i = 0; i < m->nbody; ++i) {
        const lw_ik_def def = lw_default_ik_def(-1, tool_frame(m, i));
        lw_ik *ik = NULL;
        if (def.tip >= 0 && lw_ik_create(m, &def, &ik, NULL) == LW_OK) {
            fprintf(out->text,
                    "%s  %s: ", is_first ? "\ninverse kinematics: chains from the world\n" : "",
                    m->frame[def.tip].name);
            ik_class_text(lw_ik_describe(ik), out->text);
            is_first = false;
        }
        lw_ik_destroy(ik);
    }
}

json_t *explain_ik_json(output *out, const lw_model *m)
{
    json_t *chains = output_array(out);
    for (int i = 0; i < m->nbody; ++i) {
        const lw_ik_def def = lw_default_ik_def(-1, tool_frame(m, i));
        lw_ik *ik = NULL;
        if (def.tip >= 0 && lw_ik_create(m, &def, &ik, NULL) == LW_OK) {
            output_put(out, output_item(out, chains), "frame s, class s, derivation o",
                       m->frame[def.tip].name, lw_ik_describe(ik)->class_name,
                       ik_derivation_json(out, m, lw_ik_describe(ik)));
        }
        lw_ik_destroy(ik);
    }
    return chains;
}
