# frozen_string_literal: true

require_relative "base"
require_relative "native"
require_relative "engine/config"
require_relative "engine/select"

module Raffia
  # The event loop. Operations go in (wait for a descriptor, transfer bytes, wait for a time),
  # completions come out, and any thread may inject one. All back ends have the interface of
  # {Select}.
  #
  # @api private
  module Engine
    KEY = :raffia_engine_probe
    private_constant :KEY

    class << self
      # An engine of the calling thread and process. Nil: the back end of RAFFIA_BACKEND, else the
      # best that works. Raises ConfigError when there is no such back end, or it does not work
      # here.
      def open(backend = nil)
        name = choose(backend)
        return Select.new if name == :select

        threads = Config.load.blocking_threads
        Native.blocking_threads = threads if threads
        Native.new(name.name, movable?)
      end

      # The name of the back end that {open} takes.
      def choose(backend = nil)
        backend ||= Config.load.backend
        return working.first unless backend

        name = BACKENDS.find { |known| known.name == backend.to_s } or raise ConfigError,
          "there is no back end #{backend.to_s.inspect} here: use one of #{BACKENDS.join(", ")}, " \
            "or none for the best that works"
        return name if working.include?(name)

        raise ConfigError,
          "the back end #{name} does not work here: #{reason(name)}. Use " \
          "#{working.join(" or ")}, or none for the best that works"
      end

      # The default.
      def best = choose

      # Tries every back end: each is opened and has to pass on a wake-up; io_uring a read too. The
      # kernel, a container or a seccomp filter may refuse any of them, so this is done once in a
      # process (or Ractor), not at build time.
      #
      # Each Hash has name:, ok:, and reason: when it does not work.
      def probe
        RactorLocal.fetch(KEY) do
          BACKENDS.map { |name| {name: name, ok: (reason = try(name)).nil?, reason: reason}.freeze }
            .freeze
        end
      end

      # Calls the block until it returns something truthy, and raises interrupts only afterwards.
      # For calls during which the kernel or another thread uses memory of this fiber.
      def uninterruptible(&) = Raffia::Native.uninterruptible(&)

      # For the unblock hook of {Scheduler::Portable}: calls the block, which wakes the fiber, until
      # it has returned. An interrupt of the calling thread is raised afterwards.
      def wake_fiber(blocker, fiber, &) = Raffia::Native.wake_fiber(blocker, fiber, &)

      # Whether the method that called the hook is like IO#close. Only for hooks of the scheduler.
      def closing? = Raffia::Native.closing?

      # Nil without the extension.
      def operation_policy = (OperationPolicy.new if Raffia::Native.available?)

      # Sends from a file to a socket without waiting. Returns bytes, or a negative errno; -EAGAIN:
      # wait until the socket is writable.
      def sendfile(to, from, position, length) = Raffia::Native.sendfile(to, from, position, length)

      # Whether the byte there can be read without waiting for a disk.
      def cached?(file, position) = Raffia::Native.cached?(file, position)

      # The objects, with nil for Ruby's internal ones, on which no method may be called.
      def visible(objects) = Raffia::Native.visible(objects)

      # The one of the fibers that has locked the mutex; nil also where that cannot be seen.
      def holder(mutex, fibers) = Raffia::Native.holder(mutex, fibers)

      private

      def working = probe.filter_map { |found| found[:name] if found[:ok] }

      def reason(name) = probe.find { |found| found[:name] == name }[:reason]

      # Why it does not work, or nil.
      def try(name)
        return if name == :select # it needs Ruby alone
        return "the extension is not built for this Ruby" unless Raffia::Native.available?

        Native.probe(name.name)
      end

      # Threads of other Ractors, and all but the first where RUBY_MN_THREADS=1, may be on another
      # kernel thread after each wait.
      def movable? = RUBY_DESCRIPTION.include?(" +MN") || !RactorLocal.main?
    end
  end
end
