; Multiply-adds on registers only: the peak of one core (see roofline.py).
declare $vector @llvm.fma.v${lanes}f32($vector, $vector, $vector)

define void @probe(i64 %steps, ptr %data) {
entry:
  %x = load $vector, ptr %data, align 4
  %next = getelementptr $vector, ptr %data, i64 1
  %y = load $vector, ptr %next, align 4
  br label %loop
loop:
  %k = phi i64 [0, %entry], [%more, %loop]
  $phis
  $steps
  %more = add i64 %k, 1
  %again = icmp ult i64 %more, %steps
  br i1 %again, label %loop, label %end
end:
  $sums
  store $vector $last, ptr %data, align 4
  ret void
}
