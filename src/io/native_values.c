// The values of attributes: placements, angles, words.
#include "native.h"

#include "../math/pi.h"

#include <string.h>

bool lwi_native_good(lwi_native_reader *reader, lw_status status)
{
    if (status != LW_OK && (reader->status == LW_OK || status == LW_ERR_MEMORY)) {
        reader->status = status;
    }
    return status == LW_OK;
}

bool lwi_native_has_memory(lwi_native_reader *reader, bool is_there, lw_location location)
{
    if (!is_there && reader->status != LW_ERR_MEMORY) {
        lwi_report_error(reader->report, location, LW_ERR_MEMORY, "not enough memory");
        reader->status = LW_ERR_MEMORY;
    }
    return is_there;
}

lwi_xml_node *lwi_native_only(lwi_native_reader *reader, lwi_xml_node *node, const char *tag)
{
    lwi_xml_node *first = lwi_xml_child(node, tag);
    lwi_xml_node *second = first ? lwi_xml_next(first, tag) : NULL;
    if (second) {
        lwi_native_good(reader, lwi_report_error(reader->report, second->at, LW_ERR_SYNTAX,
                                                 "<%s> is given twice in <%s>", tag, node->tag));
    }
    return first;
}

// Half a turn is 180: dividing first makes the quarter turns of a DH table exactly as good as pi.
double lwi_native_angle(const lwi_native_reader *reader, double value)
{
    return reader->in_degrees ? value / 180.0 * LWI_PI : value;
}

bool lwi_native_has(lwi_xml_node *node, const char *attr)
{
    return lwi_xml_value(node, attr, NULL) != NULL;
}

lw_status lwi_native_vector(lwi_native_reader *reader, lwi_xml_node *node, const char *attr,
                            bool is_needed, lw_vec3 *out)
{
    double v[3] = {out->x, out->y, out->z};
    const lw_status status = lwi_xml_read_numbers(node, attr, is_needed, 3, v, reader->report);
    if (lwi_native_good(reader, status)) {
        *out = lw_vec3_of(v[0], v[1], v[2]);
    }
    return status;
}

int lwi_native_word(lwi_native_reader *reader, lwi_xml_node *node, const char *attr,
                    const char *const *words)
{
    lw_location at;
    const char *value = lwi_xml_value(node, attr, &at);
    if (!value) {
        return -1;
    }
    lw_nearest nearest;
    lw_nearest_init(&nearest, value);
    for (int i = 0; words[i]; ++i) {
        if (strcmp(words[i], value) == 0) {
            return i;
        }
        lw_nearest_offer(&nearest, words[i]);
    }
    char room[LWI_CLIP_SIZE];
    lwi_native_good(reader,
                    lwi_report_error(reader->report, at, LW_ERR_NAME,
                                     "<%s %s=\"%s\">: there is no such %s%s%s%s", node->tag, attr,
                                     lwi_clip(value, room), attr, LWI_MEANT(nearest)));
    return -1;
}

// Twelve numbers are the rows of [R | p]; sixteen have the row 0 0 0 1 below.
static lw_status read_matrix(lwi_native_reader *reader, lwi_xml_node *node, lw_placement *out)
{
    double v[16];
    int count = 0;
    lw_location at;
    lwi_xml_value(node, "matrix", &at);
    const lw_status status = lwi_xml_read_list(node, "matrix", true, 16, v, &count, reader->report);
    if (status != LW_OK) {
        return status;
    }
    const bool is_whole = count == 16;
    if (count != 12 && !is_whole) {
        return lwi_report_error(reader->report, at, LW_ERR_SYNTAX,
                                "matrix needs 12 numbers, the rows of [R | p], or 16, not %d",
                                count);
    }
    if (is_whole && !(v[12] == 0.0 && v[13] == 0.0 && v[14] == 0.0 && v[15] == 1.0)) {
        return lwi_report_error(reader->report, at, LW_ERR_MODEL,
                                "the last row of a homogeneous matrix is 0 0 0 1");
    }
    out->form = LW_PLACEMENT_MATRIX;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            out->value[3 * i + k] = v[4 * i + k];
        }
        out->value[9 + i] = v[4 * i + 3];
    }
    return LW_OK;
}

static lw_status read_dh(lwi_native_reader *reader, lwi_xml_node *node, lw_placement *out)
{
    double v[4];
    const lw_status status = lwi_xml_read_numbers(node, "dh", true, 4, v, reader->report);
    if (status == LW_OK) {
        *out = lw_placement_dh(lwi_native_angle(reader, v[0]), v[1], lwi_native_angle(reader, v[2]),
                               v[3]);
    }
    return status;
}

static lw_status read_xyz(lwi_native_reader *reader, lwi_xml_node *node, lw_placement *out)
{
    double p[3] = {0.0}, r[3] = {0.0}, w[4] = {1.0};
    const bool has_quat = lwi_native_has(node, "quat");
    lw_status status = lwi_xml_read_numbers(node, "xyz", false, 3, p, reader->report);
    const lw_status turn = has_quat
                               ? lwi_xml_read_numbers(node, "quat", true, 4, w, reader->report)
                               : lwi_xml_read_numbers(node, "rpy", false, 3, r, reader->report);
    status = status != LW_OK ? status : turn;
    if (status != LW_OK) {
        return status;
    }
    const lw_vec3 xyz = {p[0], p[1], p[2]};
    if (has_quat) {
        *out = lw_placement_quat(xyz, (lw_quat){w[0], w[1], w[2], w[3]});
    } else {
        *out = lw_placement_rpy(xyz, lw_vec3_of(lwi_native_angle(reader, r[0]),
                                                lwi_native_angle(reader, r[1]),
                                                lwi_native_angle(reader, r[2])));
    }
    return LW_OK;
}

lw_status lwi_native_placement(lwi_native_reader *reader, lwi_xml_node *node, lw_placement *out)
{
    const bool has_rpy = lwi_native_has(node, "rpy"), has_quat = lwi_native_has(node, "quat");
    const bool has_xyz = lwi_native_has(node, "xyz") || has_rpy || has_quat;
    const bool has_matrix = lwi_native_has(node, "matrix"), has_dh = lwi_native_has(node, "dh");
    lw_status status = LW_OK;
    if (has_xyz + has_matrix + has_dh > 1 || (has_rpy && has_quat)) {
        status = lwi_report_error(reader->report, node->at, LW_ERR_SYNTAX,
                                  "<%s>: one placement, please: xyz with rpy or quat, or matrix, "
                                  "or dh",
                                  node->tag);
    } else if (has_matrix) {
        status = read_matrix(reader, node, out);
    } else if (has_dh) {
        status = read_dh(reader, node, out);
    } else if (has_xyz) {
        status = read_xyz(reader, node, out);
    }
    lwi_native_good(reader, status);
    return status;
}
