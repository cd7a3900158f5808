# frozen_string_literal: true

module Raffia
  class Actor
    class Cell
      # Works through the mailbox, in a fiber or thread that is there for as long as there are messages.
      #
      # @api private
      module Working
        # Some messages. When there are more, others get their turn first.
        # @return [void]
        def work
          more = Deadline.replace(nil) { Strand.enter(self) { |region| work_through(region) } }
          dispatch(false) if more
        rescue Cancel
          finish(@doom)
        end

        private

        # @return [Boolean] whether there is more to do
        def work_through(region)
          life = @guard.hold { (@region = region) && @life }
          Cell::TURN.times do
            item = @guard.hold { take(life) } or return false
            item.is_a?(Message) ? perform(item) : item.call
          end
          true
        end

        # @param life [Integer] the one that this fiber or thread works for
        # @return [Message, #call, nil] nil: nothing is to be done, and nobody is here any more
        def take(life)
          return unless life == @life
          raise Cancel.new(@doom, origin: self) if @doom

          item = @mailbox.shift
          @active = @taken = !item.nil?
          item
        end

        def perform(message)
          return if message.unwanted?
          return message.reply&.fail(message.deadline.error) if message.deadline&.expired?

          @handled += 1
          value = message.begin { answer(message) }
          message.reply&.settle(value) unless message.postponed?
        rescue Exception => error # standard:disable Lint/RescueException
          raise doomed(message) if @doom

          failed(message, error)
        end

        # Killed in the middle of it.
        def doomed(message)
          message.reply&.fail(ActorDied.new(ref: ref, reason: @doom))
          Cancel.new(@doom, origin: self)
        end

        def answer(message)
          deadline = message.deadline
          deadline ? deadline.enforce { message.invoke(@subject) } : message.invoke(@subject)
        end

        # First the actor ends, then its caller hears of it.
        def failed(message, error)
          crash(error) unless callers?(message, error)
          return if message.reply&.fail(error)

          Raffia.log.error("#{message.inspect} failed: #{error.full_message(highlight: false)}") unless message.reply
        end

        # Whether it is the caller's error alone.
        def callers?(message, error)
          error.is_a?(TimeoutError) && message.deadline&.expired? || error.equal?(message.refusal) || @settings.expects.any? { |kind| kind === error }
        end
      end
    end
  end
end
