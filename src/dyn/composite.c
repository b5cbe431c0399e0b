// Bodies by themselves, as the derivatives need them (the head of derivatives.c
// has the formulas).

#include "composite.h"

#include <string.h>

// Two bodies are done side by side, a lane each.
typedef struct two_bodies {
    lwi_pair R[3][3]; // axes, row by row
    lwi_pair3 o;      // origin
    lwi_pair3 w, v;   // velocity
    lwi_pair3 al, a;  // acceleration
    lwi_pair mass;
    lwi_pair3 h; // first moment
    lwi_pair xx, yy, zz, xy, xz, yz;
} two_bodies;

static inline two_bodies gather(const lwi_body *b, const lwi_body *c, const lwi_world_body *B,
                                const lwi_world_body *C)
{
    two_bodies r;
    for (int k = 0; k < 3; ++k) {
        r.R[k][0] = (lwi_pair){B->X.R.row[k].x, C->X.R.row[k].x};
        r.R[k][1] = (lwi_pair){B->X.R.row[k].y, C->X.R.row[k].y};
        r.R[k][2] = (lwi_pair){B->X.R.row[k].z, C->X.R.row[k].z};
    }
    r.o = lwi_pair3_of(B->X.p, C->X.p);
    r.w = lwi_pair3_of(B->vel.ang, C->vel.ang);
    r.v = lwi_pair3_of(B->vel.lin, C->vel.lin);
    r.al = lwi_pair3_of(B->acc.ang, C->acc.ang);
    r.a = lwi_pair3_of(B->acc.lin, C->acc.lin);
    r.mass = (lwi_pair){b->mass, c->mass};
    r.h = (lwi_pair3){{b->h[0], c->h[0]}, {b->h[1], c->h[1]}, {b->h[2], c->h[2]}};
    r.xx = (lwi_pair){b->I[0], c->I[0]};
    r.yy = (lwi_pair){b->I[1], c->I[1]};
    r.zz = (lwi_pair){b->I[2], c->I[2]};
    r.xy = (lwi_pair){b->I[3], c->I[3]};
    r.xz = (lwi_pair){b->I[4], c->I[4]};
    r.yz = (lwi_pair){b->I[5], c->I[5]};
    return r;
}

// From body axes and origin to the world's axes and the common point: R T R'
// for the tensor, and moving the origin by o adds 2 (o.k) 1 - o k' - k o' to
// it, where k = h + m/2 o.
static inline void move_inertia(two_bodies *r)
{
    lwi_pair(*R)[3] = r->R;
    lwi_pair t[3][3]; // R T
    for (int k = 0; k < 3; ++k) {
        t[k][0] = R[k][0] * r->xx + R[k][1] * r->xy + R[k][2] * r->xz;
        t[k][1] = R[k][0] * r->xy + R[k][1] * r->yy + R[k][2] * r->yz;
        t[k][2] = R[k][0] * r->xz + R[k][1] * r->yz + R[k][2] * r->zz;
    }
    const lwi_pair3 g = r->h, o = r->o;
    const lwi_pair3 h = {R[0][0] * g.x + R[0][1] * g.y + R[0][2] * g.z,
                         R[1][0] * g.x + R[1][1] * g.y + R[1][2] * g.z,
                         R[2][0] * g.x + R[2][1] * g.y + R[2][2] * g.z};
    const lwi_pair3 half = {0.5 * r->mass * o.x, 0.5 * r->mass * o.y, 0.5 * r->mass * o.z};
    const lwi_pair3 k = lwi_pair3_add(h, half);
    const lwi_pair ox = o.x * k.x, oy = o.y * k.y, oz = o.z * k.z;
    r->h = lwi_pair3_add(k, half);
    r->xx = R[0][0] * t[0][0] + R[0][1] * t[0][1] + R[0][2] * t[0][2] + 2.0 * (oy + oz);
    r->yy = R[1][0] * t[1][0] + R[1][1] * t[1][1] + R[1][2] * t[1][2] + 2.0 * (ox + oz);
    r->zz = R[2][0] * t[2][0] + R[2][1] * t[2][1] + R[2][2] * t[2][2] + 2.0 * (ox + oy);
    r->xy = R[0][0] * t[1][0] + R[0][1] * t[1][1] + R[0][2] * t[1][2] - (o.x * k.y + o.y * k.x);
    r->xz = R[0][0] * t[2][0] + R[0][1] * t[2][1] + R[0][2] * t[2][2] - (o.x * k.z + o.z * k.x);
    r->yz = R[1][0] * t[2][0] + R[1][1] * t[2][1] + R[1][2] * t[2][2] - (o.y * k.z + o.z * k.y);
}

static inline void put_scalar(lwi_pair x, double *one, double *other)
{
    *other = x[1];
    *one = x[0];
}

static inline void put_vector(lwi_pair3 x, lw_vec3 *one, lw_vec3 *other)
{
    put_scalar(x.x, &one->x, &other->x);
    put_scalar(x.y, &one->y, &other->y);
    put_scalar(x.z, &one->z, &other->z);
}

// Bodies by themselves: inertia, B, twice the momentum, and the force that the
// motion needs. `C` may be the same as `D`.
static void take_two(const lwi_body *b, const lwi_body *c, const lwi_world_body *B,
                     const lwi_world_body *W, lwi_composite *restrict C, lwi_composite *D)
{
    two_bodies r = gather(b, c, B, W);
    move_inertia(&r);
    const lwi_pair3 w = r.w, v = r.v, h = r.h, al = r.al, a = r.a;
    const lwi_pair vh = v.x * h.x + v.y * h.y + v.z * h.z;
    const lwi_pair trace = 0.5 * (r.xx + r.yy + r.zz);
    const lwi_pair3 t = {trace * w.x, trace * w.y, trace * w.z};
    const lwi_pair3 wh = lwi_pair3_cross(w, h);
    const lwi_pair3 p = {r.mass * v.x + wh.x, r.mass * v.y + wh.y, r.mass * v.z + wh.z};
    // (v.h) 1 - v h' + [w]x T - [t]x
    const lwi_pair3 A0 = {vh - v.x * h.x + w.y * r.xz - w.z * r.xy,
                          t.z - v.x * h.y + w.y * r.yz - w.z * r.yy,
                          w.y * r.zz - w.z * r.yz - v.x * h.z - t.y};
    const lwi_pair3 A1 = {w.z * r.xx - w.x * r.xz - v.y * h.x - t.z,
                          vh - v.y * h.y + w.z * r.xy - w.x * r.yz,
                          t.x - v.y * h.z + w.z * r.xz - w.x * r.zz};
    const lwi_pair3 A2 = {t.y - v.z * h.x + w.x * r.xy - w.y * r.xx,
                          w.x * r.yy - w.y * r.xy - v.z * h.y - t.x,
                          vh - v.z * h.z + w.x * r.yz - w.y * r.xz};
    const lwi_pair3 ha = lwi_pair3_cross(h, a), ah = lwi_pair3_cross(al, h),
                    wp = lwi_pair3_cross(w, p);
    const lwi_pair3 n = {
        r.xx * al.x + r.xy * al.y + r.xz * al.z + ha.x + A0.x * w.x + A0.y * w.y + A0.z * w.z,
        r.xy * al.x + r.yy * al.y + r.yz * al.z + ha.y + A1.x * w.x + A1.y * w.y + A1.z * w.z,
        r.xz * al.x + r.yz * al.y + r.zz * al.z + ha.z + A2.x * w.x + A2.y * w.y + A2.z * w.z};
    const lwi_pair3 f = {r.mass * a.x + ah.x + wp.x, r.mass * a.y + ah.y + wp.y,
                         r.mass * a.z + ah.z + wp.z};

    put_scalar(r.mass, &C->mass, &D->mass);
    put_vector(h, &C->first_moment, &D->first_moment);
    put_scalar(r.xx, &C->tensor.xx, &D->tensor.xx);
    put_scalar(r.yy, &C->tensor.yy, &D->tensor.yy);
    put_scalar(r.zz, &C->tensor.zz, &D->tensor.zz);
    put_scalar(r.xy, &C->tensor.xy, &D->tensor.xy);
    put_scalar(r.xz, &C->tensor.xz, &D->tensor.xz);
    put_scalar(r.yz, &C->tensor.yz, &D->tensor.yz);
    put_vector(lwi_pair3_add(A0, A0), &C->B.row[0], &D->B.row[0]);
    put_vector(lwi_pair3_add(A1, A1), &C->B.row[1], &D->B.row[1]);
    put_vector(lwi_pair3_add(A2, A2), &C->B.row[2], &D->B.row[2]);
    put_vector(lwi_pair3_add(p, p), &C->p2, &D->p2);
    put_vector(n, &C->f.ang, &D->f.ang);
    put_vector(f, &C->f.lin, &D->f.lin);
}

void lwi_composite_bodies(const lw_model *m, lw_data *d, const lw_force *f_ext)
{
    const lwi_body *body = m->kernel->body;
    for (int i = 0; i < m->nbody; i += 2) {
        const int k = i + 1 < m->nbody ? i + 1 : i;
        take_two(&body[i], &body[k], &d->world[i], &d->world[k], &d->composite[i],
                 &d->composite[k]);
    }
    for (int i = 0; f_ext && i < m->nbody; ++i) {
        lw_force *sum = &d->composite[i].f;
        const lw_force f = lwi_force_to_world(&d->world[i], f_ext[i]);
        sum->ang = lw_sub3(sum->ang, f.ang);
        sum->lin = lw_sub3(sum->lin, f.lin);
    }
}

static void add_world_load(lwi_load_sum *sum, lw_vec3 r, lw_vec3 f, lw_vec3 t)
{
    const double rf = lw_dot3(r, f);
    sum->L.row[0] =
        lw_add3(sum->L.row[0], lw_vec3_of(rf - f.x * r.x, t.z - f.x * r.y, -t.y - f.x * r.z));
    sum->L.row[1] =
        lw_add3(sum->L.row[1], lw_vec3_of(-t.z - f.y * r.x, rf - f.y * r.y, t.x - f.y * r.z));
    sum->L.row[2] =
        lw_add3(sum->L.row[2], lw_vec3_of(t.y - f.z * r.x, -t.x - f.z * r.y, rf - f.z * r.z));
    sum->f = lw_add3(sum->f, f);
}

void lwi_composite_loads(const lw_model *m, lw_data *d)
{
    memset(d->load_sum, 0, (size_t)m->nbody * sizeof *d->load_sum);
    for (int k = 0; k < m->nload; ++k) {
        const lw_load_info *load = &m->load[k];
        if (load->body < 0) {
            continue;
        }
        const lwi_world_body *B = &d->world[load->body];
        const lw_vec3 r = lw_pose_apply(&B->X, load->X_BF.p);
        lw_vec3 f = load->force, t = load->torque;
        if (load->axes == LW_IN_WORLD) {
            add_world_load(&d->load_sum[load->body], r, f, t);
        } else {
            f = lw_rotate(&B->X.R, lw_rotate(&load->X_BF.R, f));
            t = lw_rotate(&B->X.R, lw_rotate(&load->X_BF.R, t));
        }
        lw_force *sum = &d->composite[load->body].f;
        sum->ang = lw_sub3(sum->ang, lw_add3(t, lw_cross3(r, f)));
        sum->lin = lw_sub3(sum->lin, f);
    }
}
