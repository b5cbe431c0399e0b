#include "results.h"

#include <math.h>
#include <string.h>

/// Answers of other engines may differ by the rounding of other algorithms; a wrong sign or a wrong
/// frame differs by far more.
static const double tolerance = 1e-6;

static record *find(results *r, int build, int which, const char *engine, const char *function)
{
    for (int i = 0; i < r->nrecord; ++i) {
        record *old = &r->record[i];
        if (old->build == build && old->which == which && strcmp(old->engine, engine) == 0 &&
            strcmp(old->function, function) == 0) {
            return old;
        }
    }
    if (r->nrecord == MOST_RECORDS) {
        return NULL;
    }
    record *new = &r->record[r->nrecord++];
    *new = (record){.build = build, .which = which};
    snprintf(new->engine, sizeof new->engine, "%s", engine);
    snprintf(new->function, sizeof new->function, "%s", function);
    return new;
}

bool results_add(results *r, int build, int which, const char *engine, const char *line)
{
    char function[32], why[TEXT_SIZE];
    double ns, worst;
    if (sscanf(line, "time %31s %lf %lf", function, &ns, &worst) == 3 && ns > 0.0) {
        record *at = find(r, build, which, engine, function);
        if (at) {
            at->ns = at->ns > 0.0 ? fmin(at->ns, ns) : ns;
            at->in_round[r->round] = ns;
            at->worst = worst >= at->worst ? worst : at->worst;
            if (!(worst <= tolerance)) {
                snprintf(at->why, sizeof at->why, "its answers differ from linkwork's by %.1e",
                         worst);
            }
        }
        return at != NULL;
    }
    if (sscanf(line, "none %31s %199[^\n]", function, why) == 2) {
        record *at = find(r, build, which, engine, function);
        if (at) {
            memcpy(at->why, why, sizeof why);
        }
        return at != NULL;
    }
    return false;
}

double results_ns_in(const results *r, int round, int which, int build, const char *engine,
                     const char *function)
{
    double least = 0.0;
    for (int i = 0; i < r->nrecord; ++i) {
        const record *at = &r->record[i];
        const double ns = round == ALL_ROUNDS ? at->ns : at->in_round[round];
        if (at->which == which && (build < 0 || at->build == build) && ns > 0.0 &&
            at->worst <= tolerance && strcmp(at->engine, engine) == 0 &&
            strcmp(at->function, function) == 0) {
            least = least > 0.0 ? fmin(least, ns) : ns;
        }
    }
    return least;
}

double results_ns(const results *r, int which, int build, const char *engine, const char *function)
{
    return results_ns_in(r, ALL_ROUNDS, which, build, engine, function);
}

double results_worst(const results *r, int which, const char *engine)
{
    double worst = -1.0;
    for (int i = 0; i < r->nrecord; ++i) {
        const record *at = &r->record[i];
        if (at->which == which && at->ns > 0.0 && at->worst <= tolerance &&
            strcmp(at->engine, engine) == 0) {
            worst = fmax(worst, at->worst);
        }
    }
    return worst;
}
