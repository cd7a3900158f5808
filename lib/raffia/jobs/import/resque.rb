# frozen_string_literal: true

require "securerandom"
require_relative "../stores/redis"
require_relative "resque_item"
require_relative "source"

module Raffia
  module Jobs
    class Import
      # Jobs of Resque, and of resque-scheduler. The address may have `namespace=` (resque).
      #
      # Resque's jobs have no ids, so a script moves a batch to the list raffia:import of the same
      # namespace, and gives it one.
      # @api private
      class Resque < Source
        # Jobs that one script moves: Redis does nothing else meanwhile.
        SLICE = 1000
        NAMESPACE = "resque"
        SCRIPTS = %w[take delete].to_h { |name|
          [name, ::File.read(::File.join(__dir__, "resque/#{name}.lua")).freeze]
        }.freeze
        private_constant :SCRIPTS

        attr_reader :url

        def initialize(url)
          super()
          base, query = url.split("?", 2)
          spaces, rest = query.to_s.split("&").partition { |one| one.start_with?("namespace=") }
          @prefix = "#{spaces.empty? ? NAMESPACE : spaces.last.delete_prefix("namespace=")}:"
          address = Stores::Redis::Address.new([base, *(rest.join("&") if rest.any?)].join("?"))
          @url = address.shown
          translated { (@redis = address.client).call("PING") }
        end

        def counts
          {"waiting" => queues.sum { |name| size("queue:#{name}") },
           "scheduled" => times.sum { |time| size("delayed:#{time}") },
           "failed" => failed.sum { |key| size(key) }, "running" => running,
           **aside}
        end

        def each_page(size)
          pages("raffia:import", size) { |list| yield(list.map { |one| unpack(one) }) }
          queues.each do |name|
            pages("queue:#{name}", size) { |list| yield(list.map { |one| ["queue", name, one] }) }
          end
          times.each do |time|
            pages("delayed:#{time}", size) { |list| yield(list.map { |one| ["at", time, one] }) }
          end
          failed.each do |key|
            pages(key, size) { |list| yield(list.map { |one| ["failed", key, one] }) }
          end
        end

        def take(size)
          id, *list = script("take", SecureRandom.hex(12), [size, SLICE].min)
          Batch.new(id:, records: list.map { |one| unpack(one) }) if id
        end

        def delete(batch) = script("delete", batch.id)

        def close = @redis.close

        def item(record) = ResqueItem.build(*record)

        def bytes(record) = record.last

        private

        def queues = call("SMEMBERS", key("queues")).sort

        def times = call("ZRANGE", key("delayed_queue_schedule"), 0, -1)

        # Resque may keep failures by queue.
        def failed
          ["failed", *call("SMEMBERS", key("failed_queues"))].uniq
        end

        def running
          workers = call("SMEMBERS", key("workers"))
          workers.count { |worker| call("EXISTS", key("worker:#{worker}")) == 1 }
        end

        def aside
          size = size("raffia:import")
          size.zero? ? {} : {"taken before" => size}
        end

        def size(name) = call("LLEN", key(name))

        def pages(name, size)
          offset = 0
          until (list = call("LRANGE", key(name), offset, offset + size - 1)).empty?
            yield list
            offset += list.size
          end
        end

        # Kind, name and bytes of a line of the list.
        def unpack(line)
          kind, name, bytes = line.split("\n", 3)
          [kind, name, bytes]
        end

        def script(name, *arguments)
          call("EVAL", SCRIPTS.fetch(name), 1, @prefix, *arguments)
        end

        def key(name) = "#{@prefix}#{name}"

        def call(*command) = translated { @redis.call_v(command) }

        def translated
          yield
        rescue ::RedisClient::Error => error
          raise StoreUnavailable, "Resque's Redis at #{@url}: #{error.message}"
        end
      end
    end
  end
end
