#include "mesh.h"

#include "../base/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FARTHEST 1e50 // m

/// Where the triangles go: counted always, kept where a mesh is wanted.
typedef struct sink {
    lwi_mesh mesh;
    int vertex_room, triangle_room;
    bool is_kept, is_short;
    bool is_far; ///< a vertex is where no distance is computed
    lwi_mesh_fault *fault;
} sink;

/// Words of a text, line by line.
typedef struct words {
    const char *at, *end;
    int line;
} words;

typedef struct word {
    const char *at;
    size_t length;
} word;

LW_PRINTF(3, 4)
static lw_status fail(sink *s, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(s->fault->text, sizeof s->fault->text, format, args);
    va_end(args);
    s->fault->line = line;
    return LW_ERR_SYNTAX;
}

// The array with capacity for one element more; NULL if allocation fails.
static void *grown(void *at, int count, int *room, size_t element)
{
    if (count < *room) {
        return at;
    }
    const int more = *room ? 2 * *room : 64;
    void *larger = realloc(at, (size_t)more * element);
    *room = larger ? more : *room;
    return larger;
}

static void add_vertex(sink *s, lw_vec3 p)
{
    lwi_mesh *mesh = &s->mesh;
    s->is_far =
        s->is_far || !(fabs(p.x) < FARTHEST && fabs(p.y) < FARTHEST && fabs(p.z) < FARTHEST);
    if (s->is_kept && !s->is_short) {
        lw_vec3 *at = grown(mesh->vertex, mesh->nvertex, &s->vertex_room, sizeof *at);
        s->is_short = !at;
        if (!at) {
            return;
        }
        mesh->vertex = at;
        at[mesh->nvertex] = p;
    }
    ++mesh->nvertex;
}

static void add_triangle(sink *s, int a, int b, int c)
{
    lwi_mesh *mesh = &s->mesh;
    if (s->is_kept && !s->is_short) {
        int *at = grown(mesh->triangle, mesh->ntriangle, &s->triangle_room, 3 * sizeof *at);
        s->is_short = !at;
        if (!at) {
            return;
        }
        mesh->triangle = at;
        int *corner = at + 3 * (size_t)mesh->ntriangle;
        corner[0] = a;
        corner[1] = b;
        corner[2] = c;
    }
    ++mesh->ntriangle;
}

// --- Binary STL -------------------------------------------------------------------------------

enum { STL_HEAD = 84, STL_FACET = 50, STL_NORMAL = 12 };

static uint32_t little_endian(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double float_at(const char *bytes)
{
    const uint32_t bits = little_endian(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static lw_status read_stl_binary(const char *bytes, size_t size, sink *s)
{
    const uint32_t told = little_endian(bytes + STL_HEAD - 4);
    const size_t real = (size - STL_HEAD) / STL_FACET;
    if (told != real) {
        return fail(s, 0, "it announces %lu triangles and has bytes for %lu", (unsigned long)told,
                    (unsigned long)real);
    }
    for (size_t i = 0; i < real; ++i) {
        const char *facet = bytes + STL_HEAD + i * STL_FACET + STL_NORMAL;
        for (size_t corner = 0; corner < 3; ++corner) {
            const char *at = facet + 12 * corner;
            const lw_vec3 p = {float_at(at), float_at(at + 4), float_at(at + 8)};
            if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z)) {
                return fail(s, 0, "a vertex of triangle %lu is not finite", (unsigned long)i);
            }
            add_vertex(s, p);
        }
        add_triangle(s, s->mesh.nvertex - 3, s->mesh.nvertex - 2, s->mesh.nvertex - 1);
    }
    return LW_OK;
}

// --- Texts ------------------------------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

// The next word of this line; of length 0 at its end. A backslash joins lines.
static word next_word(words *w)
{
    while (w->at < w->end && (is_blank(*w->at) || *w->at == '\\')) {
        const bool is_joined = *w->at++ == '\\';
        while (is_joined && w->at < w->end && *w->at == '\r') {
            ++w->at;
        }
        if (is_joined && w->at < w->end && *w->at == '\n') {
            ++w->at;
            ++w->line;
        }
    }
    word found = {w->at, 0};
    while (w->at < w->end && !is_blank(*w->at) && *w->at != '\n' && *w->at != '\\') {
        ++w->at;
        ++found.length;
    }
    return found;
}

// False at the end of the text.
static bool next_line(words *w)
{
    const char *newline = memchr(w->at, '\n', (size_t)(w->end - w->at));
    w->at = newline ? newline + 1 : w->end;
    ++w->line;
    return w->at < w->end;
}

// Letters of either case begin with `text`, which is in small letters.
static bool begins_with(const char *at, const char *text)
{
    while (*text && (*at | 0x20) == *text) {
        ++at;
        ++text;
    }
    return *text == '\0';
}

static bool is_word(word found, const char *text)
{
    return strlen(text) == found.length && begins_with(found.at, text);
}

static lw_status read_point(words *w, sink *s, lw_vec3 *p)
{
    double *const number[] = {&p->x, &p->y, &p->z};
    for (int k = 0; k < 3; ++k) {
        const word found = next_word(w);
        if (!lwi_parse_double(found.at, found.length, number[k])) {
            const int length = found.length < 40 ? (int)found.length : 40;
            return fail(s, w->line, "\"%.*s\" is not a number", length, found.at);
        }
    }
    return LW_OK;
}

// Only vertices count: each facet has three, and normals follow from them.
static lw_status read_stl_text(const char *bytes, size_t size, sink *s)
{
    words w = {bytes, bytes + size, 1};
    int corners = 0;
    do {
        const word first = next_word(&w);
        if (is_word(first, "vertex")) {
            lw_vec3 p;
            const lw_status status = read_point(&w, s, &p);
            if (status != LW_OK) {
                return status;
            }
            add_vertex(s, p);
            ++corners;
        } else if (is_word(first, "endfacet")) {
            if (corners != 3) {
                return fail(s, w.line, "a facet with %d vertices", corners);
            }
            add_triangle(s, s->mesh.nvertex - 3, s->mesh.nvertex - 2, s->mesh.nvertex - 1);
            corners = 0;
        } else if (first.length && !is_word(first, "facet") && !is_word(first, "outer") &&
                   !is_word(first, "endloop") && !is_word(first, "solid") &&
                   !is_word(first, "endsolid")) {
            const int length = first.length < 40 ? (int)first.length : 40;
            return fail(s, w.line, "\"%.*s\" does not belong here", length, first.at);
        }
    } while (next_line(&w));
    if (corners != 0) {
        return fail(s, w.line, "it ends within a facet");
    }
    return LW_OK;
}

/// The largest vertex that faces name so far, and the line that does first.
typedef struct named_vertex {
    int vertex, line;
} named_vertex;

// A corner of a face is "7", "7/1", "7//3" or "7/1/3"; below zero it counts back from the last
// vertex. Vertices may follow later in the file.
static lw_status read_corner(word found, int line, sink *s, named_vertex *largest, int *vertex)
{
    size_t length = 0;
    while (length < found.length && found.at[length] != '/') {
        ++length;
    }
    int number;
    if (!lwi_parse_int(found.at, length, &number)) {
        const int shown = found.length < 40 ? (int)found.length : 40;
        return fail(s, line, "\"%.*s\" is not a vertex", shown, found.at);
    }
    if (number == 0 || number < -s->mesh.nvertex) {
        return fail(s, line, "a face names vertex %d of %d", number, s->mesh.nvertex);
    }
    *vertex = number > 0 ? number - 1 : s->mesh.nvertex + number;
    *largest = *vertex > largest->vertex ? (named_vertex){*vertex, line} : *largest;
    return LW_OK;
}

// A polygon becomes a fan of triangles.
static lw_status read_face(words *w, sink *s, named_vertex *largest)
{
    int first = -1, last = -1, count = 0;
    for (word found = next_word(w); found.length; found = next_word(w), ++count) {
        int vertex = -1;
        const lw_status status = read_corner(found, w->line, s, largest, &vertex);
        if (status != LW_OK) {
            return status;
        }
        if (count >= 2) {
            add_triangle(s, first, last, vertex);
        }
        first = count == 0 ? vertex : first;
        last = vertex;
    }
    return count >= 3 ? LW_OK : fail(s, w->line, "a face with %d vertices", count);
}

static lw_status read_obj(const char *bytes, size_t size, sink *s)
{
    words w = {bytes, bytes + size, 1};
    named_vertex largest = {-1, 0};
    do {
        const word first = next_word(&w);
        lw_status status = LW_OK;
        if (is_word(first, "v")) {
            lw_vec3 p;
            status = read_point(&w, s, &p);
            if (status == LW_OK) {
                add_vertex(s, p);
            }
        } else if (is_word(first, "f")) {
            status = read_face(&w, s, &largest);
        } else if (memchr(first.at, '\0', first.length)) {
            status = fail(s, w.line, "it is not a text");
        }
        if (status != LW_OK) {
            return status;
        }
    } while (next_line(&w));
    if (largest.vertex >= s->mesh.nvertex) {
        return fail(s, largest.line, "a face names vertex %d of %d", largest.vertex + 1,
                    s->mesh.nvertex);
    }
    return LW_OK;
}

// --- NumPy ------------------------------------------------------------------------------------

/// What the header of an array says.
typedef struct array_head {
    size_t begin; ///< of the numbers, in bytes
    char type;    ///< 'f' or 'i'
    size_t width; ///< bytes of a number
    int rows, columns;
} array_head;

// The text behind a key of the header, or null.
static const char *value_of(const char *head, const char *key)
{
    const char *at = strstr(head, key);
    at = at ? strchr(at, ':') : NULL;
    return at ? at + 1 + strspn(at + 1, " ") : NULL;
}

// "(12, 3)"
static bool read_shape(const char *at, array_head *a)
{
    static const char digits[] = "0123456789";
    if (*at != '(') {
        return false;
    }
    const char *rows = at + 1, *comma = rows + strspn(rows, digits);
    if (*comma != ',') {
        return false;
    }
    const char *columns = comma + 1 + strspn(comma + 1, " ");
    const char *end = columns + strspn(columns, digits);
    return *end == ')' && lwi_parse_int(rows, (size_t)(comma - rows), &a->rows) &&
           lwi_parse_int(columns, (size_t)(end - columns), &a->columns);
}

// Of version 1 to 3, little-endian, with two dimensions.
static lw_status read_array_head(const char *bytes, size_t size, sink *s, array_head *a)
{
    char head[520] = "";
    if (size < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0) {
        return fail(s, 0, "it is not an array of NumPy");
    }
    const bool is_first = bytes[6] == 1;
    const size_t length = is_first ? little_endian(bytes + 8) & 0xffffu : little_endian(bytes + 8);
    a->begin = is_first ? 10 : 12;
    if (length >= 512 || size - a->begin < length) {
        return fail(s, 0, "its header is cut off or too long");
    }
    memcpy(head, bytes + a->begin, length);
    a->begin += length;
    const char *type = value_of(head, "'descr'"), *shape = value_of(head, "'shape'");
    const char *order = value_of(head, "'fortran_order'");
    if (!type || !shape || !order || strncmp(order, "False", 5) != 0 || !read_shape(shape, a)) {
        return fail(s, 0, "it is not an array of two dimensions, row by row");
    }
    a->type = type[2];
    a->width = (size_t)(type[3] - '0');
    const bool is_known = (a->type == 'f' && (a->width == 4 || a->width == 8)) ||
                          (a->type == 'i' && (a->width == 2 || a->width == 4 || a->width == 8));
    if (type[1] != '<' || !is_known) {
        return fail(s, 0, "its numbers are %.*s; <f8, <f4, <i8, <i4 and <i2 are read",
                    (int)strcspn(type, ",}"), type);
    }
    return LW_OK;
}

static double array_number(const char *at, const array_head *a)
{
    const uint32_t low = a->width == 2 ? (unsigned char)at[0] | (uint32_t)(unsigned char)at[1] << 8
                                       : little_endian(at);
    if (a->type == 'i' && a->width < 8) {
        return a->width == 2 ? (double)(int16_t)low : (double)(int32_t)low;
    }
    if (a->width == 4) {
        return float_at(at);
    }
    const uint64_t bits = low | (uint64_t)little_endian(at + 4) << 32;
    if (a->type == 'i') {
        return (double)(int64_t)bits;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static lw_status read_npy(const char *bytes, size_t size, sink *s)
{
    array_head a;
    const lw_status status = read_array_head(bytes, size, s, &a);
    if (status != LW_OK) {
        return status;
    }
    const size_t real = (size - a.begin) / a.width, row = (size_t)a.columns;
    if (a.columns != 3 && (a.rows < 2 || a.columns < 2)) {
        return fail(s, 0,
                    "it has %d x %d numbers, neither points in 3 columns nor heights of a grid",
                    a.rows, a.columns);
    }
    if (real / row != (size_t)a.rows || real % row != 0) {
        return fail(s, 0, "it announces %d x %d numbers and has bytes for %lu", a.rows, a.columns,
                    (unsigned long)real);
    }
    double p[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < real; ++i) {
        const double value = array_number(bytes + a.begin + i * a.width, &a);
        const int x = (int)(i % row), y = (int)(i / row);
        if (!isfinite(value)) {
            return fail(s, 0, "row %d, column %d is not finite", y + 1, x + 1);
        }
        p[a.columns == 3 ? x : 2] = value;
        if (a.columns != 3) {
            add_vertex(s, lw_vec3_of(x, y, value));
        } else if (x == 2) {
            add_vertex(s, lw_vec3_of(p[0], p[1], p[2]));
        }
        if (a.columns != 3 && x + 1 < a.columns && y + 1 < a.rows) {
            const int at = (int)i, above = at + a.columns;
            add_triangle(s, at, at + 1, above + 1);
            add_triangle(s, at, above + 1, above);
        }
    }
    s->mesh.is_terrain = a.columns != 3;
    return LW_OK;
}

// --- All kinds --------------------------------------------------------------------------------

// Binary files may begin with "solid" too; the size that their count requires shows it.
static bool is_stl_text(const char *bytes, size_t size)
{
    if (size < 5 || !begins_with(bytes, "solid")) {
        return false;
    }
    return size < STL_HEAD || (size - STL_HEAD) % STL_FACET != 0 ||
           (size - STL_HEAD) / STL_FACET != little_endian(bytes + STL_HEAD - 4);
}

static lw_status read_kind(lwi_mesh_kind kind, const char *bytes, size_t size, sink *s)
{
    enum { LARGEST = 1 << 30 }; // bytes; keeps every count an int
    if (size > LARGEST) {
        return fail(s, 0, "it is larger than 1 GiB");
    }
    static const char lfs[] = "version https://git-lfs";
    if (size >= sizeof lfs && memcmp(bytes, lfs, sizeof lfs - 1) == 0) {
        return fail(s, 0, "it is a Git LFS pointer, not the mesh: run \"git lfs pull\"");
    }
    if (kind == LWI_MESH_OTHER) {
        return LW_ERR_UNSUPPORTED;
    }
    if (kind == LWI_MESH_OBJ || kind == LWI_MESH_NPY) {
        return kind == LWI_MESH_OBJ ? read_obj(bytes, size, s) : read_npy(bytes, size, s);
    }
    if (is_stl_text(bytes, size)) {
        return read_stl_text(bytes, size, s);
    }
    if (size < STL_HEAD) {
        return fail(s, 0, "it is too short for an STL file");
    }
    return read_stl_binary(bytes, size, s);
}

lw_status lwi_mesh_read(lwi_mesh_kind kind, const char *bytes, size_t size, lwi_mesh *mesh,
                        lwi_mesh_fault *fault)
{
    lwi_mesh_fault unseen;
    sink s = {.is_kept = mesh != NULL, .fault = fault ? fault : &unseen};
    if (mesh) {
        *mesh = (lwi_mesh){0};
    }
    lw_status status = read_kind(kind, bytes, size, &s);
    if (status == LW_OK && s.is_short) {
        status = LW_ERR_MEMORY;
    }
    if (status == LW_OK && s.is_far) {
        status = fail(&s, 0, "a coordinate is 1e50 or more");
    }
    if (status == LW_OK && s.mesh.nvertex == 0) { // points alone may be meant as a hull
        status = fail(&s, 0, "it has no vertices");
    }
    if (status != LW_OK) {
        lwi_mesh_free(&s.mesh);
    } else if (mesh) {
        *mesh = s.mesh;
    }
    return status;
}

void lwi_mesh_free(lwi_mesh *mesh)
{
    free(mesh->vertex);
    free(mesh->triangle);
    *mesh = (lwi_mesh){0};
}

lwi_mesh_kind lwi_mesh_kind_of(const char *name)
{
    static const char *const ending[] = {"stl", "obj", "npy"};
    static const lwi_mesh_kind kind[] = {LWI_MESH_STL, LWI_MESH_OBJ, LWI_MESH_NPY};
    const char *dot = strrchr(name, '.');
    for (int i = 0; dot && i < 3; ++i) {
        int k = 0;
        while (k < 3 && (dot[k + 1] | 0x20) == ending[i][k]) {
            ++k;
        }
        if (k == 3 && dot[4] == '\0') {
            return kind[i];
        }
    }
    return LWI_MESH_OTHER;
}
