; A call of a program from Python: marshal the arguments, run the program, unmarshal the results.
;
; `relay_cross` is the body of a built-in function that takes the address of a call's memory, and
; the arguments. It returns the result; None if the arguments do not fit or are not supported here,
; so that Python must handle them; or the number of a trap.

@relay_main_thread = global i64 0                 ; the thread that handles Python's signals

declare i64 @PyLong_AsLongLong(ptr)
declare ptr @PyLong_FromLong(i64)
declare void @PyErr_Clear()
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare i64 @PyThread_get_thread_ident()
declare i32 @relay_guarded(ptr, ptr, ptr, ptr, ptr, ptr, ptr)

define ptr @relay_cross(ptr %self, ptr %arguments, i64 %given) {
  %number = load ptr, ptr %arguments
  %address = call i64 @PyLong_AsLongLong(ptr %number)
  %call = inttoptr i64 %address to ptr
  %plan = load ptr, ptr %call
  %first = getelementptr ptr, ptr %arguments, i64 1
  %count = sub i64 %given, 1
  %entered = call i32 @enter_arguments(ptr %call, ptr %plan, ptr %first, i64 %count)
  %fits = icmp eq i32 %entered, 0
  br i1 %fits, label %outputs, label %end
outputs:
  %ready = call i1 @make_outputs(ptr %call, ptr %plan)
  br i1 %ready, label %run, label %end
run:
  %trap = call i32 @run(ptr %call, ptr %plan)
  %good = icmp eq i32 %trap, 0
  br i1 %good, label %leave, label %trapped
leave:
  %result_at = getelementptr %Plan, ptr %plan, i64 0, i32 6
  %result_field = load ptr, ptr %result_at
  %result = call ptr @leave_all(ptr %call, ptr %result_field, ptr %call)
  call void @finish(ptr %call, ptr %plan)
  br label %end
trapped:
  call void @finish(ptr %call, ptr %plan)         ; a call that was stopped too late has its results
  %trap_number = sext i32 %trap to i64
  %trap_object = call ptr @PyLong_FromLong(i64 %trap_number)
  br label %end
end:
  %found = phi ptr [ null, %0 ], [ null, %outputs ], [ %result, %leave ], [ %trap_object, %trapped ]
  %status = phi i32 [ %entered, %0 ], [ 1, %outputs ], [ 1, %leave ], [ 1, %trapped ]
  call void @give_up(ptr %call, ptr %plan)
  %empty = icmp eq ptr %found, null
  %misfit = icmp eq i32 %status, 1
  %nothing = and i1 %empty, %misfit
  br i1 %nothing, label %none, label %return
none:
  call void @PyErr_Clear()
  call void @Py_IncRef(ptr @none)
  ret ptr @none
return:
  ret ptr %found
}

define internal i32 @enter_arguments(ptr %call, ptr %plan, ptr %arguments, i64 %count) {
  %wanted_at = getelementptr %Plan, ptr %plan, i64 0, i32 2
  %fields_at = getelementptr %Plan, ptr %plan, i64 0, i32 3
  %named_at = getelementptr %Plan, ptr %plan, i64 0, i32 9
  %symbols_at = getelementptr %Call, ptr %call, i64 0, i32 6
  %wanted = load i64, ptr %wanted_at
  %fields = load ptr, ptr %fields_at
  %named = load i64, ptr %named_at
  %symbols = load ptr, ptr %symbols_at
  %symbol_bytes = shl i64 %named, 3
  call void @llvm.memset.p0.i64(ptr %symbols, i8 -1, i64 %symbol_bytes, i1 false)
  %same = icmp eq i64 %wanted, %count
  br i1 %same, label %round, label %misfit
round:
  %index = phi i64 [ 0, %0 ], [ %next, %one ]
  %done = icmp eq i64 %index, %count
  br i1 %done, label %good, label %one
one:
  %next = add i64 %index, 1
  %field = getelementptr %Field, ptr %fields, i64 %index
  %argument_at = getelementptr ptr, ptr %arguments, i64 %index
  %argument = load ptr, ptr %argument_at
  %status = call i32 @enter_all(ptr %call, ptr %field, ptr %argument, ptr %call)
  %well = icmp eq i32 %status, 0
  br i1 %well, label %round, label %bad
good:
  ret i32 0
bad:
  ret i32 %status
misfit:
  ret i32 1
}

; Allocate the arrays of static results; a result's field has the offsets of the array and of its
; elements.
define internal i1 @make_outputs(ptr %call, ptr %plan) {
  %count_at = getelementptr %Plan, ptr %plan, i64 0, i32 4
  %fields_at = getelementptr %Plan, ptr %plan, i64 0, i32 5
  %count = load i64, ptr %count_at
  %fields = load ptr, ptr %fields_at
  br label %round
round:
  %index = phi i64 [ 0, %0 ], [ %next, %note ]
  %done = icmp eq i64 %index, %count
  br i1 %done, label %good, label %one
one:
  %next = add i64 %index, 1
  %at = getelementptr %Field, ptr %fields, i64 %index
  %field = load %Field, ptr %at
  %offset = extractvalue %Field %field, 1
  %entry_offset = extractvalue %Field %field, 2
  %type = extractvalue %Field %field, 4
  %axes = extractvalue %Field %field, 5
  %shape = extractvalue %Field %field, 6
  %bytes = extractvalue %Field %field, 7
  %array = call ptr @new_aligned(ptr %type, i64 %axes, ptr %shape, i64 %bytes)
  %none = icmp eq ptr %array, null
  br i1 %none, label %bad, label %note
note:
  %place = getelementptr i8, ptr %call, i64 %offset
  store ptr %array, ptr %place
  %data_at = getelementptr i8, ptr %array, i64 $data
  %data = load ptr, ptr %data_at
  %entry_place = getelementptr i8, ptr %call, i64 %entry_offset
  store ptr %data, ptr %entry_place
  br label %round
good:
  ret i1 true
bad:
  ret i1 false
}

; Run the program with the GIL released.
define internal i32 @run(ptr %call, ptr %plan) {
  %to = load %Call, ptr %call
  %arena = extractvalue %Call %to, 1
  %workspace = extractvalue %Call %to, 2
  %stop = extractvalue %Call %to, 3
  %inputs = extractvalue %Call %to, 4
  %outputs = extractvalue %Call %to, 5
  %entry = load ptr, ptr %plan
  %constants_at = getelementptr %Plan, ptr %plan, i64 0, i32 1
  %constants = load ptr, ptr %constants_at
  %stops_at = getelementptr %Plan, ptr %plan, i64 0, i32 8
  %stops = load i64, ptr %stops_at
  %stoppable = icmp ne i64 %stops, 0
  %thread = call i64 @PyThread_get_thread_ident()
  %main = load i64, ptr @relay_main_thread
  %is_main = icmp eq i64 %thread, %main
  %listens = and i1 %stoppable, %is_main
  %state = call ptr @PyEval_SaveThread()
  br i1 %listens, label %guard, label %plain
guard:
  %guarded = call i32 @relay_guarded(ptr %entry, ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace, ptr %stop)
  br label %end
plain:
  %unguarded = call i32 %entry(ptr %inputs, ptr %outputs, ptr %constants, ptr %arena, ptr %workspace)
  br label %end
end:
  %trap = phi i32 [ %guarded, %guard ], [ %unguarded, %plain ]
  call void @PyEval_RestoreThread(ptr %state)
  ret i32 %trap
}

define internal void @finish(ptr %call, ptr %plan) {
  %finish_at = getelementptr %Plan, ptr %plan, i64 0, i32 7
  %finish = load ptr, ptr %finish_at
  %none = icmp eq ptr %finish, null
  br i1 %none, label %end, label %give
give:
  %arena_at = getelementptr %Call, ptr %call, i64 0, i32 1
  %arena = load ptr, ptr %arena_at
  call i32 %finish(ptr %arena)
  br label %end
end:
  ret void
}

; Release the resources of the call: outputs outside a result, objects, and memory.
define internal void @give_up(ptr %call, ptr %plan) {
  %count_at = getelementptr %Plan, ptr %plan, i64 0, i32 4
  %fields_at = getelementptr %Plan, ptr %plan, i64 0, i32 5
  %count = load i64, ptr %count_at
  %fields = load ptr, ptr %fields_at
  br label %outputs
outputs:
  %index = phi i64 [ 0, %0 ], [ %next, %drop ]
  %done = icmp eq i64 %index, %count
  br i1 %done, label %objects, label %drop
drop:
  %next = add i64 %index, 1
  %offset_at = getelementptr %Field, ptr %fields, i64 %index, i32 1
  %offset = load i64, ptr %offset_at
  %place = getelementptr i8, ptr %call, i64 %offset
  %array = load ptr, ptr %place
  store ptr null, ptr %place
  call void @Py_DecRef(ptr %array)                ; may be null
  br label %outputs
objects:
  %held = getelementptr %Call, ptr %call, i64 0, i32 8
  %used_at = getelementptr %Vector, ptr %held, i64 0, i32 1
  %used = load i64, ptr %used_at
  %begin = load ptr, ptr %held
  br label %round
round:
  %at = phi i64 [ 0, %objects ], [ %behind, %one ]
  %all = icmp eq i64 %at, %used
  br i1 %all, label %memory, label %one
one:
  %object_at = getelementptr i8, ptr %begin, i64 %at
  %object = load ptr, ptr %object_at
  call void @Py_DecRef(ptr %object)
  %behind = add i64 %at, 8
  br label %round
memory:
  call void @clear_vector(ptr %held)
  %pending = getelementptr %Call, ptr %call, i64 0, i32 7
  call void @clear_vector(ptr %pending)
  %places = getelementptr %Call, ptr %call, i64 0, i32 9
  call void @clear_table(ptr %places)
  %chunks = getelementptr %Call, ptr %call, i64 0, i32 10
  call void @clear_chunks(ptr %chunks)
  ret void
}
