# frozen_string_literal: true

require "socket"

require_relative "../../native"
require_relative "bounded_fork"
require_relative "message_channel"
require_relative "worker_main"
require_relative "worker_context"

module Raffia
  module Process
    class Supervisor
      # Main of a template process: loads, and forks on command. It ends with the supervisor, and
      # runs no `at_exit` handlers.
      #
      # @api private
      class TemplateMain
        # Classes that a worker's resources may have.
        CLASSES = [::IO, ::File, Socket, TCPServer, TCPSocket, UDPSocket, UNIXServer,
          UNIXSocket].to_h { |type| [type.name, type] }.freeze
        # Seconds between checks whether the worker is the supervisor's child by now.
        NAP = 0.0005

        def initialize(settings, work, boards, generation)
          @settings = settings
          @work = work
          @boards = boards
          @generation = generation
          @supervisor = ::Process.pid
        end

        def run(channel)
          silent = [*WorkerMain::SILENT, :TERM].to_h { |name| [name, ->(_) {}] }
          Signals.with(chain: false, CHLD: "DEFAULT", **silent) do
            settle
            serve(channel) if load(channel)
          end
        ensure
          ::Process.exit!(ChildSetup::ORPHANED)
        end

        private

        def settle
          OutputBuffers.discard
          ::Process.exit!(ChildSetup::ORPHANED) unless Native.die_with_parent(@supervisor)
          ::Process.setproctitle("#{@settings.name}: template, generation #{@generation}")
        end

        def load(channel)
          @preloaded = @settings.preload.call
          Warmup.call
          channel.send(:loaded)
        rescue Exception => error # standard:disable Lint/RescueException
          ErrorReporter.call(@settings.log, "loading failed", error)
          channel.send(:failed)
          ::Process.exit!(1)
        end

        def serve(channel)
          while (message = channel.receive)
            name, order, (socket, *ios) = message
            spawn(channel, MessageChannel.new(socket), order, ios) if name == "spawn"
            [socket, *ios].compact.each(&:close)
          end
        end

        # When a hook fails, or there can be no more processes, the end of the channel tells the
        # supervisor.
        def spawn(ours, channel, order, ios)
          @settings.hooks[:before_fork]&.call(order["index"])
          template = ::Process.pid
          ::Process.wait(BoundedFork.fork { double_fork(ours, channel, order, ios, template) })
        rescue => error
          ErrorReporter.call(@settings.log, "a worker cannot be forked", error)
        end

        def double_fork(ours, channel, order, ios, template)
          ours.close
          between = ::Process.pid
          channel.send(:started, ::Process.fork { live(channel, order, ios, between) })
        ensure
          ::Process.exit!(0) if ::Process.pid == between
        end

        def live(channel, order, ios, between)
          await_supervisor(between)
          typed = ios.zip(order["classes"])
            .map do |io, name|
              CLASSES.fetch(name, Socket).for_fd(io.tap { io.autoclose = false }.fileno)
            end
          context = WorkerContext.new(channel, log: @settings.log, boards: @boards,
            index: order["index"],
            generation: @generation, row: order["row"],
            ios: typed, preloaded: @preloaded)
          exit(WorkerMain.new(@supervisor, @settings).run(context, @work))
        end

        # Only then may it ask to end with its parent.
        def await_supervisor(between) = (sleep(NAP) while ::Process.ppid == between)
      end
    end
  end
end
