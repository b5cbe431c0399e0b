// linkwork draw: a line picture of the mechanism at a configuration.

#include "commands/commands.h"
#include "draw/draw_model.h"
#include "support/job.h"
#include "support/message.h"
#include "support/numeral.h"

#include <string.h>

static int read_size(const command_line *args, int *width, int *height)
{
    const char *text = args_value(args, OPT_SIZE);
    *width = 900;
    *height = 720;
    if (!text) {
        return EXIT_GOOD;
    }
    const size_t first = strcspn(text, "x");
    if (text[first] != 'x' || !number_parse_count(text, first, 20000, width) ||
        !number_parse_count(text + first + 1, strlen(text + first + 1), 20000, height) ||
        *width < 200 || *height < 200) {
        return complain(EXIT_USAGE, "--size is WIDTHxHEIGHT in pixels, 200 to 20000, not \"%s\"",
                        text);
    }
    return EXIT_GOOD;
}

static const char *layer_name(int i)
{
    static const char *const name[] = {"tips",        "frames",   "joints",
                                       "coordinates", "skeleton", "none"};
    return name[i];
}

static int mark_held(const command_line *args, const lw_model *m, bool *is_held)
{
    for (int i = 0; i < args_count(args, OPT_HOLD); ++i) {
        const char *name = args_value_at(args, OPT_HOLD, i);
        const int k = lw_find_position(m, name);
        if (k < 0) {
            return complain(EXIT_USAGE, "--hold: there is no position \"%s\"", name);
        }
        is_held[k] = true;
    }
    return EXIT_GOOD;
}

// Samples as --workspace, --hold and --samples require; nothing without the first.
static int sample_workspace(job *work, lw_workspace *w)
{
    const command_line *args = work->args;
    const lw_model *m = work->m;
    const char *name = args_value(args, OPT_WORKSPACE);
    if (!name) {
        return args_has(args, OPT_HOLD) || args_has(args, OPT_SAMPLES)
                   ? complain(EXIT_USAGE, "--hold and --samples need --workspace FRAME")
                   : EXIT_GOOD;
    }
    bool *is_held = memory_get(work->pool, (size_t)m->nq, sizeof *is_held);
    lw_workspace_options o = lw_default_workspace_options(0);
    o.samples = 400000;
    o.q = work->states.q;
    o.is_held = is_held;
    if (args_whole(args, OPT_SAMPLES, 1, 10000000, &o.samples) != EXIT_GOOD ||
        (o.frame = robot_find_frame(m, name)) < 0 || mark_held(args, m, is_held) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    const lw_status status = lw_workspace_sample(m, work->d, &o, w);
    return w->unlimited >= 0 ? complain(EXIT_INPUT, "%s has no limits; give it some, or --hold it",
                                        m->position_name[w->unlimited])
           : status == LW_ERR_LOOP_OPEN
               ? complain(EXIT_NUMERIC, "no sample of the workspace closes all loops")
           : status != LW_OK ? complain_of(m, work->d, status, "%s", "")
                             : EXIT_GOOD;
}

static void print_reach(output *out, const lw_workspace *w, const reach_area *area,
                        const char *frame, picture_view view)
{
    if (w->count == 0) {
        return;
    }
    const double value[] = {w->low.x, w->high.x, w->low.y,   w->high.y,
                            w->low.z, w->high.z, w->nearest, w->farthest};
    static const char *const name[] = {"x", "y", "z", "from the z axis"};
    static const char *const head[] = {"least", "largest"};
    fprintf(out->text, "\nwhere %s can go, m: %d samples", frame, w->count);
    if (w->nopen > 0) {
        fprintf(out->text, "; at %d more a loop does not close", w->nopen);
    }
    fputc('\n', out->text);
    output_table(out, "", name, 4, head, 2, value);
    if (area->has_box) {
        const char *const axis[] = {view == VIEW_FRONT ? "y" : "x", view == VIEW_TOP ? "y" : "z"};
        fprintf(out->text, "\nlargest rectangle within the area, m\n");
        output_table(out, "", axis, 2, head, 2, area->box);
    }
}

static int read_options(const command_line *args, draw_options *o)
{
    static const char *const word[] = {"iso", "front", "side", "top", NULL};
    const int view = args_choice(args, OPT_VIEW, word);
    *o = (draw_options){.view = (picture_view)view, .show = LW_SCENE_SHOW_TIPS};
    return view < 0 || read_size(args, &o->width, &o->height) != EXIT_GOOD ||
                   args_list(args, OPT_SHOW, layer_name, 6, &o->show) != EXIT_GOOD
               ? EXIT_USAGE
               : EXIT_GOOD;
}

static int check(const command_line *args)
{
    draw_options o;
    return args_has(args, OPT_OUTPUT) ? read_options(args, &o)
                                      : complain(EXIT_USAGE, "draw needs -o FILE.svg");
}

static int run(job *work)
{
    const char *path = args_value(work->args, OPT_OUTPUT);
    draw_options o;
    lw_workspace w = {0};
    reach_area area = {0};
    int code = states_read(&work->states, work->args, work->m);
    if (code == EXIT_GOOD && work->states.count != 1) {
        code =
            complain(EXIT_USAGE, "draw takes one state, and --state gives %d", work->states.count);
    }
    if (code == EXIT_GOOD) {
        code = sample_workspace(work, &w);
    }
    if (code == EXIT_GOOD) {
        read_options(work->args, &o);
        o.what = work->states.is_given ? "configuration" : "reference configuration";
        o.reach = w.count > 0 ? &w : NULL;
        o.area = &area;
        code = draw_model(work->pool, work->m, work->d, work->states.q, &o, path);
    }
    if (code == EXIT_GOOD && strcmp(path, "-") != 0) {
        fprintf(work->out.text, "%s: %s is drawn\n", path, work->m->name);
        print_reach(&work->out, &w, &area, args_value(work->args, OPT_WORKSPACE), o.view);
    }
    lw_workspace_free(&w);
    return code;
}

const command_def command_draw = {
    .name = "draw",
    .options = OPTIONS(OPTIONS_MODEL, OPTIONS_POSITION, OPT_OUTPUT, OPT_VIEW, OPT_SIZE, OPT_SHOW,
                       OPT_WORKSPACE, OPT_HOLD, OPT_SAMPLES),
    .is_picture = true,
    .summary = "a line picture of the mechanism, as SVG",
    .about = "Draws the mechanism at a configuration: links, joint symbols (a cylinder is a "
             "revolute joint, a box on a rail a prismatic one, a ball a spherical one; pale ones "
             "are dependent, amber ones close loops), rods (slender, with a ball at each end), "
             "gears (pitch circles, with a red point where they mesh), springs (green zigzags; "
             "dampers are boxes), frames (x red, y green, z blue), the ground. Shapes of links are "
             "covers, which hide the joints within them.",
    .example = "draw arm.urdf -o arm.svg\ndraw arm.urdf -q elbow=1.2 --view side -o arm.svg\n"
               "draw arm.urdf --show tips,joints,skeleton -o arm.svg\n"
               "draw arm.urdf --workspace tool --hold base --view side -o reach.svg",
    .notes = NOTES({OPT_SAMPLES, "Samples of a workspace, up to 10000000. Default: 400000."},
                   {OPT_OUTPUT, "The picture to write, FILE.svg; '-' is standard output."}),
    .check = check,
    .run = run,
};
