#define _GNU_SOURCE // realpath and prctl
#include "jobs.h"

#include "gate.h"
#include "support/files.h"
#include "support/message.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

extern char **environ;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// --- Options ----------------------------------------------------------------------------------

/// A row of options.def, as far as it matters here.
static const struct {
    const char *name, *letter, *value;
    unsigned use;
} known[] = {
#define OPTION(id, name, letter, value, use, help) {name, letter, value, use},
#include "support/options.def"
#undef OPTION
};

// What a page may ask for; "configure" and its like have their own first operand.
enum { MODEL = 1, JSON = 2, PROGRESS = 4, EXPORT = 8 };
static const struct {
    const char *name;
    unsigned has; ///< MODEL is the one that is shown; EXPORT takes no options but its own
} commands[] = {
    {"info", MODEL | JSON},
    {"check", MODEL | JSON},
    {"explain", MODEL | JSON},
    {"draw", MODEL},
    {"fk", MODEL | JSON},
    {"ik", MODEL | JSON},
    {"collide", MODEL | JSON},
    {"jacobian", MODEL | JSON},
    {"id", MODEL | JSON},
    {"fd", MODEL | JSON},
    {"mass", MODEL | JSON},
    {"gravity", MODEL | JSON},
    {"energy", MODEL | JSON},
    {"sensitivity", MODEL | JSON},
    {"simulate", MODEL | JSON | PROGRESS},
    {"linearize", MODEL | JSON},
    {"compare", MODEL | JSON},
    {"derive", MODEL | JSON},
    {"generate", MODEL | JSON},
    {"verify", MODEL | JSON},
    {"workspace", MODEL | JSON | PROGRESS},
    {"configure", JSON | PROGRESS},
    {"studio", EXPORT},
};

static int find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        if (strcmp(commands[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

bool jobs_has_command(const char *command)
{
    return find_command(command) >= 0;
}

static int find_option(const char *key)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        const bool is_name = known[i].name && strcmp(known[i].name + 2, key) == 0;
        const bool is_letter = known[i].letter && strcmp(known[i].letter + 1, key) == 0;
        if (is_name || is_letter) {
            return (int)i;
        }
    }
    return -1;
}

/// A command line while it is made.
typedef struct draft {
    memory *pool;
    const shown *s;
    const json_t *files;
    const char *folder;
    char **word;
    int nword, capacity;
    const char *why; ///< it is refused; NULL if it is not
} draft;

static void add(draft *d, const char *text)
{
    if (d->nword < d->capacity) {
        d->word[d->nword++] = memory_text(d->pool, "%s", text);
    } else {
        d->why = "the request has too many options";
    }
}

// A number with all its digits, the same in every locale.
static const char *number_json(draft *d, const json_t *number)
{
    char *text = json_dumps(number, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    const char *copy = memory_text(d->pool, "%s", text ? text : "");
    free(text);
    return copy;
}

// Numbers as a list with commas between them.
static const char *list_text(draft *d, const json_t *array)
{
    const char *text = "";
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)array, i, item)
    {
        if (!json_is_number(item)) {
            d->why = "a list of an option has something else than numbers";
            return "";
        }
        text = memory_text(d->pool, "%s%s%s", text, i > 0 ? "," : "", number_json(d, item));
    }
    return text;
}

// A file that is read: one of the request, or one below the folder of the model.
static const char *file_to_read(draft *d, const char *name)
{
    if (json_object_get(d->files, name)) {
        return memory_text(d->pool, "%s/%s", d->folder, name);
    }
    const char *base = d->s->folder[0] != '\0' ? d->s->folder : "./";
    char *root = realpath(base, NULL);
    char *full = realpath(memory_text(d->pool, "%s%s", base, name), NULL);
    const size_t length = root ? strlen(root) : 0;
    const bool is_inside = root && full && name[0] != '/' && strncmp(root, full, length) == 0 &&
                           (full[length] == '/' || length == 1);
    const char *path = is_inside ? memory_text(d->pool, "%s", full) : "";
    free(root);
    free(full);
    if (!is_inside) {
        d->why = "a file of the request is not there, or not below the folder of the model";
    }
    return path;
}

static void add_text(draft *d, int option, const char *value)
{
    const char *name = known[option].name ? known[option].name : known[option].letter;
    if (known[option].use & WRITES) {
        if (!gate_is_plain_name(value) || json_object_get(d->files, value)) {
            d->why = "a file to write needs a plain name, other than those that are read";
            return;
        }
        value = memory_text(d->pool, "%s/%s", d->folder, value);
    } else if (known[option].use & READS) {
        value = file_to_read(d, value);
    }
    add(d, name);
    // "=" keeps a value that begins with '-' apart from options.
    if (known[option].name) {
        d->word[d->nword - 1] = memory_text(d->pool, "%s=%s", name, value);
    } else {
        d->word[d->nword - 1] = memory_text(d->pool, "%s%s", name, value);
    }
}

static void add_value(draft *d, int option, const json_t *value)
{
    const json_t *first = json_array_get(value, 0);
    const char *name = known[option].name ? known[option].name : known[option].letter;
    if (!known[option].value) {
        if (json_is_true(value)) {
            add(d, name);
        } else if (!json_is_false(value)) {
            d->why = "an option without a value must be true or false";
        }
    } else if (json_is_string(value)) {
        add_text(d, option, json_string_value(value));
    } else if (json_is_number(value)) {
        add_text(d, option, number_json(d, value));
    } else if (json_is_string(first)) {
        size_t i;
        json_t *item;
        json_array_foreach((json_t *)value, i, item)
        {
            add_text(d, option, json_is_string(item) ? json_string_value(item) : "");
        }
    } else if (json_is_array(value)) {
        add_text(d, option, list_text(d, value));
    } else {
        d->why = "the value of an option is no text, number or list";
    }
}

static void add_options(draft *d, const json_t *options)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)options, key, value)
    {
        const int option = find_option(key);
        if (option < 0 || option == OPT_PATH || option == OPT_JSON || option == OPT_ATTACH) {
            d->why = memory_text(d->pool, "there is no option \"%.40s\" here", key);
        } else if (!d->why) {
            add_value(d, option, value);
        }
    }
}

// The model options of the studio come with every command that takes them.
static void add_model(draft *d, int command)
{
    const command_line *line = &d->s->line;
    for (int i = 0; i < line->ngiven; ++i) {
        const given_option *given = &line->given[i];
        const bool is_scene = given->id == OPT_SCENE || given->id == OPT_ATTACH;
        const bool takes = !is_scene || strcmp(commands[command].name, "collide") == 0 ||
                           strcmp(commands[command].name, "draw") == 0;
        if (takes) {
            add(d, option_name(given->id));
            if (given->value) {
                add(d, given->value);
            }
        }
    }
}

static void make_line(draft *d, int command, const json_t *request)
{
    add(d, "linkwork");
    add(d, commands[command].name);
    const char *operand = json_string_value(json_object_get(request, "operand"));
    const json_t *options = json_object_get(request, "options");
    if (commands[command].has & MODEL) {
        add(d, d->s->args->operand[0]);
        add_model(d, command);
    } else if (operand) {
        add(d, file_to_read(d, operand));
    } else if (!json_is_true(json_object_get(options, "list"))) {
        d->why = "the operand of this operation is missing";
    }
    if (commands[command].has & EXPORT) {
        add(d, memory_text(d->pool, "--export=%s/model.json", d->folder));
        d->why = json_object_size(options) > 0 ? "this operation has no options" : d->why;
    }
    add_options(d, options);
    if (commands[command].has & JSON) {
        add(d, "--json");
    }
    if (commands[command].has & PROGRESS) {
        add(d, "--progress=json");
    }
}

// --- Folders ----------------------------------------------------------------------------------

static char *make_folder(void)
{
    const char *base = getenv("TMPDIR");
    char *path = NULL;
    if (asprintf(&path, "%s/linkwork-XXXXXX", base && base[0] == '/' ? base : "/tmp") < 0) {
        return NULL;
    }
    if (!mkdtemp(path)) {
        free(path);
        return NULL;
    }
    return path;
}

// Calls for each file of a folder and of the folders in it, by its name from there.
static void each_file(const char *folder, void (*visit)(const char *path, const char *name, void *),
                      bool with_folders, void *context)
{
    char *queue[64] = {strdup("")};
    int nqueue = 1;
    for (int i = 0; i < nqueue; ++i) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, queue[i] ? queue[i] : "");
        DIR *dir = queue[i] ? opendir(path) : NULL;
        for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
            char name[2048];
            struct stat info;
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
                continue;
            }
            snprintf(name, sizeof name, "%.1000s%s%.1000s", queue[i],
                     queue[i][0] != '\0' ? "/" : "", entry->d_name);
            snprintf(path, sizeof path, "%.2000s/%.2000s", folder, name);
            if (lstat(path, &info) != 0) {
                continue;
            }
            if (S_ISDIR(info.st_mode) && nqueue < 64) {
                queue[nqueue++] = strdup(name);
            } else if (!S_ISDIR(info.st_mode)) {
                visit(path, name, context);
            }
        }
        if (dir) {
            closedir(dir);
        }
    }
    for (int i = nqueue - 1; i >= 0; --i) {
        char path[4096];
        snprintf(path, sizeof path, "%.2000s/%.2000s", folder, queue[i] ? queue[i] : "");
        if (with_folders) {
            rmdir(path);
        }
        free(queue[i]);
    }
}

static void unlink_file(const char *path, const char *name, void *context)
{
    (void)name;
    (void)context;
    unlink(path);
}

static void forget(operation *task)
{
    if (task->folder) {
        each_file(task->folder, unlink_file, true, NULL);
        free(task->folder);
    }
    *task = (operation){.alive = -1};
}

static bool write_files(const char *folder, const json_t *files, const char **why)
{
    const char *name;
    json_t *text;
    json_object_foreach((json_t *)files, name, text)
    {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (!gate_is_plain_name(name) || !json_is_string(text) || strcmp(name, "stdout") == 0 ||
            strcmp(name, "stderr") == 0) {
            *why = "a file of the request needs a plain name and a text";
            return false;
        }
        FILE *file = fopen(path, "wbx");
        const size_t size = json_string_length(text);
        const bool is_good = file && fwrite(json_string_value(text), 1, size, file) == size;
        if (!file || fclose(file) != 0 || !is_good) {
            *why = "a file of the request cannot be written";
            return false;
        }
    }
    return true;
}

// --- Children ---------------------------------------------------------------------------------

static void limit(int what, rlim_t value)
{
    const struct rlimit limits = {value, value};
    setrlimit((__rlimit_resource_t)what, &limits);
}

// In the child: nothing but calls that are safe after fork().
static void become(const char *out, const char *err, int keep, char *const *word)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    setpgid(0, 0);
    limit(RLIMIT_CPU, JOB_CPU_SECONDS);
    limit(RLIMIT_AS, (rlim_t)JOB_MEMORY_MB << 20);
    limit(RLIMIT_FSIZE, (rlim_t)JOB_FILE_MB << 20);
    limit(RLIMIT_CORE, 0);
    const int in = open("/dev/null", O_RDONLY);
    const int to = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int log = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (in < 0 || to < 0 || log < 0 || dup2(in, 0) < 0 || dup2(to, 1) < 0 || dup2(log, 2) < 0) {
        _exit(EXIT_FILE);
    }
    fcntl(keep, F_SETFD, 0);
    signal(SIGPIPE, SIG_DFL);
    execve("/proc/self/exe", word, environ);
    _exit(EXIT_FILE);
}

static int launch(operation *task, char *const *word)
{
    int pipes[2];
    char out[4096], err[4096];
    snprintf(out, sizeof out, "%s/stdout", task->folder);
    snprintf(err, sizeof err, "%s/stderr", task->folder);
    if (pipe(pipes) != 0) {
        return -1;
    }
    fcntl(pipes[0], F_SETFD, FD_CLOEXEC);
    fcntl(pipes[1], F_SETFD, FD_CLOEXEC);
    task->child = fork();
    if (task->child == 0) {
        become(out, err, pipes[1], word);
    }
    close(pipes[1]);
    task->alive = pipes[0];
    if (task->child < 0) {
        close(pipes[0]);
        task->alive = -1;
        return -1;
    }
    return 0;
}

// A place for one more task: a free one, or that of the oldest which has ended.
static operation *free_place(jobs *all)
{
    operation *oldest = NULL;
    int running = 0;
    for (int i = 0; i < JOBS_MOST; ++i) {
        operation *task = &all->job[i];
        running += task->id > 0 && task->code == -1;
        if (task->id == 0 || (task->code != -1 && (!oldest || task->id < oldest->id))) {
            oldest = task;
        }
    }
    return running < JOBS_RUNNING ? oldest : NULL;
}

int jobs_start(jobs *all, const shown *s, const char *name, const json_t *request, const char **why)
{
    const int command = find_command(name);
    operation *task = free_place(all);
    if (!task) {
        *why = "too many operations are running";
        return -2;
    }
    forget(task);
    task->folder = make_folder();
    memory pool = {0};
    const json_t *files = json_object_get(request, "files");
    char *word[128] = {NULL};
    draft d = {.pool = &pool, .s = s, .files = files, .folder = task->folder, .word = word};
    d.capacity = 127;
    int id = -3;
    *why = "no folder or process can be made";
    if (task->folder) {
        make_line(&d, command, request);
        id = d.why ? -1 : write_files(task->folder, files, why) ? 0 : -1;
        if (d.why) {
            static char text[128]; // outlives the pool
            snprintf(text, sizeof text, "%s", d.why);
            *why = text;
        }
    }
    if (id == 0) {
        *task = (operation){.folder = task->folder,
                            .model_folder = s->folder,
                            .code = -1,
                            .began = seconds(),
                            .alive = -1};
        snprintf(task->command, sizeof task->command, "%s", name);
        id = launch(task, word) == 0 ? (task->id = ++all->last) : -3;
    }
    if (id < 0) {
        forget(task);
    }
    memory_free(&pool, NULL);
    return id;
}

operation *jobs_find(jobs *all, int id)
{
    for (int i = 0; id > 0 && i < JOBS_MOST; ++i) {
        if (all->job[i].id == id) {
            return &all->job[i];
        }
    }
    return NULL;
}

operation *jobs_collect(jobs *all)
{
    for (int i = 0; i < JOBS_MOST; ++i) {
        operation *task = &all->job[i];
        int status = 0;
        if (task->id > 0 && task->code == -1 && waitpid(task->child, &status, WNOHANG) > 0) {
            task->code = WIFEXITED(status) ? WEXITSTATUS(status) : -2;
            task->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
            task->ended = seconds();
            task->is_new = true;
            close(task->alive);
            task->alive = -1;
        }
        if (task->is_new) {
            return task;
        }
    }
    return NULL;
}

void jobs_cancel(operation *task)
{
    if (task->code == -1) {
        task->is_cancelled = true;
        if (kill(-task->child, SIGKILL) != 0) { // before it had a group of its own
            kill(task->child, SIGKILL);
        }
    }
}

void jobs_close(jobs *all)
{
    for (int i = 0; i < JOBS_MOST; ++i) {
        operation *task = &all->job[i];
        if (task->id > 0 && task->code == -1) {
            jobs_cancel(task);
            waitpid(task->child, NULL, 0);
            close(task->alive);
        }
        forget(task);
    }
}

// --- Replies ----------------------------------------------------------------------------------

// Whether a file begins with bytes that no text has: it is not read as a whole, then.
static bool is_binary(const char *path)
{
    char head[4096];
    FILE *file = fopen(path, "rb");
    const size_t size = file ? fread(head, 1, sizeof head, file) : 0;
    if (file) {
        fclose(file);
    }
    return memchr(head, '\0', size) != NULL;
}

static json_t *text_json(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    json_t *value = NULL;
    if (is_binary(path)) {
        return json_string("");
    }
    if (file_read(path, &text, &size) == EXIT_GOOD) {
        value = json_stringn(text, size);
        if (!value) { // no UTF-8
            value = json_string("");
        }
    }
    free(text);
    return value;
}

static void add_file(const char *path, const char *name, void *context)
{
    if (strcmp(name, "stdout") != 0 && strcmp(name, "stderr") != 0) {
        json_object_set_new(context, name, text_json(path));
    }
}

static const char mark[] = "{\"progress\"";

// Takes the lines of --progress out of a log; the last whole one as JSON, or NULL.
static json_t *take_progress(char *log)
{
    json_t *last = NULL;
    char *to = log;
    for (char *line = log, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        const size_t size = (size_t)(end - line);
        json_t *found =
            strncmp(line, mark, sizeof mark - 1) == 0 ? json_loadb(line, size, 0, NULL) : NULL;
        if (found) {
            json_decref(last);
            last = found;
        } else {
            memmove(to, line, size);
            to += size;
        }
    }
    *to = '\0';
    return last;
}

// Takes a folder off the names of files in a text.
static void drop_folder(char *text, const char *folder)
{
    const size_t length = strlen(folder);
    char *to = text;
    if (folder[0] != '/' || length < 2) {
        return; // what is relative says nothing of the machine
    }
    for (const char *at = text; *at;) {
        const bool is_start = to == text || !isalnum((unsigned char)to[-1]);
        if (is_start && strncmp(at, folder, length) == 0) {
            at += length;
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
}

// What the child wrote to "stdout" or "stderr" so far, with names of files as the page has them.
static char *read_output(const operation *task, const char *name)
{
    char path[4096], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s", task->folder, name);
    if (file_read(path, &text, &size) == EXIT_GOOD) {
        snprintf(path, sizeof path, "%s/", task->folder);
        drop_folder(text, path);
        drop_folder(text, task->model_folder);
    }
    return text;
}

// What the child has said so far, with how far it is put into the reply.
static json_t *log_json(const operation *task, json_t *reply)
{
    char *text = read_output(task, "stderr");
    if (!text) {
        return json_string("");
    }
    json_t *progress = take_progress(text), *log = json_string(text);
    json_object_update(reply, progress);
    json_decref(progress);
    free(text);
    return log ? log : json_string("");
}

// How a child ended, in words, where that is not its own message.
static const char *fate(const operation *task)
{
    if (task->is_cancelled) {
        return "cancelled";
    }
    if (task->signal == SIGXCPU || task->signal == SIGKILL) {
        return "stopped: it used more processor time or memory than an operation may";
    }
    if (task->signal == SIGXFSZ) {
        return "stopped: it wrote a larger file than an operation may";
    }
    return task->signal != 0 ? "the operation crashed; the studio goes on" : NULL;
}

json_t *job_reply(const operation *task)
{
    const bool runs = task->code == -1;
    json_t *root =
        json_pack("{s:i, s:s, s:b, s:f}", "job", task->id, "command", task->command, "running",
                  runs, "seconds", (runs ? seconds() : task->ended) - task->began);
    if (!root) {
        return NULL;
    }
    json_t *log = log_json(task, root);
    json_object_set_new(root, "log", fate(task) ? json_string(fate(task)) : json_incref(log));
    json_decref(log);
    if (runs) {
        return root;
    }
    char *text = read_output(task, "stdout");
    json_t *result = text ? json_loads(text, 0, NULL) : NULL;
    result = result || !text ? result : json_string(text);
    json_t *files = json_object();
    each_file(task->folder, add_file, false, files);
    json_object_set_new(root, "code", json_integer(task->code));
    json_object_set_new(root, "result", result ? result : json_string("")); // no UTF-8
    json_object_set_new(root, "files", files);
    free(text);
    return root;
}
