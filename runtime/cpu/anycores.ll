; Cores where the system does not say on which one a thread is.

define internal i64 @note_core(ptr %pool, i64 %worker) alwaysinline {
  ret i64 0
}

define internal void @sit_apart(ptr %pool, i64 %worker, i64 %workers) alwaysinline {
  ret void
}

define internal void @introduce(ptr %slot) alwaysinline {
  ret void
}

define internal void @wake_elsewhere(ptr %slot) alwaysinline {
  call void @wake(ptr %slot)
  ret void
}

define internal void @return_core(ptr %slot) alwaysinline {
  ret void
}
