# frozen_string_literal: true

require "digest"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # The Lua files in scripts/. Each comes after scripts/parts/common.lua and the parts that it
        # names in a line such as "-- Parts: rates ends"; "none" as the first leaves common.lua out.
        # Parts in a line such as "-- Here: drafts" stand there, within a function: each function
        # that a script makes costs Redis 0.1 to 0.4 us for each call. A server gets the source
        # once, and then the digest.
        # @api private
        class Scripts
          FOLDER = File.join(__dir__, "scripts")
          NEEDS = /^-- Parts: (.*)$/
          ALONE = /^-- Parts: none\b/
          HERE = /^ *-- Here: (.*)$/

          def initialize
            @sources = Dir.children(FOLDER).grep(/\.lua\z/).to_h do |file|
              [file.delete_suffix(".lua").to_sym, source(file)]
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

          def source(file)
            text = read(file)
            found = text.match?(ALONE) ? {} : {"common" => read("parts/common.lua")}
            parts(text, found).values.push(text).join("\n")
          end

          # Adds the parts that a text needs, each after those that it needs itself.
          def parts(text, found)
            text[NEEDS, 1].to_s.split.each do |name|
              next if found.key?(name) || name == "none"

              part = read("parts/#{name}.lua")
              parts(part, found)
              found[name] = part
            end
            found
          end

          def read(file)
            File.read(File.join(FOLDER, file), encoding: Encoding::UTF_8)
              .gsub(HERE) { $1.split.map { |name| read("parts/#{name}.lua") }.join("\n") }
          end
        end
      end
    end
  end
end
