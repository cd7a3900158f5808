# frozen_string_literal: true

require_relative "interrupts"
require_relative "thread_completion"
require_relative "thread_execution"
require_relative "thread_locals"
require_relative "thread_wait"
require "zlib"

module Raffia
  module Simulation
    # A thread of a world: a fiber that the world switches to, with the interface of ::Thread.
    #
    # `Thread === thread` and `thread.is_a?(Thread)` are true. Methods that only the VM can offer
    # (`backtrace` of a running thread, `native_thread_id`) answer as well as they can.
    #
    # @api private
    class SimulatedThread
      # @api private
      attr_reader :world, :path, :main_fiber, :code, :interrupts, :completion, :execution, :wait,
        :starter, :origin
      # `fiber`: where it continues. `scheduler`: its own Fiber scheduler.
      # @api private
      attr_accessor :fiber, :scheduler, :priority, :host, :daemon, :name, :timed_out, :relocking
      attr_accessor :report_on_exception, :abort_on_exception, :group

      # @api private
      def initialize(world, path, arguments, daemon: false, &block)
        @world = world
        @path = path
        @code = Zlib.crc32(path)
        @daemon = daemon
        @starter = world.running
        @origin = block.source_location&.join(":")
        @host = @starter&.host
        @interrupts = Interrupts.new(world, self)
        @completion = ThreadCompletion.new(world, self)
        @locals = ThreadLocals.new
        @children = 0
        @report_on_exception = true
        @abort_on_exception = false
        @group = nil
        @execution = ThreadExecution.new(world, self, arguments, &block)
        @main_fiber = @fiber = @execution.fiber
      end

      # @api private
      def next_path = "#{@path}/#{@children += 1}"

      # @return [Boolean]
      def alive? = !@completion.reached?

      # @return [Boolean]
      def stop? = !alive? || !@wait.nil?

      # @return [String, false, nil] "run", "sleep", "aborting"; false: ended; nil: ended by an
      #   error
      def status
        return (error ? nil : false) unless alive?
        return "aborting" if @interrupts.killed?

        @wait ? "sleep" : "run"
      end

      # @param limit [Numeric, nil] seconds
      # @return [SimulatedThread, nil] nil: it was still alive
      # @raise [Exception] the error that ended it
      def join(limit = nil)
        if equal?(@world.running) || @main_fiber.equal?(::Fiber.current)
          ::Kernel.raise ::ThreadError, "Target thread must not be current thread"
        end

        self if @completion.await(limit)
      end

      # @return [Object] the block's value
      # @raise [Exception] the error that ended it
      def value
        join
        @completion.value
      end

      # Raises an exception in the thread, where the mask of Thread.handle_interrupt allows it.
      # @return [nil]
      def raise(...)
        @interrupts.raise(Interrupts.exception(...)) if alive?
      end

      # @return [SimulatedThread]
      def kill
        @interrupts.raise(Interrupts::KILL) if alive?
        self
      end
      alias_method :exit, :kill
      alias_method :terminate, :kill

      # Ends the thread's sleep.
      # @return [SimulatedThread]
      # @raise [ThreadError] it has ended
      def wakeup
        ::Kernel.raise ::ThreadError, "killed thread" unless alive?

        @world.thread_scheduler.wake(self, :woken) if @wait&.reason == :sleep
        self
      end

      def run = wakeup.tap { @world.thread_scheduler.pass }

      def [](key) = fiber_locals[key.to_sym]

      def []=(key, value)
        ThreadLocals.assign(fiber_locals, key, value)
      end

      def key?(key) = fiber_locals.key?(key.to_sym)

      def keys = fiber_locals.keys

      def fetch(key, ...) = fiber_locals.fetch(key.to_sym, ...)

      def thread_variable_get(key) = @locals.variables[key.to_sym]

      def thread_variable_set(key, value) = ThreadLocals.assign(@locals.variables, key, value)

      def thread_variable?(key) = @locals.variables.key?(key.to_sym)

      def thread_variables = @locals.variables.keys

      def pending_interrupt?(kind = nil) = @interrupts.pending?(kind)

      def backtrace(...) = @fiber.backtrace(...)

      def backtrace_locations(...) = @fiber.backtrace_locations(...)

      def native_thread_id = @code

      def set_trace_func(_) = nil # standard:disable Naming/AccessorMethodName

      def is_a?(kind) = kind == ::Thread || super
      alias_method :kind_of?, :is_a?

      def instance_of?(kind) = kind == ::Thread || super

      def class = ::Thread

      def to_s
        "#<Thread:#{@path}#{"@#{@name}" if @name} #{status || "dead"}>"
      end
      alias_method :inspect, :to_s

      # @api private
      def main? = @path == World::MAIN

      # Accessors that programs add to Thread.
      # @api private
      def method_missing(name, *arguments)
        return super unless accessor?(name, arguments.size)

        variable = :"@thread_#{name.to_s.delete_suffix("=")}"
        return instance_variable_get(variable) if arguments.empty?

        instance_variable_set(variable, *arguments)
      end

      # @api private
      def respond_to_missing?(name, all = false)
        accessor?(name, name.end_with?("=") ? 1 : 0) || super
      end

      # Its name in reports.
      # @api private
      def label = @name ? "#{@path} (#{@name})" : @path

      # The error that ended it, or nil.
      # @api private
      def error = @completion.error

      # An error that no join has raised.
      # @api private
      def unjoined = (@completion.unseen_error unless main?)

      # All of its fibers that are known to the simulation.
      # @api private
      def fibers = [@main_fiber, @fiber, *@scheduler&.fibers].uniq

      # @api private
      def begin_wait(reason, subject, limit, now)
        @wait = (@last_wait ||= ThreadWait.new).begin(reason, subject, limit, now)
      end

      # Ends the wait. False when another event has ended it before.
      # @api private
      def settle(result)
        return false if @wait.nil? || @wait.result

        @wait.result = result
        true
      end

      # @api private
      def end_wait = @wait = nil

      private

      def accessor?(name, arguments)
        arguments == (name.end_with?("=") ? 1 : 0) && ::Thread.method_defined?(name) &&
          ::Thread.instance_method(name).arity == arguments
      end

      def fiber_locals
        @locals.of_fiber(equal?(@world.running) ? ::Fiber.current : @fiber)
      end
    end
  end
end
