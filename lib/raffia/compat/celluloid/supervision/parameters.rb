# frozen_string_literal: true

module Celluloid
  module Supervision
    class Configuration
      module Error
        class AlreadyDefined < Celluloid::Error; end

        class InvalidSupervisor < Celluloid::Error; end

        class InvalidValues < Celluloid::Error; end

        class Incomplete < Celluloid::Error; end

        class Invalid < Celluloid::Error; end
      end

      INJECTIONS = %i[configuration before_initialization after_initialization before_start
        before_restart].freeze
      REMOVE_AT_EXPORT = %i[configuration behavior].freeze

      # Parameters of configurations; plugins add to them.
      class Parameters
        def self.current = ::Raffia::RactorLocal.fetch(:raffia_celluloid_parameters) { new }

        attr_reader :aliases, :arity

        def initialize
          @kinds = {mandatory: %i[type], optional: %i[as args block max_restarts period],
                    plugins: [], meta: %i[registry branch method]}
          @aliases = {name: :as, kind: :type}
          @arity = {type: :args}
          save
        end

        def [](kind) = @kinds.fetch(kind)

        def save = @saved = [@kinds.transform_values(&:dup), @aliases.dup, @arity.dup]

        def restore
          kinds, aliases, arity = @saved
          @kinds, @aliases, @arity = kinds.transform_values(&:dup), aliases.dup, arity.dup
        end
      end

      class << self
        def save_defaults = known.save

        def resync_parameters = known.restore

        def parameters(*kinds) = kinds.flat_map { |kind| known[kind] }

        def parameter!(kind, name) = known[kind].include?(name) || known[kind].push(name)

        def arity = known.arity

        def arity!(name, arguments) = arity[name] = arguments

        def aliases = known.aliases

        def alias!(name, original) = aliases[name] = original

        private

        def known = Parameters.current
      end

      # Readers and writers for all known parameters: NAME, NAME?, NAME=, NAME!.
      module Accessors
        def resync_accessors
          names = Configuration.parameters(:mandatory, :optional, :plugins, :meta)
            .to_h { |name| [name, name] }
          names.merge(Configuration.aliases)
            .each { |name, original| define_accessors(name, original) }
          true
        end

        private

        def define_accessors(name, original)
          owner = self.class
          owner.define_method(name) { get(original) }
          owner.define_method(:"#{name}?") { !get(original).nil? }
          owner.define_method(:"#{name}=") { |value| set(original, value) }
          owner.define_method(:"#{name}!") { |value| set(original, value) }
        end
      end
    end
  end
end
