// Conversion of the closure program to float, for float_model.c.
#include "float_model.h"

#include <string.h>

static int *put_ints(lwi_slicer *s, const int *from, int n)
{
    int *to = lwi_slice(s, (size_t)n, sizeof *to);
    if (to && n > 0) {
        memcpy(to, from, (size_t)n * sizeof *to);
    }
    return to;
}

static float *put_numbers(lwi_slicer *s, const double *from, int n)
{
    float *to = lwi_slice(s, (size_t)n, sizeof *to);
    for (int k = 0; k < n && to; ++k) {
        to[k] = (float)from[k];
    }
    return to;
}

static lwi_vector32 vector_to_float(lw_vec3 a)
{
    return (lwi_vector32){(float)a.x, (float)a.y, (float)a.z};
}

static lwi_place32 place_to_float(const lw_pose *X)
{
    lwi_place32 place = {.p = vector_to_float(X->p)};
    for (int r = 0; r < 3; ++r) {
        place.R.row[r] = vector_to_float(X->R.row[r]);
    }
    return place;
}

static lwi_vec232 vec2_to_float(lwi_vec2 a)
{
    return (lwi_vec232){(float)a.x, (float)a.y};
}

static void put_side(lwi_slicer *s, const lwi_plane_side *from, lwi_plane_side32 *to)
{
    lwi_plane_joint32 *joint = lwi_slice(s, (size_t)from->n, sizeof *joint);
    for (int k = 0; k < from->n && joint; ++k) {
        const lwi_plane_joint *own = &from->joint[k];
        joint[k] = (lwi_plane_joint32){.q = own->q,
                                       .v = own->v,
                                       .column = own->column,
                                       .is_slide = own->is_slide,
                                       .sign = (float)own->sign,
                                       .offset = vec2_to_float(own->offset),
                                       .slide = vec2_to_float(own->slide)};
    }
    *to = (lwi_plane_side32){from->n, joint, vec2_to_float(from->end), vec2_to_float(from->along)};
}

static lwi_plane32 *put_plane(lwi_slicer *s, const lwi_plane *from)
{
    lwi_plane32 own = {.first = 0}, *copy = from ? lwi_slice(s, 1, sizeof *copy) : NULL;
    for (int side = 0; side < 2 && from; ++side) {
        put_side(s, &from->side[side], &own.side[side]);
    }
    if (copy) {
        own.length2 = (float)from->length2;
        own.slides = from->slides;
        own.first = from->first;
        *copy = own;
    }
    return copy;
}

static void put_loop(const lw_model *m, lwi_slicer *s, const lwi_loop *from, lwi_loop32 *to)
{
    int ndof = 0;
    *to = (lwi_loop32){.is_rod = from->is_rod,
                       .type = from->type,
                       .nrow = from->nrow,
                       .length = (float)from->length,
                       .lead = (float)from->lead,
                       .cosine = (float)from->cosine,
                       .size = (float)from->size};
    for (int side = 0; side < 2; ++side) {
        to->npath[side] = from->npath[side];
        to->path[side] = put_ints(s, from->path[side], from->npath[side]);
        to->X[side] = place_to_float(&from->X[side]);
        for (int k = 0; k < from->npath[side]; ++k) {
            ndof += m->kernel->segment[from->path[side][k]].nv;
        }
    }
    for (int r = 0; r < LWI_MOST_ROWS; ++r) {
        to->unit[r] = (float)from->unit[r];
    }
    to->column = put_ints(s, from->column, ndof);
    to->plane = put_plane(s, from->plane);
}

static void put_step(lwi_slicer *s, const lwi_step *from, lwi_step32 *to)
{
    const int ncolumn = from->ntarget + from->nsource + 1;
    *to = (lwi_step32){.kind = from->kind,
                       .ntarget = from->ntarget,
                       .nsource = from->nsource,
                       .nrow = from->nrow,
                       .nloop = from->nloop,
                       .law = from->law,
                       .ncoefficient = from->ncoefficient,
                       .first_coefficient = from->first_coefficient,
                       .ngear = from->ngear,
                       .branch = from->branch,
                       .side = from->side,
                       .at = from->at,
                       .rate = from->rate,
                       .bias = from->bias,
                       .plane_solve = from->plane_solve};
    to->target = put_ints(s, from->target, from->ntarget);
    to->source = put_ints(s, from->source, from->nsource);
    to->target_q = put_ints(s, from->target_q, from->ntarget);
    to->source_q = put_ints(s, from->source_q, from->nsource);
    to->target_body = put_ints(s, from->target_body, from->ntarget);
    to->loop = put_ints(s, from->loop, from->nloop);
    to->target_unit = put_numbers(s, from->target_unit, from->ntarget);
    to->source_unit = put_numbers(s, from->source_unit, from->nsource);
    to->gear_row = put_numbers(s, from->gear_row, from->ngear * ncolumn);
    to->gear_unit = put_numbers(s, from->gear_unit, from->ngear);
}

// The work space of the step that needs most.
static void count_work(const lw_model *m, lw_model32 *to)
{
    const lwi_program *program = m->kernel->program;
    to->matrix = to->both = 0;
    to->nplane_record = program->nplane_record;
    to->nplane_solve = program->nplane_solve;
    to->longest = program->longest;
    for (int k = 0; k < m->nstep; ++k) {
        const lwi_step *step = &program->step[k];
        const int matrix = step->nrow * (step->ntarget + step->nsource + 2);
        const int both = 2 * step->nrow * step->ntarget;
        to->matrix = matrix > to->matrix ? matrix : to->matrix;
        to->both = both > to->both ? both : to->both;
    }
}

// A vector of a body along the axes of its segment.
static lwi_vector32 vector_in_segment(const lw_model *m, int body, lw_vec3 p)
{
    lwi_vector32 r = vector_to_float(p);
    if (body >= 0) {
        const double c = m->kernel->segment[body].cos_phi, s = m->kernel->segment[body].sin_phi;
        r.x = (float)(c * p.x + s * p.y);
        r.y = (float)(c * p.y - s * p.x);
    }
    return r;
}

static void put_spring(const lw_model *m, lwi_slicer *s, const lw_spring_info *from,
                       lwi_spring32 *to)
{
    *to = (lwi_spring32){.is_torsion = from->is_torsion,
                         .is_plane = from->along == LW_SPRING_NORMAL,
                         .law = from->law,
                         .ncoefficient = from->ncoefficient,
                         .preload = (float)from->preload,
                         .free = (float)from->free,
                         .damping = (float)from->damping,
                         .backlash = (float)from->backlash,
                         .loss = (float)from->loss,
                         .loss_speed = (float)from->loss_speed,
                         .side = from->side};
    for (int side = 0; side < 2; ++side) {
        const int body = from->body[side];
        const lw_vec3 p = from->p[side];
        to->body[side] = body;
        to->dof[side] = from->dof[side];
        to->position[side] = from->position[side];
        to->p[side] = from->is_torsion ? vector_to_float(p) : vector_in_segment(m, body, p);
    }
    to->normal = vector_in_segment(m, from->body[0], from->normal);
    to->coefficient = put_numbers(s, from->coefficient, from->ncoefficient);
}

void lwi_put_program32(const lw_model *m, lwi_slicer *s, lw_model32 *to)
{
    const lwi_program *program = m->kernel->program;
    const int nplace = program->nloop > 0 ? m->nbody : 0;
    lwi_step32 own_step, *step = lwi_slice(s, (size_t)m->nstep, sizeof *step);
    lwi_loop32 own_loop, *loop = lwi_slice(s, (size_t)program->nloop, sizeof *loop);
    float *rod_mass = lwi_slice(s, (size_t)program->nloop, sizeof *rod_mass);
    lwi_place32 *X_PJ = lwi_slice(s, (size_t)nplace, sizeof *X_PJ);
    lwi_spring32 own_spring, *spring = lwi_slice(s, (size_t)m->nspring, sizeof *spring);
    for (int k = 0; k < m->nspring; ++k) {
        put_spring(m, s, &m->spring[k], spring ? &spring[k] : &own_spring);
    }
    to->nspring = m->nspring;
    to->spring = spring;
    to->nstep = m->nstep;
    to->nloop = program->nloop;
    to->has_rods = false;
    count_work(m, to);
    for (int k = 0; k < m->nstep; ++k) {
        put_step(s, &program->step[k], step ? &step[k] : &own_step);
    }
    for (int k = 0; k < program->nloop; ++k) {
        put_loop(m, s, &program->loop[k], loop ? &loop[k] : &own_loop);
        to->has_rods = to->has_rods || m->loop[k].mass > 0.0;
        if (rod_mass) {
            rod_mass[k] = (float)m->loop[k].mass;
        }
    }
    for (int i = 0; i < nplace && X_PJ; ++i) {
        X_PJ[i] = place_to_float(&m->X_PJ[i]);
    }
    to->coefficient = put_numbers(s, program->coefficient, program->ncoefficient);
    to->q_reference = put_numbers(s, m->tree_q_reference, m->nstep > 0 ? m->tree_nq : 0);
    to->step = step;
    to->loop = loop;
    to->rod_mass = rod_mass;
    to->X_PJ = X_PJ;
}
