# frozen_string_literal: true

require_relative "../program"
require_relative "../user_code"
require_relative "../../jobs"
require_relative "../../jobs/worker"
require_relative "../../jobs/worker/alone"
require_relative "../../jobs/worker/supervised"
require_relative "banner"
require_relative "health"

module Raffia
  module CLI
    module Work
      # One call of `raffia work`: puts together what was said, and works.
      #
      # @api private
      class Command
        include UserCode

        # What goes to the worker, and what to the supervisor.
        WORKER = %i[concurrency threads timeout lease tag labels].freeze
        SUPERVISOR = %i[memory_limit hang_timeout].freeze
        DEFAULTS = %i[require queues labels processes timeout].freeze
        private_constant :WORKER, :SUPERVISOR, :DEFAULTS

        # @param given [Hash]
        # @param out [IO]
        def initialize(given, out)
          @given = {**Settings.build({}).slice(*DEFAULTS), **given}
          @out = out
          @pid = ::Process.pid
        end

        # @return [Integer] the exit code
        def call
          @program = Program.new(@given[:require])
          @queues = Jobs::Worker::Queues.new(@given[:queues])
          @config = Raffia.config(:info)
          @config = @config.with(log_format: :json) if @given[:json]
          Raffia.export_environment(@given[:environment] || @config.environment ||
            "development", force: @given.key?(:environment))
          ::RubyVM::YJIT.enable if defined?(::RubyVM::YJIT.enable)
          # what makes no sense is said before anything is started
          Jobs.store = @given[:store] if @given[:store]
          check(@given[:store] || @config.store.to_s)
          work
        end

        private

        def work
          health = nil
          @dashboard = dashboard if @given[:web]
          runner = @given[:processes].zero? ? alone : supervised
          health = Health.start(runner, @given[:health], log) if @given[:health]
          runner.run { Banner.new(@given, @program, @queues, health, @dashboard).say(@out) }
        ensure
          health&.stop
          @beside&.stop
        end

        def dashboard
          require_relative "dashboard"
          Dashboard.new(@given[:web], @config.web_auth, read_only: @given[:web_read_only],
            title: title, log: log)
        end

        def alone
          Jobs::Worker::Alone.new(load: method(:load), pid_file: @given[:pid_file],
            **systemd) do |heart|
            @beside = @dashboard&.start
            worker(heart)
          end
        end

        def supervised
          settings = {workers: @given[:processes], name: "raffia work #{title}", log: log,
                      pid_file: @given[:pid_file]}
          settings = beside(settings) if @dashboard
          Jobs::Worker::Supervised.new(load: method(:load), timeout: @given[:timeout], **settings,
            **@given.slice(*SUPERVISOR), **systemd) do |seat|
            seat.ios.empty? ? worker(seat) : @dashboard.at(seat.ios.first)
          end
        end

        # The dashboard has the first place: workers come and go at the end of the row.
        def beside(settings)
          {**settings, workers: settings[:workers] + 1,
                       slot: ->(index) { index.zero? ? [@dashboard.socket] : [] }}
        end

        def title = @given[:tag] || ::File.basename(::Dir.pwd)

        def systemd = {notify_socket: @config.notify_socket, watchdog: @config.watchdog}

        def worker(heart)
          check(Jobs.store.url)
          Jobs::Worker.new(Jobs.store, queues: @given[:queues], heart: heart, heartbeat: heartbeat,
            log: log, wait: true, **@given.slice(*WORKER, :hang_timeout))
        end

        # Whoever says how long a loop may stand still means the loop.
        def heartbeat = @given[:hang_timeout] ? :loop : :progress

        def check(url) = @given[:processes].zero? || Options.common_store(url)

        def log = @log ||= Log.build(@config)

        # What was said on the command line counts more than what the program says.
        def load
          attempt { @program.load }
          Jobs.store = @given[:store] if @given[:store]
        end
      end
    end
  end
end
