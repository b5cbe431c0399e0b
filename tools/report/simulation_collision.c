// Collisions along a simulation: each step is a motion that is proven free, or not.
#include "report/simulation.h"
#include "support/link_pairs.h"
#include "support/message.h"

#include <string.h>

int collision_start(simulation *s, const command_line *args)
{
    collision_watch *w = &s->watch;
    const lw_model *m = s->robot->model;
    if (w->mode == COLLISION_IGNORED) {
        return EXIT_GOOD;
    }
    const int first = lw_report_count(s->robot->report);
    const lw_status status = lw_collide_create(m, &w->shapes, s->robot->report);
    print_diagnostics(s->robot->report, first); // meshes that were not read are not checked
    if (status != LW_OK) {
        return EXIT_INPUT;
    }
    if (lw_data_create(m, &w->data) != LW_OK) {
        return no_memory();
    }
    const lw_collide_info *info = lw_collide_describe(w->shapes);
    if (info->npair == 0) {
        return complain(EXIT_INPUT,
                        "--collision: no two links have collision shapes that are used");
    }
    w->q = memory_numbers(s->pool, m->nq + 1, 1);
    return link_pairs_choose(s->robot, args, w->shapes, NULL);
}

// Pairs that are not free where the simulation begins are designed so, and left out.
static lw_status leave_out_first(collision_watch *w, const double *q)
{
    const lw_collide_info *info = lw_collide_describe(w->shapes);
    lw_verdict verdict = LW_VERDICT_HIT;
    lw_contact contact;
    lw_status status = LW_OK;
    for (int i = 0; i <= info->npair && verdict != LW_VERDICT_FREE && status == LW_OK; ++i) {
        status = lw_collide_check(w->shapes, w->data, q, w->margin, &verdict, &contact);
        if (status == LW_OK && verdict != LW_VERDICT_FREE) {
            lw_collide_allow(w->shapes, contact.pair, true);
            ++w->left_out;
        }
    }
    return status;
}

lw_status collision_step(simulation *s, double t, const double *q)
{
    collision_watch *w = &s->watch;
    const lw_model *m = s->robot->model;
    lw_status status = LW_OK;
    if (w->mode == COLLISION_IGNORED || w->is_found) {
        return LW_OK;
    }
    if (!w->has_begun) {
        status = leave_out_first(w, q);
    } else {
        const lw_motion_check check = {.margin = w->margin, .resolution = 1e-6};
        lw_motion_verdict found;
        status = lw_collide_motion(w->shapes, w->data, w->q, q, &check, &found);
        if (status == LW_OK && found.verdict != LW_VERDICT_FREE && found.contact.pair >= 0) {
            w->is_found = true;
            w->is_proven = found.verdict == LW_VERDICT_HIT;
            w->pair = found.contact.pair;
            w->at = w->t + found.t[1] * (t - w->t);
            w->before = w->t + found.t[0] * (t - w->t);
            w->distance = found.contact.distance.distance;
        }
    }
    w->has_begun = true;
    w->t = t;
    memcpy(w->q, q, (size_t)m->nq * sizeof *q);
    return status;
}

// The names of the pair, and the times.
void collision_report(output *out, const simulation *s, json_t *result)
{
    const collision_watch *w = &s->watch;
    if (w->mode == COLLISION_IGNORED) {
        return;
    }
    const lw_model *m = s->robot->model;
    const lw_collide_pair *pair = &lw_collide_describe(w->shapes)->pair[w->is_found ? w->pair : 0];
    const char *a = m->frame[pair->frame[0]].name, *b = m->frame[pair->frame[1]].name;
    if (result) {
        json_t *item = output_object(out);
        output_put(out, item, "found o, left_out d", json_boolean(w->is_found), w->left_out);
        if (w->is_found) {
            output_put(out, item, "a s, b s, t f, free_before f, distance f, proven o", a, b, w->at,
                       w->before, w->distance, json_boolean(w->is_proven));
        }
        output_set(out, result, "collision", item);
    } else if (w->is_found) {
        fprintf(out->text, "  collision         %s and %s at %.6g s%s; free before %.6g s\n", a, b,
                w->at, w->is_proven ? "" : ", not proven", w->before);
    } else {
        fprintf(out->text, "  collision         none\n");
    }
    if (w->left_out > 0 && !result) {
        fprintf(out->text,
                "                    %d pairs are not free at the begin, and do not count\n",
                w->left_out);
    }
}

int collision_complain(const simulation *s)
{
    const collision_watch *w = &s->watch;
    if (!w->is_found) {
        return EXIT_GOOD;
    }
    const lw_model *m = s->robot->model;
    const lw_collide_pair *pair = &lw_collide_describe(w->shapes)->pair[w->pair];
    complain(EXIT_NUMERIC, "collision at %.6g s: %s and %s%s", w->at, m->frame[pair->frame[0]].name,
             m->frame[pair->frame[1]].name, w->is_proven ? "" : " (not proven)");
    return w->mode == COLLISION_STOPS ? EXIT_NUMERIC : EXIT_GOOD;
}

void collision_free(collision_watch *w)
{
    lw_collide_destroy(w->shapes);
    lw_data_destroy(w->data);
}
