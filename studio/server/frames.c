#include "frames.h"

#include <stdlib.h>
#include <string.h>

// --- Bytes ------------------------------------------------------------------------------------

static bool grow(uint8_t **block, size_t *capacity, size_t needed)
{
    if (needed <= *capacity) {
        return true;
    }
    const size_t size = needed < 4096 ? 4096 : 2 * needed;
    uint8_t *larger = realloc(*block, size);
    if (larger) {
        *block = larger;
        *capacity = size;
    }
    return larger != NULL;
}

bool frames_add(frames *f, const uint8_t *bytes, size_t size)
{
    if (f->taken > 0) {
        memmove(f->bytes, f->bytes + f->taken, f->nbytes - f->taken);
        f->nbytes -= f->taken;
        f->taken = 0;
    }
    if (!grow(&f->bytes, &f->capacity, f->nbytes + size)) {
        return false;
    }
    if (size > 0) {
        memcpy(f->bytes + f->nbytes, bytes, size);
    }
    f->nbytes += size;
    return true;
}

void frames_free(frames *f)
{
    free(f->bytes);
    free(f->parts);
    *f = (frames){0};
}

bool is_utf8(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size;) {
        const uint8_t c = bytes[i];
        const size_t more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
        if ((c >= 0x80 && c < 0xc2) || c > 0xf4 || i + more >= size) {
            return false;
        }
        for (size_t k = 1; k <= more; ++k) {
            if ((bytes[i + k] & 0xc0) != 0x80) {
                return false;
            }
        }
        const uint8_t second = more > 0 ? bytes[i + 1] : 0;
        if ((c == 0xe0 && second < 0xa0) || (c == 0xed && second > 0x9f) ||
            (c == 0xf0 && second < 0x90) || (c == 0xf4 && second > 0x8f)) {
            return false;
        }
        i += more + 1;
    }
    return true;
}

// --- Reading ----------------------------------------------------------------------------------

/// One frame, before its place in a message is known.
typedef struct frame {
    bool is_last;
    int opcode;
    uint8_t *data; ///< unmasked
    size_t size;
} frame;

static message refuse(int code)
{
    return (message){.kind = MESSAGE_BAD, .code = code};
}

// Reads the head of a frame. 0: it is whole; 1: more bytes are needed; else a close code.
static int read_head(const uint8_t *b, size_t n, frame *out, size_t *head)
{
    if (n < 2) {
        return 1;
    }
    const int opcode = b[0] & 15;
    const bool is_control = opcode >= 8;
    const unsigned short_size = b[1] & 127u;
    if ((b[0] & 0x70) != 0 || (b[1] & 0x80) == 0 || (opcode > 2 && opcode < 8) || opcode > 10 ||
        (is_control && (short_size > 125 || (b[0] & 0x80) == 0))) {
        return CLOSE_PROTOCOL;
    }
    const size_t extra = short_size == 126 ? 2 : short_size == 127 ? 8 : 0;
    if (n < 2 + extra) {
        return 1;
    }
    uint64_t size = extra > 0 ? 0 : short_size;
    for (size_t i = 0; i < extra; ++i) {
        size = size << 8 | b[2 + i];
    }
    if ((extra == 2 && size < 126) || (extra == 8 && (size < 65536 || size >> 63 != 0))) {
        return CLOSE_PROTOCOL; // not the shortest form
    }
    if (size > FRAMES_MOST) {
        return CLOSE_SIZE;
    }
    *head = 2 + extra + 4;
    *out = (frame){.is_last = (b[0] & 0x80) != 0, .opcode = opcode, .size = (size_t)size};
    return n < *head + out->size ? 1 : 0;
}

static int read_frame(frames *f, frame *out)
{
    if (!f->bytes) {
        return 1;
    }
    uint8_t *b = f->bytes + f->taken;
    size_t head = 0;
    const int code = read_head(b, f->nbytes - f->taken, out, &head);
    if (code != 0) {
        return code;
    }
    out->data = b + head;
    for (size_t i = 0; i < out->size; ++i) {
        out->data[i] ^= b[head - 4 + i % 4];
    }
    f->taken += head + out->size;
    return 0;
}

static message close_message(const frame *in)
{
    if (in->size == 0) {
        return (message){.kind = MESSAGE_CLOSE, .code = CLOSE_NORMAL};
    }
    const int code = in->size > 1 ? in->data[0] << 8 | in->data[1] : 0;
    const bool is_known = (code >= 1000 && code <= 1011 && (code < 1004 || code > 1006)) ||
                          (code >= 3000 && code <= 4999);
    if (!is_known) {
        return refuse(CLOSE_PROTOCOL);
    }
    return is_utf8(in->data + 2, in->size - 2) ? (message){.kind = MESSAGE_CLOSE, .code = code}
                                               : refuse(CLOSE_UTF8);
}

static message control(frames *f, const frame *in)
{
    if (in->opcode == MESSAGE_CLOSE) {
        return close_message(in);
    }
    if (++f->ncontrol > FRAMES_CONTROLS) {
        return refuse(CLOSE_POLICY);
    }
    return (message){.kind = (message_kind)in->opcode, .data = in->data, .size = in->size};
}

// A message that is complete.
static message complete(frames *f, int kind, const uint8_t *data, size_t size)
{
    f->kind = 0;
    f->nparts = 0;
    f->nfragment = 0;
    f->ncontrol = 0;
    if (kind == MESSAGE_TEXT && !is_utf8(data, size)) {
        return refuse(CLOSE_UTF8);
    }
    return (message){.kind = (message_kind)kind, .data = data, .size = size};
}

// Joins a fragment to those before it.
static message join(frames *f, const frame *in)
{
    if (f->nparts + in->size > FRAMES_MOST || ++f->nfragment > FRAMES_FRAGMENTS) {
        return refuse(CLOSE_SIZE);
    }
    if (!grow(&f->parts, &f->parts_capacity, f->nparts + in->size + 1)) {
        return refuse(CLOSE_SIZE);
    }
    memcpy(f->parts + f->nparts, in->data, in->size);
    f->nparts += in->size;
    return in->is_last ? complete(f, f->kind, f->parts, f->nparts)
                       : (message){.kind = MESSAGE_NONE};
}

message frames_next(frames *f)
{
    for (;;) {
        frame in;
        const int code = read_frame(f, &in);
        if (code != 0) {
            return code == 1 ? (message){.kind = MESSAGE_NONE} : refuse(code);
        }
        if (in.opcode >= 8) {
            return control(f, &in);
        }
        if ((in.opcode == 0) != (f->kind != 0)) {
            return refuse(CLOSE_PROTOCOL); // a continuation of nothing, or a message within one
        }
        if (in.opcode != 0 && in.is_last) {
            return complete(f, in.opcode, in.data, in.size);
        }
        f->kind = in.opcode != 0 ? in.opcode : f->kind;
        const message whole = join(f, &in);
        if (whole.kind != MESSAGE_NONE) {
            return whole;
        }
    }
}

// --- Writing ----------------------------------------------------------------------------------

size_t frames_head(message_kind kind, size_t size, uint8_t head[FRAMES_HEAD])
{
    head[0] = (uint8_t)(0x80 | kind);
    const size_t extra = size < 126 ? 0 : size < 65536 ? 2 : 8;
    head[1] = (uint8_t)(extra == 0 ? size : extra == 2 ? 126 : 127);
    for (size_t i = 0; i < extra; ++i) {
        head[2 + i] = (uint8_t)((uint64_t)size >> 8 * (extra - 1 - i));
    }
    return 2 + extra;
}

// --- Handshake --------------------------------------------------------------------------------

static uint32_t rotate(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

// One block of SHA-1 (FIPS 180-4).
static void sha1_block(uint32_t h[5], const uint8_t block[64])
{
    uint32_t w[80];
    for (int i = 0; i < 80; ++i) {
        w[i] = i < 16 ? (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                            (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3]
                      : rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    }
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    for (int i = 0; i < 80; ++i) {
        static const uint32_t k[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
        const int part = i / 20;
        const uint32_t mix = part == 0   ? (b & c) | (~b & d)
                             : part == 2 ? (b & c) | (b & d) | (c & d)
                                         : b ^ c ^ d;
        const uint32_t next = rotate(a, 5) + mix + e + k[part] + w[i];
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
}

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void frames_base64(const uint8_t *bytes, size_t size, char *text)
{
    for (size_t i = 0; i < size; i += 3) {
        const uint32_t three = (uint32_t)bytes[i] << 16 |
                               (i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (i + 2 < size ? bytes[i + 2] : 0);
        for (size_t k = 0; k < 4; ++k) {
            *text++ = i + k <= size ? letters[three >> (18 - 6 * k) & 63] : '=';
        }
    }
    *text = '\0';
}

bool frames_accept(const char *key, char accept[29])
{
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    if (!key || strlen(key) != 24 || strspn(key, letters) != 22 || strcmp(key + 22, "==") != 0) {
        return false;
    }
    uint8_t block[128] = {0}; // 24 + 36 bytes, the mark and the length
    memcpy(block, key, 24);
    memcpy(block + 24, guid, 36);
    block[60] = 0x80;
    block[126] = 480 >> 8;
    block[127] = 480 & 255;
    uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    sha1_block(h, block);
    sha1_block(h, block + 64);
    uint8_t digest[20];
    for (int i = 0; i < 20; ++i) {
        digest[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
    }
    frames_base64(digest, sizeof digest, accept);
    return true;
}
