# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Stands for the core of an actor on the other side of a connection.
      #
      # The actor itself checks methods and arguments, room in its mailbox, and cycles.
      class Proxy
        include Links

        attr_reader :id
        attr_reader :label

        # The data are those of {describe}. Without a connection the actor is gone.
        def initialize(data, connection)
          @id, @label, @class_name, @call_timeout = data
          @connection = connection
        end

        def self.describe(core, id)
          [id, core.label, core.class_name, core.call_timeout, core.via_uplink?]
        end

        attr_reader :class_name, :call_timeout

        def ref = @ref ||= Ref.new(self)

        # A forked child has none of its parent's connections but the one to it.
        def connection
          return @connection if @connection&.ours?

          (@connection && Node.current.uplink) or raise ActorDied.new(ref: ref, reason: :forked)
        end

        def known_status
          (@connection.nil? || (@connection.ours? && @connection.closed?)) ? :dead : :elsewhere
        end

        def call(name, arguments, keywords, block)
          plain(block)
          connection.ask(ref, :call, ref, name, arguments, keywords, deadline, RemoteMessage.number,
            limit: @call_timeout)
        end

        def tell(name, arguments, keywords, block)
          plain(block)
          connection.ask(ref, :tell, ref, name, arguments, keywords)
        end

        def ask(name, arguments, keywords, block)
          plain(block)
          Future.new.tap do |future|
            used = connection
            number = used.post(future, ref, :call, ref, name, arguments, keywords, deadline, nil)
            future.message = PendingRequest.new(used, number)
            future.on_end { |status, _| used.forget(number) if status == :cancelled }
          end
        end

        def request(name, arguments, keywords, block, reply, _parent = nil)
          plain(block)
          connection.post(reply, ref, :call, ref, name, arguments, keywords, Raffia.deadline,
            RemoteMessage.number)
        end

        def stop(reason) = query(:stop, false, reason)

        def kill(reason) = query(:kill, false, reason)

        def join(timeout = nil)
          known(self) { connection.ask(ref, :join, ref, limit: timeout) { return } && self }
        end

        def alive? = query(:alive?, false)

        def status = query(:status, :dead)

        def reason = query(:reason, nil)

        def stats = query(:stats, {status: :dead})

        def name = query(:name, nil)

        def actor_class
          @class_name && Object.const_get(@class_name)
        rescue NameError
          nil
        end

        def interface = actor_class ? Interface.of(actor_class) : AnyInterface

        # Interface of a class that is not loaded here: any method.
        module AnyInterface
          # Ruby itself calls these on any object, to dump or to convert it.
          CONVERSIONS = %i[marshal_dump to_ary to_a to_hash to_str to_sym to_int to_proc to_path
            to_io to_open to_regexp exception coerce].freeze
          private_constant :CONVERSIONS

          def self.include?(name) = !CONVERSIONS.include?(name)
        end

        def reachable? = !@connection.nil? && @connection.ours? && !@connection.closed?

        # Whether it is reached through the side that started this one.
        def via_uplink? = !@connection.nil? && connection.equal?(Node.current.uplink)

        # Passes on a request of a third side, which is answered from there.
        def pass(reply, op, *arguments) = connection.post(reply, ref, op, ref, *arguments)

        def invalidate_after_fork = nil

        private

        def query(op, otherwise, *arguments)
          known(otherwise) { connection.ask(ref, op, ref, *arguments) }
        end

        # Yields, or returns what holds for an actor that is out of reach.
        def known(otherwise)
          yield
        rescue ActorDied
          otherwise
        end

        def plain(block)
          if block
            raise NotDumpable, "a block cannot go to another process: hand in plain data, or " \
              "call a method of a ref's from there"
          end
        end

        def deadline = Deadline.nearer(@call_timeout)
      end
    end
  end
end
