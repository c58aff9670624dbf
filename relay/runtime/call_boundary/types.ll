; The structures that native code and Python share: see `structures.py`.

; bytes, bytes used, capacity; initial bytes, initial capacity
%Vector = type { ptr, i64, i64, ptr, i64 }
; object, the type as which it was visited, its representation
%Slot = type { ptr, ptr, ptr }
; slots, mask (their number less one), slots used; initial slots, initial mask
%Table = type { ptr, i64, i64, ptr, i64 }
; next free byte, end of its chunk, all chunks; initial chunk
%Chunks = type { ptr, ptr, ptr, ptr, ptr }

%Field = type { i64, i64, i64, ptr, ptr, i64, ptr, i64, ptr, i64, i64, i64 }
; kind, offset from a base, offset of dynamic sizes; parts of a tuple or the data type; NumPy type
; (or the constant object of a field), number of axes or parts, sizes, bytes of an element; class of
; numbers, conversion of Python numbers, limits

; number of known classes, classes; number of constructors, constructors
%Type = type { i64, ptr, i64, ptr }
%Case = type { ptr, ptr, ptr }                    ; class, constructor, names of its fields
%Form = type { i64, i64, ptr, i64, ptr, ptr, ptr }
; tag, number of fields, fields; bytes of a block, a blank block; name, the value if it needs no
; block

%Plan = type { ptr, ptr, i64, ptr, i64, ptr, ptr, ptr, i64, i64 }
; entry, constants; number and descriptors of inputs and of allocated outputs; result; function that
; frees the heap, or null; whether Ctrl-C stops the program; number of symbols

%Call = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, %Vector, %Vector, %Table, %Chunks }
; call descriptor, arena, workspace, stop word; tables of inputs, outputs and symbols; queued
; values, held objects, visited objects, blocks. The tables follow.
