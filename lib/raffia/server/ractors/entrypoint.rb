# frozen_string_literal: true

require_relative "../../run"
require_relative "../listen/listener"
require_relative "../worker"
require_relative "status_writer"

module Raffia
  class Server
    module Ractors
      # What a Ractor does that serves: a {Worker} of its own, as in a process. All that it has of
      # others are frozen objects, and numbers of descriptors.
      #
      # @api private
      module Entrypoint
        # Seconds between two life signs.
        PULSE = 1.0

        class << self
          # @param index [Integer] of the Ractor
          # @param app [Blueprint]
          # @param places [Array<Array(Class, Integer, Listen::Bind, TLS::Settings)>] of listeners:
          #   the class of the socket, its descriptor
          # @param options [Options]
          # @param counters [Observability::Metrics::Counters]
          # @param orders [Integer] descriptor of a pipe
          # @param words [Integer] descriptor of another one, on the way back
          # @return [void]
          def serve(index, app, places, options, counters, orders, words)
            ::Thread.current.report_on_exception = false
            orders = ::IO.for_fd(orders, "rb")
            report = StatusWriter.new(words = ::IO.for_fd(words, "wb"))
            work(Worker.new(app.build, listeners: listeners(places), options: options,
              counters: counters), orders, report)
          rescue ::Exception => error # standard:disable Lint/RescueException
            report&.say("#{error.class}: #{error.message} at " \
              "#{error.backtrace&.first(5)&.join(", ")}")
          ensure
            [orders, words].each { |io| io.close if io.is_a?(::IO) }
          end

          private

          def work(worker, orders, report)
            Raffia.run do |scope|
              helpers = [scope.spawn { obey(worker, orders, report) }, scope.spawn { beat(report) }]
              worker.on_stop_accepting { report.say(StatusWriter::LEFT) }
              worker.run { report.say(StatusWriter::READY) }
            ensure
              helpers&.each { |helper| helper.cancel(:over) }
            end
          end

          # The end of the pipe is the end of the main Ractor's interest: the process is ending.
          def obey(worker, orders, report)
            until (order = orders.getc).nil?
              case order
              when "r" then worker.reopen
              when "i"
                report.say_in_flight(worker.in_flight(worker.context.options.slow_request))
              else worker.stop((order == "n") ? :now : :drain)
              end
            end
          end

          # The main Ractor looks whether the loop turns, and so does the supervisor.
          def beat(report)
            sleep(PULSE) while report.say(StatusWriter::BEAT)
          end

          def listeners(places)
            places.map do |kind, descriptor, bind, tls|
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
