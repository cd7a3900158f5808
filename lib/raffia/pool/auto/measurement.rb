# frozen_string_literal: true

module Raffia
  class Pool
    class Auto
      # The first items' costs: means of one item, in seconds.
      #
      # items:: how many were measured
      # ruby:: CPU that needs Ruby's lock
      # free:: CPU of C code that has released the lock
      # wait:: waiting without the lock: for the network, a disk, another process
      # held:: waiting for the lock, or in a call that blocks and keeps the lock
      # delay:: ready to run, without a processor
      # bytes:: of an item's result (and of the item, where a worker must be sent it), dumped
      # dump:: time of the dump
      # left:: items that there still are; nil when unknown
      # done:: how many are done
      # obstacles:: strategies that cannot be chosen, and why
      #
      # @api public
      Measurement = Data.define(:items, :ruby, :free, :wait, :held, :delay, :bytes, :dump, :left,
        :done, :obstacles) do
        def initialize(items:, ruby:, left:, free: 0.0, wait: 0.0, held: 0.0, delay: 0.0,
          bytes: nil, dump: 0.0, done: items, obstacles: {})
          super
        end

        # @return [Float] seconds from beginning to end
        def wall = ruby + free + wait + held + delay

        # @return [Float] seconds of CPU
        def cpu = ruby + free

        # @return [Float] seconds of calls that block and keep the lock. Other threads take the lock
        # for a while, too, so that counts only where there is hardly anything else.
        def blocked = (held > 0.8 * wall) ? held : 0.0

        # @return [Float] seconds without the delays of a busy machine, which any strategy would
        # have
        def total = cpu + wait + blocked

        # @return [Integer] items to reckon with: of unknown inputs more, the more are done
        def ahead = left || [done * 10, 100].max
      end
    end
  end
end
