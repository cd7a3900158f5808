# frozen_string_literal: true

require_relative "../../base/signals"

module Sidekiq
  # What programs want to be called at in the life of a worker.
  #
  # @api private
  class Events
    # Those that happen here.
    CALLED = %i[startup quiet shutdown exit].freeze
    # Those of Sidekiq's that do not.
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

    # A worker begins, for the first time in this process: in their order, and at its end the other
    # way round. What a block raises keeps it from beginning.
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
