# frozen_string_literal: true

require_relative "import_case"

# An import while workers of the other gem go on: each job is run there or imported, never both.
class JobsImportLiveTest < Raffia::JobsImportCase
  JOBS = 400
  NOTE = <<~RUBY
    class NoteJob < ActiveJob::Base
      def perform(number)
        File.write("done", "\#{number}\\n", mode: "a")
        sleep(0.005)
      end
    end

    def enqueue
      ActiveRecord::Base.transaction { #{JOBS}.times { |number| NoteJob.perform_later(number) } }
      puts "ready"
      $stdout.flush
    end

    def stopped? = $stdin.wait_readable(0)
  RUBY
  SCHEMA = <<~RUBY
    def migrate(gem, path, name)
      require "erb"
      text = File.read(File.join(Gem.loaded_specs[gem].full_gem_path, path))
      migration_version = "[8.0]"
      eval(ERB.new(text).result(binding))
      ActiveRecord::Migration.verbose = false
      Object.const_get(name).migrate(:up)
    end
  RUBY
  PROGRAMS = {
    "delayed_job" => ["delayed_job_active_record", <<~RUBY],
      migrate("delayed_job_active_record", "lib/generators/delayed_job/templates/migration.rb",
        "CreateDelayedJobs")
      enqueue
      worker = Delayed::Worker.new(quiet: true)
      worker.work_off(1) until stopped?
    RUBY
    "solid_queue" => ["solid_queue", <<~RUBY],
      load File.join(Gem.loaded_specs["solid_queue"].full_gem_path,
        "lib/generators/solid_queue/install/templates/db/queue_schema.rb")
      enqueue
      until stopped?
        SolidQueue::ReadyExecution.claim("*", 2, nil).each(&:perform)
      end
    RUBY
    "good_job" => ["good_job", <<~RUBY]
      migrate("good_job", "lib/generators/good_job/templates/install/migrations/" \\
        "create_good_jobs.rb.erb", "CreateGoodJobs")
      enqueue
      GoodJob.perform_inline(limit: 1) until stopped?
    RUBY
  }.freeze

  PROGRAMS.each do |name, (gem, program)|
    define_method(:"test_workers_of_#{name}_go_on") do
      require_gems gem, "railties"
      url = database(:postgres)
      env = {"DATABASE_URL" => url, "ADAPTER" => name, "GEM" => gem,
             "GOOD_JOB_EXECUTION_MODE" => "external"}
      imported = run_beside(APPLICATION + SCHEMA + NOTE + program, env) {
        import(name, url, slice: 10).total
      }
      check(imported)
    end
  end

  private

  def run_beside(text, env)
    command = [clean(env), RbConfig.ruby, "-W0", script(text)]
    Open3.popen3(*command, chdir: @dir) do |input, out, err, process|
      assert_equal "ready\n", out.gets, err.read_nonblock(10_000, exception: false).to_s
      wait_until(PROCESS_PATIENCE) { done.size > 2 }
      result = yield
      input.close
      assert_predicate process.value, :success?, err.read
      result
    end
  end

  def done
    path = File.join(@dir, "done")
    File.exist?(path) ? File.readlines(path).map(&:to_i) : []
  end

  def check(imported)
    here = items(:queue, "default").map { |item| item["args"][0]["arguments"][0] }
    assert_operator imported, :>, 0
    assert_operator done.size, :>, 2
    assert_equal (0...JOBS).to_a, (here + done).sort
  end
end
