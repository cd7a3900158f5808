# frozen_string_literal: true

module SuckerPunch
  # Things by name that any thread may ask for.
  class Table
    # @yieldparam name [String] makes what is asked for and is not there
    def initialize(&make)
      @make = make
      @entries = {}
      @guard = Thread::Mutex.new
    end

    # @return [Object, nil] nil only where nothing makes it
    def [](name) = @make ? fetch_or_store(name) { @make.call(name) } : @entries[name]

    # @yield makes it
    # @return [Object]
    def fetch_or_store(name) = @entries[name] || @guard.synchronize { @entries[name] ||= yield }

    # @yieldparam name [String]
    # @yieldparam entry [Object]
    # @return [void]
    def each_pair(&) = @guard.synchronize { @entries.dup }.each_pair(&)

    # @return [Boolean]
    def empty? = @entries.empty?

    # @return [void]
    def clear = @guard.synchronize { @entries = {} }
  end
end
