# frozen_string_literal: true

require "support/servers"
require_relative "system"

module Ledger
  module Rivals
    # The free one, as it comes, on a Redis that flushes each write. It is one process, and has no
    # supervisor.
    class Sidekiq < System
      def keep(ids)
        jids = Job.perform_bulk(ids.zip)
        ids.reject.with_index { |_, index| jids[index].nil? }
      end

      def places
        {"in its queue" => ::Sidekiq::Queue.new, "to be tried again" => ::Sidekiq::RetrySet.new,
         "dead" => ::Sidekiq::DeadSet.new}
          .flat_map { |place, set| set.map { |job| [job.args.first, place] } }.to_h
      end

      private

      def prepare
        @server = Class.new(TestSupport::DurableRedis).running
        ENV["REDIS_URL"] = "redis://127.0.0.1:#{@server.port}/0"
        gem "sidekiq"
        require "sidekiq/api"
        require_relative "sidekiq_job"
      end

      def watched? = false

      def env = super.merge("REDIS_URL" => ENV["REDIS_URL"])

      def program
        [Gem.bin_path("sidekiq", "sidekiq"), "-r", "#{__dir__}/sidekiq_job.rb", "-e", "production",
          "-c", THREADS.to_s]
      end
    end
  end
end
