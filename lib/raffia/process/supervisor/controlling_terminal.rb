# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # Whether the terminal that we were started at is still there. SIGHUP has two meanings, and
      # this tells them apart: somebody asks for a restart, or the terminal was closed, and who sat
      # there wants nothing of us to stay behind.
      #
      # @api private
      class ControllingTerminal
        # The terminal that controls a process, whatever its standard streams are by now.
        PATH = "/dev/tty"

        # Under nohup, with its streams elsewhere, or detached from any terminal, there is none that
        # could go.
        def initialize
          streams = [::STDIN, ::STDOUT, ::STDERR] # standard:disable Style/GlobalStdStream
          @had = streams.any? { |io| terminal?(io) } && there?
        end

        # @return [Boolean]
        def gone? = @had && !there?

        private

        def terminal?(io)
          io.tty?
        rescue IOError
          false # closed
        end

        def there?
          ::File.open(PATH, ::File::RDWR | ::File::NOCTTY).close
          true
        rescue SystemCallError
          false
        end
      end
    end
  end
end
