// bench_mobility [FOLDER]: wheels, terrain and contact forces, where the folder has models/rover:
// time per call, and instructions per call where valgrind is installed.
//
// bench_mobility --calls FUNCTION COUNT FOLDER does nothing but COUNT calls.
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
    bool is_exact;
    lw_contact_work work;
    lw_view *part[3], *all; ///< wheels, arm and mast, and together
    lw_pose target[STATES][2];
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
    const lw_contact_options options = {.is_exact = s->is_exact};
    lw_contact_forces(s->n, s->contact[i], &wrench, &options, &s->work, force, &result);
    bench_keep(force);
}

static void reach(void *context, int i)
{
    subject *s = context;
    lw_constraint_result result;
    lw_view_solve(s->all, NULL, s->target[i], &result);
    bench_keep(&result);
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

// Rover, arm and mast together, and targets that some configuration reaches.
static bool open_views(subject *s, unsigned long long *seed)
{
    lw_constraint_def task[2] = {lw_default_constraint_def("imager", LW_CONSTRAINT_POSE),
                                 lw_default_constraint_def("eye", LW_CONSTRAINT_LOOK_AT)};
    lw_view_def def = lw_default_view_def(LW_VIEW_WHEELED, "wheels");
    lw_status status = lw_view_create(s->m, &def, &s->part[0], NULL);
    task[0].frame = lw_find_frame(s->m, "arm/turret.imager");
    task[1].frame = lw_find_frame(s->m, "mast/head.left_eye");
    for (int k = 0; k < 2 && status == LW_OK; ++k) {
        def = lw_default_view_def(LW_VIEW_MANIPULATOR, k == 0 ? "arm" : "mast");
        def.base = lw_find_frame(s->m, k == 0 ? "body.arm_mount" : "body.mast_mount");
        def.ntask = 1;
        def.task = &task[k];
        status = lw_view_create(s->m, &def, &s->part[k + 1], NULL);
    }
    def = lw_default_view_def(LW_VIEW_MECHANISM, "rover");
    def.nmember = 3;
    def.member = s->part;
    status = status == LW_OK ? lw_view_create(s->m, &def, &s->all, NULL) : status;
    const lw_view_info info = lw_view_describe(s->all);
    for (int i = 0; i < STATES && status == LW_OK; ++i) {
        double v[64] = {0}, q[64];
        for (int k = 0; k < info.ndof; ++k) {
            const lw_dof *dof = &s->m->dof[s->m->v_tree[info.dof[k]]];
            const int at = lw_position_of_dof(s->m, info.dof[k]);
            v[info.dof[k]] = at < 0 ? uniform(seed, -2, 2)
                                    : uniform(seed, dof->lower, dof->upper) - s->m->q_reference[at];
        }
        lw_integrate(s->m, s->m->q_reference, v, 1, q);
        status = lw_view_targets(s->all, q, s->target[i]);
    }
    return status == LW_OK;
}

// So many points round a circle, on uneven ground.
static void place_contacts(subject *s, int n, unsigned long long *seed)
{
    s->n = n;
    for (int i = 0; i < STATES * n; ++i) {
        const double turn = 6.283185307179586 * (i % n + uniform(seed, 0, 0.5)) / n;
        s->contact[i / n][i % n] =
            (lw_foot_contact){.point = {cos(turn), sin(turn), uniform(seed, -0.1, 0.1)},
                              .normal = {uniform(seed, -0.3, 0.3), uniform(seed, -0.3, 0.3), 1},
                              .friction = 0.6,
                              .max_force = 80};
    }
}

static const struct {
    const char *name;
    bench_call *call;
    int contacts;
    bool is_exact;
} row[] = {{"wheels_of_a_motion", drive, 0, false}, {"motion_of_wheels", odometry, 0, false},
           {"pose_on_terrain", stand, 0, false},    {"forces_of_4_contacts", forces, 4, false},
           {"forces_of_4_cones", forces, 4, true},  {"forces_of_8_contacts", forces, 8, false},
           {"forces_of_8_cones", forces, 8, true},  {"rover_arm_and_mast", reach, 0, false}};

enum { ROWS = sizeof row / sizeof *row, CALLS = 10 * STATES };

static void prepare(subject *s, int k)
{
    unsigned long long seed = 1;
    s->is_exact = row[k].is_exact;
    if (row[k].contacts > 0) {
        place_contacts(s, row[k].contacts, &seed);
    }
}

static void print_all(subject *s, const char *self, const char *folder)
{
    for (int k = 0; k < ROWS; ++k) {
        prepare(s, k);
        const double ns = bench_time(row[k].call, s, STATES);
        printf("%-22s %8.2f us", row[k].name, 1e-3 * ns);
        const double count = bench_instructions(self, k, CALLS, folder);
        printf(count > 0.0 ? "  %8.0f instructions\n" : "\n", count);
    }
}

int main(int argc, char **argv)
{
    static subject s = {.x = 5, .change = 0.01};
    unsigned long long seed = 1;
    const bool is_counted = argc == 5 && strcmp(argv[1], "--calls") == 0;
    const char *folder = argc > 1 ? argv[argc - 1] : ".";
    if (!open_subject(&s, folder) || !open_views(&s, &seed)) {
        fprintf(stderr, "bench_mobility: the rover cannot be opened\n");
        return 1;
    }
    memcpy(s.q, s.m->q_reference, (size_t)s.m->nq * sizeof *s.q);
    if (is_counted) {
        const int k = (int)strtol(argv[2], NULL, 10);
        prepare(&s, k);
        for (long i = 0; i < strtol(argv[3], NULL, 10); ++i) {
            row[k].call(&s, (int)(i % STATES));
        }
    } else {
        print_all(&s, argv[0], folder);
    }
    lw_view_destroy(s.all);
    for (int k = 0; k < 3; ++k) {
        lw_view_destroy(s.part[k]);
    }
    lw_terrain_destroy(s.terrain);
    lw_wheels_destroy(s.wheels);
    lw_data_destroy(s.d);
    lw_model_destroy(s.m);
    return 0;
}
