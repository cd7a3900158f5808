# frozen_string_literal: true

require_relative "../store"
require_relative "memory/contents"
require_relative "memory/claiming"
require_relative "memory/operating"
require_relative "memory/looking"
require_relative "memory/waiting"

module Raffia
  module Jobs
    # The stores there are.
    module Stores
      # Keeps jobs in this process, and loses them with it: for tests, and for work that need not
      # outlive the program. It is the shortest store that keeps the whole contract, so it is also
      # the one to read first.
      #
      # A forked child cannot use it: what it enqueued would be nobody's.
      class Memory < Store
        include Waiting
        include Claiming
        include Operating
        include Looking

        # @param url [String]
        def initialize(url = "memory:")
          super()
          @url = Store.shown(url)
          @lock = Mutex.new
          @pid = ::Process.pid
          @changed = ConditionVariable.new
          @waiting = @turn = 0
          @interrupted = false
          @contents = Contents.new
        end

        # @return [String]
        attr_reader :url

        # @return [String]
        def inspect = "#<#{self.class} #{url}>"

        # (see Store#enqueue)
        def enqueue(drafts, guard: nil)
          sync do |all|
            next unless guard.nil? || all.values.read(guard.key) == guard.expect

            all.check_drafts(drafts)
            all.values.write(guard.key, guard.value) if guard
            drafts.map { |draft| all.let_in(draft) }.tap { wake }
          end
        end

        # (see Store#shared?)
        def shared? = false

        # For tests of programs whose jobs belong to transactions: what is rolled back there is not
        # here. (see Store#within)
        def within(_connection) = yield

        # (see Store#now)
        def now = ::Time.now.to_f

        # (see Store#read)
        def read(key) = sync { |all| all.values.read(key) }

        # (see Store#write)
        def write(key, value, expect: :any, ttl: nil)
          sync do |all|
            next false unless expect == :any || all.values.read(key) == expect

            all.values.write(key, value, ttl)
            true
          end
        end

        # (see Store#keys)
        def keys(prefix) = sync { |all| all.values.keys(prefix) }

        # (see Store#open_batch)
        def open_batch(id, callbacks: {}, about: {}, parent: nil)
          sync do |all|
            all.batches.open(id, callbacks, about, parent)
            nil
          end
        end

        # (see Store#seal_batch)
        def seal_batch(id)
          sync do |all|
            all.batches.seal(id)
            wake
            nil
          end
        end

        # (see Store#batch)
        def batch(id) = sync { |all| all.batches[id]&.to_h }

        # (see Store#batches)
        def batches(offset: 0, limit: 50)
          sync { |all| all.batches.newest(offset, limit).map(&:to_h) }
        end

        # (see Store#check)
        def check = sync(&:check)

        # (see Store#close)
        def close = ours? ? interrupt : nil

        private

        # All else is called in here, by one fiber at a time.
        def sync
          raise StoreUnavailable, elsewhere unless ours?

          @lock.synchronize { yield @contents }
        end

        def elsewhere
          "the jobs of this store are in the memory of process #{@pid}, and this is process " \
          "#{::Process.pid}: " \
            "give it a store of its own (Raffia::Jobs.store = \"memory:\"), or use one that " \
            "processes share, such as sqlite:jobs.db"
        end

        def ours? = @pid == ::Process.pid
      end
    end
  end
end
