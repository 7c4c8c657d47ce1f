// The loops of loop_wide_racy.c under --strict, where no shadow update is lost.
// pf: --strict
// want: race first_of at A:write B:write
// want: race middle_of at C:read D:write
// want: race last_of at E:write F:read
// want: race part_of at G:write H:write
// want: race near at I:read J:write
// want: race wide at K:write L:read
// want: race back at M:write N:read
// sources: part/loop_wide.c
