# frozen_string_literal: true

require_relative "../history"

module Ledger
  module Rivals
    # Jobs are kept and acknowledged; while they are done, those who do them are killed at random
    # moments and started again. When nothing happens any more, the system's own data say where
    # those are that were never finished.
    class Campaign
      # @param system [System]
      # @param dir [String] of our own
      # @param kills [Integer]
      # @param quiet [Integer] seconds without news until it is over
      # @param what [Symbol] is killed: :worker or :all
      def initialize(system, dir, jobs:, kills:, quiet:, what:, random: Random.new)
        @system = system
        @path = File.join(dir, "history")
        @jobs = jobs
        @what = what
        @quiet = quiet
        # By how many are done: a time would be another moment on each machine.
        @moments = Array.new(kills) { random.rand(jobs / 20..jobs * 9 / 10) }.sort
      end

      # @return [String] cells of a row
      def run
        File.write(@path, "")
        @system.start(@path)
        ids = Array.new(@jobs) { |number| format("%024d", number) }
        kept = @system.keep(ids)
        @moments.each { |moment| kill if await { ended >= moment } }
        await { ended >= kept.size }
        check(kept)
      ensure
        @system.stop
      end

      private

      def kill
        @system.kill(@what)
        @killed = @killed.to_i + 1
      end

      # @return [Boolean] whether it came to that, before all was quiet
      def await
        size = -1
        since = now
        until yield
          size, since = File.size(@path), now if File.size(@path) != size
          return false if now - since > @quiet
          sleep(0.05)
        end
        true
      end

      def ended = History.read(@path)[:ended].size

      def check(kept)
        history = History.read(@path)
        open = kept.reject { |id| history[:ended].key?(id) }
        places = @system.places
        found = open.map { |id| places[id] || "nowhere" }.tally
          .map { |place, count| "#{count} #{place}" }
        [@killed.to_i, kept.size, kept.size - open.size, open.size,
          found.empty? ? "" : found.join(", "),
          history[:ended].count { |_, times| times > 1 }].join(" | ")
      end

      def now = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)
    end
  end
end
