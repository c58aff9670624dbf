; Written by tools/c_runtime.py from the C sources; do not edit.

%struct.PyObject = type { i64, ptr }
%struct.Field = type { i64, i64, i64, %union.anon, ptr, i64, ptr, i64, ptr, i64, i64, i64 }
%union.anon = type { ptr }
%struct.Case = type { ptr, ptr, ptr }
%struct.Form = type { i64, i64, ptr, i64, ptr, ptr, ptr }
%struct.Slot = type { ptr, ptr, ptr }

@relay_boundary_sizes = dso_local local_unnamed_addr constant [7 x i64] [i64 96, i64 24, i64 56, i64 32, i64 80, i64 216, i64 24], align 8
@object_none = external global %struct.PyObject, align 8
@relay_main_thread = dso_local local_unnamed_addr global i64 0, align 8
@class_array = external global %struct.PyObject, align 8
@class_int = external global %struct.PyObject, align 8
@class_float = external global %struct.PyObject, align 8
@class_bool = external global %struct.PyObject, align 8
@object_true = external global %struct.PyObject, align 8
@class_tuple = external global %struct.PyObject, align 8
@class_data = external global %struct.PyObject, align 8
@name_constructor = external global %struct.PyObject, align 8
@class_str = external global %struct.PyObject, align 8
@name_fields = external global %struct.PyObject, align 8
@type_uint8 = external global %struct.PyObject, align 8

define dso_local ptr @relay_cross(ptr noundef readnone captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = alloca i64, align 8
  %5 = load ptr, ptr %1, align 8
  %6 = tail call i64 @PyLong_AsLongLong(ptr noundef %5) #12
  %7 = inttoptr i64 %6 to ptr
  %8 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %9 = add nsw i64 %2, -1
  %10 = load ptr, ptr %7, align 8
  %11 = getelementptr inbounds nuw i8, ptr %7, i64 48
  %12 = load ptr, ptr %11, align 8
  %13 = getelementptr inbounds nuw i8, ptr %10, i64 72
  %14 = load i64, ptr %13, align 8
  %15 = shl i64 %14, 3
  tail call void @llvm.memset.p0.i64(ptr align 8 %12, i8 -1, i64 %15, i1 false)
  %16 = getelementptr inbounds nuw i8, ptr %10, i64 16
  %17 = load i64, ptr %16, align 8
  %18 = icmp eq i64 %9, %17
  br i1 %18, label %19, label %455

19:
  %20 = icmp sgt i64 %2, 1
  br i1 %20, label %21, label %310

21:
  %22 = getelementptr inbounds nuw i8, ptr %10, i64 24
  %23 = getelementptr inbounds nuw i8, ptr %7, i64 56
  %24 = getelementptr inbounds nuw i8, ptr %7, i64 64
  %25 = getelementptr inbounds nuw i8, ptr %7, i64 96
  %26 = getelementptr inbounds nuw i8, ptr %7, i64 104
  %27 = getelementptr inbounds nuw i8, ptr %7, i64 112
  %28 = getelementptr inbounds nuw i8, ptr %7, i64 136
  %29 = getelementptr inbounds nuw i8, ptr %7, i64 152
  %30 = getelementptr inbounds nuw i8, ptr %7, i64 144
  %31 = getelementptr inbounds nuw i8, ptr %7, i64 176
  %32 = getelementptr inbounds nuw i8, ptr %7, i64 184
  %33 = getelementptr inbounds nuw i8, ptr %7, i64 192
  %34 = getelementptr inbounds nuw i8, ptr %7, i64 72
  br label %35

35:
  %36 = phi i64 [ 0, %21 ], [ %308, %307 ]
  %37 = load ptr, ptr %22, align 8
  %38 = getelementptr inbounds nuw %struct.Field, ptr %37, i64 %36
  %39 = getelementptr inbounds nuw ptr, ptr %8, i64 %36
  %40 = load ptr, ptr %39, align 8
  %41 = tail call fastcc i32 @enter(ptr noundef nonnull %7, ptr noundef %38, ptr noundef %40, ptr noundef nonnull %7)
  %42 = icmp eq i32 %41, 0
  br i1 %42, label %43, label %455

43:
  %44 = load i64, ptr %24, align 8
  %45 = icmp eq i64 %44, 0
  br i1 %45, label %307, label %46

46:
  %47 = phi i64 [ %305, %304 ], [ %44, %43 ]
  %48 = add nsw i64 %47, -24
  store i64 %48, ptr %24, align 8
  %49 = load ptr, ptr %23, align 8
  %50 = getelementptr inbounds i8, ptr %49, i64 %48
  %51 = icmp eq ptr %49, null
  br i1 %51, label %307, label %52

52:
  %53 = load ptr, ptr %50, align 8
  %54 = getelementptr inbounds nuw i8, ptr %50, i64 16
  %55 = load ptr, ptr %54, align 8
  %56 = icmp eq ptr %53, null
  br i1 %56, label %57, label %59

57:
  %58 = getelementptr inbounds nuw i8, ptr %55, i64 16
  store i64 0, ptr %58, align 8
  br label %304

59:
  %60 = getelementptr inbounds nuw i8, ptr %50, i64 8
  %61 = load ptr, ptr %60, align 8
  %62 = getelementptr inbounds nuw i8, ptr %53, i64 8
  %63 = load i64, ptr %62, align 8
  %64 = getelementptr inbounds i8, ptr %55, i64 %63
  %65 = getelementptr inbounds nuw i8, ptr %53, i64 24
  %66 = load ptr, ptr %65, align 8
  %67 = load i64, ptr %66, align 8
  %68 = icmp sgt i64 %67, 0
  br i1 %68, label %72, label %69

69:
  %70 = getelementptr inbounds nuw i8, ptr %61, i64 8
  %71 = load ptr, ptr %70, align 8
  br label %90

72:
  %73 = getelementptr inbounds nuw i8, ptr %66, i64 8
  %74 = load ptr, ptr %73, align 8
  %75 = getelementptr inbounds nuw i8, ptr %61, i64 8
  %76 = load ptr, ptr %75, align 8
  br label %80

77:
  %78 = add nuw nsw i64 %81, 1
  %79 = icmp eq i64 %78, %67
  br i1 %79, label %90, label %80

80:
  %81 = phi i64 [ 0, %72 ], [ %78, %77 ]
  %82 = getelementptr inbounds nuw %struct.Case, ptr %74, i64 %81
  %83 = load ptr, ptr %82, align 8
  %84 = icmp eq ptr %83, %76
  br i1 %84, label %85, label %77

85:
  %86 = getelementptr inbounds nuw i8, ptr %82, i64 8
  %87 = load ptr, ptr %86, align 8
  %88 = getelementptr inbounds nuw i8, ptr %82, i64 16
  %89 = load ptr, ptr %88, align 8
  br label %165

90:
  %91 = phi ptr [ %71, %69 ], [ %76, %77 ]
  %92 = icmp eq ptr %91, @class_data
  br i1 %92, label %93, label %161

93:
  %94 = tail call ptr @PyObject_GetAttr(ptr noundef nonnull %61, ptr noundef nonnull @name_constructor) #12
  %95 = icmp eq ptr %94, null
  br i1 %95, label %113, label %96

96:
  %97 = load i64, ptr %26, align 8
  %98 = add nsw i64 %97, 8
  %99 = load i64, ptr %27, align 8
  %100 = icmp sgt i64 %98, %99
  br i1 %100, label %101, label %103

101:
  %102 = tail call fastcc i1 @grow(ptr noundef nonnull %25, i64 noundef %98) #13
  br i1 %102, label %103, label %106

103:
  store i64 %98, ptr %26, align 8
  %104 = load ptr, ptr %25, align 8
  %105 = icmp eq ptr %104, null
  br i1 %105, label %106, label %107

106:
  tail call void @Py_DecRef(ptr noundef nonnull %94) #12
  br label %113

107:
  %108 = getelementptr inbounds i8, ptr %104, i64 %97
  store ptr %94, ptr %108, align 8
  %109 = getelementptr inbounds nuw i8, ptr %94, i64 8
  %110 = load ptr, ptr %109, align 8
  %111 = icmp eq ptr %110, @class_str
  %112 = select i1 %111, ptr %94, ptr null
  br label %113

113:
  %114 = phi ptr [ %112, %107 ], [ null, %106 ], [ null, %93 ]
  %115 = tail call ptr @PyObject_GetAttr(ptr noundef nonnull %61, ptr noundef nonnull @name_fields) #12
  %116 = icmp eq ptr %115, null
  br i1 %116, label %161, label %117

117:
  %118 = load i64, ptr %26, align 8
  %119 = add nsw i64 %118, 8
  %120 = load i64, ptr %27, align 8
  %121 = icmp sgt i64 %119, %120
  br i1 %121, label %122, label %124

122:
  %123 = tail call fastcc i1 @grow(ptr noundef nonnull %25, i64 noundef %119) #13
  br i1 %123, label %124, label %127

124:
  store i64 %119, ptr %26, align 8
  %125 = load ptr, ptr %25, align 8
  %126 = icmp eq ptr %125, null
  br i1 %126, label %127, label %128

127:
  tail call void @Py_DecRef(ptr noundef nonnull %115) #12
  br label %161

128:
  %129 = getelementptr inbounds i8, ptr %125, i64 %118
  store ptr %115, ptr %129, align 8
  %130 = getelementptr inbounds nuw i8, ptr %115, i64 8
  %131 = load ptr, ptr %130, align 8
  %132 = icmp eq ptr %131, @class_tuple
  %133 = select i1 %132, ptr %115, ptr null
  %134 = icmp eq ptr %114, null
  %135 = icmp eq ptr %133, null
  %136 = select i1 %134, i1 true, i1 %135
  br i1 %136, label %161, label %137

137:
  %138 = getelementptr inbounds nuw i8, ptr %66, i64 24
  %139 = getelementptr inbounds nuw i8, ptr %66, i64 16
  %140 = load i64, ptr %139, align 8
  %141 = icmp sgt i64 %140, 0
  br i1 %141, label %146, label %161

142:
  %143 = add nuw nsw i64 %147, 1
  %144 = load i64, ptr %139, align 8
  %145 = icmp slt i64 %143, %144
  br i1 %145, label %146, label %161

146:
  %147 = phi i64 [ %143, %142 ], [ 0, %137 ]
  %148 = load ptr, ptr %138, align 8
  %149 = getelementptr inbounds nuw %struct.Form, ptr %148, i64 %147
  %150 = getelementptr inbounds nuw i8, ptr %149, i64 40
  %151 = load ptr, ptr %150, align 8
  %152 = icmp eq ptr %151, %114
  br i1 %152, label %156, label %153

153:
  %154 = tail call i32 @PyUnicode_Compare(ptr noundef %151, ptr noundef nonnull %114) #12
  %155 = icmp eq i32 %154, 0
  br i1 %155, label %156, label %142

156:
  %157 = getelementptr inbounds nuw i8, ptr %149, i64 8
  %158 = load i64, ptr %157, align 8
  %159 = tail call i64 @PyTuple_Size(ptr noundef %133) #12
  %160 = icmp eq i64 %158, %159
  br i1 %160, label %165, label %161

161:
  %162 = tail call ptr @PyErr_Occurred() #12
  %163 = icmp eq ptr %162, null
  %164 = select i1 %163, i32 1, i32 -1
  br label %455

165:
  %166 = phi ptr [ %89, %85 ], [ null, %156 ]
  %167 = phi ptr [ null, %85 ], [ %133, %156 ]
  %168 = phi ptr [ %87, %85 ], [ %149, %156 ]
  %169 = getelementptr inbounds nuw i8, ptr %168, i64 8
  %170 = load i64, ptr %169, align 8
  %171 = icmp eq i64 %170, 0
  br i1 %171, label %172, label %174

172:
  %173 = load i64, ptr %168, align 8
  store i64 %173, ptr %64, align 8
  br label %304

174:
  %175 = load ptr, ptr %65, align 8
  %176 = load i64, ptr %29, align 8
  %177 = shl nsw i64 %176, 1
  %178 = load i64, ptr %30, align 8
  %179 = icmp sgt i64 %177, %178
  br i1 %179, label %180, label %184

180:
  %181 = tail call fastcc i1 @widen(ptr noundef nonnull %28) #13
  br i1 %181, label %182, label %455

182:
  %183 = load i64, ptr %30, align 8
  br label %184

184:
  %185 = phi i64 [ %183, %182 ], [ %178, %174 ]
  %186 = load ptr, ptr %28, align 8
  %187 = ptrtoint ptr %175 to i64
  %188 = ptrtoint ptr %61 to i64
  %189 = tail call i64 @llvm.fshl.i64(i64 %187, i64 %187, i64 32)
  %190 = xor i64 %189, %188
  %191 = mul i64 %190, -7046029254386353131
  %192 = lshr i64 %191, 32
  %193 = and i64 %185, %192
  %194 = getelementptr inbounds nuw %struct.Slot, ptr %186, i64 %193
  %195 = load ptr, ptr %194, align 8
  %196 = icmp eq ptr %195, null
  br i1 %196, label %212, label %197

197:
  %198 = phi ptr [ %210, %206 ], [ %195, %184 ]
  %199 = phi ptr [ %209, %206 ], [ %194, %184 ]
  %200 = phi i64 [ %207, %206 ], [ %192, %184 ]
  %201 = icmp eq ptr %198, %61
  br i1 %201, label %202, label %206

202:
  %203 = getelementptr inbounds nuw i8, ptr %199, i64 8
  %204 = load ptr, ptr %203, align 8
  %205 = icmp eq ptr %204, %175
  br i1 %205, label %298, label %206

206:
  %207 = add i64 %200, 1
  %208 = and i64 %207, %185
  %209 = getelementptr inbounds nuw %struct.Slot, ptr %186, i64 %208
  %210 = load ptr, ptr %209, align 8
  %211 = icmp eq ptr %210, null
  br i1 %211, label %212, label %197

212:
  %213 = phi ptr [ %194, %184 ], [ %209, %206 ]
  %214 = load ptr, ptr %65, align 8
  %215 = getelementptr inbounds nuw i8, ptr %168, i64 24
  %216 = load i64, ptr %215, align 8
  %217 = load ptr, ptr %32, align 8
  %218 = load ptr, ptr %31, align 8
  %219 = ptrtoint ptr %217 to i64
  %220 = ptrtoint ptr %218 to i64
  %221 = sub i64 %219, %220
  %222 = icmp slt i64 %221, %216
  br i1 %222, label %223, label %233

223:
  %224 = tail call i64 @llvm.smax.i64(i64 %216, i64 1048568)
  %225 = add nuw nsw i64 %224, 8
  %226 = tail call ptr @malloc(i64 noundef %225) #14
  %227 = icmp eq ptr %226, null
  br i1 %227, label %455, label %228

228:
  %229 = load ptr, ptr %33, align 8
  store ptr %229, ptr %226, align 8
  store ptr %226, ptr %33, align 8
  %230 = getelementptr inbounds nuw i8, ptr %226, i64 8
  %231 = getelementptr inbounds nuw i8, ptr %226, i64 %225
  store ptr %231, ptr %32, align 8
  %232 = getelementptr inbounds i8, ptr %230, i64 %216
  store ptr %232, ptr %31, align 8
  br label %236

233:
  %234 = getelementptr inbounds i8, ptr %218, i64 %216
  store ptr %234, ptr %31, align 8
  %235 = icmp eq ptr %218, null
  br i1 %235, label %455, label %236

236:
  %237 = phi ptr [ %230, %228 ], [ %218, %233 ]
  %238 = getelementptr inbounds nuw i8, ptr %168, i64 32
  %239 = load ptr, ptr %238, align 8
  %240 = load i64, ptr %215, align 8
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %237, ptr align 1 %239, i64 %240, i1 false)
  %241 = getelementptr inbounds nuw i8, ptr %237, i64 16
  store i64 1, ptr %241, align 8
  store ptr %237, ptr %64, align 8
  store ptr %61, ptr %213, align 8
  %242 = getelementptr inbounds nuw i8, ptr %213, i64 8
  store ptr %214, ptr %242, align 8
  %243 = getelementptr inbounds nuw i8, ptr %213, i64 16
  store ptr %237, ptr %243, align 8
  %244 = load i64, ptr %29, align 8
  %245 = add nsw i64 %244, 1
  store i64 %245, ptr %29, align 8
  %246 = load i64, ptr %24, align 8
  %247 = add nsw i64 %246, 24
  %248 = load i64, ptr %34, align 8
  %249 = icmp sgt i64 %247, %248
  br i1 %249, label %250, label %252

250:
  %251 = tail call fastcc i1 @grow(ptr noundef nonnull %23, i64 noundef %247) #13
  br i1 %251, label %252, label %455

252:
  store i64 %247, ptr %24, align 8
  %253 = load ptr, ptr %23, align 8
  %254 = icmp eq ptr %253, null
  br i1 %254, label %455, label %255

255:
  %256 = getelementptr inbounds i8, ptr %253, i64 %246
  %257 = getelementptr inbounds nuw i8, ptr %256, i64 16
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %256, i8 0, i64 16, i1 false)
  store ptr %237, ptr %257, align 8
  %258 = load i64, ptr %169, align 8
  %259 = getelementptr inbounds nuw i8, ptr %168, i64 16
  %260 = icmp eq ptr %167, null
  br label %261

261:
  %262 = phi i64 [ %258, %255 ], [ %263, %295 ]
  %263 = add nsw i64 %262, -1
  %264 = icmp sgt i64 %262, 0
  br i1 %264, label %265, label %304

265:
  %266 = load ptr, ptr %259, align 8
  %267 = getelementptr inbounds nuw %struct.Field, ptr %266, i64 %263
  br i1 %260, label %271, label %268

268:
  %269 = tail call ptr @PyTuple_GetItem(ptr noundef nonnull %167, i64 noundef %263) #12
  %270 = tail call fastcc i32 @enter(ptr noundef nonnull %7, ptr noundef %267, ptr noundef %269, ptr noundef nonnull %237)
  br label %295

271:
  %272 = getelementptr inbounds nuw ptr, ptr %166, i64 %263
  %273 = load ptr, ptr %272, align 8
  %274 = tail call ptr @PyObject_GetAttr(ptr noundef %61, ptr noundef %273) #12
  %275 = icmp eq ptr %274, null
  br i1 %275, label %455, label %276

276:
  %277 = load i64, ptr %267, align 8
  %278 = icmp eq i64 %277, 1
  br i1 %278, label %279, label %281

279:
  %280 = tail call fastcc i32 @enter(ptr noundef nonnull %7, ptr noundef nonnull %267, ptr noundef nonnull %274, ptr noundef nonnull %237)
  tail call void @Py_DecRef(ptr noundef nonnull %274) #12
  br label %295

281:
  %282 = load i64, ptr %26, align 8
  %283 = add nsw i64 %282, 8
  %284 = load i64, ptr %27, align 8
  %285 = icmp sgt i64 %283, %284
  br i1 %285, label %286, label %288

286:
  %287 = tail call fastcc i1 @grow(ptr noundef nonnull %25, i64 noundef %283) #13
  br i1 %287, label %288, label %291

288:
  store i64 %283, ptr %26, align 8
  %289 = load ptr, ptr %25, align 8
  %290 = icmp eq ptr %289, null
  br i1 %290, label %291, label %292

291:
  tail call void @Py_DecRef(ptr noundef nonnull %274) #12
  br label %455

292:
  %293 = getelementptr inbounds i8, ptr %289, i64 %282
  store ptr %274, ptr %293, align 8
  %294 = tail call fastcc i32 @enter(ptr noundef nonnull %7, ptr noundef nonnull %267, ptr noundef nonnull %274, ptr noundef nonnull %237)
  br label %295

295:
  %296 = phi i32 [ %270, %268 ], [ %294, %292 ], [ %280, %279 ]
  %297 = icmp eq i32 %296, 0
  br i1 %297, label %261, label %455

298:
  %299 = getelementptr inbounds nuw i8, ptr %199, i64 16
  %300 = load ptr, ptr %299, align 8
  store ptr %300, ptr %64, align 8
  %301 = getelementptr inbounds nuw i8, ptr %300, i64 16
  %302 = load i64, ptr %301, align 8
  %303 = icmp eq i64 %302, 0
  br i1 %303, label %304, label %455

304:
  %305 = load i64, ptr %24, align 8
  %306 = icmp eq i64 %305, 0
  br i1 %306, label %307, label %46

307:
  %308 = add nuw nsw i64 %36, 1
  %309 = icmp eq i64 %308, %9
  br i1 %309, label %310, label %35

310:
  %311 = load ptr, ptr %7, align 8
  %312 = getelementptr inbounds nuw i8, ptr %311, i64 32
  %313 = load i64, ptr %312, align 8
  %314 = icmp slt i64 %313, 1
  br i1 %314, label %362, label %315

315:
  %316 = phi ptr [ %357, %347 ], [ %311, %310 ]
  %317 = phi i64 [ %356, %347 ], [ 0, %310 ]
  %318 = getelementptr inbounds nuw i8, ptr %316, i64 40
  %319 = load ptr, ptr %318, align 8
  %320 = getelementptr inbounds nuw %struct.Field, ptr %319, i64 %317
  %321 = getelementptr inbounds nuw i8, ptr %320, i64 32
  %322 = load ptr, ptr %321, align 8
  %323 = getelementptr inbounds nuw i8, ptr %320, i64 40
  %324 = load i64, ptr %323, align 8
  %325 = getelementptr inbounds nuw i8, ptr %320, i64 48
  %326 = load ptr, ptr %325, align 8
  %327 = getelementptr inbounds nuw i8, ptr %320, i64 56
  %328 = load i64, ptr %327, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #12
  %329 = add nsw i64 %328, 64
  store i64 %329, ptr %4, align 8
  call void @Py_IncRef(ptr noundef nonnull @type_uint8) #12
  %330 = call ptr @PyArray_NewFromDescr(ptr noundef nonnull @class_array, ptr noundef nonnull @type_uint8, i32 noundef 1, ptr noundef nonnull %4, ptr noundef null, ptr noundef null, i32 noundef 0, ptr noundef null) #12
  %331 = icmp eq ptr %330, null
  br i1 %331, label %361, label %332

332:
  %333 = getelementptr inbounds nuw i8, ptr %330, i64 16
  %334 = load ptr, ptr %333, align 8
  %335 = ptrtoint ptr %334 to i64
  %336 = add i64 %335, 63
  %337 = and i64 %336, -64
  %338 = inttoptr i64 %337 to ptr
  call void @Py_IncRef(ptr noundef %322) #12
  %339 = trunc i64 %324 to i32
  %340 = call ptr @PyArray_NewFromDescr(ptr noundef nonnull @class_array, ptr noundef %322, i32 noundef %339, ptr noundef %326, ptr noundef null, ptr noundef %338, i32 noundef 1281, ptr noundef null) #12
  %341 = icmp eq ptr %340, null
  br i1 %341, label %345, label %342

342:
  %343 = call i32 @PyArray_SetBaseObject(ptr noundef nonnull %340, ptr noundef nonnull %330) #12
  %344 = icmp eq i32 %343, 0
  br i1 %344, label %347, label %345

345:
  %346 = phi ptr [ %330, %332 ], [ %340, %342 ]
  call void @Py_DecRef(ptr noundef nonnull %346) #12
  br label %361

347:
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #12
  %348 = getelementptr inbounds nuw i8, ptr %320, i64 8
  %349 = load i64, ptr %348, align 8
  %350 = getelementptr inbounds i8, ptr %7, i64 %349
  store ptr %340, ptr %350, align 8
  %351 = getelementptr inbounds nuw i8, ptr %340, i64 16
  %352 = load ptr, ptr %351, align 8
  %353 = getelementptr inbounds nuw i8, ptr %320, i64 16
  %354 = load i64, ptr %353, align 8
  %355 = getelementptr inbounds i8, ptr %7, i64 %354
  store ptr %352, ptr %355, align 8
  %356 = add nuw nsw i64 %317, 1
  %357 = load ptr, ptr %7, align 8
  %358 = getelementptr inbounds nuw i8, ptr %357, i64 32
  %359 = load i64, ptr %358, align 8
  %360 = icmp slt i64 %356, %359
  br i1 %360, label %315, label %362

361:
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #12
  br label %455

362:
  %363 = phi ptr [ %311, %310 ], [ %357, %347 ]
  %364 = getelementptr inbounds nuw i8, ptr %363, i64 64
  %365 = load i64, ptr %364, align 8
  %366 = icmp eq i64 %365, 0
  br i1 %366, label %367, label %369

367:
  %368 = call ptr @PyEval_SaveThread() #12
  br label %389

369:
  %370 = call i64 @PyThread_get_thread_ident() #12
  %371 = load i64, ptr @relay_main_thread, align 8
  %372 = icmp eq i64 %370, %371
  %373 = call ptr @PyEval_SaveThread() #12
  br i1 %372, label %374, label %389

374:
  %375 = load ptr, ptr %363, align 8
  %376 = getelementptr inbounds nuw i8, ptr %7, i64 32
  %377 = load ptr, ptr %376, align 8
  %378 = getelementptr inbounds nuw i8, ptr %7, i64 40
  %379 = load ptr, ptr %378, align 8
  %380 = getelementptr inbounds nuw i8, ptr %363, i64 8
  %381 = load ptr, ptr %380, align 8
  %382 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %383 = load ptr, ptr %382, align 8
  %384 = getelementptr inbounds nuw i8, ptr %7, i64 16
  %385 = load ptr, ptr %384, align 8
  %386 = getelementptr inbounds nuw i8, ptr %7, i64 24
  %387 = load ptr, ptr %386, align 8
  %388 = call i32 @relay_guarded(ptr noundef %375, ptr noundef %377, ptr noundef %379, ptr noundef %381, ptr noundef %383, ptr noundef %385, ptr noundef %387) #12
  br label %403

389:
  %390 = phi ptr [ %368, %367 ], [ %373, %369 ]
  %391 = load ptr, ptr %363, align 8
  %392 = getelementptr inbounds nuw i8, ptr %7, i64 32
  %393 = load ptr, ptr %392, align 8
  %394 = getelementptr inbounds nuw i8, ptr %7, i64 40
  %395 = load ptr, ptr %394, align 8
  %396 = getelementptr inbounds nuw i8, ptr %363, i64 8
  %397 = load ptr, ptr %396, align 8
  %398 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %399 = load ptr, ptr %398, align 8
  %400 = getelementptr inbounds nuw i8, ptr %7, i64 16
  %401 = load ptr, ptr %400, align 8
  %402 = call i32 %391(ptr noundef %393, ptr noundef %395, ptr noundef %397, ptr noundef %399, ptr noundef %401) #12
  br label %403

403:
  %404 = phi ptr [ %373, %374 ], [ %390, %389 ]
  %405 = phi i32 [ %388, %374 ], [ %402, %389 ]
  call void @PyEval_RestoreThread(ptr noundef %404) #12
  %406 = icmp eq i32 %405, 0
  br i1 %406, label %407, label %443

407:
  %408 = call i32 @PyGC_Disable() #12
  %409 = load ptr, ptr %7, align 8
  %410 = getelementptr inbounds nuw i8, ptr %409, i64 48
  %411 = load ptr, ptr %410, align 8
  %412 = call fastcc ptr @leave(ptr noundef nonnull %7, ptr noundef %411, ptr noundef nonnull %7)
  %413 = getelementptr inbounds nuw i8, ptr %7, i64 64
  %414 = getelementptr inbounds nuw i8, ptr %7, i64 56
  %415 = icmp eq ptr %412, null
  br i1 %415, label %438, label %416

416:
  %417 = load i64, ptr %413, align 8
  %418 = icmp eq i64 %417, 0
  br i1 %418, label %438, label %419

419:
  %420 = add nsw i64 %417, -32
  store i64 %420, ptr %413, align 8
  %421 = load ptr, ptr %414, align 8
  %422 = icmp eq ptr %421, null
  br i1 %422, label %438, label %423

423:
  %424 = getelementptr inbounds i8, ptr %421, i64 %420
  %425 = load ptr, ptr %424, align 8
  %426 = getelementptr inbounds nuw i8, ptr %424, i64 8
  %427 = load ptr, ptr %426, align 8
  %428 = getelementptr inbounds nuw i8, ptr %424, i64 16
  %429 = load ptr, ptr %428, align 8
  %430 = getelementptr inbounds nuw i8, ptr %424, i64 24
  %431 = load i64, ptr %430, align 8
  %432 = call fastcc ptr @leave(ptr noundef nonnull %7, ptr noundef %425, ptr noundef %427)
  %433 = icmp eq ptr %432, null
  br i1 %433, label %437, label %434

434:
  %435 = call i32 @PyTuple_SetItem(ptr noundef %429, i64 noundef %431, ptr noundef nonnull %432) #12
  %436 = icmp eq i32 %435, 0
  br i1 %436, label %416, label %437

437:
  call void @Py_DecRef(ptr noundef nonnull %412) #12
  br label %438

438:
  %439 = phi ptr [ null, %407 ], [ null, %437 ], [ %412, %416 ], [ %412, %419 ]
  %440 = icmp eq i32 %408, 0
  br i1 %440, label %445, label %441

441:
  %442 = call i32 @PyGC_Enable() #12
  br label %445

443:
  %444 = call ptr @PyLong_FromLong(i32 noundef %405) #12
  br label %445

445:
  %446 = phi ptr [ %444, %443 ], [ %439, %438 ], [ %439, %441 ]
  %447 = load ptr, ptr %7, align 8
  %448 = getelementptr inbounds nuw i8, ptr %447, i64 56
  %449 = load ptr, ptr %448, align 8
  %450 = icmp eq ptr %449, null
  br i1 %450, label %455, label %451

451:
  %452 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %453 = load ptr, ptr %452, align 8
  %454 = call i32 %449(ptr noundef %453) #12
  br label %455

455:
  %456 = phi ptr [ %446, %451 ], [ null, %361 ], [ %446, %445 ], [ null, %3 ], [ null, %291 ], [ null, %295 ], [ null, %161 ], [ null, %233 ], [ null, %271 ], [ null, %250 ], [ null, %298 ], [ null, %180 ], [ null, %252 ], [ null, %223 ], [ null, %35 ]
  %457 = phi i32 [ 1, %451 ], [ 1, %361 ], [ 1, %445 ], [ 1, %3 ], [ 1, %291 ], [ %296, %295 ], [ %164, %161 ], [ 1, %233 ], [ -1, %271 ], [ 1, %250 ], [ 1, %298 ], [ 1, %180 ], [ 1, %252 ], [ 1, %223 ], [ %41, %35 ]
  %458 = load ptr, ptr %7, align 8
  %459 = getelementptr inbounds nuw i8, ptr %458, i64 32
  %460 = load i64, ptr %459, align 8
  %461 = icmp sgt i64 %460, 0
  br i1 %461, label %467, label %462

462:
  %463 = getelementptr inbounds nuw i8, ptr %7, i64 96
  %464 = getelementptr inbounds nuw i8, ptr %7, i64 104
  %465 = load i64, ptr %464, align 8
  %466 = icmp sgt i64 %465, 0
  br i1 %466, label %536, label %482

467:
  %468 = phi ptr [ %478, %467 ], [ %458, %455 ]
  %469 = phi i64 [ %477, %467 ], [ 0, %455 ]
  %470 = getelementptr inbounds nuw i8, ptr %468, i64 40
  %471 = load ptr, ptr %470, align 8
  %472 = getelementptr inbounds nuw %struct.Field, ptr %471, i64 %469
  %473 = getelementptr inbounds nuw i8, ptr %472, i64 8
  %474 = load i64, ptr %473, align 8
  %475 = getelementptr inbounds i8, ptr %7, i64 %474
  %476 = load ptr, ptr %475, align 8
  store ptr null, ptr %475, align 8
  call void @Py_DecRef(ptr noundef %476) #12
  %477 = add nuw nsw i64 %469, 1
  %478 = load ptr, ptr %7, align 8
  %479 = getelementptr inbounds nuw i8, ptr %478, i64 32
  %480 = load i64, ptr %479, align 8
  %481 = icmp slt i64 %477, %480
  br i1 %481, label %467, label %462

482:
  %483 = load ptr, ptr %463, align 8
  %484 = getelementptr inbounds nuw i8, ptr %7, i64 120
  %485 = load ptr, ptr %484, align 8
  %486 = icmp eq ptr %483, %485
  br i1 %486, label %489, label %487

487:
  call void @free(ptr noundef %483)
  %488 = load ptr, ptr %484, align 8
  br label %489

489:
  %490 = phi ptr [ %485, %482 ], [ %488, %487 ]
  store ptr %490, ptr %463, align 8
  %491 = getelementptr inbounds nuw i8, ptr %7, i64 128
  %492 = load i64, ptr %491, align 8
  %493 = getelementptr inbounds nuw i8, ptr %7, i64 112
  store i64 %492, ptr %493, align 8
  store i64 0, ptr %464, align 8
  %494 = getelementptr inbounds nuw i8, ptr %7, i64 56
  %495 = load ptr, ptr %494, align 8
  %496 = getelementptr inbounds nuw i8, ptr %7, i64 80
  %497 = load ptr, ptr %496, align 8
  %498 = icmp eq ptr %495, %497
  br i1 %498, label %501, label %499

499:
  call void @free(ptr noundef %495)
  %500 = load ptr, ptr %496, align 8
  br label %501

501:
  %502 = phi ptr [ %497, %489 ], [ %500, %499 ]
  store ptr %502, ptr %494, align 8
  %503 = getelementptr inbounds nuw i8, ptr %7, i64 88
  %504 = load i64, ptr %503, align 8
  %505 = getelementptr inbounds nuw i8, ptr %7, i64 72
  store i64 %504, ptr %505, align 8
  %506 = getelementptr inbounds nuw i8, ptr %7, i64 64
  store i64 0, ptr %506, align 8
  %507 = getelementptr inbounds nuw i8, ptr %7, i64 136
  %508 = getelementptr inbounds nuw i8, ptr %7, i64 152
  %509 = load i64, ptr %508, align 8
  %510 = icmp eq i64 %509, 0
  br i1 %510, label %527, label %511

511:
  %512 = load ptr, ptr %507, align 8
  %513 = getelementptr inbounds nuw i8, ptr %7, i64 160
  %514 = load ptr, ptr %513, align 8
  %515 = icmp eq ptr %512, %514
  br i1 %515, label %518, label %516

516:
  call void @free(ptr noundef %512)
  %517 = load ptr, ptr %513, align 8
  br label %518

518:
  %519 = phi ptr [ %514, %511 ], [ %517, %516 ]
  %520 = getelementptr inbounds nuw i8, ptr %7, i64 168
  %521 = load i64, ptr %520, align 8
  %522 = mul i64 %521, 24
  %523 = add i64 %522, 24
  call void @llvm.memset.p0.i64(ptr align 8 %519, i8 0, i64 %523, i1 false)
  %524 = load ptr, ptr %513, align 8
  store ptr %524, ptr %507, align 8
  %525 = load i64, ptr %520, align 8
  %526 = getelementptr inbounds nuw i8, ptr %7, i64 144
  store i64 %525, ptr %526, align 8
  store i64 0, ptr %508, align 8
  br label %527

527:
  %528 = getelementptr inbounds nuw i8, ptr %7, i64 192
  %529 = load ptr, ptr %528, align 8
  %530 = icmp eq ptr %529, null
  br i1 %530, label %544, label %531

531:
  %532 = phi ptr [ %534, %531 ], [ %529, %527 ]
  %533 = load ptr, ptr %532, align 8
  store ptr %533, ptr %528, align 8
  call void @free(ptr noundef nonnull %532)
  %534 = load ptr, ptr %528, align 8
  %535 = icmp eq ptr %534, null
  br i1 %535, label %544, label %531

536:
  %537 = phi i64 [ %541, %536 ], [ 0, %462 ]
  %538 = load ptr, ptr %463, align 8
  %539 = getelementptr inbounds i8, ptr %538, i64 %537
  %540 = load ptr, ptr %539, align 8
  call void @Py_DecRef(ptr noundef %540) #12
  %541 = add i64 %537, 8
  %542 = load i64, ptr %464, align 8
  %543 = icmp slt i64 %541, %542
  br i1 %543, label %536, label %482

544:
  %545 = getelementptr inbounds nuw i8, ptr %7, i64 176
  %546 = getelementptr inbounds nuw i8, ptr %7, i64 200
  %547 = load ptr, ptr %546, align 8
  store ptr %547, ptr %545, align 8
  %548 = getelementptr inbounds nuw i8, ptr %7, i64 208
  %549 = load ptr, ptr %548, align 8
  %550 = getelementptr inbounds nuw i8, ptr %7, i64 184
  store ptr %549, ptr %550, align 8
  %551 = icmp eq ptr %456, null
  %552 = icmp eq i32 %457, 1
  %553 = and i1 %551, %552
  br i1 %553, label %554, label %555

554:
  call void @PyErr_Clear() #12
  call void @Py_IncRef(ptr noundef nonnull @object_none) #12
  br label %555

555:
  %556 = phi ptr [ @object_none, %554 ], [ %456, %544 ]
  ret ptr %556
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare dso_local i64 @PyLong_AsLongLong(ptr noundef) local_unnamed_addr #2

declare dso_local void @PyErr_Clear() local_unnamed_addr #2

declare dso_local void @Py_IncRef(ptr noundef) local_unnamed_addr #2

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #3

define internal fastcc i32 @enter(ptr noundef captures(none) %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) unnamed_addr #0 {
  %5 = alloca i32, align 4
  %6 = load i64, ptr %1, align 8
  switch i64 %6, label %215 [
    i64 0, label %7
    i64 1, label %80
    i64 2, label %177
    i64 3, label %198
  ]

7:
  %8 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %9 = load ptr, ptr %8, align 8
  %10 = icmp eq ptr %9, @class_array
  br i1 %10, label %14, label %11

11:
  %12 = tail call i32 @PyType_IsSubtype(ptr noundef %9, ptr noundef nonnull @class_array) #12
  %13 = icmp eq i32 %12, 0
  br i1 %13, label %215, label %14

14:
  %15 = getelementptr inbounds nuw i8, ptr %2, i64 64
  %16 = load i32, ptr %15, align 8
  %17 = and i32 %16, 257
  %18 = icmp eq i32 %17, 257
  br i1 %18, label %19, label %215

19:
  %20 = getelementptr inbounds nuw i8, ptr %2, i64 24
  %21 = load i32, ptr %20, align 8
  %22 = sext i32 %21 to i64
  %23 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %24 = load i64, ptr %23, align 8
  %25 = icmp eq i64 %24, %22
  br i1 %25, label %26, label %215

26:
  %27 = getelementptr inbounds nuw i8, ptr %2, i64 56
  %28 = load ptr, ptr %27, align 8
  %29 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %30 = load ptr, ptr %29, align 8
  %31 = icmp eq ptr %28, %30
  br i1 %31, label %35, label %32

32:
  %33 = tail call i8 @PyArray_EquivTypes(ptr noundef %28, ptr noundef %30) #12
  %34 = icmp eq i8 %33, 0
  br i1 %34, label %215, label %35

35:
  %36 = getelementptr inbounds nuw i8, ptr %2, i64 16
  %37 = load ptr, ptr %36, align 8
  %38 = icmp eq ptr %37, null
  br i1 %38, label %215, label %39

39:
  %40 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %41 = load i64, ptr %40, align 8
  %42 = getelementptr inbounds i8, ptr %3, i64 %41
  store ptr %37, ptr %42, align 8
  %43 = load i64, ptr %23, align 8
  %44 = icmp slt i64 %43, 1
  br i1 %44, label %215, label %45

45:
  %46 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %47 = load i64, ptr %46, align 8
  %48 = getelementptr inbounds i8, ptr %3, i64 %47
  %49 = getelementptr inbounds nuw i8, ptr %2, i64 32
  %50 = getelementptr inbounds nuw i8, ptr %1, i64 48
  %51 = getelementptr inbounds nuw i8, ptr %0, i64 48
  br label %52

52:
  %53 = phi ptr [ %48, %45 ], [ %76, %75 ]
  %54 = phi i64 [ 0, %45 ], [ %77, %75 ]
  %55 = load ptr, ptr %49, align 8
  %56 = getelementptr inbounds nuw i64, ptr %55, i64 %54
  %57 = load i64, ptr %56, align 8
  %58 = load ptr, ptr %50, align 8
  %59 = getelementptr inbounds nuw i64, ptr %58, i64 %54
  %60 = load i64, ptr %59, align 8
  %61 = icmp sgt i64 %60, -1
  br i1 %61, label %62, label %64

62:
  %63 = icmp eq i64 %57, %60
  br i1 %63, label %75, label %215

64:
  %65 = getelementptr inbounds nuw i8, ptr %53, i64 8
  store i64 %57, ptr %53, align 8
  %66 = icmp eq i64 %60, -1
  br i1 %66, label %75, label %67

67:
  %68 = load ptr, ptr %51, align 8
  %69 = sub nuw nsw i64 -2, %60
  %70 = getelementptr inbounds nuw i64, ptr %68, i64 %69
  %71 = load i64, ptr %70, align 8
  store i64 %57, ptr %70, align 8
  %72 = icmp eq i64 %71, -1
  %73 = icmp eq i64 %71, %57
  %74 = select i1 %72, i1 true, i1 %73
  br i1 %74, label %75, label %215

75:
  %76 = phi ptr [ %53, %62 ], [ %65, %64 ], [ %65, %67 ]
  %77 = add nuw nsw i64 %54, 1
  %78 = load i64, ptr %23, align 8
  %79 = icmp slt i64 %77, %78
  br i1 %79, label %52, label %215

80:
  %81 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %82 = load i64, ptr %81, align 8
  %83 = getelementptr inbounds i8, ptr %3, i64 %82
  %84 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %85 = load ptr, ptr %84, align 8
  %86 = icmp eq ptr %85, @class_int
  br i1 %86, label %87, label %109

87:
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #12
  %88 = call i64 @PyLong_AsLongLongAndOverflow(ptr noundef nonnull %2, ptr noundef nonnull %5) #12
  %89 = load i32, ptr %5, align 4
  %90 = icmp eq i32 %89, 0
  br i1 %90, label %91, label %107

91:
  %92 = getelementptr inbounds nuw i8, ptr %1, i64 72
  %93 = load i64, ptr %92, align 8
  switch i64 %93, label %107 [
    i64 1, label %94
    i64 2, label %103
    i64 3, label %105
  ]

94:
  %95 = getelementptr inbounds nuw i8, ptr %1, i64 80
  %96 = load i64, ptr %95, align 8
  %97 = icmp slt i64 %88, %96
  br i1 %97, label %107, label %98

98:
  %99 = getelementptr inbounds nuw i8, ptr %1, i64 88
  %100 = load i64, ptr %99, align 8
  %101 = icmp sgt i64 %88, %100
  br i1 %101, label %107, label %102

102:
  store i64 %88, ptr %83, align 8
  br label %107

103:
  %104 = sitofp i64 %88 to float
  store float %104, ptr %83, align 4
  br label %107

105:
  %106 = sitofp i64 %88 to double
  store double %106, ptr %83, align 8
  br label %107

107:
  %108 = phi i32 [ 0, %105 ], [ 1, %94 ], [ 1, %87 ], [ 0, %102 ], [ 0, %103 ], [ 1, %98 ], [ 1, %91 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #12
  br label %215

109:
  %110 = getelementptr inbounds nuw i8, ptr %1, i64 64
  %111 = load ptr, ptr %110, align 8
  %112 = icmp eq ptr %85, %111
  br i1 %112, label %113, label %114

113:
  tail call void @PyArray_ScalarAsCtype(ptr noundef nonnull %2, ptr noundef %83) #12
  br label %215

114:
  %115 = icmp eq ptr %85, @class_float
  br i1 %115, label %116, label %135

116:
  %117 = tail call double @PyFloat_AsDouble(ptr noundef nonnull %2) #12
  %118 = getelementptr inbounds nuw i8, ptr %1, i64 72
  %119 = load i64, ptr %118, align 8
  %120 = icmp eq i64 %119, 3
  br i1 %120, label %121, label %122

121:
  store double %117, ptr %83, align 8
  br label %215

122:
  %123 = fptrunc double %117 to float
  %124 = tail call i32 @__fpclassifyf(float noundef %123) #12
  %125 = icmp eq i32 %124, 1280
  br i1 %125, label %126, label %129

126:
  %127 = tail call i32 @__fpclassify(double noundef %117) #12
  %128 = icmp ne i32 %127, 1280
  br label %129

129:
  %130 = phi i1 [ false, %122 ], [ %128, %126 ]
  %131 = load i64, ptr %118, align 8
  %132 = icmp ne i64 %131, 2
  %133 = select i1 %132, i1 true, i1 %130
  br i1 %133, label %215, label %134

134:
  store float %123, ptr %83, align 4
  br label %215

135:
  %136 = icmp eq ptr %85, @class_bool
  br i1 %136, label %137, label %144

137:
  %138 = getelementptr inbounds nuw i8, ptr %1, i64 72
  %139 = load i64, ptr %138, align 8
  %140 = icmp eq i64 %139, 4
  br i1 %140, label %141, label %215

141:
  %142 = icmp eq ptr %2, @object_true
  %143 = zext i1 %142 to i8
  store i8 %143, ptr %83, align 1
  br label %215

144:
  %145 = icmp eq ptr %85, @class_array
  br i1 %145, label %149, label %146

146:
  %147 = tail call i32 @PyType_IsSubtype(ptr noundef %85, ptr noundef nonnull @class_array) #12
  %148 = icmp eq i32 %147, 0
  br i1 %148, label %215, label %149

149:
  %150 = getelementptr inbounds nuw i8, ptr %2, i64 64
  %151 = load i32, ptr %150, align 8
  %152 = and i32 %151, 257
  %153 = icmp eq i32 %152, 257
  br i1 %153, label %154, label %215

154:
  %155 = getelementptr inbounds nuw i8, ptr %2, i64 24
  %156 = load i32, ptr %155, align 8
  %157 = sext i32 %156 to i64
  %158 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %159 = load i64, ptr %158, align 8
  %160 = icmp eq i64 %159, %157
  br i1 %160, label %161, label %215

161:
  %162 = getelementptr inbounds nuw i8, ptr %2, i64 56
  %163 = load ptr, ptr %162, align 8
  %164 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %165 = load ptr, ptr %164, align 8
  %166 = icmp eq ptr %163, %165
  br i1 %166, label %170, label %167

167:
  %168 = tail call i8 @PyArray_EquivTypes(ptr noundef %163, ptr noundef %165) #12
  %169 = icmp eq i8 %168, 0
  br i1 %169, label %215, label %170

170:
  %171 = getelementptr inbounds nuw i8, ptr %2, i64 16
  %172 = load ptr, ptr %171, align 8
  %173 = icmp eq ptr %172, null
  br i1 %173, label %215, label %174

174:
  %175 = getelementptr inbounds nuw i8, ptr %1, i64 56
  %176 = load i64, ptr %175, align 8
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %83, ptr nonnull align 1 %172, i64 %176, i1 false)
  br label %215

177:
  %178 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %179 = load ptr, ptr %178, align 8
  %180 = icmp eq ptr %179, @class_tuple
  br i1 %180, label %181, label %215

181:
  %182 = tail call i64 @PyTuple_Size(ptr noundef nonnull %2) #12
  %183 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %184 = load i64, ptr %183, align 8
  %185 = icmp eq i64 %182, %184
  br i1 %185, label %186, label %215

186:
  %187 = getelementptr inbounds nuw i8, ptr %1, i64 24
  br label %188

188:
  %189 = phi i64 [ %192, %191 ], [ %182, %186 ]
  %190 = icmp sgt i64 %189, 0
  br i1 %190, label %191, label %215

191:
  %192 = add nsw i64 %189, -1
  %193 = load ptr, ptr %187, align 8
  %194 = getelementptr inbounds nuw %struct.Field, ptr %193, i64 %192
  %195 = tail call ptr @PyTuple_GetItem(ptr noundef nonnull %2, i64 noundef %192) #12
  %196 = tail call fastcc i32 @enter(ptr noundef %0, ptr noundef %194, ptr noundef %195, ptr noundef %3)
  %197 = icmp eq i32 %196, 0
  br i1 %197, label %188, label %215

198:
  %199 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %200 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %201 = load i64, ptr %200, align 8
  %202 = add nsw i64 %201, 24
  %203 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %204 = load i64, ptr %203, align 8
  %205 = icmp sgt i64 %202, %204
  br i1 %205, label %206, label %208

206:
  %207 = tail call fastcc i1 @grow(ptr noundef nonnull %199, i64 noundef %202) #13
  br i1 %207, label %208, label %215

208:
  store i64 %202, ptr %200, align 8
  %209 = load ptr, ptr %199, align 8
  %210 = icmp eq ptr %209, null
  br i1 %210, label %215, label %211

211:
  %212 = getelementptr inbounds i8, ptr %209, i64 %201
  store ptr %1, ptr %212, align 8
  %213 = getelementptr inbounds nuw i8, ptr %212, i64 8
  store ptr %2, ptr %213, align 8
  %214 = getelementptr inbounds nuw i8, ptr %212, i64 16
  store ptr %3, ptr %214, align 8
  br label %215

215:
  %216 = phi i32 [ 1, %62 ], [ 1, %4 ], [ 0, %211 ], [ 1, %167 ], [ 1, %32 ], [ 1, %35 ], [ 1, %11 ], [ 1, %14 ], [ 1, %19 ], [ 0, %39 ], [ 1, %208 ], [ 1, %206 ], [ %108, %107 ], [ 0, %113 ], [ 1, %170 ], [ 1, %137 ], [ 0, %141 ], [ 0, %174 ], [ 0, %121 ], [ 0, %134 ], [ 1, %129 ], [ 1, %146 ], [ 1, %149 ], [ 1, %154 ], [ 1, %181 ], [ 1, %177 ], [ 1, %67 ], [ 0, %75 ], [ %196, %191 ], [ 0, %188 ]
  ret i32 %216
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #4

declare dso_local i32 @PyType_IsSubtype(ptr noundef, ptr noundef) local_unnamed_addr #2

declare dso_local i8 @PyArray_EquivTypes(ptr noundef, ptr noundef) local_unnamed_addr #2

declare dso_local void @PyArray_ScalarAsCtype(ptr noundef, ptr noundef) local_unnamed_addr #2

declare dso_local i64 @PyLong_AsLongLongAndOverflow(ptr noundef, ptr noundef) local_unnamed_addr #2

declare dso_local double @PyFloat_AsDouble(ptr noundef) local_unnamed_addr #2

declare dso_local i32 @__fpclassifyf(float noundef) local_unnamed_addr #2

declare dso_local i32 @__fpclassify(double noundef) local_unnamed_addr #2

declare dso_local i64 @PyTuple_Size(ptr noundef) local_unnamed_addr #2

declare dso_local ptr @PyTuple_GetItem(ptr noundef, i64 noundef) local_unnamed_addr #2

define internal fastcc noundef i1 @grow(ptr noundef captures(none) %0, i64 noundef range(i64 -9223372036854775800, -9223372036854775808) %1) unnamed_addr #5 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %4 = load i64, ptr %3, align 8
  %5 = shl nsw i64 %4, 1
  %6 = tail call i64 @llvm.smax.i64(i64 %5, i64 %1)
  %7 = tail call ptr @malloc(i64 noundef %6) #14
  %8 = icmp ne ptr %7, null
  br i1 %8, label %9, label %18

9:
  %10 = load ptr, ptr %0, align 8
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %12 = load i64, ptr %11, align 8
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %7, ptr align 1 %10, i64 %12, i1 false)
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %14 = load ptr, ptr %13, align 8
  %15 = icmp eq ptr %10, %14
  br i1 %15, label %17, label %16

16:
  tail call void @free(ptr noundef %10)
  br label %17

17:
  store ptr %7, ptr %0, align 8
  store i64 %6, ptr %3, align 8
  br label %18

18:
  ret i1 %8
}

declare dso_local noalias noundef ptr @malloc(i64 noundef) local_unnamed_addr #6

declare dso_local void @free(ptr allocptr noundef captures(none)) local_unnamed_addr #7

declare dso_local ptr @PyErr_Occurred() local_unnamed_addr #2

declare dso_local ptr @PyObject_GetAttr(ptr noundef, ptr noundef) local_unnamed_addr #2

declare dso_local void @Py_DecRef(ptr noundef) local_unnamed_addr #2

declare dso_local i32 @PyUnicode_Compare(ptr noundef, ptr noundef) local_unnamed_addr #2

define internal fastcc noundef i1 @widen(ptr noundef captures(none) %0) unnamed_addr #8 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %3 = load i64, ptr %2, align 8
  %4 = shl i64 %3, 1
  %5 = add i64 %4, 2
  %6 = tail call ptr @calloc(i64 noundef %5, i64 noundef 24) #15
  %7 = icmp ne ptr %6, null
  br i1 %7, label %8, label %36

8:
  %9 = icmp slt i64 %3, 0
  br i1 %9, label %12, label %10

10:
  %11 = or disjoint i64 %4, 1
  br label %20

12:
  %13 = load ptr, ptr %0, align 8
  %14 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %15 = load ptr, ptr %14, align 8
  %16 = icmp eq ptr %13, %15
  br i1 %16, label %18, label %17

17:
  tail call void @free(ptr noundef %13)
  br label %18

18:
  store ptr %6, ptr %0, align 8
  %19 = or disjoint i64 %4, 1
  store i64 %19, ptr %2, align 8
  br label %36

20:
  %21 = phi i64 [ %3, %10 ], [ %33, %32 ]
  %22 = phi i64 [ 0, %10 ], [ %34, %32 ]
  %23 = load ptr, ptr %0, align 8
  %24 = getelementptr inbounds nuw %struct.Slot, ptr %23, i64 %22
  %25 = load ptr, ptr %24, align 8
  %26 = icmp eq ptr %25, null
  br i1 %26, label %32, label %27

27:
  %28 = getelementptr inbounds nuw i8, ptr %24, i64 8
  %29 = load ptr, ptr %28, align 8
  %30 = tail call fastcc ptr @search(ptr noundef nonnull %6, i64 noundef %11, ptr noundef nonnull %25, ptr noundef %29)
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(24) %30, ptr noundef nonnull align 8 dereferenceable(24) %24, i64 24, i1 false)
  %31 = load i64, ptr %2, align 8
  br label %32

32:
  %33 = phi i64 [ %31, %27 ], [ %21, %20 ]
  %34 = add nuw nsw i64 %22, 1
  %35 = icmp slt i64 %22, %33
  br i1 %35, label %20, label %12

36:
  ret i1 %7
}

define internal fastcc noundef ptr @search(ptr noundef readonly captures(ret: address, provenance) %0, i64 noundef %1, ptr noundef %2, ptr noundef %3) unnamed_addr #9 {
  %5 = ptrtoint ptr %3 to i64
  %6 = ptrtoint ptr %2 to i64
  %7 = tail call i64 @llvm.fshl.i64(i64 %5, i64 %5, i64 32)
  %8 = xor i64 %7, %6
  %9 = mul i64 %8, -7046029254386353131
  %10 = lshr i64 %9, 32
  %11 = and i64 %10, %1
  %12 = getelementptr inbounds nuw %struct.Slot, ptr %0, i64 %11
  %13 = load ptr, ptr %12, align 8
  %14 = icmp eq ptr %13, null
  br i1 %14, label %30, label %15

15:
  %16 = phi ptr [ %28, %24 ], [ %13, %4 ]
  %17 = phi ptr [ %27, %24 ], [ %12, %4 ]
  %18 = phi i64 [ %25, %24 ], [ %10, %4 ]
  %19 = icmp eq ptr %16, %2
  br i1 %19, label %20, label %24

20:
  %21 = getelementptr inbounds nuw i8, ptr %17, i64 8
  %22 = load ptr, ptr %21, align 8
  %23 = icmp eq ptr %22, %3
  br i1 %23, label %30, label %24

24:
  %25 = add i64 %18, 1
  %26 = and i64 %25, %1
  %27 = getelementptr inbounds nuw %struct.Slot, ptr %0, i64 %26
  %28 = load ptr, ptr %27, align 8
  %29 = icmp eq ptr %28, null
  br i1 %29, label %30, label %15

30:
  %31 = phi ptr [ %12, %4 ], [ %17, %20 ], [ %27, %24 ]
  ret ptr %31
}

declare dso_local noalias noundef ptr @calloc(i64 noundef, i64 noundef) local_unnamed_addr #10

declare dso_local i32 @PyArray_SetBaseObject(ptr noundef, ptr noundef) local_unnamed_addr #2

declare dso_local ptr @PyArray_NewFromDescr(ptr noundef, ptr noundef, i32 noundef, ptr noundef, ptr noundef, ptr noundef, i32 noundef, ptr noundef) local_unnamed_addr #2

declare dso_local ptr @PyLong_FromLong(i32 noundef) local_unnamed_addr #2

declare dso_local i64 @PyThread_get_thread_ident() local_unnamed_addr #2

declare dso_local ptr @PyEval_SaveThread() local_unnamed_addr #2

declare dso_local i32 @relay_guarded(ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #2

declare dso_local void @PyEval_RestoreThread(ptr noundef) local_unnamed_addr #2

declare dso_local i32 @PyGC_Disable() local_unnamed_addr #2

declare dso_local i32 @PyGC_Enable() local_unnamed_addr #2

define internal fastcc ptr @leave(ptr noundef captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef %2) unnamed_addr #0 {
  %4 = alloca [64 x i64], align 8
  %5 = alloca [64 x i64], align 8
  %6 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %7 = load i64, ptr %6, align 8
  %8 = getelementptr inbounds i8, ptr %2, i64 %7
  %9 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %10 = load i64, ptr %9, align 8
  %11 = getelementptr inbounds i8, ptr %2, i64 %10
  %12 = load i64, ptr %1, align 8
  switch i64 %12, label %211 [
    i64 0, label %13
    i64 1, label %54
    i64 2, label %94
    i64 3, label %138
    i64 5, label %207
  ]

13:
  %14 = load ptr, ptr %8, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #12
  %15 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %16 = load i64, ptr %15, align 8
  %17 = icmp sgt i64 %16, 64
  br i1 %17, label %52, label %18

18:
  %19 = getelementptr inbounds nuw i8, ptr %1, i64 56
  %20 = load i64, ptr %19, align 8
  %21 = icmp sgt i64 %16, 0
  br i1 %21, label %22, label %25

22:
  %23 = getelementptr inbounds nuw i8, ptr %1, i64 48
  %24 = load ptr, ptr %23, align 8
  br label %32

25:
  %26 = phi i64 [ %20, %18 ], [ %46, %42 ]
  %27 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %28 = load ptr, ptr %27, align 8
  tail call void @Py_IncRef(ptr noundef %28) #12
  %29 = trunc i64 %16 to i32
  %30 = call ptr @PyArray_NewFromDescr(ptr noundef nonnull @class_array, ptr noundef %28, i32 noundef %29, ptr noundef nonnull %5, ptr noundef null, ptr noundef null, i32 noundef 0, ptr noundef null) #12
  %31 = icmp eq ptr %30, null
  br i1 %31, label %52, label %49

32:
  %33 = phi i64 [ 0, %22 ], [ %47, %42 ]
  %34 = phi i64 [ %20, %22 ], [ %46, %42 ]
  %35 = phi ptr [ %11, %22 ], [ %43, %42 ]
  %36 = getelementptr inbounds nuw i64, ptr %24, i64 %33
  %37 = load i64, ptr %36, align 8
  %38 = icmp slt i64 %37, 0
  br i1 %38, label %39, label %42

39:
  %40 = getelementptr inbounds nuw i8, ptr %35, i64 8
  %41 = load i64, ptr %35, align 8
  br label %42

42:
  %43 = phi ptr [ %40, %39 ], [ %35, %32 ]
  %44 = phi i64 [ %41, %39 ], [ %37, %32 ]
  %45 = getelementptr inbounds nuw i64, ptr %5, i64 %33
  store i64 %44, ptr %45, align 8
  %46 = mul nsw i64 %44, %34
  %47 = add nuw nsw i64 %33, 1
  %48 = icmp eq i64 %47, %16
  br i1 %48, label %25, label %32

49:
  %50 = getelementptr inbounds nuw i8, ptr %30, i64 16
  %51 = load ptr, ptr %50, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %51, ptr readonly align 1 %14, i64 %26, i1 false)
  br label %52

52:
  %53 = phi ptr [ null, %13 ], [ %30, %49 ], [ null, %25 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #12
  br label %213

54:
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #12
  %55 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %56 = load i64, ptr %55, align 8
  %57 = icmp sgt i64 %56, 64
  br i1 %57, label %92, label %58

58:
  %59 = getelementptr inbounds nuw i8, ptr %1, i64 56
  %60 = load i64, ptr %59, align 8
  %61 = icmp sgt i64 %56, 0
  br i1 %61, label %62, label %65

62:
  %63 = getelementptr inbounds nuw i8, ptr %1, i64 48
  %64 = load ptr, ptr %63, align 8
  br label %72

65:
  %66 = phi i64 [ %60, %58 ], [ %86, %82 ]
  %67 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %68 = load ptr, ptr %67, align 8
  tail call void @Py_IncRef(ptr noundef %68) #12
  %69 = trunc i64 %56 to i32
  %70 = call ptr @PyArray_NewFromDescr(ptr noundef nonnull @class_array, ptr noundef %68, i32 noundef %69, ptr noundef nonnull %4, ptr noundef null, ptr noundef null, i32 noundef 0, ptr noundef null) #12
  %71 = icmp eq ptr %70, null
  br i1 %71, label %92, label %89

72:
  %73 = phi i64 [ 0, %62 ], [ %87, %82 ]
  %74 = phi i64 [ %60, %62 ], [ %86, %82 ]
  %75 = phi ptr [ %11, %62 ], [ %83, %82 ]
  %76 = getelementptr inbounds nuw i64, ptr %64, i64 %73
  %77 = load i64, ptr %76, align 8
  %78 = icmp slt i64 %77, 0
  br i1 %78, label %79, label %82

79:
  %80 = getelementptr inbounds nuw i8, ptr %75, i64 8
  %81 = load i64, ptr %75, align 8
  br label %82

82:
  %83 = phi ptr [ %80, %79 ], [ %75, %72 ]
  %84 = phi i64 [ %81, %79 ], [ %77, %72 ]
  %85 = getelementptr inbounds nuw i64, ptr %4, i64 %73
  store i64 %84, ptr %85, align 8
  %86 = mul nsw i64 %84, %74
  %87 = add nuw nsw i64 %73, 1
  %88 = icmp eq i64 %87, %56
  br i1 %88, label %65, label %72

89:
  %90 = getelementptr inbounds nuw i8, ptr %70, i64 16
  %91 = load ptr, ptr %90, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %91, ptr readonly align 1 %8, i64 %66, i1 false)
  br label %92

92:
  %93 = phi ptr [ null, %54 ], [ %70, %89 ], [ null, %65 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #12
  br label %213

94:
  %95 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %96 = load i64, ptr %95, align 8
  %97 = tail call ptr @PyTuple_New(i64 noundef %96) #12
  %98 = icmp eq ptr %97, null
  br i1 %98, label %213, label %99

99:
  %100 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %101 = load ptr, ptr %100, align 8
  %102 = load i64, ptr %95, align 8
  %103 = icmp sgt i64 %102, 0
  br i1 %103, label %104, label %213

104:
  %105 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %106 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %107 = getelementptr inbounds nuw i8, ptr %0, i64 72
  br label %108

108:
  %109 = phi i64 [ 0, %104 ], [ %135, %134 ]
  %110 = getelementptr inbounds nuw %struct.Field, ptr %101, i64 %109
  %111 = load i64, ptr %110, align 8
  %112 = icmp eq i64 %111, 3
  br i1 %112, label %113, label %128

113:
  %114 = load i64, ptr %106, align 8
  %115 = add nsw i64 %114, 32
  %116 = load i64, ptr %107, align 8
  %117 = icmp sgt i64 %115, %116
  br i1 %117, label %118, label %120

118:
  %119 = tail call fastcc i1 @grow(ptr noundef nonnull %105, i64 noundef %115) #13
  br i1 %119, label %120, label %137

120:
  store i64 %115, ptr %106, align 8
  %121 = load ptr, ptr %105, align 8
  %122 = icmp eq ptr %121, null
  br i1 %122, label %137, label %123

123:
  %124 = getelementptr inbounds i8, ptr %121, i64 %114
  store ptr %110, ptr %124, align 8
  %125 = getelementptr inbounds nuw i8, ptr %124, i64 8
  store ptr %2, ptr %125, align 8
  %126 = getelementptr inbounds nuw i8, ptr %124, i64 16
  store ptr %97, ptr %126, align 8
  %127 = getelementptr inbounds nuw i8, ptr %124, i64 24
  store i64 %109, ptr %127, align 8
  br label %134

128:
  %129 = tail call fastcc ptr @leave(ptr noundef %0, ptr noundef nonnull %110, ptr noundef %2)
  %130 = icmp eq ptr %129, null
  br i1 %130, label %137, label %131

131:
  %132 = tail call i32 @PyTuple_SetItem(ptr noundef nonnull %97, i64 noundef %109, ptr noundef nonnull %129) #12
  %133 = icmp eq i32 %132, 0
  br i1 %133, label %134, label %137

134:
  %135 = add nuw nsw i64 %109, 1
  %136 = icmp eq i64 %135, %102
  br i1 %136, label %213, label %108

137:
  tail call void @Py_DecRef(ptr noundef nonnull %97) #12
  br label %213

138:
  %139 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %140 = load ptr, ptr %139, align 8
  %141 = load i64, ptr %8, align 8
  %142 = icmp ult i64 %141, 4096
  br i1 %142, label %143, label %155

143:
  %144 = getelementptr inbounds nuw i8, ptr %140, i64 16
  %145 = load i64, ptr %144, align 8
  %146 = icmp ult i64 %141, %145
  br i1 %146, label %147, label %213

147:
  %148 = getelementptr inbounds nuw i8, ptr %140, i64 24
  %149 = load ptr, ptr %148, align 8
  %150 = getelementptr inbounds nuw %struct.Form, ptr %149, i64 %141
  %151 = getelementptr inbounds nuw i8, ptr %150, i64 48
  %152 = load ptr, ptr %151, align 8
  %153 = icmp eq ptr %152, null
  br i1 %153, label %213, label %154

154:
  tail call void @Py_IncRef(ptr noundef nonnull %152) #12
  br label %213

155:
  %156 = inttoptr i64 %141 to ptr
  %157 = load i32, ptr %156, align 8
  %158 = icmp eq i32 %157, 1
  br i1 %158, label %159, label %161

159:
  %160 = tail call fastcc ptr @leave_block(ptr noundef %0, ptr noundef %140, ptr noundef nonnull %156, ptr noundef null)
  br label %213

161:
  %162 = getelementptr inbounds nuw i8, ptr %0, i64 136
  %163 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %164 = load i64, ptr %163, align 8
  %165 = shl nsw i64 %164, 1
  %166 = getelementptr inbounds nuw i8, ptr %0, i64 144
  %167 = load i64, ptr %166, align 8
  %168 = icmp sgt i64 %165, %167
  br i1 %168, label %169, label %173

169:
  %170 = tail call fastcc i1 @widen(ptr noundef nonnull %162) #13
  br i1 %170, label %171, label %213

171:
  %172 = load i64, ptr %166, align 8
  br label %173

173:
  %174 = phi i64 [ %172, %171 ], [ %167, %161 ]
  %175 = load ptr, ptr %162, align 8
  %176 = ptrtoint ptr %140 to i64
  %177 = tail call i64 @llvm.fshl.i64(i64 %176, i64 %176, i64 32)
  %178 = xor i64 %177, %141
  %179 = mul i64 %178, -7046029254386353131
  %180 = lshr i64 %179, 32
  %181 = and i64 %174, %180
  %182 = getelementptr inbounds nuw %struct.Slot, ptr %175, i64 %181
  %183 = load ptr, ptr %182, align 8
  %184 = icmp eq ptr %183, null
  br i1 %184, label %200, label %185

185:
  %186 = phi ptr [ %198, %194 ], [ %183, %173 ]
  %187 = phi ptr [ %197, %194 ], [ %182, %173 ]
  %188 = phi i64 [ %195, %194 ], [ %180, %173 ]
  %189 = icmp eq ptr %186, %156
  br i1 %189, label %190, label %194

190:
  %191 = getelementptr inbounds nuw i8, ptr %187, i64 8
  %192 = load ptr, ptr %191, align 8
  %193 = icmp eq ptr %192, %140
  br i1 %193, label %203, label %194

194:
  %195 = add i64 %188, 1
  %196 = and i64 %195, %174
  %197 = getelementptr inbounds nuw %struct.Slot, ptr %175, i64 %196
  %198 = load ptr, ptr %197, align 8
  %199 = icmp eq ptr %198, null
  br i1 %199, label %200, label %185

200:
  %201 = phi ptr [ %182, %173 ], [ %197, %194 ]
  %202 = tail call fastcc ptr @leave_block(ptr noundef %0, ptr noundef %140, ptr noundef nonnull %156, ptr noundef nonnull %201)
  br label %213

203:
  %204 = getelementptr inbounds nuw i8, ptr %187, i64 16
  %205 = load ptr, ptr %204, align 8
  tail call void @Py_IncRef(ptr noundef %205) #12
  %206 = load ptr, ptr %204, align 8
  br label %213

207:
  %208 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %209 = load ptr, ptr %208, align 8
  tail call void @Py_IncRef(ptr noundef %209) #12
  %210 = load ptr, ptr %208, align 8
  br label %213

211:
  %212 = load ptr, ptr %8, align 8
  store ptr null, ptr %8, align 8
  br label %213

213:
  %214 = phi ptr [ %212, %211 ], [ %53, %52 ], [ %93, %92 ], [ %210, %207 ], [ null, %169 ], [ null, %137 ], [ null, %94 ], [ null, %143 ], [ %152, %154 ], [ null, %147 ], [ %160, %159 ], [ %206, %203 ], [ %202, %200 ], [ %97, %99 ], [ %97, %134 ]
  ret ptr %214
}

declare dso_local ptr @PyTuple_New(i64 noundef) local_unnamed_addr #2

define internal fastcc ptr @leave_block(ptr noundef captures(none) %0, ptr noundef %1, ptr noundef %2, ptr noundef writeonly captures(address_is_null) %3) unnamed_addr #0 {
  %5 = getelementptr inbounds nuw i8, ptr %2, i64 6
  %6 = load i16, ptr %5, align 2
  %7 = zext i16 %6 to i64
  %8 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %9 = load i64, ptr %8, align 8
  %10 = icmp sgt i64 %9, %7
  br i1 %10, label %11, label %79

11:
  %12 = getelementptr inbounds nuw i8, ptr %1, i64 24
  %13 = load ptr, ptr %12, align 8
  %14 = getelementptr inbounds nuw %struct.Form, ptr %13, i64 %7
  %15 = getelementptr inbounds nuw i8, ptr %14, i64 8
  %16 = load i64, ptr %15, align 8
  %17 = tail call ptr @PyTuple_New(i64 noundef %16) #12
  %18 = icmp eq ptr %17, null
  br i1 %18, label %79, label %19

19:
  %20 = getelementptr inbounds nuw i8, ptr %14, i64 40
  %21 = load ptr, ptr %20, align 8
  %22 = tail call ptr @PyType_GenericAlloc(ptr noundef nonnull @class_data, i64 noundef 0) #12
  %23 = icmp eq ptr %22, null
  br i1 %23, label %77, label %24

24:
  %25 = tail call i32 @PyObject_GenericSetAttr(ptr noundef nonnull %22, ptr noundef nonnull @name_constructor, ptr noundef %21) #12
  %26 = icmp eq i32 %25, 0
  br i1 %26, label %27, label %30

27:
  %28 = tail call i32 @PyObject_GenericSetAttr(ptr noundef nonnull %22, ptr noundef nonnull @name_fields, ptr noundef nonnull %17) #12
  %29 = icmp eq i32 %28, 0
  br i1 %29, label %31, label %30

30:
  tail call void @Py_DecRef(ptr noundef nonnull %22) #12
  br label %77

31:
  tail call void @Py_DecRef(ptr noundef nonnull %17) #12
  %32 = icmp eq ptr %3, null
  br i1 %32, label %39, label %33

33:
  store ptr %2, ptr %3, align 8
  %34 = getelementptr inbounds nuw i8, ptr %3, i64 8
  store ptr %1, ptr %34, align 8
  %35 = getelementptr inbounds nuw i8, ptr %3, i64 16
  store ptr %22, ptr %35, align 8
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %37 = load i64, ptr %36, align 8
  %38 = add nsw i64 %37, 1
  store i64 %38, ptr %36, align 8
  br label %39

39:
  %40 = getelementptr inbounds nuw i8, ptr %14, i64 16
  %41 = load ptr, ptr %40, align 8
  %42 = load i64, ptr %15, align 8
  %43 = icmp sgt i64 %42, 0
  br i1 %43, label %44, label %79

44:
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %46 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %47 = getelementptr inbounds nuw i8, ptr %0, i64 72
  br label %48

48:
  %49 = phi i64 [ 0, %44 ], [ %75, %74 ]
  %50 = getelementptr inbounds nuw %struct.Field, ptr %41, i64 %49
  %51 = load i64, ptr %50, align 8
  %52 = icmp eq i64 %51, 3
  br i1 %52, label %53, label %68

53:
  %54 = load i64, ptr %46, align 8
  %55 = add nsw i64 %54, 32
  %56 = load i64, ptr %47, align 8
  %57 = icmp sgt i64 %55, %56
  br i1 %57, label %58, label %60

58:
  %59 = tail call fastcc i1 @grow(ptr noundef nonnull %45, i64 noundef %55) #13
  br i1 %59, label %60, label %77

60:
  store i64 %55, ptr %46, align 8
  %61 = load ptr, ptr %45, align 8
  %62 = icmp eq ptr %61, null
  br i1 %62, label %77, label %63

63:
  %64 = getelementptr inbounds i8, ptr %61, i64 %54
  store ptr %50, ptr %64, align 8
  %65 = getelementptr inbounds nuw i8, ptr %64, i64 8
  store ptr %2, ptr %65, align 8
  %66 = getelementptr inbounds nuw i8, ptr %64, i64 16
  store ptr %17, ptr %66, align 8
  %67 = getelementptr inbounds nuw i8, ptr %64, i64 24
  store i64 %49, ptr %67, align 8
  br label %74

68:
  %69 = tail call fastcc ptr @leave(ptr noundef %0, ptr noundef nonnull %50, ptr noundef %2)
  %70 = icmp eq ptr %69, null
  br i1 %70, label %77, label %71

71:
  %72 = tail call i32 @PyTuple_SetItem(ptr noundef nonnull %17, i64 noundef %49, ptr noundef nonnull %69) #12
  %73 = icmp eq i32 %72, 0
  br i1 %73, label %74, label %77

74:
  %75 = add nuw nsw i64 %49, 1
  %76 = icmp eq i64 %75, %42
  br i1 %76, label %79, label %48

77:
  %78 = phi ptr [ %17, %19 ], [ %17, %30 ], [ %22, %68 ], [ %22, %58 ], [ %22, %60 ], [ %22, %71 ]
  tail call void @Py_DecRef(ptr noundef nonnull %78) #12
  br label %79

79:
  %80 = phi ptr [ null, %4 ], [ %22, %39 ], [ null, %77 ], [ null, %11 ], [ %22, %74 ]
  ret ptr %80
}

declare dso_local ptr @PyType_GenericAlloc(ptr noundef, i64 noundef) local_unnamed_addr #2

declare dso_local i32 @PyObject_GenericSetAttr(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #2

declare dso_local i32 @PyTuple_SetItem(ptr noundef, i64 noundef, ptr noundef) local_unnamed_addr #2

declare i64 @llvm.fshl.i64(i64, i64, i64) #11

declare i64 @llvm.smax.i64(i64, i64) #11

attributes #0 = { nounwind }
attributes #1 = { nounwind }
attributes #2 = { nounwind }
attributes #3 = { nounwind }
attributes #4 = { nounwind }
attributes #5 = { nounwind cold noinline optnone }
attributes #6 = { nounwind }
attributes #7 = { nounwind }
attributes #8 = { nounwind cold noinline optnone }
attributes #9 = { nounwind }
attributes #10 = { nounwind }
attributes #11 = { nounwind }
attributes #12 = { nounwind }
attributes #13 = { nounwind cold }
attributes #14 = { nounwind }
attributes #15 = { nounwind }

