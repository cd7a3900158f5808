# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # A Ractor with one object. What goes to and fro is dumped, as between processes, but for what
      # is deeply frozen, and what the class itself refers to.
      #
      # @api private
      class Ractors
        # Runs blocks beside what the running fiber does. Threads in several Ractors may hang.
        #
        # @api private
        module Beside
          # @return [void]
          def self.call(&block) = Fiber.schedule { Deadline.replace(nil, &block) }

          # @yieldparam region [#cancel]
          def self.enter(service, &) = CancellationStack.enter(service, &)
        end

        # @raise [ConfigError]
        def self.check
          unless defined?(::Ractor)
            raise ConfigError, "actors on: :ractors need Ractors, which this Ruby does not have: " \
              "use on: :threads"
          end
        end

        # @param factory [ObjectFactory]
        # @param core [ActorCore]
        def initialize(factory, core)
          @factory = factory
          @core = core
          @over = Thread::Queue.new
        end

        # @return [Array] what the Ractor is sent to make its object of
        def arguments = @factory.arguments

        # @param desk [Desk]
        # @return [Line]
        # @raise [NotShareable]
        def start(desk)
          RactorCheck.of(@factory)
          # Used first in a Ractor, it would change Process while others call methods of it.
          Fork.install
          trays = Lending.trays
          @ractor, @writer = start_ractor(trays)
          Line.new(Wire.new(@ractor, @writer, desk, @over, Lending.new(*trays)), desk)
        end

        # @return [void]
        def beside(&) = Processes::Beside.call(&)

        # It leaves by itself.
        # @return [void]
        def leave = @over.pop(timeout: Processes::PATIENCE)

        # Where it waits it ends. One that computes is left alone with that: nobody can stop it.
        # When it has done it finds nobody there, and ends.
        # @return [void]
        def stop
          @writer&.close
          @ractor&.abandon
        end
        alias_method :abandon, :stop

        # In the Ractor.
        # @param data [Array] see {Distant.describe}
        # @param down [Integer] descriptor of the way there
        # @param up [Integer] of the way back
        # @param trays [Array] in the same order
        # @return [void]
        def self.serve(klass, data, down, up, trays)
          ::Thread.current.report_on_exception = false
          Executor::Ractors::Adapter.serve(up) do |writer|
            reader = Process::FramedPipe::Reader.new(::IO.for_fd(down, "rb"))
            Raffia.run(deadlock: :off, dump_on: :off) do
              Service.new(data, Pipes.new(reader, writer, Lending.new(*trays.reverse)),
                Beside) { |inner, *parts| ObjectFactory.new(klass, *parts, nil).build(inner) }.run
            end
          end
        end

        private

        def start_ractor(trays)
          reader, writer = ::IO.pipe
          # From here on the number belongs to the Ractor.
          reader.autoclose = false
          klass, data, down = @core.actor_class,
            Distant.describe(@core, Node.current.tell_of(@core)), reader.fileno
          ractor = Executor::Ractors::Adapter.new do |up|
            Executor::Ractors::Adapter.start(klass, data, down, up, trays) { |*all| Ractors.serve(*all) }
          end
          [ractor, Process::FramedPipe::Writer.new(writer)]
        end

        # What the line sees of the Ractor.
        #
        # @api private
        class Wire
          # @return [#dump, #load]
          attr_reader :codec

          def initialize(ractor, writer, desk, over, codec)
            @ractor = ractor
            @writer = writer
            @desk = desk
            @over = over
            @codec = codec
          end

          # @return [String, nil]
          def read = @ractor.read

          # @return [Boolean]
          def write(frame) = @writer.write(frame)

          # @return [WorkerDied]
          def reason
            @over.close
            work = @desk.work
            WorkerDied.new("the Ractor of the actor has " \
              "ended#{" (it worked on #{work.inspect})" if work}", item: work&.inspect)
          end

          # @return [void]
          def close = @writer.close
        end
        private_constant :Wire
      end
    end
  end
end

require_relative "ractors/lending"
