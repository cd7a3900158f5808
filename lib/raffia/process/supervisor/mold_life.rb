# frozen_string_literal: true

require "socket"

require_relative "../../base/signals"
require_relative "../../native"
require_relative "../files"
require_relative "../warmup"
require_relative "birth"
require_relative "channel"
require_relative "life"
require_relative "seat"

module Raffia
  module Process
    class Supervisor
      # What a mold does, in its process: load, and fork when it is told to. It ends with the
      # supervisor, and runs no `at_exit` handlers: it is nobody's program.
      #
      # @api private
      class MoldLife
        # As what a worker may get its resources.
        CLASSES = [::IO, ::File, Socket, TCPServer, TCPSocket, UDPSocket, UNIXServer,
          UNIXSocket].to_h { |type| [type.name, type] }.freeze
        # How often a worker looks whether it is the supervisor's child by now.
        NAP = 0.0005

        def initialize(settings, work, boards, generation)
          @settings = settings
          @work = work
          @boards = boards
          @generation = generation
          @supervisor = ::Process.pid
        end

        # @param channel [Channel]
        # @return [void] never
        def run(channel)
          silent = [*Life::SILENT, :TERM].to_h { |name| [name, ->(_) {}] }
          Signals.with(chain: false, CHLD: "DEFAULT", **silent) do
            settle
            serve(channel) if load(channel)
          end
        ensure
          ::Process.exit!(Life::ORPHANED)
        end

        private

        def settle
          Files.disown
          ::Process.exit!(Life::ORPHANED) unless Native.die_with_parent(@supervisor)
          ::Process.setproctitle("#{@settings.name}: mold, generation #{@generation}")
        end

        def load(channel)
          @preloaded = @settings.preload.call
          Warmup.call
          channel.send(:loaded)
        rescue Exception => error # standard:disable Lint/RescueException
          Outcry.call(@settings.log, "loading failed", error)
          channel.send(:failed)
          ::Process.exit!(1)
        end

        def serve(channel)
          while (message = channel.receive)
            name, order, (socket, *ios) = message
            bear(channel, Channel.new(socket), order, ios) if name == "bear"
            [socket, *ios].compact.each(&:close)
          end
        end

        # When a hook fails, or there can be no more processes, the end of the channel tells the
        # supervisor.
        def bear(ours, channel, order, ios)
          @settings.hooks[:before_fork]&.call(order["index"])
          mold = ::Process.pid
          ::Process.wait(Birth.fork { bear_twice(ours, channel, order, ios, mold) })
        rescue => error
          Outcry.call(@settings.log, "a worker cannot be forked", error)
        end

        def bear_twice(ours, channel, order, ios, mold)
          ours.close
          between = ::Process.pid
          channel.send(:born, ::Process.fork { live(channel, order, ios, between) })
        ensure
          ::Process.exit!(0) if ::Process.pid == between
        end

        def live(channel, order, ios, between)
          await_supervisor(between)
          typed = ios.zip(order["classes"])
            .map do |io, name|
              CLASSES.fetch(name, Socket).for_fd(io.tap { io.autoclose = false }.fileno)
            end
          seat = Seat.new(channel, log: @settings.log, boards: @boards, index: order["index"],
            generation: @generation, lane: order["lane"],
            ios: typed, preloaded: @preloaded)
          exit(Life.new(@supervisor, @settings).run(seat, @work))
        end

        # Only then may it ask to end with its parent.
        def await_supervisor(between) = (sleep(NAP) while ::Process.ppid == between)
      end
    end
  end
end
