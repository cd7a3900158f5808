# frozen_string_literal: true

require_relative "error_reporter"

module Raffia
  module Process
    class Supervisor
      # Main of a supervised worker. Unlike a pool's worker it is the program: it runs the
      # application's `at_exit` handlers when it ends by itself.
      #
      # * A terminal, and systemd, send signals to the whole group, so the supervisor decides.
      # SIGTERM
      #   asks it to drain this worker; SIGINT and others do nothing. (By handlers: programs would
      #   inherit ignored signals.)
      # * It ends with the supervisor, by kill -9 too.
      # * Standard input is the null device, output is unbuffered.
      #
      # @api private
      class WorkerMain
        SILENT = %i[INT HUP QUIT USR1 USR2 TTIN TTOU].freeze

        # Handlers by signal. Code that the worker loads may replace them, and then they are to be
        # set again.
        def self.signal_handlers(context)
          {TERM: ->(_) { context.leave }, **SILENT.to_h { |name| [name, ->(_) {}] }}
        end

        def initialize(supervisor, settings)
          @supervisor = supervisor
          @name = settings.name
          @hooks = settings.hooks
          @preload = settings.preload if settings.worker_loads?
          @log = settings.log
        end

        def run(context, work)
          Signals.with(chain: false, CHLD: "DEFAULT", **WorkerMain.signal_handlers(context)) do
            settle(context)
            serve(context, work)
          end
        end

        private

        def serve(context, work)
          preload(context) if @preload
          @hooks[:after_fork]&.call(context)
          work.call(context)
          @hooks[:before_worker_shutdown]&.call(context)
          0
        rescue SystemExit => exit
          exit.status
        rescue Exception => error # standard:disable Lint/RescueException
          ErrorReporter.call(@log, "worker #{context.index} (#{::Process.pid}) failed", error)
          1
        end

        # The hooks find the application loaded, as they do behind a template process.
        def preload(context)
          load(context)
          @hooks[:before_fork]&.call(context.index)
        end

        def load(context)
          context.preloaded = @preload.call
        rescue Exception => error # standard:disable Lint/RescueException
          ErrorReporter.call(@log, "loading failed", error)
          context.load_failed
          ::Process.exit!(1)
        end

        def settle(context)
          OutputBuffers.discard
          context.supervisor = @supervisor
          ChildSetup.die_with(@supervisor)
          Thread.new { listen_until_orphaned(context) }.name = "raffia supervisor channel"
          ::Process.setproctitle("#{@name}: worker #{context.index}, generation " \
            "#{context.generation}")
          ChildSetup.settle_streams
        end

        # Not by `ensure`: that would also run when this process ends normally.
        def listen_until_orphaned(context)
          begin
            context.listen
          rescue Exception => error # standard:disable Lint/RescueException
            ErrorReporter.call(@log, "worker #{context.index} (#{::Process.pid}) cannot read",
              error)
          end
          ::Process.exit!(ChildSetup::ORPHANED)
        end
      end
    end
  end
end
