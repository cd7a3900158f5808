# frozen_string_literal: true

require_relative "control_socket"
require_relative "offer"
require_relative "readiness_probe"
require_relative "state_machine"
require_relative "../../process/boot_priority"
require_relative "../listen/socket_set"

module Raffia
  class Server
    module Takeover
      # The new side: gets the sockets of the old server, boots, serves on trial, and confirms.
      #
      # @api private
      class Successor
        HELD = %i[booting probing ready].freeze
        SETTLED = %i[owner alone failed].freeze
        private_constant :HELD, :SETTLED

        # A {Listen::SocketSet} of the old server.
        attr_reader :given

        # Asks the server at the control socket. Nil: there is none. Raises CannotListen when it
        # refuses.
        def self.ask(options, log)
          path = ControlSocket.path(options) or raise CannotListen,
            "cannot take over: the setting control names no socket"
          channel = ControlSocket.ask(path)
          return new(channel, options, log).tap(&:receive_offer) if channel

          log.info("no server listens on #{path}: this one starts without taking over")
          nil
        end

        def initialize(channel, options, log)
          @channel = channel
          @options = options
          @log = log
          @machine = StateMachine.new_side
          @due = @probe = nil
        end

        def state = @machine.state

        def held? = HELD.include?(state)

        def busy? = !SETTLED.include?(state)

        def under_way? = busy?

        def due = ([@due, @probe&.deadline].compact.min if busy?)

        # Before any process is forked; waits.
        def receive_offer
          @channel.send(:hello, {protocol: PROTOCOL, pid: ::Process.pid, version: VERSION,
            ruby: RUBY_VERSION, boot: boot_time,
            trial: trial + (@options.takeover_probe ? ANSWER : 0)})
          @old, sockets, priority = Offer.receive(@channel)
          @priority = priority ? Process::BootPriority.new(priority) : Process::BootPriority.lower
          @given = Listen::SocketSet.new(sockets)
          @log.info("takes over from process #{@old} (#{sockets.size} sockets)")
        rescue
          @channel.close
          raise
        end

        # This process has failed before its supervisor ran.
        def abort(reason)
          @channel.send(:abort, {reason: reason})
          @given.close
          @channel.close
        end

        # `server`: the {Coordinator}.
        def begin(server)
          @server = server
          # A child of the application would hold the channel open after this one has ended.
          Fork.after_child { @channel.close }
          server.watch(@channel) { hear }
        end

        def serving = happen(:serving)

        def stopping(reason) = happen(:stop, reason)

        def step(now)
          return unless busy?

          judge_trial(now) if state == :trial
          @probe.expire if @probe && now >= @probe.deadline
          judge_probe if @probe&.over?
          return unless state == :ready && now >= @due

          happen(:failed, "the old server does not answer")
        end

        private

        # Seconds that a template process and then workers may take.
        def boot_time = 2 * (@options.boot_timeout || 86_400) + 2 * ANSWER

        def trial = @options.takeover_trial || 0

        def hear
          until @channel.closed? || (message = @channel.receive_now) == :none
            return eof unless message

            name, data, ios = message
            ios.each(&:close)
            case name
            when "yielded", "left" then happen(name.to_sym)
            when "abort" then happen(:abort, "the old server takes all back: #{data["reason"]}")
            end
          end
        end

        def eof
          @channel.close
          unless %i[owner failed].include?(state)
            @log.warn("the old server (process #{@old}) has ended")
          end
          happen(:eof)
        end

        def happen(event, reason = nil)
          @reason = reason if reason
          @machine.call(event).each { |action| __send__(action) }
        end

        def judge_trial(now)
          if @server.deaths != @deaths
            happen(:failed, "a worker ended in its trial")
          elsif @probe.nil? && now >= @due
            probe
          end
        end

        def probe
          @due = nil
          @probe = ReadinessProbe.new(@server.slots, @options.takeover_probe, ANSWER,
            @server.loop.watchers) { judge_probe if @probe&.over? }
          judge_probe if @probe.over?
        end

        def judge_probe
          probe, @probe = @probe, nil
          probe.close
          probe.failure ? happen(:failed, probe.failure) : happen(:passed)
        end

        def restore_priority = @priority&.restore(@server.processes_here)

        def send_ready
          restore_priority
          @due = Clock.now + ANSWER
          @channel.send(:ready, {taken: @given.taken.map(&:to_row)})
        end

        def release
          restore_priority
          @server.release
        end

        def hold = @server.loop.hold

        def send_commit
          @channel.send(:commit)
          @server.announce("on trial for #{trial} s")
        end

        def try
          @deaths = @server.deaths
          @due = Clock.now + trial
        end

        def send_confirm = @channel.send(:confirm)

        def send_abort
          @channel.send(:abort, {reason: @reason})
          @channel.close
        end

        def give_up = @server.loop.give_up("the takeover has failed: #{@reason}.")

        def own
          @due = nil
          restore_priority # of workers that have booted since, too
          @server.own
          @log.info("has taken over from process #{@old}")
        end

        def resize = @server.resize
      end
    end
  end
end
