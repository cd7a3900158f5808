# frozen_string_literal: true

require "fileutils"
require "support/daemon"
require_relative "work_case"

module Raffia
  # The parent of the tests with a Rails application as the generators of Rails make it: its own
  # files and folders, a database in a file, and `raffia work` and `raffia serve` in its folder.
  class JobsRailsCase < JobsWorkCase
    APPLICATION = <<~RUBY
      require "rails"
      require "active_job/railtie"
      require "active_record/railtie"
      require "action_controller/railtie"
      require "raffia/rails"

      module Shop
        class Application < Rails::Application
          config.load_defaults 8.0
          config.root = File.expand_path("..", __dir__)
          config.eager_load = !Rails.env.development?
          config.enable_reloading = Rails.env.development?
          config.secret_key_base = "0" * 64
          config.hosts.clear
          config.logger = Logger.new(config.root.join("log"))
          config.active_job.queue_adapter = :raffia
          config.active_support.isolation_level = :fiber unless ENV["ISOLATION"] == "none"
          config.i18n.available_locales = %i[en de fr]
          instance_eval(ENV["SETTINGS"].to_s)
        end
      end
    RUBY
    # Each person's greeting is done by a job.
    MODELS = <<~RUBY
      class Person < ActiveRecord::Base
        after_create { GreetJob.perform_later(self) }
      end
    RUBY
    CONTROLLER = <<~RUBY
      class PeopleController < ActionController::API
        def create = render(json: Person.create!(name: params[:name]))
      end
    RUBY
    JOBS = <<~'RUBY'
      class ApplicationJob < ActiveJob::Base
        def say(*words)
          line = [self.class.name, *words, Process.pid].join(" ")
          Rails.root.join("said").write("#{line}\n", mode: "a")
        end
      end

      class GreetJob < ApplicationJob
        def perform(person) = say(person.name, Person.count)
      end

      class WordJob < ApplicationJob
        def perform(word) = say(word)
      end

      # Rails keeps this apart for each job: they meet while all of them run.
      class SurroundingsJob < ApplicationJob
        class Here < ActiveSupport::CurrentAttributes
          attribute :who
        end

        def perform(name, gate)
          before = Here.who
          Here.who = name
          Person.transaction do
            connection = Person.connection
            say("began", name)
            sleep(0.01) until Rails.root.join(gate).exist?
            say("saw", name, Here.who, before.inspect, I18n.locale, Time.zone.name,
              Person.connection.equal?(connection), connection.object_id)
          end
        end
      end

      class StubbornJob < ApplicationJob
        class Often < StandardError; end
        class Never < StandardError; end
        retry_on(Often, wait: 0, attempts: 3) do |job, _error|
          job.say("gave", "up", job.executions)
        end
        discard_on(Never) { |job, error| job.say("threw", error.message) }

        def perform(error)
          say("tried", executions)
          raise error.constantize, "away"
        end
      end

      class BrokenJob < ApplicationJob
        raffia_options retry: 0, tags: %w[fragile]

        def perform = raise(ArgumentError, "on purpose")
      end

      class BusyJob < ApplicationJob
        def perform(error) = raise(error.constantize, "busy")
      end

      class BusyThreadJob < BusyJob
        raffia_options on: :threads
      end

      class BusyProcessJob < BusyJob
        raffia_options on: :processes
      end

      class OnceJob < ApplicationJob
        raffia_options unique: :done
        retry_on(ArgumentError, wait: 0)

        def perform
          say("run", executions)
          raise ArgumentError if executions < 2
        end
      end

      class StepsJob < ApplicationJob
        include ActiveJob::Continuable
        self.resume_options = {wait: 0}

        def perform(gate)
          step(:first) { say("first", resumptions) }
          step(:count, start: 0) do |step|
            (step.cursor...5).each do |number|
              say("count", number, resumptions)
              gate_file = Rails.root.join(gate)
              sleep(0.01) until gate_file.exist? || number != 2 || queue_adapter.stopping?
              step.advance!
            end
          end
          step(:last) { say("last", resumptions) }
        end
      end

      class PlainJob
        include Raffia::Job

        def perform(word)
          raise Raffia::Jobs::RateLimited if word == "limited"
          raise "no #{word}" if word == "luck"

          WordJob.new.say("plain", word, Person.count, Rails.application.executor.active?)
        end
      end
    RUBY
    FILES = {
      "config/application.rb" => APPLICATION,
      "config/boot.rb" => "",
      "config/environment.rb" => "require_relative \"application\"\n" \
        "Rails.application.initialize!\n",
      "config/routes.rb" => "Rails.application.routes.draw do\n  resources :people, only: " \
        ":create\nend\n",
      "config/database.yml" => "<%= Rails.env %>:\n  adapter: sqlite3\n  database: storage/<%= " \
        "Rails.env %>.sqlite3\n  pool: 60\n",
      "config.ru" => "require_relative \"config/environment\"\nrun Rails.application\n",
      "app/models/person.rb" => MODELS,
      "app/controllers/people_controller.rb" => CONTROLLER,
      **JOBS.split(/^(?=class |# )/).reject { |text| text.match?(/\A# .*\n\z/) }
        .to_h { |text|
          ["app/jobs/#{text[/^class (\w+)/, 1].gsub(/(?<=[a-z])(?=[A-Z])/, "_").downcase}.rb", text]
        },
      "storage/.keep" => ""
    }.freeze
    # Does the work of `rails db:prepare`.
    SCHEMA = "ActiveRecord::Schema.verbose = false; ActiveRecord::Schema.define { " \
      "create_table(:people) { |table| table.string(:name) } }"

    def setup
      %w[activejob activerecord actionpack railties sqlite3].each do |name|
        if Gem::Specification.find_all_by_name(name).empty?
          skip "the gem #{name} is not installed (bin/setup --server)"
        end
      end
      super
    end

    # Where an application keeps jobs that says nothing about it.
    def url = "sqlite:#{File.join(@dir, "storage/raffia_production.db")}"

    private

    # Before there is a store: its folder is one of these.
    def script(source, name)
      return super unless name == "jobs.rb"

      FILES.each do |path, text|
        FileUtils.mkdir_p(File.dirname(File.join(@dir, path)))
        File.write(File.join(@dir, path), text)
      end
    end

    # @return [String] what it has printed: a program in the application
    def app(program, env: {})
      ended = ruby("-W0", "-e", "require './config/environment'; #{program}",
        env: {"RAILS_ENV" => "production", **env})
      assert_predicate ended.status, :success?, ended.err
      ended.out
    end

    def prepare(env: {}) = app(SCHEMA, env: env)

    # @yieldparam worker [Running] one that has begun to work
    def rails_work(*argv, env: {}, command: [EXECUTABLE, "work"])
      before = @store.processes.size
      @worker = worker = start(*command, "--json", *argv,
        env: {"RAILS_ENV" => "production", "RUBYOPT" => "-W0", **env})
      await("it has not begun") do
        @store.processes.size > before ||
          (!worker.running? && flunk("it ended: #{worker.ended.inspect}\n#{worker.err}"))
      end
      yield worker
      quit(worker)
    ensure
      worker&.finish
    end

    # Killed, it would leave processes that first have to notice.
    def quit(running)
      return unless running.running?

      running.kill(:TERM)
      assert_equal 0, running.ended.exitstatus, running.err
    end

    def await(what, &)
      super
    rescue Minitest::Assertion => error
      log = File.join(@dir, "log")
      raise error.class, "#{error.message}\n#{File.read(log) if File.exist?(log)}", error.backtrace
    end
  end
end
