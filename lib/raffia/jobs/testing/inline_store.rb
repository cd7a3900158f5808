# frozen_string_literal: true

require_relative "../stores/memory"
require_relative "drain"

module Raffia
  module Jobs
    module Testing
      # Store that runs each job as it is enqueued. Jobs of a job run before its `perform_async`
      # returns; callbacks of batches run when the outermost job is done.
      # @api private
      class InlineStore < Stores::Memory
        KEY = :raffia_jobs_inline
        private_constant :KEY

        # (see Store#enqueue)
        def enqueue(drafts, precondition: nil)
          ids = super
          nested { Drain.new(self).these(ids.compact) } if ids
          ids
        end

        # (see Store#seal_batch)
        def seal_batch(id)
          super
          nested {}
        end

        # (see Store#open_workflow)
        def open_workflow(...)
          super.tap { nested {} }
        end

        # (see Store#retry_workflow)
        def retry_workflow(...)
          super
          nested {}
        end

        private

        def nested
          outermost = !Fiber[KEY]
          Fiber[KEY] = true
          yield
          Drain.new(self).call if outermost
          nil
        ensure
          Fiber[KEY] = nil if outermost
        end
      end
    end
  end
end
