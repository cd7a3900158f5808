# frozen_string_literal: true

module Raffia
  class Server
    class Admission
      # Estimates the CPU time of a request by that of earlier ones with the same method and
      # beginning of the path.
      #
      # @api private
      class CostEstimate
        # Seconds of CPU above which a request is heavy.
        HEAVY = 0.05
        # Seconds below which a kind is not remembered, such as paths that do not exist.
        LIGHT = HEAVY / 5
        # Weight of the last request.
        WEIGHT = 0.25
        # Kinds of requests that are remembered. A further one replaces the oldest: clients choose
        # the paths.
        KINDS = 500
        # The first two segments of a path.
        START = %r{\A/[^/]*(?:/[^/]*)?}
        private_constant :HEAVY, :LIGHT, :WEIGHT, :KINDS, :START

        def initialize
          @costs = {}
        end

        # Requests of one kind cost about the same.
        def kind(env) = "#{env["REQUEST_METHOD"]} #{env["PATH_INFO"][START]}"

        def heavy?(kind) = @costs.fetch(kind, 0) > HEAVY

        # From any thread. A race between two loses the figure of one.
        def record(kind, seconds)
          cost = @costs[kind]
          if cost
            @costs[kind] = cost + (seconds - cost) * WEIGHT
          elsif seconds > LIGHT
            @costs.shift if @costs.size >= KINDS
            @costs[kind] = seconds
          end
        end
      end
    end
  end
end
