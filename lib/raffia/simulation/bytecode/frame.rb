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

        # @return [Code]
        attr_reader :code
        # The frame of the code around a block; nil when it is not known.
        attr_reader :parent
        # The Mutex or Monitor that is held for as long as this block runs; nil for others.
        attr_accessor :lock
        # File and line of the current segment.
        attr_reader :place

        # @param identities [Identities]
        # @param code [Code, nil]
        # @param parent [Frame, nil]
        def initialize(identities, code = nil, parent = nil)
          @identities = identities
          @code = code
          @parent = parent
          @segments = []
          @locals = {}
        end

        # @return [Identities::Identity] of a local that the code declares
        def local(name) = @locals[name] ||= Identities::Identity.new(:local, name, nil)

        # A line begins. The block gets each access that happens now: identity, whether it writes,
        # and the place.
        # @param trace [TracePoint]
        def begin(segments, trace, place, &)
          finish(&)
          @segments = segments.reject(&:empty?)
          return if @segments.empty?
          @object = trace.self
          @place = place
          @binding = trace.binding if @segments.any?(&:uncertain_locals?)
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
          @uncertain.each { |access| tell(access, current, &) if changed?(access.variable) }
          @segments.drop(1).each do |segment|
            segment.accesses.each do |access|
              tell(access, segment, &) if access.certain? || !access.write?
            end
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
            tell(access, current) { |*arguments| yield(*arguments) }
          end
        end

        # Locals of a frame that is not known are left out.
        def tell(access, segment)
          identity = identity(access.variable, segment.code) or return
          yield identity, access.write?, @place
        end

        def identity(variable, code)
          return @identities.of(variable, @object, nil) unless variable.kind == :local
          owner(code, variable.level)&.local(variable.name)
        end

        # The frame that declares a local. Rescues and ensures have no frame of their own.
        def owner(code, level)
          frame = self
          level.times do
            frame = frame.parent unless code.clause?
            code = code.parent
            return unless frame && code
          end
          frame
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
