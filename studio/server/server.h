// The server of the studio: sockets and HTTP.
#ifndef SERVER_H
#define SERVER_H

#include "gate.h"
#include "jobs.h"
#include "live.h"

struct MHD_Daemon;

enum {
    SERVER_CONNECTIONS = 64,
    SERVER_PENDING = 512,      ///< connections whose request has not arrived yet, at most
    SERVER_HEADER = 16 * 1024, ///< bytes of a request before its body, at most
    SERVER_BODY = 8 << 20,     ///< bytes of a body, at most
    SERVER_SECONDS = 5,        ///< that a request may take to arrive
    SERVER_ADDRESS = 100       ///< bytes of an address
};

/// A connection whose request has not arrived yet: it costs the HTTP library nothing.
typedef struct pending {
    int socket;
    double since;
    bool is_partial; ///< some of it has arrived: it is looked at again later
} pending;

typedef struct server {
    shown s;
    live l;
    jobs j;
    struct MHD_Daemon *daemon;
    int listener[2]; ///< 127.0.0.1 and ::1; -1 where there is none
    int port;
    char token[TOKEN_SIZE];
    char code[TOKEN_SIZE]; ///< is exchanged for the token once
    bool is_code_used;
    pending waiting[SERVER_PENDING];
    int nwaiting;
    int notify;   ///< events of the folders of watched files; -1 where the system has none
    int nwatched; ///< files of `s` whose folders are watched
} server;

/// Listens on the loopback addresses; port 0 for any. Complains and returns an exit code.
int server_open(server *v, const command_line *args, int port);
void server_close(server *v);

/// Where the page is: with the token for people, or with a code that is exchanged for it once, for
/// the command line of a browser, which other users see.
void server_address(const server *v, bool has_token, char text[SERVER_ADDRESS]);

/// The token for a code; NULL where it is not the right one. A second time the code is refused, and
/// the token is another from then on: one of two that had the code is not the browser.
const char *server_exchange(server *v, const char *code);

/// Answers until `goes_on` returns false, which is asked ten times a second.
int server_run(server *v, bool (*goes_on)(void *), void *context);

/// HTTP, for server.c: the HTTP library, and what it calls. False where it does not start.
bool http_open(server *v);

#endif
