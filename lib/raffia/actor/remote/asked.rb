# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # What was asked of an actor elsewhere, for whoever waits for its answer later: see
      # {Message#await}.
      #
      # @api private
      class Asked
        def initialize(line, number)
          @line = line
          @number = number
        end

        # It is over there that a circle would be seen.
        def core = self

        def check_cycle(_waiting, _message) = nil

        def current = nil

        def unwanted? = false

        # @yield while the message waits for this
        def awaited_by(_message)
          task = Task.number or return yield
          @line.tell(:waits, @number, task)
          begin
            yield
          ensure
            @line.tell(:rests, task)
          end
        end
      end
    end
  end
end
