# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Launches a forked child with one object. The child has the object's factory from its parent.
      class Processes
        # Seconds that a child has to exit after its last request.
        GRACE = 5

        # @raise [ConfigError]
        def self.check
          unless ::Process.respond_to?(:fork)
            raise ConfigError, "actors on: :processes need fork, which this Ruby does not have: " \
              "use on: :threads"
          end
        end

        # @param factory [ObjectFactory]
        def initialize(factory, core)
          @factory = factory
          @core = core
        end

        # @return [Array] sent to the child for its object
        def arguments = []

        # @return [Connection]
        def start(dispatcher)
          node = Node.current
          data = Proxy.describe(@core, node.tell_of(@core))
          child = Child.new(node.id, data, @factory)
          @worker = Process::Worker.new { |link| child.run(link) }
          @connection = Connection.new(Transport.new(@worker, @core, dispatcher), dispatcher)
        end

        def in_background(&) = BackgroundThreads.run(&)

        # Waits until the child has exited by itself.
        def leave = @worker.exit(GRACE)

        # Ends the child.
        def stop = @worker&.halt

        # Ends the child without waiting.
        def abandon = @worker&.dismiss

        # Carries frames to and from the child.
        class Transport
          # @return [#dump, #load]
          attr_reader :codec

          def initialize(worker, core, dispatcher)
            @worker = worker
            @core = core
            @dispatcher = dispatcher
            @codec = Executor::Processes::PayloadCodec.new(worker.payloads)
          end

          # @return [String, nil]
          def read = @worker.read

          def write(frame) = @worker.write(frame)

          # @return [WorkerDied]
          def reason
            how = @worker.exit(1) || @worker.kill
            message = @dispatcher.current
            died = WorkerDied.new(pid: how.pid, signal: how.signal, status: how.status)
            return died unless message

            WorkerDied.new("#{died.message} (it worked on #{message.inspect})", pid: how.pid,
              signal: how.signal, status: how.status, item: message.inspect)
          end

          def close = @worker.dismiss
        end
        private_constant :Transport

        # Runs in the child.
        class Child
          # @param parent [String] the parent's node
          def initialize(parent, data, factory)
            @parent = parent
            @data = data
            @factory = factory
          end

          # @param link [Process::WorkerConnection]
          def run(link)
            transport = PipeTransport.new(link.reader, link.writer,
              Executor::Processes::PayloadCodec.new(link.payloads))
            factory = @factory
            server = ObjectServer.new(@data, transport, BackgroundThreads) do |core|
              factory.build(core)
            end
            redirect_refs(server.connection)
            server.run
          rescue SystemExit => error
            [$stdout, $stderr].each(&:flush)
            ::Process.exit!(error.status)
          end

          private

          # Refs from before the fork go on referring to the parent's actors.
          def redirect_refs(connection)
            ActorGroup.forked.each do |core|
              name = :"#{@parent}/#{core.id}"
              known = Node.current.find(name) || Proxy.new(Proxy.describe(core, name), connection)
              Node.current.know(name, known)
              core.ref.raffia_move(known)
            end
            ActorGroup.forked.clear
          end
        end
        private_constant :Child
      end
    end
  end
end
