#include "sweep/sweep_result.h"

#include "draw/plot.h"
#include "report/table.h"
#include "support/files.h"
#include "support/message.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLOTS = 12 }; ///< columns that are drawn

static const double share[3] = {0.05, 0.5, 0.95};

double column_deviation(const column_summary *c)
{
    return c->count > 1 ? sqrt(c->squares / (double)(c->count - 1)) : 0.0;
}

// --- Columns ----------------------------------------------------------------------------------

static void count_value(column_summary *c, double x, long long number)
{
    ++c->count;
    const double step = x - c->mean;
    c->mean += step / (double)c->count;
    c->squares += step * (x - c->mean);
    if (c->count == 1 || x < c->low) {
        c->low = x;
        c->low_case = number;
    }
    if (c->count == 1 || x > c->high) {
        c->high = x;
        c->high_case = number;
    }
}

static void find_quantiles(column_summary *c)
{
    const double width = (c->high - c->low) / MERGE_BINS;
    for (int i = 0; i < 3; ++i) {
        double below = share[i] * (double)c->count;
        int k = 0;
        while (k < MERGE_BINS - 1 && (double)c->bin[k] < below) {
            below -= (double)c->bin[k++];
        }
        const double part = c->bin[k] > 0 ? below / (double)c->bin[k] : 0.0;
        c->quantile[i] = c->low + (k + part) * width;
    }
}

// Cells, when the range is known.
static int count_cells(store *s, double *rows, merged *result)
{
    int code = EXIT_GOOD;
    for (long long block = 0; block < s->blocks && code == EXIT_GOOD; ++block) {
        code = store_read(s, block, rows);
        for (int i = 0; i < store_rows(s, block) && code == EXIT_GOOD; ++i) {
            const double *row = rows + (ptrdiff_t)i * s->ncolumn;
            for (int k = 1; k < s->ncolumn && row[0] == 0.0; ++k) {
                column_summary *c = &result->column[k];
                const double range = c->high - c->low;
                const double at = range > 0.0 ? (row[k] - c->low) / range * MERGE_BINS : 0.0;
                ++c->bin[at < MERGE_BINS ? (int)at : MERGE_BINS - 1];
            }
        }
    }
    for (int k = 1; k < s->ncolumn; ++k) {
        find_quantiles(&result->column[k]);
    }
    return code;
}

// --- Files ------------------------------------------------------------------------------------

static void write_rows(FILE *file, const double *rows, int count, int ncolumn, bool is_csv)
{
    if (!is_csv) {
        fwrite(rows, sizeof *rows, (size_t)count * (size_t)ncolumn, file);
        return;
    }
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < ncolumn; ++k) {
            const double x = rows[(ptrdiff_t)i * ncolumn + k];
            fprintf(file, isnan(x) ? "%snan" : "%s%.17g", k > 0 ? "," : "", x);
        }
        fputc('\n', file);
    }
}

const char *merge_reason(lw_status status)
{
    return status == LW_ERR_LIMIT ? "the run takes more steps than the plan allows"
                                  : lw_status_text(status);
}

static void note_error(FILE *errors, const store *s, long long number, const double *row)
{
    const lw_status status = (lw_status)(int)row[0];
    fprintf(errors, "%lld,%s,\"%s\"", number, lw_status_name(status), merge_reason(status));
    for (int k = 1; k < s->ncolumn; ++k) {
        fprintf(errors, isnan(row[k]) ? "," : ",%.17g", row[k]);
    }
    fputc('\n', errors);
}

static int write_result(store *s, FILE *file, FILE *errors, bool is_csv, double *rows,
                        merged *result)
{
    int code = EXIT_GOOD;
    if (is_csv) {
        table_csv_head(file, s->column, s->ncolumn);
    } else {
        table_npy_head(file, s->column, s->ncolumn, s->cases);
    }
    for (long long block = 0; block < s->blocks && code == EXIT_GOOD; ++block) {
        code = store_read(s, block, rows);
        if (code != EXIT_GOOD) {
            break;
        }
        const int count = store_rows(s, block);
        write_rows(file, rows, count, s->ncolumn, is_csv);
        for (int i = 0; i < count; ++i) {
            const double *row = rows + (ptrdiff_t)i * s->ncolumn;
            const long long number = block * s->block + i;
            if (row[0] != 0.0) {
                if (result->failed++ < MERGE_ERRORS) {
                    note_error(errors, s, number, row);
                }
                continue;
            }
            for (int k = 1; k < s->ncolumn; ++k) {
                count_value(&result->column[k], row[k], number);
            }
        }
    }
    return code;
}

// A large file: written beside its place, not kept in memory.
static int stream_result(store *s, const char *name, bool is_csv, FILE *errors, double *rows,
                         merged *result)
{
    const char *path = store_path(s, name), *draft = store_path(s, "result.tmp");
    FILE *file = fopen(draft, "wb");
    if (!file) {
        return complain(EXIT_FILE, "cannot write %s: %s", draft, strerror(errno));
    }
    setvbuf(file, NULL, _IOFBF, 1 << 20);
    int code = write_result(s, file, errors, is_csv, rows, result);
    const bool is_whole = fflush(file) == 0 && !ferror(file) && fdatasync(fileno(file)) == 0;
    const int reason = errno;
    fclose(file);
    if (code == EXIT_GOOD && (!is_whole || rename(draft, path) != 0)) {
        code = complain(EXIT_FILE,
                        "cannot write %s: %s; all blocks are finished and kept: run the "
                        "same command again when there is space",
                        path, strerror(is_whole ? errno : reason));
    }
    if (code != EXIT_GOOD) {
        unlink(draft);
    }
    return code;
}

static int write_cells(const store *s, const merged *result)
{
    file_draft draft;
    const int code = file_begin(&draft);
    if (code != EXIT_GOOD) {
        return code;
    }
    fputs("column,from,to,count\n", draft.to);
    for (int k = 1; k < s->ncolumn; ++k) {
        const column_summary *c = &result->column[k];
        const double width = (c->high - c->low) / MERGE_BINS;
        for (int i = 0; i < MERGE_BINS && c->count > 0; ++i) {
            fprintf(draft.to, "\"%s\",%.17g,%.17g,%lld\n", s->column[k], c->low + i * width,
                    i + 1 < MERGE_BINS ? c->low + (i + 1) * width : c->high, c->bin[i]);
        }
    }
    return file_end(&draft, store_path(s, "hist.csv"));
}

// Histograms over each column's own range, from 0 to 1.
static int draw_cells(const store *s, const merged *result)
{
    const int count = s->ncolumn - 1 < PLOTS ? s->ncolumn - 1 : PLOTS;
    plot_panel *panel = memory_get(s->pool, (size_t)count + 1, sizeof *panel);
    plot_curve *curve = memory_get(s->pool, (size_t)count + 1, sizeof *curve);
    double *point = memory_numbers(s->pool, count + 1, 4 * MERGE_BINS);
    for (int k = 0; k < count; ++k) {
        const column_summary *c = &result->column[k + 1];
        double *at = point + (ptrdiff_t)k * 4 * MERGE_BINS;
        for (int i = 0; i < MERGE_BINS; ++i) {
            const double y = c->count > 0 ? 100.0 * (double)c->bin[i] / (double)c->count : 0.0;
            at[4 * i] = (double)i / MERGE_BINS;
            at[4 * i + 2] = (double)(i + 1) / MERGE_BINS;
            at[4 * i + 1] = at[4 * i + 3] = y;
        }
        curve[k] = (plot_curve){.x = at, .y = at + 1, .count = 2 * MERGE_BINS, .stride = 2};
        panel[k] = (plot_panel){.title = memory_text(s->pool, "%s: %% of cases, from %.6g to %.6g",
                                                     s->column[k + 1], c->low, c->high),
                                .ncurve = 1,
                                .curve = &curve[k]};
    }
    return count > 0 ? plot_write(store_path(s, "hist.svg"), "Distribution of each column",
                                  "share of the range", panel, count)
                     : EXIT_GOOD;
}

static int write_summary(const store *s, const char *name, const merged *result)
{
    output out;
    output_begin(&out, NULL);
    json_t *all = output_object(&out), *columns = output_array(&out), *files = output_array(&out);
    static const char *const other[] = {"errors.csv", "hist.csv", "hist.svg", "summary.json"};
    output_append(&out, files, output_text(&out, name));
    for (int i = 0; i < 4; ++i) {
        output_append(&out, files, output_text(&out, other[i]));
    }
    for (int k = 1; k < s->ncolumn; ++k) {
        const column_summary *c = &result->column[k];
        json_t *item = output_item(&out, columns);
        output_put(&out, item, "name s, count l", s->column[k], (long)c->count);
        if (c->count > 0) {
            output_put(&out, item,
                       "mean f, deviation f, min f, min_case l, max f, max_case l, q05 f, "
                       "median f, q95 f",
                       c->mean, column_deviation(c), c->low, (long)c->low_case, c->high,
                       (long)c->high_case, c->quantile[0], c->quantile[1], c->quantile[2]);
        }
    }
    output_put(&out, all, "cases l, done l, failed l, files o, columns o", (long)s->cases,
               (long)s->cases, (long)result->failed, files, columns);
    char *text = json_dumps(all, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(all);
    int code = text ? file_write(store_path(s, "summary.json"), text, strlen(text)) : no_memory();
    free(text);
    const int end = output_finish(&out, EXIT_USAGE); // nothing is printed
    (void)end;
    return code;
}

int merge_write(store *s, bool is_csv, merged *result)
{
    const char *name = is_csv ? "result.csv" : "result.npy";
    double *rows = memory_numbers(s->pool, s->block, s->ncolumn);
    *result = (merged){.column = memory_get(s->pool, (size_t)s->ncolumn, sizeof(column_summary))};
    file_draft errors;
    int code = file_begin(&errors);
    if (code != EXIT_GOOD) {
        return code;
    }
    fputs("case,status,reason", errors.to);
    for (int k = 1; k < s->ncolumn; ++k) {
        fprintf(errors.to, ",\"%s\"", s->column[k]);
    }
    fputc('\n', errors.to);
    code = stream_result(s, name, is_csv, errors.to, rows, result);
    const int written = file_end(&errors, store_path(s, "errors.csv"));
    code = code == EXIT_GOOD ? written : code;
    code = code == EXIT_GOOD ? count_cells(s, rows, result) : code;
    code = code == EXIT_GOOD ? write_cells(s, result) : code;
    code = code == EXIT_GOOD ? draw_cells(s, result) : code;
    code = code == EXIT_GOOD ? write_summary(s, name, result) : code;
    return code == EXIT_GOOD ? store_remove_parts(s) : code;
}

const char *merge_result_name(const store *s)
{
    static const char *const name[] = {"result.npy", "result.csv"};
    for (int i = 0; i < 2; ++i) {
        if (access(store_path(s, name[i]), F_OK) == 0 &&
            access(store_path(s, "summary.json"), F_OK) == 0) {
            return name[i];
        }
    }
    return NULL;
}

// --- Printing ---------------------------------------------------------------------------------

// Why the first case that failed did; the others are in the same file.
static void print_first_failure(const store *s, output *out)
{
    char *text = NULL, reason[200];
    size_t size = 0;
    long long number = 0;
    const char *line = file_read(store_path(s, "errors.csv"), &text, &size) == EXIT_GOOD
                           ? strchr(text, '\n')
                           : NULL;
    if (line && sscanf(line + 1, "%lld,%*[^,],\"%199[^\"]", &number, reason) == 2) {
        fprintf(out->text, "the first that failed, case %lld: %s\n", number, reason);
    }
    free(text);
}

int merge_print(const store *s, output *out)
{
    static const char *const key[] = {"mean", "deviation", "min", "q05", "median", "q95", "max"};
    static const char *const head[] = {"mean",   "deviation", "least",  "5 %",
                                       "median", "95 %",      "largest"};
    char *text = NULL;
    size_t size = 0;
    json_error_t error;
    const char *path = store_path(s, "summary.json");
    const int code = file_read(path, &text, &size);
    json_t *all = code == EXIT_GOOD ? json_loadb(text, size, 0, &error) : NULL;
    free(text);
    if (!all) {
        return code != EXIT_GOOD ? code : complain(EXIT_INPUT, "%s: %s", path, error.text);
    }
    if (out->is_json) {
        out->json = all;
        return EXIT_GOOD;
    }
    const json_t *columns = json_object_get(all, "columns");
    const int count = (int)json_array_size(columns);
    const char **name = memory_get(s->pool, (size_t)count + 1, sizeof *name);
    double *value = memory_numbers(s->pool, count + 1, 7);
    for (int k = 0; k < count; ++k) {
        const json_t *c = json_array_get(columns, (size_t)k);
        name[k] = memory_text(s->pool, "%s", json_string_value(json_object_get(c, "name")));
        for (int i = 0; i < 7; ++i) {
            const json_t *x = json_object_get(c, key[i]);
            value[7 * k + i] = json_is_number(x) ? json_number_value(x) : OUTPUT_NONE;
        }
    }
    const long long failed = json_integer_value(json_object_get(all, "failed"));
    fprintf(out->text, "%lld cases, %lld failed; in %s: ", s->cases, failed, s->dir);
    const json_t *files = json_object_get(all, "files");
    for (size_t i = 0; i < json_array_size(files); ++i) {
        fprintf(out->text, "%s%s", i > 0 ? ", " : "", json_string_value(json_array_get(files, i)));
    }
    fputs("\n", out->text);
    if (failed > 0) {
        print_first_failure(s, out);
    }
    output_table(out, "columns", name, count, head, 7, value);
    json_decref(all);
    return EXIT_GOOD;
}
