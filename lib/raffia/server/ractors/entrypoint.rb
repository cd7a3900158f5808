# frozen_string_literal: true

require_relative "../../run"
require_relative "../listen/listener"
require_relative "../worker"
require_relative "status_writer"

module Raffia
  class Server
    module Ractors
      # Runs in a Ractor that serves: a {Worker} of its own, as in a process. It shares only frozen
      # objects and numbers of descriptors with others.
      #
      # @api private
      module Entrypoint
        # Seconds between two heartbeats.
        HEARTBEAT_INTERVAL = 1.0

        class << self
          # @param sockets [Array<Array(Class, Integer, Listen::Bind, TLS::Settings)>] of listeners:
          #   the class of the socket, its descriptor
          # @param orders [Integer] descriptor of the pipe to read orders from
          # @param status [Integer] descriptor of the pipe back
          def serve(index, app, sockets, options, counters, orders, status)
            ::Thread.current.report_on_exception = false
            orders = ::IO.for_fd(orders, "rb")
            writer = StatusWriter.new(status = ::IO.for_fd(status, "wb"))
            work(Worker.new(app.build, listeners: listeners(sockets), options: options,
              counters: counters), orders, writer)
          rescue ::Exception => error # standard:disable Lint/RescueException
            writer&.write("#{error.class}: #{error.message} at " \
              "#{error.backtrace&.first(5)&.join(", ")}")
          ensure
            [orders, status].each { |io| io.close if io.is_a?(::IO) }
          end

          private

          def work(worker, orders, writer)
            Raffia.run do |scope|
              helpers = [scope.spawn { obey(worker, orders, writer) }, scope.spawn { beat(writer) }]
              worker.on_stop_accepting { writer.write(StatusWriter::STOPPED_ACCEPTING) }
              worker.run { writer.write(StatusWriter::READY) }
            ensure
              helpers&.each { |helper| helper.cancel(:over) }
            end
          end

          # The pipe ends when the process ends.
          def obey(worker, orders, writer)
            until (order = orders.getc).nil?
              case order
              when "r" then worker.reopen
              when "i"
                writer.write_in_flight(worker.in_flight(worker.context.options.slow_request))
              else worker.stop((order == "n") ? :now : :drain)
              end
            end
          end

          # The main Ractor checks by them that the loop turns, and so does the supervisor.
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
