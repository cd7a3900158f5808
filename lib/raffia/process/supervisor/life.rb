# frozen_string_literal: true

require_relative "../../base/signals"
require_relative "../descendant"
require_relative "../files"
require_relative "outcry"

module Raffia
  module Process
    class Supervisor
      # The life of a worker, in its process. Unlike a pool's worker, it is the program: it runs the
      # application's `at_exit` handlers when it ends by itself, as with other servers.
      #
      # * Signals to stop are the supervisor's to understand; a terminal, and systemd, send them to
      #   the whole group. SIGTERM to a worker asks the supervisor to drain it, SIGINT and the
      #   others do nothing (by handlers: ignored signals would be inherited by programs).
      # * It ends with the supervisor, by kill -9 too.
      # * Standard input is the null device, output is written at once.
      #
      # @api private
      class Life
        include Descendant

        # Signals that say nothing to a worker.
        SILENT = %i[INT HUP QUIT USR1 USR2 TTIN TTOU].freeze

        # @param seat [Seat]
        # @return [Hash{Symbol => #call}] what signals mean to a worker. Code that it loads may set
        #   handlers of its own, and then these are to be set again
        def self.handlers(seat)
          {TERM: ->(_) { seat.leave }, **SILENT.to_h { |name| [name, ->(_) {}] }}
        end

        # @param supervisor [Integer] its pid
        # @param settings [Settings]
        def initialize(supervisor, settings)
          @supervisor = supervisor
          @name = settings.name
          @hooks = settings.hooks
          @preload = settings.preload if settings.worker_loads?
          @log = settings.log
        end

        # @param seat [Seat]
        # @param work [#call]
        # @return [Integer] exit status
        def run(seat, work)
          Signals.with(chain: false, CHLD: "DEFAULT", **Life.handlers(seat)) do
            settle(seat)
            serve(seat, work)
          end
        end

        private

        def serve(seat, work)
          preload(seat) if @preload
          @hooks[:after_fork]&.call(seat)
          work.call(seat)
          @hooks[:before_worker_shutdown]&.call(seat)
          0
        rescue SystemExit => exit
          exit.status
        rescue Exception => error # standard:disable Lint/RescueException
          Outcry.call(@log, "worker #{seat.index} (#{::Process.pid}) failed", error)
          1
        end

        # The hooks find the application loaded, as they do behind a template process.
        def preload(seat)
          load(seat)
          @hooks[:before_fork]&.call(seat.index)
        end

        def load(seat)
          seat.preloaded = @preload.call
        rescue Exception => error # standard:disable Lint/RescueException
          Outcry.call(@log, "loading failed", error)
          seat.load_failed
          ::Process.exit!(1)
        end

        def settle(seat)
          Files.disown
          seat.supervisor = @supervisor
          end_with(@supervisor)
          Thread.new { live_and_die_with(seat) }.name = "raffia seat"
          ::Process.setproctitle("#{@name}: worker #{seat.index}, generation #{seat.generation}")
          settle_streams
        end

        # Not by `ensure`: that would also run when this process ends in peace.
        def live_and_die_with(seat)
          begin
            seat.listen
          rescue Exception => error # standard:disable Lint/RescueException
            Outcry.call(@log, "worker #{seat.index} (#{::Process.pid}) cannot read", error)
          end
          ::Process.exit!(ORPHANED)
        end
      end
    end
  end
end
