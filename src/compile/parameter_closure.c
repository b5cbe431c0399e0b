// Parameters of what closes loops: closing joints, rods, gears and couplings.
#include "parameter_build.h"

#include "../math/pi.h"

#include "parameter_twist.h"

#include <stdio.h>

static const char *joined(lwi_parameter_build *t, const char *stem, const char *tail)
{
    return lwi_put_together(t, stem, ".", tail);
}

static const char *stem_of(lwi_parameter_build *t, const char *prefix, const char *name)
{
    return lwi_put_together(t, prefix, "", name);
}

static void set_effect(lwi_parameter *parameter, lwi_effect effect, int index, int which,
                       double rate)
{
    if (parameter) {
        parameter->effect = effect;
        parameter->index = index;
        parameter->which = which;
        parameter->rate = rate;
    }
}

// Both axes of a universal joint also change the angle between them.
static void set_cosine_rates(lwi_parameter_build *t, const lw_joint_def *def, int loop, int first)
{
    const lw_vec3 axis[2] = {lw_unit3(def->axis), lw_unit3(def->axis2)};
    for (int side = 0; side < 2 && !t->is_short; ++side) {
        for (int k = 0; k < 3; ++k) {
            const lw_vec3 w = lwi_axis_turning(side ? def->axis2 : def->axis, k);
            const lw_vec3 change = lw_cross3(w, axis[side]);
            set_effect(&t->at[first + 3 * side + k], LWI_EFFECT_COSINE, loop, 0,
                       lw_dot3(change, axis[1 - side]));
        }
    }
}

static void add_closing_joint(lwi_parameter_build *t, int loop)
{
    const lwi_built_loop *built = &t->b->loop[loop];
    const lwi_flat *flat = &t->b->flat[built->flat];
    const lw_joint_def *def = as_joint(part_of(t->b, flat));
    const int feeder[2] = {flat->feeder, flat->feeder2};
    const int port[2] = {flat->feeder_port, flat->feeder2_port};
    lwi_axis_end end[2];
    for (int side = 0; side < 2; ++side) {
        const lw_placement *placement = side ? &def->after : &def->before;
        const bool is_dh = !side && placement->form == LW_PLACEMENT_DH;
        const lw_pose X = lwi_port_pose(t->b, feeder[side], port[side], &end[side].body);
        const int location = lwi_add_location(t, lwi_port_location(t, feeder[side], port[side]));
        if (!side || def->sides != LW_SIDES_REFERENCE) {
            lwi_add_placement(t, location, end[side].body, &X,
                              joined(t, flat->name,
                                     is_dh  ? "dh"
                                     : side ? "after"
                                            : "before"),
                              placement);
        }
        end[side].X = built->X_placed[side];
        end[side].sign = 1.0;
        end[side].location = t->loop_location[2 * loop + side] = lwi_add_location(t, location);
    }
    const char *axis = joined(t, flat->name, "axis");
    const lwi_joint_row *row = lwi_joint_row_of(def->type);
    if (row->has_axis2) {
        const int first = t->count;
        lwi_add_axis(t, axis, &def->axis, &end[0], 1);
        lwi_add_axis(t, joined(t, flat->name, "axis2"), &def->axis2, &end[1], 1);
        set_cosine_rates(t, def, loop, first);
    } else if (row->has_axis) {
        lwi_add_axis(t, axis, &def->axis, end, 2);
    }
    if (row->has_pitch) {
        set_effect(lwi_add_parameter(t, flat->name, "pitch", def->pitch, &def->pitch),
                   LWI_EFFECT_LEAD, loop, 0, 1.0 / LWI_TWO_PI);
    }
}

static void add_rod(lwi_parameter_build *t, int loop)
{
    const lwi_built_loop *built = &t->b->loop[loop];
    const lwi_flat *flat = &t->b->flat[built->flat];
    const lw_rod_def *def = as_rod(part_of(t->b, flat));
    t->loop_location[2 * loop] = lwi_port_location(t, flat->feeder, flat->feeder_port);
    t->loop_location[2 * loop + 1] = lwi_port_location(t, flat->feeder2, flat->feeder2_port);
    set_effect(lwi_add_parameter(t, flat->name, "length", built->loop.length, &def->length),
               LWI_EFFECT_LENGTH, loop, 0, 1.0);
}

// The numbers of one row of a gearbox: "ratio", or "ratio12" of the first row and second column.
static void add_gearbox(lwi_parameter_build *t, int g, const char *stem)
{
    const lwi_built_gear *gear = &t->b->gear[g];
    const int columns = gear->ndof - 1;
    const double *c = &gear->box->coefficient[gear->row * columns];
    for (int k = 0; k < columns; ++k) {
        char name[40] = "ratio";
        if (gear->box->nin > 1 || gear->box->nout > 1) {
            snprintf(name, sizeof name, "ratio%d%s%d", gear->row + 1, columns > 9 ? "." : "",
                     k + 1);
        }
        set_effect(lwi_add_parameter(t, stem, name, c[k], &c[k]), LWI_EFFECT_RATIO, g, 1 + k, -1.0);
    }
}

// Sizes of a gear; of a rack only the pinion has one.
static void add_gear(lwi_parameter_build *t, int g)
{
    const lwi_built_gear *gear = &t->b->gear[g];
    const lw_gear_def *def = gear->def;
    const char *stem = stem_of(t, gear->prefix, gear->name);
    if (!def) {
        if (gear->box) {
            add_gearbox(t, g, stem);
        }
        return;
    }
    const double *size = def->size;
    set_effect(lwi_add_parameter(t, stem, "size1", size[0], &size[0]), LWI_EFFECT_GEAR, g, 0,
               1.0 / size[0]);
    if (def->type != LW_GEAR_RACK) {
        set_effect(lwi_add_parameter(t, stem, "size2", size[1], &size[1]), LWI_EFFECT_GEAR, g, 1,
                   1.0 / size[1]);
        set_effect(lwi_add_parameter(t, stem, "ratio", size[1] / size[0], NULL), LWI_EFFECT_GEAR, g,
                   1, size[0] / size[1]);
    }
}

static int step_of_target(const lwi_build *b, int v)
{
    for (int s = 0; s < b->nstep; ++s) {
        for (int k = 0; k < b->step[s].step.ntarget; ++k) {
            if (b->step[s].step.target[k] == v) {
                return s;
            }
        }
    }
    return -1;
}

// The prefix of the instance that a coupling was described in: its dependent joint is there, or
// further inside.
static const char *coupling_prefix(const lwi_build *b, const lwi_built_coupling *coupling)
{
    int i = b->flat[coupling->target_at.flat].instance;
    for (;;) {
        const lw_mech *mech = b->instance[i].mech;
        for (int k = 0; k < mech->coupling.count; ++k) {
            if (coupling->def == &mech->coupling.at[k]) {
                return b->instance[i].prefix;
            }
        }
        if (b->instance[i].flat < 0) {
            return "";
        }
        i = b->flat[b->instance[i].flat].instance;
    }
}

static void add_coupling(lwi_parameter_build *t, int c)
{
    static const char *const names[] = {"c0", "c1", "c2",  "c3",  "c4",  "c5",  "c6",  "c7",
                                        "c8", "c9", "c10", "c11", "c12", "c13", "c14", "c15"};
    const lwi_built_coupling *coupling = &t->b->coupling[c];
    const lw_coupling_def *def = coupling->def;
    const char *stem = def->name && *def->name
                           ? stem_of(t, coupling_prefix(t->b, coupling), def->name)
                           : joined(t, t->b->tree_v_name[coupling->target], "coupling");
    const int step = step_of_target(t->b, coupling->target);
    for (int k = 0; k < def->ncoefficient; ++k) {
        lwi_parameter *parameter =
            lwi_add_parameter(t, stem, names[k], def->coefficient[k], &def->coefficient[k]);
        set_effect(parameter, LWI_EFFECT_COUPLING, step, k, 1.0);
    }
}

lwi_gear_row lwi_make_gear_row(lwi_parameter_build *t, int g)
{
    lwi_build *b = t->b;
    const lwi_built_gear *gear = &b->gear[g];
    const size_t n = (size_t)gear->ndof;
    int *v = lwi_arena_take(t->out, n, sizeof *v), *q = lwi_arena_take(t->out, n, sizeof *q);
    double *share = lwi_arena_take(t->out, n, sizeof *share);
    double *reference = lwi_arena_take(t->out, n, sizeof *reference);
    lwi_gear_row row = {-1, -1, gear->ndof, gear->nfirst, v, q, share, reference};
    if (!v || !q || !share || !reference) {
        t->is_short = true;
        return row;
    }
    for (int s = 0; s < b->nstep; ++s) {
        int first = 0;
        for (int k = 0; k < b->step[s].step.nloop; ++k) {
            first += b->loop[b->step[s].step.loop[k]].loop.nrow;
        }
        for (int k = 0; k < b->step[s].ngear; ++k) {
            if (b->step[s].gear[k] == g) {
                row.step = s;
                row.row = first + k;
            }
        }
    }
    // Gears that are solved together with loops mesh as the description gives the positions, others
    // as they are in the closed reference configuration.
    const bool is_block = row.step >= 0 && b->step[row.step].step.kind == LW_STEP_BLOCK;
    for (size_t k = 0; k < n; ++k) {
        v[k] = gear->dof[k];
        q[k] = lwi_q_of_v(b, v[k]);
        share[k] = gear->share[k];
        reference[k] = is_block ? b->dof[v[k]]->reference : b->tree_q_reference[q[k]];
    }
    return row;
}

void lwi_add_closure_parameters(lwi_parameter_build *t)
{
    const lwi_build *b = t->b;
    for (int k = 0; k < b->nloop && !t->is_short; ++k) {
        if (b->loop[k].loop.is_rod) {
            add_rod(t, k);
        } else {
            add_closing_joint(t, k);
        }
    }
    for (int g = 0; g < b->ngear && !t->is_short; ++g) {
        add_gear(t, g);
    }
    for (int c = 0; c < b->ncoupling && !t->is_short; ++c) {
        add_coupling(t, c);
    }
}
