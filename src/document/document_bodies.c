// The frames that equations are written in, and the masses in them: with these numbers, and the
// joints of the document's first table, all that follows can be computed again.
#include "chapters.h"

#include "../sym/symbolic_model.h"
#include "print.h"

#include <math.h>
#include <stdio.h>

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
        lwi_page_cells(p, "dvvvv", i + 1, m->X_PJ[i].p, noise * size, lwi_axis(R, 0), noise,
                       lwi_axis(R, 1), noise, lwi_axis(R, 2), noise);
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
        lwi_text_format(&entry[i], "%s%s_{%s}", i % 4 ? minus : "", stem, name[i]);
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
        lwi_page_cells(p, "dgvvv", i + 1, I->mass, I->first_moment,
                       noise * largest3(I->first_moment), main, 0.0, side, noise * largest3(main));
    }
    lwi_page_table_end(p);
    lwi_document_tensor(p, 'J', has_product_integrals);
}

void lwi_document_bodies(lwi_page *p, const lw_derivation *d)
{
    const double noise = lwi_rounding(&d->options);
    placements(p, d->model, noise);
    if (!d->options.is_symbolic && !lwi_document_is_inverse(d)) {
        masses(p, d->model, noise, d->options.has_product_integrals);
    }
}
