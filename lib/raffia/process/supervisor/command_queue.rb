# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # Commands of signal handlers and other threads for the supervisor's loop: a queue, and a pipe
      # to wait for.
      #
      # @api private
      class CommandQueue
        def initialize
          @owner = ::Process.pid
          @commands = Thread::Queue.new
          @reader, @writer = ::IO.pipe
        end

        def to_io = @reader

        # Safe in a signal handler. A forked child has the parent's handlers for a moment: there it
        # does nothing.
        def push(*command)
          return unless ::Process.pid == @owner

          @commands << command
          @writer.write_nonblock(".", exception: false)
        rescue IOError
          nil # closed
        end

        def each
          nil while @reader.read_nonblock(4096, exception: false).is_a?(String)
          yield @commands.pop(true) until @commands.empty?
        end

        def close = [@reader, @writer].each(&:close)
      end
    end
  end
end
