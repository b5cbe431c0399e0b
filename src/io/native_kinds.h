// The table of the elements of parts: one row per kind. The reader and the writer both follow it.
#ifndef LWI_NATIVE_KINDS_H
#define LWI_NATIVE_KINDS_H

#include "native_write.h"

#include <stddef.h>

typedef enum lwi_field_type {
    LWI_FIELD_NUMBER,
    LWI_FIELD_ANGLE, ///< in the unit of the file, rad in the description
    LWI_FIELD_VECTOR,
    LWI_FIELD_FLAG, ///< "true" or "false"
    LWI_FIELD_WORD, ///< an enum
    LWI_FIELD_OTHER ///< by functions
} lwi_field_type;

/// An attribute, and the member of the definition that it gives. What has its default value, to the
/// last bit, is not written.
typedef struct lwi_native_field {
    const char *attr;
    size_t offset;
    lwi_field_type type;
    const char *const *words; ///< of an enum, ended by a null
    const int *values;        ///< that these mean; null: their numbers

    /// Of LWI_FIELD_OTHER. Reading returns false, reported, where the part cannot be made.
    bool (*read)(lwi_native_scope *scope, lwi_native_part *part, void *def);
    void (*write)(const lwi_native_out *out, const lwi_part *part, int index);
} lwi_native_field;

/// What an element of a part is. Its grammar is a row of native_grammar.c.
typedef struct lwi_native_kind {
    const char *element[2];   ///< its names; the first one is written
    const char *connected[2]; ///< attributes that name the ports which its A ports are connected to
    const char *axes[2]; ///< attributes that name the axes which its axis ports are joined with
    void (*set_default)(void *def);
    const lwi_native_field *field; ///< in the order in which they are written
    int nfield;

    /// Besides the fields, where they are not null: adds the part, or writes the element.
    void (*add)(lwi_native_scope *scope, lwi_native_part *part);
    void (*write)(const lwi_native_out *out, const lwi_part *part, int index);
} lwi_native_kind;

const lwi_native_kind *lwi_native_kind_of(lw_part_kind kind);

/// The kind of part that an element describes; LW_PART_ANY where it is none.
lw_part_kind lwi_native_kind_of_element(const char *tag);

/// Reads the attributes of an element into a definition.
bool lwi_native_read_fields(lwi_native_scope *scope, lwi_native_part *part,
                            const lwi_native_field *field, int nfield, void *def);

void lwi_native_read_field(lwi_native_reader *reader, lwi_xml_node *node,
                           const lwi_native_field *field, void *at);

/// Adds a part as its element describes it.
void lwi_native_add_part(lwi_native_scope *scope, lwi_native_part *part);

/// Writes the attributes that differ from the default.
void lwi_native_write_fields(const lwi_native_out *out, const lwi_native_field *field, int nfield,
                             const void *def, const void *usual, int index);

// Attributes of a degree of freedom (lw_dof), and of a joint besides those of its type.
enum { LWI_NATIVE_DOF_FIELDS = 11, LWI_NATIVE_JOINT_FIELDS = 4 };
extern const lwi_native_field lwi_native_dof_field[LWI_NATIVE_DOF_FIELDS];
extern const lwi_native_field lwi_native_joint_field[LWI_NATIVE_JOINT_FIELDS];

/// Whether a centre of mass has no rotation, and is written as an attribute.
bool lwi_native_is_plain_center(const lw_placement *center);

// Words that several elements have.
extern const char *const lwi_native_role_words[];
extern const int lwi_native_role_values[];
extern const char *const lwi_native_branch_words[];
extern const int lwi_native_branch_values[];

/// A word of a list as an attribute, where it is not the default.
void lwi_native_attr_word(lwi_native_writer *writer, const char *attr, const char *const *words,
                          const int *values, int value);

// What the writer has for parts that need more than attributes (native_write_parts.c).
void lwi_native_write_ground(const lwi_native_out *out, const lwi_part *part, int index);
void lwi_native_write_link(const lwi_native_out *out, const lwi_part *part, int index);
void lwi_native_write_joint(const lwi_native_out *out, const lwi_part *part, int index);
void lwi_native_write_use(const lwi_native_out *out, const lwi_part *part, int index);

#endif
