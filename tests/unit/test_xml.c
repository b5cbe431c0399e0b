// Documents: places of elements, attributes and words, limits, and what nobody read.
#include "check.h"
#include "objects.h"

#include "io/xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static lw_report *report;
static char message[2048];

// The first diagnostic as a text, or "" where there is none.
static const char *diagnostic(int i)
{
    message[0] = '\0';
    if (i < lw_report_count(report)) {
        const lw_diagnostic f = lw_report_diagnostic(report, i);
        lw_diagnostic_format(&f, message, sizeof message);
    }
    return message;
}

static lwi_xml_doc *parse_bytes(const char *text, size_t size)
{
    lwi_xml_doc *doc = NULL;
    lw_report_clear(report);
    const lw_status status = lwi_xml_parse("t.xml", text, size, &doc, report);
    CHECK((status == LW_OK) == (doc != NULL));
    CHECK((status == LW_OK) == (lw_report_errors(report) == 0));
    return doc;
}

static lwi_xml_doc *parse_text(const char *text)
{
    return parse_bytes(text, strlen(text));
}

static void refuses(const char *text, const char *wanted)
{
    check_case("%s", text);
    lwi_xml_doc *doc = parse_text(text);
    CHECK(doc == NULL);
    CHECK_TEXT(diagnostic(0), wanted);
    lwi_xml_destroy(doc);
}

TEST(elements_and_attributes_have_places)
{
    lwi_xml_doc *doc = parse_text("<?xml version=\"1.0\"?>\n"
                                  "<robot  name = 'a'>\n"
                                  "\t<link\n"
                                  "   name=\"ü\"\n"
                                  "   b=\"2\" c='>\"'/>\r\n"
                                  " <!-- x --> <joint d=\"4\">  one <i/> two\n </joint>\n"
                                  "</robot>");
    if (!doc) {
        return;
    }
    lwi_xml_node *robot = lwi_xml_root(doc);
    lw_location at;
    CHECK_TEXT(robot->tag, "robot");
    CHECK_INT(robot->at.line, 2);
    CHECK_INT(robot->at.column, 1);
    CHECK_TEXT(lwi_xml_value(robot, "name", &at), "a");
    CHECK_INT(at.line, 2);
    CHECK_INT(at.column, 17);
    lwi_xml_node *link = lwi_xml_child(robot, "link");
    CHECK_INT(link->at.line, 3);
    CHECK_INT(link->at.column, 2);
    CHECK_TEXT(lwi_xml_value(link, "name", &at), "ü");
    CHECK_INT(at.line, 4);
    CHECK_INT(at.column, 10);
    CHECK_TEXT(lwi_xml_value(link, "c", &at), ">\"");
    CHECK_INT(at.line, 5);
    CHECK_INT(at.column, 13);
    lwi_xml_node *joint = lwi_xml_child(robot, "joint");
    CHECK_INT(joint->at.line, 6);
    CHECK_INT(joint->at.column, 13);
    CHECK_TEXT(joint->text, "one  two");
    CHECK(lwi_xml_next(link, "link") == NULL);
    CHECK(lwi_xml_child(joint, "i")->parent == joint);
    lwi_xml_destroy(doc);
}

TEST(words_in_values_have_places)
{
    lwi_xml_doc *doc = parse_text("<r a=\"1 2 x\"\n"
                                  " b=\"1\n"
                                  "    2\r\n"
                                  "  y\" c=\"&#32;&lt; ü z\" d=\"1 2 3 4\" e=\"1 2\" f=\"0,5\"/>");
    if (!doc) {
        return;
    }
    lwi_xml_node *node = lwi_xml_root(doc);
    double value[3] = {7, 8, 9};
    lw_report_clear(report);
    CHECK_INT(lwi_xml_read_numbers(node, "a", true, 3, value, report), LW_ERR_SYNTAX);
    CHECK_TEXT(diagnostic(0), "t.xml:1:11: error: a: \"x\" is not a number");
    CHECK_INT(lwi_xml_read_numbers(node, "b", true, 3, value, report), LW_ERR_SYNTAX);
    CHECK_TEXT(diagnostic(1), "t.xml:4:3: error: b: \"y\" is not a number");
    CHECK_INT(lwi_xml_read_numbers(node, "c", true, 3, value, report), LW_ERR_SYNTAX);
    CHECK_TEXT(diagnostic(2), "t.xml:4:14: error: c: \"<\" is not a number");
    CHECK_INT(lwi_xml_read_numbers(node, "d", true, 3, value, report), LW_ERR_SYNTAX);
    CHECK_TEXT(diagnostic(3), "t.xml:4:33: error: d=\"1 2 3 4\" has more than 3 numbers");
    CHECK_INT(lwi_xml_read_numbers(node, "e", true, 3, value, report), LW_ERR_SYNTAX);
    CHECK_TEXT(diagnostic(4), "t.xml:4:39: error: e=\"1 2\" has 2 numbers, needs 3");
    CHECK_INT(lwi_xml_read_number(node, "f", true, value, report), LW_ERR_SYNTAX);
    CHECK_TEXT(diagnostic(5),
               "t.xml:4:47: error: f: \"0,5\" is not a number; the decimal mark is a "
               "point, and blanks part numbers");
    CHECK_INT(lwi_xml_read_number(node, "g", true, value, report), LW_ERR_MODEL);
    CHECK_TEXT(diagnostic(6), "t.xml:1:1: error: <r> needs the attribute \"g\"");
    CHECK_INT(lwi_xml_read_number(node, "g", false, value, report), LW_OK);
    CHECK(value[0] == 7 && value[1] == 8 && value[2] == 9);
    lwi_xml_destroy(doc);
}

TEST(attributes_are_read_as_what_they_are)
{
    lwi_xml_doc *doc = parse_text("<r n=\"-1.5e3\" v=\" 1\t2\n3 \" t=\"true\" f=\"0\" y=\"yes\" "
                                  "name=\"a b\" none=\"\" big=\"1e400\" nan=\"nan\"/>");
    if (!doc) {
        return;
    }
    lwi_xml_node *node = lwi_xml_root(doc);
    double value[8] = {0};
    int count = 0;
    bool flag = false;
    const char *name = NULL;
    CHECK_INT(lwi_xml_read_number(node, "n", true, value, report), LW_OK);
    CHECK(value[0] == -1500);
    CHECK_INT(lwi_xml_read_numbers(node, "v", true, 3, value, report), LW_OK);
    CHECK(value[0] == 1 && value[1] == 2 && value[2] == 3);
    CHECK_INT(lwi_xml_read_list(node, "v", true, 8, value, &count, report), LW_OK);
    CHECK_INT(count, 3);
    CHECK_INT(lwi_xml_read_bool(node, "t", &flag, report), LW_OK);
    CHECK(flag);
    CHECK_INT(lwi_xml_read_bool(node, "f", &flag, report), LW_OK);
    CHECK(!flag);
    CHECK_INT(lwi_xml_read_name(node, "name", &name, report), LW_OK);
    CHECK_TEXT(name, "a b");
    CHECK_INT(lw_report_count(report), 0);
    CHECK_INT(lwi_xml_read_bool(node, "y", &flag, report), LW_ERR_SYNTAX);
    CHECK_HAS(diagnostic(0), "y=\"yes\" is neither \"true\" nor \"false\"");
    CHECK_INT(lwi_xml_read_name(node, "none", &name, report), LW_ERR_NAME);
    CHECK_HAS(diagnostic(1), "error: none is empty");
    CHECK_INT(lwi_xml_read_number(node, "big", true, value, report), LW_ERR_SYNTAX);
    CHECK_HAS(diagnostic(2), "big: \"1e400\" is not a number that a double can hold");
    CHECK_INT(lwi_xml_read_number(node, "nan", true, value, report), LW_ERR_SYNTAX);
    CHECK_HAS(diagnostic(3), "nan: \"nan\" is not a number that is finite");
    lwi_xml_destroy(doc);
}

TEST(malformed_text_is_refused_at_its_place)
{
    refuses("", "t.xml:1:1: error: there is no element in this file");
    refuses("<a>\n <b>\n </a>", "t.xml:3:4: error: mismatched tag: <b> of line 2 is still open");
    refuses("<a>\n <b>\n", "t.xml:3:1: error: the file ends, but <b> of line 2 is still open");
    refuses("<a/>\n<b/>", "t.xml:2:1: error: nothing may follow the root element");
    refuses("<a>\n  <b c=1/></a>",
            "t.xml:2:8: error: not well formed: a name, a quote or a bracket is amiss");
    refuses("<a>\n  <b c=\"1\" c=\"2\"/></a>", "t.xml:2:12: error: duplicate attribute");
    refuses("<a>&bomb;</a>", "t.xml:1:4: error: undefined entity");
    refuses("<a b=\"", "t.xml:1:1: error: this is not closed before the file ends");
    refuses("{\"a\": 1}", "t.xml:1:1: error: this is not XML");
}

TEST(doctype_is_refused_at_its_line)
{
    const char *wanted =
        "t.xml:3:3: error: <!DOCTYPE> is not allowed: it may name entities and other files";
    refuses("<?xml version=\"1.0\"?>\n<!-- <!DOCTYPE no> -->\n"
            "  <!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\">]>\n<r>&a;</r>",
            wanted);
    refuses("\n\n  <!DOCTYPE r SYSTEM \"file:///etc/passwd\"><r/>", wanted);
    // In UTF-16 it is expat that tells, at the end of the name.
    static const char wide[] = "\xff\xfe<\0!\0D\0O\0C\0T\0Y\0P\0E\0 \0r\0>\0<\0r\0/\0>\0";
    lwi_xml_doc *doc = parse_bytes(wide, sizeof wide - 1);
    CHECK(doc == NULL);
    CHECK_HAS(diagnostic(0), "error: <!DOCTYPE> is not allowed");
}

// Published robots have all of these.
TEST(loose_declarations_are_accepted)
{
    static const char *const texts[] = {
        "<?xml version=\"0.0\"?><r><x:y a:b=\"1\"/></r>",
        "<?xml version=\"1.0\" encoding=\"utf8\"?><r><x:y a:b=\"1\"/></r>",
        "<?xml version='1.0' encoding='ASCII'?><r><x:y a:b=\"1\"/></r>",
        "\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"UTF-8\"?><r><x:y a:b=\"1\"/></r>",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        check_case("%s", texts[i]);
        lwi_xml_doc *doc = parse_text(texts[i]);
        CHECK(doc && strcmp(lwi_xml_root(doc)->first_child->tag, "x:y") == 0);
        CHECK_INT(lw_report_count(report), 0);
        lwi_xml_destroy(doc);
    }
    lwi_xml_doc *doc = parse_text("<!-- by hand -->\n <?xml version=\"1.0\"\n?><r>\n <l/></r>");
    CHECK(doc && lwi_xml_root(doc)->at.line == 3 && lwi_xml_root(doc)->at.column == 3);
    CHECK_TEXT(diagnostic(0),
               "t.xml:2:2: warning: the XML declaration must come first; it is ignored "
               "here [xml-declaration]");
    lwi_xml_destroy(doc);
}

TEST(unused_names_are_listed_once)
{
    lwi_xml_doc *doc = parse_text("<r xmlns:x=\"y\">\n"
                                  " <lnk a=\"1\"><deep/></lnk>\n"
                                  " <link nme=\"1\" name=\"2\"/>\n"
                                  " <link nme=\"1\" name=\"2\"/>\n"
                                  " <lnk/>\n"
                                  " <gone><link/></gone>\n"
                                  "</r>");
    if (!doc) {
        return;
    }
    static const char *const known[] = {"link", "name", NULL};
    lwi_xml_node *root = lwi_xml_root(doc);
    for (lwi_xml_node *n = lwi_xml_child(root, "link"); n; n = lwi_xml_next(n, "link")) {
        lwi_xml_value(n, "name", NULL);
    }
    lwi_xml_skip(lwi_xml_child(root, "gone"));
    lwi_xml_report_unused(doc, known, report);
    CHECK_INT(lw_report_count(report), 2);
    CHECK_TEXT(
        diagnostic(0),
        "t.xml:2:2: warning: <lnk> is not used (2 times); did you mean \"link\"? [unused-element]");
    CHECK_TEXT(diagnostic(1), "t.xml:3:13: warning: attribute \"nme\" of <link> is not used (2 "
                              "times); did you mean \"name\"? [unused-attribute]");
    lwi_xml_destroy(doc);
}

TEST(a_second_element_is_reported)
{
    lwi_xml_doc *doc = parse_text("<r>\n <m a=\"1\"/>\n <m a=\"2\"><x/></m></r>");
    if (!doc) {
        return;
    }
    lwi_xml_node *m = lwi_xml_only(lwi_xml_root(doc), "m", report);
    CHECK_TEXT(lwi_xml_value(m, "a", NULL), "1");
    CHECK_TEXT(diagnostic(0),
               "t.xml:3:2: warning: a second <m> in this <r> is ignored; the first is "
               "at 2:2 [repeated-element]");
    lwi_xml_report_unused(doc, NULL, report);
    CHECK_INT(lw_report_count(report), 1);
    lwi_xml_destroy(doc);
}

TEST(long_texts_are_clipped_in_messages)
{
    char room[LWI_CLIP_SIZE], text[400] = "";
    for (int i = 0; i < 100; ++i) {
        strcat(text, "ü");
    }
    CHECK_TEXT(lwi_clip("a\nb", room), "a?b");
    CHECK(strlen(lwi_clip(text, room)) < LWI_CLIP_SIZE);
    CHECK_TEXT(room + strlen(room) - 5, "ü...");
}

// --- Limits -----------------------------------------------------------------------------------

static char *repeated(const char *first, const char *piece, size_t count, const char *last,
                      size_t *size)
{
    const size_t length = strlen(piece);
    *size = strlen(first) + length * count + strlen(last);
    char *text = malloc(*size + 1);
    if (text) {
        char *at = text + sprintf(text, "%s", first);
        for (size_t i = 0; i < count; ++i, at += length) {
            memcpy(at, piece, length);
        }
        strcpy(at, last);
    }
    return text;
}

// Ends with this diagnostic in CPU time that grows with the size: a second or two with sanitizers,
// where a search that is quadratic in millions of elements would take hours.
static void ends_soon(const char *first, const char *piece, size_t count, const char *last,
                      const char *wanted)
{
    size_t size;
    char *text = repeated(first, piece, count, last, &size);
    if (!CHECK(text != NULL)) {
        return;
    }
    check_case("%s%s... %zu times", first, piece, count);
    const clock_t start = clock();
    lwi_xml_doc *doc = parse_bytes(text, size);
    if (doc) {
        lwi_xml_report_unused(doc, NULL, report);
    }
    lwi_xml_destroy(doc);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK_TEXT(diagnostic(0), wanted);
    CHECK(seconds < 60);
    free(text);
}

TEST(hostile_files_end_soon_with_a_message)
{
    const size_t million = 1000000;
    ends_soon("", "<a>", million / 10, "",
              "t.xml:1:769: error: elements are nested more than 256 deep");
    ends_soon("<a b=\"", "0123456789", 10 * million, "\"/>",
              "t.xml:1:1: error: a tag or comment of more than 1048576 bytes");
    ends_soon("<a>\n<!--", "0123456789", 10 * million, "--></a>",
              "t.xml:2:1: error: a tag or comment of more than 1048576 bytes");
    ends_soon("<a>", "0123456789", 10 * million, "</a>",
              "t.xml:1:1: error: an element with more than 1048576 bytes of text");
    ends_soon("<", "a", 10 * million, "/>",
              "t.xml:1:1: error: a tag or comment of more than 1048576 bytes");
    ends_soon("<a>", "<b/>", million, "</a>",
              "t.xml:1:4: warning: <b> is not used (1000000 times) [unused-element]");
    ends_soon("<a>", "<b c=\"1\"/>\n", million, "</a>",
              "t.xml:1:4: warning: <b> is not used (1000000 times) [unused-element]");
    ends_soon("<a>", "<b/>", 6 * million, "</a>",
              "t.xml:1:16000000: error: more than 4000000 elements");
}

// Expat keeps each name it has met.
TEST(many_different_names_are_refused)
{
    const int count = 100000;
    char *text = malloc((size_t)count * 10 + 16);
    if (!CHECK(text != NULL)) {
        return;
    }
    char *at = text + sprintf(text, "<a>\n");
    for (int i = 0; i < count; ++i) {
        at += sprintf(at, "<b%d/>", i);
    }
    at += sprintf(at, "</a>");
    lwi_xml_doc *doc = parse_bytes(text, (size_t)(at - text));
    CHECK(doc == NULL);
    CHECK_HAS(diagnostic(0), "error: more than 20000 different names of elements and attributes");
    free(text);
}

TEST(a_million_attributes_are_refused)
{
    const int count = 1000000;
    char *text = malloc((size_t)count * 14 + 16);
    if (!CHECK(text != NULL)) {
        return;
    }
    for (int n = 2000; n <= count; n *= 500) {
        char *at = text + sprintf(text, "<a");
        for (int i = 0; i < n; ++i) {
            at += sprintf(at, " b%d=\"\"", i);
        }
        at += sprintf(at, "/>");
        lwi_xml_doc *doc = parse_bytes(text, (size_t)(at - text));
        CHECK(doc == NULL);
        CHECK_TEXT(diagnostic(0),
                   n == 2000 ? "t.xml:1:1: error: an element with more than 1000 attributes"
                             : "t.xml:1:1: error: a tag or comment of more than 1048576 bytes");
    }
    free(text);
}

int main(void)
{
    report = new_report();
    RUN(elements_and_attributes_have_places);
    RUN(words_in_values_have_places);
    RUN(attributes_are_read_as_what_they_are);
    RUN(malformed_text_is_refused_at_its_place);
    RUN(doctype_is_refused_at_its_line);
    RUN(loose_declarations_are_accepted);
    RUN(unused_names_are_listed_once);
    RUN(a_second_element_is_reported);
    RUN(long_texts_are_clipped_in_messages);
    RUN(hostile_files_end_soon_with_a_message);
    RUN(many_different_names_are_refused);
    RUN(a_million_attributes_are_refused);
    lw_report_destroy(report);
    return REPORT();
}
