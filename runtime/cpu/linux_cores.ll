; Cores of their own for the workers of a job, on Linux.
;
; Linux often wakes a thread on the core of the one who wakes it, though other cores are
; idle: on virtual machines above all, where a core that sleeps counts as taken away. Two
; workers on one core wait for each other at every barrier, and since one of them always
; sleeps or is about to, the system sees no reason to move it. So workers note where they
; are, and one that waits moves away from a core on which another one is.
;
; Worker 0 is a thread of the caller, and is not moved. Notes may be out of date; then
; somebody moves for nothing, or a little later.
;
; A thread that is woken on the core of a waker who goes on would not even run before the
; system takes that core from the waker, which is milliseconds later. So who wakes a thread
; takes its own core out of those where the thread may run, and the thread puts it back
; (see `wake_elsewhere`).

declare i32 @bcmp(ptr, ptr, i64)
declare i32 @sched_getcpu()
declare i32 @sched_getaffinity(i32, i64, ptr)
declare i32 @sched_setaffinity(i32, i64, ptr)

; Note the core of a worker, which calls this; 0 if nobody knows it, or its number plus 1.
define internal i64 @note_core(ptr %pool, i64 %worker) alwaysinline {
  %number = call i32 @sched_getcpu()
  %wide = sext i32 %number to i64
  %core = add i64 %wide, 1
  %slot = call ptr @slot_of(ptr %pool, i64 %worker)
  %core.p = getelementptr i64, ptr %slot, i64 $SLOT_CORE
  %before = load atomic i64, ptr %core.p monotonic, align 8
  %moved = icmp ne i64 %before, %core
  br i1 %moved, label %store, label %end

store:
  store atomic i64 %core, ptr %core.p monotonic, align 8
  br label %end

end:
  ret i64 %core
}

; For a worker that waits: move if another one is on the same core.
define internal void @sit_apart(ptr %pool, i64 %worker, i64 %workers) noinline {
  %room = alloca [$AFFINITY_WORDS x i64]
  %cores = alloca [$AFFINITY_WORDS x i64]
  %now = alloca [$AFFINITY_WORDS x i64]
  %core = call i64 @note_core(ptr %pool, i64 %worker)
  %here = call i64 @count_at(ptr %pool, i64 %workers, i64 %core)
  %shared = icmp ugt i64 %here, 1
  %thread = icmp ne i64 %worker, 0
  %known = icmp ne i64 %core, 0
  %movable = and i1 %thread, %known
  %moves = and i1 %shared, %movable
  br i1 %moves, label %claim, label %end

claim:
  %slot = call ptr @slot_of(ptr %pool, i64 %worker)
  %left_out.p = getelementptr i64, ptr %slot, i64 $SLOT_LEFT_OUT
  %claim.result = cmpxchg ptr %left_out.p, i64 0, i64 -1 acq_rel acquire
  %left_out = extractvalue { i64, i1 } %claim.result, 0
  %mine = icmp sge i64 %left_out, 0
  br i1 %mine, label %ask, label %end

ask:
  %size = shl i64 $AFFINITY_WORDS, 3
  %error = call i32 @sched_getaffinity(i32 0, i64 %size, ptr %cores)
  %asked = icmp eq i32 %error, 0
  br i1 %asked, label %choose, label %done

choose:
  call void @llvm.memcpy.p0.p0.i64(ptr %room, ptr %cores, i64 %size, i1 false)
  call void @leave_out_taken(ptr %pool, i64 %workers, ptr %room)
  ; An error if no core is left: then nothing moves.
  %refused = call i32 @sched_setaffinity(i32 0, i64 %size, ptr %room)
  %moved = icmp eq i32 %refused, 0
  br i1 %moved, label %note, label %done

note:
  %new = call i64 @note_core(ptr %pool, i64 %worker)
  ; Somebody else may have said meanwhile where it shall run.
  %unknown = call i32 @sched_getaffinity(i32 0, i64 %size, ptr %now)
  %differs = call i32 @bcmp(ptr %now, ptr %room, i64 %size)
  %bits = or i32 %unknown, %differs
  %same = icmp eq i32 %bits, 0
  br i1 %same, label %restore, label %done

restore:
  %ignored = call i32 @sched_setaffinity(i32 0, i64 %size, ptr %cores)
  br label %done

done:
  store atomic i64 %left_out, ptr %left_out.p release, align 8
  br label %end

end:
  ret void
}

; How many workers have noted this core.
define internal i64 @count_at(ptr %pool, i64 %workers, i64 %core) alwaysinline {
entry:
  br label %next

next:
  %worker = phi i64 [ 0, %entry ], [ %worker.next, %next ]
  %count = phi i64 [ 0, %entry ], [ %count.next, %next ]
  %slot = call ptr @slot_of(ptr %pool, i64 %worker)
  %noted.p = getelementptr i64, ptr %slot, i64 $SLOT_CORE
  %noted = load atomic i64, ptr %noted.p monotonic, align 8
  %same = icmp eq i64 %noted, %core
  %one = zext i1 %same to i64
  %count.next = add i64 %count, %one
  %worker.next = add i64 %worker, 1
  %more = icmp ult i64 %worker.next, %workers
  br i1 %more, label %next, label %end

end:
  ret i64 %count.next
}

; Clear the bits of all cores that workers have noted, this one's too.
define internal void @leave_out_taken(ptr %pool, i64 %workers, ptr %set) alwaysinline {
entry:
  br label %next

next:
  %worker = phi i64 [ 0, %entry ], [ %worker.next, %skip ]
  %slot = call ptr @slot_of(ptr %pool, i64 %worker)
  %noted.p = getelementptr i64, ptr %slot, i64 $SLOT_CORE
  %noted = load atomic i64, ptr %noted.p monotonic, align 8
  %core = sub i64 %noted, 1
  %fits = icmp ult i64 %core, $AFFINITY_CORES
  br i1 %fits, label %clear, label %skip

clear:
  %had = call i1 @put_core(ptr %set, i64 %core, i1 false)
  br label %skip

skip:
  %worker.next = add i64 %worker, 1
  %more = icmp ult i64 %worker.next, %workers
  br i1 %more, label %next, label %end

end:
  ret void
}

; Say which thread of the system belongs to a slot; the thread calls this first. After a fork
; there may be a note for the parent's thread.
define internal void @introduce(ptr %slot) alwaysinline {
  %left_out.p = getelementptr i64, ptr %slot, i64 $SLOT_LEFT_OUT
  store atomic i64 0, ptr %left_out.p monotonic, align 8
  %thread = call i64 (i64, ...) @syscall(i64 $SYS_GETTID)
  %thread.p = getelementptr i64, ptr %slot, i64 $SLOT_THREAD
  store atomic i64 %thread, ptr %thread.p monotonic, align 8
  ret void
}

; Wake the thread of a slot, which sleeps, on another core than this one if there are enough
; for all.
;
; The core that was left out is noted after it was left out, so that the thread, which
; may already run, finds the note now, before it sleeps again, or when it is next woken.
; While there is a note, nobody leaves out another core. Where a thread may run is read and
; then written, so one at a time does it: LEFT_OUT is -1 meanwhile.
define internal void @wake_elsewhere(ptr %slot) noinline {
  %set = alloca [$AFFINITY_WORDS x i64]
  %pool.p = getelementptr i64, ptr %slot, i64 $SLOT_POOL
  %pool = load ptr, ptr %pool.p
  %size.p = getelementptr i64, ptr %pool, i64 $SIZE
  %size = load atomic i64, ptr %size.p monotonic, align 8
  %cores.p = getelementptr i64, ptr %pool, i64 $CORES
  %cores = load i64, ptr %cores.p
  %enough = icmp ule i64 %size, %cores
  %thread.p = getelementptr i64, ptr %slot, i64 $SLOT_THREAD
  %thread = load atomic i64, ptr %thread.p monotonic, align 8
  %known = icmp ne i64 %thread, 0
  %here.half = call i32 @sched_getcpu()
  %here = sext i32 %here.half to i64
  %fits = icmp ult i64 %here, $AFFINITY_CORES
  %may.0 = and i1 %enough, %known
  %may = and i1 %may.0, %fits
  br i1 %may, label %claim, label %wake

claim:
  %left_out.p = getelementptr i64, ptr %slot, i64 $SLOT_LEFT_OUT
  %claim.result = cmpxchg ptr %left_out.p, i64 0, i64 -1 acq_rel acquire
  %mine = extractvalue { i64, i1 } %claim.result, 1
  br i1 %mine, label %ask, label %wake

ask:
  %number = trunc i64 %thread to i32
  %bytes = shl i64 $AFFINITY_WORDS, 3
  %error = call i32 @sched_getaffinity(i32 %number, i64 %bytes, ptr %set)
  %asked = icmp eq i32 %error, 0
  br i1 %asked, label %leave_out, label %done

leave_out:
  %had = call i1 @put_core(ptr %set, i64 %here, i1 false)
  br i1 %had, label %move, label %done

move:
  ; An error if no core is left: then nothing changes.
  %refused = call i32 @sched_setaffinity(i32 %number, i64 %bytes, ptr %set)
  %moved = icmp eq i32 %refused, 0
  %number.noted = add i64 %here, 1
  %noted = select i1 %moved, i64 %number.noted, i64 0
  br label %done

done:
  %left_out = phi i64 [ 0, %ask ], [ 0, %leave_out ], [ %noted, %move ]
  store atomic i64 %left_out, ptr %left_out.p release, align 8
  br label %wake

wake:
  call void @wake(ptr %slot)
  ret void
}

; Put back a core that was left out when the thread of the slot, which calls this, was woken.
define internal void @return_core(ptr %slot) alwaysinline {
  %left_out.p = getelementptr i64, ptr %slot, i64 $SLOT_LEFT_OUT
  %left_out = load atomic i64, ptr %left_out.p acquire, align 8
  %noted = icmp sgt i64 %left_out, 0
  br i1 %noted, label %put, label %end

put:
  call void @put_back(ptr %left_out.p)
  br label %end

end:
  ret void
}

define internal void @put_back(ptr %left_out.p) noinline {
  %set = alloca [$AFFINITY_WORDS x i64]
  %left_out = load atomic i64, ptr %left_out.p acquire, align 8
  %core = sub i64 %left_out, 1
  %bytes = shl i64 $AFFINITY_WORDS, 3
  %error = call i32 @sched_getaffinity(i32 0, i64 %bytes, ptr %set)
  %asked = icmp eq i32 %error, 0
  br i1 %asked, label %put, label %end

put:
  %had = call i1 @put_core(ptr %set, i64 %core, i1 true)
  %ignored = call i32 @sched_setaffinity(i32 0, i64 %bytes, ptr %set)
  br label %end

end:
  store atomic i64 0, ptr %left_out.p release, align 8
  ret void
}

; Put a core into a set, or take it out; whether it was in it.
define internal i1 @put_core(ptr %set, i64 %core, i1 %in) alwaysinline {
  %at = lshr i64 %core, 6
  %place = and i64 %core, 63
  %bit = shl i64 1, %place
  %word.p = getelementptr i64, ptr %set, i64 %at
  %word = load i64, ptr %word.p
  %others.mask = xor i64 %bit, -1
  %others = and i64 %word, %others.mask
  %with = or i64 %word, %bit
  %new = select i1 %in, i64 %with, i64 %others
  store i64 %new, ptr %word.p
  %had = icmp eq i64 %word, %with
  ret i1 %had
}
