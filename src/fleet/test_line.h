/*
 * test_line.h - writes a test as a line of a list of tests (docs/suite.md), so that a task can read
 * it with all its settings.
 */
#ifndef PF_FLEET_TEST_LINE_H
#define PF_FLEET_TEST_LINE_H

#include "suite_list.h"
#include <stdio.h>

void pf_test_line_write(FILE *out, const struct pf_suite_test *t);

#endif
