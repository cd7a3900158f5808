# frozen_string_literal: true

module SuckerPunch
  # A thread-safe map.
  class ConcurrentMap
    # The block makes missing entries.
    def initialize(&make)
      @make = make
      @entries = {}
      @lock = Thread::Mutex.new
    end

    # The entry, made if missing; nil when the map makes none.
    def [](name) = @make ? fetch_or_store(name) { @make.call(name) } : @entries[name]

    def fetch_or_store(name) = @entries[name] || @lock.synchronize { @entries[name] ||= yield }

    def each_pair(&) = @lock.synchronize { @entries.dup }.each_pair(&)

    def empty? = @entries.empty?

    def clear = @lock.synchronize { @entries = {} }
  end
end
