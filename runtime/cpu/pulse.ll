; What ends a job early: signals, the deadline, and whoever sets STOP.
;
; Worker 0 is a thread of Python. While a job runs it has released the GIL, and with its
; caller's floating-point environment put aside; `leave_native` and `enter_native` change
; between the two.

declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare i32 @PyErr_CheckSignals()
declare i32 @clock_gettime(i32, ptr)

; STOP, after a look at the clock if this is worker 0 and the last look was long ago.
define preserve_mostcc i64 @pulse(ptr %job, i64 %worker) {
  call void @look_if_due(ptr %job, i64 %worker)
  %stop.p = getelementptr i64, ptr %job, i64 $STOP
  %stop = load atomic i64, ptr %stop.p monotonic, align 8
  ret i64 %stop
}

; Look at the clock if this is worker 0 and the last look was long ago.
define internal void @look_if_due(ptr %job, i64 %worker) alwaysinline {
  %first = icmp eq i64 %worker, 0
  br i1 %first, label %tick, label %end

tick:
  %last.p = getelementptr i64, ptr %job, i64 $LAST_LOOK
  %last = load i64, ptr %last.p
  %now = call i64 @ticks()
  %passed = sub i64 %now, %last
  %long = icmp ugt i64 %passed, $LOOK_TICKS
  br i1 %long, label %time, label %end

time:
  call void @look(ptr %job)
  br label %end

end:
  ret void
}

; Look at the deadline, and at signals when it is time for that: only worker 0. Once STOP
; is set there is nothing to look for, and an exception may be waiting to be raised.
define internal void @look(ptr %job) noinline {
  %stop.p = getelementptr i64, ptr %job, i64 $STOP
  %stop = load atomic i64, ptr %stop.p monotonic, align 8
  %running = icmp eq i64 %stop, 0
  br i1 %running, label %clock, label %end

clock:
  %ticks = call i64 @ticks()
  %last.p = getelementptr i64, ptr %job, i64 $LAST_LOOK
  store i64 %ticks, ptr %last.p
  %now = call i64 @nanoseconds()
  %deadline.p = getelementptr i64, ptr %job, i64 $DEADLINE
  %deadline = load i64, ptr %deadline.p
  %limited = icmp ne i64 %deadline, 0
  %passed = icmp uge i64 %now, %deadline
  %late = and i1 %limited, %passed
  br i1 %late, label %timeout, label %due

timeout:
  call void @halt(ptr %job, i64 $STATUS_TIMEOUT)
  br label %end

due:
  %next.p = getelementptr i64, ptr %job, i64 $NEXT_SIGNALS
  %next = load i64, ptr %next.p
  %later = add i64 %now, $SIGNALS_EVERY
  %unset = icmp eq i64 %next, 0
  br i1 %unset, label %set, label %compare

set:
  store i64 %later, ptr %next.p
  br label %end

compare:
  %soon = icmp ult i64 %now, %next
  br i1 %soon, label %end, label %signals

signals:
  store i64 %later, ptr %next.p
  call void @look_for_signals(ptr %job)
  br label %end

end:
  ret void
}

; Let Python run its signal handlers, if it does so in this thread.
define internal void @look_for_signals(ptr %job) noinline {
  %hears.p = getelementptr i64, ptr %job, i64 $HEARS_SIGNALS
  %hears.word = load i64, ptr %hears.p
  %hears = icmp ne i64 %hears.word, 0
  br i1 %hears, label %python, label %end

python:
  call void @leave_native(ptr %job)
  %result = call i32 @PyErr_CheckSignals()
  %raised = icmp ne i32 %result, 0
  br i1 %raised, label %interrupted, label %back

interrupted:
  ; The exception stays where it is until ctypes finds it at the end of the dispatch.
  call void @halt(ptr %job, i64 $STATUS_INTERRUPTED)
  br label %back

back:
  call void @enter_native(ptr %job)
  br label %end

end:
  ret void
}

; Set STOP, unless it is set, and wake those who sleep at the barrier.
define void @halt(ptr %job, i64 %status) {
  %stop.p = getelementptr i64, ptr %job, i64 $STOP
  %ignored = cmpxchg ptr %stop.p, i64 0, i64 %status seq_cst seq_cst
  call void @open(ptr %job)
  ret void
}

; From Python to generated code: release the GIL, set the floating-point environment.
define internal void @enter_native(ptr %job) alwaysinline {
  %floats = getelementptr i64, ptr %job, i64 $CALLER_FLOATS
  call void @save_floats(ptr %floats)
  call void @set_default_floats()
  %state.p = getelementptr i64, ptr %job, i64 $THREAD_STATE
  %state = call ptr @PyEval_SaveThread()
  store ptr %state, ptr %state.p
  ret void
}

; And back.
define internal void @leave_native(ptr %job) alwaysinline {
  %floats = getelementptr i64, ptr %job, i64 $CALLER_FLOATS
  call void @restore_floats(ptr %floats)
  %state.p = getelementptr i64, ptr %job, i64 $THREAD_STATE
  %state = load ptr, ptr %state.p
  call void @PyEval_RestoreThread(ptr %state)
  ret void
}

; The clock of `time.monotonic_ns`.
define internal i64 @nanoseconds() alwaysinline {
  %time = alloca { i64, i64 }
  %ignored = call i32 @clock_gettime(i32 $CLOCK, ptr %time)
  %seconds = load i64, ptr %time
  %part.p = getelementptr { i64, i64 }, ptr %time, i64 0, i32 1
  %part = load i64, ptr %part.p
  %whole = mul i64 %seconds, 1000000000
  %sum = add i64 %whole, %part
  ret i64 %sum
}
