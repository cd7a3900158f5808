# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # Says whether the terminal that the program was started at is still there. SIGHUP asks for a
      # restart, unless the terminal was closed: then nothing is to stay behind.
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
