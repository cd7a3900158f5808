# frozen_string_literal: true

require_relative "../../base/signals"
require_relative "../observability/admin"
require_relative "../observability/status_panel/single_process"
require_relative "../../process/systemd_notifier"
require_relative "../../process/pid_file"
require_relative "../worker"
require_relative "../execution"

module Raffia
  class Server
    # One worker in this very process.
    #
    # @api private
    class Alone
      # The signals that mean: come to an end. HUP does because nobody could take over, and the
      # terminal may be gone.
      STOP = %i[INT TERM HUP].freeze
      private_constant :STOP

      # @return [Listen::Listeners]
      attr_reader :listening

      # @param application [Application]
      # @param listening [Listen::Listeners]
      # @param options [Options]
      # @param hooks [Hooks]
      # @param log [Logger]
      # @param config [Config] what systemd has said
      # @param beside [#metrics, nil] what else is done in this process
      def initialize(application, listening, options, hooks:, log:, config:, beside: nil)
        @application = application
        @listening = listening
        @options = options
        @hooks = hooks
        @log = log
        @asked = false
        @panel = Observability::StatusPanel::SingleProcess.new
        @config = config
        @beside = beside
        @notifier = Process::SystemdNotifier.new(nil, nil)
      end

      # @return [Integer] the exit code
      def run(&)
        @notifier = Process::SystemdNotifier.new(@config.notify_socket, @config.watchdog)
        code = with_pid_file { with_signals { attempt(&) } }
        # With Ractors that cannot be ended Ruby's own way out may take for ever.
        @worker.abandoned? ? ::Process.exit!(code) : code
      end

      # Serves in this thread, whatever thread that is.
      # @yieldparam listeners [Array<Listen::Listener>] before connections are accepted from them
      # @return [void]
      def work
        app = @application.load
        options = Execution.settle(@application, @options, @log)
        @worker = Worker.for(app, listening.lanes(listening.slot(0)), options: options, log: @log,
          counters: @panel.counters, heart: @notifier)
        @worker.on_stop_accepting do
          @notifier.stopping
          listening.close
        end
        prepare if @worker.is_a?(Worker)
        @worker.stop if @asked
        admin = Observability::Admin.start(@panel, @options, @log, beside: @beside&.metrics)
        @worker.run { begun { yield listening.first if block_given? } }
        @hooks.call(:on_stop)
      ensure
        admin&.stop
        listening.close
      end

      # The first time the requests in flight are ended, the second time they are not waited for.
      # Any thread may ask, and so may a trap.
      # @return [void]
      def stop
        how = @asked ? :now : :drain
        @asked = true
        @worker&.stop(how)
      end

      private

      # Ractors have no hooks inside.
      def prepare
        @worker.on_reopen { @hooks.call(:on_reopen) }
        @worker.run_beside(@hooks.all(:actors)) if @hooks.any?(:actors)
        if @hooks.any?(:on_error)
          @worker.context.on_error { |error, env| @hooks.call(:on_error, error, env) }
        end
      end

      def begun
        @panel.worker = @worker
        yield
        @notifier.ready("serves in one process")
      end

      def attempt(&)
        work(&)
        0
      rescue WorkerDied => error
        @log.fatal(error.message)
        1
      end

      def with_pid_file
        file = Process::PidFile.new(@options.pidfile)
        file.write
        yield
      ensure
        file&.remove
      end

      # The application may set handlers of its own when it is loaded: from then on they are ours
      # again.
      def with_signals(&)
        ours = handlers
        Signals.with(chain: false, **ours) do
          @application.load
          Signals.with(chain: false, **ours, &)
        end
      end

      # While the application loads there is nothing to finish, and what loads for ever must be
      # left.
      def leave_loading = exit(0)

      # USR1: log files were moved away. QUIT: what do all fibers wait for?
      def handlers
        names = Signals.ignored?(:HUP) ? STOP - [:HUP] : STOP # nohup
        {**names.to_h { |name| [name, ->(_) { @worker ? stop : leave_loading }] },
          USR1: ->(_) { @worker&.reopen }, QUIT: ->(_) { Raffia.dump }}
      end
    end
  end
end
