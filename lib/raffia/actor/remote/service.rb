# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # What runs where the object lives: it does what the core's side asks, one thing at a time and
      # in the thread that began it, but for what may run while the object itself waits.
      #
      # @api private
      class Service < Desk
        # What the core's side asks of the object.
        WORK = %i[build invoke hook run_block].freeze

        # Seconds in which the reason is here that a signal is about.
        MOMENT = 0.2

        # @return [Line]
        attr_reader :line

        # @param data [Array] see {Distant.describe}: of the core
        # @param helper [#call, #enter] runs blocks beside the work; and the work
        def initialize(data, wire, helper, &build)
          super()
          @jobs = Thread::Queue.new
          @last_words = Thread::Queue.new
          @helper = helper
          @build = build
          @line = Line.new(wire, self)
          @inner = Inner.new(data, @line)
          Node.current.uplink = @line
          Node.current.know(data.first, @inner)
        end

        # @return [void]
        def run
          @helper.call { @line.serve }
          @helper.enter(self) { |region| work_through(region) }
        rescue Cancel => cancel
          stop
          raise unless cancel.origin.equal?(self)
        ensure
          @line.close(:stopped)
        end

        # The other side is gone, or wants no more.
        # @return [void]
        def ended(line, reason)
          super
          @jobs << nil
          @region&.cancel(reason) # who waits now waits for nothing
        end

        private

        # @param region [#cancel, nil] in which the object's work can be broken off from here
        def work_through(region)
          while (job = @jobs.pop)
            @region = region
            work(*job)
            @region = nil
          end
        end

        def other(_line, op, arguments, answer)
          case op
          when *WORK then @jobs << [op, arguments, answer]
          when :reenter then @helper.call { work(arguments.first, arguments.drop(1), answer) }
          when :leave then @jobs << nil
          when :stop then @last_words << arguments.first
          else raise(Rejected, "nobody here does #{op.inspect}")
          end
        end

        def beside(&) = @helper.call(&)

        def work(op, arguments, answer)
          return answer.settle if answer.forgotten?

          task, block = __send__(op, answer, *arguments)
          value = task.handle { task.deadline ? task.deadline.enforce(&block) : block.call }
          answer.settle(value) unless task.postponed?
        rescue Cancel, SystemExit, SignalException
          raise
        rescue Exception => error # standard:disable Lint/RescueException
          error.equal?(task&.refusal) ? answer.refuse(error) : answer.fail(error)
        end

        def task(name, answer, arguments = nil, keywords = nil, deadline = nil)
          Task.new(answer&.number, @inner, name, arguments, keywords, answer, deadline)
        end

        def build(answer, *given)
          [task(:initialize, answer), -> { (@subject = @build.call(@inner, *given)) && nil }]
        end

        def invoke(answer, name, arguments, keywords, deadline)
          task = task(name, answer, arguments, keywords, deadline)
          [task, -> { task.invoke(@subject) }]
        end

        def hook(answer, name, *arguments)
          @stopped = true if name == :on_stop
          [task(name, answer), -> { @subject.__send__(name, *arguments) && nil }]
        end

        def run_block(answer, key, arguments, keywords)
          block = @inner.block(key)
          [task(:block, answer),
            -> { block && @subject.instance_exec(*arguments, **keywords, &block) && nil }]
        end

        # Killed in the middle of something: there is a moment left.
        def stop
          return if @subject.nil? || @stopped

          @stopped = true
          task(:on_stop, nil).handle do
            @subject.on_stop(@last_words.pop(timeout: MOMENT) || :terminated)
          end
        rescue => error
          Actor.log.error("#{@inner.label}: on_stop failed: #{Log.full(error)}")
        end
      end
    end
  end
end
