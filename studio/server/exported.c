#define _GNU_SOURCE // mkostemps
#include "exported.h"

#include "assets.h"
#include "frames.h"
#include "model_reply.h"
#include "report/output.h"
#include "report/table.h"
#include "support/files.h"
#include "support/message.h"

#include <linkwork/generate.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static json_t *bytes_json(const void *bytes, size_t size)
{
    char *text = malloc(size / 3 * 4 + 5);
    if (!text) {
        exit(no_memory());
    }
    frames_base64(bytes, size, text);
    json_t *value = json_string_nocheck(text);
    free(text);
    return value;
}

static json_t *rows_json(const table *t)
{
    return bytes_json(t->value, sizeof *t->value * (size_t)t->nrow * (size_t)t->ncolumn);
}

// --- Kinematics -------------------------------------------------------------------------------

// Code for the poses of all frames as JSON, or null and why there is none.
static json_t *code_json(const lw_model *m, memory *pool, const char **why)
{
    lw_derive_options derive = lw_default_derive_options();
    lw_generate_options generate = lw_default_generate_options();
    lw_report *report = NULL;
    lw_derivation *derivation = NULL;
    char *text = NULL;
    size_t size = 0;
    derive.functions = 1u << LW_FUNCTION_POSES;
    derive.effort = 0;
    generate.language = LW_LANGUAGE_JAVASCRIPT;
    lw_status status = lw_report_create(&report);
    if (status == LW_OK) {
        status = lw_derive(m, &derive, &derivation, report);
    }
    if (status == LW_OK) {
        status = lw_generate(derivation, &generate, &text, &size, report);
    }
    json_t *code = status == LW_OK ? json_stringn(text, size) : json_null();
    *why = lw_status_text(status);
    for (int i = 0; i < lw_report_count(report); ++i) {
        const lw_diagnostic d = lw_report_diagnostic(report, i);
        *why = d.severity == LW_ERROR ? memory_text(pool, "%s", d.message) : *why;
    }
    lw_text_free(text);
    lw_derivation_destroy(derivation);
    lw_report_destroy(report);
    return code;
}

// --- Motion -----------------------------------------------------------------------------------

// Runs `linkwork simulate MODEL --run FILE -o TO`, with the options of the model.
static int simulate(const shown *s, memory *pool, const char *run, const char *to)
{
    const command_line *line = &s->line;
    char **word = memory_get(pool, (size_t)(2 * line->ngiven + 8), sizeof *word);
    int n = 0;
    word[n++] = memory_text(pool, "linkwork");
    word[n++] = memory_text(pool, "simulate");
    word[n++] = memory_text(pool, "%s", line->operand[0]);
    for (int i = 0; i < line->ngiven; ++i) {
        const given_option *given = &line->given[i];
        if (given->id != OPT_SCENE && given->id != OPT_ATTACH) {
            word[n++] = memory_text(pool, "%s", option_name(given->id));
            if (given->value) {
                word[n++] = memory_text(pool, "%s", given->value);
            }
        }
    }
    word[n++] = memory_text(pool, "--run=%s", run);
    word[n++] = memory_text(pool, "--output=%s", to);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stdout)) {
            execv("/proc/self/exe", word);
        }
        _exit(EXIT_FILE);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status)) {
        return complain(EXIT_FILE, "the simulation of %s did not end well", run);
    }
    return WEXITSTATUS(status); // it has complained itself
}

static int table_of_run(const shown *s, memory *pool, const char *run, table *t)
{
    const char *base = getenv("TMPDIR");
    char *path = memory_text(pool, "%s/linkwork-XXXXXX.npy", base ? base : "/tmp");
    const int file = mkostemps(path, 4, 0);
    if (file < 0) {
        return complain(EXIT_FILE, "no temporary file can be made in %s", base ? base : "/tmp");
    }
    close(file);
    int code = simulate(s, pool, run, path);
    code = code == EXIT_GOOD ? table_read(t, pool, path) : code;
    unlink(path);
    return code;
}

// Columns as `simulate` calls them: "time", "q.NAME".
static int name_columns(const lw_model *m, table *t, memory *pool, const char *path)
{
    int found = 0;
    for (int k = 0; k < t->ncolumn; ++k) {
        const char *name = t->name[k];
        const char *plain = strncmp(name, "q.", 2) == 0 ? name + 2 : name;
        if (strcmp(name, "t") == 0) {
            t->name[k] = "time";
        } else if (lw_find_position(m, plain) >= 0) {
            t->name[k] = memory_text(pool, "q.%s", plain);
            ++found;
        }
    }
    const int time = table_column(t, "time");
    if (time < 0 || found == 0 || t->nrow == 0) {
        return complain(EXIT_INPUT,
                        "%s is no motion of this model: columns t or time and q.NAME are needed, "
                        "as simulate -o writes them, and at least one row",
                        path);
    }
    for (int i = 1; i < t->nrow; ++i) {
        if (t->value[i * t->ncolumn + time] < t->value[(i - 1) * t->ncolumn + time]) {
            return complain(EXIT_INPUT, "%s: row %d is before the row above it in time", path,
                            i + 1);
        }
    }
    return EXIT_GOOD;
}

// --- Poses that are recorded ------------------------------------------------------------------

// Adds q, the poses of all bodies and the positions of the tree there, if it can be computed.
static void record(shown *s, table *to, const double *q)
{
    const lw_model *m = s->m;
    double *row = shown_move(s, q) ? table_add_row(to) : NULL;
    if (row) {
        memcpy(row, s->q, (size_t)m->nq * sizeof *row);
        for (int b = 0; b < m->nbody; ++b) {
            shown_pose(s, b, row + m->nq + 7 * b);
        }
        memcpy(row + m->nq + 7 * m->nbody, s->tree_q, (size_t)m->tree_nq * sizeof *row);
    }
}

// The reference, each coordinate alone over its range, and the motion.
static json_t *recorded_json(shown *s, memory *pool, const json_t *coordinates, const table *motion)
{
    enum { STEPS = 40 };
    const lw_model *m = s->m;
    table all;
    double *q = memory_numbers(pool, 1, m->nq + 1);
    table_begin(&all, pool, m->nq + 7 * m->nbody + m->tree_nq);
    memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
    record(s, &all, q);
    for (int k = 0; k < m->nq; ++k) {
        const json_t *item = json_array_get(coordinates, (size_t)k);
        const json_t *low = json_object_get(item, "lower"), *high = json_object_get(item, "upper");
        const double from = json_is_number(low) ? json_number_value(low) : q[k] - 1.5;
        const double to = json_is_number(high) ? json_number_value(high) : q[k] + 1.5;
        const char *kind = json_string_value(json_object_get(item, "kind"));
        for (int i = 0; i <= STEPS && kind && strcmp(kind, "quaternion") != 0; ++i) {
            q[k] = from + (to - from) * i / STEPS;
            record(s, &all, q);
        }
        q[k] = m->q_reference[k];
    }
    for (int i = 0; motion && i < motion->nrow; ++i) {
        for (int k = 0; k < m->nq; ++k) {
            const int column = table_column(motion, memory_text(pool, "q.%s", m->position_name[k]));
            q[k] = column < 0 ? m->q_reference[k] : motion->value[i * motion->ncolumn + column];
        }
        record(s, &all, q);
    }
    json_t *rows = rows_json(&all);
    table_free(&all);
    return rows;
}

// --- The file ---------------------------------------------------------------------------------

// Bytes of meshes, by the paths that the page asks for.
static json_t *meshes_json(const shown *s)
{
    const lw_model *m = s->m;
    json_t *all = json_object();
    char path[64];
    for (int i = 0; i < m->nmesh; ++i) {
        size_t size = 0;
        unsigned char *bytes = mesh_reply(s, i, &size);
        snprintf(path, sizeof path, "mesh/%d", i);
        if (bytes) {
            json_object_set_new(all, path, bytes_json(bytes, size));
        }
        free(bytes);
    }
    for (int i = 0; i < m->nshape; ++i) {
        char *text = NULL;
        size_t size = 0;
        const lw_shape_info *shape = &m->shape[i];
        const bool is_foreign = shape->type == LW_SHAPE_MESH && shape->data < 0;
        snprintf(path, sizeof path, "mesh_file/%d", i);
        if (is_foreign && shape->mesh_file[0] != '\0' &&
            file_read(shape->mesh_file, &text, &size) == EXIT_GOOD) {
            json_object_set_new(all, path, bytes_json(text, size));
        }
        free(text);
    }
    return all;
}

// JSON that no name in it can end: a page sees the end of a script in "</script".
static int put_json(FILE *to, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (!text) {
        return no_memory();
    }
    for (const char *at = text; *at;) {
        const size_t n = strcspn(at, "<");
        fwrite(at, 1, n, to);
        at += n;
        if (*at == '<') {
            fputs("\\u003c", to);
            ++at;
        }
    }
    free(text);
    return EXIT_GOOD;
}

static int write_page(const char *path, const json_t *data)
{
    file_draft draft;
    int code = file_begin(&draft);
    if (code != EXIT_GOOD) {
        return code;
    }
    fwrite(exported_page[0].bytes, 1, exported_page[0].size, draft.to);
    code = put_json(draft.to, data);
    fwrite(exported_page[1].bytes, 1, exported_page[1].size, draft.to);
    fflush(draft.to);
    const size_t size = draft.size;
    const int end = file_end(&draft, path);
    if (code == EXIT_GOOD && end == EXIT_GOOD) {
        printf("written to %s, %.0f kB\n", path, (double)size / 1000.0);
    }
    return code == EXIT_GOOD ? end : code;
}

// The model alone, as the page gets it.
static int write_model(shown *s, const char *path)
{
    json_t *model = model_reply(s);
    char *text = json_dumps(model, JSON_COMPACT | JSON_REAL_PRECISION(17));
    const int code = text ? file_write(path, text, strlen(text)) : no_memory();
    free(text);
    json_decref(model);
    return code;
}

int exported_write(shown *s, const char *path, const char *run, const char *log)
{
    const size_t length = strlen(path);
    if (length > 5 && strcmp(path + length - 5, ".json") == 0) {
        return write_model(s, path);
    }
    memory pool = {0};
    table motion = {0};
    int code = run ? table_of_run(s, &pool, run, &motion) : EXIT_GOOD;
    code = log ? table_read(&motion, &pool, log) : code;
    if (code == EXIT_GOOD && (run || log)) {
        code = name_columns(s->m, &motion, &pool, run ? run : log);
    }
    if (code == EXIT_GOOD) {
        const char *why = NULL;
        output out = {0};
        json_t *model = model_reply(s), *code_text = code_json(s->m, &pool, &why);
        json_t *data = json_pack("{s:o, s:o, s:o}", "model", model, "code", code_text, "bytes",
                                 meshes_json(s));
        if (json_is_null(code_text)) {
            why = memory_text(&pool,
                              "The page has recorded poses, not live kinematics, for no code can "
                              "be generated: %s.",
                              why);
            printf("%s\n", why);
            json_object_set_new(data, "why", output_text(&out, why));
            json_object_set_new(data, "recorded",
                                recorded_json(s, &pool, json_object_get(model, "coordinates"),
                                              motion.nrow > 0 ? &motion : NULL));
        }
        if (motion.nrow > 0) {
            json_t *item = output_object(&out);
            output_put(&out, item, "name s, columns o, values o", shown_name(s, run ? run : log),
                       output_names(&out, motion.name, motion.ncolumn), rows_json(&motion));
            json_object_set_new(data, "motion", item);
        }
        code = data ? write_page(path, data) : no_memory();
        json_decref(data);
    }
    table_free(&motion);
    memory_free(&pool, NULL);
    return code;
}
