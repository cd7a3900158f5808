# frozen_string_literal: true

module Raffia
  class Scheduler
    # A fiber that waits: a frozen copy of its state.
    #
    # @!attribute [r] fiber
    #   @return [Fiber]
    # @!attribute [r] owner
    #   @return [Fiber] the scheduler's fiber; it differs while that is resuming an Enumerator
    # @!attribute [r] reason
    #   @return [Symbol] :io, :sleep, :block (a Mutex, a Queue, a thread, a channel ...), :yield
    #     (its turn), or :work (of the kernel or of another thread)
    # @!attribute [r] subject
    #   @return [Object, nil] an IO, a Mutex, a Thread ...; nil when no program may see it
    # @!attribute [r] what
    #   @return [String] the same in words, such as "readable: TCPSocket 127.0.0.1:40112 ->
    #     127.0.0.1:80"
    # @!attribute [r] fd
    #   @return [Integer, nil] the descriptor
    # @!attribute [r] age
    #   @return [Float] seconds that it has waited, to some milliseconds
    # @!attribute [r] limit
    #   @return [Float, nil] seconds that it waits at the longest
    # @!attribute [r] holder
    #   @return [Fiber, nil] the fiber that holds the Mutex it waits for, if that waits as well
    # @!attribute [r] backtrace
    #   @return [Array<String>]
    Parked = Data.define(:fiber, :owner, :reason, :subject, :what, :fd, :age, :limit, :holder,
      :backtrace) do
      # @return [String]
      def inspect = "#<#{self.class} #{reason} #{what} for #{age.round(3)} s>"
      alias_method :to_s, :inspect
    end
  end
end
