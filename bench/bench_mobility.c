// Wheels, terrain and contact forces: bench_mobility [FOLDER], where the folder has models/rover.
#include "measure.h"

#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 64, SIDE = 129 };

typedef struct subject {
    lw_model *m;
    lw_data *d;
    lw_wheels *wheels;
    lw_terrain *terrain;
    double q[64], speed[8], x, change;
    int n; ///< contacts
    lw_foot_contact contact[STATES][8];
    lw_contact_work work;
} subject;

static void drive(void *context, int i)
{
    subject *s = context;
    const lw_motion twist = {{0, 0, 0.001 * i}, {0.02, 0, 0}};
    lw_wheel_command command[8];
    lw_drive_result result;
    lw_drive(s->m, s->d, s->wheels, s->q, &twist, NULL, command, &result);
    bench_keep(command);
}

static void odometry(void *context, int i)
{
    subject *s = context;
    lw_odometry_result result;
    s->speed[0] = 0.01 * i;
    lw_odometry(s->m, s->d, s->wheels, s->q, s->speed, NULL, NULL, NULL, NULL, &result);
    bench_keep(&result);
}

// A centimetre at a time, to and fro.
static void stand(void *context, int i)
{
    subject *s = context;
    lw_stand_result result;
    (void)i;
    s->change = s->x > 8 ? -0.01 : s->x < 4 ? 0.01 : s->change;
    s->x += s->change;
    lw_stand(s->m, s->d, s->wheels, s->terrain, s->x, 6.4, 0.1, NULL, s->q, NULL, &result);
    bench_keep(&result);
}

static void forces(void *context, int i)
{
    subject *s = context;
    const lw_force wrench = {{2, -3, 1}, {5, 8, 100}};
    lw_vec3 force[8];
    lw_contact_result result;
    lw_contact_forces(s->n, s->contact[i], &wrench, NULL, &s->work, force, &result);
    bench_keep(force);
}

static double uniform(unsigned long long *state, double low, double high)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*state >> 11) * 0x1p-53;
}

static bool open_subject(subject *s, const char *folder)
{
    char path[1024];
    static double height[SIDE * SIDE];
    lw_mech *mech = NULL;
    snprintf(path, sizeof path, "%s/models/rover/rover.xml", folder);
    for (int k = 0; k < SIDE * SIDE; ++k) {
        const double x = 0.1 * (k % SIDE), y = 0.1 * (k / SIDE);
        height[k] = 0.2 * sin(1.3 * x) * cos(0.9 * y) + 0.05 * sin(4.1 * x + y);
    }
    const lw_terrain_def def = {SIDE, SIDE, 0, 0, 0.1, height};
    const bool is_open = lw_load_file(path, NULL, &mech, NULL) == LW_OK &&
                         lw_compile(mech, NULL, &s->m, NULL) == LW_OK && s->m->nq <= 64 &&
                         lw_data_create(s->m, &s->d) == LW_OK &&
                         lw_wheels_create(s->m, &s->wheels) == LW_OK &&
                         lw_terrain_create(&def, &s->terrain, NULL) == LW_OK;
    lw_mech_destroy(mech);
    return is_open;
}

int main(int argc, char **argv)
{
    static subject s = {.x = 5, .change = 0.01};
    unsigned long long seed = 1;
    if (!open_subject(&s, argc > 1 ? argv[1] : ".")) {
        fprintf(stderr, "bench_mobility: the rover cannot be opened\n");
        return 1;
    }
    memcpy(s.q, s.m->q_reference, (size_t)s.m->nq * sizeof *s.q);
    bench_print_time("wheels_of_a_motion", bench_time(drive, &s, STATES), 0);
    bench_print_time("motion_of_wheels", bench_time(odometry, &s, STATES), 0);
    bench_print_time("pose_on_terrain", bench_time(stand, &s, STATES), 0);
    for (s.n = 4; s.n <= 8; s.n += 4) {
        for (int i = 0; i < STATES * s.n; ++i) {
            const double turn = 6.283185307179586 * (i % s.n + uniform(&seed, 0, 0.5)) / s.n;
            s.contact[i / s.n][i % s.n] = (lw_foot_contact){
                .point = {cos(turn), sin(turn), uniform(&seed, -0.1, 0.1)},
                .normal = {uniform(&seed, -0.3, 0.3), uniform(&seed, -0.3, 0.3), 1},
                .friction = 0.6,
                .max_force = 80};
        }
        bench_print_time(s.n == 4 ? "forces_of_4_contacts" : "forces_of_8_contacts",
                         bench_time(forces, &s, STATES), 0);
    }
    lw_terrain_destroy(s.terrain);
    lw_wheels_destroy(s.wheels);
    lw_data_destroy(s.d);
    lw_model_destroy(s.m);
    return 0;
}
