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
  br i1 %moves, label %ask, label %end

ask:
  %size = shl i64 $AFFINITY_WORDS, 3
  %error = call i32 @sched_getaffinity(i32 0, i64 %size, ptr %cores)
  %asked = icmp eq i32 %error, 0
  br i1 %asked, label %choose, label %end

choose:
  call void @llvm.memcpy.p0.p0.i64(ptr %room, ptr %cores, i64 %size, i1 false)
  call void @leave_out_taken(ptr %pool, i64 %workers, ptr %room)
  ; An error if no core is left: then nothing moves.
  %refused = call i32 @sched_setaffinity(i32 0, i64 %size, ptr %room)
  %moved = icmp eq i32 %refused, 0
  br i1 %moved, label %note, label %end

note:
  %new = call i64 @note_core(ptr %pool, i64 %worker)
  ; Somebody else may have said meanwhile where it shall run.
  %unknown = call i32 @sched_getaffinity(i32 0, i64 %size, ptr %now)
  %differs = call i32 @bcmp(ptr %now, ptr %room, i64 %size)
  %bits = or i32 %unknown, %differs
  %same = icmp eq i32 %bits, 0
  br i1 %same, label %restore, label %end

restore:
  %ignored = call i32 @sched_setaffinity(i32 0, i64 %size, ptr %cores)
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
  %at = lshr i64 %core, 6
  %bit = and i64 %core, 63
  %word.p = getelementptr i64, ptr %set, i64 %at
  %word = load i64, ptr %word.p
  %one = shl i64 1, %bit
  %others = xor i64 %one, -1
  %kept = and i64 %word, %others
  store i64 %kept, ptr %word.p
  br label %skip

skip:
  %worker.next = add i64 %worker, 1
  %more = icmp ult i64 %worker.next, %workers
  br i1 %more, label %next, label %end

end:
  ret void
}
