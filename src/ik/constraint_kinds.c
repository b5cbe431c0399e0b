// The kinds of constraints that are built in. A row of frames is a value and a wrench: the power of
// the wrench on the frame, less that on the other frame, is the rate of the value, so that its
// derivative by a tree coordinate is the power of the wrench along the motion of that coordinate.
#include "constraint_set.h"

#include <linkwork/kinematics.h>

#include "../math/quaternion.h"
#include "../model/kernel.h"

#include <math.h>
#include <string.h>

static int body_of(const lw_model *m, int frame)
{
    return frame < 0 ? -1 : m->frame[frame].body;
}

// Joints that carry both bodies do not change one against the other.
static void add_wrench(const lw_constraint_state *at, int a, int b, lw_vec3 moment, lw_vec3 force,
                       double *row)
{
    const lw_model *m = at->model;
    while (a != b) {
        const int i = a > b ? a : b;
        const double sign = a > b ? 1.0 : -1.0;
        for (int k = m->v_start[i]; k < m->v_start[i + 1]; ++k) {
            row[k] += sign * (lw_dot3(at->S[k].ang, moment) + lw_dot3(at->S[k].lin, force));
        }
        if (a > b) {
            a = m->parent[a];
        } else {
            b = m->parent[b];
        }
    }
}

lw_status lw_constraint_add_row(const lw_constraint_state *at, int frame, int relative_to,
                                lw_vec3 point, lw_vec3 ang, lw_vec3 lin, double *row)
{
    if (!at || !row || frame < -1 || frame >= at->model->nframe_all || relative_to < -1 ||
        relative_to >= at->model->nframe_all) {
        return LW_ERR_ARGUMENT;
    }
    add_wrench(at, body_of(at->model, frame), body_of(at->model, relative_to),
               lw_add3(ang, lw_cross3(point, lin)), lin, row);
    return LW_OK;
}

// The two frames of a constraint at a configuration.
typedef struct frames {
    const lw_constraint_def *def;
    const lw_constraint_state *at;
    int a, b;            // bodies
    lw_pose X_WF, X_WG;  // the frame, and the other
    lw_vec3 point, axis; // in the world
    lw_vec3 target, direction;
    double *J;
} frames;

static frames frames_of(const void *self, const lw_constraint_state *at, double *J)
{
    const lw_constraint_def *def = &((const lwi_constraint *)self)->def;
    frames f = {.def = def, .at = at, .J = J};
    f.a = body_of(at->model, def->frame);
    f.b = body_of(at->model, def->relative_to);
    lw_frame_pose(at->model, at->data, def->frame, &f.X_WF);
    f.X_WG = lw_pose_identity();
    if (def->relative_to >= 0) {
        lw_frame_pose(at->model, at->data, def->relative_to, &f.X_WG);
    }
    f.point = lw_pose_apply(&f.X_WF, def->point);
    f.axis = lw_rotate(&f.X_WF.R, def->axis);
    f.target = lw_pose_apply(&f.X_WG, def->target.p);
    f.direction = lw_rotate(&f.X_WG.R, def->direction);
    return f;
}

static void put_row(const frames *f, int r, lw_vec3 point, lw_vec3 ang, lw_vec3 lin)
{
    if (f->J) {
        add_wrench(f->at, f->a, f->b, lw_add3(ang, lw_cross3(point, lin)), lin,
                   f->J + (size_t)r * (size_t)f->at->model->tree_nv);
    }
}

static const lw_vec3 zero = {0.0, 0.0, 0.0};

static lw_vec3 unit_vector(int i)
{
    return lw_vec3_of(i == 0, i == 1, i == 2);
}

static lw_vec3 column_of(const lw_mat3 *R, int i)
{
    return lw_rotate(R, unit_vector(i));
}

static void put_vector(double *value, lw_vec3 a)
{
    value[0] = a.x;
    value[1] = a.y;
    value[2] = a.z;
}

// c in the derivative of a rotation vector phi: (1 - |phi|/2 cot(|phi|/2)) / |phi|^2.
static double log_factor(lw_vec3 phi)
{
    const double square = lw_dot3(phi, phi), half = 0.5 * sqrt(square);
    return square > 1e-6 ? (1.0 - half / tan(half)) / square : 1.0 / 12.0;
}

// phi = log(R_T' R), along the axes of the target T. Its rate is J_l^-1(phi) times the angular
// velocity there, J_l^-1 = 1 - [phi]/2 + c [phi]^2.
static void orientation_rows(const frames *f, int r, double *value)
{
    const lw_mat3 R_WT = lw_mul3(&f->X_WG.R, &f->def->target.R);
    const lw_mat3 R_TW = lw_transpose3(&R_WT);
    const lw_mat3 R_TF = lw_mul3(&R_TW, &f->X_WF.R);
    const lw_vec3 phi = lw_log3(&R_TF);
    const double c = log_factor(phi);
    put_vector(value + r, phi);
    for (int i = 0; i < 3 && f->J; ++i) {
        const lw_vec3 once = lw_cross3(phi, unit_vector(i)), twice = lw_cross3(phi, once);
        const lw_vec3 ang =
            lw_add3(unit_vector(i), lw_add3(lw_scale3(0.5, once), lw_scale3(c, twice)));
        put_row(f, r + i, zero, lw_rotate(&R_WT, ang), zero);
    }
}

// What separates the point from the target, along the axes of the other frame; `across` may take a
// direction out.
static void position_rows(const frames *f, int r, lw_vec3 point, const lw_vec3 *across,
                          double *value)
{
    lw_vec3 apart = lw_rotate_back(&f->X_WG.R, lw_sub3(point, f->target));
    if (across) {
        apart = lw_sub3(apart, lw_scale3(lw_dot3(*across, apart), *across));
    }
    put_vector(value + r, apart);
    for (int i = 0; i < 3 && f->J; ++i) {
        lw_vec3 lin = unit_vector(i);
        if (across) {
            lin = lw_sub3(lin, lw_scale3(lw_dot3(*across, lin), *across));
        }
        put_row(f, r + i, point, zero, lw_rotate(&f->X_WG.R, lin));
    }
}

static lw_status evaluate_pose(void *self, const lw_constraint_state *at, double *value, double *J)
{
    const frames f = frames_of(self, at, J);
    orientation_rows(&f, 0, value);
    position_rows(&f, 3, f.X_WF.p, NULL, value);
    return LW_OK;
}

static lw_status evaluate_position(void *self, const lw_constraint_state *at, double *value,
                                   double *J)
{
    const frames f = frames_of(self, at, J);
    position_rows(&f, 0, f.point, NULL, value);
    return LW_OK;
}

static lw_status evaluate_orientation(void *self, const lw_constraint_state *at, double *value,
                                      double *J)
{
    const frames f = frames_of(self, at, J);
    orientation_rows(&f, 0, value);
    return LW_OK;
}

// The angle between two unit vectors, and the unit vector about which it rotates a to b; any across
// a where they are opposite.
static double angle_between(lw_vec3 a, lw_vec3 b, lw_vec3 *about)
{
    const lw_vec3 cross = lw_cross3(a, b);
    const double sine = lw_norm3(cross);
    const lw_mat3 across = lw_rotation_to_z(a);
    *about = sine > 1e-12 ? lw_scale3(1.0 / sine, cross) : column_of(&across, 0);
    return atan2(sine, lw_dot3(a, b));
}

// The rotation vector from b to the axis a, or its length, where b turns with the other frame, or,
// for a point on the axis, with the line from it to the target at this distance. The rows along the
// axes of the world have the gradient of half their squares exactly, and no part about a.
static void direction_rows(const frames *f, int r, lw_vec3 b, double distance, bool is_angle,
                           double *value)
{
    lw_vec3 about;
    const double angle = angle_between(f->axis, b, &about);
    if (is_angle) {
        value[r] = angle;
    } else {
        put_vector(value + r, lw_rotate_back(&f->X_WG.R, lw_scale3(-angle, about)));
    }
    for (int i = 0; i < (is_angle ? 1 : 3) && f->J; ++i) {
        lw_vec3 ang = is_angle ? lw_scale3(-1.0, about) : column_of(&f->X_WG.R, i);
        ang = lw_sub3(ang, lw_scale3(lw_dot3(ang, f->axis), f->axis));
        const lw_vec3 lin = distance > 0.0 ? lw_scale3(1.0 / distance, lw_cross3(ang, b)) : zero;
        put_row(f, r + i, f->point, ang, lin);
    }
}

static bool has_bounds(const lw_constraint_def *def)
{
    return def->lower < def->upper;
}

static lw_status evaluate_direction(void *self, const lw_constraint_state *at, double *value,
                                    double *J)
{
    const frames f = frames_of(self, at, J);
    direction_rows(&f, 0, f.direction, 0.0, has_bounds(f.def), value);
    return LW_OK;
}

static lw_status evaluate_look_at(void *self, const lw_constraint_state *at, double *value,
                                  double *J)
{
    const frames f = frames_of(self, at, J);
    const lw_vec3 way = lw_sub3(f.target, f.point);
    const double distance = lw_norm3(way);
    if (!(distance > 1e-9)) {
        return LW_ERR_SINGULAR;
    }
    direction_rows(&f, 0, lw_scale3(1.0 / distance, way), distance, has_bounds(f.def), value);
    return LW_OK;
}

static void plane_row(const frames *f, int r, double *value)
{
    value[r] = lw_dot3(f->direction, lw_sub3(f->point, f->target));
    put_row(f, r, f->point, zero, f->direction);
}

static lw_status evaluate_plane(void *self, const lw_constraint_state *at, double *value, double *J)
{
    const frames f = frames_of(self, at, J);
    plane_row(&f, 0, value);
    return LW_OK;
}

static lw_status evaluate_face(void *self, const lw_constraint_state *at, double *value, double *J)
{
    const frames f = frames_of(self, at, J);
    direction_rows(&f, 0, lw_scale3(-1.0, f.direction), 0.0, false, value);
    plane_row(&f, 3, value);
    return LW_OK;
}

// A distance that vanishes grows in every direction alike: none is taken.
static void distance_row(const frames *f, lw_vec3 apart, double offset, double *value)
{
    const double distance = lw_norm3(apart);
    value[0] = distance - offset;
    put_row(f, 0, f->point, zero, distance > 1e-12 ? lw_scale3(1.0 / distance, apart) : zero);
}

static lw_status evaluate_line(void *self, const lw_constraint_state *at, double *value, double *J)
{
    const frames f = frames_of(self, at, J);
    if (has_bounds(f.def)) {
        const lw_vec3 apart = lw_sub3(f.point, f.target);
        const double along = lw_dot3(apart, f.direction);
        distance_row(&f, lw_sub3(apart, lw_scale3(along, f.direction)), 0.0, value);
    } else {
        position_rows(&f, 0, f.point, &f.def->direction, value);
    }
    return LW_OK;
}

static lw_status evaluate_distance(void *self, const lw_constraint_state *at, double *value,
                                   double *J)
{
    const frames f = frames_of(self, at, J);
    distance_row(&f, lw_sub3(f.point, f.target), f.def->value, value);
    return LW_OK;
}

static lw_status evaluate_twist(void *self, const lw_constraint_state *at, double *value, double *J)
{
    const frames f = frames_of(self, at, J);
    memset(value, 0, 6 * sizeof *value);
    for (int i = 0; i < 3 && J; ++i) {
        put_row(&f, i, f.point, column_of(&f.X_WG.R, i), zero);
        put_row(&f, 3 + i, f.point, zero, column_of(&f.X_WG.R, i));
    }
    return LW_OK;
}

// --- The centre of mass, which the set computes for all constraints that need it --------------

// Adds direction times its Jacobian to a row.
static void center_row(const lw_constraints *set, lw_vec3 direction, double *row)
{
    const lw_model *m = set->m;
    for (int k = 0; k < m->nv; ++k) {
        const double *column = set->center_J + k;
        row[m->v_tree[k]] +=
            direction.x * column[0] + direction.y * column[m->nv] + direction.z * column[2 * m->nv];
    }
}

static lw_status evaluate_center(void *self, const lw_constraint_state *at, double *value,
                                 double *J)
{
    const lwi_constraint *c = self;
    put_vector(value, lw_sub3(c->set->center, c->def.target.p));
    for (int i = 0; i < 3 && J; ++i) {
        center_row(c->set, unit_vector(i), J + (size_t)i * (size_t)at->model->tree_nv);
    }
    return LW_OK;
}

// Twice the area, positive where the corners go around counterclockwise.
double lwi_polygon_area(const lw_constraint_def *def)
{
    double area = 0.0;
    for (int i = 0; i < def->ncorner; ++i) {
        const double *a = def->corner[i], *b = def->corner[(i + 1) % def->ncorner];
        area += a[0] * b[1] - a[1] * b[0];
    }
    return area;
}

static lw_status evaluate_balance(void *self, const lw_constraint_state *at, double *value,
                                  double *J)
{
    const lwi_constraint *c = self;
    const lw_constraint_def *def = &c->def;
    const double sign = lwi_polygon_area(def) > 0.0 ? 1.0 : -1.0;
    for (int i = 0; i < def->ncorner; ++i) {
        const double *a = def->corner[i], *b = def->corner[(i + 1) % def->ncorner];
        const double length = hypot(b[0] - a[0], b[1] - a[1]);
        const lw_vec3 inward = {-sign * (b[1] - a[1]) / length, sign * (b[0] - a[0]) / length, 0.0};
        value[i] = inward.x * (c->set->center.x - a[0]) + inward.y * (c->set->center.y - a[1]);
        if (J) {
            center_row(c->set, inward, J + (size_t)i * (size_t)at->model->tree_nv);
        }
    }
    return LW_OK;
}

// --- Joints -----------------------------------------------------------------------------------

int lwi_tree_position(const lw_model *m, int dof)
{
    int body = 0;
    while (m->v_start[body + 1] <= dof) {
        ++body;
    }
    const bool has_quaternion =
        m->carrier[body] == LW_TREE_SPHERICAL || m->carrier[body] == LW_TREE_FREE;
    return has_quaternion ? -1 : m->q_start[body] + dof - m->v_start[body];
}

static lw_status evaluate_joint(void *self, const lw_constraint_state *at, double *value, double *J)
{
    const lw_constraint_def *def = &((const lwi_constraint *)self)->def;
    value[0] = at->tree_q[lwi_tree_position(at->model, def->dof)] - def->value;
    if (J) {
        J[def->dof] = 1.0;
    }
    return LW_OK;
}

static lw_status evaluate_function(void *self, const lw_constraint_state *at, double *value,
                                   double *J)
{
    const lw_constraint_def *def = &((const lwi_constraint *)self)->def;
    const double x = at->tree_q[lwi_tree_position(at->model, def->source)];
    double f = 0.0, slope = 0.0;
    for (int i = def->nterm - 1; i >= 0; --i) {
        slope = slope * x + f;
        f = f * x + def->term[i];
    }
    value[0] = at->tree_q[lwi_tree_position(at->model, def->dof)] - f;
    if (J) {
        J[def->dof] += 1.0;
        J[def->source] -= slope;
    }
    return LW_OK;
}

// Coordinate number k of a spherical or free joint: rotations along the axes of the body, positions
// along those of the parent.
static double posture_of_quaternion(const lw_model *m, const lwi_quat_at *joint, int k,
                                    const double *from, const double *to, double *row)
{
    const lw_quat a = quat_read(from + joint->q), b = quat_read(to + joint->q);
    if (k < 3) {
        const lw_vec3 phi = quat_log(quat_product((lw_quat){a.w, -a.x, -a.y, -a.z}, b));
        if (row) { // J_r^-1(phi) = 1 + [phi]/2 + c [phi]^2
            const lw_vec3 once = lw_cross3(phi, unit_vector(k)), twice = lw_cross3(phi, once);
            const lw_vec3 by = lw_add3(
                unit_vector(k), lw_sub3(lw_scale3(log_factor(phi), twice), lw_scale3(0.5, once)));
            put_vector(row + m->v_tree[joint->v], by);
        }
        return k == 0 ? phi.x : k == 1 ? phi.y : phi.z;
    }
    const lw_mat3 R = lw_rotation_quat(b);
    const lw_vec3 axis = R.row[k - 3];
    if (row) {
        row[m->v_tree[joint->v + 3]] = axis.x;
        row[m->v_tree[joint->v + 4]] = axis.y;
        row[m->v_tree[joint->v + 5]] = axis.z;
    }
    return to[joint->q - 6 + k] - from[joint->q - 6 + k];
}

static lw_status evaluate_posture(void *self, const lw_constraint_state *at, double *value,
                                  double *J)
{
    const lwi_constraint *c = self;
    const lw_constraints *set = c->set;
    const lw_model *m = at->model;
    for (int i = 0; i < set->n; ++i) {
        double *row = J ? J + (size_t)i * (size_t)m->tree_nv : NULL;
        const int v = set->column[i], q = set->position[i];
        if (q >= 0) {
            value[i] = at->q[q] - c->def.posture[q];
            if (row) {
                row[m->v_tree[v]] = 1.0;
            }
            continue;
        }
        const lwi_quat_at *joint = m->kernel->quat;
        while (joint->v + (m->carrier[joint->body] == LW_TREE_FREE ? 6 : 3) <= v) {
            ++joint;
        }
        value[i] = posture_of_quaternion(m, joint, v - joint->v, c->def.posture, at->q, row);
    }
    return LW_OK;
}

// The limits of dependent joints: their values, with bounds.
lw_status lwi_dependent_limits(void *self, const lw_constraint_state *at, double *value, double *J)
{
    const lwi_constraint *c = self;
    const lw_constraints *set = c->set;
    for (int i = 0; i < c->nrow; ++i) {
        value[i] = at->tree_q[lwi_tree_position(at->model, set->dependent[i])];
        if (J) {
            J[(size_t)i * (size_t)at->model->tree_nv + (size_t)set->dependent[i]] = 1.0;
        }
    }
    return LW_OK;
}

int lwi_constraint_row_count(const lw_constraint_def *def, int nmove)
{
    switch (def->type) {
    case LW_CONSTRAINT_POSE:
    case LW_CONSTRAINT_TWIST:
        return 6;
    case LW_CONSTRAINT_POSITION:
    case LW_CONSTRAINT_ORIENTATION:
    case LW_CONSTRAINT_CENTER_OF_MASS:
        return 3;
    case LW_CONSTRAINT_DIRECTION:
    case LW_CONSTRAINT_LINE:
    case LW_CONSTRAINT_LOOK_AT:
        return has_bounds(def) ? 1 : 3;
    case LW_CONSTRAINT_FACE:
        return 4;
    case LW_CONSTRAINT_BALANCE:
        return def->ncorner;
    case LW_CONSTRAINT_POSTURE:
        return nmove;
    case LW_CONSTRAINT_USER:
        return def->nrow;
    default:
        return 1;
    }
}

lw_constraint_kind lwi_constraint_kind_of(lw_constraint_type type)
{
    static const lw_constraint_kind kinds[] = {
        [LW_CONSTRAINT_POSE] = {"pose", evaluate_pose},
        [LW_CONSTRAINT_POSITION] = {"position", evaluate_position},
        [LW_CONSTRAINT_ORIENTATION] = {"orientation", evaluate_orientation},
        [LW_CONSTRAINT_DIRECTION] = {"direction", evaluate_direction},
        [LW_CONSTRAINT_PLANE] = {"plane", evaluate_plane},
        [LW_CONSTRAINT_LINE] = {"line", evaluate_line},
        [LW_CONSTRAINT_DISTANCE] = {"distance", evaluate_distance},
        [LW_CONSTRAINT_LOOK_AT] = {"look_at", evaluate_look_at},
        [LW_CONSTRAINT_FACE] = {"face", evaluate_face},
        [LW_CONSTRAINT_CENTER_OF_MASS] = {"center_of_mass", evaluate_center},
        [LW_CONSTRAINT_BALANCE] = {"balance", evaluate_balance},
        [LW_CONSTRAINT_JOINT] = {"joint", evaluate_joint},
        [LW_CONSTRAINT_FUNCTION] = {"function", evaluate_function},
        [LW_CONSTRAINT_POSTURE] = {"posture", evaluate_posture},
        [LW_CONSTRAINT_TWIST] = {"twist", evaluate_twist}};
    return kinds[type];
}
