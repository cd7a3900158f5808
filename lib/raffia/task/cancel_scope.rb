# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  # One entry of a {CancellationStack}: a part of a fiber's work that is cancelled as a whole. The
  # lock of the stack protects it.
  #
  # @api private
  class CancelScope
    # `origin`: the task, scope or deadline that it belongs to; `parent`: the scope around it.
    attr_reader :origin, :parent, :reason

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

    # Any thread may call it. False: it was cancelled before, or has ended.
    def cancel(reason) = @stack.cancel(self, reason)

    def request(reason)
      @requested = true
      @reason = reason
    end

    # Returns a fresh exception to raise, and remembers it.
    def notify = @notice = Cancel.new(reason, origin: origin)

    # The exception that was sent and has not been raised yet: raising gives it its backtrace.
    def in_flight = (@notice unless @notice.nil? || @notice.backtrace)

    def undelivered? = @notice.nil?
    def forget = @notice = nil
    def close = @closed = true
  end
end
