# frozen_string_literal: true

require_relative "pool_factory"
require_relative "pool_manager"
require_relative "pool_ref"
require_relative "pool_routes"

module Raffia
  class Actor
    # Core of a pool: it passes each message to one of the workers, and revives those that fail.
    #
    # Its object is a {PoolManager}, so a pool has an actor's name, links and end, and may have a
    # supervisor. Messages that come before there are workers wait in the pool's own mailbox.
    #
    # @api private
    class PoolCore < ActorCore
      attr_reader :workers
      # Frozen; those that get no more messages, and have not ended.
      attr_reader :draining

      def initialize(factory, route, group, name, parent)
        settings = Settings.new(mailbox: nil, call_timeout: factory.settings.call_timeout)
        super(factory, settings, group, name, parent)
        @route = route
        @workers = @draining = [].freeze
      end

      def ref = @ref ||= PoolRef.new(self)

      def label = "#{actor_class.name || "Actor"} pool##{@id}#{" #{@name.inspect}" if @name}"

      def kind = :pool

      def stats
        all = @workers.map(&:stats)
        sums = %i[mailbox handled dropped restarts].to_h do |name|
          [name, all.sum { |one| one[name] }]
        end
        sums[:mailbox] += @mailbox.size
        {status: status, on: @factory.settings.on, size: all.size,
         busy: @workers.count { |worker| worker.backlog.positive? }, **sums}
      end

      def call(name, arguments, keywords, block)
        pass(name, arguments, keywords) do |worker|
          worker ? worker.call(name, arguments, keywords, block) : super
        end
      end

      def request(name, arguments, keywords, block, reply, parent)
        pass(name, arguments, keywords) do |worker|
          worker ? worker.request(name, arguments, keywords, block, reply, parent) : super
        end
      end

      def tell(name, arguments, keywords, block)
        pass(name, arguments, keywords) do |worker|
          worker ? worker.tell(name, arguments, keywords, block) : super
        end
      end

      def try_tell(name, arguments, keywords)
        pass(name, arguments, keywords) do |worker|
          worker ? worker.try_tell(name, arguments, keywords) : super
        end
      end

      def ask(name, arguments, keywords, block)
        pass(name, arguments, keywords) do |worker|
          worker ? worker.ask(name, arguments, keywords, block) : super
        end
      end

      # Passes on a message that waited in the pool's own mailbox.
      def forward(message)
        worker = choose(message.name, message.arguments, message.keywords) or
          raise ActorDied.new(ref: ref, accepted: false)
        forwarded = message.forward_to(worker)
        return if worker.enqueue(forwarded) || message.parent.nil?

        worker.check_cycle(message.parent, forwarded)
      end

      # Kills also the workers that finish what they have: the manager waits for these.
      def kill(reason, **)
        super || @draining.map { |worker| worker.kill(reason, final: true) }.any?
      end

      def ended(worker, _reason) = revive(worker)

      def revive(worker, attempt = 1)
        error = (worker.restart if worker.status == :restarting) or return
        worker.die(error) unless order(:restart_failed, worker, error, attempt)
      end

      # Has the manager call one of its methods, in its turn. Returns whether it will.
      def order(name, *arguments, reply: nil)
        deliver(ControlMessage.new(self, name, *arguments, reply: reply), false)
        true
      rescue ActorDied
        reply ? raise : false
      end

      def add_worker = @workers = [*@workers, @factory.start_worker(self)].freeze

      # Sends no more messages to these workers. They have ended at the end of the block. A kill
      # from another thread finds each of them at any time.
      def drain(workers)
        @draining |= workers
        @workers = (@workers - workers).freeze
        yield
        @draining -= workers
      end

      def finishing? = !!@lifecycle.exit_signal&.graceful?

      private

      # Yields a worker, nil when there is none yet, and another one if that ends before it has
      # accepted the message.
      def pass(name, arguments, keywords)
        worker = choose(name, arguments, keywords)
        begin
          yield worker
        rescue ActorDied => error
          last = worker
          raise if last.nil? || error.accepted? || !alive?

          worker = choose(name, arguments, keywords)
          raise if worker.equal?(last)

          retry
        end
      end

      def choose(name, arguments, keywords)
        raise ActorDied.new(ref: ref, reason: reason, accepted: false) unless alive?

        @route.pick(@workers, name, arguments, keywords)
      end
    end
  end
end
