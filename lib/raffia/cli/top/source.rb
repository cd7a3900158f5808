# frozen_string_literal: true

require "json"
require "socket"
require_relative "../../../raffia"
require_relative "../../actor"

module Raffia
  module CLI
    module Top
      # Reads what processes show.
      #
      # @api private
      class Source
        # Seconds that a process has to answer. One whose main thread computes in C may take a
        # while.
        READ_TIMEOUT = 5
        private_constant :READ_TIMEOUT

        # @param names [Array<String>] pids and sockets; none: all that there are
        def initialize(names)
          @names = names
        end

        # @param strict [Boolean] whether all that were named have to be there
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
          if name.match?(/\A\d+\z/)
            ::File.join(Actor::IntrospectionSocket.folder, "#{name}.sock")
          else
            name
          end
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

        # Its process has gone.
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
