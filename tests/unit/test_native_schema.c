// The grammar of the reader, the schema docs/reference/linkwork.xsd and the reference
// docs/reference/format.md must say the same.
#include "check.h"
#include "load_text.h"

#include "io/native.h"
#include "io/xml.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *read_text(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", LINKWORK_SOURCE_DIR, name);
    FILE *in = fopen(path, "rb");
    if (!CHECK(in != NULL)) {
        return NULL;
    }
    fseek(in, 0, SEEK_END);
    const long size = ftell(in);
    rewind(in);
    char *text = calloc((size_t)size + 1, 1);
    CHECK(fread(text, 1, (size_t)size, in) == (size_t)size);
    fclose(in);
    return text;
}

// --- What the schema says ---------------------------------------------------------------------

enum { MOST_WORDS = 64, MOST_TYPES = 64 };

typedef struct words {
    const char *at[MOST_WORDS];
    int count;
} words;

static void add_word(words *list, const char *word)
{
    for (int i = 0; i < list->count; ++i) {
        if (strcmp(list->at[i], word) == 0) {
            return;
        }
    }
    list->at[list->count++] = word;
}

static bool has_word(const words *list, const char *word)
{
    for (int i = 0; i < list->count; ++i) {
        if (strcmp(list->at[i], word) == 0) {
            return true;
        }
    }
    return false;
}

static lwi_xml_node *following(lwi_xml_node *node, const lwi_xml_node *top)
{
    if (node->first_child) {
        return node->first_child;
    }
    while (node != top && !node->next) {
        node = node->parent;
    }
    return node == top ? NULL : node->next;
}

static lwi_xml_node *find_definition(lwi_xml_node *schema, const char *tag, const char *name)
{
    for (lwi_xml_node *node = lwi_xml_child(schema, tag); node; node = lwi_xml_next(node, tag)) {
        if (strcmp(lwi_xml_value(node, "name", NULL), name) == 0) {
            return node;
        }
    }
    check_case("no %s \"%s\" in the schema", tag, name);
    CHECK(false);
    return NULL;
}

// Gathers the attributes and child elements of a definition. What it refers to waits in a list.
static void gather(lwi_xml_node *schema, lwi_xml_node *definition, words *attributes,
                   words *children)
{
    lwi_xml_node *waiting[MOST_TYPES];
    int count = 0;
    waiting[count++] = definition;
    while (count > 0) {
        lwi_xml_node *top = waiting[--count];
        for (lwi_xml_node *node = top; node; node = following(node, top)) {
            const char *name = lwi_xml_value(node, "name", NULL);
            const char *ref = lwi_xml_value(node, "ref", NULL);
            const char *base = lwi_xml_value(node, "base", NULL);
            if (strcmp(node->tag, "xs:attribute") == 0) {
                add_word(attributes, name);
            } else if (strcmp(node->tag, "xs:element") == 0 && node != top) {
                add_word(children, name);
            } else if (ref && count < MOST_TYPES) {
                waiting[count++] = find_definition(schema, node->tag, ref);
            } else if (base && strcmp(node->tag, "xs:extension") == 0 && count < MOST_TYPES) {
                waiting[count++] = find_definition(schema, "xs:complexType", base);
            }
        }
    }
}

static void check_list(const char *tag, const char *what, const words *schema,
                       const char *const *grammar)
{
    words own = {.count = 0};
    for (; *grammar; ++grammar) {
        add_word(&own, *grammar);
        check_case("<%s>: %s \"%s\" of the reader, in the schema", tag, what, *grammar);
        CHECK(has_word(schema, *grammar));
    }
    for (int i = 0; i < schema->count; ++i) {
        check_case("<%s>: %s \"%s\" of the schema, in the reader", tag, what, schema->at[i]);
        CHECK(has_word(&own, schema->at[i]));
    }
}

TEST(schema_and_reader_have_the_same_elements_and_attributes)
{
    char *text = read_text("docs/reference/linkwork.xsd");
    lwi_xml_doc *doc = NULL;
    CHECK_INT(lwi_xml_parse("linkwork.xsd", text, strlen(text), &doc, NULL), LW_OK);
    lwi_xml_node *schema = lwi_xml_root(doc);
    words seen = {.count = 0};
    // Every element of the schema by its type; the root has none.
    for (lwi_xml_node *node = schema; node; node = following(node, schema)) {
        if (strcmp(node->tag, "xs:element") != 0) {
            continue;
        }
        const char *tag = lwi_xml_value(node, "name", NULL);
        const char *type = lwi_xml_value(node, "type", NULL);
        words attributes = {.count = 0}, children = {.count = 0};
        gather(schema, type ? find_definition(schema, "xs:complexType", type) : node, &attributes,
               &children);
        add_word(&seen, tag);
        if (CHECK(lwi_native_attributes(tag) != NULL)) {
            check_list(tag, "attribute", &attributes, lwi_native_attributes(tag));
            check_list(tag, "element", &children, lwi_native_children(tag));
        }
    }
    CHECK_INT(seen.count, 34);
    lwi_xml_destroy(doc);
    free(text);
}

// Every element and every attribute of the reader is in the reference, as code.
TEST(reference_names_every_element_and_attribute)
{
    char *text = read_text("docs/reference/format.md");
    words waiting = {.count = 0};
    add_word(&waiting, "linkwork");
    for (int i = 0; i < waiting.count; ++i) {
        const char *tag = waiting.at[i];
        char wanted[64];
        snprintf(wanted, sizeof wanted, "<%s", tag);
        check_case("<%s>", tag);
        CHECK(strstr(text, wanted) != NULL);
        for (const char *const *attr = lwi_native_attributes(tag); *attr; ++attr) {
            char assigned[64];
            snprintf(wanted, sizeof wanted, "`%s`", *attr);
            snprintf(assigned, sizeof assigned, " %s=\"", *attr);
            check_case("<%s %s>", tag, *attr);
            CHECK(strstr(text, wanted) || strstr(text, assigned) || strstr(text, assigned + 1));
        }
        for (const char *const *child = lwi_native_children(tag); *child; ++child) {
            add_word(&waiting, *child);
        }
    }
    free(text);
}

// --- Files ------------------------------------------------------------------------------------

TEST(every_example_of_the_reference_is_a_machine)
{
    char *text = read_text("docs/reference/format.md");
    char name[512];
    int count = 0;
    snprintf(name, sizeof name, "%s/models/quadruped/format.md", LINKWORK_SOURCE_DIR);
    for (char *at = strstr(text, "```xml\n"); at; at = strstr(at, "```xml\n")) {
        char *begin = at + 7, *end = strstr(begin, "```");
        *end = '\0';
        check_case("example %d", ++count);
        lw_model_destroy(compile_text(name, begin, NULL));
        at = end + 1;
    }
    CHECK(count >= 9);
    free(text);
}

static bool has_xmllint(void)
{
    return system("xmllint --version >/dev/null 2>&1") == 0;
}

// Whether xmllint finds a file valid.
static bool is_valid(const char *file)
{
    char command[2048];
    snprintf(command, sizeof command,
             "xmllint --noout --schema '%s/docs/reference/linkwork.xsd' '%s' >/dev/null 2>&1",
             LINKWORK_SOURCE_DIR, file);
    return system(command) == 0;
}

static void check_valid(const char *folder, int *count)
{
    char path[512];
    snprintf(path, sizeof path, "%s/models%s", LINKWORK_SOURCE_DIR, folder);
    DIR *list = opendir(path);
    for (struct dirent *entry = list ? readdir(list) : NULL; entry; entry = readdir(list)) {
        if (strstr(entry->d_name, ".xml")) {
            char file[1024];
            snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
            check_case("%s", entry->d_name);
            CHECK(is_valid(file));
            ++*count;
        }
    }
    if (list) {
        closedir(list);
    }
}

TEST(shipped_models_fit_the_schema)
{
    if (!has_xmllint()) {
        check_skip("xmllint is not installed (libxml2-utils)");
        return;
    }
    int count = 0;
    check_valid("", &count);
    check_valid("/quadruped", &count);
    check_valid("/rover", &count);
    check_valid("/closed", &count);
    CHECK(count >= 30);
}

TEST(written_files_fit_the_schema)
{
    if (!has_xmllint()) {
        check_skip("xmllint is not installed (libxml2-utils)");
        return;
    }
    static const char *const name[] = {"rover/rover.xml",   "panda_class.xml",
                                       "puma560_zero.xml",  "closed/palletiser.xml",
                                       "closed/bendix.xml", "closed/four_bar_crossed.xml",
                                       "closed/stewart.xml"};
    char out[] = "/tmp/linkwork_schema_XXXXXX";
    const int handle = mkstemp(out);
    CHECK(handle >= 0);
    close(handle);
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
        char path[512];
        lw_mech *mech = NULL;
        snprintf(path, sizeof path, "%s/models/%s", LINKWORK_SOURCE_DIR, name[i]);
        check_case("%s", name[i]);
        CHECK_INT(lw_load_file(path, NULL, &mech, NULL), LW_OK);
        CHECK_INT(lw_save_file(mech, LW_FORMAT_LINKWORK, out, NULL), LW_OK);
        CHECK(is_valid(out));
        lw_mech_destroy(mech);
    }
    remove(out);
}

// The schema is not so wide that anything goes: what a reader refuses for its form, it refuses too.
TEST(schema_refuses_what_has_the_wrong_form)
{
    if (!has_xmllint()) {
        check_skip("xmllint is not installed (libxml2-utils)");
        return;
    }
    static const char *const bad[] = {"unknown_element",
                                      "unknown_attribute",
                                      "misplaced_element",
                                      "text_inside",
                                      "no_name",
                                      "no_version",
                                      "wrong_version",
                                      "wrong_angle",
                                      "unit_in_number",
                                      "decimal_comma",
                                      "nan",
                                      "two_numbers",
                                      "inertia_count",
                                      "matrix_count",
                                      "wrong_type",
                                      "no_type",
                                      "wrong_role",
                                      "no_size",
                                      "unknown_dof",
                                      "continuous"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/tests/bad/native_%s.xml", LINKWORK_SOURCE_DIR, bad[i]);
        check_case("%s", bad[i]);
        CHECK(access(path, R_OK) == 0);
        CHECK(!is_valid(path));
    }
}

int main(void)
{
    RUN(schema_and_reader_have_the_same_elements_and_attributes);
    RUN(reference_names_every_element_and_attribute);
    RUN(every_example_of_the_reference_is_a_machine);
    RUN(shipped_models_fit_the_schema);
    RUN(written_files_fit_the_schema);
    RUN(schema_refuses_what_has_the_wrong_form);
    return REPORT();
}
