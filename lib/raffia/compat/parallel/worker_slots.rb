# frozen_string_literal: true

require "timeout"
require_relative "../../pool"
require_relative "thread_locals"
require_relative "thread_slot"

module Raffia
  module Compat
    module Parallel
      # Makes the slots of a call, each with a number, and the block for their workers.
      #
      # @api private
      class WorkerSlots
        # @param request [Request]
        # @param sizer [Pool::ChunkSize]
        # @param coordinator [Coordinator]
        def initialize(request, sizer, coordinator)
          @request = request
          @sizer = sizer
          @coordinator = coordinator
          @input = request.producer ? nil : Pool::Input.of(0...request.items.size)
          @options = Pool::Options.new(**(request.isolation? ? {max_tasks: 1, chunk: 1} : {}))
          @numbers = Thread::Queue.new((0...request.workers).to_a)
          @work = work(request)
          @locals = ThreadLocals.new if request.place == :processes
        end

        # @return [Proc] for a group
        def to_proc = method(:take).to_proc

        # In the worker loop's thread.
        # @return [Pool::WorkerSlot]
        def take
          number = @numbers.pop(true)
          case @request.place
          when :threads
            ::Parallel.worker_number = number
            ThreadSlot.new(@request, @coordinator)
          when :processes
            slot(:processes, plan(WorkerSlots.guarded(@work, number, @locals)), @input)
          else slot(:ractors, plan(@work), nil)
          end
        end

        # For a Ractor; with nothing of ours in it but what it needs.
        def self.callback(type, name, with_index)
          return ->(pair) { type.__send__(name, *pair) } if with_index

          ->(pair) { type.__send__(name, pair.first) }
        end

        # For a forked worker: an item that calls +exit+ does not end it, but fails with words about
        # that.
        def self.guarded(work, number, locals)
          new = true
          ->(input) do
            new &&= settle(number, locals)
            work.call(input)
          rescue Cancel, ::Timeout::ExitException, ::LocalJumpError, ::UncaughtThrowError
            raise
          rescue ::SystemExit, ::SignalException, ::NoMemoryError => error
            raise ::Parallel::DeadWorker,
              "the block ended its worker process by #{error.class} (#{error.message})"
          rescue Exception => error # standard:disable Lint/RescueException
            fit = ::Parallel::ExceptionWrapper.new(error).exception
            # the cause would be what Marshal refuses
            fit.equal?(error) ? raise : raise(fit, cause: nil)
          end
        end

        # Before the first item.
        # @return [false]
        def self.settle(number, locals)
          locals.restore
          ::Parallel.worker_number = number
          false
        end

        private

        def slot(on, plan, input)
          Pool::Strategy.fetch(on).slots(plan, input, @sizer, @options).call
        end

        def plan(block)
          Pool::Plan.new(@request.wanted? ? :map : :each, block, Pool::Work::NOTHING)
        end

        # For workers elsewhere: takes what they are sent.
        def work(request)
          if request.place == :ractors
            return WorkerSlots.callback(*request.ractor, request.with_index?)
          end

          items = request.items
          if items
            ->(index) { request.perform(items[index], index) }
          else
            ->(pair) { request.perform(*pair) }
          end
        end
      end
    end
  end
end
