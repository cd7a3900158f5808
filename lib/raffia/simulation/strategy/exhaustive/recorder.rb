# frozen_string_literal: true

require_relative "../../bytecode"
require_relative "../../bytecode/identities"
require_relative "../../races/attributes"
require_relative "effects"
require_relative "footprint"
require_relative "names"

module Raffia
  module Simulation
    module Strategy
      class Exhaustive < Fifo
        # Records what each step of a run reads and writes.
        #
        # A line counts with all variables in it, once when it begins, and again when the thread
        # goes on in it after a call or a switch. C methods count as writes of their receiver
        # unless {Effects} knows better.
        # @api private
        class Recorder
          EVENTS = %i[line call b_call c_call return b_return c_return].freeze
          # Code of the simulation itself is no part of the program.
          OWN = File.expand_path("../..", __dir__)
          INTERNAL = "<internal:"
          # Its methods that stand for methods of core.
          CORE = File.join(OWN, "core_methods/")
          THREAD = File.join(OWN, "simulated_thread.rb")
          WORLD = File.join(OWN, "world.rb")
          # A frame of Ruby code: its name, and what it does in its current line.
          Frame = Struct.new(:name, :segments, :object, :binding)
          private_constant :EVENTS, :CORE, :OWN, :INTERNAL, :THREAD, :WORLD, :Frame

          # @yieldreturn [SimulatedThread, nil] the thread that runs
          def initialize(&running)
            @running = running
            @bytecode = Bytecode.new
            @attributes = Races::Attributes.new
            # A file's paths are one String.
            @own = Hash.new { |known, path| known[path] = own_file(path) }.compare_by_identity
            @trace = ::TracePoint.new(*EVENTS) do |trace|
              file = @own[trace.path]
              next observe(trace, file == :internal) if file.nil? || file == :internal
              own(trace, file) unless file == :other
            end
            reset
          end

          # Begins to watch the calling real thread for one run.
          def start
            reset
            @trace.enable(target_thread: ::Thread.current) unless @trace.enabled?
          end

          def stop = @trace.disable

          # @return [Array<Array(String, Footprint)>] the steps since the last call
          def take
            @current = nil
            steps = @steps
            @steps = []
            steps
          end

          private

          def reset
            @names = Names.new
            @identities = Bytecode::Identities.new
            @locals = {}.compare_by_identity
            @frames = {}.compare_by_identity
            @calls = {}.compare_by_identity
            @entered = Hash.new(0)
            @steps = []
            @current = nil
          end

          def own_file(path)
            case path
            when THREAD then :thread
            when WORLD then :world
            when /\A#{Regexp.escape(CORE)}/o then :core
            when /\A#{Regexp.escape(OWN)}/o then :other
            when /\A#{INTERNAL}/o then :internal
            end
          end

          def observe(trace, internal)
            thread = @running.call or return
            return if internal && called_by_own?
            step(thread)
            event = trace.event
            case event
            when :line then line(trace)
            when :c_call then call(trace)
            when :c_return then calls.pop
            else internal ? internal(trace, event) : frame(trace, event)
            end
          end

          # The thread goes on in a line that it was in before.
          def step(thread)
            return if @current.equal?(thread)
            @current = thread
            @path = thread.path
            # Others may raise in it or kill it at each of its steps.
            @steps << [@path, @footprint = Footprint.new(reads: [[:thread, @path]])]
            touch(frames.last)
            calls.each { |effect, object| effect(effect, object) if effect }
          end

          # Methods in C that have not returned: an iterator goes on, a wait ends.
          def calls = @calls[::Fiber.current] ||= []

          def frames = @frames[::Fiber.current] ||= []

          def internal?(path) = path.start_with?(INTERNAL)

          def line(trace)
            number = trace.lineno
            segments = @bytecode.codes_at(caller_locations(3, 1).first)
              .filter_map { |code| code.segments[number] }
            frames << Frame.new(name_frame) if frames.empty?
            go_on(frames.last, segments, trace)
          end

          def go_on(frame, segments, trace)
            frame.segments = segments
            frame.object = trace.self
            frame.binding = trace.binding if segments.any?(&:locals?)
            touch(frame)
          end

          def name_frame = [@path, @entered[@path] += 1]

          def frame(trace, event)
            if event == :call || event == :b_call
              make(trace) if event == :call
              frames << (frame = Frame.new(name_frame))
              go_on(frame, @bytecode.codes_at(caller_locations(3, 1).first).map(&:entry), trace)
            else
              frames.pop
              touch(frames.last)
            end
          end

          # The simulation uses methods of core that are written in Ruby, too.
          def called_by_own?
            caller = caller_locations(4, 5)&.find { |location| !internal?(location.path) }
            caller.nil? || own?(caller.path)
          end

          # A method of core that is written in Ruby counts as one in C.
          def internal(trace, event)
            case event
            when :call then call(trace)
            when :return then calls.pop
            end
          end

          def make(trace)
            @names.made(trace.self, @path) if trace.method_id.start_with?("initialize")
          end

          def touch(frame)
            frame&.segments&.each do |segment|
              segment.accesses.each do |access|
                key = key(access.variable, frame) or next
                access.write? ? @footprint.write(key) : @footprint.read(key)
              end
              segment.operations.each { |operation| operate(operation) }
            end
          end

          # Instructions that touch the content of an Array, String or Hash without a call.
          def operate(operation)
            case operation
            when :splatarray, :concatarray, :expandarray then @footprint.read([:content, "Array"])
            when :objtostring then @footprint.read([:content, "String"])
            else @footprint.everything!
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

          def call(trace)
            make(trace)
            owner = trace.defined_class
            name = trace.method_id
            if (variable = @attributes.variable(owner, name))
              calls << nil
              return attribute(trace.self, variable, name.end_with?("="))
            end
            effect = Effects.of(owner, name)
            calls << [effect, trace.self]
            effect(effect, trace.self)
          end

          def attribute(object, variable, write)
            name = @names.of(object) or return
            write ? @footprint.write([name, variable]) : @footprint.read([name, variable])
          end

          def effect(effect, object)
            return if effect == :none
            return @footprint.everything! if effect == :unknown
            key = @names.of(object) or return
            return @footprint.read(key) if effect == :read
            @footprint.write(key)
            @footprint.write([:content, "Array"]) if ::Array === object
            @footprint.write([:content, "String"]) if ::String === object
          end

          # Calls of the simulation that mean something to others: a thread is made, begins, ends,
          # is waited for; a random number is drawn.
          def own(trace, file)
            event = trace.event
            return unless event == :call || event == :return
            thread = @running.call or return
            return core(trace, event, thread) if file == :core
            return own_thread(trace, event, thread) if file == :thread
            return unless event == :call && trace.method_id == :random
            step(thread)
            @footprint.write([:random])
          end

          # The simulation stands between the program and a method of core.
          def core(trace, event, thread)
            step(thread)
            return calls.pop if event == :return
            object = trace.self
            effect = Effects.of_object(object, trace.method_id)
            calls << [effect, object]
            effect(effect, object)
          end

          # Whether the program called the method, not the simulation.
          def asked? = !own?(caller_locations(5, 1).first&.path.to_s)

          def own?(path) = path.start_with?(OWN)

          def own_thread(trace, event, thread)
            action =
              case trace.method_id
              when :initialize then :write if event == :return
              when :execute then :read if event == :call
              when :alive?, :status, :stop? then :read if event == :call && asked?
              when :join, :value then :read if event == :return
              when :finish, :raise, :kill, :wakeup then :write if event == :call
              end
            return unless action
            step(thread)
            key = [:thread, trace.self.path]
            (action == :write) ? @footprint.write(key) : @footprint.read(key)
          end
        end
      end
    end
  end
end
