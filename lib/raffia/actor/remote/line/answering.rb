# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      class Line
        # What becomes of a question of the other side's.
        #
        # @api private
        module Answering
          # @return [void]
          def answer(number, value)
            given(ANSWER, number, value)
          rescue NotDumpable => error
            refuse(number, error)
          end

          # @return [void]
          def fail(number, error) = given(FAILURE, number, Words.of(error))

          # @return [void]
          def refuse(number, error) = given(REFUSAL, number, Words.of(error))

          # @return [void]
          def postpone(number) = write(LATER, number)

          # @param number [Integer] of a question of the other side's
          # @return [Answer, nil] if it has not been given
          def owed(number) = @guard.hold { @answers[number] }

          private

          # What was only told is not answered.
          def given(kind, number, payload)
            return if number.zero?

            @guard.hold { @answers.delete(number) }
            write(kind, number, payload)
          end
        end
      end
    end
  end
end
