# frozen_string_literal: true

require "digest"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # The Lua files in scripts/, each after common.lua. A server gets the source once, and then
        # the digest.
        # @api private
        class Scripts
          NAMES = %i[
            batch beat claim clear complete due enqueue enroll expired find move poll prune
            release_keys renew report_death resign stale_runs suspects write
          ].freeze

          def initialize
            common = read(:common)
            @sources = NAMES.to_h { |name| [name, "#{common}\n#{read(name)}"] }
            @digests = @sources.transform_values { |source| Digest::SHA1.hexdigest(source) }
          end

          def call(connection, name, arguments)
            connection.call_v(command(name, arguments))
          rescue ::RedisClient::NoScriptError
            connection.call_v(command(name, arguments, whole: true))
          end

          # The server tracks `keys`. `whole` sends the source.
          def command(name, arguments, keys: [], whole: false)
            [*(whole ? ["EVAL", @sources.fetch(name)] : ["EVALSHA", @digests.fetch(name)]),
              keys.size, *keys, *arguments]
          end

          private

          def read(name)
            File.read(File.join(__dir__, "scripts", "#{name}.lua"), encoding: Encoding::UTF_8)
          end
        end
      end
    end
  end
end
