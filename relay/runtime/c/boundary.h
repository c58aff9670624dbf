/* The call boundary's structures, which Python fills in, and declares again in
 * `relay/runtime/call_boundary/structures.py`. */
#ifndef RELAY_BOUNDARY_H
#define RELAY_BOUNDARY_H

#include "python_api.h"
#include "relay.h"

typedef enum { TENSOR, NUMBER, TUPLE, VALUE, READY, FIXED } FieldKind;
typedef enum { REFUSE, TO_INT, TO_SINGLE, TO_DOUBLE, TO_BOOL } Convert;

typedef struct Field Field;
typedef struct Form Form;
typedef struct Type Type;

/* An argument, a result, or a field of a value. */
struct Field {
  int64_t kind;
  int64_t offset;       /* from a base: a call or a block */
  int64_t sizes_offset; /* of the words for dynamic sizes */
  union {
    Field *parts; /* of a tuple */
    Type *as;     /* the data type of a value */
  };
  PyObject *type; /* NumPy's; of a fixed field, the object itself */
  int64_t count;  /* of axes or parts */
  int64_t *sizes; /* -1: any; smaller: the symbols -2, -3… of a call */
  int64_t bytes;  /* of an element; of a preallocated result, all */
  PyObject *number_class;
  int64_t convert; /* how Python numbers are converted, and their limits */
  int64_t low, high;
};

/* A class whose objects are values of a type. */
typedef struct {
  PyObject *class;
  Form *form;
  PyObject **names;
} Case;

/* A constructor. */
struct Form {
  int64_t tag, count;
  Field *fields;
  int64_t bytes; /* of a block */
  void *blank;   /* such a block */
  PyObject *name;
  PyObject *empty; /* the value, if it needs no block */
};

/* A data type. */
struct Type {
  int64_t case_count;
  Case *cases;
  int64_t form_count;
  Form *forms;
};

/* What all calls of a program have in common. */
typedef struct {
  Entry *entry;
  const void *constants;
  int64_t input_count;
  Field *inputs;
  int64_t output_count;
  Field *outputs; /* results that are allocated before the call */
  Field *result;
  int32_t (*finish)(void *arena); /* frees the heap; may be null */
  int64_t stoppable;
  int64_t symbol_count;
} Plan;

/* A growable buffer of bytes. It and the next two begin with memory of the call's frame. */
typedef struct {
  char *bytes;
  int64_t used, room;
  char *first;
  int64_t first_room;
} Vector;

/* An object that was visited as a value of a type, and its representation. */
typedef struct {
  const void *object;
  const Type *type;
  void *found;
} Slot;

/* A hash table of visited objects; `mask` is the number of slots less one. */
typedef struct {
  Slot *slots;
  int64_t mask, used;
  Slot *first;
  int64_t first_mask;
} Table;

/* An arena for blocks; a segment begins with the address of the next one. */
typedef struct {
  char *next, *end;
  void *all;
  char *first, *first_end;
} Blocks;

/* One call; its tables follow. */
typedef struct {
  Plan *plan;
  void *arena, *workspace;
  ControlBlock *stop;
  void **inputs, **outputs;
  int64_t *symbols;
  Vector pending; /* queued values */
  Vector held;    /* objects to release when the call ends */
  Table places;
  Blocks blocks;
  int64_t interrupted; /* a signal handler raised an exception during the work at the boundary */
  int64_t work;        /* since the last check for signals */
} Call;

#endif
