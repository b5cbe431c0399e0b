// WebSocket frames and the rules for requests of the studio (W1 to W3, W8, W14).

#include "check.h"

#include "../../studio/server/frames.h"
#include "../../studio/server/gate.h"

#include <stdlib.h>
#include <string.h>

// A masked frame of a client.
static size_t make(uint8_t *to, int first, const void *data, size_t size)
{
    static const uint8_t mask[4] = {0x37, 0xfa, 0x21, 0x3d};
    size_t head = frames_head(MESSAGE_TEXT, size, to);
    to[0] = (uint8_t)first;
    to[1] |= 0x80;
    memcpy(to + head, mask, 4);
    head += 4;
    for (size_t i = 0; i < size; ++i) {
        to[head + i] = (uint8_t)(((const uint8_t *)data)[i] ^ mask[i % 4]);
    }
    return head + size;
}

static message read_one(const uint8_t *bytes, size_t size, frames *f)
{
    *f = (frames){0};
    CHECK(frames_add(f, bytes, size));
    return frames_next(f);
}

TEST(W14_text_is_read_in_any_pieces)
{
    uint8_t bytes[300];
    char text[200];
    memset(text, 'x', sizeof text);
    const size_t size = make(bytes, 0x81, text, sizeof text);
    for (size_t cut = 0; cut <= size; ++cut) {
        frames f = {0};
        CHECK(frames_add(&f, bytes, cut));
        message m = frames_next(&f);
        CHECK(cut == size ? m.kind == MESSAGE_TEXT : m.kind == MESSAGE_NONE);
        CHECK(frames_add(&f, bytes + cut, size - cut));
        m = cut == size ? m : frames_next(&f);
        CHECK(m.kind == MESSAGE_TEXT && m.size == sizeof text);
        frames_free(&f);
    }
}

// Bytes of one frame, and the close code that it must have.
TEST(W14_bad_frames_have_their_close_codes)
{
    static const struct {
        const char *what;
        uint8_t bytes[16];
        size_t size;
        int code;
    } row[] = {
        {"unmasked", {0x81, 0x01, 'a'}, 3, CLOSE_PROTOCOL},
        {"reserved bit", {0xc1, 0x81, 0, 0, 0, 0, 'a'}, 7, CLOSE_PROTOCOL},
        {"reserved opcode", {0x83, 0x80, 0, 0, 0, 0}, 6, CLOSE_PROTOCOL},
        {"reserved control", {0x8b, 0x80, 0, 0, 0, 0}, 6, CLOSE_PROTOCOL},
        {"control in parts", {0x09, 0x80, 0, 0, 0, 0}, 6, CLOSE_PROTOCOL},
        {"long control", {0x89, 0xfe, 0, 126}, 4, CLOSE_PROTOCOL},
        {"continues nothing", {0x80, 0x80, 0, 0, 0, 0}, 6, CLOSE_PROTOCOL},
        {"long form of a short length", {0x81, 0xfe, 0, 5}, 4, CLOSE_PROTOCOL},
        {"longest form", {0x82, 0xff, 0, 0, 0, 0, 0, 0, 1, 0}, 10, CLOSE_PROTOCOL},
        {"sign bit", {0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0}, 10, CLOSE_PROTOCOL},
        {"too large", {0x82, 0xff, 0, 0, 0, 0, 1, 0, 0, 0}, 10, CLOSE_SIZE},
        {"no UTF-8", {0x81, 0x81, 0, 0, 0, 0, 0xff}, 7, CLOSE_UTF8},
        {"overlong UTF-8", {0x81, 0x82, 0, 0, 0, 0, 0xc0, 0x80}, 8, CLOSE_UTF8},
        {"surrogate", {0x81, 0x83, 0, 0, 0, 0, 0xed, 0xa0, 0x80}, 9, CLOSE_UTF8},
        {"cut UTF-8", {0x81, 0x82, 0, 0, 0, 0, 0xe2, 0x82}, 8, CLOSE_UTF8},
        {"close with one byte", {0x88, 0x81, 0, 0, 0, 0, 3}, 7, CLOSE_PROTOCOL},
        {"close code 1005", {0x88, 0x82, 0, 0, 0, 0, 3, 237}, 8, CLOSE_PROTOCOL},
        {"close code 999", {0x88, 0x82, 0, 0, 0, 0, 3, 231}, 8, CLOSE_PROTOCOL},
        {"close reason", {0x88, 0x83, 0, 0, 0, 0, 3, 232, 0xff}, 9, CLOSE_UTF8},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        frames f;
        const message m = read_one(row[i].bytes, row[i].size, &f);
        check_case("%s: kind %d, code %d", row[i].what, (int)m.kind, m.code);
        CHECK(m.kind == MESSAGE_BAD && m.code == row[i].code);
        frames_free(&f);
    }
}

TEST(W14_fragments_are_joined_and_bounded)
{
    uint8_t bytes[64];
    frames f = {0};
    CHECK(frames_add(&f, bytes, make(bytes, 0x01, "ab", 2)));
    CHECK(frames_add(&f, bytes, make(bytes, 0x89, "p", 1))); // a ping in between
    CHECK(frames_add(&f, bytes, make(bytes, 0x80, "cd", 2)));
    message m = frames_next(&f);
    CHECK(m.kind == MESSAGE_PING && m.size == 1 && m.data[0] == 'p');
    m = frames_next(&f);
    CHECK(m.kind == MESSAGE_TEXT && m.size == 4 && memcmp(m.data, "abcd", 4) == 0);
    CHECK(frames_next(&f).kind == MESSAGE_NONE);
    CHECK(frames_add(&f, bytes, make(bytes, 0x01, "a", 1)));
    int count = 0;
    do { // a message that never ends
        CHECK(frames_add(&f, bytes, make(bytes, 0x00, "a", 1)));
        m = frames_next(&f);
    } while (m.kind == MESSAGE_NONE && ++count < 100000);
    CHECK(m.kind == MESSAGE_BAD && m.code == CLOSE_SIZE);
    frames_free(&f);
}

TEST(W14_a_flood_of_pings_is_refused)
{
    uint8_t bytes[16];
    frames f = {0};
    message m = {0};
    int count = 0;
    do {
        CHECK(frames_add(&f, bytes, make(bytes, 0x89, "", 0)));
        m = frames_next(&f);
    } while (m.kind == MESSAGE_PING && ++count < 100000);
    CHECK(m.kind == MESSAGE_BAD && m.code == CLOSE_POLICY && count == FRAMES_CONTROLS);
    frames_free(&f);
}

// The example of RFC 6455, section 1.3.
TEST(W3_the_handshake_is_that_of_the_rfc)
{
    char accept[29];
    CHECK(frames_accept("dGhlIHNhbXBsZSBub25jZQ==", accept));
    CHECK(strcmp(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") == 0);
    CHECK(!frames_accept(NULL, accept));
    CHECK(!frames_accept("", accept));
    CHECK(!frames_accept("dGhlIHNhbXBsZSBub25jZQ=!", accept));
    CHECK(!frames_accept("dGhlIHNhbXBsZSBub25jZQ==x", accept));
}

TEST(W1_requests_pass_the_gate_or_not)
{
    static const char token[] = "0123456789abcdef0123456789abcdef";
    static const char good[] = "Bearer 0123456789abcdef0123456789abcdef";
    static const char host[] = "127.0.0.1:8080", own[] = "http://127.0.0.1:8080";
    static const struct {
        gate_request r;
        int status;
    } row[] = {
        {{"GET", "/", host, NULL, "none", NULL}, 200},
        {{"GET", "/", "localhost:8080", NULL, NULL, NULL}, 200},
        {{"GET", "/", "[::1]:8080", NULL, NULL, NULL}, 200},
        {{"GET", "/", "evil.example:8080", NULL, NULL, NULL}, 403},
        {{"GET", "/", "127.0.0.1:8081", NULL, NULL, NULL}, 403},
        {{"GET", "/", "127.0.0.1", NULL, NULL, NULL}, 403},
        {{"GET", "/", "127.0.0.1:8080.evil.example", NULL, NULL, NULL}, 403},
        {{"GET", "/", NULL, NULL, NULL, NULL}, 403},
        {{"GET", "/", host, "http://evil.example", NULL, NULL}, 403},
        {{"GET", "/", host, "null", NULL, NULL}, 403},
        {{"GET", "/", host, "https://127.0.0.1:8080", NULL, NULL}, 403},
        {{"GET", "/", host, "http://localhost:8080", NULL, NULL}, 403},
        {{"GET", "/", host, NULL, "cross-site", NULL}, 403},
        {{"GET", "/", host, NULL, "same-site", NULL}, 403},
        {{"GET", "/api/1/model", host, NULL, NULL, good}, 200},
        {{"GET", "/api/1/model", host, NULL, NULL, NULL}, 401},
        {{"GET", "/api/1/model", host, NULL, NULL, "Bearer 0123"}, 401},
        {{"GET", "/api/1/model", host, NULL, NULL, "bearer 0123456789abcdef0123456789abcdef"}, 401},
        {{"POST", "/api/1/fk", host, own, "same-origin", good}, 200},
        {{"POST", "/api/1/fk", host, NULL, NULL, good}, 403},
        {{"POST", "/api/1/fk", host, own, NULL, NULL}, 401},
        {{"DELETE", "/api/1/job/1", host, NULL, NULL, good}, 403},
        {{"GET", "/api/1/live", host, own, NULL, NULL}, 200},
        {{"GET", "/api/1/live", host, NULL, NULL, NULL}, 403},
        {{"GET", "/api/1/live", host, "http://evil.example", NULL, NULL}, 403},
        {{"POST", GATE_EXCHANGE, host, own, NULL, NULL}, 200},
        {{"POST", GATE_EXCHANGE, host, NULL, NULL, NULL}, 403},
        {{"GET", GATE_EXCHANGE, host, own, NULL, NULL}, 401},
        {{"PUT", "/", host, NULL, NULL, good}, 405},
        {{"OPTIONS", "/api/1/fk", host, own, NULL, NULL}, 405},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        const char *why;
        const int status = gate_check(&row[i].r, 8080, token, &why);
        check_case("row %d: %d instead of %d", (int)i, status, row[i].status);
        CHECK(status == row[i].status);
        CHECK((status == 200) == (why[0] == '\0'));
    }
    char a[TOKEN_SIZE], b[TOKEN_SIZE];
    CHECK(gate_make_token(a) && gate_make_token(b) && strcmp(a, b) != 0 && strlen(a) == 32);
    CHECK(gate_is_plain_name("run.xml") && !gate_is_plain_name("../run.xml"));
    CHECK(!gate_is_plain_name("") && !gate_is_plain_name(".x") && !gate_is_plain_name("-x"));
    CHECK(!gate_is_plain_name("a/b") && !gate_is_plain_name("a\\b") && !gate_is_plain_name("a b"));
}

int main(void)
{
    RUN(W14_text_is_read_in_any_pieces);
    RUN(W14_bad_frames_have_their_close_codes);
    RUN(W14_fragments_are_joined_and_bounded);
    RUN(W14_a_flood_of_pings_is_refused);
    RUN(W3_the_handshake_is_that_of_the_rfc);
    RUN(W1_requests_pass_the_gate_or_not);
    return REPORT();
}
