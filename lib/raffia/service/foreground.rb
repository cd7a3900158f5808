# frozen_string_literal: true

require_relative "../base/signals"
require_relative "../process/pid_file"
require_relative "../process/systemd_notifier"

module Raffia
  module Service
    # Runs a service in this process until a signal: pid file, signals, systemd. A service answers
    # `load`, `run(notifier) { ready }`, `stop` and `signals`.
    #
    # @api private
    class Foreground
      # HUP stops, because nobody could take over and the terminal may be gone.
      STOP = %i[INT TERM HUP].freeze
      private_constant :STOP

      # `about`: status text for systemd. `watchdog`: systemd's, in seconds.
      def initialize(service, about:, pid_file: nil, notify_socket: nil, watchdog: nil)
        @service = service
        @about = about
        @pid_file = Process::PidFile.new(pid_file)
        @notifier = Process::SystemdNotifier.new(notify_socket, watchdog)
        @state = :running
        @ready = 0
      end

      # See {Process::Supervisor#status}.
      def status = {state: @state, workers: 1, ready: @ready, slots: []}

      # Returns the exit status. Yields when the service is ready.
      def run(&)
        @pid_file.write
        handlers = self.handlers
        Signals.with(chain: false, **handlers) do
          @service.load
          @loaded = true
          # Loading the application may have replaced the signal handlers.
          Signals.with(chain: false, **handlers) { work(&) }
        end
        0
      ensure
        @pid_file.remove
      end

      private

      def work
        @service.run(@notifier) do |*arguments|
          @ready = 1
          yield(*arguments) if block_given?
          @notifier.ready(@about)
        end
      end

      def handlers
        names = Signals.ignored?(:HUP) ? STOP - [:HUP] : STOP # nohup
        {**names.to_h { |name| [name, ->(_) { stop }] }, **@service.signals}
      end

      # A loading application has nothing to finish, and may load for ever.
      def stop
        return exit(0) unless @loaded

        @state = :stopping
        @notifier.stopping
        @service.stop
      end
    end
  end
end
