// Which requests are answered: the rules that keep other users and other pages out. No sockets
// here.
#ifndef GATE_H
#define GATE_H

#include <stdbool.h>

enum { TOKEN_SIZE = 33 }; ///< 128 bits in hexadecimal, and a zero

/// The headers of a request that the rules read; NULL where there is none.
typedef struct gate_request {
    const char *method;
    const char *path;
    const char *host;
    const char *origin;
    const char *fetch_site;    ///< Sec-Fetch-Site
    const char *authorization; ///< "Bearer TOKEN"
} gate_request;

/// Where a code is exchanged for the token: the one path of the API that needs no token.
#define GATE_EXCHANGE "/api/1/token"

/// The HTTP status of a request: 200 where it may be answered; 400, 401, 403 or 405 where not, and
/// *why is then a sentence.
int gate_check(const gate_request *r, int port, const char *token, const char **why);

/// The code or token of the header Authorization: what stands behind "Bearer "; NULL for none.
const char *gate_bearer(const char *authorization);

/// Whether two tokens are the same, in a time that does not depend on where they differ.
bool gate_is_token(const char *text, const char *token);

/// A random token. False where the system gives no random bytes.
bool gate_make_token(char token[TOKEN_SIZE]);

/// Whether a name is that of a file in a folder of its own: letters, digits, '.', '_', '-', not
/// beginning with '.' or '-', at most 64 characters.
bool gate_is_plain_name(const char *name);

#endif
