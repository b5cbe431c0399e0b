// What is measured of one case.

#include "ellipsoid.h"

#include <linkwork/dynamics.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <string.h>

// --- Reading ----------------------------------------------------------------------------------

static bool ends_with(char *text, const char *end)
{
    const size_t length = strlen(text), n = strlen(end);
    if (length <= n || strcmp(text + length - n, end) != 0) {
        return false;
    }
    text[length - n] = '\0';
    return true;
}

// "max(abs(tau[R2]))": leaves the name, "R2".
static bool parse_reduction(lwi_measure *m, char *name)
{
    static const char *const reduce[] = {"max(", "min(", "mean(", "rms(", "final("};
    static const char *const signal[] = {"q[", "v[", "tau[", "error[", "power["};
    char *at = name;
    int k = 0;
    while (k < 5 && strncmp(at, reduce[k], strlen(reduce[k])) != 0) {
        ++k;
    }
    if (k == 5 || !ends_with(at, ")")) {
        return false;
    }
    m->reduce = (lwi_reduce)k;
    at += strlen(reduce[k]);
    m->is_absolute = strncmp(at, "abs(", 4) == 0;
    if (m->is_absolute) {
        at += 4;
        if (!ends_with(at, ")")) {
            return false;
        }
    }
    k = 0;
    while (k < 5 && strncmp(at, signal[k], strlen(signal[k])) != 0) {
        ++k;
    }
    if (k == 5 || !ends_with(at, "]")) {
        return false;
    }
    m->signal = (lwi_signal)k;
    at += strlen(signal[k]);
    m->kind = LWI_MEASURE_RUN;
    memmove(name, at, strlen(at) + 1);
    return true;
}

static bool parse_of_jacobian(lwi_measure *m, char *name)
{
    m->part = ends_with(name, ".rotation") ? LWI_PART_ROTATION
              : ends_with(name, ".scaled") ? LWI_PART_SCALED
                                           : LWI_PART_TRANSLATION;
    if (m->part == LWI_PART_TRANSLATION) {
        ends_with(name, ".translation");
    }
    if (ends_with(name, ".manipulability")) {
        m->kind = LWI_MEASURE_MANIPULABILITY;
    } else if (ends_with(name, ".sigma_min")) {
        m->kind = LWI_MEASURE_SIGMA_MIN;
    } else if (ends_with(name, ".inverse_condition")) {
        m->kind = LWI_MEASURE_INVERSE_CONDITION;
    } else {
        return false;
    }
    m->ellipsoid = ends_with(name, ".force")     ? LW_ELLIPSOID_FORCE
                   : ends_with(name, ".dynamic") ? LW_ELLIPSOID_DYNAMIC
                                                 : LW_ELLIPSOID_VELOCITY;
    return true;
}

bool lwi_measure_parse(lw_sweep *s, lwi_measure *m, char *name, size_t size)
{
    static const char *const axis[] = {".x", ".y", ".z"};
    const lw_model *model = s->structure[0].model;
    if (strlen(m->text) >= size) {
        return false;
    }
    strcpy(name, m->text);
    m->ncolumn = 1;
    if (strcmp(name, "q") == 0) {
        m->kind = LWI_MEASURE_Q;
        m->ncolumn = model->nq;
    } else if (strcmp(name, "inputs") == 0) {
        m->kind = LWI_MEASURE_INPUTS;
        m->ncolumn = s->info.ninput + (s->info.nstructure > 1);
    } else if (strcmp(name, "tau_gravity") == 0) {
        m->kind = LWI_MEASURE_GRAVITY;
        m->ncolumn = model->nv;
    } else if (strcmp(name, "potential") == 0) {
        m->kind = LWI_MEASURE_POTENTIAL;
    } else if (strcmp(name, "mass") == 0) {
        m->kind = LWI_MEASURE_MASS;
    } else if (parse_reduction(m, name)) {
        return true;
    } else {
        m->pose = 0;
        if (ends_with(name, ".position")) {
            m->kind = LWI_MEASURE_POSITION;
            m->part = -1;
            m->ncolumn = 3;
        } else if (ends_with(name, ".pose")) {
            m->kind = LWI_MEASURE_POSE;
            m->ncolumn = 7;
        } else if (ends_with(name, axis[0]) || ends_with(name, axis[1]) ||
                   ends_with(name, axis[2])) {
            m->kind = LWI_MEASURE_POSITION;
            m->part = m->text[strlen(m->text) - 1] - 'x';
        } else {
            return parse_of_jacobian(m, name);
        }
        return true;
    }
    name[0] = '\0'; // nothing to look for in a model
    return true;
}

// --- Computing --------------------------------------------------------------------------------

void lwi_row_singular_values(int rows, int n, double *J, double sigma[6])
{
    enum { SWEEPS = 30 };
    for (int sweep = 0, turned = 1; turned && sweep < SWEEPS; ++sweep) {
        turned = 0;
        for (int i = 0; i < rows; ++i) {
            for (int j = i + 1; j < rows; ++j) {
                double *x = J + (ptrdiff_t)i * n, *y = J + (ptrdiff_t)j * n;
                double xx = 0.0, yy = 0.0, xy = 0.0;
                for (int k = 0; k < n; ++k) {
                    xx += x[k] * x[k];
                    yy += y[k] * y[k];
                    xy += x[k] * y[k];
                }
                if (fabs(xy) <= 1e-15 * sqrt(xx * yy)) {
                    continue;
                }
                turned = 1;
                const double zeta = (yy - xx) / (2.0 * xy);
                const double t = (zeta < 0.0 ? -1.0 : 1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
                const double c = 1.0 / sqrt(1.0 + t * t), sine = c * t;
                for (int k = 0; k < n; ++k) {
                    const double a = x[k], b = y[k];
                    x[k] = c * a - sine * b;
                    y[k] = sine * a + c * b;
                }
            }
        }
    }
    for (int i = 0; i < rows; ++i) {
        double sum = 0.0;
        for (int k = 0; k < n; ++k) {
            sum += J[i * n + k] * J[i * n + k];
        }
        const double value = sqrt(sum);
        int at = i;
        for (; at > 0 && sigma[at - 1] < value; --at) {
            sigma[at] = sigma[at - 1];
        }
        sigma[at] = value;
    }
}

static lw_status measure_ellipsoid(const lw_sweep *s, const lwi_measure *x, const lwi_case *c,
                                   double *out)
{
    double axis[6];
    int count;
    const lw_status status = lwi_ellipsoid_axes(c->m, c->d, c->q, x->at[c->structure], x->ellipsoid,
                                                (lwi_jacobian_part)x->part, s->length,
                                                x->rank[c->structure], c->J, axis, &count);
    *out = 0.0;
    if (status != LW_OK || count == 0) {
        return status;
    }
    *out = axis[count - 1];
    if (x->kind == LWI_MEASURE_INVERSE_CONDITION) {
        *out = axis[0] > 0.0 ? axis[count - 1] / axis[0] : 0.0;
    } else if (x->kind == LWI_MEASURE_MANIPULABILITY) {
        for (int k = 0; k < count - 1; ++k) {
            *out *= axis[k];
        }
    }
    return LW_OK;
}

static void put_pose(const lwi_measure *x, const lw_pose *X, double *out)
{
    const double p[3] = {X->p.x, X->p.y, X->p.z};
    if (x->kind == LWI_MEASURE_POSITION && x->part >= 0) {
        out[0] = p[x->part];
        return;
    }
    memcpy(out, p, sizeof p);
    if (x->kind == LWI_MEASURE_POSE) {
        const lw_quat quat = lw_quat_of(&X->R);
        const double value[4] = {quat.w, quat.x, quat.y, quat.z};
        memcpy(out + 3, value, sizeof value);
    }
}

static void put_inputs(const lw_sweep *s, const lwi_case *c, double *out)
{
    if (s->info.nstructure > 1) {
        *out++ = c->structure;
    }
    for (int i = 0; i < s->info.ninput; ++i) {
        out[i] = c->input[(size_t)i * LWI_SWEEP_CHUNK];
    }
}

lw_status lwi_measure_case(const lw_sweep *s, const lwi_case *c, double *row)
{
    lw_status status = LW_OK;
    for (int i = 0; i < s->nmeasure && status == LW_OK; ++i) {
        const lwi_measure *x = &s->measure[i];
        double *out = row + x->column;
        switch (x->kind) {
        case LWI_MEASURE_Q:
            memcpy(out, c->q, (size_t)x->ncolumn * sizeof *out);
            break;
        case LWI_MEASURE_INPUTS:
            put_inputs(s, c, out);
            break;
        case LWI_MEASURE_POSITION:
        case LWI_MEASURE_POSE:
            put_pose(x, &c->pose[x->pose], out);
            break;
        case LWI_MEASURE_GRAVITY:
            status = lw_gravity_forces(c->m, c->d, c->q, out);
            break;
        case LWI_MEASURE_POTENTIAL:
            status = lw_potential_energy(c->m, c->d, c->q, out);
            break;
        case LWI_MEASURE_MASS:
            *out = c->m->mass;
            break;
        case LWI_MEASURE_RUN:
            break;
        default:
            status = measure_ellipsoid(s, x, c, out);
        }
    }
    return status;
}
