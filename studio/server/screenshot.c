// Chromium is told what to do through a pipe (its DevTools protocol: texts of JSON that end with a
// zero), so that the picture is taken when the page says that it is ready.
#include "screenshot.h"

#include "support/files.h"
#include "support/message.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    PATIENCE = 120, // seconds until a page that is never ready is given up
    HIS_INPUT = 3,  // what Chromium reads and writes, by its own rules
    HIS_OUTPUT = 4,
};

typedef struct talk {
    FILE *to, *from;
    const char *session; // of the page, NULL before there is one
    int count;
    char *line;
    size_t size;
} talk;

// The result of a method, or NULL; `params` is taken.
static json_t *ask(talk *t, const char *method, json_t *params)
{
    const int id = ++t->count;
    json_t *request = json_pack("{s:i, s:s, s:o, s:s*}", "id", id, "method", method, "params",
                                params, "sessionId", t->session);
    char *text = json_dumps(request, JSON_COMPACT);
    json_decref(request);
    if (text) {
        fwrite(text, 1, strlen(text) + 1, t->to);
        fflush(t->to);
    }
    free(text);
    while (getdelim(&t->line, &t->size, '\0', t->from) > 0) { // events come between answers
        json_t *answer = json_loads(t->line, 0, NULL);
        const json_t *number = json_object_get(answer, "id");
        if (json_is_integer(number) && json_integer_value(number) == id) {
            json_t *result = json_incref(json_object_get(answer, "result"));
            json_decref(answer);
            return result;
        }
        json_decref(answer);
    }
    return NULL;
}

static char *text_of(json_t *result, const char *key)
{
    const char *text = json_string_value(json_object_get(result, key));
    char *copy = text ? strdup(text) : NULL;
    json_decref(result);
    return copy;
}

static int digit_of(char letter)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = letter ? strchr(letters, letter) : NULL;
    return at ? (int)(at - letters) : -1;
}

// Base64 in place; how many bytes there are.
static size_t decode(char *text)
{
    size_t n = 0;
    uint32_t bits = 0;
    int count = 0;
    for (const char *at = text; digit_of(*at) >= 0; ++at) {
        bits = (bits << 6 | (uint32_t)digit_of(*at)) & 0xffffff;
        count += 6;
        if (count >= 8) {
            count -= 8;
            text[n++] = (char)(unsigned char)(bits >> count);
        }
    }
    return n;
}

static bool is_ready(talk *t)
{
    json_t *answer = ask(t, "Runtime.evaluate",
                         json_pack("{s:s}", "expression", "window.__lw?.isReady() === true"));
    const bool is_so = json_is_true(json_object_get(json_object_get(answer, "result"), "value"));
    json_decref(answer);
    return is_so;
}

// The picture in base64, or NULL.
static char *picture_of(talk *t, const screenshot *s)
{
    char *target = text_of(ask(t, "Target.createTarget", json_pack("{s:s}", "url", "about:blank")),
                           "targetId");
    json_t *const attach = json_pack("{s:s*, s:b}", "targetId", target, "flatten", 1);
    char *session = text_of(ask(t, "Target.attachToTarget", attach), "sessionId");
    char *data = NULL;
    t->session = session;
    json_decref(ask(t, "Emulation.setDeviceMetricsOverride",
                    json_pack("{s:i, s:i, s:i, s:b}", "width", s->width, "height", s->height,
                              "deviceScaleFactor", 1, "mobile", 0)));
    json_decref(ask(t, "Page.navigate", json_pack("{s:s}", "url", s->address)));
    // One answer may lead to the next question: ready is what stays so for a while.
    int calm = 0;
    for (const time_t begin = time(NULL); calm < 8 && time(NULL) - begin < PATIENCE;) {
        nanosleep(&(struct timespec){.tv_nsec = 30 * 1000 * 1000}, NULL);
        calm = is_ready(t) ? calm + 1 : 0;
    }
    if (calm > 0) {
        data = text_of(ask(t, "Page.captureScreenshot", json_object()), "data");
    }
    free(target);
    free(session);
    return data;
}

// Starts Chromium with both ends of the talk; -1 where that fails.
static pid_t begin(talk *t, const screenshot *s)
{
    int in[2], out[2];
    char profile[4096];
    snprintf(profile, sizeof profile, "--user-data-dir=%s", s->folder);
    if (pipe(in) != 0 || pipe(out) != 0) {
        return -1;
    }
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_RDWR);
        const int read_end = fcntl(in[0], F_DUPFD, 16);
        const int write_end = fcntl(out[1], F_DUPFD, 16);
        dup2(nowhere, 0);
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        dup2(read_end, HIS_INPUT);
        dup2(write_end, HIS_OUTPUT);
        for (int i = HIS_OUTPUT + 1; i < 64; ++i) {
            close(i); // the other ends too: he hears of it when this process ends
        }
        execl(s->chromium, s->chromium, "--headless", "--remote-debugging-pipe", "--no-sandbox",
              "--enable-unsafe-swiftshader", "--disable-background-networking",
              "--disable-component-update", "--disable-sync", "--no-first-run", "--hide-scrollbars",
              profile, "about:blank", (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    t->to = fdopen(in[1], "w");
    t->from = fdopen(out[0], "r");
    return child;
}

int screenshot_take(const screenshot *s)
{
    talk t = {0};
    const pid_t child = begin(&t, s);
    char *picture = child > 0 && t.to && t.from ? picture_of(&t, s) : NULL;
    int code = EXIT_FILE;
    if (picture) {
        const size_t size = decode(picture);
        code = file_write(s->path, picture, size);
        json_decref(ask(&(talk){.to = t.to, .from = t.from, .count = t.count}, "Browser.close",
                        json_object()));
    } else {
        complain(EXIT_FILE, "%s made no picture", s->chromium);
    }
    free(picture);
    if (t.to) {
        fclose(t.to);
    }
    if (t.from) {
        fclose(t.from);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
    free(t.line);
    return code;
}
