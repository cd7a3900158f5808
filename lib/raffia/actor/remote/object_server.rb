# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Runs an actor's object in a child process or Ractor.
      #
      # It handles the requests of the core's side one at a time, in the thread that called {run};
      # reentrant ones run meanwhile in the background.
      class ObjectServer < RequestDispatcher
        WORK = %i[build invoke hook run_block].freeze

        # Seconds to wait for the reason of a signal.
        REASON_TIMEOUT = 0.2

        attr_reader :connection

        # The helper is {BackgroundThreads} or {Ractors::BackgroundFibers}; data describes the core.
        def initialize(data, transport, helper, &build)
          super()
          @requests = Thread::Queue.new
          @stop_reasons = Thread::Queue.new
          @helper = helper
          @build = build
          @connection = Connection.new(transport, self)
          @core_proxy = CoreProxy.new(data, @connection)
          Node.current.uplink = @connection
          Node.current.bind(data.first, @core_proxy)
        end

        def run
          @helper.run { @connection.serve }
          @helper.enter(self) { |scope| work_through(scope) }
        rescue Cancel => cancel
          stop
          raise unless cancel.origin.equal?(self)
        ensure
          @connection.close(:stopped)
        end

        def ended(connection, reason)
          super
          @requests << nil
          @scope&.cancel(reason) # nobody wants its answer
        end

        private

        def work_through(scope)
          while (request = @requests.pop)
            @scope = scope
            work(*request)
            @scope = nil
          end
        end

        def other(_connection, op, arguments, reply)
          case op
          when *WORK then @requests << [op, arguments, reply]
          when :reenter then @helper.run { work(arguments.first, arguments.drop(1), reply) }
          when :leave then @requests << nil
          when :stop then @stop_reasons << arguments.first
          else raise(Rejected, "nobody here does #{op.inspect}")
          end
        end

        def in_background(&) = @helper.run(&)

        def work(op, arguments, reply)
          return reply.settle if reply.forgotten?

          task, block = __send__(op, reply, *arguments)
          value = task.handle { task.deadline ? task.deadline.enforce(&block) : block.call }
          reply.settle(value) unless task.postponed
        rescue Cancel, SystemExit, SignalException
          raise
        rescue Exception => error # standard:disable Lint/RescueException
          error.equal?(task&.refusal) ? reply.refuse(error) : reply.fail(error)
        end

        def task(name, reply, arguments = nil, keywords = nil, deadline = nil)
          RemoteMessage.new(reply&.number, @core_proxy, name, arguments, keywords, reply, deadline)
        end

        def build(reply, *given)
          [task(:initialize, reply), -> { (@object = @build.call(@core_proxy, *given)) && nil }]
        end

        def invoke(reply, name, arguments, keywords, deadline)
          task = task(name, reply, arguments, keywords, deadline)
          [task, -> { task.invoke(@object) }]
        end

        def hook(reply, name, *arguments)
          @stopped = true if name == :on_stop
          [task(name, reply), -> { @object.__send__(name, *arguments) && nil }]
        end

        def run_block(reply, key, arguments, keywords)
          block = @core_proxy.block(key)
          [task(:block, reply),
            -> { block && @object.instance_exec(*arguments, **keywords, &block) && nil }]
        end

        # Calls `on_stop` of an object that was killed.
        def stop
          return if @object.nil? || @stopped

          @stopped = true
          task(:on_stop, nil).handle do
            @object.on_stop(@stop_reasons.pop(timeout: REASON_TIMEOUT) || :terminated)
          end
        rescue => error
          Actor.log.error("#{@core_proxy.label}: on_stop failed: #{Log.full(error)}")
        end
      end
    end
  end
end
