// Pieces of XML, behind a text that grows.
#ifndef LWI_XML_TEXT_H
#define LWI_XML_TEXT_H

#include "../base/text.h"

// Attributes, each with a blank before it: name="value".
void lwi_text_add_attr(lwi_text *text, const char *name, const char *value);
void lwi_text_add_attr_number(lwi_text *text, const char *name, double value);
void lwi_text_add_attr_numbers(lwi_text *text, const char *name, const double *value, int count);

#endif
