# frozen_string_literal: true

require_relative "layers"

Raffia::Compat.claim(:resque)

require "json"
require "logger"
require_relative "../jobs"
require_relative "resque/errors"
require_relative "resque/plugin"
require_relative "resque/job"
require_relative "resque/job_adapter"
require_relative "resque/queues"
require_relative "resque/scheduling"
require_relative "resque/setup"

# Resque's interface to define and enqueue jobs, and resque-scheduler's to delay them, over Raffia's
# jobs and any of its stores.
#
#     class Archive
#       @queue = :file_serve
#       def self.perform(id, branch) = ...
#     end
#
#     Resque.enqueue(Archive, 44, "masterbrew")
#
# `raffia work -r ./jobs.rb -q file_serve` processes it. A job that fails is dead, as Resque's are
# failed, and `raffia jobs retry` runs it again.
module Resque
  VERSION = "3.2.0"

  SETUP = Setup.new
  private_constant :SETUP

  extend Queues
  extend Scheduling

  class << self
    # The store, unless RAFFIA_STORE names one: an address of Redis, or a client that has one.
    def redis=(server)
      SETUP.redis = server
    end

    # Jobs run where they are enqueued.
    def inline? = SETUP.inline

    def inline=(value)
      SETUP.inline = value
    end

    def logger = SETUP.logger

    def logger=(logger)
      SETUP.logger = logger
    end

    # Blocks that run once in each worker process, before its first job.
    %i[before_first_fork before_fork after_fork].each do |name|
      define_method(name) do |&block|
        block ? SETUP.hooks(name) << block : SETUP.hooks(name).dup
      end
      define_method(:"#{name}=") { |block| SETUP.hooks(name).replace([block]) }
    end

    # Parts of Resque that Raffia has in another form.
    {redis: "use Raffia::Jobs.store, or a Redis client of your own",
     data_store: "use Raffia::Jobs.store",
     reserve: "workers claim jobs: run `raffia work`", pop: "workers claim jobs: run `raffia work`",
     workers: "use Raffia::Jobs.store.processes", working: "use Raffia::Jobs.store.processes",
     info: "use Raffia::Jobs.store.counts", stat: "use Raffia::Jobs.store.counts",
     schedule: "declare recurring jobs by Raffia::Jobs.recurring",
     "schedule=": "declare recurring jobs by Raffia::Jobs.recurring"}.each do |name, advice|
      define_method(name) do |*|
        raise NotProvided, "Resque.#{name} is not there: #{advice}"
      end
    end

    def to_s = "Resque on #{Raffia::Jobs.store.url}"
  end

  SETUP.attach
end
