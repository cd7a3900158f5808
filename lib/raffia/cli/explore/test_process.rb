# frozen_string_literal: true

require "rbconfig"

module Raffia
  module CLI
    class Explore < Command
      # One run of a test file in a process of its own.
      #
      # @api private
      class TestProcess
        # Bytes of output that are kept: the last ones.
        OUTPUT = 256 * 1024
        # Seconds between two looks at the time; to end by itself after SIGTERM.
        INTERVAL = 0.2
        GRACE = 5
        private_constant :OUTPUT, :INTERVAL, :GRACE

        def initialize(path, variables)
          @path = path
          @variables = variables
          @output = +""
        end

        # Returns :passed, :failed or, after the deadline, :over, and the output. The block is
        # called now and then.
        def call(deadline)
          io = ::IO.popen(@variables, command, err: %i[child out])
          read(io) do
            yield
            deadline && Clock.now >= deadline
          end
          text = @output.force_encoding(::Encoding::UTF_8).scrub
          return [:over, text] if @over

          io.close
          [$?.success? ? :passed : :failed, text]
        ensure
          stop(io) if io && !io.closed?
        end

        private

        def command
          return [::RbConfig.ruby, "-S", "rspec", @path] if @path.end_with?("_spec.rb")

          [::RbConfig.ruby, "-Ilib", "-Itest", @path]
        end

        # Until the output ends, or the block returns true.
        def read(io)
          loop do
            return @over = true if yield
            next unless io.wait_readable(INTERVAL)

            @output << io.readpartial(65_536)
            @output = @output.byteslice(-OUTPUT..) if @output.bytesize > 2 * OUTPUT
          end
        rescue ::EOFError
          @over = false
        end

        def stop(io)
          ::Process.kill(:TERM, io.pid)
          limit = Clock.now + GRACE
          sleep 0.05 until ::Process.waitpid(io.pid, ::Process::WNOHANG) || Clock.now > limit
          ::Process.kill(:KILL, io.pid) if Clock.now > limit
        rescue ::SystemCallError
          # it has ended
        ensure
          io.close
        end
      end
    end
  end
end
