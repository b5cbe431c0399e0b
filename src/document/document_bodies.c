// The frames that equations are written in, and the masses in them: with these numbers, and the
// joints of the document's first table, all that follows can be computed again.
#include "chapters.h"

#include "../sym/symbolic_model.h"
#include "print.h"

#include <math.h>
#include <stdio.h>

static double cleaned(double x, double noise)
{
    return fabs(x) < noise ? 0.0 : x;
}

const char *lwi_vector_text(lw_vec3 v, double noise, char text[LWI_VECTOR_SIZE])
{
    char x[LWI_NUMBER_SIZE], y[LWI_NUMBER_SIZE], z[LWI_NUMBER_SIZE];
    lwi_short_number(cleaned(v.x, noise), x);
    lwi_short_number(cleaned(v.y, noise), y);
    lwi_short_number(cleaned(v.z, noise), z);
    snprintf(text, LWI_VECTOR_SIZE, "(%s, %s, %s)", x, y, z);
    return text;
}

static double largest3(lw_vec3 v)
{
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

static void placements(lwi_page *p, const lw_model *m, double noise)
{
    static const char *const head[] = {LWI_SYMBOL("i"), "origin", "x axis", "y axis", "z axis"};
    double size = 0.0;
    for (int i = 0; i < m->nbody; ++i) {
        size = fmax(size, largest3(m->X_PJ[i].p));
    }
    lwi_page_heading(p, "Frames of the bodies");
    lwi_page_text(p, "The equations are written in these: at zero position, the frame of body i in "
                     "the frame of its parent, or in the world's. The joint acts "
                     "about or along its z axis. The x axis is the model's, and need not be that "
                     "of a table of Denavit and Hartenberg. Metres.");
    lwi_page_table(p, 5, head);
    for (int i = 0; i < m->nbody; ++i) {
        const lw_mat3 *R = &m->X_PJ[i].R;
        char number[LWI_NUMBER_SIZE], at[4][LWI_VECTOR_SIZE];
        snprintf(number, sizeof number, "%d", i + 1);
        const char *cell[] = {
            number, lwi_vector_text(m->X_PJ[i].p, noise * size, at[0]),
            lwi_vector_text(lw_vec3_of(R->row[0].x, R->row[1].x, R->row[2].x), noise, at[1]),
            lwi_vector_text(lw_vec3_of(R->row[0].y, R->row[1].y, R->row[2].y), noise, at[2]),
            lwi_vector_text(lw_vec3_of(R->row[0].z, R->row[1].z, R->row[2].z), noise, at[3])};
        lwi_page_row(p, cell);
    }
    lwi_page_table_end(p);
}

void lwi_document_tensor(lwi_page *p, char letter, bool has_product_integrals)
{
    static const char *const name[] = {"xx", "xy", "xz", "xy", "yy", "yz", "xz", "yz", "zz"};
    const char *minus = has_product_integrals ? "-" : "", stem[2] = {letter, '\0'};
    lwi_text entry[9] = {0};
    char plain[80];
    lwi_page_text(p, has_product_integrals
                         ? "Products of inertia are integrals here, such as that of x y dm. The "
                           "tensor of a body is"
                         : "Products of inertia are entries of the tensor here, which is");
    for (int i = 0; i < 9; ++i) {
        lwi_text_add(&entry[i], i % 4 ? minus : "");
        lwi_text_add(&entry[i], stem);
        lwi_text_add(&entry[i], "_{");
        lwi_text_add(&entry[i], name[i]);
        lwi_text_add(&entry[i], "}");
    }
    if (!lwi_page_matrix(p, stem, 3, 3, entry)) {
        lwi_page_equations(p);
        for (int i = 0; i < 9; i += 3) {
            const char *sign[3] = {i == 0 ? "" : minus, i == 3 ? "" : minus, i == 6 ? "" : minus};
            snprintf(plain, sizeof plain, "%s %s%c%s  %s%c%s  %s%c%s %s", i == 0 ? "(" : " ",
                     sign[0], letter, name[i], sign[1], letter, name[i + 1], sign[2], letter,
                     name[i + 2], i == 6 ? ")" : "");
            lwi_page_line(p, plain, "");
        }
        lwi_page_equations_end(p);
    }
    for (int i = 0; i < 9; ++i) {
        p->text.is_short = p->text.is_short || entry[i].is_short;
        lwi_text_free(&entry[i]);
    }
}

static void masses(lwi_page *p, const lw_model *m, double noise, bool has_product_integrals)
{
    static const char *const head[] = {LWI_SYMBOL("i"), LWI_SYMBOL("m"), "(mx, my, mz)",
                                       "(Jxx, Jyy, Jzz)", "(Jxy, Jxz, Jyz)"};
    lwi_page_text(p, "Mass (kg), first moment (kg m) and tensor " LWI_SYMBOL(
                         "J") " about the origin (kg m^2) of body "
                              "i, in its frame; what is fixed to a body is part of it:");
    lwi_page_table(p, 5, head);
    for (int i = 0; i < m->nbody; ++i) {
        const lw_inertia *I = &m->inertia[i];
        const lw_vec3 main = lw_vec3_of(I->tensor.xx, I->tensor.yy, I->tensor.zz);
        const lw_vec3 entry = lw_vec3_of(I->tensor.xy, I->tensor.xz, I->tensor.yz);
        const lw_vec3 side = has_product_integrals ? lw_scale3(-1.0, entry) : entry;
        char number[LWI_NUMBER_SIZE], mass[LWI_NUMBER_SIZE], at[3][LWI_VECTOR_SIZE];
        snprintf(number, sizeof number, "%d", i + 1);
        lwi_short_number(I->mass, mass);
        const char *cell[] = {
            number, mass,
            lwi_vector_text(I->first_moment, noise * largest3(I->first_moment), at[0]),
            lwi_vector_text(main, 0.0, at[1]),
            lwi_vector_text(side, noise * largest3(main), at[2])};
        lwi_page_row(p, cell);
    }
    lwi_page_table_end(p);
    lwi_document_tensor(p, 'J', has_product_integrals);
}

void lwi_document_bodies(lwi_page *p, const lw_derivation *d)
{
    const double noise = lwi_rounding(&d->options);
    placements(p, d->model, noise);
    if (!d->options.is_symbolic) {
        masses(p, d->model, noise, d->options.has_product_integrals);
    }
}
