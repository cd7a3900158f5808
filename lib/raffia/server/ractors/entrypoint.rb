# frozen_string_literal: true

require_relative "../listen/listener"
require_relative "../worker"
require_relative "status_writer"

module Raffia
  class Server
    module Ractors
      # Runs a {Worker} inside of a Ractor. Ractors share only frozen objects and descriptor
      # numbers.
      #
      # @api private
      module Entrypoint
        HEARTBEAT_INTERVAL = 1.0

        class << self
          # `sockets` has class and descriptor of each listener's socket, its bind and TLS settings.
          # `commands` and `status` are descriptors of pipes.
          def serve(index, app, sockets, options, counters, commands, status)
            ::Thread.current.report_on_exception = false
            commands = ::IO.for_fd(commands, "rb")
            writer = StatusWriter.new(status = ::IO.for_fd(status, "wb"))
            work(Worker.new(app.build, listeners: listeners(sockets), options: options,
              counters: counters), commands, writer)
          rescue ::Exception => error # standard:disable Lint/RescueException
            writer&.write("#{error.class}: #{error.message} at " \
              "#{error.backtrace&.first(5)&.join(", ")}")
          ensure
            [commands, status].each { |io| io.close if io.is_a?(::IO) }
          end

          private

          def work(worker, commands, writer)
            Raffia.run do |scope|
              helpers = [scope.spawn { run_commands(worker, commands, writer) },
                scope.spawn { beat(writer) }]
              worker.on_stop_accepting { writer.write(StatusWriter::STOPPED_ACCEPTING) }
              worker.run { writer.write(StatusWriter::READY) }
            ensure
              helpers&.each { |helper| helper.cancel(:over) }
            end
          end

          def run_commands(worker, commands, writer)
            until (command = commands.getc).nil?
              case command
              when "r" then worker.reopen
              when "i"
                writer.write_in_flight(worker.in_flight(worker.context.options.slow_request))
              else worker.stop((command == "n") ? :now : :drain)
              end
            end
          end

          # Shows the main Ractor, and so the supervisor, that the loop turns.
          def beat(writer)
            sleep(HEARTBEAT_INTERVAL) while writer.write(StatusWriter::HEARTBEAT)
          end

          def listeners(sockets)
            sockets.map do |kind, descriptor, bind, tls|
              Listen::Listener.new(kind.for_fd(descriptor)
                .tap { |socket| socket.autoclose = false }, bind,
                tls: tls && TLS.new(tls))
            end
          end
        end
      end
    end
  end
end
