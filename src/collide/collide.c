// Solids and pairs of a mechanism, and their distances in a state.
#include "solids.h"

#include <linkwork/kinematics.h>

#include "../base/arena.h"
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

static lw_solid solid_of(const lw_shape_info *shape)
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
    lw_collide *mem = lwi_slice(s, 1, sizeof *mem);
    lw_collide c = {.m = m};
    c.solid = lwi_slice(s, (size_t)nsolid, sizeof *c.solid);
    c.X_WS = lwi_slice(s, (size_t)nsolid, sizeof *c.X_WS);
    c.link = lwi_slice(s, (size_t)nlink, sizeof *c.link);
    c.pair = lwi_slice(s, npair, sizeof *c.pair);
    c.pair_link = lwi_slice(s, 2 * npair, sizeof *c.pair_link);
    c.work = lwi_slice(s, 1, sizeof *c.work);
    c.surface = lwi_slice(s, (size_t)m->nshape, sizeof *c.surface);
    c.safe_until = lwi_slice(s, npair, sizeof *c.safe_until);
    c.rate = lwi_slice(s, npair, sizeof *c.rate);
    c.q = lwi_slice(s, (size_t)m->nq, sizeof *c.q);
    c.v = lwi_slice(s, (size_t)m->nv, sizeof *c.v);
    c.tree_q = lwi_slice(s, (size_t)m->tree_nq, sizeof *c.tree_q);
    c.tree_v = lwi_slice(s, (size_t)m->tree_nv, sizeof *c.tree_v);
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
            *link = (link_solids){frame, shape->body, c->info.nsolid, 0, 0.0};
        }
        ++link->count;
        solid_at *at = &c->solid[c->info.nsolid++];
        *at = (solid_at){
            .surface = lwi_surface_of(c, shape), .shape = i, .body = shape->body, shape->X_BS};
        if (at->surface) {
            const lw_surface_info info = lw_surface_describe(at->surface);
            at->reach = info.size + info.radius;
        } else {
            at->solid = solid_of(shape);
            if (lw_check_solid(&at->solid) != LW_OK) {
                return i;
            }
            at->reach = lwi_core_size(&at->solid) + at->solid.radius;
        }
        link->reach = fmax(link->reach, at->reach + lw_norm3(at->X_BS.p));
    }
    return -1;
}

static bool connects(int a, int b, int x, int y)
{
    return (a == x && b == y) || (a == y && b == x);
}

// The joint, closing joint or gear between two bodies, or null.
static const char *connection(const lw_model *m, int a, int b)
{
    for (int j = 0; j < m->njoint; ++j) {
        const lw_joint_info *joint = &m->joints[j];
        if (joint->nbody > 0 &&
            connects(a, b, m->parent[joint->body], joint->body + joint->nbody - 1)) {
            return joint->name;
        }
    }
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

static void make_pairs(lw_collide *c)
{
    for (int i = 0; i < c->info.nlink; ++i) {
        for (int j = i + 1; j < c->info.nlink; ++j) {
            const link_solids *a = &c->link[i], *b = &c->link[j];
            lw_collide_pair pair = {.frame = {a->frame, b->frame}};
            if (a->body == b->body) {
                pair.reason = LW_PAIR_SAME_BODY;
            } else {
                pair.joint = connection(c->m, a->body, b->body);
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
    c->info = (lw_collide_info){.nmesh = nmesh, .pair = c->pair};
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
    make_pairs(c);
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
    for (int i = 0; collide && i < collide->m->nshape; ++i) {
        lw_surface_destroy(collide->surface[i]);
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

// --- Distances --------------------------------------------------------------------------------

lw_status lwi_place_solids(lw_collide *c, lw_data *d, const double *q)
{
    lw_status status = lw_forward_position(c->m, d, q);
    for (int i = 0; i < c->info.nsolid && status == LW_OK; ++i) {
        const solid_at *at = &c->solid[i];
        c->X_WS[i] = at->body < 0 ? at->X_BS : lw_pose_mul(&d->X_WB[at->body], &at->X_BS);
        // So far that lw_find_distance() would refuse it.
        status = lw_norm3(c->X_WS[i].p) < 1e49 ? LW_OK : LW_ERR_NUMBER;
    }
    return status;
}

bool lwi_nearest_of_pair(lw_collide *c, int pair, double cutoff, lw_contact *contact)
{
    const link_solids *a = &c->link[c->pair_link[2 * pair]];
    const link_solids *b = &c->link[c->pair_link[2 * pair + 1]];
    double least = HUGE_VAL;
    bool is_found = false;
    for (int i = a->first; i < a->first + a->count; ++i) {
        for (int j = b->first; j < b->first + b->count; ++j) {
            const solid_at *s = &c->solid[i], *t = &c->solid[j];
            const lw_vec3 apart = lw_sub3(c->X_WS[j].p, c->X_WS[i].p);
            const double beyond = cutoff + s->reach + t->reach;
            if (beyond < 0.0 || lw_dot3(apart, apart) * (1.0 - 1e-12) > beyond * beyond) {
                continue;
            }
            lw_distance distance;
            if (!lwi_distance_within(c, i, j, cutoff, &distance)) {
                continue;
            }
            least = fmin(least, distance.lower);
            if (!is_found || distance.upper < contact->distance.upper) {
                *contact = (lw_contact){pair, {s->shape, t->shape}, distance};
                cutoff = fmin(cutoff, distance.upper);
                is_found = true;
            }
        }
    }
    if (is_found) { // another shape may be as near, as far as is proven
        contact->distance.lower = least;
    }
    return is_found;
}

// Keeps the contacts in order of their distances; the farthest is dropped where there is no place.
static void insert(const lw_contact *found, int most, lw_contact *contact, int count)
{
    int k = count < most ? count : most;
    while (k > 0 && contact[k - 1].distance.distance > found->distance.distance) {
        if (k < most) {
            contact[k] = contact[k - 1];
        }
        --k;
    }
    if (k < most) {
        contact[k] = *found;
    }
}

lw_status lw_collide_distances(lw_collide *c, lw_data *d, const double *q, double cutoff, int most,
                               lw_contact *contact, int *count)
{
    if (!c || !d || !count || most < 0 || (most > 0 && !contact) || isnan(cutoff)) {
        return LW_ERR_ARGUMENT;
    }
    c->stop = 0.0;
    const lw_status status = lwi_place_solids(c, d, q);
    if (status != LW_OK) {
        return status;
    }
    *count = 0;
    for (int pair = 0; pair < c->info.npair; ++pair) {
        lw_contact found;
        if (c->pair[pair].reason == LW_PAIR_CHECKED &&
            lwi_nearest_of_pair(c, pair, cutoff, &found)) {
            insert(&found, most, contact, *count);
            ++*count;
        }
    }
    return LW_OK;
}

lw_status lw_collide_check(lw_collide *c, lw_data *d, const double *q, double margin,
                           lw_verdict *verdict, lw_contact *contact)
{
    if (!c || !d || !verdict || !isfinite(margin)) {
        return LW_ERR_ARGUMENT;
    }
    c->stop = margin;
    const lw_status status = lwi_place_solids(c, d, q);
    if (status != LW_OK) {
        return status;
    }
    *verdict = LW_VERDICT_FREE;
    for (int pair = 0; pair < c->info.npair && *verdict != LW_VERDICT_HIT; ++pair) {
        lw_contact found;
        if (c->pair[pair].reason == LW_PAIR_CHECKED &&
            lwi_nearest_of_pair(c, pair, margin, &found)) {
            *verdict = lw_verdict_of(&found.distance, margin);
            if (contact) {
                *contact = found;
            }
        }
    }
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
    lw_vec3 point[2];
    lw_status status = lw_forward_position(m, d, q);
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
