#include "draw/draw_model.h"

#include "draw/picture_layout.h"
#include "draw/scene_picture.h"
#include "support/files.h"
#include "support/message.h"
#include "support/numeral.h"
#include "support/robot_file.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SUBTITLE_SIZE = 512, NOTE_SIZE = 200, MOST_FIGURE = 200 };

// "q = (0, -1.57, ...)" as far as the page is wide.
static void describe_configuration(const lw_model *m, const double *q, const char *what, int width,
                                   char text[SUBTITLE_SIZE])
{
    const size_t space = (size_t)fmin(fmax(width / 8.0, 40), SUBTITLE_SIZE - 40);
    size_t used = (size_t)snprintf(text, SUBTITLE_SIZE, "%d degree%s of freedom, %s", m->nv,
                                   m->nv == 1 ? "" : "s", what);
    for (int i = 0; i < m->nq; ++i) {
        char number[NUMBER_SIZE], next[NUMBER_SIZE + 8];
        snprintf(number, sizeof number, "%.3g", q[i] == 0 ? 0.0 : q[i]);
        const size_t length =
            (size_t)snprintf(next, sizeof next, "%s%s", i == 0 ? ": q = (" : ", ", number);
        if (used + length + 6 > space) {
            snprintf(text + used, SUBTITLE_SIZE - used, i == 0 ? "" : ", ...)");
            return;
        }
        memcpy(text + used, next, length + 1);
        used += length;
    }
    if (m->nq > 0) {
        snprintf(text + used, SUBTITLE_SIZE - used, ")");
    }
}

static bool has_role(const lw_scene *scene, lw_scene_role role)
{
    for (int i = 0; i < scene->nshape; ++i) {
        if (scene->shape[i].role == role) {
            return true;
        }
    }
    return false;
}

// What the colours mean, and how wide the grid is.
static void describe_colors(const lw_scene *scene, double grid, const char *ghosts,
                            char note[NOTE_SIZE])
{
    char spacing[NUMBER_SIZE], step[NUMBER_SIZE + 16] = "";
    if (grid > 0) {
        snprintf(step, sizeof step, "grid %s m", number_text(grid, spacing));
    }
    const bool has_gear = has_role(scene, LW_SCENE_MESH) || has_role(scene, LW_SCENE_PITCH_CIRCLE);
    const bool has_pale = has_role(scene, LW_SCENE_DEPENDENT_JOINT);
    const bool has_spring = has_role(scene, LW_SCENE_SPRING_END);
    const char *const part[] = {ghosts,
                                has_pale ? "pale joints depend on others" : "",
                                !has_role(scene, LW_SCENE_CLOSING_JOINT) ? ""
                                : has_pale                               ? "amber ones close loops"
                                           : "amber joints close loops",
                                has_gear ? "wheels mesh at red points" : "",
                                has_spring ? "springs are green" : "",
                                step};
    note[0] = '\0';
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i) {
        const size_t used = strlen(note);
        snprintf(note + used, NOTE_SIZE - used, "%s%s", used > 0 && *part[i] ? ", " : "", part[i]);
    }
}

static lw_status scene_at(const lw_model *m, lw_data *d, const double *q, unsigned show,
                          lw_scene **scene)
{
    lw_data_restart(d);
    const lw_status status = lw_forward_position(m, d, q);
    return status == LW_OK ? lw_scene_create(m, d, show, scene) : status;
}

static lw_status draw_ghosts(picture *pic, const lw_model *m, lw_data *d, const draw_options *o)
{
    lw_status status = LW_OK;
    for (int i = 0; i < o->nghost && status == LW_OK; ++i) {
        lw_scene *scene = NULL;
        status = scene_at(m, d, o->ghosts + (size_t)i * (size_t)m->nq, o->show, &scene);
        if (status == LW_OK) {
            picture_ghost(pic, scene);
        }
        lw_scene_destroy(scene);
    }
    return status;
}

static void paint_line(picture *pic, const draw_line *l, double unit)
{
    const picture_paint paint = {
        .fill = NO_COLOR, .stroke = l->color, .pixels = 1.6, .is_dashed = l->is_dashed};
    const lw_vec3 along = lw_sub3(l->to, l->from);
    const double length = lw_norm3(along);
    if (length == 0.0) {
        const picture_look look = {
            {.fill = l->color, .stroke = 0xffffff, .opacity = 1, .pixels = 0.8},
            LAYER_MARK,
            0,
            false};
        picture_ball(pic, l->from, 0.4 * unit, look);
        return;
    }
    picture_line(pic, LAYER_MARK, paint, l->from, l->to);
    const lw_vec3 across = lw_cross3(along, pic->toward); // the head is seen from its side
    const double width = lw_norm3(across);
    for (int side = -1; side <= 1 && l->is_arrow && width > 0.0; side += 2) {
        const lw_vec3 back = lw_sub3(l->to, lw_scale3(fmin(unit / length, 0.5), along));
        const double off = side * fmin(0.4 * unit, 0.2 * length) / width;
        picture_line(pic, LAYER_MARK, paint, l->to, lw_add3(back, lw_scale3(off, across)));
    }
}

int draw_model(memory *pool, const lw_model *m, lw_data *d, const double *q, const draw_options *o,
               const char *path)
{
    lw_scene *scene = NULL;
    picture pic;
    file_draft draft;
    picture_init(&pic, pool, o->view);
    lw_status status = draw_ghosts(&pic, m, d, o);
    if (status == LW_OK) {
        status = scene_at(m, d, q, o->show, &scene);
    }
    if (status != LW_OK) {
        return status == LW_ERR_NUMBER
                   ? complain(EXIT_NUMERIC, "the mechanism has no finite extent; nothing is drawn")
                   : complain_of(m, d, status, "%s", "");
    }
    if (o->reach) { // before the grid, which lies over it
        reach_area_paint(o->area, o->reach, &pic);
    }
    picture_scene(&pic, scene, m->shape, o->is_marked);
    for (int i = 0; i < o->npair; ++i) {
        static const picture_look LOOK = {
            {.fill = 0xc8322f, .stroke = 0xffffff, .opacity = 1, .pixels = 0.8},
            LAYER_MARK,
            0,
            false};
        static const picture_paint LINE = {.fill = NO_COLOR, .stroke = 0xc8322f, .pixels = 1.6};
        picture_line(&pic, LAYER_MARK, LINE, o->points[2 * i], o->points[2 * i + 1]);
        picture_ball(&pic, o->points[2 * i], 0.3 * scene->unit, LOOK);
        picture_ball(&pic, o->points[2 * i + 1], 0.3 * scene->unit, LOOK);
    }
    for (int i = 0; i < o->ncurve * o->curve_points; ++i) {
        static const picture_paint LINE = {.fill = NO_COLOR, .stroke = 0xc8322f, .pixels = 1.2};
        const int next = (i + 1) % o->curve_points == 0 ? i + 1 - o->curve_points : i + 1;
        picture_line(&pic, LAYER_MARK, LINE, o->curve[i], o->curve[next]);
    }
    for (int i = 0; i < o->nline; ++i) {
        paint_line(&pic, &o->line[i], scene->unit);
    }
    char subtitle[SUBTITLE_SIZE], note[NOTE_SIZE];
    const bool has_grid = picture_has_floor(&pic);
    describe_configuration(m, q, o->what, o->width, subtitle);
    const char *const ghosts = o->ghost_label ? o->ghost_label : "behind it the other solutions";
    describe_colors(scene, has_grid ? scene->grid : 0, o->nghost > 0 ? ghosts : "", note);
    const picture_page page = {.width = o->width,
                               .height = o->height,
                               .margin = 36,
                               .head = 50,
                               .foot = 16,
                               .title = m->name,
                               .subtitle = subtitle,
                               .note = note,
                               .scale_length = has_grid ? 0 : scene->grid};
    const int code = file_begin(&draft);
    if (code == EXIT_GOOD) {
        picture_svg(draft.to, &pic, &page);
    }
    lw_scene_destroy(scene);
    return code == EXIT_GOOD ? file_end(&draft, path) : code;
}

// A planar mechanism is seen along the axis of its joints.
static picture_view best_view(lw_vec3 normal)
{
    return fabs(normal.x) > 0.999   ? VIEW_FRONT
           : fabs(normal.y) > 0.999 ? VIEW_SIDE
           : fabs(normal.z) > 0.999 ? VIEW_TOP
                                    : VIEW_ISO;
}

int draw_figure(memory *pool, const lw_model *m, lw_data *d, const char **text)
{
    lw_scene *scene = NULL;
    file_draft draft;
    *text = NULL;
    if (m->njoint > MOST_FIGURE || lw_forward_position(m, d, m->q_reference) != LW_OK) {
        return EXIT_GOOD;
    }
    const lw_status status =
        lw_scene_create(m, d, LW_SCENE_SHOW_COORDINATES | LW_SCENE_SHOW_HIDDEN, &scene);
    int code = status == LW_ERR_MEMORY ? no_memory() : EXIT_GOOD;
    if (scene) {
        const picture_page page = {.width = 360, .height = 260, .margin = 12};
        picture pic;
        picture_init(&pic, pool, best_view(scene->normal));
        picture_scene(&pic, scene, m->shape, NULL);
        code = file_begin(&draft);
        if (code == EXIT_GOOD) {
            picture_tex(draft.to, &pic, &page);
            code = file_end_text(&draft, pool, text);
        }
    }
    lw_scene_destroy(scene);
    return code;
}
