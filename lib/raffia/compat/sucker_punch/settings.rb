# frozen_string_literal: true

module SuckerPunch
  # Settings of the program. One object, because modules have no state.
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
