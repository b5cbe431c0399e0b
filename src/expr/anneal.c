// A choice of ways, improved by random changes of one way each. Nodes that nothing reads any more
// fall away, those that are read anew come in, by reference counts; a change that closes a circle
// is taken back, as is one that costs too much for the temperature (Kirkpatrick 1983).
#include "search.h"

#include <string.h>

typedef struct state {
    lwi_problem *p;
    long cost;
    uint64_t random;
    int *stack; ///< [2 nodes + some]
    int *undo;  ///< [2 * n] nodes whose choice was changed, and what it was
    int nundo;
    int *held; ///< [2 n] nodes that the last free hold() gave a reader
    int nheld;
    int *live;  ///< [nlive] nodes in use that are computed
    int *index; ///< [n] where a node is in that list
    int nlive;
    int *colour; ///< [n] of the last search for circles: 2 stamp - 1 is open, 2 stamp is done
    int stamp;
    /// [n] of nodes in use: above the ranks of all that they read, or UNRANKED since they came in
    int64_t *rank;
    lwi_arena arena;
    int *done; ///< [ndone] nodes that the last search for circles went into, readers last
    int ndone;
} state;

/// Ranks lie far apart, so that others fit in between.
#define UNRANKED INT64_MAX
#define RANK_STEP (INT64_C(1) << 36)

static uint64_t next_random(state *s)
{
    // Marsaglia's xorshift with a final multiplication
    s->random ^= s->random >> 12;
    s->random ^= s->random << 25;
    s->random ^= s->random >> 27;
    return s->random * UINT64_C(0x2545f4914f6cdd1d);
}

static int random_below(state *s, int n)
{
    return (int)((next_random(s) >> 33) * (uint64_t)n >> 31);
}

/// A way for a node that comes in: the one that needs the fewest others to come in.
static int pick_way(state *s, int node)
{
    const lwi_problem *p = s->p;
    int best = p->choice[node], fewest = 100;
    const int count = p->way_start[node + 1] - p->way_start[node];
    if (count < 2) {
        return best;
    }
    const int from = random_below(s, count);
    for (int k = 0; k < count; ++k) {
        const int w = p->way_start[node] + (from + k) % count;
        const lwi_problem_way *way = &p->way[w];
        int missing = 4 * !(way->op == LWI_OP_ADD || way->op == LWI_OP_MUL);
        missing += p->choice[way->a] >= 0 && p->ref[way->a] == 0;
        missing += way->b >= 0 && p->choice[way->b] >= 0 && p->ref[way->b] == 0;
        if (missing < fewest || (missing == fewest && w == p->choice[node])) {
            fewest = missing;
            best = w;
        }
    }
    return best;
}

/// A node comes into use, or falls out of it.
static void come(state *s, int node)
{
    s->index[node] = s->nlive;
    s->live[s->nlive++] = node;
}

static void go(state *s, int node)
{
    const int other = s->live[--s->nlive];
    s->live[s->index[node]] = other;
    s->index[other] = s->index[node];
}

/// One more reader of the nodes that a way reads, and of those that come in through that.
static void hold(state *s, int way, bool is_free_to_pick)
{
    lwi_problem *p = s->p;
    int depth = 0;
    s->stack[depth++] = way;
    while (depth > 0) {
        const lwi_problem_way *w = &p->way[s->stack[--depth]];
        const int reads[2] = {w->a, w->b};
        for (int k = 0; k < 2; ++k) {
            const int node = reads[k];
            if (node < 0) {
                continue;
            }
            if (is_free_to_pick) {
                s->held[s->nheld++] = node;
            }
            if (p->ref[node]++ > 0 || p->choice[node] < 0) {
                continue;
            }
            if (is_free_to_pick) {
                s->undo[s->nundo++] = node;
                s->undo[s->nundo++] = p->choice[node];
                p->choice[node] = pick_way(s, node);
                s->rank[node] = UNRANKED;
            }
            come(s, node);
            s->cost += lwi_op_cost(p->way[p->choice[node]].op, p->cost);
            s->stack[depth++] = p->choice[node];
        }
    }
}

/// The opposite.
static void release(state *s, int way)
{
    lwi_problem *p = s->p;
    int depth = 0;
    s->stack[depth++] = way;
    while (depth > 0) {
        const lwi_problem_way *w = &p->way[s->stack[--depth]];
        const int reads[2] = {w->a, w->b};
        for (int k = 0; k < 2; ++k) {
            const int node = reads[k];
            if (node < 0 || --p->ref[node] > 0 || p->choice[node] < 0) {
                continue;
            }
            go(s, node);
            s->cost -= lwi_op_cost(p->way[p->choice[node]].op, p->cost);
            s->stack[depth++] = p->choice[node];
        }
    }
}

/// Goes depth first through what a node reads, by the ways as they are chosen, into ranks above
/// `limit` only; lists what it went into, readers last.
/// @return whether it came upon a circle
static bool explore(state *s, int node, int64_t limit)
{
    const lwi_problem *p = s->p;
    const int open = 2 * s->stamp - 1, done = 2 * s->stamp;
    int depth = 0;
    s->stack[depth++] = node;
    while (depth > 0) {
        const int at = s->stack[depth - 1];
        if (s->colour[at] == open) {
            s->colour[at] = done;
            s->done[s->ndone++] = at;
        }
        if (s->colour[at] == done) {
            --depth;
            continue;
        }
        s->colour[at] = open;
        const lwi_problem_way *w = &p->way[p->choice[at]];
        const int reads[2] = {w->a, w->b};
        for (int k = 0; k < 2; ++k) {
            const int below = reads[k];
            if (below < 0 || p->choice[below] < 0 || s->rank[below] < limit ||
                s->colour[below] == done) {
                continue;
            }
            if (s->colour[below] == open) {
                return true;
            }
            s->stack[depth++] = below;
        }
    }
    return false;
}

static void begin_exploring(state *s)
{
    if (s->stamp > 1000000000) {
        memset(s->colour, 0, (size_t)s->p->n * sizeof *s->colour);
        s->stamp = 0;
    }
    ++s->stamp;
    s->ndone = 0;
}

/// Whether a node whose way was changed is reached from itself. What has a lower rank than it was
/// below it before and does not reach it.
static bool is_circle(state *s, int node)
{
    begin_exploring(s);
    return explore(s, node, s->rank[node]);
}

/// Ranks for all nodes in use, from the outputs.
static void rank_all(state *s)
{
    const lwi_problem *p = s->p;
    begin_exploring(s);
    for (int k = 0; k < p->noutput; ++k) {
        if (p->choice[p->output[k]] >= 0) {
            explore(s, p->output[k], INT64_MIN);
        }
    }
    for (int k = 0; k < s->ndone; ++k) {
        s->rank[s->done[k]] = (k + 1) * RANK_STEP;
    }
}

/// After a change that is_circle() found good: what the node reads gets ranks below its own, above
/// those that it reads in turn. Ranks only sink, so that other readers stay above.
static void rank_below(state *s, int node)
{
    const lwi_problem *p = s->p;
    const int count = s->ndone - 1; // the node itself comes last
    const int64_t limit = s->rank[node];
    int64_t lowest = 0;
    for (int k = 0; k < count; ++k) {
        const lwi_problem_way *w = &p->way[p->choice[s->done[k]]];
        const int reads[2] = {w->a, w->b};
        for (int i = 0; i < 2; ++i) {
            const bool is_ranked = reads[i] >= 0 && p->choice[reads[i]] >= 0;
            const int64_t rank = is_ranked ? s->rank[reads[i]] : 0;
            lowest = rank < limit && rank > lowest ? rank : lowest;
        }
    }
    const int64_t step = (limit - lowest) / (count + 1);
    if (step == 0) {
        rank_all(s);
        return;
    }
    for (int k = 0; k < count; ++k) {
        s->rank[s->done[k]] = lowest + (k + 1) * step;
    }
}

/// What fused products save: each addition is fused with one product that nothing else reads.
static long fused(const state *s)
{
    const lwi_problem *p = s->p;
    long saved = 0;
    for (int k = 0; k < s->nlive; ++k) {
        const lwi_problem_way *w = &p->way[p->choice[s->live[k]]];
        if (w->op != LWI_OP_ADD) {
            continue;
        }
        const int reads[2] = {w->a, w->b};
        for (int i = 0; i < 2; ++i) {
            const int c = p->choice[reads[i]];
            if (c >= 0 && p->ref[reads[i]] == 1 && p->way[c].op == LWI_OP_MUL) {
                saved += lwi_op_cost(LWI_OP_MUL, p->cost);
                break;
            }
        }
    }
    return saved;
}

static long full_cost(const state *s)
{
    return s->p->cost == LWI_COST_INSTRUCTIONS ? s->cost - fused(s) : s->cost;
}

static void restore_choices(state *s)
{
    while (s->nundo > 0) {
        s->nundo -= 2;
        s->p->choice[s->undo[s->nundo]] = s->undo[s->nundo + 1];
    }
}

/// Undoes a hold() that closed a circle, where references do not determine what is to be released.
static void unhold(state *s)
{
    while (s->nheld > 0) {
        const int node = s->held[--s->nheld];
        if (--s->p->ref[node] == 0 && s->p->choice[node] >= 0) {
            go(s, node);
        }
    }
    restore_choices(s);
}

/// Undoes a whole change of `node` from `old`.
static void take_back(state *s, int node, int old)
{
    lwi_problem *p = s->p;
    const int tried = p->choice[node];
    s->cost += lwi_op_cost(p->way[old].op, p->cost) - lwi_op_cost(p->way[tried].op, p->cost);
    p->choice[node] = old;
    hold(s, old, false);
    release(s, tried);
    restore_choices(s);
}

/// Counts readers from the outputs through the ways that are chosen.
static void hold_outputs(state *s)
{
    lwi_problem *p = s->p;
    memset(p->ref, 0, (size_t)p->n * sizeof *p->ref);
    s->nlive = 0;
    s->cost = 0;
    for (int k = 0; k < p->noutput; ++k) {
        const int node = p->output[k];
        if (p->ref[node]++ == 0 && p->choice[node] >= 0) {
            come(s, node);
            s->cost += lwi_op_cost(p->way[p->choice[node]].op, p->cost);
            hold(s, p->choice[node], false);
        }
    }
}

static bool start(state *s, uint64_t seed)
{
    const size_t n = (size_t)s->p->n + 8;
    s->stack = lwi_arena_take(&s->arena, 2 * ((size_t)s->p->nway + n), sizeof *s->stack);
    s->undo = lwi_arena_take(&s->arena, 2 * n, sizeof *s->undo);
    s->held = lwi_arena_take(&s->arena, 2 * n, sizeof *s->held);
    s->live = lwi_arena_take(&s->arena, n, sizeof *s->live);
    s->index = lwi_arena_take(&s->arena, n, sizeof *s->index);
    s->colour = lwi_arena_take(&s->arena, n, sizeof *s->colour);
    s->rank = lwi_arena_take(&s->arena, n, sizeof *s->rank);
    s->done = lwi_arena_take(&s->arena, n, sizeof *s->done);
    s->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    if (!s->stack || !s->undo || !s->held || !s->live || !s->index || !s->colour || !s->rank ||
        !s->done) {
        return false;
    }
    hold_outputs(s);
    rank_all(s);
    return true;
}

/// The temperature in thousandths of a cost, in whole numbers: libraries and compilers differ in
/// the last digit of what is not, and one accepted change more leads to another tape.
static long warmth(long move, long moves, int hot)
{
    const int64_t left = moves - move, all = moves;
    return (long)(1000 + 1000 * (int64_t)hot * left / all * left / all);
}

/// Whether a random number in [0, 1) is below exp(-x), for which (1 + x / 32)^-32 does, in
/// operations that are the same everywhere.
static bool is_accepted(long more, long warm, double chance)
{
    double y = 1.0 + 1000.0 * (double)more / (double)warm / 32.0;
    for (int k = 0; k < 5; ++k) {
        y *= y;
    }
    return chance * y < 1.0;
}

long lwi_anneal(lwi_problem *p, long moves, int hot, uint64_t seed, lw_status *status)
{
    state s = {.p = p};
    int *best = lwi_arena_take(&s.arena, (size_t)p->n + 1, sizeof *best);
    long least = 0;
    *status = LW_ERR_MEMORY;
    if (!best || !start(&s, seed)) {
        goto done;
    }
    *status = LW_OK;
    long now = full_cost(&s);
    least = now;
    memcpy(best, p->choice, (size_t)p->n * sizeof *best);
    for (long move = 0; move < moves && s.nlive > 0; ++move) {
        const int node = s.live[random_below(&s, s.nlive)];
        const int old = p->choice[node];
        const int count = p->way_start[node + 1] - p->way_start[node];
        const int tried = p->way_start[node] + random_below(&s, count);
        if (tried == old) {
            continue;
        }
        const long before = s.cost;
        s.nundo = s.nheld = 0;
        s.cost += lwi_op_cost(p->way[tried].op, p->cost) - lwi_op_cost(p->way[old].op, p->cost);
        p->choice[node] = tried;
        hold(&s, tried, true);
        if (is_circle(&s, node)) {
            unhold(&s);
            p->choice[node] = old;
            s.cost = before;
            continue;
        }
        release(&s, old);
        const long cost = full_cost(&s);
        const double chance = (double)(next_random(&s) >> 11) * 0x1p-53;
        if (cost > now && !is_accepted(cost - now, warmth(move, moves, hot), chance)) {
            take_back(&s, node, old);
            continue;
        }
        rank_below(&s, node);
        now = cost;
        if (now < least) {
            least = now;
            memcpy(best, p->choice, (size_t)p->n * sizeof *best);
        }
    }
    memcpy(p->choice, best, (size_t)p->n * sizeof *best);
    hold_outputs(&s);

done:
    lwi_arena_free(&s.arena);
    return least;
}
