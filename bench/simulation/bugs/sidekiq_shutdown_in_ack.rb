# frozen_string_literal: true

# sidekiq#4211: at shutdown the manager raises in its workers; one was in the ensure clause that
# acknowledges its job: the job has left the list of running ones, but is in no other. Fixed: the
# exception waits until the acknowledgement is over.
module SimulationBench
  module SidekiqShutdownInAck
    class Shutdown < Interrupt; end

    class Processor
      attr_reader :running, :done

      def initialize
        @running = [:job]
        @done = []
      end

      def process
        finished = perform
      rescue Shutdown
        nil # the job stays among the running ones, and is queued again
      ensure
        acknowledge if finished
      end

      private

      def perform = Array.new(2) { |step| step.to_s }

      def acknowledge
        @running.delete(:job)
        @done.push(:job)
      end
    end

    class MaskedProcessor < Processor
      def acknowledge = Thread.handle_interrupt(Shutdown => :never) { super }
    end

    def self.run(processor)
      worker = Thread.new { processor.process }
      Thread.pass
      worker.raise(Shutdown)
      begin
        worker.join
      rescue Shutdown
        nil
      end
      SimulationBench.check(processor.running.size + processor.done.size == 1,
        "the job is neither running nor done")
    end
  end

  model "sidekiq_shutdown_in_ack", source: "sidekiq#4211",
    fault: "Shutdown raised in the acknowledgement",
    needs: [:interrupt],
    buggy: ->(_sim) { SidekiqShutdownInAck.run(SidekiqShutdownInAck::Processor.new) },
    fixed: ->(_sim) { SidekiqShutdownInAck.run(SidekiqShutdownInAck::MaskedProcessor.new) }
end
