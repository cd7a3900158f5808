# frozen_string_literal: true

require "json"
require "socket"
require_relative "../../../raffia"
require_relative "../../actor"

module Raffia
  module CLI
    module Top
      # What the processes show.
      #
      # @api private
      class Source
        # Seconds that a process has to answer. One whose main thread computes in C may take a
        # while.
        PATIENCE = 5
        private_constant :PATIENCE

        # @param names [Array<String>] pids and sockets; none: all that there are
        def initialize(names)
          @names = names
        end

        # @param strict [Boolean] whether all that were named have to be there
        # @return [Array<Hash>]
        # @raise [NotFound]
        def call(strict: true)
          return everyone if @names.empty?

          @names.filter_map do |name|
            look(path(name)) or (raise missing(name) if strict)
          end
        end

        private

        def everyone
          ::Dir[::File.join(Actor::IntrospectionSocket.folder, "*.sock")]
            .sort_by { |path| path[/\d+/].to_i }
            .filter_map { |path| look(path) }
        end

        def path(name)
          if name.match?(/\A\d+\z/)
            ::File.join(Actor::IntrospectionSocket.folder, "#{name}.sock")
          else
            name
          end
        end

        # @return [Hash, nil]
        def look(path)
          ::UNIXSocket.open(path) do |socket|
            socket.timeout = PATIENCE
            line = socket.gets and ::JSON.parse(line, symbolize_names: true, max_nesting: false)
          end
        rescue Errno::ECONNREFUSED
          forget(path)
        rescue SystemCallError, ::IOError, ::JSON::ParserError
          nil
        end

        # Its process has gone.
        def forget(path)
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
