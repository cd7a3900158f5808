# frozen_string_literal: true

require_relative "../process/recycle_policy"
require_relative "../service/role"
require_relative "code_reload"
require_relative "connection_balancer"
require_relative "execution"
require_relative "observability/status_panel/fleet"
require_relative "worker_factory"

module Raffia
  class Server
    # The worker processes of a server: settings for their supervisor, and the life of a worker.
    #
    # @api private
    class WorkerRole < Service::Role
      # Hooks of the supervisor, called unchanged.
      PLAIN = %i[before_fork on_restart on_reopen on_stop].freeze
      # Hooks of a worker, called with its index.
      INDEXED = %i[after_fork before_worker_shutdown].freeze
      # Seconds for a worker to report a request that takes too long, before it is killed.
      MARGIN = 5
      # A year: the supervisor needs a number.
      NEVER = 365 * 86_400
      private_constant :PLAIN, :INDEXED, :MARGIN, :NEVER

      attr_reader :processes, :panel

      def initialize(application, listening, options, hooks:, log:, reload: nil,
        processes: options.workers)
        super()
        @application = application
        @listening = listening
        @options = options
        @hooks = hooks
        @log = log
        @reload = reload
        @code_reload = CodeReload.new(log) if options.watch
        @processes = processes
        @restarted = false
      end

      def drain_timeout = @options.drain_timeout || NEVER

      def sockets(number) = @listening.slot(number).map(&:socket)

      def supervised_by(supervisor)
        @panel = Observability::StatusPanel::Fleet.new(supervisor.settings.max_workers,
          Admission::ClientRates.memory(@options), connection_counts)
        @panel.supervisor = supervisor
        @balancer = ConnectionBalancer.build(@options, supervisor)
        @code_reload&.watch(supervisor)
      end

      # Whether new connections are to go to other slots for now.
      def behind?(slot, row) = !!@balancer&.behind?(slot, row)

      # See {Process::Supervisor::Settings}. `first`: the number of the role's first slot.
      def supervision(first = 0)
        {name: "raffia #{@options.tag || ::File.basename(::Dir.pwd)}", log: @log,
         pid_file: @options.pidfile, boot_timeout: @options.boot_timeout || NEVER,
         hang_timeout: hang_timeout, memory_limit: @options.worker_memory,
         total_memory: @options.total_memory, hooks: hooks,
         autoscale: (autoscale(first) if @options.elastic?)}
      end

      # Runs once per generation: in the template process, in each worker, or without template
      # processes in the supervisor.
      def load
        renew
        load_application.tap { @options = Execution.settle(@application, @options, @log) }
      end

      def receive(name, data)
        @panel.receive(name, data) unless @code_reload&.receive(name, data)
      end

      def work(context, app)
        sockets = @listening.adopt(context.ios)
        worker = WorkerFactory.build(app, @listening.by_ractor(sockets), options: @options,
          worker_context: context, log: @log, counters: @panel.counters(context))
        worker.on_stop_accepting { sockets.each(&:close) }
        context.on_stop { worker.stop(:drain) }
        prepare(context, worker) if worker.is_a?(Worker)
        answer(context, worker)
        # Loading the application may have replaced the signal handlers.
        handlers = Process::Supervisor::WorkerMain.signal_handlers(context)
        Signals.with(chain: false, **handlers) { run(context, worker) }
      end

      private

      def run(context, worker)
        return worker.run { context.ready! } unless @code_reload

        @code_reload.report(context) { worker.run { context.ready! } }
      end

      def load_application
        @code_reload ? @code_reload.load { @application.load } : @application.load
      end

      def autoscale(first)
        Process::Supervisor::Autoscaler::Settings.new(range: @options.processes, first: first,
          shrink_after: @options.shrink_after,
          cpus: Executor::Cpus.count, load: ->(*worker) { @panel.load(*worker) })
      end

      # A request that blocks its loop also stops the heartbeat that the supervisor sees.
      def hang_timeout = [@options.worker_timeout, @options.hard_timeout&.+(MARGIN)].compact.min

      def hooks
        {**PLAIN.to_h { |name| [name, ->(*arguments) { call(name, *arguments) }] },
          **INDEXED.to_h { |name| [name, ->(context) { call(name, context.index) }] },
          on_worker_ready: ->(slot) { call(:on_worker_ready, slot[:index]) },
          on_worker_exit: lambda do |slot, how|
            @panel.ended(slot[:index], how.pid)
            call(:on_worker_exit, slot[:index], how)
          end}
      end

      def connection_counts
        return unless @options.client_connections

        Admission::ClientCounts.memory(@options.most_workers *
          Process::Supervisor::Scoreboards::ROWS)
      end

      # Children that are forked after a restart inherit `@restarted`, so they read the settings
      # anew. A worker without preload does so before its first hook.
      def call(name, *arguments)
        @restarted = true if name == :on_restart
        # Workers close theirs, too. Else clients could connect until the last request has ended.
        if name == :on_stop
          @listening.close
          @code_reload&.stop
        end
        renew if name == :after_fork && !@options.preload
        @hooks.call(name, *arguments)
      end

      def renew
        return unless @restarted && @reload

        @restarted = false
        renewed = @reload.call(@application, @options)
        @application, @options, @hooks = renewed.application, renewed.options, renewed.hooks
      end

      def prepare(context, worker)
        worker.use(@hooks)
        if @balancer
          worker.share_connections(@balancer, @balancer.place(context.index, context.row))
        end
        context.on_accept { |sockets| worker.accept_from(sockets) }
        context.on_probe { |sockets| worker.probe(sockets) }
        context.on_message("hold") { worker.hold }
        context.on_message("release") { worker.release }
        @code_reload&.prepare(context, worker)
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
