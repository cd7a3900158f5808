# frozen_string_literal: true

require_relative "../../base/signals"
require_relative "../../process/supervisor"
require_relative "../worker"

module Raffia
  module Jobs
    class Worker
      # Worker processes, and this one that keeps them alive.
      #
      # @api private
      class Supervised
        # Seconds that a worker has beyond its own timeout: to interrupt what is left, and to give it back.
        MARGIN = 8
        # Seconds between two looks at the memory of the workers: a job may take it up quickly.
        LOOK = 5

        # @param load [#call] the application, once for each generation of workers
        # @param timeout [Numeric] seconds, of the workers
        # @param settings [Hash] of {Process::Supervisor}
        # @yieldparam heart [#beat]
        # @yieldreturn [Worker]
        def initialize(load:, timeout:, **settings, &make)
          @make = make
          @log = settings[:log]
          @supervisor = Process::Supervisor.new(**settings, preload: load, drain_timeout: timeout + MARGIN, memory_interval: LOOK) { |seat| work(seat) }
        end

        # @return [Hash] see {Process::Supervisor#status}
        def status = @supervisor.status || {state: :booting, workers: 0, ready: 0, slots: []}

        # @return [Integer] exit status
        # @yield when signals are understood
        def run(&)
          Signals.with(chain: false, TSTP: ->(_) { @supervisor.broadcast("quiet") }) { @supervisor.run(&) }
        end

        private

        # The life of a worker process. A terminal's Ctrl-Z goes to the whole group, and is said to the workers by their supervisor.
        def work(seat)
          worker = @make.call(seat)
          seat.on_stop { worker.stop }
          seat.on_message("quiet") { worker.quiet }
          seat.on_message("dump") { Raffia.dump }
          Signals.with(chain: false, **Process::Supervisor::Life.handlers(seat), TSTP: ->(_) {}) { worker.run { seat.ready! } }
        rescue Raffia::Error => error
          @log&.fatal(error.message) # a sentence says it; where in Raffia it comes from says nothing to anybody
          exit(1)
        end
      end
    end
  end
end
