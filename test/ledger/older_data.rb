# frozen_string_literal: true

require "redis_client"

module Ledger
  # The data of a Redis at one time, which comes back later, as a replica's that lagged.
  class OlderData
    # Seconds after which all is noted that was forgotten.
    SLACK = 3

    # @param port [Integer]
    def initialize(port)
      @redis = RedisClient.new(url: "redis://127.0.0.1:#{port}/0", timeout: 30)
    end

    # In one step.
    # @return [void]
    def save
      @saved = @redis.call("EVAL", <<~LUA, 0)
        local all = {}
        for _, key in ipairs(redis.call('KEYS', '*')) do
          all[#all + 1] = key
          all[#all + 1] = redis.call('DUMP', key)
        end
        return all
      LUA
    end

    # In one step: workers beat in between otherwise.
    # @return [void]
    def restore
      @redis.multi do |transaction|
        transaction.call("FLUSHDB")
        @saved.each_slice(2) { |key, bytes| transaction.call("RESTORE", key, 0, bytes) }
      end
    ensure
      @redis.close
    end
  end
end
