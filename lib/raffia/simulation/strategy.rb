# frozen_string_literal: true

module Raffia
  module Simulation
    # Strategies choose what happens next. One object serves a whole exploration; {#start} begins a
    # run.
    #
    # Candidates are simulated threads and timers that are due. The first one is the default: the
    # running thread if it can go on, else the one that has been ready for longest.
    module Strategy
      require_relative "strategy/fifo"
      require_relative "strategy/random_walk"
      require_relative "strategy/pct"
      require_relative "strategy/portfolio"
      require_relative "strategy/exhaustive"

      # The strategy of a name.
      # @api private
      def self.build(name, depth: 3, bound: nil)
        Settings.number(:depth, depth, ::Integer, least: 1)
        Settings.number(:bound, bound, ::Integer) if bound
        case name
        when :fifo then Fifo.new
        when :random then RandomWalk.new
        when :pct then PCT.new(depth)
        when :portfolio then Portfolio.new(depth)
        when :exhaustive then Exhaustive.build(bound)
        when Symbol, String
          raise ConfigError, "there is no strategy #{name.inspect}: use :fifo, :random, :pct, " \
            ":portfolio or :exhaustive"
        else name
        end
      end
    end
  end
end
