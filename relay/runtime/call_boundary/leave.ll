; Unmarshalling of results to Python: preallocated arrays, copies of elements on the program's heap,
; and `Data`. Nested values of data types are queued, so that nothing recurses on values.

; field, base; the tuple to store into, and the index in it
%Part = type { ptr, ptr, ptr, i64 }

declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
declare ptr @PyType_GenericAlloc(ptr, i64)
declare i32 @PyObject_GenericSetAttr(ptr, ptr, ptr)

declare i32 @PyGC_Disable()
declare i32 @PyGC_Enable()

; Return the complete object for a result, or null on a Python exception or if memory runs out. The
; garbage collector is disabled meanwhile: the new objects cannot be garbage yet, and collecting
; took longer than all else.
define internal ptr @leave_all(ptr %call, ptr %field, ptr %base) {
  %collected = call i32 @PyGC_Disable()
  %object = call ptr @leave_each(ptr %call, ptr %field, ptr %base)
  %collects = icmp ne i32 %collected, 0
  br i1 %collects, label %enable, label %end
enable:
  call i32 @PyGC_Enable()
  br label %end
end:
  ret ptr %object
}

define internal ptr @leave_each(ptr %call, ptr %field, ptr %base) {
  %pending = getelementptr %Call, ptr %call, i64 0, i32 7
  %used_at = getelementptr %Vector, ptr %pending, i64 0, i32 1
  %root = call ptr @leave(ptr %call, ptr %field, ptr %base)
  %failed = icmp eq ptr %root, null
  br i1 %failed, label %end, label %round
round:
  %used = load i64, ptr %used_at
  %empty = icmp eq i64 %used, 0
  br i1 %empty, label %end, label %pop
pop:
  %less = sub i64 %used, 32
  store i64 %less, ptr %used_at
  %bytes = load ptr, ptr %pending
  %top = getelementptr i8, ptr %bytes, i64 %less
  %part = load %Part, ptr %top
  %its_field = extractvalue %Part %part, 0
  %its_base = extractvalue %Part %part, 1
  %tuple = extractvalue %Part %part, 2
  %index = extractvalue %Part %part, 3
  %object = call ptr @leave(ptr %call, ptr %its_field, ptr %its_base)
  %put = call i1 @put(ptr %tuple, i64 %index, ptr %object)
  br i1 %put, label %round, label %undo
undo:
  call void @Py_DecRef(ptr %root)
  br label %end
end:
  %result = phi ptr [ null, %0 ], [ %root, %round ], [ null, %undo ]
  ret ptr %result
}

; Store an object into a new tuple; return false if the object is null.
define internal i1 @put(ptr %tuple, i64 %index, ptr %object) {
  %none = icmp eq ptr %object, null
  br i1 %none, label %fail, label %set
set:
  %status = call i32 @PyTuple_SetItem(ptr %tuple, i64 %index, ptr %object)
  %good = icmp eq i32 %status, 0
  ret i1 %good
fail:
  ret i1 false
}

; Return the object for a field; values of data types in it are queued. Recursion is bounded by
; nested tuples.
define internal ptr @leave(ptr %call, ptr %field, ptr %base) {
  %kind = load i64, ptr %field
  %offset_at = getelementptr %Field, ptr %field, i64 0, i32 1
  %table_at = getelementptr %Field, ptr %field, i64 0, i32 2
  %offset = load i64, ptr %offset_at
  %table_offset = load i64, ptr %table_at
  %place = getelementptr i8, ptr %base, i64 %offset
  %table = getelementptr i8, ptr %base, i64 %table_offset
  switch i64 %kind, label %ready [ i64 $tensor, label %tensor
                                   i64 $number, label %number
                                   i64 $tuple, label %tuple
                                   i64 $value, label %value
                                   i64 $fixed, label %fixed ]
ready:
  %made = load ptr, ptr %place
  store ptr null, ptr %place
  ret ptr %made
fixed:
  %object_at = getelementptr %Field, ptr %field, i64 0, i32 4
  %object = load ptr, ptr %object_at
  call void @Py_IncRef(ptr %object)
  ret ptr %object
tensor:
  %elements = load ptr, ptr %place
  %array = tail call ptr @copy_array(ptr %field, ptr %elements, ptr %table)
  ret ptr %array
number:
  %scalar = tail call ptr @copy_array(ptr %field, ptr %place, ptr %table)
  ret ptr %scalar
tuple:
  %parts = tail call ptr @leave_parts(ptr %call, ptr %field, ptr %base)
  ret ptr %parts
value:
  %word = load i64, ptr %place
  %data = tail call ptr @leave_data(ptr %call, ptr %field, i64 %word)
  ret ptr %data
}

define internal ptr @leave_parts(ptr %call, ptr %field, ptr %base) {
  %parts_at = getelementptr %Field, ptr %field, i64 0, i32 3
  %count_at = getelementptr %Field, ptr %field, i64 0, i32 5
  %parts = load ptr, ptr %parts_at
  %count = load i64, ptr %count_at
  %tuple = call ptr @PyTuple_New(i64 %count)
  %none = icmp eq ptr %tuple, null
  br i1 %none, label %end, label %all
all:
  %good = call i1 @leave_fields(ptr %call, ptr %parts, i64 %count, ptr %base, ptr %tuple)
  br i1 %good, label %end, label %undo
undo:
  call void @Py_DecRef(ptr %tuple)
  br label %end
end:
  %result = phi ptr [ null, %0 ], [ %tuple, %all ], [ null, %undo ]
  ret ptr %result
}

; Store the objects for fields into a tuple, or queue them.
define internal i1 @leave_fields(ptr %call, ptr %fields, i64 %count, ptr %base, ptr %tuple) {
  %pending = getelementptr %Call, ptr %call, i64 0, i32 7
  br label %round
round:
  %index = phi i64 [ 0, %0 ], [ %next, %later ], [ %next, %now ]
  %done = icmp eq i64 %index, %count
  br i1 %done, label %good, label %one
one:
  %next = add i64 %index, 1
  %field = getelementptr %Field, ptr %fields, i64 %index
  %kind = load i64, ptr %field
  %waits = icmp eq i64 %kind, $value
  br i1 %waits, label %wait, label %now
wait:
  %place = call ptr @append(ptr %pending, i64 32)
  %full = icmp eq ptr %place, null
  br i1 %full, label %bad, label %later
later:
  %part = insertvalue %Part poison, ptr %field, 0
  %part1 = insertvalue %Part %part, ptr %base, 1
  %part2 = insertvalue %Part %part1, ptr %tuple, 2
  %part3 = insertvalue %Part %part2, i64 %index, 3
  store %Part %part3, ptr %place
  br label %round
now:
  %object = call ptr @leave(ptr %call, ptr %field, ptr %base)
  %put = call i1 @put(ptr %tuple, i64 %index, ptr %object)
  br i1 %put, label %round, label %bad
good:
  ret i1 true
bad:
  ret i1 false
}

; Return the value that a word represents. A block with more than one reference is looked up,
; because it may have been visited, and sharing is preserved.
define internal ptr @leave_data(ptr %call, ptr %field, i64 %word) {
  %type_at = getelementptr %Field, ptr %field, i64 0, i32 3
  %type = load ptr, ptr %type_at
  %forms_at = getelementptr %Type, ptr %type, i64 0, i32 3
  %forms = load ptr, ptr %forms_at
  %bare = icmp ult i64 %word, $tags
  br i1 %bare, label %tag, label %block
tag:
  %empty_form = getelementptr %Form, ptr %forms, i64 %word
  %empty_at = getelementptr %Form, ptr %empty_form, i64 0, i32 6
  %empty = load ptr, ptr %empty_at
  call void @Py_IncRef(ptr %empty)
  ret ptr %empty
block:
  %base = inttoptr i64 %word to ptr
  %count = load i32, ptr %base
  %alone = icmp eq i32 %count, 1
  br i1 %alone, label %make, label %search
search:
  %places = getelementptr %Call, ptr %call, i64 0, i32 9
  %slot = call ptr @slot_of(ptr %places, ptr %base, ptr %type)
  %full = icmp eq ptr %slot, null
  br i1 %full, label %fail, label %look
look:
  %met = load ptr, ptr %slot
  %new = icmp eq ptr %met, null
  br i1 %new, label %make, label %again
again:
  %found_at = getelementptr %Slot, ptr %slot, i64 0, i32 2
  %found = load ptr, ptr %found_at
  call void @Py_IncRef(ptr %found)
  ret ptr %found
make:
  %own_slot = phi ptr [ null, %block ], [ %slot, %look ]
  %number_at = getelementptr i8, ptr %base, i64 6
  %number = load i16, ptr %number_at
  %tag_number = zext i16 %number to i64
  %form = getelementptr %Form, ptr %forms, i64 %tag_number
  %fields_count_at = getelementptr %Form, ptr %form, i64 0, i32 1
  %fields_at = getelementptr %Form, ptr %form, i64 0, i32 2
  %name_at = getelementptr %Form, ptr %form, i64 0, i32 5
  %fields_count = load i64, ptr %fields_count_at
  %fields = load ptr, ptr %fields_at
  %name = load ptr, ptr %name_at
  %tuple = call ptr @PyTuple_New(i64 %fields_count)
  %no_tuple = icmp eq ptr %tuple, null
  br i1 %no_tuple, label %fail, label %wrap
wrap:
  %data = call ptr @new_data(ptr %name, ptr %tuple)
  %no_data = icmp eq ptr %data, null
  br i1 %no_data, label %fail, label %note
note:
  %unnoted = icmp eq ptr %own_slot, null
  br i1 %unnoted, label %fill, label %keep
keep:
  %table = getelementptr %Call, ptr %call, i64 0, i32 9
  call void @fill_slot(ptr %table, ptr %own_slot, ptr %base, ptr %type, ptr %data)
  br label %fill
fill:
  %good = call i1 @leave_fields(ptr %call, ptr %fields, i64 %fields_count, ptr %base, ptr %tuple)
  br i1 %good, label %end, label %undo
end:
  ret ptr %data
undo:
  call void @Py_DecRef(ptr %data)
  ret ptr null
fail:
  ret ptr null
}

; Return a value with a constructor and a tuple of fields, whose only reference it takes over.
define internal ptr @new_data(ptr %name, ptr %tuple) {
  %data = call ptr @PyType_GenericAlloc(ptr @data_class, i64 0)
  %none = icmp eq ptr %data, null
  br i1 %none, label %drop, label %set
set:
  %first = call i32 @PyObject_GenericSetAttr(ptr %data, ptr @constructor_name, ptr %name)
  %second = call i32 @PyObject_GenericSetAttr(ptr %data, ptr @fields_name, ptr %tuple)
  %status = or i32 %first, %second
  %good = icmp eq i32 %status, 0
  br i1 %good, label %drop, label %undo
undo:
  call void @Py_DecRef(ptr %data)
  br label %drop
drop:
  %result = phi ptr [ null, %0 ], [ %data, %set ], [ null, %undo ]
  call void @Py_DecRef(ptr %tuple)
  ret ptr %result
}
