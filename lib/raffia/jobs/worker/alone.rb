# frozen_string_literal: true

require_relative "../../base/signals"
require_relative "../../process/suspend_signal"
require_relative "../../process/systemd_notifier"
require_relative "../../process/pid_file"
require_relative "../worker"
require_relative "status/alone"

module Raffia
  module Jobs
    class Worker
      # One worker in this very process: the program that does nothing else.
      #
      # @api private
      class Alone
        # HUP too: nobody could take over, and the terminal may be gone.
        STOP = %i[INT TERM HUP].freeze
        private_constant :STOP

        # @return [Worker, nil]
        attr_reader :worker

        # @param pid_file [String, nil]
        # @param notify_socket [String, nil] systemd's
        # @param watchdog [Numeric, nil] systemd's
        # @param load [#call] the application
        # @yieldparam heart [#beat]
        # @yieldreturn [Worker]
        def initialize(load:, pid_file: nil, notify_socket: nil, watchdog: nil, &make)
          @load = load
          @make = make
          @file = Process::PidFile.new(pid_file)
          @notifier = Process::SystemdNotifier.new(notify_socket, watchdog)
          @figures = Status::Alone.new
        end

        # @return [Status::Alone]
        attr_reader :figures

        # @return [Hash] see {Process::Supervisor#status}
        def status
          {state: (@worker&.stopping? ? :stopping : :running), workers: 1, ready: @ready ? 1 : 0,
           slots: []}
        end

        # @return [Integer] exit status
        # @yield when the worker is enrolled
        def run(&)
          @file.write
          Signals.with(chain: false, **handlers) do
            @load.call
            # The application may have set handlers of its own.
            Signals.with(chain: false, **handlers) { work(&) }
          end
          0
        ensure
          @file.remove
        end

        private

        def work
          @figures.worker = @worker = @make.call(@notifier)
          @worker.run do
            @ready = true
            yield if block_given?
            @notifier.ready("works in one process")
          end
        end

        def handlers
          names = Signals.ignored?(:HUP) ? STOP - [:HUP] : STOP # nohup
          {**names.to_h { |name| [name, ->(_) { stop }] },
            TSTP: Process::SuspendSignal.handler { @worker&.quiet }, QUIT: ->(_) { Raffia.dump }}
        end

        # While the application loads there is nothing to finish, and what loads for ever must be
        # left.
        def stop
          return exit(0) unless @worker

          @notifier.stopping
          @worker.stop
        end
      end
    end
  end
end
