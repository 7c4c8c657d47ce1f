/*
 * option_man.c - the options of a verb as the OPTIONS section of its man page, in roff.
 *
 * Names and values come from the verb's own table, the texts from option_details*.def. So the
 * manual cannot list an option that does not exist, nor omit one.
 */
#include "cli.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *verb, *option, *text;
} details[] = {
#define PF_OPTION_DETAILS(verb, option, text) {verb, option, text},
#include "option_details.def"
#include "option_details_clips.def"
#include "option_details_fleet.def"
#undef PF_OPTION_DETAILS
};
#define NDETAILS (sizeof details / sizeof details[0])

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Prints text[0..n) with the characters escaped that roff would interpret. */
static void print_escaped(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '-')
            fputs("\\-", stdout);
        else if (text[i] == '\\')
            fputs("\\e", stdout);
        else
            putchar(text[i]);
    }
}

/* The length of the option name or manual reference at `at`, which is set in bold; 0 if there is
 * none. */
static size_t bold_length(const char *at)
{
    size_t n = 0;
    if (!strncmp(at, "--", 2) && islower((unsigned char)at[2])) {
        for (n = 2; islower((unsigned char)at[n]) || (at[n] == '-' && is_word(at[n + 1])); n++)
            ;
    } else if (!strncmp(at, "pf-", 3)) {
        for (n = 3; islower((unsigned char)at[n]) || at[n] == '+'; n++)
            ;
        if (strncmp(at + n, "(1)", 3) != 0)
            n = 0;
    }
    return n;
}

/* Prints a text as roff: `value` in italics, options and references in bold, \n as a paragraph. */
static void print_text(const char *text, const char *value)
{
    char lower[32] = "";
    for (size_t i = 0; value && value[i] && i + 1 < sizeof lower; i++)
        lower[i] = (char)tolower((unsigned char)value[i]);
    size_t nvalue = strlen(lower);
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (const char *at = text; *at;) {
        bool starts = at == text || (!is_word(at[-1]) && at[-1] != '-');
        size_t n = starts ? bold_length(at) : 0;
        const char *font = "B";
        if (!n && starts && nvalue && !strncmp(at, lower, nvalue) && !is_word(at[nvalue])) {
            n = nvalue;
            font = "I";
        }
        if (n) {
            printf("\\f%s", font);
            print_escaped(at, n);
            fputs("\\fR", stdout);
            at += n;
        } else if (*at == '\n') {
            fputs("\n.IP\n", stdout);
            at++;
        } else {
            print_escaped(at++, 1);
        }
    }
    putchar('\n');
}

static bool has_option(const struct pf_cli_verb *v, const char *name)
{
    for (size_t i = 0; i < v->noptions; i++)
        if (!strcmp(v->options[i].name, name))
            return true;
    return false;
}

int pf_cli_print_man(const struct pf_cli_verb *v)
{
    for (size_t i = 0; i < NDETAILS; i++)
        if (!strcmp(details[i].verb, v->name) && !has_option(v, details[i].option))
            return pf_complain(v->name, "the manual describes --%s, which does not exist",
                               details[i].option);
    for (size_t i = 0; i < v->noptions; i++) {
        const struct pf_cli_option *o = &v->options[i];
        const char *text = NULL;
        for (size_t k = 0; k < NDETAILS; k++)
            if (!strcmp(details[k].verb, v->name) && !strcmp(details[k].option, o->name))
                text = details[k].text;
        if (!text)
            return pf_complain(v->name, "the manual does not describe --%s", o->name);
        printf(".TP\n\\fB%s", o->name[1] ? "\\-\\-" : "\\-");
        print_escaped(o->name, strlen(o->name));
        fputs("\\fR", stdout);
        if (o->value) {
            fputs(" \\fI", stdout);
            for (const char *c = o->value; *c; c++)
                putchar(tolower((unsigned char)*c));
            fputs("\\fR", stdout);
        }
        putchar('\n');
        print_text(text, o->value);
    }
    return PF_EXIT_OK;
}
