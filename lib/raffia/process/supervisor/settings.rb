# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # The settings of a supervisor. Times are seconds, sizes bytes.
      #
      # workers:: how many
      # slot:: nil, or a callable: gets a slot's index and returns its resources, an Array of IOs,
      #        which go to every worker of the slot. Called once, in the supervisor
      # behind:: nil, or a callable: gets the index and the row of a worker that serves, and returns
      #          whether new connections are to go to other slots for now
      # preload:: nil, or a callable: loads what all workers share, once for each generation; its
      #           value is the workers' {WorkerContext#preloaded}
      # template:: whether a template process calls +preload+ and forks the workers. Without it each
      #            worker calls +preload+: nothing is shared, and replacements take longer
      # name:: in the titles of the processes
      # boot_timeout:: until {WorkerContext#ready!}, and for +preload+
      # drain_timeout:: between the request to stop and SIGKILL
      # hang_timeout:: after the last {WorkerContext#beat} of a worker that beats at all; nil: never
      # hang_grace:: for a worker that hangs, between a dump, SIGTERM and SIGKILL
      # memory_limit:: nil, or PSS of a worker above which it is replaced
      # total_memory:: nil, or PSS of all workers together above which the largest is replaced
      # memory_interval:: between two measurements of memory
      # max_age:: nil, or age at which a worker is replaced
      # jitter:: part of +max_age+ by which the ages of workers differ
      # crash_limit, crash_window:: deaths of a slot's workers before they were ready, within the
      #                             window, after which the supervisor gives up, unless another
      #                             worker serves
      # min_life:: for which a worker must have served to be replaced at once; after several that
      #            die sooner comes a pause
      # words:: of a board
      # max_workers:: how many there can be after {Supervisor#resize}
      # log:: nil, or a Logger
      # autoscale:: nil, or an {Autoscaler::Settings}: the number of workers follows their load
      # hooks:: Hash of callables, see {HOOKS}
      # notify_socket:: nil, or systemd's NOTIFY_SOCKET
      # watchdog:: nil, or systemd's WATCHDOG_USEC, in seconds
      # pid_file:: nil, or a path
      Settings = Data.define(:workers, :slot, :behind, :preload, :template, :name, :boot_timeout,
        :drain_timeout, :hang_timeout, :hang_grace, :memory_limit,
        :total_memory, :memory_interval, :max_age, :jitter, :crash_limit, :crash_window, :min_life,
        :words, :max_workers, :autoscale, :log, :hooks, :notify_socket, :watchdog,
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

      # Where each hook is called, and with what:
      #
      # * before_fork (supervisor, or the process that has preloaded): (index) a worker is about to
      #   be forked. A worker that has preloaded for itself calls it before after_fork
      # * after_fork (worker): (context) it has just been
      # * before_worker_shutdown (worker): (context) its block has returned
      # * on_worker_ready, on_worker_exit (supervisor): (slot's status, and how it ended: {Exit})
      # * on_restart, on_reopen, on_stop (supervisor): ()
      # * on_message (supervisor): (index, name, data) a message that the supervisor does not know
      HOOKS = %i[before_fork after_fork before_worker_shutdown on_worker_ready on_worker_exit
        on_restart on_reopen on_stop
        on_message].freeze

      class Settings
        # Like Puma's and systemd's: long enough for applications that start slowly and for long
        # downloads.
        DEFAULTS = {workers: 1, slot: nil, behind: nil, preload: nil, template: true, name: "raffia",
                    boot_timeout: 60, drain_timeout: 30, hang_timeout: 60, hang_grace: 2,
                    memory_limit: nil, total_memory: nil, memory_interval: 10, max_age: nil,
                    jitter: 0.1, crash_limit: 5, crash_window: 60, min_life: 1, words: 64, autoscale: nil,
                    log: nil,
                    hooks: {}.freeze, notify_socket: nil, watchdog: nil, pid_file: nil}.freeze
        # These there always are.
        TIMES = %i[boot_timeout drain_timeout hang_grace memory_interval crash_window].freeze
        # These may be nil.
        OPTIONAL = %i[hang_timeout memory_limit total_memory max_age watchdog].freeze
      end
    end
  end
end
