#include "draw/draw_model.h"

#include "draw/draw_robot.h"
#include "draw/draw_spring.h"
#include "draw/picture_layout.h"
#include "support/files.h"
#include "support/message.h"
#include "support/motors.h"
#include "support/numeral.h"
#include "support/robot_file.h"

#include <linkwork/kinematics.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUBTITLE_ROOM = 512, NOTE_ROOM = 200, MOST_FIGURE = 200 };

// "q = (0, -1.57, ...)" as far as the page is wide.
static void describe_configuration(const lw_model *m, const double *q, const char *what, int width,
                                   char text[SUBTITLE_ROOM])
{
    const size_t room = (size_t)fmin(fmax(width / 8.0, 40), SUBTITLE_ROOM - 40);
    size_t used = (size_t)snprintf(text, SUBTITLE_ROOM, "%d degree of freedom%s, %s", m->nv,
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

// What the colours mean, and how wide the grid is.
static void describe_colors(const skeleton *s, double grid, char note[NOTE_ROOM])
{
    const lw_model *m = s->m;
    char spacing[NUMBER_ROOM], step[NUMBER_ROOM + 16] = "";
    if (grid > 0) {
        snprintf(step, sizeof step, "grid %s m", number_text(grid, spacing));
    }
    const char *const part[] = {has_pale(m) ? "pale joints depend on others" : "",
                                m->nloop > 0 ? "amber ones close loops" : "",
                                has_mesh(s) ? "wheels mesh at red points" : "",
                                drawn_springs(m) > 0 ? "springs are green" : "", step};
    note[0] = '\0';
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i) {
        const size_t used = strlen(note);
        snprintf(note + used, NOTE_ROOM - used, "%s%s", used > 0 && *part[i] ? ", " : "", part[i]);
    }
}

int draw_model(const lw_model *m, lw_data *d, const double *q, const draw_options *o,
               const char *path)
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
    picture_init(&pic, o->view);
    if (o->reach) { // before the grid, which lies over it
        workspace_paint(o->reach, &pic, o->view != VIEW_ISO);
    }
    draw_robot(&pic, &s, o->show, &grid);
    char subtitle[SUBTITLE_ROOM], note[NOTE_ROOM];
    const bool has_grid = o->view == VIEW_ISO || o->view == VIEW_TOP;
    describe_configuration(m, q, o->what, o->width, subtitle);
    describe_colors(&s, has_grid ? grid : 0, note);
    const picture_page page = {.width = o->width,
                               .height = o->height,
                               .margin = 36,
                               .head = 50,
                               .foot = 16,
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

// Machines whose joints all turn about one direction, or slide across it, are seen along it.
static picture_view best_view(const skeleton *s)
{
    lw_vec3 normal = {0, 0, 0};
    for (int i = 1; i < s->nnode; ++i) {
        if (s->m->joints[s->node[i].joint].type == LW_JOINT_REVOLUTE) {
            normal = s->node[i].axis;
        }
    }
    for (int i = 1; i < s->nnode; ++i) {
        const bool turns = s->m->joints[s->node[i].joint].type == LW_JOINT_REVOLUTE;
        const bool slides = s->m->joints[s->node[i].joint].type == LW_JOINT_PRISMATIC;
        const double along = fabs(lw_dot3(normal, s->node[i].axis));
        if (!(turns && along > 0.999) && !(slides && along < 0.001)) {
            return VIEW_ISO;
        }
    }
    return fabs(normal.x) > 0.999   ? VIEW_FRONT
           : fabs(normal.y) > 0.999 ? VIEW_SIDE
           : fabs(normal.z) > 0.999 ? VIEW_TOP
                                    : VIEW_ISO;
}

int draw_figure(const lw_model *m, lw_data *d, char **text)
{
    skeleton s = {0};
    picture pic = {0};
    size_t size = 0;
    double grid;
    int code = EXIT_GOOD;
    *text = NULL;
    if (lw_forward_position(m, d, m->q_reference) != LW_OK) {
        return code;
    }
    const lw_status status = skeleton_init(&s, m, d);
    if (status == LW_OK && s.nnode <= MOST_FIGURE && isfinite(lw_norm3(lw_sub3(s.high, s.low)))) {
        picture_init(&pic, best_view(&s));
        draw_robot(&pic, &s, DRAW_COORDINATES | DRAW_SKELETON, &grid);
        const picture_page page = {.width = 360, .height = 260, .margin = 12};
        code = picture_tex(&pic, &page, text, &size) ? EXIT_GOOD : EXIT_FILE;
    }
    if (code != EXIT_GOOD || status == LW_ERR_MEMORY) {
        code = complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
    }
    picture_free(&pic);
    skeleton_free(&s);
    return code;
}
