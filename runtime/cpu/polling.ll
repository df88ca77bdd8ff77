; Sleeping where there is no futex: in short naps, so nobody needs to be woken.

declare i32 @usleep(i32)

; A nap while the word holds %seen. Returns too early: look again.
define internal void @sleep_while(ptr %word, i32 %seen, i64 %nanoseconds) noinline {
  %ignored = call i32 @usleep(i32 50)
  ret void
}

define internal void @wake(ptr %word) alwaysinline {
  ret void
}
