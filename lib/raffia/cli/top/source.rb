# frozen_string_literal: true

require "json"
require "socket"
require_relative "../../../raffia"
require_relative "../../actor"

module Raffia
  module CLI
    class Top < Command
      # Reads the actors of processes from their sockets.
      #
      # @api private
      class Source
        # Seconds; a process whose main thread computes in C is slow.
        READ_TIMEOUT = 5
        private_constant :READ_TIMEOUT

        # names: pids and sockets; empty for all.
        def initialize(names)
          @names = names
        end

        # strict: raises NotFound when a named process is missing.
        def call(strict: true)
          return all if @names.empty?

          @names.filter_map do |name|
            read(path(name)) or (raise missing(name) if strict)
          end
        end

        private

        def all
          ::Dir[::File.join(Actor::IntrospectionSocket.folder, "*.sock")]
            .sort_by { |path| path[/\d+/].to_i }
            .filter_map { |path| read(path) }
        end

        def path(name)
          return name unless name.match?(/\A\d+\z/)
          ::File.join(Actor::IntrospectionSocket.folder, "#{name}.sock")
        end

        def read(path)
          ::UNIXSocket.open(path) do |socket|
            socket.timeout = READ_TIMEOUT
            line = socket.gets and ::JSON.parse(line, symbolize_names: true, max_nesting: false)
          end
        rescue Errno::ECONNREFUSED
          remove(path)
        rescue SystemCallError, ::IOError, ::JSON::ParserError
          nil
        end

        # Removes the socket of a process that has gone.
        def remove(path)
          ::File.delete(path) if ::File.dirname(path) == Actor::IntrospectionSocket.folder
          nil
        rescue SystemCallError
          nil
        end

        def missing(name)
          NotFound.new("#{name} shows nothing: it has ended, or was not started with " \
            "RAFFIA_TOP=on or `raffia run --top`", name: name)
        end
      end
    end
  end
end
