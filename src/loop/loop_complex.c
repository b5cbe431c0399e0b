// Rates of closure steps over complex numbers, by the text that gives them in double.
#include "loop_complex.h"

#define LWI_REAL_COMPLEX
#include "../math/real.h"

#include "../math/spatial.h"
#include "law.h"
#include "user_rate.h"

#include <math.h>

static inline double size_of_real(real x)
{
    return fabs(lwi_value_of(x));
}

// To first order in the imaginary part, which is all there is.
static inline void sincos_real(real x, real *s, real *c)
{
    const double sine = sin(lwi_value_of(x)), cosine = cos(lwi_value_of(x));
    *s = lwi_complex_of(sine, cosine * lwi_rate_of(x));
    *c = lwi_complex_of(cosine, -sine * lwi_rate_of(x));
}

#include "loop_kernel.h"

// x + i y
static vec3 complex3(lw_vec3 x, lw_vec3 y)
{
    return (vec3){lwi_complex_of(x.x, y.x), lwi_complex_of(x.y, y.y), lwi_complex_of(x.z, y.z)};
}

static void split(const real *x, int n, double *whole, double *rate)
{
    for (int k = 0; k < n; ++k) {
        whole[k] = lwi_value_of(x[k]);
        rate[k] = lwi_rate_of(x[k]);
    }
}

// The callbacks of user joints are real: their poses move by their motions, and what these change
// by comes from differences.
static void loop_user_joint(const lw_model *m, int i, const real *q, loop_pose *X, loop_motion *S)
{
    const lw_user_joint *user = &m->kernel->user[i];
    const int nv = user->nv;
    double at[LW_MAX_DOF], rate[LW_MAX_DOF];
    lw_motion own[LW_MAX_DOF], change[LW_MAX_DOF] = {0}, moved = {{0, 0, 0}, {0, 0, 0}};
    lw_pose pose;
    split(q, nv, at, rate);
    user->pose(user->context, at, &pose);
    user->motion(user->context, at, own);
    for (int k = 0; k < nv; ++k) {
        moved = lwi_motion_axpy(rate[k], own[k], moved);
    }
    for (int k = 0; k < nv && user->bias; ++k) {
        lw_motion along[LW_MAX_DOF];
        lwi_user_motion_rate(user, at, k, along);
        for (int j = 0; j < nv; ++j) {
            change[j] = lwi_motion_axpy(rate[k], along[j], change[j]);
        }
    }
    // R (1 + i [w]x) row by row, and p + i R u
    loop_pose Y;
    for (int r = 0; r < 3; ++r) {
        Y.R.row[r] = complex3(pose.R.row[r], lw_cross3(pose.R.row[r], moved.ang));
    }
    Y.p = complex3(pose.p, lw_rotate(&pose.R, moved.lin));
    *X = loop_pose_mul(X, &Y);
    for (int k = 0; k < nv; ++k) {
        const vec3 ang = mul3(&X->R, complex3(own[k].ang, change[k].ang));
        const vec3 lin = mul3(&X->R, complex3(own[k].lin, change[k].lin));
        S[k] = (loop_motion){ang, add3(lin, cross3(X->p, ang))};
    }
}

static void loop_user_bias(const lw_model *m, int i, const real *q, const real *v,
                           const loop_pose *X, loop_motion *A)
{
    const lw_user_joint *user = &m->kernel->user[i];
    const lwi_segment *body = &m->kernel->segment[i];
    if (!user->bias) {
        return;
    }
    double at[LW_MAX_DOF], q_rate[LW_MAX_DOF], vel[LW_MAX_DOF], v_rate[LW_MAX_DOF];
    lw_motion bias, change = {{0, 0, 0}, {0, 0, 0}};
    split(q + body->q, user->nv, at, q_rate);
    split(v + body->v, user->nv, vel, v_rate);
    user->bias(user->context, at, vel, &bias);
    for (int k = 0; k < user->nv; ++k) {
        change = lwi_motion_axpy(q_rate[k], lwi_user_bias_rate(user, at, vel, k), change);
        change = lwi_motion_axpy(v_rate[k], lwi_user_bias_by_velocity(user, at, vel, k), change);
    }
    const vec3 ang = mul3(&X->R, complex3(bias.ang, change.ang));
    const vec3 lin = mul3(&X->R, complex3(bias.lin, change.lin));
    A->ang = add3(A->ang, ang);
    A->lin = add3(A->lin, add3(lin, cross3(X->p, ang)));
}

// Exact to the first power of the imaginary parts.
static void function_rates(const lwi_step *step, const real *q, const real *v, real *K, real *bias)
{
    const real x = q[step->source_q[0]];
    double f[4];
    lwi_law_at(step, lwi_value_of(x), f);
    const real away = x - lwi_value_of(x);
    K[0] = f[1] + f[2] * away;
    if (v) {
        const real dx = v[step->source[0]];
        bias[0] = (f[2] + f[3] * away) * dx * dx;
    }
}

bool lwi_step_rates_complex(const lw_model *m, const lwi_program *program, const lwi_step *step,
                            const lwi_complex_work *work, const lwi_complex *q,
                            const lwi_complex *v, lwi_complex *K, lwi_complex *bias)
{
    const int nt = step->ntarget, ns = step->nsource, ncolumn = nt + ns + 1;
    if (step->kind == LW_STEP_FUNCTION) {
        function_rates(step, q, v, K, bias);
        return true;
    }
    if (step->kind == LW_STEP_LINEAR) {
        for (int t = 0; t < nt; ++t) {
            for (int k = 0; k < ns; ++k) {
                K[t * ns + k] = step->coefficient[t * (1 + ns) + 1 + k];
            }
            if (v) {
                bias[t] = 0.0;
            }
        }
        return true;
    }
    loop_fill(m, program, step, q, v, (loop_motion *)work->motion, work->matrix, NULL);
    if (loop_eliminate(work->matrix, step->nrow, ncolumn, nt, 0.0, NULL) >= 0) {
        return false;
    }
    for (int t = 0; t < nt; ++t) {
        memcpy(&K[t * ns], &work->matrix[t * ncolumn + nt], (size_t)ns * sizeof *K);
        if (v) {
            bias[t] = work->matrix[t * ncolumn + ncolumn - 1];
        }
    }
    return true;
}
