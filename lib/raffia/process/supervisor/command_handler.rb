# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # Executes the commands that the supervisor gets while it runs.
      #
      # @api private
      class CommandHandler
        def initialize(loop, restart, scaler, autoscaler)
          @loop = loop
          @restart = restart
          @scaler = scaler
          @autoscaler = autoscaler
          @log = loop.settings.log
          @terminal = ControllingTerminal.new
          @deferred = []
        end

        def handle(order, *arguments)
          case order
          when :stop then @loop.drain
          when :interrupt then @loop.stopping? ? @loop.kill : @loop.drain
          when :dump then @loop.tell_all(:dump)
          when :hangup then handle(@terminal.gone? ? :stop : :restart)
          when :broadcast then @loop.tell_all(*arguments)
          when :reopen then reopen
          when :upgrade then @loop.handover.upgrade unless @loop.stopping?
          else change(order, *arguments) unless @loop.stopping?
          end
        end

        # Commands that had to wait.
        def retry
          return if @deferred.empty? || @loop.handover.busy?

          @deferred.slice!(0..).each { |command| handle(*command) }
        end

        private

        # Commands that are ignored while all stop. (:reap only wakes the loop.)
        def change(order, *arguments)
          return if order == :reap
          return @deferred << [order, *arguments] if @loop.handover.busy?

          case order
          when :restart then @restart.begin
          when :grow then resize(1)
          when :shrink then resize(-1)
          when :resize then @scaler.resize(*arguments)
          end
        end

        # Workers that follow their load have a minimum, which is moved.
        def resize(by)
          @autoscaler ? @autoscaler.move(by) : @scaler.resize(@scaler.size + by)
        end

        def reopen
          @loop.hook(:on_reopen)
          @loop.tell_all(:reopen)
        end
      end

      # Whether the terminal of the program still exists. SIGHUP asks for a restart, unless the
      # terminal was closed: then the program ends.
      #
      # @api private
      class ControllingTerminal
        PATH = "/dev/tty"

        # Under nohup, with its streams elsewhere, or detached, there is none that could go.
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
