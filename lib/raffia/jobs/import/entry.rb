# frozen_string_literal: true

module Raffia
  module Jobs
    class Import
      # A job of the other gem, as Raffia's.
      # @!attribute [r] item
      #   @return [Hash] see {Payload}; "at" is the time when it is due
      # @!attribute [r] reason
      #   @return [String, nil] why it is dead
      # @api private
      Entry = Data.define(:item, :reason) do
        # The other gem had given it up, or it cannot run here.
        def dead? = !reason.nil?

        def name = Payload.class_name(item)

        # Set of the store in which it will be.
        def set
          return :dead if dead?

          (item["at"] && item["at"] > Time.now.to_f) ? :scheduled : :queue
        end

        # Raises {Error} when no store could keep it.
        def draft
          Draft.of(dead? ? item.merge("at" => NEVER) : item)
        end
      end
    end
  end
end
