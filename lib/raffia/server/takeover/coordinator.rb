# frozen_string_literal: true

require_relative "../../process/supervisor/handover"
require_relative "descriptor_store"
require_relative "owned_sockets"
require_relative "predecessor"
require_relative "start_command"
require_relative "successor"
require_relative "successor_process"

module Raffia
  class Server
    module Takeover
      # A server's part in takeovers, between the supervisor's loop and the sockets. It may begin as
      # the new side of one, and it is the old side of the next.
      #
      # @api private
      class Coordinator < Process::Supervisor::Handover
        FIRST = "the server is process 1 of its container, which would end with it: see " \
          "guides/deploy.md"
        private_constant :FIRST

        # Sockets of an earlier server, see {Listen::SocketSet}.
        attr_reader :given
        # The supervisor's loop.
        attr_reader :loop

        # `takeover`: ask a server that runs. `command`: a {StartCommand}, or nil. Raises
        # CannotListen.
        def initialize(options, inherited, log:, takeover: false, command: nil)
          super()
          @options = options
          @log = log
          @next = SuccessorProcess.new(command, log)
          @successor = Successor.ask(options, log) if takeover
          @given = @successor&.given || DescriptorStore.read(inherited)
          @predecessor = Predecessor.new(self, log)
        end

        # Number of worker processes at the start: as many as before. See {resize}.
        def processes
          units, ractors = @given.units, @options.ractor_count
          return @options.workers if units.zero?
          return units / ractors if (units % ractors).zero?

          raise CannotListen, "cannot take over: the old server has #{units} sockets of each " \
            "address, which processes of #{ractors} Ractors cannot share evenly. Stop it, and " \
            "start this one"
        end

        # `health`: nil, or the service of the metrics address. `others`: worker processes that do
        # not serve.
        def supervise(supervisor, listening, health, others:)
          @supervisor = supervisor
          @others = others
          @owned = OwnedSockets.new(listening, health, @given)
          @owned.open_control(@options)
          # All sockets are opened now, and the rest closed, before any process is forked.
          processes.times { |index| listening.slot(index) }
          @given.close
        end

        def loop=(loop)
          super
          @owned.notifier = loop.notifier
          @successor&.begin(self)
          return if held?

          @owned.serve_metrics
          own
        end

        # This process has failed before its supervisor ran.
        def abort(error) = @successor&.abort(error.message)

        def held? = !!@successor&.held?

        def yielded? = @predecessor.yielded?

        def left? = @predecessor.left?

        def busy? = !!@successor&.busy? || @predecessor.busy?

        # The side of a takeover that goes on, and its state, see {StateMachine}; how many failed
        # here, and why the last one did.
        def report
          side, half = [[:new, @successor], [:old, @predecessor]].find { |_, one| one&.under_way? }
          {side: side, state: half&.state, failed: @predecessor.failed,
           reason: @predecessor.failure}
        end

        def due = [@successor&.due, @predecessor.due].compact.min

        def serving = @successor ? @successor.serving : resize

        def step(now, ended)
          @successor&.step(now)
          @predecessor.step(now)
          @owned.store
          @next.note_exit(ended, expected: left?)
        end

        def stopping(reason)
          @successor&.stopping(reason)
          @predecessor.stopping(reason)
        end

        def upgrade
          return super unless @next.possible?
          return @log.warn("USR2: #{FIRST}") if ::Process.pid == 1
          return @log.warn("USR2: a takeover is under way") if busy? || @next.runs?
          return @log.warn("USR2: the setting control is off") unless @owned.control

          @next.start
        end

        # After the supervisor's end.
        def close
          @owned&.close
          @given.close
        end

        # Why no takeover may begin now, or nil.
        def refusal
          return FIRST if ::Process.pid == 1
          return "the server is not ready" unless @loop.state == :running
          return "the server is itself on trial" if @successor&.busy?

          "the server restarts its workers just now" unless @loop.restart.phase == :idle
        end

        def watch(channel, &) = @loop.watchers.add(channel.to_io, ->(_) { yield })

        # All that the next server gets, by key.
        def sockets = @owned.to_h

        def slots = @loop.manager.slots

        # See {SuccessorProcess#priority_of}.
        def priority_of(pid) = @next.priority_of(pid)

        # Pids of this server, with those that fork.
        def processes_here
          manager = @loop.manager
          [::Process.pid, *manager.forkers.pids, *manager.workers.filter_map(&:pid)]
        end

        # Exits of workers, but for those that were asked for.
        def deaths = slots.filter_map(&:last_exit)

        def release
          @loop.release
          @owned.serve_metrics
        end

        def announce(text) = @loop.notifier.ready(text)

        # Nobody else has the sockets: their files and the pid file are ours.
        def own
          @owned.own
          @supervisor.replace_pid_file if @successor
          announce("#{slots.size} workers") if @successor && @loop.state == :running
          control = @owned.control or return

          @loop.watchers.add(control.socket, ->(_) { accept(control) })
        end

        def disown(keys) = @owned.disown(keys)

        # The number of workers that the settings ask for, after a takeover.
        def resize
          wanted = @options.elastic? ? processes.clamp(@options.processes) : @options.workers
          return if processes == wanted
          # Slots come and go at the end, which others may have.
          return @loop.resize(wanted + @others) if @others.zero? || @options.elastic?

          @log.warn("a takeover keeps the number of worker processes that serve, #{processes}")
        end

        private

        def accept(control)
          while (channel, trusted = control.accept)
            @predecessor.accept(channel, trusted)
          end
        end
      end
    end
  end
end
