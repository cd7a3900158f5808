# frozen_string_literal: true

require_relative "base"
require_relative "scheduler"
require_relative "task"
require_relative "pool"
require_relative "run/session"
require_relative "run/sidecars"
require_relative "snapshot"

module Raffia
  # Where scheduler, thread pools and scope of a {Raffia.run} meet.
  module Run
  end

  # Runs the block with a Fiber scheduler, a pool for calls that block, and a scope for tasks.
  # Returns when the block and all tasks have ended.
  #
  # The block runs in a fiber of its own, so `return`, `break` and `throw` cannot leave it: they
  # raise LocalJumpError and UncaughtThrowError there. `next` ends it with a value. Inside of a
  # running scheduler (a nested call, or another library's) there is only a new scope.
  #
  # An interrupt of the thread, such as Ctrl-C, is raised in the block, where it waits. If the block
  # does not rescue it, the tasks are cancelled and clean up; then it is raised here. A second
  # signal within five seconds, or any other interrupt while they clean up, does not wait.
  #
  # @example
  #   Raffia.run do |scope|
  #     pages = urls.map { |url| scope.spawn { Net::HTTP.get(URI(url)) } }
  #     pages.map(&:value)
  #   end
  #
  # @param backend [Symbol, String, nil] :uring, :epoll, :kqueue, :poll or :select; nil: that of
  #   RAFFIA_BACKEND, else the best that works here. Not for nested calls
  # @param dump_on [Symbol, String, nil] a signal, such as :USR2, on which a {dump} is written to
  #   stderr. It keeps its other effect, so HUP, INT, QUIT and TERM still end the program. :off:
  #   none; nil: that of RAFFIA_DUMP_SIGNAL
  # @param deadlock [Symbol, nil] when no fiber can ever resume (docs/adr/0008): :raise raises
  #   {Deadlock} in the block, :report writes the waits to stderr once, :off sleeps; nil: that of
  #   RAFFIA_DEADLOCK
  # @yieldparam scope [Scope]
  # @return [Object] the block's value
  # @raise [Exception] the first error of the block or a task
  # @raise [ConfigError] for a back end that does not work here, or a signal that cannot be handled
  def self.run(backend: nil, dump_on: nil, deadlock: nil, &block)
    raise ConfigError, "Raffia.run needs a block: the work to do" unless block
    unless RUBY_ENGINE == "ruby"
      raise ConfigError, "Raffia.run needs CRuby's Fiber scheduler, which this Ruby " \
        "(#{RUBY_ENGINE}) does not have: use on: :threads of Raffia.map and Raffia::Pool"
    end

    options = {backend: backend, dump_on: dump_on, deadlock: deadlock}.compact
    return Run::Session.new(**options).run(&block) unless Fiber.scheduler
    unless options.empty?
      raise ConfigError, "#{options.first.join(": ")} comes too late: a scheduler is running " \
        "already"
    end
    return Scope.open(&block) if Fiber.current_scheduler

    raise Error, "this thread has a scheduler, but this fiber blocks: call Raffia.run in " \
      "Fiber.schedule { }, or before Fiber.set_scheduler"
  end

  # Runs a call that would block the whole thread (a C library that knows nothing of fibers) on
  # another thread, while the calling fiber waits. Outside of a scheduler it just runs.
  # @return [Object] the block's value
  # @raise [Exception] of the block
  def self.offload(&block)
    raise ConfigError, "Raffia.offload needs a block: the call that blocks" unless block

    scheduler = Fiber.current_scheduler or return yield
    return scheduler.offloaded(&block) if scheduler.is_a?(Scheduler)

    pool = Executor::Threads::BlockingPool.new(max: 1)
    begin
      pool.call(&block)
    ensure
      pool.shutdown
    end
  end

  # The state of every fiber of this Ractor that waits, and of its loops. Any thread may call it,
  # and a trap handler.
  # @param frames [Integer, nil] how long each backtrace may be; nil: no bound
  # @return [Snapshot]
  def self.snapshot(frames: nil) = Snapshot.new(Scheduler.all, frames: frames)

  # Writes a {snapshot} for people.
  #
  # @param io [#write] with colours if it is a terminal (RAFFIA_COLOR)
  # @param frames [Integer] lines of each backtrace
  # @return [void]
  def self.dump(io = $stderr, frames: Snapshot::Report::FRAMES)
    color = config.color
    terminal = color == :auto && io.respond_to?(:tty?) && io.tty?
    text = snapshot.to_s(frames: frames, color: color == :always || terminal)
    # A fiber that waited here would not be in the snapshot, and a trap handler must not wait.
    Fiber.blocking { io.write(text) }
    nil
  end
end
