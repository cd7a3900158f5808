# frozen_string_literal: true

require "bigdecimal"
require "logger"
require "rails"
require "active_record/railtie"
require "active_job/railtie"
require "solid_queue"
require "tmpdir"
require "json"

module DeadlocksBench
  # Solid Queue's own steps, as its worker and dispatcher take them. A deadlock is an error to the
  # caller there.
  class SolidQueue
    def initialize(url)
      root = Dir.mktmpdir("raffia-deadlocks-rails-")
      at_exit { FileUtils.rm_rf(root) }
      File.write("#{root}/database.yml", JSON.generate("production" => {
        "adapter" => "trilogy", "url" => url.sub("mysql:", "trilogy:"), "pool" => 32
      }))
      boot(root)
      require_relative "solid_queue_jobs"
    end

    def setup
      ActiveRecord::Schema.verbose = false
      folder = Gem::Specification.find_by_name("solid_queue").gem_dir
      load "#{folder}/lib/generators/solid_queue/install/templates/db/queue_schema.rb"
    end

    def claim
      claims = attempt { ::SolidQueue::ReadyExecution.claim("*", 10, process.id) } || []
      sleep(0.005) if claims.empty?
      claims.count { |one| attempt { one.perform || true } }
    end

    def enqueue
      case rand(4)
      when 0
        (attempt { ActiveJob.perform_all_later(Array.new(20) { PlainJob.new(7) }) }) ? 20 : 0
      when 1 then (attempt { PlainJob.set(wait: 1).perform_later(7) }) ? 1 : 0
      when 2 then (attempt { LimitedJob.perform_later(rand(20)) }) ? 1 : 0
      else (attempt { PlainJob.perform_later(7) }) ? 1 : 0
      end
    end

    def promote
      count = attempt { ::SolidQueue::ScheduledExecution.dispatch_next_batch(500) }.to_i
      attempt { ::SolidQueue::BlockedExecution.unblock(500) }
      sleep(0.05) if count.zero?
      count
    end

    def prune
      attempt { ::SolidQueue::Semaphore.expired.in_batches(of: 500, &:delete_all) }
      attempt do
        ::SolidQueue::Job.clear_finished_in_batches(batch_size: 500, finished_before: Time.now)
      end
      sleep(0.05)
      0
    end

    private

    def boot(root)
      ENV["RAILS_ENV"] = "production"
      application = Object.const_set(:DeadlocksApplication, Class.new(::Rails::Application))
      config = application.config
      config.root = root
      config.load_defaults(8.1)
      config.eager_load = true
      config.secret_key_base = "0" * 64
      config.logger = Logger.new(IO::NULL)
      config.active_job.queue_adapter = :solid_queue
      config.paths["config/database"] = "#{root}/database.yml"
      application.initialize!
    end

    def process
      @process ||= ::SolidQueue::Process.register(kind: "Worker", name: SecureRandom.hex(8),
        pid: ::Process.pid, hostname: "bench")
    end

    # Nil after a deadlock.
    def attempt
      yield
    rescue ActiveRecord::ActiveRecordError, ::SolidQueue::Job::EnqueueError
      nil
    end
  end
end
