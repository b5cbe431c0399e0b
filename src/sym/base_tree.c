#include "base_tree.h"

#include "robot.h"
#include "rod_masses.h"

#include <string.h>

bool lwi_is_plain(const lwi_machine *k)
{
    return k->m->tree_nq == k->m->nbody && k->m->tree_nv == k->m->nbody;
}

static void set_vec(lwi_expr out[3], lwi_vec a)
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

// Dependent angles are known by their cosines and sines, and quaternions need no unit length: what
// turns in these ways is given as a rotation.
static void fill_turn(lwi_machine *k, const lwi_sbody *b, lwi_robot_body *out)
{
    const bool is_angle = b->carrier == LW_TREE_REVOLUTE || b->carrier == LW_TREE_SCREW;
    out->is_turned = b->nv > 1 || (is_angle && k->q[b->q] == LWI_UNKNOWN);
    if (is_angle) {
        out->turn[0] = b->c;
        out->turn[3] = b->s;
    } else if (b->nv > 1) {
        const lwi_rot R = lwi_machine_rotation(k, b);
        for (int r = 0; r < 3; ++r) {
            set_vec(out->turn + 3 * r, R.row[r]);
        }
    }
}

static void fill_body(lwi_machine *k, int i, const lwi_expr *v, const lwi_expr *a,
                      lwi_robot_body *out)
{
    const lwi_sbody *b = &k->body[i];
    if (b->carrier == LW_TREE_SCREW) {
        lwi_machine_position(k, i);
    }
    fill_turn(k, b, out);
    const int nq = k->m->q_start[i + 1] - b->q;
    const lwi_sym *I = &b->own.tensor;
    const lwi_expr tensor[6] = {I->xx, I->yy, I->zz, I->xy, I->xz, I->yz};
    out->parent = b->parent;
    out->type = b->carrier;
    out->lead = b->lead;
    for (int r = 0; r < 3; ++r) {
        set_vec(out->R + 3 * r, b->rest.R.row[r]);
    }
    set_vec(out->p, b->rest.p);
    memcpy(out->q, k->q + b->q, (size_t)nq * sizeof *out->q);
    if (v) {
        memcpy(out->v, v + b->v, (size_t)b->nv * sizeof *out->v);
    }
    if (a) {
        memcpy(out->a, a + b->v, (size_t)b->nv * sizeof *out->a);
    }
    out->mass = b->own.mass;
    set_vec(out->h, b->own.first);
    memcpy(out->I, tensor, sizeof tensor);
}

static lwi_robot make_robot(lwi_machine *k, const lwi_expr *v, const lwi_expr *a)
{
    lwi_robot robot = {.nbody = k->m->nbody, .is_searched = k->is_searched};
    robot.body = lwi_arena_take(&k->arena, (size_t)robot.nbody + 1, sizeof *robot.body);
    if (!robot.body) {
        k->status = LW_ERR_MEMORY;
        robot.nbody = 0;
        return robot;
    }
    set_vec(robot.gravity, k->gravity);
    for (int i = 0; i < robot.nbody; ++i) {
        fill_body(k, i, v, a, &robot.body[i]);
    }
    lwi_rod_halves(k, &robot);
    return robot;
}

// What the loads do by themselves: the recursion over bodies without mass.
static void add_loads(lwi_machine *k, lwi_expr *tau)
{
    lwi_expr *own = lwi_machine_room(k, k->m->tree_nv);
    lwi_mass *none = lwi_arena_take(&k->arena, (size_t)k->m->nbody + 1, sizeof *none);
    if (!own || !none) {
        k->status = LW_ERR_MEMORY;
        return;
    }
    const lwi_motion_input in = {.mass = none, .has_loads = true};
    lwi_newton_euler(k, &in, own);
    for (int i = 0; i < k->m->tree_nv; ++i) {
        tau[i] = lwi_add(k->g, tau[i], own[i]);
    }
}

void lwi_base_forces(lwi_machine *k, const lwi_expr *v, const lwi_expr *a, lwi_expr *tau)
{
    lwi_robot robot = make_robot(k, v, a);
    if (robot.nbody > 0) {
        lwi_rod_forces(k, v, a, &robot);
        lwi_robot_regroup(k->g, &robot);
        lwi_derive_inverse_dynamics(k->g, &robot, tau);
    }
    if (k->m->nload > 0 || k->unbalance) {
        add_loads(k, tau);
    }
}

void lwi_base_elements(lwi_machine *k, lwi_expr *H, lwi_expr *B, lwi_expr *G)
{
    lwi_robot robot = make_robot(k, NULL, NULL);
    if (robot.nbody > 0) {
        lwi_robot_regroup(k->g, &robot);
        lwi_derive_elements(k->g, &robot, H, B, G);
        lwi_rod_elements(k, H, B);
    }
}
