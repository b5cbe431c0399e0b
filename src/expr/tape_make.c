// From a choice of ways to straight-line code: what is needed, in which order, with which signs,
// and in which slots.
#include "search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct maker {
    const lwi_graph *g;
    const uint32_t *choice;
    uint32_t *order; ///< [norder] nodes, each after what it reads
    size_t norder;
    uint32_t *index; ///< [nnode] LWI_NONE, or number of the value on the tape, as a reference
                     ///< with the sign that was stored
    unsigned char *seen;
} maker;

static const lwi_way *way_of(const maker *m, uint32_t node)
{
    const lwi_node *n = &m->g->node[node];
    return &m->g->way[n->constant != LWI_NONE ? n->constant : m->choice[node]];
}

/// Depth first from one node, without recursion: a node stays on the stack until what it reads is
/// done.
static bool visit(maker *m, uint32_t root, uint32_t *stack, size_t nstack)
{
    size_t depth = 0;
    stack[depth++] = root;
    while (depth > 0) {
        const uint32_t node = stack[depth - 1];
        const lwi_way *way = way_of(m, node);
        if (m->seen[node] == 2) {
            --depth;
            continue;
        }
        const uint32_t reads[2] = {lwi_node_of(way->a), lwi_node_of(way->b)};
        // A node is pushed once for each that reads it; more happens in circles only.
        if (depth + 2 > nstack) {
            return false;
        }
        bool is_ready = true;
        for (int k = lwi_read_count(way->op) - 1; k >= 0; --k) {
            if (m->seen[reads[k]] != 2) {
                stack[depth++] = reads[k];
                is_ready = false;
            }
        }
        if (is_ready) {
            m->order[m->norder++] = node;
            m->seen[node] = 2;
            --depth;
        } else {
            m->seen[node] = 1;
        }
    }
    return true;
}

/// The reference on the tape to a reference of the graph.
static uint32_t tape_reference(const maker *m, lwi_expr a)
{
    return m->index[lwi_node_of(a)] ^ (a & 1u);
}

/// One line, and the sign with which it holds the node. Products have none; a difference is
/// reversed if an output needs its negative.
static lwi_line make_line(const maker *m, const lwi_way *way, bool wants_minus, uint32_t *sign)
{
    lwi_line line = {.op = way->op, .a = tape_reference(m, way->a)};
    if (!lwi_is_binary(way->op)) {
        *sign = way->b & 1u;
        return line;
    }
    line.b = tape_reference(m, way->b);
    *sign = 0;
    if (way->op == LWI_OP_MUL || way->op == LWI_OP_DIV) {
        *sign = (line.a ^ line.b) & 1u;
        line.a &= ~1u;
        line.b &= ~1u;
    } else if (way->op == LWI_OP_ADD) {
        const bool is_mixed = (line.a ^ line.b) & 1u;
        *sign = is_mixed ? wants_minus : line.a & 1u;
        line.a ^= *sign;
        line.b ^= *sign;
        if (line.a & 1u) {
            const uint32_t swap = line.a;
            line.a = line.b;
            line.b = swap;
        }
    }
    return line;
}

/// Slots of dead values are used again. What is computed once keeps its own for ever.
static int give_slots(const lwi_tape *t, int *slot, int *last, int *free_slot)
{
    const uint32_t base = (uint32_t)(t->ninput + t->nnumber);
    for (int k = 0; k < t->nline; ++k) {
        last[k] = k < t->nonce ? t->nline : k;
    }
    for (int k = 0; k < t->nline; ++k) {
        const uint32_t reads[2] = {t->line[k].a >> 1, t->line[k].b >> 1};
        for (int i = 0; i < (lwi_is_binary(t->line[k].op) ? 2 : 1); ++i) {
            if (reads[i] >= base && last[reads[i] - base] < k) {
                last[reads[i] - base] = k;
            }
        }
    }
    for (int k = 0; k < t->noutput; ++k) {
        if (t->output[k].value >> 1 >= base) {
            last[(t->output[k].value >> 1) - base] = t->nline;
        }
    }
    int nslot = 0, nfree = 0;
    for (int k = 0; k < t->nline; ++k) {
        const uint32_t reads[2] = {t->line[k].a >> 1, t->line[k].b >> 1};
        const int count = lwi_is_binary(t->line[k].op) ? 2 : 1;
        for (int i = 0; i < count; ++i) {
            const bool is_twice = i == 1 && reads[1] == reads[0];
            if (reads[i] >= base && last[reads[i] - base] == k && !is_twice) {
                free_slot[nfree++] = slot[reads[i] - base];
            }
        }
        slot[k] = nfree > 0 ? free_slot[--nfree] : nslot++;
    }
    return nslot;
}

/// Sizes of a tape, and one block that holds it.
static lwi_tape *allocate(const maker *m, int noutput, const lwi_output *output)
{
    const lwi_graph *g = m->g;
    size_t ninput = 0, nnumber = 0, text = 0;
    for (size_t k = 0; k < m->norder; ++k) {
        const lwi_way *way = way_of(m, m->order[k]);
        ninput += way->op == LWI_OP_SYMBOL;
        nnumber += way->op == LWI_OP_NUMBER;
        text += way->op == LWI_OP_SYMBOL ? strlen(g->symbol[way->a].name) + 1 : 0;
    }
    for (int k = 0; k < noutput; ++k) {
        text += strlen(output[k].name) + 1;
    }
    const size_t nline = m->norder - ninput - nnumber;
    if (nline > INT32_MAX / 4) {
        return NULL;
    }
    lwi_slicer slicer = {0};
    lwi_tape *t = NULL;
    // The first round counts bytes, the second one lays them out.
    for (int round = 0; round < 2; ++round) {
        lwi_tape *capacity = lwi_slice(&slicer, 1, sizeof *capacity);
        lwi_symbol *input = lwi_slice(&slicer, ninput, sizeof *input);
        double *number = lwi_slice(&slicer, nnumber, sizeof *number);
        lwi_line *line = lwi_slice(&slicer, nline, sizeof *line);
        lwi_output *out = lwi_slice(&slicer, (size_t)noutput, sizeof *out);
        int *slot = lwi_slice(&slicer, nline, sizeof *slot);
        char *names = lwi_slice(&slicer, text, 1);
        if (round == 1) {
            *capacity = (lwi_tape){.ninput = (int)ninput,
                                   .nnumber = (int)nnumber,
                                   .nline = (int)nline,
                                   .noutput = noutput,
                                   .input = input,
                                   .number = number,
                                   .line = line,
                                   .output = out,
                                   .slot = slot};
            t = capacity;
            for (int k = 0; k < noutput; ++k) {
                out[k] = output[k];
                out[k].name = strcpy(names, output[k].name);
                names += strlen(names) + 1;
            }
            for (size_t k = 0; k < ninput; ++k) {
                input[k].name = names; // who fills in the inputs goes on from here
            }
        } else {
            char *block = calloc(1, slicer.used + LWI_ALIGN);
            if (!block) {
                return NULL;
            }
            slicer = (lwi_slicer){.base = block};
        }
    }
    return t;
}

/// Inputs in the order in which their symbols were made, numbers in the order of their nodes.
static void place_leaves(maker *m, lwi_tape *t)
{
    const lwi_graph *g = m->g;
    lwi_symbol *input = (lwi_symbol *)t->input;
    double *number = (double *)t->number;
    char *names = t->ninput > 0 ? (char *)input[0].name : NULL;
    uint32_t next = 0;
    for (size_t k = 0; k < g->nsymbol; ++k) {
        for (size_t i = 0; i < m->norder; ++i) {
            const lwi_way *way = way_of(m, m->order[i]);
            if (way->op == LWI_OP_SYMBOL && way->a == k) {
                input[next] = g->symbol[k];
                input[next].name = strcpy(names, g->symbol[k].name);
                names += strlen(names) + 1;
                m->index[m->order[i]] = 2 * next++ + (way->b & 1u);
                break;
            }
        }
    }
    for (size_t i = 0; i < m->norder; ++i) {
        const lwi_way *way = way_of(m, m->order[i]);
        if (way->op == LWI_OP_NUMBER) {
            const double value = g->number[g->node[m->order[i]].number].hi;
            number[next - (uint32_t)t->ninput] = value < 0.0 ? -value : value;
            m->index[m->order[i]] = 2 * next++ + (value < 0.0);
        }
    }
}

// Whether a node is arithmetic of two numbers, which emitters fold. A node of variables may turn
// out so when an identity finds another way to it.
static bool is_folded(const maker *m, const lwi_tape *t, const lwi_way *way)
{
    double number[2];
    if (way->op != LWI_OP_ADD && way->op != LWI_OP_MUL && way->op != LWI_OP_DIV) {
        return false;
    }
    for (int i = 0; i < 2; ++i) {
        const uint32_t index = m->index[lwi_node_of(i == 0 ? way->a : way->b)] >> 1;
        if (index < (uint32_t)t->ninput || index >= (uint32_t)(t->ninput + t->nnumber)) {
            return false;
        }
        number[i] = t->number[index - (uint32_t)t->ninput];
    }
    return isfinite(lwi_apply(way->op, number[0], number[1]));
}

static void write_lines(maker *m, lwi_tape *t, const unsigned char *wants_minus)
{
    lwi_line *line = (lwi_line *)t->line;
    lwi_output *output = (lwi_output *)t->output;
    const int base = t->ninput + t->nnumber;
    int next = 0;
    // What depends on parameters only comes first.
    for (int round = 0; round < 2; ++round) {
        for (size_t k = 0; k < m->norder; ++k) {
            const uint32_t node = m->order[k];
            const lwi_way *way = way_of(m, node);
            if (lwi_is_leaf(way->op) || m->index[node] != LWI_NONE) {
                continue;
            }
            const bool is_once = m->g->node[node].constant != LWI_NONE || is_folded(m, t, way);
            if (round == 0 && !is_once) {
                continue;
            }
            uint32_t sign;
            line[next] = make_line(m, way, wants_minus[node], &sign);
            m->index[node] = 2 * (uint32_t)(base + next) + sign;
            ++next;
        }
        t->nonce = round == 0 ? next : t->nonce;
    }
    for (int k = 0; k < t->noutput; ++k) {
        output[k].value = tape_reference(m, output[k].value);
    }
}

lw_status lwi_tape_of_choice(const lwi_graph *g, int noutput, const lwi_output *output,
                             const uint32_t *choice, lwi_tape **tape)
{
    lw_status status = LW_ERR_MEMORY;
    maker m = {.g = g, .choice = choice};
    const size_t nstack = 3 * g->nnode + 8;
    lwi_arena arena = {0};
    uint32_t *stack = lwi_arena_take(&arena, nstack, sizeof *stack);
    unsigned char *wants_minus = lwi_arena_take(&arena, g->nnode, 1);
    lwi_tape *t = NULL;
    m.order = lwi_arena_take(&arena, g->nnode, sizeof *m.order);
    m.index = lwi_arena_take(&arena, g->nnode, sizeof *m.index);
    m.seen = lwi_arena_take(&arena, g->nnode, 1);
    *tape = NULL;
    if (!stack || !wants_minus || !m.order || !m.index || !m.seen) {
        goto done;
    }
    memset(m.index, 0xff, g->nnode * sizeof *m.index); // LWI_NONE
    for (int k = 0; k < noutput; ++k) {
        wants_minus[lwi_node_of(output[k].value)] |= output[k].value & 1u;
        if (!visit(&m, lwi_node_of(output[k].value), stack, nstack)) {
            status = LW_ERR_ARGUMENT;
            goto done;
        }
    }
    t = allocate(&m, noutput, output);
    if (!t) {
        goto done;
    }
    place_leaves(&m, t);
    write_lines(&m, t, wants_minus);
    int *last = lwi_arena_take(&arena, (size_t)t->nline + 1, sizeof *last);
    int *free_slot = lwi_arena_take(&arena, 2 * (size_t)t->nline + 2, sizeof *free_slot);
    if (!last || !free_slot) {
        goto done;
    }
    t->nslot = give_slots(t, (int *)t->slot, last, free_slot);
    *tape = t;
    t = NULL;
    status = LW_OK;

done:
    lwi_tape_destroy(t);
    lwi_arena_free(&arena);
    return status;
}
