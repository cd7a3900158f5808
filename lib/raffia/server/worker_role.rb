# frozen_string_literal: true

require_relative "../base/signals"
require_relative "../process/recycle_policy"
require_relative "../service/role"
require_relative "execution"
require_relative "observability/status_panel/fleet"
require_relative "worker"

module Raffia
  class Server
    # The worker processes of a server, and what their supervisor does for them.
    #
    # @api private
    class WorkerRole < Service::Role
      # Hooks of the supervisor's that are called as they are.
      PLAIN = %i[before_fork on_restart on_reopen on_stop].freeze
      # Hooks of a worker's, which get its index.
      INDEXED = %i[after_fork before_worker_shutdown].freeze
      # Seconds that a worker has to report by itself which request has taken too long.
      MARGIN = 5
      # A year, for times that a supervisor must have.
      NEVER = 365 * 86_400
      private_constant :PLAIN, :INDEXED, :MARGIN, :NEVER

      attr_reader :processes
      attr_reader :panel

      # @param reload [SettingsReload, nil] what a restart brings besides code
      def initialize(application, listening, options, hooks:, log:, reload: nil)
        super()
        @application = application
        @listening = listening
        @options = options
        @hooks = hooks
        @log = log
        @reload = reload
        @processes = options.workers
        @restarted = false
      end

      def drain_timeout = @options.drain_timeout || NEVER

      def sockets(number) = @listening.slot(number).map(&:socket)

      def supervised_by(supervisor)
        @panel = Observability::StatusPanel::Fleet.new(supervisor.settings.max_workers)
        @panel.supervisor = supervisor
      end

      # @return [Hash] what the supervisor goes by, see {Process::Supervisor::Settings}
      def supervision
        {name: "raffia #{@options.tag || ::File.basename(::Dir.pwd)}", log: @log,
         pid_file: @options.pidfile, boot_timeout: @options.boot_timeout || NEVER,
         hang_timeout: hang_timeout, memory_limit: @options.worker_memory,
         total_memory: @options.total_memory, hooks: hooks}
      end

      # In the process that loads for a generation: the template process, or each worker. (Where
      # there are no template processes, that is the supervisor, before any restart.)
      # @return [#call] the application
      def load
        renew
        @application.load.tap { @options = Execution.settle(@application, @options, @log) }
      end

      def receive(name, data) = @panel.hear(name, data)

      def work(context, app)
        sockets = @listening.adopt(context.ios)
        worker = Worker.for(app, @listening.by_ractor(sockets), options: @options,
          worker_context: context, log: @log, counters: @panel.counters(context))
        worker.on_stop_accepting { sockets.each(&:close) }
        context.on_stop { worker.stop(:drain) }
        prepare(context, worker) if worker.is_a?(Worker)
        answer(context, worker)
        # An application that was loaded just now may have set handlers of its own.
        handlers = Process::Supervisor::WorkerMain.signal_handlers(context)
        Signals.with(chain: false, **handlers) { worker.run { context.ready! } }
      end

      private

      # A request that holds up its loop does so for the supervisor's heartbeat as well.
      def hang_timeout = [@options.worker_timeout, @options.hard_timeout&.+(MARGIN)].compact.min

      def hooks
        {**PLAIN.to_h { |name| [name, ->(*arguments) { call(name, *arguments) }] },
          **INDEXED.to_h { |name| [name, ->(context) { call(name, context.index) }] },
          on_worker_ready: ->(slot) { call(:on_worker_ready, slot[:index]) },
          on_worker_exit: ->(slot, how) { call(:on_worker_exit, slot[:index], how) }}
      end

      # Processes that are forked after a restart know from the supervisor's copy of this object
      # that they are to read the settings anew. A worker that loads by itself does so before its
      # first hook.
      def call(name, *arguments)
        @restarted = true if name == :on_restart
        # As all workers do. Else clients could connect until the last request has ended.
        @listening.close if name == :on_stop
        renew if name == :after_fork && !@options.preload
        @hooks.call(name, *arguments)
      end

      # Once in a process.
      def renew
        return unless @restarted && @reload

        @restarted = false
        renewed = @reload.call(@application, @options)
        @application, @options, @hooks = renewed.application, renewed.options, renewed.hooks
      end

      # Ractors have none of this.
      def prepare(context, worker)
        worker.run_beside(@hooks.all(:actors)) if @hooks.any?(:actors)
        context.on_accept { |sockets| worker.accept_from(sockets) }
        if @hooks.any?(:on_error)
          worker.context.on_error { |error, env| @hooks.call(:on_error, error, env) }
        end
        worker.context.usage = usage(context) if @options.worker_requests
      end

      def usage(context)
        Process::RecyclePolicy.new(max_count: @options.worker_requests, jitter: 0.1)
          .track(::Process.pid) { context.leave }
      end

      def answer(context, worker)
        context.on_message("dump") { Raffia.dump }
        context.on_message("reopen") do
          @hooks.call(:on_reopen)
          worker.reopen
        end
        Observability::StatusPanel::Fleet.answer(context, worker)
      end
    end
  end
end
