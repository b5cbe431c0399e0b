// The equations of a calibration: residuals of measurements, and their derivatives by all unknowns.
//
// The measured pose is X_base X(q) X_tool, where base and tool are small poses and q contains the
// offsets and what joints give way under gravity. A column is the velocity of the measured frame
// for a unit rate of its unknown, in world axes: of kinematic parameters the parameter Jacobian, of
// offsets the frame Jacobian.
#include "calibrate.h"

#include "../base/report.h"

#include <linkwork/dynamics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIX = 6 };

static const int rows_of[] = {6, 3, 1, 1, 3};

// --- Unknowns ---------------------------------------------------------------------------------

static bool add_unknown(lwi_calibrating *c, lwi_unknown_kind kind, int index, const char *stem,
                        const char *tail, double nominal, bool is_angle)
{
    char *name = lwi_arena_take(&c->arena, strlen(stem) + strlen(tail) + 2, 1);
    if (!name) {
        return false;
    }
    sprintf(name, "%s%s%s", stem, *tail ? "." : "", tail);
    c->at[c->n++] = (lwi_unknown){
        kind,    index,   name,
        nominal, nominal, is_angle ? c->def->expected_angle : c->def->expected_length};
    return true;
}

// Lengths end in a letter of their own; everything else of a placement is an angle or a direction.
static bool is_angle_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    const char *last = dot ? dot + 1 : name;
    static const char *const length[] = {"x",      "y",     "z",     "a",    "d",
                                         "length", "pitch", "size1", "size2"};
    const bool is_axis = strstr(name, ".axis") != NULL || strstr(name, ".turn.") != NULL;
    for (size_t i = 0; i < sizeof length / sizeof *length && !is_axis; ++i) {
        if (strcmp(last, length[i]) == 0) {
            return false;
        }
    }
    return true;
}

static bool add_kinematic(lwi_calibrating *c, int number)
{
    const char *name = lw_parameters_name(c->parameters, number);
    for (int i = 0; i < c->nkinematic; ++i) {
        if (c->list[i] == number) {
            return true;
        }
    }
    c->list[c->nkinematic] = number;
    return add_unknown(c, LWI_UNKNOWN_KINEMATIC, c->nkinematic++, name, "",
                       lw_parameters_value(c->parameters, number), is_angle_name(name));
}

// The placements of the joints between the frame and the world, the outermost last.
static bool add_default(lwi_calibrating *c)
{
    const int count = lw_parameters_count(c->parameters);
    bool is_good = true;
    for (int j = 0; j < c->m->njoint && is_good; ++j) {
        bool is_carrying = false;
        for (int b = c->m->frame[c->frame].body; b >= 0 && !is_carrying; b = c->m->parent[b]) {
            is_carrying =
                b >= c->m->joints[j].body && b < c->m->joints[j].body + c->m->joints[j].nbody;
        }
        const char *name = c->m->joints[j].name;
        const size_t length = strlen(name);
        for (int k = 0; k < count && is_good && is_carrying; ++k) {
            const char *full = lw_parameters_name(c->parameters, k);
            if (strncmp(full, name, length) == 0 && (strncmp(full + length, ".before.", 8) == 0 ||
                                                     strncmp(full + length, ".dh.", 4) == 0)) {
                is_good = add_kinematic(c, k);
            }
        }
    }
    return is_good;
}

static lw_status add_named(lwi_calibrating *c, const char *name, lw_report *report)
{
    const int count = lw_parameters_find(c->parameters, name, NULL, 0);
    if (count == 0) {
        lw_nearest nearest;
        lw_nearest_init(&nearest, name);
        for (int k = 0; k < lw_parameters_count(c->parameters); ++k) {
            lw_nearest_offer(&nearest, lw_parameters_name(c->parameters, k));
        }
        return lwi_report_error(report, (lw_location){0}, LW_ERR_NAME,
                                "there is no kinematic parameter \"%s\"%s%s%s", name,
                                nearest.best ? "; did you mean \"" : "",
                                nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
    }
    int *list = malloc((size_t)count * sizeof *list);
    lw_status status = list ? LW_OK : LW_ERR_MEMORY;
    if (list) {
        lw_parameters_find(c->parameters, name, list, count);
    }
    for (int k = 0; k < count && status == LW_OK; ++k) {
        status = add_kinematic(c, list[k]) ? LW_OK : LW_ERR_MEMORY;
    }
    free(list);
    return status;
}

static bool add_pose(lwi_calibrating *c, lwi_unknown_kind kind, const char *stem, int count)
{
    static const char *const component[SIX] = {"x", "y", "z", "rx", "ry", "rz"};
    bool is_good = true;
    for (int k = 0; k < count && is_good; ++k) {
        is_good = add_unknown(c, kind, k, stem, component[k], 0.0, k >= 3);
    }
    return is_good;
}

static bool add_joints(lwi_calibrating *c, lwi_unknown_kind kind, const char *tail)
{
    bool is_good = true;
    for (int k = 0; k < c->m->nv && is_good; ++k) {
        is_good = lw_position_of_dof(c->m, k) < 0 ||
                  add_unknown(c, kind, k, c->m->velocity_name[k], tail, 0.0, true);
    }
    return is_good;
}

static lw_status add_all(lwi_calibrating *c, lw_report *report)
{
    const lw_calibrate_def *def = c->def;
    const bool is_point = def->kind != LW_MEASURE_POSE;
    lw_status status = LW_OK;
    bool is_good = def->nparameter != 0 || add_default(c);
    for (int k = 0; k < def->nparameter && status == LW_OK; ++k) {
        status = add_named(c, def->parameter[k], report);
    }
    is_good = is_good && (!def->has_base || add_pose(c, LWI_UNKNOWN_BASE, "base", SIX));
    is_good =
        is_good && (!def->has_tool || add_pose(c, LWI_UNKNOWN_TOOL, "tool", is_point ? 3 : SIX));
    is_good = is_good && (!def->has_offsets || add_joints(c, LWI_UNKNOWN_OFFSET, "offset"));
    is_good =
        is_good && (!def->has_compliance || add_joints(c, LWI_UNKNOWN_COMPLIANCE, "compliance"));
    if (def->kind == LW_MEASURE_POINT || def->kind == LW_MEASURE_PLANE) {
        const char *stem = def->kind == LW_MEASURE_POINT ? "point" : "plane";
        is_good = is_good && add_pose(c, LWI_UNKNOWN_REFERENCE, stem, 3);
    }
    for (int i = 0; i < c->n; ++i) { // of radians per N m, where joints carry some 100 N m
        c->at[i].scale *= c->at[i].kind == LWI_UNKNOWN_COMPLIANCE ? 1e-2 : 1.0;
        c->at[i].scale *= c->at[i].kind == LWI_UNKNOWN_REFERENCE ? 100.0 : 1.0;
    }
    return is_good ? status : LW_ERR_MEMORY;
}

// --- Begin, compile, end ----------------------------------------------------------------------

static lw_status compile(lwi_calibrating *c, const lw_mech *mech, lw_report *report)
{
    lw_model *m = NULL;
    lw_data *d = NULL;
    lw_parameters *parameters = NULL;
    lw_status status = lw_compile(mech, c->options, &m, report);
    if (status == LW_OK) {
        status = lw_data_create(m, &d);
    }
    if (status == LW_OK) {
        status = lw_parameters_create(mech, c->options, m, &parameters);
    }
    if (status != LW_OK) {
        lw_parameters_destroy(parameters);
        lw_data_destroy(d);
        lw_model_destroy(m);
        return status;
    }
    lw_parameters_destroy(c->parameters);
    lw_data_destroy(c->d);
    lw_model_destroy(c->m);
    c->m = m;
    c->d = d;
    c->parameters = parameters;
    return LW_OK;
}

lw_status lwi_calibrating_begin(lwi_calibrating *c, const lw_mech *mech,
                                const lw_compile_options *options, const lw_calibrate_def *def,
                                lw_report *report)
{
    *c = (lwi_calibrating){.def = def, .options = options};
    lw_status status = compile(c, mech, report);
    if (status != LW_OK) {
        return status;
    }
    c->frame = lw_find_frame(c->m, def->frame);
    if (c->frame < 0 || c->m->frame[c->frame].body < 0) {
        return lwi_report_error(report, (lw_location){0}, LW_ERR_NAME,
                                "there is no frame \"%s\" that moves", def->frame);
    }
    const int count = lw_parameters_count(c->parameters);
    const size_t most = (size_t)(count + 15 + 2 * c->m->nv);
    c->at = lwi_arena_take(&c->arena, most, sizeof *c->at);
    c->list = lwi_arena_take(&c->arena, (size_t)count + 1, sizeof *c->list);
    status = c->at && c->list ? add_all(c, report) : LW_ERR_MEMORY;
    if (status != LW_OK) {
        return status;
    }
    c->nrow = rows_of[def->kind];
    c->rows = c->nrow * def->n;
    if (c->n == 0) {
        return lwi_report_error(report, (lw_location){0}, LW_ERR_ARGUMENT,
                                "there is nothing to calibrate");
    }
    // More rows than unknowns for the singular values; what is added stays zero.
    c->rows = c->rows < c->n ? c->n : c->rows;
    c->q = lwi_arena_take(&c->arena, (size_t)c->m->nq + 1, sizeof *c->q);
    c->tau = lwi_arena_take(&c->arena, (size_t)c->m->nv + 1, sizeof *c->tau);
    c->JF = lwi_arena_take(&c->arena, SIX * (size_t)c->m->nv + 1, sizeof *c->JF);
    c->JP = lwi_arena_take(&c->arena, SIX * (size_t)c->nkinematic + 1, sizeof *c->JP);
    c->J = lwi_arena_take(&c->arena, (size_t)c->rows * (size_t)c->n, sizeof *c->J);
    c->r = lwi_arena_take(&c->arena, (size_t)c->rows, sizeof *c->r);
    return c->q && c->tau && c->JF && c->JP && c->J && c->r ? LW_OK : LW_ERR_MEMORY;
}

void lwi_calibrating_end(lwi_calibrating *c)
{
    lw_parameters_destroy(c->parameters);
    lw_data_destroy(c->d);
    lw_model_destroy(c->m);
    lwi_arena_free(&c->arena);
}

lw_status lwi_calibrating_compile(lwi_calibrating *c, lw_mech *mech, lw_report *report)
{
    lw_status status = LW_OK;
    for (int i = 0; i < c->n && status == LW_OK; ++i) {
        if (c->at[i].kind == LWI_UNKNOWN_KINEMATIC) {
            status = lw_set_parameter(mech, c->at[i].name, c->at[i].value);
            if (status != LW_OK) {
                return lwi_report_error(report, (lw_location){0}, status,
                                        "\"%s\" cannot be set in this description: joints must be "
                                        "placed by x y z roll pitch yaw, quaternions or DH rows, "
                                        "outside of assemblies",
                                        c->at[i].name);
            }
        }
    }
    return compile(c, mech, report);
}

// --- Rows -------------------------------------------------------------------------------------

static lw_pose small_pose(const lwi_calibrating *c, lwi_unknown_kind kind)
{
    double x[SIX] = {0};
    for (int i = 0; i < c->n; ++i) {
        if (c->at[i].kind == kind) {
            x[c->at[i].index] = c->at[i].value;
        }
    }
    const lw_pose X = {lw_exp3(lw_vec3_of(x[3], x[4], x[5])), {x[0], x[1], x[2]}};
    return X;
}

// q with offsets and what gives way under gravity.
static lw_status deflected(lwi_calibrating *c, const double *q)
{
    memcpy(c->q, q, (size_t)c->m->nq * sizeof *c->q);
    lw_status status = LW_OK;
    if (c->def->has_compliance) {
        status = lw_gravity_forces(c->m, c->d, q, c->tau);
    }
    for (int i = 0; i < c->n && status == LW_OK; ++i) {
        const lwi_unknown *u = &c->at[i];
        if (u->kind == LWI_UNKNOWN_OFFSET) {
            c->q[lw_position_of_dof(c->m, u->index)] += u->value;
        } else if (u->kind == LWI_UNKNOWN_COMPLIANCE) {
            c->q[lw_position_of_dof(c->m, u->index)] -= u->value * c->tau[u->index];
        }
    }
    return status;
}

// Where a measurement is taken, in the frames that matter.
typedef struct station {
    lw_pose base, X_WF, measured; ///< pose of the world for the device; frame; measured frame there
    lw_vec3 tip;                  ///< of the tool in the world
} station;

// Velocity of the measured frame for a unit rate of an unknown, in the axes of the device.
static lw_motion velocity(const lwi_calibrating *c, const station *s, const lwi_unknown *u)
{
    const lw_vec3 none = {0.0, 0.0, 0.0};
    lw_motion x = {none, none};
    double unit[SIX] = {0};
    switch (u->kind) {
    case LWI_UNKNOWN_BASE: // acts after the world's own: at the device
        unit[u->index] = 1.0;
        x.ang = lw_vec3_of(unit[3], unit[4], unit[5]);
        x.lin = lw_add3(lw_vec3_of(unit[0], unit[1], unit[2]),
                        lw_cross3(x.ang, lw_sub3(s->measured.p, s->base.p)));
        return x;
    case LWI_UNKNOWN_TOOL:
        unit[u->index] = 1.0;
        x.ang = lw_rotate(&s->X_WF.R, lw_vec3_of(unit[3], unit[4], unit[5]));
        x.lin = lw_rotate(&s->X_WF.R, lw_vec3_of(unit[0], unit[1], unit[2]));
        break;
    case LWI_UNKNOWN_REFERENCE:
        return x;
    default: {
        const bool is_joint = u->kind != LWI_UNKNOWN_KINEMATIC;
        const double *J = is_joint ? c->JF : c->JP;
        const int width = is_joint ? c->m->nv : c->nkinematic;
        const double f = u->kind == LWI_UNKNOWN_COMPLIANCE ? -c->tau[u->index] : 1.0;
        x.ang = lw_vec3_of(f * J[u->index], f * J[width + u->index], f * J[2 * width + u->index]);
        x.lin = lw_vec3_of(f * J[3 * width + u->index], f * J[4 * width + u->index],
                           f * J[5 * width + u->index]);
        x.lin = lw_add3(x.lin, lw_cross3(x.ang, lw_sub3(s->tip, s->X_WF.p)));
        break;
    }
    }
    x.ang = lw_rotate(&s->base.R, x.ang);
    x.lin = lw_rotate(&s->base.R, x.lin);
    return x;
}

static lw_vec3 reference_point(const lwi_calibrating *c)
{
    double x[3] = {0};
    for (int i = 0; i < c->n; ++i) {
        if (c->at[i].kind == LWI_UNKNOWN_REFERENCE) {
            x[c->at[i].index] = c->at[i].value;
        }
    }
    return lw_vec3_of(x[0], x[1], x[2]);
}

// Two directions across a unit vector.
static void across(lw_vec3 n, lw_vec3 *e1, lw_vec3 *e2)
{
    const lw_mat3 R = lw_rotation_to_z(n);
    *e1 = lw_vec3_of(R.row[0].x, R.row[1].x, R.row[2].x);
    *e2 = lw_vec3_of(R.row[0].y, R.row[1].y, R.row[2].y);
}

// Residuals of one measurement, measured less computed, in m and rad: r [nrow].
static void residual(const lwi_calibrating *c, const station *s, const double *measured, double *r)
{
    const lw_vec3 p = s->measured.p, u = reference_point(c);
    lw_vec3 e1, e2, x, w;
    switch (c->def->kind) {
    case LW_MEASURE_POSE: {
        const lw_quat quat = {measured[3], measured[4], measured[5], measured[6]};
        const lw_mat3 R = lw_rotation_quat(quat), back = lw_transpose3(&s->measured.R);
        const lw_mat3 error = lw_mul3(&R, &back);
        w = lw_log3(&error);
        r[3] = w.x, r[4] = w.y, r[5] = w.z;
    } // fall through
    case LW_MEASURE_POSITION:
        r[0] = measured[0] - p.x, r[1] = measured[1] - p.y, r[2] = measured[2] - p.z;
        return;
    case LW_MEASURE_DISTANCE:
        r[0] = measured[0] - lw_norm3(lw_sub3(p, c->def->known));
        return;
    case LW_MEASURE_PLANE: // (n + x e1 + y e2) p = z
        across(lw_unit3(c->def->known), &e1, &e2);
        x = lw_add3(lw_unit3(c->def->known), lw_add3(lw_scale3(u.x, e1), lw_scale3(u.y, e2)));
        r[0] = u.z - lw_dot3(x, p);
        return;
    case LW_MEASURE_POINT:
        r[0] = u.x - p.x, r[1] = u.y - p.y, r[2] = u.z - p.z;
        return;
    }
}

// Derivatives of the computed values, which are taken off the measured ones.
static void column(const lwi_calibrating *c, const station *s, const lwi_unknown *unknown,
                   double *x)
{
    const lw_motion v = velocity(c, s, unknown);
    const lw_vec3 p = s->measured.p, u = reference_point(c);
    const bool is_reference = unknown->kind == LWI_UNKNOWN_REFERENCE;
    lw_vec3 e1, e2, n;
    switch (c->def->kind) {
    case LW_MEASURE_POSE:
        x[3] = v.ang.x, x[4] = v.ang.y, x[5] = v.ang.z;
        // fall through
    case LW_MEASURE_POSITION:
        x[0] = v.lin.x, x[1] = v.lin.y, x[2] = v.lin.z;
        return;
    case LW_MEASURE_DISTANCE:
        n = lw_sub3(p, c->def->known);
        x[0] = lw_norm3(n) > 0.0 ? lw_dot3(v.lin, n) / lw_norm3(n) : 0.0;
        return;
    case LW_MEASURE_PLANE:
        across(lw_unit3(c->def->known), &e1, &e2);
        n = lw_add3(lw_unit3(c->def->known), lw_add3(lw_scale3(u.x, e1), lw_scale3(u.y, e2)));
        x[0] = lw_dot3(n, v.lin);
        if (is_reference) {
            const double own[3] = {lw_dot3(e1, p), lw_dot3(e2, p), -1.0};
            x[0] = own[unknown->index];
        }
        return;
    case LW_MEASURE_POINT:
        x[0] = v.lin.x, x[1] = v.lin.y, x[2] = v.lin.z;
        if (is_reference) {
            x[unknown->index] = -1.0;
        }
        return;
    }
}

static lw_status visit(lwi_calibrating *c, int i, bool has_rates, station *s)
{
    const lw_pose tool = small_pose(c, LWI_UNKNOWN_TOOL);
    lw_status status = deflected(c, c->def->q + (size_t)i * (size_t)c->m->nq);
    if (status == LW_OK) {
        status = lw_pose_of_frame(c->m, c->d, c->q, c->frame, &s->X_WF);
    }
    if (status == LW_OK && has_rates) {
        status = lw_frame_jacobian(c->m, c->d, c->q, c->frame, LW_IN_WORLD, NULL, c->JF);
    }
    if (status == LW_OK && has_rates && c->nkinematic > 0) {
        status = lw_parameter_jacobian(c->m, c->d, c->parameters, c->q, c->frame, LW_IN_WORLD,
                                       c->nkinematic, c->list, c->JP, NULL);
    }
    s->base = small_pose(c, LWI_UNKNOWN_BASE);
    const lw_pose X_WT = lw_pose_mul(&s->X_WF, &tool);
    s->tip = X_WT.p;
    s->measured = lw_pose_mul(&s->base, &X_WT);
    return status;
}

// A point or a plane that is not known begins where the measurements are on average.
static lw_status guess_reference(lwi_calibrating *c)
{
    lw_vec3 mean = {0.0, 0.0, 0.0};
    lw_status status = LW_OK;
    for (int i = 0; i < c->def->n && status == LW_OK; ++i) {
        station s;
        status = visit(c, i, false, &s);
        mean = lw_add3(mean, lw_scale3(1.0 / c->def->n, s.measured.p));
    }
    const bool is_plane = c->def->kind == LW_MEASURE_PLANE;
    const double start[3] = {is_plane ? 0.0 : mean.x, is_plane ? 0.0 : mean.y,
                             is_plane ? lw_dot3(lw_unit3(c->def->known), mean) : mean.z};
    for (int i = 0; i < c->n; ++i) {
        if (c->at[i].kind == LWI_UNKNOWN_REFERENCE) {
            c->at[i].value = c->at[i].nominal = start[c->at[i].index];
        }
    }
    return status;
}

lw_status lwi_calibrating_evaluate(lwi_calibrating *c, bool has_rates, double *sum)
{
    const lw_calibrate_def *def = c->def;
    static const int width[] = {7, 3, 1, 0, 0};
    lw_status status = LW_OK;
    if (!c->has_reference && (def->kind == LW_MEASURE_POINT || def->kind == LW_MEASURE_PLANE)) {
        status = guess_reference(c);
        c->has_reference = true;
    }
    double squares[2] = {0.0, 0.0};
    int count[2] = {0, 0};
    *sum = 0.0;
    for (int i = 0; i < def->n && status == LW_OK; ++i) {
        station s;
        double r[SIX] = {0}, x[SIX] = {0};
        status = visit(c, i, has_rates, &s);
        if (status == LW_OK && (def->measured || width[def->kind] == 0)) {
            residual(c, &s,
                     def->measured ? def->measured + (size_t)i * (size_t)width[def->kind] : NULL,
                     r);
        }
        for (int k = 0; k < c->nrow && status == LW_OK; ++k) {
            const double weight = 1.0 / (k < 3 ? def->sigma_length : def->sigma_angle);
            c->r[i * c->nrow + k] = weight * r[k];
            *sum += weight * weight * r[k] * r[k];
            squares[k >= 3] += r[k] * r[k];
            count[k >= 3] += k % 3 == 0;
        }
        for (int u = 0; u < c->n && status == LW_OK && has_rates; ++u) {
            column(c, &s, &c->at[u], x);
            for (int k = 0; k < c->nrow; ++k) {
                const double weight = 1.0 / (k < 3 ? def->sigma_length : def->sigma_angle);
                c->J[(size_t)u * (size_t)c->rows + (size_t)(i * c->nrow + k)] =
                    weight * x[k] * c->at[u].scale;
            }
        }
    }
    for (int k = 0; k < 2; ++k) {
        c->error[k] = count[k] > 0 ? sqrt(squares[k] / count[k]) : 0.0;
    }
    return status == LW_OK && !isfinite(*sum) ? LW_ERR_NUMBER : status;
}
