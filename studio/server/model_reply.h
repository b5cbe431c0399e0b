// The model as the page draws it: what stands still within each body, as JSON; meshes as bytes.
#ifndef MODEL_REPLY_H
#define MODEL_REPLY_H

#include "shown.h"

#include <jansson.h>

/// The reply to GET /api/1/model; studio/README.md lists its keys.
json_t *model_reply(shown *s);

/// The diagnostics of the last attempt to load, and whether what is shown is older.
json_t *findings_reply(const shown *s);

/// A mesh of the model as bytes (studio/README.md), freed with free(); NULL if there is none.
unsigned char *mesh_reply(const shown *s, int mesh, size_t *size);

#endif
