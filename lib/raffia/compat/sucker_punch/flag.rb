# frozen_string_literal: true

module SuckerPunch
  # True or false, and the change from one to the other is noticed by one caller only.
  class Flag
    # @param value [Boolean]
    def initialize(value)
      @value = value
      @guard = Thread::Mutex.new
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
      @guard.synchronize do
        next false if @value == value

        @value = value
        true
      end
    end
  end
end
