; The grid barrier of a job: `meet` and `release`.
;
; ARRIVED counts those who are here, GENERATION how often the barrier opened, PARKED those
; who sleep until GENERATION changes. For a few workers all lie on one cache line, which
; then has to travel least; many count in ARRIVED_APART instead, on a line of its own, since
; every arrival would take the line from all who spin on GENERATION.
;
; Everything before `meet` is seen by everybody after it: arrivals are acquire-release
; additions to one word, so the last one sees what all others did before; it adds to
; GENERATION with release, and the others read it with acquire.
;
; No wake-up is lost. A sleeper first adds itself to PARKED, then the kernel compares
; GENERATION and puts it to sleep in one step. An opener first changes GENERATION, then
; reads PARKED. These four are sequentially consistent, so either the opener sees the
; sleeper and wakes it, or the sleeper sees the new GENERATION and does not sleep. A wake-up
; between the addition and the sleep does no harm: GENERATION has changed by then.
;
; A stop is as good as an opening: whoever sets STOP changes GENERATION afterwards (see
; `open`). Who read GENERATION before sees it change, who read it after that sees STOP, and
; all look at STOP before they sleep.

; Wait for all workers. 1 for the last one, at once, and it must call `release` then;
; 0 for the others when it has, or when STOP is set. Worker 0 looks at the clock first: what
; is between two meetings may be too short to do so, however many there are.
define i64 @meet(ptr %job, i64 %worker, i64 %workers) {
  call void @look_if_due(ptr %job, i64 %worker)
  %alone = icmp eq i64 %workers, 1
  br i1 %alone, label %last, label %together

last:
  ret i64 1

together:
  %generation = getelementptr i64, ptr %job, i64 $GENERATION
  %many = icmp ugt i64 %workers, $FEW
  %counter = select i1 %many, i64 $ARRIVED_APART, i64 $ARRIVED
  %arrived = getelementptr i64, ptr %job, i64 %counter
  ; It cannot change before this worker has arrived, except by a stop.
  %seen = load atomic i32, ptr %generation acquire, align 8
  %before = atomicrmw add ptr %arrived, i64 1 acq_rel
  %now = add i64 %before, 1
  %complete = icmp eq i64 %now, %workers
  br i1 %complete, label %last, label %wait

wait:
  %opened = call i1 @wait_awake(ptr %job, i64 %worker, i64 %workers, ptr %generation,
    i32 %seen)
  br i1 %opened, label %through, label %tired

tired:
  call void @park(ptr %job, i64 %worker, i32 %seen)
  br label %through

through:
  ret i64 0
}

; Let go those who wait; called by the last one to arrive. Nobody has arrived when a worker
; that is alone calls this.
define void @release(ptr %job) {
  %near = getelementptr i64, ptr %job, i64 $ARRIVED
  %apart = getelementptr i64, ptr %job, i64 $ARRIVED_APART
  %here = load atomic i64, ptr %near monotonic, align 8
  %few = icmp ne i64 %here, 0
  br i1 %few, label %others, label %check

check:
  %there = load atomic i64, ptr %apart monotonic, align 8
  %many = icmp ne i64 %there, 0
  br i1 %many, label %others, label %end

others:
  %arrived = phi ptr [ %near, %0 ], [ %apart, %check ]
  ; Before it opens, so those who go through and come back begin with 0.
  store atomic i64 0, ptr %arrived monotonic, align 8
  call void @open(ptr %job)
  br label %end

end:
  ret void
}

; Change GENERATION and wake those who sleep. Costs no system call when nobody does.
define internal void @open(ptr %job) alwaysinline {
  %generation = getelementptr i64, ptr %job, i64 $GENERATION
  %parked = getelementptr i64, ptr %job, i64 $PARKED
  %old = atomicrmw add ptr %generation, i32 1 seq_cst
  %sleepers = load atomic i64, ptr %parked seq_cst, align 8
  %none = icmp eq i64 %sleepers, 0
  br i1 %none, label %end, label %some

some:
  call void @wake(ptr %generation)
  br label %end

end:
  ret void
}

; Sleep until GENERATION is not %seen, or STOP is set. Worker 0 looks at signals and the
; deadline from time to time.
define internal void @park(ptr %job, i64 %worker, i32 %seen) noinline {
  %generation = getelementptr i64, ptr %job, i64 $GENERATION
  %parked = getelementptr i64, ptr %job, i64 $PARKED
  %stop = getelementptr i64, ptr %job, i64 $STOP
  %first = icmp eq i64 %worker, 0
  %time = select i1 %first, i64 $NAP, i64 -1
  %before = atomicrmw add ptr %parked, i64 1 seq_cst
  br label %check

check:
  %now = load atomic i32, ptr %generation seq_cst, align 8
  %stopped = load atomic i64, ptr %stop seq_cst, align 8
  %changed = icmp ne i32 %now, %seen
  %stops = icmp ne i64 %stopped, 0
  %enough = or i1 %changed, %stops
  br i1 %enough, label %end, label %sleep

sleep:
  call void @sleep_while(ptr %generation, i32 %seen, i64 %time)
  br i1 %first, label %looking, label %check

looking:
  call void @look(ptr %job)
  br label %check

end:
  %after = atomicrmw sub ptr %parked, i64 1 seq_cst
  ret void
}

