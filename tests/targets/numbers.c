// Results of the core as text, to compare one processor with another: a line for each quantity of
// each model of the zoos. Numbers are the shortest that read back as the same double. A line that
// begins with "=" must be the same bytes everywhere.
#include "check.h"
#include "closed_zoo.h"
#include "load_text.h"
#include "zoo.h"

#include "base/number.h"

#include <linkwork/configure.h>
#include <linkwork/generate.h>
#include <linkwork/simulate.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 40 };

static void print_numbers(const char *model, const char *quantity, const double *x, int n)
{
    printf("%s, %s:", model, quantity);
    for (int i = 0; i < n; ++i) {
        char text[LWI_NUMBER_SIZE];
        lwi_print_double(x[i], text);
        printf(" %s", text);
    }
    printf("\n");
}

static void print_status(const char *model, const char *quantity, lw_status status)
{
    if (status != LW_OK) {
        printf("= %s, %s: status %d\n", model, quantity, (int)status);
    }
}

// Code of inverse dynamics and of the mass matrix: its length and a sum over its bytes (FNV-1a).
static void print_code(const char *model, const lw_model *m)
{
    lw_derive_options o = lw_default_derive_options();
    o.functions = 1u << LW_FUNCTION_INVERSE_DYNAMICS | 1u << LW_FUNCTION_MASS_MATRIX;
    o.form = LW_FORM_RECURSIVE;
    o.effort = 0;
    lw_derivation *d = NULL;
    lw_status status = lw_derive(m, &o, &d, NULL);
    const lw_generate_options options = lw_default_generate_options();
    char *text = NULL;
    size_t size = 0;
    if (status == LW_OK) {
        status = lw_generate(d, &options, &text, &size, NULL);
    }
    print_status(model, "code", status);
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; ++i) {
        sum = (sum ^ (unsigned char)text[i]) * 0x100000001b3u;
    }
    printf("= %s, code: %lu bytes, sum %08lx%08lx\n", model, (unsigned long)size,
           (unsigned long)(sum >> 32), (unsigned long)(sum & 0xffffffffu));
    free(text);
    lw_derivation_destroy(d);
}

// A few fixed steps from the state: what a controller would simulate.
static void print_motion(const char *model, const lw_model *m, const double *q, const double *v)
{
    lw_sim_def def = lw_default_sim_def();
    def.method = LW_METHOD_RK4;
    def.step = 1e-3;
    lw_sim *sim = NULL;
    lw_sim_create(m, &def, &sim);
    lw_status status = sim ? lw_sim_reset(sim, 0.0, q, v) : LW_ERR_MEMORY;
    if (status == LW_OK) {
        status = lw_sim_advance(sim, 5e-3);
    }
    print_status(model, "motion", status);
    if (status == LW_OK) {
        print_numbers(model, "motion", lw_sim_position(sim), m->nq);
    }
    lw_sim_destroy(sim);
}

static void print_state(const char *model, const lw_model *m, lw_data *d, const double *q,
                        const double *v, const double *a, double *room)
{
    const int n = m->nv;
    lw_status status = lw_forward_position(m, d, q);
    print_status(model, "position", status);
    lw_pose X;
    if (status == LW_OK && lw_frame_pose(m, d, m->nframe - 1, &X) == LW_OK) {
        print_numbers(model, "pose", (const double *)&X, (int)(sizeof X / sizeof(double)));
    }
    status = lw_frame_jacobian(m, d, q, m->nframe - 1, LW_IN_WORLD, NULL, room);
    print_status(model, "jacobian", status);
    if (status == LW_OK) {
        print_numbers(model, "jacobian", room, 6 * n);
    }
    status = lw_inverse_dynamics(m, d, q, v, a, NULL, room);
    print_status(model, "inverse dynamics", status);
    if (status == LW_OK) {
        print_numbers(model, "inverse dynamics", room, n);
        status = lw_forward_dynamics(m, d, q, v, room, NULL, room + n);
        print_status(model, "forward dynamics", status);
        if (status == LW_OK) {
            // Accelerations are as uncertain as the mass matrix is ill conditioned; the forces that
            // they need are not.
            lw_inverse_dynamics(m, d, q, v, room + n, NULL, room + 2 * n);
            print_numbers(model, "forces of forward dynamics", room + 2 * n, n);
        }
    }
    if (lw_mass_matrix(m, d, q, room) == LW_OK) {
        print_numbers(model, "mass matrix", room, n * n);
    }
}

static void print_model(const char *model, lw_model *m, double reach)
{
    lw_data *d = NULL;
    lw_data_create(m, &d);
    double *q = d ? calloc((size_t)m->nq + 2 * (size_t)m->nv + 1, sizeof *q) : NULL;
    double *room = d ? calloc((size_t)m->nv * (size_t)(m->nv + 6) + 1, sizeof *room) : NULL;
    if (CHECK(q && room)) {
        double *v = q + m->nq, *a = v + m->nv;
        check_seed(3);
        if (reach > 0.0) {
            closed_state(m, reach, q, v, a);
        } else {
            zoo_state(m, q, v, a);
        }
        printf("= %s: %d bodies, nq %d, nv %d, tree %d, loops %d\n", model, m->nbody, m->nq, m->nv,
               m->tree_nv, m->nloop);
        print_state(model, m, d, q, v, a, room);
        print_motion(model, m, q, v);
        if (m->nbody <= MOST_BODIES) {
            print_code(model, m);
        }
    }
    free(q);
    free(room);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// K28: a robot is configured on the processor itself: rules, completions, table, mass matrix and
// code, to the last printed digit.
static void print_configured(const char *name, const char *const (*field)[2], int count)
{
    lw_spec *spec = NULL;
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    lw_data *d = NULL;
    double M[36];
    lw_spec_create(&spec);
    for (int i = 0; i < count; ++i) {
        CHECK_INT(lw_spec_set(spec, field[i][0], field[i][1], (lw_location){0}, NULL), LW_OK);
    }
    CHECK_INT(lw_spec_build(spec, &mech, NULL), LW_OK);
    for (int i = 0; i < lw_spec_result_count(spec); ++i) {
        const lw_rule_result r = lw_spec_result(spec, i);
        printf("= %s, rule %s %d: %s\n", name, r.rule->name, r.index, lw_rule_state_name(r.state));
    }
    for (int i = 0; i < lw_spec_count(spec); ++i) {
        const lw_spec_entry e = lw_spec_at(spec, i);
        printf("= %s, %s: %s\n", name, e.field, e.value);
    }
    CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_OK);
    lw_data_create(m, &d);
    if (m && d) {
        lw_dh_row row[8];
        lw_pose base, tip;
        int n = 0;
        lw_dh_table(m, lw_find_frame(m, "tool"), LW_DH_CRAIG, 8, row, &n, &base, &tip);
        for (int i = 0; i < n; ++i) {
            printf("= %s, row %d: %.12g %.12g %.12g %.12g\n", name, i, row[i].alpha, row[i].a,
                   row[i].theta, row[i].d);
        }
        CHECK_INT(lw_mass_matrix(m, d, m->q_reference, M), LW_OK);
        for (int i = 0; i < m->nv * m->nv; ++i) {
            printf("= %s, M[%d]: %.12g\n", name, i, fabs(M[i]) < 1e-13 ? 0.0 : M[i]);
        }
        print_code(name, m);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
    lw_spec_destroy(spec);
}

static void print_specifications(void)
{
    static const char *const scara[][2] = {{"class", "scara"},
                                           {"joint1.length", "0.4"},
                                           {"joint2.length", "0.325"},
                                           {"joint3.length", "0.275"},
                                           {"link1.mass", "9"},
                                           {"link1.center", "0.15 0 0"},
                                           {"link1.inertia", "0.03 0.163 0.171"},
                                           {"link2.mass", "8"},
                                           {"link2.center", "0.11 0 0"},
                                           {"link2.inertia", "0.05 0.16 0.13"},
                                           {"link3.mass", "1.2"},
                                           {"link4.mass", "0.3"},
                                           {"link4.inertia", "1e-4 1e-4 1e-4"},
                                           {"joint2.reference", "0.7"}};
    static const char *const arm[][2] = {{"class", "articulated"},
                                         {"joint2.length", "0.675"},
                                         {"joint2.offset", "0.26"},
                                         {"joint3.length", "0.68"},
                                         {"joint4.length", "0.67"},
                                         {"joint4.offset", "-0.035"},
                                         {"link2.shape1.type", "cylinder"},
                                         {"link2.shape1.radius", "0.1"},
                                         {"link2.shape1.length", "0.7"},
                                         {"link2.shape1.material", "steel"},
                                         {"link3.mass", "40"},
                                         {"link3.center", "0.2 0 0"},
                                         {"link3.inertia", "1 2 2"},
                                         {"link6.mass", "5"},
                                         {"link6.inertia", "0.1 0.1 0.1"},
                                         {"joint3.reference", "0.4"}};
    static const char *const palletiser[][2] = {
        {"class", "palletiser"},  {"size.offset", "0.3"},     {"size.height", "0.8"},
        {"size.arm", "1.2"},      {"size.forearm", "1.3"},    {"size.lever", "0.3"},
        {"size.bracket", "0.25"}, {"size.wrist", "0.15"},     {"size.drop", "0.2"},
        {"link2.mass", "60"},     {"link3.mass", "45"},       {"link5.mass", "60"},
        {"link1.mass", "100"},    {"link5.inertia", "1 1 1"}, {"link1.inertia", "9 9 5"}};
    print_configured("SCARA", scara, (int)(sizeof scara / sizeof *scara));
    print_configured("articulated arm", arm, (int)(sizeof arm / sizeof *arm));
    print_configured("palletiser class", palletiser, (int)(sizeof palletiser / sizeof *palletiser));
}

TEST(numbers)
{
    for (int kind = 0; kind < ZOO_COUNT; ++kind) {
        print_model(zoo_name((zoo_kind)kind), zoo_model((zoo_kind)kind), 0.0);
    }
    for (int i = 0; i < closed_zoo_count; ++i) {
        const closed_machine *machine = &closed_zoo[i];
        print_model(machine->name, closed_model(machine->build(false)), 0.5 * machine->reach);
    }
    print_specifications();
}

int main(void)
{
    RUN(numbers);
    return REPORT();
}
