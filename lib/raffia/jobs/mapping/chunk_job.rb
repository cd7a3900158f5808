# frozen_string_literal: true

require_relative "../job"
require_relative "reference"
require_relative "reply"

module Raffia
  module Jobs
    module Mapping
      # Runs a chunk of a {Raffia.map} on a worker. An error of the block is a reply, not a failure
      # of this job; so only chunks of dead workers are tried again.
      #
      # @api private
      class ChunkJob
        include Job

        options retry: false

        # In the store, while the caller of a map waits for replies.
        def self.key(call) = "map:#{call}"

        # The operation is one of {Pool::Work}; the seed holds one object, or none.
        def perform(call, number, reference, operation, seed, items)
          return unless awaited?(call)

          reply = work(reference, operation, seed, items)
          # Or it would stay in a queue without a reader.
          return unless awaited?(call)

          Client.new(run.store).enqueue([Reply.item(call, number, reply, run.item)])
        end

        private

        def awaited?(call) = !run.store.read(ChunkJob.key(call)).nil?

        def work(reference, operation, seed, items)
          plan = Pool::Plan.new(operation.to_sym, Reference.find(reference),
            seed.empty? ? Pool::Work::NOTHING : seed.first)
          Pool::Work.call(plan, items)
        rescue UnknownJob => error
          Executor::Reply.new(nil, Executor::Failure.new(:error, 0, error, error.backtrace), 0.0)
        end
      end
    end
  end
end
