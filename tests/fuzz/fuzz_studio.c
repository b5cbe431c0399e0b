// Any bytes as what a client of the studio sends: WebSocket frames, and headers of a request.

#include "fuzz.h"

#include "../../studio/server/frames.h"
#include "../../studio/server/gate.h"

#include <stdlib.h>
#include <string.h>

// A promise of the server that does not hold.
static void demand(int condition)
{
    if (!condition) {
        abort();
    }
}

// Frames in pieces of a size that the first byte gives.
static void feed(const uint8_t *bytes, size_t size)
{
    const size_t piece = 1 + bytes[0];
    frames f = {0};
    for (size_t at = 1; at < size; at += piece) {
        demand(frames_add(&f, bytes + at, size - at < piece ? size - at : piece));
        message m = frames_next(&f);
        for (; m.kind != MESSAGE_NONE && m.kind != MESSAGE_BAD; m = frames_next(&f)) {
            demand(m.size <= FRAMES_MOST);
            demand(m.kind != MESSAGE_TEXT || is_utf8(m.data, m.size));
            demand(m.kind != MESSAGE_CLOSE || (m.code >= 1000 && m.code <= 4999));
        }
        if (m.kind == MESSAGE_BAD) {
            demand(m.code >= CLOSE_PROTOCOL && m.code <= CLOSE_SIZE);
            break;
        }
    }
    frames_free(&f);
}

// Six headers, one per line.
static void knock(const uint8_t *bytes, size_t size)
{
    static const char token[] = "0123456789abcdef0123456789abcdef";
    char *text = calloc(1, size + 1), *line[6] = {NULL}, *at = text, accept[29];
    demand(text != NULL);
    memcpy(text, bytes, size);
    for (int i = 0; i < 6 && at; ++i) {
        line[i] = at;
        at = strchr(at, '\n');
        if (at) {
            *at++ = '\0';
        }
    }
    const char *why = NULL;
    const gate_request r = {.method = line[0],
                            .path = line[1] ? line[1] : "/",
                            .host = line[2],
                            .origin = line[3],
                            .fetch_site = line[4],
                            .authorization = line[5]};
    const int status = gate_check(&r, 8080, token, &why);
    demand(why && (status == 200) == (why[0] == '\0'));
    demand(status != 200 || (r.host && strstr(r.host, ":8080")));
    if (frames_accept(line[0], accept)) {
        demand(strlen(accept) == 28);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size > 0) {
        feed(bytes, size);
    }
    knock(bytes, size);
    return 0;
}
