; What the pool needs of a processor of which it knows nothing.

; Nanoseconds.
define internal i64 @ticks() {
  %now = call i64 @nanoseconds()
  ret i64 %now
}

define internal void @pause() {
  ret void
}

define internal void @save_floats(ptr %to) {
  ret void
}

define internal void @restore_floats(ptr %from) {
  ret void
}

define internal void @set_default_floats() {
  ret void
}
