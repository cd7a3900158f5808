# frozen_string_literal: true

require_relative "../../../jobs"
require_relative "../../../jobs/stores/memory"

module Sidekiq
  module Testing
    # Store of the fake mode: Arrays, which tests keep and change.
    #
    # @api private
    class FakeStore < Raffia::Jobs::Stores::Memory
      # @return [Hash{String => Array<Hash>}]
      attr_reader :by_queue, :by_class

      def initialize
        super
        @by_queue = Hash.new { |all, name| all[name] = [] }
        @by_class = Hash.new { |all, name| all[name] = [] }
      end

      # (see Raffia::Jobs::Store#enqueue)
      def enqueue(drafts, precondition: nil) # rubocop:disable Lint/UnusedMethodArgument
        drafts.each do |draft|
          push(draft.at ? {**Raffia::Jobs::Payload.load(draft.payload), "at" => draft.at} :
            Raffia::Jobs::Payload.load(draft.payload))
        end
        drafts.map(&:jid)
      end

      # @param item [Hash] the payload
      # @return [void]
      def push(item)
        @by_queue[item["queue"]] << item
        @by_class[item["class"]] << item
      end

      # @param name [String] of a class
      # @return [Hash, nil] the oldest job
      def take(name)
        item = @by_class[name].shift
        @by_queue[item["queue"]].delete_if { |one| one.equal?(item) } if item
        item
      end

      # @yieldparam item [Hash]
      # @yieldreturn [Boolean] whether to delete it
      # @return [void]
      def delete_if(&)
        [@by_queue, @by_class].each { |all| all.each_value { |items| items.delete_if(&) } }
      end
    end

    # Store of the inline mode: runs each job as it is enqueued.
    #
    # @api private
    class InlineStore < Raffia::Jobs::Stores::Memory
      # (see Raffia::Jobs::Store#enqueue)
      def enqueue(drafts, precondition: nil) # rubocop:disable Lint/UnusedMethodArgument
        drafts.each { |draft| Testing.process(Raffia::Jobs::Payload.load(draft.payload)) }
        drafts.map(&:jid)
      end
    end
  end
end
