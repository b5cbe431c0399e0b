// Reading plans: models, levels, sizes, the run file.

#include "plan_read.h"

#include "../base/name_table.h"
#include "../base/text.h"
#include "../io/file.h"

#include <linkwork/io.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLAN_LIMIT = 16 * 1024 * 1024, DEFAULT_BLOCK = 65536, MOST_BLOCKS = 1 << 18 };

static const double MOST_CASES = 1e15;

void *lwi_plan_take(lwi_plan_reader *r, size_t count, size_t size)
{
    void *piece = lwi_arena_take(&r->s->arena, count + 1, size);
    if (!piece) {
        lwi_report_error(r->report, (lw_location){0}, LW_ERR_MEMORY, "%s",
                         lw_status_text(LW_ERR_MEMORY));
    }
    return piece;
}

const char *lwi_plan_keep(lwi_plan_reader *r, const char *text)
{
    return lwi_arena_text(&r->s->arena, text, strlen(text));
}

// A file that the plan names, from its own folder.
static const char *path_of(lwi_plan_reader *r, const char *name)
{
    if (name[0] == '/' || strcmp(r->folder, ".") == 0) {
        return lwi_plan_keep(r, name);
    }
    lwi_text text = {0};
    lwi_text_format(&text, "%s/%s", r->folder, name);
    const char *path = text.at ? lwi_plan_keep(r, text.at) : NULL;
    lwi_text_free(&text);
    return path;
}

lw_status lwi_plan_unknown(lwi_plan_reader *r, lw_location at, const char *what, const char *name,
                           const lw_nearest *near)
{
    char room[LWI_CLIP_SIZE];
    return lwi_report_error(r->report, at, LW_ERR_NAME, "there is no %s \"%s\"%s%s%s", what,
                            lwi_clip(name, room), near->best ? "; did you mean \"" : "",
                            near->best ? near->best : "", near->best ? "\"?" : "");
}

// --- Models -----------------------------------------------------------------------------------

static bool keeps_no_state(const lw_model *m)
{
    for (int i = 0; i < m->nstep; ++i) {
        if (m->step[i].kind == LW_STEP_BLOCK) {
            return false;
        }
    }
    return true;
}

static lw_status load_structure(lwi_plan_reader *r, lwi_xml_node *node, lwi_structure *x)
{
    const char *name = NULL;
    lw_status status = lwi_xml_read_name(node, "model", &name, r->report);
    if (status != LW_OK) {
        return status;
    }
    x->path = path_of(r, name);
    status = x->path ? lw_load_file(x->path, NULL, &x->mech, r->report) : LW_ERR_MEMORY;
    if (status == LW_OK) {
        const lw_compile_options options = lwi_sweep_options(r->s);
        status = lw_compile(x->mech, &options, &x->model, r->report);
    }
    if (status != LW_OK) {
        char room[LWI_CLIP_SIZE];
        lwi_report_error(r->report, lwi_xml_location_in(node, "model", 0), status,
                         "the model \"%s\" cannot be used", lwi_clip(name, room));
        return status;
    }
    x->has_lanes = keeps_no_state(x->model);
    return LW_OK;
}

static lw_status read_levels(lwi_plan_reader *r, lwi_xml_node *root)
{
    static const char *const word[] = {"high", "middle", "low"};
    static const lw_level level[] = {LW_LEVEL_HIGH, LW_LEVEL_MIDDLE, LW_LEVEL_LOW};
    int count = 0;
    for (lwi_xml_node *node = lwi_xml_child(root, "level"); node;
         node = lwi_xml_next(node, "level")) {
        ++count;
    }
    r->s->level = lwi_plan_take(r, (size_t)count, sizeof *r->s->level);
    if (!r->s->level) {
        return LW_ERR_MEMORY;
    }
    for (lwi_xml_node *node = lwi_xml_child(root, "level"); node;
         node = lwi_xml_next(node, "level")) {
        const char *assembly = "*", *text = "";
        const lw_status status = lwi_xml_read_name(node, "detail", &text, r->report);
        if (lwi_xml_value(node, "assembly", NULL)) {
            assembly = lwi_xml_value(node, "assembly", NULL);
        }
        int k = 0;
        while (k < 3 && strcmp(text, word[k]) != 0) {
            ++k;
        }
        if (status != LW_OK || k == 3) {
            return lwi_report_error(r->report, lwi_xml_location_in(node, "detail", 0),
                                    LW_ERR_SYNTAX, "detail=\"%s\" is none of high, middle, low",
                                    text);
        }
        r->s->level[r->s->nlevel++] = (lw_level_choice){lwi_plan_keep(r, assembly), level[k]};
    }
    return LW_OK;
}

// <sweep model="..."/>, or <structure model="..."/> several times.
static lw_status read_structures(lwi_plan_reader *r, lwi_xml_node *root)
{
    lw_sweep *s = r->s;
    int count = lwi_xml_value(root, "model", NULL) != NULL;
    for (lwi_xml_node *n = lwi_xml_child(root, "structure"); n; n = lwi_xml_next(n, "structure")) {
        ++count;
    }
    if (count == 0 || count > LWI_SWEEP_MOST_STRUCTURES) {
        return lwi_report_error(r->report, root->at, LW_ERR_MODEL,
                                count == 0 ? "a plan needs a model: model=\"FILE\""
                                           : "a plan has at most %d structures",
                                LWI_SWEEP_MOST_STRUCTURES);
    }
    s->structure = lwi_plan_take(r, (size_t)count, sizeof *s->structure);
    const char **path = lwi_plan_take(r, (size_t)count, sizeof *path);
    if (!s->structure || !path) {
        return LW_ERR_MEMORY;
    }
    lw_status status = LW_OK;
    if (lwi_xml_value(root, "model", NULL)) {
        status = load_structure(r, root, &s->structure[s->info.nstructure++]);
    }
    for (lwi_xml_node *n = lwi_xml_child(root, "structure"); n && status == LW_OK;
         n = lwi_xml_next(n, "structure")) {
        status = load_structure(r, n, &s->structure[s->info.nstructure++]);
    }
    for (int k = 0; k < s->info.nstructure && status == LW_OK; ++k) {
        path[k] = s->structure[k].path;
    }
    s->info.structure = path;
    return status;
}

// --- The plan ---------------------------------------------------------------------------------

static lw_status read_whole(lwi_plan_reader *r, lwi_xml_node *root, const char *attr, double least,
                            double most, double *value)
{
    const lw_status status = lwi_xml_read_number(root, attr, false, value, r->report);
    if (status != LW_OK || (*value >= least && *value <= most && floor(*value) == *value)) {
        return status;
    }
    return lwi_report_error(r->report, lwi_xml_location_in(root, attr, 0), LW_ERR_MODEL,
                            "%s is %g, must be a whole number from %g to %g", attr, *value, least,
                            most);
}

// The number of cases, and of cases in a block: about as much work each, and at most 4 MB. Who runs
// a sweep keeps a list of all blocks: with MOST_BLOCKS, and 8 MB each, a process needs less than
// 64 MB whatever the number of cases.
static lw_status read_size(lwi_plan_reader *r, lwi_xml_node *root)
{
    lw_sweep *s = r->s;
    double cases = 1.0, seed = 1.0, block, steps = 1e7;
    lw_status status = read_whole(r, root, "cases", 1.0, MOST_CASES, &cases);
    double total = cases * s->info.nstructure;
    for (int i = 0; i < s->info.ninput; ++i) {
        total *= (double)s->input[i].count;
    }
    block = s->has_run ? 16.0 : s->changes_model ? 512.0 : DEFAULT_BLOCK;
    while (block > 1.0 && block * s->info.ncolumn * (double)sizeof(double) > 4194304.0) {
        block /= 2.0;
    }
    while (total > block * MOST_BLOCKS && block * s->info.ncolumn * (double)sizeof(double) < 4e6) {
        block *= 2.0;
    }
    status = status == LW_OK ? read_whole(r, root, "seed", 0.0, 0x1p53, &seed) : status;
    status = status == LW_OK ? read_whole(r, root, "block", 1.0, 1e6, &block) : status;
    status = status == LW_OK ? read_whole(r, root, "steps", 1.0, 1e12, &steps) : status;
    if (status == LW_OK && !(total <= MOST_CASES)) {
        status = lwi_report_error(r->report, root->at, LW_ERR_LIMIT,
                                  "the plan has %g cases, more than %g", total, MOST_CASES);
    }
    if (status == LW_OK && total > block * MOST_BLOCKS) {
        status = lwi_report_error(r->report, lwi_xml_location_in(root, "block", 0), LW_ERR_LIMIT,
                                  "the plan has %.0f blocks, more than %d: use a larger block, or "
                                  "several plans with seeds of their own",
                                  ceil(total / block), MOST_BLOCKS);
    }
    if (status == LW_OK) {
        s->repeats = (long long)cases;
        s->info.cases = (long long)total;
        s->info.block = (int)block;
        s->info.blocks = (s->info.cases - 1) / s->info.block + 1;
        s->info.seed = (unsigned long long)seed;
        s->most_steps = (long long)steps;
    }
    return status;
}

static lw_status read_mode(lwi_plan_reader *r, lwi_xml_node *root)
{
    const char *mode = lwi_xml_value(root, "mode", NULL);
    const bool is_fast = mode && strcmp(mode, "fast") == 0;
    if (mode && !is_fast && strcmp(mode, "exact") != 0) {
        return lwi_report_error(r->report, lwi_xml_location_in(root, "mode", 0), LW_ERR_SYNTAX,
                                "mode=\"%s\" is none of exact, fast", mode);
    }
    r->s->info.mode = is_fast ? LW_SWEEP_FAST : LW_SWEEP_EXACT;
    r->s->length = 1.0;
    const lw_status status = lwi_xml_read_number(root, "length", false, &r->s->length, r->report);
    if (status == LW_OK && !(r->s->length > 0.0 && isfinite(r->s->length))) {
        return lwi_report_error(r->report, lwi_xml_location_in(root, "length", 0), LW_ERR_MODEL,
                                "length is %g, must be above 0", r->s->length);
    }
    return status;
}

static lw_status read_run(lwi_plan_reader *r, lwi_xml_node *root)
{
    lwi_xml_node *node = lwi_xml_only(root, "run", r->report);
    const char *name = NULL;
    if (!node) {
        return LW_OK;
    }
    lw_status status = lwi_xml_read_name(node, "file", &name, r->report);
    if (status == LW_OK) {
        r->s->run_path = path_of(r, name);
        status = r->s->run_path ? lwi_read_file(r->s->run_path, PLAN_LIMIT,
                                                lwi_xml_location_in(node, "file", 0),
                                                &r->s->run_text, &r->s->run_size, r->report)
                                : LW_ERR_MEMORY;
    }
    // Errors of the file are told once, with the models as they are.
    for (int k = 0; k < r->s->info.nstructure && status == LW_OK; ++k) {
        lw_run *run = NULL;
        status = lw_run_load_text(r->s->run_path, r->s->run_text, r->s->run_size,
                                  r->s->structure[k].model, &run, r->report);
        if (status == LW_OK && run->solver != LW_RUN_OWN) {
            status = lwi_report_error(r->report, lwi_xml_location_in(node, "file", 0),
                                      LW_ERR_UNSUPPORTED,
                                      "sweeps simulate by linkwork's own methods, not by cvode or "
                                      "ida");
        }
        lw_run_destroy(run);
    }
    return status;
}

// What results depend on. The text of the plan is not: blanks and comments change nothing.
static void hash_plan(lw_sweep *s)
{
    uint64_t hash = 0;
    const long long size[] = {s->info.cases,           s->repeats,   s->info.block,
                              (long long)s->info.seed, s->info.mode, s->most_steps};
    hash = lwi_hash_bytes(hash, size, sizeof size);
    hash = lwi_hash_bytes(hash, &s->length, sizeof s->length);
    for (int k = 0; k < s->info.nstructure; ++k) {
        const unsigned long long model = lw_model_hash(s->structure[k].model);
        hash = lwi_hash_bytes(hash, &model, sizeof model);
        hash = lwi_hash_bytes(hash, s->structure[k].low, (size_t)s->info.ninput * sizeof(double));
        hash = lwi_hash_bytes(hash, s->structure[k].high, (size_t)s->info.ninput * sizeof(double));
    }
    for (int i = 0; i < s->info.ninput; ++i) {
        const lwi_input *input = &s->input[i];
        const double number[] = {input->kind, input->law, input->step, (double)input->count};
        hash = lwi_hash_bytes(hash, number, sizeof number);
        hash = lwi_hash_bytes(hash, input->name, strlen(input->name));
    }
    for (int i = 0; i < s->nmeasure; ++i) {
        hash = lwi_hash_bytes(hash, s->measure[i].text, strlen(s->measure[i].text) + 1);
    }
    hash = s->run_text ? lwi_hash_bytes(hash, s->run_text, s->run_size) : hash;
    s->info.hash = hash;
}

static lw_status read_plan(lwi_plan_reader *r, lwi_xml_doc *doc)
{
    static const char *const known[] = {"sweep", "structure", "level", "vary",
                                        "run",   "measure",   NULL};
    lwi_xml_node *root = lwi_xml_root(doc);
    if (strcmp(root->tag, "sweep") != 0) {
        return lwi_report_error(r->report, root->at, LW_ERR_SYNTAX,
                                "a plan begins with <sweep>, not <%s>", root->tag);
    }
    root->is_used = true;
    lwi_xml_value(root, "version", NULL);
    lw_status status = read_levels(r, root);
    status = status == LW_OK ? read_mode(r, root) : status;
    status = status == LW_OK ? read_structures(r, root) : status;
    status = status == LW_OK ? read_run(r, root) : status;
    status = status == LW_OK ? lwi_plan_read_inputs(r, root) : status;
    status = status == LW_OK ? lwi_plan_read_measures(r, root) : status;
    status = status == LW_OK ? read_size(r, root) : status;
    if (status == LW_OK) {
        hash_plan(r->s);
        lwi_xml_report_unused(doc, known, r->report);
    }
    return status;
}

lw_status lw_sweep_load_text(const char *name, const char *text, size_t size, lw_sweep **sweep,
                             lw_report *report)
{
    if (sweep) {
        *sweep = NULL;
    }
    if (!name || !text || !sweep) {
        return LW_ERR_ARGUMENT;
    }
    lwi_xml_doc *doc = NULL;
    lwi_plan_reader r = {calloc(1, sizeof(lw_sweep)), report, lwi_folder_of(name)};
    lw_status status = r.s && r.folder ? LW_OK : LW_ERR_MEMORY;
    if (status == LW_OK) {
        status = lwi_xml_parse(name, text, size, &doc, report);
    }
    if (status == LW_OK) {
        status = read_plan(&r, doc);
    }
    lwi_xml_destroy(doc);
    free(r.folder);
    if (status != LW_OK) {
        lw_sweep_destroy(r.s);
        return status;
    }
    *sweep = r.s;
    return LW_OK;
}

lw_status lw_sweep_load(const char *path, lw_sweep **sweep, lw_report *report)
{
    if (sweep) {
        *sweep = NULL;
    }
    if (!path || !sweep) {
        return LW_ERR_ARGUMENT;
    }
    char *text = NULL;
    size_t size = 0;
    lw_status status = lwi_read_file(path, PLAN_LIMIT, (lw_location){0}, &text, &size, report);
    if (status == LW_OK) {
        status = lw_sweep_load_text(path, text, size, sweep, report);
    }
    free(text);
    return status;
}

void lw_sweep_destroy(lw_sweep *s)
{
    if (!s) {
        return;
    }
    for (int k = 0; k < s->info.nstructure; ++k) {
        lw_model_destroy(s->structure[k].model);
        lw_mech_destroy(s->structure[k].mech);
    }
    free(s->run_text);
    lwi_arena_free(&s->arena);
    free(s);
}

lw_sweep_info lw_sweep_describe(const lw_sweep *s)
{
    return s ? s->info : (lw_sweep_info){0};
}

const lw_model *lw_sweep_model(const lw_sweep *s, int structure)
{
    return s && structure >= 0 && structure < s->info.nstructure ? s->structure[structure].model
                                                                 : NULL;
}

bool lw_sweep_input(const lw_sweep *s, int i, lw_sweep_variate *variate)
{
    if (!s || !variate || i < 0 || i >= s->info.ninput) {
        return false;
    }
    const lwi_input *input = &s->input[i];
    const lwi_structure *x = &s->structure[0];
    variate->is_parameter = input->kind == LWI_INPUT_PARAMETER;
    variate->is_normal = input->law == LWI_LAW_NORMAL;
    variate->a = x->low[i];
    variate->b = input->law == LWI_LAW_HOLD   ? x->low[i]
                 : input->law == LWI_LAW_GRID ? x->low[i] + (double)(input->count - 1) * input->step
                                              : x->high[i];
    return true;
}
