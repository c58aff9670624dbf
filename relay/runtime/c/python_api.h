/* The functions and objects of Python and NumPy that the runtime uses, all of stable interfaces.
 *
 * Their addresses are passed in when the runtime is linked. The layouts of objects and arrays are
 * checked before they are relied on: see `relay/runtime/call_boundary/native_boundary.py`.
 */
#ifndef RELAY_PYTHON_API_H
#define RELAY_PYTHON_API_H

#include <stdint.h>

typedef struct PyObject PyObject;

struct PyObject {
  int64_t references;
  PyObject *class;
};

typedef struct {
  PyObject head;
  char *data;
  int32_t rank;
  int64_t *shape, *strides;
  PyObject *base, *type;
  int32_t flags;
} Array;

/* The flags of an array. */
#define C_CONTIGUOUS 0x1
#define ALIGNED 0x100
#define WRITEABLE 0x400

int PyGILState_Ensure(void);
void PyGILState_Release(int state);
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *state);
int64_t PyThread_get_thread_ident(void);
unsigned long PyThread_start_new_thread(void (*body)(void *), void *argument);
int PyGC_Disable(void);
int PyGC_Enable(void);
void PyObject_GC_UnTrack(void *object);

int PyErr_CheckSignals(void);
void PyErr_Clear(void);
PyObject *PyErr_Occurred(void);
void PyErr_Fetch(PyObject **type, PyObject **value, PyObject **trace);
void PyErr_NormalizeException(PyObject **type, PyObject **value, PyObject **trace);
int PyException_SetTraceback(PyObject *value, PyObject *trace);

void Py_IncRef(PyObject *object);
void Py_DecRef(PyObject *object); /* null does nothing */
PyObject *PyObject_GetAttr(PyObject *object, PyObject *name);
int PyObject_GenericSetAttr(PyObject *object, PyObject *name, PyObject *value);
PyObject *PyType_GenericAlloc(PyObject *class, int64_t items);
int PyType_IsSubtype(PyObject *class, PyObject *base);
PyObject *PyTuple_New(int64_t size);
int64_t PyTuple_Size(PyObject *tuple);
PyObject *PyTuple_GetItem(PyObject *tuple, int64_t index);               /* borrowed */
int PyTuple_SetItem(PyObject *tuple, int64_t index, PyObject *item);     /* takes the item */
int64_t PyLong_AsLongLong(PyObject *number);
int64_t PyLong_AsLongLongAndOverflow(PyObject *number, int *overflow);
PyObject *PyLong_FromLong(long number);
double PyFloat_AsDouble(PyObject *number);
int PyUnicode_Compare(PyObject *left, PyObject *right);

PyObject *PyArray_NewFromDescr(PyObject *class, PyObject *type, int rank, const int64_t *shape,
                               const int64_t *strides, void *elements, int flags,
                               PyObject *object); /* takes the type */
int PyArray_SetBaseObject(PyObject *array, PyObject *base); /* takes the base */
unsigned char PyArray_EquivTypes(PyObject *left, PyObject *right);
void PyArray_ScalarAsCtype(PyObject *scalar, void *place);

/* Objects, as symbols at their addresses. */
extern PyObject object_none, object_true;
extern PyObject class_int, class_float, class_bool, class_str, class_tuple, class_array, class_data;
extern PyObject type_uint8, name_constructor, name_fields;

#endif
