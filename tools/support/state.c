// All of this is usage, not model: whatever is wrong ends with EXIT_USAGE, but for files that
// cannot be read. Numbers are read by jansson or number_parse(), both of which refuse what is not
// finite and heed no locale.

#include "support/state.h"

#include "report/units.h"
#include "support/files.h"
#include "support/group_state.h"
#include "support/message.h"
#include "support/numeral.h"
#include "support/robot_file.h"

#include <linkwork/shafts.h>

#include <jansson.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// One of the four vectors of a state: where it is given, and what its entries are called.
typedef struct quantity {
    option_id option;
    const char *key; ///< in JSON
    const char *const *name;
    int count;
    const lw_model *m;
    const lw_shafts *shafts;
    memory *pool;
} quantity;

enum { QUANTITIES = 4 };

// Positions are those of -q, or of --near where a command takes these.
static bool is_position(const quantity *what)
{
    return what->option == OPT_Q || what->option == OPT_NEAR || what->option == OPT_MOTION;
}

static void list_quantities(const command_line *args, const lw_model *m, const lw_shafts *shafts,
                            quantity list[QUANTITIES])
{
    const option_id position = args_has(args, OPT_NEAR) ? OPT_NEAR : OPT_Q;
    memory *pool = args->pool;
    list[0] = (quantity){position, "q", m->position_name, m->nq, m, shafts, pool};
    list[1] = (quantity){OPT_V, "v", m->velocity_name, m->nv, m, shafts, pool};
    list[2] = (quantity){OPT_A, "a", m->velocity_name, m->nv, m, shafts, pool};
    list[3] = (quantity){OPT_T, "tau", m->velocity_name, m->nv, m, shafts, pool};
}

// Degrees of freedom behind elastic shafts may be left out of a list: they then follow the others,
// as if the shafts were rigid. Forces on them are then zero.
static bool is_short(const quantity *what, size_t count)
{
    return what->shafts->nfollower > 0 && count == (size_t)(what->count - what->shafts->nfollower);
}

static void follow(const quantity *what, double *out)
{
    if (is_position(what)) {
        lw_shafts_follow_position(what->shafts, out);
    } else {
        lw_shafts_follow(what->shafts, out);
    }
}

// Such a list is at the beginning of `out`: moves its numbers to their positions, and fills in the
// rest.
static void spread(const quantity *what, double *out)
{
    for (int i = what->count - 1, from = what->count - what->shafts->nfollower; i >= 0; --i) {
        const bool follows = is_position(what) ? lw_shafts_follows_at(what->shafts, i)
                                               : lw_shafts_follows(what->shafts, i);
        out[i] = follows ? 0 : out[--from];
    }
    if (what->option != OPT_T) {
        follow(what, out);
    }
}

// By name likewise: what is not named behind an elastic shaft follows.
static void follow_unnamed(const quantity *what, const bool *is_set, double *out)
{
    if (what->shafts->nfollower == 0 || what->option == OPT_T) {
        return;
    }
    double *given = memory_numbers(what->pool, 1, what->count);
    memcpy(given, out, (size_t)what->count * sizeof *given);
    follow(what, out);
    for (int i = 0; i < what->count; ++i) {
        out[i] = is_set[i] ? given[i] : out[i];
    }
}

// --- Complaints -------------------------------------------------------------------------------

static int wrong_count(const quantity *what, const char *where, size_t count)
{
    enum { SHOWN = 60 };
    fprintf(stderr, "linkwork: %s has %zu value%s, and %d %s wanted%s", where, count,
            count == 1 ? "" : "s", what->count, what->count == 1 ? "is" : "are",
            what->count > 0 ? ":" : "");
    for (int i = 0; i < what->count && i < SHOWN; ++i) {
        fprintf(stderr, "%s %s", i > 0 ? "," : "", what->name[i]);
    }
    fprintf(stderr, "%s\n", what->count > SHOWN ? ", ..." : "");
    return EXIT_USAGE;
}

static int unknown_name(const quantity *what, const char *where, const char *name)
{
    for (int v = 0; v < what->m->tree_nv; ++v) {
        if (strcmp(what->m->tree_velocity_name[v], name) == 0) {
            return complain(EXIT_USAGE, "%s: \"%s\" follows from others; see 'linkwork explain'",
                            where, name);
        }
    }
    lw_nearest near;
    lw_nearest_init(&near, name);
    for (int i = 0; i < what->count; ++i) {
        lw_nearest_offer(&near, what->name[i]);
    }
    char text[SUGGEST_SIZE];
    return complain(EXIT_USAGE, "%s: there is no %s \"%s\"%s", where,
                    is_position(what) ? "position" : "velocity", name, suggest_text(&near, text));
}

// --- -q, -v, -a, -t ---------------------------------------------------------------------------

// Without the blanks around it.
static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    for (size_t n = strlen(text); n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'); --n) {
        text[n - 1] = '\0';
    }
    return text;
}

static int read_item(const char *where, char *text, double *out)
{
    text = trimmed(text);
    if (number_parse(text, strlen(text), out)) {
        return EXIT_GOOD;
    }
    // "90deg", as the next thing to try
    const size_t digits = strspn(text, "+-.0123456789");
    const bool has_unit = digits > 0 && number_parse(text, digits, out);
    return complain(EXIT_USAGE, "%s: \"%s\" is not a finite number%s", where, text,
                    has_unit ? "; units are SI, angles in radians, and are not written" : "");
}

static int read_list(const quantity *what, const char *list, double *out)
{
    const char *where = option_name(what->option);
    int count, code = EXIT_GOOD;
    char **item = memory_split(what->pool, list, ',', &count);
    count = *list ? count : 0;
    if (count != what->count && !is_short(what, (size_t)count)) {
        return wrong_count(what, where, (size_t)count);
    }
    for (int i = 0; i < count && code == EXIT_GOOD; ++i) {
        code = read_item(where, item[i], &out[i]);
    }
    if (code == EXIT_GOOD && is_short(what, (size_t)count)) {
        spread(what, out);
    }
    return code;
}

static int read_pair(const quantity *what, char *text, bool *is_set, double *out)
{
    const char *where = option_name(what->option);
    char *equals = strrchr(text, '='); // the value holds none, a name might
    if (!equals) {
        return complain(EXIT_USAGE, "%s: \"%s\" is not name=value, as the others are", where, text);
    }
    *equals = '\0';
    const char *name = trimmed(text);
    for (int i = 0; i < what->count; ++i) {
        if (strcmp(what->name[i], name) == 0) {
            const bool is_again = is_set[i];
            is_set[i] = true;
            return is_again ? complain(EXIT_USAGE, "%s: %s is given twice", where, name)
                            : read_item(where, equals + 1, &out[i]);
        }
    }
    return unknown_name(what, where, name);
}

static int read_pairs(const quantity *what, const char *list, bool *is_set, double *out)
{
    int count, code = EXIT_GOOD;
    char **pair = memory_split(what->pool, list, ',', &count);
    for (int i = 0; i < count && code == EXIT_GOOD; ++i) {
        code = read_pair(what, pair[i], is_set, out);
    }
    return code;
}

// --- Names of --srdf --------------------------------------------------------------------------

// Whether a text is one word that is no number.
static bool is_word(const char *text)
{
    double number;
    return *text && !strpbrk(text, ",=") && !number_parse(text, strlen(text), &number);
}

// Whether a joint has no independent position: it follows from others, or is fixed.
static bool is_determined(const lw_model *m, const char *name)
{
    for (int j = 0; j < m->njoint; ++j) {
        if (strcmp(m->joints[j].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static int use_state(const quantity *what, const lw_group_state *state, bool *is_set, double *out)
{
    const char *where = option_name(what->option);
    for (int k = 0; k < state->njoint; ++k) {
        int i = 0;
        while (i < what->count && strcmp(what->name[i], state->joint[k]) != 0) {
            ++i;
        }
        if (i == what->count && !is_determined(what->m, state->joint[k])) {
            return unknown_name(what, where, state->joint[k]);
        }
        if (i < what->count && is_set[i]) {
            return complain(EXIT_USAGE, "%s: %s is given twice", where, state->joint[k]);
        }
        if (i < what->count) {
            is_set[i] = true;
            out[i] = state->position[k];
        }
    }
    return EXIT_GOOD;
}

static int read_named(const command_line *args, const quantity *what, const char *name,
                      bool *is_set, double *out)
{
    lw_srdf *srdf = NULL;
    const lw_group_state *state = NULL;
    int code = group_state_find(args, option_name(what->option), name, &srdf, &state);
    code = code == EXIT_GOOD ? use_state(what, state, is_set, out) : code;
    lw_srdf_destroy(srdf);
    return code;
}

// Reads one quantity from all options that give it.
static int read_option(const command_line *args, const quantity *what, double *out)
{
    const int times = args_count(args, what->option);
    bool *is_set = memory_get(what->pool, (size_t)what->count, sizeof *is_set);
    const bool has_names = is_position(what) && args_takes(args, OPT_SRDF);
    bool is_by_name = false;
    int code = EXIT_GOOD;
    for (int i = 0; i < times && code == EXIT_GOOD; ++i) {
        const char *list = args_value_at(args, what->option, i);
        const bool is_named = has_names && is_word(list);
        is_by_name = is_named || strchr(list, '=');
        if (is_named) {
            code = read_named(args, what, list, is_set, out);
        } else if (is_by_name) {
            code = read_pairs(what, list, is_set, out);
        } else if (times > 1) {
            code = complain(EXIT_USAGE, "%s is given twice", option_name(what->option));
        } else {
            code = read_list(what, list, out);
        }
    }
    if (code == EXIT_GOOD && is_by_name) {
        follow_unnamed(what, is_set, out);
    }
    return code;
}

// --- --state ----------------------------------------------------------------------------------

static int read_json_number(const char *where, const char *key, const json_t *value, double *out)
{
    if (!json_is_number(value)) {
        return complain(EXIT_USAGE, "%s: \"%s\" holds something that is not a number", where, key);
    }
    *out = json_number_value(value);
    return EXIT_GOOD;
}

static int read_by_name(const quantity *what, const char *where, json_t *object, double *out)
{
    bool *is_set = memory_get(what->pool, (size_t)what->count, sizeof *is_set);
    int code = EXIT_GOOD;
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        int i = 0;
        while (i < what->count && strcmp(what->name[i], key) != 0) {
            ++i;
        }
        code = code != EXIT_GOOD  ? code
               : i == what->count ? unknown_name(what, where, key)
                                  : read_json_number(where, key, value, &out[i]);
        if (i < what->count) {
            is_set[i] = true;
        }
    }
    if (code == EXIT_GOOD) {
        follow_unnamed(what, is_set, out);
    }
    return code;
}

static int read_json(const quantity *what, const char *where, json_t *value, double *out)
{
    if (json_is_object(value)) {
        return read_by_name(what, where, value, out);
    }
    if (!json_is_array(value)) {
        return complain(EXIT_USAGE, "%s: \"%s\" is neither an array nor an object", where,
                        what->key);
    }
    const size_t count = json_array_size(value);
    if (count != (size_t)what->count && !is_short(what, count)) {
        char location[256];
        snprintf(location, sizeof location, "%s: \"%s\"", where, what->key);
        return wrong_count(what, location, count);
    }
    for (size_t i = 0; i < count; ++i) {
        const int code = read_json_number(where, what->key, json_array_get(value, i), &out[i]);
        if (code != EXIT_GOOD) {
            return code;
        }
    }
    if (is_short(what, count)) {
        spread(what, out);
    }
    return EXIT_GOOD;
}

static int check_keys(const char *where, json_t *object)
{
    static const char *const known[] = {"q", "v", "a", "tau"};
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        lw_nearest near;
        lw_nearest_init(&near, key);
        bool is_known = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
            is_known = is_known || strcmp(known[i], key) == 0;
            lw_nearest_offer(&near, known[i]);
        }
        if (!is_known) {
            char text[SUGGEST_SIZE];
            return complain(EXIT_USAGE, "%s: a state has the keys q, v, a and tau, not \"%s\"%s",
                            where, key, suggest_text(&near, text));
        }
    }
    return EXIT_GOOD;
}

// Reads one state; options on the line have filled `target` already, for what the JSON leaves open.
static int read_state(const command_line *args, const quantity list[QUANTITIES], const char *where,
                      json_t *state, double *const target[QUANTITIES])
{
    if (!json_is_object(state)) {
        return complain(EXIT_USAGE, "%s: a state is an object {\"q\": ...}", where);
    }
    const int code = check_keys(where, state);
    if (code != EXIT_GOOD) {
        return code;
    }
    for (int k = 0; k < QUANTITIES; ++k) {
        json_t *value = json_object_get(state, list[k].key);
        if (!value) {
            continue;
        }
        if (args_has(args, list[k].option)) {
            return complain(EXIT_USAGE, "%s is given on the line and in %s", list[k].key, where);
        }
        const int problem = read_json(&list[k], where, value, target[k]);
        if (problem != EXIT_GOOD) {
            return problem;
        }
    }
    return EXIT_GOOD;
}

static int load_json(const char *path, json_t **root)
{
    char *text = NULL;
    size_t size = 0;
    const int code = file_read(path, &text, &size);
    if (code != EXIT_GOOD) {
        return code;
    }
    json_error_t error;
    *root = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    free(text);
    if (!*root) {
        fprintf(stderr, "%s:%d:%d: error: %s\n", strcmp(path, "-") == 0 ? "stdin" : path,
                error.line, error.column > 0 ? error.column : 1, error.text);
        return EXIT_USAGE;
    }
    return EXIT_GOOD;
}

// --- Together ---------------------------------------------------------------------------------

static void reserve(state_list *states, const lw_model *m, memory *pool, int count)
{
    states->nq = m->nq;
    states->nv = m->nv;
    states->count = count;
    states->q = memory_numbers(pool, count, m->nq);
    states->v = memory_numbers(pool, count, m->nv);
    states->a = memory_numbers(pool, count, m->nv);
    states->tau = memory_numbers(pool, count, m->nv);
    for (int i = 0; i < count; ++i) {
        memcpy(states->q + (size_t)i * (size_t)m->nq, m->q_reference,
               (size_t)m->nq * sizeof *states->q);
    }
}

// Independent position that represents a tree position; -1 for a dependent one.
static int position_of_tree(const lw_model *m, int tree_q)
{
    for (int k = 0; k < m->nq; ++k) {
        if (m->q_tree[k] == tree_q) {
            return k;
        }
    }
    return -1;
}

// A quaternion of length zero rotates nowhere.
static int check_quaternions(const lw_model *m, const double *q)
{
    for (int j = 0; j < m->njoint; ++j) {
        const lw_joint_info *joint = &m->joints[j];
        if (joint->type != LW_JOINT_FREE && joint->type != LW_JOINT_SPHERICAL) {
            continue;
        }
        const int first = position_of_tree(m, joint->q + joint->nq - 4);
        if (first >= 0 && q[first] == 0 && q[first + 1] == 0 && q[first + 2] == 0 &&
            q[first + 3] == 0) {
            return complain(EXIT_USAGE, "the quaternion %s ... %s is zero", m->position_name[first],
                            m->position_name[first + 3]);
        }
    }
    return EXIT_GOOD;
}

static int read_one(state_list *states, const command_line *args, const lw_shafts *shafts,
                    json_t *root, int i)
{
    const lw_model *m = shafts->model;
    quantity list[QUANTITIES];
    list_quantities(args, m, shafts, list);
    double *const target[QUANTITIES] = {
        states->q + (size_t)i * (size_t)states->nq, states->v + (size_t)i * (size_t)states->nv,
        states->a + (size_t)i * (size_t)states->nv, states->tau + (size_t)i * (size_t)states->nv};
    for (int k = 0; k < QUANTITIES; ++k) {
        const int code = read_option(args, &list[k], target[k]);
        if (code != EXIT_GOOD) {
            return code;
        }
    }
    if (root) {
        char where[64] = "--state";
        json_t *state = root;
        if (states->is_array) {
            snprintf(where, sizeof where, "--state, number %d", i + 1);
            state = json_array_get(root, (size_t)i);
        }
        const int code = read_state(args, list, where, state, target);
        if (code != EXIT_GOOD) {
            return code;
        }
    }
    return check_quaternions(m, target[0]);
}

// Independent positions that the options put beyond a limit are one warning. A reference beyond its
// limits was reported with the model.
static int warn_beyond_limits(const state_list *states, const command_line *args, const lw_model *m)
{
    int count = 0, first = -1;
    double value = 0, limit = 0;
    for (int i = 0; i < states->count * m->nq; ++i) {
        const int k = i % m->nq, body = unit_body_of_position(m, m->q_tree[k]);
        if (m->carrier[body] == LW_TREE_FREE || m->carrier[body] == LW_TREE_SPHERICAL) {
            continue;
        }
        const lw_dof *f = &m->dof[m->v_start[body] + m->q_tree[k] - m->q_start[body]];
        const double q = states->q[i], slack = 1e-9 * fmax(1.0, fabs(q));
        if (q == m->q_reference[k] || (q >= f->lower - slack && q <= f->upper + slack)) {
            continue;
        }
        if (count++ == 0) {
            first = k;
            value = q;
            limit = q < f->lower ? f->lower : f->upper;
        }
    }
    if (count == 0) {
        return EXIT_GOOD;
    }
    lw_report *report = NULL;
    const int code = report_open(args, &report);
    if (code == EXIT_GOOD) {
        char number[2][NUMBER_SIZE], others[40] = "";
        if (count > 1) {
            snprintf(others, sizeof others, " (and %d more)", count - 1);
        }
        lw_report_add(report, LW_WARNING, LW_OK, LW_DIAG_POSITION_LIMIT, (lw_location){0},
                      "%s is %s, beyond its %s limit %s%s", m->position_name[first],
                      number_text(value, number[0]), value < limit ? "lower" : "upper",
                      number_text(limit, number[1]), others);
        print_diagnostics(report, 0);
    }
    lw_report_destroy(report);
    return code;
}

int states_read(state_list *states, const command_line *args, const lw_model *m)
{
    *states = (state_list){0};
    json_t *root = NULL;
    const char *path = args_value(args, OPT_STATE);
    int code = path ? load_json(path, &root) : EXIT_GOOD;
    if (code != EXIT_GOOD) {
        return code;
    }
    states->is_array = json_is_array(root);
    states->is_given = root || args_has(args, OPT_Q);
    const size_t count = states->is_array ? json_array_size(root) : 1;
    lw_shafts shafts = {0};
    reserve(states, m, args->pool, (int)count);
    if (lw_shafts_create(m, &shafts) == LW_ERR_MEMORY) {
        code = no_memory();
    }
    for (int i = 0; code == EXIT_GOOD && i < states->count; ++i) {
        code = read_one(states, args, &shafts, root, i);
    }
    if (code == EXIT_GOOD && states->is_given) {
        code = warn_beyond_limits(states, args, m);
    }
    lw_shafts_free(&shafts);
    json_decref(root);
    return code;
}

int states_read_positions(const command_line *args, option_id option, const lw_model *m, double *q)
{
    lw_shafts shafts = {0};
    if (lw_shafts_create(m, &shafts) == LW_ERR_MEMORY) {
        return no_memory();
    }
    const quantity what = {option, "q", m->position_name, m->nq, m, &shafts, args->pool};
    int code = read_option(args, &what, q);
    if (code == EXIT_GOOD) {
        const state_list there = {.count = 1, .nq = m->nq, .q = q};
        code = warn_beyond_limits(&there, args, m);
    }
    lw_shafts_free(&shafts);
    return code;
}

const double *states_q(const state_list *states, int i)
{
    return states->q + (size_t)i * (size_t)states->nq;
}

const double *states_v(const state_list *states, int i)
{
    return states->v + (size_t)i * (size_t)states->nv;
}

const double *states_a(const state_list *states, int i)
{
    return states->a + (size_t)i * (size_t)states->nv;
}

const double *states_tau(const state_list *states, int i)
{
    return states->tau + (size_t)i * (size_t)states->nv;
}
