target triple = "x86_64-unknown-linux-gnu"

attributes #0 = { nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512" }

define i32 @micro(ptr %b0, ptr %b1, ptr %b2, ptr %workspace) #0 {
entry:
  %slot0 = alloca <16 x float>
  %slot1 = alloca <16 x float>
  %slot2 = alloca <16 x float>
  %slot3 = alloca <16 x float>
  %v2 = icmp slt i64 0, 64
  br i1 %v2, label %before1, label %after2
before1:
  br label %loop4
loop4:
  %i5 = phi i64 [ 0, %before1 ], [ %n6, %latch7 ]
  store <16 x float> splat (float 0x0000000000000000), ptr %slot0
  store <16 x float> splat (float 0x0000000000000000), ptr %slot1
  store <16 x float> splat (float 0x0000000000000000), ptr %slot2
  store <16 x float> splat (float 0x0000000000000000), ptr %slot3
  %v9 = icmp slt i64 0, 64
  br i1 %v9, label %before8, label %after9
before8:
  br label %loop11
loop11:
  %i12 = phi i64 [ 0, %before8 ], [ %n13, %latch14 ]
  %v14 = load <16 x float>, ptr %slot0
  %v15 = mul nsw i64 %i12, 32
  %v16 = getelementptr inbounds float, ptr %b1, i64 %v15
  %v17 = load <16 x float>, ptr %v16, align 4
  %v18 = mul nsw i64 %i12, 2
  %v19 = getelementptr inbounds float, ptr %b0, i64 %v18
  %v20 = load float, ptr %v19, align 4
  %v21 = insertelement <16 x float> poison, float %v20, i64 0
  %v22 = shufflevector <16 x float> %v21, <16 x float> poison, <16 x i32> zeroinitializer
  %v23 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v22, <16 x float> %v17, <16 x float> %v14)
  store <16 x float> %v23, ptr %slot0
  %v24 = load <16 x float>, ptr %slot1
  %v25 = mul nsw i64 %i12, 32
  %v26 = add nsw i64 %v25, 16
  %v27 = getelementptr inbounds float, ptr %b1, i64 %v26
  %v28 = load <16 x float>, ptr %v27, align 4
  %v29 = mul nsw i64 %i12, 2
  %v30 = getelementptr inbounds float, ptr %b0, i64 %v29
  %v31 = load float, ptr %v30, align 4
  %v32 = insertelement <16 x float> poison, float %v31, i64 0
  %v33 = shufflevector <16 x float> %v32, <16 x float> poison, <16 x i32> zeroinitializer
  %v34 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v33, <16 x float> %v28, <16 x float> %v24)
  store <16 x float> %v34, ptr %slot1
  %v35 = load <16 x float>, ptr %slot2
  %v36 = mul nsw i64 %i12, 32
  %v37 = getelementptr inbounds float, ptr %b1, i64 %v36
  %v38 = load <16 x float>, ptr %v37, align 4
  %v39 = mul nsw i64 %i12, 2
  %v40 = add nsw i64 %v39, 1
  %v41 = getelementptr inbounds float, ptr %b0, i64 %v40
  %v42 = load float, ptr %v41, align 4
  %v43 = insertelement <16 x float> poison, float %v42, i64 0
  %v44 = shufflevector <16 x float> %v43, <16 x float> poison, <16 x i32> zeroinitializer
  %v45 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v44, <16 x float> %v38, <16 x float> %v35)
  store <16 x float> %v45, ptr %slot2
  %v46 = load <16 x float>, ptr %slot3
  %v47 = mul nsw i64 %i12, 32
  %v48 = add nsw i64 %v47, 16
  %v49 = getelementptr inbounds float, ptr %b1, i64 %v48
  %v50 = load <16 x float>, ptr %v49, align 4
  %v51 = mul nsw i64 %i12, 2
  %v52 = add nsw i64 %v51, 1
  %v53 = getelementptr inbounds float, ptr %b0, i64 %v52
  %v54 = load float, ptr %v53, align 4
  %v55 = insertelement <16 x float> poison, float %v54, i64 0
  %v56 = shufflevector <16 x float> %v55, <16 x float> poison, <16 x i32> zeroinitializer
  %v57 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v56, <16 x float> %v50, <16 x float> %v46)
  store <16 x float> %v57, ptr %slot3
  br label %latch14
latch14:
  %n13 = add nsw i64 %i12, 1
  %v58 = icmp slt i64 %n13, 64
  br i1 %v58, label %loop11, label %after9, !llvm.loop !5
after9:
  %v59 = load <16 x float>, ptr %slot0
  %v60 = mul nsw i64 %i5, 64
  %v61 = getelementptr inbounds float, ptr %b2, i64 %v60
  %v62 = load <16 x float>, ptr %v61, align 4
  %v63 = fadd contract <16 x float> %v62, %v59
  %v64 = mul nsw i64 %i5, 64
  %v65 = getelementptr inbounds float, ptr %b2, i64 %v64
  store <16 x float> %v63, ptr %v65, align 4
  %v66 = load <16 x float>, ptr %slot1
  %v67 = mul nsw i64 %i5, 64
  %v68 = add nsw i64 %v67, 16
  %v69 = getelementptr inbounds float, ptr %b2, i64 %v68
  %v70 = load <16 x float>, ptr %v69, align 4
  %v71 = fadd contract <16 x float> %v70, %v66
  %v72 = mul nsw i64 %i5, 64
  %v73 = add nsw i64 %v72, 16
  %v74 = getelementptr inbounds float, ptr %b2, i64 %v73
  store <16 x float> %v71, ptr %v74, align 4
  %v75 = load <16 x float>, ptr %slot2
  %v76 = mul nsw i64 %i5, 64
  %v77 = add nsw i64 %v76, 32
  %v78 = getelementptr inbounds float, ptr %b2, i64 %v77
  %v79 = load <16 x float>, ptr %v78, align 4
  %v80 = fadd contract <16 x float> %v79, %v75
  %v81 = mul nsw i64 %i5, 64
  %v82 = add nsw i64 %v81, 32
  %v83 = getelementptr inbounds float, ptr %b2, i64 %v82
  store <16 x float> %v80, ptr %v83, align 4
  %v84 = load <16 x float>, ptr %slot3
  %v85 = mul nsw i64 %i5, 64
  %v86 = add nsw i64 %v85, 32
  %v87 = add nsw i64 %v86, 16
  %v88 = getelementptr inbounds float, ptr %b2, i64 %v87
  %v89 = load <16 x float>, ptr %v88, align 4
  %v90 = fadd contract <16 x float> %v89, %v84
  %v91 = mul nsw i64 %i5, 64
  %v92 = add nsw i64 %v91, 32
  %v93 = add nsw i64 %v92, 16
  %v94 = getelementptr inbounds float, ptr %b2, i64 %v93
  store <16 x float> %v90, ptr %v94, align 4
  br label %latch7
latch7:
  %n6 = add nsw i64 %i5, 1
  %v95 = icmp slt i64 %n6, 64
  br i1 %v95, label %loop4, label %after2, !llvm.loop !2
after2:
  ret i32 0
}

declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)

!0 = !{!"llvm.loop.unroll.disable"}

!1 = !{!"llvm.loop.vectorize.enable", i1 false}

!2 = distinct !{!2, !0, !1}

!3 = !{!"llvm.loop.unroll.disable"}

!4 = !{!"llvm.loop.vectorize.enable", i1 false}

!5 = distinct !{!5, !3, !4}
