; What native code and Python agree on: the structures of `records.py`.

%Vector = type { ptr, i64, i64, ptr, i64 }        ; bytes, how many are used, how many there are; the first ones
%Slot = type { ptr, ptr, ptr }                    ; an object, as which type it was met, what stands for it
%Table = type { ptr, i64, i64, ptr, i64 }         ; slots, their number less one, how many are used; the first ones
%Chunks = type { ptr, ptr, ptr, ptr, ptr }        ; next free byte, end of its chunk, all chunks; the first one

%Field = type { i64, i64, i64, ptr, ptr, i64, ptr, i64, ptr, i64, i64, i64 }
; kind, offset from a base, offset of sizes that are carried; parts of a tuple or the data type; type of
; NumPy (or the object that a field always is), axes or parts, sizes, bytes of an element; class of
; numbers, how Python's become one, limits

%Type = type { i64, ptr, i64, ptr }               ; classes that are known, and constructors: how many, where
%Case = type { ptr, ptr, ptr }                    ; a class, its form, the names of its fields
%Form = type { i64, i64, ptr, i64, ptr, ptr, ptr }
; tag, how many fields, the fields; bytes of a block, an empty one; name, the value if it needs no block

%Plan = type { ptr, ptr, i64, ptr, i64, ptr, ptr, ptr, i64, i64 }
; entry, constants; inputs, outputs to make: how many, where; the result; what gives the heap back, or
; null; whether Ctrl-C stops the program; how many symbols there are

%Call = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, %Vector, %Vector, %Table, %Chunks }
; plan, arena, workspace, the word that stops the program; tables of inputs, outputs and symbols; what
; waits, what is held, objects that were met, blocks. The tables lie behind.
