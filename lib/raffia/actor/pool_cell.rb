# frozen_string_literal: true

module Raffia
  class Actor
    # A pool is an actor whose object, the {PoolKeeper}, looks after the workers, and whose ref sends what is asked straight to one of these.
    # So it has an actor's name, links, end, and place under a supervisor; and it decides what becomes of a worker that fails.
    #
    # @api private
    class PoolCell < Cell
      # @return [Array<Cell>] frozen, so any thread may read it
      attr_reader :workers

      # @param birth [PoolCell::Birth]
      # @param route [#pick] see {PoolRoutes}
      def initialize(birth, route, host, name: nil, parent: nil)
        super(birth, Settings.new(mailbox: nil), host, name: name, parent: parent)
        @route = route
        @workers = [].freeze
      end

      # @return [PoolRef]
      def ref = @ref ||= PoolRef.new(self)

      # @return [String] for people
      def label = "#{actor_class.name || "Actor"} pool##{@id}#{" #{@name.inspect}" if @name}"

      # @return [Hash] the sums over the workers that there are
      def stats
        all = @workers.map(&:stats)
        sums = %i[mailbox handled dropped restarts].to_h { |name| [name, all.sum { |one| one[name] }] }
        {status: @status, on: @birth.settings.on, size: all.size, busy: @workers.count { |worker| worker.backlog.positive? }, **sums}
      end

      # @return [Object]
      def call(name, arguments, keywords, block) = pass(name, arguments, keywords) { |worker| worker.call(name, arguments, keywords, block) }

      # @return [void]
      def request(name, arguments, keywords, block, reply, parent)
        pass(name, arguments, keywords) { |worker| worker.request(name, arguments, keywords, block, reply, parent) }
      end

      # @return [void]
      def tell(name, arguments, keywords, block) = pass(name, arguments, keywords) { |worker| worker.tell(name, arguments, keywords, block) }

      # @return [Future]
      def ask(name, arguments, keywords, block) = pass(name, arguments, keywords) { |worker| worker.ask(name, arguments, keywords, block) }

      # A worker's object has ended: by an error of its method's, stopped or killed. It gets another.
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
        deliver(Message.new(self, name, arguments, nil, nil, reply, nil, nil), false)
        true
      rescue ActorDied
        reply ? raise : false
      end

      # @return [void]
      def hire = @workers = [*@workers, @birth.hire(self)].freeze

      # These get no more messages.
      # @return [void]
      def leave(workers) = @workers = (@workers - workers).freeze

      # @return [Boolean] whether the pool is to end when all is done, and not at once
      def finishing? = !!@doom&.gentle?

      private

      # A worker that ended between being chosen and being asked has done nothing of it: another one may.
      def pass(name, arguments, keywords)
        worker = choose(name, arguments, keywords)
        begin
          yield worker
        rescue ActorDied => error
          last = worker
          raise if error.accepted? || !alive? || (worker = choose(name, arguments, keywords)).equal?(last)

          retry
        end
      end

      def choose(name, arguments, keywords)
        (@route.pick(@workers, name, arguments, keywords) if alive?) or
          raise ActorDied.new(ref: ref, reason: @reason, accepted: false)
      end
    end
  end
end

require_relative "pool_birth"
