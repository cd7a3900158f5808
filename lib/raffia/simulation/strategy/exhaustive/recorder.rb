# frozen_string_literal: true

require_relative "../../bytecode"
require_relative "../../races/attributes"
require_relative "../../source_files"
require_relative "access_recorder"
require_relative "call_stacks"
require_relative "effects"
require_relative "steps"

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
          private_constant :EVENTS

          # @yieldreturn [SimulatedThread, nil] the thread that runs
          def initialize(&running)
            @running = running
            @bytecode = Bytecode.new
            @attributes = Races::Attributes.new
            # A file's paths are one String.
            @parts = Hash.new { |known, path| known[path] = part(path) }.compare_by_identity
            @trace = ::TracePoint.new(*EVENTS) do |trace|
              part = @parts[trace.path]
              next observe(trace, part == :internal) if part.nil? || part == :internal
              own(trace, part) unless part == :other
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
          def take = @steps.take

          private

          def reset
            @steps = Steps.new
            @accesses = AccessRecorder.new(@steps)
            @stacks = CallStacks.new
          end

          def part(path)
            SourceFiles.part(path) || (:internal if SourceFiles.internal?(path))
          end

          def observe(trace, internal)
            thread = @running.call or return
            return if internal && called_by_own?
            step(thread)
            event = trace.event
            case event
            when :line then line(trace)
            when :c_call then call(trace)
            when :c_return then @stacks.calls.pop
            else internal ? internal(trace, event) : frame(trace, event)
            end
          end

          # The simulation uses methods of core that are written in Ruby, too.
          def called_by_own?
            caller = caller_locations(4, 5)&.find { |one| !SourceFiles.internal?(one.path) }
            caller.nil? || SourceFiles.own?(caller.path)
          end

          # The thread goes on in a line that it was in before, and in calls of C.
          def step(thread)
            return unless @steps.enter(thread)
            @accesses.line(@stacks.frames.last)
            @stacks.calls.each { |effect, object| @accesses.effect(effect, object) if effect }
          end

          def line(trace)
            number = trace.lineno
            segments = @bytecode.codes_at(caller_locations(3, 1).first)
              .filter_map { |code| code.segments[number] }
            go_on(@stacks.frames.last || @stacks.push(@steps.path), segments, trace)
          end

          def go_on(frame, segments, trace)
            frame.segments = segments
            frame.object = trace.self
            frame.binding = trace.binding if segments.any?(&:locals?)
            @accesses.line(frame)
          end

          def frame(trace, event)
            if event == :call || event == :b_call
              make(trace) if event == :call
              codes = @bytecode.codes_at(caller_locations(3, 1).first)
              go_on(@stacks.push(@steps.path), codes.map(&:entry), trace)
            else
              @stacks.frames.pop
              @accesses.line(@stacks.frames.last)
            end
          end

          # A method of core that is written in Ruby counts as one in C.
          def internal(trace, event)
            case event
            when :call then call(trace)
            when :return then @stacks.calls.pop
            end
          end

          def make(trace)
            @accesses.made(trace.self) if trace.method_id.start_with?("initialize")
          end

          def call(trace)
            make(trace)
            owner = trace.defined_class
            name = trace.method_id
            variable = @attributes.variable(owner, name)
            return call_c(Effects.of(owner, name), trace.self) unless variable
            @stacks.calls << nil
            @accesses.attribute(trace.self, variable, name.end_with?("="))
          end

          def call_c(effect, object)
            @stacks.calls << [effect, object]
            @accesses.effect(effect, object)
          end

          # Calls of the simulation that mean something to others: a thread is made, begins, ends,
          # is waited for; a random number is drawn.
          def own(trace, part)
            event = trace.event
            return unless event == :call || event == :return
            thread = @running.call or return
            return core(trace, event, thread) if part == :core
            return own_thread(trace, event, thread) if part == :thread || part == :execution
            return unless event == :call && trace.method_id == :random
            step(thread)
            @steps.footprint.write([:random])
          end

          # The simulation stands between the program and a method of core.
          def core(trace, event, thread)
            step(thread)
            return @stacks.calls.pop if event == :return
            object = trace.self
            call_c(Effects.of_object(object, trace.method_id), object)
          end

          # Whether the program called the method, not the simulation.
          def asked? = !SourceFiles.own?(caller_locations(5, 1).first&.path.to_s)

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
            (action == :write) ? @steps.footprint.write(key) : @steps.footprint.read(key)
          end
        end
      end
    end
  end
end
