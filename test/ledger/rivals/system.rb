# frozen_string_literal: true

require "rbconfig"
require_relative "../history"
require_relative "../worker"

module Ledger
  module Rivals
    # A job system with one worker process, ten jobs at a time, of 10 to 20 ms each.
    class System < Ledger::Worker
      THREADS = 10

      # Does the work of a job.
      # @param id [String]
      def self.work(id)
        history = History.new(ENV.fetch("LEDGER_HISTORY"))
        history.note(:began, [id])
        sleep(rand(0.01..0.02))
        history.note(:ended, [id])
        history.close
      end

      # @param dir [String] of our own
      def initialize(dir)
        @dir = dir
        prepare
        super(env, File.join(dir, "worker.log"))
      end

      # @param history [String] path
      def start(history = nil)
        @env = @env.merge("LEDGER_HISTORY" => history) if history
        super()
      end

      # @param ids [Array<String>]
      # @return [Array<String>] those that the system said it has
      def keep(ids) = raise(NotImplementedError)

      # @return [Hash{String => String}] where those are that it still has, by id
      def places = raise(NotImplementedError)

      # @param what [Symbol] dies
      def kill(what)
        if what == :worker && watched?
          signal(:KILL, await_worker)
        else
          kill_all
          start
        end
      end

      def stop = kill_all

      private

      # Whether another process starts a worker again.
      def watched? = true

      def prepare = nil

      def env = {"RUBYOPT" => nil}

      def await_worker
        sleep(0.01) until (pid = workers.first)
        pid
      end
    end
  end
end
