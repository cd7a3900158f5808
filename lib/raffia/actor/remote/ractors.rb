# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Launches objects in Ractors. Data is dumped, as between processes, unless it is deeply
      # frozen.
      module Ractors
        # Runs blocks in fibers: threads in several Ractors may hang.
        module BackgroundFibers
          def self.run(&block) = Fiber.schedule { Deadline.replace(nil, &block) }

          def self.enter(server, &) = CancellationStack.enter(server, &)
        end

        module_function

        def check
          return if defined?(::Ractor)

          raise ConfigError, "actors on: :ractors need Ractors, which this Ruby does not have: " \
            "use on: :threads"
        end

        # Arguments that the Ractor gets for its object.
        def arguments(factory) = factory.arguments

        # Raises NotShareable.
        def start(factory, core)
          RactorCheck.of(factory)
          data = Proxy.describe(core, Node.current.register(core))
          Executor::Ractors::DuplexWorker.new(Ractors, factory.actor_class, data)
        end

        # In the Ractor.
        def serve(transport, klass, data)
          ::Thread.current.report_on_exception = false
          Raffia.run(deadlock: :off, dump_on: :off) do
            server = ObjectServer.new(data, transport, BackgroundFibers) do |core, *arguments|
              ObjectFactory.new(klass, *arguments, nil).build(core)
            end
            server.run
          end
        end
      end
    end
  end
end
