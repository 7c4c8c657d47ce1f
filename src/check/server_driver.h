/*
 * server_driver.h - drives a server that is being checked: runs a client against it, and ends it.
 *
 * Model:   the driver is a process between the supervisor and the program. Whenever a descendant
 *          starts to listen on a socket, the driver runs the client command (sh -c, with PF_PORT)
 *          and then sends SIGTERM to that descendant. With --for it sends SIGTERM to every process
 *          of the program that has run for that long. If the standard input of the program is not a
 *          file, it is a pipe that stays open until all processes of the program were sent SIGTERM.
 *          The driver ends with the program's status. In a step that runs the program many times,
 *          each of these processes is driven, and the pipe stays open to the end of the step.
 * Errors:  in the report: no port was opened, the client failed.
 */
#ifndef PF_CHECK_SERVER_DRIVER_H
#define PF_CHECK_SERVER_DRIVER_H

#include "check_settings.h"

/* Runs the program to its end, and drives it and the processes that it starts. Returns its exit
 * status; ends this process by the same signal if the program was killed. A problem is written to
 * the file `report` (run_report.h). `once`: the step runs the program only once. */
int pf_server_driver_run(const struct pf_check_settings *settings, const char *path,
                         char *const *argv, const char *report, bool once);

#endif
