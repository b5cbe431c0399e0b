// linkwork workspace: where a frame can go, how well, and where that ends.

#include "commands/commands.h"
#include "report/table.h"
#include "support/files.h"
#include "support/job.h"
#include "support/message.h"
#include "support/progress.h"
#include "sweep/workspace_picture.h"
#include "sweep/workspace_query.h"

#include <linkwork/openmp.h>
#include <linkwork/workspace_boundary.h>
#include <linkwork/workspace_map.h>

#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ROWS = 20000000, NO_PLANE = 3 };

static const double MOST_SAMPLES = 4294967295.0; // counts of cells have 32 bits

typedef struct workspace {
    lw_workspace_map map;
    lw_boundary boundary;
    bool has_boundary;
    lw_frame_ellipsoid ellipsoid;
    bool has_box;
    lw_vec3 low, high;      ///< the largest box
    const char *no_section; ///< why there is none, or NULL
    int plane;
    double at;
    long long reached;
    double volume, mean_capability;
    float best;
    progress_mode progress;
    double shown;     ///< share that was shown last
    const char *made; ///< the folder of the results where it was not there before, else NULL
} workspace;

static volatile sig_atomic_t is_interrupted;

static void note_interrupt(int signal_number)
{
    (void)signal_number;
    is_interrupted = 1;
}

static bool is_cancelled(void *context)
{
    (void)context;
    return is_interrupted != 0;
}

static void show_progress(void *context, double share)
{
    workspace *w = context;
    if (share >= w->shown + 0.01 || share < w->shown) {
        w->shown = share;
        progress_show(w->progress, share, w->map.ndirection > 0 ? "inverse kinematics" : "samples");
    }
}

static const char *const ellipsoid_name[] = {"velocity", "force", "dynamic", NULL};
static const char *const measure_name[] = {"manipulability", "force", "dynamic_manipulability"};

static int read_options(job *work, lw_workspace_map_def *map, lw_boundary_def *boundary)
{
    static const char *const mode[] = {"exact", "fast", NULL};
    static const char *const plane[] = {"xz", "yz", "xy", "none", NULL};
    static const lw_vec3 axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    static const int u[3] = {0, 1, 0}, v[3] = {2, 2, 1}, normal[3] = {1, 0, 2};
    const command_line *args = work->args;
    workspace *w = work->context;
    double samples = (double)map->samples, seed = 1.0;
    int code = args_number(args, OPT_CELL, ARGS_ABOVE_ZERO, 1e6, &map->cell);
    code =
        code == EXIT_GOOD ? args_whole_large(args, OPT_COUNT, 1.0, MOST_SAMPLES, &samples) : code;
    code = code == EXIT_GOOD ? args_whole_large(args, OPT_SEED, 0.0, 9e15, &seed) : code;
    code = code == EXIT_GOOD ? args_whole(args, OPT_DIRECTIONS, 1, 100000, &map->ndirection) : code;
    code = code == EXIT_GOOD ? args_number(args, OPT_AT, -1e6, 1e6, &w->at) : code;
    code = code == EXIT_GOOD ? progress_open(args, &w->progress) : code;
    const int ellipsoid = code == EXIT_GOOD ? args_choice(args, OPT_ELLIPSOID, ellipsoid_name) : -1;
    if (ellipsoid < 0) {
        return EXIT_USAGE;
    }
    w->ellipsoid = (lw_frame_ellipsoid)ellipsoid;
    const int chosen = code == EXIT_GOOD ? args_choice(args, OPT_MODE, mode) : -1;
    w->plane = chosen >= 0 ? args_choice(args, OPT_PLANE, plane) : -1;
    if (w->plane < 0) {
        return EXIT_USAGE;
    }
    map->samples = (long long)samples;
    map->seed = boundary->seed = (unsigned long long)seed;
    map->mode = (lw_sweep_mode)chosen;
    map->has_measure = true;
    map->ellipsoid = w->ellipsoid;
    map->checks_contact = args_has(args, OPT_COLLIDE);
    if (w->plane < NO_PLANE) {
        boundary->u = axis[u[w->plane]];
        boundary->v = axis[v[w->plane]];
        boundary->origin = lw_scale3(w->at, axis[normal[w->plane]]);
    }
    map->cancel = boundary->cancel = is_cancelled;
    map->progress = show_progress;
    map->context = w;
    return EXIT_GOOD;
}

static void sum_up(workspace *w)
{
    const lw_workspace_map *map = &w->map;
    const long long cells = (long long)map->n[0] * map->n[1] * map->n[2];
    long long capable = 0;
    for (long long c = 0; c < cells; ++c) {
        const bool is_capable = map->capability && map->capability[c] > 0.0F;
        w->reached += map->count[c] > 0 || is_capable;
        w->best = fmaxf(w->best, map->best[c]);
        w->mean_capability += is_capable ? (double)map->capability[c] : 0.0;
        capable += is_capable;
    }
    w->volume = (double)w->reached * map->cell * map->cell * map->cell;
    w->mean_capability /= capable > 0 ? (double)capable : 1.0;
}

// A row for each cell that is reached.
static int write_map(job *work, const char *dir)
{
    const workspace *w = work->context;
    const char *const name[] = {"x", "y", "z", "samples", measure_name[w->ellipsoid], "capability"};
    const lw_workspace_map *map = &w->map;
    const int nq = map->capability ? map->nq : 0, fixed = map->capability ? 6 : 5;
    const long long cells = (long long)map->n[0] * map->n[1] * map->n[2];
    table t;
    if (w->reached > MOST_ROWS) {
        return complain(EXIT_USAGE, "%lld cells are too many for a table: use a larger --cell",
                        w->reached);
    }
    table_begin(&t, work->pool, fixed + nq);
    for (int k = 0; k < fixed; ++k) {
        table_name(&t, k, NULL, name[k]);
    }
    for (int k = 0; k < nq; ++k) {
        table_name(&t, fixed + k, "q", work->m->position_name[k]);
    }
    int code = EXIT_GOOD;
    for (long long c = 0; c < cells && code == EXIT_GOOD; ++c) {
        const bool is_capable = map->capability && map->capability[c] > 0.0F;
        if (map->count[c] == 0 && !is_capable) {
            continue;
        }
        double *row = table_add_row(&t);
        if (!row) {
            code = no_memory();
            break;
        }
        const lw_vec3 p = lw_workspace_map_center(map, c);
        const float *witness = lw_workspace_map_witness(map, c, -1);
        row[0] = p.x;
        row[1] = p.y;
        row[2] = p.z;
        row[3] = map->count[c];
        row[4] = (double)map->best[c];
        if (map->capability) {
            row[5] = (double)map->capability[c];
        }
        for (int k = 0; k < nq; ++k) {
            row[fixed + k] = witness ? (double)witness[k] : 0.0;
        }
    }
    const char *path =
        memory_text(work->pool, "%s/map.%s", dir, args_has(work->args, OPT_CSV) ? "csv" : "npy");
    code = code == EXIT_GOOD ? table_write(&t, path) : code;
    table_free(&t);
    return code;
}

static int write_boundary(job *work, const char *dir)
{
    const workspace *w = work->context;
    const lw_boundary *b = &w->boundary;
    enum { FIXED = 4 };
    const char **name = memory_get(work->pool, (size_t)(FIXED + work->m->nq), sizeof *name);
    file_draft draft;
    const int code = file_begin(&draft);
    if (code != EXIT_GOOD) {
        return code;
    }
    memcpy(name, (const char *[FIXED]){"curve", "kind", "u", "v"}, FIXED * sizeof *name);
    for (int k = 0; k < work->m->nq; ++k) {
        name[FIXED + k] = memory_text(work->pool, "q.%s", work->m->position_name[k]);
    }
    table_csv_head(draft.to, name, FIXED + work->m->nq);
    for (int c = 0; c < b->ncurve; ++c) {
        for (int i = b->curve[c].first; i < b->curve[c].first + b->curve[c].count; ++i) {
            fprintf(draft.to, "%d,%s,%.17g,%.17g", c,
                    b->curve[c].is_barrier ? "barrier" : "boundary", b->point[2 * i],
                    b->point[2 * i + 1]);
            for (int k = 0; k < work->m->nq; ++k) {
                fprintf(draft.to, ",%.17g", b->q[(ptrdiff_t)i * work->m->nq + k]);
            }
            fputc('\n', draft.to);
        }
    }
    return file_end(&draft, memory_text(work->pool, "%s/boundary.csv", dir));
}

static int write_files(job *work)
{
    const workspace *w = work->context;
    const char *dir = args_value(work->args, OPT_OUTPUT);
    if (!dir) {
        return EXIT_GOOD;
    }
    int code = write_map(work, dir);
    code = code == EXIT_GOOD
               ? workspace_store(memory_text(work->pool, "%s/workspace.map", dir), &w->map)
               : code;
    code = code == EXIT_GOOD && w->has_boundary ? write_boundary(work, dir) : code;
    return code == EXIT_GOOD && w->plane < NO_PLANE
               ? workspace_picture(memory_text(work->pool, "%s/section.svg", dir), &w->map,
                                   w->has_boundary ? &w->boundary : NULL,
                                   measure_name[w->ellipsoid], w->plane, w->at)
               : code;
}

static void print_result(job *work)
{
    const workspace *w = work->context;
    const lw_workspace_map *map = &w->map;
    const lw_boundary *b = &w->boundary;
    output *out = &work->out;
    int nboundary = 0;
    for (int c = 0; c < b->ncurve; ++c) {
        nboundary += !b->curve[c].is_barrier;
    }
    if (out->is_json) {
        const double low[3] = {map->low.x, map->low.y, map->low.z};
        out->json = output_object(out);
        output_put(out, out->json,
                   "cell f, samples l, failed l, reached l, volume f, best_manipulability f, low o",
                   map->cell, (long)map->samples, (long)map->failed, (long)w->reached, w->volume,
                   (double)w->best, output_numbers(out, low, 3));
        output_put(out, out->json, "ellipsoid s, axes d", ellipsoid_name[w->ellipsoid], map->naxis);
        if (w->has_box) {
            const double corner[6] = {w->low.x,  w->low.y,  w->low.z,
                                      w->high.x, w->high.y, w->high.z};
            output_set(out, out->json, "box", output_numbers(out, corner, 6));
        }
        if (map->capability) {
            output_put(out, out->json, "orientations d, mean_capability f", map->norientation,
                       w->mean_capability);
        }
        if (w->no_section) {
            output_put(out, out->json, "no_section s", w->no_section);
        }
        if (w->has_boundary) {
            json_t *section = output_object(out);
            output_put(out, section, "area f, pieces d, barriers d, open_ends d, disagreeing d",
                       b->area, nboundary, b->ncurve - nboundary, b->nopen, b->ndisagree);
            if (b->has_box) {
                output_set(out, section, "square", output_numbers(out, b->box, 3));
                output_set(out, section, "rectangle", output_numbers(out, b->rectangle, 4));
            }
            output_set(out, out->json, "section", section);
        }
        return;
    }
    fprintf(out->text, "%lld samples, %lld do not close, are beyond limits or in contact\n",
            map->samples, map->failed);
    fprintf(out->text, "%lld cells of %g m are reached: %.6g m^3\n", w->reached, map->cell,
            w->volume);
    if (w->ellipsoid == LW_ELLIPSOID_FORCE) {
        fprintf(out->text, "largest force in every direction: %.6g N, with torques of 1 N m\n",
                (double)w->best);
    } else if (w->ellipsoid == LW_ELLIPSOID_DYNAMIC) {
        fprintf(out->text, "largest dynamic manipulability of translations: %.6g (m/s^2)^%d\n",
                (double)w->best, map->naxis);
    } else {
        static const char *const unit[] = {"", " m", " m^2", " m^3"};
        fprintf(out->text, "largest manipulability of translations: %.6g%s\n", (double)w->best,
                unit[map->naxis]);
    }
    if (w->has_box) {
        fprintf(out->text, "largest box of cells: (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g)\n",
                w->low.x, w->low.y, w->low.z, w->high.x, w->high.y, w->high.z);
    }
    if (map->capability) {
        fprintf(out->text, "mean capability of reached cells: %.4g, a share of %d orientations\n",
                w->mean_capability, map->norientation);
    }
    if (w->no_section) {
        fprintf(out->text, "no section: %s\n", w->no_section);
    }
    if (w->has_boundary) {
        fprintf(out->text, "section: area %.6g m^2, %d pieces of boundary, %d of barriers\n",
                b->area, nboundary, b->ncurve - nboundary);
        if (nboundary == 0 && b->area == 0.0 && w->map.naxis == 2) {
            fprintf(out->text, "  the frame moves on a surface that this section cuts in lines: "
                               "if it is a plane, choose that by --plane and --at\n");
        }
        if (b->nopen + b->ndisagree > 0) {
            fprintf(out->text,
                    "  %d ends of the boundary are open, %d cells disagree with inverse "
                    "kinematics: area and square are uncertain\n",
                    b->nopen, b->ndisagree);
        }
        if (b->has_box) {
            fprintf(out->text, "  largest square: edge %.6g m about (%.6g, %.6g)\n", b->box[2],
                    b->box[0], b->box[1]);
            fprintf(out->text, "  largest rectangle: %.6g m by %.6g m about (%.6g, %.6g)\n",
                    b->rectangle[2], b->rectangle[3], b->rectangle[0], b->rectangle[1]);
        }
    }
}

static int find_box(workspace *w, double capability)
{
    const lw_status status = lw_workspace_map_box(&w->map, capability, &w->low, &w->high);
    w->has_box = status == LW_OK && w->high.x > w->low.x;
    return status == LW_OK || status == LW_ERR_LIMIT ? EXIT_GOOD
           : status == LW_ERR_ARGUMENT
               ? complain(EXIT_USAGE, "--capability needs --directions: the map has none")
               : no_memory();
}

static const char *why_no_section(const workspace *w, lw_status status)
{
    return status == LW_ERR_LIMIT ? "more than 8 joints move the frame, or limits of more than 3 "
                                    "dependent joints cut it"
           : status == LW_ERR_UNSUPPORTED
               ? "a joint is spherical or free, slides without limits, or depends on others and is "
                 "beyond the only limit that it has"
           : status != LW_OK  ? lw_status_text(status)
           : !w->has_boundary ? "the frame does not reach the plane"
                              : NULL;
}

static int run(job *work)
{
    workspace *w = work->context;
    const command_line *args = work->args;
    if (args_has(args, OPT_QUERY) || args_has(args, OPT_STORED)) {
        return workspace_query(work);
    }
    int threads = 1;
    double capability = 0.0;
    const int frame = args_has(args, OPT_FRAME)
                          ? robot_find_frame(work->m, args_value(args, OPT_FRAME))
                          : robot_tip(work->m);
    if (frame < 0) {
        return args_has(args, OPT_FRAME) ? EXIT_USAGE
                                         : complain(EXIT_USAGE, "workspace needs --frame");
    }
    lw_workspace_map_def map = lw_default_workspace_map_def(frame);
    lw_boundary_def boundary = lw_default_boundary_def(frame);
    int code = read_options(work, &map, &boundary);
    code = code == EXIT_GOOD ? args_whole(args, OPT_THREADS, 1, 1024, &threads) : code;
    code = code == EXIT_GOOD ? args_number(args, OPT_CAPABILITY, 0.0, 1.0, &capability) : code;
    if (code != EXIT_GOOD) {
        return code;
    }
    // Before what may take hours: a folder that cannot be made is known then.
    const char *dir = args_value(args, OPT_OUTPUT);
    w->made = dir && access(dir, F_OK) != 0 ? dir : NULL;
    code = dir ? folder_make(dir) : EXIT_GOOD;
    if (code != EXIT_GOOD) {
        return code;
    }
    const lw_batch_runner runner = lw_openmp_runner(threads);
    map.runner = &runner;
    struct sigaction action = {.sa_handler = note_interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    const int first = lw_report_count(work->robot.report);
    lw_status status = lw_workspace_map_create(work->m, &map, &w->map, work->robot.report);
    print_diagnostics(work->robot.report, first);
    if (status == LW_ERR_UNSUPPORTED) {
        return complain(EXIT_INPUT, "a joint that moves the frame slides without limits, or the "
                                    "chain has no inverse kinematics");
    }
    if (status != LW_OK) {
        return complain(exit_code_of(status), "%s",
                        status == LW_ERR_LIMIT ? "too many cells: use a larger --cell"
                                               : lw_status_text(status));
    }
    if (w->plane < NO_PLANE) {
        progress_show(w->progress, 1.0, "boundary");
        status = lw_boundary_create(work->m, &boundary, &w->boundary);
        w->has_boundary = status == LW_OK && w->boundary.ncurve > 0;
        w->no_section = why_no_section(w, status);
    }
    progress_clear(w->progress);
    if (w->map.is_cancelled || w->boundary.is_cancelled) {
        return complain(EXIT_STOPPED, "interrupted: nothing was written");
    }
    sum_up(w);
    code = find_box(w, capability);
    if (code != EXIT_GOOD) {
        return code;
    }
    print_result(work);
    return write_files(work);
}

static void end(job *work)
{
    workspace *w = work->context;
    lw_workspace_map_free(&w->map);
    lw_boundary_free(&w->boundary);
    if (w->made) {
        rmdir(w->made); // which is refused where it has files
    }
}

const command_def command_workspace = {
    .name = "workspace",
    .operands = "MODEL",
    .options =
        OPTIONS(OPT_FRAME, OPT_CELL, OPT_COUNT, OPT_DIRECTIONS, OPT_CAPABILITY, OPT_ELLIPSOID,
                OPT_COLLIDE, OPT_PLANE, OPT_AT, OPT_SEED, OPT_MODE, OPT_THREADS, OPT_STORED,
                OPT_QUERY, OPT_DIRECTION, OPT_PROGRESS, OPT_OUTPUT, OPT_CSV, OPTIONS_RESULT),
    .summary = "where a frame can go, how well, and where that ends",
    .about =
        "Samples the joints within their limits, those of dependent joints and coupled motors too, "
        "and counts positions of the frame in cells; with --directions it also solves inverse "
        "kinematics for each cell and orientation, with a configuration as witness. In a plane the "
        "boundary follows from the curves of singular configurations with joints at limits: pieces "
        "of the boundary, barriers inside the workspace, the area, and the largest square and "
        "rectangle within.",
    .keys = "cell, samples, failed, reached, volume, best_manipulability, low, ellipsoid, axes "
            "(of it), box (two corners); with --directions "
            "orientations, mean_capability; section (area, pieces, barriers, open_ends, "
            "disagreeing, square: centre and edge, rectangle: centre, width and height) or "
            "no_section: why; with --query cell, center, "
            "samples, manipulability, capability, directions, witness, direction (the nearest of "
            "the map), "
            "off (the angle to it, rad)",
    .example = "workspace arm.xml --frame tool -o reach\n"
               "workspace arm.xml --frame tool --directions 200 --collide --cell 0.1 -o reach\n"
               "workspace arm.xml --stored reach/workspace.map --query 0.4,0.1,0.3",
    .notes = NOTES({OPT_FRAME, "The frame. Default: that at the end of the longest chain."},
                   {OPT_COUNT, "How many samples. Default: 1000000."},
                   {OPT_DIRECTION, "With --query: a direction of the frame's z axis."},
                   {OPT_OUTPUT, "A folder for map.npy, workspace.map, boundary.csv and "
                                "section.svg."}),
    .context_size = sizeof(workspace),
    .run = run,
    .end = end,
};
