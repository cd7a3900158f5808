# frozen_string_literal: true

require_relative "executors/threads"

module Raffia
  class Actor
    # Executors of actors: they run an actor's {Execution}, and interrupt it when it is killed.
    #
    # An executor answers
    #
    #     dispatch(execution, awaited)  has messages handled; awaited: a caller waits for it
    #     go_on(execution)              continues an actor that has more to do, after others
    #     run { }                       runs the block there, and waits for its value
    #     reenter { }                   runs what the actor's current message waits for
    #     enter(core) { |scope| }       gives the scope by which the block can be cancelled
    #     expose(scope) { }             runs the user's code, which the scope may interrupt
    #     build(factory, core)          makes the actor's object
    #
    # @api private
    module Executors
      # The executor of an actor with these settings ({Settings#on}), in its group.
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
