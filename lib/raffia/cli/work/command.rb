# frozen_string_literal: true

require_relative "../program"
require_relative "../user_code"
require_relative "../../jobs"
require_relative "../../jobs/worker"
require_relative "../../service"
require_relative "banner"

module Raffia
  module CLI
    module Work
      # Collects the settings of `raffia work`, and works. It loads what the settings need: a single
      # process needs no supervisor, and stores of Raffia's own no beanstalkd.
      #
      # @api private
      class Command
        include UserCode

        # Settings of the worker, and of the supervisor.
        WORKER = %i[concurrency threads timeout lease tag labels].freeze
        SUPERVISOR = %i[memory_limit hang_timeout].freeze
        # Seconds between two measurements of memory, which a job may take quickly.
        MEMORY_INTERVAL = 5
        DEFAULTS = %i[require queues labels processes timeout].freeze
        private_constant :WORKER, :SUPERVISOR, :MEMORY_INTERVAL, :DEFAULTS

        def initialize(given, out)
          @given = {**Settings.build({}).slice(*DEFAULTS), **given}
          @out = out
          @pid = ::Process.pid
        end

        def call
          @program = Program.new(@given[:require])
          @queues = Jobs::Worker::Queues.new(@given[:queues])
          @config = Raffia.config(:info)
          @systemd = Service::Config.load
          @config = @config.with(log_format: :json) if @given[:json]
          Service.export_environment(@given[:environment] || @systemd.environment ||
            "development", force: @given.key?(:environment))
          ::RubyVM::YJIT.enable if defined?(::RubyVM::YJIT.enable)
          # fails before anything is started
          @source = source if @given[:from]
          Jobs.store = @given[:store] if @given[:store]
          check(@given[:store] || Jobs::Config.load.store.to_s)
          work
        end

        private

        def source
          require_relative "source"
          Source.new(@given[:from], @given[:map])
        end

        def work
          @dashboard = dashboard if @given[:web]
          service = @given[:processes].zero? ? foreground : cluster
          health = serve_health(service) if @given[:health]
          service.run { Banner.new(@given, @program, @queues, health, @dashboard).print(@out) }
        ensure
          health&.stop
          @dashboard_handle&.stop
        end

        def serve_health(service)
          require_relative "health_report"
          HealthReport.serve(service, @status, @given[:health], log)
        end

        def dashboard
          require_relative "dashboard"
          Dashboard.new(@given[:web], Jobs::Config.load.web_auth, read_only: @given[:web_read_only],
            title: title, log: log)
        end

        def foreground
          require_relative "../../jobs/worker/single_process"
          require_relative "../../service/foreground"
          single = Jobs::Worker::SingleProcess.new(method(:load)) do |notifier|
            @dashboard_handle = @dashboard&.start
            worker(notifier)
          end
          @status = single.status
          Service::Foreground.new(single, about: "works in one process", **supervision)
        end

        # The dashboard has the first slot, because slots are added and removed at the end.
        def cluster
          require_relative "../../jobs/worker/role"
          require_relative "../../service/cluster"
          role = Jobs::Worker::Role.new(processes: @given[:processes], **role_settings) do |context|
            worker(context)
          end
          @status = role.status
          Service::Cluster.new([*dashboard_role, role], name: "raffia work #{title}", log: log,
            memory_interval: MEMORY_INTERVAL, **@given.slice(*SUPERVISOR), **supervision)
        end

        def dashboard_role
          return unless @dashboard

          sockets = [@dashboard.socket]
          settings = {**role_settings, load: -> {}}
          Jobs::Worker::Role.new(processes: 1, sockets: sockets, **settings) do |context|
            @dashboard.at(context.ios.first)
          end
        end

        def role_settings = {timeout: @given[:timeout], load: method(:load), log: log}

        def supervision
          {pid_file: @given[:pid_file], notify_socket: @systemd.notify_socket,
           watchdog: @systemd.watchdog}
        end

        def title = @given[:tag] || ::File.basename(::Dir.pwd)

        def worker(liveness)
          check(Jobs.store.url) unless @source
          Jobs::Worker.new(@source&.store || Jobs.store, queues: @given[:queues],
            liveness: liveness, log: log, heartbeat: heartbeat, wait: true,
            **@given.slice(*WORKER, :hang_timeout))
        end

        # --hang-timeout is about the loop.
        def heartbeat = @given[:hang_timeout] ? :loop : :progress

        def check(url) = @given[:processes].zero? || Options.common_store(url)

        def log = @log ||= Log.build(@config)

        # The command line wins over the program.
        def load
          attempt { @program.load }
          Jobs.store = @given[:store] if @given[:store]
        end
      end
    end
  end
end
