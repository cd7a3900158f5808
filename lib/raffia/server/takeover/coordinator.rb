# frozen_string_literal: true

require_relative "../../process/boot_priority"
require_relative "../../process/supervisor/handover"
require_relative "control_socket"
require_relative "descriptor_store"
require_relative "predecessor"
require_relative "start_command"
require_relative "successor"

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
          @command = command
          @successor = Successor.ask(options, log) if takeover
          @given = @successor&.given || DescriptorStore.read(inherited)
          @predecessor = Predecessor.new(self, log)
          @listening = []
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
          @health = health
          @listening = [listening, *health&.listening]
          @others = others
          @control = open_control
          # All sockets are opened now, and the rest closed, before any process is forked.
          processes.times { |index| listening.slot(index) }
          @given.close
        end

        def loop=(loop)
          super
          @store = DescriptorStore.new(loop.notifier, @given)
          @successor&.begin(self)
          return if held?

          start_health
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
          @store.update(sockets) if @owner && !left?
          note_exit(ended) if @spawned
        end

        def stopping(reason)
          @successor&.stopping(reason)
          @predecessor.stopping(reason)
        end

        def upgrade
          return super unless @command
          return @log.warn("USR2: #{FIRST}") if ::Process.pid == 1
          return @log.warn("USR2: a takeover is under way") if busy? || @spawned
          return @log.warn("USR2: the setting control is off") unless @control

          @spawned, @priority = Process::BootPriority.spawn { @command.spawn }
          @log.info("starts its successor, process #{@spawned}: #{@command.words.join(" ")}")
        rescue SystemCallError => error
          @log.error("USR2: the new server cannot be started: #{error.message}")
        end

        # After the supervisor's end.
        def close
          @control&.close
          @given.close
          stop_health
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
        def sockets
          all = @listening.map(&:sockets).reduce({}, :merge)
          @control ? all.merge(@control.key => @control.socket) : all
        end

        def slots = @loop.manager.slots

        # The priority that a process of {#upgrade} is to have in the end; nil: it has that.
        def priority_of(pid) = (@priority if pid == @spawned)

        # Pids of this server, with those that fork.
        def processes_here
          manager = @loop.manager
          [::Process.pid, *manager.forkers.pids, *manager.workers.filter_map(&:pid)]
        end

        # Exits of workers, but for those that were asked for.
        def deaths = slots.filter_map(&:last_exit)

        def release
          @loop.release
          start_health
        end

        def announce(text) = @loop.notifier.ready(text)

        # Nobody else has the sockets: their files, the control socket and the pid file are ours.
        def own
          @owner = true
          @listening.each(&:own)
          @supervisor.replace_pid_file if @successor
          announce("#{slots.size} workers") if @successor && @loop.state == :running
          return unless @control

          @control.own
          @loop.watchers.add(@control.socket, ->(_) { accept })
        end

        # The next server has these. It listens at the control socket, too.
        def disown(keys)
          @listening.each { |one| one.disown(keys) }
          @store.keep(keys)
          @control&.disown if keys.include?(@control&.key)
          @control&.close
          @health&.stop
        end

        # The number of workers that the settings ask for, after a takeover.
        def resize
          wanted = @options.elastic? ? processes.clamp(@options.processes) : @options.workers
          return if processes == wanted
          # Slots come and go at the end, which others may have.
          return @loop.resize(wanted + @others) if @others.zero? || @options.elastic?

          @log.warn("a takeover keeps the number of worker processes that serve, #{processes}")
        end

        private

        # Child processes would keep it open after this one has left.
        def open_control
          ControlSocket.open(@options, @given)
            &.tap { |control| Fork.after_child { control.socket.close } }
        end

        def start_health = @health_handle ||= (Handle.new(@health) if @health)

        def stop_health
          @health_handle ? @health_handle.stop : @health&.listening&.close
        end

        def accept
          while (channel, trusted = @control.accept)
            @predecessor.accept(channel, trusted)
          end
        end

        def note_exit(ended)
          how = ended[@spawned] || Process::Supervisor::Reaper.ended([@spawned])[@spawned] or return
          unless left?
            @log.error("process #{@spawned}, which was to take over, " \
              "#{how.signal ? "was killed by #{how.signal}" : "ended with #{how.status.inspect}"}")
          end
          @spawned = nil
        end
      end
    end
  end
end
