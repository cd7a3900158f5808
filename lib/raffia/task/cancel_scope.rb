# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  # One cancellable stretch of a fiber's work; see {CancellationStack}, whose guard protects it.
  #
  # @api private
  class CancelScope
    # @return [Object] the task, scope or deadline that this region belongs to
    attr_reader :origin
    # @return [CancelScope, nil] the region around this one
    attr_reader :parent
    # @return [Object, nil] why it was cancelled
    attr_reader :reason

    def initialize(strand, origin, parent, shield)
      @strand = strand
      @origin = origin
      @parent = parent
      @shield = shield
      @requested = @closed = false
    end

    def shield? = @shield
    def requested? = @requested
    def closed? = @closed

    # Cancels the region; any thread.
    # @return [Boolean] whether this call did it; false: it was cancelled before, or has ended
    def cancel(reason) = @strand.cancel(self, reason)

    def request(reason)
      @requested = true
      @reason = reason
    end

    # @return [Cancel] a fresh exception to raise; the last one is remembered
    def notify = @notice = Cancel.new(reason, origin: origin)

    # @return [Cancel, nil] the exception that was sent and has not been raised yet: raising gives
    #   it its backtrace
    def in_flight = (@notice unless @notice.nil? || @notice.backtrace)

    def undelivered? = @notice.nil?
    def forget = @notice = nil
    def close = @closed = true
  end
end
