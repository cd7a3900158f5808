# frozen_string_literal: true

require "objspace"
require_relative "../../executor/ractors/outer_references"
require_relative "plain_data"

module Raffia
  class Server
    module Ractors
      # Freezes what an application's gems did not freeze: plain data in their constants and module
      # variables, and blocks that are methods. Only the main Ractor could use them otherwise, and
      # no application can change its gems.
      #
      # Runs once, before Ractors start, in a process that serves from Ractors alone. A gem that
      # writes to such data gets a FrozenError, where it would have got a Ractor::IsolationError.
      #
      # @api private
      class GemFreezer
        GEM = Executor::Ractors::OuterReferences::LIBRARIES

        # @return [Array<String>] what was frozen, such as "Rack::Utils::HTTP_STATUS_CODES"
        attr_reader :prepared

        def initialize
          @prepared = []
          @seen = {}.compare_by_identity
        end

        # @param classes [Array<Module>] of the application and its middlewares
        def prepare(classes)
          rooms = classes.flat_map(&:ancestors).uniq.select { |room| gem?(room) }
            .filter_map { |room| top(room) }
          [*(::Rack if defined?(::Rack)), *rooms].uniq.each { |room| all(room) }
          classes.each do |room|
            all(room, deep: false) if room.ancestors.any? { |ancestor| gem?(ancestor) }
          end
          self
        end

        private

        def gem?(room)
          file = room.name && ::Object.const_source_location(room.name)&.first
          file.to_s.include?("/gems/")
        rescue ::NameError
          false
        end

        def top(room) = ::Object.const_get(room.name[/\A\w+/])

        # @param deep [Boolean] whether to freeze its constants, too
        def all(room, deep: true)
          return if @seen.key?(room)

          @seen[room] = true
          constants(room, deep)
          room.instance_variables.each do |name|
            ready("#{room}.#{name}", room.instance_variable_get(name))
          end
          [room, room.singleton_class].each { |owner| blocks(owner) }
        end

        # Loads what Rack autoloads, because a Ractor could not.
        def constants(room, deep)
          room.constants(false).each do |name|
            next if room.autoload?(name) && !room.name.start_with?("Rack")

            value = room.const_get(name)
            # what is_a? says of a proxy is another's
            inner = ::Module === value && value.name.to_s.start_with?("#{room.name}::")
            inner ? all(value, deep:) : (ready("#{room}::#{name}", value) if deep)
          rescue ::StandardError, ::ScriptError
            nil # something that is not installed: then nobody uses it
          end
        end

        def ready(name, value)
          return if ::Ractor.shareable?(value) || !PlainData.all?(value)

          ::Ractor.make_shareable(value)
          @prepared << name
        rescue
          nil # it stays as it was
        end

        # Blocks of define_method. Only ObjectSpace finds them.
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
          # whoever calls it then hears of it
          return if ::Ractor.shareable?(block) || !PlainData.share(block)

          @prepared << "a method of #{owner} at #{block.source_location&.join(":")}"
        end
      end
    end
  end
end
