# frozen_string_literal: true

module Raffia
  class Pool
    class Auto
      # What the first items told about the work. Times are means of one item, in seconds.
      #
      # @!attribute [r] items
      #   @return [Integer] how many were measured
      # @!attribute [r] ruby
      #   @return [Float] CPU that needs Ruby's lock
      # @!attribute [r] free
      #   @return [Float] CPU of C code that has let go of the lock
      # @!attribute [r] wait
      #   @return [Float] waiting without the lock: for the network, a disk, another process
      # @!attribute [r] held
      #   @return [Float] neither CPU nor a wait that Ruby knows of: for the lock, or in a call that
      #   blocks and keeps the lock
      # @!attribute [r] delay
      #   @return [Float] ready to run, while others had the processors
      # @!attribute [r] bytes
      #   @return [Integer, nil] of an item's result (and of the item, where a worker must be sent
      #   it), dumped
      # @!attribute [r] dump
      #   @return [Float] how long the dump took
      # @!attribute [r] left
      #   @return [Integer, nil] how many items there still are; nil when nobody knows
      # @!attribute [r] done
      #   @return [Integer] how many are done
      # @!attribute [r] obstacles
      #   @return [Hash{Symbol => String}] strategies that cannot be chosen, and why
      Measurement = Data.define(:items, :ruby, :free, :wait, :held, :delay, :bytes, :dump, :left,
        :done, :obstacles) do
        def initialize(items:, ruby:, left:, free: 0.0, wait: 0.0, held: 0.0, delay: 0.0,
          bytes: nil, dump: 0.0, done: items, obstacles: {})
          super
        end

        # @return [Float] seconds of an item from beginning to end
        def wall = ruby + free + wait + held + delay

        # @return [Float] seconds of CPU
        def cpu = ruby + free

        # @return [Float] seconds of calls that block and keep the lock. Other threads take the lock
        #   away for a while, too, so that counts only where there is hardly anything else.
        def blocked = (held > 0.8 * wall) ? held : 0.0

        # @return [Float] seconds of an item that are its own: the delays of a busy machine would
        #   come on any strategy
        def total = cpu + wait + blocked

        # Endless and unknown inputs are taken to go on for some time, the longer the longer they
        # have gone on already.
        # @return [Integer] items to reckon with
        def ahead = left || [done * 10, 100].max
      end
    end
  end
end
