# frozen_string_literal: true

require "objspace"
require_relative "../../executor/ractors/outer_references"
require_relative "plain_data"

module Raffia
  class Server
    module Ractors
      # Freezes what an application's gems left unfrozen: plain data in constants and module
      # variables, and blocks of define_method. Otherwise only the main Ractor could use them.
      #
      # Runs before Ractors start, in a process that serves from Ractors alone. A gem that writes to
      # such data gets a FrozenError instead of a Ractor::IsolationError.
      #
      # @api private
      class GemFreezer
        GEM = Executor::Ractors::OuterReferences::LIBRARIES

        # Names of frozen objects, such as "Rack::Utils::HTTP_STATUS_CODES".
        attr_reader :prepared

        def initialize
          @prepared = []
          @seen = {}.compare_by_identity
        end

        def prepare(classes)
          modules = classes.flat_map(&:ancestors).uniq.select { |mod| gem?(mod) }
            .filter_map { |mod| root(mod) }
          [*(::Rack if defined?(::Rack)), *modules].uniq.each { |mod| freeze_all(mod) }
          classes.each do |mod|
            freeze_all(mod, deep: false) if mod.ancestors.any? { |ancestor| gem?(ancestor) }
          end
          self
        end

        private

        def gem?(mod)
          file = mod.name && ::Object.const_source_location(mod.name)&.first
          file.to_s.include?("/gems/")
        rescue ::NameError
          false
        end

        def root(mod) = ::Object.const_get(mod.name[/\A\w+/])

        # `deep`: freeze its constants, too.
        def freeze_all(mod, deep: true)
          return if @seen.key?(mod)

          @seen[mod] = true
          constants(mod, deep)
          mod.instance_variables.each do |name|
            make_shareable("#{mod}.#{name}", mod.instance_variable_get(name))
          end
          [mod, mod.singleton_class].each { |owner| blocks(owner) }
        end

        # Loads Rack's autoloads, because Ractors cannot.
        def constants(mod, deep)
          mod.constants(false).each do |name|
            next if mod.autoload?(name) && !mod.name.start_with?("Rack")

            value = mod.const_get(name)
            # Not is_a?, which proxies forward to another object.
            inner = ::Module === value && value.name.to_s.start_with?("#{mod.name}::")
            inner ? freeze_all(value, deep:) : (make_shareable("#{mod}::#{name}", value) if deep)
          rescue ::StandardError, ::ScriptError
            nil # an autoload of a gem that is not installed
          end
        end

        def make_shareable(name, value)
          return if ::Ractor.shareable?(value) || !PlainData.all?(value)

          ::Ractor.make_shareable(value)
          @prepared << name
        rescue
          nil # it stays as it was
        end

        # Only ObjectSpace finds blocks of define_method.
        def blocks(owner, held = owner, depth = 0)
          ::ObjectSpace.reachable_objects_from(held)&.each do |object|
            if object.is_a?(::Proc) then method_of(owner, object)
            elsif depth < 3 && object.is_a?(::ObjectSpace::InternalObjectWrapper) &&
                object.type == :T_IMEMO && !@seen.key?(object.internal_object_id)
              @seen[object.internal_object_id] = true
              blocks(owner, object, depth + 1)
            end
          end
        end

        def method_of(owner, block)
          # A later call raises.
          return if ::Ractor.shareable?(block) || !PlainData.share(block)

          @prepared << "a method of #{owner} at #{block.source_location&.join(":")}"
        end
      end
    end
  end
end
