# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  class Pool
    # The keywords of Raffia.map and its sisters, checked. What is wrong is said before anything is started.
    #
    # @!attribute [r] workers
    #   @return [Integer, nil] how many items are worked on at once
    # @!attribute [r] limit
    #   @return [Integer, nil] how many items may be taken from the input ahead of their results
    # @!attribute [r] chunk
    #   @return [Integer, nil] how many items travel together; nil measures and decides
    # @!attribute [r] timeout
    #   @return [Numeric, nil] seconds for the whole call
    # @!attribute [r] progress
    #   @return [Boolean, String] a String is the title
    #
    # @api private
    Options = Data.define(:workers, :limit, :chunk, :timeout, :progress) do
      def initialize(workers: nil, limit: nil, chunk: nil, timeout: nil, progress: false)
        Check.count(:workers, workers)
        Check.count(:limit, limit)
        Check.count(:chunk, chunk)
        Check.seconds(:timeout, timeout)
        super
      end
    end

    # Sentences for arguments that cannot be meant.
    #
    # @api private
    module Check
      module_function

      def count(name, value)
        return if value.nil? || (value.is_a?(Integer) && value.positive?)

        raise ConfigError, "#{name}: #{value.inspect} is not a count: give a whole number from 1 up, or leave it out"
      end

      def seconds(name, value)
        return if value.nil? || (value.is_a?(Numeric) && value.real? && value >= 0)

        raise ConfigError, "#{name}: #{value.inspect} is not a time: give seconds from 0 up, or leave it out for no limit"
      end

      def block(name, block)
        return if block

        raise ConfigError, "#{name} was called without a block: give it the work, as in #{name}(items) { |item| ... }"
      end
    end
  end
end
