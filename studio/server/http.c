// Requests over HTTP: which route, and what it answers.

#include "assets.h"
#include "model_reply.h"
#include "server.h"

#include <microhttpd.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/// One request while it arrives.
typedef struct request {
    char *body;
    size_t size, capacity;
    bool is_answered; ///< refused before its body
} request;

// --- Answers ----------------------------------------------------------------------------------

static void add_headers(struct MHD_Response *response, const char *type, bool is_asset)
{
    static const char *const all[][2] = {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
         "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
         "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types collada"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        MHD_add_response_header(response, all[i][0], all[i][1]);
    }
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "Cache-Control",
                            is_asset ? "max-age=31536000, immutable" : "no-store");
}

static enum MHD_Result answer(struct MHD_Connection *c, unsigned status, const char *type,
                              void *bytes, size_t size)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        free(bytes);
        return MHD_NO;
    }
    add_headers(response, type, false);
    if (status >= 400) {
        MHD_add_response_header(response, "Connection", "close");
    }
    const enum MHD_Result result = MHD_queue_response(c, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer_json(struct MHD_Connection *c, unsigned status, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(value);
    return text ? answer(c, status, "application/json", text, strlen(text)) : MHD_NO;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status, const char *why)
{
    return answer_json(c, status, json_pack("{s:s}", "error", why));
}

static enum MHD_Result answer_asset(struct MHD_Connection *c, const char *path)
{
    for (int i = 0; i < asset_count; ++i) {
        if (strcmp(assets[i].path, path) == 0) {
            struct MHD_Response *response = MHD_create_response_from_buffer(
                assets[i].size, (void *)assets[i].bytes, MHD_RESPMEM_PERSISTENT);
            if (!response) {
                return MHD_NO;
            }
            add_headers(response, assets[i].type, strncmp(path, "/a/", 3) == 0);
            MHD_add_response_header(response, "Content-Encoding", "gzip");
            MHD_add_response_header(response, "Connection", "close");
            const enum MHD_Result result = MHD_queue_response(c, 200, response);
            MHD_destroy_response(response);
            return result;
        }
    }
    return refuse(c, 404, "there is nothing here");
}

// --- Upgrade ----------------------------------------------------------------------------------

static void upgraded(void *context, struct MHD_Connection *c, void *request_context,
                     const char *extra, size_t nextra, MHD_socket socket,
                     struct MHD_UpgradeResponseHandle *handle)
{
    (void)c;
    (void)request_context;
    server *v = context;
    if (!live_add(&v->l, socket, handle)) {
        MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
        return;
    }
    for (int i = 0; nextra > 0 && i < CLIENTS_MOST; ++i) {
        if (v->l.client[i].socket == socket) { // what came behind the request
            frames_add(&v->l.client[i].in, (const uint8_t *)extra, nextra);
        }
    }
}

static const char *header(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

// Whether a list of a header has a word, in any case.
static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at && *at;) {
        at += strspn(at, ", \t");
        const size_t n = strcspn(at, ", \t");
        if (n == length && strncasecmp(at, word, n) == 0) {
            return true;
        }
        at += n;
    }
    return false;
}

static enum MHD_Result upgrade(server *v, struct MHD_Connection *c)
{
    char accept[29];
    const char *version = header(c, "Sec-WebSocket-Version");
    if (!has_word(header(c, "Connection"), "upgrade") ||
        !has_word(header(c, "Upgrade"), "websocket") || !version || strcmp(version, "13") != 0 ||
        !has_word(header(c, "Sec-WebSocket-Protocol"), "linkwork.1") ||
        !frames_accept(header(c, "Sec-WebSocket-Key"), accept)) {
        return refuse(c, 400, "this is a WebSocket of version 13, protocol linkwork.1");
    }
    struct MHD_Response *response = MHD_create_response_for_upgrade(upgraded, v);
    if (!response) {
        return MHD_NO;
    }
    MHD_add_response_header(response, "Upgrade", "websocket");
    MHD_add_response_header(response, "Sec-WebSocket-Accept", accept);
    MHD_add_response_header(response, "Sec-WebSocket-Protocol", "linkwork.1");
    const enum MHD_Result result = MHD_queue_response(c, MHD_HTTP_SWITCHING_PROTOCOLS, response);
    MHD_destroy_response(response);
    return result;
}

// --- Routes -----------------------------------------------------------------------------------

// The number at the end of a path, digits alone; -1 for anything else.
static int number_of(const char *text)
{
    const size_t length = strlen(text);
    return length > 0 && length < 9 && strspn(text, "0123456789") == length ? atoi(text) : -1;
}

static enum MHD_Result answer_file(struct MHD_Connection *c, const char *path, const char *type,
                                   long most)
{
    struct stat info; // looked at first: to open a pipe would wait for who writes it
    const bool is_file = stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= most;
    FILE *file = is_file ? fopen(path, "rb") : NULL;
    char *bytes = NULL;
    if (file) {
        bytes = malloc((size_t)info.st_size + 1);
    }
    const size_t size = bytes ? fread(bytes, 1, (size_t)info.st_size, file) : 0;
    if (file) {
        fclose(file);
    }
    return bytes ? answer(c, 200, type, bytes, size) : refuse(c, 404, "the file cannot be read");
}

// The bytes of a mesh file that the page reads itself.
static enum MHD_Result answer_mesh_file(server *v, struct MHD_Connection *c, int shape)
{
    const lw_model *m = v->s.m;
    if (shape < 0 || shape >= m->nshape || m->shape[shape].mesh_file[0] == '\0') {
        return refuse(c, 404, "there is no such shape, or its file was not found");
    }
    return answer_file(c, m->shape[shape].mesh_file, "application/octet-stream", 256L << 20);
}

// A file that describes the model, by the name that diagnostics have; meshes are not among them.
static enum MHD_Result answer_source(server *v, struct MHD_Connection *c, const char *name)
{
    for (int i = 0; i < v->s.nwatched; ++i) {
        const char *path = v->s.watched[i].path;
        bool is_mesh = false;
        for (int k = 0; k < v->s.m->nshape; ++k) {
            is_mesh = is_mesh || strcmp(v->s.m->shape[k].mesh_file, path) == 0;
        }
        if (!is_mesh && strcmp(shown_name(&v->s, path), name) == 0) {
            return answer_file(c, path, "text/plain; charset=utf-8", 16L << 20);
        }
    }
    return refuse(c, 404, "the model has no such file");
}

static enum MHD_Result answer_mesh(server *v, struct MHD_Connection *c, int mesh)
{
    size_t size = 0;
    unsigned char *bytes = mesh_reply(&v->s, mesh, &size);
    return bytes ? answer(c, 200, "application/octet-stream", bytes, size)
                 : refuse(c, 404, "there is no such mesh");
}

static const char *after(const char *path, const char *prefix)
{
    const size_t length = strlen(prefix);
    return strncmp(path, prefix, length) == 0 ? path + length : NULL;
}

static enum MHD_Result answer_job(server *v, struct MHD_Connection *c, int id, bool is_cancelled)
{
    operation *task = jobs_find(&v->j, id);
    if (!task) {
        return refuse(c, 404, "there is no such operation");
    }
    if (is_cancelled) {
        jobs_cancel(task);
    }
    return answer_json(c, task->code == -1 ? 202 : 200, job_reply(task));
}

static enum MHD_Result get(server *v, struct MHD_Connection *c, const char *path)
{
    const char *api = after(path, "/api/1/"), *rest;
    if (!api) {
        return answer_asset(c, path);
    }
    if (strcmp(api, "live") == 0) {
        return upgrade(v, c);
    }
    if (strcmp(api, "model") == 0) {
        return answer_json(c, 200, model_reply(&v->s));
    }
    if (strcmp(api, "diagnostics") == 0) {
        return answer_json(c, 200, findings_reply(&v->s));
    }
    if ((rest = after(api, "mesh/")) != NULL) {
        return answer_mesh(v, c, number_of(rest));
    }
    if ((rest = after(api, "mesh_file/")) != NULL) {
        return answer_mesh_file(v, c, number_of(rest));
    }
    if ((rest = after(api, "source/")) != NULL) {
        return answer_source(v, c, rest);
    }
    if ((rest = after(api, "job/")) != NULL) {
        return answer_job(v, c, number_of(rest), false);
    }
    return refuse(c, 404, "there is nothing here");
}

// Adds "NAME=VALUE" for each entry of an object; false where a value is no text.
static bool add_options(memory *pool, const json_t *values, option_id id, given_option *option,
                        int *n)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)values, name, value)
    {
        if (!json_is_string(value)) {
            return false;
        }
        option[(*n)++] =
            (given_option){id, memory_text(pool, "%s=%s", name, json_string_value(value))};
    }
    return true;
}

// Other options of the model: {"version": 3, "level": {"arm": "low"}, "branch": {"rod": "-"},
// "ideal": true}.
static enum MHD_Result edit(server *v, struct MHD_Connection *c, const json_t *body)
{
    const json_t *levels = json_object_get(body, "level");
    const json_t *branches = json_object_get(body, "branch");
    if (json_integer_value(json_object_get(body, "version")) != v->s.version) {
        return refuse(c, 409, "the model has changed since; load it again");
    }
    memory pool = {0};
    const size_t most = json_object_size(levels) + json_object_size(branches) + 1;
    given_option *option = memory_get(&pool, most, sizeof *option);
    int n = 0;
    bool is_good = add_options(&pool, levels, OPT_LEVEL, option, &n) &&
                   add_options(&pool, branches, OPT_BRANCH, option, &n);
    if (json_is_true(json_object_get(body, "ideal"))) {
        option[n++] = (given_option){OPT_IDEAL, NULL};
    }
    is_good = is_good && shown_reload(&v->s, option, n);
    memory_free(&pool, NULL);
    if (!is_good) {
        v->s.is_stale = false; // the file is as good as before
        json_t *findings = findings_reply(&v->s);
        json_object_set_new(findings, "error", json_string("the model cannot be compiled so"));
        return answer_json(c, 422, findings);
    }
    live_event(&v->l, json_pack("{s:s, s:i}", "event", "model", "version", v->s.version));
    live_frame(&v->l);
    return answer_json(c, 200, json_pack("{s:i}", "version", v->s.version));
}

static enum MHD_Result exchange(server *v, struct MHD_Connection *c)
{
    const char *token = server_exchange(v, gate_bearer(header(c, "Authorization")));
    return token ? answer_json(c, 200, json_pack("{s:s}", "token", token))
                 : refuse(c, 401, "the code is not that of this start, or was used already");
}

static enum MHD_Result post(server *v, struct MHD_Connection *c, const char *path, const request *r)
{
    if (strcmp(path, GATE_EXCHANGE) == 0) {
        return exchange(v, c);
    }
    const char *op = after(path, "/api/1/"), *why = "";
    if (!op || (strcmp(op, "edit") != 0 && !jobs_has_command(op))) {
        return refuse(c, 404, "there is no such operation");
    }
    json_t *body = json_loadb(r->body ? r->body : "", r->size, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(body)) {
        json_decref(body);
        return refuse(c, 400, "the body is no JSON object");
    }
    enum MHD_Result result;
    if (strcmp(op, "edit") == 0) {
        result = edit(v, c, body);
    } else {
        const int id = jobs_start(&v->j, &v->s, op, body, &why);
        static const unsigned status[] = {0, 400, 429, 500};
        result = id > 0 ? answer_json(c, 202, json_pack("{s:i}", "job", id))
                        : refuse(c, status[-id], why);
    }
    json_decref(body);
    return result;
}

// --- The HTTP library -------------------------------------------------------------------------

// Headers that a request must not have twice.
typedef struct header_count {
    int host, length;
} header_count;

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind, const char *key,
                                    const char *value)
{
    header_count *count = context;
    (void)kind;
    (void)value;
    count->host += strcasecmp(key, "Host") == 0;
    count->length += strcasecmp(key, "Content-Length") == 0;
    return MHD_YES;
}

static enum MHD_Result gate(server *v, struct MHD_Connection *c, const char *path,
                            const char *method, bool *is_open)
{
    const char *why = "";
    header_count count = {0};
    MHD_get_connection_values(c, MHD_HEADER_KIND, count_header, &count);
    if (count.host > 1 || count.length > 1) {
        *is_open = false;
        return refuse(c, 400, "a header of the request is there twice");
    }
    const gate_request r = {.method = method,
                            .path = path,
                            .host = header(c, "Host"),
                            .origin = header(c, "Origin"),
                            .fetch_site = header(c, "Sec-Fetch-Site"),
                            .authorization = header(c, "Authorization")};
    const int status = gate_check(&r, v->port, v->token, &why);
    *is_open = status == 200;
    return *is_open ? MHD_YES : refuse(c, (unsigned)status, why);
}

static bool keep_body(request *r, const char *bytes, size_t size)
{
    if (r->size + size > SERVER_BODY) {
        return false;
    }
    if (r->size + size > r->capacity) {
        r->capacity = 2 * (r->size + size);
        char *larger = realloc(r->body, r->capacity);
        if (!larger) {
            return false;
        }
        r->body = larger;
    }
    memcpy(r->body + r->size, bytes, size);
    r->size += size;
    return true;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *c, const char *path,
                              const char *method, const char *version, const char *body,
                              size_t *nbody, void **state)
{
    server *v = context;
    request *r = *state;
    if (!r) {
        bool is_open;
        *state = r = calloc(1, sizeof *r);
        const char *length = header(c, "Content-Length");
        if (!r || strcmp(version, "HTTP/1.1") != 0) {
            return r ? refuse(c, 505, "HTTP/1.1 is needed") : MHD_NO;
        }
        const enum MHD_Result result = gate(v, c, path, method, &is_open);
        if (!is_open) {
            return result;
        }
        return length && strlen(length) > 7 ? refuse(c, 413, "the body is too large") : MHD_YES;
    }
    if (*nbody > 0) {
        if (!keep_body(r, body, *nbody)) {
            r->is_answered = true; // read and forgotten; refused at its end
            r->size = 0;
        }
        *nbody = 0;
        return MHD_YES;
    }
    if (r->is_answered) {
        return refuse(c, 413, "the body is too large");
    }
    if (strcmp(method, "POST") == 0) {
        return post(v, c, path, r);
    }
    const char *task = after(path, "/api/1/job/");
    if (strcmp(method, "DELETE") == 0) {
        return task ? answer_job(v, c, number_of(task), true) : refuse(c, 404, "nothing to delete");
    }
    return get(v, c, path);
}

static void completed(void *context, struct MHD_Connection *c, void **state,
                      enum MHD_RequestTerminationCode code)
{
    (void)context;
    (void)c;
    (void)code;
    request *r = *state;
    if (r) {
        free(r->body);
        free(r);
        *state = NULL;
    }
}

bool http_open(server *v)
{
    v->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_UPGRADE | MHD_USE_NO_LISTEN_SOCKET, 0,
                                 NULL, NULL, handle, v, MHD_OPTION_CONNECTION_LIMIT,
                                 (unsigned)SERVER_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
                                 (unsigned)SERVER_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                                 (size_t)(4 * SERVER_HEADER), MHD_OPTION_STRICT_FOR_CLIENT, 1,
                                 MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_END);
    return v->daemon != NULL;
}
