target triple = "x86_64-unknown-linux-gnu"

attributes #0 = { nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512" }

attributes #1 = { alwaysinline }

define internal <16 x float> @relay.exp.v16f32(<16 x float> %x0) #1 #0 {
entry:
  %v0 = call <16 x float> @llvm.fma.v16f32(<16 x float> %x0, <16 x float> splat (float 0x3FF7154760000000), <16 x float> splat (float 0x4128000000000000))
  %v1 = fsub <16 x float> %v0, splat (float 0x4128000000000000)
  %v2 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v1, <16 x float> splat (float 0xBFE6300000000000), <16 x float> %x0)
  %v3 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v1, <16 x float> splat (float 0x3F2BD01060000000), <16 x float> %v2)
  %v4 = call <16 x float> @llvm.x86.avx512.mask.range.ps.512(<16 x float> %v3, <16 x float> splat (float 0x3FC0000000000000), i32 2, <16 x float> %v3, i16 -1, i32 4)
  %v5 = bitcast <16 x float> %v0 to <16 x i32>
  %v6 = fmul <16 x float> %v4, %v4
  %v7 = call <16 x float> @llvm.fma.v16f32(<16 x float> splat (float 0x3FC55565E0000000), <16 x float> %v4, <16 x float> splat (float 0x3FE00014A0000000))
  %v8 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v6, <16 x float> %v7, <16 x float> %v4)
  %v9 = call <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float> <float 0x3FF0000000000000, float 0x3FF0B55860000000, float 0x3FF172B840000000, float 0x3FF2387A60000000, float 0x3FF306FE00000000, float 0x3FF3DEA640000000, float 0x3FF4BFDAE0000000, float 0x3FF5AB07E0000000, float 0x3FF6A09E60000000, float 0x3FF7A11480000000, float 0x3FF8ACE540000000, float 0x3FF9C49180000000, float 0x3FFAE89FA0000000, float 0x3FFC199BE0000000, float 0x3FFD5818E0000000, float 0x3FFEA4AFA0000000>, <16 x i32> %v5)
  %v10 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v9, <16 x float> %v8, <16 x float> %v9)
  %v11 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %v10, <16 x float> %v1, <16 x float> %v10, i16 -1, i32 4)
  ret <16 x float> %v11
}

define internal void @masked.body2(ptr %closure, i64 %begin, i64 %end, i64 %worker) #0 {
entry:
  %v0 = getelementptr { ptr, ptr, i64, ptr, i64, ptr, i64 }, ptr %closure, i32 0, i32 1
  %v1 = load ptr, ptr %v0
  %v2 = getelementptr { ptr, ptr, i64, ptr, i64, ptr, i64 }, ptr %closure, i32 0, i32 3
  %v3 = load ptr, ptr %v2
  %v4 = getelementptr { ptr, ptr, i64, ptr, i64, ptr, i64 }, ptr %closure, i32 0, i32 5
  %v5 = load ptr, ptr %v4
  %v6 = mul i64 %worker, 40000
  %v7 = getelementptr i8, ptr %v1, i64 %v6
  %v8 = add i64 0, %begin
  %v9 = add i64 0, %end
  %v12 = icmp slt i64 %v8, %v9
  br i1 %v12, label %before11, label %after12
before11:
  br label %loop14
loop14:
  %i15 = phi i64 [ %v8, %before11 ], [ %n16, %latch17 ]
  %v19 = icmp slt i64 0, 2
  br i1 %v19, label %before18, label %after19
before18:
  br label %loop21
loop21:
  %i22 = phi i64 [ 0, %before18 ], [ %n23, %latch24 ]
  %v24 = mul i64 %i22, 16
  %v25 = sub i64 20, %v24
  %v26 = call i64 @llvm.smax.i64(i64 %v25, i64 -1)
  %v27 = call i64 @llvm.smin.i64(i64 %v26, i64 16)
  %v28 = trunc i64 %v27 to i32
  %v29 = insertelement <16 x i32> poison, i32 %v28, i64 0
  %v30 = shufflevector <16 x i32> %v29, <16 x i32> poison, <16 x i32> zeroinitializer
  %v31 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v30
  %v32 = getelementptr float, ptr %v3, i64 %v24
  %v33 = bitcast <16 x i1> %v31 to i16
  %v34 = call i16 asm "", "=^Yk,0"(i16 %v33) nounwind willreturn memory(none)
  %v35 = call i1 @llvm.is.constant.i16(i16 %v33)
  %v36 = select i1 %v35, i16 %v33, i16 %v34
  %v37 = bitcast i16 %v36 to <16 x i1>
  %v38 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %v32, <16 x i1> %v37, <16 x float> zeroinitializer)
  %v39 = call <16 x float> @relay.exp.v16f32(<16 x float> %v38)
  %v40 = getelementptr float, ptr %v5, i64 %v24
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v39, ptr align 4 %v40, <16 x i1> %v31)
  br label %latch24
latch24:
  %n23 = add nsw i64 %i22, 1
  %v41 = icmp slt i64 %n23, 2
  br i1 %v41, label %loop21, label %after19, !llvm.loop !5
after19:
  %v44 = icmp slt i64 0, 20
  br i1 %v44, label %before43, label %after44
before43:
  br label %loop46
loop46:
  %i47 = phi i64 [ 0, %before43 ], [ %n48, %latch49 ]
  %v49 = getelementptr inbounds float, ptr %v5, i64 0
  %v50 = load float, ptr %v49, align 4
  %v51 = getelementptr inbounds float, ptr %v5, i64 %i47
  %v52 = load float, ptr %v51, align 4
  %v53 = fadd contract float %v52, %v50
  %v54 = getelementptr inbounds float, ptr %v7, i64 %i47
  store float %v53, ptr %v54, align 4
  br label %latch49
latch49:
  %n48 = add nsw i64 %i47, 1
  %v55 = icmp slt i64 %n48, 20
  br i1 %v55, label %loop46, label %after44, !llvm.loop !6
after44:
  br label %latch17
latch17:
  %n16 = add nsw i64 %i15, 1
  %v56 = icmp slt i64 %n16, %v9
  br i1 %v56, label %loop14, label %after12, !llvm.loop !2
after12:
  ret void
}

define i32 @masked(ptr %b0, ptr %b1, ptr %workspace) #0 {
entry:
  %slot0 = alloca { ptr, ptr, i64, ptr, i64, ptr, i64 }
  %v0 = getelementptr i8, ptr %workspace, i64 64
  %v2 = getelementptr { ptr, ptr, i64, ptr, i64, ptr, i64 }, ptr %slot0, i32 0, i32 1
  store ptr %v0, ptr %v2
  %v3 = getelementptr { ptr, ptr, i64, ptr, i64, ptr, i64 }, ptr %slot0, i32 0, i32 3
  store ptr %b0, ptr %v3
  %v4 = getelementptr { ptr, ptr, i64, ptr, i64, ptr, i64 }, ptr %slot0, i32 0, i32 5
  store ptr %b1, ptr %v4
  %v5 = call i32 @relay_parallel_for(ptr @masked.body2, ptr %slot0, i64 4, i64 1, i32 0, ptr null)
  %v8 = icmp ne i32 %v5, 0
  br i1 %v8, label %failed7, label %after8
failed7:
  ret i32 %v5
after8:
  ret i32 0
}

declare i64 @llvm.smax.i64(i64, i64)

declare i64 @llvm.smin.i64(i64, i64)

declare i1 @llvm.is.constant.i16(i16)

declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, <16 x i1>, <16 x float>)

declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)

declare <16 x float> @llvm.x86.avx512.mask.range.ps.512(<16 x float>, <16 x float>, i32, <16 x float>, i16, i32)

declare <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float>, <16 x i32>)

declare <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float>, <16 x float>, <16 x float>, i16, i32)

declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr, <16 x i1>)

declare i32 @relay_parallel_for(ptr, ptr, i64, i64, i32, ptr)

!0 = !{!"llvm.loop.unroll.disable"}

!1 = !{!"llvm.loop.vectorize.enable", i1 false}

!2 = distinct !{!2, !0, !1}

!3 = !{!"llvm.loop.unroll.disable"}

!4 = !{!"llvm.loop.vectorize.enable", i1 false}

!5 = distinct !{!5, !3, !4}

!6 = distinct !{!6}
