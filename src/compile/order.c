// Which constraint determines which dependent degree of freedom, and in which order.
//
// A matching gives every dependent degree of freedom to one constraint that it takes part in, a
// loop taking as many as its own conditions can determine (augmenting paths; Pantelides uses the
// same). A constraint then needs those that determine its other dependent degrees of freedom.
// Constraints that need each other (strongly connected; Tarjan 1972) are solved together as one
// step; the steps follow in an order in which every need is met before. Ties are broken by the
// lowest target, so that the order of description changes nothing.
#include "close.h"

#include "../base/report.h"
#include "../loop/law.h"

#include <stdlib.h>
#include <string.h>

/// A constraint of the closure program: a loop, a gear, or a coupling.
typedef struct constraint {
    int loop, gear, coupling; ///< one of them is not -1
    int ndof;
    const int *dof; ///< tree velocities that it connects together
    int capacity;   ///< how many of them it can determine
    lw_location location;
} constraint;

typedef struct constraint_graph {
    constraint *node;
    int nnode;
    int *node_of; ///< [tree_nv] the node that determines a dependent degree of freedom, or -1
} constraint_graph;

// Rank of a loop's own rows on the degrees of freedom of its branches.
static lw_status loop_rank(lwi_build *b, lwi_built_loop *built, const lwi_loop_work *work)
{
    const int n = built->ndof + 1, rows = built->loop.nrow;
    double *at = lwi_arena_take(b->arena, (size_t)(rows * n), sizeof *at);
    int *column = lwi_arena_take(b->arena, (size_t)built->ndof, sizeof *column);
    if (!at || !column) {
        return lwi_build_no_memory(b);
    }
    for (int k = 0; k < built->ndof; ++k) {
        column[k] = k;
    }
    lwi_loop own = built->loop;
    own.column = column;
    lwi_loop_matrix_scaled(&b->draft, &own, work, b->rank_q, at, n);
    double largest = 0.0;
    for (int k = 0; k < rows * n; ++k) {
        largest = fmax(largest, fabs(at[k]));
    }
    // Elimination with the largest entry of all as pivot. What rounding leaves of rows that the
    // loop cannot feel is far below this share of the largest.
    static const double no_pivot = 1e-9;
    int rank = 0;
    for (; rank < rows && rank < built->ndof; ++rank) {
        int r = rank, c = rank;
        for (int i = rank; i < rows; ++i) {
            for (int j = rank; j < built->ndof; ++j) {
                if (fabs(at[i * n + j]) > fabs(at[r * n + c])) {
                    r = i;
                    c = j;
                }
            }
        }
        if (!(fabs(at[r * n + c]) > no_pivot * largest)) {
            break;
        }
        for (int j = 0; j < n; ++j) {
            const double swap = at[rank * n + j];
            at[rank * n + j] = at[r * n + j];
            at[r * n + j] = swap;
        }
        for (int i = 0; i < rows; ++i) {
            const double swap = at[i * n + rank];
            at[i * n + rank] = at[i * n + c];
            at[i * n + c] = swap;
        }
        for (int i = rank + 1; i < rows; ++i) {
            const double factor = at[i * n + rank] / at[rank * n + rank];
            for (int j = rank; j < n; ++j) {
                at[i * n + j] -= factor * at[rank * n + j];
            }
        }
    }
    built->rank = rank;
    return LW_OK;
}

static lw_status make_nodes(lwi_build *b, constraint_graph *g)
{
    const int first_coupling = b->nloop + b->ngear;
    g->nnode = first_coupling + b->ncoupling;
    g->node = lwi_arena_take(b->arena, (size_t)g->nnode, sizeof *g->node);
    g->node_of = lwi_arena_take(b->arena, (size_t)b->tree_nv, sizeof *g->node_of);
    int *pairs = lwi_arena_take(b->arena, 2 * (size_t)b->ncoupling, sizeof *pairs);
    lwi_loop_work work;
    lw_status status = lwi_make_loop_work(b, 1, 0, &work);
    if (!g->node || !g->node_of || !pairs || status != LW_OK) {
        return lwi_build_no_memory(b);
    }
    memset(g->node_of, -1, (size_t)b->tree_nv * sizeof *g->node_of);
    for (int k = 0; k < b->nloop && status == LW_OK; ++k) {
        status = loop_rank(b, &b->loop[k], &work);
        g->node[k] = (constraint){.loop = k,
                                  .gear = -1,
                                  .coupling = -1,
                                  .ndof = b->loop[k].ndof,
                                  .dof = b->loop[k].dof,
                                  .capacity = b->loop[k].rank,
                                  .location = b->flat[b->loop[k].flat].location};
    }
    for (int k = 0; k < b->ngear; ++k) {
        g->node[b->nloop + k] = (constraint){.loop = -1,
                                             .gear = k,
                                             .coupling = -1,
                                             .ndof = b->gear[k].ndof,
                                             .dof = b->gear[k].dof,
                                             .capacity = 1,
                                             .location = b->gear[k].location};
    }
    for (int k = 0; k < b->ncoupling; ++k) {
        pairs[2 * k] = b->coupling[k].target;
        pairs[2 * k + 1] = b->coupling[k].source;
        g->node[first_coupling + k] =
            (constraint){.loop = -1,
                         .gear = -1,
                         .coupling = k,
                         .ndof = 2,
                         .dof = &pairs[2 * k],
                         .capacity = 0, // its target is given to it at once
                         .location = b->coupling[k].def->location};
        g->node_of[b->coupling[k].target] = first_coupling + k;
    }
    return status;
}

// Gives degree of freedom v to a loop or a gear, moving others to further ones where need be: a
// search breadth first over them, each reached through a degree of freedom that it could take.
static bool match(lwi_build *b, constraint_graph *g, int v, int *queue, int *came_by,
                  int *came_from, int *load)
{
    const int n = b->nloop + b->ngear;
    int head = 0, tail = 0;
    for (int k = 0; k < n; ++k) {
        came_by[k] = -1;
    }
    int from = -1, take = v;
    for (;;) {
        // All loops that `take` is in and that were not reached yet.
        for (int k = 0; k < n; ++k) {
            bool is_in = false;
            for (int i = 0; i < g->node[k].ndof && came_by[k] < 0; ++i) {
                is_in |= g->node[k].dof[i] == take;
            }
            if (is_in) {
                came_by[k] = take;
                came_from[k] = from;
                queue[tail++] = k;
                if (load[k] < g->node[k].capacity) {
                    ++load[k];
                    for (int at = k; at >= 0; at = came_from[at]) {
                        g->node_of[came_by[at]] = at;
                    }
                    return true;
                }
            }
        }
        // The next degree of freedom to move away is one that a reached loop holds.
        bool found = false;
        while (head < tail && !found) {
            from = queue[head];
            for (int i = 0; i < g->node[from].ndof && !found; ++i) {
                const int w = g->node[from].dof[i];
                if (b->is_target[w] && g->node_of[w] == from) {
                    bool leads_on = false;
                    for (int k = 0; k < n && !leads_on; ++k) {
                        for (int j = 0; j < g->node[k].ndof && came_by[k] < 0; ++j) {
                            leads_on |= g->node[k].dof[j] == w;
                        }
                    }
                    if (leads_on) {
                        take = w;
                        found = true;
                    }
                }
            }
            head += !found;
        }
        if (!found) {
            return false;
        }
    }
}

static lw_status assign(lwi_build *b, constraint_graph *g)
{
    const size_t n = (size_t)(b->nloop + b->ngear);
    int *queue = lwi_arena_take(b->arena, n, sizeof *queue);
    int *came_by = lwi_arena_take(b->arena, n, sizeof *came_by);
    int *came_from = lwi_arena_take(b->arena, n, sizeof *came_from);
    int *load = lwi_arena_take(b->arena, n, sizeof *load);
    if (!queue || !came_by || !came_from || !load) {
        return lwi_build_no_memory(b);
    }
    for (int v = 0; v < b->tree_nv && n; ++v) {
        if (b->is_target[v] && g->node_of[v] < 0 &&
            !match(b, g, v, queue, came_by, came_from, load)) {
            lwi_report_error(b->report, (lw_location){0}, LW_ERR_MODEL,
                             "\"%s\" is dependent, but the loops it is in are needed for others",
                             b->tree_v_name[v]);
        }
    }
    return lw_report_errors(b->report) > 0 ? LW_ERR_MODEL : LW_OK;
}

// State of the depth-first walk that finds strongly connected parts, without recursion.
typedef struct walk {
    int *index, *low, *stack, *path, *next; ///< [nnode] each
    char *is_on_stack;
    int *component;
    int count, depth, npath, ncomponent;
} walk;

static lw_status make_walk(lwi_build *b, int n, walk *w)
{
    *w = (walk){0};
    int **arrays[] = {&w->index, &w->low, &w->stack, &w->path, &w->next, &w->component};
    for (int k = 0; k < 6; ++k) {
        *arrays[k] = lwi_arena_take(b->arena, (size_t)n, sizeof(int));
        if (!*arrays[k]) {
            return lwi_build_no_memory(b);
        }
    }
    w->is_on_stack = lwi_arena_take(b->arena, (size_t)n, 1);
    return w->is_on_stack ? LW_OK : lwi_build_no_memory(b);
}

// The node that node k needs for its i-th degree of freedom, or -1.
static int need(const lwi_build *b, const constraint_graph *g, int k, int i)
{
    const int v = g->node[k].dof[i];
    return b->is_target[v] && g->node_of[v] != k ? g->node_of[v] : -1;
}

// Components come out with all that they need before them.
static void walk_from(const lwi_build *b, const constraint_graph *g, walk *w, int root)
{
    w->path[w->npath++] = root;
    w->index[root] = w->low[root] = ++w->count;
    w->stack[w->depth++] = root;
    w->is_on_stack[root] = 1;
    while (w->npath) {
        const int k = w->path[w->npath - 1];
        if (w->next[k] < g->node[k].ndof) {
            const int other = need(b, g, k, w->next[k]++);
            if (other >= 0 && !w->index[other]) {
                w->index[other] = w->low[other] = ++w->count;
                w->path[w->npath++] = other;
                w->stack[w->depth++] = other;
                w->is_on_stack[other] = 1;
            } else if (other >= 0 && w->is_on_stack[other] && w->index[other] < w->low[k]) {
                w->low[k] = w->index[other];
            }
            continue;
        }
        --w->npath;
        if (w->npath && w->low[k] < w->low[w->path[w->npath - 1]]) {
            w->low[w->path[w->npath - 1]] = w->low[k];
        }
        if (w->low[k] == w->index[k]) {
            int other;
            do {
                other = w->stack[--w->depth];
                w->is_on_stack[other] = 0;
                w->component[other] = w->ncomponent;
            } while (other != k);
            ++w->ncomponent;
        }
    }
}

typedef struct keyed {
    int key, value;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static int *sorted_ints(lwi_build *b, int n)
{
    return lwi_arena_take(b->arena, (size_t)(n > 0 ? n : 1), sizeof(int));
}

static int by_value(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// Couplings that need each other have no order.
static lw_status report_ring(lwi_build *b, const constraint_graph *g, const keyed *member, int n)
{
    const constraint *one = &g->node[member[0].value], *two = &g->node[member[n - 1].value];
    char here[LWI_LOCATION_SIZE + 3], there[LWI_LOCATION_SIZE + 3];
    if (n == 1) {
        lwi_report_error(b->report, one->location, LW_ERR_MODEL, "\"%s\"%s follows itself",
                         b->tree_v_name[one->dof[0]], lwi_location_aside(one->location, here));
    } else if (one->coupling >= 0 && two->coupling >= 0) {
        lwi_report_error(b->report, one->location, LW_ERR_MODEL,
                         "\"%s\"%s and \"%s\"%s follow each other in a ring",
                         b->tree_v_name[one->dof[0]], lwi_location_aside(one->location, here),
                         b->tree_v_name[two->dof[0]], lwi_location_aside(two->location, there));
    } else {
        const constraint *coupling = one->coupling >= 0 ? one : two;
        lwi_report_error(b->report, coupling->location, LW_ERR_MODEL,
                         "coupling of \"%s\" needs a loop that needs it: mark another joint "
                         "dependent",
                         b->tree_v_name[coupling->dof[0]]);
    }
    return LW_OK; // the next steps may have something to report too
}

static int degree_of(const lw_coupling_def *def)
{
    int degree = def->ncoefficient - 1;
    while (degree > 0 && def->coefficient[degree] == 0.0) {
        --degree;
    }
    return degree;
}

// Positions, values, second derivatives.
static lw_status make_table(lwi_build *b, const lw_coupling_def *def, lwi_step *step)
{
    const int n = def->ncoefficient / 2;
    double *table = lwi_arena_take(b->arena, 3 * (size_t)n, sizeof *table);
    if (!table) {
        return lwi_build_no_memory(b);
    }
    lwi_fill_table(def->coefficient, n, table);
    step->coefficient = table;
    step->ncoefficient = 3 * n;
    return LW_OK;
}

lw_status lwi_make_law(lwi_build *b, const lw_coupling_def *def, lwi_step *step)
{
    step->kind = LW_STEP_FUNCTION;
    step->ncoefficient = def->ncoefficient;
    step->coefficient = def->coefficient;
    step->law = def->law;
    step->function = def->function;
    return def->law == LW_LAW_TABLE ? make_table(b, def, step) : LW_OK;
}

// In order, each once.
static void sort_once(int *list, int *count)
{
    qsort(list, (size_t)*count, sizeof *list, by_value);
    int kept = 0;
    for (int k = 0; k < *count; ++k) {
        if (k == 0 || list[k] != list[k - 1]) {
            list[kept++] = list[k];
        }
    }
    *count = kept;
}

// Whether one of the members determines a degree of freedom.
static bool is_given_by(const lwi_build *b, const constraint_graph *g, const keyed *member, int n,
                        int v)
{
    bool is_given = false;
    for (int j = 0; j < n && !is_given && b->is_target[v]; ++j) {
        is_given = g->node_of[v] == member[j].value;
    }
    return is_given;
}

// Loops and gears of the members, and the degrees of freedom that they tie: what the members
// determine are targets, the others sources. *coupling becomes the coupling among them, where there
// is one.
static lw_status gather_step(lwi_build *b, const constraint_graph *g, const keyed *member, int n,
                             lwi_built_step *built, const constraint **coupling)
{
    lwi_step *step = &built->step;
    int most = 0;
    for (int k = 0; k < n; ++k) {
        most += g->node[member[k].value].ndof;
    }
    int *target = sorted_ints(b, most), *source = sorted_ints(b, most);
    int *loop = sorted_ints(b, n), *gear = sorted_ints(b, n);
    if (!target || !source || !loop || !gear) {
        return lwi_build_no_memory(b);
    }
    for (int k = 0; k < n; ++k) {
        const constraint *node = &g->node[member[k].value];
        if (node->loop >= 0) {
            loop[step->nloop++] = node->loop;
            step->nrow += b->loop[node->loop].loop.nrow;
        } else if (node->gear >= 0) {
            gear[built->ngear++] = node->gear;
            ++step->nrow;
        } else {
            *coupling = node;
        }
        for (int i = 0; i < node->ndof; ++i) {
            const int v = node->dof[i];
            if (is_given_by(b, g, member, n, v)) {
                target[step->ntarget++] = v;
            } else {
                source[step->nsource++] = v;
            }
        }
    }
    sort_once(target, &step->ntarget);
    sort_once(source, &step->nsource);
    step->target = target;
    step->source = source;
    step->loop = loop;
    built->gear = gear;
    return LW_OK;
}

// The step of a coupling: linear where its law is a line.
static lw_status make_coupling_step(lwi_build *b, const lw_coupling_def *def, lwi_built_step *built)
{
    lwi_step *step = &built->step;
    step->kind = LW_STEP_BLOCK;
    const lw_status status = lwi_make_law(b, def, step);
    if (status != LW_OK) {
        return status;
    }
    const int degree = def->law == LW_LAW_POLYNOMIAL ? degree_of(def) : 2;
    if (degree < 2) {
        double *line = lwi_arena_take(b->arena, 2, sizeof *line);
        if (!line) {
            return lwi_build_no_memory(b);
        }
        memcpy(line, def->coefficient, (size_t)(degree + 1) * sizeof *line);
        step->kind = LW_STEP_LINEAR;
        step->coefficient = line;
        step->ncoefficient = 2;
    }
    built->name = def->name;
    built->location = def->location;
    return LW_OK;
}

// The step that the nodes of one component make.
static lw_status make_step(lwi_build *b, const constraint_graph *g, const keyed *member, int n)
{
    lwi_built_step *built = &b->step[b->nstep];
    lwi_step *step = &built->step;
    const lw_location location = g->node[member[0].value].location;
    const constraint *coupling = NULL;
    *built = (lwi_built_step){0};
    const lw_status status = gather_step(b, g, member, n, built, &coupling);
    if (status != LW_OK) {
        return status;
    }
    const char *loop_name = step->nloop ? b->flat[b->loop[step->loop[0]].flat].name : NULL;
    if (coupling && (n > 1 || coupling->dof[0] == coupling->dof[1])) {
        return report_ring(b, g, member, n);
    }
    if (step->ntarget == 0) {
        if (loop_name) {
            lwi_report_note(b->report, location, LW_DIAG_LOOP_REDUNDANT,
                            "loop \"%s\" is closed by others already: it is redundant", loop_name);
        }
        return LW_OK; // of gears, the reduction of their rows has told
    }
    if (coupling) {
        const lw_status made = make_coupling_step(b, b->coupling[coupling->coupling].def, built);
        if (made != LW_OK) {
            return made;
        }
    } else {
        built->name = loop_name ? loop_name : b->gear[built->gear[0]].name;
        built->location = location;
        step->kind = step->nloop ? LW_STEP_BLOCK : LW_STEP_LINEAR;
        for (int k = 0; k < step->nloop; ++k) {
            b->loop[step->loop[k]].step = b->nstep;
        }
    }
    ++b->nstep;
    return LW_OK;
}

// Lowest target that a node determines, for an order that does not depend on the description's.
static lw_status make_keys(lwi_build *b, const constraint_graph *g, keyed **out)
{
    keyed *key = lwi_arena_take(b->arena, (size_t)g->nnode, sizeof *key);
    if (!key) {
        return lwi_build_no_memory(b);
    }
    for (int k = 0; k < g->nnode; ++k) {
        key[k] = (keyed){b->tree_nv, k};
    }
    for (int v = b->tree_nv - 1; v >= 0; --v) {
        if (b->is_target[v] && g->node_of[v] >= 0) {
            key[g->node_of[v]].key = v;
        }
    }
    qsort(key, (size_t)g->nnode, sizeof *key, by_key);
    *out = key;
    return LW_OK;
}

lw_status lwi_order_steps(lwi_build *b)
{
    constraint_graph g = {0};
    walk w;
    keyed *key = NULL;
    lw_status status = make_nodes(b, &g);
    if (status == LW_OK) {
        status = assign(b, &g);
    }
    if (status == LW_OK) {
        status = make_walk(b, g.nnode, &w);
    }
    if (status == LW_OK) {
        status = make_keys(b, &g, &key);
    }
    if (status != LW_OK) {
        return status;
    }
    for (int k = 0; k < g.nnode; ++k) {
        if (!w.index[key[k].value]) {
            walk_from(b, &g, &w, key[k].value);
        }
    }
    // Members of each component, in the order of their keys.
    keyed *member = lwi_arena_take(b->arena, (size_t)g.nnode, sizeof *member);
    b->step = lwi_arena_take(b->arena, (size_t)w.ncomponent, sizeof *b->step);
    if (!member || !b->step) {
        return lwi_build_no_memory(b);
    }
    int *start = lwi_arena_take(b->arena, (size_t)w.ncomponent + 2, sizeof *start);
    if (!start) {
        return lwi_build_no_memory(b);
    }
    for (int k = 0; k < g.nnode; ++k) {
        ++start[w.component[k] + 2];
    }
    for (int c = 0; c < w.ncomponent; ++c) {
        start[c + 2] += start[c + 1];
    }
    for (int k = 0; k < g.nnode; ++k) {
        member[start[w.component[key[k].value] + 1]++] = key[k];
    }
    for (int c = 0; c < w.ncomponent && status == LW_OK; ++c) {
        status = make_step(b, &g, &member[start[c]], start[c + 1] - start[c]);
    }
    if (status == LW_OK && lw_report_errors(b->report) > 0) {
        status = LW_ERR_MODEL;
    }
    return status;
}
