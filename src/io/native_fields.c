// Attributes of parts by the table of their elements: reading, adding and writing.
#include "native_kinds.h"

#include "../parts/edit.h"

#include <string.h>

static int word_value(const lwi_native_field *field, int word)
{
    return field->values ? field->values[word] : word;
}

void lwi_native_read_field(lwi_native_reader *reader, lwi_xml_node *node,
                           const lwi_native_field *field, void *at)
{
    lw_status status = LW_OK;
    if (field->type == LWI_FIELD_VECTOR) {
        lwi_native_vector(reader, node, field->attr, false, at);
    } else if (field->type == LWI_FIELD_FLAG) {
        status = lwi_xml_read_bool(node, field->attr, at, reader->report);
    } else if (field->type == LWI_FIELD_WORD) {
        const int word = lwi_native_word(reader, node, field->attr, field->words);
        if (word >= 0) {
            *(int *)at = word_value(field, word);
        }
    } else {
        double value;
        status = lwi_xml_read_number(node, field->attr, false, &value, reader->report);
        if (status == LW_OK && lwi_native_has(node, field->attr)) {
            *(double *)at =
                field->type == LWI_FIELD_ANGLE ? lwi_native_angle(reader, value) : value;
        }
    }
    lwi_native_good(reader, status);
}

bool lwi_native_read_fields(lwi_native_scope *scope, lwi_native_part *part,
                            const lwi_native_field *field, int nfield, void *def)
{
    bool is_good = true;
    for (int i = 0; i < nfield; ++i) {
        if (field[i].type == LWI_FIELD_OTHER) {
            is_good = field[i].read(scope, part, def) && is_good;
        } else {
            lwi_native_read_field(scope->reader, part->node, &field[i],
                                  (char *)def + field[i].offset);
        }
    }
    return is_good;
}

void lwi_native_add_part(lwi_native_scope *scope, lwi_native_part *part)
{
    const lwi_native_kind *kind = lwi_native_kind_of(part->kind);
    if (kind->add) {
        kind->add(scope, part);
        return;
    }
    lwi_any_def def;
    kind->set_default(&def);
    def.name = part->name;
    const lwi_kind_row *row = lwi_kind_row_of(part->kind);
    *(lw_location *)(void *)((char *)&def + row->location) = part->node->at;
    if (!lwi_native_read_fields(scope, part, kind->field, kind->nfield, &def)) {
        return;
    }
    part->part = lwi_add_def(scope->mech, part->kind, &def);
    if (lwi_native_has_memory(scope->reader, part->part.index >= 0, part->node->at) &&
        row->carries_frames) {
        lwi_native_add_frames(scope, part);
        lwi_native_add_shapes(scope, part);
    }
}

void lwi_native_attr_word(lwi_native_writer *writer, const char *attr, const char *const *words,
                          const int *values, int value)
{
    for (int i = 0; words[i]; ++i) {
        if ((values ? values[i] : i) == value && (values ? value != 0 : i != 0)) {
            lwi_text_add_attr(writer->out, attr, words[i]);
        }
    }
}

void lwi_native_write_fields(const lwi_native_out *out, const lwi_native_field *field, int nfield,
                             const void *def, const void *usual, int index)
{
    static const size_t size[] = {sizeof(double), sizeof(double), sizeof(lw_vec3), sizeof(bool),
                                  sizeof(int)};
    lwi_native_writer *writer = out->writer;
    const lwi_part *part = &out->mech->part.at[index];
    for (int i = 0; i < nfield; ++i) {
        const lwi_native_field *f = &field[i];
        const void *at = (const char *)def + f->offset;
        if (f->type == LWI_FIELD_OTHER) {
            f->write(out, part, index);
        } else if (memcmp(at, (const char *)usual + f->offset, size[f->type]) == 0) {
            continue;
        } else if (f->type == LWI_FIELD_WORD) {
            lwi_native_attr_word(writer, f->attr, f->words, f->values, *(const int *)at);
        } else if (f->type == LWI_FIELD_FLAG) {
            lwi_text_add_attr(writer->out, f->attr, *(const bool *)at ? "true" : "false");
        } else {
            lwi_native_attr_numbers(writer, f->attr, at, f->type == LWI_FIELD_VECTOR ? 3 : 1,
                                    part->location);
        }
    }
}
