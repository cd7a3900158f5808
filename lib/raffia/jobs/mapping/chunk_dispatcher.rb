# frozen_string_literal: true

require "socket"
require_relative "../../base/clock"
require_relative "../client"
require_relative "chunk_job"

module Raffia
  module Jobs
    module Mapping
      # Where the caller of a map puts chunks, and gets the answers. Of all who wait for an answer
      # one fetches for everybody.
      # @api private
      class ChunkDispatcher
        # Seconds between two signs of life.
        BEAT = Store::LEASE / 3.0
        # Seconds without one after which workers do not believe the caller to be there any more.
        TTL = 60
        # Most answers that are fetched at once.
        BATCH = 100
        private_constant :BEAT, :TTL, :BATCH

        # @param client [Client]
        # @param queue [String] that the workers read
        def initialize(client, queue)
          @client = client
          @store = client.store
          @queue = queue
          @call = Payload.id
          @answers = Mapping.queue(@call)
          @sent = {} # number => id of the job, while there is no answer
          @replies = {}
          @count = 0
          @lock = Thread::Mutex.new
          @news = Thread::ConditionVariable.new
          @fetching = false
        end

        # @return [void]
        def open
          be_there
          @lease = @store.enroll("#{Socket.gethostname}:#{::Process.pid}:#{@call}",
            {"tag" => "map", "queues" => [@answers]})
        end

        # @param work [Array] what {ChunkJob#perform} takes after the number
        # @return [Integer] the number of the chunk
        # @raise [BadArguments] for what cannot leave this process
        def send(*work)
          jid = Payload.id
          number = @lock.synchronize { (@count += 1).tap { |count| @sent[count] = jid } }
          @client.enqueue([{"class" => ChunkJob, "queue" => @queue, "jid" => jid,
                            "args" => [@call, number, *work]}])
          number
        end

        # Waits for an answer.
        # @param number [Integer]
        # @return [Executor::Reply]
        def take(number)
          loop do
            mine = @lock.synchronize do
              return @replies.delete(number) if @replies.key?(number)

              @fetching ? @news.wait(@lock) && false : @fetching = true
            end
            fetch if mine
          end
        end

        # Nobody waits any more: chunks that were not begun are not begun.
        # @return [void]
        def close
          @store.write(Mapping.key(@call), nil)
          return unless @lease

          left = @sent.values.filter_map { |jid| @store.find(jid) }
          @store.delete(left.reject { |entry| entry.set == :running })
          @store.resign(@lease)
          @store.clear(:queue, queue: @answers)
        end

        private

        def fetch
          arrived = receive
        ensure
          @lock.synchronize do
            # one that was run twice answers twice
            arrived&.each { |number, reply| @replies[number] = reply if @sent.delete(number) }
            @fetching = false
            @news.broadcast
          end
        end

        def receive
          found = (Clock.now > @beat + BEAT) ? be_there : []
          claims = @store.claim(@lease, [@answers], BATCH)
          if claims.empty? && found.empty?
            @store.wait([@answers], timeout: BEAT)
            claims = @store.claim(@lease, [@answers], BATCH)
          end
          @store.ack(claims)
          found + claims.map { |claim| Reply.read(claim.item["args"]) }
        end

        # @return [Array<Array(Integer, Executor::Reply)>] of chunks that nobody will answer
        def be_there
          @beat = Clock.now
          @store.write(Mapping.key(@call), "1", ttl: TTL)
          return [] unless @lease

          open unless @store.beat(@lease)
          @store.recover
          @store.entries(:dead, match: @call)
            .map { |entry| [entry.item["args"][1], died(entry.item)] }
        end

        def died(item)
          error = WorkerDied.new("#{item["error_message"] || "workers died"}, at a chunk that " \
            "begins with #{item["args"].last.first.inspect[0, 100]}")
          Executor::Reply.new(nil, Executor::Failure.new(:error, 0, error, nil), 0.0)
        end
      end
    end
  end
end
