#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "realtime.h"
#include "objects.h"

#include "alloc.h"
#include "check.h"
#include "load_text.h"
#include "reference.h"

#include <linkwork/io.h>

#include <glob.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static double *numbers(int count)
{
    double *x = calloc((size_t)(count > 0 ? count : 1), sizeof *x);
    if (!x) {
        abort();
    }
    for (int i = 0; i < count; ++i) {
        x[i] = check_random(-1.0, 1.0);
    }
    return x;
}

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

// Several states, all at the reference configuration.
static bool prepare_batch(subject *s)
{
    const lw_model *m = s->m;
    s->batch = new_batch(m, NULL);
    s->many_q = numbers(MANY * m->nq);
    s->many_v = numbers(MANY * m->nv);
    s->many_a = numbers(MANY * m->nv);
    s->many_M = numbers(MANY * m->nv * m->nv);
    s->many_poses = calloc((size_t)max_int(MANY * m->nframe, 1), sizeof *s->many_poses);
    for (int i = 0; i < MANY * m->nq; ++i) {
        s->many_q[i] = m->q_reference[i % m->nq];
    }
    return s->batch && s->many_poses;
}

static float *floats(const double *x, int count)
{
    float *y = calloc((size_t)max_int(count, 1), sizeof *y);
    if (!y) {
        abort();
    }
    for (int i = 0; x && i < count; ++i) {
        y[i] = (float)x[i];
    }
    return y;
}

static bool prepare_float(subject *s)
{
    const lw_model *m = s->m;
    s->m32 = new_model32(m);
    s->d32 = s->m32 ? new_data32(s->m32) : NULL;
    s->q32 = floats(m->q_reference, m->nq);
    s->v32 = floats(s->v, m->nv);
    s->a32 = floats(s->a, m->nv);
    s->M32 = floats(NULL, m->nv * m->nv);
    s->poses32 = calloc((size_t)max_int(m->nframe, 1), sizeof *s->poses32);
    return s->poses32 && (s->d32 || lw_model32_size(m) == 0);
}

static bool prepare_parameters(subject *s, const lw_compile_options *options)
{
    if (lw_parameters_create(s->mech, options, s->m, &s->parameter_list) != LW_OK) {
        return false;
    }
    const int count = lw_parameters_count(s->parameter_list);
    for (; s->nlisted < SOME && s->nlisted < count; ++s->nlisted) {
        s->listed[s->nlisted] = s->nlisted * count / SOME;
    }
    return true;
}

static bool load(subject *s, const char *path, const lw_compile_options *options)
{
    static const double height[9] = {0, 0.1, 0, 0.2, 0.1, 0, 0, 0.3, 0};
    lw_machine_def def = lw_default_machine_def();
    def.options.free_base = options->free_base;
    return lw_load_file(path, NULL, &s->mech, NULL) == LW_OK &&
           lw_compile(s->mech, options, &s->m, NULL) == LW_OK && prepare_parameters(s, options) &&
           lw_machine_create(s->mech, &def, &s->machine, NULL) == LW_OK &&
           (s->m->nwheel == 0 || lw_wheels_create(s->m, &s->wheels) == LW_OK) &&
           lw_terrain_create_plane(lw_vec3_of(0, 0, 0), lw_vec3_of(0, 0, 1), &s->terrain) ==
               LW_OK &&
           lw_collide_create(s->m, &s->collide, NULL) == LW_OK &&
           lw_surface_create_heights(3, 3, height, NULL, &s->surface) == LW_OK;
}

// Where the frame is now; few starts, because the numeric solver takes all of them out of reach.
static void prepare_ik(subject *s)
{
    lw_ik_def def = lw_default_ik_def(-1, s->frame);
    def.starts = 3;
    if (lw_pose_of_frame(s->m, s->d, s->m->q_reference, s->frame, &s->target.X_BT) == LW_OK) {
        lw_ik_create(s->m, &def, &s->ik, NULL);
    }
}

// The frame out of reach, which takes all that a solution can take; few starts and iterations.
static void prepare_constraints(subject *s)
{
    lw_constraint_def def[2] = {lw_default_constraint_def("pose", LW_CONSTRAINT_POSE),
                                lw_default_constraint_def("posture", LW_CONSTRAINT_POSTURE)};
    const lw_constraint_options options = {.iterations = 4, .starts = 2};
    def[0].frame = s->frame;
    def[0].target.p.x = 100.0;
    def[1].level = 1;
    if (s->m->nv > 0 && s->m->nv < 100) {
        lw_constraints_create(s->m, 2, def, &options, &s->constraints, NULL);
        lw_view_def view = lw_default_view_def(LW_VIEW_MANIPULATOR, "frame");
        view.ntask = 1;
        view.task = def;
        view.options = options;
        lw_view_create(s->m, &view, &s->view, NULL);
    }
}

static bool prepare_statics(subject *s)
{
    const lw_model *m = s->m;
    double *stiffness = numbers(m->nv);
    for (int k = 0; k < m->nv; ++k) {
        stiffness[k] = lw_position_of_dof(m, k) >= 0 ? 1e5 : 0.0;
    }
    const lw_static_load load = {s->frame, LW_IN_WORLD, {{0, 1, 0}, {2, 0, -3}}};
    const lw_statics_def def = {.stiffness = stiffness, .nload = 1, .load = &load};
    const bool is_good = lw_statics_create(m, &def, &s->statics) == LW_OK;
    free(stiffness);
    return is_good;
}

// A sampled controller with a delay, stops, and the work counted: all that a step can do.
static bool prepare_simulation(subject *s)
{
    const lw_model *m = s->m;
    if (m->nv == 0) {
        return true;
    }
    lw_axis_limits *limits = calloc((size_t)m->nv, sizeof *limits);
    double *to = numbers(m->nv), *gain = numbers(m->nv), *from = numbers(m->nv);
    for (int k = 0; k < m->nv && limits; ++k) {
        limits[k] = lw_default_axis_limits();
        limits[k].velocity = 1.0;
        const int i = lw_position_of_dof(m, k);
        from[k] = i >= 0 ? m->q_reference[i] : 0.0;
        to[k] = from[k] + 1e-3;
        gain[k] = 1.0;
    }
    lw_move move = lw_default_move();
    move.npoint = 1;
    move.point = to;
    const lw_trajectory_def def = {m->nv, from, limits, NULL, 1, &move};
    bool is_good = limits && lw_trajectory_create(&def, &s->trajectory, NULL) == LW_OK;
    const lw_controller_def control = {
        LW_CONTROL_COMPUTED_TORQUE, s->trajectory, gain, gain, NULL, 1e-4, 2e-4, NULL, NULL};
    is_good = is_good && lw_controller_create(m, &control, &s->controller) == LW_OK;
    const lw_contact_task task = {.frame = s->frame,
                                  .axes = lw_mat3_identity(),
                                  .stiffness = {1, 1, 1, 9, 9, 9},
                                  .damping = {1, 1, 1, 1, 1, 1},
                                  .is_force = {[5] = true},
                                  .force = {[5] = -3.0}};
    lw_controller_def contact = control;
    contact.law = LW_CONTROL_HYBRID;
    contact.task = &task;
    is_good = is_good && lw_controller_create(m, &contact, &s->presser) == LW_OK;
    const lw_sampler sampler = lw_controller_sampler(s->controller);
    lw_sim_def sim = lw_default_sim_def();
    sim.sampler = &sampler;
    sim.has_stops = sim.counts_work = true;
    const double breaks[] = {7e-5, 3.1e-4};
    sim.nbreak = 2;
    sim.breaks = breaks;
    for (int i = 0; i < 4 && is_good; ++i) {
        sim.method = (lw_method)i;
        sim.sticks = sim.method != LW_METHOD_RK4;
        sim.step = 1e-4;
        s->sim[i] = new_sim(m, &sim);
        is_good = s->sim[i] != NULL;
    }
    free(limits);
    free(to);
    free(from);
    free(gain);
    return is_good && prepare_statics(s);
}

static bool prepare_objects(subject *s)
{
    const lw_model *m = s->m;
    s->block_size = lw_data_size(m) + lw_model_size(m);
    s->block_size += (s->m32 ? lw_data32_size(s->m32) : 0) + 64;
    s->block = aligned_alloc(64, s->block_size / 64 * 64);
    return lw_engine_numeric(m, NULL, &s->engine) == LW_OK && s->block;
}

static bool prepare(subject *s, const char *path, bool free_base)
{
    memset(s, 0, sizeof *s);
    lw_compile_options options = lw_default_compile_options();
    options.free_base = free_base;
    if (!load(s, path, &options)) {
        return false;
    }
    const lw_model *m = s->m;
    const char *slash = strrchr(path, '/');
    snprintf(s->name, sizeof s->name, "%s%s", slash ? slash + 1 : path,
             free_base ? " with a free base" : "");
    s->d = new_data(m);
    s->q = numbers(m->nq);
    s->q2 = numbers(m->nq);
    s->v = numbers(m->nv);
    s->a = numbers(m->nv);
    s->tau = numbers(m->nv);
    s->column = numbers(m->nv);
    const int square = max_int(6 * m->nv, m->nv * m->nv);
    for (size_t i = 0; i < sizeof s->matrix / sizeof *s->matrix; ++i) {
        s->matrix[i] = numbers(square);
    }
    s->gear = numbers(2 * m->ngear);
    s->linear = numbers(6 * m->nv * m->nv);
    s->regressor = numbers(m->nv * 10 * m->nbody);
    s->parameters = numbers(10 * m->nbody);
    const size_t nbody = (size_t)max_int(m->nbody, 1);
    s->poses = calloc((size_t)max_int(m->nframe, 1), sizeof *s->poses);
    s->f_ext = calloc(nbody, sizeof *s->f_ext);
    s->reaction = calloc(nbody, sizeof *s->reaction);
    s->frame = m->nframe - 1;
    s->joint = m->njoint - 1;
    while (s->joint > 0 && m->joints[s->joint].nbody == 0) {
        --s->joint;
    }
    if (s->d) {
        prepare_ik(s);
        prepare_constraints(s);
    }
    return s->d && s->poses && s->f_ext && s->reaction && prepare_batch(s) && prepare_float(s) &&
           prepare_simulation(s) && prepare_objects(s);
}

static void release(subject *s)
{
    free(s->q);
    free(s->q2);
    free(s->v);
    free(s->a);
    free(s->tau);
    free(s->column);
    for (size_t i = 0; i < sizeof s->matrix / sizeof *s->matrix; ++i) {
        free(s->matrix[i]);
    }
    free(s->gear);
    free(s->linear);
    free(s->regressor);
    free(s->parameters);
    free(s->poses);
    free(s->f_ext);
    free(s->reaction);
    free(s->many_q);
    free(s->many_v);
    free(s->many_a);
    free(s->many_M);
    free(s->many_poses);
    lw_batch_destroy(s->batch);
    free(s->q32);
    free(s->v32);
    free(s->a32);
    free(s->M32);
    free(s->poses32);
    lw_data32_destroy(s->d32);
    lw_model32_destroy(s->m32);
    lw_parameters_destroy(s->parameter_list);
    lw_machine_destroy(s->machine);
    lw_collide_destroy(s->collide);
    lw_wheels_destroy(s->wheels);
    lw_terrain_destroy(s->terrain);
    lw_surface_destroy(s->surface);
    lw_engine_destroy(s->engine);
    lw_ik_destroy(s->ik);
    lw_constraints_destroy(s->constraints);
    lw_view_destroy(s->view);
    free(s->block);
    for (size_t i = 0; i < sizeof s->sim / sizeof *s->sim; ++i) {
        lw_sim_destroy(s->sim[i]);
    }
    lw_statics_destroy(s->statics);
    lw_controller_destroy(s->presser);
    lw_controller_destroy(s->controller);
    lw_trajectory_destroy(s->trajectory);
    lw_data_destroy(s->d);
    lw_model_destroy(s->m);
    lw_mech_destroy(s->mech);
}

// Every model of the project, and every URDF of the shared folder where that is there, each with
// its base as described and with a free one.
static bool find_models(glob_t *found)
{
    shipped_paths(found);
    char pattern[1024];
    snprintf(pattern, sizeof pattern, "%s/models/urdf/*.urdf", shared_dir());
    glob(pattern, GLOB_APPEND, NULL, found);
    return CHECK(found->gl_pathc > 0);
}

typedef void subject_task(subject *s, const rt_function *list, int count);

static void for_each_subject(subject_task *task, const rt_function *list, int count, size_t limit)
{
    glob_t found;
    if (!find_models(&found)) {
        return;
    }
    for (size_t i = 0; i < found.gl_pathc && i < limit; ++i) {
        for (int free_base = 0; free_base < 2; ++free_base) {
            subject s;
            if (CHECK(prepare(&s, found.gl_pathv[i], free_base))) {
                check_case("%s", s.name);
                task(&s, list, count);
            }
            release(&s);
        }
    }
    globfree(&found);
}

// A function that is refused runs little of its code, so a bad status is a failure of the test; but
// the machine may stand where it cannot be computed.
static bool is_run(lw_status status)
{
    return status == LW_OK || status == LW_ERR_SINGULAR || status == LW_ERR_LOOP_OPEN ||
           status == LW_ERR_NO_CONVERGENCE;
}

static int run_watched(subject *s, const rt_function *function)
{
    alloc_begin(0, ALLOC_ONCE);
    const lw_status status = function->run(s);
    alloc_end();
    const bool is_clean = alloc_asked() == 0 && alloc_live() == 0;
    if (!CHECK(is_run(status))) {
        printf("%s: %s\n", function->name, lw_status_text(status));
    }
    return !is_clean;
}

static void task_no_allocation(subject *s, const rt_function *list, int count)
{
    for (int i = 0; i < count; ++i) {
        const bool is_allocating = run_watched(s, &list[i]);
        if (!CHECK(!is_allocating)) {
            printf("%s allocates or frees memory\n", list[i].name);
        }
    }
}

void check_no_allocation(const rt_function *list, int count)
{
    for_each_subject(task_no_allocation, list, count, (size_t)-1);
}

static int number_allocating;

static void task_count(subject *s, const rt_function *list, int count)
{
    number_allocating = 0;
    for (int i = 0; i < count; ++i) {
        number_allocating += run_watched(s, &list[i]);
    }
}

int count_allocating(const rt_function *list, int count)
{
    for_each_subject(task_count, list, count, 1);
    return number_allocating;
}

// --- System calls -----------------------------------------------------------------------------

// What the watched process tells, in memory that it shares with its parent: it may not write.
typedef struct watch {
    volatile int is_refused; // the kernel offers no filter
    volatile int function;   // index in the list
    volatile int status;     // of the first function that was not run to its end, or LW_OK
    volatile int is_done;
    volatile long number; // of the system call that was stopped
} watch;

static watch *shared_watch;

static void on_system_call(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    (void)context;
    shared_watch->number = info->si_syscall;
    _exit(1);
}

// From here on the process may only end itself.
static bool forbid_system_calls(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_system_call;
    action.sa_flags = SA_SIGINFO;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof code / sizeof *code, code};
    return sigaction(SIGSYS, &action, NULL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void run_in_child(subject *s, const rt_function *list, int count)
{
    if (!forbid_system_calls()) {
        shared_watch->is_refused = 1;
        _exit(1);
    }
    for (int i = 0; i < count; ++i) {
        shared_watch->function = i;
        const lw_status status = list[i].run(s);
        if (!is_run(status)) {
            shared_watch->status = (int)status;
            _exit(1);
        }
    }
    shared_watch->is_done = 1;
    _exit(0);
}

static void task_watch(subject *s, const rt_function *list, int count)
{
    memset(shared_watch, 0, sizeof *shared_watch);
    shared_watch->number = -1;
    fflush(stdout);
    const pid_t child = fork();
    if (!CHECK(child >= 0)) {
        return;
    }
    if (child == 0) {
        run_in_child(s, list, count);
    }
    int status;
    waitpid(child, &status, 0);
}

static void task_no_system_call(subject *s, const rt_function *list, int count)
{
    task_watch(s, list, count);
    const watch *w = shared_watch;
    if (w->is_refused) {
        check_skip("the kernel offers no seccomp filter");
        return;
    }
    if (!CHECK(w->is_done)) {
        if (w->number >= 0) {
            printf("%s makes system call %ld\n", list[w->function].name, w->number);
        } else {
            printf("%s ended with: %s\n", list[w->function].name,
                   lw_status_text((lw_status)w->status));
        }
    }
}

static bool open_watch(void)
{
    void *memory =
        mmap(NULL, sizeof(watch), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared_watch = memory == MAP_FAILED ? NULL : memory;
    return CHECK(shared_watch);
}

void check_no_system_call(const rt_function *list, int count)
{
    if (open_watch()) {
        for_each_subject(task_no_system_call, list, count, (size_t)-1);
        munmap(shared_watch, sizeof *shared_watch);
    }
}

long first_system_call(const rt_function *list, int count)
{
    long number = -1;
    if (open_watch()) {
        for_each_subject(task_watch, list, count, 1);
        number = shared_watch->is_refused ? -2 : shared_watch->number;
        munmap(shared_watch, sizeof *shared_watch);
    }
    return number;
}
