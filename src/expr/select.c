#include "search.h"

#include <stdlib.h>
#include <string.h>

typedef struct selector {
    lwi_graph *g;
    int noutput;
    const lwi_output *output;
    lwi_cost cost;
    uint32_t *choice; ///< [room] by node of the graph; LWI_NONE: none yet
    size_t room;
    lwi_sizes sizes;
} selector;

/// Choices for nodes that were made since.
static lw_status extend(selector *s)
{
    if (s->g->status != LW_OK || s->g->nnode <= s->room) {
        return s->g->status;
    }
    uint32_t *choice = realloc(s->choice, s->g->nnode * sizeof *choice);
    if (!choice) {
        return LW_ERR_MEMORY;
    }
    s->choice = choice;
    for (; s->room < s->g->nnode; s->room++) {
        choice[s->room] = s->g->node[s->room].first;
    }
    return LW_OK;
}

/// One round: anneal over all ways that there are, and remember the choice.
static lw_status improve(selector *s, long moves, double hot, uint64_t seed, lwi_problem *p)
{
    lw_status status = extend(s);
    if (status == LW_OK) {
        status = lwi_problem_make(p, s->g, s->noutput, s->output, s->cost, false);
    }
    if (status != LW_OK) {
        return status;
    }
    lwi_problem_start(p, s->choice);
    lwi_anneal(p, moves, hot, seed, &status);
    if (status == LW_OK) {
        lwi_problem_finish(p, s->choice);
    }
    return status;
}

/// More ways between the nodes that could serve and those that were proposed since.
static lw_status widen(selector *s, size_t proposed)
{
    lwi_problem p = {0};
    uint32_t *list = NULL;
    lw_status status = lwi_sizes_update(&s->sizes, s->g);
    if (status == LW_OK) {
        status = lwi_problem_make(&p, s->g, s->noutput, s->output, s->cost, false);
    }
    if (status != LW_OK) {
        return status;
    }
    const size_t count = (size_t)p.n + s->g->nnode - proposed;
    list = malloc((count + 1) * sizeof *list);
    if (list) {
        int n = 0;
        for (int k = 0; k < p.n; k++) {
            if (p.node[k] < proposed) {
                list[n++] = p.node[k];
            }
        }
        for (size_t k = proposed; k < s->g->nnode; k++) {
            list[n++] = (uint32_t)k;
        }
        lwi_saturate(s->g, n, list, 0, &s->sizes);
    }
    free(list);
    lwi_problem_free(&p);
    return list ? s->g->status : LW_ERR_MEMORY;
}

static lw_status search(selector *s, int effort)
{
    lwi_problem p = {0};
    const char *e = getenv("MOVES"), *r = getenv("ROUNDS"), *h = getenv("HOT");
    long moves = e ? atol(e) : 300000;
    int rounds = r ? atoi(r) : 3;
    double hot = h ? atof(h) : 1.0;
    (void)effort;
    lw_status status = improve(s, 0, 1.0, 1, &p);
    for (int round = 0; round < rounds && status == LW_OK; round++) {
        const size_t proposed = s->g->nnode;
        lwi_propose(s->g, &p, round);
        lwi_problem_free(&p);
        status = extend(s);
        if (status == LW_OK) {
            status = widen(s, proposed);
        }
        if (status == LW_OK) {
            status = improve(s, moves, hot, (uint64_t)round + 1, &p);
        }
        if (getenv("VERBOSE")) {
            extern int printf(const char *, ...);
            long c = 0, m=0,a=0;
            for (int k = 0; k < p.n; k++) c += p.ref[k] > 0 && p.choice[k] >= 0;
            (void)m;(void)a;
            printf("round %d: n %d ways %d active %ld\n", round, p.n, p.nway, c);
        }
    }
    lwi_problem_free(&p);
    return status;
}

lw_status lwi_select(lwi_graph *g, int noutput, const lwi_output *output,
                     const lwi_select_options *options, lwi_tape **tape)
{
    *tape = NULL;
    selector s = {.g = g, .noutput = noutput, .output = output, .cost = options->cost};
    lw_status status = extend(&s);
    if (status == LW_OK && options->effort > 0) {
        status = search(&s, options->effort);
    }
    if (status == LW_OK) {
        status = lwi_tape_of_choice(g, noutput, output, s.choice, tape);
    }
    free(s.sizes.size);
    free(s.choice);
    return status;
}
