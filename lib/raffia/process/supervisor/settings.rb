# frozen_string_literal: true

require_relative "../../base/error"

module Raffia
  module Process
    class Supervisor
      # What can be set. Times are seconds, sizes bytes.
      #
      # @!attribute [r] workers
      #   @return [Integer] how many
      # @!attribute [r] slot
      #   @return [#call, nil] gets a slot's index and returns its resources, an Array of IOs: made
      #   once in the supervisor, kept by it for
      #     ever, and handed to every worker of the slot
      # @!attribute [r] preload
      #   @return [#call, nil] loads what all workers share, once for each generation; its value is
      #   the workers' {WorkerContext#preloaded}
      # @!attribute [r] template
      #   @return [Boolean] whether a template process calls `preload` and forks the workers.
      #   Without
      #     it each worker calls `preload` for itself: there is one process fewer, nothing is shared,
      #     and the replacement of a worker that died takes as long as `preload` does
      # @!attribute [r] name
      #   @return [String] in the titles of the processes
      # @!attribute [r] boot_timeout
      #   @return [Numeric] until a worker must have said {WorkerContext#ready!}, and until what is
      #   preloaded must be loaded
      # @!attribute [r] drain_timeout
      #   @return [Numeric] between being asked to stop and SIGKILL
      # @!attribute [r] hang_timeout
      #   @return [Numeric, nil] after the last {WorkerContext#beat} of a worker that beats at all;
      #   nil: never
      # @!attribute [r] hang_grace
      #   @return [Numeric] that a worker that hangs has between each of: a dump, SIGTERM, SIGKILL
      # @!attribute [r] memory_limit
      #   @return [Integer, nil] PSS of a worker, above which it is replaced
      # @!attribute [r] total_memory
      #   @return [Integer, nil] PSS of all workers together, above which the largest is replaced
      # @!attribute [r] memory_interval
      #   @return [Numeric] between two looks at the memory of the workers
      # @!attribute [r] max_age
      #   @return [Numeric, nil] after which a worker is replaced
      # @!attribute [r] jitter
      #   @return [Float] part of {max_age} by which the ages of workers differ
      # @!attribute [r] crash_limit
      #   @return [Integer] deaths of a slot's workers before they were ready, within
      #   {crash_window}, after which the supervisor gives up,
      #     unless another worker serves
      # @!attribute [r] crash_window
      #   @return [Numeric]
      # @!attribute [r] min_life
      #   @return [Numeric] for which a worker must have served to be replaced at once; of those
      #   that die sooner, again and again, the next
      #     comes after a pause
      # @!attribute [r] words
      #   @return [Integer] of a board
      # @!attribute [r] max_workers
      #   @return [Integer] how many there can be, with those that were added later
      # @!attribute [r] log
      #   @return [#info, #warn, #error, nil] a Logger
      # @!attribute [r] hooks
      #   @return [Hash{Symbol => #call}] see {HOOKS}
      # @!attribute [r] notify_socket
      #   @return [String, nil] systemd's NOTIFY_SOCKET
      # @!attribute [r] watchdog
      #   @return [Numeric, nil] systemd's WATCHDOG_USEC, in seconds
      # @!attribute [r] pid_file
      #   @return [String, nil] path
      Settings = Data.define(:workers, :slot, :preload, :template, :name, :boot_timeout,
        :drain_timeout, :hang_timeout, :hang_grace, :memory_limit,
        :total_memory, :memory_interval, :max_age, :jitter, :crash_limit, :crash_window, :min_life,
        :words, :max_workers, :log, :hooks, :notify_socket, :watchdog,
        :pid_file) do
        # @param given [Hash]
        # @return [Settings]
        # @raise [ConfigError]
        def self.from(given)
          unknown = given.keys - members
          if unknown.any?
            raise ConfigError, "a supervisor has no setting #{unknown.first}: it has " \
              "#{members.join(", ")}"
          end

          new(**self::DEFAULTS, max_workers: [256, given.fetch(:workers, 1).to_i].max, **given)
            .check
        end

        # @return [self]
        # @raise [ConfigError]
        def check
          count(:workers, 1..max_workers)
          count(:words, 0..)
          count(:crash_limit, 1..)
          self.class::TIMES.each { |name| positive(name) }
          self.class::OPTIONAL.each { |name| positive(name) if public_send(name) }
          unknown = hooks.keys - HOOKS
          if unknown.any?
            raise ConfigError, "there is no hook #{unknown.first}: there are #{HOOKS.join(", ")}"
          end

          self
        end

        # @return [Boolean] whether each worker calls `preload` for itself
        def worker_loads? = !preload.nil? && !template

        private

        def count(name, range)
          value = public_send(name)
          return if value.is_a?(Integer) && range.cover?(value)

          raise ConfigError, "#{name}: #{value.inspect} is not a number of #{range}"
        end

        def positive(name)
          value = public_send(name)
          unless value.is_a?(Numeric) && value.positive?
            raise ConfigError, "#{name}: #{value.inspect} is not a positive number"
          end
        end
      end

      # What can be hooked into, and where it is called:
      #
      # * before_fork (supervisor, or the process that has preloaded): (index) a worker is about to
      #   be forked. A worker that has preloaded for itself calls it before after_fork
      # * after_fork (worker): (context) it has just been
      # * before_worker_shutdown (worker): (context) its block has returned
      # * on_worker_ready, on_worker_exit (supervisor): (slot's status, and how it ended: {Exit})
      # * on_restart, on_reopen, on_stop (supervisor): ()
      # * on_message (supervisor): (index, name, data) a worker has sent what the supervisor itself
      #   does not know
      HOOKS = %i[before_fork after_fork before_worker_shutdown on_worker_ready on_worker_exit
        on_restart on_reopen on_stop
        on_message].freeze

      class Settings
        # Puma's and systemd's are alike: long enough for applications that start slowly and for
        # downloads that end.
        DEFAULTS = {workers: 1, slot: nil, preload: nil, template: true, name: "raffia",
                    boot_timeout: 60, drain_timeout: 30, hang_timeout: 60, hang_grace: 2,
                    memory_limit: nil, total_memory: nil, memory_interval: 10, max_age: nil,
                    jitter: 0.1, crash_limit: 5, crash_window: 60, min_life: 1, words: 64, log: nil,
                    hooks: {}.freeze, notify_socket: nil, watchdog: nil, pid_file: nil}.freeze
        # These there always are.
        TIMES = %i[boot_timeout drain_timeout hang_grace memory_interval crash_window].freeze
        # These may be nil.
        OPTIONAL = %i[hang_timeout memory_limit total_memory max_age watchdog].freeze
      end
    end
  end
end
