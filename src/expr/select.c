// The order of the search. One run keeps several choices side by side, each annealed at a
// temperature of its own; each proposes new values around itself, and all ways that are found serve
// all of them. Several runs begin anew from what was written, because what they propose leads them
// to different places. Further runs begin with the values that two of the cheapest results have in
// use, and so put together what each of them found; the cheapest of all is taken.
#include "search.h"

#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 2, ROUNDS = 6, ELITE = 6 };

enum { WHOLE = 90 }; ///< what an operation costs, but for what breaks ties: lwi_op_cost()

/// Pairs that one run looks at after its first round. Six joints need some four million; where
/// proposals breed more proposals, as between the rates of loops, a run ends here instead of
/// growing.
enum { MOST_PAIRS = 6000000 };

/// By effort: runs from what was written, and from pairs of results. Six joints take some 4, 9 and
/// 31 seconds.
static const int fresh_runs[4] = {0, 2, 6, 20};
static const int crossed_runs[4] = {0, 2, 4, 20};

/// Changes tried in one annealing, and at most so many for each node: small problems need no more.
enum { MOVES = 250000, MOVES_OF_NODE = 500 };

/// Where instructions count, few multiplications are searched for first: what fuses has to be
/// counted again after each change, and leads a long search nowhere. At the end these changes, in
/// hundredths of an operation cool, choose among ways that cost alike those that fuse.
enum { FUSING_MOVES = 60000, FUSING_HEAT = 20 };

/// In hundredths of an operation: the warm one finds what needs several steps up, the cool one
/// polishes.
static const int heat[MEMBERS] = {300, 150};

typedef struct selector {
    lwi_graph *g;
    int noutput;
    const lwi_output *output;
    lwi_cost cost;
    uint32_t *choice[MEMBERS]; ///< [capacity] by node of the graph
    long price[MEMBERS];
    unsigned char *is_paired; ///< [capacity]
    size_t capacity;
    lwi_sizes sizes;
    long pairs;         ///< looked at so far
    unsigned proposals; ///< what lwi_propose() looks for besides the usual
    bool is_lean;       ///< few multiplications are searched for first
} selector;

/// No pairs of the nodes from `first` on were looked at.
static lw_status extend_pairs(selector *s, size_t first)
{
    unsigned char *is_paired = realloc(s->is_paired, s->g->nnode);
    if (!is_paired) {
        return LW_ERR_MEMORY;
    }
    s->is_paired = is_paired;
    memset(is_paired + first, 0, s->g->nnode - first);
    s->capacity = s->g->nnode;
    return LW_OK;
}

/// Choices for nodes that were made since: the first way.
static lw_status extend(selector *s)
{
    if (s->g->status != LW_OK || s->g->nnode <= s->capacity) {
        return s->g->status;
    }
    for (int m = 0; m < MEMBERS; ++m) {
        uint32_t *choice = realloc(s->choice[m], s->g->nnode * sizeof *choice);
        if (!choice) {
            return LW_ERR_MEMORY;
        }
        s->choice[m] = choice;
        for (size_t k = s->capacity; k < s->g->nnode; ++k) {
            choice[k] = s->g->node[k].first;
        }
    }
    return extend_pairs(s, s->capacity);
}

/// Anneals one member over all ways that there are.
static lw_status improve(selector *s, int member, long changes, uint64_t seed, bool is_last)
{
    lwi_problem p = {0};
    lw_status status = extend(s);
    if (status == LW_OK) {
        status = lwi_problem_make(&p, s->g, s->noutput, s->output, s->cost, s->choice[member]);
    }
    if (status != LW_OK) {
        return status;
    }
    p.cost = s->is_lean ? LWI_COST_MULTIPLICATIONS : s->cost;
    const long most = (long)MOVES_OF_NODE * p.n;
    changes = changes < most ? changes : most;
    s->price[member] = lwi_anneal(&p, changes, heat[member], seed, &status);
    if (s->is_lean && is_last && status == LW_OK) {
        // Not the same changes once more.
        p.cost = s->cost;
        s->price[member] = lwi_anneal(&p, FUSING_MOVES, FUSING_HEAT, seed + 50, &status);
    }
    if (status == LW_OK) {
        lwi_problem_finish(&p, s->choice[member]);
        if (!is_last) {
            lwi_propose(s->g, &p, s->proposals);
            status = s->g->status;
        }
    }
    lwi_problem_free(&p);
    return status;
}

/// More ways between the nodes that could serve and those that were proposed since; *is_last where
/// there are too many to look at.
static lw_status widen(selector *s, size_t proposed, bool *is_last)
{
    lwi_problem p = {0};
    lw_status status = extend(s);
    if (status == LW_OK) {
        status = lwi_sizes_update(&s->sizes, s->g);
    }
    if (status == LW_OK) {
        status = lwi_problem_make(&p, s->g, s->noutput, s->output, s->cost, NULL);
    }
    if (status != LW_OK) {
        return status;
    }
    const size_t count = (size_t)p.n + s->g->nnode - proposed;
    uint32_t *list = malloc((count + 1) * sizeof *list);
    if (list) {
        // Those first whose pairs were looked at in an earlier round.
        int n = 0;
        for (int k = 0; k < p.n; ++k) {
            if (p.node[k] < proposed && s->is_paired[p.node[k]]) {
                list[n++] = p.node[k];
            }
        }
        const int nold = n;
        for (int k = 0; k < p.n; ++k) {
            if (p.node[k] < proposed && !s->is_paired[p.node[k]]) {
                list[n++] = p.node[k];
            }
        }
        for (size_t k = proposed; k < s->g->nnode; ++k) {
            list[n++] = (uint32_t)k;
        }
        s->pairs += ((long)n * n - (long)nold * nold) / 2;
        *is_last = nold > 0 && s->pairs > MOST_PAIRS;
        if (!*is_last) {
            lwi_saturate(s->g, n, list, nold, &s->sizes);
        }
        for (int k = 0; k < n; ++k) {
            s->is_paired[list[k]] = 1;
        }
    }
    free(list);
    lwi_problem_free(&p);
    return list ? s->g->status : LW_ERR_MEMORY;
}

static int best_member(const selector *s)
{
    int best = 0;
    for (int m = 1; m < MEMBERS; ++m) {
        best = s->price[m] < s->price[best] ? m : best;
    }
    return best;
}

/// The others begin anew where the cheapest is.
static void renew(selector *s)
{
    const int best = best_member(s);
    for (int m = 0; m < MEMBERS; ++m) {
        if (m != best) {
            memcpy(s->choice[m], s->choice[best], s->capacity * sizeof *s->choice[0]);
        }
    }
}

/// Looking at all pairs grows with the square of the size, so that large problems get few rounds,
/// and the largest none.
static int rounds_for(const lwi_graph *g, const selector *task, lw_status *status)
{
    enum { USUAL = 1000, LARGEST = 12000 };
    lwi_problem p = {0};
    *status = lwi_problem_make(&p, g, task->noutput, task->output, task->cost, NULL);
    const long n = p.n;
    lwi_problem_free(&p);
    if (n > LARGEST) {
        return 0;
    }
    const long rounds = n <= USUAL ? ROUNDS : ROUNDS * USUAL * USUAL / (n * n);
    return rounds < 1 ? 1 : (int)rounds;
}

/// One run; the graph is its own.
static lw_status search(selector *s, uint64_t seed)
{
    lw_status status;
    int rounds = rounds_for(s->g, s, &status);
    for (int round = 0; round <= rounds && status == LW_OK; ++round) {
        const size_t proposed = s->g->nnode;
        // The first round has only what was written, and the last one proposes nothing.
        for (int m = 0; m < MEMBERS && status == LW_OK; ++m) {
            status = improve(s, m, round == 0 ? 0 : MOVES, ++seed, round == rounds);
        }
        if (status == LW_OK && round < rounds) {
            bool is_last = false;
            status = widen(s, proposed, &is_last);
            rounds = is_last ? round + 1 : rounds;
        }
        if (status == LW_OK && round % 3 == 2) {
            renew(s);
        }
    }
    return status == LW_OK ? extend(s) : status;
}

static void release(selector *s)
{
    free(s->sizes.size);
    free(s->is_paired);
    for (int m = 0; m < MEMBERS; ++m) {
        free(s->choice[m]);
    }
    lwi_graph_destroy(s->g);
    *s = (selector){0};
}

/// The cheapest results so far, each with its graph, the cheapest first.
typedef struct elite {
    selector one[ELITE];
    int n;
} elite;

static long price_of(const selector *s)
{
    return s->price[best_member(s)];
}

/// Takes a result in, and lets go of what is one too many.
static void enter(elite *e, selector *s)
{
    const long price = price_of(s);
    if (e->n == ELITE && price >= price_of(&e->one[ELITE - 1])) {
        release(s);
        return;
    }
    int at = e->n;
    if (e->n == ELITE) {
        release(&e->one[--at]);
    } else {
        ++e->n;
    }
    for (; at > 0 && price < price_of(&e->one[at - 1]); --at) {
        e->one[at] = e->one[at - 1];
    }
    e->one[at] = *s;
}

/// Begins where two results ended, with the values that either has in use.
static lw_status cross(selector *s, const selector *const parent[MEMBERS], size_t nshared)
{
    // The second time all values are there, so that both choices have the same length.
    for (int round = 0; round < 2; ++round) {
        for (int m = 0; m < MEMBERS; ++m) {
            const selector *from = parent[m];
            free(s->choice[m]);
            const lw_status status = lwi_unite(s->g, from->g, nshared, s->noutput, s->output,
                                               from->choice[best_member(from)], &s->choice[m]);
            if (status != LW_OK) {
                return status;
            }
        }
    }
    return extend_pairs(s, 0);
}

/// One run on a copy of the graph.
/// @param parent what it begins with; NULL: with what was written
static lw_status run(const lwi_graph *g, const selector *task, int number,
                     const selector *const *parent, elite *e)
{
    selector s = *task;
    s.g = lwi_graph_copy(g);
    s.proposals = (number % 3 == 1 ? LWI_PROPOSE_MEETINGS : 0) | (parent ? LWI_PROPOSE_INNER : 0);
    lw_status status = s.g ? extend(&s) : LW_ERR_MEMORY;
    if (status == LW_OK && parent) {
        status = cross(&s, parent, g->nnode);
    }
    if (status == LW_OK) {
        status = search(&s, (uint64_t)number * 100);
    }
    if (status == LW_OK) {
        enter(e, &s);
    } else {
        release(&s);
    }
    return status;
}

/// Runs from what was written, then runs from pairs of the best.
static lw_status run_all(const lwi_graph *g, const selector *task, int effort, elite *e)
{
    lw_status status = LW_OK;
    int number = 0;
    while (number < fresh_runs[effort] && status == LW_OK) {
        status = run(g, task, number++, NULL, e);
    }
    for (int k = 0; k < crossed_runs[effort] && status == LW_OK && e->n > 1; ++k) {
        const int i = k % 3 % e->n, j = (i + 1 + k / 3 % (e->n - 1)) % e->n;
        const selector *const parent[MEMBERS] = {&e->one[i], &e->one[j]};
        status = run(g, task, number++, parent, e);
    }
    return status;
}

/// What the least effort finds, by itself, among the results, where it is cheaper by more than
/// `least_gain` hundredths of an operation.
static lw_status add_least(const lwi_graph *g, const selector *task, long least_gain, elite *e)
{
    elite least = {0};
    const lw_status status = run_all(g, task, 1, &least);
    for (int k = 0; k < least.n; ++k) {
        for (int m = 0; m < MEMBERS; ++m) {
            least.one[k].price[m] += least_gain;
        }
        enter(e, &least.one[k]);
    }
    return status;
}

lw_status lwi_tape_as_made(const lwi_graph *g, int noutput, const lwi_output *output,
                           lwi_tape **tape)
{
    *tape = NULL;
    if (g->status != LW_OK) {
        return g->status;
    }
    uint32_t *choice = malloc(g->nnode * sizeof *choice);
    if (!choice) {
        return LW_ERR_MEMORY;
    }
    for (size_t k = 0; k < g->nnode; ++k) {
        choice[k] = g->node[k].first;
    }
    const lw_status status = lwi_tape_of_choice(g, noutput, output, choice, tape);
    free(choice);
    return status;
}

/// The cheapest result that is accurate; the plain tape where none is.
static lw_status take_best(const lwi_graph *g, const selector *task, const elite *e,
                           lwi_tape **tape)
{
    lwi_accuracy accuracy = {0};
    lwi_tape *plain = NULL;
    lw_status status = lwi_tape_as_made(g, task->noutput, task->output, &plain);
    if (status == LW_OK) {
        status = lwi_accuracy_make(&accuracy, g, task->noutput, task->output, plain);
    }
    for (int k = 0; k < e->n && status == LW_OK && !*tape; ++k) {
        const selector *one = &e->one[k];
        bool is_accurate = false;
        status = lwi_tape_of_choice(one->g, task->noutput, task->output,
                                    one->choice[best_member(one)], tape);
        if (status == LW_OK) {
            status = lwi_accuracy_check(&accuracy, *tape, &is_accurate);
        }
        if (!is_accurate) {
            lwi_tape_destroy(*tape);
            *tape = NULL;
        }
    }
    if (status == LW_OK && !*tape) {
        *tape = plain;
        plain = NULL;
    }
    lwi_tape_destroy(plain);
    lwi_accuracy_free(&accuracy);
    return status;
}

/// The search, over a graph that is its own.
static lw_status choose(const lwi_graph *g, int noutput, const lwi_output *output,
                        const lwi_select_options *options, lwi_tape **tape)
{
    const int effort = options->effort < 0 ? 0 : options->effort > 3 ? 3 : options->effort;
    if (effort == 0) {
        return lwi_tape_as_made(g, noutput, output, tape);
    }
    selector task = {.noutput = noutput,
                     .output = output,
                     .cost = options->cost,
                     .is_lean = options->cost == LWI_COST_INSTRUCTIONS};
    elite e = {0};
    lw_status status = run_all(g, &task, effort, &e);
    // What the least effort finds is looked at too: more effort is never worse.
    if (status == LW_OK && effort > 1) {
        status = add_least(g, &task, 0, &e);
    }
    // In small problems the fewest operations are at times found on the way to few multiplications;
    // one of these for one addition more is no gain.
    if (status == LW_OK && options->cost == LWI_COST_OPERATIONS) {
        const bool is_small = rounds_for(g, &task, &status) == ROUNDS;
        task.is_lean = true;
        status = status == LW_OK && is_small ? add_least(g, &task, WHOLE, &e) : status;
    }
    if (status == LW_OK) {
        status = take_best(g, &task, &e, tape);
    }
    for (int k = 0; k < e.n; ++k) {
        release(&e.one[k]);
    }
    return status;
}

lw_status lwi_select(const lwi_graph *g, int noutput, const lwi_output *output,
                     const lwi_select_options *options, lwi_tape **tape)
{
    *tape = NULL;
    if (g->status != LW_OK) {
        return g->status;
    }
    lw_status status = LW_ERR_MEMORY;
    lwi_graph *canonical = NULL;
    lwi_expr *value = malloc(((size_t)noutput + 1) * sizeof *value);
    lwi_output *renumbered = malloc(((size_t)noutput + 1) * sizeof *renumbered);
    if (!value || !renumbered) {
        goto done;
    }
    for (int k = 0; k < noutput; ++k) {
        value[k] = output[k].value;
    }
    canonical = lwi_graph_canonical(g, noutput, value);
    if (!canonical) {
        goto done;
    }
    for (int k = 0; k < noutput; ++k) {
        renumbered[k] = output[k];
        renumbered[k].value = value[k];
    }
    status = choose(canonical, noutput, renumbered, options, tape);

done:
    lwi_graph_destroy(canonical);
    free(renumbered);
    free(value);
    return status;
}
