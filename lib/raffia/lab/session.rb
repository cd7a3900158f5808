# frozen_string_literal: true

require "json"
require_relative "limits"
require_relative "sampler"
require_relative "stop"
require_relative "subprocess"

module Raffia
  module Lab
    # One run: starts the process that does the work, and the helper process and load generator that it may need, watches
    # its memory, asks for the result, checks it, and sees that all of them end.
    class Session
      # Seconds after which a run counts as hanging. Generous: the published sizes take a slow machine minutes.
      LIMIT = 900

      # The run did not come to its end.
      class Broken < StandardError; end

      # @param experiment [Experiment]
      # @param cell [Cell]
      # @param params [Hash]
      # @param stop [Stop]
      def initialize(experiment, cell, params, stop)
        @experiment = experiment
        @cell = cell
        @params = params
        @stop = stop
        @processes = []
      end

      # @return [Hash{Symbol => Object}] the figures, facts and checks; or +error+ in words
      # @raise [Stop::Requested]
      def call
        @give_up = Clock.now + LIMIT
        figures(*work)
      rescue Broken, SystemCallError => error
        {error: error.message}
      ensure
        finish
      end

      private

      def work
        service = start_service
        child = start_child(service)
        event(child, "ready")
        service&.tell("reset")
        child.tell("go")
        driven = @experiment.respond_to?(:serve) ? drive(child) : {}
        done = event(child, "done")
        @sampler.look
        [done, done[:facts].merge(driven), service ? ask(service) : {}]
      end

      def figures(done, facts, report)
        {seconds: done[:seconds], cpu: done[:cpu], pss: @sampler.pss, threads: @sampler.threads,
         processes: @sampler.processes, **facts, checks: @experiment.verify(@params, facts, report)}
      end

      def start(command, **) = Subprocess.new(command, **).tap { |process| @processes.unshift(process) }

      def start_service
        return unless @experiment.service
        start(Subprocess.ruby("raffia/lab/service", "Raffia::Lab::Service.main(#{@experiment.service.to_s.inspect})"))
      end

      def start_child(service)
        announced = service ? message(service) : {}
        child = start(Subprocess.ruby("raffia/lab/child", "Raffia::Lab::Child.main"), **limits)
        @sampler = Sampler.new(child.pid)
        child.tell(JSON.generate(experiment: @experiment.name, variant: @cell.variant, workers: @cell.workers,
          params: @params, service: announced))
        child
      end

      def limits = Limits.spawn_options(@experiment.needs)

      def ask(service)
        service.tell("report")
        message(service)
      end

      def drive(child)
        announced = event(child, "announced")
        outputs = @experiment.driver(@params, announced).map do |command|
          process = start(command, **limits)
          wait { process.silent? }
          process.output
        end
        child.tell("stop")
        @experiment.driven(outputs)
      end

      def event(child, name)
        got = message(child)
        return got if got[:event] == name
        raise Broken, "#{got[:error]}: #{got[:message]}#{" (#{got[:where]})" if got[:where]}"
      end

      def message(process)
        got = nil
        wait { (got = process.event) || process.silent? }
        got || raise(Broken, death(process))
      end

      def death(process)
        status = process.finish(0.5)
        @processes.delete(process)
        how = status.signaled? ? "was ended by SIG#{Signal.signame(status.termsig)}" : "ended with status #{status.exitstatus}"
        "the process of the run #{how}#{": #{process.errors}" unless process.errors.empty?}"
      end

      # The one place that waits: for pipes, for the next look at memory, and for the wish to stop.
      def wait
        until yield
          @stop.check
          raise Broken, "not finished after #{LIMIT} s: it hangs, or the scale is too large" if Clock.now > @give_up
          owners = @processes.flat_map { |process| process.ios.map { |io| [io, process] } }.to_h
          ready, = IO.select([@stop.io, *owners.keys], nil, nil, @sampler ? @sampler.due_in : 1)
          ready&.each { |io| owners[io]&.read(io) }
          @sampler&.look_if_due
        end
      end

      # The youngest first: a load generator before its server. When all went well they end by themselves.
      def finish
        @processes.each(&(@stop.requested? ? :stop : :finish))
      end
    end
  end
end
