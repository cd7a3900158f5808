# frozen_string_literal: true

module Raffia
  class Pool
    # Checks of arguments, with errors that say what to give instead.
    #
    # @api private
    module Validation
      module_function

      def counts(**values)
        values.each do |name, value|
          next if value.nil? || (value.is_a?(Integer) && value.positive?)

          raise ConfigError, "#{name}: #{value.inspect} is not a count: give a whole number from " \
            "1 up, or leave it out"
        end
      end

      def seconds(**values)
        values.each do |name, value|
          next if value.nil? || seconds?(value)

          raise ConfigError, "#{name}: #{value.inspect} is not a time: give seconds from 0 up, " \
            "or leave it out for no limit"
        end
      end

      def work(work, block)
        return block unless work
        raise ConfigError, "the work was given twice: as work: and as a block" if block
        return work.to_proc if work.respond_to?(:to_proc)
        return work.method(:call).to_proc if work.respond_to?(:call)

        raise ConfigError, "work: #{work.inspect} cannot be called: give a Proc, a Method or " \
          "anything else that has #call"
      end

      def no_block(name)
        ConfigError.new("#{name} was called without a block: give it the work, as in " \
          "#{name}(items) { |item| ... }")
      end

      # Ruby 3.3 and 3.4 lose wake-ups when several Ractors have threads of their own: a few lines
      # of plain Ruby hang.
      def threads(name)
        return if !defined?(::Ractor) || ::Ractor.current.equal?(::Ractor.main)

        raise ConfigError,
          "on: #{name.inspect} needs threads, and inside of a Ractor these can hang " \
          "for ever: use on: :inline or on: :fibers there, or take the outer call to on: :processes"
      end

      def retries(times, backoff, classes)
        unless times.is_a?(Integer) && times >= 0
          raise ConfigError, "retries: #{times.inspect} is not a number of further attempts: " \
            "give a whole number from 0 up"
        end
        unless seconds?(backoff) || backoff.respond_to?(:call)
          raise ConfigError,
            "backoff: #{backoff.inspect} is not a pause: give seconds from 0 up, or " \
            "what gives them for the number of the attempt that failed"
        end
        return if Array(classes).all?(Module)

        raise ConfigError, "retry_on: #{classes.inspect} is not a class of errors: give one, or " \
          "an Array of them"
      end

      def seconds?(value) = value.is_a?(Numeric) && value.real? && value >= 0
    end
  end
end
