# frozen_string_literal: true

require_relative "job"

module Resque
  # Makes job classes of Resque's, which have a class method `perform`.
  #
  # @api private
  class JobAdapter
    # Runs a job of the class that `target` returns.
    class Run
      include Raffia::Job

      def perform(*args)
        ::Resque::Job.new(run&.item&.fetch("queue", nil), {"class" => self.class.target,
          "args" => args}).perform
      end
    end

    def initialize
      @made = ObjectSpace::WeakKeyMap.new
    end

    # Returns nil for what is no job of Resque.
    def call(target)
      return unless target.is_a?(Module) && target.respond_to?(:perform)

      @made[target] ||= Class.new(Run) { define_singleton_method(:target) { target } }
    end
  end
end
