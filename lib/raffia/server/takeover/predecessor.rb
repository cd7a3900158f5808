# frozen_string_literal: true

require_relative "offer"
require_relative "state_machine"

module Raffia
  class Server
    module Takeover
      # The old side: gives its sockets to a new server, and takes everything back when that fails.
      #
      # @api private
      class Predecessor
        # Seconds that a boot or trial may take longer than the new side has said.
        MARGIN = 5
        LONGEST = 86_400
        private_constant :MARGIN, :LONGEST

        attr_reader :due
        # How many takeovers have failed, and the reason of the last one, or nil.
        attr_reader :failed, :failure

        # `server`: the {Coordinator}.
        def initialize(server, log)
          @server = server
          @log = log
          @machine = StateMachine.old
          @channel = @due = @failure = nil
          @failed = 0
        end

        def state = @machine.state

        def busy? = !@channel.nil? && state != :left

        def yielded? = state == :yielded

        def left? = state == :left

        def under_way? = state != :idle

        # A client of the control socket.
        def accept(channel, trusted)
          reason = trusted ? refusal : "it belongs to another user"
          return refuse(channel, reason) if reason

          @channel = channel
          @due = Clock.now + ANSWER
          @server.watch(channel) { hear }
        end

        def step(now)
          return unless @due && now >= @due
          return forget if state == :idle # it has not said hello

          happen(:late, "#{peer} did not go on in time")
        end

        def stopping(reason)
          happen(:stop, "the old server stops: #{reason}")
          forget if state == :idle
        end

        private

        def refusal
          return "another takeover is under way (#{peer})" if @channel

          @server.refusal
        end

        def refuse(channel, reason)
          @log.warn("a takeover was refused: #{reason}")
          channel.send(:refused, {reason: reason})
          channel.close
        end

        def hear
          until @channel.nil? || @channel.closed? || (message = @channel.receive_now) == :none
            return eof unless message

            name, data, ios = message
            ios.each(&:close)
            receive(name, data.is_a?(Hash) ? data : {})
          end
        end

        def eof
          happen(:eof, "#{peer} has ended")
          left? ? @channel.close : forget
        end

        def receive(name, data)
          case name
          when "hello" then hello(data)
          when "ready"
            @taken = data["taken"].to_a.map { |row| Listen::SocketSet::Key.from(row) }
            happen(:ready)
          when "commit", "confirm" then happen(name.to_sym)
          when "abort"
            happen(:abort, "#{peer} gave up: #{data["reason"].to_s.delete_suffix(".")}")
          end
        rescue ArgumentError, NoMethodError, TypeError => error
          happen(:abort, "#{peer} sent nonsense: #{error.message}")
        end

        def hello(data)
          unless data["protocol"] == PROTOCOL
            refuse(@channel, "it speaks version #{data["protocol"].inspect} of the protocol, and " \
              "this server #{PROTOCOL}: stop this one, and start the other one")
            return @channel = @due = nil
          end

          @peer = data
          happen(:hello)
        end

        def peer = @peer ? "process #{@peer["pid"]}" : "a client"

        def seconds(name) = @peer[name].to_f.clamp(0, LONGEST) + MARGIN

        def happen(event, reason = nil)
          @reason = reason
          actions = @machine.call(event)
          @due = {offered: -> { seconds("boot") }, yielded: -> { ANSWER },
                  trial: -> { seconds("trial") }}[state]&.then { |limit| Clock.now + limit.call }
          actions.each { |action| __send__(action) }
        end

        def offer
          @log.info("#{peer} (Raffia #{@peer["version"]}, Ruby #{@peer["ruby"]}) takes over")
          @server.loop.notifier.reloading("process #{@peer["pid"]} takes over")
          return if Offer.send(@channel, @server.sockets, @server.priority_of(@peer["pid"]))

          reason = "its sockets could not be sent: see its limit of open files"
          @channel.send(:refused, {reason: reason})
          happen(:abort, reason)
        end

        def hold = @server.loop.hold

        def send_yielded = @channel.send(:yielded)

        def send_left = @channel.send(:left)

        def send_abort = @channel.send(:abort, {reason: @reason})

        def take_back
          @server.loop.release
        end

        def fail
          @failed += 1
          @failure = @reason
          @log.error("THE TAKEOVER HAS FAILED: #{@reason}. This server goes on.")
          @server.loop.notifier.ready("a takeover failed: #{@reason}")
          forget
        end

        # Its process, which holds the channel open, ends when its requests have.
        def leave
          disown
          @log.info("#{peer} has taken over. This server finishes its requests and ends")
          @server.loop.drain("#{peer} has taken over")
        end

        def disown
          # Workers accept what waits at addresses that the new server does not have.
          @server.loop.manager.boards.held = (@server.sockets.keys - @taken).empty?
          @server.disown(@taken)
        end

        def forget
          @channel&.close
          @channel = @due = @peer = nil
        end
      end
    end
  end
end
