// Numbers of independent programs, and the robots they belong to. Both lie in the shared folder,
// which may be absent: then a test says so and is skipped.
#ifndef REFERENCE_H
#define REFERENCE_H

#include <linkwork/linkwork.h>

#include <jansson.h>

/// The shared folder: ../shared beside the project, or what the environment variable
/// LINKWORK_SHARED_DIR names.
const char *shared_dir(void);

/// The file in the shared folder ("models/urdf/ur5.urdf"), in a static buffer; null, with the
/// running test marked as skipped, where it is absent.
const char *shared_file(const char *relative);

/// The names of the files in a folder of the shared folder that end with `ending`, in order, with
/// null at the end; null, with the running test marked as skipped, where the folder is absent.
/// Free with names_free().
char **shared_names(const char *folder, const char *ending);
void names_free(char **names);

/// Reads and compiles a robot; null, with a failed check that prints the diagnostics, when that
/// fails, and null with a skip where it is absent.
lw_model *shared_model(const char *relative, bool free_base);
lw_model *compile_file(const char *path, bool free_base);

/// Reads "reference/..." of the shared folder; null with a skip. Free with json_decref().
json_t *reference_read(const char *relative);

/// Flattens nested arrays of numbers; returns how many there are, at most `room` of them written.
int reference_numbers(const json_t *value, double *out, int room);

/// One state of a file "vectors/NAME.urdf.json" or "vectors/NAME.urdf.floating.json", in the order
/// of the model's coordinates, which are found by name: joints that mimic are left out, and the
/// free base is the joint "root". Arrays that the file lacks are null.
typedef struct reference_state {
    int nq, nv;
    double *q, *v, *a;
    double *tau, *gravity, *bias; ///< [nv] reduced, where the robot has joints that mimic
    double *M;                    ///< [nv*nv] likewise
} reference_state;

/// How many states a file has.
int reference_count(const json_t *file);

/// False, with a failed check, where a name does not fit. Free with reference_free().
bool reference_state_read(const json_t *file, int state, const lw_model *m, reference_state *out);
void reference_free(reference_state *state);

/// The pose of a link in a state; false where the file does not have it.
bool reference_link_pose(const json_t *file, int state, const char *link, lw_pose *X);

#endif
