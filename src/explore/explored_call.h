/*
 * explored_call.h - what exploration knows about a library function (pf_explored.def).
 */
#ifndef PF_EXPLORE_EXPLORED_CALL_H
#define PF_EXPLORE_EXPLORED_CALL_H

enum pf_explored_call {
    PF_EXPLORED_CALL_NOT, /* its effects are not known */
    PF_EXPLORED_CALL_EVENTS,
    PF_EXPLORED_CALL_REACHES,
    PF_EXPLORED_CALL_ORDERED
};
/* name: a C function, or a C++ function, demangled or not. It may be cut off at its end. */
enum pf_explored_call pf_explored_call_find(const char *name);

#endif
