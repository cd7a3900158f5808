# frozen_string_literal: true

require "json"
require "rbconfig"
require_relative "environment"

module Raffia
  module Lab
    # A process that the lab started: its pipes, their output, and its end. It leads a process group
    # of its own, so that Ctrl-C reaches the lab alone, and the lab can end the process with all of
    # its children.
    class Subprocess
      LIB = File.expand_path("../..", __dir__).freeze
      # Under `bundle exec`, RUBYOPT would load Bundler into each child and its memory. They need
      # -I alone.
      ENVIRONMENT = {"RUBYOPT" => nil}.freeze
      # Seconds between SIGTERM and SIGKILL.
      PATIENCE = 3
      CHUNK = 65_536
      # Last bytes of standard error that are reported.
      TAIL = 4_000

      # The command of a Ruby that requires a file of this gem, such as "raffia/lab/child", and runs
      # the code. with: another Ruby's command.
      def self.ruby(file, code, with: own)
        [*with, "-W:no-experimental", "-I", LIB, "-r", file, "-e", "exit #{code}"]
      end

      def self.own = [RbConfig.ruby, *("--yjit" if Environment.yjit?)]

      attr_reader :pid

      # environment: changes to it. options: for Process.spawn. Raises SystemCallError when the
      # command cannot be started.
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

      # Pipes to wait for.
      def ios = @readers.keys

      # Whether all its pipes have reached their end.
      def silent? = @readers.empty?

      # Standard output so far.
      def output = @buffers[:output]

      # Bytes of descriptor 3 that {#event} has not taken.
      def figures = @buffers[:events]

      def errors = @buffers[:errors].strip[-TAIL..] || @buffers[:errors].strip

      # Reads the bytes that are there from one of {#ios}.
      def read(io)
        data = io.read_nonblock(CHUNK, exception: false)
        return if data == :wait_readable
        return @buffers.fetch(@readers.fetch(io)) << data if data
        @readers.delete(io)
        io.close
      end

      # The next message, taken from the bytes read so far; nil when it is not complete.
      def event
        line = @buffers[:events].slice!(/\A[^\n]*\n/)
        line && JSON.parse(line, symbolize_names: true)
      end

      def puts(line)
        @input.write("#{line}\n")
      rescue Errno::EPIPE
        nil # it has ended; its status and last output say why
      end

      def close_input = @input.close

      def interrupt = signal(:INT)

      # Waits for the end, and closes the pipes. After so many seconds the process gets SIGTERM, and
      # after as many again SIGKILL.
      def finish(patience = PATIENCE)
        close_input
        status = ended_within(patience) || ended_by(:TERM, patience) || ended_by(:KILL, nil)
        # Its workers share its group. They end with it, but not at once.
        signal(:KILL)
        status
      ensure
        @readers.each_key(&:close)
        @readers.clear
      end

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
        nil # the group is empty (macOS says EPERM of a zombie)
      end

      def ended_by(name, patience)
        signal(name)
        patience ? ended_within(patience) : ::Process.wait2(@pid).last
      end

      # Reads meanwhile: a process that cannot write its output does not end.
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
