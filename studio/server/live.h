// The live connection: configurations from the page, poses to it.
//
// Text messages are JSON requests {"id", "op", ...}; the server sends JSON events, and binary
// frames of tagged blocks (studio/README.md). The newest configuration wins in both directions: one
// frame is under way to a client until it acknowledges it.
#ifndef LIVE_H
#define LIVE_H

#include "frames.h"
#include "shown.h"

#include <jansson.h>

struct MHD_UpgradeResponseHandle;

enum {
    CLIENTS_MOST = 16,
    CLIENT_QUEUE = 8 << 20 ///< bytes that wait for a slow client, at most
};

typedef struct client {
    int socket; ///< -1 for none
    struct MHD_UpgradeResponseHandle *handle;
    frames in;
    uint8_t *out; ///< bytes that wait
    size_t nout, out_capacity;
    bool is_known; ///< its token was right
    bool is_closing;
    bool is_waiting;  ///< a frame is under way
    bool is_behind;   ///< there is a newer one
    double since;     ///< s, when it came or was sent the last frame
    unsigned request; ///< id of its last request
} client;

typedef struct live {
    client client[CLIENTS_MOST];
    int controller; ///< number of the client that may move and edit; -1 for none
    const char *token;
    shown *s;
    double residual; ///< of the last drag; -1 for none
} live;

void live_open(live *l, shown *s, const char *token);
void live_close(live *l);

/// Takes a socket that was upgraded; false where there are too many.
bool live_add(live *l, int socket, struct MHD_UpgradeResponseHandle *handle);

/// Reads and answers what a client sent; writes what waits for it.
void live_read(live *l, client *c);
void live_write(live *l, client *c);

/// Closes clients that did not give their token, and sends frames that nobody acknowledged.
void live_tick(live *l);

/// Sends an event to all, and frees it; a frame to all.
void live_event(live *l, json_t *event);
void live_frame(live *l);

/// Answers one request; the event that is sent back, or NULL. Exposed for tests.
json_t *live_request(live *l, client *c, const json_t *request);

#endif
