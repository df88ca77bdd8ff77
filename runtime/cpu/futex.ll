; Sleeping on Linux.

declare i64 @syscall(i64, ...)

; Sleep while the word holds %seen, until somebody wakes those who sleep there, or for so
; many nanoseconds (forever if they are negative). The kernel compares and goes to sleep in
; one step. May return too early for many reasons: look again.
define internal void @sleep_while(ptr %word, i32 %seen, i64 %nanoseconds) noinline {
  %time = alloca { i64, i64 }
  %part = getelementptr { i64, i64 }, ptr %time, i64 0, i32 1
  store i64 0, ptr %time
  store i64 %nanoseconds, ptr %part
  %forever = icmp slt i64 %nanoseconds, 0
  %timeout = select i1 %forever, ptr null, ptr %time
  ; 128 is FUTEX_WAIT_PRIVATE.
  %ignored = call i64 (i64, ...) @syscall(i64 $SYS_FUTEX, ptr %word, i64 128,
    i32 %seen, ptr %timeout, ptr null, i64 0)
  ret void
}

; Wake all who sleep at the word.
define internal void @wake(ptr %word) noinline {
  ; 129 is FUTEX_WAKE_PRIVATE, and 2147483647 the most that it takes.
  %ignored = call i64 (i64, ...) @syscall(i64 $SYS_FUTEX, ptr %word, i64 129,
    i64 2147483647, ptr null, ptr null, i64 0)
  ret void
}
