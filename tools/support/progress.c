#include "support/progress.h"

#include "support/message.h"

#include <stdio.h>
#include <unistd.h>

int progress_open(const command_line *args, progress_mode *mode)
{
    static const char *const word[] = {"auto", "none", "json", NULL};
    const int choice = args_choice(args, OPT_PROGRESS, word);
    *mode = choice == 2                            ? PROGRESS_JSON
            : choice == 0 && isatty(STDERR_FILENO) ? PROGRESS_TERMINAL
                                                   : PROGRESS_NONE;
    return choice < 0 ? EXIT_USAGE : EXIT_GOOD;
}

void progress_show(progress_mode mode, double share, const char *stage)
{
    if (mode == PROGRESS_JSON) {
        fprintf(stderr, "{\"progress\": %.4g, \"stage\": \"%s\"}\n", share, stage);
    } else if (mode == PROGRESS_TERMINAL) {
        fprintf(stderr, "\r\033[K%3.0f %%  %s", 100.0 * share, stage);
        fflush(stderr);
    }
}

void progress_clear(progress_mode mode)
{
    if (mode == PROGRESS_TERMINAL) {
        fputs("\r\033[K", stderr);
    }
}
