# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # A forked child with one object. What the object is made of is in the child already, and is
      # not sent.
      #
      # @api private
      class Processes
        # Seconds that a child may take to leave when it has nothing left to do.
        PATIENCE = 5

        # Runs blocks beside what the running thread does.
        #
        # @api private
        module Beside
          # Lines that can be served at a time, each by a thread that waits for what comes.
          MOST = 10_000
          # Seconds that such a thread stays for the next line.
          IDLE = 0.05

          # It is signals that break off what a child does.
          # @yieldparam region [nil]
          def self.enter(_service) = yield(nil)

          # @return [void]
          def self.call(&)
            pool = RactorLocal.fetch(:raffia_actor_lines) do
              Pool.new(on: :threads, workers: MOST, idle: IDLE)
            end
            Deadline.replace(nil) { pool.submit(&) }
          end
        end

        # @raise [ConfigError]
        def self.check
          unless ::Process.respond_to?(:fork)
            raise ConfigError, "actors on: :processes need fork, which this Ruby does not have: " \
              "use on: :threads"
          end
        end

        # @param factory [ObjectFactory]
        # @param core [ActorCore]
        def initialize(factory, core)
          @factory = factory
          @core = core
        end

        # @return [Array] what the child is sent to make its object of
        def arguments = []

        # @param desk [Desk]
        # @return [Line]
        def start(desk)
          node = Node.current
          data = Distant.describe(@core, node.tell_of(@core))
          child = Child.new(node.id, data, @factory)
          @worker = Process::Worker.new { |link| child.run(link) }
          @line = Line.new(Wire.new(@worker, @core, desk), desk)
        end

        # @return [void]
        def beside(&) = Beside.call(&)

        # It leaves by itself.
        # @return [void]
        def leave = @worker.exit(PATIENCE)

        # It leaves now, if it has not.
        # @return [void]
        def stop = @worker&.halt

        # The same, without waiting for it.
        # @return [void]
        def abandon = @worker&.dismiss

        # What the line sees of the child.
        #
        # @api private
        class Wire
          # @return [#dump, #load]
          attr_reader :codec

          def initialize(worker, core, desk)
            @worker = worker
            @core = core
            @desk = desk
            @codec = Executor::Processes::PayloadCodec.new(worker.payloads)
          end

          # @return [String, nil]
          def read = @worker.read

          # @return [Boolean]
          def write(frame) = @worker.write(frame)

          # @return [WorkerDied]
          def reason
            how = @worker.exit(1) || @worker.kill
            work = @desk.work
            died = WorkerDied.new(pid: how.pid, signal: how.signal, status: how.status)
            return died unless work

            WorkerDied.new("#{died.message} (it worked on #{work.inspect})", pid: how.pid,
              signal: how.signal, status: how.status, item: work.inspect)
          end

          # @return [void]
          def close = @worker.dismiss
        end
        private_constant :Wire

        # In the child.
        #
        # @api private
        class Child
          # @param parent [String] the parent's node
          def initialize(parent, data, factory)
            @parent = parent
            @data = data
            @factory = factory
          end

          # @param link [Process::WorkerConnection]
          # @return [void]
          def run(link)
            pipes = Pipes.new(link.reader, link.writer, Executor::Processes::PayloadCodec.new(link.payloads))
            factory = @factory
            service = Service.new(@data, pipes, Beside) { |inner| factory.build(inner) }
            adopt(service.line)
            service.run
          rescue SystemExit => error
            [$stdout, $stderr].each(&:flush)
            ::Process.exit!(error.status)
          end

          private

          # The refs that were inherited mean what they meant in the parent.
          def adopt(line)
            Household.forked.each do |core|
              name = :"#{@parent}/#{core.id}"
              known = Node.current.find(name) || Distant.new(Distant.describe(core, name), line)
              Node.current.know(name, known)
              core.ref.raffia_move(known)
            end
            Household.forked.clear
          end
        end
        private_constant :Child
      end
    end
  end
end
