# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Stands for the actor that has a name in another process at the time of each call.
      class NamedProxy
        include Proxy::Links

        attr_reader :id
        attr_reader :name

        def initialize(address, name)
          @address = address
          @name = name
          @id = :"#{address}##{name}"
          @found = nil
          @watches = {}.compare_by_identity
        end

        def ref = @ref ||= Ref.new(self)

        def label = "#{@name.inspect} at #{@address}"

        def known_status = :elsewhere

        def call(...) = through { |core| core.call(...) }

        def tell(...) = through { |core| core.tell(...) }

        def ask(...) = through { |core| core.ask(...) }

        def request(...) = through { |core| core.request(...) }

        def via_uplink? = false

        def pass(...) = through { |core| core.pass(...) }

        def watch(&block)
          notify = lambda do |_, reason|
            @watches.delete(block)
            block.call(ref, reason)
          end
          through do |core|
            @watches[block] = [notify, core] # before: it may be called at once
            core.watch(&notify)
          end
          block
        rescue Exception # standard:disable Lint/RescueException
          @watches.delete(block)
          raise
        end

        def unwatch(block)
          notify, core = @watches.delete(block)
          core&.unwatch(notify)
        end

        # An exit of this process ends nobody in the other.
        def linked_exit(other, _reason) = delete_link(other)

        def stop(reason, **) = through { |core| core.stop(reason) }

        def kill(reason, **) = through { |core| core.kill(reason) }

        def join(timeout = nil) = known(self) { |core| self if core.join(timeout) }

        def alive? = known(false, &:alive?)

        def status = known(:dead, &:status)

        def reason = known(nil, &:reason)

        def stats = known({status: :dead}, &:stats)

        def actor_class = known(nil, &:actor_class)

        def class_name = @found&.class_name

        def call_timeout = @found&.call_timeout

        def interface = known(Proxy::AnyInterface, &:interface)

        private

        def through
          yield found
        rescue ActorDied
          @found = nil
          raise
        end

        def known(otherwise, &)
          through(&)
        rescue ActorDied
          otherwise
        end

        def found
          core = @found
          return core if core&.reachable?

          connection = ConnectionPool.current.connection(@address)
          @found = connection.ask(ref, :lookup, @name)&.raffia_core
          return @found if @found

          raise ActorDied.new("no actor named #{@name.inspect} lives at #{@address}", ref: ref,
            reason: :unknown)
        rescue SystemCallError, Rejected, TimeoutError => error
          raise ActorDied.new("#{label} cannot be reached: #{error.message}", ref: ref,
            reason: error)
        end
      end
    end
  end
end
