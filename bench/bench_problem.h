// What is timed: a model, and the states at which every engine is asked for the same answers.
//
// A case is named by its robot ("ur5", "panda", "g1", "simple_humanoid"), by a model of this
// repository ("models/NAME.xml") or by a chain of revolute joints ("chain:1000"). Closed machines
// may have "massless:" in front, which takes the masses from their rods, and "tree:" before that,
// which makes an open tree of the same bodies.
#ifndef BENCH_PROBLEM_H
#define BENCH_PROBLEM_H

#include <linkwork/linkwork.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_problem {
    lw_model *m;
    lw_data *d; ///< joints without friction, damping, stiffness and rotor, as the peers have them
    int tip;    ///< the frame whose Jacobian is wanted: the last one of the last body
    int nstate;
    double *q, *v, *a, *tau; ///< [nstate][nq or nv]; tau belongs to a
} bench_problem;

typedef enum bench_found {
    BENCH_GOOD,
    BENCH_ABSENT, ///< the file is not on this machine
    BENCH_BAD     ///< said on standard error
} bench_found;

/// Reads, compiles and draws the states. Free with problem_free().
/// @param source folder of this repository
/// @param shared folder with models/urdf
/// @param nstate how many states; 0 for what fits the size of the model
bench_found problem_open(const char *name, const char *source, const char *shared, int nstate,
                         bench_problem *problem);
void problem_free(bench_problem *problem);

/// Pose of a body, at the stage LW_STAGE_POSITION of the data.
lw_pose problem_body_pose(const bench_problem *problem, int body);

/// Whether body i hangs on body i - 1, for all i, by a joint of one degree of freedom.
bool problem_is_chain(const lw_model *m);

#ifdef __cplusplus
}
#endif
#endif
