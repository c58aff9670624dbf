; NumPy arrays, through NumPy's C interface: checked as arguments, created as results.
;
; $data… $flags are the field offsets of NumPy's public array structure, after the header of every
; Python object. A function returns new references.

@uint8 = external global i8                       ; objects, as symbols at their addresses
@array_class = external global i8

declare ptr @PyArray_NewFromDescr(ptr, ptr, i32, ptr, ptr, ptr, i32, ptr)
declare i32 @PyArray_SetBaseObject(ptr, ptr)
declare i8 @PyArray_EquivTypes(ptr, ptr)
declare void @PyArray_ScalarAsCtype(ptr, ptr)

define internal ptr @class_of(ptr %object) alwaysinline {
  %at = getelementptr i8, ptr %object, i64 $class
  %class = load ptr, ptr %at
  ret ptr %class
}

; Return the elements of an array with a field's type and rank in the required layout, else null.
define internal ptr @elements(ptr %field, ptr %object) {
  %class = call ptr @class_of(ptr %object)
  %exact = icmp eq ptr %class, @array_class
  br i1 %exact, label %array, label %inherits
inherits:
  %derived = call i32 @PyType_IsSubtype(ptr %class, ptr @array_class)
  %is_array = icmp ne i32 %derived, 0
  br i1 %is_array, label %array, label %none
array:
  %flags_at = getelementptr i8, ptr %object, i64 $flags
  %rank_at = getelementptr i8, ptr %object, i64 $rank
  %flags = load i32, ptr %flags_at
  %rank = load i32, ptr %rank_at
  %lies = and i32 %flags, 257                     ; C-contiguous and aligned
  %ready = icmp eq i32 %lies, 257
  %axes_at = getelementptr %Field, ptr %field, i64 0, i32 5
  %axes = load i64, ptr %axes_at
  %axes_short = trunc i64 %axes to i32
  %same_rank = icmp eq i32 %rank, %axes_short
  %good = and i1 %ready, %same_rank
  br i1 %good, label %type, label %none
type:
  %type_at = getelementptr i8, ptr %object, i64 $descr
  %own = load ptr, ptr %type_at
  %wanted_at = getelementptr %Field, ptr %field, i64 0, i32 4
  %wanted = load ptr, ptr %wanted_at
  %same = icmp eq ptr %own, %wanted
  br i1 %same, label %found, label %compare
compare:
  %alike = call i8 @PyArray_EquivTypes(ptr %own, ptr %wanted)
  %equivalent = icmp ne i8 %alike, 0
  br i1 %equivalent, label %found, label %none
found:
  %data_at = getelementptr i8, ptr %object, i64 $data
  %data = load ptr, ptr %data_at
  ret ptr %data
none:
  ret ptr null
}

; Whether an array has the sizes of a field; dynamic sizes are written to a table. A size of -1 is
; unconstrained, and smaller ones are the symbols -2, -3… of the call.
define internal i1 @take_sizes(ptr %call, ptr %field, ptr %object, ptr %table) {
  %axes_at = getelementptr %Field, ptr %field, i64 0, i32 5
  %axes = load i64, ptr %axes_at
  %wanted_at = getelementptr %Field, ptr %field, i64 0, i32 6
  %wanted = load ptr, ptr %wanted_at
  %shape_at = getelementptr i8, ptr %object, i64 $shape
  %shape = load ptr, ptr %shape_at
  br label %round
round:
  %axis = phi i64 [ 0, %0 ], [ %next, %on ]
  %place = phi ptr [ %table, %0 ], [ %after, %on ]
  %done = icmp eq i64 %axis, %axes
  br i1 %done, label %good, label %one
one:
  %size_at = getelementptr i64, ptr %shape, i64 %axis
  %size = load i64, ptr %size_at
  %want_at = getelementptr i64, ptr %wanted, i64 %axis
  %want = load i64, ptr %want_at
  %fixed = icmp sge i64 %want, 0
  br i1 %fixed, label %compare, label %open
compare:
  %equal = icmp eq i64 %size, %want
  br i1 %equal, label %on, label %bad
open:
  store i64 %size, ptr %place
  %behind = getelementptr i64, ptr %place, i64 1
  %own = icmp eq i64 %want, -1
  br i1 %own, label %on, label %symbol
symbol:
  %number = sub i64 -2, %want
  %symbols_at = getelementptr %Call, ptr %call, i64 0, i32 6
  %symbols = load ptr, ptr %symbols_at
  %known_at = getelementptr i64, ptr %symbols, i64 %number
  %known = load i64, ptr %known_at
  store i64 %size, ptr %known_at
  %new = icmp eq i64 %known, -1
  %same = icmp eq i64 %known, %size
  %agree = or i1 %new, %same
  br i1 %agree, label %on, label %bad
on:
  %after = phi ptr [ %place, %compare ], [ %behind, %open ], [ %behind, %symbol ]
  %next = add i64 %axis, 1
  br label %round
good:
  ret i1 true
bad:
  ret i1 false
}

; Return a new, uninitialized array of a type and shape, or null if memory runs out.
define internal ptr @new_array(ptr %type, i64 %axes, ptr %shape, ptr %elements, i32 %flags) {
  call void @Py_IncRef(ptr %type)                 ; consumed by the array
  %rank = trunc i64 %axes to i32
  %array = call ptr @PyArray_NewFromDescr(ptr @array_class, ptr %type, i32 %rank, ptr %shape, ptr null, ptr %elements, i32 %flags, ptr null)
  ret ptr %array
}

; The same, with elements aligned to a cache line, as kernels require.
define internal ptr @new_aligned(ptr %type, i64 %axes, ptr %shape, i64 %bytes) {
  %size_at = alloca i64
  %size = add i64 %bytes, 64
  store i64 %size, ptr %size_at
  %raw = call ptr @new_array(ptr @uint8, i64 1, ptr %size_at, ptr null, i32 0)
  %none = icmp eq ptr %raw, null
  br i1 %none, label %fail, label %view
view:
  %begin_at = getelementptr i8, ptr %raw, i64 $data
  %begin = load i64, ptr %begin_at
  %over = add i64 %begin, 63
  %line = and i64 %over, -64
  %elements = inttoptr i64 %line to ptr
  %array = call ptr @new_array(ptr %type, i64 %axes, ptr %shape, ptr %elements, i32 1281)
  %made = icmp ne ptr %array, null
  br i1 %made, label %base, label %drop
base:
  %status = call i32 @PyArray_SetBaseObject(ptr %array, ptr %raw)
  %good = icmp eq i32 %status, 0
  br i1 %good, label %end, label %undo
end:
  ret ptr %array
undo:
  call void @Py_DecRef(ptr %array)
  ret ptr null
drop:
  call void @Py_DecRef(ptr %raw)
  ret ptr null
fail:
  ret ptr null
}

; Return a new array with a copy of the given elements; its dynamic sizes are in a table.
define internal ptr @copy_array(ptr %field, ptr %elements, ptr %table) {
  %shape = alloca [64 x i64]
  %axes_at = getelementptr %Field, ptr %field, i64 0, i32 5
  %axes = load i64, ptr %axes_at
  %sizes_at = getelementptr %Field, ptr %field, i64 0, i32 6
  %sizes = load ptr, ptr %sizes_at
  %item_at = getelementptr %Field, ptr %field, i64 0, i32 7
  %item = load i64, ptr %item_at
  %type_at = getelementptr %Field, ptr %field, i64 0, i32 4
  %type = load ptr, ptr %type_at
  br label %round
round:
  %axis = phi i64 [ 0, %0 ], [ %next, %one ]
  %bytes = phi i64 [ %item, %0 ], [ %product, %one ]
  %place = phi ptr [ %table, %0 ], [ %after, %one ]
  %done = icmp eq i64 %axis, %axes
  br i1 %done, label %make, label %one
one:
  %fixed_at = getelementptr i64, ptr %sizes, i64 %axis
  %fixed = load i64, ptr %fixed_at
  %open = icmp slt i64 %fixed, 0
  %from = select i1 %open, ptr %place, ptr %fixed_at
  %size = load i64, ptr %from
  %behind = getelementptr i64, ptr %place, i64 1
  %after = select i1 %open, ptr %behind, ptr %place
  %to = getelementptr i64, ptr %shape, i64 %axis
  store i64 %size, ptr %to
  %product = mul i64 %bytes, %size
  %next = add i64 %axis, 1
  br label %round
make:
  %array = call ptr @new_array(ptr %type, i64 %axes, ptr %shape, ptr null, i32 0)
  %none = icmp eq ptr %array, null
  br i1 %none, label %end, label %copy
copy:
  %data_at = getelementptr i8, ptr %array, i64 $data
  %data = load ptr, ptr %data_at
  call void @llvm.memcpy.p0.p0.i64(ptr %data, ptr %elements, i64 %bytes, i1 false)
  br label %end
end:
  ret ptr %array
}
