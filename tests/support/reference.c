#include "reference.h"

#include "check.h"
#include "load_text.h"

#include <dirent.h>
#include <linkwork/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *shared_dir(void)
{
    const char *given = getenv("LINKWORK_SHARED_DIR");
    return given ? given : LINKWORK_SHARED_DIR;
}

const char *shared_file(const char *relative)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", shared_dir(), relative);
    if (access(path, R_OK) != 0) {
        check_skip("%s is not there", relative);
        return NULL;
    }
    return path;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), tail = strlen(ending);
    return length >= tail && strcmp(name + length - tail, ending) == 0;
}

char **shared_names(const char *folder, const char *ending)
{
    enum { ROOM = 1000 };
    const char *path = shared_file(folder);
    DIR *dir = path ? opendir(path) : NULL;
    char **names = dir ? calloc(ROOM + 1, sizeof *names) : NULL;
    int count = 0;
    for (const struct dirent *entry = names ? readdir(dir) : NULL; entry && count < ROOM;
         entry = readdir(dir)) {
        if (ends_with(entry->d_name, ending)) {
            names[count++] = strdup(entry->d_name);
        }
    }
    if (names) {
        qsort(names, (size_t)count, sizeof *names, compare_names);
    }
    if (dir) {
        closedir(dir);
    }
    return names;
}

void names_free(char **names)
{
    for (char **name = names; name && *name; ++name) {
        free(*name);
    }
    free(names);
}

lw_model *compile_file(const char *path, bool free_base)
{
    lw_mech *mech = load_checked(path, NULL);
    lw_compile_options options = lw_default_compile_options();
    options.free_base = free_base;
    lw_model *model = mech ? compile_checked(mech, &options) : NULL;
    lw_mech_destroy(mech);
    return model;
}

lw_model *shared_model(const char *relative, bool free_base)
{
    const char *path = shared_file(relative);
    return path ? compile_file(path, free_base) : NULL;
}

json_t *reference_read(const char *relative)
{
    char name[512];
    snprintf(name, sizeof name, "reference/%s", relative);
    const char *path = shared_file(name);
    if (!path) {
        return NULL;
    }
    json_error_t error;
    json_t *file = json_load_file(path, 0, &error);
    if (!CHECK(file != NULL)) {
        printf("%s:%d: %s\n", relative, error.line, error.text);
    }
    return file;
}

// Matrices are arrays of rows, two deep at most in these files, but poses hold three levels.
int reference_numbers(const json_t *value, double *out, int room)
{
    enum { DEPTH = 4 };
    const json_t *level[DEPTH] = {value};
    size_t next[DEPTH] = {0};
    int count = 0, depth = 0;
    if (json_is_number(value)) {
        if (room > 0) {
            out[0] = json_number_value(value);
        }
        return 1;
    }
    while (depth >= 0) {
        const json_t *item = json_array_get(level[depth], next[depth]++);
        if (!item) {
            --depth;
        } else if (json_is_array(item) && depth + 1 < DEPTH) {
            level[++depth] = item;
            next[depth] = 0;
        } else if (json_is_number(item)) {
            if (count < room) {
                out[count] = json_number_value(item);
            }
            ++count;
        }
    }
    return count;
}

int reference_count(const json_t *file)
{
    return (int)json_array_size(json_object_get(file, "states"));
}

// For each entry of the file's vectors (six of the base first, where there is one) the index in v
// of the model; -1 where the joint mimics another. `is_reduced` leaves such joints out of the list.
static int map_of(const json_t *file, const lw_model *m, bool is_floating, bool is_reduced,
                  int *map)
{
    static const char *const base[] = {"root.wx", "root.wy", "root.wz",
                                       "root.vx", "root.vy", "root.vz"};
    int count = 0;
    for (int k = 0; k < 6 && is_floating; ++k) {
        map[count++] = lw_find_velocity(m, base[k]);
    }
    const json_t *joints = json_object_get(file, "joint_order");
    for (size_t k = 0; k < json_array_size(joints); ++k) {
        const json_t *joint = json_array_get(joints, k);
        const bool mimics = json_object_get(joint, "mimic") != NULL;
        if (is_reduced && mimics) {
            continue;
        }
        const char *name = json_string_value(json_object_get(joint, "name"));
        const int index = mimics ? -1 : lw_find_velocity(m, name);
        if (!mimics && !CHECK(index >= 0)) {
            printf("the model has no velocity \"%s\"\n", name);
        }
        map[count++] = index;
    }
    return count;
}

static double *vector_of(const json_t *value, const int *map, int count, int nv)
{
    double *raw = calloc((size_t)count + 1, sizeof *raw);
    double *out = calloc((size_t)nv + 1, sizeof *out);
    const int found = reference_numbers(value, raw, count);
    if (CHECK_INT(found, count)) {
        for (int k = 0; k < count; ++k) {
            if (map[k] >= 0) {
                out[map[k]] = raw[k];
            }
        }
    }
    free(raw);
    return out;
}

static double *matrix_of(const json_t *value, const int *map, int count, int nv)
{
    double *raw = calloc((size_t)(count * count) + 1, sizeof *raw);
    double *out = calloc((size_t)(nv * nv) + 1, sizeof *out);
    const int found = reference_numbers(value, raw, count * count);
    if (CHECK_INT(found, count * count)) {
        for (int i = 0; i < count; ++i) {
            for (int k = 0; k < count; ++k) {
                if (map[i] >= 0 && map[k] >= 0) {
                    out[map[i] * nv + map[k]] = raw[i * count + k];
                }
            }
        }
    }
    free(raw);
    return out;
}

// Positions have the names of velocities but for the base.
static void read_positions(const json_t *file, const json_t *state, const lw_model *m, double *q)
{
    static const char *const base[] = {"root.x",  "root.y",  "root.z", "root.qw",
                                       "root.qx", "root.qy", "root.qz"};
    const json_t *root = json_object_get(state, "base");
    if (root) {
        double raw[7] = {0};
        reference_numbers(json_object_get(root, "p"), raw, 3);
        reference_numbers(json_object_get(root, "quat_wxyz"), raw + 3, 4);
        for (int k = 0; k < 7; ++k) {
            const int index = lw_find_position(m, base[k]);
            if (CHECK(index >= 0)) {
                q[index] = raw[k];
            }
        }
    }
    const json_t *joints = json_object_get(file, "joint_order");
    for (size_t k = 0; k < json_array_size(joints); ++k) {
        const json_t *joint = json_array_get(joints, k);
        const int index = lw_find_position(m, json_string_value(json_object_get(joint, "name")));
        if (index >= 0) {
            q[index] = json_number_value(json_array_get(json_object_get(state, "q"), k));
        }
    }
}

// The base's part of v or a stands before the joints'.
static double *motion_of(const json_t *state, const char *base_key, const char *key, const int *map,
                         int count, int nv)
{
    const json_t *root = json_object_get(state, "base");
    json_t *all = json_array();
    if (root) {
        json_array_extend(all, json_object_get(root, base_key));
    }
    json_array_extend(all, json_object_get(state, key));
    double *out = vector_of(all, map, count, nv);
    json_decref(all);
    return out;
}

bool reference_state_read(const json_t *file, int index, const lw_model *m, reference_state *out)
{
    const json_t *state = json_array_get(json_object_get(file, "states"), (size_t)index);
    const bool is_floating = json_object_get(state, "base") != NULL;
    const bool is_reduced = json_object_get(state, "tau_reduced") != NULL;
    const size_t room = json_array_size(json_object_get(file, "joint_order")) + 6;
    int *map = calloc(room, sizeof *map);
    *out = (reference_state){.nq = m->nq, .nv = m->nv};
    out->q = calloc((size_t)m->nq + 1, sizeof *out->q);
    read_positions(file, state, m, out->q);

    int count = map_of(file, m, is_floating, false, map);
    out->v = motion_of(state, "twist", "qd", map, count, m->nv);
    out->a = motion_of(state, "accel", "qdd", map, count, m->nv);

    count = map_of(file, m, is_floating, is_reduced, map);
    const bool fits = CHECK_INT(count, m->nv);
    if (fits) {
        const char *const key[2][4] = {{"tau", "g", "bias", "M"},
                                       {"tau_reduced", "g_reduced", NULL, "M_reduced"}};
        out->tau = vector_of(json_object_get(state, key[is_reduced][0]), map, count, m->nv);
        out->gravity = vector_of(json_object_get(state, key[is_reduced][1]), map, count, m->nv);
        if (!is_reduced) {
            out->bias = vector_of(json_object_get(state, key[0][2]), map, count, m->nv);
        }
        out->M = matrix_of(json_object_get(state, key[is_reduced][3]), map, count, m->nv);
    }
    free(map);
    return fits;
}

void reference_free(reference_state *state)
{
    free(state->q);
    free(state->v);
    free(state->a);
    free(state->tau);
    free(state->gravity);
    free(state->bias);
    free(state->M);
    *state = (reference_state){0};
}

bool reference_link_pose(const json_t *file, int index, const char *link, lw_pose *X)
{
    const json_t *state = json_array_get(json_object_get(file, "states"), (size_t)index);
    const json_t *pose = json_object_get(json_object_get(state, "link_poses"), link);
    double R[9], p[3];
    if (reference_numbers(json_object_get(pose, "R"), R, 9) != 9 ||
        reference_numbers(json_object_get(pose, "p"), p, 3) != 3) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        X->R.row[i] = lw_vec3_of(R[3 * i], R[3 * i + 1], R[3 * i + 2]);
    }
    X->p = lw_vec3_of(p[0], p[1], p[2]);
    return true;
}
