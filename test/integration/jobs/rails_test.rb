# frozen_string_literal: true

require_relative "rails_case"

module Raffia
  # A Rails application whose jobs are done by `raffia work`.
  class JobsRailsTest < JobsRailsCase
    def test_a_request_enqueues_and_a_worker_in_another_process_does_it
      prepare
      serve("--processes", "1", "-b", "tcp://127.0.0.1:0",
        env: {"RAILS_ENV" => "production", "RUBYOPT" => "-W0"}) do |server|
        rails_work do
          assert_equal "200", Net::HTTP.post_form(URI("#{server.url}/people"), name: "Ada").code,
            server.err
          assert_equal %w[GreetJob Ada 1], await_said("GreetJob").first.first(3)
          await_counts(queue: 0, running: 0, dead: 0)
        end
        quit(server)
      end
    end

    def test_what_becomes_of_failures
      app(<<~RUBY)
        ActiveJob.perform_all_later(StubbornJob.new("StubbornJob::Often"),
          StubbornJob.new("StubbornJob::Never"), BrokenJob.new, OnceJob.new)
        puts OnceJob.perform_later
      RUBY
      rails_work do
        await_said("StubbornJob", "gave", "up", "3")
        await_said("StubbornJob", "threw", "away")
        await_said("OnceJob", "run", "2")
        await_counts(queue: 0, running: 0, scheduled: 0, retry: 0, dead: 1)
      end
      assert_equal %w[1 1 2 3], said.select { |name, word|
        name == "StubbornJob" && word == "tried"
      }.map { |line| line[2] }.sort
      assert_equal %w[1 2], said.select { |name, word| name == "OnceJob" && word == "run" }
        .map { |line| line[2] }
      dead = @store.entries(:dead).first.item
      listed = raffia("jobs", "list", "dead", "--store", url).out.lines.last
      assert_match(/BrokenJob +\[\] +default/, listed)
      assert_equal ["Sidekiq::ActiveJob::Wrapper", "BrokenJob", %w[fragile], "ArgumentError",
        "on purpose"],
        dead.values_at("class", "wrapped", "tags", "error_class", "error_message")
    end

    def test_a_job_with_steps_is_interrupted_at_a_checkpoint_and_goes_on_in_another_worker
      app('StepsJob.perform_later("gate")')
      rails_work do |worker|
        await_said("StepsJob", "count", "2")
        worker.kill(:TERM)
        assert_equal 0, worker.ended.exitstatus, worker.err
      end
      before = said
      assert_equal %w[first count count count], before.map { |line| line[1] }
      assert_equal 1, @store.counts.values_at(:queue, :scheduled).sum
      open_gate("gate")
      rails_work { await_said("StepsJob", "last", "1") }
      assert_equal [%w[count 3 1], %w[count 4 1], %w[last 1]],
        said.drop(before.size).map { |line| line[1..-2] }
    end

    # All of them run at one time, in one process, and each has what it would have if it were alone.
    %w[fiber none].each do |isolation|
      define_method(:"test_jobs_side_by_side_share_nothing_of_rails, isolation: #{isolation}") do
        environment = {"ISOLATION" => isolation}
        app(<<~RUBY, env: environment)
          #{SCHEMA}
          %i[de fr en].each_with_index do |locale, index|
            I18n.with_locale(locale) do
              Time.use_zone(%w[Tokyo Paris UTC][index]) do
                SurroundingsJob.perform_later("n\#{index}", "gate")
              end
            end
          end
        RUBY
        rails_work("-t", "20", env: environment) do |worker|
          3.times { |index| await_said("SurroundingsJob", "began", "n#{index}") }
          open_gate("gate")
          lines = await_said("SurroundingsJob", "saw", count: 3)
          assert_equal([%w[n0 n0 nil de Tokyo true], %w[n1 n1 nil fr Paris true],
            %w[n2 n2 nil en UTC true]], lines.map { |line| line[2, 6] }.sort)
          assert_equal 3, lines.map { |line| line[8] }.uniq.size, "connections are shared"
          assert_equal 1, lines.map(&:last).uniq.size, "they should run in one process"
          await_counts(running: 0)
          assert_equal((isolation == "fiber") ? 0 : 1, logged("rails").size)
          assert_empty logged("pool")
        end
      end
    end

    def test_jobs_that_are_no_active_jobs_have_the_applications_surroundings_too
      app("#{SCHEMA}; Person.create!(name: 'Ada'); PlainJob.perform_async('hello')")
      rails_work("-c", "70") do
        assert_equal %w[WordJob plain hello 1 true], await_said("WordJob").first.first(5)
        assert_match(/"connections":60,"jobs":70/, logged("pool").first)
      end
    end

    SUBSCRIBER = <<~RUBY
      config.after_initialize do
        subscriber = Object.new
        def subscriber.report(error, handled:, severity:, context:, source: nil)
          WordJob.new.say("reported", error.message.tr(" ", "_"), handled, severity, source,
            context[:verdict].inspect)
        end
        Rails.error.subscribe(subscriber)
      end
    RUBY

    def test_rails_gets_each_failure_once
      app("PlainJob.perform_async('limited'); PlainJob.perform_async('luck'); " \
        "PlainJob.set(retry: 0).perform_async('luck')")
      rails_work(env: {"SETTINGS" => SUBSCRIBER}) do
        await_counts(queue: 0, running: 0, retry: 2, dead: 1)
        await_said("WordJob", "reported", count: 2)
      end
      assert_equal [%w[no_luck false error raffia.jobs :dead],
        %w[no_luck true warning raffia.jobs :retry]],
        said.select { |line| line[1] == "reported" }.map { |line| line[2..6] }.sort
    end

    # Active Job wraps its jobs in Rails' executor, which reports what leaves it.
    def test_rails_gets_each_failure_of_an_active_job_once_and_no_refusal_of_a_rate
      app("[BusyJob, BusyThreadJob, BusyProcessJob].each do |job| " \
        "job.perform_later('Raffia::Jobs::RateLimited'); job.perform_later('ArgumentError') end")
      rails_work(env: {"SETTINGS" => SUBSCRIBER}) do
        await_counts(queue: 0, running: 0, retry: 6)
        await_said("WordJob", "reported", count: 3)
      end
      assert_equal [%w[busy true warning raffia.jobs :retry]] * 3,
        said.select { |line| line[1] == "reported" }.map { |line| line[2..6] }
    end

    # Another connection to the store counts, and sees what a worker would see.
    def test_jobs_of_a_transaction_wait_for_its_end_and_are_gone_with_it
      out = app(<<~RUBY)
        #{SCHEMA}
        waiting = -> { Raffia::Jobs.store.counts[:queue] }
        seen = []
        Person.transaction do
          Person.create!(name: "Ada")
          WordJob.perform_later("a")
          ActiveJob.perform_all_later(WordJob.new("b"), WordJob.new("c"))
          seen << waiting.call
        end
        seen << waiting.call
        Person.transaction do
          Person.create!(name: "Bob")
          WordJob.perform_later("d")
          raise ActiveRecord::Rollback
        end
        seen << waiting.call
        WordJob.enqueue_after_transaction_commit = false
        Person.transaction do
          WordJob.perform_later("now")
          seen << waiting.call
        end
        Person.transaction { PlainJob.perform_async("at once") && seen << waiting.call }
        puts JSON.generate(seen)
      RUBY
      assert_equal [0, 4, 4, 5, 6], JSON.parse(out.lines.last)
    end

    def test_a_store_that_is_not_there_is_the_callers_affair
      url = "redis://127.0.0.1:#{TestSupport::Daemon.free_port}/0"
      out = app(<<~RUBY, env: {"SETTINGS" => "config.raffia.store = '#{url}'"})
        #{SCHEMA}
        errors = []
        errors << (WordJob.perform_later("x") rescue $!.class)
        errors << (Person.transaction { WordJob.perform_later("x") } rescue $!.class)
        errors << (Person.create!(name: "Ada") rescue $!.class)
        puts JSON.generate([errors, Person.count])
      RUBY
      assert_equal [["Raffia::Jobs::StoreUnavailable"] * 3, 1], JSON.parse(out.lines.last)
    end

    # Its initializers run before its classes can be named.
    def test_an_initializer_says_what_recurs
      FileUtils.mkdir_p(File.join(@dir, "config/initializers"))
      File.write(File.join(@dir, "config/initializers/raffia.rb"), <<~RUBY)
        Raffia::Jobs.recurring do
          every 1, WordJob, args: ["often"]
          every 1, "PlainJob", args: ["plain"], queue: "other"
        end
      RUBY
      prepare
      rails_work("-q", "default", "-q", "other") do
        await_said("WordJob", "often")
        await_said("WordJob", "plain", "plain")
        await("its class is not told") do
          logged("done").any? { |line| JSON.parse(line)["class"] == "WordJob" }
        end
      end
      names = @store.metrics.keys
      assert_includes names, "WordJob"
      refute_includes names, "Sidekiq::ActiveJob::Wrapper"
    end

    # In development, where code changes while the worker works, and its log is wanted on the
    # screen.
    def test_changed_code_is_loaded_before_the_next_job
      environment = {"RAILS_ENV" => "development", "RAFFIA_STORE" => url}
      before, after = JSON.parse(
        app("puts %w[before after].map { |word| WordJob.new(word).serialize }.to_json").lines.last
      )
      rails_work("--processes", "0", env: environment) do |worker|
        enqueue("Sidekiq::ActiveJob::Wrapper", before)
        await_said("WordJob", "before")
        await_counts(running: 0)
        path = File.join(@dir, "app/jobs/word_job.rb")
        File.write(path, File.read(path).sub("say(word)", 'say("changed", word)'))
        enqueue("Sidekiq::ActiveJob::Wrapper", after)
        await_said("WordJob", "changed", "after")
        await("Rails' log is not shown") { worker.err.include?("Performed WordJob") }
      end
    end
  end
end
