#include "draw_model.h"

#include "draw_robot.h"
#include "draw_spring.h"
#include "files.h"
#include "message.h"
#include "model.h"
#include "motors.h"
#include "number.h"

#include <linkwork/kinematics.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUBTITLE_ROOM = 512 };

// "q = (0, -1.57, ...)" as far as the page is wide.
static void describe_configuration(const lw_model *m, const double *q, const char *what, int width,
                                   char text[SUBTITLE_ROOM])
{
    const size_t room = (size_t)fmin(fmax(width / 8.0, 40), SUBTITLE_ROOM - 40);
    size_t used = (size_t)snprintf(text, SUBTITLE_ROOM, "%d freedom%s, %s", m->nv,
                                   m->nv == 1 ? "" : "s", what);
    for (int i = 0; i < m->nq; ++i) {
        char number[NUMBER_ROOM], next[NUMBER_ROOM + 8];
        snprintf(number, sizeof number, "%.3g", q[i] == 0 ? 0.0 : q[i]);
        const size_t length =
            (size_t)snprintf(next, sizeof next, "%s%s", i == 0 ? ": q = (" : ", ", number);
        if (used + length + 6 > room) {
            snprintf(text + used, SUBTITLE_ROOM - used, i == 0 ? "" : ", ...)");
            return;
        }
        memcpy(text + used, next, length + 1);
        used += length;
    }
    if (m->nq > 0) {
        snprintf(text + used, SUBTITLE_ROOM - used, ")");
    }
}

// Whether a joint in the picture depends on others; shafts of drives are not in it.
static bool has_pale(const lw_model *m)
{
    for (int i = 0; i < m->nstep; ++i) {
        for (int t = 0; t < m->step[i].ntarget; ++t) {
            if (!motors_is_shaft(m, m->step[i].target[t])) {
                return true;
            }
        }
    }
    return false;
}

static bool has_mesh(const skeleton *s)
{
    for (int g = 0; g < s->m->ngear; ++g) {
        if (s->pair[g].is_known) {
            return true;
        }
    }
    return false;
}

int draw_model(const lw_model *m, lw_data *d, const double *q, const char *what, workspace *reach,
               picture_view view, int width, int height, const char *path)
{
    skeleton s = {0};
    picture pic = {0};
    char *text = NULL;
    size_t size = 0;
    int code;
    lw_status status = lw_forward_position(m, d, q);
    if (status == LW_OK) {
        status = skeleton_init(&s, m, d);
    }
    if (status != LW_OK) {
        char why[ROBOT_WHY_ROOM];
        code = complain(exit_code_of(status), "%s", robot_why(m, d, status, why));
        goto done;
    }
    if (!isfinite(lw_norm3(lw_sub3(s.high, s.low)))) {
        code = complain(EXIT_NUMERIC, "the machine has no finite extent; nothing is drawn");
        goto done;
    }
    double grid;
    picture_init(&pic, view);
    if (reach) { // before the grid, which lies over it
        workspace_paint(reach, &pic, view != VIEW_ISO);
    }
    draw_robot(&pic, &s, &grid);
    char subtitle[SUBTITLE_ROOM], note[160], step[NUMBER_ROOM];
    describe_configuration(m, q, what, width, subtitle);
    const bool has_grid = view == VIEW_ISO || view == VIEW_TOP;
    const int used =
        snprintf(note, sizeof note, "%s%s%s%s", has_pale(m) ? "pale joints depend on others" : "",
                 m->nloop > 0 ? ", amber ones close loops" : "",
                 has_mesh(&s) ? ", wheels mesh at red points" : "",
                 drawn_springs(m) == 0 ? ""
                 : has_pale(m)         ? ", springs are green"
                                       : "springs are green");
    if (has_grid) {
        snprintf(note + used, sizeof note - (size_t)used, "%sgrid %s m", used > 0 ? ", " : "",
                 number_text(grid, step));
    }
    const picture_page page = {.width = width,
                               .height = height,
                               .title = m->name,
                               .subtitle = subtitle,
                               .note = note,
                               .scale_length = has_grid ? 0 : grid};
    if (!picture_svg(&pic, &page, &text, &size)) {
        code = complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
        goto done;
    }
    code = file_write(path, text, size);
done:
    free(text);
    picture_free(&pic);
    skeleton_free(&s);
    return code;
}
