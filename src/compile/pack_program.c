// The closure program of the model: the one that runs, and beside it what users may read of it.
#include "pack.h"

#include "../loop/planar_loop.h"
#include "../model/kernel.h"

#include <string.h>

// A name within an assembly, written straight into the block.
static const char *put_prefixed(lwi_slicer *s, const char *prefix, const char *name)
{
    const char *start = lwi_put_text(s, prefix);
    s->used -= 1; // the name goes where the prefix ends
    lwi_put_text(s, name);
    return start;
}

static const int *put_ints(lwi_slicer *s, const int *array, int n)
{
    return lwi_put_array(s, array, n, sizeof *array);
}

static const lwi_plane *put_plane(lwi_slicer *s, const lwi_plane *plane)
{
    if (!plane) {
        return NULL;
    }
    lwi_plane *copy = lwi_put_array(s, plane, 1, sizeof *plane);
    for (int side = 0; side < 2; ++side) {
        const lwi_plane_joint *joint =
            lwi_put_array(s, plane->side[side].joint, plane->side[side].n, sizeof *joint);
        if (copy) {
            copy->side[side].joint = joint;
        }
    }
    return copy;
}

static const lwi_platform *put_platform(lwi_slicer *s, const lwi_platform *platform)
{
    if (!platform) {
        return NULL;
    }
    lwi_platform *copy = lwi_put_array(s, platform, 1, sizeof *platform);
    const lwi_platform_leg *leg = lwi_put_array(s, platform->leg, platform->nleg, sizeof *leg);
    if (copy) {
        copy->leg = leg;
    }
    return copy;
}

static const lwi_legs *put_legs(lwi_slicer *s, const lwi_legs *legs, int ntarget)
{
    lwi_legs *copy = lwi_put_array(s, legs, 1, sizeof *legs);
    lwi_leg_branch *branch = lwi_put_array(s, legs->branch, legs->nbranch, sizeof *branch);
    for (int k = 0; k < legs->nbranch; ++k) {
        const int *body = put_ints(s, legs->branch[k].body, legs->branch[k].n);
        const int *column = put_ints(s, legs->branch[k].column, legs->branch[k].ndof);
        if (branch) {
            branch[k].body = body;
            branch[k].column = column;
        }
    }
    const lwi_torn_leg *leg = lwi_put_array(s, legs->leg, legs->nleg, sizeof *leg);
    const int *kept = put_ints(s, legs->kept, ntarget);
    if (copy) {
        copy->branch = branch;
        copy->leg = leg;
        copy->kept = kept;
    }
    return copy;
}

// `own` is the step that is reduced, already packed: they share their sources and loops.
static const lwi_step *put_reduced(lwi_slicer *s, const lwi_step *reduced, const lwi_step *own)
{
    if (!reduced) {
        return NULL;
    }
    lwi_step *copy = lwi_put_array(s, reduced, 1, sizeof *reduced);
    const int *target = put_ints(s, reduced->target, reduced->ntarget);
    const int *target_q = put_ints(s, reduced->target_q, reduced->ntarget);
    const int *target_body = put_ints(s, reduced->target_body, reduced->ntarget);
    const double *unit = lwi_put_array(s, reduced->target_unit, reduced->ntarget, sizeof *unit);
    const lwi_legs *legs = put_legs(s, reduced->legs, own->ntarget);
    if (copy) {
        copy->target = target;
        copy->target_q = target_q;
        copy->target_body = target_body;
        copy->target_unit = unit;
        copy->source = own->source;
        copy->source_q = own->source_q;
        copy->source_unit = own->source_unit;
        copy->loop = own->loop;
        copy->legs = legs;
    }
    return copy;
}

// The program that runs, and beside it what users may read of it. The lists are shared.
static void put_loops(const lwi_build *b, lwi_slicer *s, lw_model *m, lwi_program *program)
{
    lwi_loop *loop = lwi_slice(s, (size_t)b->nloop, sizeof *loop);
    lw_loop_info *info = lwi_slice(s, (size_t)b->nloop, sizeof *info);
    for (int k = 0; k < b->nloop; ++k) {
        const lwi_built_loop *built = &b->loop[k];
        const lwi_flat *flat = &b->flat[built->flat];
        const char *name = lwi_put_text(s, flat->name);
        const int *path[2];
        for (int side = 0; side < 2; ++side) {
            path[side] = put_ints(s, built->loop.path[side], built->loop.npath[side]);
        }
        const int *column = put_ints(s, built->loop.column, built->ndof);
        const lwi_plane *plane = put_plane(s, built->loop.plane);
        program->longest = built->ndof > program->longest ? built->ndof : program->longest;
        if (!loop) {
            continue;
        }
        loop[k] = built->loop;
        loop[k].path[0] = path[0];
        loop[k].path[1] = path[1];
        loop[k].column = column;
        loop[k].plane = plane;
        // Field by field: padding stays zero, which lw_model_hash() reads.
        info[k].name = name;
        info[k].is_rod = built->loop.is_rod;
        info[k].type = built->loop.type;
        info[k].frame[0] = m->nframe + 2 * b->njoint + 2 * k;
        info[k].frame[1] = info[k].frame[0] + 1;
        info[k].length = built->loop.length;
        info[k].mass = lwi_part_mass(part_of(b, flat));
        info[k].nrow = built->loop.nrow;
        info[k].rank = built->rank;
        info[k].step = built->step;
    }
    program->loop = loop;
    program->nloop = b->nloop;
    program->nplane_record = b->nplane_record;
    program->nplane_solve = b->nplane_solve;
    program->nleg = b->nleg;
    program->nleg_motion = b->nleg_motion;
    program->nleg_row = b->nleg_row;
    program->nbranch = b->nbranch;
    for (int k = 0; k < b->nloop && info; ++k) {
        m->mass += info[k].mass;
    }
    m->loop = info;
    m->nloop = b->nloop;
}

// What the program needs to run a step as well: where its rates go, and scratch.
static void add_work(lwi_program *program, const int *span, lwi_step *step)
{
    program->nrow = step->nrow > program->nrow ? step->nrow : program->nrow;
    program->nend = step->nloop > program->nend ? step->nloop : program->nend;
    step->rate = program->nrate;
    step->bias = program->nbias;
    program->nrate += step->ntarget * step->nsource;
    program->nbias += step->ntarget;
    const int size = step->nrow * (step->ntarget + step->nsource + 2);
    program->matrix = size > program->matrix ? size : program->matrix;
    const bool is_block = step->kind == LW_STEP_BLOCK; // closed forms iterate to find a gap
    const int damped = step->nloop > 0 ? step->ntarget * (step->ntarget + 1) : 0;
    program->damped = damped > program->damped ? damped : program->damped;
    step->last = program->nlast;
    for (int k = 0; k < step->nspan && is_block; ++k) {
        program->nlast += span[2 * k + 1];
    }
}

static lw_step_info step_info(const lwi_step *step, const char *name)
{
    return (lw_step_info){.kind = step->kind,
                          .name = name,
                          .ntarget = step->ntarget,
                          .nsource = step->nsource,
                          .nloop = step->nloop,
                          .target = step->target,
                          .source = step->source,
                          .loop = step->loop,
                          .branch = step->branch,
                          .ncoefficient = step->ncoefficient,
                          .law = step->law,
                          .coefficient = step->coefficient,
                          .condition = step->condition,
                          .condition_near = step->condition_near,
                          .nunknown = step->kind != LW_STEP_BLOCK ? 0
                                      : step->reduced             ? step->reduced->ntarget
                                                                  : step->ntarget};
}

static void put_steps(const lwi_build *b, lwi_slicer *s, lw_model *m, lwi_program *program)
{
    lwi_step *step = lwi_slice(s, (size_t)b->nstep, sizeof *step);
    lw_step_info *info = lwi_slice(s, (size_t)b->nstep, sizeof *info);
    int *step_of = lwi_slice(s, (size_t)b->tree_nv, sizeof *step_of);
    if (step_of) {
        memset(step_of, -1, (size_t)b->tree_nv * sizeof *step_of);
    }
    for (int k = 0; k < b->nstep; ++k) {
        program->ncoefficient += b->step[k].step.ncoefficient;
    }
    double *coefficient = lwi_slice(s, (size_t)program->ncoefficient, sizeof *coefficient);
    int first = 0;
    program->coefficient = coefficient;
    program->matrix = 1;
    for (int k = 0; k < b->nstep; ++k) {
        lwi_step own = b->step[k].step;
        const char *name = lwi_put_text(s, b->step[k].name);
        for (int t = 0; t < own.ntarget && step_of; ++t) {
            step_of[own.target[t]] = k;
        }
        own.target = put_ints(s, own.target, own.ntarget);
        own.source = put_ints(s, own.source, own.nsource);
        own.target_q = put_ints(s, own.target_q, own.ntarget);
        own.source_q = put_ints(s, own.source_q, own.nsource);
        own.target_unit = lwi_put_array(s, own.target_unit, own.ntarget, sizeof(double));
        own.source_unit = lwi_put_array(s, own.source_unit, own.nsource, sizeof(double));
        own.target_body = put_ints(s, own.target_body, own.ntarget);
        own.loop = put_ints(s, own.loop, own.nloop);
        own.platform = put_platform(s, own.platform);
        own.span = put_ints(s, own.span, 2 * own.nspan);
        own.gear = put_ints(s, b->step[k].gear, own.ngear);
        own.gear_row = lwi_put_array(s, own.gear_row, own.ngear * (own.ntarget + own.nsource + 1),
                                     sizeof(double));
        own.gear_unit = lwi_put_array(s, own.gear_unit, own.ngear, sizeof(double));
        own.reduced = put_reduced(s, own.reduced, &own);
        if (coefficient && own.ncoefficient) {
            memcpy(&coefficient[first], own.coefficient,
                   (size_t)own.ncoefficient * sizeof *coefficient);
        }
        own.first_coefficient = first;
        own.coefficient = coefficient ? &coefficient[first] : NULL;
        first += own.ncoefficient;
        add_work(program, b->step[k].step.span, &own);
        int ndof = 0;
        for (int i = 0; i < own.nloop; ++i) {
            ndof += b->loop[b->step[k].step.loop[i]].ndof;
        }
        program->longest = ndof > program->longest ? ndof : program->longest;
        if (step) {
            step[k] = own;
            info[k] = step_info(&own, name);
        }
    }
    program->step = step;
    program->step_of = step_of;
    program->nstep = b->nstep;
    m->step = info;
}

static int step_of_gear(const lwi_build *b, int gear)
{
    for (int k = 0; k < b->nstep; ++k) {
        for (int g = 0; g < b->step[k].ngear; ++g) {
            if (b->step[k].gear[g] == gear) {
                return k;
            }
        }
    }
    return -1;
}

static void put_gears(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    lw_gear_info *info = lwi_slice(s, (size_t)b->ngear, sizeof *info);
    for (int k = 0; k < b->ngear; ++k) {
        const lwi_built_gear *gear = &b->gear[k];
        const char *name = put_prefixed(s, gear->prefix, gear->name);
        const int *dof = put_ints(s, gear->dof, gear->ndof);
        const double *share = lwi_put_array(s, gear->share, gear->ndof, sizeof *share);
        if (info) {
            lw_gear_info *at = &info[k]; // field by field, as above
            at->name = name;
            at->type = gear->type;
            at->carrier = gear->carrier;
            for (int i = 0; i < 2; ++i) {
                at->size[i] = gear->size[i];
                at->body[i] = gear->body[i];
                at->X_BW[i] = gear->X_BW[i];
                at->turn[i] = gear->turn[i];
                at->radius[i] = gear->radius[i];
            }
            at->ndof = gear->ndof;
            at->dof = dof;
            at->share = share;
            at->step = step_of_gear(b, k);
        }
    }
    m->gear = info;
    m->ngear = b->ngear;
}

static lw_drive_info drive_info(const lw_drive_def *def)
{
    // Over zeros: the gaps between members are hashed with the model.
    lw_drive_info info;
    memset(&info, 0, sizeof info);
    info.ncurve = def->ncurve;
    info.inertia = def->inertia;
    info.max_force = def->max_force;
    info.max_velocity = def->max_velocity;
    info.stall_force = def->stall_force;
    info.no_load_velocity = def->no_load_velocity;
    info.continuous_force = def->continuous_force;
    return info;
}

static void put_drives(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    lw_drive_info *drive = lwi_slice(s, (size_t)b->ndrive, sizeof *drive);
    for (int k = 0; k < b->ndrive; ++k) {
        const lwi_axis *axis = &b->axis[b->drive[k]];
        const lwi_flat *flat = &b->flat[axis->flat];
        const lw_drive_def *def = as_drive(part_of(b, flat));
        const char *name = lwi_put_text(s, flat->name);
        double *curve = lwi_slice(s, (size_t)def->ncurve, sizeof *curve);
        if (drive) {
            drive[k] = drive_info(def);
            drive[k].name = name;
            drive[k].dof = axis->v >= 0 ? axis->v : axis->shared;
            drive[k].curve = curve;
            if (def->ncurve > 0) {
                memcpy(curve, def->curve, (size_t)def->ncurve * sizeof *curve);
            }
        }
    }
    m->drive = drive;
    m->ndrive = b->ndrive;
}

// The order of elimination.
static const lwi_fronts *put_fronts(const lwi_build *b, lwi_slicer *s)
{
    const lwi_fronts *from = b->fronts;
    if (!from) {
        return NULL;
    }
    lwi_fronts own = *from;
    lwi_fronts *fronts = lwi_put_array(s, from, 1, sizeof *from), *f = fronts ? fronts : &own;
    f->product = lwi_put_array(s, from->product, from->nproduct, sizeof *from->product);
    f->row = put_ints(s, from->row, b->tree_nv);
    f->nrow = put_ints(s, from->nrow, b->tree_nv);
    f->column = put_ints(s, from->column, from->nentry);
    f->at = put_ints(s, from->at, from->nentry);
    f->first = put_ints(s, from->first, b->nbody + 2);
    f->nkept = put_ints(s, from->nkept, b->nbody + 1);
    f->dof = put_ints(s, from->dof, from->nfront);
    f->slot = put_ints(s, from->slot, from->nfront);
    f->to = put_ints(s, from->to, from->nfront);
    f->share = put_ints(s, from->share, b->nbody + 1);
    f->v_parent = put_ints(s, from->v_parent, b->nv);
    f->role = lwi_put_array(s, from->role, b->nbody, sizeof *from->role);
    f->bends = lwi_put_array(s, from->bends, b->nv, sizeof *from->bends);
    return fronts;
}

void lwi_put_program(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    lwi_program own = {0};
    lwi_program *program = lwi_slice(s, 1, sizeof *program);
    put_loops(b, s, m, &own);
    put_steps(b, s, m, &own);
    put_gears(b, s, m);
    put_drives(b, s, m);
    own.fronts = put_fronts(b, s);
    if (program) {
        *program = own;
        ((lwi_kernel *)m->kernel)->program = program;
    }
}
