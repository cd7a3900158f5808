# frozen_string_literal: true

module SuckerPunch
  # A thread-safe boolean. Of concurrent changes, one returns true.
  class AtomicBoolean
    def initialize(value)
      @value = value
      @lock = Thread::Mutex.new
    end

    attr_reader :value
    alias_method :true?, :value

    def false? = !@value

    def make_true = change(true)

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
