/* suite_svg.c - see suite_load.h: the curves as an SVG image. One file without scripts or fonts;
 * it follows the reader's light or dark colour scheme. */
#include "suite_load.h"
#include "text_format.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 460, HEIGHT = 300, LEFT = 62, RIGHT = 14, TOP = 44, BOTTOM = 44, LEGEND = 22 };

/* Names of files and policies come from the user. */
static void escape(struct pf_text *t, const char *s)
{
    for (; *s; s++)
        switch (*s) {
        case '<':
            pf_text_add(t, "&lt;");
            break;
        case '>':
            pf_text_add(t, "&gt;");
            break;
        case '&':
            pf_text_add(t, "&amp;");
            break;
        default:
            if ((unsigned char)*s >= ' ')
                pf_text_char(t, *s);
        }
}

enum what { OVERHEAD, DISTINCT, PAIRS, FREQUENT };

static double value(const struct pf_curve_point *p, enum what w)
{
    switch (w) {
    case OVERHEAD:
        return pf_curve_overhead(p, false);
    case DISTINCT:
        return (double)p->distinct;
    case PAIRS:
        return (double)p->pairs;
    default:
        return (double)p->frequent;
    }
}

/* A step of 1, 2 or 5 times a power of ten, so that about `parts` steps cover `span`. */
static double tick(double span, int parts)
{
    double step = pow(10, floor(log10(span / parts)));
    double rest = span / parts / step;
    return step * (rest > 5 ? 10 : rest > 2 ? 5 : rest > 1 ? 2 : 1);
}

struct panel {
    const struct pf_curves *c;
    double x, low, high, count; /* left edge; ranges of the axes */
};

static double at_x(const struct panel *p, double i)
{
    double share = p->count > 1 ? (i - 1) / (p->count - 1) : 0.5;
    return p->x + LEFT + share * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct panel *p, double v)
{
    return HEIGHT - BOTTOM - (v - p->low) / (p->high - p->low) * (HEIGHT - TOP - BOTTOM);
}

static void add_axes(struct pf_text *t, const struct panel *p, const char *title, const char *unit)
{
    pf_text_format(t, "<text class=\"t\" x=\"%.1f\" y=\"22\">%s</text>\n", p->x + LEFT, title);
    double step = tick(p->high - p->low, 5);
    if (!unit[0] && step < 1)
        step = 1; /* counts are integers */
    for (double v = ceil(p->low / step) * step; v <= p->high + step / 1e6; v += step) {
        pf_text_format(t, "<path class=\"g\" d=\"M%.1f %.1fH%.1f\"/>", p->x + LEFT, at_y(p, v),
                       p->x + WIDTH - RIGHT);
        pf_text_format(t,
                       "<text class=\"n\" text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">%g%s</text>\n",
                       p->x + LEFT - 6, at_y(p, v) + 4, fabs(v) < step / 2 ? 0 : v, unit);
    }
    step = tick(p->count > 1 ? p->count : 5, 5);
    step = step < 1 ? 1 : step;
    for (double i = step; i <= p->count; i += step)
        pf_text_format(t,
                       "<text class=\"n\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%g</text>\n",
                       at_x(p, i), HEIGHT - BOTTOM + 18, i);
    pf_text_format(t, "<path class=\"a\" d=\"M%.1f %dV%dH%.1f\"/>\n", p->x + LEFT, TOP,
                   HEIGHT - BOTTOM, p->x + WIDTH - RIGHT);
    pf_text_format(
        t, "<text class=\"n\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">executions</text>\n",
        p->x + (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8);
}

static void add_line(struct pf_text *t, const struct panel *p, size_t k, enum what w)
{
    const struct pf_curve *v = &p->c->at[k];
    pf_text_format(t, "<path class=\"c c%zu%s\" d=\"", k % 6, w == FREQUENT ? " d" : "");
    for (size_t i = 0; i < v->n; i++)
        pf_text_format(t, "%c%.1f %.1f", i ? 'L' : 'M', at_x(p, (double)i + 1),
                       at_y(p, value(&v->at[i], w)));
    if (v->n == 1)
        pf_text_add(t, "h.1");
    pf_text_add(t, "\"/>\n");
}

static void add_panel(struct pf_text *t, const struct pf_curves *c, double x, enum what w,
                      const char *title, const char *unit)
{
    struct panel p = {.c = c, .x = x};
    for (size_t k = 0; k < c->n; k++) {
        p.count = fmax(p.count, (double)c->at[k].n);
        for (size_t i = 0; i < c->at[k].n; i++) {
            p.high = fmax(p.high, value(&c->at[k].at[i], w));
            p.low = fmin(p.low, value(&c->at[k].at[i], w));
        }
    }
    if (p.high - p.low < 1)
        p.high = p.low + 1;
    add_axes(t, &p, title, unit);
    for (size_t k = 0; k < c->n; k++)
        if (w != PAIRS || c->at[k].has_pairs) {
            add_line(t, &p, k, w);
            if (w == PAIRS)
                add_line(t, &p, k, FREQUENT);
        }
}

static const char style[] =
    "<style>svg{background:#fff;color:#222;font:12px system-ui,sans-serif}"
    "text{fill:currentColor}.t{font-size:14px;font-weight:600}.n{font-size:11px}"
    ".g{stroke:currentColor;opacity:.15}.a{stroke:currentColor;fill:none}"
    ".c{fill:none;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}.d{stroke-dasharray:5 "
    "4}"
    ".c0{stroke:#1b6ec2}.c1{stroke:#c2410c}.c2{stroke:#15803d}.c3{stroke:#7e22ce}.c4{stroke:#"
    "b45309}"
    ".c5{stroke:#0f766e}"
    "@media(prefers-color-scheme:dark){svg{background:#14171c;color:#e6e6e6}.c0{stroke:#6cb0f5}"
    ".c1{stroke:#fb8f5b}.c2{stroke:#5fd08a}.c3{stroke:#c58af9}.c4{stroke:#f3b94d}.c5{stroke:#"
    "4fd1c5}}"
    "</style>\n";

void pf_curves_svg(struct pf_text *t, const struct pf_curves *c)
{
    bool pairs = false;
    for (size_t k = 0; k < c->n; k++)
        pairs |= c->at[k].has_pairs;
    int panels = 1 + (c->reference != NULL) + pairs, at = 0;
    int height = HEIGHT + LEGEND * (int)(c->n ? c->n : 1) + 16;
    pf_text_format(t,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                   "height=\"%d\" role=\"img\">\n<title>",
                   panels * WIDTH, height, panels * WIDTH, height);
    escape(t, c->list ? c->list : "no executions");
    pf_text_add(t, "</title>\n");
    pf_text_add(t, style);
    if (c->reference) {
        char title[96];
        snprintf(title, sizeof title, "Cumulative overhead (CPU) over %s", c->reference);
        add_panel(t, c, WIDTH * at++, OVERHEAD, title, "%");
    }
    add_panel(t, c, WIDTH * at++, DISTINCT, "Distinct findings", "");
    if (pairs)
        add_panel(t, c, WIDTH * at++, PAIRS, "Function pairs (dashed: frequent)", "");
    for (size_t k = 0; k < c->n; k++) {
        int y = HEIGHT + 14 + LEGEND * (int)k;
        pf_text_format(t, "<path class=\"c c%zu\" d=\"M%d %dh24\"/><text x=\"%d\" y=\"%d\">", k % 6,
                       LEFT, y, LEFT + 32, y + 4);
        escape(t, c->at[k].policy);
        if (c->at[k].n) {
            const struct pf_curve_point *p = &c->at[k].at[c->at[k].n - 1];
            pf_text_format(t, ": %zu executions, %" PRIu64 " findings", c->at[k].n, p->distinct);
            if (c->reference)
                pf_text_format(t, ", overhead %.1f%%", pf_curve_overhead(p, false));
        }
        pf_text_add(t, "</text>\n");
    }
    pf_text_add(t, "</svg>\n");
}
