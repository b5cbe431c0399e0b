// The order in which statements are written.
//
// A tape computes one result after the other, which keeps few values alive but makes each statement
// wait for the one before. A processor looks ahead over some hundred instructions at most, and
// compilers leave long blocks as they find them, so that the order decides what runs side by side:
// statements from which the longest chain of operations still hangs come first, unless what they
// read is not there yet, or too many values would have to be kept. Measured with gcc and clang on
// UR5 and Panda this takes a tenth to a quarter off the time.
//
// Sines and cosines of several positions come from one call, which is a statement that reads
// nothing. Positions from whose sines the longest chains hang share the first call: most of a mass
// matrix goes from the tip to the base, and begins while the angles near the base are still on
// their way.

#include "emit.h"

#include <string.h>

enum {
    MOST_LIVE = 24, ///< values that are kept before statements that need fewer are preferred
    WINDOW = 128,   ///< statements that are looked at for each that is chosen

    // In half cycles of a processor that begins two multiplications per cycle.
    LATENCY = 6, ///< of a sum or a product
    LATENCY_FUSED = 8,
    LATENCY_DIVISION = 26,
    LATENCY_FUNCTION = 80,
    COST_ANGLES = 40 ///< of a call that gives sines and cosines, with all that it reads
};

/// A statement: a line with those that stand within it, or sine and cosine of a position. Numbered
/// by that line, or the first of these.
typedef struct statement {
    int first;     ///< of its lines, going on by next[]; -1 where there is no such statement
    int with;      ///< the next position of the same call, -1 for none
    int read_from; ///< its part of read[]
    int user_from; ///< its part of user[]
    int nread, nuser;
    int left;      ///< statements that it reads and that are not written yet
    int waiting;   ///< statements that read it and are not written yet
    int latency;   ///< from what it reads to what it gives
    int height;    ///< the same from what it reads to the last result that depends on it
    int cost;      ///< half cycles in which nothing else can begin
    int available; ///< when what it reads is there
} statement;

typedef struct scheduler {
    const lwi_tape *tape;
    const unsigned char *location; ///< [nline]
    statement *s;                  ///< [nline]
    int *angle, nangle;            ///< statements that are positions
    int *of_input;                 ///< [ninput] the same by position, -1 for none
    int *root, *next, *depth; ///< [nline] statement of a line, the next line in it; its latency
    int *read, *user;         ///< statements that one reads, each once; that read it
    int *heap, nheap;         ///< those that may be written, the highest first
    int time, live;
} scheduler;

static bool is_inner(const scheduler *c, int line)
{
    return c->location[line] == LWI_WITHIN;
}

static bool is_root(const scheduler *c, int line)
{
    return c->location[line] == LWI_ALONE;
}

static bool is_angle(const scheduler *c, int line)
{
    return c->location[line] == LWI_ANGLE;
}

// The lines that a line reads, -1 for inputs and numbers.
static void reads_of(const scheduler *c, int line, int read[2])
{
    const int first = c->tape->ninput + c->tape->nnumber;
    const lwi_line *l = &c->tape->line[line];
    read[0] = (int)(l->a >> 1) - first;
    read[1] = lwi_is_binary(l->op) ? (int)(l->b >> 1) - first : -1;
}

// --- Statements -------------------------------------------------------------------------------

static void find_roots(scheduler *c)
{
    for (int i = 0; i < c->tape->ninput; ++i) {
        c->of_input[i] = -1;
    }
    for (int i = 0; i < c->tape->nline; ++i) {
        int *of = &c->of_input[is_angle(c, i) ? c->tape->line[i].a >> 1 : 0];
        if (is_angle(c, i) && *of < 0) {
            *of = c->angle[c->nangle++] = i;
        }
        c->root[i] = is_angle(c, i) ? *of : i;
    }
    for (int i = c->tape->nline - 1; i >= 0; --i) {
        int read[2];
        c->s[i].first = c->s[i].with = -1;
        reads_of(c, i, read);
        for (int k = 0; k < 2 && (is_root(c, i) || is_inner(c, i)); ++k) {
            if (read[k] >= 0 && is_inner(c, read[k])) {
                c->root[read[k]] = c->root[i];
            }
        }
    }
    for (int i = c->tape->nline - 1; i >= 0; --i) {
        if (is_root(c, i) || is_inner(c, i) || is_angle(c, i)) {
            c->next[i] = c->s[c->root[i]].first;
            c->s[c->root[i]].first = i;
        }
    }
}

static bool is_inner_product(const scheduler *c, int line)
{
    return line >= 0 && is_inner(c, line) && c->tape->line[line].op == LWI_OP_MUL;
}

static int latency_of(const scheduler *c, int line)
{
    int read[2];
    switch (c->tape->line[line].op) {
    case LWI_OP_MUL:
        return LATENCY;
    case LWI_OP_ADD:
        reads_of(c, line, read);
        return is_inner_product(c, read[0]) || is_inner_product(c, read[1]) ? LATENCY_FUSED
                                                                            : LATENCY;
    case LWI_OP_DIV:
        return LATENCY_DIVISION;
    default:
        return LATENCY_FUNCTION;
    }
}

// How long each statement takes, and what it reads; the latter once each.
static void measure(scheduler *c, int root, int *nread)
{
    statement *s = &c->s[root];
    int products = 0, sums = 0;
    s->read_from = *nread;
    for (int i = s->first; i >= 0; i = c->next[i]) {
        const bool is_sum = c->tape->line[i].op == LWI_OP_ADD;
        int read[2], below = 0;
        reads_of(c, i, read);
        for (int k = 0; k < 2; ++k) {
            if (read[k] >= 0 && is_inner(c, read[k])) {
                // One product within a sum is fused with it; of two, the second.
                const bool is_fused = is_sum && is_inner_product(c, read[k]) &&
                                      (k == 1 || !is_inner_product(c, read[1]));
                const int depth = c->depth[read[k]] + (is_fused ? 0 : latency_of(c, read[k]));
                below = depth > below ? depth : below;
            } else if (read[k] >= 0 && (is_root(c, read[k]) || is_angle(c, read[k]))) {
                int at = s->read_from;
                while (at < *nread && c->read[at] != c->root[read[k]]) {
                    ++at;
                }
                c->read[at] = c->root[read[k]];
                *nread += at == *nread;
            }
        }
        c->depth[i] = below;
        products += !is_sum;
        sums += is_sum;
    }
    s->latency = c->depth[root] + latency_of(c, root);
    s->cost = products > sums ? products : sums;
    s->nread = s->left = *nread - s->read_from;
    for (int k = s->read_from; k < *nread; ++k) {
        ++c->s[c->read[k]].nuser;
    }
}

static void connect(scheduler *c)
{
    const int n = c->tape->nline;
    int from = 0;
    for (int i = 0; i < n; ++i) {
        c->s[i].user_from = from;
        from += c->s[i].nuser;
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < c->s[i].nread && is_root(c, i); ++k) {
            statement *s = &c->s[c->read[c->s[i].read_from + k]];
            c->user[s->user_from + s->waiting++] = i;
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        int above = 0;
        for (int k = 0; k < c->s[i].nuser; ++k) {
            const int height = c->s[c->user[c->s[i].user_from + k]].height;
            above = height > above ? height : above;
        }
        c->s[i].height = c->s[i].latency + above;
    }
}

static bool is_higher(const scheduler *c, int a, int b)
{
    const int difference = c->s[a].height - c->s[b].height;
    return difference > 0 || (difference == 0 && a < b);
}

// Puts positions together, the highest first, into calls that are numbered by the first of each.
static void join_angles(scheduler *c, int most, int *call)
{
    for (int i = 1; i < c->nangle; ++i) {
        const int one = c->angle[i];
        int k = i;
        for (; k > 0 && is_higher(c, one, c->angle[k - 1]); --k) {
            c->angle[k] = c->angle[k - 1];
        }
        c->angle[k] = one;
    }
    for (int i = 0; i < c->nangle; ++i) {
        const bool is_first = i % most == 0;
        c->s[c->angle[i]].cost = is_first ? COST_ANGLES : 0;
        if (!is_first) {
            c->s[c->angle[i - 1]].with = c->angle[i];
        }
        for (int line = c->s[c->angle[i]].first; line >= 0; line = c->next[line]) {
            call[line] = i / most;
        }
    }
}

// --- Choice -----------------------------------------------------------------------------------

static void swap(scheduler *c, int i, int k)
{
    const int kept = c->heap[i];
    c->heap[i] = c->heap[k];
    c->heap[k] = kept;
}

static void rise(scheduler *c, int at)
{
    for (; at > 0 && is_higher(c, c->heap[at], c->heap[(at - 1) / 2]); at = (at - 1) / 2) {
        swap(c, at, (at - 1) / 2);
    }
}

static void put(scheduler *c, int one)
{
    c->heap[c->nheap++] = one;
    rise(c, c->nheap - 1);
}

static int take(scheduler *c, int at)
{
    const int taken = c->heap[at];
    c->heap[at] = c->heap[--c->nheap];
    if (at < c->nheap) {
        rise(c, at);
    }
    for (int below; (below = 2 * at + 1) < c->nheap; at = below) {
        below += below + 1 < c->nheap && is_higher(c, c->heap[below + 1], c->heap[below]);
        if (!is_higher(c, c->heap[below], c->heap[at])) {
            break;
        }
        swap(c, at, below);
    }
    return taken;
}

// By how many values more have to be kept behind a statement; angles are kept from the beginning.
static int growth(const scheduler *c, int one)
{
    int more = c->s[one].nuser > 0 && !is_angle(c, one);
    for (int k = 0; k < c->s[one].nread; ++k) {
        const int read = c->read[c->s[one].read_from + k];
        more -= c->s[read].waiting == 1 && !is_angle(c, read);
    }
    return more;
}

static int choose(const scheduler *c)
{
    int best = 0, best_growth = 0, best_late = 0;
    for (int i = 0; i < c->nheap && i < WINDOW; ++i) {
        const int one = c->heap[i];
        const int more = c->live >= MOST_LIVE ? growth(c, one) : 0;
        const int wait = c->s[one].available - c->time, late = wait > 0 ? wait : 0;
        if (i == 0 || more < best_growth || (more == best_growth && late < best_late) ||
            (more == best_growth && late == best_late && is_higher(c, one, c->heap[best]))) {
            best = i;
            best_growth = more;
            best_late = late;
        }
    }
    return best;
}

// What reads a statement may be written when all else that it reads is.
static void pass_on(scheduler *c, const statement *s)
{
    for (int k = 0; k < s->nuser; ++k) {
        statement *user = &c->s[c->user[s->user_from + k]];
        const int there = c->time + s->latency;
        user->available = there > user->available ? there : user->available;
        if (--user->left == 0) {
            put(c, c->user[s->user_from + k]);
        }
    }
}

static void write(scheduler *c, int chosen, int *order, int *n)
{
    const statement *s = &c->s[chosen];
    if (c->live < MOST_LIVE && s->available > c->time) {
        c->time = s->available;
    }
    c->live += growth(c, chosen);
    c->time += s->cost;
    for (int k = 0; k < s->nread; ++k) {
        --c->s[c->read[s->read_from + k]].waiting;
    }
    for (int one = chosen; one >= 0; one = c->s[one].with) {
        for (int i = c->s[one].first; i >= 0; i = c->next[i]) {
            order[(*n)++] = i;
        }
        pass_on(c, &c->s[one]);
    }
}

// All that reads nothing, and of each call one.
static void begin(scheduler *c, int most, int *call)
{
    join_angles(c, most, call);
    for (int i = 0; i < c->tape->nline; ++i) {
        if (is_root(c, i) && c->s[i].left == 0) {
            put(c, i);
        }
    }
    for (int i = 0; i < c->nangle; i += most) {
        put(c, c->angle[i]);
    }
}

lw_status lwi_emit_order(const lwi_tape *tape, const unsigned char *location, int most, int *order,
                         int *norder, int *call)
{
    const size_t n = (size_t)tape->nline + 1;
    lwi_arena arena = {0};
    scheduler c = {.tape = tape, .location = location};
    lw_status status = LW_ERR_MEMORY;
    int nread = 0;
    *norder = 0;
    c.s = lwi_arena_take(&arena, n, sizeof *c.s);
    c.root = lwi_arena_take(&arena, n, sizeof *c.root);
    c.next = lwi_arena_take(&arena, n, sizeof *c.next);
    c.depth = lwi_arena_take(&arena, n, sizeof *c.depth);
    c.heap = lwi_arena_take(&arena, n, sizeof *c.heap);
    c.angle = lwi_arena_take(&arena, n, sizeof *c.angle);
    c.of_input = lwi_arena_take(&arena, (size_t)tape->ninput + 1, sizeof *c.of_input);
    c.read = lwi_arena_take(&arena, 2 * n, sizeof *c.read);
    c.user = lwi_arena_take(&arena, 2 * n, sizeof *c.user);
    if (!c.s || !c.root || !c.next || !c.depth || !c.heap || !c.angle || !c.of_input || !c.read ||
        !c.user) {
        goto done;
    }
    find_roots(&c);
    for (int i = 0; i < tape->nline; ++i) {
        if (location[i] == LWI_FIRST) {
            order[(*norder)++] = i;
        } else if (is_root(&c, i) || (is_angle(&c, i) && c.root[i] == i)) {
            measure(&c, i, &nread);
        }
    }
    connect(&c);
    begin(&c, most, call);
    while (c.nheap > 0) {
        write(&c, take(&c, choose(&c)), order, norder);
    }
    status = LW_OK;
done:
    lwi_arena_free(&arena);
    return status;
}
