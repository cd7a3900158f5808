# frozen_string_literal: true

module SuckerPunch
  # A thread-safe boolean. One caller only learns that it has changed it.
  class AtomicBoolean
    # @param value [Boolean]
    def initialize(value)
      @value = value
      @lock = Thread::Mutex.new
    end

    # @return [Boolean]
    attr_reader :value
    alias_method :true?, :value

    # @return [Boolean]
    def false? = !@value

    # @return [Boolean] whether it was false
    def make_true = change(true)

    # @return [Boolean] whether it was true
    def make_false = change(false)

    private

    def change(value)
      @lock.synchronize do
        next false if @value == value

        @value = value
        true
      end
    end
  end
end
