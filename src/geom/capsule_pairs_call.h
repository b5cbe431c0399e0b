// The public function for the scalar that the including file names (`real`, by macros).
lw_status PAIRS_CALL(int n, const PAIRS_IN *a, const PAIRS_IN *b, const PAIRS_OUT *out)
{
    const PAIRS_IN *in[2] = {a, b};
    bool has_arrays =
        n >= 0 && a && b && out && out->distance && out->lower && out->upper && out->s && out->t;
    for (int k = 0; k < 2 && has_arrays; ++k) {
        const PAIRS_IN *c = in[k];
        has_arrays = c->x && c->y && c->z && c->ux && c->uy && c->uz && c->half && c->radius;
    }
    if (!has_arrays) {
        return LW_ERR_ARGUMENT;
    }
    const bool is_odd = select_kernels()->PAIRS_KERNEL(n, a, b, out);
    lw_status status = LW_OK;
    for (int i = 0; i < n && is_odd; ++i) {
        if (out->lower[i] <= out->upper[i]) {
            continue;
        }
        lwi_capsule c[2];
        for (int k = 0; k < 2; ++k) {
            c[k] = (lwi_capsule){{(double)in[k]->x[i], (double)in[k]->y[i], (double)in[k]->z[i]},
                                 {(double)in[k]->ux[i], (double)in[k]->uy[i], (double)in[k]->uz[i]},
                                 (double)in[k]->half[i],
                                 (double)in[k]->radius[i]};
        }
        const odd_pair r = find_odd(&c[0], &c[1]);
        status = status == LW_OK ? r.status : status;
        out->distance[i] = (real)r.distance;
        out->lower[i] = (real)(r.lower - PAIRS_ROUNDING * lwi_smaller(fabs(r.lower), 1e50));
        out->upper[i] = (real)(r.upper + PAIRS_ROUNDING * lwi_smaller(fabs(r.upper), 1e50));
        out->s[i] = (real)r.s;
        out->t[i] = (real)r.t;
    }
    return status;
}
