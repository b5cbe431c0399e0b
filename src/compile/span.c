// The tree that is connected to the ground, as a list of flat parts with feeders first. Children
// follow in the order in which they were described, depth first, so that the bodies of a branch lie
// side by side.
#include "build.h"

#include "../base/report.h"

static bool is_tree_part(const lwi_flat *flat)
{
    return flat->kind != LW_PART_ASSEMBLY && !flat->is_closer && !lwi_has_axes_only(flat->kind);
}

static bool has_parent(const lwi_flat *flat)
{
    return flat->feeder >= 0 && !flat->is_closer && !flat->is_left_out;
}

// Children of every part as one array: child[start[f] .. start[f + 1]).
static lw_status list_children(lwi_build *b, int **start_out, int **child_out)
{
    const size_t n = (size_t)b->nflat;
    int *start = lwi_arena_take(b->arena, n + 2, sizeof *start);
    int *child = lwi_arena_take(b->arena, n, sizeof *child);
    if (!start || !child) {
        return lwi_build_no_memory(b);
    }
    for (int f = 0; f < b->nflat; ++f) {
        if (has_parent(&b->flat[f])) {
            ++start[b->flat[f].feeder + 2];
        }
    }
    for (size_t f = 0; f < n; ++f) {
        start[f + 2] += start[f + 1];
    }
    for (int f = 0; f < b->nflat; ++f) {
        if (has_parent(&b->flat[f])) {
            child[start[b->flat[f].feeder + 1]++] = f;
        }
    }
    *start_out = start;
    *child_out = child;
    return LW_OK;
}

// A part by which an assembly is connected stands for the assembly, seen from outside.
static const lwi_flat *seen_from_outside(const lwi_build *b, const lwi_flat *flat)
{
    while (flat->instance > 0 && flat->part == b->instance[flat->instance].base) {
        flat = &b->flat[b->instance[flat->instance].flat];
    }
    return flat;
}

// The root of the tree that the recorded part is in now; -1 where none is recorded.
static int recorded_root(const lwi_build *b)
{
    int port = 0;
    int f =
        b->mech->root < 0 ? -1 : lwi_find_end(b, 0, (lw_port){{b->mech->root}, LWI_PORT_A}, &port);
    for (int n = 0; n < b->nflat && f >= 0 && b->flat[f].feeder >= 0; ++n) {
        f = b->flat[f].feeder;
    }
    return f >= 0 && b->flat[f].feeder < 0 ? f
                                           : -1; // parts may be connected to each other in a ring
}

// The part that the mechanism is connected by: its ground, or its only root. Where other trees are
// left out it is the root of the tree that was recorded, or else the first in the order of
// description. -1 where there is none, or more than one.
static int find_root(lwi_build *b)
{
    if (b->mech->ground >= 0) {
        return b->mech->ground; // instance 0 begins at flat part 0
    }
    int root = b->options.leave_out_loose ? recorded_root(b) : -1;
    for (int f = 0; f < b->nflat; ++f) {
        const lwi_flat *flat = &b->flat[f];
        if (!is_tree_part(flat) || flat->feeder >= 0 || lwi_is_leaf(flat->kind)) {
            continue;
        }
        if (root >= 0 && b->options.leave_out_loose) {
            break;
        }
        if (root >= 0) {
            const lwi_flat *one = seen_from_outside(b, &b->flat[root]);
            const lwi_flat *two = seen_from_outside(b, flat);
            lwi_report_error(
                b->report, two->location, LW_ERR_MODEL,
                "%s \"%s\" and %s \"%s\" are both connected to nothing; a mechanism has one root, "
                "or a ground that all are connected to",
                lw_part_kind_name(one->kind), one->name, lw_part_kind_name(two->kind), two->name);
            return -1;
        }
        root = f;
    }
    return root;
}

// A ground beside the first was reported as it was added.
static bool is_second_ground(const lwi_build *b, const lwi_flat *flat)
{
    return flat->kind == LW_PART_GROUND && mech_of(b, flat)->ground != flat->part;
}

static void report_free_part(lwi_build *b, const lwi_flat *flat)
{
    const lwi_flat *seen = seen_from_outside(b, flat);
    const lwi_part *part = part_of(b, seen);
    lwi_report_error(b->report, seen->location, LW_ERR_MODEL,
                     "%s \"%s\" is connected to nothing: connect %s", lw_part_kind_name(seen->kind),
                     seen->name,
                     part->is_exposed ? "the gateway that is its port a" : "its port a");
}

static bool has_both_ends(const lwi_flat *flat, const char *is_reached)
{
    return flat->feeder >= 0 && flat->feeder2 >= 0 && is_reached[flat->feeder] &&
           is_reached[flat->feeder2];
}

// Whether the part makes a mechanism: it moves, or it has mass.
static bool counts(const lwi_build *b, const lwi_flat *flat)
{
    const lwi_part *part = part_of(b, flat);
    return (flat->kind == LW_PART_LINK && as_link(part)->mass > 0.0) ||
           (flat->kind == LW_PART_JOINT && lwi_joint_nv(as_joint(part)) > 0);
}

// Leaves out what cannot be reached, with a warning for each tree. Where nothing remains that moves
// or has mass, a connection was forgotten or mistyped: an error.
static void leave_out(lwi_build *b, const char *is_reached)
{
    const lwi_flat *first = NULL;
    bool is_empty = true;
    int nlink = 0;
    for (int f = 0; f < b->nflat; ++f) {
        lwi_flat *flat = &b->flat[f];
        if (flat->is_left_out || flat->kind == LW_PART_ASSEMBLY || lwi_has_axes_only(flat->kind)) {
            continue;
        }
        if (flat->is_closer ? has_both_ends(flat, is_reached) : is_reached[f]) {
            is_empty = is_empty && !counts(b, flat);
            continue;
        }
        flat->is_left_out = true;
        nlink += flat->kind == LW_PART_LINK;
        if (flat->feeder < 0 || (flat->is_closer && flat->feeder2 < 0)) {
            const lwi_flat *seen = seen_from_outside(b, flat);
            first = first ? first : seen;
            lwi_report_warning(b->report, seen->location, LW_DIAG_UNCONNECTED,
                               "%s \"%s\" is connected to nothing: left out, with all that "
                               "hangs on it",
                               lw_part_kind_name(seen->kind), seen->name);
        }
    }
    if (is_empty && nlink > 0 && first) {
        lwi_report_error(b->report, first->location, LW_ERR_MODEL,
                         "nothing that moves or has mass is connected to the ground: %s \"%s\" "
                         "is connected to nothing (%d link%s left out)",
                         lw_part_kind_name(first->kind), first->name, nlink, nlink == 1 ? "" : "s");
    }
}

static lw_status report_unreached(lwi_build *b, const char *is_reached)
{
    int *walk = lwi_arena_take(b->arena, (size_t)b->nflat, sizeof *walk);
    if (!walk) {
        return lwi_build_no_memory(b);
    }
    for (int f = 0; f < b->nflat; ++f) {
        const lwi_flat *flat = &b->flat[f];
        if (flat->is_left_out || lwi_has_axes_only(flat->kind)) {
            continue; // what has axes only is connected to nothing; the next pass looks after it
        }
        if (flat->is_closer && (flat->feeder < 0 || flat->feeder2 < 0)) {
            const lw_port port = {{flat->part}, flat->feeder < 0 ? LWI_PORT_A : LWI_PORT_B};
            lwi_report_error(b->report, flat->location, LW_ERR_MODEL,
                             "%s \"%s\" %s: its port %s is connected to nothing",
                             lw_part_kind_name(flat->kind), flat->name,
                             flat->kind == LW_PART_SPRING ? "pulls nothing" : "closes no loop",
                             lwi_port_name(mech_of(b, flat), port));
        }
        if (is_reached[f] || !is_tree_part(flat)) {
            continue;
        }
        if (flat->feeder < 0 && !is_second_ground(b, flat)) {
            report_free_part(b, flat);
        }
        // Parts that are connected to each other in a ring are reached from nowhere. Walks toward
        // the feeders are numbered, and one that meets its own number has gone round.
        int g = f;
        while (g >= 0 && !is_reached[g] && walk[g] == 0) {
            walk[g] = f + 1;
            g = b->flat[g].feeder;
        }
        if (g >= 0 && walk[g] == f + 1) {
            lwi_report_error(b->report, b->flat[g].location, LW_ERR_PORT_CYCLE,
                             "%s \"%s\" is connected, through other parts, to itself",
                             lw_part_kind_name(b->flat[g].kind), b->flat[g].name);
        }
    }
    return LW_OK;
}

lw_status lwi_pass_span(lwi_build *b)
{
    int *start = NULL, *child = NULL;
    lw_status status = list_children(b, &start, &child);
    if (status != LW_OK) {
        return status;
    }
    b->order = lwi_arena_take(b->arena, (size_t)b->nflat, sizeof *b->order);
    int *stack = lwi_arena_take(b->arena, (size_t)b->nflat, sizeof *stack);
    char *is_reached = lwi_arena_take(b->arena, (size_t)b->nflat, 1);
    if (!b->order || !stack || !is_reached) {
        return lwi_build_no_memory(b);
    }
    const int before = lw_report_errors(b->report);
    const int root = find_root(b);
    if (root < 0 && lw_report_errors(b->report) > before) {
        return LW_ERR_MODEL;
    }
    int depth = 0;
    if (root >= 0) {
        stack[depth++] = root;
    }
    while (depth) {
        const int f = stack[--depth];
        b->order[b->norder++] = f;
        is_reached[f] = 1;
        // start[f] .. start[f + 1] is what counting left after filling; the first child goes on
        // top.
        for (int c = start[f + 1] - 1; c >= start[f]; --c) {
            stack[depth++] = child[c];
        }
    }
    if (b->options.leave_out_loose) {
        leave_out(b, is_reached);
    } else {
        status = report_unreached(b, is_reached);
    }
    if (status == LW_OK && root < 0) {
        if (lw_report_errors(b->report) == before) {
            lwi_report_error(b->report, (lw_location){0}, LW_ERR_MODEL,
                             "\"%s\" has no part to begin with", b->mech->name);
        }
        status = LW_ERR_MODEL;
    }
    return status;
}
