# frozen_string_literal: true

require "test_helper"

module Raffia
  # Initializers of programs that are written for sidekiq.
  class CompatSidekiqSettingsTest < TestCase
    BEGINNING = <<~RUBY
      ENV.delete("RAFFIA_STORE")
      ENV.delete("REDIS_URL")
      require "raffia/compat/sidekiq"
      CONFIG = Sidekiq.default_configuration
      class Echo
        include Sidekiq::Job
        def perform(*args) = (puts args.inspect)
      end
    RUBY

    def test_redis_options_without_effect_are_accepted
      assert_equal "rediss://:secret@localhost:6390/2?timeout=3&pool=7\n" \
        "unix:///run/redis.sock?db=4\nredis://other/5\nrediss://app:s%40@other/5\n",
        output_of(BEGINNING + <<~RUBY)
          def url(**options) = puts(Sidekiq.const_get(:RedisOptions).new(options).url)
          url(host: "localhost", port: 6390, db: 2, password: "secret", ssl: true, driver: :ruby,
            reconnect_attempts: 3, pool_timeout: 1, timeout: 3, size: 7)
          url("path" => "/run/redis.sock", "db" => 4)
          url(url: "redis://other/5", password: nil, logger: nil)
          url(url: "rediss://app@other/5", password: "s@")
        RUBY
    end

    def test_settings_without_effect_are_accepted_and_workers_warn
      settings = <<~RUBY
        Sidekiq.configure_server do |config|
          config.concurrency = 3
          config.queues = %w[mail low]
          config.average_scheduled_poll_interval = 5
          config.capsule("single") { |capsule|
            capsule.concurrency = 1
            capsule.queues = %w[single]
          }
          p [config.concurrency, config.fetch(:concurrency), config[:queues]]
        end
      RUBY
      assert_equal "", output_of(BEGINNING + settings)
      printed = output_of("#{BEGINNING}require \"raffia/jobs/worker\"\n#{settings}")
      ["config.concurrency= has no effect here: raffia work -c N", "config.queues= has no effect",
        "average_scheduled_poll_interval", "config.capsule(\"single\") has no effect",
        "[3, 3, [\"mail\", \"low\"]]"]
        .each { |text| assert_includes printed, text }
    end

    def test_a_process_with_only_the_dashboard_is_no_worker
      assert_equal "false\na client\n", output_of(BEGINNING + <<~RUBY)
        require "raffia/jobs/web"
        p Sidekiq.server?
        Sidekiq.configure_client { puts "a client" }
      RUBY
    end

    def test_events_run_in_sidekiqs_order_despite_errors
      assert_equal "first\nsecond\nworks\nlast\ntold of it\nbefore\nexit\n",
        output_of(BEGINNING + <<~RUBY)
          require "raffia/jobs/worker"
          CONFIG.logger = nil
          CONFIG.error_handlers << ->(error, *) { puts error.message }
          CONFIG.on(:startup) { puts "first" }
          CONFIG.on(:startup) { puts "second" }
          CONFIG.on(:shutdown) { puts "before" }
          CONFIG.on(:shutdown) { raise "told of it" }
          CONFIG.on(:shutdown) { puts "last" }
          CONFIG.on(:exit) { puts "exit" }
          2.times { |time|
            Raffia::Jobs.run_in_process(log: Logger.new(nil)) { puts "works" if time.zero? }
          }
        RUBY
      assert_equal "cannot\nRuntimeError: cannot\n", output_of(BEGINNING + <<~RUBY)
        require "raffia/jobs/worker"
        CONFIG.error_handlers << ->(error, *) { puts error.message }
        CONFIG.on(:startup) { raise "cannot" }
        CONFIG.on(:startup) { puts "not called" }
        begin
          Raffia::Jobs.run_in_process(log: Logger.new(nil)) { puts "works" }
        rescue => error
          puts "\#{error.class}: \#{error.message}"
        end
      RUBY
      assert_match(/:other is no event/,
        output_of("#{BEGINNING}begin; CONFIG.on(:other) {}; rescue ArgumentError => error; puts " \
          "error.message; end"))
    end

    def test_loggers_and_formatters
      lines = /\A\S+Z pid=\d+ jid=1 INFO: plain
        \{"ts":"\S+Z","pid":\d+,"lvl":"WARN","msg":"as JSON"\}
        pid=\d+ ERROR: no time\n\z/
      assert_match(Regexp.new(lines.source.gsub(/\n +/, "\\n")), output_of(BEGINNING + <<~RUBY))
        Sidekiq::Context.with(jid: 1) { CONFIG.logger.info("plain") }
        CONFIG.logger.formatter = Sidekiq::Logger::Formatters::JSON.new
        Sidekiq.logger.warn("as JSON")
        CONFIG.logger.formatter = Sidekiq::Logger::Formatters::WithoutTimestamp.new
        Echo.new.logger.error("no time")
        CONFIG.logger = nil
        Sidekiq.logger.error("not shown")
      RUBY
    end

    def test_missing_features_name_their_replacement
      printed = output_of(BEGINNING + <<~RUBY)
        ENV["RAFFIA_STORE"] = "memory:"
        [-> { Sidekiq.redis { |redis| redis.ping } }, -> { Sidekiq.redis_pool.with { } },
          -> { Sidekiq::Client.via(1) { } }, -> { Sidekiq.configure_embed { } },
          -> { Sidekiq.transactional_push! }, -> { Echo.sidekiq_options(pool: 1) },
            -> { Echo.set(pool: 1).perform_async }].each do |wish|
          wish.call
        rescue Sidekiq::NotProvided => error
          puts error.message
        end
        begin
          Module.new {
            const_set(:Base, Class.new { def self.name = "ActiveJob::Base"; include Sidekiq::Job })
          }
        rescue ArgumentError => error
          puts error.message
        end
      RUBY
      assert_equal [/connection of the program's own/, /connection of the program's own/,
        /one store/, /run_in_process\(store: Raffia::Jobs.store\)/, /Raffia::Jobs.transaction/,
        /one store/, /one store/, /Active Job/]
        .zip(printed.lines).count { |message, line| message.match?(line.to_s) }, 8, printed
    end

    def test_sidekiqs_pages_are_the_dashboard_behind_the_programs_middleware
      assert_equal <<~TEXT, output_of(BEGINNING + <<~RUBY)
        [200, true, false]
        [401, 200, true, true]
        [403, 0, 1]
        [303, 1, 0]
        [true, false]
      TEXT
        require "sidekiq/web"
        require "stringio"
        Raffia::Jobs.store = "memory:"
        CONFIG.logger = Logger.new(LOG = StringIO.new)
        Echo.perform_async("here")
        Echo.perform_in(1000, "later")
        def ask(path, method = "GET", form = nil, **more)
          Sidekiq::Web.call({"REQUEST_METHOD" => method, "SCRIPT_NAME" => "/sidekiq",
            "PATH_INFO" => path, "QUERY_STRING" => path[/queue/] ? "queue=default" : "",
            "REMOTE_ADDR" => "203.0.113.7", "HTTP_HOST" => "example.org",
                             "rack.input" => form && StringIO.new(URI.encode_www_form(form)),
                               "CONTENT_TYPE" => form && "application/x-www-form-urlencoded",
                               **more.transform_keys(&:to_s)}.compact)
        end
        status, _, body = ask("/queue")
        p [status, body.join.include?("here"), body.join.include?("https://example.org/shop")]
        class Guard
          def initialize(app, word, &knows)
            @app = app
            @word = word
            @knows = knows
          end
          def call(env) = @knows.call(env["HTTP_X_WORD"], @word) ? @app.call(env) : [401, {},
            ["who are you?"]]
        end
        Sidekiq::Web.use(Guard, "open") { |said, word| said == word }
        Sidekiq::Web.configure { |config| config.app_url = "https://example.org/shop" }
        Sidekiq::Web.configure { |config|
          config.register_extension(String, name: "more", tab: "More", index: "more")
        }
        Sidekiq::Web.register(String)
        open = {HTTP_X_WORD: "open"}
        status, _, body = ask("/", **open)
        p [ask("/").first, status, body.join.include?("https://example.org/shop"),
          LOG.string.include?("no extensions")]
        all = {"action" => "retry all", "sure" => "1"}
        status = ask("/scheduled", "POST", all, HTTP_SEC_FETCH_SITE: "cross-site", **open).first
        p [status, Raffia::Jobs.store.counts[:queue] - 1, Raffia::Jobs.store.counts[:scheduled]]
        status = ask("/scheduled", "POST", all, HTTP_SEC_FETCH_SITE: "same-origin", **open).first
        p [status, Raffia::Jobs.store.counts[:queue] - 1, Raffia::Jobs.store.counts[:scheduled]]
        p [Sidekiq::Web.configure.equal?(Sidekiq::Web.configure) &&
          Sidekiq::Web.new.call({"REQUEST_METHOD" => "GET", "PATH_INFO" => "/"}).first == 401,
          Sidekiq.server?]
      RUBY
    end

    def test_client_and_server_middleware_of_sidekiq
      assert_equal <<~TEXT, output_of(BEGINNING + <<~RUBY)
        [1, "asked"]
        true
        nil
        [:not_a_class, "lower_case"]
        [:own, Echo]
        [2, 1]
      TEXT
        Raffia::Jobs.store = "memory:"
        class Replaces
          include Sidekiq::ClientMiddleware
          def call(job, payload, queue,
            pool) = yield.merge("args" => [*payload["args"],
            logger.equal?(Sidekiq.logger) ? "asked" : "?"])
        end
        class Stops
          include Sidekiq::ServerMiddleware
          def call(job, payload, queue) = nil
        end
        CONFIG.client_middleware.add(Replaces)
        result = Echo.perform_inline(1) # prints
        p result
        CONFIG.server_middleware.add(Stops)
        p Echo.perform_inline(2)
        class Names
          def initialize(word) = @word = word
          def call(job, *) = (p [@word, job]; yield)
        end
        CONFIG.client_middleware.clear
        CONFIG.client_middleware.add(Names, :not_a_class)
        Sidekiq::Client.push("class" => "lower_case", "args" => [])
        CONFIG.client_middleware.clear
        own = Sidekiq::Client.new
        own.middleware { |chain| chain.add(Names, :own) }
        own.push("class" => Echo, "args" => [3])
        p [Raffia::Jobs.store.counts[:queue], own.middleware.count - CONFIG.client_middleware.count]
      RUBY
    end
  end
end
