# frozen_string_literal: true

require_relative "fetcher"

module Raffia
  module Jobs
    class Worker
      # Claims suspects one at a time, and stops its worker when there are none left.
      #
      # @api private
      class SuspectFetcher < Fetcher
        # The link shows whether the parent worker stops.
        def initialize(*, link:, &)
          super(*, &)
          @link = link
          @done = false
        end

        private

        # Once there was none it claims no more: the worker is stopping by then, and no job is
        # charged with the death of a worker that stops.
        def fetch(_capacity)
          return wait if @done
          # A suspect that another isolated worker gives back as it stops is for a later worker.
          return finish if @link&.stop_reason == :dismissed

          claims = claim(1, suspects: true)
          return finish if claims.empty?
          return release(claims) if @closed # meanwhile

          start(claims)
        end

        def finish
          @done = true
          @stop.call
        end
      end
    end
  end
end
