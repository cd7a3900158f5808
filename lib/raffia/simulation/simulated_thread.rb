# frozen_string_literal: true

require_relative "interrupts"
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
      attr_reader :world, :path, :main_fiber, :code, :interrupts, :wait, :error, :starter, :origin
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
        @interrupts = Interrupts.new
        @locals = {}.compare_by_identity
        @variables = {}
        @joiners = []
        @children = 0
        @status = :created
        @report_on_exception = true
        @joined = @abort_on_exception = false
        @group = nil
        @main_fiber = @fiber = ::Fiber.new(blocking: false) { execute(arguments, &block) }
      end

      # @api private
      def next_path = "#{@path}/#{@children += 1}"

      # @return [Boolean]
      def alive? = @status != :ended

      # @return [Boolean]
      def stop? = !alive? || !@wait.nil?

      # @return [String, false, nil] "run", "sleep", "aborting"; false: ended; nil: ended by an
      #   error
      def status
        return (@error ? nil : false) unless alive?
        return "aborting" if @status == :killed

        @wait ? "sleep" : "run"
      end

      # The block's value; nil when there is none.
      # @api private
      def value_or_nil = @value

      # @param limit [Numeric, nil] seconds
      # @return [SimulatedThread, nil] nil: it was still alive
      # @raise [Exception] the error that ended it
      def join(limit = nil)
        if equal?(@world.running) || @main_fiber.equal?(::Fiber.current)
          ::Kernel.raise ::ThreadError, "Target thread must not be current thread"
        end

        return unless await_end(limit)

        @joined = true
        ::Kernel.raise @error if @error

        self
      end

      # @return [Object] the block's value
      # @raise [Exception] the error that ended it
      def value
        join
        @value
      end

      # Raises an exception in the thread, where the mask of Thread.handle_interrupt allows it.
      # @return [nil]
      def raise(*arguments, **options)
        return unless alive?

        interrupt(exception(*arguments, **options))
      end

      # @return [SimulatedThread]
      def kill
        interrupt(Interrupts::KILL) if alive?
        self
      end
      alias_method :exit, :kill
      alias_method :terminate, :kill

      # Ends the thread's sleep.
      # @return [SimulatedThread]
      # @raise [ThreadError] it has ended
      def wakeup
        ::Kernel.raise ::ThreadError, "killed thread" unless alive?

        @world.wake(self, :woken) if @wait&.reason == :sleep
        self
      end

      def run = wakeup.tap { @world.pass }

      def [](key) = fiber_locals[key.to_sym]

      def []=(key, value)
        value.nil? ? fiber_locals.delete(key.to_sym) : fiber_locals[key.to_sym] = value
      end

      def key?(key) = fiber_locals.key?(key.to_sym)

      def keys = fiber_locals.keys

      def fetch(key, ...) = fiber_locals.fetch(key.to_sym, ...)

      def thread_variable_get(key) = @variables[key.to_sym]

      def thread_variable_set(key, value)
        value.nil? ? @variables.delete(key.to_sym) : @variables[key.to_sym] = value
        value
      end

      def thread_variable?(key) = @variables.key?(key.to_sym)

      def thread_variables = @variables.keys

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
        arguments.empty? ? instance_variable_get(variable) : instance_variable_set(variable, *arguments)
      end

      # @api private
      def respond_to_missing?(name, all = false)
        accessor?(name, name.end_with?("=") ? 1 : 0) || super
      end

      # Its name in reports.
      # @api private
      def label = @name ? "#{@path} (#{@name})" : @path

      # An error that no join has raised.
      # @api private
      def unjoined = (@error unless @joined || main?)

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

      # Raises what others have raised in this thread, in it.
      # @api private
      def check_interrupts(blocking)
        return unless @interrupts.any?

        error = @interrupts.take(blocking) or return
        strike(error)
      end

      # @api private
      def interrupt(error)
        equal?(@world.running) ? strike(error) : post(error)
      end

      # Raises the exception at the thread's next point that its mask allows.
      # @api private
      def post(error)
        @interrupts.add(error)
        @world.note(:interrupt, self, Interrupts.describe(error))
        @world.wake(self, :interrupted) if @wait&.interruptible && @interrupts.deliverable?(true)
        nil
      end

      # Ends the thread without running any more of it.
      # @api private
      def abandon
        settle(:abandoned)
        @joined = true
        @status = :ended
        release_joiners
        @world.ended(self)
      end

      # Ends the thread with the run: its `ensure` blocks run, and end at their first wait.
      # @api private
      def end_now
        @scheduler&.terminate
        [@fiber, @main_fiber].uniq.each { |fiber| fiber.kill if fiber.alive? }
      rescue ::Exception # standard:disable Lint/RescueException, Lint/SuppressedException
      ensure
        @status = :ended
      end

      private

      def execute(arguments)
        @status = :running
        catch(Interrupts::KILL) do
          check_interrupts(false)
          @world.enter
          @value = yield(*arguments)
        end
      rescue ::Exception => error # standard:disable Lint/RescueException
        @error = error
      ensure
        finish
      end

      def finish
        @scheduler&.scheduler_close unless @world.closing?
      rescue ::Exception => error # standard:disable Lint/RescueException
        @error ||= error
      ensure
        @status = :ended
        release_joiners
        @world.ended(self)
      end

      def release_joiners = @joiners.each { |fiber| @world.fiber_waits.unblock(self, fiber) }

      def accessor?(name, arguments)
        arguments == (name.end_with?("=") ? 1 : 0) && ::Thread.method_defined?(name) &&
          ::Thread.instance_method(name).arity == arguments
      end

      def strike(error)
        return ::Kernel.raise(error) unless error.equal?(Interrupts::KILL)

        @status = :killed
        throw(Interrupts::KILL) if @main_fiber.equal?(::Fiber.current)
        ::Fiber.current.kill
      end

      def await_end(limit)
        deadline = limit && Clock.now + limit
        while alive?
          remaining = [deadline - Clock.now, 0].max if deadline
          @joiners << (fiber = ::Fiber.current)
          begin
            woken = @world.fiber_waits.block(self, remaining)
          ensure
            @joiners.delete(fiber)
          end
          return alive? ? nil : self unless woken
        end
        self
      end

      def fiber_locals
        @locals[equal?(@world.running) ? ::Fiber.current : @fiber] ||= {}
      end

      def exception(error = nil, *arguments, **options)
        case error
        when nil then ::RuntimeError.new("")
        when ::String then ::RuntimeError.new(error)
        else
          made = error.exception(*arguments.first(1))
          made.set_backtrace(arguments[1]) if arguments[1]
          made
        end
      end
    end
  end
end
