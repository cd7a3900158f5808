# frozen_string_literal: true

require "json"
require_relative "counters"
require_relative "limits"
require_relative "processes"
require_relative "sampler"

module Raffia
  module Lab
    # One run: starts the process that does the work, and the helper process and load generator that
    # it may need; samples its memory, collects the result, and checks it.
    class Session
      # counters: events to count (see {Counters}).
      def initialize(experiment, cell, params, stop, counters: {})
        @experiment = experiment
        @cell = cell
        @params = params
        @counters = counters
        @processes = Processes.new(stop)
      end

      # Returns figures, facts and checks; or an error in words, and whether it is unfit.
      def call
        figures(*work)
      rescue Processes::Broken => error
        {error: error.message, unfit: error.unfit}
      rescue SystemCallError => error
        {error: error.message, unfit: false}
      ensure
        @processes.finish
      end

      private

      def work
        service = start_service
        child = start_child(service)
        @processes.event(child, "ready")
        service&.puts("reset")
        driven, measured = counting(child) { measure(child) }
        child.puts("report")
        facts = @processes.event(child, "reported")[:facts]
        [measured, facts.merge(driven), service ? ask(service) : {}]
      end

      # Returns the driver's facts, and the figures.
      def measure(child)
        child.puts("go")
        driven = @experiment.respond_to?(:serve) ? drive(child) : {}
        done = @processes.event(child, "done")
        @sampler.stop
        [driven, done.slice(:seconds, :cpu)]
      end

      # perf starts before the work, and counts nothing else.
      def counting(child)
        return yield if @counters.empty?
        perf = @processes.start(Counters.command(child.pid, events: @counters))
        order(perf, "enable")
        driven, measured = yield
        order(perf, "disable")
        perf.interrupt
        @processes.wait { perf.silent? }
        [driven, {**measured, **Counters.read(perf.figures, events: @counters)}]
      end

      def order(perf, word)
        answers = perf.output.lines.size
        perf.puts(word)
        @processes.wait { perf.output.lines.size > answers || perf.silent? }
      end

      def figures(measured, facts, report)
        seen = {pss: @sampler.pss, threads: @sampler.threads, processes: @sampler.processes}
        {**measured, **seen, **facts, checks: @experiment.verify(@params, facts, report)}
      end

      def start_service
        return unless @experiment.service
        @processes.start(Subprocess.ruby("raffia/lab/service",
          "Raffia::Lab::Service.main(#{@experiment.service.to_s.inspect})"))
      end

      def start_child(service)
        announced = service ? @processes.message(service) : {}
        child = @processes.start(child_command, **environment, **limits)
        @processes.sampler = @sampler = Sampler.new(child.pid)
        child.puts(JSON.generate(experiment: @experiment.name,
          **{file: @experiment.defined_in}.compact, variant: @cell.variant,
          workers: @cell.workers, params: @params, service: announced))
        child
      end

      def child_command
        Subprocess.ruby("raffia/lab/child", "Raffia::Lab::Child.main",
          **{with: @cell.ruby&.command}.compact)
      end

      # A user's file may require gems that only their Bundler finds. Bundler comes by RUBYOPT.
      def environment
        usual = (@experiment.defined_in && !@cell.ruby) ? {} : Subprocess::ENVIRONMENT
        {environment: usual.merge(@cell.ruby&.environment || {})}
      end

      def limits = Limits.spawn_options(@experiment.needs)

      def ask(service)
        service.puts("report")
        @processes.message(service)
      end

      def drive(child)
        announced = @processes.event(child, "announced")
        outputs = @experiment.driver(@params, announced).map do |command|
          process = @processes.start(command, **limits)
          @processes.wait { process.silent? }
          process.output
        end
        child.puts("stop")
        @experiment.driven(outputs)
      end
    end
  end
end
