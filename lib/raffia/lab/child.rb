# frozen_string_literal: true

require "json"
require_relative "../../raffia"
require_relative "catalog"
require_relative "lifeline"
require_relative "meter"
require_relative "source"

module Raffia
  module Lab
    # The process of one run. It takes its orders as lines on standard input and answers with JSON
    # on descriptor 3; what the work itself prints disturbs neither.
    #
    # 1. in:  the order (experiment, its file when it is the user's own, variant, workers, params,
    #    service)
    # 2. out: ready, after a warm-up
    # 3. in:  go
    # 4. out: announced, from an experiment that is driven from outside; then in: stop
    # 5. out: done, with the figures; or failed
    # 6. in:  tell: a last look at this process's memory has been taken, and what is done now is no
    #    part of the work
    # 7. out: told, with the facts; or failed
    # 8. in:  end of file
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
        experiment = find(**order.slice(:experiment, :file))
        setting = Setting.new(variant: order[:variant].to_sym, workers: order[:workers],
          params: order[:params],
          service: order[:service])
        ::Process.setproctitle(
          "raffia lab: #{Cell.new(experiment.name, setting.variant, setting.workers)}"
        )
        set_up(experiment, setting) { |ready| carry_out(experiment, ready) }
      rescue SignalException
        1
      rescue Exception => error # rubocop:disable Lint/RescueException -- whatever ended the work is the run's result
        say("failed", error: error.class.name, message: error.message,
          where: error.backtrace&.first, unfit: error.is_a?(NotShareable))
        1
      end

      # Interface of this process for experiments that are driven from outside.
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

      def find(experiment:, file: nil)
        return Lab.experiment(experiment) unless file
        Source.load(file).find { |each| each.name == experiment } ||
          raise(ConfigError, "#{file} defines no #{experiment} any more")
      end

      def set_up(experiment, setting)
        ready = setting.with(given: Lifeline.hold(@input) { experiment.set_up(setting) })
        begin
          yield ready
        ensure
          experiment.tear_down(ready)
        end
      end

      # @return [Integer] the exit code; not 0 when there is nobody any more who wants the figures
      def carry_out(experiment, setting)
        Lifeline.hold(@input) { experiment.warm_up(setting) }
        GC.start
        say("ready")
        return 1 unless @input.gets == "go\n"
        reading = measure(experiment, setting)
        say("done", seconds: reading.seconds, cpu: reading.cpu)
        return 1 unless @input.gets == "tell\n"
        say("told", facts: Lifeline.hold(@input) { experiment.examine(setting, reading.value) })
        @input.read
        0
      end

      def measure(experiment, setting)
        driven = experiment.respond_to?(:serve)
        Meter.measure do
          if driven
            experiment.serve(setting, self)
          else
            Lifeline.hold(@input) { experiment.perform(setting) }
          end
        end
      end
    end
  end
end
