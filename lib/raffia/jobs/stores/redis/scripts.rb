# frozen_string_literal: true

require "digest"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # The Lua files in scripts/, each after common.lua, and some after rates.lua. A server gets
        # the source once, and then the digest.
        # @api private
        class Scripts
          FOLDER = File.join(__dir__, "scripts")
          PARTS = %w[common.lua rates.lua].freeze
          # Scripts that use rates.lua.
          RATED = %w[claim.lua complete.lua open.lua rate.lua change_rate.lua].freeze

          def initialize
            @sources = (Dir.children(FOLDER) - PARTS).to_h do |file|
              parts = RATED.include?(file) ? PARTS : PARTS.take(1)
              [file.delete_suffix(".lua").to_sym, [*parts, file].map { |one| read(one) }.join("\n")]
            end
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

          def read(file) = File.read(File.join(FOLDER, file), encoding: Encoding::UTF_8)
        end
      end
    end
  end
end
