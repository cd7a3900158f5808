# frozen_string_literal: true

require "socket"
require_relative "../client"
require_relative "chunk_job"

module Raffia
  module Jobs
    module Mapping
      # Sends the chunks of a map to workers, and receives their replies. One of all waiting threads
      # fetches for all.
      # @api private
      class ChunkDispatcher
        INTERVAL = Store::LEASE / 3.0
        # Seconds without a heartbeat after which workers consider the caller gone.
        TTL = 60
        BATCH = 100
        # Positions of the seed and the items in the arguments of a {ChunkJob}.
        HIDDEN = [4, 5].freeze
        private_constant :INTERVAL, :TTL, :BATCH, :HIDDEN

        def initialize(client, queue)
          @client = client
          @store = client.store
          @queue = queue
          @call = Payload.id
          @answers = Reply.queue(@call)
          @pending = {} # number => id of the job, while there is no answer
          @replies = {}
          @count = 0
          @lock = Thread::Mutex.new
          @arrived = Thread::ConditionVariable.new
          @fetching = false
        end

        def open
          beat
          @lease = @store.enroll("#{Socket.gethostname}:#{::Process.pid}:#{@call}",
            {"tag" => "map", "queues" => [@answers]})
        end

        # Takes the arguments of {ChunkJob#perform} after the number, and returns the number of the
        # chunk. Raises {BadArguments}.
        def send(*work)
          jid = Payload.id
          number = @lock.synchronize { (@count += 1).tap { |count| @pending[count] = jid } }
          @client.enqueue([{"class" => ChunkJob, "queue" => @queue, "jid" => jid,
                            "args" => [@call, number, *work], Payload::OWN => secrets(work.first)}
            .compact])
          number
        end

        # Waits for a reply.
        def take(number)
          loop do
            mine = @lock.synchronize do
              return @replies.delete(number) if @replies.key?(number)

              @fetching ? @arrived.wait(@lock) && false : @fetching = true
            end
            fetch if mine
          end
        end

        # Deletes chunks that have not begun.
        def close
          @store.write(ChunkJob.key(@call), nil)
          return unless @lease

          left = @pending.values.filter_map { |jid| @store.find(jid) }
          @store.delete(left.reject { |entry| entry.set == :running })
          @store.resign(@lease)
          @store.clear(:queue, queue: @answers)
        end

        private

        def fetch
          arrived = receive
        ensure
          @lock.synchronize do
            # A chunk that ran twice replies twice.
            arrived&.each { |number, reply| @replies[number] = reply if @pending.delete(number) }
            @fetching = false
            @arrived.broadcast
          end
        end

        def receive
          found = (Clock.now > @last_beat + INTERVAL) ? beat : []
          claims = @store.claim(@lease, [@answers], BATCH)
          if claims.empty? && found.empty?
            @store.wait([@answers], timeout: INTERVAL)
            claims = @store.claim(@lease, [@answers], BATCH)
          end
          @store.ack(claims)
          found + claims.map { |claim| Reply.read(Encryption.arguments(claim.item)) }
        end

        # Seed and items are hidden as the class's arguments are.
        def secrets(name)
          @secrets ||= Encryption.secrets_of(name[/[^.]+/]).select { |_, which| which }
            .transform_values { HIDDEN }
          @secrets unless @secrets.empty?
        end

        # Returns the numbers and replies of dead chunks.
        def beat
          @last_beat = Clock.now
          @store.write(ChunkJob.key(@call), "1", ttl: TTL)
          return [] unless @lease

          open unless @store.beat(@lease)
          @store.recover
          @store.entries(:dead, match: @call)
            .map { |entry| [entry.item["args"][1], dead_reply(entry.item)] }
        end

        def dead_reply(item)
          first = item["args"].last.first.inspect[0, 100] unless Redaction.hides?(item)
          error = WorkerDied.new("#{item["error_message"] || "workers died"}, at a chunk that " \
            "begins with #{first || "a hidden item"}")
          Executor::Reply.new(nil, Executor::Failure.new(:error, 0, error, nil), 0.0)
        end
      end
    end
  end
end
