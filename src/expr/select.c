// The order of the search: several choices are kept side by side, each annealed at a temperature of
// its own; each proposes new values around itself, and all ways that are found serve all of them.
#include "search.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_MEMBERS = 4 };

typedef struct plan {
    int members, rounds;
    long moves;
} plan;

/// By effort. Six joints take some 3, 12 and 50 seconds.
static const plan plans[4] = {{0, 0, 0}, {2, 7, 1200000}, {3, 12, 3000000}, {4, 24, 5000000}};

/// In operations: the warm ones find what needs several steps up, the cool ones polish.
static const double heat[MAX_MEMBERS] = {2.0, 1.0, 3.0, 1.5};

typedef struct selector {
    lwi_graph *g;
    int noutput;
    const lwi_output *output;
    lwi_cost cost;
    uint32_t *choice[MAX_MEMBERS]; ///< [room] by node of the graph
    long price[MAX_MEMBERS];
    size_t room;
    lwi_sizes sizes;
} selector;

/// Choices for nodes that were made since: the first way.
static lw_status extend(selector *s)
{
    if (s->g->status != LW_OK || s->g->nnode <= s->room) {
        return s->g->status;
    }
    for (int m = 0; m < MAX_MEMBERS; m++) {
        uint32_t *choice = realloc(s->choice[m], s->g->nnode * sizeof *choice);
        if (!choice) {
            return LW_ERR_MEMORY;
        }
        s->choice[m] = choice;
        for (size_t k = s->room; k < s->g->nnode; k++) {
            choice[k] = s->g->node[k].first;
        }
    }
    s->room = s->g->nnode;
    return LW_OK;
}

/// Anneals one member over all ways that there are.
static lw_status improve(selector *s, int member, long moves, uint64_t seed, bool is_to_propose)
{
    lwi_problem p = {0};
    lw_status status = extend(s);
    if (status == LW_OK) {
        status = lwi_problem_make(&p, s->g, s->noutput, s->output, s->cost, s->choice[member]);
    }
    if (status != LW_OK) {
        return status;
    }
    s->price[member] = lwi_anneal(&p, moves, heat[member], seed, &status);
    if (status == LW_OK) {
        lwi_problem_finish(&p, s->choice[member]);
        if (is_to_propose) {
            lwi_propose(s->g, &p);
            status = s->g->status;
        }
    }
    lwi_problem_free(&p);
    return status;
}

/// More ways between the nodes that could serve and those that were proposed since.
static lw_status widen(selector *s, size_t proposed)
{
    lwi_problem p = {0};
    lw_status status = lwi_sizes_update(&s->sizes, s->g);
    if (status == LW_OK) {
        status = lwi_problem_make(&p, s->g, s->noutput, s->output, s->cost, NULL);
    }
    if (status != LW_OK) {
        return status;
    }
    const size_t count = (size_t)p.n + s->g->nnode - proposed;
    uint32_t *list = malloc((count + 1) * sizeof *list);
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
        lwi_saturate(s->g, n, list, &s->sizes);
    }
    free(list);
    lwi_problem_free(&p);
    return list ? s->g->status : LW_ERR_MEMORY;
}

static int best_member(const selector *s, int members)
{
    int best = 0;
    for (int m = 1; m < members; m++) {
        best = s->price[m] < s->price[best] ? m : best;
    }
    return best;
}

/// The dearest member begins anew where the cheapest is.
static void renew_worst(selector *s, int members)
{
    int worst = 0;
    for (int m = 1; m < members; m++) {
        worst = s->price[m] >= s->price[worst] ? m : worst;
    }
    const int best = best_member(s, members);
    if (best != worst) {
        memcpy(s->choice[worst], s->choice[best], s->room * sizeof *s->choice[0]);
    }
}

/// Looking at all pairs grows with the square of the size, so that large problems get few rounds,
/// and the largest none.
static int rounds_for(const selector *s, const plan *by, lw_status *status)
{
    enum { USUAL = 700, LARGEST = 12000 };
    lwi_problem p = {0};
    *status = lwi_problem_make(&p, s->g, s->noutput, s->output, s->cost, NULL);
    const long n = p.n;
    lwi_problem_free(&p);
    if (n > LARGEST) {
        return 0;
    }
    const long rounds = n <= USUAL ? by->rounds : by->rounds * USUAL * USUAL / (n * n);
    return rounds < 1 ? 1 : (int)rounds;
}

static lw_status search(selector *s, const plan *by)
{
    lw_status status;
    const int rounds = rounds_for(s, by, &status);
    const int members = rounds > 1 ? by->members : 1;
    for (int round = 0; round <= rounds && status == LW_OK; round++) {
        const size_t proposed = s->g->nnode;
        // The first round has only what was written, and the last one proposes nothing.
        for (int m = 0; m < members && status == LW_OK; m++) {
            const uint64_t seed = (uint64_t)(round * MAX_MEMBERS + m + 1);
            status = improve(s, m, round == 0 ? 0 : by->moves, seed, round < rounds);
        }
        if (status == LW_OK && round < rounds) {
            status = widen(s, proposed);
        }
        if (round % 3 == 2) {
            renew_worst(s, members);
        }
    }
    if (status == LW_OK) {
        status = extend(s);
    }
    const int best = best_member(s, members);
    uint32_t *choice = s->choice[best];
    s->choice[best] = s->choice[0];
    s->choice[0] = choice;
    return status;
}

lw_status lwi_select(lwi_graph *g, int noutput, const lwi_output *output,
                     const lwi_select_options *options, lwi_tape **tape)
{
    *tape = NULL;
    selector s = {.g = g, .noutput = noutput, .output = output, .cost = options->cost};
    lw_status status = extend(&s);
    const int effort = options->effort < 0 ? 0 : options->effort > 3 ? 3 : options->effort;
    if (status == LW_OK && effort > 0) {
        status = search(&s, &plans[effort]);
    }
    if (status == LW_OK) {
        status = lwi_tape_of_choice(g, noutput, output, s.choice[0], tape);
    }
    free(s.sizes.size);
    for (int m = 0; m < MAX_MEMBERS; m++) {
        free(s.choice[m]);
    }
    return status;
}
