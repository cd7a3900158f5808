# frozen_string_literal: true

module Raffia
  # How the commands of README and guides are run, in a folder with what they name; and what they
  # print is made.
  module GuideCommands
    # The files in the folder, for each page.
    FILES = {
      "config.ru" => 'run ->(_env) { [200, {"content-type" => "text/plain"}, ["hello"]] }',
      "jobs.rb" => <<~RUBY,
        $stdout.sync = true
        require "raffia/jobs"
        class WelcomeJob
          include Raffia::Job
          def perform(name) = puts("welcome, \#{name}")
        end
      RUBY
      "app.rb" => <<~RUBY,
        require "sidekiq"
        class MailJob
          include Sidekiq::Job
          sidekiq_options queue: "mail"
          def perform(*) = nil
        end
      RUBY
      "script.rb" => 'puts "good"'
    }.freeze

    # And on some pages.
    PAGES = {
      "guides/compat.md" => {"script.rb" => "require 'sucker_punch'\nputs 'good' if " \
        "SuckerPunch::VERSION"},
      "guides/from_celluloid.md" => {"script.rb" => "require 'celluloid'\nputs 'good' if " \
        "Class.new { include Celluloid }.new.alive?"},
      "guides/from_delayed_job.md" => {"script.rb" => "require 'delayed_job'\nputs 'good' if " \
        "Delayed::Job.respond_to?(:enqueue)"},
      "guides/from_resque.md" => {"script.rb" => "require 'resque'\nputs 'good' if " \
        "Resque.queue_from_class(Class.new { @queue = :a }) == :a"},
      "guides/from_parallel.md" => {"script.rb" => "require 'parallel'\nputs 'good' if " \
        "Parallel.map([1], in_threads: 1) { |n| n } == [1]"},
      "guides/getting_started.md" => {"script.rb" => "def deep(n) = n.zero? ? 0 : 1 + deep(n - " \
        "1)\nputs 'good' if deep(9_000) == 9_000"},
      "guides/ractors.md" => {"config.ru" => <<~RUBY}
        require "logger"
        use Rack::CommonLogger, Logger.new("access.log")
        run ->(_env) { [200, {"content-type" => "text/plain"}, ["hello"]] }
      RUBY
    }.freeze

    # How a command that would run for ever, or for minutes, is run here: what is added to it, and
    # whether it has to be ended.
    ADDED = {
      /\Araffia serve/ => %w[--check],
      /\Araffia lab run/ => %w[--on inline --workers 1 --runs 1 --scale 0.01],
      /\Araffia (?:work|up)/ => %w[--json]
    }.freeze
    # Commands that run until they are stopped.
    SERVES = /\Araffia (?:work|up)/
    # Ports that others may have.
    INSTEAD = {"127.0.0.1:9293" => "127.0.0.1:0", "0.0.0.0:9293" => "0.0.0.0:0"}.freeze

    # By how they end otherwise than by 0.
    CODES = {/\Araffia doctor --rack/ => 1}.freeze

    # Commands that do not run here, and why.
    LEFT_OUT = {
      /\Abin\/raffia lab/ => "sets up a machine, and takes minutes: setup_test.rb, lab_test.rb",
      /\Abin\/test/ => "runs this",
      /\Acd / => "a folder of the reader's",
      /falcon serve/ => "io_event_async_test.rb, with Async in place of Falcon",
      /\Arackup -s raffia/ => "rackup_test.rb",
      /\Arails server -u raffia|\Abin\/rails generate raffia:/ => "an application of Rails: " \
        "server/rails_test.rb, jobs/rails_generators_test.rb",
      /\Acurl .*\/api\// => "jobs/web_test.rb",
      /\Acurl --(?:http2|insecure)/ => "server/http2_curl_test.rb",
      /\Araffia lab(?: --json| *\z)/ => "the tour takes minutes: lab_test.rb",
      /\Araffia lab run zlib --against/ => "compares with the tour: lab_test.rb",
      /\Araffia lab run squares --ruby/ => "other Rubies: lab_test.rb",
      /\Araffia lab run \.\/mine\.rb/ => "the one of experiments.md",
      /\Araffia work .*beanstalk:/ => "jobs/beanstalk_work_test.rb",
      /\Araffia explore / => "takes minutes: cli/cli_explore_test.rb"
    }.freeze

    # Runs each `raffia jobs` of a page, on a store with what the pages name.
    JOBS = <<~'RUBY'
      require "raffia/cli"
      require "raffia/jobs"
      store = Raffia::Jobs.store
      jobs = [{"queue" => "mail", "jid" => "6b0c4dd1a93e4f7c8e21f0d5",
               "raffia" => {"fair" => {"key" => "7", "weight" => 1}}}, {"queue" => "mail"}, {"queue" => "broken"}]
      Raffia::Jobs.enqueue(jobs.map { |job| {"class" => "MailJob", "args" => [], **job} })
      lease = store.enroll("a worker", {})
      claim = store.claim(lease, ["broken"], 1).first
      store.bury(claim, JSON.generate(claim.item.merge("error_class" => "Timeout::Error")))
      ARGV.each do |line|
        code = Raffia::CLI.call(line.split.drop(1))
        abort("#{line}: #{code}") unless code.zero?
      end
    RUBY

    # Outputs, by the method of GuideCommandsTest that prints them. Numbers and times are not
    # compared.
    OUTPUTS = {
      ["guides/choosing.md", "raffia: on processes"] => :explained,
      ["guides/observability.md", "127.0.0.1 - -"] => :access_log,
      ["guides/ractors.md", "fail  obstacle"] => :doctor,
      ["guides/supervision.md", "ACTOR "] => :top
    }.freeze

    # Has the tree of guides/supervision.md.
    TREE = <<~RUBY
      require "raffia/actor"
      require "logger"
      class Mailer < Raffia::Actor
        def deliver = sleep
        def lose = raise("smtp is down")
      end
      class Reports < Raffia::Supervisor
        child Mailer, name: :daily
      end
      class App < Raffia::Supervisor
        child Mailer, name: :mailer, on: :threads
        child Reports, name: :reports
        child(name: :poller) { sleep }
      end
      Raffia::Actor.log = Logger.new(nil)
      App.spawn(name: :app)
      2.times { Raffia::Actor[:mailer].async.deliver }
      Raffia::Actor[:daily].lose rescue nil
      puts "ready"
      $stdout.flush
      $stdin.read
    RUBY
  end
end
