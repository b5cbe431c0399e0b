#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"
#include "zoo.h"

#include <stdio.h>
#include <string.h>

static void visit_model(lw_model *m, void (*visit)(const lw_model *, lw_data *))
{
    lw_data *d = m ? new_data(m) : NULL;
    if (CHECK(d != NULL)) {
        check_seed(7);
        visit(m, d);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Closed and geared machines have tests of their own: random states need not close their loops.
static void visit_shipped(void (*visit)(const lw_model *, lw_data *))
{
    static const char FOLDER[] = LINKWORK_SOURCE_DIR "/";
    glob_t found;
    shipped_paths(&found);
    for (size_t k = 0; k < found.gl_pathc; ++k) {
        const char *path = found.gl_pathv[k];
        if (!strstr(path, "/models/closed/")) {
            check_case("%s", path + sizeof FOLDER - 1);
            lw_model *m = compile_file(path, false);
            if (m && (m->nloop > 0 || m->ngear > 0)) {
                lw_model_destroy(m);
            } else {
                visit_model(m, visit);
            }
        }
    }
    globfree(&found);
}

void every_machine(void (*visit)(const lw_model *m, lw_data *d))
{
    for (int kind = 0; kind < ZOO_COUNT; ++kind) {
        check_case("zoo, %s", zoo_name((zoo_kind)kind));
        visit_model(zoo_model((zoo_kind)kind), visit);
    }
    visit_shipped(visit);
    char **names = shared_names("models/urdf", ".urdf");
    for (int k = 0; names && names[k]; ++k) {
        char relative[512];
        snprintf(relative, sizeof relative, "models/urdf/%s", names[k]);
        for (int is_free = 0; is_free < 2; ++is_free) {
            check_case("%s, %s base", names[k], is_free ? "free" : "fixed");
            visit_model(shared_model(relative, is_free != 0), visit);
        }
    }
    names_free(names);
}
