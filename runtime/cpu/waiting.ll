; Waiting without sleep, for changes that come soon.

declare i32 @sched_yield()

; Whether the word changes from %seen within about so many ticks. Looks at no clock at
; first, since most waits are over by then.
define internal i1 @spin(ptr %word, i32 %seen, i64 %patience) alwaysinline {
entry:
  br label %round

round:
  %start = phi i64 [ 0, %entry ], [ %start.next, %tired ]
  br label %poll

poll:
  %polls = phi i64 [ 0, %round ], [ %polls.next, %same ]
  %now = load atomic i32, ptr %word acquire, align 8
  %changed = icmp ne i32 %now, %seen
  br i1 %changed, label %end, label %same

same:
  call void @pause()
  %polls.next = add i64 %polls, 1
  %more = icmp ult i64 %polls.next, $POLLS
  br i1 %more, label %poll, label %tired

tired:
  %time = call i64 @ticks()
  %unset = icmp eq i64 %start, 0
  %start.next = select i1 %unset, i64 %time, i64 %start
  %spent = sub i64 %time, %start.next
  %on = icmp ult i64 %spent, %patience
  br i1 %on, label %round, label %end

end:
  %result = phi i1 [ true, %poll ], [ false, %tired ]
  ret i1 %result
}

; Whether the word changes from %seen before it is time to sleep.
;
; Workers may lie on one core: if they are more than the cores, or if the system put them
; there. Who only spun would keep the other from what it waits for. So after a short time
; this one moves to a core of its own if there are enough (see `sit_apart`), and gives
; turns.
;
; After that it spins far longer than it takes to wake a thread, on virtual machines above
; all, where a core that sleeps has to be given back first. Else each would be asleep when
; the other one comes, at every barrier, and a phase would take as long as waking does.
define internal i1 @wait_awake(ptr %job, i64 %worker, i64 %workers, ptr %word, i32 %seen) alwaysinline {
  %patience.p = getelementptr i64, ptr %job, i64 $PATIENCE
  %patience = load i64, ptr %patience.p
  %short = call i64 @llvm.umin.i64(i64 %patience, i64 $SHORT_TICKS)
  %soon = call i1 @spin(ptr %word, i32 %seen, i64 %short)
  br i1 %soon, label %changed, label %longer

longer:
  %crowded = icmp eq i64 %patience, 0
  br i1 %crowded, label %polite, label %place

place:
  %pool.p = getelementptr i64, ptr %job, i64 $POOL
  %pool = load ptr, ptr %pool.p
  call void @sit_apart(ptr %pool, i64 %worker, i64 %workers)
  br label %polite

polite:
  %meanwhile = call i1 @give_turns(ptr %job, ptr %word, i32 %seen)
  br i1 %meanwhile, label %changed, label %last

last:
  %most = select i1 %crowded, i64 0, i64 $LONG_WAIT
  %late = call i1 @spin(ptr %word, i32 %seen, i64 %most)
  ret i1 %late

changed:
  ret i1 true
}

; Whether the word changes while this worker lets others run, a few times. That is quicker
; than sleep by far, as long as the others are workers too. When other processes have work
; they take milliseconds, and come before those who yield but after those who sleep. So,
; after a turn that took long, many waits do without; TURNS_OFF counts them, and a count
; lost in a race does not matter.
define internal i1 @give_turns(ptr %job, ptr %word, i32 %seen) noinline {
  %off.p = getelementptr i64, ptr %job, i64 $TURNS_OFF
  %off = load atomic i64, ptr %off.p monotonic, align 8
  %allowed = icmp eq i64 %off, 0
  br i1 %allowed, label %begin, label %without

without:
  %fewer = sub i64 %off, 1
  store atomic i64 %fewer, ptr %off.p monotonic, align 8
  ret i1 false

begin:
  %start = call i64 @ticks()
  br label %turn

turn:
  %turns = phi i64 [ 0, %begin ], [ %turns.next, %same ]
  %before = phi i64 [ %start, %begin ], [ %after, %same ]
  %ignored = call i32 @sched_yield()
  %after = call i64 @ticks()
  %now = load atomic i32, ptr %word acquire, align 8
  %changed = icmp ne i32 %now, %seen
  %taken = sub i64 %after, %before
  %long = icmp ugt i64 %taken, $LONG_TURN
  br i1 %long, label %never_again, label %quick

never_again:
  store atomic i64 $WAITS_WITHOUT_TURNS, ptr %off.p monotonic, align 8
  br label %end

quick:
  br i1 %changed, label %end, label %same

same:
  %turns.next = add i64 %turns, 1
  %more = icmp ult i64 %turns.next, $TURNS
  br i1 %more, label %turn, label %end

end:
  ret i1 %changed
}
