# frozen_string_literal: true

require_relative "../base"
require_relative "../process"

module Raffia
  module Process
    # Keeps a number of worker processes alive: starts them, replaces those that die, hang or grow,
    # brings in new code one worker after the other, and ends them. It does no work itself.
    #
    #     slots = ->(index) { [listener(index)] }
    #     Raffia::Process::Supervisor.new(workers: 2, slot: slots) do |context|
    #       context.ready!
    #       serve(context.ios) until context.stopping?
    #     end.run
    class Supervisor
      # Exit status of {run} when workers died before they were ready, again and again.
      GAVE_UP = 1
      # Commands by signal.
      SIGNALS = {TERM: :stop, INT: :interrupt, QUIT: :dump, HUP: :hangup, USR1: :reopen,
                 USR2: :upgrade, TTIN: :grow, TTOU: :shrink}.freeze
    end
  end
end

require_relative "supervisor/settings"
require_relative "supervisor/handover"
require_relative "supervisor/scoreboards"
require_relative "supervisor/command_queue"
require_relative "supervisor/loop"
require_relative "systemd_notifier"
require_relative "pid_file"
require_relative "supervisor/io_watchers"

module Raffia
  module Process
    class Supervisor
      # @return [Settings]
      attr_reader :settings

      # @param handover [Handover]
      # @param given [Hash] see {Settings}
      # @yieldparam context [WorkerContext] in each worker, which ends with the block
      # @raise [ConfigError]
      def initialize(handover: Handover.new, **given, &work)
        raise ArgumentError, "a block is needed: what shall a worker do?" unless work

        @handover = handover
        @settings = Settings.from(given)
        @work = work
        @command_queue = CommandQueue.new
        @watchers = IOWatchers.new(@settings.log)
        @pid_file = PidFile.new(@settings.pid_file)
        @ran = false
      end

      # Before {run}, or in its loop: has the block called in the supervisor's loop whenever an IO can be read. It
      # must not wait. Its error is logged, and then the IO is not watched any more.
      # @param io [IO] workers close their copies
      # @yieldparam io [IO]
      # @return [void]
      def watch(io, &block) = @watchers.add(io.to_io, block)

      # Supervises until it is stopped, by a signal or {stop}. In the main thread, to which signals
      # belong. With `preload`, it reaps all children of this process while it runs.
      # @return [Integer] exit status: 0, or GAVE_UP
      # @yield when signals are handled, before the first worker is started
      # @raise [ConfigError] when the pid file cannot be written, or names a process that runs
      # @raise [Closed] a second time
      def run
        raise Closed, "a supervisor runs once" if @ran

        @ran = true
        @pid_file.write unless @handover.held?
        Signals.with(chain: false, **handlers) do
          yield if block_given?
          supervise
        end
      ensure
        @pid_file.remove
        @command_queue.close
      end

      # Writes the pid file, whatever process it names. Another supervisor has left.
      # @api private
      def replace_pid_file = @pid_file.replace

      # From any thread or signal handler; the loop does it.

      # Lets the workers finish what they have begun.
      # @return [void]
      def stop = @command_queue.push(:stop)

      # Replaces all workers, one after the other. With `preload`, that is called again, in a new
      # process; without, workers load what they need anyway.
      # @return [void]
      def restart = @command_queue.push(:restart)

      # @param workers [Integer] how many there are to be
      # @return [void]
      def resize(workers) = @command_queue.push(:resize, workers)

      # Has the workers write what they are doing: sends "dump" to each.
      # @return [void]
      def dump = @command_queue.push(:dump)

      # The log files were moved: calls the hook on_reopen, and sends "reopen" to each worker.
      # @return [void]
      def reopen = @command_queue.push(:reopen)

      # Sends a message to each worker.
      # @param name [String, Symbol]
      # @param data [Object, nil] that JSON knows
      # @return [void]
      def broadcast(name, data = nil) = @command_queue.push(:broadcast, name, data)

      # @return [Hash, nil] the state of all processes, as JSON data; nil before {run}
      def status = @loop&.report

      # @return [Scoreboards, nil] nil before {run}
      def boards = @loop&.manager&.boards

      private

      def handlers
        SIGNALS.to_h { |name, command| [name, ->(_) { @command_queue.push(command) }] }
          .merge(CHLD: ->(_) { @command_queue.push(:reap) })
      end

      def supervise
        ::Process.setproctitle("#{@settings.name}: supervisor")
        @loop = Loop.new(@settings, @work, @command_queue,
          SystemdNotifier.new(@settings.notify_socket, @settings.watchdog), @watchers, @handover)
        @loop.run ? 0 : GAVE_UP
      ensure
        @loop&.close
      end
    end
  end
end
