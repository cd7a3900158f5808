# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Launches objects in forked children, which have their factories from the parent.
      module Processes
        module_function

        def check
          return if ::Process.respond_to?(:fork)

          raise ConfigError, "actors on: :processes need fork, which this Ruby does not have: " \
            "use on: :threads"
        end

        # Arguments that the child gets for its object.
        def arguments(_factory) = []

        def start(factory, core)
          node = Node.current
          data = Proxy.describe(core, node.register(core))
          parent = node.id
          Executor::Processes::DuplexWorker.new { |link| serve(link, factory, data, parent) }
        end

        # In the child.
        def serve(transport, factory, data, parent)
          server = ObjectServer.new(data, transport, BackgroundThreads) do |core|
            factory.build(core)
          end
          redirect_refs(parent, server.connection)
          server.run
        rescue SystemExit => error
          [$stdout, $stderr].each(&:flush)
          ::Process.exit!(error.status)
        end

        # Refs from before the fork go on referring to the parent's actors.
        def redirect_refs(parent, connection)
          ActorGroup.forked.each do |core|
            name = :"#{parent}/#{core.id}"
            known = Node.current.find(name) || Proxy.new(Proxy.describe(core, name), connection)
            Node.current.bind(name, known)
            core.ref.raffia_move(known)
          end
          ActorGroup.forked.clear
        end
      end
    end
  end
end
