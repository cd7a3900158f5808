# frozen_string_literal: true

require "timeout"
require_relative "../../pool"

module Raffia
  module Compat
    module Parallel
      # A slot whose worker loop does the work itself. It is posted its first item and takes the
      # others by itself, because the way of chunks costs more than many an item.
      #
      # @api private
      class ThreadSlot < Pool::WorkerSlot
        # @param request [Request]
        # @param coordinator [Coordinator] hears of each item
        def initialize(request, coordinator)
          super(nil)
          @request = request
          @coordinator = coordinator
        end

        # @return [Array(NumberedItem, Executor::Reply), nil] only when one has failed there is
        #   anything left to tell
        def collect
          entry = @posted.first
          while entry
            @coordinator.finished(entry, @request.perform(entry.item, entry.first))
            @posted[0] = entry = @coordinator.following
          end
          @posted.clear && nil
        rescue Cancel, ::Timeout::ExitException
          raise # as Pool::Work: being told to stop is not a failure of the item
        rescue Exception => error # standard:disable Lint/RescueException
          @posted.clear
          [entry, Executor::Reply.new(nil, Executor::Failure.of(error))]
        end

        def subject(entry, _index) = entry.item
      end
    end
  end
end
