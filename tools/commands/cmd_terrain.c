// linkwork terrain: the pose of a vehicle on rough ground.

#include "commands/commands.h"
#include "draw/draw_model.h"
#include "report/table.h"
#include "support/ground.h"
#include "support/message.h"

#include <linkwork/kinematics.h>

#include <string.h>

typedef struct standing {
    lw_wheels *wheels;
    lw_terrain *terrain;
    table route;
    int at[3]; ///< its columns x, y and heading
    bool has_route;
    double *q;
    lw_wheel_stand *wheel;
    draw_line *line; ///< [nline] of the picture: the way of the base, then contacts
    int nline;
} standing;

// Reads the places of --route, and names the columns that are read by nobody.
static int read_route(job *work)
{
    static const char *const name[3] = {"x", "y", "heading"};
    standing *own = work->context;
    const char *file = args_value(work->args, OPT_ROUTE);
    const int code = table_read(&own->route, work->pool, file);
    if (code != EXIT_GOOD) {
        return code;
    }
    own->has_route = true;
    if (own->route.nrow == 0) {
        return complain(EXIT_INPUT, "%s:2:1: a route needs a row, a place", file);
    }
    for (int k = 0; k < 3; ++k) {
        own->at[k] = table_column(&own->route, name[k]);
        if (own->at[k] < 0) {
            return complain(EXIT_INPUT,
                            "%s:1:1: there is no column \"%s\"; a route has x, y and heading", file,
                            name[k]);
        }
    }
    for (int i = 0; i < own->route.ncolumn; ++i) {
        if (i != own->at[0] && i != own->at[1] && i != own->at[2]) {
            complain(EXIT_GOOD, "%s:1:1: column \"%s\" is not read; a route has x, y and heading",
                     file, own->route.name[i]);
        }
    }
    return EXIT_GOOD;
}

static int prepare(job *work)
{
    standing *own = work->context;
    if (work->m->nwheel == 0) {
        return complain(EXIT_INPUT,
                        "%s has no wheels: <wheel> puts them on links, those of a URDF file from a "
                        "linkwork file that includes it",
                        work->m->name);
    }
    if (args_has(work->args, OPT_PLACE) && args_has(work->args, OPT_ROUTE)) {
        return complain(EXIT_USAGE, "terrain takes --place or --route, not both");
    }
    int code = ground_open(work, &own->terrain);
    if (code == EXIT_GOOD && args_has(work->args, OPT_ROUTE)) {
        code = read_route(work);
    }
    if (code == EXIT_GOOD && lw_wheels_create(work->m, &own->wheels) != LW_OK) {
        code = no_memory();
    }
    own->q = job_numbers(work, 1, work->m->nq);
    own->wheel = memory_get(work->pool, (size_t)work->m->nwheel, sizeof *own->wheel);
    return code;
}

static int fail(const job *work, lw_status status, const lw_stand_result *found,
                const double place[3], int row)
{
    const char *where =
        memory_text(work->pool, "at x %g, y %g, heading %g", place[0], place[1], place[2]);
    if (args_has(work->args, OPT_ROUTE)) {
        where = memory_text(work->pool, "%s:%d:1: %s", args_value(work->args, OPT_ROUTE), row + 2,
                            where);
    }
    if (found->outside >= 0) {
        return complain(EXIT_NUMERIC, "%s: wheel \"%s\" is beyond the terrain", where,
                        work->m->wheel[found->outside].name);
    }
    return status == LW_ERR_UNSUPPORTED
               ? complain(EXIT_INPUT, "no free joint carries what the wheels are attached to; "
                                      "--free-base adds one")
           : status == LW_ERR_SINGULAR
               ? complain(EXIT_NUMERIC, "%s: the wheels cannot hold the base, or it overturns",
                          where)
               : complain_of(work->m, work->d, status, "%s: ", where);
}

static lw_pose base_pose(const job *work)
{
    const standing *own = work->context;
    lw_pose X = lw_pose_identity();
    lw_frame_pose(work->m, work->d, lw_wheels_describe(own->wheels).base_frame, &X);
    return X;
}

static void stand_json(job *work, const double place[3], const lw_stand_result *found, json_t *item)
{
    const standing *own = work->context;
    output *out = &work->out;
    json_t *list = output_array(out), *pose = output_object(out);
    const lw_pose X = base_pose(work);
    const lw_quat turn = lw_quat_of(&X.R);
    output_put(out, pose, "position o, quaternion o", output_numbers(out, &X.p.x, 3),
               output_numbers(out, (const double[]){turn.w, turn.x, turn.y, turn.z}, 4));
    for (int k = 0; k < work->m->nwheel; ++k) {
        const lw_wheel_stand *w = &own->wheel[k];
        output_put(out, output_item(out, list),
                   "name s, point o, normal o, angle f, gap f, load f, lost o",
                   work->m->wheel[k].name, output_numbers(out, &w->contact.point.x, 3),
                   output_numbers(out, &w->contact.normal.x, 3), w->contact.angle, w->gap, w->load,
                   json_boolean(w->is_lost));
    }
    output_put(out, item, "at o, pose o, q o, contacts o, iterations d, gap f, lost d",
               output_numbers(out, place, 3), pose, output_numbers(out, own->q, work->m->nq), list,
               found->iterations, found->gap, found->nlost);
}

static void stand_text(job *work, const lw_stand_result *found)
{
    static const char *const head[] = {"x", "y", "z", "contact angle", "gap", "load"},
                             *const unit[] = {"m", "m", "m", "rad", "m", "N"};
    const standing *own = work->context;
    const int n = work->m->nwheel;
    double *value = job_numbers(work, n, 6);
    const char **name = memory_get(work->pool, (size_t)n, sizeof *name);
    for (int k = 0; k < n; ++k) {
        const lw_wheel_stand *w = &own->wheel[k];
        const double row[6] = {w->contact.point.x,
                               w->contact.point.y,
                               w->contact.point.z,
                               w->contact.angle,
                               w->gap,
                               w->load};
        memcpy(value + 6 * k, row, sizeof row);
        name[k] = work->m->wheel[k].name;
    }
    output_table(&work->out, "positions", work->m->position_name, work->m->nq, NULL, 1, own->q);
    output_unit_table(&work->out, "wheels", name, n, head, 6, value, unit, NULL);
    for (int k = 0; k < n; ++k) {
        if (own->wheel[k].is_lost) {
            fprintf(work->out.text, "%s has lost contact: %.4g m above the ground\n", name[k],
                    own->wheel[k].gap);
        }
    }
    fprintf(work->out.text, "%d iterations\n", found->iterations);
}

// The way of the base to here.
static void add_way(job *work, lw_vec3 *last, bool is_first)
{
    standing *own = work->context;
    const lw_vec3 p = base_pose(work).p;
    if (!is_first && lw_norm3(lw_sub3(p, *last)) > 0.0) {
        own->line[own->nline++] = (draw_line){.from = *last, .to = p, .color = 0x2b5fa8};
    }
    *last = p;
}

// The last pose with the points where wheels touch, red where one is in the air, and the way there.
static int draw(job *work)
{
    standing *own = work->context;
    int nlost = 0;
    for (int k = 0; k < work->m->nwheel; ++k) {
        const lw_wheel_stand *w = &own->wheel[k];
        nlost += w->is_lost;
        own->line[own->nline++] = (draw_line){.from = w->contact.point,
                                              .to = w->contact.point,
                                              .color = w->is_lost ? 0xc8322f : 0x2f8f4e};
    }
    const draw_options o = {.view = VIEW_ISO,
                            .width = 900,
                            .height = 720,
                            .what = memory_text(work->pool, "on the ground with %d of %d wheels%s",
                                                work->m->nwheel - nlost, work->m->nwheel,
                                                own->has_route ? ", the way of the base blue" : ""),
                            .line = own->line,
                            .nline = own->nline};
    return draw_model(work->pool, work->m, work->d, own->q, &o, args_value(work->args, OPT_OUTPUT));
}

static int evaluate(job *work, int i, json_t *result)
{
    standing *own = work->context;
    double place[3] = {0.0, 0.0, 0.0};
    lw_vec3 last = {0.0, 0.0, 0.0};
    int lost = 0, iterations = 0;
    if (!own->has_route && args_has(work->args, OPT_PLACE)) {
        const int code = args_numbers(work->args, OPT_PLACE, 3, place);
        if (code != EXIT_GOOD) {
            return code;
        }
    }
    memcpy(own->q, states_q(&work->states, i), (size_t)work->m->nq * sizeof *own->q);
    json_t *list = result && own->has_route ? output_array(&work->out) : NULL;
    const int n = own->has_route ? own->route.nrow : 1;
    own->line = memory_get(work->pool, (size_t)(n + work->m->nwheel), sizeof *own->line);
    own->nline = 0;
    for (int row = 0; row < n; ++row) {
        lw_stand_result found;
        const lw_stand_options options = {.is_cold = row == 0};
        for (int k = 0; k < 3 && own->has_route; ++k) {
            place[k] = own->route.value[row * own->route.ncolumn + own->at[k]];
        }
        const lw_status status = lw_stand(work->m, work->d, own->wheels, own->terrain, place[0],
                                          place[1], place[2], &options, own->q, own->wheel, &found);
        if (status != LW_OK) {
            return fail(work, status, &found, place, row);
        }
        add_way(work, &last, row == 0);
        lost += found.nlost > 0;
        iterations += found.iterations;
        if (list) {
            stand_json(work, place, &found, output_item(&work->out, list));
        } else if (result) {
            stand_json(work, place, &found, result);
        } else if (!own->has_route) {
            stand_text(work, &found);
        }
    }
    if (list) {
        output_set(&work->out, result, "route", list);
    } else if (own->has_route) {
        fprintf(work->out.text, "%d places, %d with a wheel in the air, %.3g iterations each\n", n,
                lost, (double)iterations / n);
    }
    return args_has(work->args, OPT_OUTPUT) && i == 0 ? draw(work) : EXIT_GOOD;
}

static void end(job *work)
{
    standing *own = work->context;
    lw_wheels_destroy(own->wheels);
    lw_terrain_destroy(own->terrain);
    if (own->has_route) {
        table_free(&own->route);
    }
}

const command_def command_terrain = {
    .name = "terrain",
    .operands = "MODEL",
    .options = OPTIONS(OPT_SCENE, OPT_CELL, OPT_PLACE, OPT_ROUTE, OPT_OUTPUT, OPTIONS_POSITION,
                       OPTIONS_RESULT),
    .is_picture = true,
    .summary = "the pose of a vehicle on rough ground, at a place or along a route",
    .about = "Lets a vehicle with wheels down onto the ground: height, roll and pitch of the base "
             "and the passive joints between it and the wheels take the pose of least energy with "
             "no wheel in the ground. Prints where each wheel touches, its load without friction, "
             "and wheels that have lost contact.\n\n"
             "The ground is the highest of the shapes of --scene over what its meshes and height "
             "fields cover, or its boxes where there are none; level ground without a scene. "
             "--output draws the last pose with the points where wheels touch, red below "
             "those in the air, and the way of the base along the route.",
    .keys = "at (x, y, heading), pose of the base (position, quaternion), q, contacts (name, "
            "point, normal, angle, gap, load, lost), iterations, gap, lost; with --route an array "
            "route of these",
    .example = "terrain rover.xml --scene rocks.xml --place 1,2,0.5\n"
               "terrain rover.xml --scene rocks.xml --route route.csv -o rover.svg",
    .notes = NOTES({OPT_CELL, "Distance of the points at which the shapes of the scene are taken "
                              "over, in metres. Default: 0.05."}),
    .context_size = sizeof(standing),
    .run = prepare,
    .evaluate = evaluate,
    .end = end,
};
