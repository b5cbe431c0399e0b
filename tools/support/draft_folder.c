#include "support/draft_folder.h"

#include "support/files.h"
#include "support/message.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

static draft_folder *volatile current; // for signals alone

static void remove_all(const draft_folder *d)
{
    for (int i = 0; i < d->nfile; ++i) {
        unlink(d->full[i]);
    }
    rmdir(d->draft);
}

// The signal is sent again, for its default: the caller sees that the program was stopped.
static void stop(int signal_number)
{
    const draft_folder *d = current;
    if (d) {
        remove_all(d);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void watch(draft_folder *d)
{
    current = d;
    for (int i = 0; i < SIGNALS; ++i) {
        struct sigaction act = {.sa_handler = d ? stop : SIG_DFL}, before;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(signals[i], &act, NULL);
        }
    }
}

int draft_begin(draft_folder *d, memory *pool, const char *path)
{
    struct stat there;
    if (stat(path, &there) == 0 && (!S_ISDIR(there.st_mode) || rmdir(path) != 0)) {
        return complain(EXIT_FILE, "%s is there already; name a new folder", path);
    }
    *d = (draft_folder){.pool = pool, .path = path, .draft = memory_text(pool, "%s.XXXXXX", path)};
    // A folder that is there before it is watched would be left by an interrupt.
    const sigset_t before = hold_interrupts();
    const bool is_made = mkdtemp(d->draft) != NULL;
    const int reason = errno;
    if (is_made) {
        watch(d);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return is_made ? EXIT_GOOD
                   : complain(EXIT_FILE, "cannot make the folder %s: %s", path, strerror(reason));
}

const char *draft_file(draft_folder *d, const char *name)
{
    d->file[d->nfile] = name;
    d->full[d->nfile] = memory_text(d->pool, "%s/%s", d->draft, name);
    return d->full[d->nfile++];
}

int draft_put(draft_folder *d, const char *name, const char *text)
{
    return file_write(draft_file(d, name), text, strlen(text));
}

int draft_end(draft_folder *d, int code)
{
    if (code == EXIT_GOOD) {
        const mode_t mask = umask(0);
        umask(mask);
        if (chmod(d->draft, 0777 & ~mask) != 0 || rename(d->draft, d->path) != 0) {
            code = complain(EXIT_FILE, "cannot make the folder %s: %s", d->path, strerror(errno));
        }
    }
    watch(NULL);
    if (code != EXIT_GOOD) {
        remove_all(d);
    }
    return code;
}
