# frozen_string_literal: true

require_relative "../process/recycle_policy"
require_relative "../service/role"
require_relative "connection_balancer"
require_relative "execution"
require_relative "file_watcher"
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
      # Seconds that requests wait at most for the new code, and between two looks at the files
      # that are loaded.
      PAUSE = 10
      LOOK = 1
      # A year: the supervisor needs a number.
      NEVER = 365 * 86_400
      private_constant :PLAIN, :INDEXED, :MARGIN, :PAUSE, :LOOK, :NEVER

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
        watch(supervisor) if @options.watch
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
        (name == "loaded") ? @watcher&.add(data) : @panel.receive(name, data)
      end

      def work(context, app)
        sockets = @listening.adopt(context.ios)
        worker = WorkerFactory.build(app, @listening.by_ractor(sockets), options: @options,
          worker_context: context, log: @log, counters: @panel.counters(context))
        worker.on_stop_accepting { sockets.each(&:close) }
        context.on_stop { worker.stop(:drain) }
        prepare(context, worker) if worker.is_a?(Worker)
        answer(context, worker)
        reports = report_loaded(context) if @options.watch
        # Loading the application may have replaced the signal handlers.
        handlers = Process::Supervisor::WorkerMain.signal_handlers(context)
        Signals.with(chain: false, **handlers) { worker.run { context.ready! } }
      ensure
        reports&.close
      end

      private

      def watch(supervisor)
        pause = -> { supervisor.broadcast("pause", PAUSE) }
        @watcher = FileWatcher.new(::Dir.pwd, noticed: pause, log: @log) do
          @log.info("files have changed: the application is loaded again")
          supervisor.restart
        end
      end

      def report_loaded(context)
        loaded = FileWatcher::LoadedFolders.new(::Dir.pwd) do |folders|
          context.send(:loaded, folders)
        end
        Process::Watchdog.new(LOOK) { loaded.report }
      end

      # With `watch`, what does not load is served as an error until a file changes.
      def load_application
        @application.load
      rescue ::ScriptError, ::StandardError => error
        raise unless @options.watch

        @log.error("the application does not load: #{Log.full(error)}")
        ->(_) { raise error }
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
          @watcher&.stop
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
        context.on_message("pause") { |seconds| worker.pause(seconds) }
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
