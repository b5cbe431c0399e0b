// linkwork stance: forces and stability of a machine on its feet.

#include "commands/commands.h"
#include "draw/draw_model.h"
#include "support/ground.h"
#include "support/message.h"
#include "support/numeral.h"

#include <linkwork/kinematics.h>
#include <linkwork/stance.h>

#include <math.h>

typedef struct stance {
    int n;
    int frame[LW_MAX_CONTACTS];
    const char *name[LW_MAX_CONTACTS];
    double friction, max_force;
    int facets;
    bool is_exact; ///< cones, not facets
    lw_terrain *terrain;
    lw_contact_work *work;
} stance;

static int prepare(job *work)
{
    stance *own = work->context;
    own->friction = 0.7;
    own->facets = 4;
    own->is_exact = !args_has(work->args, OPT_FACETS);
    own->work = memory_get(work->pool, 1, sizeof *own->work);
    own->n = args_count(work->args, OPT_FRAME);
    if (args_number(work->args, OPT_FRICTION, 0.0, 100.0, &own->friction) != EXIT_GOOD ||
        args_number(work->args, OPT_MAX_FORCE, ARGS_ABOVE_ZERO, 1e100, &own->max_force) !=
            EXIT_GOOD ||
        args_whole(work->args, OPT_FACETS, 4, LW_MAX_FACETS, &own->facets) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    if (own->n < 1 || own->n > LW_MAX_CONTACTS) {
        return complain(EXIT_USAGE, "stance takes 1 to %d feet, a --frame each, not %d",
                        LW_MAX_CONTACTS, own->n);
    }
    for (int k = 0; k < own->n; ++k) {
        own->frame[k] = robot_find_frame(work->m, args_value_at(work->args, OPT_FRAME, k));
        if (own->frame[k] < 0) {
            return EXIT_USAGE;
        }
        own->name[k] = work->m->frame[own->frame[k]].name;
        if (work->m->frame[own->frame[k]].body < 0) {
            return complain(EXIT_USAGE, "\"%s\" is fixed to the ground: a contact with nothing",
                            own->name[k]);
        }
    }
    return args_has(work->args, OPT_SCENE) ? ground_open(work, &own->terrain) : EXIT_GOOD;
}

// The normal of the ground below a foot that stands on it.
static int find_normal(const stance *own, int k, lw_foot_contact *contact)
{
    lw_ground_point at;
    if (!lw_terrain_at(own->terrain, contact->point.x, contact->point.y, &at)) {
        return complain(EXIT_NUMERIC, "foot \"%s\" is beyond the ground", own->name[k]);
    }
    const double gap = (contact->point.z - at.height) * at.normal.z;
    if (fabs(gap) > 0.01) {
        return complain(EXIT_NUMERIC, "foot \"%s\" is %.3g m %s the ground: a contact with nothing",
                        own->name[k], fabs(gap), gap > 0.0 ? "above" : "below");
    }
    contact->normal = at.normal;
    return EXIT_GOOD;
}

static int place_contacts(job *work, int i, lw_foot_contact *contact)
{
    const stance *own = work->context;
    for (int k = 0; k < own->n; ++k) {
        lw_pose X;
        const lw_status status =
            lw_pose_of_frame(work->m, work->d, states_q(&work->states, i), own->frame[k], &X);
        if (status != LW_OK) {
            return job_failure(work, i, status);
        }
        contact[k] = (lw_foot_contact){.point = X.p,
                                       .normal = {0.0, 0.0, 1.0},
                                       .friction = own->friction,
                                       .max_force = own->max_force};
        if (own->terrain && find_normal(own, k, &contact[k]) != EXIT_GOOD) {
            return EXIT_NUMERIC;
        }
        for (int j = 0; j < k; ++j) {
            if (lw_norm3(lw_sub3(X.p, contact[j].point)) == 0.0) {
                return complain(EXIT_USAGE, "feet \"%s\" and \"%s\" are at one point", own->name[j],
                                own->name[k]);
            }
        }
    }
    return EXIT_GOOD;
}

static const char *status_text(lw_contact_status status)
{
    return status == LW_CONTACTS_OPTIMAL      ? "optimal"
           : status == LW_CONTACTS_INFEASIBLE ? "infeasible"
                                              : "stopped";
}

static void area_text(output *out, lw_status status, const lw_support_area *area, bool is_carried)
{
    if (status == LW_ERR_LIMIT) {
        fputs("the contacts clamp the machine: friction carries it wherever its centre is\n",
              out->text);
    } else if (status == LW_OK && area->ncorner == 0) {
        fputs(
            is_carried
                ? "margin with friction: less than pyramids of 8 edges on the cones show\n"
                : "margin with friction: none, no contact forces carry it wherever the centre is\n",
            out->text);
    } else if (status == LW_OK) {
        fprintf(out->text, "margin with friction %.6g m, area of %d corners\n", area->margin,
                area->ncorner);
    }
}

static void area_json(job *work, json_t *result, lw_status status, const lw_support_area *area,
                      lw_vec3 center)
{
    output *out = &work->out;
    if (status != LW_OK && status != LW_ERR_LIMIT) {
        return;
    }
    json_t *item = output_object(out), *corner = output_array(out);
    for (int k = 0; status == LW_OK && k < area->ncorner; ++k) {
        const lw_vec3 p = lw_add3(center, lw_add3(lw_scale3(area->corner[k][0], area->across[0]),
                                                  lw_scale3(area->corner[k][1], area->across[1])));
        output_append(out, corner, output_numbers(out, &p.x, 3));
    }
    output_put(out, item, "corners o, clamped o", corner, json_boolean(status == LW_ERR_LIMIT));
    output_set(out, result, "area", item);
    output_put(out, result, "margin n",
               status == LW_OK && area->ncorner > 0 ? area->margin : HUGE_VAL);
}

static void print_text(job *work, const lw_vec3 *force, const double *tau,
                       const lw_contact_result *found, const lw_support *support)
{
    static const char *const head[] = {"x", "y", "z"}, *const unit[] = {"N", "N", "N"};
    const stance *own = work->context;
    output *out = &work->out;
    output_unit_table(out, "forces on the feet", own->name, own->n, head, 3, &force->x, unit, NULL);
    output_table(out, "joint forces", work->m->velocity_name, work->m->nv, NULL, 1, tau);
    fprintf(out->text, "%s after %d iterations, residual %.1e N, %d %s hold\n",
            status_text(found->status), found->iterations, found->kkt, found->nactive,
            own->is_exact ? "cones" : "facets");
    fprintf(
        out->text,
        "the contacts give %d of the 6 directions of force and moment, %d of their %d forces are "
        "redundant\n",
        found->rank, 3 * own->n - found->rank, 3 * own->n);
    if (found->status == LW_CONTACTS_INFEASIBLE) {
        const lw_force *w = &found->missing;
        fprintf(out->text, "missing: force %.6g %.6g %.6g N, moment %.6g %.6g %.6g N m\n", w->lin.x,
                w->lin.y, w->lin.z, w->ang.x, w->ang.y, w->ang.z);
    }
    if (support) {
        fprintf(out->text, "margin %.6g m, energy to tip %.6g J, over %s and %s\n", support->margin,
                support->energy, own->name[support->corner[support->tip]],
                own->name[support->corner[(support->tip + 1) % support->ncorner]]);
    }
}

static void print_json(job *work, json_t *result, const lw_vec3 *force, const double *tau,
                       const lw_contact_result *found, const lw_support *support)
{
    const stance *own = work->context;
    output *out = &work->out;
    json_t *list = output_array(out), *missing = output_object(out);
    for (int k = 0; k < own->n; ++k) {
        output_put(out, output_item(out, list), "foot s, force o", own->name[k],
                   output_numbers(out, &force[k].x, 3));
    }
    output_put(out, missing, "force o, moment o", output_numbers(out, &found->missing.lin.x, 3),
               output_numbers(out, &found->missing.ang.x, 3));
    output_put(out, result,
               "status s, feasible o, forces o, tau o, kkt f, iterations d, active d, rank d, "
               "redundant d, missing o",
               status_text(found->status), json_boolean(found->status == LW_CONTACTS_OPTIMAL), list,
               output_numbers(out, tau, work->m->nv), found->kkt, found->iterations, found->nactive,
               found->rank, 3 * own->n - found->rank, missing);
    if (support) {
        json_t *item = output_object(out), *corner = output_array(out), *tip = output_array(out);
        for (int k = 0; k < support->ncorner; ++k) {
            output_append(out, corner, output_text(out, own->name[support->corner[k]]));
        }
        for (int k = 0; k < 2; ++k) {
            const int at = support->corner[(support->tip + k) % support->ncorner];
            output_append(out, tip, output_text(out, own->name[at]));
        }
        output_put(out, item, "corners o, margin f, energy f, tip o", corner, support->margin,
                   support->energy, tip);
        output_set(out, result, "support", item);
    }
}

// --- Picture ----------------------------------------------------------------------------------

enum { GREEN = 0x2f8f4e, RED = 0xc8322f, BLUE = 0x2b5fa8, GREY = 0x8a8f98, GENERATORS = 12 };

/// p + length * way
static lw_vec3 along(double length, lw_vec3 way, lw_vec3 p)
{
    return lw_add3(lw_scale3(length, way), p);
}

/// The friction cone of a contact as high as `height`, and the force on it.
static int add_contact(draw_line *line, const lw_foot_contact *c, double height, lw_vec3 force)
{
    const lw_vec3 other =
        fabs(c->normal.x) < 0.7 ? lw_vec3_of(1.0, 0.0, 0.0) : lw_vec3_of(0.0, 1.0, 0.0);
    lw_vec3 x = lw_cross3(c->normal, other), rim[GENERATORS];
    x = lw_scale3(1.0 / lw_norm3(x), x);
    const lw_vec3 y = lw_cross3(c->normal, x), top = along(height, c->normal, c->point);
    int n = 0;
    for (int k = 0; k < GENERATORS; ++k) {
        const double angle = TWO_PI * k / GENERATORS, radius = height * c->friction;
        rim[k] = along(radius * cos(angle), x, along(radius * sin(angle), y, top));
    }
    for (int k = 0; k < GENERATORS; ++k) {
        line[n++] = (draw_line){rim[k], rim[(k + 1) % GENERATORS], GREY, false, false};
        if (k % 3 == 0) {
            line[n++] = (draw_line){c->point, rim[k], GREY, false, false};
        }
    }
    line[n++] = (draw_line){c->point, c->point, BLUE, false, false};
    line[n++] = (draw_line){c->point, lw_add3(c->point, force), BLUE, false, true};
    return n;
}

/// The polygon, the edge that the machine tips over, and how far the centre of mass is from the
/// edge that is nearest along the ground.
static int add_support(draw_line *line, const lw_foot_contact *contact, const lw_support *support,
                       lw_vec3 center, lw_vec3 down)
{
    lw_vec3 nearest = center, below = center;
    double least = HUGE_VAL;
    int n = 0;
    for (int k = 0; k < support->ncorner; ++k) {
        const lw_vec3 a = contact[support->corner[k]].point;
        const lw_vec3 b = contact[support->corner[(k + 1) % support->ncorner]].point;
        const lw_vec3 ab = lw_sub3(b, a), level = along(-lw_dot3(ab, down), down, ab);
        const double square = lw_dot3(level, level);
        const double share = square > 0.0 ? lw_dot3(lw_sub3(center, a), level) / square : 0.0;
        const lw_vec3 p = along(fmin(fmax(share, 0.0), 1.0), ab, a), off = lw_sub3(p, center);
        const double gap = lw_norm3(along(-lw_dot3(off, down), down, off));
        if (gap < least) {
            least = gap;
            nearest = p;
            below = along(lw_dot3(off, down), down, center);
        }
        const bool tips = k == support->tip;
        line[n++] = (draw_line){a, b, tips ? RED : GREEN, tips, false};
    }
    line[n++] = (draw_line){center, below, GREY, true, false};
    line[n++] = (draw_line){below, nearest, GREEN, true, false};
    return n;
}

static int draw_stance(job *work, int i, const lw_foot_contact *contact, const lw_vec3 *force,
                       lw_vec3 center, const lw_support *support)
{
    const stance *own = work->context;
    const double gravity = lw_norm3(work->m->gravity);
    const int most = own->n * (GENERATORS + GENERATORS / 3 + 3) + 3;
    draw_line *line = memory_get(work->pool, (size_t)most, sizeof *line);
    double size = 0.0, strongest = 0.0;
    int n = 0;
    for (int k = 0; k < own->n; ++k) {
        size = fmax(size, lw_norm3(lw_sub3(contact[k].point, center)));
        strongest = fmax(strongest, lw_norm3(force[k]));
    }
    const double scale = strongest > 0.0 ? 0.5 * size / strongest : 0.0;
    for (int k = 0; k < own->n; ++k) {
        n += add_contact(line + n, &contact[k], 0.15 * size, lw_scale3(scale, force[k]));
    }
    if (support && gravity > 0.0) {
        n += add_support(line + n, contact, support, center,
                         lw_scale3(1.0 / gravity, work->m->gravity));
    }
    line[n++] = (draw_line){center, center, RED, false, false};
    const draw_options o = {
        .view = VIEW_ISO,
        .width = 900,
        .height = 720,
        .what = support ? memory_text(work->pool,
                                      "forces up to %.3g N, margin %.3g m, tips over the red edge",
                                      strongest, support->margin)
                        : memory_text(work->pool, "forces up to %.3g N", strongest),
        .line = line,
        .nline = n};
    return draw_model(work->pool, work->m, work->d, states_q(&work->states, i), &o,
                      args_value(work->args, OPT_OUTPUT));
}

static int evaluate(job *work, int i, json_t *result)
{
    const stance *own = work->context;
    const lw_model *m = work->m;
    const double *q = states_q(&work->states, i);
    lw_foot_contact contact[LW_MAX_CONTACTS];
    lw_vec3 force[LW_MAX_CONTACTS], center;
    lw_contact_result found;
    lw_support support;
    lw_support_area area;
    const int code = place_contacts(work, i, contact);
    if (code != EXIT_GOOD) {
        return code;
    }
    double *tau = job_numbers(work, 1, m->nv);
    const lw_contact_options options = {.facets = own->facets, .is_exact = own->is_exact};
    lw_status status = lw_stance_forces(m, work->d, q, own->n, own->frame, contact, &options,
                                        own->work, force, tau, &found);
    if (status == LW_ERR_UNSUPPORTED) {
        return complain(EXIT_INPUT,
                        "no free joint carries what the feet belong to; --free-base adds one");
    }
    if (status == LW_OK) {
        status = lw_center_of_mass(m, work->d, q, &center, NULL);
    }
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    work->code = found.status == LW_CONTACTS_OPTIMAL ? work->code : EXIT_NUMERIC;
    const bool has_support =
        lw_support_polygon(own->n, contact, center, m->mass, m->gravity, &support) == LW_OK;
    status = lw_find_support_area(own->n, contact, center, m->mass, m->gravity, &options, own->work,
                                  &area);
    if (result) {
        print_json(work, result, force, tau, &found, has_support ? &support : NULL);
        area_json(work, result, status, &area, center);
    } else {
        print_text(work, force, tau, &found, has_support ? &support : NULL);
        area_text(&work->out, status, &area, found.status == LW_CONTACTS_OPTIMAL);
    }
    return i == 0 && args_has(work->args, OPT_OUTPUT)
               ? draw_stance(work, i, contact, force, center, has_support ? &support : NULL)
               : EXIT_GOOD;
}

static void end(job *work)
{
    const stance *own = work->context;
    lw_terrain_destroy(own->terrain);
}

const command_def command_stance = {
    .name = "stance",
    .operands = "MODEL",
    .options = OPTIONS(OPT_FRAME, OPT_FRICTION, OPT_MAX_FORCE, OPT_FACETS, OPT_SCENE, OPT_CELL,
                       OPT_OUTPUT, OPTIONS_POSITION, OPTIONS_RESULT),
    .is_picture = true,
    .summary = "contact forces, joint forces and stability of a machine on its feet",
    .about =
        "The least forces on the feet, within friction cones, that carry a machine "
        "at rest, and the joint forces that go with them; or the wrench that is missing where "
        "friction cannot carry it, with exit code 4. Contacts are level, or have the normals of "
        "the ground of "
        "--scene. Then how far the centre of mass is within "
        "the support polygon, and the energy that tips the machine over the edge where that "
        "takes least; and how far it is within the area in which friction can carry it, which is "
        "the polygon on level ground only, and is found with pyramids of 8 edges on the cones.",
    .keys = "status (optimal, infeasible, stopped), feasible, forces (foot, force), tau, kkt, "
            "iterations, active, rank, redundant, missing (force, moment); with three feet and "
            "more support: "
            "corners, margin, energy, tip; area (where friction carries the centre of mass): "
            "corners, clamped (there is no end of it); margin of that (null without corners)",
    .example = "stance quadruped.xml --frame front_left/shin.foot --frame front_right/shin.foot "
               "--frame hind_left/shin.foot --frame hind_right/shin.foot",
    .notes = NOTES({OPT_CELL, "Distance of the points at which the shapes of the scene are taken "
                              "over, in metres. Default: 0.05."},
                   {OPT_OUTPUT, "Draws the first state as FILE.svg: the support polygon with the "
                                "edge that tips in red, friction cones, forces as arrows, the "
                                "centre of mass and its margin."}),
    .context_size = sizeof(stance),
    .run = prepare,
    .evaluate = evaluate,
    .end = end,
};
