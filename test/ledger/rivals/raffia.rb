# frozen_string_literal: true

require "raffia/jobs"
require "support/servers"
require_relative "raffia_job"
require_relative "system"

module Ledger
  module Rivals
    # The system to compare the others with, under the same kills.
    class Raffia < System
      PLACES = {"in its queue" => :queue, "to be tried again" => :retry, "claimed" => :running,
                "dead" => :dead}.freeze

      def keep(ids)
        client = ::Raffia::Jobs::Client.new(store)
        jobs = ids.map { |id| {"class" => "Ledger::Rivals::Raffia::Job", "args" => [id]} }
        ids.zip(client.enqueue(jobs)).filter_map { |id, jid| id if jid }
      end

      def places
        PLACES.flat_map { |place, set|
          store.entries(set, limit: 10_000)
            .map { |entry| [entry.item["args"].first, place] }
        }.to_h
      end

      private

      def store = @store ||= ::Raffia::Jobs::Store.open(@url)

      def prepare = @url = "sqlite:#{@dir}/jobs.db"

      def program
        ["-I#{ROOT}/lib", "#{ROOT}/exe/raffia", "work", "-r", "#{__dir__}/raffia_job.rb",
          "--processes", "1", "-c", THREADS.to_s, "--store", @url]
      end
    end

    # On a Redis that flushes each write.
    class RaffiaOnRedis < Raffia
      private

      def prepare
        @url = "redis://127.0.0.1:#{Class.new(TestSupport::DurableRedis).running.port}/0"
      end
    end
  end
end
