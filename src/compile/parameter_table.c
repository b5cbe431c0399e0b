// The table of parameters, from the description and the compiler's view of it.
//
// The passes of the compiler up to the closing of loops run again; what they leave tells where each
// part is connected. Places are the nodes of a tree: a link, its ports and frames; the frame of a
// joint, that frame with its axis, the moving frame, its port b; the ends of loops.
#include "parameter_build.h"

#include "../math/pi.h"

#include "parameter_twist.h"

#include <stdlib.h>
#include <string.h>

int lwi_add_location(lwi_parameter_build *t, int parent)
{
    t->parent[t->nlocation] = parent;
    return t->nlocation++;
}

int lwi_port_location(const lwi_parameter_build *t, int flat, int port)
{
    if (flat < 0) {
        return -1;
    }
    if (port >= LWI_PORT_FIRST_FRAME) {
        return t->frame_location[flat] + port - LWI_PORT_FIRST_FRAME;
    }
    return port == LWI_PORT_B ? t->b_location[flat] : t->part_location[flat];
}

// Capacity for one more element, in the arena; the old array stays behind there.
static bool grow(lwi_parameter_build *t, void **array, int count, int *room, size_t size)
{
    if (count < *room) {
        return true;
    }
    const int more = *room ? 2 * *room : 64;
    void *wider = lwi_arena_take(t->out, (size_t)more, size);
    if (!wider) {
        t->is_short = true;
        return false;
    }
    if (count) {
        memcpy(wider, *array, (size_t)count * size);
    }
    *array = wider;
    *room = more;
    return true;
}

const char *lwi_put_together(lwi_parameter_build *t, const char *one, const char *between,
                             const char *other)
{
    const size_t n[3] = {strlen(one), strlen(between), strlen(other)};
    char *text = lwi_arena_take(t->out, n[0] + n[1] + n[2] + 1, 1);
    if (!text) {
        t->is_short = true;
        return "";
    }
    memcpy(text, one, n[0]);
    memcpy(text + n[0], between, n[1]);
    memcpy(text + n[0] + n[1], other, n[2]);
    return text;
}

static const char *joined(lwi_parameter_build *t, const char *stem, const char *tail)
{
    return lwi_put_together(t, stem, ".", tail);
}

lwi_parameter *lwi_add_parameter(lwi_parameter_build *t, const char *stem, const char *tail,
                                 double value, const double *source)
{
    void *at = t->at;
    if (!grow(t, &at, t->count, &t->room, sizeof *t->at)) {
        return NULL;
    }
    t->at = at;
    t->at[t->count] = (lwi_parameter){.name = joined(t, stem, tail),
                                      .value = value,
                                      .source = source,
                                      .action = t->naction,
                                      .index = -1};
    return &t->at[t->count++];
}

// Of the newest parameter. X places the frame of the twist in the body.
static void add_action(lwi_parameter_build *t, int location, int body, const lw_pose *X,
                       const lw_motion *twist, int q)
{
    void *action = t->action;
    if (!grow(t, &action, t->naction, &t->action_room, sizeof *t->action) || t->count == 0) {
        return;
    }
    t->action = action;
    t->action[t->naction++] =
        (lwi_action){location, location, body, q, lwi_twist_in_body(X, twist)};
    ++t->at[t->count - 1].naction;
}

void lwi_add_placement(lwi_parameter_build *t, int location, int body, const lw_pose *X,
                       const char *stem, const lw_placement *placement)
{
    lwi_placed_number number[LWI_MOST_PLACED];
    const int n = lwi_placed_numbers(placement, number);
    for (int k = 0; k < n; ++k) {
        const double *source = number[k].value < 0 ? NULL : &placement->value[number[k].value];
        lwi_add_parameter(t, stem, number[k].name, source ? *source : 0.0, source);
        add_action(t, location, body, X, &number[k].twist, -1);
    }
}

static lw_pose feeder_pose(const lwi_parameter_build *t, int feeder, int port, const lwi_flat *flat,
                           int *body)
{
    if (feeder < 0) {
        *body = flat->body;
        return lw_pose_identity();
    }
    return lwi_port_pose(t->b, feeder, port, body);
}

// A link or the ground, with its frames.
static void add_link(lwi_parameter_build *t, int f)
{
    const lwi_flat *flat = &t->b->flat[f];
    const lw_mech *mech = mech_of(t->b, flat);
    const lwi_part *part = part_of(t->b, flat);
    const int location = lwi_add_location(t, lwi_port_location(t, flat->feeder, flat->feeder_port));
    t->part_location[f] = t->b_location[f] = location;
    if (flat->kind == LW_PART_LINK) {
        t->b_location[f] = lwi_add_location(t, location);
        lwi_add_placement(t, t->b_location[f], flat->body, &flat->X_BA, joined(t, flat->name, "b"),
                          &as_link(part)->b);
    }
    t->frame_location[f] = t->nlocation;
    for (int i = 0; i < part->nframe; ++i) {
        const lwi_part_frame *frame = &mech->frame.at[part->frames[i]];
        lwi_add_placement(t, lwi_add_location(t, location), flat->body, &flat->X_BA,
                          joined(t, flat->name, frame->name), &frame->placement);
    }
}

void lwi_add_axis(lwi_parameter_build *t, const char *stem, const lw_vec3 *axis,
                  const lwi_axis_end *end, int nend)
{
    static const char *const component[3] = {"x", "y", "z"};
    const double *value = &axis->x;
    for (int k = 0; k < 3; ++k) {
        const lw_vec3 w = lwi_axis_turning(*axis, k);
        lwi_add_parameter(t, stem, component[k], value[k], &value[k]);
        for (int i = 0; i < nend; ++i) {
            const lw_motion twist = {lw_scale3(end[i].sign, w), {0.0, 0.0, 0.0}};
            add_action(t, end[i].location, end[i].body, &end[i].X, &twist, -1);
        }
    }
}

static void add_pitch(lwi_parameter_build *t, const lwi_flat *flat, const lw_joint_def *def,
                      int location, int body)
{
    const lw_pose one = lw_pose_identity();
    const lw_motion along = {{0.0, 0.0, 0.0}, {0.0, 0.0, 1.0 / LWI_TWO_PI}};
    lwi_add_parameter(t, flat->name, "pitch", def->pitch, &def->pitch);
    add_action(t, location, body, &one, &along, t->b->body[body].q);
}

// A joint of the tree: its frame, rotated for its axis and back on the other side.
static void add_joint(lwi_parameter_build *t, int f)
{
    const lwi_flat *flat = &t->b->flat[f];
    const lwi_built_joint *joint = &t->b->joint[flat->joint];
    const lw_joint_def *def = as_joint(part_of(t->b, flat));
    int body;
    const lw_pose X_feeder = feeder_pose(t, flat->feeder, flat->feeder_port, flat, &body);
    const int location = lwi_add_location(t, lwi_port_location(t, flat->feeder, flat->feeder_port));
    t->part_location[f] = location;
    lwi_add_placement(t, location, body, &X_feeder,
                      joined(t, flat->name, def->before.form == LW_PLACEMENT_DH ? "dh" : "before"),
                      &def->before);

    const lw_pose after = lw_placement_pose(&def->after), back = lw_pose_inverse(&after);
    const lw_pose X_moving = lw_pose_mul(&joint->X_Bb, &back);
    const int rest = lwi_add_location(t, location), first = lwi_add_location(t, rest),
              second = lwi_add_location(t, first);
    const int moving = lwi_add_location(t, second);
    const char *axis = joined(t, flat->name, "axis");
    const lwi_joint_row *row = lwi_joint_row_of(joint->info.type);
    if (t->b->held[f]) {
        // Its axes are those of the ball joint's frame, and no parameters.
    } else if (row->has_axis2) {
        const lw_mat3 N = lw_rotation_to_z(lw_unit3(def->axis));
        const lw_pose X_first = {lw_transpose3(&N), {0.0, 0.0, 0.0}};
        const lwi_axis_end one[2] = {{rest, flat->body, flat->X_BA, 1.0},
                                     {first, joint->info.body, X_first, -1.0}};
        const lwi_axis_end two[2] = {{second, joint->info.body, X_first, 1.0},
                                     {moving, joint->body_b, X_moving, -1.0}};
        lwi_add_axis(t, axis, &def->axis, one, 2);
        lwi_add_axis(t, joined(t, flat->name, "axis2"), &def->axis2, two, 2);
    } else if (row->has_axis) {
        const lwi_axis_end ends[2] = {{rest, flat->body, flat->X_BA, 1.0},
                                      {moving, joint->body_b, X_moving, -1.0}};
        lwi_add_axis(t, axis, &def->axis, ends, 2);
    }
    if (row->has_pitch) {
        add_pitch(t, flat, def, moving, joint->body_b);
    }
    t->b_location[f] = lwi_add_location(t, moving);
    lwi_add_placement(t, t->b_location[f], joint->body_b, &X_moving, joined(t, flat->name, "after"),
                      &def->after);
}

// --- The whole --------------------------------------------------------------------------------

static bool reserve(lwi_parameter_build *t)
{
    const lwi_build *b = t->b;
    const size_t nflat = (size_t)b->nflat;
    size_t places = 8 * nflat;
    for (int f = 0; f < b->nflat; ++f) {
        places += (size_t)part_of(b, &b->flat[f])->nframe;
    }
    t->parent = lwi_arena_take(b->arena, places, sizeof *t->parent);
    t->part_location = lwi_arena_take(b->arena, nflat, sizeof *t->part_location);
    t->b_location = lwi_arena_take(b->arena, nflat, sizeof *t->b_location);
    t->frame_location = lwi_arena_take(b->arena, nflat, sizeof *t->frame_location);
    t->loop_location = lwi_arena_take(t->out, 2 * (size_t)b->nloop, sizeof *t->loop_location);
    return t->parent && t->part_location && t->b_location && t->frame_location && t->loop_location;
}

static void fill(lwi_parameter_build *t)
{
    const lwi_build *b = t->b;
    for (int i = 0; i < b->norder && !t->is_short; ++i) {
        const int f = b->order[i];
        if (b->flat[f].kind == LW_PART_JOINT) {
            add_joint(t, f);
        } else if (!lwi_is_leaf(b->flat[f].kind)) {
            add_link(t, f);
        }
    }
    if (!t->is_short) {
        lwi_add_closure_parameters(t);
    }
}

// The places behind each one in a row: numbers anew, depth first.
static bool number_places(lwi_parameter_build *t, int **first, int **end)
{
    const size_t n = (size_t)t->nlocation;
    int *size = lwi_arena_take(t->b->arena, n, sizeof *size);
    int *next = lwi_arena_take(t->b->arena, n, sizeof *next);
    *first = lwi_arena_take(t->b->arena, n, sizeof **first);
    *end = lwi_arena_take(t->b->arena, n, sizeof **end);
    if (!size || !next || !*first || !*end) {
        return false;
    }
    for (int i = t->nlocation - 1; i >= 0; --i) {
        ++size[i];
        if (t->parent[i] >= 0) {
            size[t->parent[i]] += size[i];
        }
    }
    int root = 0;
    for (int i = 0; i < t->nlocation; ++i) {
        int *at = t->parent[i] >= 0 ? &next[t->parent[i]] : &root;
        (*first)[i] = *at;
        (*end)[i] = *at + size[i];
        next[i] = *at + 1;
        *at += size[i];
    }
    return true;
}

// Frames in the order of the model: of links and on links, of joints, of loops.
static int *number_frames(lwi_parameter_build *t, const lw_model *m, const int *first)
{
    const lwi_build *b = t->b;
    int *frame = lwi_arena_take(t->out, (size_t)m->nframe_all, sizeof *frame);
    int n = 0;
    for (int f = 0; f < b->nflat && frame; ++f) {
        const lwi_flat *flat = &b->flat[f];
        if (flat->is_left_out || (flat->kind != LW_PART_LINK && flat->kind != LW_PART_GROUND)) {
            continue;
        }
        frame[n++] = first[t->part_location[f]];
        for (int i = 0; i < part_of(b, flat)->nframe; ++i) {
            frame[n++] = first[t->frame_location[f] + i];
        }
    }
    for (int j = 0; j < b->njoint && frame; ++j) {
        // None for the joint that an option adds, and for shafts.
        const int f = b->joint[j].info.is_shaft ? -1 : b->joint[j].flat;
        frame[n++] = f < 0 ? -1 : first[t->part_location[f]];
        frame[n++] = f < 0 ? -1 : first[t->b_location[f]];
    }
    for (int k = 0; k < 2 * b->nloop && frame; ++k) {
        t->loop_location[k] = first[t->loop_location[k]];
        frame[n++] = t->loop_location[k];
    }
    return frame;
}

static bool finish(lwi_parameter_build *t, const lw_model *m, lw_parameters *p)
{
    int *first, *end;
    if (t->is_short || !number_places(t, &first, &end)) {
        return false;
    }
    for (int k = 0; k < t->naction; ++k) {
        const int location = t->action[k].first;
        t->action[k].first = first[location];
        t->action[k].end = end[location];
    }
    lwi_gear_row *gear = lwi_arena_take(t->out, (size_t)t->b->ngear, sizeof *gear);
    for (int g = 0; g < t->b->ngear && gear; ++g) {
        gear[g] = lwi_make_gear_row(t, g);
    }
    p->at = t->at;
    p->count = t->count;
    p->action = t->action;
    p->frame_location = number_frames(t, m, first);
    p->loop_location = t->loop_location;
    p->gear = gear;
    p->ngear = t->b->ngear;
    p->nbody = m->nbody;
    p->nframe_all = m->nframe_all;
    p->nloop = m->nloop;
    p->nstep = m->nstep;
    p->tree_nv = m->tree_nv;
    return gear && p->frame_location && !t->is_short;
}

static bool is_model_of(const lwi_build *b, const lw_model *m)
{
    bool is_same = b->nbody == m->nbody && b->njoint == m->njoint && b->nloop == m->nloop &&
                   b->nstep == m->nstep && b->tree_nv == m->tree_nv;
    for (int i = 0; i < b->nbody && is_same; ++i) {
        is_same = memcmp(&b->body[i].X_PJ, &m->X_PJ[i], sizeof m->X_PJ[i]) == 0;
    }
    for (int k = 0; k < b->nloop && is_same; ++k) {
        is_same = b->loop[k].loop.length == m->loop[k].length;
    }
    return is_same;
}

lw_status lw_parameters_create(const lw_mech *mech, const lw_compile_options *options,
                               const lw_model *m, lw_parameters **parameters)
{
    if (!parameters) {
        return LW_ERR_ARGUMENT;
    }
    *parameters = NULL;
    if (!mech || !m) {
        return LW_ERR_ARGUMENT;
    }
    lwi_compilation c;
    lw_parameters *p = calloc(1, sizeof *p);
    lw_status status = lwi_compile_begin(&c, mech, options, NULL, LWI_PASS_CLOSE);
    status = p ? status : LW_ERR_MEMORY;
    if (status == LW_OK && !is_model_of(&c.build, m)) {
        status = LW_ERR_ARGUMENT;
    }
    if (status == LW_OK) {
        lwi_parameter_build t = {.b = &c.build, .out = &p->arena};
        t.is_short = !reserve(&t);
        if (!t.is_short) {
            fill(&t);
        }
        status = finish(&t, m, p) ? LW_OK : LW_ERR_MEMORY;
    }
    if (status == LW_OK) {
        *parameters = p;
        p = NULL; // now the caller's
    }
    lw_parameters_destroy(p);
    lwi_compile_end(&c, NULL);
    return status;
}
