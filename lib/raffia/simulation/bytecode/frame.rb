# frozen_string_literal: true

module Raffia
  module Simulation
    class Bytecode
      # A method or block that runs, and how far it has come in the segment of its current line.
      #
      # The accesses of a segment are reported in three parts, because other threads may run within
      # each call: those before the first call at once, those between calls at the next call, the
      # rest at the next line.
      # @api private
      class Frame
        GET = ::Kernel.instance_method(:instance_variable_get)
        private_constant :GET

        # The Mutex or Monitor that is held for as long as this block runs; nil for others.
        attr_accessor :lock
        # File and line of the current segment.
        attr_reader :place

        # @param identities [Identities]
        def initialize(identities)
          @identities = identities
          @segments = []
          @known = {}
        end

        # A line begins. The block gets each access that happens now: identity, whether it writes,
        # and the place.
        # @param trace [TracePoint]
        def begin(segments, trace, place, &)
          finish(&)
          @segments = segments.reject(&:empty?)
          return if @segments.empty?
          @object = trace.self
          @place = place
          @binding = trace.binding if @segments.any?(&:locals?)
          @calls = @reported = 0
          @uncertain = []
          @before = before_uncertain_writes
          report(0, &)
        end

        # The frame calls a method, or yields (nil).
        def call(name, &)
          return if @segments.empty?
          index = current.calls.index.with_index { |called, at| at >= @calls && called == name }
          return unless index
          @calls = index + 1
          report(index, &)
        end

        # The frame comes to its next line, or ends.
        def finish(&)
          return if @segments.empty?
          report(nil, &)
          @uncertain.each { |access| tell(access, &) if changed?(access.variable) }
          @segments.drop(1).each do |segment|
            segment.accesses.each { |access| tell(access, &) if access.certain? || !access.write? }
          end
          @segments = []
        end

        private

        def current = @segments.first

        # Accesses that stand before the call of this number; nil: all.
        def report(calls)
          while (access = current.accesses[@reported]) && (calls.nil? || access.calls <= calls)
            @reported += 1
            next @uncertain << access if access.write? && !access.certain?
            tell(access) { |*arguments| yield(*arguments) }
          end
        end

        def tell(access)
          yield identity(access.variable), access.write?, @place
        end

        def identity(variable)
          return @identities.of(variable, @object, nil) unless variable.kind == :local
          @known[variable.name] ||= @identities.of(variable, @object, @binding)
        end

        def before_uncertain_writes
          current.uncertain_writes.to_h { |variable| [variable, value(variable)] }
        end

        # A branch may have gone around the write: it has happened if the value is another one.
        def changed?(variable)
          @before.key?(variable) && !value(variable).equal?(@before[variable])
        end

        def value(variable)
          case variable.kind
          when :instance then GET.bind_call(@object, variable.name)
          when :local then @binding.local_variable_get(variable.name)
          end
        end
      end
    end
  end
end
