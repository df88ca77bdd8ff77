; Whether to wake threads for a job, and waking them ahead.
;
; Waking a thread takes as long as many a job. Where the threads sleep, a job runs with them
; or without, whichever was shorter before; see `choose_alone`.

; Whether to let the threads sleep, because the job is over sooner without them. Both ways
; are tried, but not how long it takes alone if it is long with others; the one that was
; shorter is taken. If the last dispatch has just ended, there are many: the threads are
; roused, so that the next ones can use them.
define internal i1 @choose_alone(ptr %pool, ptr %job, i64 %workers) alwaysinline {
  %slot = call ptr @slot_of(ptr %pool, i64 1)
  %state = load atomic i32, ptr %slot monotonic, align 8
  %asleep = icmp uge i32 %state, 2
  br i1 %asleep, label %compare, label %no

compare:
  %choice = getelementptr i64, ptr %job, i64 $CHOICE
  %may.p = getelementptr i64, ptr %job, i64 $MAY_BE_ALONE
  %may.word = load i64, ptr %may.p
  %may = icmp ne i64 %may.word, 0
  %woke.p = getelementptr i64, ptr %job, i64 $WOKE
  %woke = load i64, ptr %woke.p
  ; Unknown is 0, which is too long then.
  %before = sub i64 %woke, 1
  %short = icmp ult i64 %before, $SHORT_JOB
  %alone.p = getelementptr i64, ptr %job, i64 $ALONE
  %alone = load i64, ptr %alone.p
  %shorter = icmp ult i64 %alone, %woke
  %both = and i1 %short, %shorter
  %better = and i1 %may, %both
  %chosen = select i1 %better, i64 $CHOSE_ALONE, i64 $CHOSE_TO_WAKE
  store i64 %chosen, ptr %choice
  br i1 %better, label %again, label %no

again:
  %end.p = getelementptr i64, ptr %pool, i64 $LAST_END
  %end = load atomic i64, ptr %end.p monotonic, align 8
  %began.p = getelementptr i64, ptr %job, i64 $BEGAN
  %began = load i64, ptr %began.p
  %since = sub i64 %began, %end
  %soon = icmp ult i64 %since, $SPIN_TICKS
  br i1 %soon, label %call, label %yes

call:
  ; The next dispatch comes when this one is over; else they would sleep again by then.
  %unknown = icmp eq i64 %alone, 0
  %takes = select i1 %unknown, i64 $SHORT_JOB, i64 %alone
  %expected = add i64 %takes, $SPIN_TICKS
  %expected.p = getelementptr i64, ptr %pool, i64 $EXPECTED
  store atomic i64 %expected, ptr %expected.p monotonic, align 8
  call void @rouse(ptr %pool, i64 1)
  call void @rouse(ptr %pool, i64 2)
  br label %yes

yes:
  ret i1 true

no:
  ret i1 false
}

; Wake a thread that sleeps, and by it those that it starts, without work.
define internal void @rouse(ptr %pool, i64 %worker) alwaysinline {
  %started.p = getelementptr i64, ptr %pool, i64 $STARTED
  %started = load atomic i64, ptr %started.p monotonic, align 8
  %exists = icmp ule i64 %worker, %started
  br i1 %exists, label %try, label %end

try:
  %slot = call ptr @slot_of(ptr %pool, i64 %worker)
  %exchange = cmpxchg ptr %slot, i32 2, i32 4 acq_rel monotonic
  %slept = extractvalue { i32, i1 } %exchange, 1
  br i1 %slept, label %wake, label %end

wake:
  call void @wake_elsewhere(ptr %slot)
  br label %end

end:
  ret void
}

; Note how long a run took, for `choose_alone`. A little is taken off what it took to wake
; threads whenever that was not done, so that it is tried again one day.
define internal void @learn(ptr %pool, ptr %job) alwaysinline {
  %now = call i64 @ticks()
  %end.p = getelementptr i64, ptr %pool, i64 $LAST_END
  store atomic i64 %now, ptr %end.p monotonic, align 8
  %choice.p = getelementptr i64, ptr %job, i64 $CHOICE
  %choice = load i64, ptr %choice.p
  %chose = icmp ne i64 %choice, $CHOSE_NOTHING
  br i1 %chose, label %note, label %end

note:
  %began.p = getelementptr i64, ptr %job, i64 $BEGAN
  %began = load i64, ptr %began.p
  %took = sub i64 %now, %began
  %woke.p = getelementptr i64, ptr %job, i64 $WOKE
  %was_alone = icmp eq i64 %choice, $CHOSE_ALONE
  br i1 %was_alone, label %alone, label %woke

alone:
  %alone.p = getelementptr i64, ptr %job, i64 $ALONE
  store i64 %took, ptr %alone.p
  %before = load i64, ptr %woke.p
  %part = lshr i64 %before, 6
  %less = sub i64 %before, %part
  store i64 %less, ptr %woke.p
  br label %end

woke:
  store i64 %took, ptr %woke.p
  br label %end

end:
  ret void
}

; Rouse the threads that this one starts.
define internal void @rouse_next(ptr %slot) alwaysinline {
  %pool.p = getelementptr i64, ptr %slot, i64 $SLOT_POOL
  %pool = load ptr, ptr %pool.p
  %worker.p = getelementptr i64, ptr %slot, i64 $SLOT_WORKER
  %worker = load i64, ptr %worker.p
  %double = shl i64 %worker, 1
  %one = add i64 %double, 1
  %two = add i64 %double, 2
  call void @rouse(ptr %pool, i64 %one)
  call void @rouse(ptr %pool, i64 %two)
  ret void
}
