// Published Denavit-Hartenberg tables, written as linkwork XML, against another program's poses and
// Jacobians.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"
#include "written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 16 };

static double number_of(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

static const char *word_of(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

// A row as a joint and a link. The offset of a revolute joint belongs to theta, that of a prismatic
// one to d.
static void put_row(written *b, const json_t *row, int i)
{
    const bool slides = strcmp(word_of(row, "joint"), "P") == 0;
    const bool is_paul = strcmp(word_of(row, "convention"), "standard") == 0;
    const double offset = number_of(row, "offset");
    put(b, "<joint name=\"j%d\" type=\"%s\" from=\"l%d\" to=\"l%d\">", i,
        slides ? "prismatic" : "revolute", i, i + 1);
    put(b, "<%s alpha=\"%.17g\" a=\"%.17g\" theta=\"%.17g\" d=\"%.17g\"/></joint>",
        is_paul ? "paul" : "craig", number_of(row, "alpha"), number_of(row, "a"),
        number_of(row, "theta") + (slides ? 0.0 : offset),
        number_of(row, "d") + (slides ? offset : 0.0));
    put(b, "<link name=\"l%d\" mass=\"1\"/>\n", i + 1);
}

static lw_model *model_of_table(const json_t *table)
{
    written b = {.used = 0};
    size_t i;
    json_t *row;
    put(&b, "<linkwork version=\"1\" name=\"%s\">\n<link name=\"l0\"/>\n", word_of(table, "name"));
    json_array_foreach(json_object_get(table, "links"), i, row)
    {
        CHECK(!json_is_true(json_object_get(row, "flip")));
        put_row(&b, row, (int)i);
    }
    put(&b, "</linkwork>\n");
    return compile_text("table.xml", b.text, NULL);
}

static void check_frames(const lw_model *m, lw_data *d, const json_t *state, const double *q)
{
    double T[16 * MOST_ROWS];
    const int n = reference_numbers(json_object_get(state, "T_each"), T, 16 * MOST_ROWS) / 16;
    CHECK_INT(n, m->nq);
    CHECK_INT(lw_forward_position(m, d, q), LW_OK);
    for (int i = 0; i < n; ++i) {
        char name[16];
        lw_pose X;
        snprintf(name, sizeof name, "l%d", i + 1);
        CHECK_INT(lw_frame_pose(m, d, lw_find_frame(m, name), &X), LW_OK);
        const double *t = T + 16 * i;
        const double own[] = {X.R.row[0].x, X.R.row[0].y, X.R.row[0].z, X.p.x,
                              X.R.row[1].x, X.R.row[1].y, X.R.row[1].z, X.p.y,
                              X.R.row[2].x, X.R.row[2].y, X.R.row[2].z, X.p.z};
        for (int k = 0; k < 12; ++k) {
            CHECK_NEAR(own[k], t[k], 1e-14); // six products of sines and lengths below 1.5 m
        }
    }
}

// The other program has the rows of the velocity first.
static void check_jacobian(const lw_model *m, lw_data *d, const json_t *state, const double *q)
{
    double J[6 * MOST_ROWS], want[6 * MOST_ROWS];
    char name[16];
    const int n = m->nv;
    snprintf(name, sizeof name, "l%d", n);
    CHECK_INT(reference_numbers(json_object_get(state, "J0_rows_v_w"), want, 6 * MOST_ROWS), 6 * n);
    CHECK_INT(lw_frame_jacobian(m, d, q, lw_find_frame(m, name), LW_IN_WORLD, NULL, J), LW_OK);
    for (int i = 0; i < 6 * n; ++i) {
        CHECK_NEAR(J[i], want[(i + 3 * n) % (6 * n)], 1e-14);
    }
}

TEST(C38_published_dh_tables_agree_with_another_program)
{
    char **names = shared_names("models/dh", ".json");
    for (int i = 0; names && names[i]; ++i) {
        char path[256];
        size_t k;
        json_t *state;
        snprintf(path, sizeof path, "models/dh/%s", names[i]);
        json_t *table = json_load_file(shared_file(path), 0, NULL);
        snprintf(path, sizeof path, "reference/vectors/dh_%s", names[i]);
        json_t *reference = json_load_file(shared_file(path), 0, NULL);
        lw_model *m = model_of_table(table);
        lw_data *d = new_data(m);
        CHECK(json_array_size(json_object_get(reference, "states")) > 0);
        json_array_foreach(json_object_get(reference, "states"), k, state)
        {
            double q[MOST_ROWS];
            check_case("%s, state %d", names[i], (int)k);
            CHECK_INT(reference_numbers(json_object_get(state, "q"), q, MOST_ROWS), m->nq);
            check_frames(m, d, state, q);
            check_jacobian(m, d, state, q);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
        json_decref(reference);
        json_decref(table);
    }
    names_free(names);
}

int main(void)
{
    RUN(C38_published_dh_tables_agree_with_another_program);
    return REPORT();
}
