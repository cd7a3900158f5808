# frozen_string_literal: true

module SuckerPunch
  # What a program has set. In one object, as a module should have no state of its own.
  #
  # @api private
  class Settings
    # @return [#call, nil]
    attr_accessor :exception_handler
    # @return [Logger, nil]
    attr_accessor :logger
    # @return [Numeric] seconds
    attr_accessor :shutdown_timeout

    def initialize
      @shutdown_timeout = 8 # Heroku kills after 10
    end
  end
end
