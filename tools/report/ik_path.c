#include "report/ik_path.h"

#include "report/ik_table.h"
#include "report/set_points.h"
#include "support/files.h"
#include "support/message.h"
#include "support/numeral.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

const char *ik_path_file(const command_line *args)
{
    struct stat info;
    for (int i = 0; i < args_count(args, OPT_PATH); ++i) {
        const char *path = args_value_at(args, OPT_PATH, i);
        const char *dot = strrchr(path, '.');
        const bool is_there = stat(path, &info) == 0;
        if (is_there ? !S_ISDIR(info.st_mode) : dot && strcmp(dot, ".csv") == 0) {
            return path;
        }
    }
    return NULL;
}

static int read_options(const command_line *args, const lw_model *m, ik_path *out)
{
    const char *target = args_value(args, OPT_OUTPUT);
    if (target && file_is_same(target, ik_path_file(args))) {
        return complain(EXIT_USAGE, "%s is read: it would be overwritten", target);
    }
    static const char *const limits[] = {"on", "off", NULL};
    static const option_id others[] = {OPT_POSE, OPT_POSITION, OPT_DIRECTION, OPT_SWIVEL};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        if (args_has(args, others[i])) {
            return complain(EXIT_USAGE, "%s and a --path exclude each other",
                            option_name(others[i]));
        }
    }
    if (args_count(args, OPT_FRAME) != 1) {
        return complain(EXIT_USAGE, "a --path needs one --frame; 'linkwork info' lists them");
    }
    const int tool = robot_find_frame(m, args_value(args, OPT_FRAME));
    const int choice = args_choice(args, OPT_LIMITS, limits);
    if (tool < 0 || choice < 0) {
        return EXIT_USAGE;
    }
    out->def = lw_default_tool_motion_def(tool);
    if (args_has(args, OPT_FROM)) {
        out->def.base = robot_find_frame(m, args_value(args, OPT_FROM));
        if (out->def.base < 0) {
            return EXIT_USAGE;
        }
    }
    if (args_has(args, OPT_HOLD)) {
        out->def.hold = lw_find_position(m, args_value(args, OPT_HOLD));
        if (out->def.hold < 0) {
            return complain(EXIT_USAGE,
                            "--hold: there is no position \"%s\"; with a --path it takes a JOINT, "
                            "which stays where -q has it",
                            args_value(args, OPT_HOLD));
        }
    }
    for (int k = 0; k < m->nv; ++k) {
        out->limits[k] = lw_dof_limits(m, k);
        if (choice == 1) {
            out->limits[k].lower = -(double)INFINITY;
            out->limits[k].upper = (double)INFINITY;
        }
    }
    out->def.limits = out->limits;
    out->def.begins_anywhere = true;
    const int code = args_number(args, OPT_SPEED, ARGS_ABOVE_ZERO, 1e6, &out->def.speed);
    return code == EXIT_GOOD ? args_number(args, OPT_EVERY, ARGS_ABOVE_ZERO, 1e9, &out->every)
                             : code;
}

int ik_path_open(job *work, const char *path, ik_path *out)
{
    out->limits = memory_get(work->pool, (size_t)work->m->nv, sizeof *out->limits);
    const int code = read_options(work->args, work->m, out);
    if (code != EXIT_GOOD) {
        return code;
    }
    const int read = path_file_read(path, work->pool, &out->file);
    out->def.task = out->file.has_quaternion ? LW_IK_POSE : LW_IK_POSITION;
    return read;
}

static const char *const end_word[] = {"complete", "reach", "limit", "singular", "force"};

static void print(job *work, const lw_tool_motion_info *info, const lw_trajectory *t, double *q,
                  json_t *result)
{
    output *out = &work->out;
    const lw_model *m = work->m;
    char branch[64], number[3][NUMBER_SIZE];
    ik_branch_text(&info->branch, branch);
    const double T = lw_trajectory_duration(t);
    if (result) {
        const char *joint = info->dof >= 0 ? m->tree_velocity_name[info->dof] : "";
        json_t *path = output_object(out);
        output_put(out, path,
                   "end s, position f, length f, joint s, branch s, branches d, points d, "
                   "deviation f, slowed f, duration f",
                   end_word[info->end], t ? info->length : info->position, info->length, joint,
                   branch, info->nbranch, info->npoint, info->deviation, info->slowed, T);
        for (int i = 0; i < 2 && t; ++i) {
            lw_trajectory_state(t, m, i * T, q, NULL, NULL);
            output_set(out, path, i ? "last" : "first", output_numbers(out, q, m->nq));
        }
        output_set(out, result, "path", path);
    } else if (t) {
        fprintf(out->text,
                "path of %s m in %s s, on branch%s%s of %d solutions\n"
                "%d points, between which the tool is within %s (m and rad) of its path\n",
                number_text(info->length, number[0]), number_text(T, number[1]),
                branch[0] ? ": " : "", branch, info->nbranch, info->npoint,
                number_text(info->deviation, number[2]));
    }
}

int ik_path_evaluate(job *work, const ik_path *path, const double *seed, json_t *result)
{
    const lw_model *m = work->m;
    const path_file *file = &path->file;
    double *time = NULL;
    if (file->time) {
        time = job_numbers(work, file->npose, 1);
        for (int i = 1; i < file->npose; ++i) {
            time[i - 1] = file->time[i] - file->time[0];
        }
    }
    const lw_tool_move move[] = {
        {.type = LW_TOOL_TO, .npose = 1, .pose = file->pose, .location = file->at[0]},
        {.type = LW_TOOL_SPLINE,
         .npose = file->npose - 1,
         .pose = file->pose + 1,
         .time = time,
         .location = file->at[1]}};
    lw_tool_motion_def def = path->def;
    def.start = seed;
    def.nmove = 2;
    def.move = move;
    lw_trajectory *t = NULL;
    lw_tool_motion_info info;
    const int first = lw_report_count(work->robot.report);
    const lw_status status = lw_tool_motion_create(m, &def, &t, &info, work->robot.report);
    print_diagnostics(work->robot.report, first);
    int code = EXIT_GOOD;
    if (status == LW_OK || status == LW_ERR_MOTION) {
        print(work, &info, t, job_numbers(work, m->nq, 1), result);
        work->code = status == LW_OK ? work->code : EXIT_NUMERIC;
    } else {
        code = status == LW_ERR_MEMORY ? EXIT_FILE : EXIT_INPUT;
    }
    const char *target = args_value(work->args, OPT_OUTPUT);
    if (status == LW_OK && target) {
        const double T = lw_trajectory_duration(t);
        code = set_points_write(m, work->d, t, path->every > 0.0 ? path->every : T / 500.0,
                                work->pool, target);
        if (code == EXIT_GOOD && !result) {
            fprintf(work->out.text, "written to %s\n", target);
        }
    }
    lw_trajectory_destroy(t);
    return code;
}
