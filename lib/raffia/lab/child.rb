# frozen_string_literal: true

require "json"
require_relative "../../raffia"
require_relative "catalog"
require_relative "lifeline"
require_relative "meter"
require_relative "source"

module Raffia
  module Lab
    # The process of one run. It takes orders as lines on standard input and answers with JSON on
    # descriptor 3, so that output of the work disturbs neither.
    #
    # 1. in:  the order: experiment, its file when it is the user's, variant, workers, params,
    #    service
    # 2. out: ready, after a warm-up
    # 3. in:  go
    # 4. out: announced, by an experiment that is driven from outside; then in: stop
    # 5. out: done, with the figures; or failed
    # 6. in:  report, after the last reading of this process's memory: what follows is not part of
    #    the work
    # 7. out: reported, with the facts; or failed
    # 8. in:  end of file
    # 8. in:  end of file
    class Child
      # Returns the exit code.
      def self.main(input: $stdin, output: IO.for_fd(3)) = new(input, output).run

      def initialize(input, output)
        @input = input
        @output = output
      end

      # Returns the exit code.
      def run
        order = JSON.parse(@input.gets || "", symbolize_names: true)
        experiment = find(**order.slice(:experiment, :file))
        setting = Setting.new(variant: order[:variant].to_sym,
          **order.slice(:workers, :params, :service))
        cell = Cell.new(experiment.name, setting.variant, setting.workers)
        ::Process.setproctitle("raffia lab: #{cell}")
        set_up(experiment, setting) { |ready| carry_out(experiment, ready) }
      rescue SignalException
        1
      rescue Exception => error # rubocop:disable Lint/RescueException -- any error is the result
        say("failed", error: error.class.name, message: error.message,
          where: error.backtrace&.first, unfit: error.is_a?(NotShareable))
        1
      end

      # Sends facts, such as a port, to the driver of an experiment that is driven from outside.
      def announce(**facts) = say("announced", **facts)

      # Waits until the driver is done. Under a scheduler, other fibers run meanwhile.
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

      # Returns the exit code; not 0 when the lab has gone.
      def carry_out(experiment, setting)
        Lifeline.hold(@input) { experiment.warm_up(setting) }
        GC.start
        say("ready")
        return 1 unless @input.gets == "go\n"
        reading = measure(experiment, setting)
        say("done", seconds: reading.seconds, cpu: reading.cpu)
        return 1 unless @input.gets == "report\n"
        say("reported", facts: Lifeline.hold(@input) { experiment.examine(setting, reading.value) })
        @input.read
        0
      end

      def measure(experiment, setting)
        Meter.measure do
          next experiment.serve(setting, self) if experiment.respond_to?(:serve)
          Lifeline.hold(@input) { experiment.perform(setting) }
        end
      end
    end
  end
end
