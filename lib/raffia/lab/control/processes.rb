# frozen_string_literal: true

module Raffia
  module Lab
    module Control
      # One fork for each worker, which gets its share of the items at the start: independent
      # programs, side by side. The speed-up that they reach is what the machine has to give at that
      # moment, so goals of parallel work are counted against them.
      module Processes
        # @param items [Array]
        # @param workers [Integer]
        # @param work [#call]
        # @return [Array]
        def self.map(items, workers, work)
          programs = items.each_slice(items.size.ceildiv(workers))
            .map { |slice| start(slice, work) }
          programs.flat_map { |pid, output| finish(pid, output) }
        end

        def self.start(slice, work)
          output, input = IO.pipe(binmode: true)
          pid = ::Process.fork do
            Marshal.dump(slice.map { |item| work.call(item) }, input)
            input.close
            exit!(0)
          end
          input.close
          [pid, output]
        end

        def self.finish(pid, output)
          Marshal.load(output.read) # rubocop:disable Security/MarshalLoad -- what this program wrote itself
        ensure
          output.close
          ::Process.wait(pid)
        end

        private_class_method :start, :finish
      end
    end
  end
end
