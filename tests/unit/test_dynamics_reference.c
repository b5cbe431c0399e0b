// Dynamics against the numbers of independent programs, to 1e-9 of the largest force, or entry of
// the mass matrix, in any state of the file: what the programs agree to among themselves. (In one
// state alone all forces may be rounding: a robot whose weight pulls along its axes.)
#include "check.h"
#include "objects.h"
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int k = 0; k < n; ++k) {
        most = fabs(x[k]) > most ? fabs(x[k]) : most;
    }
    return most;
}

static void check_vector(const double *got, const double *want, int n, double tolerance)
{
    for (int k = 0; k < n; ++k) {
        CHECK_NEAR(got[k], want[k], tolerance);
    }
}

typedef struct scale {
    double force, mass;
} scale;

static void compare_state(const lw_model *m, lw_data *d, const reference_state *s, scale most)
{
    const int n = m->nv;
    double *x = calloc((size_t)n + 1, sizeof *x);
    double *M = calloc((size_t)(n * n) + 1, sizeof *M);
    CHECK_INT(lw_inverse_dynamics(m, d, s->q, s->v, s->a, NULL, x), LW_OK);
    check_vector(x, s->tau, n, 1e-9 * most.force);
    CHECK_INT(lw_gravity_forces(m, d, s->q, x), LW_OK);
    check_vector(x, s->gravity, n, 1e-9 * most.force);
    if (s->bias) {
        CHECK_INT(lw_bias_forces(m, d, s->q, s->v, x), LW_OK);
        check_vector(x, s->bias, n, 1e-9 * most.force);
    }
    CHECK_INT(lw_mass_matrix(m, d, s->q, M), LW_OK);
    check_vector(M, s->M, n * n, 1e-9 * most.mass);
    free(x);
    free(M);
}

static scale scale_of(const json_t *file, const lw_model *m)
{
    scale most = {0};
    for (int i = 0; i < reference_count(file); ++i) {
        reference_state s;
        if (reference_state_read(file, i, m, &s)) {
            most.force = fmax(most.force, largest(s.tau, m->nv));
            most.mass = fmax(most.mass, largest(s.M, m->nv * m->nv));
        }
        reference_free(&s);
    }
    return most;
}

static int check_file(const char *name)
{
    char path[512], model[512];
    snprintf(path, sizeof path, "vectors/%s", name);
    const bool is_floating = strstr(name, ".floating.json") != NULL;
    snprintf(model, sizeof model, "models/urdf/%.*s.urdf", (int)(strstr(name, ".urdf") - name),
             name);
    json_t *file = reference_read(path);
    lw_model *m = file ? shared_model(model, is_floating) : NULL;
    lw_data *d = m ? new_data(m) : NULL;
    // The reference programs left out what acts within joints.
    lw_dynamics_options options = lw_default_dynamics_options(m);
    options.is_ideal = true;
    int checked = 0;
    if (d && CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK)) {
        const scale most = scale_of(file, m);
        for (int i = 0; i < reference_count(file); ++i) {
            check_case("%s, state %d", name, i);
            reference_state s;
            if (reference_state_read(file, i, m, &s)) {
                compare_state(m, d, &s, most);
                ++checked;
            }
            reference_free(&s);
        }
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    json_decref(file);
    return checked;
}

static void check_all(const char *ending, bool wants_floating)
{
    char **names = shared_names("reference/vectors", ending);
    int files = 0;
    for (char **name = names; name && *name; ++name) {
        if ((strstr(*name, ".floating.json") != NULL) == wants_floating) {
            CHECK(check_file(*name) > 0);
            ++files;
        }
    }
    if (names) {
        CHECK(files > 0);
    }
    names_free(names);
}

TEST(D38_D40_urdf_robots_as_three_programs_compute_them)
{
    check_all(".urdf.json", false);
}

TEST(D38_D40_urdf_robots_on_a_free_base)
{
    check_all(".urdf.floating.json", true);
}

int main(void)
{
    RUN(D38_D40_urdf_robots_as_three_programs_compute_them);
    RUN(D38_D40_urdf_robots_on_a_free_base);
    return REPORT();
}
