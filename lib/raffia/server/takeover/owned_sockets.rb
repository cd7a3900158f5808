# frozen_string_literal: true

require_relative "control_socket"
require_relative "descriptor_store"

module Raffia
  class Server
    module Takeover
      # All listening sockets of a server, which go from the old one to the new one: those of the
      # workers, of the metrics, and the control socket. Their files belong to one server at a time.
      #
      # @api private
      class OwnedSockets
        # `listening`: {Listen::Listeners} of the workers. `health`: nil, or the service of the
        # metrics address. `given`: a {Listen::SocketSet} of an earlier server.
        def initialize(listening, health, given)
          @listening = [listening, *health&.listening]
          @health = health
          @given = given
          @owned = false
        end

        # Child processes would keep it open after this one has left. Raises CannotListen.
        def open_control(options)
          @control = ControlSocket.open(options, @given)
            &.tap { |control| Fork.after_child { control.socket.close } }
        end

        # `notifier`: of the supervisor, which systemd hears.
        def notifier=(notifier)
          @store = DescriptorStore.new(notifier, @given)
        end

        # The {ControlSocket}, or nil.
        attr_reader :control

        # By key.
        def to_h
          all = @listening.map(&:sockets).reduce({}, :merge)
          @control ? all.merge(@control.key => @control.socket) : all
        end

        # Nobody else has them: their files are ours.
        def own
          @owned = true
          @listening.each(&:own)
          @control&.own
        end

        # The next server has these. It listens at the control socket, too.
        def disown(keys)
          @owned = false
          @listening.each { |one| one.disown(keys) }
          @store.keep(keys)
          @control&.disown if keys.include?(@control&.key)
          @control&.close
          @health&.stop
        end

        # Tells systemd what has changed.
        def store = (@store.update(to_h) if @owned)

        def serve_metrics = @handle ||= (Handle.new(@health) if @health)

        # After the supervisor's end.
        def close
          @control&.close
          @handle ? @handle.stop : @health&.listening&.close
        end
      end
    end
  end
end
