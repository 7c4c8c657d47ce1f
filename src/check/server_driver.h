/*
 * server_driver.h - drives a server that is being checked: runs a client against it, and ends it.
 *
 * Model:   the driver is a process between the supervisor and the program. Whenever a descendant
 *          starts to listen on a socket, the driver runs the client command (sh -c, with PF_PORT)
 *          and then sends SIGTERM to that descendant. With --for it sends SIGTERM to every process
 *          of the program that has run for that long. It ends with the program's status. In a step
 *          that runs the program many times, each of these processes is driven.
 * Errors:  PF_IO when no driver can be forked.
 */
#ifndef PF_CHECK_SERVER_DRIVER_H
#define PF_CHECK_SERVER_DRIVER_H

#include "check_settings.h"

/* Forks. Returns in the child, which then becomes the program; the parent is the driver and
 * never returns. */
PF_MUST_USE pf_status pf_server_driver_start(const struct pf_check_settings *settings,
                                             struct pf_error *e);

/* Start of the lines that the driver writes to the output of the step. */
#define PF_SERVER_DRIVER_PREFIX "pf check: "

#endif
