# frozen_string_literal: true

module Celluloid
  module Supervision
    class Container
      # A kind of supervision that a key of the configuration asks for, such as `supervise:` for a
      # tree.
      module Behavior
        module Error
          class Mutant < Celluloid::Error; end
        end

        # @api private
        class Known
          def self.current = ::Raffia::RactorLocal.fetch(:raffia_celluloid_behaviors) { new }

          attr_reader :by_key
          attr_reader :injections

          def initialize
            @by_key = {}
            @injections = Hash.new { |all, behavior| all[behavior] = {} }
          end
        end

        class << self
          def included(klass) = klass.extend(ClassMethods)

          def injections = Known.current.injections

          def [](key) = Known.current.by_key[key]

          def []=(key, behavior)
            Known.current.by_key[key] = behavior
          end

          # The name by which these options ask for it, or nil. Raises Error::Mutant when they do so
          # twice.
          def parameter(key, options)
            names = [key,
              *Configuration.aliases.select { |_, original| original == key }.keys].select do |name|
                options.key?(name)
              end
            if names.size > 1
              raise Error::Mutant, "More than one kind of identifiable behavior parameter."
            end

            names.first
          end

          # A Proc that makes of a configuration what this kind of supervision needs.
          def configure(options)
            wanted = Known.current.by_key.select { |key, _| parameter(key, options) }.values
            raise Error::Mutant, "More than one type of behavior expected." if wanted.size > 1

            behavior = wanted.first
            injection = behavior && injections[behavior][:configuration]
            options[:behavior] ||= behavior if injection
            options[:type] ||= behavior if behavior
            injection || ->(configuration) { configuration }
          end
        end

        module ClassMethods
          def identifier!(key, *names)
            Behavior[key] = self
            Configuration.parameter!(:plugins, key)
            names.each { |name| Configuration.alias!(name, key) }
            Configuration.save_defaults
          end

          def behavior_injections = Behavior.injections[self]

          Configuration::INJECTIONS.each do |point|
            define_method(point) { |&code| behavior_injections[point] = code }
          end
        end
      end
    end
  end
end
