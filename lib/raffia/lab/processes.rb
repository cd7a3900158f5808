# frozen_string_literal: true

require_relative "../base/clock"
require_relative "stop_signal"
require_relative "subprocess"

module Raffia
  module Lab
    # The processes of one run: starts them, waits for what they say, and sees that all of them end.
    class Processes
      # Seconds after which a run counts as hanging. Generous: the published sizes take a slow
      # machine minutes.
      LIMIT = 900

      # A run did not come to its end.
      class Broken < StandardError
        # @return [Boolean] because the work cannot be done on this variant at all
        attr_reader :unfit

        def initialize(message, unfit: false)
          super(message)
          @unfit = unfit
        end
      end

      # @return [Sampler, nil] what watches memory
      attr_accessor :sampler

      # @param stop [StopSignal]
      def initialize(stop)
        @stop = stop
        @list = []
        @give_up = Clock.now + LIMIT
      end

      # @return [Subprocess]
      def start(command, **) = Subprocess.new(command, **).tap { |process| @list.unshift(process) }

      # The one place that waits: for pipes, for the next look at memory, and for the wish to stop.
      #
      # @yieldreturn [Object] true when there is nothing left to wait for
      # @return [void]
      # @raise [StopSignal::Requested]
      # @raise [Broken] when it takes too long
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

      # @return [Hash{Symbol => Object}] the next message of a process
      # @raise [Broken] when it ends instead
      def message(process)
        got = nil
        wait { (got = process.event) || process.silent? }
        got || raise(Broken, death(process))
      end

      # @return [Hash{Symbol => Object}] the next message, which must be this one
      # @raise [Broken] when it is another
      def event(process, name)
        got = message(process)
        return got if got[:event] == name
        raise Broken.new("#{got[:error]}: #{got[:message]}#{" (#{got[:where]})" if got[:where]}",
          unfit: got[:unfit] || false)
      end

      # The youngest first: a load generator before its server. When all went well they end by
      # themselves.
      #
      # @return [void]
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
