/* Marshalling of arguments: addresses of elements, numbers, and blocks for values of data types.
 *
 * A status is FITS, MISFIT for an argument that does not fit or is not supported here, or RAISED
 * for a Python exception. Values of data types are queued until those before them are done, so that
 * nothing recurses on values; recursion is bounded by nested tuples.
 */
#ifndef RELAY_BOUNDARY_ENTER_H
#define RELAY_BOUNDARY_ENTER_H

#include "boundary_arrays.h"

#include "boundary_release.h"

#include <math.h>

enum { FITS, MISFIT, RAISED = -1 };

/* A value to marshal; without a field, its block is complete. */
typedef struct {
  const Field *field;
  PyObject *object;
  char *base;
} Waiting;

static int enter(Call *call, const Field *field, PyObject *object, char *base);

static int enter_later(Call *call, const Field *field, PyObject *object, void *base) {
  Waiting *place = append(&call->pending, sizeof(Waiting));
  if (place == NULL) return MISFIT;
  *place = (Waiting){field, object, base};
  return FITS;
}

static int enter_tensor(Call *call, const Field *field, PyObject *object, char *base) {
  void *data = elements(field, object);
  if (data == NULL) return MISFIT;
  *(void **)(base + field->offset) = data;
  int64_t *table = (int64_t *)(base + field->sizes_offset);
  return take_sizes(call, field, (Array *)object, table) ? FITS : MISFIT;
}

static int enter_int(const Field *field, PyObject *object, void *place) {
  int overflow;
  int64_t number = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow != 0) return MISFIT;
  switch (field->convert) {
    case TO_INT: /* the low bytes represent a shorter number */
      if (number < field->low || number > field->high) return MISFIT;
      *(int64_t *)place = number;
      return FITS;
    case TO_SINGLE:
      *(float *)place = (float)number;
      return FITS;
    case TO_DOUBLE:
      *(double *)place = (double)number;
      return FITS;
    default:
      return MISFIT;
  }
}

static int enter_float(const Field *field, PyObject *object, void *place) {
  double number = PyFloat_AsDouble(object);
  if (field->convert == TO_DOUBLE) {
    *(double *)place = number;
    return FITS;
  }
  float single = (float)number;
  bool overflows = isinf(single) && !isinf(number); /* NumPy warns in this case */
  if (field->convert != TO_SINGLE || overflows) return MISFIT;
  *(float *)place = single;
  return FITS;
}

/* Marshal a number: a NumPy scalar of the right class, an array of rank 0, or a Python number of
 * the kind. */
static int enter_number(const Field *field, PyObject *object, void *place) {
  PyObject *class = object->class;
  if (class == &class_int) return enter_int(field, object, place);
  if (class == field->number_class) {
    PyArray_ScalarAsCtype(object, place);
    return FITS;
  }
  if (class == &class_float) return enter_float(field, object, place);
  if (class == &class_bool) {
    if (field->convert != TO_BOOL) return MISFIT;
    *(bool *)place = object == &object_true;
    return FITS;
  }
  void *data = elements(field, object);
  if (data == NULL) return MISFIT;
  memcpy(place, data, (size_t)field->bytes);
  return FITS;
}

static int enter_tuple(Call *call, const Field *field, PyObject *object, char *base) {
  if (object->class != &class_tuple || PyTuple_Size(object) != field->count) return MISFIT;
  for (int64_t index = field->count - 1; index >= 0; index--) {
    int status = enter(call, &field->parts[index], PyTuple_GetItem(object, index), base);
    if (status != FITS) return status;
  }
  return FITS;
}

/* Marshal an object, but queue values of data types. */
static int enter(Call *call, const Field *field, PyObject *object, char *base) {
  if (!goes_on(call, 1)) return RAISED;
  switch (field->kind) {
    case TENSOR:
      return enter_tensor(call, field, object, base);
    case NUMBER:
      return enter_number(field, object, base + field->offset);
    case TUPLE:
      return enter_tuple(call, field, object, base);
    case VALUE:
      return enter_later(call, field, object, base);
    default:
      return MISFIT;
  }
}

/* ---- values of data types: objects of known classes, or `Data` with a constructor's name ---- */

/* A value's constructor, and where its fields are: attributes with these names, or items of a held
 * tuple. */
typedef struct {
  const Form *form;
  PyObject **names;
  PyObject *fields;
} Known;

static const Form *form_named(const Type *type, PyObject *name) {
  for (int64_t index = 0; index < type->form_count; index++) {
    const Form *form = &type->forms[index];
    if (form->name == name || PyUnicode_Compare(form->name, name) == 0) return form;
  }
  return NULL;
}

/* Return the constructor that a `Data` names, or null. */
static const Form *named_form(const Type *type, PyObject *data) {
  PyObject *name = PyObject_GetAttr(data, &name_constructor);
  if (name == NULL) return NULL;
  const Form *form = name->class == &class_str ? form_named(type, name) : NULL;
  Py_DecRef(name);
  return form;
}

/* Return the tuple of the fields of a `Data`, held until the call ends, or null. */
static PyObject *held_fields(Call *call, PyObject *data) {
  PyObject *fields = PyObject_GetAttr(data, &name_fields);
  if (fields == NULL || !hold(call, fields)) return NULL;
  return fields->class == &class_tuple ? fields : NULL;
}

/* Find the constructor of an object as a value of a type; return false for an unknown object or on
 * a Python exception. */
static bool know(Call *call, const Type *type, PyObject *object, Known *known) {
  for (int64_t index = 0; index < type->case_count; index++) {
    const Case *known_case = &type->cases[index];
    if (known_case->class == object->class) {
      *known = (Known){known_case->form, known_case->names, NULL};
      return true;
    }
  }
  if (object->class != &class_data) return false;
  const Form *form = named_form(type, object);
  PyObject *fields = form == NULL ? NULL : held_fields(call, object);
  *known = (Known){form, NULL, fields};
  return fields != NULL && form->count == PyTuple_Size(fields);
}

/* Marshal the attribute of an object. The value is held, except numbers. */
static int enter_attribute(Call *call, const Field *field, PyObject *object, PyObject *name,
                           char *block) {
  PyObject *value = PyObject_GetAttr(object, name);
  if (value == NULL) return RAISED;
  if (field->kind == NUMBER) {
    int status = enter(call, field, value, block);
    Py_DecRef(value);
    return status;
  }
  return hold(call, value) ? enter(call, field, value, block) : MISFIT;
}

/* Marshal the fields of a value into its block. Values are queued with the first one on top, so
 * that blocks are in traversal order, which hardware prefetches. */
static int enter_fields(Call *call, const Known *known, PyObject *object, char *block) {
  for (int64_t index = known->form->count - 1; index >= 0; index--) {
    const Field *field = &known->form->fields[index];
    int status = known->fields != NULL
                     ? enter(call, field, PyTuple_GetItem(known->fields, index), block)
                     : enter_attribute(call, field, object, known->names[index], block);
    if (status != FITS) return status;
  }
  return FITS;
}

/* Make the block of a value that was not visited, whose fields are marshalled or queued. */
static int enter_new(Call *call, const Known *known, PyObject *object, Slot *slot, const Type *type,
                     void **place) {
  char *block = carve(&call->blocks, known->form->bytes);
  if (block == NULL) return MISFIT;
  memcpy(block, known->form->blank, (size_t)known->form->bytes);
  ((Block *)block)->mark = 1;
  *place = block;
  fill_slot(&call->places, slot, object, type, block);
  if (enter_later(call, NULL, NULL, block) != FITS) return MISFIT;
  return enter_fields(call, known, object, block);
}

/* Write the word of a value: its tag if it has no fields, else the address of its block, one for
 * each object. A block that is visited again before it is complete contains itself, which does not
 * fit. */
static int enter_value(Call *call, const Field *field, PyObject *object, char *base) {
  Known known;
  void **place = (void **)(base + field->offset);
  if (!know(call, field->as, object, &known)) return PyErr_Occurred() ? RAISED : MISFIT;
  if (known.form->count == 0) {
    *(int64_t *)place = known.form->tag;
    return FITS;
  }
  Slot *slot = slot_of(call, object, field->as);
  if (slot == NULL) return call->interrupted ? RAISED : MISFIT;
  if (slot->object == NULL) return enter_new(call, &known, object, slot, field->as, place);
  *place = slot->found;
  return ((Block *)slot->found)->mark != 0 ? MISFIT : FITS;
}

/* Marshal an object for its field, and all objects that it refers to. */
static int enter_all(Call *call, const Field *field, PyObject *object) {
  int status = enter(call, field, object, (char *)call);
  Waiting *top;
  while (status == FITS && (top = pop(&call->pending, sizeof(Waiting))) != NULL) {
    Waiting next = *top;
    if (next.field == NULL) {
      ((Block *)next.base)->mark = 0;
    } else {
      status = enter_value(call, next.field, next.object, next.base);
    }
  }
  return status;
}

static int enter_arguments(Call *call, PyObject *const *arguments, int64_t count) {
  const Plan *plan = call->plan;
  memset(call->symbols, -1, (size_t)plan->symbol_count * sizeof(int64_t));
  if (count != plan->input_count) return MISFIT;
  for (int64_t index = 0; index < count; index++) {
    int status = enter_all(call, &plan->inputs[index], arguments[index]);
    if (status != FITS) return status;
  }
  return FITS;
}

#endif
