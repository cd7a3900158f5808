# frozen_string_literal: true

# A Fiber::Scheduler with the hooks that core requires and no more: no fiber_interrupt, no
# timeout_after. Fibers are resumed and yield. It is here to prove that tasks need nothing else, so
# it stays as simple as it can be, and slow.
class TaskPlainScheduler
  def initialize
    @lock = Thread::Mutex.new
    @ready = []
    @parked = {} # fiber => when to wake it, or nil
    @readable = {}
    @writable = {}
    @wake_in, @wake_out = IO.pipe
  end

  def fiber(&)
    Fiber.new(blocking: false, &).tap(&:resume)
  end

  def block(_blocker, timeout = nil)
    park(timeout && (now + timeout))
  end

  def unblock(_blocker, fiber)
    @lock.synchronize { @ready << fiber }
    @wake_out.write_nonblock(".", exception: false)
  end

  def kernel_sleep(duration = nil)
    park(duration && (now + duration))
    true
  end

  def io_wait(io, events, timeout)
    @readable[io] = Fiber.current if events & IO::READABLE != 0
    @writable[io] = Fiber.current if events & IO::WRITABLE != 0
    # Core expects the events that came; the caller tries again, so a guess does no harm.
    park(timeout && (now + timeout)) ? events : false
  ensure
    @readable.delete(io)
    @writable.delete(io)
  end

  def close
    turn while busy?
    @wake_in.close
    @wake_out.close
  end

  private

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def busy? = @parked.any? || @lock.synchronize { @ready.any? }

  def park(limit)
    fiber = Fiber.current
    @parked[fiber] = limit
    Fiber.yield
  ensure
    @parked.delete(fiber)
  end

  def turn
    readable, writable, = IO.select([@wake_in, *@readable.keys], @writable.keys, [], pause)
    @wake_in.read_nonblock(1024, exception: false) if readable&.delete(@wake_in)
    woken = [*readable&.map { |io| @readable[io] }, *writable&.map { |io| @writable[io] }]
    woken.each { |fiber| fiber.resume(true) if fiber&.alive? }
    @parked.select { |_, limit| limit && limit <= now }
      .each_key { |fiber| fiber.resume(false) if @parked.key?(fiber) }
    @lock.synchronize { @ready.slice!(0..) }.each { |fiber| fiber.resume(true) if fiber.alive? }
  end

  def pause
    return 0 if @lock.synchronize { @ready.any? }

    soonest = @parked.values.compact.min
    soonest && [soonest - now, 0].max
  end
end
