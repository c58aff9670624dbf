/* NumPy arrays at the call boundary: checked as arguments, created as results. */
#ifndef RELAY_BOUNDARY_ARRAYS_H
#define RELAY_BOUNDARY_ARRAYS_H

#include "boundary_signals.h"

#include <stddef.h>
#include <string.h>

#define MOST_AXES 64 /* of a NumPy array */
#define PART_BYTES ((int64_t)MOST_WORK * WORK_BYTES) /* copied between two checks for signals */

/* Return the elements of an array with a field's type and rank in the required layout, or null. */
static void *elements(const Field *field, PyObject *object) {
  Array *array = (Array *)object;
  if (object->class != &class_array && !PyType_IsSubtype(object->class, &class_array)) return NULL;
  if ((array->flags & (C_CONTIGUOUS | ALIGNED)) != (C_CONTIGUOUS | ALIGNED)) return NULL;
  if (array->rank != field->count) return NULL;
  bool same = array->type == field->type || PyArray_EquivTypes(array->type, field->type);
  return same ? array->data : NULL;
}

/* Whether an array has the sizes of a field; dynamic sizes are written to a table. */
static bool take_sizes(Call *call, const Field *field, const Array *array, int64_t *table) {
  for (int64_t axis = 0; axis < field->count; axis++) {
    int64_t size = array->shape[axis], wanted = field->sizes[axis];
    if (wanted >= 0) {
      if (size != wanted) return false;
      continue;
    }
    *table++ = size;
    if (wanted == -1) continue;
    int64_t *symbol = &call->symbols[-2 - wanted], known = *symbol;
    *symbol = size;
    if (known != -1 && known != size) return false;
  }
  return true;
}

/* Return a new, uninitialized array of a type and shape, or null if memory runs out. */
static PyObject *new_array(PyObject *type, int64_t rank, const int64_t *shape, void *data,
                           int flags) {
  Py_IncRef(type); /* consumed by the array */
  return PyArray_NewFromDescr(&class_array, type, (int)rank, shape, NULL, data, flags, NULL);
}

/* The same, with elements aligned to a cache line, as kernels require. */
static PyObject *new_aligned(PyObject *type, int64_t rank, const int64_t *shape, int64_t bytes) {
  int64_t size = bytes + LINE;
  PyObject *raw = new_array(&type_uint8, 1, &size, NULL, 0);
  if (raw == NULL) return NULL;
  uintptr_t begin = (uintptr_t)((Array *)raw)->data;
  void *data = (void *)((begin + LINE - 1) & ~(uintptr_t)(LINE - 1));
  PyObject *array = new_array(type, rank, shape, data, C_CONTIGUOUS | ALIGNED | WRITEABLE);
  if (array == NULL) {
    Py_DecRef(raw);
    return NULL;
  }
  if (PyArray_SetBaseObject(array, raw) != 0) {
    Py_DecRef(array);
    return NULL;
  }
  return array;
}

/* Copy elements; return false if a signal handler raised an exception meanwhile. */
static bool copy_parts(Call *call, char *to, const char *from, int64_t bytes) {
  for (; bytes > PART_BYTES; bytes -= PART_BYTES, to += PART_BYTES, from += PART_BYTES) {
    memcpy(to, from, (size_t)PART_BYTES);
    if (!goes_on(call, MOST_WORK)) return false;
  }
  memcpy(to, from, (size_t)bytes);
  return goes_on(call, bytes / WORK_BYTES);
}

/* Return a new array with a copy of the given elements; its dynamic sizes are in a table. */
static PyObject *copy_array(Call *call, const Field *field, const void *data,
                            const int64_t *table) {
  int64_t shape[MOST_AXES], bytes = field->bytes;
  if (field->count > MOST_AXES) return NULL;
  for (int64_t axis = 0; axis < field->count; axis++) {
    shape[axis] = field->sizes[axis] < 0 ? *table++ : field->sizes[axis];
    bytes *= shape[axis];
  }
  PyObject *array = new_array(field->type, field->count, shape, NULL, 0);
  if (array == NULL || copy_parts(call, ((Array *)array)->data, data, bytes)) return array;
  Py_DecRef(array);
  return NULL;
}

#endif
