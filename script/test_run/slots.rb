# frozen_string_literal: true

module TestRun
  # Runs batches side by side, so many at a time, and hands each to the block when it has ended.
  class Slots
    # @param number [Integer]
    def initialize(number)
      @number = number
      @running = {}
    end

    # @param batches [Array<Batch>]
    # @yieldparam batch [Batch] with its results
    # @return [void]
    def run(batches)
      waiting = batches.dup
      until waiting.empty? && @running.empty?
        start(waiting.shift) while @running.size < @number && waiting.any?
        pid, status = Process.wait2
        batch = @running.delete(pid) or next
        batch.ended(status)
        yield batch
      end
    end

    # Ends what runs.
    # @return [void]
    def stop = @running.each_value(&:stop)

    private

    def start(batch) = @running[batch.start] = batch
  end
end
