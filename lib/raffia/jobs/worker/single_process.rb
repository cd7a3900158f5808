# frozen_string_literal: true

require_relative "../../process/suspend_signal"
require_relative "../worker"
require_relative "status/single_process"

module Raffia
  module Jobs
    class Worker
      # One worker in this very process, as {Service::Foreground} runs it.
      #
      # @api private
      class SingleProcess
        attr_reader :status

        # The block gets the notifier, and returns a {Worker}.
        def initialize(load, &make)
          @load = load
          @make = make
          @asked = false
          @status = Status::SingleProcess.new
        end

        def load = @load.call

        def run(notifier, &)
          @status.worker = @worker = @make.call(notifier)
          @worker.stop if @asked
          @worker.run(&)
        end

        def stop
          @asked = true
          @worker&.stop
        end

        def signals
          {TSTP: Process::SuspendSignal.handler { @worker&.quiet }, QUIT: ->(_) { Raffia.dump }}
        end
      end
    end
  end
end
