// linkwork info: what the model is.

#include "commands/commands.h"
#include "report/model_report.h"
#include "report/units.h"
#include "support/job.h"
#include "support/message.h"
#include "support/numeral.h"

#include <linkwork/shafts.h>

#include <stdlib.h>

// A limit, where there is one.
static const char *limit_text(double value, char text[NUMBER_SIZE])
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
        char reference[NUMBER_SIZE], lower[NUMBER_SIZE] = "-", upper[NUMBER_SIZE] = "-";
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
    char mass[NUMBER_SIZE], g[3][NUMBER_SIZE];
    fprintf(out->text, "%s\n", m->name);
    fprintf(out->text, "  bodies %d, links %d, joints %d, frames %d, shapes %d, loads %d\n",
            m->nbody - lw_shaft_count(m), m->nlink, m->njoint - lw_shaft_count(m), m->nframe,
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

static int run(job *work)
{
    if (work->out.is_json) {
        work->out.json = model_json(&work->out, work->m);
    } else {
        info_text(&work->out, work->m);
    }
    return EXIT_GOOD;
}

const command_def command_info = {
    .name = "info",
    .options = OPTIONS(OPTIONS_RESULT),
    .summary = "contents of the model: coordinates, frames, mass",
    .about = "Prints what a model has: bodies, degrees of freedom, positions in the order that all "
             "commands use, their reference and limits, frames and mass.",
    .keys = "name, nbody, nq, nv, positions (names), velocities (names), frames (names), "
            "loops, mass (kg), reference (q), joints (name, type, and limits lower, upper, "
            "velocity, effort: a number, null without a limit, an array for several degrees of "
            "degree of freedom); drives where it has any",
    .example = "info arm.urdf\ninfo arm.urdf --json",
    .run = run,
};
