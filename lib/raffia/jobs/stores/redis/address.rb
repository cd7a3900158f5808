# frozen_string_literal: true

require "uri"
require_relative "../../../base/optional"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Address of a Redis. The one file that loads redis-client.
        # @api private
        class Address
          # Most connections of a process; one more for each {Notifier#wait}.
          CONNECTIONS = 16
          # Seconds for an answer.
          TIMEOUT = 5.0
          # Seconds after which an idle connection is checked before its next use.
          IDLE = 1.0
          PARAMETERS = {"compat" => :Integer, "pool" => :Integer, "timeout" => :Float,
                        "db" => :Integer}.freeze

          attr_reader :connections
          attr_reader :compat
          attr_reader :shown

          def initialize(url, compat: nil, pool: nil, timeout: nil, ssl_params: nil)
            Optional.gem("redis-client", ">= 0.27", for: "the Redis store", feature: "redis_client")
            place, query = url.sub(/\Avalkey:/, "redis:").split("?", 2)
            given = parameters(query)
            @compat = version(compat || given[:compat])
            @connections = pool || given[:pool] || CONNECTIONS
            # A password may have a / that is not written as %2F.
            @shown = place.sub(place.start_with?("unix") ? %r{//[^/]*@} : %r{//.*@}, "//")
            @config = configure(place, {timeout: timeout || given[:timeout] || TIMEOUT,
                                        db: given[:db], ssl_params: ssl_params}.compact)
          end

          def client = @config.new_client

          private

          def configure(place, options)
            # A driver that waits in C would block all fibers of its thread.
            ::RedisClient.config(url: place, driver: :ruby, idle_timeout: IDLE,
              reconnect_attempts: 0, **options)
          rescue ArgumentError, URI::Error => error
            raise ConfigError, "#{@shown} is no address of a Redis (#{error.class}): use one " \
              "such as redis://:password@localhost:6379/0", cause: nil
          end

          def parameters(query)
            URI.decode_www_form(query.to_s).to_h do |name, value|
              [name.to_sym, Kernel.public_send(PARAMETERS.fetch(name), value)]
            end
          rescue KeyError, ArgumentError
            raise ConfigError, "the address of a Redis knows #{PARAMETERS.keys.join(", ")} " \
              "behind the ?, each with a number, and nothing else",
              cause: nil
          end

          def version(number)
            return number if [7, 8, nil].include?(number)

            raise ConfigError, "compat must be 7 or 8, the version of Sidekiq, not " \
              "#{number.inspect}"
          end
        end
      end
    end
  end
end
