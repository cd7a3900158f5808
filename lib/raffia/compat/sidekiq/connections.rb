# frozen_string_literal: true

module Sidekiq
  # A connection with a method for each command: `redis.set("key", 1, ex: 60)`.
  #
  # @api private
  class Connection
    def initialize(client)
      @client = client
    end

    %i[pipelined multi].each do |name|
      define_method(name) do |**options, &block|
        @client.public_send(name, **options) { |pipeline| block.call(Connection.new(pipeline)) }
      end
    end

    # Some programs use it as a pool.
    def with = yield(self)

    def info = @client.call("INFO") { |text| text.scan(/^(\w+):(.*?)\r?$/).to_h }

    def evalsha(sha, keys, arguments) = @client.call("EVALSHA", sha, keys.size, *keys, *arguments)

    private

    def method_missing(name, *, **, &)
      @client.respond_to?(name) ? @client.public_send(name, *, **, &) : @client.call(name, *, **, &)
    end

    # The server knows which commands exist.
    def respond_to_missing?(*) = true
  end

  # Connections to the Redis of the jobs, for the program's own data.
  #
  # @api private
  class Connections
    MAX_IDLE = 10
    private_constant :MAX_IDLE

    def initialize
      @idle = []
      @store = nil
      @lock = Thread::Mutex.new
    end

    # Raises NotProvided when jobs are not in Redis, and RedisClient::Error.
    def with
      store = Sidekiq.const_defined?(:Testing, false) ? Testing.real : Raffia::Jobs.store
      unless store.respond_to?(:client)
        raise NotProvided, "Sidekiq.redis is not there: jobs are kept in #{store.url}. Use a " \
          "connection of the program's own for its own data"
      end

      client = checkout(store)
      begin
        yield Connection.new(client)
      ensure
        release(store, client)
      end
    end
    alias_method :then, :with

    private

    def checkout(store)
      @lock.synchronize do
        @idle.shift(@idle.size).each(&:close) unless @store.equal?(store)
        @store = store
        @idle.pop || store.client
      end
    end

    def release(store, client)
      @lock.synchronize { @store.equal?(store) && @idle.size < MAX_IDLE && @idle.push(client) } ||
        client.close
    end
  end
end
