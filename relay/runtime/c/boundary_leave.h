/* Unmarshalling of results: preallocated arrays, copies of elements on the heap, and `Data`.
 *
 * Nested values of data types are queued, so that nothing recurses on values.
 */
#ifndef RELAY_BOUNDARY_LEAVE_H
#define RELAY_BOUNDARY_LEAVE_H

#include "boundary_arrays.h"

#include "boundary_release.h"

/* A field to unmarshal into an item of a tuple. */
typedef struct {
  const Field *field;
  char *base;
  PyObject *tuple;
  int64_t index;
} Part;

static PyObject *leave(Call *call, const Field *field, char *base);

/* Store an object into a new tuple; return false if the object is null. */
static bool put(PyObject *tuple, int64_t index, PyObject *object) {
  return object != NULL && PyTuple_SetItem(tuple, index, object) == 0;
}

/* Store the objects for fields into a tuple, or queue them. */
static bool leave_fields(Call *call, const Field *fields, int64_t count, char *base,
                         PyObject *tuple) {
  for (int64_t index = 0; index < count; index++) {
    const Field *field = &fields[index];
    if (field->kind == VALUE) {
      Part *place = append(&call->pending, sizeof(Part));
      if (place == NULL) return false;
      *place = (Part){field, base, tuple, index};
    } else if (!put(tuple, index, leave(call, field, base))) {
      return false;
    }
  }
  return true;
}

/* Results have no cycles: the garbage collector need not visit their objects, which takes as long
 * as all else, and keeps a caller that interrupted the call waiting. */
static PyObject *untracked(PyObject *object) {
  if (object != NULL) PyObject_GC_UnTrack(object);
  return object;
}

static PyObject *leave_tuple(Call *call, const Field *field, char *base) {
  PyObject *tuple = untracked(PyTuple_New(field->count));
  if (tuple == NULL || leave_fields(call, field->parts, field->count, base, tuple)) return tuple;
  Py_DecRef(tuple);
  return NULL;
}

/* Return a value with a constructor and a tuple of fields, whose only reference it takes over. */
static PyObject *new_data(PyObject *name, PyObject *tuple) {
  PyObject *data = untracked(PyType_GenericAlloc(&class_data, 0));
  if (data != NULL && (PyObject_GenericSetAttr(data, &name_constructor, name) != 0 ||
                       PyObject_GenericSetAttr(data, &name_fields, tuple) != 0)) {
    Py_DecRef(data);
    data = NULL;
  }
  Py_DecRef(tuple);
  return data;
}

/* Return the value of a block; `slot` is where to note it if the block is shared, else null. */
static PyObject *leave_block(Call *call, const Type *type, Block *block, Slot *slot) {
  if (block->tag >= type->form_count) return NULL; /* the types are not those of the program */
  const Form *form = &type->forms[block->tag];
  PyObject *tuple = untracked(PyTuple_New(form->count));
  PyObject *data = tuple == NULL ? NULL : new_data(form->name, tuple);
  if (data == NULL) return NULL;
  if (slot != NULL) fill_slot(&call->places, slot, block, type, data);
  if (leave_fields(call, form->fields, form->count, (char *)block, tuple)) return data;
  Py_DecRef(data);
  return NULL;
}

/* Return the value that a word represents. A block with more than one reference is looked up,
 * because it may have been visited, and sharing is preserved. */
static PyObject *leave_value(Call *call, const Type *type, uint64_t word) {
  if (word < RELAY_TAGS) {
    if (word >= (uint64_t)type->form_count || type->forms[word].empty == NULL) return NULL;
    PyObject *empty = type->forms[word].empty;
    Py_IncRef(empty);
    return empty;
  }
  Block *block = (Block *)(uintptr_t)word;
  if (block->count == 1) return leave_block(call, type, block, NULL);
  Slot *slot = slot_of(call, block, type);
  if (slot == NULL) return NULL;
  if (slot->object == NULL) return leave_block(call, type, block, slot);
  Py_IncRef(slot->found);
  return slot->found;
}

/* Return the object for a field; values of data types in it are queued. */
static PyObject *leave(Call *call, const Field *field, char *base) {
  if (!goes_on(call, 1)) return NULL;
  char *place = base + field->offset;
  const int64_t *table = (int64_t *)(base + field->sizes_offset);
  switch (field->kind) {
    case TENSOR:
      return copy_array(call, field, *(void **)place, table);
    case NUMBER:
      return copy_array(call, field, place, table);
    case TUPLE:
      return leave_tuple(call, field, base);
    case VALUE:
      return leave_value(call, field->as, *(uint64_t *)place);
    case FIXED:
      Py_IncRef(field->type);
      return field->type;
    default: { /* an array that was made before the call */
      PyObject *made = *(PyObject **)place;
      *(PyObject **)place = NULL;
      return made;
    }
  }
}

static PyObject *leave_each(Call *call) {
  PyObject *root = leave(call, call->plan->result, (char *)call);
  Part *top;
  while (root != NULL && (top = pop(&call->pending, sizeof(Part))) != NULL) {
    Part part = *top;
    if (!put(part.tuple, part.index, leave(call, part.field, part.base))) {
      if (!hold(call, root)) return NULL;
      root = NULL;
    }
  }
  return root;
}

/* Return the complete result, or null on a Python exception or if memory runs out. The garbage
 * collector is disabled meanwhile: the new objects cannot be garbage yet, and collecting took
 * longer than all else. */
static PyObject *leave_all(Call *call) {
  int collects = PyGC_Disable();
  PyObject *object = leave_each(call);
  if (collects != 0) PyGC_Enable();
  return object;
}

#endif
