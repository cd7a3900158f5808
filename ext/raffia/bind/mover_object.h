/* Raffia::Native::ConnectionMover and Raffia::Native::LoadBoard, for other C. */
#ifndef RAFFIA_BIND_MOVER_OBJECT_H
#define RAFFIA_BIND_MOVER_OBJECT_H

#include <ruby.h>
#include "connection_mover.h"

/* NULL when it does not run. Raises a TypeError for any other object. */
struct raffia_mover *raffia_connection_mover_of(VALUE self);
struct raffia_load_board *raffia_load_board_of(VALUE self);

#endif
