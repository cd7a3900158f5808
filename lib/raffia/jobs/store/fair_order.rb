# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      # Turns of the keys of a fair queue: stride scheduling (Waldspurger and Weihl, 1995), counted
      # when a job comes to its queue. Jobs of one queue and priority are claimed in the order of
      # their `pass`.
      #
      # A key's next job is one stride after its last one that waits. A key without a waiting job
      # begins at the lowest pass that waits, so it is next after at most one job of each other key.
      # Jobs without a key have the pass 0, and come first.
      # @api private
      module FairOrder
        # Stride of the weight 1.
        STRIDE = 2**20

        module_function

        def stride(fair) = (STRIDE / (fair["weight"] || 1).to_f).round.clamp(1..)

        # `base`: the lowest pass above 0 that waits in this queue and priority; `last`: the highest
        # one of this key; nil where none waits.
        def pass(fair, base, last)
          base ||= STRIDE
          last ? [base, last + stride(fair)].max : base
        end
      end
    end
  end
end
