# frozen_string_literal: true

require "timeout"

module Raffia
  module Compat
    module Parallel
      # A slot whose worker loop does the work itself. It is posted its first item and takes the
      # others from the feed, because a posted chunk costs more than many an item.
      #
      # @api private
      class ThreadSlot < Pool::WorkerSlot
        def initialize(request, coordinator)
          super(nil)
          @request = request
          @coordinator = coordinator
        end

        # The failed item and its reply, or nil: the coordinator knows the others already.
        def collect
          entry = @posted.first
          while entry
            @coordinator.finished(entry, @request.perform(entry.item, entry.first))
            @posted[0] = entry = @coordinator.following
          end
          @posted.clear && nil
        rescue Cancel, ::Timeout::ExitException
          raise # as in Pool::Work: an interruption is not a failure of the item
        rescue Exception => error # standard:disable Lint/RescueException
          @posted.clear
          [entry, Executor::Reply.new(nil, Executor::Failure.of(error))]
        end

        def subject(entry, _index) = entry.item
      end
    end
  end
end
