# frozen_string_literal: true

module SuckerPunch
  # A thread-safe map.
  class ConcurrentMap
    # @yieldparam name [String] makes a missing entry
    def initialize(&make)
      @make = make
      @entries = {}
      @lock = Thread::Mutex.new
    end

    # @return [Object, nil] nil only where nothing makes it
    def [](name) = @make ? fetch_or_store(name) { @make.call(name) } : @entries[name]

    # @yield makes it
    # @return [Object]
    def fetch_or_store(name) = @entries[name] || @lock.synchronize { @entries[name] ||= yield }

    # @yieldparam name [String]
    # @yieldparam entry [Object]
    # @return [void]
    def each_pair(&) = @lock.synchronize { @entries.dup }.each_pair(&)

    # @return [Boolean]
    def empty? = @entries.empty?

    # @return [void]
    def clear = @lock.synchronize { @entries = {} }
  end
end
