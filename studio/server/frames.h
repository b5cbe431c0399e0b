// WebSocket frames (RFC 6455), the server's side: bytes to messages and back. No sockets here.
#ifndef FRAMES_H
#define FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FRAMES_MOST = 1 << 20,  ///< bytes of a message, at most
    FRAMES_CONTROLS = 64,   ///< pings and pongs between two messages, at most
    FRAMES_FRAGMENTS = 256, ///< of one message, at most
    FRAMES_HEAD = 10        ///< bytes before the payload of a frame of the server, at most
};

/// Close codes of RFC 6455 that are used.
enum {
    CLOSE_NORMAL = 1000,
    CLOSE_GOING = 1001,
    CLOSE_PROTOCOL = 1002,
    CLOSE_KIND = 1003,
    CLOSE_UTF8 = 1007,
    CLOSE_POLICY = 1008,
    CLOSE_SIZE = 1009
};

typedef enum message_kind {
    MESSAGE_NONE = 0, ///< more bytes are needed
    MESSAGE_TEXT = 1, ///< UTF-8
    MESSAGE_BINARY = 2,
    MESSAGE_CLOSE = 8, ///< the client closes, with `code`
    MESSAGE_PING = 9,
    MESSAGE_PONG = 10,
    MESSAGE_BAD = 16 ///< what came is refused: close with `code`
} message_kind;

typedef struct message {
    message_kind kind;
    int code;            ///< of a close
    const uint8_t *data; ///< until the next call
    size_t size;
} message;

/// What came of one client. Zeros are a new one.
typedef struct frames {
    uint8_t *bytes; ///< that were not read yet
    size_t nbytes, capacity, taken;
    uint8_t *parts; ///< of a message in fragments
    size_t nparts, parts_capacity;
    int kind; ///< of the message in fragments, 0 for none
    int nfragment, ncontrol;
} frames;

/// Adds bytes. False if allocation fails.
bool frames_add(frames *f, const uint8_t *bytes, size_t size);

/// The next message of what was added.
message frames_next(frames *f);

void frames_free(frames *f);

/// The head of an unfragmented frame; returns its length.
size_t frames_head(message_kind kind, size_t size, uint8_t head[FRAMES_HEAD]);

/// Whether bytes are UTF-8: shortest forms, no surrogates.
bool is_utf8(const uint8_t *bytes, size_t size);

/// Bytes as base64, with a closing zero: 4 letters for each 3 bytes that were begun.
void frames_base64(const uint8_t *bytes, size_t size, char *text);

/// Sec-WebSocket-Accept for a key of the client, which must be 24 characters of base64.
bool frames_accept(const char *key, char accept[29]);

#endif
