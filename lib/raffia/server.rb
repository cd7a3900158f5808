# frozen_string_literal: true

require_relative "../raffia"
require_relative "native"

unless Raffia::Native.http?
  why = Raffia::Native.available? ? "was compiled without llhttp" : "is not there for this Ruby"
  raise Raffia::MissingDependency, "there is no HTTP server here, because Raffia's extension " \
    "#{why}: #{Raffia::Native::HTTP_ADVICE}"
end

require_relative "server/config"
require_relative "server/options"
require_relative "server/ractors"
require_relative "server/application"
require_relative "server/hooks"
require_relative "server/listen/listeners"
require_relative "server/observability/log_file"
require_relative "server/settings_reload"
require_relative "server/observability/health_report"
require_relative "server/single_process"
require_relative "server/worker_role"
require_relative "server/handle"
require_relative "server/takeover"
require_relative "service"
require_relative "service/cluster"
require_relative "service/foreground"

module Raffia
  # A Rack server: worker processes with a fiber for each connection.
  #
  #     Raffia::Server.new(app, bind: "tcp://127.0.0.1:9292", processes: 2).run
  #
  # In a test, or beside other work:
  #
  #     server = Raffia::Server.start(app)
  #     Net::HTTP.get(URI(server.url))
  #     server.stop
  class Server
    # Starts a server in a thread of this process, without worker processes and signals.
    #
    # @param app [#call] a Rack application
    # @param bind [String, Array<String>, nil] addresses; nil: host and port
    # @param port [Integer] 0: any free one
    # @param options [Hash] as for {#initialize}
    # @yieldparam handle [Handle] is stopped after the block
    # @return [Handle, Object] once connections are accepted; with a block its value
    # @raise [ConfigError] for invalid settings, and for worker processes
    # @raise [CannotListen]
    def self.start(app, bind: nil, host: "127.0.0.1", port: 0, processes: 0, **options)
      unless Settings.read(:processes, processes) == 0
        raise ConfigError, "Server.start serves in this process, without worker processes " \
          "(processes: #{processes.inspect}): use Server.new(app, ...).run"
      end

      place = {bind: bind || [], host: host, port: port}
      handle = Handle.new(new(app, **options, **place, processes: 0).single_process)
      return handle unless block_given?

      begin
        yield handle
      ensure
        handle.stop
      end
    end

    # @return [Options]
    attr_reader :options
    # @return [Logger]
    attr_reader :log

    # @param app [#call, Application] a Rack application
    # @param hooks [Hooks, nil]
    # @param logger [Logger, nil] nil: by the options `log`, `log_level` and `log_format`
    # @param renew [#call, nil] called at each restart in the process that loads the application;
    #   returns an {Application}, its hooks and a Hash of options. Nil: only code is reloaded
    # @param options [Hash] settings of guides/server.md
    # @raise [ConfigError] for unknown and invalid settings
    def initialize(app, hooks: nil, logger: nil, renew: nil, **options)
      @application = app.is_a?(Application) ? app : Application.of(app)
      @hooks = hooks || Hooks.new
      @options = Options.build(options)
      @application.execution = @options.execution
      if @options.ractors? && @options.threaded?
        raise ConfigError, "threads are of the main Ractor: leave out `ractors`, or `execution " \
          "threads`"
      end
      if @options.ractors? && @options.elastic?
        raise ConfigError, "a range of processes is for processes without Ractors: say how many " \
          "processes, or leave out `ractors`"
      end
      if @options.ractors? && @hooks.any?(:actors)
        raise ConfigError, "actors live in a worker's loop, and those of Ractors have none for " \
          "them: leave out `ractors`, or `actors`"
      end
      if @options.ractors? && @hooks.any?(:client_key)
        raise ConfigError, "client_key is a block of the main Ractor: leave out `ractors`, or " \
          "`client_key`"
      end
      refuse_watch if @options.watch
      try_out
      @log = logger || own_log
      if renew
        @reload = SettingsReload.new(@options, @log) do
          renew.call.tap { |_, fresh, _| reopen_log_with(fresh) }
        end
      end
    end

    # Serves until a signal. INT and TERM finish the requests in flight first, a second INT does
    # not.
    #
    # @param config [Service::Config] what systemd has set
    # @param others [Array<Service::Role>] further roles under the same supervisor. Without worker
    #   processes they `start` in this one. Their `metrics` are shown with the server's
    # @param takeover [Boolean] take the sockets from a server that listens at the setting `control`
    #   and let it end, once this one serves; needs worker processes. Without such a server it
    #   starts as usual
    # @param command [Takeover::StartCommand, nil] starts the next server on the signal USR2
    # @yieldparam listeners [Array<Listen::Listener>] when the application is loaded
    # @return [Integer] exit code
    # @raise [CannotListen] also when a takeover is refused
    # @raise [ConfigError] takeover without worker processes
    # @raise [Exception] what the application raises while it is loaded
    def run(config: Service::Config.load, others: [], takeover: false, command: nil, &block)
      settle
      systemd = {notify_socket: config.notify_socket, watchdog: config.watchdog}
      unless options.workers.zero?
        coordinator = Takeover::Coordinator.new(options, config.inherited, log:, takeover:,
          command:)
        return run_cluster(coordinator, others, config.inherited, systemd, &block)
      end
      raise ConfigError, "takeover needs worker processes: set processes" if takeover

      run_single(Listen::Listeners.new(options, inherited: config.inherited), others, systemd,
        &block)
    end

    # @api private
    def single_process(listening = nil, metrics = nil)
      settle
      SingleProcess.new(@application, listening || Listen::Listeners.new(options), options,
        hooks: @hooks, log: log) { |panel| report_health(panel, metrics) }
    end

    private

    def run_single(listening, others, systemd)
      service = single_process(listening, others.first&.metrics)
      handles = []
      foreground = Service::Foreground.new(service, about: "serves in one process",
        pid_file: options.pidfile, **systemd)
      code = foreground.run do |bound|
        handles.concat(others.map(&:start))
        yield bound if block_given?
      end
      # Ruby's own exit may wait for ever for Ractors that do not end.
      service.abandoned? ? ::Process.exit!(code) : code
    rescue WorkerDied => error
      log.fatal(error.message)
      service.abandoned? ? ::Process.exit!(1) : 1
    ensure
      handles&.each(&:stop)
      listening.close
    end

    def run_cluster(coordinator, others, inherited, systemd)
      listening = Listen::Listeners.new(options, given: coordinator.given,
        inherited: Takeover::DescriptorStore.others(inherited))
      role = WorkerRole.new(@application, listening, options, hooks: @hooks, log: log,
        reload: @reload, processes: coordinator.processes)
      # Slots are added at the end, so they are those of the last role.
      cluster = cluster(options.elastic? ? [*others, role] : [role, *others], role, coordinator,
        systemd)
      health = Observability::HealthReport.prepare(role.panel, options, log,
        others: others.first&.metrics, given: coordinator.given)
      coordinator.supervise(cluster.supervisor, listening, health,
        others: others.sum(&:processes))
      cluster.run { yield listening.first if block_given? }
    rescue => error
      coordinator.abort(error)
      raise
    ensure
      coordinator.close
      listening&.close
    end

    def cluster(roles, role, coordinator, systemd)
      # A single worker shares its memory with nobody.
      template = options.preload == true || options.elastic? || roles.sum(&:processes) > 1
      Service::Cluster.new(roles, preload: options.preload, template: template,
        handover: coordinator, **role.supervision(roles.sum(&:processes) - role.processes),
        **systemd)
    end

    def report_health(panel, metrics)
      Observability::HealthReport.serve(panel, options, log, others: metrics)
    end

    def refuse_watch
      unless @options.development?
        raise ConfigError, "watch is for development, and the environment is " \
          "#{@options.environment}: leave out `watch`"
      end
      return unless @options.workers.zero?

      raise ConfigError, "watch replaces worker processes, and with processes 0 there are none: " \
        "use processes 1 or more"
    end

    # Raises for settings that would fail only in the workers.
    def try_out
      options.static.each { |root| Static.new(root: root) } # is there such a folder?
      Compression.prepare(options)
      StatusPages.new(options.error_page)
      Admission::ClientAddress.new(options.trusted_proxies, options.client_header)
      unless [nil, "-"].include?(options.access_log)
        Observability::LogFile.new(options.access_log).close
      end
    end

    def own_log
      path = options.log
      return options.logger($stderr) if path.nil? || path == "-"

      @log_file = Observability::LogFile.new(path)
      reopen_log_with(@hooks)
      options.logger(@log_file)
    end

    def reopen_log_with(hooks)
      hooks.add(:on_reopen) { @log_file.reopen } if @log_file
    end

    # The application decides whether Ractors are possible.
    def settle
      @options = Ractors::Choice.new(@application, options, log).call if options.ractors?
    end
  end
end
