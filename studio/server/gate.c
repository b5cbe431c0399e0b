#include "gate.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// "127.0.0.1:8080" and so on, for the one port that the server listens at.
static bool is_own_host(const char *host, int port)
{
    static const char *const name[] = {"127.0.0.1", "localhost", "[::1]"};
    for (int i = 0; i < 3; ++i) {
        char own[32];
        snprintf(own, sizeof own, "%s:%d", name[i], port);
        if (strcmp(own, host) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_own_origin(const char *origin, const char *host)
{
    static const char scheme[] = "http://";
    return strncmp(origin, scheme, sizeof scheme - 1) == 0 &&
           strcmp(origin + sizeof scheme - 1, host) == 0;
}

bool gate_is_token(const char *text, const char *token)
{
    if (!text || strlen(text) != TOKEN_SIZE - 1) {
        return false;
    }
    unsigned char difference = 0;
    for (int i = 0; i < TOKEN_SIZE - 1; ++i) {
        difference |= (unsigned char)(text[i] ^ token[i]);
    }
    return difference == 0;
}

const char *gate_bearer(const char *authorization)
{
    static const char bearer[] = "Bearer ";
    const size_t n = sizeof bearer - 1;
    return authorization && strncmp(authorization, bearer, n) == 0 ? authorization + n : NULL;
}

int gate_check(const gate_request *r, int port, const char *token, const char **why)
{
    *why = "";
    const bool is_get = strcmp(r->method, "GET") == 0 || strcmp(r->method, "HEAD") == 0;
    const bool changes = strcmp(r->method, "POST") == 0 || strcmp(r->method, "DELETE") == 0;
    const bool is_live = strcmp(r->path, "/api/1/live") == 0;
    const bool is_api = strncmp(r->path, "/api/", 5) == 0;
    if (!is_get && !changes) {
        *why = "the method is none of GET, HEAD, POST, DELETE";
        return 405;
    }
    if (!r->host || !is_own_host(r->host, port)) {
        *why = "the Host header is not that of this server";
        return 403;
    }
    const bool needs_origin = changes || is_live;
    if ((r->origin && !is_own_origin(r->origin, r->host)) || (needs_origin && !r->origin)) {
        *why = "the Origin header is not that of this server";
        return 403;
    }
    if (r->fetch_site && strcmp(r->fetch_site, "same-origin") != 0 &&
        strcmp(r->fetch_site, "none") != 0) {
        *why = "the request comes from another site";
        return 403;
    }
    // A page cannot give the upgrade a header: its token is the first message.
    const bool is_exchange = changes && strcmp(r->path, GATE_EXCHANGE) == 0;
    if (is_api && !is_live && !is_exchange &&
        !gate_is_token(gate_bearer(r->authorization), token)) {
        *why = "the token is missing or not that of this start";
        return 401;
    }
    return 200;
}

bool gate_make_token(char token[TOKEN_SIZE])
{
    unsigned char bytes[(TOKEN_SIZE - 1) / 2];
    FILE *file = fopen("/dev/urandom", "rb");
    const bool is_good = file && fread(bytes, 1, sizeof bytes, file) == sizeof bytes;
    if (file) {
        fclose(file);
    }
    for (size_t i = 0; is_good && i < sizeof bytes; ++i) {
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    }
    return is_good;
}

bool gate_is_plain_name(const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < length; ++i) {
        if (!isalnum((unsigned char)name[i]) && !strchr("._-", name[i])) {
            return false;
        }
    }
    return length > 0 && length <= 64 && name[0] != '.' && name[0] != '-';
}
