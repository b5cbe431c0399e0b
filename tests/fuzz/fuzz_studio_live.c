// Any bytes as the JSON requests of a page of the studio, one per line, over a socket. The model is
// a stand-in with two positions: what is tested is how requests are read and answered.

#include "fuzz.h"

#include "../../studio/server/live.h"

#include <math.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// A promise of the server that does not hold.
static void demand(int condition)
{
    if (!condition) {
        abort();
    }
}

// --- The model that is shown ------------------------------------------------------------------

bool shown_move(shown *s, const double *q)
{
    demand(isfinite(q[0]) && isfinite(q[1]));
    s->q[0] = q[0];
    s->q[1] = q[1];
    return true;
}

bool shown_drag(shown *s, int frame, const lw_pose *X_WF, double *residual)
{
    demand(frame >= 0 && frame < s->m->nframe && isfinite(X_WF->R.row[0].x));
    *residual = 0.0;
    return true;
}

void shown_pose(const shown *s, int body, double value[7])
{
    demand(body < s->m->nbody);
    memset(value, 0, 7 * sizeof *value);
}

json_t *shown_poses(const shown *s)
{
    (void)s;
    return json_array();
}

json_t *shown_other_branch(const shown *s, const char *loop, int branch)
{
    (void)s;
    demand(loop && (branch == 1 || branch == -1));
    return json_array();
}

json_t *shown_gains(shown *s)
{
    (void)s;
    return json_array();
}

json_t *shown_conditions(shown *s)
{
    (void)s;
    return json_object();
}

// --- Requests ---------------------------------------------------------------------------------

static void send_line(int to, const uint8_t *text, size_t size)
{
    uint8_t head[FRAMES_HEAD + 4];
    size_t n = frames_head(MESSAGE_TEXT, size, head);
    head[1] |= 0x80;
    memset(head + n, 0, 4); // a mask that changes nothing
    n += 4;
    demand(send(to, head, n, 0) == (ssize_t)n);
    demand(size == 0 || send(to, text, size, 0) == (ssize_t)size);
}

static void swallow(int from)
{
    uint8_t bytes[4096];
    while (recv(from, bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char token[] = "0123456789abcdef0123456789abcdef";
    static const char hello[] = "{\"op\":\"hello\",\"token\":\"0123456789abcdef0123456789abcdef\"}";
    const lw_model m = {.nbody = 1, .nq = 2, .nv = 2, .nframe = 3, .tree_nq = 2, .tree_nv = 2};
    double q[2] = {0, 0}, tree_q[2] = {0, 0};
    shown s = {.m = &m, .q = q, .tree_q = tree_q, .version = 1};
    int pair[2];
    live l;
    demand(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    live_open(&l, &s, token);
    demand(live_add(&l, pair[0], NULL));
    const bool is_known = size > 0 && bytes[0] % 4 != 0;
    if (is_known) {
        send_line(pair[1], (const uint8_t *)hello, sizeof hello - 1);
    }
    for (size_t at = 1; at < size;) {
        const uint8_t *end = memchr(bytes + at, '\n', size - at);
        const size_t length = end ? (size_t)(end - bytes) - at : size - at;
        send_line(pair[1], bytes + at, length < 8000 ? length : 8000);
        for (int k = 0; k < 3 && l.client[0].socket >= 0; ++k) {
            live_read(&l, &l.client[0]);
        }
        swallow(pair[1]);
        if (l.client[0].socket < 0) {
            break;
        }
        demand(!is_known || l.client[0].is_known || l.client[0].is_closing);
        at += length + 1;
    }
    live_close(&l);
    close(pair[0]);
    close(pair[1]);
    return 0;
}
