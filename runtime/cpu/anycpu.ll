; What the pool needs of a processor of which it knows nothing.

; Nanoseconds.
define internal i64 @ticks() alwaysinline {
  %now = call i64 @nanoseconds()
  ret i64 %now
}

define internal void @pause() alwaysinline {
  ret void
}

define internal void @save_floats(ptr %to) alwaysinline {
  ret void
}

define internal void @restore_floats(ptr %from) alwaysinline {
  ret void
}

define internal void @set_default_floats() alwaysinline {
  ret void
}
