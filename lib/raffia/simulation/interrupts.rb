# frozen_string_literal: true

module Raffia
  module Simulation
    # Exceptions that others raise in a simulated thread, and the masks of Thread.handle_interrupt.
    #
    # @api private
    class Interrupts
      # Thread#kill. Not an exception: no `rescue` may see it.
      KILL = Object.new.freeze

      # For the timeline.
      def self.describe(error) = error.equal?(KILL) ? "kill" : error.class.name

      def initialize
        @pending = []
        @masks = []
      end

      def add(error) = @pending << error

      def any? = !@pending.empty?

      # Whether one is pending, of the class if one is given.
      def pending?(kind = nil)
        kind ? @pending.any? { |error| of?(error, kind) } : any?
      end

      # Runs the block under a mask, as Thread.handle_interrupt.
      def mask(timings)
        @masks.push(timings)
        yield
      ensure
        @masks.pop
      end

      # Removes and returns the first one that may strike now. +blocking+: in a call that waits.
      def take(blocking)
        index = @pending.index { |error| strikes?(error, blocking) } or return
        @pending.delete_at(index)
      end

      def deliverable?(blocking) = any? && @pending.any? { |error| strikes?(error, blocking) }

      def remove(error) = @pending.delete_if { |other| other.equal?(error) }

      private

      def strikes?(error, blocking)
        case timing(error)
        when :never then false
        when :on_blocking then blocking
        else true
        end
      end

      def timing(error)
        @masks.reverse_each do |timings|
          timings.each { |kind, timing| return timing if of?(error, kind) }
        end
        :immediate
      end

      # Ruby masks a kill by Integer's ancestors.
      def of?(error, kind) = error.equal?(KILL) ? kind >= ::Integer : error.is_a?(kind)
    end
  end
end
