// The program linkwork: finds the command and runs it; the help that is common to all.

#include "commands/commands.h"
#include "report/output.h"
#include "support/args.h"
#include "support/files.h"
#include "support/job.h"
#include "support/message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// The table of --help: commands, and headings between them.
static const struct {
    const char *heading; ///< NULL for a command
    const command_def *command;
} rows[] = {
#define GROUP(title) {title, NULL},
#define COMMAND(name) {NULL, &command_##name},
#include "commands/commands.def"
#undef GROUP
#undef COMMAND
};

enum { ROWS = sizeof rows / sizeof *rows };

// --- Help -------------------------------------------------------------------------------------

static void print_help(FILE *file)
{
    fputs("linkwork: robot mechanisms, from one description to every computation\n\n"
          "usage: linkwork COMMAND MODEL [options]\n\n",
          file);
    for (int i = 0; i < ROWS; ++i) {
        if (rows[i].heading) {
            fprintf(file, "%s:\n", rows[i].heading);
        } else {
            fprintf(file, "  %-12s %s\n", rows[i].command->name, rows[i].command->summary);
        }
    }
    fputs("\n  linkwork COMMAND --help   all about one command\n  linkwork --version        the "
          "version\n\nMODEL is a file in linkwork XML or URDF, detected from content. Units are "
          "SI,\nangles are radians.\n\n" EXIT_CODES,
          file);
}

// Prints to standard output what `print` writes, or reports that it could not.
static int show(void (*print)(const command_def *, FILE *), const command_def *command)
{
    output out;
    output_begin(&out, NULL);
    print(command, out.text);
    return output_finish(&out, EXIT_GOOD);
}

static void print_all(const command_def *command, FILE *file)
{
    (void)command;
    print_help(file);
}

static void print_version(const command_def *command, FILE *file)
{
    (void)command;
    fprintf(file, "linkwork %s\n", lw_version());
}

// --- Start ------------------------------------------------------------------------------------

static const command_def *find_command(const char *name)
{
    for (int i = 0; i < ROWS; ++i) {
        if (rows[i].command && strcmp(rows[i].command->name, name) == 0) {
            return rows[i].command;
        }
    }
    return NULL;
}

static int unknown_command(const char *name)
{
    lw_nearest near;
    lw_nearest_init(&near, name);
    for (int i = 0; i < ROWS; ++i) {
        if (rows[i].command) {
            lw_nearest_offer(&near, rows[i].command->name);
        }
    }
    if (strpbrk(name, "./")) { // a file
        return complain(EXIT_USAGE,
                        "a command comes before the model: linkwork info %s (all of "
                        "them: linkwork --help)",
                        name);
    }
    char text[SUGGEST_SIZE];
    return complain(EXIT_USAGE, "there is no command \"%s\"%s (all of them: linkwork --help)", name,
                    suggest_text(&near, text));
}

// The command that is to run; NULL for what is answered here, with the exit code.
static const command_def *choose_command(int argc, char *const *argv, int *code)
{
    const char *name = argc > 1 ? argv[1] : "";
    const bool is_help = strcmp(name, "help") == 0;
    const command_def *command = find_command(is_help && argc > 2 ? argv[2] : name);
    if (argc < 2) {
        print_help(stderr);
        *code = EXIT_USAGE;
    } else if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || (is_help && argc == 2)) {
        *code = show(print_all, NULL);
    } else if (strcmp(name, "--version") == 0) {
        *code = show(print_version, NULL);
    } else if (!command) {
        *code = unknown_command(is_help ? argv[2] : name);
    } else if (is_help) {
        *code = show(args_help, command);
    } else {
        return command;
    }
    return NULL;
}

// A file opened while standard output is closed would become standard output, and get what is meant
// for the screen. A reading end takes its place, to which writing fails as it should.
static bool hold_standard_streams(void)
{
    for (int fd = 0; fd <= 2; ++fd) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDONLY) != fd) {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    int code = EXIT_FILE;
    if (!hold_standard_streams()) {
        return code;
    }
    // A reader that goes away is reported by write(), not by silence; so is a file that may not
    // grow, which would else stay behind half written.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    const command_def *command = choose_command(argc, argv, &code);
    if (!command) {
        return code;
    }
    command_line args;
    memory pool = {0};
    code = args_parse(&args, command, &pool, argc - 2, argv + 2);
    const bool is_help = code == EXIT_GOOD && args_has(&args, OPT_HELP);
    if (code == EXIT_GOOD) {
        code = is_help ? show(args_help, command) : args_check_files(&args);
    }
    if (code == EXIT_GOOD && !is_help) {
        code = job_run(&args);
    }
    memory_free(&pool, NULL);
    return code;
}
