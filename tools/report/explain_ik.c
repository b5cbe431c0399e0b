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
    if (info->most_solutions > 0) {
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
        json_t *item = output_object(out);
        output_set(out, item, "property", output_text(out, properties[fact->property]));
        output_set(out, item, "first", json_integer(fact->first));
        output_set(out, item, "last", json_integer(fact->last));
        output_set(out, item, "margin", output_number(out, fact->margin));
        output_append(out, facts, item);
    }
    for (int i = 0; i < info->nstep; ++i) {
        const lw_ik_step *step = &info->step[i];
        json_t *item = output_object(out), *joints = output_array(out);
        for (int k = 0; k < step->njoint; ++k) {
            output_append(out, joints, output_text(out, ik_joint_name(m, info, step->joint[k])));
        }
        output_set(out, item, "solves", joints);
        output_set(out, item, "subproblem", output_text(out, step->subproblem));
        output_set(out, item, "equation", output_text(out, step->equation));
        output_set(out, item, "roots", json_integer(step->nsolution));
        output_append(out, steps, item);
    }
    output_set(out, derivation, "axes", facts);
    output_set(out, derivation, "steps", steps);
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
            json_t *item = output_object(out);
            output_set(out, item, "frame", output_text(out, m->frame[def.tip].name));
            output_set(out, item, "class", output_text(out, lw_ik_describe(ik)->class_name));
            output_set(out, item, "derivation", ik_derivation_json(out, m, lw_ik_describe(ik)));
            output_append(out, chains, item);
        }
        lw_ik_destroy(ik);
    }
    return chains;
}
