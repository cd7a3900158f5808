# frozen_string_literal: true

require_relative "../../bytecode/identities"
require_relative "names"

module Raffia
  module Simulation
    module Strategy
      class Exhaustive < Fifo
        # Writes what a line or a call does into the footprint of the step that runs.
        # @api private
        class AccessRecorder
          # @param steps [Steps]
          def initialize(steps)
            @steps = steps
            @names = Names.new
            @identities = Bytecode::Identities.new
            @locals = {}.compare_by_identity
          end

          # The step has made the object, which gets a name.
          def made(object) = @names.made(object, @steps.path)

          # Records the line that a frame is in.
          def line(frame)
            frame&.segments&.each do |segment|
              segment.accesses.each do |access|
                key = key(access.variable, frame) or next
                add(key, access.write?)
              end
              segment.operations.each { |operation| operate(operation) }
            end
          end

          # Records a call of a method that `attr_accessor` has made.
          def attribute(object, variable, write)
            name = @names.of(object) or return
            add([name, variable], write)
          end

          # Records a call of a method in C; see {Effects}.
          def effect(effect, object)
            return if effect == :none
            return footprint.everything! if effect == :unknown
            key = @names.of(object) or return
            return footprint.read(key) if effect == :read
            footprint.write(key)
            footprint.write([:content, "Array"]) if ::Array === object
            footprint.write([:content, "String"]) if ::String === object
          end

          private

          def footprint = @steps.footprint

          def add(key, write) = write ? footprint.write(key) : footprint.read(key)

          # Instructions that touch the content of an Array, String or Hash without a call.
          def operate(operation)
            case operation
            when :splatarray, :concatarray, :expandarray then footprint.read([:content, "Array"])
            when :objtostring then footprint.read([:content, "String"])
            else footprint.everything!
            end
          end

          def key(variable, frame)
            case variable.kind
            when :instance then (name = @names.of(frame.object)) && [name, variable.name]
            when :local then local(variable, frame)
            else [variable.kind, variable.name]
            end
          end

          # Locals have the name of the frame that declares them, if their first use is there.
          def local(variable, frame)
            identity = @identities.of(variable, nil, frame.binding)
            @locals[identity] ||=
              if variable.level.zero? && !variable.parameter?
                [frame.name, variable.name]
              else
                [:local, variable.name]
              end
          end
        end
      end
    end
  end
end
