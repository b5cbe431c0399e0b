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
    SERVER_SECONDS = 5         ///< that a request may take to arrive
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
    pending waiting[SERVER_PENDING];
    int nwaiting;
} server;

/// Listens on the loopback addresses; port 0 for any. Complains and returns an exit code.
int server_open(server *v, const command_line *args, int port);
void server_close(server *v);

/// Answers until `goes_on` returns false, which is asked ten times a second.
int server_run(server *v, bool (*goes_on)(void *), void *context);

/// HTTP, for server.c: the HTTP library, and what it calls. False where it does not start.
bool http_open(server *v);

#endif
