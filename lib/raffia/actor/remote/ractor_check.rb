# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Checks that an actor's class can live in a Ractor: it reads the compiled methods for
      # constants and variables of the main Ractor alone. Ruby itself raises for the others at run
      # time.
      class RactorCheck < Executor::Ractors::OuterReferences
        def self.of(factory)
          klass = factory.actor_class
          if factory.block?
            raise NotShareable, "the block that #{klass} was spawned with cannot go to a Ractor: " \
              "hand in plain data, or spawn on: :processes"
          end
          return if checked.key?(klass)

          klass.ancestors.take_while { |owner| owner != Actor }
            .each { |owner| new(klass, owner).all }
          checked[klass] = true
        end

        def self.checked = RactorLocal.fetch(:raffia_actor_checked) { {}.compare_by_identity }
        private_class_method :checked

        def initialize(klass, owner)
          @klass = klass
          @owner = owner
          @trail = []
          @seen = {}
        end

        def all
          (@owner.instance_methods(false) + @owner.private_instance_methods(false)).each do |name|
            method(name)
          end
        end

        private

        def method(name)
          method = @owner.instance_method(name)
          code = method.source_location && Executor::Ractors::BlockCode.of(method) or return
          return if LIBRARIES.match?(method.source_location.first)

          @name = name
          refuse(name, "was made by define_method", "Define it with def") if code.block?
          check(code, Executor::Ractors::ConstantLookup.nesting(@owner))
        end

        def refuse(name, why, remedy)
          raise NotShareable.new("#{@klass} cannot live in a Ractor: its method #{@name} uses " \
            "#{name}, which #{why}. #{remedy}, or spawn on: :processes", variable: name.to_sym,
            location: @owner.instance_method(@name).source_location&.join(":"))
        end
      end
    end
  end
end
