// linkwork draw: a line picture of the machine at a configuration.

#include "commands.h"
#include "draw_model.h"
#include "message.h"
#include "model.h"
#include "number.h"
#include "output.h"
#include "state.h"

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

int command_draw(const command_line *args)
{
    static const char *const word[] = {"iso", "front", "side", "top", NULL};
    const char *path = args_value(args, OPT_OUTPUT);
    const int view = args_choice(args, OPT_VIEW, word);
    int width, height;
    if (!path) {
        return complain(EXIT_USAGE, "draw needs -o FILE.svg");
    }
    if (view < 0 || read_size(args, &width, &height) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    robot r;
    state_list states = {0};
    int code = robot_open(&r, args);
    if (code == EXIT_GOOD) {
        code = states_read(&states, args, r.model);
    }
    if (code == EXIT_GOOD && states.count != 1) {
        code = complain(EXIT_USAGE, "draw takes one state, and --state gives %d", states.count);
    }
    if (code == EXIT_GOOD) {
        code = draw_model(r.model, r.data, states.q,
                          states.is_given ? "configuration" : "reference configuration",
                          (picture_view)view, width, height, path);
    }
    if (code == EXIT_GOOD && strcmp(path, "-") != 0) {
        output out;
        if (output_begin(&out, false)) {
            fprintf(out.text, "%s: %s is drawn\n", path, r.model->name);
        }
        code = output_finish(&out, code);
    }
    states_free(&states);
    robot_close(&r);
    return code;
}
