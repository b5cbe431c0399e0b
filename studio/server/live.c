#define _GNU_SOURCE // MSG_NOSIGNAL with -std=c11
#include "live.h"

#include "gate.h"

#include <errno.h>
#include <math.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { HELLO_SECONDS = 5 }; // that a page may take to its first message: it draws meanwhile

enum { BLOCK_POSES = 1, BLOCK_TREE = 2, BLOCK_STATUS = 5, BLOCK_Q = 6 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// --- Clients ----------------------------------------------------------------------------------

void live_open(live *l, shown *s, const char *token)
{
    *l = (live){.controller = -1, .token = token, .s = s, .residual = -1.0};
    for (int i = 0; i < CLIENTS_MOST; ++i) {
        l->client[i].socket = -1;
    }
}

bool live_add(live *l, int socket, struct MHD_UpgradeResponseHandle *handle)
{
    for (int i = 0; i < CLIENTS_MOST; ++i) {
        if (l->client[i].socket < 0) {
            l->client[i] = (client){.socket = socket, .handle = handle, .since = seconds()};
            return true;
        }
    }
    return false;
}

static void drop(live *l, client *c)
{
    const int number = (int)(c - l->client);
    if (c->handle) {
        MHD_upgrade_action(c->handle, MHD_UPGRADE_ACTION_CLOSE);
    }
    frames_free(&c->in);
    free(c->out);
    *c = (client){.socket = -1};
    if (l->controller == number) {
        l->controller = -1;
    }
}

void live_close(live *l)
{
    for (int i = 0; i < CLIENTS_MOST; ++i) {
        if (l->client[i].socket >= 0) {
            drop(l, &l->client[i]);
        }
    }
}

// --- Sending ----------------------------------------------------------------------------------

void live_write(live *l, client *c)
{
    while (c->nout > 0) {
        const ssize_t n = send(c->socket, c->out, c->nout, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            return;
        }
        if (n <= 0) {
            drop(l, c);
            return;
        }
        c->nout -= (size_t)n;
        memmove(c->out, c->out + n, c->nout);
    }
    if (c->is_closing) {
        drop(l, c);
    }
}

// Head and payload go out in one send.
static void send_message(live *l, client *c, message_kind kind, const void *data, size_t size)
{
    uint8_t head[FRAMES_HEAD];
    const size_t nhead = frames_head(kind, size, head);
    const size_t needed = c->nout + nhead + size;
    if (c->socket < 0 || c->is_closing) {
        return;
    }
    if (needed > c->out_capacity) {
        uint8_t *larger = needed > CLIENT_QUEUE ? NULL : realloc(c->out, 2 * needed);
        if (!larger) {
            drop(l, c); // it does not read
            return;
        }
        c->out = larger;
        c->out_capacity = 2 * needed;
    }
    memcpy(c->out + c->nout, head, nhead);
    if (size > 0) {
        memcpy(c->out + c->nout + nhead, data, size);
    }
    c->nout = needed;
    live_write(l, c);
}

static void send_json(live *l, client *c, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (text) {
        send_message(l, c, MESSAGE_TEXT, text, strlen(text));
    }
    free(text);
}

static void refuse(live *l, client *c, int code)
{
    const uint8_t bytes[] = {(uint8_t)(code >> 8), (uint8_t)code};
    send_message(l, c, MESSAGE_CLOSE, bytes, 2);
    if (c->socket >= 0) {
        c->is_closing = true;
        live_write(l, c);
    }
}

void live_event(live *l, json_t *event)
{
    for (int i = 0; i < CLIENTS_MOST; ++i) {
        if (l->client[i].socket >= 0 && l->client[i].is_known) {
            send_json(l, &l->client[i], event);
        }
    }
    json_decref(event);
}

// --- Frames -----------------------------------------------------------------------------------

/// A frame while it is made: blocks are padded to 8 bytes, so that a page can view them.
typedef struct packet {
    uint8_t *bytes;
    size_t size, capacity;
    uint16_t nblock;
} packet;

static void *add_block(packet *p, uint32_t tag, size_t size)
{
    const size_t padded = (size + 7) / 8 * 8;
    const uint32_t head[] = {tag, (uint32_t)size};
    if (p->size + 8 + padded > p->capacity) {
        return NULL;
    }
    uint8_t *at = p->bytes + p->size;
    memcpy(at, head, sizeof head);
    memset(at + 8, 0, padded);
    p->size += 8 + padded;
    ++p->nblock;
    return at + 8;
}

static void add_poses(packet *p, const shown *s)
{
    float *to = add_block(p, BLOCK_POSES, 28 * (size_t)s->m->nbody);
    for (int b = 0; to && b < s->m->nbody; ++b) {
        double value[7];
        shown_pose(s, b, value);
        for (int k = 0; k < 7; ++k) {
            to[7 * b + k] = (float)value[k];
        }
    }
}

static void add_status(packet *p, const live *l)
{
    const shown *s = l->s;
    const bool is_good = s->message[0] == '\0';
    json_t *status = json_pack("{s:b, s:s, s:f}", "good", is_good, "message", s->message,
                               "microseconds", s->microseconds);
    if (status && l->residual >= 0.0) {
        json_object_set_new(status, "residual", json_real(l->residual));
    }
    if (status && !is_good && s->failure.loop >= 0) {
        json_object_set_new(status, "loop", json_integer(s->failure.loop));
        json_object_set_new(status, "gap", json_real(s->failure.gap));
    }
    char *text = json_dumps(status, JSON_COMPACT | JSON_REAL_PRECISION(9));
    const size_t length = text ? strlen(text) : 0;
    void *to = add_block(p, BLOCK_STATUS, length);
    if (to && length > 0) {
        memcpy(to, text, length);
    }
    free(text);
    json_decref(status);
}

static void send_frame(live *l, client *c)
{
    const shown *s = l->s;
    const lw_model *m = s->m;
    packet p = {.capacity =
                    16 + 4096 + 28 * (size_t)m->nbody + 8 + 8 * (size_t)(m->tree_nq + m->nq) + 32};
    p.bytes = malloc(p.capacity);
    if (!p.bytes) {
        return;
    }
    p.size = 16;
    add_poses(&p, s);
    void *tree = add_block(&p, BLOCK_TREE, 8 * (size_t)m->tree_nq);
    void *q = add_block(&p, BLOCK_Q, 8 * (size_t)m->nq);
    if (tree && q) {
        memcpy(tree, s->tree_q, 8 * (size_t)m->tree_nq);
        memcpy(q, s->q, 8 * (size_t)m->nq);
    }
    add_status(&p, l);
    const uint16_t counts[] = {1, p.nblock};
    const uint32_t ids[] = {(uint32_t)s->version, c->request};
    memcpy(p.bytes, "LWS1", 4);
    memcpy(p.bytes + 4, counts, sizeof counts);
    memcpy(p.bytes + 8, ids, sizeof ids);
    c->is_waiting = true;
    c->is_behind = false;
    c->since = seconds();
    send_message(l, c, MESSAGE_BINARY, p.bytes, p.size);
    free(p.bytes);
}

void live_frame(live *l)
{
    for (int i = 0; i < CLIENTS_MOST; ++i) {
        client *c = &l->client[i];
        if (c->socket < 0 || !c->is_known) {
            continue;
        }
        if (c->is_waiting) {
            c->is_behind = true;
        } else {
            send_frame(l, c);
        }
    }
}

// --- Requests ---------------------------------------------------------------------------------

static json_t *error_json(const char *text)
{
    return json_pack("{s:s, s:s}", "event", "error", "message", text);
}

// Reads exactly `count` finite numbers.
static bool read_numbers(const json_t *array, int count, double *to)
{
    if (json_array_size(array) != (size_t)count) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        const json_t *item = json_array_get(array, (size_t)i);
        to[i] = json_number_value(item);
        if (!json_is_number(item) || !isfinite(to[i])) {
            return false;
        }
    }
    return true;
}

static json_t *move(live *l, const json_t *request)
{
    const int nq = l->s->m->nq;
    double *q = malloc((size_t)(nq + 1) * sizeof *q);
    json_t *reply = NULL;
    if (!q || !read_numbers(json_object_get(request, "q"), nq, q)) {
        reply = error_json("q needs as many finite numbers as the model has positions");
    } else {
        l->residual = -1.0;
        shown_move(l->s, q);
        live_frame(l);
    }
    free(q);
    return reply;
}

static json_t *drag(live *l, const json_t *request)
{
    const json_t *frame = json_object_get(request, "frame");
    const json_int_t number = json_integer_value(frame);
    double p[7];
    if (!json_is_integer(frame) || number < 0 || number >= l->s->m->nframe ||
        !read_numbers(json_object_get(request, "pose"), 7, p) ||
        !(p[3] * p[3] + p[4] * p[4] + p[5] * p[5] + p[6] * p[6] > 1e-12)) {
        return error_json("drag needs the number of a frame and a pose of 7 numbers");
    }
    const lw_pose X = {lw_rotation_quat((lw_quat){p[3], p[4], p[5], p[6]}), {p[0], p[1], p[2]}};
    l->residual = -1.0;
    shown_drag(l->s, (int)number, &X, &l->residual);
    live_frame(l);
    return NULL;
}

// Poses at several configurations, without moving there; null for one that cannot be computed.
static json_t *preview(live *l, const json_t *request)
{
    enum { MOST = 64 };
    shown *s = l->s;
    const json_t *list = json_object_get(request, "q");
    const int nq = s->m->nq;
    double *q = calloc(2 * (size_t)nq + 1, sizeof *q);
    json_t *all = json_array();
    if (q) {
        memcpy(q + nq, s->q, (size_t)nq * sizeof *q);
    }
    for (size_t i = 0; q && i < json_array_size(list) && i < MOST; ++i) {
        const bool is_good = read_numbers(json_array_get(list, i), nq, q) && shown_move(s, q);
        json_array_append_new(all, is_good ? shown_poses(s) : json_null());
    }
    if (q) {
        shown_move(s, q + nq);
    }
    free(q);
    return json_pack("{s:s, s:o}", "event", "poses", "poses", all);
}

// {"op": "branch", "loop": "LAB", "branch": -1}: poses as of preview(), in a list of one.
static json_t *other_branch(const live *l, const json_t *request)
{
    const char *loop = json_string_value(json_object_get(request, "loop"));
    const json_int_t branch = json_integer_value(json_object_get(request, "branch"));
    if (!loop) {
        return error_json("a branch is that of a \"loop\"");
    }
    return json_pack("{s:s, s:[o]}", "event", "poses", "poses",
                     shown_other_branch(l->s, loop, branch < 0 ? -1 : 1));
}

static json_t *control_json(const live *l, const client *c)
{
    return json_pack("{s:s, s:b}", "event", "control", "yours", l->controller == c - l->client);
}

static json_t *take_control(live *l, client *c)
{
    client *before = l->controller >= 0 ? &l->client[l->controller] : NULL;
    l->controller = (int)(c - l->client);
    if (before && before != c) {
        json_t *event = control_json(l, before);
        send_json(l, before, event);
        json_decref(event);
    }
    return control_json(l, c);
}

static json_t *greet(live *l, client *c, const json_t *request)
{
    if (!gate_is_token(json_string_value(json_object_get(request, "token")), l->token)) {
        refuse(l, c, CLOSE_POLICY);
        return NULL;
    }
    c->is_known = true;
    json_t *event = l->controller < 0 ? take_control(l, c) : control_json(l, c);
    send_json(l, c, event);
    json_decref(event);
    send_frame(l, c);
    return NULL;
}

json_t *live_request(live *l, client *c, const json_t *request)
{
    const char *op = json_string_value(json_object_get(request, "op"));
    if (!op) {
        return error_json("a request needs \"op\"");
    }
    if (!c->is_known) {
        if (strcmp(op, "hello") == 0) {
            return greet(l, c, request);
        }
        refuse(l, c, CLOSE_POLICY);
        return NULL;
    }
    if (json_object_get(request, "id")) { // others do not answer for it
        c->request = (unsigned)json_integer_value(json_object_get(request, "id"));
    }
    if (strcmp(op, "ack") == 0) {
        c->is_waiting = false;
        if (c->is_behind) {
            send_frame(l, c);
        }
        return NULL;
    }
    if (strcmp(op, "take") == 0) {
        return take_control(l, c);
    }
    const bool is_move = strcmp(op, "q") == 0, is_drag = strcmp(op, "drag") == 0;
    if ((is_move || is_drag) && l->controller != c - l->client) {
        return l->controller < 0 ? take_control(l, c) : control_json(l, c);
    }
    return is_move                     ? move(l, request)
           : is_drag                   ? drag(l, request)
           : strcmp(op, "poses") == 0  ? preview(l, request)
           : strcmp(op, "branch") == 0 ? other_branch(l, request)
           : strcmp(op, "gains") == 0  ? json_pack("{s:s, s:o, s:o}", "event", "gains", "gains",
                                                   shown_gains(l->s), "here", shown_conditions(l->s))
                                       : error_json("there is no such op");
}

static void answer(live *l, client *c, const message *m)
{
    json_t *request = json_loadb((const char *)m->data, m->size, JSON_REJECT_DUPLICATES, NULL);
    json_t *reply = json_is_object(request) ? live_request(l, c, request)
                    : c->is_known           ? error_json("a request is a JSON object")
                                            : NULL;
    if (!json_is_object(request) && !c->is_known) {
        refuse(l, c, CLOSE_POLICY);
    }
    if (reply && c->socket >= 0) {
        send_json(l, c, reply);
    }
    json_decref(reply);
    json_decref(request);
}

void live_read(live *l, client *c)
{
    uint8_t bytes[16384];
    const ssize_t n = recv(c->socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        return;
    }
    if (n <= 0 || !frames_add(&c->in, bytes, (size_t)n)) {
        drop(l, c);
        return;
    }
    for (bool goes_on = true; goes_on && c->socket >= 0 && !c->is_closing;) {
        const message m = frames_next(&c->in);
        goes_on = m.kind != MESSAGE_NONE;
        if (m.kind == MESSAGE_TEXT) {
            answer(l, c, &m);
        } else if (m.kind == MESSAGE_PING) {
            send_message(l, c, MESSAGE_PONG, m.data, m.size);
        } else if (m.kind == MESSAGE_BINARY) {
            refuse(l, c, CLOSE_KIND);
        } else if (m.kind == MESSAGE_CLOSE || m.kind == MESSAGE_BAD) {
            refuse(l, c, m.code);
        }
    }
}

void live_tick(live *l)
{
    const double now = seconds();
    for (int i = 0; i < CLIENTS_MOST; ++i) {
        client *c = &l->client[i];
        const double age = now - c->since;
        if (c->socket >= 0 && age > 2.0) {
            if (c->is_closing) {
                drop(l, c);
            } else if (!c->is_known && age > HELLO_SECONDS) {
                refuse(l, c, CLOSE_POLICY);
            } else if (c->is_waiting && c->is_behind) {
                send_frame(l, c);
            }
        }
    }
}
