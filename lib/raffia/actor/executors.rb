# frozen_string_literal: true

require_relative "executors/fibers"
require_relative "executors/threads"

module Raffia
  class Actor
    # Executors of actors: they run an actor's methods, and interrupt them when it is killed.
    #
    # @api private
    module Executors
      # @param name [Symbol] as in {Settings#on}
      # @return [Fibers, Threads, Remote::ThreadExecutor]
      def self.find(name, group)
        case name
        when :fibers then group.fibers
        when :threads then Threads.shared
        when :processes then Remote::ThreadExecutor.new(Remote::Processes)
        else Remote::ThreadExecutor.new(Remote::Ractors)
        end
      end
    end
  end
end
