# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      # What all runs of a worker share.
      #
      # @!attribute [r] worker
      #   @return [Worker]
      # @!attribute [r] store
      #   @return [Store]
      # @!attribute [r] places
      #   @return [Places]
      # @!attribute [r] acks
      #   @return [Acks]
      # @!attribute [r] keeper
      #   @return [Keeper]
      # @!attribute [r] patience
      #   @return [Patience]
      # @!attribute [r] journal
      #   @return [Journal]
      # @!attribute [r] middleware
      #   @return [Middleware]
      # @!attribute [r] board
      #   @return [LeaseBoard, nil]
      #
      # @api private
      Desk = Struct.new(:worker, :store, :places, :acks, :keeper, :patience, :journal, :middleware,
        :board)
    end
  end
end
