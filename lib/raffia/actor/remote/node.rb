# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # This process or Ractor for others: its unique id, and the actors that others know. It does
      # not keep these alive.
      class Node
        def self.current = RactorLocal.fetch(:raffia_actor_node) { new }

        attr_reader :id
        attr_accessor :uplink

        def initialize
          renew
          Fork.after_child { renew }
        end

        # The name of an actor everywhere, a Symbol.
        def name(core) = core.id.is_a?(Symbol) ? core.id : :"#{@id}/#{core.id}"

        # Like {name}; from now on {find} knows it.
        def register(core) = name(core).tap { |name| bind(name, core) }

        def bind(name, core) = @cores[key(name)] = core

        def find(name) = @cores[key(name)] || (find_here(key(name)) if mine?(name))

        def mine?(name) = name.start_with?(@id)

        # The ref of the actor that was given this name, here or on the side that started this one.
        def lookup(name) = Registry.current[name] || @uplink&.ask(nil, :lookup, name)

        private

        # A forked child has actors' names from its parent.
        def find_here(number)
          ActorGroup.all.each do |group|
            group.cores.each { |core| return @cores[number] = core if core.id == number }
          end
          nil
        end

        # Its keys are compared by identity: Integers, and the Symbol that the core itself holds.
        def key(name) = mine?(name) ? name.to_s.delete_prefix(@id).delete_prefix("/").to_i : name

        def renew
          @id = Random.urandom(6).unpack1("H*")
          @cores = ObjectSpace::WeakMap.new
          @uplink = nil
        end
      end
    end
  end
end
