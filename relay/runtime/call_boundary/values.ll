; Marshalling of values of data types: objects of known classes, and `Data` with its constructor's
; name.

; Write the word of a value: its tag if it has no fields, else the address of its block, one for
; each object. A block that is visited again before it is complete contains itself, which does not
; fit.
define internal i32 @enter_data(ptr %call, ptr %field, ptr %object, ptr %base) {
  %fields_at = alloca ptr
  %names_at = alloca ptr
  %offset_at = getelementptr %Field, ptr %field, i64 0, i32 1
  %offset = load i64, ptr %offset_at
  %place = getelementptr i8, ptr %base, i64 %offset
  %type_at = getelementptr %Field, ptr %field, i64 0, i32 3
  %type = load ptr, ptr %type_at
  %form = call ptr @form_of(ptr %call, ptr %type, ptr %object, ptr %names_at, ptr %fields_at)
  %unknown = icmp eq ptr %form, null
  br i1 %unknown, label %misfit, label %known
known:
  %count_at = getelementptr %Form, ptr %form, i64 0, i32 1
  %count = load i64, ptr %count_at
  %empty = icmp eq i64 %count, 0
  br i1 %empty, label %bare, label %whole
bare:
  %tag = load i64, ptr %form
  store i64 %tag, ptr %place
  ret i32 0
whole:
  %places = getelementptr %Call, ptr %call, i64 0, i32 9
  %slot = call ptr @slot_of(ptr %places, ptr %object, ptr %type)
  %full = icmp eq ptr %slot, null
  br i1 %full, label %misfit, label %look
look:
  %met = load ptr, ptr %slot
  %new = icmp eq ptr %met, null
  br i1 %new, label %make, label %again
again:
  %found_at = getelementptr %Slot, ptr %slot, i64 0, i32 2
  %found = load ptr, ptr %found_at
  store ptr %found, ptr %place
  %found_mark = getelementptr i8, ptr %found, i64 $mark
  %open = load i64, ptr %found_mark
  %cyclic = icmp ne i64 %open, 0
  %again_status = zext i1 %cyclic to i32
  ret i32 %again_status
make:
  %bytes_at = getelementptr %Form, ptr %form, i64 0, i32 3
  %blank_at = getelementptr %Form, ptr %form, i64 0, i32 4
  %bytes = load i64, ptr %bytes_at
  %blank = load ptr, ptr %blank_at
  %chunks = getelementptr %Call, ptr %call, i64 0, i32 10
  %block = call ptr @carve(ptr %chunks, i64 %bytes)
  %none = icmp eq ptr %block, null
  br i1 %none, label %misfit, label %fill
fill:
  call void @llvm.memcpy.p0.p0.i64(ptr %block, ptr %blank, i64 %bytes, i1 false)
  %mark = getelementptr i8, ptr %block, i64 $mark
  store i64 1, ptr %mark
  store ptr %block, ptr %place
  call void @fill_slot(ptr %places, ptr %slot, ptr %object, ptr %type, ptr %block)
  %waits = call i32 @wait_for(ptr %call, ptr null, ptr null, ptr %block)
  %well = icmp eq i32 %waits, 0
  br i1 %well, label %contents, label %misfit
contents:
  %names = load ptr, ptr %names_at
  %fields = load ptr, ptr %fields_at
  %status = call i32 @enter_fields(ptr %call, ptr %form, ptr %object, ptr %names, ptr %fields, ptr %block)
  ret i32 %status
misfit:
  %raised = call ptr @PyErr_Occurred()
  %other = icmp eq ptr %raised, null
  %why = select i1 %other, i32 1, i32 -1
  ret i32 %why
}

; Return the constructor of an object as a value of a type, and the location of its fields:
; attributes with these names, or items of a held tuple; null for an unknown object or on a Python
; exception.
define internal ptr @form_of(ptr %call, ptr %type, ptr %object, ptr %names_at, ptr %fields_at) {
  %class = call ptr @class_of(ptr %object)
  %count = load i64, ptr %type
  %cases_at = getelementptr %Type, ptr %type, i64 0, i32 1
  %cases = load ptr, ptr %cases_at
  store ptr null, ptr %fields_at
  br label %round
round:
  %index = phi i64 [ 0, %0 ], [ %next, %other ]
  %done = icmp eq i64 %index, %count
  br i1 %done, label %by_name, label %compare
compare:
  %case = getelementptr %Case, ptr %cases, i64 %index
  %known = load ptr, ptr %case
  %same = icmp eq ptr %known, %class
  br i1 %same, label %found, label %other
other:
  %next = add i64 %index, 1
  br label %round
found:
  %form_at = getelementptr %Case, ptr %case, i64 0, i32 1
  %its_names_at = getelementptr %Case, ptr %case, i64 0, i32 2
  %form = load ptr, ptr %form_at
  %names = load ptr, ptr %its_names_at
  store ptr %names, ptr %names_at
  ret ptr %form
by_name:
  %is_data = icmp eq ptr %class, @data_class
  br i1 %is_data, label %data, label %none
data:
  %name = call ptr @held_attribute(ptr %call, ptr %object, ptr @constructor_name, ptr @str_class)
  %fields = call ptr @held_attribute(ptr %call, ptr %object, ptr @fields_name, ptr @tuple_class)
  %no_name = icmp eq ptr %name, null
  %no_fields = icmp eq ptr %fields, null
  %incomplete = or i1 %no_name, %no_fields
  br i1 %incomplete, label %none, label %search
search:
  %named = call ptr @form_named(ptr %type, ptr %name)
  %strange = icmp eq ptr %named, null
  br i1 %strange, label %none, label %number
number:
  %wanted_at = getelementptr %Form, ptr %named, i64 0, i32 1
  %wanted = load i64, ptr %wanted_at
  %given = call i64 @PyTuple_Size(ptr %fields)
  %fits = icmp eq i64 %wanted, %given
  br i1 %fits, label %tuple, label %none
tuple:
  store ptr %fields, ptr %fields_at
  ret ptr %named
none:
  ret ptr null
}

; Return an attribute that is an object of a class, held until the call ends; null for any other.
define internal ptr @held_attribute(ptr %call, ptr %object, ptr %name, ptr %class) {
  %value = call ptr @PyObject_GetAttr(ptr %object, ptr %name)
  %none = icmp eq ptr %value, null
  br i1 %none, label %fail, label %keep
keep:
  %kept = call i1 @hold(ptr %call, ptr %value)
  br i1 %kept, label %look, label %fail
look:
  %own = call ptr @class_of(ptr %value)
  %same = icmp eq ptr %own, %class
  %found = select i1 %same, ptr %value, ptr null
  ret ptr %found
fail:
  ret ptr null
}

; Take over a reference, and release it when the call ends.
define internal i1 @hold(ptr %call, ptr %object) {
  %held = getelementptr %Call, ptr %call, i64 0, i32 8
  %place = call ptr @append(ptr %held, i64 8)
  %full = icmp eq ptr %place, null
  br i1 %full, label %fail, label %put
put:
  store ptr %object, ptr %place
  ret i1 true
fail:
  call void @Py_DecRef(ptr %object)
  ret i1 false
}

; Return the constructor with a name, or null.
define internal ptr @form_named(ptr %type, ptr %name) {
  %count_at = getelementptr %Type, ptr %type, i64 0, i32 2
  %forms_at = getelementptr %Type, ptr %type, i64 0, i32 3
  %count = load i64, ptr %count_at
  %forms = load ptr, ptr %forms_at
  br label %round
round:
  %index = phi i64 [ 0, %0 ], [ %next, %other ]
  %done = icmp eq i64 %index, %count
  br i1 %done, label %none, label %one
one:
  %form = getelementptr %Form, ptr %forms, i64 %index
  %own_at = getelementptr %Form, ptr %form, i64 0, i32 5
  %own = load ptr, ptr %own_at
  %same = icmp eq ptr %own, %name
  br i1 %same, label %found, label %compare
compare:
  %order = call i32 @PyUnicode_Compare(ptr %own, ptr %name)
  %equal = icmp eq i32 %order, 0
  br i1 %equal, label %found, label %other
other:
  %next = add i64 %index, 1
  br label %round
found:
  ret ptr %form
none:
  ret ptr null
}

; Marshal the fields of a value into its block. Objects read from attributes are held, except
; numbers. Values are queued with the first one on top, so that blocks are in traversal order, which
; hardware prefetches.
define internal i32 @enter_fields(ptr %call, ptr %form, ptr %object, ptr %names, ptr %fields, ptr %block) {
  %count_at = getelementptr %Form, ptr %form, i64 0, i32 1
  %first_at = getelementptr %Form, ptr %form, i64 0, i32 2
  %count = load i64, ptr %count_at
  %first = load ptr, ptr %first_at
  %listed = icmp ne ptr %fields, null
  br label %round
round:
  %left = phi i64 [ %count, %0 ], [ %index, %item ], [ %index, %keep ], [ %index, %drop ]
  %status = phi i32 [ 0, %0 ], [ %item_status, %item ], [ %kept_status, %keep ], [ %number_status, %drop ]
  %well = icmp eq i32 %status, 0
  %any = icmp ne i64 %left, 0
  %goes = and i1 %well, %any
  br i1 %goes, label %one, label %end
one:
  %index = sub i64 %left, 1
  %field = getelementptr %Field, ptr %first, i64 %index
  br i1 %listed, label %item, label %attribute
item:
  %given = call ptr @PyTuple_GetItem(ptr %fields, i64 %index)
  %item_status = call i32 @enter(ptr %call, ptr %field, ptr %given, ptr %block)
  br label %round
attribute:
  %name_at = getelementptr ptr, ptr %names, i64 %index
  %name = load ptr, ptr %name_at
  %value = call ptr @PyObject_GetAttr(ptr %object, ptr %name)
  %none = icmp eq ptr %value, null
  br i1 %none, label %raised, label %read
read:
  %kind = load i64, ptr %field
  %is_number = icmp eq i64 %kind, $number
  br i1 %is_number, label %drop, label %own
drop:
  %number_status = call i32 @enter(ptr %call, ptr %field, ptr %value, ptr %block)
  call void @Py_DecRef(ptr %value)
  br label %round
own:
  %kept = call i1 @hold(ptr %call, ptr %value)
  br i1 %kept, label %keep, label %misfit
keep:
  %kept_status = call i32 @enter(ptr %call, ptr %field, ptr %value, ptr %block)
  br label %round
end:
  ret i32 %status
raised:
  ret i32 -1
misfit:
  ret i32 1
}

declare ptr @PyErr_Occurred()
