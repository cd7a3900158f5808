# frozen_string_literal: true

require_relative "bytecode"
require_relative "preemption/loop_points"
require_relative "preemption/scope"

module Raffia
  module Simulation
    # Lets threads be switched where CRuby checks for interrupts: where a method or block returns,
    # and where a method in C does. The program's files only: see {Scope}.
    #
    # Ruby inlines some methods in C and switches nothing there; so those are left out
    # (insns.def: opt_plus and its like have no frame), and accessors of attr_reader, too.
    #
    # @api private
    class Preemption
      INLINED = %i[+ - * / % == != < <= > >= << [] []= length size empty? succ ! & | =~ min max
        nil? -@ frozen? class block_given?].freeze
      CORE = [::Integer, ::Float, ::String, ::Symbol, ::Array, ::Hash, ::NilClass, ::BasicObject,
        ::Kernel, ::Comparable, ::Class, ::Module, ::Object, ::Struct, ::Range].freeze
      # Classes that are remembered at a time.
      CLASSES = 500
      private_constant :INLINED, :CORE, :CLASSES

      def initialize(patterns)
        scope = Scope.new(patterns)
        # A file's paths are one String, and most events are the simulation's own.
        files = @files = ::Hash.new { |known, path| known[path] = scope.include?(path) }
          .compare_by_identity
        @switching = {}.compare_by_identity # class => {method => whether CRuby may switch there}
        @point = ::TracePoint.new(:return, :b_return, :c_return) do |point|
          at(point) if @threads && !@threads.busy && files[point.path]
        end
        @loops = LoopPoints.new(files) { branch } if Bytecode.available?
      end

      # A run begins. +program+: its block.
      def begin(world, program)
        @threads = world.thread_scheduler
        @loops&.begin(program)
      end

      # Sees the points of the calling real thread until {stop}. A program without a second thread
      # does without: the events would cost it four times its time. +fibers+: those that run or wait.
      def start(fibers)
        @loops&.start(fibers)
        @point.enable(target_thread: ::Thread.real_current) unless @point.enabled?
      end

      def stop
        @point.disable
        @loops&.stop
      end

      # Whether CRuby may switch threads at this event.
      def point?(trace)
        return false unless @files[trace.path]
        case trace.event
        when :return, :b_return then true
        when :c_return then switches?(trace.defined_class, trace.method_id)
        else false
        end
      end

      private

      # A loop goes on to its next round.
      def branch
        @threads.preempt if @threads && !@threads.busy && @threads.preemptible?
      end

      def at(point)
        return unless (threads = @threads).preemptible?
        return if point.event == :c_return && !switches?(point.defined_class, point.method_id)

        threads.preempt
      end

      # Runs may define classes of their own, such as those of a Struct.
      def switches?(owner, name)
        @switching.clear if @switching.size > CLASSES
        methods = (@switching[owner] ||= {})
        methods.fetch(name) { methods[name] = !inlined?(owner, name) }
      end

      def inlined?(owner, name)
        return true if INLINED.include?(name) && CORE.include?(owner)

        !owner.instance_method(name).source_location.nil?
      rescue ::NameError
        false
      end
    end
  end
end
