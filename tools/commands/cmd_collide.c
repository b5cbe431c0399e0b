// linkwork collide: how far the links of a mechanism are from each other.

#include "commands/commands.h"
#include "draw/draw_model.h"
#include "support/files.h"
#include "support/job.h"
#include "support/link_pairs.h"
#include "support/message.h"
#include "support/numeral.h"

#include <linkwork/collide.h>
#include <linkwork/io.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <string.h>

typedef struct collision {
    lw_collide *solids;
    double margin;
    const char **declared; ///< [npair] the reason that SRDF has, or NULL
} collision;

static const char *link_name(const job *work, const lw_collide_pair *pair, int side)
{
    return work->m->frame[pair->frame[side]].name;
}

// --- SRDF ---------------------------------------------------------------------------------------

static const char *reason_text(const job *work, const collision *c, int pair);

// Whether the SRDF file takes standard output, and nothing else is printed.
static bool is_printed(const job *work)
{
    const char *path = args_value(work->args, OPT_SAVE_SRDF);
    return path && strcmp(path, "-") == 0;
}

static int save_srdf(job *work, collision *c)
{
    const char *path = args_value(work->args, OPT_SAVE_SRDF);
    const lw_collide_info *info = lw_collide_describe(c->solids);
    if (!path) {
        return EXIT_GOOD;
    }
    lw_disabled_pair *list = memory_get(work->pool, (size_t)info->npair + 1, sizeof *list);
    lw_srdf srdf = {.robot = work->m->name, .pair = list};
    for (int i = 0; i < info->npair; ++i) {
        if (info->pair[i].reason != LW_PAIR_CHECKED) {
            list[srdf.npair++] = (lw_disabled_pair){
                {link_name(work, &info->pair[i], 0), link_name(work, &info->pair[i], 1)},
                c->declared[i] ? c->declared[i] : reason_text(work, c, i),
                {0}};
        }
    }
    char *text = NULL;
    size_t size = 0;
    int code = lw_srdf_save_text(&srdf, &text, &size) == LW_OK ? EXIT_GOOD : no_memory();
    if (code == EXIT_GOOD && is_printed(work)) {
        fwrite(text, 1, size, work->out.text); // in memory; output_finish() reports what fails
    } else if (code == EXIT_GOOD) {
        code = file_write(path, text, size);
    }
    lw_text_free(text);
    return code;
}

// --- Results ------------------------------------------------------------------------------------

static int prepare(job *work)
{
    collision *c = work->context;
    c->margin = HUGE_VAL;
    if (is_printed(work) && args_has(work->args, OPT_JSON)) {
        return complain(EXIT_USAGE, "the SRDF file takes standard output: leave out --json");
    }
    if (args_has(work->args, OPT_OUTPUT) && (is_printed(work) || args_has(work->args, OPT_PAIRS))) {
        return complain(EXIT_USAGE, "%s computes no distances that --output could draw",
                        is_printed(work) ? "--save-srdf -" : "--pairs");
    }
    if (args_number(work->args, OPT_MARGIN, -1e6, 1e6, &c->margin) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    const int first = lw_report_count(work->robot.report);
    if (lw_collide_create(work->m, &c->solids, work->robot.report) != LW_OK) {
        print_diagnostics(work->robot.report, first);
        return EXIT_INPUT;
    }
    static const char *const methods[] = {"trees", "shapes", "all", NULL};
    const int method =
        args_has(work->args, OPT_COMPARE) ? args_choice(work->args, OPT_COMPARE, methods) : 0;
    if (method < 0) {
        return EXIT_USAGE;
    }
    lw_collide_use(c->solids, (lw_collide_method)method);
    const lw_collide_info *info = lw_collide_describe(c->solids);
    lw_pair_search search = {.samples = 1000, .seed = 1};
    search.allow_unseen = args_has(work->args, OPT_ALLOW_UNSEEN);
    if (args_whole(work->args, OPT_ALLOW_UNSEEN, 1, 1000000000, &search.samples) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    if ((search.allow_unseen || args_has(work->args, OPT_SEARCH_PAIRS)) &&
        lw_collide_search_pairs(c->solids, work->d, &search) != LW_OK) {
        return complain(EXIT_INPUT, "--search-pairs: the reference configuration has no poses");
    }
    if (info->nsolid == 0) {
        return complain(EXIT_INPUT,
                        "no link has a collision shape that is used: a box, sphere, "
                        "cylinder, capsule or mesh%s",
                        info->nmesh > 0 ? "; all are meshes that were not read" : "");
    }
    c->declared = memory_get(work->pool, (size_t)info->npair + 1, sizeof *c->declared);
    const int code = link_pairs_choose(&work->robot, work->args, c->solids, c->declared);
    return code == EXIT_GOOD ? save_srdf(work, c) : code;
}

// Why no pair is near.
static const char *none_text(const collision *c)
{
    const lw_collide_info *info = lw_collide_describe(c->solids);
    int checked = 0;
    for (int i = 0; i < info->npair; ++i) {
        checked += info->pair[i].reason == LW_PAIR_CHECKED;
    }
    return info->npair == 0 ? "only one link has collision shapes that are used: there is no pair"
           : checked == 0   ? "no pair is checked; --pairs tells why"
                            : "no pair that is checked is nearer than the margin";
}

static const char *reason_text(const job *work, const collision *c, int number)
{
    const lw_collide_pair *pair = &lw_collide_describe(c->solids)->pair[number];
    switch (pair->reason) {
    case LW_PAIR_SAME_BODY:
        return "same body";
    case LW_PAIR_ADJACENT:
        return memory_text(work->pool, "adjacent: %s", pair->joint);
    case LW_PAIR_DECLARED:
        return c->declared[number] && *c->declared[number]
                   ? memory_text(work->pool, "declared: %s", c->declared[number])
                   : "declared";
    case LW_PAIR_ALWAYS:
        return memory_text(work->pool, "always: overlap at the reference and in %d random states",
                           pair->samples);
    case LW_PAIR_NEVER:
        return "never: proven within the limits";
    case LW_PAIR_UNSEEN:
        return memory_text(work->pool,
                           "unseen: no contact in %d random states, at most %.2g of all (95 %%)",
                           pair->samples, 3.0 / pair->samples);
    case LW_PAIR_CHECKED:
        break;
    }
    return "checked";
}

static const char *verdict_text(lw_verdict verdict)
{
    return verdict == LW_VERDICT_FREE  ? "free"
           : verdict == LW_VERDICT_HIT ? "contact"
                                       : "uncertain";
}

static json_t *vector_json(output *out, lw_vec3 v)
{
    return output_numbers(out, &v.x, 3);
}

static void contact_json(output *out, json_t *item, const lw_distance *d, double margin)
{
    const double interval[2] = {d->lower, d->upper};
    json_t *points = output_array(out);
    output_append(out, points, vector_json(out, d->point[0]));
    output_append(out, points, vector_json(out, d->point[1]));
    output_put(out, item, "distance f, interval o, points o, normal o, verdict s", d->distance,
               output_numbers(out, interval, 2), points, vector_json(out, d->normal),
               verdict_text(lw_verdict_of(d, margin)));
}

// The names of a pair's links, as wide as the widest.
static void names_text(output *out, const job *work, const lw_collide_pair *pair)
{
    const lw_collide_info *info = lw_collide_describe(((collision *)work->context)->solids);
    int width = 0;
    for (int i = 0; i < info->npair; ++i) {
        for (int side = 0; side < 2; ++side) {
            const int here = output_width(work->m->frame[info->pair[i].frame[side]].name);
            width = here > width ? here : width;
        }
    }
    output_name(out, work->m->frame[pair->frame[0]].name, width + 2);
    output_name(out, work->m->frame[pair->frame[1]].name, width + 2);
}

// The face that two shapes in touch have in common.
static void patch_json(job *work, json_t *item, const lw_contact *contact)
{
    const collision *c = work->context;
    lw_contact_patch patch;
    if (contact->distance.lower > 1e-6 ||
        lw_collide_patch(c->solids, work->d, contact, 1e-6, &patch) != LW_OK || patch.npoint < 3) {
        return;
    }
    json_t *points = output_array(&work->out);
    for (int i = 0; i < patch.npoint; ++i) {
        output_append(&work->out, points, vector_json(&work->out, patch.point[i]));
    }
    output_put(&work->out, item, "patch o, area f", points, patch.area);
}

// A pair is free where it is farther apart than the margin.
static void print_pair(job *work, json_t *list, int number, const lw_contact *contact,
                       double margin)
{
    const lw_distance *distance = contact ? &contact->distance : NULL;
    output *out = &work->out;
    const collision *c = work->context;
    const lw_collide_pair *pair = &lw_collide_describe(c->solids)->pair[number];
    const char *reason = reason_text(work, c, number);
    if (list) {
        json_t *item = output_item(out, list);
        output_put(out, item, "a s, b s", work->m->frame[pair->frame[0]].name,
                   work->m->frame[pair->frame[1]].name);
        if (distance) {
            contact_json(out, item, distance, margin);
            patch_json(work, item, contact);
        }
        output_put(out, item, "reason s", reason);
        return;
    }
    names_text(out, work, pair);
    if (distance) {
        // What touches is 0.000000 m apart, not -0.000000.
        const double shown = fabs(distance->distance) < 5e-7 ? 0.0 : distance->distance;
        fprintf(out->text, "%12.6f m  %s\n", shown, verdict_text(lw_verdict_of(distance, margin)));
    } else {
        fprintf(out->text, "%s\n", reason);
    }
}

// The nearest points of all pairs that are printed, and the shapes nearer than the margin red.
static int draw_contacts(job *work, const double *q, const lw_contact *contact, int count,
                         double margin, const char *when)
{
    lw_vec3 *point = memory_get(work->pool, 2 * (size_t)count + 1, sizeof *point);
    bool *is_marked = memory_get(work->pool, (size_t)work->m->nshape + 1, sizeof *is_marked);
    int hits = 0;
    for (int k = 0; k < count; ++k) {
        const lw_distance *d = &contact[k].distance;
        point[2 * k] = d->point[0];
        point[2 * k + 1] = d->point[1];
        const bool is_hit = lw_verdict_of(d, margin) != LW_VERDICT_FREE;
        hits += is_hit;
        for (int side = 0; side < 2 && is_hit; ++side) {
            is_marked[contact[k].shape[side]] = true;
        }
    }
    const draw_options o = {
        .view = VIEW_ISO,
        .width = 900,
        .height = 720,
        .show = LW_SCENE_SHOW_TIPS,
        .what = memory_text(work->pool, "%s%d pairs, %d not free", when, count, hits),
        .is_marked = is_marked,
        .points = point,
        .npair = count};
    return draw_model(work->pool, work->m, work->d, q, &o, args_value(work->args, OPT_OUTPUT));
}

// Where the motion meets something; its end where it does not.
static int draw_motion(job *work, int i, const double *from, const double *to,
                       const lw_motion_verdict *found, double margin)
{
    const lw_model *m = work->m;
    const bool has_contact = found->contact.pair >= 0;
    const double t = has_contact ? found->t[1] : 1.0;
    double *v = job_numbers(work, 1, m->nv), *q = job_numbers(work, 1, m->nq);
    lw_status status = lw_difference(m, from, to, v);
    if (status == LW_OK) {
        status = lw_integrate(m, from, v, t, q);
    }
    return status == LW_OK ? draw_contacts(work, q, &found->contact, has_contact, margin,
                                           memory_text(work->pool, "at %.6g of the motion; ", t))
                           : job_failure(work, i, status);
}

// The motion from state i to --motion.
static int check_motion(job *work, int i, json_t *result)
{
    collision *c = work->context;
    output *out = &work->out;
    const lw_model *m = work->m;
    const double *from = states_q(&work->states, i);
    double *to = job_numbers(work, 1, m->nq);
    memcpy(to, from, (size_t)m->nq * sizeof *to);
    const int code = states_read_positions(work->args, OPT_MOTION, m, to);
    if (code != EXIT_GOOD) {
        return code;
    }
    const lw_motion_check check = {.margin = isfinite(c->margin) ? c->margin : 0.0,
                                   .resolution = 1e-6};
    lw_motion_verdict found;
    const lw_status status = lw_collide_motion(c->solids, work->d, from, to, &check, &found);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    const char *verdict = verdict_text(found.verdict);
    const bool has_contact = found.contact.pair >= 0;
    if (result) {
        json_t *item = output_object(out);
        output_put(out, item, "verdict s, t o, sampled o", verdict, output_numbers(out, found.t, 2),
                   json_boolean(found.is_sampled));
        output_set(out, result, "motion", item);
    } else if (found.distances == 0) {
        fprintf(out->text, "%s\n", none_text(c));
    } else if (found.verdict == LW_VERDICT_FREE) {
        fprintf(out->text, "the motion is free: proven with %d states\n", found.states);
    } else if (!has_contact) {
        fprintf(out->text,
                "no contact in %d states; closed loops: nothing is proven between them\n",
                found.states);
    } else if (found.t[1] == 0.0) {
        fprintf(out->text, "%s at the start of the motion\n", verdict);
    } else if (found.is_sampled) {
        fprintf(out->text, "%s at %.6f of the motion; closed loops: nothing is proven before\n",
                verdict, found.t[1]);
    } else {
        fprintf(out->text, "%s at %.6f of the motion; free before %.6f\n", verdict, found.t[1],
                found.t[0]);
    }
    if (has_contact) {
        print_pair(work, result ? json_object_get(result, "pairs") : NULL, found.contact.pair,
                   &found.contact, check.margin);
    }
    if (found.verdict != LW_VERDICT_FREE && args_has(work->args, OPT_FAIL_ON_CONTACT)) {
        work->code = EXIT_NUMERIC;
    }
    return args_has(work->args, OPT_OUTPUT) && i == 0
               ? draw_motion(work, i, from, to, &found, check.margin)
               : EXIT_GOOD;
}

static int check_state(job *work, int i, json_t *result)
{
    collision *c = work->context;
    const lw_collide_info *info = lw_collide_describe(c->solids);
    json_t *list = result ? json_object_get(result, "pairs") : NULL;
    lw_contact *contact = memory_get(work->pool, (size_t)info->npair + 1, sizeof *contact);
    int count = 0;
    const lw_status status = lw_collide_distances(c->solids, work->d, states_q(&work->states, i),
                                                  c->margin, info->npair, contact, &count);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    for (int k = 0; k < count; ++k) {
        const lw_distance *d = &contact[k].distance;
        print_pair(work, list, contact[k].pair, &contact[k], 0.0);
        if (args_has(work->args, OPT_FAIL_ON_CONTACT) && lw_verdict_of(d, 0.0) != LW_VERDICT_FREE) {
            work->code = EXIT_NUMERIC;
        }
    }
    if (count == 0 && !result) {
        fprintf(work->out.text, "%s\n", none_text(c));
    }
    return args_has(work->args, OPT_OUTPUT) && i == 0
               ? draw_contacts(work, states_q(&work->states, i), contact, count, 0.0, "")
               : EXIT_GOOD;
}

static int evaluate(job *work, int i, json_t *result)
{
    const lw_collide_info *info = lw_collide_describe(((collision *)work->context)->solids);
    json_t *list = result ? output_array(&work->out) : NULL;
    if (is_printed(work)) {
        return EXIT_GOOD;
    }
    if (result) {
        output_set(&work->out, result, "pairs", list);
    }
    if (args_has(work->args, OPT_PAIRS)) {
        for (int k = 0; k < info->npair; ++k) {
            print_pair(work, list, k, NULL, 0.0);
        }
        if (info->npair == 0 && !result) {
            fprintf(work->out.text, "%s\n", none_text(work->context));
        }
        return EXIT_GOOD;
    }
    const int code = args_has(work->args, OPT_MOTION) ? check_motion(work, i, result)
                                                      : check_state(work, i, result);
    if (code != EXIT_GOOD) {
        return code;
    }
    if (result) {
        const lw_collide_count count = lw_collide_take_count(((collision *)work->context)->solids);
        json_t *tests = output_object(&work->out);
        output_put(&work->out, tests, "shapes d, bounds d, boxes d, triangles d", (int)count.shapes,
                   (int)count.bounds, (int)count.boxes, (int)count.triangles);
        output_set(&work->out, result, "tests", tests);
        output_put(&work->out, result, "unused_meshes d", info->nmesh);
    } else if (info->nmesh > 0) {
        fprintf(work->out.text,
                "not checked: %d collision meshes that were not read: 'linkwork check' prints why, "
                "--path DIR adds a folder\n",
                info->nmesh);
    }
    if (info->nmesh > 0 && args_has(work->args, OPT_FAIL_ON_CONTACT)) {
        work->code = EXIT_NUMERIC; // what is not checked is not known to be free
    }
    return EXIT_GOOD;
}

static void end(job *work)
{
    lw_collide_destroy(((collision *)work->context)->solids);
}

const command_def command_collide = {
    .name = "collide",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION, OPT_MARGIN, OPT_MOTION, OPT_PAIRS,
                       OPT_SEARCH_PAIRS, OPT_ALLOW_UNSEEN, OPT_COMPARE, OPT_FIT,
                       OPT_FAIL_ON_CONTACT, OPT_SCENE, OPT_ATTACH, OPT_SAVE_SRDF, OPT_OUTPUT),
    .is_picture = true,
    .summary = "distances and contacts of the links of a mechanism",
    .about =
        "Computes how far the links are from each other, nearest first: the signed distance of "
        "their collision shapes, negative where they overlap, with an interval that contains the "
        "exact one. A pair is free or in contact only where that follows from the interval; "
        "otherwise it is uncertain. Pairs of one body, and those that a joint, a closing joint or "
        "a gear connects, are not checked; --pairs lists them. --search-pairs finds more that need "
        "no check: pairs that always overlap, and pairs that are proven never to touch; "
        "--allow-unseen N those that random states never saw in contact, without a proof.\n\n"
        "A motion is free only where that is proven for all of it; where it is not, the share of "
        "the motion before which it is proven is printed. Joints of closed loops do not move "
        "evenly: such a motion is sampled, and only a contact is proven.\n\n"
        "Shapes inside a bounding shape are compared only where that is not proven to be apart; "
        "--compare takes other ways, with the same verdicts.\n\n"
        "Boxes, spheres, cylinders, capsules and meshes are used. Meshes that were not found, or "
        "are neither STL nor OBJ, are not: their number is printed, and --fail-on-contact fails "
        "where there are any.\n\n"
        "--scene and --attach add shapes of other files; their links have the name of the file's "
        "mechanism in front: cell/table. They are checked against all links but those that they "
        "are fixed to. --output draws the state: a red line between the nearest points of each "
        "pair that is printed, and shapes in contact red; of a motion the state of the first "
        "contact, or its end where there is none.",
    .keys = "pairs: a, b, distance, interval, points, normal (world), verdict (free, contact, "
            "uncertain), reason, where faces touch also patch (corners) and area (m^2); tests: "
            "shapes, bounds, boxes, triangles (pairs that were "
            "compared); unused_meshes; with --motion also motion: verdict, t (free before, "
            "contact at), sampled; with --pairs only a, b, reason of each pair",
    .example = "collide arm.urdf -q 0,0.5,-2.5\n"
               "collide arm.urdf --margin 0.05 --fail-on-contact\n"
               "collide arm.urdf -q 0,0.5,-2.5 --motion 1,0.5,-1\n"
               "collide arm.urdf --pairs\n"
               "collide arm.urdf --scene cell.xml --margin 0.1 -o near.svg",
    .notes = NOTES({OPT_SRDF, "Leaves out the pairs that <disable_collisions> of this file names; "
                              "its <group_state> are names for -q and --motion."}),
    .context_size = sizeof(collision),
    .run = prepare,
    .evaluate = evaluate,
    .end = end,
};
