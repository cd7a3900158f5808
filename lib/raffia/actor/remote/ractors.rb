# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Launches a Ractor with one object. Data is dumped, as between processes, unless it is deeply
      # frozen.
      class Ractors
        # Runs blocks in fibers: threads in several Ractors may hang.
        module BackgroundFibers
          def self.run(&block) = Fiber.schedule { Deadline.replace(nil, &block) }

          def self.enter(server, &) = CancellationStack.enter(server, &)
        end

        # @raise [ConfigError]
        def self.check
          unless defined?(::Ractor)
            raise ConfigError, "actors on: :ractors need Ractors, which this Ruby does not have: " \
              "use on: :threads"
          end
        end

        # @param factory [ObjectFactory]
        def initialize(factory, core)
          @factory = factory
          @core = core
          @over = Thread::Queue.new
        end

        # @return [Array] sent to the Ractor for its object
        def arguments = @factory.arguments

        # @return [Connection]
        # @raise [NotShareable]
        def start(dispatcher)
          RactorCheck.of(@factory)
          # Inside a Ractor this would change Process while others call its methods.
          Fork.install
          trays = SharingCodec.trays
          @ractor, @writer = start_ractor(trays)
          transport = Transport.new(@ractor, @writer, dispatcher, @over, SharingCodec.new(*trays))
          Connection.new(transport, dispatcher)
        end

        def in_background(&) = BackgroundThreads.run(&)

        # Waits until the Ractor has ended by itself.
        def leave = @over.pop(timeout: Processes::GRACE)

        # Ends a Ractor that waits. One that computes cannot be stopped: it ends afterwards.
        def stop
          @writer&.close
          @ractor&.abandon
        end
        alias_method :abandon, :stop

        # Runs in the Ractor.
        # @param data [Array] see {Proxy.describe}
        # @param down [Integer] descriptor of the way there
        # @param up [Integer] of the way back
        # @param trays [Array] in the same order
        def self.serve(klass, data, down, up, trays)
          ::Thread.current.report_on_exception = false
          Executor::Ractors::Adapter.serve(up) do |writer|
            reader = Process::FramedPipe::Reader.new(::IO.for_fd(down, "rb"))
            Raffia.run(deadlock: :off, dump_on: :off) do
              codec = SharingCodec.new(*trays.reverse)
              transport = PipeTransport.new(reader, writer, codec)
              ObjectServer.new(data, transport, BackgroundFibers) { |core, *arguments|
                ObjectFactory.new(klass, *arguments, nil).build(core)
              }.run
            end
          end
        end

        private

        def start_ractor(trays)
          reader, writer = ::IO.pipe
          # From here on the descriptor belongs to the Ractor.
          reader.autoclose = false
          klass, data, down = @core.actor_class,
            Proxy.describe(@core, Node.current.tell_of(@core)), reader.fileno
          ractor = Executor::Ractors::Adapter.new do |up|
            Executor::Ractors::Adapter.start(klass, data, down, up, trays) do |*all|
              Ractors.serve(*all)
            end
          end
          [ractor, Process::FramedPipe::Writer.new(writer)]
        end

        # Carries frames to and from the Ractor.
        class Transport
          # @return [#dump, #load]
          attr_reader :codec

          def initialize(ractor, writer, dispatcher, over, codec)
            @ractor = ractor
            @writer = writer
            @dispatcher = dispatcher
            @over = over
            @codec = codec
          end

          # @return [String, nil]
          def read = @ractor.read

          def write(frame) = @writer.write(frame)

          # @return [WorkerDied]
          def reason
            @over.close
            message = @dispatcher.current
            WorkerDied.new("the Ractor of the actor has " \
              "ended#{" (it worked on #{message.inspect})" if message}", item: message&.inspect)
          end

          def close = @writer.close
        end
        private_constant :Transport
      end
    end
  end
end

require_relative "ractors/sharing_codec"
