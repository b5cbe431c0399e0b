// Chapters of the document that have files of their own.
#ifndef LWI_CHAPTERS_H
#define LWI_CHAPTERS_H

#include "../sym/derivation.h"
#include "page.h"

/// Whether nothing but inverse kinematics was derived: the document needs no masses then.
static inline bool lwi_document_is_inverse(const lw_derivation *d)
{
    return d->options.functions == 1u << LW_FUNCTION_INVERSE_KINEMATICS;
}

/// Where the frames of the bodies stand, and their masses where these are numbers.
void lwi_document_bodies(lwi_page *p, const lw_derivation *d);

/// How products of inertia stand in the tensor, with the letter that it has.
void lwi_document_tensor(lwi_page *p, char letter, bool has_product_integrals);

/// How dependent joints follow from the others: each step of the closure program with its numbers,
/// and what it comes to, line by line.
void lwi_document_closure(lwi_page *p, const lw_derivation *d);

/// The equations in closed form, in one that has such.
void lwi_document_closed_form(lwi_page *p, const lw_derivation *d, lw_form form);

/// The base parameters, with names of lengths where these are symbols.
void lwi_document_base(lwi_page *p, const lw_derivation *d);

/// Forward kinematics link by link, and how inverse kinematics was found, where that was derived.
void lwi_document_inverse(lwi_page *p, const lw_derivation *d);

/// The functions that were derived by recursion, line by line.
void lwi_document_code(lwi_page *p, const lw_derivation *d);

/// What the functions that were derived come to at one state, so that others can be checked by it.
void lwi_document_check(lwi_page *p, const lw_derivation *d);

/// Whether a tape can be read.
bool lwi_document_is_short(const lwi_tape *tape);

/// A tape as lines, or a note that there are too many to be read.
void lwi_document_lines(lwi_page *p, const lwi_tape *tape, const char *result, int size);

#endif
