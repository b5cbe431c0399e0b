// Meshes: what they hold, and what is refused.
#include "check.h"

#include "geom/mesh_check.h"
#include "reference.h"

#include <glob.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lwi_mesh mesh;
static lwi_mesh_fault fault;

static lw_status read_text(lwi_mesh_kind kind, const char *text)
{
    lwi_mesh_free(&mesh);
    fault = (lwi_mesh_fault){0};
    const lw_status checked = lwi_mesh_read(kind, text, strlen(text), NULL, &fault);
    const lw_status status = lwi_mesh_read(kind, text, strlen(text), &mesh, &fault);
    CHECK_INT(checked, status); // a check alone says the same
    return status;
}

static void is_refused(lwi_mesh_kind kind, const char *text, int line, const char *wanted)
{
    check_case("%s", text);
    CHECK_INT(read_text(kind, text), LW_ERR_SYNTAX);
    CHECK_TEXT(fault.text, wanted);
    CHECK_INT(fault.line, line);
    CHECK(mesh.vertex == NULL && mesh.triangle == NULL);
}

TEST(kinds_are_told_by_the_name)
{
    CHECK_INT(lwi_mesh_kind_of("a/b.stl"), LWI_MESH_STL);
    CHECK_INT(lwi_mesh_kind_of("b.STL"), LWI_MESH_STL);
    CHECK_INT(lwi_mesh_kind_of("b.x.Obj"), LWI_MESH_OBJ);
    CHECK_INT(lwi_mesh_kind_of("b.dae"), LWI_MESH_OTHER);
    CHECK_INT(lwi_mesh_kind_of("stl"), LWI_MESH_OTHER);
    CHECK_INT(lwi_mesh_kind_of(".st"), LWI_MESH_OTHER);
    CHECK_INT(lwi_mesh_kind_of("a.stlx"), LWI_MESH_OTHER);
}

TEST(stl_text_is_read)
{
    CHECK_INT(read_text(LWI_MESH_STL, "solid a b\n"
                                      " facet normal nan 0 0\n  outer loop\n"
                                      "   vertex 0 0 0\r\n   vertex 1e0 0 0\n   vertex 0 2.5 0\n"
                                      "  endloop\n endfacet\nendsolid a b\n"),
              LW_OK);
    CHECK_INT(mesh.nvertex, 3);
    CHECK_INT(mesh.ntriangle, 1);
    CHECK(mesh.vertex && mesh.vertex[1].x == 1 && mesh.vertex[2].y == 2.5);
    CHECK(mesh.triangle && mesh.triangle[0] == 0 && mesh.triangle[2] == 2);
}

TEST(bad_stl_texts_are_refused)
{
    is_refused(LWI_MESH_STL, "solid\nfacet\nvertex 0 0 zero\n", 3, "\"zero\" is not a number");
    is_refused(LWI_MESH_STL, "solid\nvertex 0 0\n", 2, "\"\" is not a number");
    is_refused(LWI_MESH_STL, "solid\nvertex 0 0 inf\n", 2, "\"inf\" is not a number");
    is_refused(LWI_MESH_STL, "solid\nvertex 0 0 0\nendfacet\n", 3, "a facet with 1 vertices");
    is_refused(LWI_MESH_STL, "solid\nvertex 0 0 0\n", 3, "it ends within a facet");
    is_refused(LWI_MESH_STL, "solid\nwhat\n", 2, "\"what\" does not belong here");
    is_refused(LWI_MESH_STL, "solid\nendsolid\n", 0, "it has no vertices");
    is_refused(LWI_MESH_STL, "", 0, "it is too short for an STL file");
}

enum { HEAD = 84, FACET = 50 };

// A binary file of `real` triangles that tells of `told`.
static size_t make_binary(char *bytes, const char *head, uint32_t told, int real)
{
    memset(bytes, 0, HEAD + (size_t)real * FACET);
    memcpy(bytes, head, strlen(head));
    for (int i = 0; i < 4; ++i) {
        bytes[80 + i] = (char)(told >> (8 * i) & 0xff);
    }
    for (int t = 0; t < real; ++t) {
        const float corner[9] = {0, 0, 0, 1, 0, 0, 0, 1, (float)t};
        memcpy(bytes + HEAD + t * FACET + 12, corner, sizeof corner);
    }
    return HEAD + (size_t)real * FACET;
}

TEST(stl_binary_is_read)
{
    char bytes[HEAD + 4 * FACET];
    // Many exporters begin their binary files with the word of the text form.
    const size_t size = make_binary(bytes, "solid of an exporter", 2, 2);
    CHECK_INT(lwi_mesh_read(LWI_MESH_STL, bytes, size, &mesh, &fault), LW_OK);
    CHECK_INT(mesh.ntriangle, 2);
    CHECK(mesh.nvertex == 6 && mesh.vertex[1].x == 1 && mesh.vertex[5].z == 1);
    lwi_mesh_free(&mesh);
}

TEST(lying_counts_are_refused)
{
    char bytes[HEAD + 4 * FACET];
    size_t size = make_binary(bytes, "x", 1000000000, 2);
    CHECK_INT(lwi_mesh_read(LWI_MESH_STL, bytes, size, &mesh, &fault), LW_ERR_SYNTAX);
    CHECK_TEXT(fault.text, "it announces 1000000000 triangles and has bytes for 2");
    size = make_binary(bytes, "x", 0xffffffffu, 2);
    CHECK_INT(lwi_mesh_read(LWI_MESH_STL, bytes, size, NULL, &fault), LW_ERR_SYNTAX);
    size = make_binary(bytes, "x", 1, 2);
    CHECK_INT(lwi_mesh_read(LWI_MESH_STL, bytes, size, NULL, &fault), LW_ERR_SYNTAX);
    CHECK_TEXT(fault.text, "it announces 1 triangles and has bytes for 2");
    size = make_binary(bytes, "x", 2, 2);
    const float bad = NAN;
    memcpy(bytes + HEAD + FACET + 12, &bad, sizeof bad);
    CHECK_INT(lwi_mesh_read(LWI_MESH_STL, bytes, size, NULL, &fault), LW_ERR_SYNTAX);
    CHECK_TEXT(fault.text, "a vertex of triangle 1 is not finite");
}

TEST(obj_is_read)
{
    CHECK_INT(read_text(LWI_MESH_OBJ, "# a square\nmtllib x\no square\n"
                                      "v 0 0 0\nv 1 0 0 1.0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\n"
                                      "f 1//1 2//1 \\\n 3//1 4//1\nf -4 -3/2/1 -2\n"),
              LW_OK);
    CHECK_INT(mesh.nvertex, 4);
    CHECK_INT(mesh.ntriangle, 3);
    const int wanted[] = {0, 1, 2, 0, 2, 3, 0, 1, 2};
    CHECK(mesh.triangle && memcmp(mesh.triangle, wanted, sizeof wanted) == 0);
}

TEST(bad_objs_are_refused)
{
    is_refused(LWI_MESH_OBJ, "v 0 0 0\nf 1 2 3\n", 2, "a face names vertex 3 of 1");
    is_refused(LWI_MESH_OBJ, "v 0 0 0\nf -1 -2 -3\n", 2, "a face names vertex -2 of 1");
    is_refused(LWI_MESH_OBJ, "v 0 0 0\nf 0 1 1\n", 2, "a face names vertex 0 of 1");
    is_refused(LWI_MESH_OBJ, "v 0 0 0\nf 1 1 99999999999\n", 2, "\"99999999999\" is not a vertex");
    is_refused(LWI_MESH_OBJ, "v 0 0 0\nf 1 1\n", 2, "a face with 2 vertices");
    is_refused(LWI_MESH_OBJ, "v 0 0\n", 1, "\"\" is not a number");
    is_refused(LWI_MESH_OBJ, "v 0 0 1,5\n", 1, "\"1,5\" is not a number");
    is_refused(LWI_MESH_OBJ, "# empty\n", 0, "it has no vertices");
    is_refused(LWI_MESH_OBJ, "v 0 0 1e50\n", 0, "a coordinate is 1e50 or more");
}

// An array of NumPy with this header and these numbers.
static lw_status read_array(const char *head, const double *number, int count)
{
    char bytes[512] = "\x93NUMPY\x01";
    const size_t length = strlen(head);
    bytes[8] = (char)length;
    memcpy(bytes + 10, head, length);
    memcpy(bytes + 10 + length, number, (size_t)count * sizeof *number); // little-endian machines
    lwi_mesh_free(&mesh);
    return lwi_mesh_read(LWI_MESH_NPY, bytes, 10 + length + (size_t)count * sizeof *number, &mesh,
                         &fault);
}

TEST(C30_arrays_are_height_fields_or_points)
{
    static const char head[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }\n";
    const double number[6] = {0, 1, 2, 3, 4, 5}, hole[4] = {0, 1, (double)NAN, 3};
    const union {
        int number;
        char byte;
    } one = {1};
    if (one.byte == 0) {
        check_skip("the test writes little-endian numbers");
        return;
    }
    CHECK_INT(read_array(head, number, 4), LW_OK);
    CHECK(mesh.nvertex == 4 && mesh.ntriangle == 2 && mesh.is_terrain);
    CHECK(mesh.vertex[2].x == 0 && mesh.vertex[2].y == 1 && mesh.vertex[2].z == 2);
    CHECK_INT(read_array("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", number, 6),
              LW_OK);
    CHECK(mesh.nvertex == 2 && mesh.ntriangle == 0 && mesh.vertex[1].z == 5);
    const int64_t whole[6] = {0, 1, 2, 3, 4, -5};
    double same_bytes[6];
    memcpy(same_bytes, whole, sizeof whole);
    CHECK_INT(
        read_array("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }", same_bytes, 6),
        LW_OK);
    CHECK(mesh.nvertex == 2 && mesh.vertex[1].x == 3 && mesh.vertex[1].z == -5);
    CHECK_INT(read_array("{'descr': '|b1', 'fortran_order': False, 'shape': (2, 3), }", number, 6),
              LW_ERR_SYNTAX);
    CHECK_TEXT(fault.text, "its numbers are '|b1'; <f8, <f4, <i8, <i4 and <i2 are read");
    CHECK_INT(read_array(head, hole, 4), LW_ERR_SYNTAX);
    CHECK_TEXT(fault.text, "row 2, column 1 is not finite");
    CHECK_INT(read_array(head, number, 3), LW_ERR_SYNTAX);
    CHECK_TEXT(fault.text, "it announces 2 x 2 numbers and has bytes for 3");
    CHECK_INT(read_array("{'descr': '>f8', 'fortran_order': False, 'shape': (2, 2), }", number, 4),
              LW_ERR_SYNTAX);
    CHECK_INT(read_array("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }", number, 4),
              LW_ERR_SYNTAX);
    CHECK_INT(read_array("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }", number, 4),
              LW_ERR_SYNTAX);
    CHECK_INT(read_array("no dictionary", number, 4), LW_ERR_SYNTAX);
    CHECK_INT(read_text(LWI_MESH_NPY, "solid"), LW_ERR_SYNTAX);
    lwi_mesh_free(&mesh);
}

// Sides of a tetrahedron in an OBJ file, in the order given; the first four vertices are its
// corners.
static lwi_mesh_surface surface_of(const char *faces)
{
    char text[400];
    snprintf(text, sizeof text, "v 5 5 5\nv 6 5 5\nv 5 6 5\nv 5 5 6\nv 6 5 5\n%s", faces);
    CHECK_INT(read_text(LWI_MESH_OBJ, text), LW_OK);
    const lw_mesh view = lwi_mesh_view(&mesh);
    const lwi_mesh_surface surface = lwi_mesh_check(&view);
    lwi_mesh_free(&mesh);
    return surface;
}

TEST(open_inside_out_and_degenerate_meshes_are_detected)
{
    lwi_mesh_surface s = surface_of("f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    CHECK(!s.is_open && !s.is_mixed && s.ndegenerate == 0);
    CHECK_NEAR(s.volume, 1.0 / 6.0, 1e-15);
    s = surface_of("f 1 3 5\nf 1 2 4\nf 1 4 3\nf 5 3 4\n"); // a vertex twice, as STL has it
    CHECK(!s.is_open && !s.is_mixed && s.ndegenerate == 0);
    s = surface_of("f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n");
    CHECK(!s.is_open && !s.is_mixed && s.volume < 0);
    s = surface_of("f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 4 3\n");
    CHECK(!s.is_open && s.is_mixed);
    s = surface_of("f 1 3 2\nf 1 2 4\nf 1 4 3\n");
    CHECK(s.is_open);
    s = surface_of("f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 2 2 3\n"); // of no area, on an edge
    CHECK(!s.is_open && !s.is_mixed && s.ndegenerate == 1);
}

TEST(published_meshes_are_sane)
{
    glob_t found = {0};
    int count = 0;
    for (int depth = 0; depth < 2; ++depth) {
        char pattern[1024];
        snprintf(pattern, sizeof pattern, "%s/models/meshes/*/*%s", shared_dir(),
                 depth ? "/*" : "");
        glob(pattern, depth ? GLOB_APPEND : 0, NULL, &found);
    }
    for (size_t i = 0; i < found.gl_pathc; ++i) {
        const lwi_mesh_kind kind = lwi_mesh_kind_of(found.gl_pathv[i]);
        FILE *file = kind == LWI_MESH_OTHER ? NULL : fopen(found.gl_pathv[i], "rb");
        if (!file) {
            continue;
        }
        enum { MOST = 32 * 1024 * 1024 };
        char *bytes = malloc(MOST);
        const size_t size = bytes ? fread(bytes, 1, MOST, file) : 0;
        fclose(file);
        check_case("%s", found.gl_pathv[i]);
        fault = (lwi_mesh_fault){0};
        lwi_mesh_read(kind, bytes, size, &mesh, &fault);
        CHECK_TEXT(fault.text, "");
        CHECK(mesh.nvertex > 0); // some are clouds of points
        lwi_mesh_free(&mesh);
        free(bytes);
        ++count;
    }
    globfree(&found);
    if (count == 0) {
        check_skip("no meshes in %s", shared_dir());
    }
}

int main(void)
{
    RUN(kinds_are_told_by_the_name);
    RUN(stl_text_is_read);
    RUN(bad_stl_texts_are_refused);
    RUN(stl_binary_is_read);
    RUN(lying_counts_are_refused);
    RUN(obj_is_read);
    RUN(bad_objs_are_refused);
    RUN(C30_arrays_are_height_fields_or_points);
    RUN(open_inside_out_and_degenerate_meshes_are_detected);
    RUN(published_meshes_are_sane);
    lwi_mesh_free(&mesh);
    return REPORT();
}
