# frozen_string_literal: true

require_relative "../page"

module Raffia
  module Jobs
    class Web
      module Pages
        # Error page. It does not query the store, which may be the problem.
        class Problem < Page
          TITLES = {404 => "Not there", 422 => "That cannot be done",
                    501 => "The store cannot do that", 503 => "The store does not answer"}.freeze

          attr_reader :status, :error

          def initialize(request, web, status, error)
            super(request, web)
            @status = status
            @error = error
          end

          def title = TITLES.fetch(status)

          def sizes = {}.freeze

          # Parameters of a longer search.
          def further = ({jid: error.name, all: 1} if error.is_a?(Job::Unseen))

          # Refreshes until the store is back.
          def refresh = (super if status == 503 && !request.post?)
        end
      end
    end
  end
end
