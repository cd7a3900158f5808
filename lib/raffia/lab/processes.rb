# frozen_string_literal: true

require_relative "../base/clock"
require_relative "stop_signal"
require_relative "subprocess"

module Raffia
  module Lab
    # The processes of one run: starts them, waits for their messages, and ends all of them.
    class Processes
      # Seconds after which a run counts as hanging. The published sizes take a slow machine
      # minutes.
      LIMIT = 900

      # A run failed. It is unfit when the variant cannot do the work at all.
      class Broken < StandardError
        attr_reader :unfit

        def initialize(message, unfit: false)
          super(message)
          @unfit = unfit
        end
      end

      # The {Sampler} of memory, if any.
      attr_accessor :sampler

      def initialize(stop)
        @stop = stop
        @list = []
        @give_up = Clock.now + LIMIT
      end

      def start(command, **) = Subprocess.new(command, **).tap { |process| @list.unshift(process) }

      # The one place that waits: for pipes, the next reading of memory, and a stop. Returns when
      # the block returns true. Raises {Broken} after {LIMIT}.
      def wait
        until yield
          @stop.check
          if Clock.now > @give_up
            raise Broken, "not finished after #{LIMIT} s: it hangs, or the scale is too large"
          end
          owners = @list.flat_map { |process| process.ios.map { |io| [io, process] } }.to_h
          ready, = IO.select([@stop.io, *owners.keys], nil, nil, sampler ? sampler.due_in : 1)
          ready&.each { |io| owners[io]&.read(io) }
          sampler&.sample_if_due
        end
      end

      # The next message of a process. Raises {Broken} when the process ends instead.
      def message(process)
        got = nil
        wait { (got = process.event) || process.silent? }
        got || raise(Broken, death(process))
      end

      # The next message, which must have this name. Raises {Broken} for another one.
      def event(process, name)
        got = message(process)
        return got if got[:event] == name
        raise Broken.new("#{got[:error]}: #{got[:message]}#{" (#{got[:where]})" if got[:where]}",
          unfit: got[:unfit] || false)
      end

      # Ends all, the youngest first: a load generator before its server. After a good run they end
      # by themselves.
      def finish = @list.each(&(@stop.requested? ? :stop : :finish))

      private

      def death(process)
        status = process.finish(0.5)
        @list.delete(process)
        how = if status.signaled?
          "was ended by SIG#{Signal.signame(status.termsig)}"
        else
          "ended with status #{status.exitstatus}"
        end
        "the process of the run #{how}#{": #{process.errors}" unless process.errors.empty?}"
      end
    end
  end
end
