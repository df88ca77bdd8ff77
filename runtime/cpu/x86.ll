; What the pool needs of an x86-64 processor.

declare i64 @llvm.readcyclecounter()
declare void @llvm.x86.sse2.pause()
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)

; Round to nearest, no flushing of denormals, all exceptions masked.
@default_floats = private constant i32 8064

; The time stamp counter: 1 to 5 ticks a nanosecond.
define internal i64 @ticks() alwaysinline {
  %now = call i64 @llvm.readcyclecounter()
  ret i64 %now
}

define internal void @pause() alwaysinline {
  call void @llvm.x86.sse2.pause()
  ret void
}

define internal void @save_floats(ptr %to) alwaysinline {
  call void @llvm.x86.sse.stmxcsr(ptr %to)
  ret void
}

define internal void @restore_floats(ptr %from) alwaysinline {
  call void @llvm.x86.sse.ldmxcsr(ptr %from)
  ret void
}

define internal void @set_default_floats() alwaysinline {
  call void @llvm.x86.sse.ldmxcsr(ptr @default_floats)
  ret void
}
