; The worker pool: threads that wait for jobs, and `dispatch`, which gives them some.
;
; The pool is an array of words as a job is; pool_words.py names them. LOCK, its first, is
; taken by who has given work to the threads; nobody waits for it. Every thread has a slot of its own, from
; which it learns of work. Worker w starts workers 2w+1 and 2w+2, so that many are started
; in few steps.
;
; The STATE of a slot, its only word that two threads change at once:
;   0 idle    the thread spins
;   1 work    JOB and WORKERS are set, the thread has not taken them yet
;   2 asleep  the thread sleeps, or is about to
;   3 end     the thread shall end
;   4 roused  the thread was woken without work, since there will be some
; A thread falls asleep by exchanging 0 for 2 and then sleeps while it is 2; who gives it
; work stores 1 and wakes it if there was a 2, and who rouses it exchanges 2 for 4 and wakes
; it. A roused thread exchanges 4 for 0. All on one word, so no wake-up is lost.

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(ptr)
declare ptr @pthread_self()
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sigfillset(ptr)

; Run a job and return its STOP. Called with the GIL held, and returns so; an exception may
; be set then.
define i64 @dispatch(ptr %pool, ptr %job) {
  call void @reset(ptr %pool, ptr %job)
  call void @enter_native(ptr %job)
  %workers = call i64 @gather(ptr %pool, ptr %job)
  %alone = icmp eq i64 %workers, 1
  br i1 %alone, label %by_itself, label %together

by_itself:
  call void @run(ptr %job, i64 0, i64 1)
  br label %measure

together:
  call void @start_next(ptr %pool, ptr %job, i64 0, i64 %workers)
  call void @run(ptr %job, i64 0, i64 %workers)
  call void @await_others(ptr %pool, ptr %job, i64 %workers)
  %running = getelementptr i64, ptr %pool, i64 $RUNNING
  store atomic ptr null, ptr %running monotonic, align 8
  store atomic i64 0, ptr %pool release, align 8
  br label %measure

measure:
  call void @learn(ptr %pool, ptr %job)
  call void @leave_native(ptr %job)
  %stop.p = getelementptr i64, ptr %job, i64 $STOP
  %stop = load atomic i64, ptr %stop.p monotonic, align 8
  ret i64 %stop
}

; Forget an earlier run. Nobody else uses the job now.
define internal void @reset(ptr %pool, ptr %job) alwaysinline {
  %stop = getelementptr i64, ptr %job, i64 $STOP
  %arrived = getelementptr i64, ptr %job, i64 $ARRIVED
  %apart = getelementptr i64, ptr %job, i64 $ARRIVED_APART
  %parked = getelementptr i64, ptr %job, i64 $PARKED
  %next = getelementptr i64, ptr %job, i64 $NEXT_SIGNALS
  store i64 0, ptr %stop
  store i64 0, ptr %arrived
  store i64 0, ptr %apart
  store i64 0, ptr %parked
  store i64 0, ptr %next
  %choice = getelementptr i64, ptr %job, i64 $CHOICE
  store i64 $CHOSE_NOTHING, ptr %choice
  %last = getelementptr i64, ptr %job, i64 $LAST_LOOK
  %began = getelementptr i64, ptr %job, i64 $BEGAN
  %now = call i64 @ticks()
  store i64 %now, ptr %last
  store i64 %now, ptr %began
  %main.p = getelementptr i64, ptr %pool, i64 $MAIN_THREAD
  %main = load ptr, ptr %main.p
  %self = call ptr @pthread_self()
  %hears = icmp eq ptr %self, %main
  %hears.word = zext i1 %hears to i64
  %hears.p = getelementptr i64, ptr %job, i64 $HEARS_SIGNALS
  store i64 %hears.word, ptr %hears.p
  ret void
}

; How many workers run the job. If more than one, LOCK is taken and all is ready to start
; them.
define internal i64 @gather(ptr %pool, ptr %job) alwaysinline {
  %wanted.p = getelementptr i64, ptr %job, i64 $WORKERS
  %wanted = load i64, ptr %wanted.p
  %few = icmp ule i64 %wanted, 1
  br i1 %few, label %alone, label %try

alone:
  ret i64 1

try:
  %exchange = cmpxchg ptr %pool, i64 0, i64 1 acquire monotonic
  %mine = extractvalue { i64, i1 } %exchange, 1
  br i1 %mine, label %locked, label %alone

locked:
  ; A pool that retired has size 1, from before LOCK was taken for that.
  %size.p = getelementptr i64, ptr %pool, i64 $SIZE
  %size = load atomic i64, ptr %size.p monotonic, align 8
  %workers = call i64 @llvm.umin.i64(i64 %wanted, i64 %size)
  %threads = call i64 @have_threads(ptr %pool, i64 %workers)
  %crew = add i64 %threads, 1
  %able = call i64 @llvm.umin.i64(i64 %crew, i64 %workers)
  %nobody = icmp ule i64 %able, 1
  br i1 %nobody, label %unlock, label %choose

choose:
  %without = call i1 @choose_alone(ptr %pool, ptr %job, i64 %able)
  br i1 %without, label %unlock, label %ready

unlock:
  store atomic i64 0, ptr %pool release, align 8
  br label %alone

ready:
  %running = getelementptr i64, ptr %pool, i64 $RUNNING
  store atomic ptr %job, ptr %running monotonic, align 8
  %left = getelementptr i64, ptr %pool, i64 $LEFT
  %others = sub i64 %able, 1
  %others.half = trunc i64 %others to i32
  store atomic i32 %others.half, ptr %left monotonic, align 8
  %cores.p = getelementptr i64, ptr %pool, i64 $CORES
  %cores = load i64, ptr %cores.p
  %crowded = icmp ugt i64 %able, %cores
  %patience = select i1 %crowded, i64 0, i64 $SPIN_TICKS
  %patience.p = getelementptr i64, ptr %job, i64 $PATIENCE
  store i64 %patience, ptr %patience.p
  %pool.p = getelementptr i64, ptr %job, i64 $POOL
  store ptr %pool, ptr %pool.p
  %core = call i64 @note_core(ptr %pool, i64 0)
  ret i64 %able
}

; Run the generated code as one of the workers. One that returns because of STOP makes the
; others see it, wherever they wait.
define internal void @run(ptr %job, i64 %worker, i64 %workers) alwaysinline {
  %entry.p = getelementptr i64, ptr %job, i64 $ENTRY
  %entry = load ptr, ptr %entry.p
  call void %entry(ptr %job, i64 %worker, i64 %workers)
  %stop.p = getelementptr i64, ptr %job, i64 $STOP
  %stop = load atomic i64, ptr %stop.p monotonic, align 8
  %done = icmp eq i64 %stop, 0
  br i1 %done, label %end, label %stopped

stopped:
  call void @open(ptr %job)
  br label %end

end:
  ret void
}

; Give work to the threads that this worker starts.
define internal void @start_next(ptr %pool, ptr %job, i64 %worker, i64 %workers) alwaysinline {
  %double = shl i64 %worker, 1
  %one = add i64 %double, 1
  %two = add i64 %double, 2
  call void @start(ptr %pool, ptr %job, i64 %one, i64 %workers)
  call void @start(ptr %pool, ptr %job, i64 %two, i64 %workers)
  ret void
}

define internal void @start(ptr %pool, ptr %job, i64 %worker, i64 %workers) alwaysinline {
  %exists = icmp ult i64 %worker, %workers
  br i1 %exists, label %give, label %end

give:
  %slot = call ptr @slot_of(ptr %pool, i64 %worker)
  %job.p = getelementptr i64, ptr %slot, i64 $SLOT_JOB
  store ptr %job, ptr %job.p
  %workers.p = getelementptr i64, ptr %slot, i64 $SLOT_WORKERS
  store i64 %workers, ptr %workers.p
  call void @tell(ptr %slot, i32 1)
  br label %end

end:
  ret void
}

; Change the STATE of a slot and wake its thread if it sleeps.
define internal void @tell(ptr %slot, i32 %state) alwaysinline {
  %before = atomicrmw xchg ptr %slot, i32 %state acq_rel
  %asleep = icmp eq i32 %before, 2
  br i1 %asleep, label %wake, label %end

wake:
  call void @wake_elsewhere(ptr %slot)
  br label %end

end:
  ret void
}

define internal ptr @slot_of(ptr %pool, i64 %worker) alwaysinline {
  %skipped = mul i64 %worker, $SLOT_SIZE
  %offset = add i64 %skipped, $SLOTS
  %slot = getelementptr i64, ptr %pool, i64 %offset
  ret ptr %slot
}

; Wait until all threads have left the job; looks at signals and the deadline meanwhile.
; The last thread to leave subtracts from LEFT and then reads WATCHED; here WATCHED is set
; and then LEFT read, by the kernel at the latest: no wake-up is lost. Both words are the
; pool's, since the job may be gone when the last thread reads WATCHED.
define internal void @await_others(ptr %pool, ptr %job, i64 %workers) alwaysinline {
  %left = getelementptr i64, ptr %pool, i64 $LEFT
  %watched = getelementptr i64, ptr %pool, i64 $WATCHED
  br label %spin

spin:
  %seen = load atomic i32, ptr %left acquire, align 8
  %none = icmp eq i32 %seen, 0
  br i1 %none, label %end, label %some

some:
  %changed = call i1 @wait_awake(ptr %job, i64 0, i64 %workers, ptr %left, i32 %seen)
  br i1 %changed, label %spin, label %impatient

impatient:
  store atomic i64 1, ptr %watched seq_cst, align 8
  br label %check

check:
  %now = load atomic i32, ptr %left seq_cst, align 8
  %all = icmp eq i32 %now, 0
  br i1 %all, label %gone, label %sleep

sleep:
  call void @sleep_while(ptr %left, i32 %now, i64 $NAP)
  call void @look(ptr %job)
  br label %check

gone:
  store atomic i64 0, ptr %watched monotonic, align 8
  br label %end

end:
  ret void
}

; The life of a thread.
define internal ptr @live(ptr %slot) alwaysinline {
entry:
  %pool.p = getelementptr i64, ptr %slot, i64 $SLOT_POOL
  %pool = load ptr, ptr %pool.p
  %worker.p = getelementptr i64, ptr %slot, i64 $SLOT_WORKER
  %worker = load i64, ptr %worker.p
  call void @introduce(ptr %slot)
  br label %idle

idle:
  %patience = phi i64 [ 0, %entry ], [ %patience.next, %begin ]
  %state = call i32 @await_work(ptr %slot, i64 %patience)
  %over = icmp eq i32 %state, 3
  br i1 %over, label %end, label %work

work:
  %job.p = getelementptr i64, ptr %slot, i64 $SLOT_JOB
  %job = load ptr, ptr %job.p
  %workers.p = getelementptr i64, ptr %slot, i64 $SLOT_WORKERS
  %workers = load i64, ptr %workers.p
  %patience.p = getelementptr i64, ptr %job, i64 $PATIENCE
  %patience.next = load i64, ptr %patience.p
  ; The next to change it does so after this job has ended.
  store atomic i32 0, ptr %slot monotonic, align 8
  call void @start_next(ptr %pool, ptr %job, i64 %worker, i64 %workers)
  %core.p = getelementptr i64, ptr %slot, i64 $SLOT_CORE
  %core = load i64, ptr %core.p
  %woken = icmp eq i64 %core, 0
  %enough = icmp ne i64 %patience.next, 0
  %looks = and i1 %woken, %enough
  br i1 %looks, label %place, label %begin

place:
  ; It may have been woken on the core of another worker.
  call void @sit_apart(ptr %pool, i64 %worker, i64 %workers)
  br label %begin

begin:
  call void @set_default_floats()
  call void @run(ptr %job, i64 %worker, i64 %workers)
  call void @leave(ptr %pool)
  br label %idle

end:
  %alive = getelementptr i64, ptr %pool, i64 $ALIVE
  %before = atomicrmw sub ptr %alive, i64 1 release
  ret ptr null
}

; Wait for work; 1, or 3 if there will be none.
define internal i32 @await_work(ptr %slot, i64 %patience) alwaysinline {
entry:
  br label %awake

awake:
  %waits = phi i64 [ %patience, %entry ], [ %waits.next, %roused ]
  %soon = call i1 @spin(ptr %slot, i32 0, i64 %waits)
  br i1 %soon, label %check, label %tired

tired:
  call void @return_core(ptr %slot)
  %core.p = getelementptr i64, ptr %slot, i64 $SLOT_CORE
  store atomic i64 0, ptr %core.p monotonic, align 8
  %exchange = cmpxchg ptr %slot, i32 0, i32 2 acq_rel acquire
  br label %check

check:
  %now = load atomic i32, ptr %slot acquire, align 8
  switch i32 %now, label %end [ i32 2, label %sleep
                                i32 4, label %roused ]

sleep:
  call void @sleep_while(ptr %slot, i32 2, i64 -1)
  call void @return_core(ptr %slot)
  br label %check

roused:
  %ignored = cmpxchg ptr %slot, i32 4, i32 0 acq_rel acquire
  call void @rouse_next(ptr %slot)
  %pool.p = getelementptr i64, ptr %slot, i64 $SLOT_POOL
  %pool = load ptr, ptr %pool.p
  %expected.p = getelementptr i64, ptr %pool, i64 $EXPECTED
  %expected = load atomic i64, ptr %expected.p monotonic, align 8
  ; Threads that are more than the cores do not spin.
  %crowded = icmp eq i64 %patience, 0
  %waits.next = select i1 %crowded, i64 0, i64 %expected
  br label %awake

end:
  ret i32 %now
}

; A thread has left the job; see `await_others`.
define internal void @leave(ptr %pool) alwaysinline {
  %left = getelementptr i64, ptr %pool, i64 $LEFT
  %before = atomicrmw sub ptr %left, i32 1 seq_cst
  %last = icmp eq i32 %before, 1
  br i1 %last, label %announce, label %end

announce:
  %watched.p = getelementptr i64, ptr %pool, i64 $WATCHED
  %watched.word = load atomic i64, ptr %watched.p seq_cst, align 8
  %watched = icmp ne i64 %watched.word, 0
  br i1 %watched, label %wake, label %end

wake:
  call void @wake(ptr %left)
  br label %end

end:
  ret void
}

; Start threads until there are enough for so many workers, the caller being one; return
; how many there are, fewer if the system has no more. LOCK is taken.
define internal i64 @have_threads(ptr %pool, i64 %workers) alwaysinline {
entry:
  %started.p = getelementptr i64, ptr %pool, i64 $STARTED
  br label %loop

loop:
  %started = load i64, ptr %started.p
  %worker = add i64 %started, 1
  %enough = icmp uge i64 %worker, %workers
  br i1 %enough, label %end, label %more

more:
  %made = call i1 @start_thread(ptr %pool, i64 %worker)
  br i1 %made, label %count, label %end

count:
  store i64 %worker, ptr %started.p
  br label %loop

end:
  ret i64 %started
}

; Start the thread of a worker, deaf to all signals; false if that fails.
define internal i1 @start_thread(ptr %pool, i64 %worker) noinline {
  %thread = alloca ptr
  ; Room for the signal set of any system.
  %all = alloca [32 x i64]
  %before = alloca [32 x i64]
  %slot = call ptr @slot_of(ptr %pool, i64 %worker)
  %pool.p = getelementptr i64, ptr %slot, i64 $SLOT_POOL
  store ptr %pool, ptr %pool.p
  %worker.p = getelementptr i64, ptr %slot, i64 $SLOT_WORKER
  store i64 %worker, ptr %worker.p
  store atomic i32 0, ptr %slot monotonic, align 8
  %alive = getelementptr i64, ptr %pool, i64 $ALIVE
  %ignored = atomicrmw add ptr %alive, i64 1 monotonic
  %filled = call i32 @sigfillset(ptr %all)
  %blocked = call i32 @pthread_sigmask(i32 $SIG_SETMASK, ptr %all, ptr %before)
  %error = call i32 @pthread_create(ptr %thread, ptr null, ptr @live, ptr %slot)
  %unblocked = call i32 @pthread_sigmask(i32 $SIG_SETMASK, ptr %before, ptr null)
  %made = icmp eq i32 %error, 0
  br i1 %made, label %good, label %bad

good:
  %handle = load ptr, ptr %thread
  %detached = call i32 @pthread_detach(ptr %handle)
  ret i1 true

bad:
  %undone = atomicrmw sub ptr %alive, i64 1 monotonic
  ret i1 false
}

; Tell all threads to end; later jobs run in their callers alone. 0 if threads are at work:
; then their job is told to stop, and the caller shall try again. The caller holds the GIL,
; so that job cannot go away meanwhile.
define i64 @retire(ptr %pool) {
  %size = getelementptr i64, ptr %pool, i64 $SIZE
  store atomic i64 1, ptr %size monotonic, align 8
  %exchange = cmpxchg ptr %pool, i64 0, i64 1 acquire monotonic
  %mine = extractvalue { i64, i1 } %exchange, 1
  br i1 %mine, label %locked, label %busy

busy:
  %running.p = getelementptr i64, ptr %pool, i64 $RUNNING
  %running = load atomic ptr, ptr %running.p monotonic, align 8
  %known = icmp ne ptr %running, null
  br i1 %known, label %stop, label %again

stop:
  call void @halt(ptr %running, i64 $STATUS_CLOSED)
  br label %again

again:
  ret i64 0

locked:
  %started.p = getelementptr i64, ptr %pool, i64 $STARTED
  br label %loop

loop:
  %worker = load i64, ptr %started.p
  %none = icmp eq i64 %worker, 0
  br i1 %none, label %unlock, label %next

next:
  %slot = call ptr @slot_of(ptr %pool, i64 %worker)
  call void @tell(ptr %slot, i32 3)
  %fewer = sub i64 %worker, 1
  store i64 %fewer, ptr %started.p
  br label %loop

unlock:
  store atomic i64 0, ptr %pool release, align 8
  ret i64 1
}

declare i64 @llvm.umin.i64(i64, i64)
