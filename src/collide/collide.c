// Solids and pairs of a mechanism, and their distances in a state.
#include "solids.h"

#include <linkwork/kinematics.h>

#include "../base/arena.h"
#include "../base/cpu.h"
#include "../base/report.h"
#include "../geom/support.h"
#include "../model/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINKS = 4096 }; // eight million pairs

static const lw_location nowhere = {0};

static bool is_used(const lw_shape_info *shape)
{
    return shape->role == LW_SHAPE_COLLISION && (shape->type != LW_SHAPE_MESH || shape->data >= 0);
}

lw_solid lwi_solid_of_shape(const lw_shape_info *shape)
{
    const lw_vec3 s = shape->size;
    switch (shape->type) {
    case LW_SHAPE_SPHERE:
        return lw_sphere(s.x);
    case LW_SHAPE_CYLINDER:
        return lw_cylinder(s.x, s.z);
    case LW_SHAPE_CAPSULE:
        return lw_capsule(s.x, s.z);
    case LW_SHAPE_BOX:
    case LW_SHAPE_MESH:
        break;
    }
    return lw_box(s);
}

// --- Making -----------------------------------------------------------------------------------

static lw_collide *lay_out(const lw_model *m, int nlink, int nsolid, lwi_slicer *s)
{
    const size_t npair = (size_t)nlink * (size_t)(nlink > 0 ? nlink - 1 : 0) / 2;
    const size_t nball = (size_t)nlink + BALLS_MORE;
    lw_collide *mem = lwi_slice(s, 1, sizeof *mem);
    lw_collide c = {.m = m};
    // With bounds of the description, and no more boxes than what they are around.
    const size_t nnode = 2 * ((size_t)nsolid + (size_t)lwi_count_bounds(m));
    c.solid = lwi_slice(s, nnode, sizeof *c.solid);
    c.X_WS = lwi_slice(s, nnode, sizeof *c.X_WS);
    c.node = lwi_slice(s, nnode, sizeof *c.node);
    c.posed = lwi_slice(s, nnode, sizeof *c.posed);
    c.link = lwi_slice(s, (size_t)nlink, sizeof *c.link);
    c.pair = lwi_slice(s, npair, sizeof *c.pair);
    c.pair_link = lwi_slice(s, 2 * npair, sizeof *c.pair_link);
    c.work = lwi_slice(s, 1, sizeof *c.work);
    c.surface = lwi_slice(s, (size_t)m->nshape, sizeof *c.surface);
    c.hull_point = lwi_slice(s, (size_t)m->nshape, sizeof *c.hull_point);
    c.hull = lwi_slice(s, (size_t)m->nshape, sizeof *c.hull);
    c.balls.x = lwi_slice(s, nball, sizeof(double));
    c.balls.y = lwi_slice(s, nball, sizeof(double));
    c.balls.z = lwi_slice(s, nball, sizeof(double));
    c.balls.r = lwi_slice(s, nball, sizeof(double));
    c.capsule = lwi_slice(s, (size_t)nsolid, sizeof *c.capsule);
    c.placed = lwi_slice(s, (size_t)nlink, sizeof *c.placed);
    c.near = lwi_slice(s, npair, sizeof *c.near);
    c.hits = lwi_slice(s, npair, sizeof *c.hits);
    c.lane_ball = lwi_slice(s, 3 * MOST_CHECK_LANES * (size_t)nlink, sizeof *c.lane_ball);
    c.lane_capsule = lwi_slice(s, 6 * MOST_CHECK_LANES * (size_t)nsolid, sizeof *c.lane_capsule);
    c.X_WB = lwi_slice(s, (size_t)m->nbody, sizeof *c.X_WB);
    c.link_frame = lwi_slice(s, (size_t)nlink, sizeof *c.link_frame);
    c.safe_until = lwi_slice(s, npair, sizeof *c.safe_until);
    c.step = lwi_slice(s, npair, sizeof *c.step);
    c.rate = lwi_slice(s, npair, sizeof *c.rate);
    c.q = lwi_slice(s, (size_t)m->nq, sizeof *c.q);
    c.v = lwi_slice(s, (size_t)m->nv, sizeof *c.v);
    c.tree_q = lwi_slice(s, (size_t)m->tree_nq, sizeof *c.tree_q);
    c.tree_v = lwi_slice(s, (size_t)m->tree_nv, sizeof *c.tree_v);
    c.bound = lwi_slice(s, (size_t)m->tree_nv + (size_t)m->nv, sizeof *c.bound);
    if (mem) { // a null base counts only
        *mem = c;
    }
    return mem;
}

// Shapes stand link by link, in the order of the links' frames.
static bool begins_link(const lw_model *m, int shape)
{
    return shape == 0 || strcmp(m->shape[shape].link, m->shape[shape - 1].link) != 0;
}

// Returns the first shape that is no solid, or -1.
static int add_solids(lw_collide *c)
{
    const lw_model *m = c->m;
    link_solids *link = NULL;
    int frame = 0;
    for (int i = 0; i < m->nshape; ++i) {
        const lw_shape_info *shape = &m->shape[i];
        link = begins_link(m, i) ? NULL : link;
        if (!is_used(shape)) {
            continue;
        }
        if (!link) {
            while (frame < m->nframe - 1 && strcmp(m->frame[frame].name, shape->link) != 0) {
                ++frame;
            }
            link = &c->link[c->info.nlink++];
            *link = (link_solids){.frame = frame,
                                  .body = shape->body,
                                  .first = c->info.nsolid,
                                  .carrier = shape->joint};
        }
        ++link->count;
        solid_at *at = &c->solid[c->info.nsolid++];
        *at = (solid_at){.surface = lwi_surface_of(c, shape),
                         .shape = i,
                         .body = shape->body,
                         .X_BS = shape->X_BS};
        if (at->surface) {
            const lw_surface_info info = lw_surface_describe(at->surface);
            at->reach = info.size + info.radius;
        } else {
            at->solid =
                shape->type == LW_SHAPE_MESH ? *lwi_hull_of(c, shape) : lwi_solid_of_shape(shape);
            if (lw_check_solid(&at->solid) != LW_OK) {
                return i;
            }
            at->slack = shape->type == LW_SHAPE_MESH ? at->solid.radius : 0.0;
            at->is_capsule = at->solid.core <= LW_CORE_SEGMENT;
            at->reach = lwi_core_size(&at->solid) + at->solid.radius;
        }
        link->reach = fmax(link->reach, at->reach + lw_norm3(at->X_BS.p));
    }
    return -1;
}

// A ball around the balls of a link's solids, about the middle of the box around them.
static void add_ball(link_solids *link, const solid_at *solid)
{
    lw_vec3 low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = lw_scale3(-1.0, low);
    for (int i = 0; i < link->count; ++i) {
        const lw_vec3 p = solid[i].X_BS.p;
        const double r = solid[i].reach;
        low = lw_vec3_of(fmin(low.x, p.x - r), fmin(low.y, p.y - r), fmin(low.z, p.z - r));
        high = lw_vec3_of(fmax(high.x, p.x + r), fmax(high.y, p.y + r), fmax(high.z, p.z + r));
    }
    link->center = link->count == 1 ? solid[0].X_BS.p : lw_scale3(0.5, lw_add3(low, high));
    for (int i = 0; i < link->count; ++i) {
        const double away = lw_norm3(lw_sub3(solid[i].X_BS.p, link->center));
        link->radius = fmax(link->radius, (away + solid[i].reach) * (1.0 + 1e-14));
    }
}

// The same in the frame of the link, whose pose batches have.
static void place_in_link(lw_collide *c, link_solids *link)
{
    const lw_pose X_LB = lw_pose_inverse(&c->m->frame[link->frame].X_BF);
    link->center_L = lw_pose_apply(&X_LB, link->center);
    for (int i = link->first; i < link->first + link->count; ++i) {
        const lw_pose X_LS = lw_pose_mul(&X_LB, &c->solid[i].X_BS);
        c->solid[i].p_L = X_LS.p;
        c->solid[i].z_L = lw_vec3_of(X_LS.R.row[0].z, X_LS.R.row[1].z, X_LS.R.row[2].z);
    }
}

// What does not depend on the state.
static void start_balls(lw_collide *c)
{
    const lwi_collide_kernels *fitting =
        lwi_cpu_level() >= LWI_CPU_AVX2 ? lwi_collide_kernels_avx2() : NULL;
    c->kernels = fitting ? fitting : lwi_collide_kernels_generic();
    for (int i = 0; i < c->info.nlink; ++i) {
        add_ball(&c->link[i], &c->solid[c->link[i].first]);
        place_in_link(c, &c->link[i]);
        c->link_frame[i] = c->link[i].frame;
        c->balls.r[i] = c->link[i].radius;
        c->placed[i] = 0;
    }
    for (int i = c->info.nlink; i < c->info.nlink + BALLS_MORE; ++i) {
        c->balls.x[i] = c->balls.y[i] = c->balls.z[i] = c->balls.r[i] = 0.0;
    }
    for (int i = 0; i < c->info.nsolid; ++i) {
        const lw_solid *s = &c->solid[i].solid;
        const double half = s->core == LW_CORE_SEGMENT ? s->half.z : 0.0;
        c->capsule[i] = (lwi_capsule){.half = half, .radius = s->radius};
        c->posed[i] = 0;
    }
    memset(c->hits, 0, (size_t)c->info.npair * sizeof *c->hits);
    c->now = 0;
}

static bool connects(int a, int b, int x, int y)
{
    return (a == x && b == y) || (a == y && b == x);
}

// The joint between two bodies, or null.
static const char *joint_between(const lw_model *m, int a, int b)
{
    for (int j = 0; j < m->njoint; ++j) {
        const lw_joint_info *joint = &m->joints[j];
        if (joint->nbody > 0 &&
            connects(a, b, m->parent[joint->body], joint->body + joint->nbody - 1)) {
            return joint->name;
        }
    }
    return NULL;
}

// The closing joint or gear.
static const char *closing_between(const lw_model *m, int a, int b)
{
    for (int k = 0; k < m->nloop; ++k) {
        const lw_loop_info *loop = &m->loop[k];
        if (!loop->is_rod &&
            connects(a, b, m->frame[loop->frame[0]].body, m->frame[loop->frame[1]].body)) {
            return loop->name;
        }
    }
    for (int g = 0; g < m->ngear; ++g) {
        const lw_gear_info *gear = &m->gear[g];
        if (connects(a, b, gear->body[0], gear->body[1])) {
            return gear->name;
        }
    }
    return NULL;
}

static int joints_to_world(const lw_model *m, int joint)
{
    int n = 0;
    for (; joint >= 0; joint = m->joints[joint].joint) {
        ++n;
    }
    return n;
}

// Whether links with shapes come between two links on the way over joints, fixed ones too: a table
// that is fixed to the foot of an arm is no neighbour of the link that the first joint moves.
static bool is_screened(const lw_collide *c, const link_solids *a, const link_solids *b)
{
    const lw_model *m = c->m;
    int at[2] = {a->carrier, b->carrier};
    int far[2] = {joints_to_world(m, at[0]), joints_to_world(m, at[1])};
    while (at[0] != at[1]) {
        const int k = far[1] > far[0];
        at[k] = m->joints[at[k]].joint;
        --far[k];
        for (int i = 0; i < c->info.nlink; ++i) {
            if (c->link[i].carrier == at[k] && at[k] != a->carrier && at[k] != b->carrier) {
                return true;
            }
        }
    }
    return false;
}

static void make_pairs(lw_collide *c)
{
    for (int i = 0; i < c->info.nlink; ++i) {
        for (int j = i + 1; j < c->info.nlink; ++j) {
            const link_solids *a = &c->link[i], *b = &c->link[j];
            lw_collide_pair pair = {.frame = {a->frame, b->frame}};
            if (a->body == b->body) {
                pair.reason = LW_PAIR_SAME_BODY;
            } else {
                const char *joint = joint_between(c->m, a->body, b->body);
                pair.joint = joint && !is_screened(c, a, b)
                                 ? joint
                                 : closing_between(c->m, a->body, b->body);
                pair.reason = pair.joint ? LW_PAIR_ADJACENT : LW_PAIR_CHECKED;
            }
            c->pair_link[2 * c->info.npair] = i;
            c->pair_link[2 * c->info.npair + 1] = j;
            c->pair[c->info.npair++] = pair;
        }
    }
}

lw_status lw_collide_create(const lw_model *m, lw_collide **collide, lw_report *report)
{
    if (!collide) {
        return LW_ERR_ARGUMENT;
    }
    *collide = NULL;
    if (!m) {
        return LW_ERR_ARGUMENT;
    }
    int nlink = 0, nsolid = 0, nmesh = 0;
    bool is_counted = false;
    for (int i = 0; i < m->nshape; ++i) {
        is_counted = is_counted && !begins_link(m, i);
        nmesh += m->shape[i].role == LW_SHAPE_COLLISION && !is_used(&m->shape[i]);
        if (is_used(&m->shape[i])) {
            ++nsolid;
            nlink += !is_counted;
            is_counted = true;
        }
    }
    if (nlink > MOST_LINKS) {
        return lwi_report_error(report, nowhere, LW_ERR_LIMIT,
                                "collision: %d links have shapes, and %d is the most", nlink,
                                (int)MOST_LINKS);
    }
    lwi_slicer slicer = {0};
    lay_out(m, nlink, nsolid, &slicer);
    void *mem = aligned_alloc(LWI_ALIGN, (slicer.used + LWI_ALIGN - 1) / LWI_ALIGN * LWI_ALIGN);
    if (!mem) {
        return lwi_report_error(report, nowhere, LW_ERR_MEMORY, "collision: not enough memory");
    }
    slicer = (lwi_slicer){.base = mem};
    lw_collide *c = lay_out(m, nlink, nsolid, &slicer);
    c->info = (lw_collide_info){.nmesh = nmesh, .pair = c->pair, .link = c->link_frame};
    const lw_status status = lwi_make_surfaces(c);
    if (status != LW_OK) {
        lw_collide_destroy(c);
        return lwi_report_error(report, nowhere, status,
                                status == LW_ERR_MEMORY
                                    ? "collision: not enough memory"
                                    : "collision: a mesh is larger than 1e50 m");
    }
    const int bad = add_solids(c);
    if (bad >= 0) {
        lw_collide_destroy(c);
        return lwi_report_error(
            report, nowhere, LW_ERR_NUMBER,
            "collision: a shape of link \"%s\" has a size that is negative, not a "
            "number, or above 1e50 m",
            m->shape[bad].link);
    }
    if (lwi_make_trees(c) != LW_OK) {
        lw_collide_destroy(c);
        return lwi_report_error(report, nowhere, LW_ERR_MEMORY, "collision: not enough memory");
    }
    make_pairs(c);
    start_balls(c);
    if (nmesh > 0) {
        lwi_report_warning(report, nowhere, LW_DIAG_COLLISION_MESH,
                           "%d collision meshes are not used: they were not found, or are neither "
                           "STL nor OBJ",
                           nmesh);
    }
    *collide = c;
    return LW_OK;
}

void lw_collide_destroy(lw_collide *collide)
{
    if (collide) {
        lwi_free_surfaces(collide);
    }
    free(collide);
}

const lw_collide_info *lw_collide_describe(const lw_collide *collide)
{
    return collide ? &collide->info : NULL;
}

lw_status lw_collide_allow(lw_collide *c, int pair, bool is_allowed)
{
    if (!c || pair < 0 || pair >= c->info.npair) {
        return LW_ERR_ARGUMENT;
    }
    c->pair[pair].reason = is_allowed ? LW_PAIR_DECLARED : LW_PAIR_CHECKED;
    return LW_OK;
}

lw_status lw_collide_gradient(const lw_collide *c, lw_data *d, const double *q,
                              const lw_contact *contact, double *work, double *gradient)
{
    if (!c || !d || !contact || contact->pair < 0 || contact->pair >= c->info.npair ||
        (c->m->nv > 0 && (!work || !gradient))) {
        return LW_ERR_ARGUMENT;
    }
    const lw_model *m = c->m;
    const int nv = m->nv;
    const lw_vec3 n = contact->distance.normal;
    const lw_vec3 apart = lw_sub3(contact->distance.point[1], contact->distance.point[0]);
    lw_vec3 point[2];
    lw_status status = isfinite(lw_dot3(n, apart)) ? lw_forward_position(m, d, q) : LW_ERR_NUMBER;
    for (int side = 0; side < 2 && status == LW_OK; ++side) {
        lw_pose X;
        status = lw_frame_pose(m, d, c->pair[contact->pair].frame[side], &X);
        point[side] = lw_rotate_back(&X.R, lw_sub3(contact->distance.point[side], X.p));
    }
    for (int k = 0; k < nv && status == LW_OK; ++k) {
        gradient[k] = 0.0;
    }
    for (int side = 0; side < 2 && status == LW_OK; ++side) {
        const int frame = c->pair[contact->pair].frame[side];
        status = lw_frame_jacobian(m, d, q, frame, LW_IN_WORLD, &point[side], work);
        for (int k = 0; k < nv && status == LW_OK; ++k) {
            const double along =
                n.x * work[3 * nv + k] + n.y * work[4 * nv + k] + n.z * work[5 * nv + k];
            gradient[k] += side == 0 ? -along : along;
        }
    }
    return status;
}

// The solid of a shape; -1 where it is not used.
static int solid_of_shape(const lw_collide *c, int shape)
{
    for (int i = 0; i < c->info.nsolid; ++i) {
        if (c->solid[i].shape == shape) {
            return i;
        }
    }
    return -1;
}

lw_status lw_collide_patch(const lw_collide *c, const lw_data *d, const lw_contact *contact,
                           double slack, lw_contact_patch *patch)
{
    if (!c || !d || d->model != c->m || !contact || !patch) {
        return LW_ERR_ARGUMENT;
    }
    if (d->stage < LW_STAGE_POSITION) {
        return LW_ERR_STAGE;
    }
    const solid_at *at[2];
    lw_pose X[2];
    for (int side = 0; side < 2; ++side) {
        const int i = solid_of_shape(c, contact->shape[side]);
        if (i < 0) {
            return LW_ERR_ARGUMENT;
        }
        at[side] = &c->solid[i];
        X[side] = at[side]->body < 0 ? at[side]->X_BS
                                     : lw_pose_mul(&d->X_WB[at[side]->body], &at[side]->X_BS);
    }
    if (at[0]->surface || at[1]->surface) {
        *patch = (lw_contact_patch){.normal = contact->distance.normal};
        return LW_OK;
    }
    return lw_find_patch(&at[0]->solid, &X[0], &at[1]->solid, &X[1], &contact->distance, slack,
                         patch);
}
