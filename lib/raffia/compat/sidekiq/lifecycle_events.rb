# frozen_string_literal: true

module Sidekiq
  # Callbacks of programs for a worker's events.
  #
  # @api private
  class LifecycleEvents
    CALLED = %i[startup quiet shutdown exit].freeze
    # Events of Sidekiq that do not occur here.
    SILENT = %i[heartbeat beat].freeze
    private_constant :CALLED, :SILENT

    def initialize(configuration)
      @configuration = configuration
      @blocks = CALLED.to_h { |event| [event, []] }
    end

    def on(event, &block)
      return @blocks[event] << block if @blocks.key?(event)
      unless SILENT.include?(event)
        raise ArgumentError, "#{event.inspect} is no event: there are " \
          "#{[*CALLED, *SILENT].join(", ")}"
      end

      @configuration.logger.warn("config.on(#{event.inspect}) is never called: there are the " \
        "events #{CALLED.join(", ")} here")
    end

    # Called when the first worker of this process starts. Calls the startup blocks in order; an
    # error prevents the worker's start. At exit the others run in reverse order.
    def startup
      take(:startup).each { |block| report_error(&block) }
      at_exit = CALLED.drop(1).flat_map { |event| take(event).reverse }
      Raffia::Signals.at_exit { at_exit.each { |block| log_error(&block) } } if at_exit.any?
    end

    private

    def take(event) = @blocks[event].slice!(0..)

    def log_error(&)
      report_error(&)
    rescue => error
      @configuration.logger.error(error.full_message(highlight: false))
    end

    def report_error
      yield
    rescue => error
      @configuration.handle_exception(error, {context: "Exception during Sidekiq lifecycle event."})
      raise
    end
  end
end
