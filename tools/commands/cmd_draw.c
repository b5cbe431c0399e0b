// linkwork draw: a line picture of the machine at a configuration.

#include "commands/commands.h"
#include "draw/draw_model.h"
#include "report/output.h"
#include "support/message.h"
#include "support/numeral.h"
#include "support/robot_file.h"
#include "support/state.h"

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

static void tell_reach(output *out, const workspace *reach, const char *frame, picture_view view)
{
    if (reach->count == 0) {
        return;
    }
    const double value[] = {reach->low.x, reach->high.x, reach->low.y,   reach->high.y,
                            reach->low.z, reach->high.z, reach->nearest, reach->reach};
    static const char *const name[] = {"x", "y", "z", "from the z axis"};
    static const char *const head[] = {"least", "largest"};
    fprintf(out->text, "\nwhere %s can go, m: %d samples", frame, reach->count);
    if (reach->open > 0) {
        fprintf(out->text, "; at %d more a loop does not close", reach->open);
    }
    fputc('\n', out->text);
    output_table(out, "", name, 4, head, 2, value);
    if (reach->has_box) {
        const char *const axis[] = {view == VIEW_FRONT ? "y" : "x", view == VIEW_TOP ? "y" : "z"};
        fprintf(out->text, "\nlargest rectangle within the area, m\n");
        output_table(out, "", axis, 2, head, 2, reach->box);
    }
}

static int run_draw(const command_line *args)
{
    static const char *const word[] = {"iso", "front", "side", "top", NULL};
    const char *path = args_value(args, OPT_OUTPUT);
    const int view = args_choice(args, OPT_VIEW, word);
    if (!path) {
        return complain(EXIT_USAGE, "draw needs -o FILE.svg");
    }
    draw_options o = {.view = (picture_view)view, .show = LW_SCENE_SHOW_TIPS};
    if (view < 0 || read_size(args, &o.width, &o.height) != EXIT_GOOD ||
        args_list(args, OPT_SHOW, layer_name, 6, &o.show) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    robot r;
    state_list states = {0};
    workspace reach = {0};
    int code = robot_open(&r, args);
    if (code == EXIT_GOOD) {
        code = states_read(&states, args, r.model);
    }
    if (code == EXIT_GOOD && states.count != 1) {
        code = complain(EXIT_USAGE, "draw takes one state, and --state gives %d", states.count);
    }
    if (code == EXIT_GOOD) {
        code = workspace_sample(&reach, args, r.model, r.data, states.q);
    }
    if (code == EXIT_GOOD) {
        o.what = states.is_given ? "configuration" : "reference configuration";
        o.reach = reach.count > 0 ? &reach : NULL;
        code = draw_model(r.model, r.data, states.q, &o, path);
    }
    if (code == EXIT_GOOD && strcmp(path, "-") != 0) {
        output out;
        if (output_begin(&out, false)) {
            fprintf(out.text, "%s: %s is drawn\n", path, r.model->name);
            tell_reach(&out, &reach, args_value(args, OPT_WORKSPACE), (picture_view)view);
        }
        code = output_finish(&out, code);
    }
    workspace_free(&reach);
    states_free(&states);
    robot_close(&r);
    return code;
}

const command_def command_draw = {
    .name = "draw",
    .options = OPTIONS(OPTIONS_MODEL, OPTIONS_POSITION, OPT_OUTPUT, OPT_VIEW, OPT_SIZE, OPT_SHOW,
                       OPT_WORKSPACE, OPT_HOLD, OPT_SAMPLES),
    .is_picture = true,
    .summary = "a line picture of the machine, as SVG",
    .about = "Draws the machine at a configuration: links, joint symbols (a cylinder turns, a "
             "box on a rail slides, a ball turns every way; pale ones depend on others, amber "
             "ones close loops), rods (slender, with a ball at each end), gears (pitch circles, "
             "with a red point where they mesh), springs (green zigzags; dampers are boxes), "
             "frames (x red, y green, z blue), the ground. Shapes of links are covers, which hide "
             "the joints within them.",
    .example = "draw arm.urdf -o arm.svg\ndraw arm.urdf -q elbow=1.2 --view side -o arm.svg\n"
               "draw arm.urdf --show tips,joints,skeleton -o arm.svg\n"
               "draw arm.urdf --workspace tool --hold base --view side -o reach.svg",
    .notes = NOTES({OPT_SAMPLES, "Samples of a workspace, up to 10000000. Default: 400000."},
                   {OPT_OUTPUT, "The picture to write, FILE.svg; '-' is standard output."}),
    .run = run_draw,
};
