# frozen_string_literal: true

require "timeout"
require_relative "thread_locals"
require_relative "thread_slot"

module Raffia
  module Compat
    module Parallel
      # Makes the slots of a call, each with a worker number, and the block for their workers.
      #
      # @api private
      class WorkerSlots
        NUMBER = :parallel_worker_number
        private_constant :NUMBER

        # Index of the running worker, from 0; nil outside of one and in Ractors.
        def self.number = Thread.current[NUMBER]

        def self.number=(number)
          Thread.current[NUMBER] = number
        end

        def initialize(request, sizer, coordinator)
          @request = request
          @sizer = sizer
          @coordinator = coordinator
          @input = request.producer ? nil : Pool::Input.of(0...request.items.size)
          @options = Pool::Options.new(**(request.isolation? ? {max_tasks: 1, chunk: 1} : {}))
          @numbers = Thread::Queue.new((0...request.workers).to_a)
          @work = work(request)
          @locals = ThreadLocals.new if request.executor == :processes
        end

        # The block of a worker group.
        def to_proc = method(:take).to_proc

        def take
          number = @numbers.pop(true)
          case @request.executor
          when :threads
            WorkerSlots.number = number
            ThreadSlot.new(@request, @coordinator)
          when :processes
            slot(:processes, plan(WorkerSlots.process_work(@work, number, @locals)), @input)
          else slot(:ractors, plan(@work), nil)
          end
        end

        # Work of a Ractor. The block captures only shareable values.
        def self.ractor_work(type, name, with_index)
          return ->(pair) { type.__send__(name, *pair) } if with_index

          ->(pair) { type.__send__(name, pair.first) }
        end

        # Work of a forked worker. An item that calls +exit+ fails with DeadWorker, and the worker
        # lives on.
        def self.process_work(work, number, locals)
          new = true
          ->(input) do
            new &&= prepare_worker(number, locals)
            work.call(input)
          rescue Cancel, ::Timeout::ExitException, ::LocalJumpError, ::UncaughtThrowError
            raise
          rescue ::SystemExit, ::SignalException, ::NoMemoryError => error
            raise ::Parallel::DeadWorker,
              "the block ended its worker process by #{error.class} (#{error.message})"
          rescue Exception => error # standard:disable Lint/RescueException
            portable = ::Parallel::ExceptionWrapper.new(error).exception
            # Marshal could not dump the original as a cause.
            portable.equal?(error) ? raise : raise(portable, cause: nil)
          end
        end

        def self.prepare_worker(number, locals)
          locals.restore
          self.number = number
          false
        end

        private

        def slot(on, plan, input)
          Pool::Strategy.slots(Executor::ALL[on], plan, input, @sizer, @options).call
        end

        def plan(block)
          Pool::Plan.new(@request.wanted? ? :map : :each, block, Pool::Work::NOTHING)
        end

        # Work of Ractors and processes, called with an element of {NumberedItem#items} or an index.
        def work(request)
          if request.executor == :ractors
            return WorkerSlots.ractor_work(*request.ractor, request.with_index?)
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
