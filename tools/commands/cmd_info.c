// linkwork info: what the model is.

#include "commands/commands.h"
#include "report/output.h"
#include "report/units.h"
#include "support/message.h"
#include "support/motors.h"
#include "support/numeral.h"
#include "support/robot_file.h"

#include <stdlib.h>

static json_t *limit_json(output *out, double value)
{
    return isfinite(value) ? output_number(out, value) : json_null();
}

enum { LOWER, UPPER, VELOCITY, EFFORT };

// Limits of a joint: a number, or null where there is none; an array for several degrees of
// degree of freedom.
static json_t *limits_json(output *out, const lw_model *m, const lw_joint_info *joint, int which)
{
    json_t *all = output_array(out);
    for (int v = joint->v; v < joint->v + joint->nv; ++v) {
        const lw_dof *f = &m->dof[v];
        const double limits[] = {f->lower, f->upper, f->max_velocity, f->max_force};
        json_t *limit = limit_json(out, limits[which]);
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
        json_t *item = output_object(out);
        output_set(out, item, "name", output_text(out, joint->name));
        output_set(out, item, "type", output_text(out, lw_joint_type_name(joint->type)));
        output_set(out, item, "lower", limits_json(out, m, joint, LOWER));
        output_set(out, item, "upper", limits_json(out, m, joint, UPPER));
        output_set(out, item, "velocity", limits_json(out, m, joint, VELOCITY));
        output_set(out, item, "effort", limits_json(out, m, joint, EFFORT));
        output_append(out, joints, item);
    }
    return joints;
}

static void info_json(output *out, const lw_model *m)
{
    json_t *root = out->json = output_object(out);
    output_set(out, root, "name", output_text(out, m->name));
    output_set(out, root, "nbody", json_integer(m->nbody - motors_shafts(m)));
    output_set(out, root, "nq", json_integer(m->nq));
    output_set(out, root, "nv", json_integer(m->nv));
    output_set(out, root, "positions", output_names(out, m->position_name, m->nq));
    output_set(out, root, "velocities", output_names(out, m->velocity_name, m->nv));
    json_t *frames = output_array(out);
    for (int i = 0; i < m->nframe; ++i) {
        output_append(out, frames, output_text(out, m->frame[i].name));
    }
    output_set(out, root, "frames", frames);
    output_set(out, root, "loops", json_integer(m->nloop));
    if (m->ndrive > 0) {
        output_set(out, root, "drives", json_integer(m->ndrive));
    }
    if (m->nspring > 0) {
        output_set(out, root, "springs", json_integer(m->nspring));
    }
    output_set(out, root, "mass", output_number(out, m->mass));
    output_set(out, root, "reference", output_numbers(out, m->q_reference, m->nq));
    output_set(out, root, "joints", joints_json(out, m));
}

// A limit, where there is one.
static const char *limit_text(double value, char text[NUMBER_ROOM])
{
    return isfinite(value) ? number_text(value, text) : "-";
}

static void print_positions(output *out, const lw_model *m)
{
    if (m->nq == 0) {
        return;
    }
    const int widest = output_widest(m->position_name, m->nq);
    const int width = widest > 8 ? widest : 8;
    fputc('\n', out->text);
    fprintf(out->text, "%5s  ", "");
    output_name(out, "position", width);
    fprintf(out->text, "  %-11s %11s %11s %11s\n", "joint", "reference", "lower", "upper");
    for (int k = 0; k < m->nq; ++k) {
        const int body = unit_body_of_position(m, m->q_tree[k]);
        const lw_joint_type type = m->joints[m->joint[body]].type;
        const bool has_quaternion =
            m->carrier[body] == LW_TREE_FREE || m->carrier[body] == LW_TREE_SPHERICAL;
        char reference[NUMBER_ROOM], lower[NUMBER_ROOM] = "-", upper[NUMBER_ROOM] = "-";
        const char *low = lower, *high = upper, *unit = "";
        if (!has_quaternion) {
            const int v = m->v_start[body] + m->q_tree[k] - m->q_start[body];
            low = limit_text(m->dof[v].lower, lower);
            high = limit_text(m->dof[v].upper, upper);
            unit = unit_slides(m, v) ? " m" : " rad";
        } else if (m->carrier[body] == LW_TREE_FREE && m->q_tree[k] < m->q_start[body] + 3) {
            unit = " m";
        }
        fprintf(out->text, "%5d  ", k);
        output_name(out, m->position_name[k], width);
        const bool is_shaft = m->joints[m->joint[body]].is_shaft;
        fprintf(out->text, "  %-11s %11s %11s %11s%s\n",
                is_shaft ? "drive" : lw_joint_type_name(type),
                number_text(m->q_reference[k], reference), low, high, is_shaft ? "" : unit);
    }
}

// Names side by side, wrapped.
static void print_names(output *out, const char *title, const char *(*name)(const lw_model *, int),
                        const lw_model *m, int count)
{
    if (count == 0) {
        return;
    }
    fprintf(out->text, "\n%s\n ", title);
    int column = 1;
    for (int i = 0; i < count; ++i) {
        const int width = output_width(name(m, i));
        if (column > 1 && column + 2 + width > 79) {
            fputs("\n ", out->text);
            column = 1;
        }
        fprintf(out->text, " %s%s", name(m, i), i + 1 < count ? "," : "");
        column += 2 + width;
    }
    fputc('\n', out->text);
}

static const char *frame_name(const lw_model *m, int i)
{
    return m->frame[i].name;
}

static const char *velocity_name(const lw_model *m, int i)
{
    return m->velocity_name[i];
}

static const char *dependent_name(const lw_model *m, int i)
{
    for (int s = 0; s < m->nstep; ++s) {
        if (i < m->step[s].ntarget) {
            return m->tree_velocity_name[m->step[s].target[i]];
        }
        i -= m->step[s].ntarget;
    }
    return "";
}

static void info_text(output *out, const lw_model *m)
{
    char mass[NUMBER_ROOM], g[3][NUMBER_ROOM];
    fprintf(out->text, "%s\n", m->name);
    fprintf(out->text, "  bodies %d, links %d, joints %d, frames %d, shapes %d, loads %d\n",
            m->nbody - motors_shafts(m), m->nlink, m->njoint - motors_shafts(m), m->nframe,
            m->nshape, m->nload);
    fprintf(out->text, "  positions %d, velocities %d, dependent %d, loops %d", m->nq, m->nv,
            m->tree_nv - m->nv, m->nloop);
    if (m->ndrive > 0) {
        fprintf(out->text, ", drives %d", m->ndrive);
    }
    if (m->nspring > 0) {
        fprintf(out->text, ", springs %d", m->nspring);
    }
    fputc('\n', out->text);
    fprintf(out->text, "  mass %s kg, gravity (%s, %s, %s) m/s^2\n", number_text(m->mass, mass),
            number_text(m->gravity.x, g[0]), number_text(m->gravity.y, g[1]),
            number_text(m->gravity.z, g[2]));
    out->is_not_finite = out->is_not_finite || !isfinite(m->mass);
    print_positions(out, m);
    if (m->nq != m->nv) {
        print_names(out, "velocities", velocity_name, m, m->nv);
    }
    print_names(out, "dependent joints", dependent_name, m, m->tree_nv - m->nv);
    print_names(out, "frames", frame_name, m, m->nframe);
}

static int run_info(const command_line *args)
{
    robot r;
    output out = {0};
    int code = robot_open(&r, args);
    if (code == EXIT_GOOD && !output_begin(&out, args_has(args, OPT_JSON))) {
        code = complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
    }
    if (code == EXIT_GOOD) {
        (out.is_json ? info_json : info_text)(&out, r.model);
    }
    code = output_finish(&out, code);
    robot_close(&r);
    return code;
}

const command_def command_info = {
    .name = "info",
    .options = OPTIONS(OPTIONS_RESULT),
    .summary = "what the model is: coordinates, frames, mass",
    .about = "Tells what a model is: how many bodies and degrees of freedom it has, its positions "
             "in the "
             "order that all commands use, their reference and limits, its frames and its mass.",
    .keys = "name, nbody, nq, nv, positions (names), velocities (names), frames (names), "
            "loops, mass (kg), reference (q), joints (name, type, and limits lower, upper, "
            "velocity, effort: a number, null without a limit, an array for several degrees of "
            "degree of freedom); drives where it has any",
    .example = "info arm.urdf\ninfo arm.urdf --json",
    .run = run_info,
};
