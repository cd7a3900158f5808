# frozen_string_literal: true

require_relative "rails_case"

module Raffia
  # `rails generate raffia:install` and `raffia:job`, in an application as Rails makes it.
  class JobsRailsGeneratorsTest < JobsRailsCase
    PRODUCTION = <<~RUBY
      require "active_support/core_ext/integer/time"

      Rails.application.configure do
        # Replace the default in-process and non-durable queuing backend for Active Job.
        # config.active_job.queue_adapter = :resque
      end
    RUBY

    def test_an_application_is_set_up_and_its_worker_works
      write("config/environments/production.rb", PRODUCTION)
      edit("config/application.rb") do |text|
        text.gsub(/^.*(queue_adapter|isolation_level).*\n/, "")
      end
      write(".gitignore", "/log/*\n")
      generate("raffia:install")
      generate("raffia:job", "reports/daily", "--queue", "slow")
      assert_match(/^  config\.active_job\.queue_adapter = :raffia$/,
        read("config/environments/production.rb"))
      assert_match(/^ +config\.active_support\.isolation_level = :fiber$/,
        read("config/application.rb"))
      assert_match(%r{^  # .*mount Raffia::Jobs::Web.*=> "/jobs"}, read("config/routes.rb"))
      assert_match(%r{^/storage/raffia_}, read(".gitignore"))
      assert_match(/class Reports::DailyJobTest < ActiveSupport::TestCase/,
        read("test/jobs/reports/daily_job_test.rb"))
      edit("app/jobs/reports/daily_job.rb") do |text|
        text.sub(/(def perform\(\*args\))\n/, "\\1\n    WordJob.perform_later(args.join)\n")
      end
      app('Reports::DailyJob.perform_async("a", "b")')
      assert_equal "slow", @store.entries(:queue).first.queue
      rails_work("-q", "slow", "-q", "default", command: ["bin/jobs"]) do
        await_said("WordJob", "ab")
        assert_empty logged("rails") # jobs run in fibers
      end
    end

    def test_it_changes_nothing_twice
      write("config/environments/production.rb", PRODUCTION)
      generate("raffia:install")
      before = files
      generate("raffia:install")
      assert_equal before, files
    end

    private

    def generate(*argv)
      ended = ruby("-W0", "-e", 'require "./config/application"; require "rails/generators"; ' \
        "Rails::Generators.invoke(ARGV.shift, ARGV)", "--", *argv,
        env: {"RAILS_ENV" => "development"})
      assert_predicate ended.status, :success?, ended.err
      assert_empty ended.err
    end

    def write(path, text)
      FileUtils.mkdir_p(File.dirname(File.join(@dir, path)))
      File.write(File.join(@dir, path), text)
    end

    def read(path) = File.read(File.join(@dir, path))

    def edit(path) = write(path, yield(read(path)))

    def files
      Dir.glob("{bin,config,.gitignore}/**/*", File::FNM_DOTMATCH, base: @dir)
        .select { |path| File.file?(File.join(@dir, path)) }.to_h { |path| [path, read(path)] }
    end
  end
end
