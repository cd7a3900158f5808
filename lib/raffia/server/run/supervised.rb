# frozen_string_literal: true

require_relative "../../base/signals"
require_relative "../../process/supervisor"
require_relative "../observability/admin"
require_relative "../observability/status_panel/supervised"
require_relative "../../process/recycle_policy"
require_relative "../worker"
require_relative "../execution"

module Raffia
  class Server
    # Worker processes, and this one that keeps them alive.
    #
    # @api private
    class Supervised
      # Hooks that get what the supervisor hands them.
      PLAIN = %i[before_fork on_restart on_reopen on_stop].freeze
      # In a worker, of whose seat they want the index alone.
      SEATED = %i[after_fork before_worker_shutdown].freeze
      # Seconds that a worker has to say by itself which request has taken too long.
      MARGIN = 5
      # Seconds.
      NEVER = 365 * 86_400
      private_constant :PLAIN, :SEATED, :MARGIN, :NEVER

      # @param (see Alone#initialize)
      # @param reload [SettingsReload, nil] what a restart brings besides code
      # @param beside [#workers, #timeout, #load, #signals, #call, #supervisor=, #hear, #metrics,
      #   nil] what further workers do, under the same supervisor: how many they are, the seconds
      #   that they have to end, what to load for them, signals of theirs, the life of one, what
      #   they send to the supervisor, and what {Observability::Admin} tells of them
      def initialize(application, listening, options, hooks:, log:, config:, reload: nil,
        beside: nil)
        @application = application
        @listening = listening
        @options = options
        @hooks = hooks
        @log = log
        @config = config
        @reload = reload
        @beside = beside
        @serving = options.workers
        @restarted = false
      end

      # @return [Integer] the exit code
      # @yieldparam listeners [Array<Listen::Listener>] before connections are accepted from them
      def run
        supervise(Process::Supervisor.new(**settings, **limits, **systemd,
          hooks: hooks) { |seat| work(seat) }) do
          yield @listening.first if block_given?
        end
      end

      private

      def supervise(supervisor, &)
        @panel = Observability::StatusPanel::Supervised.new(supervisor.settings.max_workers)
        @panel.supervisor = supervisor
        @beside&.supervisor = supervisor
        admin = Observability::Admin.start(@panel, @options, @log, beside: @beside&.metrics)
        Signals.with(chain: false, **(@beside ? @beside.signals(supervisor) : {})) do
          supervisor.run(&)
        end
      ensure
        admin&.stop
      end

      def settings
        {workers: @serving + (@beside&.workers || 0),
         name: "raffia #{@options.tag || ::File.basename(::Dir.pwd)}", log: @log,
         pid_file: @options.pidfile,
         slot: ->(index) { beside?(index) ? [] : @listening.slot(index).map(&:socket) },
         preload: (-> { load } if @options.preload), template: template?}
      end

      # One worker shares its memory with nobody, and loads for itself.
      def template? = @options.preload == true || @serving + (@beside&.workers || 0) > 1

      # They come after those that serve.
      def beside?(index) = !@beside.nil? && index >= @serving

      # In the process that loads for a generation: the template process, or the only worker. (Where
      # there are no template processes, that is the supervisor, before any restart.)
      def load
        renew
        load_all
      end

      def load_all
        app = @application.load
        @options = Execution.settle(@application, @options, @log)
        @beside&.load
        app
      end

      def renew
        renewed = (@reload.call(@application, @options) if @restarted && @reload) or return
        @application, @options, @hooks = renewed.application, renewed.options, renewed.hooks
      end

      # For times that a supervisor must have, none is a year.
      def limits
        {boot_timeout: @options.boot_timeout || NEVER,
         drain_timeout: [@options.drain_timeout || NEVER, @beside&.timeout].compact.max,
         hang_timeout: hang_timeout,
         memory_limit: @options.worker_memory, total_memory: @options.total_memory}
      end

      # A request that holds up its loop does so for the supervisor's heartbeat as well.
      def hang_timeout = [@options.worker_timeout, @options.hard_timeout&.+(MARGIN)].compact.min

      def systemd = {notify_socket: @config.notify_socket, watchdog: @config.watchdog}

      def hooks
        plain = PLAIN.to_h { |name| [name, ->(*arguments) { call(name, *arguments) }] }
        seated = SEATED.to_h { |name| [name, ->(seat) { call(name, seat.index) }] }
        {**plain, **seated,
          on_worker_ready: ->(slot) { @hooks.call(:on_worker_ready, slot[:index]) },
          on_worker_exit: ->(slot, how) {
            @hooks.call(:on_worker_exit, slot[:index], how)
          },
          on_message: ->(_index, name, data) { hear(name, data) }}
      end

      def hear(name, data)
        @panel.hear(name, data)
        @beside&.hear(name, data)
      end

      # The supervisor's copy of this object learns here that what is forked from now on is to be
      # renewed; a worker that loads by itself is so before its first hook.
      def call(name, *arguments)
        @restarted = true if name == :on_restart
        # As all workers do. Else clients could connect until the last request has ended.
        @listening.close if name == :on_stop
        renew if name == :after_fork && !@options.preload
        @hooks.call(name, *arguments)
      end

      # The life of a worker process.
      def work(seat)
        app = seat.preloaded || load_all
        return @beside.call(seat) if beside?(seat.index)

        own = @listening.adopt(seat.ios)
        worker = Worker.for(app, @listening.lanes(own), options: @options, seat: seat, log: @log,
          counters: @panel.counters(seat))
        worker.on_stop_accepting { own.each(&:close) }
        seat.on_stop { worker.stop(:drain) }
        listen_to(seat, worker)
        Observability::StatusPanel::Supervised.answer(seat, worker)
        # Without preload the application has just been loaded, with the handlers that it sets.
        Signals.with(chain: false, **Process::Supervisor::WorkerMain.signal_handlers(seat)) do
          worker.run { seat.ready! }
        end
      end

      # Ractors have none of this.
      def equip(seat, service)
        if @hooks.any?(:on_error)
          service.on_error { |error, env| @hooks.call(:on_error, error, env) }
        end
        return unless (requests = @options.worker_requests)

        policy = Process::RecyclePolicy.new(max_count: requests, jitter: 0.1)
        service.usage = policy.track(::Process.pid) { seat.leave }
      end

      def listen_to(seat, worker)
        equip(seat, worker.context) if worker.is_a?(Worker)
        worker.run_beside(@hooks.all(:actors)) if worker.is_a?(Worker) && @hooks.any?(:actors)
        seat.on_accept { |sockets| worker.accept_from(sockets) } if worker.is_a?(Worker)
        seat.on_message("dump") { Raffia.dump }
        seat.on_message("reopen") do
          @hooks.call(:on_reopen)
          worker.reopen
        end
      end
    end
  end
end
