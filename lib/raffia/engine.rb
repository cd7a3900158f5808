# frozen_string_literal: true

require_relative "base"
require_relative "native"
require_relative "engine/config"
require_relative "engine/select"

module Raffia
  # The event loop. Operations go in (wait for a descriptor, transfer bytes, wait for a time),
  # completions come out, and any thread may inject one. Each back end has the same interface, which
  # {Select} documents.
  module Engine
    KEY = :raffia_engine_probe
    private_constant :KEY

    class << self
      # @param backend [Symbol, String, nil] nil: the one of RAFFIA_BACKEND, else the best that
      #   works here
      # @return [Select, Native] an engine that belongs to the calling thread and process
      # @raise [ConfigError] when there is no such back end, or it does not work here
      def open(backend = nil)
        name = choose(backend)
        return Select.new if name == :select

        threads = Config.load.blocking_threads
        Native.blocking_threads = threads if threads
        Native.new(name.name, movable?)
      end

      # The back end that {open} takes.
      #
      # @param backend [Symbol, String, nil]
      # @return [Symbol]
      # @raise [ConfigError]
      def choose(backend = nil)
        backend ||= Config.load.backend
        return working.first unless backend

        name = BACKENDS.find { |known| known.name == backend.to_s } or raise ConfigError,
          "there is no back end #{backend.to_s.inspect} here: use one of #{BACKENDS.join(", ")}, " \
            "or none for the best that works"
        return name if working.include?(name)

        raise ConfigError,
          "the back end #{name} does not work here: #{reason(name)}. Use " \
          "#{working.join(" or ")}, " \
          "or none for the best that works"
      end

      # @return [Symbol] the back end that is used when none is named
      # @raise [ConfigError] when RAFFIA_BACKEND names one that does not work
      def best = choose

      # Tries every back end: each is opened and has to pass on a wake-up; io_uring a read too. The
      # kernel, a container or a seccomp filter may refuse any of them, so this is done once in a
      # process (or Ractor), not at build time.
      #
      # @return [Array<Hash>] name:, ok:, and reason: when it does not work
      def probe
        RactorLocal.fetch(KEY) do
          BACKENDS.map { |name| {name: name, ok: (reason = try(name)).nil?, reason: reason}.freeze }
            .freeze
        end
      end

      # Calls the block until it returns something truthy. What is raised meanwhile is raised
      # afterwards. For calls during which the kernel or another thread uses memory of this fiber.
      #
      # @yieldreturn [Boolean] whether it is done
      # @return [void]
      def uninterruptible(&) = Raffia::Native.uninterruptible(&)

      # For the unblock hook of a scheduler in Ruby: calls the block, which wakes the fiber, until
      # it has returned. An interrupt of the calling thread is raised afterwards.
      #
      # @param blocker [Object] as the hook gets it
      # @param fiber [Fiber]
      # @return [void]
      def wake_fiber(blocker, fiber, &) = Raffia::Native.wake_fiber(blocker, fiber, &)

      # Only for hooks of the scheduler: whether the method that called the hook is like IO#close.
      # @return [Boolean]
      def closing? = Raffia::Native.closing?

      # @return [OperationPolicy, nil] nil without the extension
      def operation_policy = (OperationPolicy.new if Raffia::Native.available?)

      # Sends from a file to a socket, where that needs no wait and can be done by the kernel alone.
      # @return [Integer] bytes, or a negative errno; -EAGAIN: wait until the socket is writable
      def sendfile(to, from, position, length) = Raffia::Native.sendfile(to, from, position, length)

      # @return [Boolean] whether the byte there can be read without waiting for a disk
      def cached?(file, position) = Raffia::Native.cached?(file, position)

      # @param objects [Array] such as blockers: Ruby's insides have objects on which nothing may be
      #   called
      # @return [Array] the same, with nil in their places
      def visible(objects) = Raffia::Native.visible(objects)

      # @param mutex [Thread::Mutex]
      # @param fibers [Array<Fiber>]
      # @return [Fiber, nil] the one of the fibers that has locked it; nil also where that cannot be
      #   seen
      def holder(mutex, fibers) = Raffia::Native.holder(mutex, fibers)

      private

      def working = probe.filter_map { |found| found[:name] if found[:ok] }

      def reason(name) = probe.find { |found| found[:name] == name }[:reason]

      # @return [String, nil] why it does not work
      def try(name)
        return if name == :select # it needs Ruby alone
        return "the extension is not built for this Ruby" unless Raffia::Native.available?

        Native.probe(name.name)
      end

      # Threads of other Ractors, and all but the first where RUBY_MN_THREADS=1, may find themselves
      # on another kernel thread after each wait.
      def movable? = RUBY_DESCRIPTION.include?(" +MN") || !RactorLocal.main?
    end
  end
end
