# frozen_string_literal: true

require "test_helper"
require "open3"
require "tmpdir"

module Raffia
  # The interface of the gem sidekiq, in subprocesses: this one may have the gem itself.
  class CompatSidekiqTest < TestCase
    ROOT = File.expand_path("../../../..", __dir__)

    # A program of the gem's users, which does not know Raffia.
    PROGRAM = <<~RUBY
      require "sidekiq"

      class Around
        def initialize(word) = @word = word

        def call(job, payload, queue)
          puts "\#{@word} \#{job.class} of \#{queue}"
          yield
        end
      end

      class ReportJob
        include Sidekiq::Job
        sidekiq_options queue: "reports", retry: 1
        sidekiq_retry_in { |count, error, job|
          0.01 if job["jid"] && count.zero? && error.is_a?(ArgumentError)
        }
        sidekiq_retries_exhausted { |job, error| puts "gave up \#{job["args"]}: \#{error.message}" }

        def perform(name, options = {})
          raise ArgumentError, "no \#{name}" if options["fail"]
          puts "\#{name}, \#{jid.size}, \#{interrupted?}, \#{Thread.current == Thread.main}"
        end
      end

      Sidekiq.configure_server do |config|
        config.server_middleware { |chain| chain.add(Around, "around") }
        config.on(:startup) { puts "starts" }
        config.on(:shutdown) { puts "ends" }
      end
      Sidekiq.configure_client { |config| puts "a client" }
      if $PROGRAM_NAME == __FILE__
        p ReportJob.perform_async("weekly").size
        p ReportJob.set(queue: "other").perform_in(0.01, "monthly").size
        p ReportJob.perform_async("yearly", "fail" => true).size
      end
    RUBY
    ENQUEUED = "a client\n24\n24\n24\n"
    DONE = ["starts", "ends", "around ReportJob of reports", "weekly, 24, false, false",
      "around ReportJob of other", "monthly, 24, false, false",
      "gave up [\"yearly\", {\"fail\" => true}]: no yearly"].freeze

    BEGINNING = <<~RUBY
      ENV["RAFFIA_STORE"] = "memory:"
      require "raffia/compat/sidekiq"
      class Echo
        include Sidekiq::Job
        sidekiq_options queue: "echo", tags: ["a"], custom: 1
        DONE = []
        def perform(*args) = DONE.push(args)
      end
      def told = puts(yield.inspect)
      def refused
        yield
      rescue ArgumentError => error
        puts error.message
      end
    RUBY

    def test_a_program_runs_unchanged
      need_fork
      need_cruby "fibers"
      Dir.mktmpdir do |dir|
        File.write(script = File.join(dir, "program.rb"), PROGRAM)
        env = {"RAFFIA_STORE" => "sqlite:#{dir}/jobs.db",
               "RUBYOPT" => "-W0 -I#{ROOT}/lib -rraffia/compat", "RAFFIA_LOG" => "off"}
        assert_equal ENQUEUED, IO.popen([env, RbConfig.ruby, script], &:read)
        lines = work(env, script) do |said|
          said.count { |line| line.include?(", 24, ") } == 2 &&
            said.any? { |line| line.include?("gave up") }
        end
        DONE.each do |line|
          assert_includes lines.map { |one| one.gsub("=>", " => ").gsub("  ", " ").chomp }, line
        end
      end
    end

    def test_payload_has_the_options_of_class_and_call
      assert_equal "[\"Echo\", [1], \"echo\", true, [\"a\"], 1, nil, false]\n" \
        "[\"slow\", 3, [\"b\"]]\ntrue\n[\"third\", false]\n", output_of(BEGINNING + <<~RUBY)
          require "sidekiq/testing"
          Echo.perform_async(1)
          told {
            Echo.jobs.last.values_at("class", "args", "queue", "retry", "tags", "custom",
              "on").push(Echo.jobs.last.key?("at"))
          }
          Echo.set(queue: :slow, retry: 3).set("tags" => ["b"]).perform_async(2)
          told { Echo.jobs.last.values_at("queue", "retry", "tags") }
          Echo.perform_at(Time.now + 3600, 3)
          told { (Echo.jobs.last["at"] - Time.now.to_f).between?(3500, 3600) }
          Third = Class.new(Echo) { queue_as :third; sidekiq_options retry: false }
          Third.perform_in(-5)
          told { Third.jobs.first.values_at("queue", "retry") }
        RUBY
    end

    def test_clients_and_bulk_pushes
      assert_equal "[[1], [2]]\n[[3], [4], [5]]\n[true, false]\n[\"elsewhere\", \"elsewhere\"]\n" \
        "[\"f00\"]\n", output_of(BEGINNING + <<~RUBY)
          require "sidekiq/testing"
          Echo.perform_bulk([[1], [2]])
          told { Echo.jobs.map { |job| job["args"] } }
          Echo.clear
          later = Time.now.to_f + 60
          Sidekiq::Client.push_bulk("class" => Echo, "args" => [[3], [4], [5]],
            "at" => [later, later + 1, 1])
          told { Echo.jobs.map { |job| job["args"] }.sort }
          told {
            Sidekiq::Job.jobs.map { |job| job["at"] == later }.tally.keys.sort_by(&:to_s).reverse
          }
          Echo.clear
          Sidekiq::Client.enqueue_to("elsewhere", Echo, 6)
          Sidekiq::Client.enqueue_to_in("elsewhere", 60, Echo, 7)
          told { Sidekiq::Queues["elsewhere"].map { |job| job["queue"] } }
          told { [Sidekiq::Client.push("class" => "Unknown", "args" => [], "jid" => "f00")] }
        RUBY
    end

    def test_an_invalid_job_is_an_argument_error
      printed = output_of(BEGINNING + <<~RUBY)
        require "sidekiq/testing"
        refused { Echo.perform_async(:word) }
        refused { Sidekiq::Client.push("args" => []) }
        refused { Sidekiq::Client.push("class" => "Echo", "args" => 1) }
        refused { Sidekiq::Client.push("class" => String, "args" => []) }
        refused { Sidekiq::Client.push("class" => Echo, "args" => [], "queue" => "two words") }
        refused { Sidekiq::Client.push("class" => Echo, "args" => [], "at" => "noon") }
        refused { Sidekiq::Client.push_bulk("class" => Echo, "args" => [1]) }
        refused { Sidekiq::Client.push_bulk("class" => Echo, "args" => [[1], [2]], "at" => [1]) }
        refused { Sidekiq::Client.push_bulk("class" => Echo, "args" => [[1], [2]], "jid" => "f00") }
        refused {
          Sidekiq::Client.push_bulk("class" => Echo, "args" => [[1]], "spread_interval" => 0)
        }
        refused { Sidekiq::Client.new(pool: Object.new) }
        p Sidekiq::Job.jobs.size
        Sidekiq.strict_args!(:warn)
        $stderr, $VERBOSE = $stdout, false
        Echo.perform_async({word: :symbol})
        Sidekiq.strict_args!(false)
        Echo.perform_async({word: :symbol})
        p Echo.jobs.map { |job| job["args"] == [{"word" => "symbol"}] }
      RUBY
      lines = printed.lines
      assert_match(/argument 1 of Echo holds :word.*strict_args!\(false\)/, lines.shift)
      [/class and args/, /must be an Array/, /String is no job/, /cannot be the name of a queue/,
        /seconds since 1970/, /Array of Arrays/, /1 times for 2/, /one jid/, /spread_interval/,
        /pool: all clients/, /\A0$/, /argument 1 of Echo holds :word/,
        /\[true, true\]/].each { |message| assert_match(message, lines.shift) }
      assert_empty lines
    end

    def test_testing_modes
      assert_equal <<~TEXT, output_of(BEGINNING + <<~RUBY)
        [true, 0, 2]
        [[1], [2]]
        [0, "no job of Echo waits"]
        [true, [[3]], true]
        [false, true]
        true
        [1, 1]
        "bad"
        [0, 0]
      TEXT
        require "sidekiq/testing"
        2.times { |n| Echo.perform_in(n * 60, n + 1) }
        told { [Sidekiq::Testing.fake?, Echo::DONE.size, Echo.jobs.size] }
        Echo.perform_one
        Echo.drain
        told { Echo::DONE }
        told {
          [Echo.jobs.size,
            begin; Echo.perform_one; rescue Sidekiq::EmptyQueueError => error; error.message; end]
        }
        Echo::DONE.clear
        Sidekiq::Testing.inline! {
          told { [Sidekiq::Testing.inline?, (Echo.perform_async(3); Echo::DONE), Echo.jobs.empty?] }
        }
        Sidekiq::Testing.disable! { told { [Sidekiq::Testing.fake?, Sidekiq::Testing.disabled?] } }
        Sidekiq::Testing.fake! {
          told {
            Sidekiq::Testing.disable! {
              Raffia::Jobs.store.equal?(Raffia::Jobs.store) && Sidekiq::Testing.disabled?
            }
          }
        }
        Sidekiq::Testing.disable!
        Echo.perform_async("real")
        Sidekiq.testing!(:fake)
        Echo.perform_async("fake")
        told { [Echo.jobs.size, Sidekiq::Testing.disable! { Raffia::Jobs.store.counts[:queue] }] }
        class Failing < Echo
          def perform = raise("bad")
        end
        Failing.perform_async
        told { begin; Sidekiq::Job.drain_all; rescue => error; error.message; end }
        Sidekiq::Job.clear_all
        told { [Failing.jobs.size, Sidekiq::Job.jobs.size] }
      RUBY
    end

    def test_arrays_of_jobs_are_live
      assert_equal "[0, 1, 1]\n[[\"other\"]]\n[[\"at once\"]]\n[0, 0, 0]\n[:worker]\n",
        output_of(BEGINNING + <<~RUBY)
          require "sidekiq/testing"
          jobs = Echo.jobs
          queue = Sidekiq::Queues["echo"]
          before = jobs.size
          Echo.perform_async("some")
          told { [before, jobs.size, queue.size] }
          jobs.last["args"] = ["other"]
          Echo.perform_one
          told { Echo::DONE }
          Around = Class.new {
            def call(job,
              *) = (job.respond_to?(:around=) ? job.around = :test : Echo::DONE.clear; yield)
          }
          Sidekiq::Testing.server_middleware { |chain| chain.add(Around) }
          Sidekiq.default_configuration.server_middleware.add(Class.new { def call(*) = nil })
          Sidekiq::Testing.inline! { Echo.perform_in(60, "at once") }
          told { Echo::DONE }
          Echo.perform_async(1)
          Sidekiq::Job.clear_all
          told { [jobs.size, queue.size, Sidekiq::Job.jobs.size] }
          class Plain
            include Raffia::Job
            def perform = Echo::DONE.replace([:worker])
          end
          Plain.perform_async
          Sidekiq::Job.drain_all
          told { Echo::DONE }
        RUBY
    end

    def test_client_middleware_changes_and_rejects_jobs
      assert_equal "[[\"c\", \"b\", \"a\"], nil]\n[nil, 1]\n[true, nil]\n",
        output_of(BEGINNING + <<~RUBY)
          require "sidekiq/testing"
          def around(letter) = Class.new {
            define_method(:call) { |job, payload, *rest, &go|
              payload["seen"] = [*payload["seen"], letter]
              go.call
            }
          }
          chain = Sidekiq.default_configuration.client_middleware
          a, b, c = %w[a b c].map { |letter| around(letter) }
          chain.add(a)
          chain.prepend(b)
          chain.insert_before(b, c)
          Echo.perform_async
          told { Echo.jobs.first.values_at("seen", "at") }
          Stop = Class.new {
            def call(job, payload, queue,
              pool) = (yield unless [job, queue, pool] == [Echo, "echo", Sidekiq.redis_pool])
          }
          chain.insert_after(a, Stop)
          told { [Echo.perform_async, Echo.jobs.size] }
          told { [chain.exists?(Stop), Echo.perform_inline] }
        RUBY
    end

    def test_error_and_death_handlers_are_called
      assert_equal "bad of Failing\ndead Failing: bad\n", output_of(BEGINNING + <<~RUBY)
        class Failing
          include Sidekiq::Job
          sidekiq_options retry: 0, on: :fibers
          def perform = raise("bad")
        end
        Sidekiq.configure_server do |config|
          config.error_handlers << ->(error, context) {
            puts "\#{error.message} of \#{context[:job]["class"]}"
          }
          config.death_handlers << ->(job, error) {
            puts "dead \#{job["class"]}: \#{error.message}"
          }
        end
        require "raffia/jobs/worker"
        Raffia::Jobs.run_in_process(log: Logger.new(nil)) do
          Failing.perform_async
          sleep(0.01) until Raffia::Jobs.store.counts[:dead] == 1
        end
      RUBY
    end

    def test_redis_of_the_program_unless_another_store_is_set
      redis = "Sidekiq.configure_client { |config| config.redis = {url: " \
        "\"redis://localhost:7000\", db: 3, password: \"secret\", network_timeout: 2, size: 5} }"
      open = ->(url) { <<~RUBY }
        ENV.delete("RAFFIA_STORE")
        ENV["REDIS_URL"] = "#{url}"
        require "raffia/compat/sidekiq"
      RUBY
      assert_equal "redis://localhost:7000/3\n",
        output_of(open.call("redis://other") + "#{redis}\nputs Raffia::Jobs.store.url")
      other = open.call("redis://other:7001/1")
      assert_equal "redis://other:7001/1\n", output_of(other + "puts Raffia::Jobs.store.url")
      assert_equal "redis://other:7001/1\nredis://other:7001/2\n",
        output_of(other +
          "Sidekiq.default_configuration.redis = {size: 5}\nputs Raffia::Jobs.store.url, " \
            "Sidekiq.const_get(:RedisOptions).new(url: nil, db: 2).url")
      assert_equal "redis://bought:7002/0\n", output_of(<<~RUBY)
        ENV["REDIS_PROVIDER"] = "BOUGHT_URL"
        ENV["BOUGHT_URL"] = "redis://bought:7002/0"
        #{other}
        puts Raffia::Jobs.store.url
      RUBY
      assert_equal "memory:\n", output_of(BEGINNING + "#{redis}\nputs Raffia::Jobs.store.url")
      assert_match(/\Aconfig.redis: sentinels mean nothing here/,
        output_of("#{BEGINNING.sub("RAFFIA_STORE", "X")}refused { " \
          "Sidekiq.default_configuration.redis = {sentinels: []} }"))
      assert_equal "memory:\n",
        output_of(BEGINNING +
          "Sidekiq.default_configuration.redis = {sentinels: []}\nputs Raffia::Jobs.store.url")
      assert_match(/WARN.*config.on\(:beat\) is never called/,
        output_of(BEGINNING + "Sidekiq.configure_client { |config| config.on(:beat) {} }"))
    end

    # sidekiq/cron of sidekiq-cron loads; files of the gem itself that are not provided still raise.
    def test_files_of_other_gems_in_its_folder_are_loaded
      Dir.mktmpdir do |dir|
        FileUtils.mkdir_p(["#{dir}/theirs/sidekiq", "#{dir}/original/sidekiq"])
        File.write("#{dir}/theirs/sidekiq/thing.rb", "module Sidekiq\n  module Thing\n  end\nend\n")
        %w[sidekiq.rb sidekiq/manager.rb].each do |name|
          File.write("#{dir}/original/#{name}", "puts :original\n")
        end
        assert_equal "true\nfalse\nSidekiq::Thing\nLoadError\nLoadError\n", output_of(<<~RUBY)
          #{BEGINNING}
          $LOAD_PATH.push("#{dir}/original", "#{dir}/theirs")
          puts require("sidekiq/thing"), require("sidekiq/thing"), Sidekiq::Thing
          %w[sidekiq/manager sidekiq/nothing].each do |name|
            require(name)
          rescue LoadError => error
            puts error.class
          end
        RUBY
      end
    end

    # Gems prepend to the launcher to start with a worker, and subclass the poller.
    def test_other_gems_start_with_a_worker
      assert_equal %w[run polled stopped], output_of(<<~RUBY).split
        #{BEGINNING}
        require "sidekiq/launcher"
        require "sidekiq/scheduled"
        class Eager < Sidekiq::Scheduled::Poller
          SEEN = Thread::Queue.new
          def enqueue = SEEN.push("polled")
        end
        Sidekiq::Launcher.prepend(Module.new do
          def run
            puts "run"
            (@poller = Eager.new(config)).start
          end

          def stop
            @poller.terminate
            puts "stopped"
          end
        end)
        Raffia::Jobs.run_in_process { puts Eager::SEEN.pop }
      RUBY
    end

    private

    # Output of a worker until the block is true.
    def work(env, script)
      said = []
      IO.popen([env, RbConfig.ruby, "#{ROOT}/exe/raffia", "work", "-r", script, "-q", "reports",
        "-q", "other"]) do |io|
        said << io.gets until yield(said)
        ::Process.kill(:TERM, io.pid)
        said.concat(io.readlines)
      end
      said
    end
  end
end
