# frozen_string_literal: true

module Raffia
  module Simulation
    # Ends what is left of a run: the `ensure` blocks of its threads run, and end at their first
    # wait.
    #
    # @api private
    class Teardown
      # Threads that lived at the end, and those that a crash of their host has stopped.
      attr_reader :left, :abandoned
      # Waits of the threads that are left: a WaitReport::Snapshot, nil when they may be left.
      attr_reader :waits

      def initialize(world)
        @world = world
        @left = []
        @abandoned = []
      end

      # Calls the block with each thread before it is ended.
      def call
        @left = @world.threads.select(&:alive?)
        @waits = WaitReport.new(@world).snapshot if leaks?
        (@left + @abandoned).each do |thread|
          yield thread
          thread.execution.terminate
        end
      end

      private

      def leaks?
        @world.failure.nil? && !@world.settings.ignore?(:leaks) && !@left.all?(&:daemon)
      end
    end
  end
end
