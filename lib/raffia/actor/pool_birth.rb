# frozen_string_literal: true

module Raffia
  class Actor
    class PoolCell
      # What a pool is made of: how many workers, and what each of them is made of.
      #
      # @api private
      class Birth
        # @return [Integer]
        attr_reader :size
        # @return [Settings] of each worker
        attr_reader :settings

        # @param worker [Cell::Birth]
        def initialize(worker, size, settings)
          @worker = worker
          @size = size
          @settings = settings
        end

        # @return [Class] the workers'
        def actor_class = @worker.actor_class

        # @return [PoolKeeper]
        def give(cell)
          PoolKeeper.allocate.tap do |keeper|
            keeper.__send__(:raffia_attach, cell)
            keeper.__send__(:initialize, self)
          end
        end

        # There will be no other keeper.
        # @return [void]
        def bury(_reason) = nil

        # @param pool [PoolCell]
        # @return [Cell] a worker
        def hire(pool)
          actor_class.raffia_spawn(@worker, parent: pool, host: pool.host, **@settings.to_h)
            .raffia_cell
        end
      end
    end
  end
end
