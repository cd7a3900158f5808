# frozen_string_literal: true

require "json"
require "rbconfig"
require_relative "environment"

module Raffia
  module Lab
    # A process that the lab started: its pipes, what came out of them, and its end. It leads a
    # process group of its own, so that Ctrl-C reaches the lab alone, and the lab can end the
    # process together with whatever that has started.
    class Subprocess
      LIB = File.expand_path("../..", __dir__).freeze
      # Under `bundle exec`, RUBYOPT would load Bundler into each child, and into its memory; -I is
      # all that they need.
      ENVIRONMENT = {"RUBYOPT" => nil}.freeze
      # Seconds between the request to end and the order to.
      PATIENCE = 3
      CHUNK = 65_536
      # More than that of what a process says on standard error helps nobody.
      TAIL = 4_000

      # Ruby with this gem's files, running one method.
      #
      # @param file [String] what to require, such as "raffia/lab/child"
      # @param code [String] what to run
      # @param with [Array<String>] another Ruby's command
      # @return [Array<String>] the command
      def self.ruby(file, code, with: own)
        [*with, "-W:no-experimental", "-I", LIB, "-r", file, "-e", "exit #{code}"]
      end

      # @return [Array<String>] the command of the Ruby that runs now
      def self.own = [RbConfig.ruby, *("--yjit" if Environment.yjit?)]

      # @return [Integer]
      attr_reader :pid

      # @param command [Array<String>]
      # @param environment [Hash{String => String, nil}] what to change
      # @param options [Hash] for Process.spawn
      # @raise [SystemCallError] when it cannot be started
      def initialize(command, environment: ENVIRONMENT, **options)
        child_in, @input = IO.pipe
        @readers = {}
        @buffers = %i[output errors events].to_h { |name| [name, +""] }
        writers = @buffers.keys.to_h { |name| [name, reader(name)] }
        files = {0 => child_in, 1 => writers[:output], 2 => writers[:errors], 3 => writers[:events]}
        @pid = ::Process.spawn(environment, *command, **files, pgroup: true, **options)
      rescue SystemCallError
        @input&.close
        @readers&.each_key(&:close)
        raise
      ensure
        [child_in, *writers&.values].compact.each(&:close)
      end

      # @return [Array<IO>] what to wait for
      def ios = @readers.keys

      # @return [Boolean] whether all its pipes have come to their end
      def silent? = @readers.empty?

      # @return [String] what it has printed on standard output
      def output = @buffers[:output]

      # @return [String] what it has written on descriptor 3 and {#event} has not taken
      def figures = @buffers[:events]

      # @return [String] the last lines of standard error
      def errors = @buffers[:errors].strip[-TAIL..] || @buffers[:errors].strip

      # Read what is there.
      #
      # @param io [IO] one of {#ios}
      # @return [void]
      def read(io)
        data = io.read_nonblock(CHUNK, exception: false)
        return if data == :wait_readable
        return @buffers.fetch(@readers.fetch(io)) << data if data
        @readers.delete(io)
        io.close
      end

      # @return [Hash{Symbol => Object}, nil] the next message, taken from what was read so far
      def event
        line = @buffers[:events].slice!(/\A[^\n]*\n/)
        line && JSON.parse(line, symbolize_names: true)
      end

      # @param line [String]
      # @return [void]
      def tell(line)
        @input.write("#{line}\n")
      rescue Errno::EPIPE
        nil # it has ended; what it said before, and its status, tell why
      end

      # @return [void]
      def close_input = @input.close

      # Ask it to come to an end of its own accord, as Ctrl-C does.
      #
      # @return [void]
      def interrupt = signal(:INT)

      # Wait for the end, and close the pipes.
      #
      # @param patience [Numeric] seconds before it is asked to end, and again before it is ended
      # @return [Process::Status]
      def finish(patience = PATIENCE)
        close_input
        status = ended_within(patience) || ended_by(:TERM, patience) || ended_by(:KILL, nil)
        # Its workers share its group. They end with it, but not all at once.
        signal(:KILL)
        status
      ensure
        @readers.each_key(&:close)
        @readers.clear
      end

      # @return [Process::Status]
      def stop
        signal(:TERM)
        finish
      end

      private

      def reader(name)
        from, to = IO.pipe
        @readers[from] = name
        to
      end

      def signal(name)
        ::Process.kill(name, -@pid)
      rescue Errno::ESRCH, Errno::EPERM
        nil # nobody of the group is left (macOS says EPERM of a zombie)
      end

      def ended_by(name, patience)
        signal(name)
        patience ? ended_within(patience) : ::Process.wait2(@pid).last
      end

      # Reading goes on meanwhile: a process that cannot get rid of its output does not end.
      def ended_within(patience)
        give_up = Clock.now + patience
        loop do
          status = ::Process.wait2(@pid, ::Process::WNOHANG)&.last
          return status if status
          return if Clock.now > give_up
          ready, = IO.select(ios, nil, nil, 0.01)
          ready&.each { |io| read(io) }
        end
      end
    end
  end
end
