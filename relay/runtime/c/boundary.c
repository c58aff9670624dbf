/* A call of a program from Python: marshal arguments, run the program, unmarshal results. */
#include "boundary_enter.h"
#include "boundary_leave.h"

int64_t relay_main_thread; /* the thread that handles Python's signals */

/* The sizes of the structures that Python declares again. */
const int64_t relay_boundary_sizes[] = {sizeof(Field), sizeof(Case), sizeof(Form), sizeof(Type),
                                        sizeof(Plan),  sizeof(Call), sizeof(Slot)};

/* Allocate the arrays of static results; a result's field has the offsets of the array and of its
 * elements. */
static bool make_outputs(Call *call) {
  for (int64_t index = 0; index < call->plan->output_count; index++) {
    const Field *field = &call->plan->outputs[index];
    PyObject *array = new_aligned(field->type, field->count, field->sizes, field->bytes);
    if (array == NULL) return false;
    *(PyObject **)((char *)call + field->offset) = array;
    *(void **)((char *)call + field->sizes_offset) = ((Array *)array)->data;
  }
  return true;
}

/* Run the program with the GIL released. */
static int32_t run(Call *call) {
  const Plan *plan = call->plan;
  bool listens = plan->stoppable && PyThread_get_thread_ident() == relay_main_thread;
  void *state = PyEval_SaveThread();
  int32_t trap = listens ? relay_guarded(plan->entry, call->inputs, call->outputs, plan->constants,
                                         call->arena, call->workspace, call->stop)
                         : plan->entry(call->inputs, call->outputs, plan->constants, call->arena,
                                       call->workspace);
  PyEval_RestoreThread(state);
  return trap;
}

/* Release the resources of the call: outputs outside a result, objects, and memory. */
static void give_up(Call *call) {
  for (int64_t index = 0; index < call->plan->output_count; index++) {
    PyObject **place = (PyObject **)((char *)call + call->plan->outputs[index].offset);
    PyObject *array = *place;
    *place = NULL;
    Py_DecRef(array);
  }
  release_held(call);
  clear_vector(&call->held);
  clear_vector(&call->pending);
  clear_table(&call->places);
  clear_blocks(&call->blocks);
}

/* Run the program, and return its result or the number of its trap; null if memory runs out. */
static PyObject *run_and_leave(Call *call) {
  int32_t trap = run(call);
  PyObject *found = trap == 0 ? leave_all(call) : PyLong_FromLong(trap);
  if (call->plan->finish != NULL) call->plan->finish(call->arena);
  return found;
}

/* The body of a built-in function that takes the address of a call's memory, and the arguments. It
 * returns the result; None if the arguments do not fit or are not supported here, so that Python
 * must handle them; or the number of a trap; null with an exception of a signal handler. */
PyObject *relay_cross(PyObject *self, PyObject *const *arguments, int64_t given) {
  (void)self;
  Call *call = (Call *)(uintptr_t)PyLong_AsLongLong(arguments[0]);
  PyObject *found = NULL;
  call->interrupted = false, call->work = 0;
  int status = enter_arguments(call, arguments + 1, given - 1);
  if (status == FITS) {
    if (make_outputs(call)) found = run_and_leave(call);
    status = MISFIT;
  }
  give_up(call);
  if (found == NULL && status == MISFIT && !call->interrupted) {
    PyErr_Clear();
    Py_IncRef(&object_none);
    return &object_none;
  }
  return found;
}
