// Free motion keeps its energy: every shipped machine, at the default accuracy, to 1e-14 per step
// of the largest energy that moves in it. The claim of the pages, 1e-9 over 1e5 steps, is shown by
//
//     LINKWORK_STEPS=100000 build/test/gcc/tests/test_free_motion
//
// Elastic walls keep closed machines away from their singular configurations, where nothing is
// determined, and others from turning for ever: at a wall a joint bounces with all its speed, and
// the others take the impulse as the masses have it, which changes no energy. So tens of thousands
// of events are located on the way too: one that is missed lets a joint out of its walls.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, LOOK_EVERY = 100 };

typedef struct wall {
    int dof, position;
    double center, reach;
} wall;

static double distance_to(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                          const double *v)
{
    const wall *w = context;
    (void)m, (void)d, (void)t, (void)v;
    return w->reach - fabs(q[w->position] - w->center);
}

static lw_status bounce(void *context, const lw_model *m, lw_data *d, double t, double *q,
                        double *v)
{
    const wall *w = context;
    static double M[MOST * MOST];
    double push[MOST] = {0.0};
    (void)t;
    const int k = w->dof;
    push[k] = 1.0;
    if (v[k] * (q[w->position] - w->center) <= 0.0) {
        return LW_OK; // on its way back
    }
    lw_status status = lw_mass_matrix(m, d, q, M);
    status = status == LW_OK ? lw_mass_factor(m, d, M) : status;
    status = status == LW_OK ? lw_mass_solve(m, d, M, 1, push) : status;
    const double impulse = status == LW_OK ? -2.0 * v[k] / push[k] : 0.0;
    for (int i = 0; i < m->nv; ++i) {
        v[i] += impulse * push[i];
    }
    return status;
}

static void look(const lw_model *m, lw_sim *sim, double *kinetic, double *potential)
{
    const double *q = lw_sim_position(sim), *v = lw_sim_velocity(sim);
    CHECK(lw_kinetic_energy(m, lw_sim_data(sim), q, v, kinetic) == LW_OK);
    CHECK(lw_potential_energy(m, lw_sim_data(sim), q, potential) == LW_OK);
}

static bool has_block(const lw_model *m)
{
    bool found = false;
    for (int i = 0; i < m->nstep; ++i) {
        found = found || m->step[i].kind == LW_STEP_BLOCK;
    }
    return found;
}

static lw_sim *begin(const lw_model *m, wall *walls, lw_event *event, int *nwall)
{
    lw_sim_def def = lw_default_sim_def();
    double v0[MOST];
    *nwall = 0;
    for (int k = 0; k < m->nv; ++k) {
        const int i = lw_position_of_dof(m, k);
        v0[k] = 0.1;
        if (i >= 0) {
            const double reach = m->nloop == 0 ? 10.0 : has_block(m) ? 0.05 : 0.1;
            walls[*nwall] = (wall){k, i, m->q_reference[i], reach};
            event[*nwall] = (lw_event){distance_to, -1, false, bounce, &walls[*nwall]};
            ++*nwall;
        }
    }
    def.nevent = *nwall;
    def.event = event;
    lw_sim *sim = new_sim(m, &def);
    lw_dynamics_options options = lw_default_dynamics_options(m);
    options.is_ideal = true; // friction and damping take energy
    if (m->nq > m->nv) {     // a free machine would fall for ever
        options.gravity = lw_vec3_of(0.0, 0.0, 0.0);
    }
    CHECK(sim && lw_set_dynamics_options(lw_sim_data(sim), &options) == LW_OK);
    CHECK(lw_sim_reset(sim, 0.0, NULL, v0) == LW_OK);
    return sim;
}

static long wanted_steps(const lw_model *m)
{
    const char *text = getenv("LINKWORK_STEPS");
    const long steps = text ? strtol(text, NULL, 10) : 20000;
    return has_block(m) ? steps / 10 : steps; // they take up to a millisecond per step
}

static void check_machine(const lw_model *m)
{
    const long wanted = wanted_steps(m);
    wall walls[MOST];
    lw_event event[MOST];
    int nwall;
    lw_sim *sim = begin(m, walls, event, &nwall);
    double kinetic = 0.0, potential = 0.0, first[2], worst = 0.0, size = 0.0;
    look(m, sim, &first[0], &first[1]);
    lw_status status = LW_OK;
    long steps = 0;
    for (; steps < wanted && status == LW_OK; ++steps) {
        status = lw_sim_step(sim, 1e7);
        if (steps % LOOK_EVERY == 0) {
            look(m, sim, &kinetic, &potential);
            worst = fmax(worst, fabs(kinetic + potential - first[0] - first[1]));
            size = fmax(size, kinetic + fabs(potential - first[1]));
        }
    }
    CHECK_INT(status, LW_OK);
    CHECK_INT(steps, wanted);
    CHECK(size > 0.0);
    CHECK_NEAR(worst / size, 0.0, 1e-14 * (double)wanted);
    for (int k = 0; k < nwall; ++k) { // located behind the wall by a rounding of the time
        CHECK(fabs(lw_sim_position(sim)[walls[k].position] - walls[k].center) <
              walls[k].reach + 1e-9);
    }
    lw_sim_destroy(sim);
}

TEST(R17_free_motion_keeps_its_energy_for_every_machine)
{
    glob_t found;
    shipped_paths(&found);
    CHECK(found.gl_pathc > 30);
    for (size_t i = 0; i < found.gl_pathc; ++i) {
        if (strstr(found.gl_pathv[i], "/puma560_")) {
            continue; // puma560.xml again, which test_native shows, in other words
        }
        lw_model *m = compile_path(found.gl_pathv[i], NULL);
        check_case("%s", found.gl_pathv[i]);
        lw_data *d = m ? new_data(m) : NULL;
        double a[MOST], zero[MOST] = {0.0};
        if (!CHECK(d && m->nv > 0 && m->nv <= MOST && m->nload == 0)) {
            lw_model_destroy(m);
            continue;
        }
        const lw_status status = lw_forward_dynamics(m, d, m->q_reference, zero, zero, NULL, a);
        lw_data_destroy(d);
        if (strcmp(m->name, "vibran6") == 0) { // its first joint moves no mass, by construction
            CHECK_INT(status, LW_ERR_SINGULAR);
        } else if (CHECK_INT(status, LW_OK)) {
            check_machine(m);
        }
        lw_model_destroy(m);
    }
    globfree(&found);
}

int main(void)
{
    RUN(R17_free_motion_keeps_its_energy_for_every_machine);
    return REPORT();
}
