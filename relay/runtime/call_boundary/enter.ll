; Marshalling of arguments to the program's representation: addresses of elements, numbers, and
; blocks for values of data types.
;
; A status is 0 for success, 1 for an argument that does not fit or is not supported here, and -1
; for a Python exception. Values of data types are queued until those before them are written.

; field, object, base; with only a base, that block is complete
%Waiting = type { ptr, ptr, ptr }

@none = external global i8
@true = external global i8
@int_class = external global i8
@float_class = external global i8
@bool_class = external global i8
@str_class = external global i8
@tuple_class = external global i8
@data_class = external global i8
@constructor_name = external global i8
@fields_name = external global i8

declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyObject_GetAttr(ptr, ptr)
declare i32 @PyType_IsSubtype(ptr, ptr)
declare i64 @PyTuple_Size(ptr)
declare ptr @PyTuple_GetItem(ptr, i64)
declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)
declare double @PyFloat_AsDouble(ptr)
declare i32 @PyUnicode_Compare(ptr, ptr)
declare double @llvm.fabs.f64(double)

; Marshal an object for its field, and all objects that it refers to.
define internal i32 @enter_all(ptr %call, ptr %field, ptr %object, ptr %base) {
  %pending = getelementptr %Call, ptr %call, i64 0, i32 7
  %used_at = getelementptr %Vector, ptr %pending, i64 0, i32 1
  %first = call i32 @enter(ptr %call, ptr %field, ptr %object, ptr %base)
  br label %round
round:
  %status = phi i32 [ %first, %0 ], [ 0, %close ], [ %entered, %next ]
  %good = icmp eq i32 %status, 0
  br i1 %good, label %more, label %end
more:
  %used = load i64, ptr %used_at
  %empty = icmp eq i64 %used, 0
  br i1 %empty, label %end, label %pop
pop:
  %less = sub i64 %used, 24
  store i64 %less, ptr %used_at
  %bytes = load ptr, ptr %pending
  %top = getelementptr i8, ptr %bytes, i64 %less
  %one = load %Waiting, ptr %top
  %its_field = extractvalue %Waiting %one, 0
  %its_object = extractvalue %Waiting %one, 1
  %its_base = extractvalue %Waiting %one, 2
  %complete = icmp eq ptr %its_field, null
  br i1 %complete, label %close, label %next
close:
  %mark = getelementptr i8, ptr %its_base, i64 $mark
  store i64 0, ptr %mark
  br label %round
next:
  %entered = call i32 @enter_data(ptr %call, ptr %its_field, ptr %its_object, ptr %its_base)
  br label %round
end:
  ret i32 %status
}

; Marshal an object, but queue values of data types; recursion is bounded by nested tuples.
define internal i32 @enter(ptr %call, ptr %field, ptr %object, ptr %base) {
  %kind = load i64, ptr %field
  %offset_at = getelementptr %Field, ptr %field, i64 0, i32 1
  %offset = load i64, ptr %offset_at
  %place = getelementptr i8, ptr %base, i64 %offset
  switch i64 %kind, label %misfit [ i64 $tensor, label %tensor
                                    i64 $number, label %number
                                    i64 $tuple, label %tuple
                                    i64 $value, label %value ]
tensor:
  %elements = call ptr @elements(ptr %field, ptr %object)
  %strange = icmp eq ptr %elements, null
  br i1 %strange, label %misfit, label %sizes
sizes:
  store ptr %elements, ptr %place
  %table_at = getelementptr %Field, ptr %field, i64 0, i32 2
  %table_offset = load i64, ptr %table_at
  %table = getelementptr i8, ptr %base, i64 %table_offset
  %fits = call i1 @take_sizes(ptr %call, ptr %field, ptr %object, ptr %table)
  %wrong = xor i1 %fits, true
  %sizes_status = zext i1 %wrong to i32
  ret i32 %sizes_status
number:
  %number_status = tail call i32 @enter_number(ptr %field, ptr %object, ptr %place)
  ret i32 %number_status
tuple:
  %tuple_status = tail call i32 @enter_parts(ptr %call, ptr %field, ptr %object, ptr %base)
  ret i32 %tuple_status
value:
  %value_status = tail call i32 @wait_for(ptr %call, ptr %field, ptr %object, ptr %base)
  ret i32 %value_status
misfit:
  ret i32 1
}

define internal i32 @wait_for(ptr %call, ptr %field, ptr %object, ptr %base) {
  %pending = getelementptr %Call, ptr %call, i64 0, i32 7
  %place = call ptr @append(ptr %pending, i64 24)
  %full = icmp eq ptr %place, null
  br i1 %full, label %fail, label %put
put:
  %one = insertvalue %Waiting poison, ptr %field, 0
  %one1 = insertvalue %Waiting %one, ptr %object, 1
  %one2 = insertvalue %Waiting %one1, ptr %base, 2
  store %Waiting %one2, ptr %place
  ret i32 0
fail:
  ret i32 1
}

define internal i32 @enter_parts(ptr %call, ptr %field, ptr %object, ptr %base) {
  %class = call ptr @class_of(ptr %object)
  %is_tuple = icmp eq ptr %class, @tuple_class
  br i1 %is_tuple, label %count, label %misfit
count:
  %parts_at = getelementptr %Field, ptr %field, i64 0, i32 3
  %parts = load ptr, ptr %parts_at
  %wanted_at = getelementptr %Field, ptr %field, i64 0, i32 5
  %wanted = load i64, ptr %wanted_at
  %given = call i64 @PyTuple_Size(ptr %object)
  %same = icmp eq i64 %given, %wanted
  br i1 %same, label %round, label %misfit
round:
  %left = phi i64 [ %wanted, %count ], [ %index, %one ]
  %done = icmp eq i64 %left, 0
  br i1 %done, label %good, label %one
one:
  %index = sub i64 %left, 1
  %part = getelementptr %Field, ptr %parts, i64 %index
  %item = call ptr @PyTuple_GetItem(ptr %object, i64 %index)
  %status = call i32 @enter(ptr %call, ptr %part, ptr %item, ptr %base)
  %well = icmp eq i32 %status, 0
  br i1 %well, label %round, label %bad
good:
  ret i32 0
bad:
  ret i32 %status
misfit:
  ret i32 1
}

; Marshal a number: a NumPy scalar of the right class, an array of rank 0, or a Python number of the
; kind.
define internal i32 @enter_number(ptr %field, ptr %object, ptr %place) {
  %over_at = alloca i32
  %class = call ptr @class_of(ptr %object)
  %own_at = getelementptr %Field, ptr %field, i64 0, i32 8
  %own = load ptr, ptr %own_at
  %convert_at = getelementptr %Field, ptr %field, i64 0, i32 9
  %convert = load i64, ptr %convert_at
  %is_int = icmp eq ptr %class, @int_class
  br i1 %is_int, label %int, label %not_int
not_int:
  %is_own = icmp eq ptr %class, %own
  br i1 %is_own, label %scalar, label %not_own
scalar:
  call void @PyArray_ScalarAsCtype(ptr %object, ptr %place)
  ret i32 0
not_own:
  %is_float = icmp eq ptr %class, @float_class
  br i1 %is_float, label %float, label %not_float
not_float:
  %is_bool = icmp eq ptr %class, @bool_class
  br i1 %is_bool, label %bool, label %array
array:
  %elements = call ptr @elements(ptr %field, ptr %object)
  %strange = icmp eq ptr %elements, null
  br i1 %strange, label %misfit, label %copy
copy:
  %item_at = getelementptr %Field, ptr %field, i64 0, i32 7
  %item = load i64, ptr %item_at
  call void @llvm.memcpy.p0.p0.i64(ptr %place, ptr %elements, i64 %item, i1 false)
  ret i32 0
int:
  %given = call i64 @PyLong_AsLongLongAndOverflow(ptr %object, ptr %over_at)
  %over = load i32, ptr %over_at
  %held = icmp eq i32 %over, 0
  br i1 %held, label %as, label %misfit
as:
  switch i64 %convert, label %misfit [ i64 $to_int, label %to_int
                                       i64 $to_single, label %int_single
                                       i64 $to_double, label %int_double ]
to_int:
  %low_at = getelementptr %Field, ptr %field, i64 0, i32 10
  %high_at = getelementptr %Field, ptr %field, i64 0, i32 11
  %low = load i64, ptr %low_at
  %high = load i64, ptr %high_at
  %above = icmp sge i64 %given, %low
  %below = icmp sle i64 %given, %high
  %within = and i1 %above, %below
  br i1 %within, label %put_int, label %misfit
put_int:
  store i64 %given, ptr %place                    ; the low bytes represent a shorter number
  ret i32 0
int_single:
  %single_of_int = sitofp i64 %given to float
  store float %single_of_int, ptr %place
  ret i32 0
int_double:
  %double_of_int = sitofp i64 %given to double
  store double %double_of_int, ptr %place
  ret i32 0
float:
  %real = call double @PyFloat_AsDouble(ptr %object)
  switch i64 %convert, label %misfit [ i64 $to_single, label %single
                                       i64 $to_double, label %double ]
single:
  %short = fptrunc double %real to float
  %back = fpext float %short to double
  %given_size = call double @llvm.fabs.f64(double %real)
  %short_size = call double @llvm.fabs.f64(double %back)
  %was_finite = fcmp one double %given_size, 0x7FF0000000000000
  %is_infinite = fcmp oeq double %short_size, 0x7FF0000000000000
  %overflows = and i1 %was_finite, %is_infinite   ; NumPy warns in this case
  br i1 %overflows, label %misfit, label %put_single
put_single:
  store float %short, ptr %place
  ret i32 0
double:
  store double %real, ptr %place
  ret i32 0
bool:
  %truth = icmp eq ptr %object, @true
  %byte = zext i1 %truth to i8
  %wants_bool = icmp eq i64 %convert, $to_bool
  br i1 %wants_bool, label %put_bool, label %misfit
put_bool:
  store i8 %byte, ptr %place
  ret i32 0
misfit:
  ret i32 1
}
