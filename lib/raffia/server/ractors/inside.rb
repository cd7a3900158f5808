# frozen_string_literal: true

require_relative "../../process/framed_pipe"
require_relative "../../run"
require_relative "../listen/listener"
require_relative "../worker"

module Raffia
  class Server
    module Ractors
      # What a Ractor does that serves: a {Worker} of its own, as in a process. All that it has of others are frozen objects, and numbers of
      # descriptors.
      #
      # @api private
      module Inside
        # Seconds between two life signs.
        PULSE = 1.0

        class << self
          # @param index [Integer] of the Ractor
          # @param app [Blueprint]
          # @param places [Array<Array(Class, Integer, Bind)>] of listeners: the class of the socket, its descriptor
          # @param options [Options]
          # @param ledger [Metrics::Ledger]
          # @param orders [Integer] descriptor of a pipe
          # @param words [Integer] descriptor of another one, on the way back
          # @return [void]
          def serve(index, app, places, options, ledger, orders, words)
            ::Thread.current.report_on_exception = false
            orders = ::IO.for_fd(orders, "rb")
            report = Process::FramedPipe::Writer.new(words = ::IO.for_fd(words, "wb"))
            work(Worker.new(app.build, listeners: listeners(places), options: options, ledger: ledger), orders, report)
          rescue ::Exception => error # standard:disable Lint/RescueException
            report&.write("#{error.class}: #{error.message} at #{error.backtrace&.first(5)&.join(", ")}")
          ensure
            [orders, words].each { |io| io.close if io.is_a?(::IO) }
          end

          private

          def work(worker, orders, report)
            Raffia.run do |scope|
              helpers = [scope.spawn { obey(worker, orders) }, scope.spawn { beat(report) }]
              worker.run { report.write("ready") }
            ensure
              helpers&.each { |helper| helper.cancel(:over) }
            end
          end

          # The end of the pipe is the end of the main Ractor's interest: the process is ending.
          def obey(worker, orders)
            until (order = orders.getc).nil?
              next worker.reopen if order == "r"

              worker.stop((order == "n") ? :now : :drain)
            end
          end

          # The main Ractor looks whether the loop turns, and so does the supervisor.
          def beat(report)
            sleep(PULSE) while report.write("beat")
          end

          def listeners(places)
            places.map do |kind, descriptor, bind|
              Listener.new(kind.for_fd(descriptor).tap { |socket| socket.autoclose = false }, bind)
            end
          end
        end
      end
    end
  end
end
