# frozen_string_literal: true

module Raffia
  class Actor
    # A pool is an actor whose object, the {PoolKeeper}, looks after the workers, and whose ref
    # sends what is asked straight to one of these. So it has an actor's name, links, end, and place
    # under a supervisor; and it decides what becomes of a worker that fails.
    #
    # @api private
    class PoolCell < Cell
      # @return [Array<Cell>] frozen, so any thread may read it
      attr_reader :workers
      # @return [Array<Cell>] those that get no more messages, and have not ended; the same
      attr_reader :leaving

      # @param birth [PoolCell::Birth]
      # @param route [#pick] see {PoolRoutes}
      def initialize(birth, route, host, name: nil, parent: nil)
        super(birth, Settings.new(mailbox: nil, call_timeout: birth.settings.call_timeout), host,
          name: name, parent: parent)
        @route = route
        @workers = @leaving = [].freeze
      end

      # @return [PoolRef]
      def ref = @ref ||= PoolRef.new(self)

      # @return [String] for people
      def label = "#{actor_class.name || "Actor"} pool##{@id}#{" #{@name.inspect}" if @name}"

      # @return [Hash] the sums over the workers that there are
      def stats
        all = @workers.map(&:stats)
        sums = %i[mailbox handled dropped restarts].to_h do |name|
          [name, all.sum { |one| one[name] }]
        end
        sums[:mailbox] += @mailbox.size
        {status: @status, on: @birth.settings.on, size: all.size,
         busy: @workers.count { |worker| worker.backlog.positive? }, **sums}
      end

      # Where there is nobody to pass it to yet, it waits with the pool itself.
      # @return [Object]
      def call(name, arguments, keywords, block)
        pass(name, arguments, keywords) do |worker|
          worker ? worker.call(name, arguments, keywords, block) : super
        end
      end

      # @return [void]
      def request(name, arguments, keywords, block, reply, parent)
        pass(name, arguments, keywords) do |worker|
          worker ? worker.request(name, arguments, keywords, block, reply, parent) : super
        end
      end

      # @return [void]
      def tell(name, arguments, keywords, block)
        pass(name, arguments, keywords) do |worker|
          worker ? worker.tell(name, arguments, keywords, block) : super
        end
      end

      # @return [Waiter, nil]
      def hand_in(name, arguments, keywords)
        pass(name, arguments, keywords) do |worker|
          worker ? worker.hand_in(name, arguments, keywords) : super
        end
      end

      # @return [Future]
      def ask(name, arguments, keywords, block)
        pass(name, arguments, keywords) do |worker|
          worker ? worker.ask(name, arguments, keywords, block) : super
        end
      end

      # Has a worker do what waited here.
      # @param message [Message]
      # @return [void]
      # @raise [ActorDied, Full, CallCycle]
      def forward(message)
        worker = choose(message.name, message.arguments, message.keywords) or
          raise ActorDied.new(ref: ref, accepted: false)
        handed = message.hand_on(worker)
        worker.enqueue(handed) || message.parent.nil? || worker.check_cycle(message.parent, handed)
      end

      # Also when its workers are only to finish what they have: the keeper waits for these.
      # @return [Boolean]
      def kill(reason, **)
        super || @leaving.map { |worker| worker.kill(reason, final: true) }.any?
      end

      # A worker's object has ended: by an error of its method's, stopped or killed. It gets
      # another.
      # @return [void]
      def ended(worker, _reason) = revive(worker)

      # @param attempt [Integer] the how manieth in a row
      # @return [void]
      def revive(worker, attempt = 1)
        error = (worker.restart if worker.status == :restarting) or return
        worker.bury(error) unless order(:missed, worker, error, attempt)
      end

      # Has the keeper do something, in its turn.
      # @param reply [Future, nil]
      # @return [Boolean] whether it will
      # @raise [ActorDied] to whoever wants a reply
      def order(name, *arguments, reply: nil)
        deliver(Order.new(self, name, arguments, nil, nil, reply, nil, nil), false)
        true
      rescue ActorDied
        reply ? raise : false
      end

      # @return [void]
      def hire = @workers = [*@workers, @birth.hire(self)].freeze

      # These get no more messages while the block runs, at whose end they have ended.
      # @return [void]
      def leave(workers)
        @workers = (@workers - workers).freeze
        @leaving |= workers
        yield
        @leaving -= workers
      end

      # @return [Boolean] whether the pool is to end when all is done, and not at once
      def finishing? = !!@doom&.gentle?

      private

      # A worker that ended between being chosen and being asked has done nothing of it: another one
      # may.
      def pass(name, arguments, keywords)
        worker = choose(name, arguments, keywords)
        begin
          yield worker
        rescue ActorDied => error
          last = worker
          if last.nil? || error.accepted? || !alive? ||
              (worker = choose(name, arguments, keywords)).equal?(last)
            raise
          end

          retry
        end
      end

      # @return [Cell, nil] nil: the pool begins, maybe again, and has no worker
      def choose(name, arguments, keywords)
        raise ActorDied.new(ref: ref, reason: @reason, accepted: false) unless alive?

        @route.pick(@workers, name, arguments, keywords)
      end

      # What the keeper is to do, and no worker.
      class Order < Message
        def invoke(keeper) = keeper.__send__(name, *arguments)
      end
      private_constant :Order
    end
  end
end

require_relative "pool_birth"
