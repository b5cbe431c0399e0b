// linkwork studio: a page in the browser that shows a model and computes with it.

#include "commands/commands.h"
#include "support/job.h"
#include "support/message.h"

#ifdef LINKWORK_HAS_STUDIO
#include "exported.h"
#include "screenshot.h"
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

/// A browser that the program started.
typedef struct browser {
    pid_t child; ///< -1 for none
    int code;    ///< exit code when it has ended
    bool is_awaited;
} browser;

// Starts a program without its output; -1 where there is none.
static pid_t start(const char *const *word)
{
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, 0);
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        execvp(word[0], (char *const *)(uintptr_t)word);
        _exit(127);
    }
    return child;
}

static bool goes_on(void *context)
{
    browser *b = context;
    int status = 0;
    if (b->child > 0 && waitpid(b->child, &status, WNOHANG) > 0) {
        b->child = -1;
        b->code = WIFEXITED(status) ? WEXITSTATUS(status) : 127;
    }
    return !is_interrupted && (!b->is_awaited || b->child > 0);
}

// Whether a program is on the path.
static const char *find_program(memory *pool, const char *const *name)
{
    const char *path = getenv("PATH");
    int count = 0;
    char **folder = memory_split(pool, path ? path : "", ':', &count);
    for (int k = 0; name[k]; ++k) {
        for (int i = 0; i < count; ++i) {
            const char *file = memory_text(pool, "%s/%s", folder[i], name[k]);
            if (folder[i][0] == '/' && access(file, X_OK) == 0) {
                return file;
            }
        }
    }
    return NULL;
}

static void open_browser(job *work, const char *address, browser *b)
{
    static const char *const openers[] = {"xdg-open", "open", NULL};
    const bool has_display = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
    const char *opener = has_display ? find_program(work->pool, openers) : NULL;
    if (opener) {
        const char *const word[] = {opener, address, NULL};
        b->child = start(word);
    } else {
        printf("There is no browser to open here: open the address yourself.\n");
    }
}

// In a process of its own, while this one answers the page.
static int shoot(job *work, server *v, const char *address, browser *b)
{
    static const char *const browsers[] = {"chromium", "chromium-browser", "google-chrome", NULL};
    screenshot s = {.chromium = find_program(work->pool, browsers),
                    .address = address,
                    .path = args_value(work->args, OPT_SCREENSHOT),
                    .width = 1280,
                    .height = 800};
    char *folder =
        memory_text(work->pool, "%s/linkwork-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    args_size(work->args, &s.width, &s.height);
    if (!s.chromium || !mkdtemp(folder)) {
        return complain(EXIT_FILE, "--screenshot needs Chromium, which is not there");
    }
    s.folder = folder;
    b->is_awaited = true;
    b->child = fork();
    if (b->child == 0) {
        _exit(screenshot_take(&s));
    }
    int code = server_run(v, goes_on, b);
    if (b->child > 0) { // interrupted: Chromium ends with who talks to it
        kill(b->child, SIGKILL);
        waitpid(b->child, NULL, 0);
    }
    const char *const remove[] = {"rm", "-rf", folder, NULL};
    const pid_t remover = start(remove);
    if (remover > 0) {
        waitpid(remover, NULL, 0);
    }
    return code == EXIT_GOOD ? b->code : code;
}

static void print_address(const server *v, const char *address)
{
    printf("linkwork studio: %s\n%s\n", v->s.m->name, address);
    if (getenv("SSH_CONNECTION")) {
        printf("From another machine, forward the port first:\n    ssh -L %d:127.0.0.1:%d HOST\n",
               v->port, v->port);
    }
    printf("Ctrl+C ends it.\n");
    fflush(stdout);
}

static const char *address_of(job *work, const server *v, bool has_token)
{
    char address[SERVER_ADDRESS];
    const char *state = args_value(work->args, OPT_PAGE_STATE);
    server_address(v, has_token, address);
    return memory_text(work->pool, "%s%s%s", address, state ? "&" : "", state ? state : "");
}

static int export_page(const command_line *args)
{
    shown s;
    int code = shown_open(&s, args);
    if (code == EXIT_GOOD) {
        code = exported_write(&s, args_value(args, OPT_EXPORT), args_value(args, OPT_RUN),
                              args_value(args, OPT_LOG));
    }
    shown_close(&s);
    return code;
}

static int run(job *work)
{
    const command_line *args = work->args;
    if (args_has(args, OPT_EXPORT)) {
        return export_page(args);
    }
    int port = 0;
    int code = args_whole(args, OPT_PORT, 1, 65535, &port);
    server *v = memory_get(work->pool, 1, sizeof *v);
    browser b = {.child = -1};
    if (code != EXIT_GOOD) {
        return code;
    }
    code = server_open(v, args, port);
    if (code == EXIT_GOOD) {
        const struct sigaction action = {.sa_handler = interrupt};
        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
        sigaction(SIGHUP, &action, NULL);
        if (args_has(args, OPT_SCREENSHOT)) {
            code = shoot(work, v, address_of(work, v, false), &b);
        } else {
            print_address(v, address_of(work, v, true));
            if (!args_has(args, OPT_NO_BROWSER)) {
                open_browser(work, address_of(work, v, false), &b);
            }
            code = server_run(v, goes_on, &b);
        }
    }
    server_close(v);
    return code;
}
#else
static int run(job *work)
{
    (void)work;
    return complain(EXIT_USAGE, "this build of linkwork has no studio: libmicrohttpd, node and npm "
                                "were not found when it was made");
}
#endif

static int check(const command_line *args)
{
    const bool has_motion = args_has(args, OPT_RUN) || args_has(args, OPT_LOG);
    if (has_motion && !args_has(args, OPT_EXPORT)) {
        return complain(EXIT_USAGE, "--run and --log need --export");
    }
    if (args_count(args, OPT_RUN) > 1 || (args_has(args, OPT_RUN) && args_has(args, OPT_LOG))) {
        return complain(EXIT_USAGE, "--export takes one motion");
    }
    if (args_has(args, OPT_EXPORT) && args_has(args, OPT_SCREENSHOT)) {
        return complain(EXIT_USAGE, "--export and --screenshot do not go together");
    }
    const char *shot = args_value(args, OPT_SCREENSHOT), *dot = shot ? strrchr(shot, '.') : NULL;
    if (dot && !strchr(dot, '/') && strcmp(dot, ".png") != 0 && strcmp(dot, ".PNG") != 0) {
        return complain(EXIT_USAGE,
                        "--screenshot %s: the picture of the page is PNG, FILE.png; 'linkwork "
                        "draw' writes SVG",
                        shot);
    }
    int width = 0, height = 0;
    return args_size(args, &width, &height);
}

const command_def command_studio = {
    .name = "studio",
    .options =
        OPTIONS(OPT_PORT, OPT_NO_BROWSER, OPT_PAGE_STATE, OPT_SCREENSHOT, OPT_SIZE, OPT_EXPORT,
                OPT_RUN, OPT_LOG, OPT_SCENE, OPT_ATTACH, OPT_SRDF, OPTIONS_MODEL),
    .opens_itself = true,
    .summary = "the model in the browser: see it, move it, compute",
    .about =
        "Shows the model on a page in the browser, which moves it, solves inverse kinematics and "
        "runs the other commands. The page is part of the program: nothing is fetched from a "
        "network. When the file changes the page follows.\n\n"
        "The server listens on the loopback addresses only, and answers only to the address that "
        "it prints, which has a random token. To use it on another machine, forward the port "
        "with ssh -L.",
    .example = "studio arm.urdf\nstudio arm.urdf --port 8080 --no-browser\n"
               "studio arm.urdf --screenshot arm.png --page theme=dark\n"
               "studio arm.urdf --export arm.html --run swing.xml",
    .notes = NOTES({OPT_SIZE, "Size of the screenshot in pixels. Default: 1280x800."},
                   {OPT_RUN, "A run file, whose simulated motion the exported page plays."},
                   {OPT_LOG, "A motion that the exported page plays, CSV or .npy: columns t or "
                             "time and q.NAME, as simulate -o writes them."}),
    .check = check,
    .run = run,
};
