// What each stage of a compile leaves, in lines of text: for people who want to see how a model
// comes about. Nothing else reads it.
#include "stage.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE_ROOM = 400 };

LW_PRINTF(2, 3) static void print(const lwi_lines *out, const char *format, ...)
{
    char text[LINE_ROOM];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    out->line(out->context, text);
}

static const char *flat_name(const lwi_build *b, int f)
{
    return f < 0 ? "-" : b->flat[f].name;
}

static const char *body_name(const lwi_build *b, int i)
{
    return i < 0 ? "world" : b->body[i].name;
}

static const char *velocity_name(const lwi_build *b, int v)
{
    return v < 0 ? "-" : b->tree_v_name[v];
}

static void print_parts(const lwi_build *b, const lwi_lines *out)
{
    for (int f = 0; f < b->nflat; ++f) {
        const lwi_flat *flat = &b->flat[f];
        print(out, "%s %s on %s%s%s", lw_part_kind_name(flat->kind), flat->name,
              flat_name(b, flat->feeder), flat->is_closer ? " and " : "",
              flat->is_closer ? flat_name(b, flat->feeder2) : "");
    }
}

static void print_levels(const lwi_build *b, const lwi_lines *out)
{
    for (int i = 0; i < b->ninstance; ++i) {
        print(out, "%s level %s", i ? b->instance[i].prefix : "*",
              lw_level_name(b->instance[i].level));
    }
}

static void print_simplified(const lwi_build *b, const lwi_lines *out)
{
    for (int f = 0; f < b->nflat; ++f) {
        const lwi_flat *flat = &b->flat[f];
        if (flat->is_transmission || flat->is_left_out) {
            print(out, "%s %s%s%s", lw_part_kind_name(flat->kind), flat->name,
                  flat->is_transmission ? " of the transmission" : "",
                  flat->is_locked     ? ", locked"
                  : flat->is_left_out ? ", left out"
                                      : "");
        }
    }
}

static void print_couplings(const lwi_build *b, const lwi_lines *out)
{
    for (int k = 0; k < b->ncoupling; ++k) {
        const lwi_built_coupling *c = &b->coupling[k];
        print(out, "%s[%d] follows %s[%d]", flat_name(b, c->target_at.flat), c->target_at.dof,
              flat_name(b, c->source_at.flat), c->source_at.dof);
    }
}

static void print_order(const lwi_build *b, const lwi_lines *out)
{
    for (int k = 0; k < b->norder; ++k) {
        print(out, "%s %s", lw_part_kind_name(b->flat[b->order[k]].kind),
              flat_name(b, b->order[k]));
    }
}

static void print_axes(const lwi_build *b, const lwi_lines *out)
{
    for (int k = 0; k < b->naxis; ++k) {
        const int set = b->axis[k].set;
        print(out, "axis %d: %s[%d] as one with %s[%d]", k, flat_name(b, b->axis[k].flat),
              b->axis[k].end, flat_name(b, b->axis[set].flat), b->axis[set].end);
    }
    for (int k = 0; k < b->nshaft; ++k) {
        print(out, "shaft %s", b->shaft[k].name);
    }
}

static void print_bodies(const lwi_build *b, const lwi_lines *out)
{
    for (int i = 0; i < b->nbody; ++i) {
        const lwi_built_body *body = &b->body[i];
        print(out, "body %d %s on %s by %s, %.6g kg", i, body->name, body_name(b, body->parent),
              b->joint[body->joint].info.name, body->inertia.mass);
    }
}

static void print_coordinates(const lwi_build *b, const lwi_lines *out)
{
    for (int k = 0; k < b->tree_nq; ++k) {
        print(out, "q[%d] %s reference %.9g", k, b->tree_q_name[k], b->tree_q_reference[k]);
    }
    for (int k = 0; k < b->tree_nv; ++k) {
        print(out, "v[%d] %s", k, b->tree_v_name[k]);
    }
}

static void print_closure(const lwi_build *b, const lwi_lines *out)
{
    for (int k = 0; k < b->nloop; ++k) {
        const lwi_built_loop *loop = &b->loop[k];
        print(out, "loop %s: %d conditions, rank %d, size %.4g m, step %d",
              flat_name(b, loop->flat), loop->loop.nrow, loop->rank, loop->loop.size, loop->step);
    }
    for (int g = 0; g < b->ngear; ++g) {
        print(out, "%s %s on %d velocities", b->gear[g].word, b->gear[g].name, b->gear[g].ndof);
    }
    for (int k = 0; k < b->nstep; ++k) {
        const lwi_step *step = &b->step[k].step;
        print(out, "step %d: %s, %s", k, lw_step_kind_name(step->kind), b->step[k].name);
        for (int t = 0; t < step->ntarget; ++t) {
            print(out, "  solves %s", velocity_name(b, step->target[t]));
        }
        for (int s = 0; s < step->nsource; ++s) {
            print(out, "  from %s", velocity_name(b, step->source[s]));
        }
    }
    for (int k = 0; k < b->nv; ++k) {
        print(out, "independent %s", velocity_name(b, b->v_tree[k]));
    }
}

static void print_springs(const lwi_build *b, const lwi_lines *out)
{
    for (int k = 0; k < b->nspring; ++k) {
        print(out, "%s %s", b->spring[k].is_torsion ? "torsion" : "spring", b->spring[k].name);
    }
}

static void print_report(const lwi_build *b, const lwi_lines *out)
{
    print(out, "%d diagnostics, %d of them errors", lw_report_count(b->report),
          lw_report_errors(b->report));
}

static void print_model(const lwi_build *b, const lwi_lines *out)
{
    const lw_model *m = b->model;
    print(out, "%d bodies, %d positions, %d velocities, %d steps, %d frames, %zu bytes", m->nbody,
          m->nq, m->nv, m->nstep, m->nframe, lw_model_size(m));
}

void (*const lwi_stage_print[LWI_NPASS])(const lwi_build *b, const lwi_lines *out) = {
    print_parts,   print_levels, print_simplified,  print_couplings, print_order,
    print_axes,    print_bodies, print_coordinates, print_closure,   print_bodies,
    print_springs, print_report, print_model};
