# frozen_string_literal: true

require "rbconfig"
require_relative "../record"
require_relative "../worker"

module Ledger
  module Rivals
    # A job system with one worker process, ten jobs at a time, of 10 to 20 ms each.
    class System < Ledger::Worker
      THREADS = 10

      # What a job does.
      # @param id [String]
      def self.work(id)
        record = Record.new(ENV.fetch("LEDGER_RECORD"))
        record.note(:began, [id])
        sleep(rand(0.01..0.02))
        record.note(:ended, [id])
        record.close
      end

      # @param dir [String] of our own
      def initialize(dir)
        @dir = dir
        prepare
        super(env, File.join(dir, "worker.log"))
      end

      # @param record [String] path
      def start(record = nil)
        @env = @env.merge("LEDGER_RECORD" => record) if record
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

      # Whether somebody else is there who starts a worker again.
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
