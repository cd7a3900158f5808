# frozen_string_literal: true

require_relative "client_address"
require_relative "client_rates"

module Raffia
  class Server
    class Admission
      # Refuses requests of a client that sends too many a second.
      #
      # @api private
      class ClientLimiter
        # `retry_after`: seconds.
        class Exceeded < Error
          attr_reader :retry_after

          def initialize(wait)
            @retry_after = wait.ceil.clamp(1..)
            super("the client has sent too many requests")
          end
        end

        # Nil when nothing is limited. `memory`: of {ClientRates}; nil: its own.
        def self.build(options, memory)
          new(options, memory || ClientRates.memory(options)) if options.client_rate
        end

        # Returns the key of a request's client. Nil: that is its address.
        attr_writer :key

        def initialize(options, memory)
          @rates = ClientRates.new(memory, options.client_rate,
            options.client_burst || options.client_rate)
          @address = ClientAddress.new(options.trusted_proxies, options.client_header)
          @key = nil
        end

        # Raises {Exceeded}.
        def check(env)
          client = @key&.call(env) || @address.of(env) or return
          wait = @rates.exceeded(client.to_s) and raise Exceeded.new(wait)
        end
      end
    end
  end
end
