# frozen_string_literal: true

require_relative "../../base/signals"

module Sidekiq
  # Callbacks of programs for events in the life of a worker.
  #
  # @api private
  class LifecycleEvents
    # Events that occur here.
    CALLED = %i[startup quiet shutdown exit].freeze
    # Events of Sidekiq that do not.
    SILENT = %i[heartbeat beat].freeze
    private_constant :CALLED, :SILENT

    # @param configuration [Configuration]
    def initialize(configuration)
      @configuration = configuration
      @blocks = CALLED.to_h { |event| [event, []] }
    end

    # @return [void]
    # @raise [ArgumentError]
    def on(event, &block)
      return @blocks[event] << block if @blocks.key?(event)
      unless SILENT.include?(event)
        raise ArgumentError, "#{event.inspect} is no event: there are " \
          "#{[*CALLED, *SILENT].join(", ")}"
      end

      @configuration.logger.warn("config.on(#{event.inspect}) is never called: there are the " \
        "events #{CALLED.join(", ")} here")
    end

    # The first worker of this process starts: calls the blocks in order, and those of its end in
    # reverse. An error of a block keeps the worker from starting.
    # @return [void]
    def startup
      take(:startup).each { |block| told(&block) }
      ending = CALLED.drop(1).flat_map { |event| take(event).reverse }
      Raffia::Signals.at_exit { ending.each { |block| guarded(&block) } } if ending.any?
    end

    private

    def take(event) = @blocks[event].slice!(0..)

    def guarded(&)
      told(&)
    rescue => error
      @configuration.logger.error(error.full_message(highlight: false))
    end

    def told
      yield
    rescue => error
      @configuration.handle_exception(error, {context: "Exception during Sidekiq lifecycle event."})
      raise
    end
  end
end
