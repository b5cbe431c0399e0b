#include "support/path_file.h"

#include "report/table.h"
#include "support/message.h"

#include <math.h>
#include <string.h>

enum { X, Y, Z, QW, QX, QY, QZ, T, COLUMNS };

static const char *const column_name[COLUMNS] = {"x", "y", "z", "qw", "qx", "qy", "qz", "t"};

static int unknown_column(const char *path, const char *name)
{
    lw_nearest near;
    char text[SUGGEST_SIZE];
    lw_nearest_init(&near, name);
    for (int k = 0; k < COLUMNS; ++k) {
        lw_nearest_offer(&near, column_name[k]);
    }
    return complain(EXIT_INPUT,
                    "%s:1:1: there is no column \"%.60s\"%s; there are x, y, z, qw, qx, qy, qz "
                    "and t",
                    path, name, suggest_text(&near, text));
}

// Where each column of a path is in the table; -1 for none.
static int find_columns(const char *path, const table *rows, int column[COLUMNS])
{
    int known = 0;
    for (int k = 0; k < COLUMNS; ++k) {
        column[k] = table_column(rows, column_name[k]);
        known += column[k] >= 0;
    }
    for (int i = 0; i < rows->ncolumn && known < rows->ncolumn; ++i) {
        int k = 0;
        while (k < COLUMNS && column[k] != i) {
            ++k;
        }
        if (k == COLUMNS) {
            return unknown_column(path, rows->name[i]);
        }
    }
    if (column[X] < 0 || column[Y] < 0 || column[Z] < 0) {
        return complain(EXIT_INPUT, "%s:1:1: its columns must have x, y and z", path);
    }
    const int turns = (column[QW] >= 0) + (column[QX] >= 0) + (column[QY] >= 0) + (column[QZ] >= 0);
    if (turns != 0 && turns != 4) {
        return complain(EXIT_INPUT, "%s:1:1: either all of qw, qx, qy, qz or none", path);
    }
    return rows->nrow < 2 ? complain(EXIT_INPUT, "%s: a path needs at least two rows", path)
                          : EXIT_GOOD;
}

static int add_pose(const char *path, const double value[COLUMNS], path_file *out)
{
    const int i = out->npose, line = i + 2; // below the names
    const lw_quat quat = {value[QW], value[QX], value[QY], value[QZ]};
    const double norm = sqrt(quat.w * quat.w + quat.x * quat.x + quat.y * quat.y + quat.z * quat.z);
    if (out->has_quaternion && !(fabs(norm - 1.0) < 1e-3)) {
        return complain(EXIT_INPUT, "%s:%d:1: the quaternion has length %g, not 1", path, line,
                        norm);
    }
    if (out->time && i > 0 && !(value[T] > out->time[i - 1])) {
        return complain(EXIT_INPUT,
                        "%s:%d:1: t is %g, and %g in the row before: times must increase", path,
                        line, value[T], out->time[i - 1]);
    }
    out->pose[i].R = out->has_quaternion ? lw_rotation_quat(quat) : lw_mat3_identity();
    out->pose[i].p = lw_vec3_of(value[X], value[Y], value[Z]);
    out->at[i] = (lw_location){path, line, 1};
    if (i > 0 && memcmp(&out->pose[i], &out->pose[i - 1], sizeof *out->pose) == 0) {
        return complain(EXIT_INPUT,
                        "%s:%d:1: the pose is that of the row before: a move without length", path,
                        line);
    }
    if (out->time) {
        out->time[i] = value[T];
    }
    ++out->npose;
    return EXIT_GOOD;
}

int path_file_read(const char *path, memory *pool, path_file *out)
{
    table rows;
    int column[COLUMNS];
    *out = (path_file){0};
    int code = table_read(&rows, pool, path);
    if (code != EXIT_GOOD) {
        return code;
    }
    code = find_columns(path, &rows, column);
    if (code == EXIT_GOOD) {
        const size_t count = (size_t)rows.nrow;
        out->has_quaternion = column[QW] >= 0;
        out->pose = memory_get(pool, count, sizeof *out->pose);
        out->at = memory_get(pool, count, sizeof *out->at);
        out->time = column[T] >= 0 ? memory_get(pool, count, sizeof *out->time) : NULL;
    }
    for (int i = 0; i < rows.nrow && code == EXIT_GOOD; ++i) {
        double value[COLUMNS] = {0.0};
        for (int k = 0; k < COLUMNS; ++k) {
            value[k] = column[k] >= 0
                           ? rows.value[(size_t)i * (size_t)rows.ncolumn + (size_t)column[k]]
                           : 0.0;
        }
        code = add_pose(path, value, out);
    }
    table_free(&rows);
    return code;
}
