# frozen_string_literal: true

require "json"
require_relative "../../raffia"
require_relative "experiments"
require_relative "lifeline"
require_relative "meter"

module Raffia
  module Lab
    # The process of one run. It takes its orders as lines on standard input and answers with JSON on descriptor 3; what the
    # work itself prints disturbs neither.
    #
    # 1. in:  the order (experiment, variant, workers, params, service)
    # 2. out: ready, after a warm-up
    # 3. in:  go
    # 4. out: announced, from an experiment that is driven from outside; then in: stop
    # 5. out: done, with the figures and facts; or failed
    # 6. in:  end of file: a last look at this process's memory has been taken, and it may end
    class Child
      # @return [Integer] the exit code
      def self.main(input: $stdin, output: IO.for_fd(3)) = new(input, output).run

      def initialize(input, output)
        @input = input
        @output = output
      end

      # @return [Integer] the exit code
      def run
        order = JSON.parse(@input.gets || "", symbolize_names: true)
        experiment = Lab.experiment(order[:experiment])
        setting = Setting.new(variant: order[:variant].to_sym, workers: order[:workers], params: order[:params],
          service: order[:service])
        ::Process.setproctitle("raffia lab: #{Cell.new(experiment.name, setting.variant, setting.workers)}")
        prepare(experiment, setting) ? measure(experiment, setting) : 1
      rescue SignalException
        1
      rescue Exception => error # rubocop:disable Lint/RescueException -- whatever ended the work is the run's result
        say("failed", error: error.class.name, message: error.message, where: error.backtrace&.first)
        1
      end

      # What an experiment that is driven from outside may ask of this process.
      #
      # @param facts [Hash] such as its port
      # @return [void]
      def announce(**facts) = say("announced", **facts)

      # Wait until the driver is done. Under a scheduler, the other fibers run meanwhile.
      #
      # @return [void]
      def wait_for_stop = @input.gets

      private

      def say(event, **facts)
        @output.puts(JSON.generate(event: event, **facts))
        @output.flush
      end

      # @return [Boolean] whether there is still someone who wants the figures
      def prepare(experiment, setting)
        Lifeline.hold(@input) { experiment.warm_up(setting) }
        GC.start
        say("ready")
        @input.gets == "go\n"
      end

      def measure(experiment, setting)
        driven = experiment.respond_to?(:serve)
        reading = Meter.measure do
          driven ? experiment.serve(setting, self) : Lifeline.hold(@input) { experiment.perform(setting) }
        end
        say("done", seconds: reading.seconds, cpu: reading.cpu, facts: reading.value)
        @input.read
        0
      end
    end
  end
end
