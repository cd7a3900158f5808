# frozen_string_literal: true

require_relative "../page"

module Raffia
  module Jobs
    class Web
      module Pages
        # Asks for confirmation before many jobs are changed.
        class Confirmation < Page
          attr_reader :question, :fields

          def initialize(request, web, question, **fields)
            super(request, web)
            @question = question
            @fields = fields
          end

          def title = "Are you sure?"

          def refresh = nil
        end
      end
    end
  end
end
