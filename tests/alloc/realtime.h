// Runs functions that are promised to be real-time safe over many models, and watches them.
#ifndef REALTIME_H
#define REALTIME_H

#include <linkwork/linkwork.h>
#include <linkwork/parameters.h>

enum {
    MANY = 12, ///< states of a batch: more than are processed side by side
    SOME = 20  ///< kinematic parameters
};

/// A model with everything that a call may need, made before the watch begins.
typedef struct subject {
    char name[256];
    lw_mech *mech;
    lw_model *m;
    lw_data *d;
    double *q, *q2, *v, *a, *tau; ///< [nq], [nq], [nv] ...
    double *column;               ///< [nv]
    double *matrix[4];            ///< [nv*nv], [nq*nq] or [6*nv], whichever is largest
    double *gear;                 ///< [2*ngear]
    double *linear;               ///< [6*nv*nv]
    double *regressor;            ///< [nv * 10*nbody]
    double *parameters;           ///< [10*nbody]
    lw_pose *poses;               ///< [nframe]
    lw_force *f_ext, *reaction;   ///< [nbody]
    int frame, joint;             ///< the last ones
    lw_pose pose;
    lw_inertial_parameter parameter[2];
    double small[2][36];
    lw_motion motion;
    lw_force force;
    lw_payload payload;
    lw_vec3 point;
    double number;

    lw_batch *batch;
    double *many_q, *many_v, *many_a, *many_M; ///< of MANY states
    lw_pose *many_poses;                       ///< [MANY*nframe]

    lw_model32 *m32; ///< null for a machine that is computed in double only
    lw_data32 *d32;
    float *q32, *v32, *a32, *M32;
    lw_pose32 *poses32; ///< [nframe]

    lw_parameters *parameter_list;
    int nlisted, listed[SOME]; ///< some of its parameters
    double parameter_J[6 * SOME], opening[SOME];
    lw_machine *machine;
    lw_engine *engine; ///< the numeric one
    void *block;       ///< memory for a copy of the model, or for data
    size_t block_size;

    lw_ik *ik; ///< from the world to the frame; null where no solver fits
    lw_ik_target target;
    lw_ik_result solutions;
    lw_constraints *constraints; ///< the frame where it is, and a posture; null where none fit
    lw_view *view;               ///< from the world to the frame; null where no joint is between

    lw_collide *collide;
    lw_surface *surface;   ///< of four cells
    lw_contact contact[4]; ///< the nearest

    lw_wheels *wheels;   ///< null for a machine without wheels
    lw_terrain *terrain; ///< a plane
    lw_wheel_command command[8];
    double speed[8];

    lw_trajectory *trajectory; ///< of all degrees of freedom, from rest to rest
    lw_controller *controller; ///< that follows it, by computed torque
    lw_controller *presser;    ///< the same by hybrid control of the frame
    lw_sim *sim[4];            ///< under it, by each method
    lw_statics *statics;       ///< all joints elastic, a load at the frame
} subject;

typedef struct rt_function {
    const char *name;
    lw_status (*run)(subject *s);
} rt_function;

// A list of functions is a macro LIST(DO) with DO(name, call) for each, where `s` is the subject.
#define RT_DEFINE(name, call)                                                                      \
    static lw_status run_##name(subject *s)                                                        \
    {                                                                                              \
        return (call);                                                                             \
    }
#define RT_ENTRY(name, call) {#name, run_##name},

/// Checks, in the running test, that no function of the list allocates or frees on any model that
/// the project ships, nor on those of the shared folder where that is there.
void check_no_allocation(const rt_function *list, int count);

/// The same for system calls. The functions run in a process of its own that may make none: the
/// kernel stops the first one (seccomp). Skips the test where the kernel does not offer that.
void check_no_system_call(const rt_function *list, int count);

/// How many of the functions of the list were seen to allocate, and the number of the system call
/// that was stopped (-1 if none, -2 if the kernel stops none), on one model: so that the checks
/// above can themselves be tested.
int count_allocating(const rt_function *list, int count);
long first_system_call(const rt_function *list, int count);

#endif
