/* Objects to release when a call ends; after an interrupt, in another thread, a few at a time.
 *
 * Releasing millions of objects at once would keep the caller, and all of Python, waiting.
 */
#ifndef RELAY_BOUNDARY_RELEASE_H
#define RELAY_BOUNDARY_RELEASE_H

#include "boundary_memory.h"

#define RELEASED_AT_ONCE 4096

/* Take over a reference, and release it when the call ends. */
static bool hold(Call *call, PyObject *object) {
  PyObject **place = append(&call->held, sizeof(PyObject *));
  if (place == NULL) {
    Py_DecRef(object);
    return false;
  }
  *place = object;
  return true;
}

/* Take over a reference to an object to release; null does nothing. */
static void await_release(Vector *waiting, PyObject *object) {
  PyObject **place = object == NULL ? NULL : append(waiting, sizeof(PyObject *));
  if (place == NULL) {
    Py_DecRef(object);
  } else {
    *place = object;
  }
}

/* Release an object, but not what it refers to, which follows. */
static void release(Vector *waiting, PyObject *object) {
  if (object->references == 1 && object->class == &class_data) {
    await_release(waiting, PyObject_GetAttr(object, &name_fields));
  } else if (object->references == 1 && object->class == &class_tuple) {
    for (int64_t index = PyTuple_Size(object) - 1; index >= 0; index--) {
      PyObject *item = PyTuple_GetItem(object, index);
      Py_IncRef(item);
      await_release(waiting, item);
    }
  }
  Py_DecRef(object);
}

/* The body of the thread, which takes over the vector. */
static void release_all(void *given) {
  Vector *waiting = given;
  PyObject **top;
  int state = PyGILState_Ensure();
  for (int64_t count = 1; (top = pop(waiting, sizeof(PyObject *))) != NULL; count++) {
    release(waiting, *top);
    if (count % RELEASED_AT_ONCE == 0) PyEval_RestoreThread(PyEval_SaveThread());
  }
  PyGILState_Release(state);
  clear_vector(waiting);
  free(waiting);
}

/* Release the objects of a vector, which is empty then, and what only they refer to; return false
 * if there is no memory or no thread for it. */
static bool release_later(Vector *held) {
  Vector *waiting = malloc(sizeof(Vector));
  if (waiting == NULL) return false;
  *waiting = (Vector){NULL, 0, 0, NULL, 0};
  bool starts = append(waiting, held->used) != NULL &&
                PyThread_start_new_thread(release_all, waiting) != (unsigned long)-1;
  if (!starts) {
    clear_vector(waiting);
    free(waiting);
    return false;
  }
  memcpy(waiting->bytes, held->bytes, (size_t)held->used); /* the thread waits for the GIL */
  held->used = 0;
  return true;
}

/* Release the objects that a call holds. */
static void release_held(Call *call) {
  if (call->interrupted && release_later(&call->held)) return;
  for (int64_t at = 0; at < call->held.used; at += sizeof(PyObject *)) {
    Py_DecRef(*(PyObject **)(call->held.bytes + at));
  }
}

#endif
