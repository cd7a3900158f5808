# frozen_string_literal: true

require "digest"
require "tmpdir"
require "uri"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # A database's file (absolute, because a process may change its directory), and its
        # durability: full, normal or off.
        # @api private
        Address = Data.define(:path, :synchronous) do
          def self.parse(url, synchronous = nil)
            path, query = url.sub(/\Asqlite3?:(\/\/(?=\/))?/, "").split("?", 2)
            given = URI.decode_www_form(query.to_s).to_h
            synchronous = (synchronous || given.delete("synchronous") || :full).to_sym
            url = Store::Address.shown(url)
            unless given.empty?
              raise ConfigError, "#{url}: there is no option #{given.keys.first}, only " \
                "synchronous=full|normal|off"
            end
            unless self::LEVELS.include?(synchronous)
              raise ConfigError, "#{url}: synchronous is full, normal or off, not #{synchronous}"
            end
            if path.nil? || path.empty? || path == ":memory:"
              raise ConfigError, "#{url}: a file is needed, because processes share it: " \
                "sqlite:raffia.db"
            end

            new(path: text(real(path)), synchronous: synchronous)
          end

          # The gem wants text, and in the locale C the system's paths are none.
          def self.text(path)
            text = path.dup.force_encoding(Encoding::UTF_8)
            text.valid_encoding? ? text : path
          end
          private_class_method :text

          # The file itself, not a link: SQLite puts the log beside it, and all processes must find
          # the same sockets.
          def self.real(path)
            File.realdirpath(path)
          rescue SystemCallError
            File.expand_path(path)
          end

          # The folder for sockets. A socket's path may be too long beside the file.
          def sockets
            folder = "#{path}-wake"
            return folder if folder.bytesize <= self.class::LONGEST

            File.join(Dir.tmpdir, "raffia-#{Digest::SHA256.hexdigest(path)[0, 16]}")
          end

          def to_s = "sqlite:#{path}#{"?synchronous=#{synchronous}" unless synchronous == :full}"
        end

        class Address
          LEVELS = %i[full normal off].freeze
          # A socket's path has 107 bytes on Linux and 103 elsewhere, of which its own name takes up
          # to 21.
          LONGEST = 82
        end
      end
    end
  end
end
