#include "sweep/sweep_drive.h"

#include "support/files.h"
#include "support/message.h"
#include "support/numeral.h"
#include "support/timing.h"
#include "sweep/store.h"
#include "sweep/sweep_result.h"
#include "sweep/team.h"

#include <linkwork/openmp.h>

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile sig_atomic_t is_stopped;

static void stop(int signal_number)
{
    (void)signal_number;
    is_stopped = 1;
}

static bool is_cancelled(void *context)
{
    (void)context;
    return is_stopped != 0;
}

/// What the threads of a process share.
typedef struct driving {
    const lw_sweep *sweep;
    store *s;
    team *t;
    pthread_mutex_t lock; ///< around the store, the team and all below
    long long *todo;
    long long ntodo;
    int code;
    double begin, until, shown;
    long long first_done; ///< blocks that were there before
    long long failed, cases;
    double computing, keeping; ///< seconds of all threads within blocks, and in files
    int progress;              ///< 0 none, 1 for people, 2 JSON
} driving;

// --- Progress ---------------------------------------------------------------------------------

static void show_progress(driving *v, long long taken)
{
    const double now = timing_now();
    if (v->progress == 0 || v->t->rank > 0 || now - v->shown < 1.0) {
        return;
    }
    v->shown = now;
    const long long done = v->first_done + (taken < v->ntodo ? taken : v->ntodo);
    const double rate = (double)taken / (now - v->begin);
    const double left = rate > 0.0 ? (double)(v->ntodo - taken) / rate : 0.0;
    const double share = 100.0 * (double)done / (double)v->s->blocks;
    if (v->progress == 2) {
        fprintf(stderr,
                "{\"done\": %lld, \"blocks\": %lld, \"cases_per_second\": %.6g, \"seconds_left\": "
                "%.6g, \"failed\": %lld}\n",
                done, v->s->blocks, rate * v->s->block, left, v->failed);
    } else {
        fprintf(stderr, "\r%5.1f %%  %.3g cases/s  %.0f s left  %lld failed   ", share,
                rate * v->s->block, left, v->failed);
    }
    fflush(stderr);
}

// --- Threads ----------------------------------------------------------------------------------

static long long next_block(driving *v)
{
    long long block = -1;
    pthread_mutex_lock(&v->lock);
    if (v->code == EXIT_GOOD && !is_stopped && (v->until <= 0.0 || timing_now() < v->until)) {
        const long long taken = v->t->take(v->t);
        block = taken < v->ntodo ? v->todo[taken] : -1;
        show_progress(v, taken);
    } else if (v->code == EXIT_GOOD) {
        v->code = EXIT_STOPPED;
    }
    pthread_mutex_unlock(&v->lock);
    return block;
}

static void finish_block(driving *v, long long block, const double *rows, lw_status status,
                         double seconds)
{
    const int count = store_rows(v->s, block);
    long long failed = 0;
    for (int i = 0; i < count && status == LW_OK; ++i) {
        failed += rows[(ptrdiff_t)i * v->s->ncolumn] != 0.0;
    }
    pthread_mutex_lock(&v->lock);
    if (status == LW_OK && v->code != EXIT_FILE) {
        const double begin = timing_now();
        const int code = store_add(v->s, block, rows, failed);
        v->computing += seconds;
        v->keeping += timing_now() - begin;
        v->code = code != EXIT_GOOD ? code : v->code;
        v->failed += failed;
        v->cases += count;
    } else if (status == LW_ERR_BUSY) {
        v->code = v->code == EXIT_GOOD ? EXIT_STOPPED : v->code;
    }
    pthread_mutex_unlock(&v->lock);
}

static void work_on(void *argument, int task, int thread)
{
    driving *v = argument;
    lw_sweep_worker *worker = NULL;
    (void)task;
    (void)thread;
    double *rows = malloc((size_t)v->s->block * (size_t)v->s->ncolumn * sizeof *rows);
    const lw_status status = rows ? lw_sweep_worker_create(v->sweep, &worker) : LW_ERR_MEMORY;
    if (status != LW_OK) {
        pthread_mutex_lock(&v->lock);
        v->code = status == LW_ERR_MODEL
                      ? complain(EXIT_INPUT, "a model has changed since the plan was read")
                      : no_memory();
        pthread_mutex_unlock(&v->lock);
    }
    lw_sweep_worker_cancel(worker, is_cancelled, NULL);
    for (long long block = status == LW_OK ? next_block(v) : -1; block >= 0;
         block = next_block(v)) {
        const double begin = timing_now();
        const lw_status done = lw_sweep_block(v->sweep, worker, block, rows);
        finish_block(v, block, rows, done, timing_now() - begin);
    }
    lw_sweep_worker_destroy(worker);
    free(rows);
}

static void list_blocks(driving *v, memory *pool, int shard, int nshard)
{
    v->todo = memory_get(pool, (size_t)v->s->blocks + 1, sizeof *v->todo);
    for (long long block = shard; block < v->s->blocks; block += nshard) {
        if (v->s->entry[block].part == 0) {
            v->todo[v->ntodo++] = block;
        }
    }
    v->first_done = v->s->ndone;
}

// --- A sweep ----------------------------------------------------------------------------------

static int read_shard(const command_line *args, int *shard, int *nshard)
{
    const char *text = args_value(args, OPT_SHARD);
    *shard = 0;
    *nshard = 1;
    if (!text) {
        return EXIT_GOOD;
    }
    const char *slash = strchr(text, '/');
    if (!slash || !number_parse_count(slash + 1, strlen(slash + 1), 9999, nshard) ||
        !number_parse_count(text, (size_t)(slash - text), *nshard, shard)) {
        return complain(EXIT_USAGE, "--shard: \"%s\" is not k/N with 1 <= k <= N <= 9999", text);
    }
    --*shard;
    return EXIT_GOOD;
}

static int read_progress(const command_line *args, int *progress)
{
    static const char *const word[] = {"auto", "none", "json", NULL};
    const int choice = args_choice(args, OPT_PROGRESS, word);
    *progress = choice == 2 ? 2 : choice == 0 && isatty(STDERR_FILENO);
    return choice < 0 ? EXIT_USAGE : EXIT_GOOD;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = stop};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
}

static int run_blocks(job *work, driving *v, int shard, int nshard)
{
    double seconds = 0.0;
    int threads = 1;
    int code = args_whole(work->args, OPT_THREADS, 1, 1024, &threads);
    code = code == EXIT_GOOD
               ? args_number(work->args, OPT_MAX_SECONDS, ARGS_ABOVE_ZERO, 1e9, &seconds)
               : code;
    code = code == EXIT_GOOD ? read_progress(work->args, &v->progress) : code;
    code = code == EXIT_GOOD ? store_begin(v->s, shard + 1, v->t->rank) : code;
    if (code != EXIT_GOOD) {
        return code;
    }
    catch_signals();
    list_blocks(v, work->pool, shard, nshard);
    v->begin = v->shown = timing_now();
    v->until = seconds > 0.0 ? v->begin + seconds : 0.0;
    const lw_batch_runner runner = lw_openmp_runner(threads);
    if (threads > runner.nworker) {
        fprintf(stderr, "linkwork: this build has no OpenMP: one thread does all the work\n");
    }
    pthread_mutex_init(&v->lock, NULL);
    runner.run(runner.context, runner.nworker, runner.nworker, work_on, v);
    pthread_mutex_destroy(&v->lock);
    if (v->progress == 1 && v->t->rank == 0) {
        fprintf(stderr, "\r%*s\r", 72, "");
    }
    const double begin = timing_now();
    code = v->code == EXIT_FILE ? EXIT_GOOD : store_sync(v->s);
    v->keeping += timing_now() - begin;
    if (v->progress == 2) {
        struct rusage usage = {0};
        getrusage(RUSAGE_SELF, &usage);
        fprintf(stderr,
                "{\"rank\": %d, \"cases\": %lld, \"seconds\": %.6g, \"computing\": %.6g, "
                "\"keeping\": %.6g, \"memory\": %ld}\n",
                v->t->rank, v->cases, timing_now() - v->begin, v->computing, v->keeping,
                usage.ru_maxrss * 1024);
    }
    return code != EXIT_GOOD ? code : v->code;
}

static const char goes_on[] = "; the same command goes on where it ended";

static void print_state(job *work, const store *s, const char *what, const char *rest)
{
    if (work->out.is_json) {
        work->out.json = output_object(&work->out);
        output_put(&work->out, work->out.json, "cases l, blocks l, done l, resumable o",
                   (long)s->cases, (long)s->blocks, (long)s->ndone, json_true());
    } else {
        fprintf(work->out.text, "%s: %lld of %lld blocks are finished in %s%s\n", what, s->ndone,
                s->blocks, s->dir,
                s->ndone < s->blocks ? rest : "; linkwork sweep --merge makes the result");
    }
}

// After the work: what is there, of all processes.
static int finish(job *work, const char *dir, int code, int nshard)
{
    store all = {0};
    merged result;
    if (code != EXIT_GOOD && code != EXIT_STOPPED) {
        return code; // there may be no folder
    }
    int next = store_open_folder(&all, work->pool, dir);
    next = next == EXIT_GOOD ? store_scan(&all, false) : next;
    if (next != EXIT_GOOD) {
        return code != EXIT_GOOD ? code : next;
    }
    if (all.ndone < all.blocks || nshard > 1) {
        if (code == EXIT_STOPPED) {
            print_state(work, &all, "stopped", goes_on);
        } else {
            print_state(work, &all, "this shard is finished", "; the others have the rest");
        }
        work->prints_anyway = true;
        // A limit of time that the user has set is no failure.
        const bool is_wanted = code == EXIT_STOPPED && !is_stopped;
        return code == EXIT_GOOD || is_wanted ? EXIT_GOOD : EXIT_STOPPED;
    }
    next = merge_write(&all, args_has(work->args, OPT_CSV), &result);
    return next == EXIT_GOOD ? merge_print(&all, &work->out) : next;
}

// Rank 0 makes the folder before others look into it.
static int open_for_all(store *s, job *work, team *t, const char *dir, const lw_sweep *sweep,
                        const char *plan)
{
    int code = EXIT_GOOD;
    if (t->rank == 0) {
        code = store_open(s, work->pool, dir, sweep, plan, true);
    }
    code = t->meet(t, code);
    if (t->rank > 0 && code == EXIT_GOOD) {
        code = store_open(s, work->pool, dir, sweep, plan, false);
    }
    return t->meet(t, code);
}

static int run_sweep(job *work, team *t, const lw_sweep *sweep, const char *plan)
{
    const char *dir = args_value(work->args, OPT_OUTPUT);
    store s = {.dat = -1, .jnl = -1};
    int shard, nshard;
    int code = dir ? read_shard(work->args, &shard, &nshard)
                   : complain(EXIT_USAGE, "%s needs a folder: -o DIR", work->args->command->name);
    code = t->meet(t, code);
    code = code == EXIT_GOOD ? open_for_all(&s, work, t, dir, sweep, plan) : code;
    if (code == EXIT_GOOD && merge_result_name(&s)) {
        return t->rank == 0 ? merge_print(&s, &work->out) : EXIT_GOOD;
    }
    if (code == EXIT_GOOD) {
        code = t->meet(t, store_scan(&s, true));
    }
    if (code == EXIT_GOOD) {
        driving v = {.sweep = sweep, .s = &s, .t = t};
        code = t->meet(t, run_blocks(work, &v, shard, nshard));
    }
    store_close(&s);
    return t->rank == 0 ? finish(work, dir, code, nshard) : code;
}

// --- One case ---------------------------------------------------------------------------------

static int replay(job *work, const lw_sweep *sweep)
{
    const lw_sweep_info info = lw_sweep_describe(sweep);
    double number = 0.0;
    const int code = args_whole_large(work->args, OPT_CASE, 0.0, (double)info.cases - 1.0, &number);
    if (code != EXIT_GOOD) {
        return code;
    }
    lw_sweep_worker *worker = NULL;
    lw_failure failure = {0};
    double *input = memory_numbers(work->pool, info.ninput + 1, 1);
    double *row = memory_numbers(work->pool, info.ncolumn, 1);
    lw_status status = lw_sweep_worker_create(sweep, &worker);
    if (status != LW_OK) {
        return complain(exit_code_of(status), "%s", lw_status_text(status));
    }
    lw_sweep_case(sweep, worker, (long long)number, input, row, &failure);
    lw_sweep_worker_destroy(worker);
    status = (lw_status)(int)row[0];
    const lw_model *m =
        lw_sweep_model(sweep, (int)((long long)number / (info.cases / info.nstructure)));
    char reason[512] = "";
    if (status == LW_ERR_LIMIT) {
        snprintf(reason, sizeof reason, "%s", merge_reason(status));
    } else if (status != LW_OK) {
        lw_failure_text(m, &failure, reason, sizeof reason);
    }
    output *out = &work->out;
    if (out->is_json) {
        json_t *inputs = output_object(out), *columns = output_object(out);
        for (int i = 0; i < info.ninput; ++i) {
            output_put(out, inputs, memory_text(work->pool, "%s f", info.input[i]), input[i]);
        }
        for (int k = 1; k < info.ncolumn; ++k) {
            output_put(out, columns, memory_text(work->pool, "%s n", info.column[k]), row[k]);
        }
        out->json = output_object(out);
        output_put(out, out->json, "case l, status s, reason s, inputs o, columns o", (long)number,
                   status == LW_OK ? "ok" : lw_status_name(status), reason, inputs, columns);
        return EXIT_GOOD;
    }
    fprintf(out->text, "case %lld: %s\n", (long long)number, status == LW_OK ? "ok" : reason);
    output_table(out, "what varies", info.input, info.ninput, NULL, 1, input);
    for (int k = 1; k < info.ncolumn; ++k) {
        row[k] = isfinite(row[k]) ? row[k] : OUTPUT_NONE;
    }
    output_table(out, "what is measured", info.column + 1, info.ncolumn - 1, NULL, 1, row + 1);
    return EXIT_GOOD;
}

// --- Commands ---------------------------------------------------------------------------------

static int drive_team(job *work, team *t, const char *name, const char *text, size_t size)
{
    lw_sweep *sweep = NULL;
    lw_report *report = NULL;
    int code = lw_report_create(&report) == LW_OK ? EXIT_GOOD : no_memory();
    if (code == EXIT_GOOD) {
        const lw_status status = lw_sweep_load_text(name, text, size, &sweep, report);
        if (t->rank == 0) {
            print_new_diagnostics(report, work->robot.report); // of a model that was read before
        }
        code = status == LW_OK ? EXIT_GOOD : exit_code_of(status);
    }
    if (code == EXIT_GOOD && args_has(work->args, OPT_CASE)) {
        code = t->rank == 0 ? replay(work, sweep) : EXIT_GOOD;
    } else {
        code = t->meet(t, code);
        code = code == EXIT_GOOD ? run_sweep(work, t, sweep, text) : code;
    }
    lw_sweep_destroy(sweep);
    lw_report_destroy(report);
    return code;
}

int drive_plan(job *work, const char *name, const char *text, size_t size)
{
    team t;
    int code = team_begin(&t);
    if (code < 0) {
        return EXIT_GOOD; // another rank does all
    }
    code = drive_team(work, &t, name, text, size);
    team_end(&t);
    return code;
}

int drive_written(job *work, const char *text)
{
    const char *dir = args_value(work->args, OPT_OUTPUT);
    if (!dir && !args_has(work->args, OPT_CASE)) {
        return complain(EXIT_USAGE, "%s needs a folder: -o DIR", work->args->command->name);
    }
    const char *path = memory_text(work->pool, "%s/plan.xml", dir ? dir : ".");
    const int code = drive_plan(work, path, text, strlen(text));
    const bool is_kept = dir && (code == EXIT_GOOD || code == EXIT_STOPPED);
    int kept = is_kept ? folder_make(dir) : EXIT_GOOD; // a single case has made none
    kept = is_kept && kept == EXIT_GOOD ? file_write(path, text, strlen(text)) : kept;
    return code != EXIT_GOOD ? code : kept;
}

bool drive_is_finished(job *work)
{
    const store s = {.pool = work->pool, .dir = args_value(work->args, OPT_OUTPUT)};
    return s.dir && merge_result_name(&s);
}

int drive_status(job *work, const char *dir)
{
    store s;
    int code = store_open_folder(&s, work->pool, dir);
    if (code == EXIT_GOOD && merge_result_name(&s)) {
        return merge_print(&s, &work->out);
    }
    code = code == EXIT_GOOD ? store_scan(&s, false) : code;
    if (code == EXIT_GOOD) {
        print_state(work, &s, "not merged", goes_on);
    }
    return code;
}

int drive_merge(job *work, const char *dir)
{
    store s;
    merged result;
    int code = store_open_folder(&s, work->pool, dir);
    if (code == EXIT_GOOD && merge_result_name(&s)) {
        return merge_print(&s, &work->out);
    }
    code = code == EXIT_GOOD ? store_scan(&s, false) : code;
    if (code == EXIT_GOOD && s.ndone < s.blocks) {
        long long missing = 0;
        while (s.entry[missing].part != 0) {
            ++missing;
        }
        return complain(EXIT_INPUT, "%s: %lld of %lld blocks are not finished, the first is %lld",
                        dir, s.blocks - s.ndone, s.blocks, missing);
    }
    code = code == EXIT_GOOD ? merge_write(&s, args_has(work->args, OPT_CSV), &result) : code;
    return code == EXIT_GOOD ? merge_print(&s, &work->out) : code;
}
