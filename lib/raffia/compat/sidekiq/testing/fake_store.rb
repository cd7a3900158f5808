# frozen_string_literal: true

require_relative "../../../jobs/stores/memory"

module Sidekiq
  module Testing
    # Store of the fake mode: Arrays of payloads, which tests read and change.
    #
    # @api private
    class FakeStore < Raffia::Jobs::Stores::Memory
      attr_reader :by_queue, :by_class

      def initialize
        super
        @by_queue = Hash.new { |all, name| all[name] = [] }
        @by_class = Hash.new { |all, name| all[name] = [] }
      end

      # (see Raffia::Jobs::Store#enqueue)
      def enqueue(drafts, precondition: nil) # rubocop:disable Lint/UnusedMethodArgument
        drafts.each do |draft|
          item = Raffia::Jobs::Payload.load(draft.payload)
          push(draft.at ? {**item, "at" => draft.at} : item)
        end
        drafts.map(&:jid)
      end

      def push(item)
        @by_queue[item["queue"]] << item
        @by_class[item["class"]] << item
      end

      # Removes the oldest job of a class, nil when there is none.
      def take(name)
        item = @by_class[name].shift
        @by_queue[item["queue"]].delete_if { |one| one.equal?(item) } if item
        item
      end

      def delete_if(&)
        [@by_queue, @by_class].each { |all| all.each_value { |items| items.delete_if(&) } }
      end
    end

    # Store of the inline mode: runs each job as it is enqueued.
    #
    # @api private
    class InlineStore < Raffia::Jobs::Stores::Memory
      # `process`: runs a payload.
      def initialize(process)
        super()
        @process = process
      end

      # (see Raffia::Jobs::Store#enqueue)
      def enqueue(drafts, precondition: nil) # rubocop:disable Lint/UnusedMethodArgument
        drafts.each { |draft| @process.call(Raffia::Jobs::Payload.load(draft.payload)) }
        drafts.map(&:jid)
      end
    end
  end
end
