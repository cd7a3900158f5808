# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  # One entry of a {CancellationStack}: a part of a fiber's work that is cancelled as a whole. The
  # lock of the stack protects it.
  #
  # @api private
  class CancelScope
    # @return [Object] the task, scope or deadline that this scope belongs to
    attr_reader :origin
    # @return [CancelScope, nil] the scope around this one
    attr_reader :parent
    # @return [Object, nil] why it was cancelled
    attr_reader :reason

    def initialize(stack, origin, parent, shield)
      @stack = stack
      @origin = origin
      @parent = parent
      @shield = shield
      @requested = @closed = false
    end

    def shield? = @shield
    def requested? = @requested
    def closed? = @closed

    # Cancels the scope; any thread.
    # @return [Boolean] whether this call did it; false: it was cancelled before, or has ended
    def cancel(reason) = @stack.cancel(self, reason)

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
